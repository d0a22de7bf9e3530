/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_v1.c - version 1 of the metadata file: required and optional components.
 */
#include "compare/schema.h"

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

static bool is_true(const struct value *v)
{
    return value_is(v, VALUE_BOOL) && v->truth;
}

static bool read_list(struct arena *a, const struct value *entries, struct omit_list *out,
                      struct err *e)
{
    for (size_t i = 0; i < value_len(entries); i++) {
        const struct value *entry = value_at(entries, i);
        struct omit_path *path;
        if (!omit_path_read(a, value_get_str(entry, STR("pathToKey")),
                            is_true(value_get(entry, STR("isPrefix"))), &path, e))
            return false;
        path->list = value_key(entries);
        path->pos = entry->pos;
        VEC_PUSH(a, out, path);
    }
    return true;
}

static bool read_omit_lists(struct arena *a, struct value *doc, struct journal *j,
                            struct reference *r, struct err *e)
{
    struct value *items = omit_prepare(a, doc, j);
    struct value **lists = value_sorted(a, items);
    AUTO_ERR all = {0};

    r->omit_default = value_get_str(value_get(doc, STR("fieldsToOmit")), STR("defaultOmitRef"));
    for (size_t i = 0; i < items->len; i++) {
        struct omit_list *list = ARENA_NEW(a, struct omit_list);
        AUTO_ERR one = {0};
        if (!read_list(a, lists[i], list, &one))
            err_join(&all, &one);
        map_set(r->omit_lists, value_key(lists[i]), list);
    }
    if (!map_has(r->omit_lists, r->omit_default)) {
        AUTO_ERR one = {0};
        err_set(&one, ERR_INVALID, "fieldsToOmit's defaultOmitRef \"%.*s\" not found in items",
                STR_ARG(r->omit_default));
        err_join(&all, &one);
    }
    return all.kind == ERR_NONE || err_copy(e, &all);
}

/* ---- Parts. ---- */

static void add_templates(struct arena *a, struct reference *r, const struct value *list,
                          bool required)
{
    for (size_t i = 0; i < value_len(list); i++)
        reference_add_template(a, r, value_at(list, i))->required = required;
}

static const struct group_rule *component_rule(str type)
{
    if (str_eq(type, STR("Required")))
        return &group_required;
    if (str_eq(type, STR("Optional")))
        return &group_optional;
    return &group_any_of;
}

static void add_component(struct arena *a, struct reference *r, struct part *part,
                          const struct value *entry)
{
    struct component *c = VEC_ADD(a, &part->components);

    c->name = value_get_str(entry, STR("name"));
    c->rule = component_rule(value_get_str(entry, STR("type")));
    c->first = r->templates.len;
    add_templates(a, r, value_get(entry, STR("requiredTemplates")), true);
    add_templates(a, r, value_get(entry, STR("optionalTemplates")), false);
    c->count = r->templates.len - c->first;
}

static void add_parts(struct arena *a, struct reference *r, const struct value *parts)
{
    for (size_t i = 0; i < value_len(parts); i++) {
        const struct value *components = value_get(value_at(parts, i), STR("components"));
        struct part *part = VEC_ADD(a, &r->parts);
        part->name = value_get_str(value_at(parts, i), STR("name"));
        for (size_t k = 0; k < value_len(components); k++)
            add_component(a, r, part, value_at(components, k));
    }
}

/* ---- What is hashed: the file as Go would write it again. ---- */

static void set_text(struct arena *a, struct value *out, const struct value *in, const char *key)
{
    str text = value_get_str(in, str_c(key));

    if (text.len)
        value_set_str(a, out, str_c(key), text);
}

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
        set_text(a, t, entry, "description");
        struct value *c = value_set(a, t, STR("config"), value_object(a));
        if (value_len(value_get(config, STR("fieldsToOmitRefs"))))
            value_set(a, c, STR("fieldsToOmitRefs"), value_get(config, STR("fieldsToOmitRefs")));
        if (is_true(value_get(config, STR("ignore-unspecified-fields"))))
            value_set_bool(a, c, STR("ignore-unspecified-fields"), true);
    }
}

static void write_component(struct arena *a, struct value *out, const struct value *entry)
{
    value_set_str(a, out, STR("name"), value_get_str(entry, STR("name")));
    set_text(a, out, entry, "type");
    write_templates(a, out, entry, "requiredTemplates");
    write_templates(a, out, entry, "optionalTemplates");
}

static struct value *write_components(struct arena *a, const struct value *list)
{
    struct value *out = value_list(a);

    if (!list)
        return value_null(a);
    for (size_t i = 0; i < list->len; i++)
        write_component(a, value_add(a, out, value_object(a)), value_at(list, i));
    return out;
}

static struct value *write_parts(struct arena *a, const struct value *parts)
{
    struct value *out = value_list(a);

    if (!parts)
        return value_null(a);
    for (size_t i = 0; i < parts->len; i++) {
        struct value *part = value_add(a, out, value_object(a));
        const struct value *in = value_at(parts, i);
        value_set_str(a, part, STR("name"), value_get_str(in, STR("name")));
        value_set(a, part, STR("components"),
                  write_components(a, value_get(in, STR("components"))));
    }
    return out;
}

static struct value *write_omit(struct arena *a, const struct value *omit)
{
    const struct value *items = value_get(omit, STR("items"));
    struct value *out = value_object(a);

    value_set(a, out, STR("defaultOmitRef"), value_get(omit, STR("defaultOmitRef")));
    struct value *lists = value_set(a, out, STR("items"), value_object(a));
    for (size_t i = 0; i < items->len; i++) {
        const struct value *list = &items->items[i];
        struct value *written = value_set(a, lists, value_key(list),
                                          list->kind == VALUE_NULL ? value_null(a) : value_list(a));
        for (size_t k = 0; k < value_len(list); k++) {
            struct value *entry = value_add(a, written, value_object(a));
            const struct value *in = value_at(list, k);
            value_set_str(a, entry, STR("pathToKey"), value_get_str(in, STR("pathToKey")));
            if (is_true(value_get(in, STR("isPrefix"))))
                value_set_bool(a, entry, STR("isPrefix"), true);
        }
    }
    return out;
}

static void write_reference(struct arena *a, const struct value *doc, struct reference *r)
{
    struct value *out = r->written = value_object(a);

    set_text(a, out, doc, "apiVersion");
    value_set(a, out, STR("fieldsToOmit"), write_omit(a, value_get(doc, STR("fieldsToOmit"))));
    value_set(a, out, STR("parts"), write_parts(a, value_get(doc, STR("parts"))));
    if (value_len(value_get(doc, STR("templateFunctionFiles"))))
        value_set(a, out, STR("templateFunctionFiles"),
                  value_get(doc, STR("templateFunctionFiles")));
}

/* ---- The whole. ---- */

static bool build_v1(struct arena *a, struct value *doc, struct journal *j, struct reference *out,
                     struct err *e)
{
    const struct value *files = value_get(doc, STR("templateFunctionFiles"));

    if (!read_omit_lists(a, doc, j, out, e))
        return false;
    add_parts(a, out, value_get(doc, STR("parts")));
    for (size_t i = 0; i < value_len(files); i++)
        VEC_PUSH(a, &out->function_files, value_str(value_at(files, i)));
    write_reference(a, doc, out);
    return true;
}

const struct reference_version reference_v1 = {"v1", &file_v1, build_v1};
