/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - lists objects in pages, and passes them on one by one.
 */
#include "kube/items_internal.h"
#include "object/object.h"

#include "text/json/json.h"
#include "text/url.h"

/* ---- One object ----------------------------------------------------------------------------- */

static void fill_in(struct arena *a, struct value *object, str key, str text, bool always)
{
    if (text.len && (always || !value_get_str(object, key).len))
        value_set_str(a, object, key, text);
}

/* Otherwise, a text read later would be empty, and the object would go by another name. */
static bool check_identity(const struct value *object, struct err *e)
{
    const struct value *meta = object_meta_member(object);

    return kube_check_kind(object, STR("apiVersion"), VALUE_STRING, e) &&
           kube_check_kind(object, STR("kind"), VALUE_STRING, e) &&
           kube_check_metadata(object, e) && kube_check_kind(meta, STR("name"), VALUE_STRING, e) &&
           kube_check_kind(meta, STR("namespace"), VALUE_STRING, e);
}

bool kube_object_complete(struct arena *a, const struct kube_call *c, struct value *object,
                          struct err *e)
{
    const struct kube_resource *r = c->resource;

    if (!value_is(object, VALUE_OBJECT))
        return err_set(e, ERR_INVALID, "the server sent %s where an object should be",
                       value_kind_name(object ? object->kind : VALUE_NULL));
    if (!check_identity(object, e))
        return err_wrap(e, "an object");
    for (size_t i = value_len(object); c->metadata_only && i-- > 0;) {
        str key = value_key(&object->items[i]);
        if (!object_is_meta(key))
            value_unset(object, key);
    }
    fill_in(a, object, STR("apiVersion"), api_version_join(a, r->group, r->version),
            c->metadata_only);
    fill_in(a, object, STR("kind"), r->kind, c->metadata_only);
    return true;
}

bool kube_version_is_of(struct arena *a, const struct kube_resource *r, str api_version)
{
    return str_eq(api_version, api_version_join(a, r->group, r->version)) ||
           (r->kind_version.len &&
            str_eq(api_version, api_version_join(a, r->kind_group, r->kind_version)));
}

bool kube_object_fits(const struct kube_call *c, const struct value *object, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct kube_resource *r = c->resource;
    str api = value_get_str(object, STR("apiVersion")), kind = value_get_str(object, STR("kind"));
    str name = object_name(object);

    if (!name.len)
        return err_set(e, ERR_INVALID, "an object has no name");
    if (kube_version_is_of(a, r, api) && (!r->kind.len || str_eq(kind, r->kind)))
        return true;
    return err_set(e, ERR_INVALID, "%.*s is a %.*s of %.*s", STR_ARG(name), STR_ARG(kind),
                   STR_ARG(api));
}

bool kube_json_read(struct arena *a, str text, struct value **out, struct err *e)
{
    const struct read_options options = {.duplicates = DUPLICATE_ERROR};
    const struct source src = {.text = text};
    bool ok = json_read(a, &src, &options, out, e);

    if (!ok && e)
        e->at = (struct where){0};
    return ok;
}

bool kube_object_read(struct arena *a, const struct kube_call *c, str text, struct value **out,
                      struct err *e)
{
    return kube_json_read(a, text, out, e) && kube_object_complete(a, c, *out, e);
}

str kube_accept(const struct kube_call *c, bool list)
{
    if (!c->metadata_only)
        return STR("application/json");
    return list ? STR("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
                      "application/json")
                : STR("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                      "application/json");
}

/* ---- Pages ---------------------------------------------------------------------------------- */

struct kube_advance kube_advance_new(struct arena *a)
{
    return (struct kube_advance){.first = buf_new(a, BUF_UNLIMITED),
                                 .beginning = buf_new(a, BUF_UNLIMITED)};
}

void kube_advance_reset(struct kube_advance *v)
{
    buf_truncate(&v->first, 0);
    v->pages = v->empty = v->repeats = 0;
    kube_advance_page(v);
}

void kube_advance_page(struct kube_advance *v)
{
    buf_truncate(&v->beginning, 0);
    v->moved = false;
}

bool kube_advance_object(struct kube_advance *v, const struct value *object, struct err *e)
{
    str name = object_name(object);

    if (v->moved)
        return true;
    v->moved = true;
    if (name.len)
        buf_fmt(&v->beginning, "%.*s/%.*s", STR_ARG(object_namespace(object)), STR_ARG(name));
    if (v->first.len && str_eq(buf_str(&v->first), buf_str(&v->beginning)))
        v->repeats++;
    return v->repeats <= KUBE_REPEATS_MAX ||
           err_set(e, ERR_INVALID,
                   "the server's list does not advance: %.*s begins page after page",
                   STR_ARG(name));
}

bool kube_advance_next(struct kube_advance *v, str place, str next, struct err *e)
{
    v->empty = v->moved ? 0 : v->empty + 1;
    v->pages++;
    if (!next.len)
        return true;
    if (str_eq(next, place))
        return err_set(e, ERR_INVALID,
                       "the server's list does not advance: the same \"continue\" twice");
    if (v->empty >= KUBE_EMPTY_PAGES_MAX)
        return err_set(e, ERR_LIMIT, "the server's list does not advance: %d pages without objects",
                       KUBE_EMPTY_PAGES_MAX);
    if (v->pages & (v->pages - 1))
        return true;
    buf_truncate(&v->first, 0);
    buf_add(&v->first, buf_str(&v->beginning));
    return true;
}

struct listing {
    struct kube_transport *transport;
    const struct kube_call *call;
    const struct kube_list_options *options;
    kube_item_fn *each;
    void *ctx;
    struct arena *page, *item; /* emptied after each page, after each object */
    struct arena *lasting;     /* for the position in the list */
    str continue_token;
    str earlier;          /* the token of an earlier page: the first, second, fourth, eighth ... */
    str resource_version; /* of the first page */
    struct kube_advance advance;
    size_t limit, items, pages;
    bool given;   /* something in this page has been passed on */
    bool alone;   /* this page was itself an object */
    bool enough;  /* the caller wants no more */
    bool refused; /* the error is the caller's */
};

static bool give(struct listing *l, struct value *object, struct err *e)
{
    if (!kube_advance_object(&l->advance, object, e))
        return false;
    l->given = true;
    l->items++;
    bool ok = l->each(l->ctx, l->item, object, e);
    l->enough = !ok && e->kind == ERR_NONE;
    l->refused = !ok && !l->enough;
    return ok;
}

static bool on_item(void *ctx, str text, struct err *e)
{
    struct listing *l = ctx;
    struct value *object;
    bool ok = kube_json_read(l->item, text, &object, e);

    if (ok && l->options->lenient && object->kind == VALUE_NULL)
        object = value_object(l->item);
    ok = ok && kube_object_complete(l->item, l->call, object, e) && give(l, object, e);

    arena_reset(l->item);
    return ok;
}

static bool on_body(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    (void)so_far;
    return kube_items_add(ctx, piece, e);
}

void kube_query_add(struct buf *url, const char *name, str value)
{
    if (value.len)
        url_query_add(url, str_c(name), value);
}

static str page_url(const struct listing *l)
{
    const struct kube_list_options *o = l->options;
    struct buf url = buf_new(l->page, BUF_UNLIMITED);

    buf_add(&url, kube_call_path(l->page, l->call));
    kube_query_add(&url, "continue", l->continue_token);
    kube_query_add(&url, "fieldSelector", o->fields);
    kube_query_add(&url, "labelSelector", o->labels);
    if (l->limit)
        kube_query_add(&url, "limit", str_fmt(l->page, "%zu", l->limit));
    if (!l->continue_token.len) {
        kube_query_add(&url, "resourceVersion", o->resource_version);
        kube_query_add(&url, "resourceVersionMatch", o->version_match);
    }
    return buf_str(&url);
}

static bool end_page(struct listing *l, struct kube_items *items, struct err *e)
{
    struct value *envelope;
    struct kube_envelope read = {0};

    if (!kube_items_end(items, l->page, &envelope, e))
        return false;
    l->alone = l->options->lenient && value_is(envelope, VALUE_OBJECT) &&
               !value_get(envelope, STR("items"));
    if (l->alone ? !kube_object_complete(l->page, l->call, envelope, e) || !give(l, envelope, e)
                 : !kube_envelope_read(envelope, l->options->lenient ? NULL : l->call, &read, e))
        return false;
    if (!l->pages++)
        l->resource_version = str_copy(l->lasting, read.version);
    str place = read.next.len && str_eq(read.next, l->earlier) ? l->earlier : l->continue_token;
    if (!kube_advance_next(&l->advance, place, read.next, e))
        return false;
    l->continue_token = str_copy(l->lasting, read.next);
    if (!(l->pages & (l->pages - 1)))
        l->earlier = l->continue_token;
    return true;
}

/* For a response that is not a list: adds which one, and what it is instead. Always false. */
static bool fail_unread(const struct listing *l, const struct http_response *response,
                        struct err *e)
{
    if (l->refused)
        return false;
    kube_answer_unread(response, e);
    err_wrap(e, "the list of %.*s", STR_ARG(l->call->resource->name));
    return kube_mask(l->transport, e);
}

/* Adds what client-go's tools say about a list that does not exist. Always false. */
static bool name_list(const struct listing *l, const struct kube_status *status, struct err *e)
{
    static const char *const reasons[] = {"BadRequest", "NotFound"};
    const struct kube_resource *r = l->call->resource;
    bool named = false;

    for (size_t i = 0; i < COUNT(reasons); i++)
        named |= str_eq(status->reason, str_c(reasons[i]));
    if (!l->options->lenient || !named)
        return false;
    return err_wrap(e, "Unable to list \"%.*s/%.*s, Resource=%.*s\"", STR_ARG(r->group),
                    STR_ARG(r->version), STR_ARG(r->name));
}

/* *lost: the connection broke within the page. */
static bool get_page(struct listing *l, struct kube_status *status, bool *lost, struct err *e)
{
    struct http_response response;
    struct kube_items items = kube_items_new(l->page, on_item, l);
    struct http_request request = {.url = page_url(l),
                                   .on_body = on_body,
                                   .ctx = &items,
                                   .cancel = l->call->cancel,
                                   .timeout = l->call->timeout};

    l->given = false;
    kube_advance_page(&l->advance);
    *lost = false;
    http_header_add(l->page, &request.headers, STR("Accept"), kube_accept(l->call, true));
    if (!kube_send(l->transport, l->page, &request, l->call->retry ? l->call->retry : &retry_kube,
                   &response, e)) {
        /* Without response headers, it has been retried often enough already. */
        *lost = response.failure == HTTP_FAILURE_RESET && response.status / 100 == 2;
        return response.failure == HTTP_FAILURE_CALLER && fail_unread(l, &response, e);
    }
    if (l->enough)
        return true;
    if (response.status / 100 != 2) {
        kube_answer_failed(l->page, STR("GET"), l->call, &response, status, e);
        return name_list(l, status, e);
    }
    bool whole = l->options->lenient || kube_answer_read(&response, e);
    return (whole && end_page(l, &items, e)) || fail_unread(l, &response, e);
}

/* Starts over without pages: such a list cannot expire. */
static void begin_anew(struct listing *l)
{
    if (l->options->restart)
        l->options->restart(l->ctx);
    l->continue_token = l->earlier = STR_NONE;
    kube_advance_reset(&l->advance);
    l->resource_version = STR_NONE;
    l->items = l->pages = 0;
    l->limit = 0;
}

/*
 * How often a list starts over, or a page is requested again, before the caller gets the failure.
 */
#define RESTARTS_MAX 3

static bool recover_expired(struct listing *l, const struct kube_status *status)
{
    if (l->options->restart) {
        begin_anew(l);
        return true;
    }
    if (!status->continue_token.len)
        return false;
    l->continue_token = str_copy(l->lasting, status->continue_token);
    return true;
}

/* A page whose connection was lost is requested again; what was passed on must be forgotten. */
static bool recover_lost(struct listing *l, unsigned attempt)
{
    size_t limit = l->limit;

    if (l->given && !l->options->restart)
        return false;
    if (l->given)
        begin_anew(l);
    l->limit = limit;
    return http_cancel_wait(l->call->cancel, attempt * NS_PER_SEC, NULL);
}

/* Decides what to do after a failed page: true to go on, after preparing l. */
static bool recover(struct listing *l, const struct kube_status *status, bool lost,
                    unsigned *restarts, struct err *e)
{
    bool expired = e->kind == ERR_EXPIRED && l->continue_token.len;

    if ((!expired && !lost) || ++*restarts > RESTARTS_MAX)
        return false;
    if (expired ? !recover_expired(l, status) : !recover_lost(l, *restarts))
        return false;
    err_clear(e);
    return true;
}

static void give_status(const struct listing *l, struct arena *a, const struct kube_status *from)
{
    if (!l->call->status || !a)
        return;
    *l->call->status = (struct kube_status){
        .code = from->code,
        .silent = from->silent,
        .reason = str_copy(a, from->reason),
        .message = str_copy(a, from->message),
        .details = from->details ? value_copy(a, from->details) : NULL,
        .retry_after = from->retry_after,
    };
}

static bool all_pages(struct listing *l, struct arena *meta_arena, struct err *e)
{
    unsigned restarts = 0;

    do {
        struct kube_status status = {0};
        bool lost;
        if (!get_page(l, &status, &lost, e) && !recover(l, &status, lost, &restarts, e)) {
            give_status(l, meta_arena, &status);
            return false;
        }
        arena_reset(l->page);
    } while (!l->enough && (l->continue_token.len || !l->pages));
    return true;
}

bool kube_list(struct kube_transport *t, const struct kube_call *c,
               const struct kube_list_options *options, kube_item_fn *each, void *ctx,
               struct arena *meta_arena, struct kube_list_meta *meta, struct err *e)
{
    static const struct kube_list_options none = {0};
    AUTO_ARENA page = arena_new();
    AUTO_ARENA item = arena_new();
    AUTO_ARENA lasting = arena_new();
    AUTO_ERR own = {0};
    struct listing l = {.transport = t,
                        .call = c,
                        .options = options ? options : &none,
                        .each = each,
                        .ctx = ctx,
                        .page = page,
                        .item = item,
                        .lasting = lasting,
                        .advance = kube_advance_new(lasting)};

    l.limit = l.options->limit;
    if (!all_pages(&l, meta_arena, &own))
        return err_copy(e, &own);
    if (meta)
        *meta =
            (struct kube_list_meta){.resource_version = str_copy(meta_arena, l.resource_version),
                                    .items = l.items,
                                    .pages = l.pages};
    return true;
}

/* ---- Page by page --------------------------------------------------------------------------- */

struct kube_pages {
    struct listing listing;
    struct kube_page *page; /* the current page */
    unsigned anew;          /* how often the list started over */
    struct arena *target;   /* for its objects */
};

static bool collect(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    struct kube_pages *p = ctx;
    struct value *copy = value_copy(p->target, item);

    (void)a;
    (void)e;
    VEC_PUSH(p->target, p->page, copy);
    return true;
}

struct kube_pages *kube_pages_new(struct kube_transport *t, const struct kube_call *c,
                                  const struct kube_list_options *options)
{
    struct arena *lasting = arena_new();
    struct kube_pages *p = ARENA_NEW(lasting, struct kube_pages);

    p->listing = (struct listing){.transport = t,
                                  .call = c,
                                  .options = options,
                                  .each = collect,
                                  .ctx = p,
                                  .page = arena_new(),
                                  .item = arena_new(),
                                  .lasting = lasting,
                                  .advance = kube_advance_new(lasting),
                                  .limit = options->limit};
    return p;
}

void kube_pages_free(struct kube_pages *p)
{
    if (!p)
        return;
    arena_free(p->listing.page);
    arena_free(p->listing.item);
    arena_free(p->listing.lasting);
}

static bool expire_page(struct kube_pages *p, const struct kube_status *status)
{
    struct listing *l = &p->listing;

    if (status->continue_token.len) {
        l->continue_token = str_copy(l->lasting, status->continue_token);
        return true;
    }
    begin_anew(l);
    p->page->again = true;
    return ++p->anew <= RESTARTS_MAX;
}

/* As recover, but only the current page can be forgotten. attempt counts from 1. */
static bool recover_page(struct kube_pages *p, const struct kube_status *status, bool lost,
                         unsigned attempt, const struct err *e)
{
    const struct listing *l = &p->listing;

    p->page->len = 0;
    if (attempt > RESTARTS_MAX)
        return false;
    if (e->kind == ERR_EXPIRED && l->continue_token.len)
        return expire_page(p, status);
    return lost && http_cancel_wait(l->call->cancel, attempt * NS_PER_SEC, NULL);
}

bool kube_pages_next(struct kube_pages *p, struct arena *a, struct kube_page *out, struct err *e)
{
    struct listing *l = &p->listing;

    *out = (struct kube_page){0};
    p->page = out;
    p->target = a;
    for (unsigned attempt = 1;; attempt++) {
        struct kube_status status = {0};
        AUTO_ERR own = {0};
        bool lost;
        bool ok = get_page(l, &status, &lost, &own);
        if (!ok && !recover_page(p, &status, lost, attempt, &own)) {
            arena_reset(l->page);
            return err_copy(e, &own);
        }
        arena_reset(l->page);
        if (ok)
            break;
    }
    out->last = !l->continue_token.len;
    out->alone = l->alone;
    return true;
}
