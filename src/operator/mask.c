/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mask.c - reads the Secrets that an error message of Azure might quote, before it is shown.
 *
 * Azure quotes requests in errors, even long afterwards: an operation whose payload had a password
 * may fail when another process polls it, and a deletion may mention a key that was exported. So
 * all Secrets that the object uses or writes, and that this pass has not read, are read first, and
 * their values are masked. If one of them cannot be read, the message is withheld.
 */
#include "operator/internal.h"

#include "azure/needs.h"
#include "base/map.h"
#include "net/redact.h"
#include "text/codec.h"
#include "text/html.h"
#include "text/json/json.h"
#include "text/url.h"

/* The shortest value that is also searched for in other spellings. */
#define SPELLED_MIN 4

static void hide_text(struct pass *p, str value)
{
    if (!p->hidden)
        p->hidden = map_new(p->arena);
    if (map_has(p->hidden, value))
        return;
    value = str_copy(p->arena, value);
    map_set(p->hidden, value, p->hidden);
    VEC_PUSH(p->arena, &p->secrets, value);
}

/* The spellings in quoted requests: in JSON, in a URL, and in base64. */
static void hide_spellings(struct pass *p, str value)
{
    struct buf json = buf_new(p->arena, BUF_UNLIMITED), url = json, query = json;

    json_write_string(&json, value, false);
    hide_text(p, str_slice(buf_str(&json), 1, json.len - 1));
    buf_truncate(&json, 0);
    json_write_string(&json, value, true);
    hide_text(p, str_slice(buf_str(&json), 1, json.len - 1));
    url_path_escape(&url, value);
    hide_text(p, buf_str(&url));
    url_query_escape(&query, value);
    hide_text(p, buf_str(&query));
    hide_text(p, redact_all(p->arena, buf_str(&query), STR("+"), STR("%20")));
    hide_text(p, base64_encode(p->arena, value));
}

/* Also without the final newline of files, which is never quoted. */
void mask_value(struct pass *p, str value)
{
    hide_text(p, value);
    hide_text(p, str_trim(value));
    if (str_trim(value).len >= SPELLED_MIN)
        hide_spellings(p, str_trim(value));
}

static int longer_first(const void *x, const void *y)
{
    size_t a = ((const str *)x)->len, b = ((const str *)y)->len;

    return (a < b) - (a > b);
}

const struct str_list *mask_values(struct pass *p)
{
    if (p->sorted != p->secrets.len)
        qsort(p->secrets.items, p->secrets.len, sizeof(*p->secrets.items), longer_first);
    p->sorted = p->secrets.len;
    return &p->secrets;
}

static void mask_secret(struct pass *p, const struct value *secret)
{
    const struct value *data = value_get(secret, STR("data"));
    size_t bad;
    str text;

    for (size_t i = 0; i < value_len(data); i++)
        if (base64_decode(p->arena, value_str(&data->items[i]), &text, &bad))
            mask_value(p, text);
}

static void take(struct pass *p, const struct arm_answer *answer)
{
    struct value *secret = answer->http == 200 ? pass_read_json(p, answer->body) : NULL;

    map_set(p->known, p->unread_key, secret);
    mask_secret(p, secret);
    if (!secret && answer->http != 404)
        p->verdict.message = str_fmt(p->arena,
                                     "Azure reported an error, which is not shown because it may "
                                     "quote Secrets and %.*s cannot be read (status %d)",
                                     STR_ARG(p->unread), answer->http);
}

/* Whether a need is a Secret that has not been read; notes it. */
static bool is_unread(struct pass *p, const struct need *n)
{
    struct object_key key = n->object;

    if ((n->kind != NEED_SECRET && n->kind != NEED_SECRET_MAP && n->kind != NEED_EXPORT_SECRET) ||
        !key.name.len)
        return false;
    key.namespace = p->card->key.namespace;
    p->unread_key = object_key_text(p->arena, &key);
    p->unread = pass_plain_path(p, STR("Secret"), key.namespace, key.name);
    return !map_has(p->known, p->unread_key);
}

struct pass_step state_mask(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);
    struct needs needs = {0};

    if (!p->known)
        p->known = map_new(p->arena);
    if (answer)
        take(p, answer);
    if (p->resource)
        needs_of(p->arena, p->resource, p->applied ? p->applied : p->object, &needs);
    for (size_t i = 0; i < needs.len; i++)
        if (is_unread(p, &needs.items[i]))
            return step_kube(p, KUBE_GET, p->unread, NULL);
    return step_to(STATE_EXPLAIN);
}
