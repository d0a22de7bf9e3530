/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - checking, ordering and converting a set of manifests.
 */
#include "azure/plan.h"

#include "azure/applied.h"

/* An object on its way into the order. */
struct node {
    struct plan_step step;
    VEC(size_t) needs; /* indexes of nodes that come first */
    enum { WAITING, VISITING, PLACED } state;
};

struct planning {
    struct arena *arena;
    struct manifests *manifests;
    struct model *model;
    struct plan *out;
    VEC(struct node) nodes;
    struct map *by_name;   /* "group/kind/namespace/name" to index + 1 */
    struct map *by_export; /* "secret namespace/name" to index + 1 */
};

/* ---- Names. -----------------------------------------------------------------------------------
 */

static str name_key(struct arena *a, const struct object_name *n)
{
    str namespace = n->namespace.len ? n->namespace : STR("default");

    return str_fmt(a, "%.*s/%.*s/%.*s/%.*s", STR_ARG(n->group), STR_ARG(n->kind),
                   STR_ARG(namespace), STR_ARG(n->name));
}

/* Secrets and config maps by the name of what holds them. */
static str export_key(struct arena *a, bool secret, str namespace, str name)
{
    str in = namespace.len ? namespace : STR("default");

    return str_fmt(a, "%s %.*s/%.*s", secret ? "secret" : "config", STR_ARG(in), STR_ARG(name));
}

static void need(struct planning *p, size_t node, const struct map *of, str key)
{
    size_t i = (size_t)(uintptr_t)map_get(of, key);

    if (i && i - 1 != node)
        VEC_PUSH(p->arena, &p->nodes.items[node].needs, i - 1);
}

/* ---- What a spec needs and gives. -------------------------------------------------------------
 */

struct looking {
    struct planning *p;
    size_t node;
    str namespace;
    bool exports; /* look for what is written, else for what is needed */
};

static void look_at_object(struct looking *l, const struct model_type *t, const struct value *v);

static void look_at_reference(struct looking *l, const struct reference_rule *rule,
                              const struct value *v)
{
    struct reference ref;

    if (l->exports || !reference_read(v, rule, NULL, &ref, NULL) || ref.form != REFERENCE_OBJECT)
        return;
    struct object_name n = {
        .group = ref.group, .kind = ref.kind, .namespace = l->namespace, .name = ref.name};
    need(l->p, l->node, l->p->by_name, name_key(l->p->arena, &n));
}

static void look_at_source(struct looking *l, bool secret, bool written, const struct value *v)
{
    str name = value_get_str(v, STR("name"));
    str key = export_key(l->p->arena, secret, l->namespace, name);

    if (!name.len || l->exports != written)
        return;
    if (written)
        map_set(l->p->by_export, key, (void *)(uintptr_t)(l->node + 1));
    else
        need(l->p, l->node, l->p->by_export, key);
}

static void look_at_builtin(struct looking *l, const struct model_prop *p,
                            enum model_builtin builtin, const struct value *v)
{
    struct reference_rule rule = {.builtin = builtin};

    switch (builtin) {
    case BUILTIN_SECRET_REFERENCE:
    case BUILTIN_SECRET_MAP_REFERENCE:
        look_at_source(l, true, false, v);
        return;
    case BUILTIN_CONFIG_MAP_REFERENCE:
        look_at_source(l, false, false, v);
        return;
    case BUILTIN_SECRET_DESTINATION:
        look_at_source(l, true, true, v);
        return;
    case BUILTIN_CONFIG_MAP_DESTINATION:
        look_at_source(l, false, true, v);
        return;
    case BUILTIN_DESTINATION_EXPRESSION:
        look_at_source(l, str_eq(p->name, STR("secretExpressions")), true, v);
        return;
    default:
        if (p->role == ROLE_OWNER)
            rule = owner_rule(l->p->nodes.items[l->node].step.resource);
        look_at_reference(l, &rule, v);
    }
}

static void look_at(struct looking *l, const struct model_prop *p, const struct model_shape *shape,
                    const struct value *v)
{
    if (shape->form == FORM_LIST || shape->form == FORM_MAP) {
        for (size_t i = 0; i < value_len(v); i++)
            look_at(l, p, shape->item, &v->items[i]);
    } else if (shape->form == FORM_OBJECT && v->kind == VALUE_OBJECT) {
        look_at_object(l, shape->object, v);
    } else if (shape->form == FORM_BUILTIN) {
        look_at_builtin(l, p, shape->builtin, v);
    }
}

static void look_at_object(struct looking *l, const struct model_type *t, const struct value *v)
{
    for (size_t i = 0; i < v->len; i++) {
        const struct model_prop *p = model_prop(t, value_key(&v->items[i]));
        if (p)
            look_at(l, p, p->shape, &v->items[i]);
    }
}

static void look_at_node(struct planning *p, size_t node, bool exports)
{
    const struct plan_step *step = &p->nodes.items[node].step;
    const struct value *spec = value_get(step->doc->root, STR("spec"));
    struct looking l = {.p = p,
                        .node = node,
                        .namespace = object_name(step->doc->root).namespace,
                        .exports = exports};

    if (value_is(spec, VALUE_OBJECT))
        look_at_object(&l, step->resource->spec, spec);
}

/* ---- Gathering. -------------------------------------------------------------------------------
 */

static void add_finding(struct planning *p, const struct doc *doc, const char *field, str text)
{
    const struct value *v = value_get(doc->root, str_c(field));
    struct finding f = {.path = str_c(field), .text = str_copy(p->arena, text)};

    if (doc->source)
        f.at = source_where(doc->source, v ? v : doc->root);
    VEC_PUSH(p->arena, &p->out->findings, f);
}

static void ignore(struct planning *p, const struct doc *doc)
{
    struct plan *out = p->out;
    const struct doc **grown = ARENA_ARRAY(p->arena, const struct doc *, out->ignored_count + 1);

    for (size_t i = 0; i < out->ignored_count; i++)
        grown[i] = out->ignored[i];
    grown[out->ignored_count++] = doc;
    out->ignored = grown;
}

/* Whether the object is one of Azure's. Those of our groups must be known. */
static bool find_resource(struct planning *p, const struct doc *doc,
                          const struct model_resource **res)
{
    AUTO_ERR e = {0};
    str group, version;

    object_api(doc->root, &group, &version);
    if (!str_has_suffix(group, STR(".azure.com"))) {
        if (group.len)
            ignore(p, doc);
        return false;
    }
    if (object_resource(p->model, doc->root, res, &e))
        return true;
    add_finding(p, doc, model_has_group(p->model, group) ? "kind" : "apiVersion", e.text);
    return false;
}

static void gather(struct planning *p)
{
    for (size_t i = 0; i < manifests_count(p->manifests); i++) {
        const struct doc *doc = manifests_at(p->manifests, i);
        const struct model_resource *res;
        if (!find_resource(p, doc, &res))
            continue;
        struct object_name n = object_name(doc->root);
        struct node *node = VEC_ADD(p->arena, &p->nodes);
        node->step = (struct plan_step){.doc = doc, .resource = res};
        if (!n.name.len)
            add_finding(p, doc, "metadata", STR("metadata.name is required"));
        str key = name_key(p->arena, &n);
        if (map_has(p->by_name, key))
            add_finding(p, doc, "metadata", STR("another object of this kind has the same name"));
        map_set(p->by_name, key, (void *)(uintptr_t)p->nodes.len);
        check_object(p->arena, p->model, res, doc, &p->out->findings);
    }
}

/* ---- Ordering. --------------------------------------------------------------------------------
 */

/*
 * Depth first, in the order of the files, with a stack of its own. Objects that refer to each other
 * in a circle come in the order of the files: Azure takes several tries for those.
 */
static void place(struct planning *p, size_t first, size_t *order, size_t *count)
{
    VEC(size_t) stack = {0};

    VEC_PUSH(p->arena, &stack, first);
    while (stack.len) {
        size_t i = stack.items[stack.len - 1];
        struct node *n = &p->nodes.items[i];
        if (n->state == WAITING) {
            n->state = VISITING;
            for (size_t k = n->needs.len; k > 0; k--)
                if (p->nodes.items[n->needs.items[k - 1]].state == WAITING)
                    VEC_PUSH(p->arena, &stack, n->needs.items[k - 1]);
            continue;
        }
        stack.len--;
        if (n->state == VISITING) {
            n->state = PLACED;
            order[(*count)++] = i;
        }
    }
}

static size_t *find_order(struct planning *p)
{
    size_t *order = ARENA_ARRAY(p->arena, size_t, p->nodes.len + 1), count = 0;

    for (size_t i = 0; i < p->nodes.len; i++)
        look_at_node(p, i, true);
    for (size_t i = 0; i < p->nodes.len; i++)
        look_at_node(p, i, false);
    for (size_t i = 0; i < p->nodes.len; i++)
        place(p, i, order, &count);
    return order;
}

/* ---- Converting. ------------------------------------------------------------------------------
 */

/* Each line once. */
static str unique_lines(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct map *seen = map_new(a);
    str line;

    while (str_next_line(&text, &line)) {
        if (map_has(seen, line))
            continue;
        map_set(seen, line, seen);
        buf_fmt(&out, "%.*s\n", STR_ARG(line));
    }
    return buf_str(&out);
}

/* What was read from a cluster is sent in the version in which it was applied there. */
static bool make_request(struct planning *p, struct plan_step *step, struct err *e)
{
    const struct value *object = step->doc->root;
    struct applied applied;

    if (applied_is_served(object)) {
        if (!applied_object(p->arena, p->model, object, &applied, &object, e))
            return false;
        step->resource = applied.resource;
    }
    return convert_to_arm(p->arena, manifests_resolver(p->manifests), step->resource, object,
                          step->doc->source, &step->request, e);
}

static void convert_step(struct planning *p, struct plan_step *step)
{
    struct buf notes = buf_new(p->arena, 1 * MIB);
    AUTO_ERR e = {0};

    if (step->resource->scope == SCOPE_NONE) {
        step->notes = STR("this kind is no resource of Azure Resource Manager\n");
        return;
    }
    manifests_guess(p->manifests, &notes);
    if (!make_request(p, step, &e)) {
        struct finding f = {.path = STR("spec"), .text = str_copy(p->arena, e.text)};
        const struct value *spec = value_get(step->doc->root, STR("spec"));
        step->request.id = STR_NONE;
        if (step->doc->source)
            f.at = source_where(step->doc->source, spec ? spec : step->doc->root);
        if (e.at.line) {
            f.at.line = e.at.line;
            f.at.column = e.at.column;
        }
        VEC_PUSH(p->arena, &p->out->findings, f);
    }
    step->notes = unique_lines(p->arena, str_copy(p->arena, buf_str(&notes)));
}

bool plan_make(struct arena *a, struct manifests *m, struct plan *out, struct err *e)
{
    struct planning p = {.arena = a,
                         .manifests = m,
                         .model = manifests_resolver(m)->model,
                         .out = out,
                         .by_name = map_new(a),
                         .by_export = map_new(a)};

    *out = (struct plan){0};
    if (model_file_count(p.model) == 0)
        return err_set(e, ERR_NOT_FOUND,
                       "this program was built without a resource model: name a folder with one "
                       "in PLUMB_MODEL");
    gather(&p);
    size_t *order = find_order(&p);
    out->steps = ARENA_ARRAY(a, struct plan_step, p.nodes.len);
    for (size_t i = 0; i < p.nodes.len; i++)
        out->steps[out->count++] = p.nodes.items[order[i]].step;
    if (out->findings.len == 0)
        for (size_t i = 0; i < out->count; i++)
            convert_step(&p, &out->steps[i]);
    return true;
}
