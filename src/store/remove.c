/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remove.c - deletes objects: preconditions, propagation, finalizers.
 *
 * An object without finalizers is gone at once. Otherwise it is marked, and removing the last
 * finalizer completes the deletion (write.c). The garbage collector's own finalizers, orphan and
 * foregroundDeletion, say what must happen to dependents first (collect.c).
 */
#include "store/internal.h"

#include "text/json/json.h"
#include "object/object.h"

#define CLEANUP_FINALIZER "customresourcecleanup.apiextensions.k8s.io"

bool store_is_held(const struct store_type *t, const struct value *tree)
{
    const struct value *meta = object_meta(tree);

    if (value_len(value_get(meta, STR("finalizers"))))
        return true;
    return t->builtin && str_eq(t->plural, STR("namespaces")) &&
           value_len(value_get(value_get(tree, STR("spec")), STR("finalizers")));
}

static bool wants(str policy, const struct value *tree, const char *asked, const char *finalizer)
{
    return policy.len ? str_eq(policy, str_c(asked)) : object_has_finalizer(tree, str_c(finalizer));
}

/* Sets the collector's finalizers as the policy requires; without a policy they stay unchanged. */
static void set_collector_finalizers(struct arena *a, struct value *tree, str policy)
{
    bool orphan = wants(policy, tree, "Orphan", "orphan");
    bool foreground = wants(policy, tree, "Foreground", "foregroundDeletion");

    if (!orphan)
        object_remove_finalizer(tree, STR("orphan"));
    if (!foreground)
        object_remove_finalizer(tree, STR("foregroundDeletion"));
    if (orphan)
        object_add_finalizer(a, tree, STR("orphan"));
    if (foreground)
        object_add_finalizer(a, tree, STR("foregroundDeletion"));
}

static void set_phase(struct arena *a, struct value *tree)
{
    struct value *status = value_get(tree, STR("status"));

    if (!value_is(status, VALUE_OBJECT))
        status = value_set(a, tree, STR("status"), value_object(a));
    value_set_str(a, status, STR("phase"), STR("Terminating"));
}

/* Starts the deletion: sets the mark and increments the generation. */
static void mark(struct arena *a, const struct store_type *t, struct value *tree)
{
    struct value *meta = object_make_meta(a, tree);
    int64_t generation;

    if (value_get(meta, STR("deletionTimestamp")))
        return;
    if (value_to_i64(value_get(meta, STR("generation")), &generation) && generation > 0)
        value_set_int(a, meta, STR("generation"), generation + 1);
    value_set_str(a, meta, STR("deletionTimestamp"), store_time(a, clock_now()));
    value_set_int(a, meta, STR("deletionGracePeriodSeconds"), 0);
    if (t->builtin && str_eq(t->plural, STR("namespaces")))
        set_phase(a, tree);
}

/* Whether the type that a definition in tree defines has objects. */
static bool has_objects(struct store *s, const struct store_entry *n)
{
    for (const struct store_type *t = s->types; t; t = t->next)
        if (t->definition == n)
            return t->live > 0;
    return false;
}

struct value *store_delete_object(struct store *s, struct arena *a, struct store_entry *n,
                                  str policy)
{
    struct store_type *t = n->type;
    struct value *before = store_version_tree(a, s, n->newest);
    struct value *tree = value_clone(a, before);

    set_collector_finalizers(a, tree, policy);
    if (has_objects(s, n))
        object_add_finalizer(a, tree, STR(CLEANUP_FINALIZER));
    if (!store_is_held(t, tree)) {
        store_drop(s, n);
        return NULL;
    }
    mark(a, t, tree);
    if (!value_equal(before, tree))
        store_put(s, a, t, tree);
    return tree;
}

/* ---- Requests. ---- */

struct options {
    str policy, uid, version;
    bool has_uid, has_version;
};

static bool is_policy(str s)
{
    return str_eq(s, STR("Background")) || str_eq(s, STR("Foreground")) || str_eq(s, STR("Orphan"));
}

static bool read_body_options(struct store_request *r, struct value **out)
{
    AUTO_ERR e = {0};

    *out = NULL;
    if (!r->call->body.len)
        return true;
    if (!store_read_body(r, NULL, out, &e))
        return store_fault(r, 400, "BadRequest", "%.*s", STR_ARG(e.text));
    return value_is(*out, VALUE_OBJECT) ||
           store_fault(r, 400, "BadRequest", "the body of a deletion must be DeleteOptions");
}

/* Options that cannot be understood must not be ignored in a deletion. */
static bool malformed(struct store_request *r, const char *member, const char *what)
{
    return store_fault(r, 400, "BadRequest", "DeleteOptions: %s must be %s", member, what);
}

static bool check_members(struct store_request *r, const struct value *options)
{
    static const struct {
        const char *name;
        enum value_kind kind;
        const char *what;
    } members[] = {
        {"apiVersion", VALUE_STRING, "a string"},
        {"dryRun", VALUE_LIST, "a list"},
        {"gracePeriodSeconds", VALUE_INT, "an integer"},
        {"kind", VALUE_STRING, "a string"},
        {"orphanDependents", VALUE_BOOL, "a boolean"},
        {"preconditions", VALUE_OBJECT, "an object"},
        {"propagationPolicy", VALUE_STRING, "a string"},
    };

    for (size_t i = 0; i < COUNT(members); i++) {
        const struct value *v = value_get(options, str_c(members[i].name));
        if (v && v->kind != VALUE_NULL && v->kind != members[i].kind)
            return malformed(r, members[i].name, members[i].what);
    }
    return true;
}

static bool check_values(struct store_request *r, const struct value *options)
{
    static const char *const names[] = {"resourceVersion", "uid"};
    const struct value *conditions = value_get(options, STR("preconditions"));
    const struct value *dry = value_get(options, STR("dryRun"));
    str kind = value_get_str(options, STR("kind"));

    for (size_t i = 0; i < COUNT(names); i++) {
        const struct value *v = value_get(conditions, str_c(names[i]));
        if (v && v->kind != VALUE_NULL && v->kind != VALUE_STRING)
            return malformed(r, names[i], "a string");
    }
    for (size_t i = 0; i < value_len(dry); i++)
        if (!str_eq(value_str(value_at(dry, i)), STR("All")))
            return malformed(r, "dryRun", "[\"All\"]");
    return !kind.len || str_eq(kind, STR("DeleteOptions")) ||
           store_fault(r, 400, "BadRequest",
                       "the body of a deletion must be DeleteOptions, not %.*s", STR_ARG(kind));
}

static bool read_options(struct store_request *r, struct options *o)
{
    struct value *body;
    str orphan = handler_query(r->call, STR("orphanDependents"));

    if (!read_body_options(r, &body) || !check_members(r, body) || !check_values(r, body))
        return false;
    const struct value *conditions = value_get(body, STR("preconditions"));
    const struct value *old_style = value_get(body, STR("orphanDependents"));
    o->has_uid = value_is(value_get(conditions, STR("uid")), VALUE_STRING);
    o->uid = value_get_str(conditions, STR("uid"));
    o->has_version = value_is(value_get(conditions, STR("resourceVersion")), VALUE_STRING);
    o->version = value_get_str(conditions, STR("resourceVersion"));
    o->policy = value_get_str(body, STR("propagationPolicy"));
    if (!o->policy.len)
        o->policy = handler_query(r->call, STR("propagationPolicy"));
    if (value_is(old_style, VALUE_BOOL))
        orphan = old_style->truth ? STR("true") : STR("false");
    if (orphan.len && o->policy.len)
        return store_fault(r, 422, "Invalid",
                           "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid "
                           "value: \"%.*s\": orphanDependents and deletionPropagation cannot be "
                           "both set",
                           STR_ARG(o->policy));
    if (orphan.len)
        o->policy = str_eq(orphan, STR("true")) ? STR("Orphan") : STR("Background");
    if (o->policy.len && !is_policy(o->policy))
        return store_fault(r, 422, "Invalid",
                           "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: "
                           "Unsupported value: \"%.*s\": supported values: \"Foreground\", "
                           "\"Background\", \"Orphan\", \"nil\"",
                           STR_ARG(o->policy));
    r->dry_run |= value_len(value_get(body, STR("dryRun"))) > 0;
    return true;
}

static bool precondition_failed(struct store_request *r, str name, str why)
{
    struct arena *a = r->arena;
    str kind = r->type->kind, group = r->type->group;
    str message = str_fmt(a, "Operation cannot be fulfilled on %.*s%s%.*s \"%.*s\": %.*s",
                          STR_ARG(kind), group.len ? "." : "", STR_ARG(group), STR_ARG(name),
                          STR_ARG(why));

    return store_fault_as(r, 409, "Conflict", kind, name, message, NULL, 0);
}

static bool check_preconditions(struct store_request *r, const struct options *o,
                                const struct value *meta)
{
    str name = value_get_str(meta, STR("name")), uid = value_get_str(meta, STR("uid"));
    str version = value_get_str(meta, STR("resourceVersion"));

    if (o->has_uid && !str_eq(o->uid, uid))
        return precondition_failed(
            r, name,
            str_fmt(r->arena,
                    "the UID in the precondition (%.*s) does not match the UID in record (%.*s). "
                    "The object might have been deleted and then recreated",
                    STR_ARG(o->uid), STR_ARG(uid)));
    if (o->has_version && !str_eq(o->version, version))
        return precondition_failed(
            r, name,
            str_fmt(r->arena,
                    "the ResourceVersion in the precondition (%.*s) does not match the "
                    "ResourceVersion in record (%.*s). The object might have been modified",
                    STR_ARG(o->version), STR_ARG(version)));
    return true;
}

static bool answer_gone(struct store_request *r, const struct value *meta)
{
    struct arena *a = r->arena;
    struct value *status = store_status(a, 200, "", STR_NONE), *details = value_object(a);

    value_unset(status, STR("code"));
    value_set_str(a, details, STR("name"), value_get_str(meta, STR("name")));
    if (r->type->group.len)
        value_set_str(a, details, STR("group"), r->type->group);
    value_set_str(a, details, STR("kind"), r->type->plural);
    value_set_str(a, details, STR("uid"), value_get_str(meta, STR("uid")));
    value_set(a, status, STR("details"), details);
    return store_answer(r, 200, status);
}

static bool is_protected(const struct store_request *r, str name)
{
    return r->type->builtin && str_eq(r->type->plural, STR("namespaces")) &&
           (str_eq(name, STR("default")) || str_eq(name, STR("kube-system")));
}

/* Deletes one object; *after is its state afterwards, NULL if it is gone. */
static bool delete_one(struct store_request *r, struct store_entry *n, const struct options *o,
                       struct value **after)
{
    struct store *s = r->store;
    const struct value *tree = store_version_tree(r->arena, s, n->newest);

    if (!check_preconditions(r, o, object_meta(tree)))
        return false;
    if (is_protected(r, n->name))
        return store_fault_of(r, 403, "Forbidden", n->name,
                              str_fmt(r->arena,
                                      "namespaces \"%.*s\" is forbidden: this namespace may not be "
                                      "deleted",
                                      STR_ARG(n->name)),
                              NULL, 0);
    *after = NULL;
    if (r->dry_run)
        return true;
    uint64_t head = s->head;
    *after = store_delete_object(s, r->arena, n, o->policy);
    r->wrote |= s->head != head;
    return true;
}

bool store_do_delete(struct store_request *r)
{
    str key = object_path(r->arena, r->namespace, r->name);
    struct store_entry *n = store_order_find(&r->type->objects, key);
    struct options o = {0};
    struct value *after = NULL;

    if (!read_options(r, &o))
        return false;
    if (!store_live(n))
        return store_not_found(r, r->name);
    const struct value *tree = store_version_tree(r->arena, r->store, n->newest);
    if (!delete_one(r, n, &o, &after))
        return false;
    if (!after)
        return answer_gone(r, object_meta(tree));
    return store_answer_object(r, 200, after, n->newest->shape);
}

/* Deletes n if it is selected, and appends what was deleted; uses memory for one object only. */
static bool delete_selected(struct store_request *r, struct store_entry *n, const struct options *o,
                            const struct store_selector *selector, struct buf *items,
                            uint64_t *limit)
{
    AUTO_ARENA a = arena_new();
    struct store_request one = *r;
    struct value *tree = store_version_tree(a, r->store, n->newest), *after = NULL;
    uint64_t shape = n->newest->shape;

    if (!store_selector_fits(selector, tree))
        return true;
    one.arena = a;
    bool ok = delete_one(&one, n, o, &after);
    --*limit;
    r->wrote |= one.wrote;
    if (!ok) {
        r->call->reply = str_copy(r->arena, r->call->reply);
        return false;
    }
    buf_add(items, items->len ? STR(",") : STR_NONE);
    store_write_json(items, store_show(&one, after ? after : tree, shape));
    return true;
}

/* How many objects to delete; an invalid limit or page must not mean all of them. */
static bool read_limit(struct store_request *r, uint64_t *limit)
{
    str text = handler_query(r->call, STR("limit"));

    *limit = UINT64_MAX;
    if (handler_query(r->call, STR("continue")).len)
        return store_fault(r, 400, "BadRequest", "a collection cannot be deleted from a page on");
    if (text.len && !str_to_u64(text, limit))
        return store_fault(r, 400, "BadRequest", "invalid limit \"%.*s\"", STR_ARG(text));
    if (!*limit)
        *limit = UINT64_MAX;
    return true;
}

bool store_do_delete_collection(struct store_request *r)
{
    struct store_selector *selector;
    struct options o = {0};
    struct buf items = buf_new(r->arena, BUF_UNLIMITED);
    uint64_t limit;

    if (!read_options(r, &o) || !read_limit(r, &limit) ||
        !store_selector_read(r, handler_query(r->call, STR("labelSelector")),
                             handler_query(r->call, STR("fieldSelector")), &selector))
        return false;
    for (struct store_entry *n = r->type->objects.first[0], *next; n && limit; n = next) {
        next = n->next[0];
        if (!store_live(n) || (r->namespace.len && !str_eq(n->namespace, r->namespace)))
            continue;
        if (!delete_selected(r, n, &o, selector, &items, &limit))
            return false;
    }
    r->call->status = 200;
    r->call->reply =
        str_fmt(r->arena,
                "{\"kind\":\"%.*s\",\"apiVersion\":\"%.*s\",\"metadata\":{\"resourceVersion\":"
                "\"%llu\"},\"items\":[%.*s]}\n",
                STR_ARG(r->type->list_kind),
                STR_ARG(api_version_join(r->arena, r->type->group, r->as->name)),
                (unsigned long long)r->store->head, STR_ARG(buf_str(&items)));
    return true;
}
