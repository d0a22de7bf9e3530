/* SPDX-License-Identifier: Apache-2.0 */
/* draft.c - writes the files of a drafted reference; see draft.h. */
#include "compare/draft/internal.h"
#include "base/file.h"
#include "text/yaml/yaml.h"

/* Names of objects have up to 253 letters; with an ending and a number, files have fewer. */
#define NAME_KEPT_MAX 200

/* A component while templates are added to it. */
struct component_draft {
    str part, kind;
    bool optional;
    struct str_list files;
};

struct drafting {
    struct arena *arena;
    const struct draft_options *options;
    struct draft_report *report;
    struct map *taken;      /* paths of templates, in lower case */
    struct map *components; /* part, kind and whether it is optional to struct component_draft */
};

/* ---- Names. ---- */

/* What varies between the variants has no place in a name. */
static str common(const struct variants *v, size_t offset)
{
    str first = *(const str *)((const char *)&v->items[0].identity + offset);

    for (size_t i = 1; i < v->len; i++)
        if (!str_eq(first, *(const str *)((const char *)&v->items[i].identity + offset)))
            return STR_NONE;
    return first;
}

static str clean_name(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < text.len && i < NAME_KEPT_MAX; i++) {
        char c = text.ptr[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    (i && (c == '.' || c == '-'));
        buf_char(&out, good ? c : '_');
    }
    return buf_str(&out);
}

/* kind/namespace-name.yaml, with a number when that is taken. */
static str choose_path(struct drafting *d, const struct variants *v)
{
    struct arena *a = d->arena;
    str kind = str_lower(a, clean_name(a, v->items[0].identity.kind));
    str namespace = common(v, offsetof(struct identity, namespace));
    str name = common(v, offsetof(struct identity, name));
    str base = clean_name(a, str_fmt(a, "%.*s%s%.*s", STR_ARG(namespace), namespace.len ? "-" : "",
                                     STR_ARG(name.len ? name : STR("any"))));
    str path = str_fmt(a, "%.*s/%.*s.yaml", STR_ARG(kind), STR_ARG(base));

    for (size_t i = 2; map_has(d->taken, str_lower(a, path)); i++)
        path = str_fmt(a, "%.*s/%.*s-%zu.yaml", STR_ARG(kind), STR_ARG(base), i);
    map_set(d->taken, str_lower(a, path), d);
    return path;
}

/* Names in parentheses are those of no namespace. */
static str part_name(const struct variants *v)
{
    str namespace = common(v, offsetof(struct identity, namespace));
    bool none = true;

    for (size_t i = 0; i < v->len; i++)
        none &= !v->items[i].identity.namespace.len;
    return namespace.len ? namespace : none ? STR("(cluster)") : STR("(any namespace)");
}

/* ---- Templates. ---- */

static void list_template(struct drafting *d, const struct variants *v, str path)
{
    struct arena *a = d->arena;
    bool optional = v->inputs < d->options->inputs.len;
    str part = part_name(v), kind = str_lower(a, v->items[0].identity.kind);
    str key = str_fmt(a, "%.*s\n%.*s\n%d", STR_ARG(part), STR_ARG(kind), optional);
    struct component_draft *c = map_get(d->components, key);

    if (!c) {
        c = ARENA_NEW(a, struct component_draft);
        *c = (struct component_draft){.part = part, .kind = kind, .optional = optional};
        map_set(d->components, key, c);
    }
    VEC_PUSH(a, &c->files, path);
    d->report->templates++;
    d->report->optional += optional;
}

static bool write_template(struct drafting *d, const struct variants *v, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str path = choose_path(d, v);
    str file = file_join(a, d->options->folder, path);
    struct buf text = buf_new(a, BUF_UNLIMITED);
    struct holes holes = {0};
    const struct value *merged = draft_merge(a, v, &holes);

    list_template(d, v, path);
    d->report->varying += holes.len;
    d->report->secrets += holes.secrets > 0;
    return draft_template(a, merged, &holes, &text, e) &&
           file_make_folder(str_slice(file, 0, str_rfind_char(file, '/')), e) &&
           file_write(file, buf_str(&text), 0666, e);
}

bool draft_object(struct arena *a, struct value *object, struct buf *out, bool *secret,
                  struct err *e)
{
    struct variant one = {.root = object};
    const struct variants all = {.items = &one, .len = 1};
    struct holes holes = {0};
    const struct value *merged = draft_merge(a, &all, &holes);

    *secret = holes.secrets > 0;
    return draft_template(a, merged, &holes, out, e);
}

/* ---- Metadata. ---- */

static struct value *make_component(struct arena *a, const struct component_draft *c)
{
    struct value *component = value_object(a), *list;

    value_set_str(a, component, STR("name"),
                  c->optional ? str_fmt(a, "%.*s-optional", STR_ARG(c->kind)) : c->kind);
    list = value_set(a, component, c->optional ? STR("anyOf") : STR("allOf"), value_list(a));
    for (size_t i = 0; i < c->files.len; i++)
        value_set_str(a, value_add(a, list, value_object(a)), STR("path"), c->files.items[i]);
    return component;
}

static bool write_metadata(struct drafting *d, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, BUF_UNLIMITED);
    struct value *doc = value_object(a), *parts, *components = NULL;
    struct map *seen = map_new(a);

    value_set_str(a, doc, STR("apiVersion"), STR("v2"));
    parts = value_set(a, doc, STR("parts"), value_list(a));
    for (size_t i = 0; i < map_len(d->components); i++) {
        const struct component_draft *first = map_at(d->components, i);
        if (map_has(seen, first->part))
            continue;
        map_set(seen, first->part, seen);
        struct value *part = value_add(a, parts, value_object(a));
        value_set_str(a, part, STR("name"), first->part);
        components = value_set(a, part, STR("components"), value_list(a));
        for (size_t k = i; k < map_len(d->components); k++) {
            const struct component_draft *c = map_at(d->components, k);
            if (str_eq(c->part, first->part))
                value_add(a, components, make_component(a, c));
        }
    }
    return yaml_write(&text, doc, NUMBERS_PLAIN, e) &&
           file_write(file_join(a, d->options->folder, STR("metadata.yaml")), buf_str(&text), 0666,
                      e);
}

/* ---- The whole. ---- */

static bool check_folder(struct arena *a, str folder, struct err *e)
{
    str *names;
    size_t count = 0;

    if (file_kind(folder) == FILE_MISSING)
        return true;
    if (!file_list(a, folder, &names, &count, e))
        return false;
    return !count ||
           err_set(e, ERR_EXISTS, "the folder %.*s is not empty; name a new one for the reference",
                   STR_ARG(folder));
}

bool draft_run(struct arena *a, const struct draft_options *o, struct draft_report *out,
               struct err *e)
{
    struct drafting d = {
        .arena = a, .options = o, .report = out, .taken = map_new(a), .components = map_new(a)};
    struct variant_groups groups = {0};

    *out = (struct draft_report){0};
    if (!check_folder(a, o->folder, e) || !draft_gather(a, o, &groups, out, e) ||
        !file_make_folder(o->folder, e))
        return false;
    for (size_t i = 0; i < groups.len; i++)
        if (!write_template(&d, &groups.items[i], e))
            return false;
    return write_metadata(&d, e);
}
