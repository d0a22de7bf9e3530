/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - checks, sorts and converts a set of manifests.
 */
#include "azure/plan.h"

#include "azure/applied.h"
#include "azure/order.h"
#include "azure/targets.h"
#include "object/object.h"

/* An object to be planned. */
struct node {
    struct plan_step step;
    struct needs needs;
};

struct planning {
    struct arena *arena;
    struct manifests *manifests;
    struct model *model;
    struct plan *out;
    VEC(struct node) nodes;
    struct map *by_name; /* objects seen so far: "group/kind/namespace/name" */
};

/* ---- Gathering. ---- */

/* A finding about v, or about the whole document. */
static void add_finding_at(struct planning *p, const struct doc *doc, const struct value *v,
                           str path, str text)
{
    struct finding f = {.path = path, .text = str_copy(p->arena, text)};

    if (p->out->findings.len >= FINDINGS_MAX)
        return;
    if (doc->source)
        f.at = source_where(doc->source, v ? v : doc->root);
    VEC_PUSH(p->arena, &p->out->findings, f);
}

static void add_finding(struct planning *p, const struct doc *doc, const char *field, str text)
{
    add_finding_at(p, doc, value_get(doc->root, str_c(field)), str_c(field), text);
}

/* Whether an object is used although it is not an Azure resource. */
static bool is_used(const struct value *object, str group)
{
    str kind = object_key_of(object).kind;

    return !group.len && (str_eq(kind, STR("ConfigMap")) || str_eq(kind, STR("Namespace")) ||
                          str_eq(kind, STR("Secret")));
}

/*
 * Whether the document is an object. A document with only some of the members that make an object
 * is a mistake; one with none of them is something else, such as values for a program.
 */
static bool is_object(struct planning *p, const struct doc *doc)
{
    bool api = value_get_str(doc->root, STR("apiVersion")).len;
    bool kind = object_key_of(doc->root).kind.len;

    if (api && kind)
        return true;
    if (!api && !kind && !object_meta(doc->root))
        VEC_PUSH(p->arena, &p->out->ignored, doc);
    else
        add_finding(p, doc, kind ? "apiVersion" : "kind", STR("is required"));
    return false;
}

/* Whether the object is an Azure resource. Kinds in our groups must be known. */
static bool find_resource(struct planning *p, const struct doc *doc,
                          const struct model_resource **res)
{
    AUTO_ERR e = {0};
    str group, version;

    if (!is_object(p, doc))
        return false;
    api_version_split(value_get_str(doc->root, STR("apiVersion")), &group, &version);
    if (!str_has_suffix(group, STR(".azure.com"))) {
        if (!is_used(doc->root, group))
            VEC_PUSH(p->arena, &p->out->ignored, doc);
        return false;
    }
    if (object_resource(p->model, doc->root, res, &e))
        return true;
    add_finding(p, doc, model_has_group(p->model, group) ? "kind" : "apiVersion", e.text);
    return false;
}

/*
 * An object that was read from a cluster is checked and sent in the version in which it was applied
 * there. Fields that this version does not have are noted.
 */
static bool read_served(struct planning *p, struct plan_step *step)
{
    const struct doc *served = step->doc;
    struct doc *doc = ARENA_NEW(p->arena, struct doc);
    struct buf notes = buf_new(p->arena, 1 * MIB);
    const struct value *object;
    struct applied applied;
    AUTO_ERR e = {0};

    if (!applied_object(p->arena, p->model, served->root, &applied, &object, &e)) {
        add_finding(p, served, "spec", e.text);
        return false;
    }
    *doc = (struct doc){.root = (struct value *)(uintptr_t)object, .source = served->source};
    step->doc = doc;
    step->resource = applied.resource;
    for (size_t i = 0; i < applied.dropped.len; i++)
        buf_fmt(&notes, "%.*s is not sent: %.*s has no such field\n",
                STR_ARG(applied.dropped.items[i]), STR_ARG(applied.resource->version));
    step->notes = buf_str(&notes);
    return true;
}

/* Names must be unique; the finding says where the name was first used. */
static void add_name(struct planning *p, const struct doc *doc, const struct object_key *key)
{
    str text = object_key_text(p->arena, key);
    const struct doc *first = map_get(p->by_name, text);

    if (!first) {
        map_set(p->by_name, text, (void *)(uintptr_t)doc);
        return;
    }
    struct where at = source_where(first->source, first->root);
    add_finding(p, doc, "metadata",
                at.line
                    ? str_fmt(p->arena, "another object of this kind has the same name: %.*s:%u",
                              STR_ARG(at.file), (unsigned)at.line)
                    : STR("another object of this kind has the same name"));
}

static void gather(struct planning *p)
{
    for (size_t i = 0; i < manifests_count(p->manifests); i++) {
        const struct doc *doc = manifests_at(p->manifests, i);
        const struct model_resource *res;
        if (!find_resource(p, doc, &res))
            continue;
        struct object_key n = object_key_of(doc->root);
        struct plan_step step = {.doc = doc, .resource = res};
        if (applied_is_served(doc->root) && !read_served(p, &step))
            continue;
        struct node *node = VEC_ADD(p->arena, &p->nodes);
        node->step = step;
        needs_of(p->arena, step.resource, step.doc->root, &node->needs);
        if (!n.name.len)
            add_finding(p, doc, "metadata", STR("metadata.name is required"));
        if (!n.namespace.len)
            n.namespace = STR("default");
        add_name(p, doc, &n);
        check_object(p->arena, p->model, step.resource, step.doc, &p->out->findings);
    }
}

/* ---- Needs. ---- */

/* Finds owners and references to objects that are not among the manifests. */
static void find_dangling(struct planning *p, const struct node *node)
{
    for (size_t i = 0; i < node->needs.len; i++) {
        const struct need *n = &node->needs.items[i];
        struct buf text = buf_new(p->arena, 64 * KIB);
        if ((n->kind != NEED_OWNER && n->kind != NEED_REFERENCE) || !need_is_in_cluster(n) ||
            manifests_find(p->manifests, &n->object))
            continue;
        manifests_describe_missing(p->manifests, &n->object, &text);
        add_finding_at(p, node->step.doc, n->at, n->path, buf_str(&text));
    }
}

/* ---- Converting. ---- */

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

static str policy_of(const struct value *object)
{
    return object_annotation(object, STR(ANNOTATION_POLICY));
}

/*
 * Whether the operator would leave the resource alone, because of the object's policy or its
 * namespace's.
 */
static bool is_skipped(const struct planning *p, const struct value *object)
{
    struct object_key n = object_key_of(object);
    struct object_key holder = {.kind = STR("Namespace"),
                                .name = n.namespace.len ? n.namespace : STR("default")};
    const struct doc *namespace = manifests_find(p->manifests, &holder);
    str policy = policy_of(object);

    if (!policy.len && namespace)
        policy = policy_of(namespace->root);
    return str_eq(policy, STR("skip"));
}

/* Notes reference targets of an unexpected type, which Azure may still accept. */
static void add_doubts(struct planning *p, const struct node *node, struct buf *notes)
{
    for (size_t i = 0; i < node->needs.len; i++) {
        str doubt = target_doubt(p->arena, p->model, node->step.resource, &node->needs.items[i]);
        if (doubt.len)
            buf_fmt(notes, "%.*s\n", STR_ARG(doubt));
    }
}

static void convert_step(struct planning *p, struct node *node)
{
    struct plan_step *step = &node->step;
    struct buf notes = buf_new(p->arena, 1 * MIB);
    AUTO_ERR e = {0};

    if (step->resource->scope == SCOPE_NONE) {
        step->notes = STR("this kind is not an Azure Resource Manager resource\n");
        return;
    }
    if (is_skipped(p, step->doc->root)) {
        step->notes = STR("the reconcile policy is skip: nothing is sent\n");
        return;
    }
    manifests_guess(p->manifests, &notes);
    if (!convert_to_arm(p->arena, manifests_resolver(p->manifests), step->resource, step->doc->root,
                        step->doc->source, &step->request, &e)) {
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
    add_doubts(p, node, &notes);
    step->notes = str_concat(p->arena, step->notes, unique_lines(p->arena, buf_str(&notes)));
}

static void set_order(struct planning *p)
{
    struct order_item *items = ARENA_ARRAY(p->arena, struct order_item, p->nodes.len + 1);

    for (size_t i = 0; i < p->nodes.len; i++)
        items[i] = (struct order_item){.key = object_key_of(p->nodes.items[i].step.doc->root),
                                       .id = p->nodes.items[i].step.request.id,
                                       .needs = &p->nodes.items[i].needs};
    size_t *order = order_by_needs(p->arena, items, p->nodes.len);
    p->out->steps = ARENA_ARRAY(p->arena, struct plan_step, p->nodes.len);
    for (size_t i = 0; i < p->nodes.len; i++)
        p->out->steps[p->out->count++] = p->nodes.items[order[i]].step;
}

bool plan_make(struct arena *a, struct manifests *m, bool strict, struct plan *out, struct err *e)
{
    struct planning p = {.arena = a,
                         .manifests = m,
                         .model = manifests_resolver(m)->model,
                         .out = out,
                         .by_name = map_new(a)};

    *out = (struct plan){0};
    if (model_file_count(p.model) == 0)
        return err_set(e, ERR_NOT_FOUND,
                       "this program was built without a resource model: name a folder with one "
                       "in PLUMB_MODEL");
    gather(&p);
    for (size_t i = 0; strict && i < p.nodes.len; i++)
        find_dangling(&p, &p.nodes.items[i]);
    /* Before sorting, which also uses the ids. */
    for (size_t i = 0, n = out->findings.len ? 0 : p.nodes.len; i < n; i++)
        convert_step(&p, &p.nodes.items[i]);
    set_order(&p);
    return true;
}
