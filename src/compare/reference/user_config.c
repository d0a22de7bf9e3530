/* SPDX-License-Identifier: Apache-2.0 */
/* user_config.c - reads the file of -c: which template an object is to be compared with. */
#include "compare/reference/overrides_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "go/decode.h"

static const struct schema pairs_schema = {
    .kind = SCHEMA_MAP,
    .go = "map[string]string",
    .item = &schema_string,
};

static const struct schema manual_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ManualCorrelation",
    .fields = (const struct schema_field[]){{"correlationPairs", &pairs_schema, NULL}, {0}},
};

static const struct schema settings_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.CorrelationSettings",
    .fields = (const struct schema_field[]){{"manualCorrelation", &manual_schema, NULL}, {0}},
};

const struct schema user_config_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.UserConfig",
    .fields = (const struct schema_field[]){{"correlationSettings", &settings_schema, NULL}, {0}},
};

const struct value *user_config_pairs(const struct value *doc)
{
    const struct value *settings = value_get(doc, STR("correlationSettings"));

    return value_get(value_get(settings, STR("manualCorrelation")), STR("correlationPairs"));
}

/* Upstream: the path is shown without its leading slash, relative to the root of the system. */
bool user_config_load(struct arena *a, str path, bool single, struct map **pairs, struct err *e)
{
    const struct root root = {0}; /* that of the system */
    struct yaml_file file = {.name = path, .single = single};
    struct value *doc;
    str full;

    *pairs = map_new(a);
    if (!file_absolute(a, path, &full, e) || !root_read(a, &root, str_from(full, 1), &file.text, e))
        return err_wrap(e, "User Config File not found. error");
    if (!strict_read(a, &file, &user_config_schema, &doc, e))
        return err_wrap(e, "User config file isn't in correct format. error");
    const struct value *found = user_config_pairs(doc);
    for (size_t i = 0; i < value_len(found); i++) {
        str *template = ARENA_NEW(a, str);
        *template = value_str(&found->items[i]);
        map_set(*pairs, value_key(&found->items[i]), template);
    }
    return true;
}
