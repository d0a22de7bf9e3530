/* SPDX-License-Identifier: Apache-2.0 */
#include "base/block.h"
#include "base/arena.h"

#include <stdlib.h>

void *block_new(size_t size)
{
    void *p = malloc(size ? size : 1);

    if (!p)
        out_of_memory(size);
    return p;
}

void block_free(void *p)
{
    free(p);
}
