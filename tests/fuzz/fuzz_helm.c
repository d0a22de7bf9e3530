/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_helm.c - templates of others made templates and values of a chart: whatever the text, it is
 * in the result unless lookups or groups were replaced, and values are an object.
 */
#include "compare/helm/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void convert_text(struct arena *a, str text)
{
    const struct template t = {.path = STR("t.yaml")};
    struct buf note = buf_new(a, 64 * MIB);
    str got = helm_text(a, &t, text, NULL, &note);

    assert(str_has_suffix(got, STR(" \n{{ end -}}\n")));
    assert(note.len || str_contains(got, text));
}

/* With a default for a group that the text may have. */
static void convert_groups(struct arena *a, str text)
{
    struct template t = {.path = STR("t.yaml"), .per_field = {.len = 1}};
    struct value *values = value_object(a);
    struct value *list = value_set(a, values, STR("t"), value_list(a));
    struct value *section = value_add(a, list, value_object(a));
    struct buf note = buf_new(a, 64 * MIB);

    value_set_str(a, value_set(a, section, STR("captureGroup_defaults"), value_object(a)), STR("a"),
                  STR("x"));
    (void)helm_text(a, &t, text, values, &note);
    assert(!value_get(value_at(value_get(values, STR("t")), 0), STR("captureGroup_defaults")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text = str_of((const char *)data, size);
    struct template t = {.path = STR("t.yaml"), .name = STR("t.yaml")};
    struct value *values;

    convert_text(a, text);
    convert_groups(a, text);
    t.set = tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC});
    if (tmpl_parse(t.set, t.name, text, &e) && helm_values(a, &t, NULL, &values, &e))
        assert(values->kind == VALUE_OBJECT);
    return 0;
}
