/* SPDX-License-Identifier: Apache-2.0 */
/* lint.c - checks a reference: reads its metadata file, runs all checks, and sorts the findings. */
#include "base/inside.h"
#include "compare/log_buffer_internal.h"
#include "compare/lint/internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "go/plain.h"
#include "text/yaml/yaml.h"

#include <sys/stat.h>

/* ---- Findings. ---- */

/* The first line of a text. */
static str first_line(str text)
{
    str line;

    return str_next_line(&text, &line) ? line : text;
}

void lint_add(struct lint *l, const struct lint_rule *rule, struct where at, const char *format,
              ...)
{
    struct lint_report *r = l->report;
    struct lint_finding f = {.rule = rule, .at = at};
    va_list args;

    if (rule->severity == LINT_ERROR)
        r->errors++;
    else
        r->warnings++;
    if (r->findings.len == LINT_FINDINGS_MAX) {
        r->left_out++;
        return;
    }
    va_start(args, format);
    f.text = go_plain(l->arena, first_line(str_vfmt(l->arena, format, args)));
    va_end(args);
    f.at.file = str_copy(l->arena, at.file);
    VEC_PUSH(l->arena, &r->findings, f);
}

struct where lint_where(const struct lint *l, const struct value *v)
{
    return v ? source_where(l->source, v) : (struct where){.file = l->file};
}

/* How far a key may be from its value; beyond that, it is an alias. */
#define KEY_DISTANCE_MAX ((size_t)64 * KIB)

/* The nearest text before the value that reads like its key. */
struct where lint_key_where(const struct source *s, const struct value *member)
{
    str key = value_key(member);
    size_t at = member->pos ? member->pos - 1 : 0;

    if (!key.len)
        return source_where(s, member);
    for (size_t i = at; i > 0 && at - i < KEY_DISTANCE_MAX; i--)
        if (str_has_prefix(str_from(s->text, i - 1), key))
            return source_where_offset(s, i - 1);
    return source_where(s, member);
}

str lint_path(const struct lint *l, str name)
{
    if (str_eq(l->root.folder, STR(".")))
        return name;
    return str_fmt(l->arena, "%.*s/%.*s", STR_ARG(l->root.folder), STR_ARG(name));
}

/* Findings of the metadata come first, then by file and line; what is equal stays in order. */
struct ranked {
    struct lint_finding finding;
    size_t index;
    bool other;
};

static int compare_ranked(const void *x, const void *y)
{
    const struct ranked *p = x, *q = y;
    int files = str_cmp(p->finding.at.file, q->finding.at.file);

    if (p->other != q->other)
        return p->other ? 1 : -1;
    if (files)
        return files;
    if (p->finding.at.line != q->finding.at.line)
        return p->finding.at.line < q->finding.at.line ? -1 : 1;
    return p->index < q->index ? -1 : 1;
}

static void sort_findings(struct lint *l)
{
    size_t count = l->report->findings.len;
    struct lint_finding *items = l->report->findings.items;
    struct ranked *ranked = ARENA_ARRAY(l->arena, struct ranked, count);

    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){items[i], i, !str_eq(items[i].at.file, l->file)};
    if (count)
        qsort(ranked, count, sizeof(*ranked), compare_ranked);
    for (size_t i = 0; i < count; i++)
        items[i] = ranked[i].finding;
}

/* ---- Reading. ---- */

struct duplicates {
    struct lint *lint;
    size_t count;
    struct where last;
};

static void note_duplicate(void *ctx, struct where at, str text)
{
    struct duplicates *d = ctx;

    d->last = at;
    if (++d->count <= DUPLICATE_KEYS_SHOWN)
        lint_add(d->lint, &lint_duplicate_key, at, "%.*s", STR_ARG(text));
}

static void count_duplicates(const struct duplicates *d)
{
    if (d->count > DUPLICATE_KEYS_SHOWN)
        lint_add(d->lint, &lint_duplicate_key, d->last,
                 "%zu more duplicate keys are not shown, %zu in all",
                 d->count - DUPLICATE_KEYS_SHOWN, d->count);
}

static bool has_text(const struct value *v)
{
    return v && v->kind != VALUE_NULL;
}

str lint_yaml_text(str text)
{
    str before, rest;

    if (str_cut(text, STR("yaml: "), &before, &rest))
        text = rest;
    if (str_has_prefix(text, STR("line ")) && str_cut(text, STR(": "), &before, &rest))
        text = rest;
    return str_cut(text, STR("decoding JSON: json: "), &before, &rest) ? rest : text;
}

const char *lint_rest_text(enum yaml_rest rest)
{
    return rest == YAML_REST_LOOSE ? YAML_REST_LOOSE_TEXT : "a second document begins here";
}

static void check_rest(struct lint *l, const struct source *source)
{
    uint32_t line;
    enum yaml_rest rest = yaml_rest(source->text, &line);

    if (rest != YAML_REST_NONE)
        lint_add(l, &lint_several_documents, (struct where){.file = source->file, .line = line},
                 "%s", lint_rest_text(rest));
}

void lint_parse(struct lint *l, str text, str shown, struct source **source, struct value **out)
{
    struct duplicates duplicates = {.lint = l};
    bool alone = false;
    const struct read_options options = {
        .go = true, .warn = note_duplicate, .warn_ctx = &duplicates, .alone = &alone};
    AUTO_ERR fault = {0};

    *out = NULL;
    *source = ARENA_NEW(l->arena, struct source);
    (*source)->file = shown;
    if (!yaml_source(l->arena, shown, text, *source, &fault) ||
        !yaml_read(l->arena, *source, &options, out, &fault)) {
        lint_add(l, &lint_syntax, fault.at, "%.*s", STR_ARG(lint_yaml_text(fault.text)));
        *out = NULL;
    } else if (!alone) {
        check_rest(l, *source);
    }
    count_duplicates(&duplicates);
    if (!has_text(*out))
        *out = NULL;
}

bool lint_read(struct lint *l, str path, str shown, struct source **source, struct value **out,
               struct err *e)
{
    str text;

    if (!file_read(l->arena, path, &text, e))
        return false;
    lint_parse(l, text, shown, source, out);
    return true;
}

/* ---- The metadata file. ---- */

static void find_folder(struct lint *l)
{
    str path = l->options->reference;
    struct stat st;

    while (path.len > 1 && path.ptr[path.len - 1] == '/')
        path.len--;
    if (stat(str_z(l->arena, path), &st) == 0 && S_ISDIR(st.st_mode)) {
        l->root.folder = path;
        l->name = STR("metadata.yaml");
        l->file = lint_path(l, l->name);
        return;
    }
    l->file = path;
    root_split(path, &l->root.folder, &l->name);
}

static bool read_metadata(struct lint *l, struct err *e)
{
    str text;

    if (!root_is_remote(l->options->reference)) {
        l->root.outside_links = l->options->outside_links;
        find_folder(l);
        if (!inside_read(l->arena, l->root.folder, l->name, l->root.outside_links, ROOT_FILE_MAX,
                         &text, e))
            return root_hide_password(l->arena, l->options->reference, e);
    } else {
        if (!root_open_linked(l->arena, l->options->reference, l->options->outside_links, &l->root,
                              &l->name, e) ||
            !root_read(l->arena, &l->root, l->name, &text, e))
            return false;
        l->file = lint_path(l, l->name);
    }
    lint_parse(l, text, l->file, &l->source, &l->doc);
    return true;
}

static bool find_version(struct lint *l)
{
    const struct value *version = value_get(l->doc, STR("apiVersion"));
    AUTO_ERR e = {0};

    if (reference_version_find(l->arena, l->doc, &l->version, &e))
        return true;
    lint_add(l, &lint_unknown_version, lint_where(l, version), "%.*s", STR_ARG(e.text));
    return false;
}

/* ---- The reference. ---- */

/* The entries of the file in the order of the templates. */
static void note_entries(struct lint *l)
{
    const struct value *parts = value_get(l->doc, STR("parts"));
    size_t next = 0;

    l->notes = ARENA_ARRAY(l->arena, struct template_note, l->reference.templates.len);
    for (size_t i = 0; i < value_len(parts); i++) {
        const struct value *components = value_get(value_at(parts, i), STR("components"));
        for (size_t k = 0; k < value_len(components); k++)
            for (const struct template_group *g = l->version->groups; g->key; g++) {
                const struct value *list = value_get(value_at(components, k), str_c(g->key));
                for (size_t n = 0; n < value_len(list); n++)
                    l->notes[next++].entry = value_at(list, n);
            }
    }
    assert(next == l->reference.templates.len);
}

/*
 * The lists of omitted fields are checked by lint_omit and components by lint_metadata, with their
 * places: here only what the templates are counts, whatever the building says of them.
 */
static void build(struct lint *l)
{
    struct value *doc = value_clone(l->arena, l->doc);
    struct log_buffer log = {.arena = l->arena};
    AUTO_ERR e = {0};

    value_unset(doc, STR("fieldsToOmit"));
    (void)!reference_build(l->arena, l->version, doc, &log, &l->reference, &e);
    l->report->templates = l->reference.templates.len;
    note_entries(l);
}

/* As comparisons expand the lists of omitted fields: what is too much is too much for both. */
static void check_expanded(struct lint *l)
{
    AUTO_ARENA a = arena_new();
    const struct value *omit = value_get(l->doc, STR("fieldsToOmit"));
    struct log_buffer log = {.arena = a};
    struct reference r = {0};
    size_t entries = 0;
    AUTO_ERR e = {0};

    if (!omit)
        return;
    if (!reference_build(a, l->version, value_clone(a, l->doc), &log, &r, &e) &&
        e.kind == ERR_LIMIT) {
        lint_add(l, &lint_too_large, lint_key_where(l->source, omit), "%.*s", STR_ARG(e.text));
        return;
    }
    for (size_t i = 0; i < r.templates.len; i++)
        for (size_t k = 0; k < r.templates.items[i].omit_refs.len; k++) {
            const struct omit_list *list =
                map_get(r.omit_lists, r.templates.items[i].omit_refs.items[k]);
            entries += list ? list->len : 0;
        }
    if (entries > OMIT_REFS_MAX)
        lint_add(l, &lint_too_large, lint_key_where(l->source, omit), OMIT_REFS_TEXT,
                 OMIT_REFS_MAX);
}

static bool decode(struct lint *l)
{
    const struct lint_shape shape = {.source = l->source, .schema = l->version->schema};
    AUTO_ERR e = {0};

    if (!lint_schema(l, &shape, l->doc))
        return false;
    if (schema_decode(l->arena, l->version->schema, SCHEMA_LOOSE, l->doc, &e))
        return true;
    lint_add(l, &lint_wrong_type, lint_where(l, NULL), "%.*s", STR_ARG(e.text));
    return false;
}

static bool check_reference(struct lint *l, struct err *e)
{
    if (!read_metadata(l, e))
        return false;
    if (!l->doc) {
        if (!l->report->errors)
            lint_add(l, &lint_empty, lint_where(l, NULL), "the file is empty");
        return true;
    }
    if (!find_version(l) || !decode(l))
        return true;
    build(l);
    lint_metadata(l);
    lint_omit(l);
    check_expanded(l);
    lint_templates(l);
    lint_matching(l);
    if (!l->reference.templates.len && !l->report->errors)
        lint_add(l, &lint_empty, lint_where(l, value_get(l->doc, STR("parts"))),
                 "the reference names no templates");
    return true;
}

bool lint_run(struct arena *a, const struct lint_options *options, struct lint_report *out,
              struct err *e)
{
    struct lint l = {.arena = a, .options = options, .report = out};

    *out = (struct lint_report){0};
    bool ok = check_reference(&l, e) && (!options->overrides.len || lint_overrides(&l, e)) &&
              (!options->config.len || lint_config(&l, e));
    root_close(&l.root);
    if (ok)
        sort_findings(&l);
    return ok;
}
