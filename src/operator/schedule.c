/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.c - when a healthy object is checked next; see schedule.h. */
#include "operator/schedule.h"

#include "go/time.h"
#include "object/names.h"
#include "object/object.h"

bool schedule_parse(str text, int64_t *out, struct err *e)
{
    if (str_eq(text, STR("never"))) {
        *out = SCHEDULE_NEVER;
        return true;
    }
    if (!duration_parse(text, out, e))
        return false;
    if (*out < NS_PER_SEC)
        return err_set(e, ERR_INVALID, "\"%.*s\" is less than a second", STR_ARG(text));
    if (*out > SCHEDULE_NEVER)
        *out = SCHEDULE_NEVER;
    return true;
}

int64_t schedule_period(int64_t period, const struct value *object, bool writes)
{
    str text = object_annotation(object, STR(ANNOTATION_SYNC_PERIOD));
    int64_t own;

    if (text.len && schedule_parse(text, &own, NULL))
        return own;
    return writes && period < SCHEDULE_WRITING ? SCHEDULE_WRITING : period;
}

int64_t schedule_retry(int64_t period, const struct value *object, bool writes)
{
    int64_t own = schedule_period(period, object, writes);

    return own < SCHEDULE_NEVER ? own : SCHEDULE_WRITING;
}

int64_t schedule_vary(int64_t period)
{
    return period / 4 * 3 + (int64_t)random_below((uint64_t)period / 2 + 1);
}

int64_t schedule_spread(int64_t delay, double share)
{
    return delay - (int64_t)random_below((uint64_t)((double)delay * share) + 1);
}

int64_t schedule_second_look(void)
{
    return schedule_vary(46 * NS_PER_SEC);
}
