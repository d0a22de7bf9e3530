/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_delete.c - recorded deletions. A resource that is not there counts as deleted; a refusal
 * is a refusal, for a reason that passes by itself in all but a few cases.
 */
#include "arm_script.h"
#include "arm/rules/rules.h"
#include "vectors.h"

static bool is_refusal(const struct value *vector)
{
    int64_t status = 0;

    return (value_to_i64(value_get(vector, STR("status")), &status) && status >= 400 &&
            status != 404) ||
           str_eq(value_get_str(vector, STR("outcome")), STR("Failed"));
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    const struct value *median = value_get(value_get(vector, STR("polls")), STR("median"));
    double allowed = arm_number(median) + 0.5;
    bool refused = is_refusal(vector);
    struct arm_run r;

    if (!value_get_str(vector, STR("outcome")).len)
        allowed += 1;
    arm_script_run(a, vector, &r);
    arm_savings_add(vector, &r);
    if ((r.operation.next == LRO_FAILED) != refused)
        buf_fmt(why, "  refused: %d, the client says %d\n", refused, (int)r.operation.next);
    if (r.operation.polls > allowed)
        buf_fmt(why, "  %u polls, allowed are %.1f\n", r.operation.polls, allowed);
    if (r.differs)
        buf_add(why, STR("  without sockets it goes another way\n"));
    if (r.too_early)
        buf_add(why, STR("  a poll came before Retry-After had passed\n"));
    if (refused) {
        struct error_verdict v;
        rules_classify(a, rules_errors(),
                       &(struct error_facts){.error = &r.operation.error, .method = STR("DELETE")},
                       &v);
        if (v.class != CLASS_RETRYABLE)
            buf_add(why, STR("  a deletion must be tried again\n"));
    }
    return !why->len;
}

const struct vector_kind vector_arm_delete = {.name = "arm-delete",
                                              .help = "deletions in Azure",
                                              .run = run,
                                              .document = true,
                                              .list = "patterns",
                                              .finish = arm_savings_print};
