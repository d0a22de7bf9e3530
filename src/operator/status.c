/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - the status of an object: what Azure returned, the condition Ready, and what the
 * operator remembers.
 *
 * What Azure returns may be too large for an object: then the largest lists are cut, and a separate
 * condition says so.
 */
#include "operator/internal.h"

#include "base/quote.h"
#include "net/redact.h"
#include "text/json/json.h"

/* The API server accepts about three times as much. */
#define STATUS_MAX (512 * KIB)
/* How many elements a list keeps if it is cut. */
#define CUT_TO 50
/* The longest message. */
#define MESSAGE_MAX 4096

struct condition status_condition(const struct pass *p, const char *severity, const char *reason,
                                  str message)
{
    return (struct condition){.type = STR("Ready"),
                              .status = severity[0] ? STR("False") : STR("True"),
                              .severity = str_c(severity),
                              .reason = str_c(reason),
                              .message = message,
                              .generation = p->generation ? p->generation
                                                          : object_generation(p->object)};
}

bool status_was_ready(const struct value *object)
{
    struct condition ready;

    return condition_get(value_get(object, STR("status")), STR("Ready"), &ready) &&
           str_eq(ready.status, STR("True"));
}

bool status_has(const struct pass *p, const char *reason)
{
    struct condition ready;

    return condition_get(value_get(p->object, STR("status")), STR("Ready"), &ready) &&
           str_eq(ready.reason, str_c(reason));
}

str status_reason(struct arena *a, str code)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < code.len && b.len < 256; i++) {
        char c = code.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!b.len && c >= '0' && c <= '9')
            buf_add(&b, STR("Code"));
        if (letter || (c >= '0' && c <= '9') || (b.len && c == '_'))
            buf_char(&b, c);
    }
    while (b.len && b.data[b.len - 1] == '_')
        buf_truncate(&b, b.len - 1);
    if (!b.len)
        return STR(CLOUD_UNKNOWN);
    return buf_str(&b);
}

/* ---- Size. ----------------------------------------------------------------------------------- */

size_t status_size(const struct value *v)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    return json_write(&b, v, &json_exact, NULL) ? b.len : 0;
}

/* An estimate, to distinguish large from small. */
static size_t size_of(const struct value *v)
{
    size_t size = 8 + v->key_len + (value_is_container(v) ? 0 : value_text(v).len);

    for (size_t i = 0; value_is_container(v) && i < v->len; i++)
        size += size_of(&v->items[i]);
    return size;
}

static bool is_long(const struct value *v)
{
    return value_is(v, VALUE_LIST) && v->len > CUT_TO;
}

static size_t largest_list(const struct value *v)
{
    size_t largest = is_long(v) ? size_of(v) : 0;

    for (size_t i = 0; value_is_container(v) && i < v->len; i++) {
        size_t below = largest_list(&v->items[i]);
        largest = below > largest ? below : largest;
    }
    return largest;
}

/* Cuts all lists that are at least this large. */
static void cut_lists(struct value *v, size_t least, struct buf *names)
{
    if (is_long(v) && size_of(v) >= least) {
        buf_fmt(names, "%s%.*s (%u elements, %d shown)", names->len ? ", " : "",
                STR_ARG(value_key(v)), v->len, CUT_TO);
        while (v->len > CUT_TO)
            value_remove(v, v->len - 1);
    }
    for (size_t i = 0; value_is_container(v) && i < v->len; i++)
        cut_lists(&v->items[i], least, names);
}

/* If lists are not the problem, removes the largest member as a whole. False: there is none. */
static bool drop_largest(struct value *status, struct buf *names)
{
    const struct value *largest = NULL;

    for (size_t i = 0; i < status->len; i++) {
        const struct value *v = &status->items[i];
        if (!str_eq(value_key(v), STR("conditions")) &&
            !str_eq(value_key(v), STR("operatorStatus")) &&
            (!largest || size_of(v) > size_of(largest)))
            largest = v;
    }
    if (!largest)
        return false;
    buf_fmt(names, "%s%.*s (not shown)", names->len ? ", " : "", STR_ARG(value_key(largest)));
    return value_unset(status, value_key(largest));
}

/* Cuts until it fits, lists of about the same size at once, so that many cost no more than one. */
void status_bound(struct pass *p, struct value *status)
{
    struct condition cut = {.type = STR("Truncated"),
                            .status = STR("True"),
                            .reason = STR("StatusTooLarge"),
                            .generation = object_generation(p->object)};
    struct buf names = buf_new(p->arena, 2 * KIB);
    size_t list;

    while (status_size(status) > STATUS_MAX) {
        if ((list = largest_list(status)))
            cut_lists(status, list / 2, &names);
        else if (!drop_largest(status, &names))
            break;
    }
    if (!names.len) {
        condition_remove(status, STR("Truncated"));
        return;
    }
    cut.message = str_fmt(p->arena, "too large for an object: %.*s", STR_ARG(buf_str(&names)));
    condition_set(p->arena, status, &cut, p->now);
}

/* ---- The patch. ------------------------------------------------------------------------------ */

/* What Azure returned replaces the rest; conditions and what the operator knows are kept. */
static struct value *next_status(struct pass *p, const struct value *old, const struct value *body)
{
    struct arena *a = p->arena;
    const struct value *kept;

    if (!body)
        return old ? value_clone(a, old) : value_object(a);
    struct value *next = value_clone(a, convert_to_status(a, p->hub ? p->hub : p->resource, body));
    if ((kept = value_get(old, STR("conditions"))))
        value_set(a, next, STR("conditions"), value_clone(a, kept));
    if ((kept = value_get(old, STR("operatorStatus"))))
        value_set(a, next, STR("operatorStatus"), value_clone(a, kept));
    return next;
}

/*
 * Work that has started replaces a reason for waiting, so that a repaired object does not look
 * broken; a deletion replaces everything.
 */
static bool replaces(const struct condition *old, const struct condition *next)
{
    static const char *const waits[] = {
        "WaitingForOwner",   "WaitingForReference",   "ReferenceNotFound",   "SecretNotFound",
        "ConfigMapNotFound", "AzureResourceNotFound", "WaitingForCredential"};

    if (condition_wins(old, next) || str_eq(next->reason, STR("Deleting")))
        return true;
    for (size_t i = 0; i < COUNT(waits); i++)
        if (str_eq(next->reason, STR("Reconciling")) && str_eq(old->reason, str_c(waits[i])))
            return true;
    return false;
}

/* Masks what must never be shown, whoever has quoted it. */
str status_masked(struct pass *p, str text)
{
    return redact_text(p->arena, mask_hide(p, text, STR("***")));
}

str status_without_secrets(struct pass *p, str text)
{
    struct buf b = buf_new(p->arena, BUF_UNLIMITED);

    quote_for_terminal(&b, status_masked(p, text));
    return buf_str(&b);
}

str status_cut(str text, size_t max)
{
    while (max && max < text.len && (text.ptr[max] & 0xC0) == 0x80)
        max--;
    return str_slice(text, 0, max);
}

static struct condition shown(struct pass *p, const struct condition *ready)
{
    struct condition c = *ready;

    c.message = status_without_secrets(p, c.message);
    if (c.message.len > MESSAGE_MAX)
        c.message = str_fmt(p->arena, "%.*s...", STR_ARG(status_cut(c.message, MESSAGE_MAX)));
    return c;
}

/* Expressions are not evaluated yet, which a separate condition says; Ready is not affected. */
static void set_exported(struct pass *p, struct value *status)
{
    static const char *const members[] = {"secretExpressions", "configMapExpressions"};
    const struct value *spec = value_get(p->object, STR("spec"));
    struct condition c = {.type = STR("Exported"),
                          .status = STR("False"),
                          .severity = STR("Warning"),
                          .reason = STR("NotSupported"),
                          .generation = object_generation(p->object)};

    for (size_t i = 0; i < COUNT(members); i++)
        if (value_len(value_get(value_get(spec, STR("operatorSpec")), str_c(members[i]))))
            c.message = str_fmt(p->arena,
                                "spec.operatorSpec.%s is not evaluated: this version exports what "
                                "operatorSpec.secrets and configMaps name",
                                members[i]);
    if (c.message.len)
        condition_set(p->arena, status, &c, p->now);
    else
        condition_remove(status, STR("Exported"));
}

struct value *status_patch(struct pass *p, const struct value *body, const struct condition *ready)
{
    struct arena *a = p->arena;
    const struct value *old = value_get(p->object, STR("status"));
    struct value *next = next_status(p, old, body), *patch = value_object(a), *below;
    struct condition before, synced, now = shown(p, ready);

    if (!condition_get(old, STR("Ready"), &before) || replaces(&before, &now))
        condition_set(a, next, &now, p->now);
    if (body && p->state == STATE_SETTLE && drift_condition(p, &synced)) {
        synced = shown(p, &synced);
        condition_set(a, next, &synced, p->now);
    }
    if (p->memory)
        value_set(a, next, STR("operatorStatus"), p->memory);
    if (body)
        set_exported(p, next);
    if (body)
        status_bound(p, next);
    if (p->ports->prune)
        p->ports->prune(p->ports->ctx, a, &p->card->key, next);
    if (!(below = meta_patch(a, old, next)))
        return NULL;
    value_set(a, patch, STR("status"), below);
    return patch;
}
