/* SPDX-License-Identifier: Apache-2.0 */
/* arm_savings.c - how many requests the client needs, and how many the reference operator. */
#include "arm_script.h"

static struct {
    double ours, reference;
} sums;

double arm_number(const struct value *v)
{
    return v && value_is_number(v) ? strtod(value_text(v).ptr, NULL) : 0;
}

double arm_reference_requests(const struct value *pattern)
{
    const str method = value_get_str(pattern, STR("method"));
    const str poller = value_get_str(pattern, STR("poller"));
    const str outcome = value_get_str(pattern, STR("outcome"));
    double n = 1 + arm_number(value_get(value_get(pattern, STR("polls")), STR("median")));

    if (str_eq(outcome, STR("poll-error")) || str_eq(poller, STR("relative-location")))
        n += 1;
    if (!str_eq(method, STR("PUT")) || str_eq(outcome, STR("Failed")) ||
        str_eq(outcome, STR("Canceled")))
        return n;
    return n + (str_eq(poller, STR("async")) ? 2 : 1);
}

void arm_savings_add(const struct value *pattern, const struct arm_run *run)
{
    const double count = arm_number(value_get(pattern, STR("count")));

    sums.ours += count * (double)run->requests;
    sums.reference += count * arm_reference_requests(pattern);
}

void arm_savings_print(void)
{
    if (sums.reference > 0)
        printf("requests for all that was recorded: %.0f, of the reference operator %.0f: %.1f %% "
               "saved\n",
               sums.ours, sums.reference, 100 * (1 - sums.ours / sums.reference));
}
