/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - walks over a spec and finds what is wrong with it. Limits are in check_limits.c,
 * objects with the same meaning everywhere in check_builtin.c.
 */
#include "azure/check_internal.h"

#include "arm/id.h"
#include "object/object.h"

/* ---- Findings. ---- */

void check_fail(struct checking *c, const struct value *v, const struct trail *at,
                const char *format, ...)
{
    struct finding f = {0};
    va_list args;

    if (c->out->len >= FINDINGS_MAX)
        return;
    struct path path = path_of_trail(c->arena, at);
    struct buf text = buf_new(c->arena, 64 * KIB);
    path_print_dotted(&text, &path);
    f.path = buf_str(&text);
    if (c->src)
        f.at = source_where(c->src, v);
    va_start(args, format);
    f.text = str_vfmt(c->arena, format, args);
    va_end(args);
    VEC_PUSH(c->arena, c->out, f);
}

struct trail check_step(const struct trail *up, str key)
{
    return (struct trail){.up = up, .step = {.kind = STEP_KEY, .key = key}};
}

bool check_kind(struct checking *c, const struct value *v, const struct trail *at,
                enum value_kind kind, const char *wanted)
{
    if (v->kind == kind)
        return true;
    check_fail(c, v, at, "must be %s, not %s", wanted, value_kind_name((enum value_kind)v->kind));
    return false;
}

/* ---- Objects. ---- */

/* The property with the most similar name. */
static const struct model_prop *alike(const struct model_type *t, str name)
{
    const struct model_prop *best = NULL;
    size_t least = name.len / 3 + 1;

    for (size_t i = 0; i < t->prop_count; i++) {
        bool same = str_eq_fold(t->props[i].name, name);
        size_t distance = same ? 0 : str_distance(t->props[i].name, name);
        if (distance < least || same) {
            least = distance;
            best = &t->props[i];
        }
    }
    return best;
}

static void unknown_field(struct checking *c, const struct model_type *t, const struct value *v,
                          const struct trail *at)
{
    const struct model_prop *near = alike(t, value_key(v));

    if (near)
        check_fail(c, v, at, "unknown field: did you mean \"%.*s\"?", STR_ARG(near->name));
    else
        check_fail(c, v, at, "unknown field");
}

static bool is_set(const struct value *object, const struct model_prop *p)
{
    const struct value *v = value_get(object, p->name);

    return v && v->kind != VALUE_NULL;
}

/* Whether the other property of p's pair is set instead. */
static bool has_stand_in(const struct model_type *t, const struct model_prop *p,
                         const struct value *v)
{
    for (size_t i = 0; i < t->prop_count; i++)
        if (&t->props[i] != p && p->pair.len && str_eq(t->props[i].pair, p->pair) &&
            is_set(v, &t->props[i]))
            return true;
    return false;
}

static void check_required(struct checking *c, const struct model_type *t, const struct value *v,
                           const struct trail *at)
{
    for (size_t i = 0; i < t->prop_count; i++) {
        const struct model_prop *p = &t->props[i];
        struct trail here = check_step(at, p->name);
        if (p->required && !is_set(v, p) && !has_stand_in(t, p, v))
            check_fail(c, v, &here, "is required");
    }
}

/* At most one of a pair, and at most one variant, may be set. */
static void check_exclusive(struct checking *c, const struct model_type *t, const struct value *v,
                            const struct trail *at)
{
    for (size_t i = 0; i < t->prop_count; i++)
        for (size_t k = i + 1; k < t->prop_count; k++) {
            const struct model_prop *p = &t->props[i], *q = &t->props[k];
            bool pair = p->pair.len && str_eq(p->pair, q->pair);
            bool variants = p->role == ROLE_VARIANT && q->role == ROLE_VARIANT;
            if (!(pair || variants) || !is_set(v, p) || !is_set(v, q))
                continue;
            struct trail here = check_step(at, q->name);
            size_t before = c->out->len;
            check_fail(c, value_get(v, q->name), &here, "excludes \"%.*s\": set only one of them",
                       STR_ARG(p->name));
            if (c->out->len > before)
                c->out->items[before].exclusive = true;
        }
}

static bool may_exclude(const struct model_type *t)
{
    for (size_t i = 0; i < t->prop_count; i++)
        if (t->props[i].pair.len || t->props[i].role == ROLE_VARIANT)
            return true;
    return false;
}

void check_members(struct checking *c, const struct model_type *t, const struct value *v,
                   const struct trail *at)
{
    for (size_t i = 0; i < v->len; i++) {
        const struct value *member = &v->items[i];
        const struct model_prop *p = model_prop(t, value_key(member));
        struct trail here = check_step(at, value_key(member));
        if (!p) {
            unknown_field(c, t, member, &here);
            continue;
        }
        if (member->kind == VALUE_NULL)
            continue;
        if (p->role == ROLE_OWNER) {
            check_owner(c, member, &here);
            continue;
        }
        check_value(c, p->shape, member, &here);
        check_limits(c, p->limits, member, &here);
        check_choices(c, p->choices, member, &here);
    }
    check_required(c, t, v, at);
    if (may_exclude(t))
        check_exclusive(c, t, v, at);
}

/* ---- Values. ---- */

static void check_items(struct checking *c, const struct model_shape *shape, const struct value *v,
                        const struct trail *at)
{
    bool list = shape->form == FORM_LIST;

    if (!check_kind(c, v, at, list ? VALUE_LIST : VALUE_OBJECT, list ? "a list" : "an object"))
        return;
    for (size_t i = 0; i < v->len; i++) {
        struct trail here = {.up = at,
                             .step = {.kind = list ? STEP_INDEX : STEP_KEY,
                                      .key = value_key(&v->items[i]),
                                      .index = i}};
        check_value(c, shape->item, &v->items[i], &here);
    }
}

static void check_number(struct checking *c, const struct model_shape *shape, const struct value *v,
                         const struct trail *at)
{
    int64_t whole;

    if (!value_is_number(v) || (shape->form == FORM_INT && !value_to_i64(v, &whole)))
        check_fail(c, v, at, "must be %s, not %s",
                   shape->form == FORM_INT ? "an integer" : "a number",
                   value_kind_name((enum value_kind)v->kind));
}

void check_value(struct checking *c, const struct model_shape *shape, const struct value *v,
                 const struct trail *at)
{
    switch (shape->form) {
    case FORM_JSON:
        return;
    case FORM_STRING:
        if (!check_kind(c, v, at, VALUE_STRING, "a string"))
            return;
        break;
    case FORM_BOOL:
        check_kind(c, v, at, VALUE_BOOL, "true or false");
        return;
    case FORM_INT:
    case FORM_FLOAT:
        check_number(c, shape, v, at);
        break;
    case FORM_LIST:
    case FORM_MAP:
        check_items(c, shape, v, at);
        return;
    case FORM_OBJECT:
        if (check_kind(c, v, at, VALUE_OBJECT, "an object"))
            check_members(c, shape->object, v, at);
        return;
    case FORM_BUILTIN:
        check_builtin(c, shape->builtin, v, at);
        return;
    }
    check_choices(c, shape->choices, v, at);
    check_limits(c, shape->limits, v, at);
}

/* ---- The object. ---- */

/*
 * The name in Azure, if the object alone determines it: azureName, or the name of the object, which
 * is its default. NULL when it comes from elsewhere.
 */
static const struct value *given_name(const struct model_resource *res, const struct value *object)
{
    const struct value *spec = value_get(object, STR("spec"));
    const struct value *name = value_get(spec, STR("azureName"));
    const struct model_prop *config = model_prop_of_role(res->spec, ROLE_AZURE_NAME_FROM_CONFIG);

    if (!res->has_name)
        return NULL;
    if (name && name->kind != VALUE_NULL)
        return name;
    if (res->uuid_name || (config && value_is(value_get(spec, config->name), VALUE_OBJECT)))
        return NULL;
    return value_get(object_meta(object), STR("name"));
}

/* The default of azureName must be as valid as azureName itself. */
static void check_default_name(struct checking *c, const struct value *name, const struct trail *at)
{
    const struct model_prop *p = model_prop(c->resource->spec, STR("azureName"));
    size_t before = c->out->len;

    if (!p || !name->len)
        return;
    check_value(c, p->shape, name, at);
    check_limits(c, p->limits, name, at);
    check_choices(c, p->choices, name, at);
    for (size_t i = before; i < c->out->len; i++)
        c->out->items[i].text = str_concat(c->arena, c->out->items[i].text,
                                           STR("; without spec.azureName it is metadata.name"));
}

/* Names become part of a URL path: rejects anything that would end or split it. */
static void check_name(struct checking *c, const struct value *object, const struct trail *at)
{
    const struct value *spec = value_get(object, STR("spec"));
    const struct value *name = given_name(c->resource, object);
    struct trail here = check_step(at, STR("azureName"));

    if (!value_is(name, VALUE_STRING))
        return;
    if (name != value_get(spec, STR("azureName")))
        check_default_name(c, name, &here);
    for (size_t i = 0; i < name->len; i++)
        if (strchr("/?#%", name->text[i]) || (unsigned char)name->text[i] < ' ') {
            check_fail(c, name, &here, "must not have \"/\", \"?\", \"#\", \"%%\" in it");
            return;
        }
}

void check_object(struct arena *a, struct model *m, const struct model_resource *res,
                  const struct doc *doc, struct findings *out)
{
    struct checking c = {.arena = a, .model = m, .resource = res, .src = doc->source, .out = out};
    const struct value *spec = value_get(doc->root, STR("spec"));
    struct trail at = check_step(NULL, STR("spec"));
    struct value *none = value_object(a);

    none->pos = doc->root->pos;
    if (spec && spec->kind != VALUE_NULL && !check_kind(&c, spec, &at, VALUE_OBJECT, "an object"))
        return;
    check_members(&c, res->spec, value_is(spec, VALUE_OBJECT) ? spec : none, &at);
    check_name(&c, doc->root, &at);
}
