/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - status.operatorStatus: what the operator remembers in the object itself.
 *
 * It is a help, not the truth: deleting it causes one more comparison or PUT, and nothing else. It
 * never contains values of Secrets; the digest of a payload is keyed, so that it cannot be guessed.
 * If the definition lacks the field, like the reference operator's, all but the decisions is kept
 * in an annotation.
 */
#include <openssl/hmac.h>

#include "operator/internal.h"

#include "base/clock.h"
#include "text/json/json.h"

/* Of 32 bytes; half of them are plenty to detect changes. */
#define DIGEST_BYTES 16

/* An annotation has room for 256 KiB with all others. */
#define ANNOTATED_MAX (64 * KIB)

/* The memory in the object. */
static const struct value *stored(const struct pass *p)
{
    const struct value *own = value_get(value_get(p->object, STR("status")), STR("operatorStatus"));

    return own ? own : p->annotated;
}

const struct value *memory_get(const struct pass *p, const char *member)
{
    return value_get(p->memory ? p->memory : stored(p), str_c(member));
}

str memory_text(const struct pass *p, const char *member)
{
    return value_str(memory_get(p, member));
}

static struct value *writable(struct pass *p)
{
    const struct value *old = stored(p);

    if (!p->memory)
        p->memory = value_is(old, VALUE_OBJECT) ? value_clone(p->arena, old)
                                                : value_object(p->arena);
    return p->memory;
}

void memory_set(struct pass *p, const char *member, const struct value *v)
{
    if (v)
        value_set(p->arena, writable(p), str_c(member), v);
    else if (memory_get(p, member))
        value_unset(writable(p), str_c(member));
}

void memory_set_text(struct pass *p, const char *member, str text)
{
    if (!str_eq(memory_text(p, member), text))
        memory_set(p, member, text.len ? value_string(p->arena, text) : NULL);
}

str memory_stamp(struct arena *a, int64_t when)
{
    char stamp[CLOCK_STAMP];

    clock_stamp(when, stamp);
    return str_fmt(a, "%.19sZ", stamp);
}

void memory_forget_failure(struct pass *p)
{
    static const char *const members[] = {"attempt", "nextRetry", "class", "rule", "requestId"};

    for (size_t i = 0; i < COUNT(members); i++)
        memory_set(p, members[i], NULL);
}

/* ---- Where the definition has no place for it. ------------------------------------------------
 */

void memory_load(struct pass *p)
{
    str text = object_annotation(p->object, STR(ANNOTATION_KNOWN));

    p->annotated = text.len && text.len <= ANNOTATED_MAX ? pass_read_json(p, text) : NULL;
}

bool memory_is_annotated(struct pass *p)
{
    struct value *trial = value_object(p->arena);

    if (!p->ports->prune)
        return false;
    value_set(p->arena, trial, STR("operatorStatus"), value_object(p->arena));
    p->ports->prune(p->ports->ctx, p->arena, &p->card->key, trial);
    return !value_get(trial, STR("operatorStatus"));
}

static str annotation(struct pass *p, const struct value *memory)
{
    struct buf text = buf_new(p->arena, BUF_UNLIMITED);

    return json_write(&text, memory, &json_exact, NULL) ? buf_str(&text) : STR_NONE;
}

void memory_annotate(struct pass *p, struct value *object)
{
    str text = STR_NONE;

    if (memory_is_annotated(p)) {
        if (!p->memory)
            return;
        struct value *kept = value_clone(p->arena, p->memory);
        value_unset(kept, STR("decisions"));
        text = annotation(p, kept);
        if (text.len > ANNOTATED_MAX) {
            value_unset(kept, STR("knownDifferences"));
            value_unset(kept, STR("comparator"));
            text = annotation(p, kept);
        }
    }
    object_set_annotation(p->arena, object, STR(ANNOTATION_KNOWN),
                          text.len <= ANNOTATED_MAX ? text : STR_NONE);
}

/* Identifies the key of a digest: after a change of the key digests cannot be compared. */
static void print_key(struct buf *b, str key)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    if (EVP_Digest(key.len ? key.ptr : "", key.len, sum, &len, EVP_sha256(), NULL))
        buf_fmt(b, "%02x%02x:", sum[0], sum[1]);
}

str memory_digest(struct pass *p, const struct value *payload)
{
    static const struct json_style style = {.sorted = true};
    str key = p->config->digest_key;
    struct buf text = buf_new(p->arena, BUF_UNLIMITED), out = buf_new(p->arena, BUF_UNLIMITED);
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    /* The same payload of two objects has two digests. */
    buf_fmt(&text, "%.*s\n", STR_ARG(pass_id(p)));
    if (!json_write(&text, payload, &style, NULL) ||
        !HMAC(EVP_sha256(), key.len ? key.ptr : "", (int)key.len, (const unsigned char *)text.data,
              text.len, sum, &len))
        return STR_NONE;
    print_key(&out, key);
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        buf_fmt(&out, "%02x", sum[i]);
    return buf_str(&out);
}

bool memory_is_payload(const struct pass *p, bool *known)
{
    str old = memory_text(p, "payloadDigest"), key, rest;

    /* The last PUT could not be noted on the object. */
    if (p->card->put) {
        *known = true;
        return p->card->put == str_hash(p->digest);
    }
    *known = str_cut(old, STR(":"), &key, &rest) && str_has_prefix(p->digest, key);
    return *known && str_eq(old, p->digest);
}
