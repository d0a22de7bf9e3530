/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2.c - version 2 of the metadata file: components with one group of templates each,
 * functions per field, and lists of omitted fields that include others.
 */
#include "compare/reference/reference_internal.h"
#include "compare/reference/omit_internal.h"
#include "go/decode.h"

/* ---- Shape. ---- */

static const struct schema inline_type = {.kind = SCHEMA_STRING, .go = "compare.inlineDiffType"};

static const struct schema per_field_v2 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.PerFieldConfigV2",
    .fields = (const struct schema_field[]){{"inlineDiffFunc", &inline_type, NULL},
                                            {"pathToKey", &schema_string, NULL},
                                            {0}},
    .pointer = true,
};

static const struct schema per_fields_v2 = {
    .kind = SCHEMA_LIST,
    .go = "[]*compare.PerFieldConfigV2",
    .item = &per_field_v2,
};

static const struct schema config_v2 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ReferenceTemplateConfigV2",
    .fields =
        (const struct schema_field[]){
            {"fieldsToOmitRefs", &schema_strings, "ReferenceTemplateConfigV1"},
            {"ignore-unspecified-fields", &schema_bool, "ReferenceTemplateConfigV1"},
            {"perField", &per_fields_v2, NULL},
            {0}},
};

static const struct schema template_v2 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ReferenceTemplateV2",
    .fields = (const struct schema_field[]){{"config", &config_v2, NULL},
                                            {"description", &schema_string, "ReferenceTemplateV1"},
                                            {"path", &schema_string, "ReferenceTemplateV1"},
                                            {0}},
    .pointer = true,
};

static const struct schema templates_v2 = {
    .kind = SCHEMA_LIST,
    .go = "[]*compare.ReferenceTemplateV2",
    .item = &template_v2,
    .apart = true,
};

static const struct schema component_v2 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ComponentV2",
    .fields = (const struct schema_field[]){{"allOf", &templates_v2, NULL},
                                            {"allOrNoneOf", &templates_v2, NULL},
                                            {"anyOf", &templates_v2, NULL},
                                            {"anyOneOf", &templates_v2, NULL},
                                            {"description", &schema_string, NULL},
                                            {"name", &schema_string, NULL},
                                            {"noneOf", &templates_v2, NULL},
                                            {"oneOf", &templates_v2, NULL},
                                            {0}},
    .pointer = true,
};

static const struct schema components_v2 = {
    .kind = SCHEMA_LIST,
    .go = "[]*compare.ComponentV2",
    .item = &component_v2,
};

static const struct schema part_v2 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.PartV2",
    .fields = (const struct schema_field[]){{"components", &components_v2, NULL},
                                            {"description", &schema_string, NULL},
                                            {"name", &schema_string, NULL},
                                            {0}},
    .pointer = true,
};

static const struct schema parts_v2 = {
    .kind = SCHEMA_LIST,
    .go = "[]*compare.PartV2",
    .item = &part_v2,
};

static const struct schema entry_v2 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.FieldsToOmitV2Entry",
    .fields = (const struct schema_field[]){{"include", &schema_string, NULL},
                                            {"isPrefix", &schema_bool, "ManifestPathV1"},
                                            {"pathToKey", &schema_string, "ManifestPathV1"},
                                            {0}},
    .pointer = true,
};

static const struct schema entries_v2 = {
    .kind = SCHEMA_LIST,
    .go = "[]*compare.FieldsToOmitV2Entry",
    .item = &entry_v2,
};

static const struct schema items_v2 = {
    .kind = SCHEMA_MAP,
    .go = "map[string][]*compare.FieldsToOmitV2Entry",
    .item = &entries_v2,
};

static const struct schema omit_v2 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.FieldsToOmitV2",
    .fields = (const struct schema_field[]){{"defaultOmitRef", &schema_string, NULL},
                                            {"items", &items_v2, NULL},
                                            {0}},
};

static const struct schema file_v2 = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.ReferenceV2",
    .fields = (const struct schema_field[]){{"apiVersion", &schema_string, NULL},
                                            {"fieldsToOmit", &omit_v2, NULL},
                                            {"parts", &parts_v2, NULL},
                                            {"templateFunctionFiles", &schema_strings, NULL},
                                            {0}},
};

/* ---- Fields to omit. ---- */

/* The lists that include each other, while one is being expanded. */
struct expansion {
    struct omit_reading *reading;
    struct str_list chain;
    struct omit_list *out;
};

static bool on_chain(const struct expansion *x, str name)
{
    return map_get(x->reading->open, name);
}

/* A circle is reported wherever it is entered, with all of it: such messages count as entries. */
#define FAULT_BYTES_PER_STEP 8

static void join_fault(struct omit_reading *reading, const struct err *e)
{
    err_join(reading->errors, e);
    reading->faults++;
    reading->steps += e->text.len / FAULT_BYTES_PER_STEP;
}

static void expand_list(struct expansion *x, str name, const struct value *list);

static void expand_include(struct expansion *x, str include)
{
    struct arena *a = x->reading->arena;

    if (!on_chain(x, include)) {
        expand_list(x, include, value_get(x->reading->items, include));
        return;
    }
    AUTO_ERR e = {0};
    str chain = str_join(a, x->chain.items, x->chain.len, STR(" -> "));
    err_set(&e, ERR_INVALID, "circular import found %.*s -> %.*s", STR_ARG(chain),
            STR_ARG(include));
    join_fault(x->reading, &e);
}

static void expand_entry(struct expansion *x, const struct value *entry)
{
    str text = value_get_str(entry, STR("pathToKey"));
    str include = value_get_str(entry, STR("include"));
    AUTO_ERR e = {0};
    bool ok = true;

    if (text.len)
        ok =
            omit_entry_read(x->reading->arena, x->chain.items[x->chain.len - 1], entry, x->out, &e);
    else if (!include.len)
        ok = err_set(&e, ERR_INVALID, "must have either include or pathToKey");
    /* Upstream: a circle is all that is said about an entry. */
    if (!ok && !(include.len && on_chain(x, include)))
        join_fault(x->reading, &e);
    if (include.len)
        expand_include(x, include);
}

/* What a list was expanded to: a part of another one, whose entries may move as it grows. */
struct omit_part {
    const struct omit_list *whole;
    size_t from, len;
};

/* What a list was expanded to before; its faults would be reported again, so it has none. */
static bool add_expanded(struct expansion *x, str name)
{
    struct omit_reading *r = x->reading;
    const struct omit_part *known = map_get(r->expanded, name);

    if (!known)
        return false;
    r->steps += known->len;
    for (size_t i = 0; i < known->len && r->steps <= OMIT_ENTRIES_MAX; i++) {
        const struct omit_path *entry = known->whole->items[known->from + i];
        VEC_PUSH(r->arena, x->out, entry);
    }
    return true;
}

/* Keeps what a list was expanded to: the part of out from there on. */
static void keep_expanded(struct expansion *x, str name, size_t from)
{
    struct omit_part *part = ARENA_NEW(x->reading->arena, struct omit_part);

    *part = (struct omit_part){.whole = x->out, .from = from, .len = x->out->len - from};
    map_set(x->reading->expanded, name, part);
}

/* Deep chains cannot overflow the stack: a list is on the chain at most once. */
static void expand_list(struct expansion *x, str name, const struct value *list)
{
    struct omit_reading *r = x->reading;
    size_t before = x->out->len, faults = r->faults;

    if (add_expanded(x, name))
        return;
    VEC_PUSH(r->arena, &x->chain, name);
    map_set(r->open, name, x);
    for (size_t i = 0; i < value_len(list) && ++r->steps <= OMIT_ENTRIES_MAX; i++)
        expand_entry(x, value_at(list, i));
    map_set(r->open, name, NULL);
    x->chain.len--;
    if (r->faults == faults && x->out->len > before)
        keep_expanded(x, name, before);
}

static void read_list(struct omit_reading *reading, const struct value *list, struct omit_list *out)
{
    struct expansion x = {.reading = reading, .out = out};

    if (!reading->open) {
        reading->open = map_new(reading->arena);
        reading->expanded = map_new(reading->arena);
    }
    expand_list(&x, value_key(list), list);
}

/* ---- Parts. ---- */

/* The groups of a component, in the order in which messages name them. */
static const struct template_group groups[] = {
    {"oneOf", .rule = &group_one_of},
    {"noneOf", .rule = &group_none_of},
    {"allOf", .rule = &group_all_of},
    {"anyOf", .rule = &group_any_of},
    {"anyOneOf", .rule = &group_any_one_of},
    {"allOrNoneOf", .rule = &group_all_or_none_of},
    {0},
};

/* The last of the groups that have templates; there should be one. */
static const struct group_rule *component_rule(const struct value *component)
{
    const struct group_rule *found = &group_any_of;

    for (const struct template_group *g = groups; g->key; g++)
        if (value_len(value_get(component, str_c(g->key))))
            found = g->rule;
    return found;
}

/* Which groups of a component have templates: their number, and the names joined by commas. */
static size_t used_groups(struct arena *a, const struct value *component, str *names)
{
    struct str_list used = {0};

    for (const struct template_group *g = groups; g->key; g++)
        if (value_len(value_get(component, str_c(g->key))))
            VEC_PUSH(a, &used, str_c(g->key));
    *names = str_join(a, used.items, used.len, STR(","));
    return used.len;
}

static bool check_component(struct arena *a, const struct value *component, size_t index,
                            struct err *e)
{
    str name = value_get_str(component, STR("name"));
    str names;
    size_t count = used_groups(a, component, &names);

    if (count == 0)
        return err_set(e, ERR_INVALID, "component %.*s has no templates", STR_ARG(name));
    if (count > 1)
        return err_set(e, ERR_INVALID, "too many keys (%.*s) in index %zu of component %.*s",
                       STR_ARG(names), index, STR_ARG(name));
    return true;
}

/* Upstream: groups hide what they hold, so the templates do not count for the hash. */
static void write_component(struct arena *a, struct value *out, const struct value *component)
{
    reference_write_text(a, out, component, "description");
    for (const struct template_group *g = groups; g->key; g++)
        value_set(a, out, str_c(g->key), value_object(a));
}

const struct reference_version reference_v2 = {
    .name = "v2",
    .schema = &file_v2,
    .groups = groups,
    .read_list = read_list,
    .rule = component_rule,
    .check = check_component,
    .write_component = write_component,
};
