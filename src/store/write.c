/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - create, update and patch: one path for all of them.
 *
 *   body ─► decode (kind, metadata, prune, default) ─► prepare (system fields, status, type's own)
 *        ─► validate ─► managedFields ─► generation ─► convert to the stored version ─► put
 *
 * A patch is an update whose body is the patched current object.
 */
#include "store/internal.h"

#include "go/quote.h"
#include "text/json/json.h"
#include "text/patch/patch.h"
#include "object/object.h"

/* The most operations of one JSON patch, as in Kubernetes. */
#define PATCH_OPERATIONS_MAX 10000
#define NAME_SUFFIX 5
#define NAME_TRIES 8

/* ---- Decoding. ---- */

struct duplicates {
    struct arena *arena;
    struct str_list *paths;
};

static void note_duplicate(void *ctx, struct where at, str text)
{
    struct duplicates *d = ctx;

    (void)at;
    VEC_PUSH(d->arena, d->paths, str_copy(d->arena, text));
}

static bool parse_body(struct store_request *r)
{
    AUTO_ERR e = {0};
    struct duplicates d = {r->arena, &r->odd.duplicate};
    const struct read_options options = {.warn = note_duplicate, .warn_ctx = &d};

    if (!store_read_body(r, &options, &r->body, &e))
        return store_fault(r, 400, "BadRequest",
                           "the object provided is unrecognized (must be of type %.*s): couldn't "
                           "get version/kind; json parse error: %.*s",
                           STR_ARG(r->type->kind), STR_ARG(e.text));
    return value_is(r->body, VALUE_OBJECT) ||
           store_fault(r, 400, "BadRequest", "the body of the request must be an object");
}

/* Reads the kind of patch from its Content-Type, before everything else. */
static bool read_patch_kind(struct store_request *r)
{
    static const struct {
        const char *type;
        enum store_patch_kind kind;
    } kinds[] = {
        {"application/json-patch+json", STORE_PATCH_JSON},
        {"application/merge-patch+json", STORE_PATCH_MERGE},
        {"application/strategic-merge-patch+json", STORE_PATCH_STRATEGIC},
    };
    str type = store_media_type(r);
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(type, str_c(kinds[i].type)) &&
            (kinds[i].kind != STORE_PATCH_STRATEGIC || r->type->builtin)) {
            r->patch = kinds[i].kind;
            return true;
        }
    return store_fault(r, 415, "UnsupportedMediaType",
                       "the embedded store understands JSON patches and merge patches, not "
                       "\"%.*s\" - accepted media types include: application/json-patch+json, "
                       "application/merge-patch+json",
                       STR_ARG(type));
}

static bool parse_patch(struct store_request *r)
{
    AUTO_ERR e = {0};
    const struct source src = {.text = r->call->body};
    struct duplicates d = {r->arena, &r->odd.duplicate};
    const struct read_options options = {.warn = note_duplicate, .warn_ctx = &d};

    if (!read_patch_kind(r))
        return false;
    return json_read(r->arena, &src, &options, &r->body, &e) ||
           store_fault(r, 400, "BadRequest", "error decoding patch: %.*s", STR_ARG(e.text));
}

bool store_parse(struct store_request *r)
{
    return r->verb == STORE_PATCH ? parse_patch(r) : parse_body(r);
}

/* The error for an object of this kind, which is not always that of its type. */
static bool invalid_as(struct store_request *r, str kind, str name,
                       const struct store_errors *errors)
{
    str group = r->type->group;
    str message = str_fmt(r->arena, "%.*s%s%.*s \"%.*s\" is invalid: %.*s", STR_ARG(kind),
                          group.len ? "." : "", STR_ARG(group), STR_ARG(name),
                          STR_ARG(store_errors_text(r->arena, errors)));

    return store_fault_as(r, 422, "Invalid", kind, name, message, errors->items.items,
                          errors->items.len);
}

static bool invalid(struct store_request *r, str name, const struct store_errors *errors)
{
    return invalid_as(r, r->type->kind, name, errors);
}

/* Custom resources are decoded as arbitrary values, so a wrong kind is found by validation. */
static bool wrong_kind(struct store_request *r, const struct value *object, str kind)
{
    struct store_errors errors = {.arena = r->arena};

    if (r->type->builtin)
        return store_fault(r, 400, "BadRequest",
                           "the kind in the data (%.*s) does not match the expected kind (%.*s)",
                           STR_ARG(kind), STR_ARG(r->type->kind));
    store_error(&errors, STR("kind"), "FieldValueInvalid", "Invalid value: %.*s: must be %.*s",
                STR_ARG(go_quoted(r->arena, kind)), STR_ARG(r->type->kind));
    return invalid_as(r, kind, object_name(object), &errors);
}

static bool check_kind(struct store_request *r, struct value *object)
{
    str kind = value_get_str(object, STR("kind")), api = value_get_str(object, STR("apiVersion"));
    str want = api_version_join(r->arena, r->type->group, r->as->name);

    if (!kind.len)
        return store_fault(r, 400, "BadRequest", "Object 'Kind' is missing in the body");
    if (!api.len)
        return store_fault(r, 400, "BadRequest", "Object 'apiVersion' is missing in the body");
    if (!str_eq(api, want))
        return store_fault(r, 400, "BadRequest",
                           "the API version in the data (%.*s) does not match the expected API "
                           "version (%.*s)",
                           STR_ARG(api), STR_ARG(want));
    return str_eq(kind, r->type->kind) || wrong_kind(r, object, kind);
}

/*
 * The limit of all warnings in one answer, as in Kubernetes, since the head of an answer is
 * limited.
 */
#define WARNINGS_MAX (4 * KIB)

/* 299 - "unknown field \"spec.odd\"" */
static void warn_of(struct store_request *r, str member, size_t *bytes)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);
    str quoted = go_quoted(r->arena, member);

    buf_add(&b, STR("299 - \"unknown field "));
    for (size_t i = 0; i < quoted.len; i++) {
        if (quoted.ptr[i] == '"' || quoted.ptr[i] == '\\')
            buf_char(&b, '\\');
        buf_char(&b, quoted.ptr[i]);
    }
    buf_char(&b, '"');
    *bytes += b.len;
    if (*bytes <= WARNINGS_MAX)
        handler_add_header(r->call, STR("Warning"), buf_str(&b));
}

/* Unknown and duplicate members are rejected, reported in warnings, or silently dropped. */
static bool judge_oddities(struct store_request *r)
{
    const struct store_oddities *odd = &r->odd;
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);
    size_t bytes = 0;

    if (r->validation == STORE_IGNORE)
        return true;
    for (size_t i = 0; i < odd->duplicate.len; i++)
        buf_fmt(&b, "%s%.*s", b.len ? ", " : "", STR_ARG(odd->duplicate.items[i]));
    for (size_t i = 0; i < odd->unknown.len; i++)
        buf_fmt(&b, "%sunknown field %.*s", b.len ? ", " : "",
                STR_ARG(go_quoted(r->arena, odd->unknown.items[i])));
    if (!b.len)
        return true;
    if (r->validation == STORE_STRICT)
        return store_fault(r, 400, "BadRequest",
                           "%.*s in version \"%.*s\" cannot be handled as a %.*s: strict decoding "
                           "error: %.*s",
                           STR_ARG(r->type->kind), STR_ARG(r->as->name), STR_ARG(r->type->kind),
                           STR_ARG(buf_str(&b)));
    for (size_t i = 0; bytes <= WARNINGS_MAX && i < odd->unknown.len; i++)
        warn_of(r, odd->unknown.items[i], &bytes);
    return true;
}

/* Brings an object into the form of its type. */
static bool decode(struct store_request *r, struct value *object)
{
    if (!check_kind(r, object) || !store_meta_coerce(r, object, &r->odd.unknown))
        return false;
    store_prune(r->arena, r->as, object, &r->odd.unknown);
    if (!store_check_bytes(r, object) || !judge_oddities(r))
        return false;
    if (!store_default(r->arena, r->as, object) ||
        store_weight(object, STORE_OBJECT_MAX) > STORE_OBJECT_MAX)
        return store_fault(r, 413, "RequestEntityTooLarge",
                           "Request entity too large: with its defaults the object has more than "
                           "%zu bytes",
                           STORE_OBJECT_MAX);
    return true;
}

/* ---- Checks. ---- */

static bool check_namespace_of_body(struct store_request *r, struct value *meta)
{
    str namespace = value_get_str(meta, STR("namespace"));

    if (!r->type->namespaced) {
        value_unset(meta, STR("namespace"));
        return true;
    }
    if (namespace.len && !str_eq(namespace, r->namespace))
        return store_fault(r, 400, "BadRequest",
                           "the namespace of the provided object does not match the namespace sent "
                           "on the request");
    value_set_str(r->arena, meta, STR("namespace"), r->namespace);
    return true;
}

static bool check_namespace(struct store_request *r, str name)
{
    struct store_type *t = store_type_find(r->store, STR_NONE, STR("namespaces"));
    const struct store_version *v = store_live(store_order_find(&t->objects, r->namespace));
    struct arena *a = r->arena;

    if (!r->type->namespaced)
        return true;
    if (!v) {
        struct store_request about = *r;
        about.type = t;
        return store_not_found(&about, r->namespace);
    }
    if (!value_get(object_meta(store_version_tree(a, r->store, v)), STR("deletionTimestamp")))
        return true;
    struct store_cause cause = {
        STR("NamespaceTerminating"),
        str_fmt(a, "namespace %.*s is being terminated", STR_ARG(r->namespace)),
        STR("metadata.namespace")};
    return store_fault_of(r, 403, "Forbidden", name,
                          str_fmt(a,
                                  "%.*s \"%.*s\" is forbidden: unable to create new content in "
                                  "namespace %.*s because it is being terminated",
                                  STR_ARG(store_type_name(a, r->type)), STR_ARG(name),
                                  STR_ARG(r->namespace)),
                          &cause, 1);
}

/* While an object is being deleted, finalizers can only be removed. */
static void validate_new_finalizers(const struct value *old, const struct value *object,
                                    struct store_errors *errors)
{
    const struct value *list = value_get(object_meta(object), STR("finalizers"));
    struct buf b = buf_new(errors->arena, BUF_UNLIMITED);

    if (!value_get(object_meta(old), STR("deletionTimestamp")))
        return;
    for (size_t i = 0; i < value_len(list); i++)
        if (!object_has_finalizer(old, value_str(&list->items[i])))
            buf_fmt(&b, "%s\"%.*s\"", b.len ? ", " : "", STR_ARG(value_str(&list->items[i])));
    if (b.len)
        store_error(errors, STR("metadata.finalizers"), "FieldValueForbidden",
                    "Forbidden: no new finalizers can be added if the object is being deleted, "
                    "found new finalizers []string{%.*s}",
                    STR_ARG(buf_str(&b)));
}

static bool validate(struct store_request *r, const struct value *old, const struct value *object)
{
    struct store_errors errors = {.arena = r->arena};
    str name = object_name(object);

    store_meta_validate(r->type, object, &errors);
    validate_new_finalizers(old, object, &errors);
    store_validate(r->store, r->as, old, object, &errors);
    if (r->type->builtin && r->type->builtin->validate)
        r->type->builtin->validate(r, old, object, &errors);
    return !errors.items.len || invalid(r, name, &errors);
}

/* ---- Putting. ---- */

/* A write in a version other than the storage version keeps what both have. */
static struct value *to_storage(struct store_request *r, const struct value *object)
{
    const struct store_shape_version *storage = store_shape_storage(r->shape);
    struct value *tree = value_clone(r->arena, object);

    if (storage != r->as) {
        store_prune(r->arena, storage, tree, NULL);
        store_default(r->arena, storage, tree);
    }
    value_set_str(r->arena, tree, STR("apiVersion"),
                  api_version_join(r->arena, r->type->group, storage->name));
    return tree;
}

/* Stores object, unless this is a dry run, and answers with it. */
static bool put(struct store_request *r, int status, const struct value *object)
{
    struct value *tree = to_storage(r, object);

    if (!r->dry_run) {
        store_put(r->store, r->arena, r->type, tree);
        r->wrote = true;
    }
    return store_answer_object(r, status, tree, r->shape->serial);
}

/* The update removed the last finalizer of an object that is being deleted; it is answered as
 * usual. */
static bool complete_deletion(struct store_request *r, struct value *object)
{
    str key = object_path(r->arena, r->namespace, r->name);

    if (!r->dry_run) {
        store_drop(r->store, store_order_find(&r->type->objects, key));
        r->wrote = true;
    }
    return store_answer_object(r, 200, object, r->shape->serial);
}

/* ---- Create. ---- */

static bool is_taken(struct store_request *r, str name)
{
    str key = object_path(r->arena, r->namespace, name);

    return store_live(store_order_find(&r->type->objects, key)) != NULL;
}

/* generateName plus five letters that form no words; tried again if the name is taken. */
static str generate_name(struct store_request *r, str base)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    char suffix[NAME_SUFFIX];
    str name = STR_NONE;

    for (int tries = 0; tries < NAME_TRIES && (!tries || is_taken(r, name)); tries++) {
        for (size_t i = 0; i < NAME_SUFFIX; i++)
            suffix[i] = letters[random_below(sizeof letters - 1)];
        name =
            str_concat(r->arena, str_slice(base, 0, 63 - NAME_SUFFIX), str_of(suffix, NAME_SUFFIX));
    }
    return name;
}

static void begin_life(struct store_request *r, struct value *object)
{
    struct arena *a = r->arena;
    struct value *meta = object_make_meta(a, object);
    static const char *const unwanted[] = {"deletionTimestamp", "deletionGracePeriodSeconds",
                                           "selfLink", "generation"};

    for (size_t i = 0; i < COUNT(unwanted); i++)
        value_unset(meta, str_c(unwanted[i]));
    if (!value_get_str(meta, STR("name")).len && value_get_str(meta, STR("generateName")).len)
        value_set_str(a, meta, STR("name"),
                      generate_name(r, value_get_str(meta, STR("generateName"))));
    value_set_str(a, meta, STR("uid"), store_new_uid(a));
    value_set_str(a, meta, STR("creationTimestamp"), store_time(a, clock_now()));
    if (r->shape->counts_generations)
        value_set_int(a, meta, STR("generation"), 1);
    if (r->as->has_status)
        value_unset(object, STR("status"));
    /* Restores the default of a status that was dropped. */
    store_default(a, r->as, object);
    if (r->type->builtin && r->type->builtin->prepare)
        r->type->builtin->prepare(r, NULL, object);
}

static bool already_exists(struct store_request *r, str name)
{
    str message = str_fmt(r->arena, "%.*s \"%.*s\" already exists",
                          STR_ARG(store_type_name(r->arena, r->type)), STR_ARG(name));

    return store_fault_of(r, 409, "AlreadyExists", name, message, NULL, 0);
}

bool store_do_create(struct store_request *r)
{
    struct value *object, *meta;
    str name;

    if (!decode(r, r->body))
        return false;
    object = r->body;
    meta = object_make_meta(r->arena, object);
    if (!check_namespace_of_body(r, meta) || !check_namespace(r, value_get_str(meta, STR("name"))))
        return false;
    if (value_get_str(meta, STR("resourceVersion")).len)
        return store_fault(r, 500, "",
                           "resourceVersion should not be set on objects to be created");
    if (r->type->closing)
        return store_fault(r, 405, "MethodNotAllowed",
                           "create not allowed while custom resource definition is terminating");
    begin_life(r, object);
    name = object_name(object);
    if (!validate(r, NULL, object))
        return false;
    if (is_taken(r, name))
        return already_exists(r, name);
    store_manage_fields(r, NULL, object);
    return put(r, 201, object);
}

/* ---- Update. ---- */

/* The current state, in the version of the request; NULL if there is none. */
static struct value *present(struct store_request *r, uint64_t *rv)
{
    str key = object_path(r->arena, r->namespace, r->name);
    const struct store_version *v = store_live(store_order_find(&r->type->objects, key));
    struct store_request whole = *r;

    if (!v)
        return NULL;
    whole.view = STORE_WHOLE;
    *rv = v->rv;
    return store_show(&whole, store_version_tree(r->arena, r->store, v), v->shape);
}

static bool conflict(struct store_request *r, const char *why)
{
    str message = str_fmt(r->arena, "Operation cannot be fulfilled on %.*s \"%.*s\": %s",
                          STR_ARG(store_type_name(r->arena, r->type)), STR_ARG(r->name), why);

    return store_fault_of(r, 409, "Conflict", r->name, message, NULL, 0);
}

static bool needs_version(const struct store_request *r)
{
    return !r->type->builtin || str_eq(r->type->plural, STR("leases")) ||
           str_eq(r->type->plural, STR("customresourcedefinitions"));
}

static bool check_identity(struct store_request *r, const struct value *old,
                           const struct value *object, uint64_t rv)
{
    const struct value *meta = object_meta(object);
    str name = value_get_str(meta, STR("name")), uid = value_get_str(meta, STR("uid"));
    str was = object_uid(old);
    str version = value_get_str(meta, STR("resourceVersion"));
    uint64_t asked = 0;

    if (!str_eq(name, r->name))
        return store_fault(
            r, 400, "BadRequest",
            "the name of the object (%.*s) does not match the name on the URL (%.*s)",
            STR_ARG(name), STR_ARG(r->name));
    if (uid.len && !str_eq(uid, was))
        return conflict(
            r, str_z(r->arena, str_fmt(r->arena,
                                       "Precondition failed: UID in precondition: %.*s, UID in "
                                       "object meta: %.*s",
                                       STR_ARG(uid), STR_ARG(was))));
    if (version.len && !str_to_u64(version, &asked))
        return store_fault(r, 400, "BadRequest", "invalid resourceVersion \"%.*s\"",
                           STR_ARG(version));
    if (!asked && r->verb == STORE_UPDATE && needs_version(r)) {
        struct store_errors errors = {.arena = r->arena};
        store_error(&errors, STR("metadata.resourceVersion"), "FieldValueInvalid",
                    "Invalid value: 0: must be specified for an update");
        return invalid_as(r, r->type->plural, r->name, &errors);
    }
    if (asked && asked != rv)
        return conflict(r, "the object has been modified; please apply your changes to the latest "
                           "version and try again");
    return true;
}

/* Fields that only the server sets stay unchanged. */
static void keep_system_fields(struct arena *a, const struct value *old, struct value *object)
{
    static const char *const kept[] = {
        "uid",        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
        "generation", "selfLink",          "generateName",      "resourceVersion"};
    const struct value *before = object_meta(old);
    struct value *meta = object_make_meta(a, object);

    for (size_t i = 0; i < COUNT(kept); i++) {
        const struct value *v = value_get(before, str_c(kept[i]));
        if (v)
            value_set(a, meta, str_c(kept[i]), v);
        else
            value_unset(meta, str_c(kept[i]));
    }
}

static void take_member(struct arena *a, struct value *object, const struct value *from,
                        const char *key)
{
    const struct value *v = value_get(from, str_c(key));

    if (v)
        value_set(a, object, str_c(key), value_clone(a, v));
    else
        value_unset(object, str_c(key));
}

/* The object after an update: what does not belong to the subresource is unchanged. */
static struct value *merge_subresource(struct store_request *r, const struct value *old,
                                       struct value *object)
{
    struct arena *a = r->arena;
    struct value *merged = object;

    if (r->status || r->finalize) {
        merged = value_clone(a, old);
        take_member(a, merged, object, r->status ? "status" : "spec");
        if (value_get(object_meta(object), STR("managedFields")))
            take_member(a, object_make_meta(a, merged), object_meta(object), "managedFields");
    } else if (r->as->has_status) {
        take_member(a, merged, old, "status");
    }
    keep_system_fields(a, old, merged);
    return merged;
}

static bool same_but(struct arena *a, const struct value *x, const struct value *y, bool status)
{
    struct value *p = value_clone(a, x), *q = value_clone(a, y);

    object_drop_meta(p);
    object_drop_meta(q);
    if (status) {
        value_unset(p, STR("status"));
        value_unset(q, STR("status"));
    }
    return value_equal(p, q);
}

static void count_generation(struct store_request *r, const struct value *old, struct value *object)
{
    struct value *meta = object_make_meta(r->arena, object);
    int64_t generation = 0;

    if (!r->shape->counts_generations || same_but(r->arena, old, object, r->as->has_status))
        return;
    if (!value_to_i64(value_get(meta, STR("generation")), &generation))
        generation = 0;
    value_set_int(r->arena, meta, STR("generation"), generation + 1);
}

/* Replaces old with object, which was decoded. */
static bool replace(struct store_request *r, const struct value *old, struct value *object,
                    uint64_t rv)
{
    if (!check_namespace_of_body(r, object_make_meta(r->arena, object)) ||
        !check_identity(r, old, object, rv))
        return false;
    object = merge_subresource(r, old, object);
    if (r->type->builtin && r->type->builtin->prepare)
        r->type->builtin->prepare(r, old, object);
    if (!validate(r, old, object))
        return false;
    count_generation(r, old, object);
    store_manage_fields(r, old, object);
    bool deleting = value_get(object_meta(object), STR("deletionTimestamp"));
    if (deleting && !store_is_held(r->type, object))
        return complete_deletion(r, object);
    if (value_equal(old, object))
        return store_answer_object(r, 200, object, r->shape->serial);
    return put(r, 200, object);
}

bool store_do_update(struct store_request *r)
{
    uint64_t rv = 0;

    if (!decode(r, r->body))
        return false;
    const struct value *old = present(r, &rv);
    if (!old)
        return store_not_found(r, r->name);
    return replace(r, old, r->body, rv);
}

/* ---- Patch. ---- */

static bool unusable_patch(struct store_request *r, str why)
{
    struct store_cause cause = {STR("UnexpectedServerResponse"), why, STR_NONE};

    return store_fault_of(r, 422, "Invalid", r->name,
                          STR("the server rejected our request due to an error in our request"),
                          &cause, 1);
}

static bool apply_json_patch(struct store_request *r, const struct value *old, struct value **out)
{
    struct arena *a = r->arena;
    struct buf before = buf_new(a, BUF_UNLIMITED), after = buf_new(a, 64 * MIB);
    AUTO_ERR e = {0};
    struct patch *p;

    if (value_len(r->body) > PATCH_OPERATIONS_MAX)
        return store_fault(r, 413, "RequestEntityTooLarge",
                           "The allowed maximum operations in a JSON patch is %d, got %zu",
                           PATCH_OPERATIONS_MAX, value_len(r->body));
    if (!patch_read(a, r->call->body, &p, &e))
        return store_fault(r, 400, "BadRequest", "error decoding patch: %.*s", STR_ARG(e.text));
    store_write_json(&before, old);
    if (!patch_apply(p, buf_str(&before), &after, &e))
        return unusable_patch(r, str_copy(a, e.text));
    const struct source src = {.text = buf_str(&after)};
    return json_read(a, &src, NULL, out, &e) || unusable_patch(r, str_copy(a, e.text));
}

static bool patched(struct store_request *r, const struct value *old, struct value **out)
{
    if (r->patch == STORE_PATCH_JSON)
        return apply_json_patch(r, old, out);
    if (!value_is(r->body, VALUE_OBJECT))
        return store_fault(r, 400, "BadRequest", "error decoding patch: not an object");
    *out = r->patch == STORE_PATCH_MERGE ? patch_merge_values(r->arena, old, r->body)
                                         : store_strategic_merge(r->arena, old, r->body);
    return true;
}

bool store_do_patch(struct store_request *r)
{
    struct value *object = NULL;
    uint64_t rv = 0;
    const struct value *old = present(r, &rv);

    if (!old)
        return store_not_found(r, r->name);
    if (!patched(r, old, &object))
        return false;
    /* A patch that does not set the version applies to any. */
    if (!value_is(object, VALUE_OBJECT))
        return store_fault(r, 400, "BadRequest", "the patched object is not an object");
    object = value_clone(r->arena, object);
    return decode(r, object) && replace(r, old, object, rv);
}
