/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_lro.c - recorded ways of PUT and DELETE to their end. The client must reach the same
 * end, with no more polls than the recordings' median, never asking before it was told to.
 */
#include "arm_script.h"
#include "vectors.h"

static bool ends_badly(str outcome)
{
    return str_eq(outcome, STR("Failed")) || str_eq(outcome, STR("Canceled"));
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    str outcome = value_get_str(vector, STR("outcome"));
    const struct value *median = value_get(value_get(vector, STR("polls")), STR("median"));
    double allowed = arm_number(median) + 0.5;
    struct arm_run r;

    /* Where a poll failed, the reference operator began anew; here it is asked once more. */
    if (str_eq(outcome, STR("poll-error")) || !outcome.len)
        allowed += 1;
    arm_script_run(a, vector, &r);
    arm_savings_add(vector, &r);
    if ((r.operation.next == LRO_FAILED) != ends_badly(outcome))
        buf_fmt(why, "  the outcome is %.*s, the client says %d\n", STR_ARG(outcome),
                (int)r.operation.next);
    if (r.operation.polls > allowed)
        buf_fmt(why, "  %u polls, allowed are %.1f\n", r.operation.polls, allowed);
    if (r.differs)
        buf_add(why, STR("  without sockets it goes another way\n"));
    if (r.too_early)
        buf_add(why, STR("  a poll came before Retry-After had passed\n"));
    return !why->len;
}

const struct vector_kind vector_arm_lro = {.name = "arm-lro",
                                           .help = "long-running operations",
                                           .run = run,
                                           .document = true,
                                           .list = "patterns",
                                           .finish = arm_savings_print};
