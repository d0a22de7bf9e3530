/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - making input and output fail, for tests; see fault.h. */
#include "base/fault.h"

#include <stdatomic.h>

static atomic_uint calls, fail_at;
static atomic_int fail_with;

void fault_arm(unsigned n, int number)
{
    calls = 0;
    fail_with = number;
    fail_at = n;
}

int fault_now(void)
{
    unsigned n = atomic_fetch_add(&calls, 1) + 1;

    return n == fail_at ? fail_with : 0;
}

unsigned fault_calls(void)
{
    return calls;
}
