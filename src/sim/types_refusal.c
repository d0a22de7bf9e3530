/* SPDX-License-Identifier: Apache-2.0 */
/* types_refusal.c - the files of api/sim: what is rejected, when and in which form. */
#include "sim/types.h"

#include <assert.h>

/* Far beyond any legitimate file. */
#define REFUSALS_MAX 64
#define NAMES_MAX 1000

static bool read_status(struct fields *f, const struct value *v, void *out)
{
    int64_t status;

    if (!value_to_i64(v, &status) || status < 400 || status > 599)
        return fields_fail(f, v, "status must be from 400 to 599");
    *(int *)out = (int)status;
    return true;
}

bool sim_read_shape(struct fields *f, const struct value *v, void *out)
{
    return fields_word(f, v, sim_shapes, out);
}

static bool read_method(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {{"PUT", 0}, {"DELETE", 1}, {0}};
    int word = 0;

    if (!fields_word(f, v, words, &word))
        return false;
    *(bool *)out = word;
    return true;
}

static bool read_percent(struct fields *f, const struct value *v, void *out)
{
    return fields_number(f, v, 100, out);
}

static bool read_count(struct fields *f, const struct value *v, void *out)
{
    return fields_number(f, v, 1000, out);
}

bool sim_read_names(struct fields *f, const struct value *v, void *out)
{
    struct str_list *names = out;

    if (!value_is(v, VALUE_LIST) || !v->len || v->len > NAMES_MAX)
        return fields_fail(f, v, "%.*s must be a list of 1 to %d texts", STR_ARG(value_key(v)),
                           NAMES_MAX);
    for (size_t i = 0; i < v->len; i++) {
        str name;
        if (!fields_text(f, &v->items[i], &name))
            return false;
        VEC_PUSH(f->arena, names, name);
    }
    return true;
}

/* The members of every error, which comes first in structs that have more. */
#define REFUSAL_FIELDS                                                                             \
    {"code", fields_text, offsetof(struct sim_refusal, code)},                                     \
        {"detail", fields_text, offsetof(struct sim_refusal, detail)},                             \
        {"message", fields_text, offsetof(struct sim_refusal, message)},                           \
        {"retryAfter", sim_read_seconds, offsetof(struct sim_refusal, retry_after)},               \
        {"shape", sim_read_shape, offsetof(struct sim_refusal, shape)},                            \
    {                                                                                              \
        "status", read_status, offsetof(struct sim_refusal, status)                                \
    }

static_assert(offsetof(struct sim_trouble, refusal) == 0, "REFUSAL_FIELDS begin at 0");
static_assert(offsetof(struct sim_use, refusal) == 0, "REFUSAL_FIELDS begin at 0");

bool sim_read_missing(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {REFUSAL_FIELDS, {0}};
    struct sim_refusal *refusal = out;

    refusal->status = 404;
    refusal->message = STR("'$name' was not found.");
    return fields_read(f, v, fields, refusal);
}

static bool read_reference(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {REFUSAL_FIELDS, {0}};
    const struct sim_refusal *refusal = out;

    if (!fields_read(f, v, fields, out))
        return false;
    return (refusal->status && refusal->code.len) ||
           fields_fail(f, v, "a refusal needs status and code");
}

bool sim_read_references(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {
        {"busy", read_reference, offsetof(struct sim_references, busy)},
        {"missing", read_reference, offsetof(struct sim_references, missing)},
        {0},
    };

    return fields_read(f, v, fields, out);
}

bool sim_read_troubles(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {
        REFUSAL_FIELDS,
        {"count", read_count, offsetof(struct sim_trouble, count)},
        {"method", read_method, offsetof(struct sim_trouble, deletes)},
        {"percent", read_percent, offsetof(struct sim_trouble, percent)},
        {0},
    };
    struct sim_type *type = out;

    if (!value_is(v, VALUE_LIST) || v->len > REFUSALS_MAX)
        return fields_fail(f, v, "troubles must be a list of at most %d", REFUSALS_MAX);
    for (size_t i = 0; i < v->len; i++) {
        struct sim_trouble t = {
            .count = 1,
            .percent = 100,
            .refusal.message = STR("'$name' cannot be written yet. Please try again later.")};
        if (!fields_read(f, &v->items[i], fields, &t))
            return false;
        if (!t.refusal.status || !t.refusal.code.len)
            return fields_fail(f, &v->items[i], "a trouble needs status and code");
        VEC_PUSH(f->arena, &type->troubles, t);
    }
    return true;
}

bool sim_read_uses(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {
        REFUSAL_FIELDS,
        {"below", sim_read_names, offsetof(struct sim_use, below)},
        {"by", sim_read_names, offsetof(struct sim_use, by)},
        {0},
    };
    struct sim_type *type = out;

    if (!value_is(v, VALUE_LIST) || v->len > REFUSALS_MAX)
        return fields_fail(f, v, "inUse must be a list of at most %d", REFUSALS_MAX);
    for (size_t i = 0; i < v->len; i++) {
        struct sim_use use = {
            .refusal.message = STR("'$name' cannot be deleted since it is in use by '$other'.")};
        if (!fields_read(f, &v->items[i], fields, &use))
            return false;
        if (!use.refusal.status || !use.refusal.code.len || (!use.by.len && !use.below.len))
            return fields_fail(f, &v->items[i], "an inUse needs status, code, and by or below");
        VEC_PUSH(f->arena, &type->uses, use);
    }
    return true;
}
