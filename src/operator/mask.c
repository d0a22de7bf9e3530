/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mask.c - before an error message of Azure is shown: the Secrets that it might quote.
 *
 * Azure quotes requests in errors, also long after them: the operation of a payload with a password
 * may fail when another process follows it, and a deletion may mention a key that was exported. So
 * all Secrets that the object uses or writes and that this pass has not read are read first, and
 * their values are not repeated. A message is withheld when one of them cannot be read.
 */
#include "operator/internal.h"

#include "azure/needs.h"
#include "base/map.h"
#include "text/codec.h"

static void hide_text(struct pass *p, str value)
{
    for (size_t i = 0; i < p->secrets.len; i++)
        if (str_eq(p->secrets.items[i], value))
            return;
    VEC_PUSH(p->arena, &p->secrets, str_copy(p->arena, value));
}

/* Also without the trailing newline of files, which nothing quotes. */
void mask_value(struct pass *p, str value)
{
    hide_text(p, value);
    hide_text(p, str_trim(value));
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

/* Whether a need is a Secret that was not read yet, which is noted. */
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
