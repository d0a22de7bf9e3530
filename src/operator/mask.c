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
#include "text/spelled.h"

#include <limits.h>

/* The shortest value that is searched for in texts, and as a part of what is in base64. */
#define SPELLED_MIN 4
#define CODED_MIN 8

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

/* Also in the alphabet of URLs. */
static void hide_base64(struct pass *p, str coded)
{
    hide_text(p, coded);
    coded = redact_all(p->arena, coded, STR("+"), STR("-"));
    hide_text(p, redact_all(p->arena, coded, STR("/"), STR("_")));
}

/*
 * The value in base64: alone, and as part of something longer, such as "user:password", where it
 * depends on the offset modulo three, and where digits are shared with what surrounds it.
 */
static void hide_coded(struct pass *p, str value)
{
    hide_base64(p, base64_encode(p->arena, value));
    for (size_t before = 0; before < 3 && value.len >= CODED_MIN; before++) {
        str text = str_concat(p->arena, str_slice(STR("  "), 0, before), value);
        str coded = base64_encode(p->arena, text);
        size_t from = before ? before + 1 : 0;
        hide_base64(p, str_trim_set(str_from(coded, from), STR("=")));
        hide_base64(p, str_slice(coded, from, text.len * CHAR_BIT / 6));
    }
}

/* Also without the final newline of files, which is never quoted. */
void mask_value(struct pass *p, str value)
{
    hide_text(p, value);
    hide_text(p, str_trim(value));
    if (str_trim(value).len >= SPELLED_MIN)
        hide_coded(p, str_trim(value));
}

str mask_hide(struct pass *p, str text, str mask)
{
    const struct str_list *secrets = mask_values(p);

    for (size_t i = 0; i < secrets->len && secrets->items[i].len >= SPELLED_MIN; i++)
        text = spelled_replace(p->arena, text, secrets->items[i], mask);
    return text;
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

static void take(struct pass *p, const struct arm_answer *answer)
{
    struct value *secret = answer->http == 200 ? pass_read_json(p, answer->body) : NULL;
    const struct value *data = value_get(secret, STR("data"));
    size_t bad;
    str text;

    map_set(p->known, p->unread_key, secret);
    for (size_t i = 0; i < value_len(data); i++)
        if (base64_decode(p->arena, value_str(&data->items[i]), &text, &bad))
            mask_value(p, text);
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
