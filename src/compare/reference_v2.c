/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_v2.c - version 2 of the metadata file: components with one group of templates each,
 * functions per field, and lists of omitted fields that include others.
 */
#include "compare/schema.h"

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

/* The groups of a component, in the order in which messages name them. */
static const struct group_rule *const groups[] = {
    &group_one_of, &group_none_of,    &group_all_of,
    &group_any_of, &group_any_one_of, &group_all_or_none_of,
};

/* ---- Fields to omit. ---- */

/*
 * How many entries all lists may expand to together: lists that include each other twice would
 * otherwise double with every level.
 */
#define OMIT_ENTRIES_MAX 1000000

/* The lists that include each other, while one is being expanded. */
struct expansion {
    struct arena *arena;
    const struct value *items;
    struct str_list chain;
    struct omit_list *out;
    struct err *errors;
    size_t *steps; /* taken so far, by all lists */
};

static bool is_true(const struct value *v)
{
    return value_is(v, VALUE_BOOL) && v->truth;
}

static void add_error(struct expansion *x, const struct err *e)
{
    err_join(x->errors, e);
}

static bool on_chain(const struct expansion *x, str name)
{
    *x->steps += x->chain.len / 16;
    for (size_t i = 0; i < x->chain.len; i++)
        if (str_eq(x->chain.items[i], name))
            return true;
    return false;
}

static void expand_list(struct expansion *x, str name);

static void expand_include(struct expansion *x, str include)
{
    if (!on_chain(x, include)) {
        expand_list(x, include);
        return;
    }
    AUTO_ERR e = {0};
    str chain = str_join(x->arena, x->chain.items, x->chain.len, STR(" -> "));
    err_set(&e, ERR_INVALID, "circular import found %.*s -> %.*s", STR_ARG(chain),
            STR_ARG(include));
    add_error(x, &e);
}

static void expand_entry(struct expansion *x, const struct value *entry)
{
    str text = value_get_str(entry, STR("pathToKey"));
    str include = value_get_str(entry, STR("include"));
    AUTO_ERR e = {0};
    struct omit_path *path;

    if (!text.len && !include.len) {
        err_set(&e, ERR_INVALID, "must have either include or pathToKey");
        add_error(x, &e);
        return;
    }
    if (text.len &&
        !omit_path_read(x->arena, text, is_true(value_get(entry, STR("isPrefix"))), &path, &e)) {
        add_error(x, &e);
    } else if (text.len) {
        path->list = x->chain.items[x->chain.len - 1];
        path->pos = entry->pos;
        VEC_PUSH(x->arena, x->out, path);
    }
    if (include.len)
        expand_include(x, include);
}

/* Deep chains cannot overflow the stack: a list is on the chain at most once. */
static void expand_list(struct expansion *x, str name)
{
    const struct value *list = value_get(x->items, name);

    VEC_PUSH(x->arena, &x->chain, name);
    for (size_t i = 0; i < value_len(list) && ++*x->steps <= OMIT_ENTRIES_MAX; i++)
        expand_entry(x, value_at(list, i));
    x->chain.len--;
}

static bool read_omit_lists(struct arena *a, struct value *doc, struct journal *j,
                            struct reference *r, struct err *e)
{
    struct value *items = omit_prepare(a, doc, j);
    struct value **lists = value_sorted(a, items);
    size_t steps = 0;
    AUTO_ERR all = {0};

    r->omit_default = value_get_str(value_get(doc, STR("fieldsToOmit")), STR("defaultOmitRef"));
    for (size_t i = 0; i < items->len; i++) {
        struct omit_list *list = ARENA_NEW(a, struct omit_list);
        struct expansion x = {
            .arena = a, .items = items, .out = list, .errors = &all, .steps = &steps};
        expand_list(&x, value_key(lists[i]));
        map_set(r->omit_lists, value_key(lists[i]), list);
    }
    if (steps > OMIT_ENTRIES_MAX)
        return err_set(e, ERR_LIMIT, "the lists of fieldsToOmit expand to more than %d entries",
                       OMIT_ENTRIES_MAX);
    return all.kind == ERR_NONE || err_copy(e, &all);
}

/* ---- Parts. ---- */

static void set_per_field(struct arena *a, struct template *t, const struct value *entry)
{
    str path = value_get_str(entry, STR("pathToKey"));
    str function = value_get_str(entry, STR("inlineDiffFunc"));
    size_t at = 0;

    while (at < t->per_field.len && str_cmp(t->per_field.items[at].text, path) < 0)
        at++;
    if (at == t->per_field.len || !str_eq(t->per_field.items[at].text, path)) {
        (void)VEC_ADD(a, &t->per_field);
        memmove(&t->per_field.items[at + 1], &t->per_field.items[at],
                (t->per_field.len - 1 - at) * sizeof(*t->per_field.items));
    }
    t->per_field.items[at] =
        (struct per_field){.text = path, .function = function, .pos = entry->pos};
}

static void add_template(struct arena *a, struct reference *r, const struct value *entry,
                         str description)
{
    const struct value *fields = value_get(value_get(entry, STR("config")), STR("perField"));
    struct template *t = reference_add_template(a, r, entry);

    if (!t->description.len)
        t->description = description;
    for (size_t i = 0; i < value_len(fields); i++)
        set_per_field(a, t, value_at(fields, i));
}

/* Which groups of a component have templates: their number, and the names joined by commas. */
static size_t used_groups(struct arena *a, const struct value *entry, str *names)
{
    str used[COUNT(groups)];
    size_t count = 0;

    for (size_t i = 0; i < COUNT(groups); i++)
        if (value_len(value_get(entry, str_c(groups[i]->name))))
            used[count++] = str_c(groups[i]->name);
    *names = str_join(a, used, count, STR(","));
    return count;
}

static bool check_component(struct arena *a, const struct value *entry, size_t index, struct err *e)
{
    str name = value_get_str(entry, STR("name"));
    str names;
    size_t count = used_groups(a, entry, &names);

    if (count == 0)
        return err_set(e, ERR_INVALID, "component %.*s has no templates", STR_ARG(name));
    if (count > 1)
        return err_set(e, ERR_INVALID, "too many keys (%.*s) in index %zu of component %.*s",
                       STR_ARG(names), index, STR_ARG(name));
    return true;
}

static void add_component(struct arena *a, struct reference *r, struct part *part,
                          const struct value *entry, str part_description)
{
    struct component *c = VEC_ADD(a, &part->components);
    str description = value_get_str(entry, STR("description"));

    c->name = value_get_str(entry, STR("name"));
    c->first = r->templates.len;
    for (size_t i = 0; i < COUNT(groups); i++) {
        const struct value *list = value_get(entry, str_c(groups[i]->name));
        if (value_len(list))
            c->rule = groups[i];
        for (size_t k = 0; k < value_len(list); k++)
            add_template(a, r, value_at(list, k), description.len ? description : part_description);
    }
    c->count = r->templates.len - c->first;
}

static void add_part(struct arena *a, struct reference *r, const struct value *entry,
                     struct err *all)
{
    const struct value *components = value_get(entry, STR("components"));
    struct part *part = VEC_ADD(a, &r->parts);

    part->name = value_get_str(entry, STR("name"));
    for (size_t i = 0; i < value_len(components); i++) {
        AUTO_ERR e = {0};
        if (!check_component(a, value_at(components, i), i, &e))
            err_join(all, &e);
        add_component(a, r, part, value_at(components, i),
                      value_get_str(entry, STR("description")));
    }
}

static bool add_parts(struct arena *a, struct reference *r, const struct value *parts,
                      struct err *e)
{
    AUTO_ERR all = {0};

    for (size_t i = 0; i < value_len(parts); i++)
        add_part(a, r, value_at(parts, i), &all);
    return all.kind == ERR_NONE || err_copy(e, &all);
}

/* ---- What is hashed: the file as Go would write it again. ---- */

static void set_text(struct arena *a, struct value *out, const struct value *in, const char *key)
{
    str text = value_get_str(in, str_c(key));

    if (text.len)
        value_set_str(a, out, str_c(key), text);
}

/* Upstream: groups hide what they hold, so the templates do not count. */
static struct value *write_components(struct arena *a, const struct value *list)
{
    struct value *out = value_list(a);

    if (!list)
        return value_null(a);
    for (size_t i = 0; i < list->len; i++) {
        struct value *component = value_add(a, out, value_object(a));
        value_set_str(a, component, STR("name"), value_get_str(value_at(list, i), STR("name")));
        set_text(a, component, value_at(list, i), "description");
        for (size_t k = 0; k < COUNT(groups); k++)
            value_set(a, component, str_c(groups[k]->name), value_object(a));
    }
    return out;
}

static struct value *write_parts(struct arena *a, const struct value *parts)
{
    struct value *out = value_list(a);

    if (!parts)
        return value_null(a);
    for (size_t i = 0; i < parts->len; i++) {
        const struct value *in = value_at(parts, i);
        struct value *part = value_add(a, out, value_object(a));
        value_set_str(a, part, STR("name"), value_get_str(in, STR("name")));
        set_text(a, part, in, "description");
        value_set(a, part, STR("components"),
                  write_components(a, value_get(in, STR("components"))));
    }
    return out;
}

static void write_entry(struct arena *a, struct value *out, const struct value *in)
{
    if (value_get(in, STR("pathToKey")) || value_get(in, STR("isPrefix")))
        value_set_str(a, out, STR("pathToKey"), value_get_str(in, STR("pathToKey")));
    if (is_true(value_get(in, STR("isPrefix"))))
        value_set_bool(a, out, STR("isPrefix"), true);
    set_text(a, out, in, "include");
}

static struct value *write_omit(struct arena *a, const struct value *omit)
{
    const struct value *items = value_get(omit, STR("items"));
    struct value *out = value_object(a);

    value_set(a, out, STR("defaultOmitRef"), value_get(omit, STR("defaultOmitRef")));
    struct value *lists = value_set(a, out, STR("items"), value_object(a));
    for (size_t i = 0; i < items->len; i++) {
        const struct value *list = &items->items[i];
        bool null = list->kind == VALUE_NULL;
        struct value *written =
            value_set(a, lists, value_key(list), null ? value_null(a) : value_list(a));
        for (size_t k = 0; k < value_len(list); k++)
            write_entry(a, value_add(a, written, value_object(a)), value_at(list, k));
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

static bool build_v2(struct arena *a, struct value *doc, struct journal *j, struct reference *out,
                     struct err *e)
{
    const struct value *files = value_get(doc, STR("templateFunctionFiles"));

    if (!read_omit_lists(a, doc, j, out, e) || !add_parts(a, out, value_get(doc, STR("parts")), e))
        return false;
    for (size_t i = 0; i < value_len(files); i++)
        VEC_PUSH(a, &out->function_files, value_str(value_at(files, i)));
    write_reference(a, doc, out);
    return true;
}

const struct reference_version reference_v2 = {"v2", &file_v2, build_v2};
