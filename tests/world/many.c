/* SPDX-License-Identifier: Apache-2.0 */
/* many.c - scenarios with many objects: storage accounts and route tables in a few groups. */
#include "world/behaviours.h"

#define GROUPS 5

unsigned many_accounts(void)
{
    return 90 * scenario_scale;
}

unsigned many_tables(void)
{
    return 30 * scenario_scale;
}

void many_apply(struct stage *s, const char *text, const char *name, unsigned i, const char *group)
{
    AUTO_ARENA a = arena_new();
    struct value *one = stage_parse(a, text);

    value_set_str(a, value_get(one, STR("metadata")), STR("name"), str_fmt(a, "%s%u", name, i));
    if (group)
        value_set_str(a, value_get(value_get(one, STR("spec")), STR("owner")), STR("name"),
                      str_c(group));
    world_expect(s->w, stage_apply(s, one) == 201, "refused: %.*s", STR_ARG(s->w->client.text));
}

unsigned many_open(struct stage *s, struct world *w, const struct stage_options *options,
                   const char *types)
{
    unsigned many = many_accounts(), tables = many_tables();

    stage_open(s, w, options);
    if (types)
        stage_types(s, types);
    for (unsigned i = 0; i < GROUPS; i++)
        many_apply(s, GROUP("rg", ""), "rg", i, NULL);
    for (unsigned i = 0; i < many + tables; i++) {
        const char *group =
            str_z(w->arena, str_fmt(w->arena, "rg%u", (unsigned)world_below(w, GROUPS)));
        if (i < many)
            many_apply(s, ACCOUNT("many", ""), "many", i, group);
        else
            many_apply(s, ROUTES("table"), "table", i, group);
    }
    stage_run(s, 60 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "many0");
    return GROUPS + many + tables;
}

const char *many_id(struct stage *s, const char *kind, const char *name)
{
    return str_z(s->w->arena,
                 object_annotation(stage_get(s, kind, name), STR(ANNOTATION_RESOURCE_ID)));
}
