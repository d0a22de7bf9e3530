/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - which wrong names are worth a "did you mean"; see near.h. */
#include "base/near.h"

size_t near_max(str wrong)
{
    return wrong.len / 3 < 2 ? wrong.len / 3 : 2;
}
