/* SPDX-License-Identifier: Apache-2.0 */
/*
 * needs.c - walks over a spec by its model; see needs.h.
 */
#include "azure/needs.h"

#include "azure/member.h"
#include "azure/resolve.h"
#include "value/path.h"

static const char *const kind_names[NEED_KIND_COUNT] = {
    [NEED_OWNER] = "owner",
    [NEED_REFERENCE] = "reference",
    [NEED_SECRET] = "secret",
    [NEED_SECRET_MAP] = "secret map",
    [NEED_CONFIG_MAP] = "config map",
    [NEED_EXPORT_SECRET] = "exported secret",
    [NEED_EXPORT_CONFIG_MAP] = "exported config map",
};

struct looking {
    struct arena *arena;
    const struct model_resource *res;
    const struct value *spec;
    str namespace;
    struct needs *out;
};

static void look_at_object(struct looking *l, const struct model_type *t, const struct value *v,
                           const struct trail *at);

static struct need *add(struct looking *l, enum need_kind kind, const struct value *v,
                        const struct trail *at)
{
    struct need *n = VEC_ADD(l->arena, l->out);
    struct path path = path_of_trail(l->arena, at);
    struct buf text = buf_new(l->arena, BUF_UNLIMITED);

    path_print_dotted(&text, &path);
    n->kind = kind;
    n->path = buf_str(&text);
    n->at = v;
    return n;
}

static void add_reference(struct looking *l, enum need_kind kind, const struct reference_rule *rule,
                          const struct value *v, const struct trail *at)
{
    struct reference ref;

    if (!reference_read(v, rule, NULL, &ref, NULL))
        return;
    struct need *n = add(l, kind, v, at);
    n->reference = ref;
    if (ref.form == REFERENCE_OBJECT)
        n->object = reference_key(&ref, l->namespace);
}

/* Adds a Secret or ConfigMap, unless its name or a required key is missing, which is a mistake. */
static void add_plain(struct looking *l, enum need_kind kind, const struct value *v,
                      const struct trail *at)
{
    bool secret = kind == NEED_SECRET || kind == NEED_SECRET_MAP || kind == NEED_EXPORT_SECRET;
    str name = member_fold_str(v, STR("name"));
    str key = kind == NEED_SECRET_MAP ? STR_NONE : member_fold_str(v, STR("key"));

    if (!name.len || (!key.len && (kind == NEED_SECRET || kind == NEED_CONFIG_MAP)))
        return;
    struct need *n = add(l, kind, v, at);
    n->key = key;
    n->object = (struct object_key){
        .kind = secret ? STR("Secret") : STR("ConfigMap"), .namespace = l->namespace, .name = name};
}

/* A name from a ConfigMap counts only if nothing else names the resource. */
static bool is_named_otherwise(const struct looking *l)
{
    return l->res->fixed_name.len ||
           (l->res->has_name && value_get_str(l->spec, STR("azureName")).len);
}

static void look_at_builtin(struct looking *l, const struct model_prop *p,
                            enum model_builtin builtin, const struct value *v,
                            const struct trail *at)
{
    struct reference_rule rule = {.builtin = builtin};

    switch (builtin) {
    case BUILTIN_SECRET_REFERENCE:
        add_plain(l, NEED_SECRET, v, at);
        return;
    case BUILTIN_SECRET_MAP_REFERENCE:
        add_plain(l, NEED_SECRET_MAP, v, at);
        return;
    case BUILTIN_CONFIG_MAP_REFERENCE:
        if (p->role != ROLE_AZURE_NAME_FROM_CONFIG || !is_named_otherwise(l))
            add_plain(l, NEED_CONFIG_MAP, v, at);
        return;
    case BUILTIN_SECRET_DESTINATION:
        add_plain(l, NEED_EXPORT_SECRET, v, at);
        return;
    case BUILTIN_CONFIG_MAP_DESTINATION:
        add_plain(l, NEED_EXPORT_CONFIG_MAP, v, at);
        return;
    case BUILTIN_DESTINATION_EXPRESSION:
        add_plain(l,
                  str_eq(p->name, STR("secretExpressions")) ? NEED_EXPORT_SECRET
                                                            : NEED_EXPORT_CONFIG_MAP,
                  v, at);
        return;
    default:
        if (p->role == ROLE_OWNER)
            rule = owner_rule(l->res);
        add_reference(l, p->role == ROLE_OWNER ? NEED_OWNER : NEED_REFERENCE, &rule, v, at);
    }
}

static void look_at(struct looking *l, const struct model_prop *p, const struct model_shape *shape,
                    const struct value *v, const struct trail *at)
{
    if (shape->form == FORM_LIST || shape->form == FORM_MAP) {
        enum step_kind kind = shape->form == FORM_LIST ? STEP_INDEX : STEP_KEY;
        if (v->kind != (shape->form == FORM_LIST ? VALUE_LIST : VALUE_OBJECT))
            return;
        for (size_t i = 0; i < v->len; i++) {
            struct trail here = {
                .up = at, .step = {.kind = kind, .key = value_key(&v->items[i]), .index = i}};
            look_at(l, p, shape->item, &v->items[i], &here);
        }
    } else if (v->kind == VALUE_OBJECT && shape->form == FORM_OBJECT) {
        look_at_object(l, shape->object, v, at);
    } else if (v->kind == VALUE_OBJECT && shape->form == FORM_BUILTIN) {
        look_at_builtin(l, p, shape->builtin, v, at);
    }
}

static void look_at_object(struct looking *l, const struct model_type *t, const struct value *v,
                           const struct trail *at)
{
    for (size_t i = 0; i < v->len; i++) {
        const struct model_prop *p = member_prop(t, v, &v->items[i]);
        if (!p)
            continue;
        struct trail here = {.up = at, .step = {.kind = STEP_KEY, .key = p->name}};
        look_at(l, p, p->shape, &v->items[i], &here);
    }
}

void needs_of(struct arena *a, const struct model_resource *res, const struct value *object,
              struct needs *out)
{
    struct trail at = {.step = {.kind = STEP_KEY, .key = STR("spec")}};
    struct looking l = {.arena = a,
                        .res = res,
                        .spec = value_get(object, STR("spec")),
                        .namespace = object_namespace(object),
                        .out = out};

    if (value_is(l.spec, VALUE_OBJECT))
        look_at_object(&l, res->spec, l.spec, &at);
}

bool need_is_in_cluster(const struct need *n)
{
    return n->object.name.len > 0;
}

bool need_is_export(const struct need *n)
{
    return n->kind == NEED_EXPORT_SECRET || n->kind == NEED_EXPORT_CONFIG_MAP;
}

const char *need_kind_name(enum need_kind kind)
{
    return kind_names[kind];
}
