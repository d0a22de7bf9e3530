/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c - conditions of a status; see condition.h. */
#include "object/condition.h"

#include "base/clock.h"

static struct value *find(const struct value *status, str type)
{
    const struct value *list = value_get(status, STR("conditions"));

    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_get_str(value_at(list, i), STR("type")), type))
            return value_at(list, i);
    return NULL;
}

bool condition_get(const struct value *status, str type, struct condition *out)
{
    const struct value *v = find(status, type), *generation;

    if (!v)
        return false;
    *out = (struct condition){.type = type,
                              .status = value_get_str(v, STR("status")),
                              .severity = value_get_str(v, STR("severity")),
                              .reason = value_get_str(v, STR("reason")),
                              .message = value_get_str(v, STR("message")),
                              .since = value_get_str(v, STR("lastTransitionTime"))};
    generation = value_get(v, STR("observedGeneration"));
    if (generation && !value_to_i64(generation, &out->generation))
        out->generation = 0;
    return true;
}

bool condition_is_true(const struct value *status, str type, int64_t generation)
{
    struct condition c;

    return condition_get(status, type, &c) && str_eq(c.status, STR("True")) &&
           c.generation == generation;
}

/* ---- Which one wins. ------------------------------------------------------------------------- */

static int priority(const struct condition *c)
{
    if (str_eq(c->status, STR("Unknown")))
        return 3;
    return str_eq(c->severity, STR("Info")) ? 4 : 5;
}

bool condition_wins(const struct condition *old, const struct condition *next)
{
    if (next->generation != old->generation)
        return next->generation > old->generation;
    return priority(next) >= priority(old);
}

/* ---- Writing. -------------------------------------------------------------------------------- */

/* Compares everything except the time. */
static bool is_equivalent(const struct condition *x, const struct condition *y)
{
    return str_eq(x->status, y->status) && str_eq(x->severity, y->severity) &&
           str_eq(x->reason, y->reason) && str_eq(x->message, y->message) &&
           x->generation == y->generation;
}

static void set_text(struct arena *a, struct value *v, str member, str text)
{
    if (text.len)
        value_set_str(a, v, member, text);
    else
        value_unset(v, member);
}

static struct value *place_for(struct arena *a, struct value *status, str type)
{
    struct value *list = value_get(status, STR("conditions")), *v = find(status, type);

    if (v)
        return v;
    if (!value_is(list, VALUE_LIST))
        list = value_set(a, status, STR("conditions"), value_list(a));
    return value_add(a, list, value_object(a));
}

bool condition_set(struct arena *a, struct value *status, const struct condition *c, int64_t now)
{
    struct condition old;
    char stamp[CLOCK_STAMP];

    if (condition_get(status, c->type, &old) && is_equivalent(&old, c))
        return false;
    struct value *v = place_for(a, status, c->type);
    clock_stamp(now, stamp);
    set_text(a, v, STR("lastTransitionTime"), str_fmt(a, "%.19sZ", stamp));
    set_text(a, v, STR("message"), c->message);
    if (c->generation)
        value_set_int(a, v, STR("observedGeneration"), c->generation);
    else
        value_unset(v, STR("observedGeneration"));
    set_text(a, v, STR("reason"), c->reason);
    set_text(a, v, STR("severity"), c->severity);
    set_text(a, v, STR("status"), c->status);
    set_text(a, v, STR("type"), c->type);
    return true;
}

bool condition_remove(struct value *status, str type)
{
    struct value *list = value_get(status, STR("conditions"));

    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_get_str(value_at(list, i), STR("type")), type)) {
            value_remove(list, i);
            return true;
        }
    return false;
}
