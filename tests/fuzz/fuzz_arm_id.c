/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_arm_id.c - texts as ids of Azure Resource Manager.
 *
 * What reads as an id prints as one that reads the same, is equal to itself in other letters, and
 * has finitely many parents, each of them an id. What was built reads back.
 */
#include "arm/id.h"

#include <stdlib.h>

static void check_print(struct arena *a, const struct arm_id *id, str text)
{
    struct arm_id again;
    str printed = arm_id_print(a, id);

    if (!arm_id_parse(a, printed, &again, NULL) || !str_eq(arm_id_print(a, &again), printed))
        abort();
    if (!arm_id_equal(text, str_lower(a, text)) || !arm_id_equal(printed, text))
        abort();
    if (!arm_id_check_type(a, text, arm_id_type(a, id), NULL))
        abort();
}

static void check_parents(struct arena *a, struct arm_id id)
{
    struct arm_id up;

    for (size_t i = 0; arm_id_parent(a, &id, &up); i++) {
        if (i > ARM_ID_MAX || !arm_id_is(arm_id_print(a, &up)))
            abort();
        id = up;
    }
}

static void check_build(struct arena *a, const struct arm_id *id, str text)
{
    str name = arm_id_name(id), out;
    struct arm_id up, built;
    AUTO_ERR e = {0};

    if (id->block_count == 0 || !arm_id_parent(a, id, &up))
        return;
    if (id->blocks[id->block_count - 1].count == 1) {
        out = arm_id_of_extension(a, arm_id_print(a, &up), arm_id_type(a, id), name);
    } else if (!arm_id_of_resource(a, arm_id_print(a, &up), arm_id_type(a, id), &name, 1, &out,
                                   &e)) {
        abort();
    }
    if (!arm_id_parse(a, out, &built, &e) || !arm_id_equal(out, text))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text = str_of((const char *)data, size);
    struct arm_id id;

    if (!arm_id_parse(a, text, &id, &e)) {
        if (e.kind != ERR_INVALID && e.kind != ERR_LIMIT)
            abort();
        return 0;
    }
    check_print(a, &id, text);
    check_parents(a, id);
    check_build(a, &id, text);
    return 0;
}
