/* SPDX-License-Identifier: Apache-2.0 */
/*
 * items.c - finds the elements of a list by brackets and quotes alone.
 *
 * Nothing is checked here except what is needed to find the ends, and the commas, which are
 * dropped: the elements and the rest are read by json.h afterwards, and mismatched brackets are an
 * error there.
 */
#include "kube/items_internal.h"
#include "object/object.h"

#include <string.h>

struct kube_items kube_items_new(struct arena *a,
                                 bool (*on_item)(void *ctx, str text, struct err *e), void *ctx)
{
    return (struct kube_items){
        .envelope = buf_new(a, KUBE_ENVELOPE_MAX),
        .item = buf_new(a, KUBE_OBJECT_MAX),
        .on_item = on_item,
        .ctx = ctx,
    };
}

/* Where in a piece the text begins that has not been kept yet. */
struct cut {
    const char *from;
};

static void keep(struct kube_items *s, struct cut *cut, const char *to)
{
    buf_add(s->in_item ? &s->item : &s->envelope, str_of(cut->from, (size_t)(to - cut->from)));
    cut->from = to;
}

static bool deliver(struct kube_items *s, struct err *e)
{
    s->in_item = false;
    s->behind_item = true;
    if (!buf_check(&s->item, e))
        return err_wrap(e, "an object of it");
    bool ok = s->on_item(s->ctx, buf_str(&s->item), e);
    buf_truncate(&s->item, 0);
    return ok;
}

static void quote_seen(struct kube_items *s)
{
    bool is_key = s->depth == 1 && !s->in_list && !s->value_next;

    if (!s->in_string) {
        s->in_string = true;
        s->key_len = 0;
        return;
    }
    s->in_string = false;
    if (is_key)
        s->items_key = s->key_len == 5 && memcmp(s->key, "items", 5) == 0;
}

/* Blanks and commas between elements are dropped, so that the envelope has an empty list. */
static bool begin_item(struct kube_items *s, struct cut *cut, const char *at, struct err *e)
{
    if (s->behind_item)
        return err_set(e, ERR_INVALID, "there is no comma between two objects");
    cut->from = at;
    s->in_item = true;
    s->behind_comma = false;
    return true;
}

static void open_seen(struct kube_items *s, struct cut *cut, const char *at)
{
    bool is_items = s->depth == 1 && s->value_next && s->items_key && *at == '[';

    s->depth++;
    if (!is_items || s->in_list)
        return;
    keep(s, cut, at + 1);
    s->in_list = true;
    s->behind_item = s->behind_comma = false;
}

static bool fail_comma(struct err *e)
{
    return err_set(e, ERR_INVALID, "there is a comma too many between its objects");
}

static bool close_seen(struct kube_items *s, struct cut *cut, const char *at, struct err *e)
{
    if (s->depth)
        s->depth--;
    if (!s->in_list || s->depth > 2)
        return true;
    if (s->depth == 2) {
        keep(s, cut, at + 1);
        return deliver(s, e);
    }
    if (s->in_item) {
        keep(s, cut, at);
        if (!deliver(s, e))
            return false;
    }
    if (s->behind_comma)
        return fail_comma(e);
    cut->from = at;
    s->in_list = false;
    return true;
}

static bool comma_seen(struct kube_items *s, struct cut *cut, const char *at, struct err *e)
{
    if (s->depth == 1)
        s->value_next = false;
    if (!s->in_list || s->depth != 2)
        return true;
    if (s->in_item) {
        keep(s, cut, at);
        if (!deliver(s, e))
            return false;
    }
    if (!s->behind_item)
        return fail_comma(e);
    s->behind_item = false;
    s->behind_comma = true;
    return true;
}

/* Skips text in a string, up to its next quote, backslash or the end. */
static const char *skip_text(struct kube_items *s, const char *at, const char *end)
{
    const char *from = at;

    if (s->escaped) {
        s->escaped = false;
        at++;
    }
    while (at < end && *at != '"' && *at != '\\')
        at++;
    for (; s->depth == 1 && from < at; from++, s->key_len++)
        if (s->key_len < sizeof(s->key))
            s->key[s->key_len] = *from;
    return at;
}

static bool blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool mark_seen(struct kube_items *s, struct cut *cut, const char *at, struct err *e)
{
    char c = *at;
    bool between = s->in_list && !s->in_item && s->depth == 2;

    if (between && c != ',' && c != ']' && c != '}' && !blank(c) && !begin_item(s, cut, at, e))
        return false;
    switch (c) {
    case '"':
        quote_seen(s);
        return true;
    case '{':
    case '[':
        open_seen(s, cut, at);
        return true;
    case '}':
    case ']':
        return close_seen(s, cut, at, e);
    case ',':
        return comma_seen(s, cut, at, e);
    case ':':
        s->value_next |= s->depth == 1;
        return true;
    default:
        return true;
    }
}

bool kube_items_add(struct kube_items *s, str piece, struct err *e)
{
    const char *at = piece.ptr, *end = piece.ptr + piece.len;
    struct cut cut = {at};

    while (at < end) {
        if (s->in_string) {
            at = skip_text(s, at, end);
            if (at == end)
                break;
            if (*at == '\\') {
                s->escaped = true;
                at++;
                continue;
            }
        }
        if (!mark_seen(s, &cut, at, e))
            return false;
        at++;
    }
    if (!s->in_list || s->in_item)
        keep(s, &cut, end);
    if (!buf_check(&s->envelope, e))
        return err_wrap(e, "what is around its objects");
    return buf_check(&s->item, e) || err_wrap(e, "an object of it");
}

bool kube_items_end(struct kube_items *s, struct arena *a, struct value **envelope, struct err *e)
{
    return kube_json_read(a, buf_str(&s->envelope), envelope, e);
}

/* ---- What is around the objects. ---- */

bool kube_check_kind(const struct value *object, str key, enum value_kind kind, struct err *e)
{
    static const char *const names[] = {"null",     "a bool", "an integer", "a float",
                                        "a string", "a list", "an object"};
    const struct value *v = value_get(object, key);

    if (!v || v->kind == VALUE_NULL || v->kind == kind)
        return true;
    return err_set(e, ERR_INVALID, "\"%.*s\" is not %s but %s", STR_ARG(key), names[kind],
                   names[v->kind]);
}

bool kube_check_metadata(const struct value *object, struct err *e)
{
    return kube_check_kind(object, STR("metadata"), VALUE_OBJECT, e);
}

static bool check_types(const struct value *envelope, const struct value *meta, struct err *e)
{
    return kube_check_kind(envelope, STR("apiVersion"), VALUE_STRING, e) &&
           kube_check_kind(envelope, STR("kind"), VALUE_STRING, e) &&
           kube_check_kind(envelope, STR("items"), VALUE_LIST, e) &&
           kube_check_metadata(envelope, e) &&
           kube_check_kind(meta, STR("continue"), VALUE_STRING, e) &&
           kube_check_kind(meta, STR("remainingItemCount"), VALUE_INT, e) &&
           kube_check_kind(meta, STR("resourceVersion"), VALUE_STRING, e);
}

/*
 * Objects of built-in types have no kind in a list: only the list itself does, and it is their kind
 * plus "List". Custom resources, whose groups contain a dot, do have a kind, and their lists may be
 * named anything.
 */
static bool is_list_of(const struct kube_call *c, str kind, str api_version)
{
    AUTO_ARENA a = arena_new();
    const struct kube_resource *r = c->resource;
    str item = str_without_suffix(kind, STR("List"));

    if (!item.len || !r->kind.len || str_find_char(r->group, '.') != STR_NPOS ||
        (c->metadata_only && str_eq(kind, STR("PartialObjectMetadataList"))))
        return true;
    return str_eq(item, r->kind) && item.len < kind.len &&
           (!api_version.len || kube_version_is_of(a, r, api_version));
}

static bool check_list_kind(const struct value *envelope, const struct kube_call *c, struct err *e)
{
    str kind = value_get_str(envelope, STR("kind"));
    str api_version = value_get_str(envelope, STR("apiVersion"));

    if (str_eq(kind, STR("Status")) || str_eq(kind, STR("Table")))
        return err_set(e, ERR_INVALID, "the server's response is not a list but a %.*s",
                       STR_ARG(kind));
    return !c || is_list_of(c, kind, api_version) ||
           err_set(e, ERR_INVALID, "the server's response is a %.*s of %.*s", STR_ARG(kind),
                   STR_ARG(api_version));
}

bool kube_envelope_read(const struct value *envelope, const struct kube_call *c,
                        struct kube_envelope *out, struct err *e)
{
    const struct value *items = value_get(envelope, STR("items"));
    const struct value *meta = object_meta(envelope);
    str remaining = value_text(value_get(meta, STR("remainingItemCount")));

    *out = (struct kube_envelope){.next = value_get_str(meta, STR("continue")),
                                  .version = value_get_str(meta, STR("resourceVersion"))};
    if (!items)
        return err_set(e, ERR_INVALID, "the server's response is not a list: it has no \"items\"");
    if (!check_types(envelope, meta, e) || !check_list_kind(envelope, c, e))
        return false;
    /* Its objects were not recognized, and stayed in the envelope. */
    if (value_len(items))
        return err_set(e, ERR_INVALID, "\"items\" is written with escapes");
    if (!out->next.len && remaining.len && !str_eq(remaining, STR("0")))
        return err_set(e, ERR_INVALID, "it ends, and %.*s objects are said to remain",
                       STR_ARG(remaining));
    return true;
}
