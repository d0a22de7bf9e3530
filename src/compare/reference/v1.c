/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v1.c - version 1 of the metadata file: required and optional components.
 */
#include "compare/reference/reference_internal.h"
#include "compare/reference/omit_internal.h"
#include "go/decode.h"

/* ---- Shape. ---- */

static const struct schema config_v1 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ReferenceTemplateConfigV1",
    .fields = (const struct schema_field[]){{"fieldsToOmitRefs", &schema_strings, NULL},
                                            {"ignore-unspecified-fields", &schema_bool, NULL},
                                            {0}},
};

static const struct schema template_v1 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ReferenceTemplateV1",
    .fields = (const struct schema_field[]){{"config", &config_v1, NULL},
                                            {"description", &schema_string, NULL},
                                            {"path", &schema_string, NULL},
                                            {0}},
    .pointer = true,
};

static const struct schema templates_v1 = {
    .kind = SCHEMA_LIST,
    .go = "[]*compare.ReferenceTemplateV1",
    .item = &template_v1,
};

static const struct schema type_v1 = {.kind = SCHEMA_STRING, .go = "compare.ComponentTypeV1"};

static const struct schema component_v1 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ComponentV1",
    .fields = (const struct schema_field[]){{"name", &schema_string, NULL},
                                            {"optionalTemplates", &templates_v1, NULL},
                                            {"requiredTemplates", &templates_v1, NULL},
                                            {"type", &type_v1, NULL},
                                            {0}},
};

static const struct schema components_v1 = {
    .kind = SCHEMA_LIST,
    .go = "[]compare.ComponentV1",
    .item = &component_v1,
};

static const struct schema part_v1 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.PartV1",
    .fields = (const struct schema_field[]){{"components", &components_v1, NULL},
                                            {"name", &schema_string, NULL},
                                            {0}},
};

static const struct schema parts_v1 = {
    .kind = SCHEMA_LIST,
    .go = "[]compare.PartV1",
    .item = &part_v1,
};

static const struct schema path_v1 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ManifestPathV1",
    .fields = (const struct schema_field[]){{"isPrefix", &schema_bool, NULL},
                                            {"pathToKey", &schema_string, NULL},
                                            {0}},
    .pointer = true,
};

static const struct schema paths_v1 = {
    .kind = SCHEMA_LIST,
    .go = "[]*compare.ManifestPathV1",
    .item = &path_v1,
};

static const struct schema items_v1 = {
    .kind = SCHEMA_MAP,
    .go = "map[string][]*compare.ManifestPathV1",
    .item = &paths_v1,
};

static const struct schema omit_v1 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.FieldsToOmitV1",
    .fields = (const struct schema_field[]){{"defaultOmitRef", &schema_string, NULL},
                                            {"items", &items_v1, NULL},
                                            {0}},
};

static const struct schema file_v1 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ReferenceV1",
    .fields = (const struct schema_field[]){{"apiVersion", &schema_string, NULL},
                                            {"fieldsToOmit", &omit_v1, NULL},
                                            {"parts", &parts_v1, NULL},
                                            {"templateFunctionFiles", &schema_strings, NULL},
                                            {0}},
};

/* ---- Fields to omit. ---- */

static void read_list(struct omit_reading *x, const struct value *list, struct omit_list *out)
{
    for (size_t i = 0; i < value_len(list); i++) {
        AUTO_ERR e = {0};
        if (!omit_entry_read(x->arena, value_key(list), value_at(list, i), out, &e))
            err_join(x->errors, &e);
    }
}

/* ---- Parts. ---- */

static const struct template_group groups[] = {
    {"requiredTemplates", .required = true}, {"optionalTemplates", .required = false}, {0}};

static const struct group_rule *component_rule(const struct value *component)
{
    str type = value_get_str(component, STR("type"));

    if (str_eq(type, STR("Required")))
        return &group_required;
    if (str_eq(type, STR("Optional")))
        return &group_optional;
    return &group_any_of;
}

/* ---- What is hashed. ---- */

static void write_templates(struct arena *a, struct value *component, const struct value *in,
                            const char *key)
{
    const struct value *list = value_get(in, str_c(key));

    if (value_len(list) == 0)
        return;
    struct value *out = value_set(a, component, str_c(key), value_list(a));
    for (size_t i = 0; i < list->len; i++) {
        const struct value *entry = value_at(list, i);
        const struct value *config = value_get(entry, STR("config"));
        struct value *t = value_add(a, out, value_object(a));
        value_set_str(a, t, STR("path"), value_get_str(entry, STR("path")));
        reference_write_text(a, t, entry, "description");
        struct value *c = value_set(a, t, STR("config"), value_object(a));
        if (value_len(value_get(config, STR("fieldsToOmitRefs"))))
            value_set(a, c, STR("fieldsToOmitRefs"), value_get(config, STR("fieldsToOmitRefs")));
        if (value_is_true(value_get(config, STR("ignore-unspecified-fields"))))
            value_set_bool(a, c, STR("ignore-unspecified-fields"), true);
    }
}

static void write_component(struct arena *a, struct value *out, const struct value *component)
{
    reference_write_text(a, out, component, "type");
    for (const struct template_group *g = groups; g->key; g++)
        write_templates(a, out, component, g->key);
}

const struct reference_version reference_v1 = {
    .name = "v1",
    .schema = &file_v1,
    .groups = groups,
    .default_must_exist = true,
    .read_list = read_list,
    .rule = component_rule,
    .write_component = write_component,
};
