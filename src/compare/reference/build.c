/* SPDX-License-Identifier: Apache-2.0 */
/* build.c - builds a reference from a decoded metadata file: what all versions have in common. */
#include "compare/reference/reference_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/reference/omit_internal.h"

/* ---- Fields to omit. ---- */

bool omit_entry_read(struct arena *a, str list, const struct value *entry, struct omit_list *out,
                     struct err *e)
{
    struct omit_path *path;

    if (!omit_path_read(a, value_get_str(entry, STR("pathToKey")),
                        value_is_true(value_get(entry, STR("isPrefix"))), &path, e))
        return false;
    path->list = list;
    path->pos = entry->pos;
    VEC_PUSH(a, out, path);
    return true;
}

static bool check_default(const struct value *items, str name, struct err *e)
{
    if (value_get(items, name))
        return true;
    return err_set(e, ERR_INVALID, "fieldsToOmit's defaultOmitRef \"%.*s\" not found in items",
                   STR_ARG(name));
}

static bool read_omit_lists(struct arena *a, const struct reference_version *version,
                            struct value *doc, struct log_buffer *log, struct reference *r,
                            struct err *e)
{
    struct value *items = omit_prepare(a, doc, log);
    struct value **lists = value_sorted(a, items);
    AUTO_ERR all = {0};
    struct omit_reading x = {.arena = a, .items = items, .errors = &all};

    r->omit_default = value_get_str(value_get(doc, STR("fieldsToOmit")), STR("defaultOmitRef"));
    if (version->default_must_exist && !check_default(items, r->omit_default, e))
        return false;
    for (size_t i = 0; i < items->len; i++) {
        struct omit_list *list = ARENA_NEW(a, struct omit_list);
        version->read_list(&x, lists[i], list);
        map_set(r->omit_lists, value_key(lists[i]), list);
    }
    if (x.steps > OMIT_ENTRIES_MAX)
        return err_set(e, ERR_LIMIT, "the lists of fieldsToOmit expand to more than %d entries",
                       OMIT_ENTRIES_MAX);
    return all.kind == ERR_NONE || err_copy(e, &all);
}

/* ---- Parts. ---- */

static void set_per_field(struct arena *a, struct template *t, const struct value *entry)
{
    str path = value_get_str(entry, STR("pathToKey"));
    str function = value_get_str(entry, STR("inlineDiffFunc"));
    size_t at = 0, to = t->per_field.len;

    while (at < to) {
        size_t middle = at + (to - at) / 2;
        if (str_cmp(t->per_field.items[middle].text, path) < 0)
            at = middle + 1;
        else
            to = middle;
    }
    if (at == t->per_field.len || !str_eq(t->per_field.items[at].text, path)) {
        (void)VEC_ADD(a, &t->per_field);
        memmove(&t->per_field.items[at + 1], &t->per_field.items[at],
                (t->per_field.len - 1 - at) * sizeof(*t->per_field.items));
    }
    t->per_field.items[at] =
        (struct per_field){.text = path, .function = function, .pos = entry->pos};
}

static void read_config(struct arena *a, const struct value *config, struct template *t)
{
    const struct value *refs = value_get(config, STR("fieldsToOmitRefs"));
    const struct value *fields = value_get(config, STR("perField"));
    const struct value *merge = value_get(config, STR("ignore-unspecified-fields"));

    t->merge = value_is_true(merge);
    t->merge_pos = merge ? merge->pos : 0;
    for (size_t i = 0; i < value_len(refs); i++)
        VEC_PUSH(a, &t->omit_refs, value_str(value_at(refs, i)));
    for (size_t i = 0; i < value_len(fields); i++)
        set_per_field(a, t, value_at(fields, i));
}

static void add_template(struct arena *a, struct reference *r, const struct value *entry,
                         bool required, str description)
{
    struct template *t = VEC_ADD(a, &r->templates);

    t->path = value_get_str(entry, STR("path"));
    t->description = value_get_str(entry, STR("description"));
    t->required = required;
    if (!t->description.len)
        t->description = description;
    read_config(a, value_get(entry, STR("config")), t);
}

/* The description of a component is that of its part unless it has its own; v1 knows neither. */
static void add_component(struct arena *a, const struct reference_version *version,
                          struct reference *r, struct part *part, const struct value *entry,
                          str description)
{
    struct component *c = VEC_ADD(a, &part->components);
    str own = value_get_str(entry, STR("description"));

    c->name = value_get_str(entry, STR("name"));
    c->rule = version->rule(entry);
    c->first = r->templates.len;
    for (const struct template_group *g = version->groups; g->key; g++) {
        const struct value *list = value_get(entry, str_c(g->key));
        for (size_t i = 0; i < value_len(list); i++)
            add_template(a, r, value_at(list, i), g->required, own.len ? own : description);
    }
    c->count = r->templates.len - c->first;
}

static void add_part(struct arena *a, const struct reference_version *version, struct reference *r,
                     const struct value *entry, struct err *all)
{
    const struct value *components = value_get(entry, STR("components"));
    struct part *part = VEC_ADD(a, &r->parts);

    part->name = value_get_str(entry, STR("name"));
    for (size_t i = 0; i < value_len(components); i++) {
        AUTO_ERR e = {0};
        if (version->check && !version->check(a, value_at(components, i), i, &e))
            err_join(all, &e);
        add_component(a, version, r, part, value_at(components, i),
                      value_get_str(entry, STR("description")));
    }
}

static bool add_parts(struct arena *a, const struct reference_version *version, struct reference *r,
                      const struct value *parts, struct err *e)
{
    AUTO_ERR all = {0};

    for (size_t i = 0; i < value_len(parts); i++)
        add_part(a, version, r, value_at(parts, i), &all);
    return all.kind == ERR_NONE || err_copy(e, &all);
}

/* ---- What is hashed: the file as Go would write it again. ---- */

void reference_write_text(struct arena *a, struct value *out, const struct value *in,
                          const char *key)
{
    str text = value_get_str(in, str_c(key));

    if (text.len)
        value_set_str(a, out, str_c(key), text);
}

static struct value *write_components(struct arena *a, const struct reference_version *version,
                                      const struct value *list)
{
    struct value *out = value_list(a);

    if (!list)
        return value_null(a);
    for (size_t i = 0; i < list->len; i++) {
        struct value *component = value_add(a, out, value_object(a));
        value_set_str(a, component, STR("name"), value_get_str(value_at(list, i), STR("name")));
        version->write_component(a, component, value_at(list, i));
    }
    return out;
}

static struct value *write_parts(struct arena *a, const struct reference_version *version,
                                 const struct value *parts)
{
    struct value *out = value_list(a);

    if (!parts)
        return value_null(a);
    for (size_t i = 0; i < parts->len; i++) {
        const struct value *in = value_at(parts, i);
        struct value *part = value_add(a, out, value_object(a));
        value_set_str(a, part, STR("name"), value_get_str(in, STR("name")));
        reference_write_text(a, part, in, "description");
        value_set(a, part, STR("components"),
                  write_components(a, version, value_get(in, STR("components"))));
    }
    return out;
}

/* Upstream: an entry that only includes another list has no path, not even an empty one. */
static void write_entry(struct arena *a, struct value *out, const struct value *in)
{
    bool has_path = value_get(in, STR("pathToKey")) || value_get(in, STR("isPrefix"));

    if (has_path || !value_get_str(in, STR("include")).len)
        value_set_str(a, out, STR("pathToKey"), value_get_str(in, STR("pathToKey")));
    if (value_is_true(value_get(in, STR("isPrefix"))))
        value_set_bool(a, out, STR("isPrefix"), true);
    reference_write_text(a, out, in, "include");
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

static struct value *write_reference(struct arena *a, const struct reference_version *version,
                                     const struct value *doc)
{
    const struct value *files = value_get(doc, STR("templateFunctionFiles"));
    struct value *out = value_object(a);

    reference_write_text(a, out, doc, "apiVersion");
    value_set(a, out, STR("fieldsToOmit"), write_omit(a, value_get(doc, STR("fieldsToOmit"))));
    value_set(a, out, STR("parts"), write_parts(a, version, value_get(doc, STR("parts"))));
    if (value_len(files))
        value_set(a, out, STR("templateFunctionFiles"), files);
    return out;
}

/* ---- The whole. ---- */

bool reference_build(struct arena *a, const struct reference_version *version, struct value *doc,
                     struct log_buffer *log, struct reference *out, struct err *e)
{
    const struct value *files = value_get(doc, STR("templateFunctionFiles"));

    out->omit_lists = map_new(a);
    for (size_t i = 0; i < value_len(files); i++)
        VEC_PUSH(a, &out->function_files, value_str(value_at(files, i)));
    if (!read_omit_lists(a, version, doc, log, out, e) ||
        !add_parts(a, version, out, value_get(doc, STR("parts")), e))
        return false;
    out->written = write_reference(a, version, doc);
    return true;
}
