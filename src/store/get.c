/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get.c - reads single objects, and lists with a stable snapshot.
 *
 * A list has one version, even with several pages: the continue token has the version and the
 * position. States are collected under the lock, by reference, and written without it.
 */
#include "store/internal.h"

#include "go/quote.h"
#include "text/codec.h"
#include "text/json/json.h"
#include "object/object.h"

/* ---- Get. ---- */

static bool too_large(struct store_request *r, uint64_t asked)
{
    struct arena *a = r->arena;
    struct store_cause cause = {STR("ResourceVersionTooLarge"), STR("Too large resource version"),
                                STR_NONE};
    str message = str_fmt(a, "Too large resource version: %llu, current: %llu",
                          (unsigned long long)asked, (unsigned long long)r->store->committed);

    return store_fault_of(r, 504, "Timeout", STR_NONE, message, &cause, 1);
}

/* The number of a resourceVersion parameter; 0 if it is empty or 0. */
static bool read_version(struct store_request *r, str text, uint64_t *out)
{
    *out = 0;
    return !text.len || str_to_u64(text, out) ||
           store_fault(r, 400, "BadRequest", "Invalid value: \"%.*s\": invalid resourceVersion",
                       STR_ARG(text));
}

bool store_do_get(struct store_request *r)
{
    str key = object_path(r->arena, r->namespace, r->name);
    const struct store_entry *n = store_order_find(&r->type->objects, key);
    const struct store_version *v = n ? store_state_at(n, r->store->committed) : NULL;
    uint64_t rv;

    if (!read_version(r, handler_query(r->call, STR("resourceVersion")), &rv))
        return false;
    if (rv > r->store->committed)
        return too_large(r, rv);
    if (!v || v->deleted)
        return store_not_found(r, r->name);
    return store_answer_object(r, 200, store_version_tree(r->arena, r->store, v), v->shape);
}

/* ---- Lists. ---- */

struct listing {
    struct store_request *request;
    struct store_selector *selector;
    uint64_t rv;                        /* the snapshot */
    str from;                           /* the key to start at */
    size_t limit;                       /* 0: none */
    bool counted;                       /* the rest can be counted: there is no selector */
    VEC(struct store_version *) states; /* of the snapshot, by reference */
    str next;        /* the key at which the next page starts; empty: this is the last one */
    uint64_t remain; /* after this page */
};

/* {"v":"meta.k8s.io/v1","rv":7,"start":"x/a"} */
static str write_token(struct listing *l, str start)
{
    struct arena *a = l->request->arena;
    struct value *v = value_object(a);
    struct buf b = buf_new(a, KIB);

    value_set_str(a, v, STR("v"), STR("meta.k8s.io/v1"));
    value_set(a, v, STR("rv"), value_uint(a, l->rv));
    value_set_str(a, v, STR("start"), start);
    store_write_json(&b, v);
    return base64_encode(a, buf_str(&b));
}

static bool bad_token(struct store_request *r)
{
    return store_fault(r, 400, "BadRequest", "continue key is not valid");
}

static bool expired(struct listing *l)
{
    struct store_request *r = l->request;
    struct value *status = store_status(
        r->arena, 410, "Expired",
        STR("The provided continue parameter is too old to display a consistent list result. You "
            "can start a new list without the continue parameter, or use the continue token in "
            "this response to retrieve the remainder of the results. Continuing with the provided "
            "token results in an inconsistent list - objects that were created, modified, or "
            "deleted between the time the first chunk was returned and now may show up in the "
            "list."));

    l->rv = r->store->committed;
    value_set_str(r->arena, object_make_meta(r->arena, status), STR("continue"),
                  write_token(l, l->from));
    store_answer(r, 410, status);
    return false;
}

static bool read_token(struct listing *l, str token)
{
    struct store_request *r = l->request;
    struct value *v;
    size_t bad;
    str text;
    int64_t rv;

    if (!base64_decode(r->arena, token, &text, &bad))
        return bad_token(r);
    const struct source src = {.text = text};
    if (!json_read(r->arena, &src, NULL, &v, NULL) ||
        !str_eq(value_get_str(v, STR("v")), STR("meta.k8s.io/v1")) ||
        !value_to_i64(value_get(v, STR("rv")), &rv) || rv < 0)
        return bad_token(r);
    l->rv = (uint64_t)rv;
    l->from = value_get_str(v, STR("start"));
    if (l->rv > r->store->committed)
        return bad_token(r);
    return l->rv >= r->type->trimmed || expired(l);
}

static bool bad_match(struct store_request *r, const char *why)
{
    return store_fault(r, 422, "Invalid",
                       "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: %s", why);
}

/* resourceVersion and resourceVersionMatch, by the rules of the API. */
static bool choose_snapshot(struct listing *l)
{
    struct store_request *r = l->request;
    str text = handler_query(r->call, STR("resourceVersion"));
    str match = handler_query(r->call, STR("resourceVersionMatch"));
    str token = handler_query(r->call, STR("continue"));
    uint64_t rv;

    if (token.len) {
        if (text.len || match.len)
            return store_fault(r, 400, "BadRequest",
                               "specifying resource version is not allowed when using continue");
        return read_token(l, token);
    }
    if (!read_version(r, text, &rv))
        return false;
    if (match.len && !text.len)
        return bad_match(r, "Forbidden: resourceVersionMatch is forbidden unless resourceVersion "
                            "is provided");
    if (match.len && !str_eq(match, STR("Exact")) && !str_eq(match, STR("NotOlderThan")))
        return bad_match(r, str_z(r->arena, str_fmt(r->arena,
                                                    "Unsupported value: %.*s: supported values: "
                                                    "\"Exact\", \"NotOlderThan\", \"\"",
                                                    STR_ARG(go_quoted(r->arena, match)))));
    if (rv > r->store->committed)
        return too_large(r, rv);
    l->rv = r->store->committed;
    if (!rv)
        return !str_eq(match, STR("Exact")) ||
               bad_match(r, "Forbidden: resourceVersionMatch \"exact\" is forbidden for "
                            "resourceVersion \"0\"");
    if (str_eq(match, STR("Exact")) || (l->limit && !match.len))
        l->rv = rv;
    return l->rv >= r->type->trimmed ||
           store_fault(r, 410, "Expired", "The resourceVersion for the provided list is too old.");
}

static bool read_listing(struct listing *l)
{
    struct store_request *r = l->request;
    str limit = handler_query(r->call, STR("limit"));
    uint64_t count = 0;

    if (limit.len && !str_to_u64(limit, &count))
        return store_fault(r, 400, "BadRequest", "invalid limit \"%.*s\"", STR_ARG(limit));
    l->limit = count;
    if (!store_selector_read(r, handler_query(r->call, STR("labelSelector")),
                             handler_query(r->call, STR("fieldSelector")), &l->selector))
        return false;
    l->counted = !l->selector;
    return choose_snapshot(l);
}

/*
 * Collects candidates for the page. With a selector their number is unknown, so objects are looked
 * at here, under the lock, until the page is full.
 */
static void take_states(struct listing *l)
{
    struct store_request *r = l->request;
    str prefix = r->type->namespaced && r->namespace.len
                     ? str_concat(r->arena, r->namespace, STR("/"))
                     : STR_NONE;
    str from = str_cmp(l->from, prefix) > 0 ? l->from : prefix;
    struct store_entry *n = store_order_from(&r->type->objects, from);

    for (; n && str_has_prefix(n->key, prefix); n = n->next[0]) {
        struct store_version *v = store_state_at(n, l->rv);

        if (!v || v->deleted)
            continue;
        if (l->selector && l->limit) {
            AUTO_ARENA a = arena_new();
            if (!store_selector_fits(l->selector, store_version_tree(a, r->store, v)))
                continue;
        }
        if (l->limit && l->states.len == l->limit) {
            l->next = l->next.len ? l->next : str_copy(r->arena, n->key);
            l->remain++;
            if (!l->counted)
                return;
            continue;
        }
        VEC_PUSH(r->arena, &l->states, store_version_ref(v));
    }
}

static bool begin_list(struct listing *l)
{
    AUTO_LOCK guard = lock_take(&l->request->store->lock);

    if (!read_listing(l))
        return false;
    take_states(l);
    return true;
}

/* The kind of a list, in the requested view. */
static void name_list(struct listing *l, str *kind, str *api, const char **items)
{
    struct store_request *r = l->request;

    *api = STR("meta.k8s.io/v1");
    *items = "items";
    switch (r->view) {
    case STORE_WHOLE:
        *kind = r->type->list_kind;
        *api = api_version_join(r->arena, r->type->group, r->as->name);
        break;
    case STORE_METADATA:
        *kind = STR("PartialObjectMetadataList");
        break;
    case STORE_TABLE:
        *kind = STR("Table");
        *items = "rows";
        break;
    }
}

static void write_meta(struct buf *b, struct listing *l)
{
    struct store_request *r = l->request;
    const char *items;
    str kind, api;

    name_list(l, &kind, &api, &items);
    buf_add(b, STR("{\"kind\":"));
    json_write_string(b, kind, false);
    buf_add(b, STR(",\"apiVersion\":"));
    json_write_string(b, api, false);
    buf_fmt(b, ",\"metadata\":{\"resourceVersion\":\"%llu\"", (unsigned long long)l->rv);
    if (l->next.len) {
        buf_add(b, STR(",\"continue\":"));
        json_write_string(b, write_token(l, l->next), false);
        if (l->counted)
            buf_fmt(b, ",\"remainingItemCount\":%llu", (unsigned long long)l->remain);
    }
    buf_add(b, STR("},"));
    if (r->view == STORE_TABLE) {
        buf_add(b, STR("\"columnDefinitions\":"));
        store_write_json(b, store_table_columns(r));
        buf_char(b, ',');
    }
    buf_fmt(b, "\"%s\":[", items);
}

/* One object of a list; NULL if it is not selected. */
static struct value *item_of(struct listing *l, struct store_request *one,
                             const struct store_version *v)
{
    struct value *tree = store_version_tree(one->arena, one->store, v);

    if (!store_selector_fits(l->selector, tree))
        return NULL;
    if (l->request->view == STORE_TABLE)
        return store_table_row(one, store_show(one, tree, v->shape));
    return store_show(one, tree, v->shape);
}

/* Objects are unpacked and written one by one, in an arena that is emptied after each. */
static void write_items(struct buf *b, struct listing *l)
{
    AUTO_ARENA a = arena_new();
    struct store_request one = *l->request;
    bool first = true;

    one.arena = a;
    /* Rows are made from whole objects. */
    if (one.view == STORE_TABLE)
        one.view = STORE_WHOLE;
    for (size_t i = 0; i < l->states.len; i++) {
        struct store_version *v = l->states.items[i];
        struct value *tree = item_of(l, &one, v);

        if (tree) {
            buf_add(b, first ? STR_NONE : STR(","));
            store_write_json(b, tree);
            first = false;
        }
        store_version_drop(v);
        arena_reset(a);
    }
    buf_add(b, STR("]}\n"));
}

void store_do_list(struct store_request *r)
{
    struct listing l = {.request = r};
    if (!begin_list(&l))
        return;
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);
    write_meta(&b, &l);
    write_items(&b, &l);
    r->call->status = 200;
    r->call->reply = buf_str(&b);
}
