/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - the config of the generator.
 */
#include "compare/generate/internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "go/decode.h"
#include "go/quote.h"

#define CONFIG_VERSION "refgen/v1"

static const struct schema row_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "generate.ResourceSpec",
    .fields = (const struct schema_field[]){{"kind", &schema_string, NULL},
                                            {"apiVersion", &schema_string, NULL},
                                            {"required", &schema_bool, NULL},
                                            {"namespace", &schema_string, NULL},
                                            {"names", &schema_strings, NULL},
                                            {0}},
};

static const struct schema rows_schema = {
    .kind = SCHEMA_LIST, .go = "[]generate.ResourceSpec", .item = &row_schema};

static const struct schema config_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "generate.RefgenConfig",
    .fields = (const struct schema_field[]){{"apiVersion", &schema_string, NULL},
                                            {"outputDir", &schema_string, NULL},
                                            {"omitAnnotations", &schema_strings, NULL},
                                            {"omitLabels", &schema_strings, NULL},
                                            {"resources", &rows_schema, NULL},
                                            {0}},
};

static struct str_list texts_of(struct arena *a, const struct value *list)
{
    struct str_list out = {0};

    for (size_t i = 0; i < value_len(list); i++)
        VEC_PUSH(a, &out, value_str(value_at(list, i)));
    return out;
}

static void add_row(struct arena *a, const struct value *v, struct generate_config *out)
{
    const struct value *required = value_get(v, STR("required"));
    struct wanted *row = VEC_ADD(a, &out->rows);

    row->kind = value_get_str(v, STR("kind"));
    row->api_version = value_get_str(v, STR("apiVersion"));
    row->namespace = value_get_str(v, STR("namespace"));
    row->required = value_is(required, VALUE_BOOL) && required->truth;
    row->names = texts_of(a, value_get(v, STR("names")));
}

static bool check_keys(const struct str_list *keys, const char *field, struct err *e)
{
    for (size_t i = 0; i < keys->len; i++) {
        if (!keys->items[i].len)
            return err_set(e, ERR_INVALID, "%s[%zu]: key must not be empty", field, i);
        if (str_find_char(keys->items[i], '"') != STR_NPOS)
            return err_set(e, ERR_INVALID, "%s[%zu]: key must not contain double quotes", field, i);
    }
    return true;
}

/* doc is NULL when the file is empty. */
static bool build(struct arena *a, const struct value *doc, struct generate_config *out,
                  struct err *e)
{
    const struct value *rows = value_get(doc, STR("resources"));
    str version = value_get_str(doc, STR("apiVersion"));

    *out = (struct generate_config){
        .output = value_get_str(doc, STR("outputDir")),
        .omit_annotations = texts_of(a, value_get(doc, STR("omitAnnotations"))),
        .omit_labels = texts_of(a, value_get(doc, STR("omitLabels"))),
    };
    if (!out->output.len)
        out->output = STR("./generated-reference");
    for (size_t i = 0; i < value_len(rows); i++)
        add_row(a, value_at(rows, i), out);
    if (version.len && !str_eq(version, STR(CONFIG_VERSION)))
        return err_set(e, ERR_INVALID,
                       "configuration apiVersion %.*s is invalid; must be one of: " CONFIG_VERSION,
                       STR_ARG(go_quoted(a, version)));
    if (!out->rows.len)
        return err_set(e, ERR_INVALID, "configuration must specify at least one resource");
    return check_keys(&out->omit_annotations, "omitAnnotations", e) &&
           check_keys(&out->omit_labels, "omitLabels", e);
}

bool generate_config_load(struct arena *a, str path, bool single, struct generate_config *out,
                          struct err *e)
{
    struct yaml_file file = {.name = path, .single = single};
    struct value *doc;
    str full;

    if (!file_absolute(a, path, &full, e))
        return err_wrap(e, "failed to get absolute path for %.*s", STR_ARG(path));
    if (!file_read(a, full, &file.text, e)) {
        if (e->kind == ERR_NOT_FOUND)
            return err_set(e, ERR_NOT_FOUND, "configuration file not found: %.*s", STR_ARG(path));
        return err_wrap(e, "failed to read configuration");
    }
    if (!strict_read(a, &file, &config_schema, &doc, e))
        return err_wrap(e, "invalid YAML in configuration file");
    return build(a, doc, out, e);
}
