/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler.c - parses calls into verbs on types: paths, parameters, media types.
 *
 *   /api/v1/namespaces/NS/PLURAL/NAME/SUBRESOURCE
 *   /apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUBRESOURCE      or without namespaces/NS
 */
#include "store/internal.h"
#include "text/url.h"

/* The longest Accept header that is looked at. */
#define ACCEPT_MAX (4 * KIB)

/* ---- Paths. ---- */

#define PARTS_MAX 10

struct parts {
    str items[PARTS_MAX];
    size_t len;
};

/* False if a segment is empty, or there are too many. */
static bool split(str path, struct parts *out)
{
    str rest = str_without_prefix(path, STR("/"));

    rest = str_without_suffix(rest, STR("/"));
    while (rest.len) {
        if (out->len == PARTS_MAX)
            return false;
        str_cut(rest, STR("/"), &out->items[out->len], &rest);
        if (!out->items[out->len++].len)
            return false;
    }
    return true;
}

static str part(const struct parts *p, size_t i)
{
    return i < p->len ? p->items[i] : STR_NONE;
}

static bool is_namespace_subresource(str s)
{
    return str_eq(s, STR("status")) || str_eq(s, STR("finalize"));
}

/* The part of a path after group and version. */
static void read_place(struct store_request *r, const struct parts *p, size_t at)
{
    if (str_eq(part(p, at), STR("namespaces")) && p->len > at + 2 &&
        !(r->group.len == 0 && is_namespace_subresource(part(p, at + 2)))) {
        r->namespace = part(p, at + 1);
        at += 2;
    }
    r->plural = part(p, at);
    r->name = part(p, at + 1);
    r->subresource = part(p, at + 2);
}

/* Whether the path is about objects. */
static bool read_path(struct store_request *r)
{
    struct parts p = {0};
    size_t at;

    if (!split(r->call->path, &p))
        return false;
    if (str_eq(part(&p, 0), STR("api"))) {
        r->version = part(&p, 1);
        at = 2;
    } else if (str_eq(part(&p, 0), STR("apis"))) {
        r->group = part(&p, 1);
        r->version = part(&p, 2);
        at = 3;
    } else {
        return false;
    }
    if (p.len <= at)
        return false;
    read_place(r, &p, at);
    return p.len <= at + 5;
}

/* ---- Types. ---- */

static bool no_such_type(struct store_request *r)
{
    return store_fault(r, 404, "NotFound",
                       "the server could not find the requested resource: the embedded store "
                       "serves namespaces, secrets, configmaps, events, leases, "
                       "customresourcedefinitions and the resources that these define");
}

static bool find_type(struct store_request *r)
{
    r->type = store_type_find(r->store, r->group, r->plural);
    if (!r->type)
        return no_such_type(r);
    r->shape = store_shape_ref(store_type_shape(r->store, r->type));
    r->as = store_shape_version(r->shape, r->version);
    if (!r->as || !r->as->served)
        return no_such_type(r);
    if (r->namespace.len && !r->type->namespaced)
        return no_such_type(r);
    r->status = str_eq(r->subresource, STR("status"));
    r->finalize = str_eq(r->subresource, STR("finalize"));
    if (r->status ? !r->as->has_status
                  : r->subresource.len &&
                        !(r->finalize && r->type->builtin && str_eq(r->plural, STR("namespaces"))))
        return no_such_type(r);
    return true;
}

/* ---- Verbs. ---- */

/* As Kubernetes reads them: what is neither false nor 0 is true. */
bool store_query_is_true(const struct store_request *r, const char *name)
{
    str text = handler_query(r->call, str_c(name));

    return text.len && !str_eq_fold(text, STR("false")) && !str_eq(text, STR("0"));
}

static bool choose_verb(struct store_request *r)
{
    str method = r->call->method;
    bool named = r->name.len > 0;

    if (str_eq(method, STR("GET")) || str_eq(method, STR("HEAD")))
        r->verb = named ? STORE_GET : store_query_is_true(r, "watch") ? STORE_WATCH : STORE_LIST;
    else if (str_eq(method, STR("POST")) && (!named || (!r->type->builtin && !r->subresource.len)))
        r->verb = STORE_CREATE;
    else if (str_eq(method, STR("PUT")) && named)
        r->verb = STORE_UPDATE;
    else if (str_eq(method, STR("PATCH")) && named)
        r->verb = STORE_PATCH;
    else if (str_eq(method, STR("DELETE")) && !r->subresource.len)
        r->verb = named ? STORE_DELETE : STORE_DELETE_COLLECTION;
    else
        return store_fault(r, 405, "MethodNotAllowed",
                           "the server does not allow this method on the requested resource");
    /* Namespaced objects can be read across namespaces, but must be written in their own. */
    if (r->type->namespaced && !r->namespace.len && r->verb != STORE_LIST && r->verb != STORE_WATCH)
        return r->verb == STORE_CREATE
                   ? store_fault(r, 400, "BadRequest",
                                 "an empty namespace may not be set during creation")
                   : no_such_type(r);
    return true;
}

/* ---- Parameters. ---- */

/*
 * If a parameter has several values, a cluster uses the first, and ignores one that is badly
 * escaped. A request could then change everything, so here it is an error.
 */
static bool check_query(struct store_request *r)
{
    struct map *seen = map_new(r->arena);
    str query = r->call->query, name, value;

    if (r->verb == STORE_GET || r->verb == STORE_LIST || r->verb == STORE_WATCH)
        return true;
    while (url_query_next(r->arena, &query, &name, &value)) {
        const str *before = map_get(seen, name);
        if (before && !str_eq(*before, value))
            return store_fault(r, 400, "BadRequest",
                               "the parameter %.*s has several values: \"%.*s\" and \"%.*s\"",
                               STR_ARG(name), STR_ARG(*before), STR_ARG(value));
        str *kept = ARENA_NEW(r->arena, str);
        *kept = value;
        map_set(seen, name, kept);
    }
    return !query.len ||
           store_fault(r, 400, "BadRequest", "the query has a broken escape: %.*s", STR_ARG(query));
}

static bool read_validation(struct store_request *r)
{
    static const struct {
        const char *name;
        enum store_validation validation;
    } words[] = {
        {"", STORE_WARN}, {"Ignore", STORE_IGNORE}, {"Strict", STORE_STRICT}, {"Warn", STORE_WARN}};
    str text = handler_query(r->call, STR("fieldValidation"));

    for (size_t i = 0; i < COUNT(words); i++)
        if (str_eq(text, str_c(words[i].name))) {
            r->validation = words[i].validation;
            return true;
        }
    return store_fault(r, 422, "Invalid",
                       "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Invalid value: "
                       "\"%.*s\": fieldValidation parameter must be Ignore, Warn, Strict",
                       STR_ARG(text));
}

static bool read_dry_run(struct store_request *r)
{
    str text = handler_query(r->call, STR("dryRun"));

    r->dry_run = str_eq(text, STR("All"));
    return !text.len || r->dry_run ||
           store_fault(r, 422, "Invalid",
                       "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: "
                       "[]string{\"%.*s\"}: supported values: \"All\"",
                       STR_ARG(text));
}

/* fieldManager, else the first word of the client's name. */
static void read_manager(struct store_request *r)
{
    str agent = handler_header(r->call, STR("User-Agent")), rest;

    r->manager = handler_query(r->call, STR("fieldManager"));
    if (r->manager.len)
        return;
    str_cut(agent, STR("/"), &agent, &rest);
    r->manager = agent.len ? agent : STR("unknown");
}

/* The forms of answers that can be requested: "application/json;as=Table;v=v1;g=meta.k8s.io". */
static const struct {
    const char *as;
    enum store_view view;
} views[] = {
    {"as=PartialObjectMetadata", STORE_METADATA},
    {"as=PartialObjectMetadataList", STORE_METADATA},
    {"as=Table", STORE_TABLE},
};

/* False: unsupported. */
static bool read_view(str parameter, enum store_view *view)
{
    for (size_t i = 0; i < COUNT(views); i++)
        if (str_eq(parameter, str_c(views[i].as))) {
            *view = views[i].view;
            return true;
        }
    return !str_has_prefix(parameter, STR("as=")) && !str_eq(parameter, STR("v=v1beta1"));
}

/* One form of answer that the client accepts; false: unsupported. */
static bool read_media(struct store_request *r, str media)
{
    str type, rest = media, parameter;

    r->view = STORE_WHOLE;
    str_cut(rest, STR(";"), &type, &rest);
    type = str_trim(type);
    if (!str_eq(type, STR("application/json")) && !str_eq(type, STR("*/*")) &&
        !str_eq(type, STR("application/*")))
        return false;
    while (rest.len) {
        str_cut(rest, STR(";"), &parameter, &rest);
        if (!read_view(str_trim(parameter), &r->view))
            return false;
    }
    return true;
}

static bool read_accept(struct store_request *r)
{
    str accept = str_slice(handler_header(r->call, STR("Accept")), 0, ACCEPT_MAX), one;

    if (!accept.len)
        return true;
    while (accept.len) {
        str_cut(accept, STR(","), &one, &accept);
        if (read_media(r, one))
            return true;
    }
    return store_fault(r, 406, "NotAcceptable",
                       "only the following media types are accepted: application/json");
}

static bool read_parameters(struct store_request *r)
{
    read_manager(r);
    r->include = handler_query(r->call, STR("includeObject"));
    if (r->call->body.len > STORE_BODY_MAX)
        return store_fault(r, 413, "RequestEntityTooLarge",
                           "Request entity too large: limit is %zu", STORE_BODY_MAX);
    return check_query(r) && read_accept(r) && read_validation(r) && read_dry_run(r);
}

/* ---- Answering. ---- */

/* Everything that needs the lock all the time. Returns whether the call waits for the disk. */
static bool run_locked(struct store_request *r)
{
    static bool (*const verbs[])(struct store_request * r) = {
        [STORE_GET] = store_do_get,       [STORE_CREATE] = store_do_create,
        [STORE_UPDATE] = store_do_update, [STORE_PATCH] = store_do_patch,
        [STORE_DELETE] = store_do_delete, [STORE_DELETE_COLLECTION] = store_do_delete_collection,
    };
    AUTO_LOCK guard = lock_take(&r->store->lock);

    (void)verbs[r->verb](r);
    /* Even an error may depend on what is not on disk yet. */
    if (r->verb == STORE_GET || (!r->wrote && !r->store->pending.len))
        return false;
    store_expect(r->store, r->call);
    return true;
}

static bool prepare(struct store_request *r)
{
    AUTO_LOCK guard = lock_take(&r->store->lock);

    return find_type(r) && choose_verb(r) && read_parameters(r);
}

/* There are no other users to impersonate; such requests must not be executed as our own. */
static bool check_user(struct store_request *r)
{
    const struct http_headers *h = r->call->headers;

    for (size_t i = 0; h && i < h->len; i++)
        if (str_eq_fold(str_slice(h->items[i].name, 0, 12), STR("Impersonate-")))
            return store_fault(r, 403, "Forbidden",
                               "nobody can be impersonated here: the header %.*s is not allowed",
                               STR_ARG(h->items[i].name));
    return true;
}

/* Returns whether the call waits for the disk; otherwise it has the answer. */
static bool run(struct store_request *r)
{
    if (!check_user(r))
        return false;
    if (!read_path(r)) {
        if (!store_do_other(r))
            store_fault(r, 404, "NotFound", "the server could not find the requested resource");
        return false;
    }
    if (!prepare(r))
        return false;
    if ((r->verb == STORE_CREATE || r->verb == STORE_UPDATE || r->verb == STORE_PATCH) &&
        !store_parse(r))
        return false;
    if (r->verb == STORE_LIST)
        store_do_list(r);
    else if (r->verb == STORE_WATCH)
        store_do_watch(r);
    else
        return run_locked(r);
    return false;
}

void store_answer_call(void *ctx, struct handler_call *c)
{
    struct store_request r = {
        .store = ctx, .call = c, .arena = c->arena, .steps_left = STORE_TABLE_STEPS_MAX};

    /* Before the call may be handed over. */
    handler_add_header(c, STR("Content-Type"), STR("application/json"));
    bool waits = run(&r);
    struct store *s = r.store;
    store_shape_drop(r.shape);
    if (waits)
        store_settle(s);
    else
        c->done(c);
}
