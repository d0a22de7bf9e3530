/* SPDX-License-Identifier: Apache-2.0 */
/*
 * templates.c - checks each template on its own: whether it exists, parses, and runs with empty
 * data, and what it renders to.
 */
#include "compare/pair/inline_internal.h"
#include "compare/lint/internal.h"
#include "compare/nested_internal.h"
#include "compare/input/object_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/reference/templates_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "go/quote.h"
#include "text/yaml/yaml.h"
#include "object/object.h"

/* ---- Places. ---- */

/* The file that a name in an error or in the output refers to: names are last elements. */
static str file_of(const struct lint *l, size_t i, str name)
{
    const struct str_list *functions = &l->notes[i].functions;

    for (size_t k = 0; k < functions->len; k++)
        if (str_eq(path_base(functions->items[k]), name))
            return lint_path(l, functions->items[k]);
    return lint_path(l, l->reference.templates.items[i].path);
}

static uint32_t read_line(str *text)
{
    uint32_t line = 0;

    while (text->len && *text->ptr >= '0' && *text->ptr <= '9' && line < UINT32_MAX / 16) {
        line = line * 10 + (uint32_t)(*text->ptr - '0');
        *text = str_from(*text, 1);
    }
    return line;
}

/* Takes "template: NAME:LINE:COLUMN: " off the front of an error; *name is empty when it lacks it.
 */
static str take_place(str text, str *name, struct where *at)
{
    str before, rest;

    *name = STR_NONE;
    if (!str_cut(text, STR("template: "), &before, &rest) || !str_cut(rest, STR(":"), name, &rest))
        return text;
    at->line = read_line(&rest);
    if (!at->line) {
        *name = STR_NONE;
        return text;
    }
    if (str_has_prefix(rest, STR(":")))
        rest = str_from(rest, 1);
    at->column = read_line(&rest);
    return str_trim(str_without_prefix(rest, STR(":")));
}

/* The function that is spelled most like one that does not exist; empty: none is near. */
static str nearest_function(struct arena *a, str name)
{
    static const enum tmpl_profile profiles[] = {TMPL_KC, TMPL_HELM};
    size_t least = name.len < 5 ? 1 : 2;
    str best = STR_NONE;

    for (size_t p = 0; p < COUNT(profiles); p++) {
        struct tmpl_help *help;
        size_t count = tmpl_functions(a, profiles[p], &help);
        for (size_t i = 0; i < count; i++) {
            size_t distance = str_distance(name, help[i].name);
            if (distance && distance <= least && (!best.len || distance < least)) {
                least = distance;
                best = help[i].name;
            }
        }
    }
    return best;
}

/* What helps with a fault, if anything is known. */
static str suggestion(struct arena *a, str text)
{
    str before, name, rest;

    if (!str_cut(text, STR("function \""), &before, &rest) ||
        !str_cut(rest, STR("\" not defined"), &name, &rest))
        return STR_NONE;
    str nearest = nearest_function(a, name);
    return nearest.len ? str_fmt(a, "; did you mean %.*s?", STR_ARG(nearest)) : STR_NONE;
}

static void add_template_fault(struct lint *l, const struct lint_rule *rule, size_t i,
                               const struct err *e)
{
    struct where at = {0};
    str name;
    str text = take_place(e->text, &name, &at);

    at.file = file_of(l, i, name);
    lint_add(l, rule, at, "%.*s%.*s", STR_ARG(text), STR_ARG(suggestion(l->arena, text)));
}

/*
 * Reports what a text leaves open where that begins, if this is why it cannot be parsed: the parser
 * came to the end of it, or went astray in an action that goes on.
 */
static bool add_unclosed(struct lint *l, str file, str text, const struct err *e)
{
    struct where at = {.file = file}, noticed = {0};
    str word, name;
    str said = take_place(e->text, &name, &noticed);

    if (!lint_unclosed(l->arena, text, &word, &at.line) || noticed.line < at.line)
        return false;
    /* A fault within the line tells more, as a text without its last quote. */
    if (noticed.line == at.line && !str_has_prefix(said, STR("unclosed")))
        return false;
    if (str_eq(word, STR("{{")))
        lint_add(l, &lint_unclosed_action, at, "the action that begins here is not closed");
    else if (str_eq(said, STR("unexpected EOF")))
        lint_add(l, &lint_unclosed_action, at, "{{%.*s}} has no {{end}}", STR_ARG(word));
    else
        return false;
    return true;
}

/* ---- Finding and parsing. ---- */

static struct where path_where(const struct lint *l, size_t i)
{
    const struct value *entry = l->notes[i].entry;
    const struct value *path = value_get(entry, STR("path"));

    return lint_where(l, path ? path : entry);
}

/* Whether the path names one file that exists. */
static bool find_file(struct lint *l, size_t i)
{
    str path = l->reference.templates.items[i].path;
    struct str_list files = {0};
    AUTO_ERR e = {0};

    if (!path.len)
        lint_add(l, &lint_missing_file, path_where(l, i), "an entry without path");
    else if (!root_glob(l->arena, &l->root, path, &files, &e))
        lint_add(l, &lint_missing_file, path_where(l, i), "%.*s: %.*s", STR_ARG(path),
                 STR_ARG(e.text));
    else if (!files.len)
        lint_add(l, &lint_missing_file, path_where(l, i), "there is no file %.*s", STR_ARG(path));
    else if (files.len > 1 || !str_eq(files.items[0], path))
        lint_add(l, &lint_missing_file, path_where(l, i),
                 "%.*s is a pattern; a template is one file", STR_ARG(path));
    else
        return true;
    return false;
}

/* A function of Helm's: reported once per file. */
static void note_borrowed(void *ctx, str function, uint32_t line)
{
    struct lint *l = ctx;

    if (!l->parsing.len)
        return;
    str key = str_fmt(l->arena, "%.*s %.*s", STR_ARG(l->parsing), STR_ARG(function));
    if (map_has(l->borrowed, key))
        return;
    map_set(l->borrowed, key, l);
    lint_add(l, &lint_portability, (struct where){.file = lint_path(l, l->parsing), .line = line},
             "kube-compare and helm-convert do not know the function %.*s", STR_ARG(function));
}

static struct tmpl_set *new_set(struct lint *l)
{
    return tmpl_new(
        l->arena, &(struct tmpl_options){
                      .profile = TMPL_KC, .extra = TMPL_HELM, .borrowed = note_borrowed, .ctx = l});
}

/* Parses a file whose functions are looked at. */
static bool parse_noting(struct lint *l, struct tmpl_set *set, str path, str text, struct err *e)
{
    l->parsing = path;
    bool ok = tmpl_parse(set, path_base(path), text, e);
    l->parsing = STR_NONE;
    return ok;
}

static bool parse_own(struct lint *l, size_t i)
{
    struct template *t = &l->reference.templates.items[i];
    AUTO_ERR e = {0};
    str text;

    t->set = new_set(l);
    t->name = path_base(t->path);
    if (!find_file(l, i))
        return false;
    if (!root_read(l->arena, &l->root, t->path, &text, &e)) {
        lint_add(l, &lint_missing_file, path_where(l, i), "%.*s", STR_ARG(e.text));
        return false;
    }
    l->bytes += text.len;
    if (parse_noting(l, t->set, t->path, text, &e))
        return true;
    if (!add_unclosed(l, lint_path(l, t->path), text, &e))
        add_template_fault(l, &lint_template_syntax, i, &e);
    return false;
}

static void note_plain(struct lint *l, size_t i)
{
    struct buf form = buf_new(l->arena, BUF_UNLIMITED);

    tmpl_print(l->reference.templates.items[i].set, l->reference.templates.items[i].name, &form);
    l->notes[i].plain = !str_contains(buf_str(&form), STR("{{"));
}

/* ---- Function files. ---- */

/* The files that templateFunctionFiles names; false when some of it is at fault. */
static bool find_functions(struct lint *l, struct str_list *out)
{
    const struct value *patterns = value_get(l->doc, STR("templateFunctionFiles"));
    bool ok = true;

    for (size_t i = 0; i < value_len(patterns); i++) {
        const struct value *pattern = value_at(patterns, i);
        size_t before = out->len;
        AUTO_ERR e = {0};
        bool good = root_glob(l->arena, &l->root, value_str(pattern), out, &e);
        if (good && out->len > before)
            continue;
        lint_add(l, &lint_function_file, lint_where(l, pattern), "%.*s: %.*s",
                 STR_ARG(value_str(pattern)),
                 STR_ARG(good                   ? STR("there is no such file")
                         : e.kind == ERR_DENIED ? e.text
                                                : STR("a broken pattern")));
        ok = false;
    }
    return ok;
}

/* What a function file defines. Of two templates of one name, the later file's takes the place. */
static void note_defined(struct lint *l, const struct tmpl_set *set, const str *file)
{
    str *names;
    size_t count = tmpl_names(l->arena, set, &names);

    for (size_t i = 0; i < count; i++) {
        const str *before = map_get(l->defined, names[i]);
        if (before && !str_eq(*before, *file))
            lint_add(l, &lint_replaced, (struct where){.file = lint_path(l, *file)},
                     "it defines %.*s, as the function file %.*s does",
                     STR_ARG(go_quoted(l->arena, names[i])), STR_ARG(*before));
        map_set(l->defined, names[i], (void *)file);
    }
}

/* Parses them on their own, so that an error is reported once. */
static bool check_functions(struct lint *l, const struct str_list *files)
{
    bool ok = true;

    l->defined = map_new(l->arena);
    for (size_t i = 0; i < files->len; i++) {
        struct tmpl_set *set = new_set(l);
        struct where at = {.file = lint_path(l, files->items[i])};
        AUTO_ERR e = {0};
        str text = STR_NONE, name;
        if (root_read(l->arena, &l->root, files->items[i], &text, &e) &&
            parse_noting(l, set, files->items[i], text, &e)) {
            note_defined(l, set, &files->items[i]);
            continue;
        }
        ok = false;
        if (add_unclosed(l, at.file, text, &e))
            continue;
        text = take_place(e.text, &name, &at);
        lint_add(l, &lint_function_file, at, "%.*s%.*s", STR_ARG(text),
                 STR_ARG(suggestion(l->arena, text)));
    }
    return ok;
}

/* What of a template a function file takes the place of. */
static void check_replaced(struct lint *l, size_t i)
{
    const struct template *t = &l->reference.templates.items[i];
    str *names;
    size_t count = tmpl_names(l->arena, t->set, &names);

    for (size_t k = 0; k < count; k++) {
        const str *file = map_get(l->defined, names[k]);
        if (file && str_eq(names[k], t->name) && str_eq(path_base(*file), t->name))
            lint_add(l, &lint_replaced, path_where(l, i),
                     "the function file %.*s has the name of the template %.*s", STR_ARG(*file),
                     STR_ARG(t->path));
        else if (file)
            lint_add(l, &lint_replaced, path_where(l, i),
                     "the function file %.*s also defines %.*s of the template %.*s",
                     STR_ARG(*file), STR_ARG(go_quoted(l->arena, names[k])), STR_ARG(t->path));
    }
}

static void add_functions(struct lint *l, size_t i, const struct str_list *files)
{
    struct template *t = &l->reference.templates.items[i];

    l->notes[i].functions = *files;
    check_replaced(l, i);
    for (size_t k = 0; k < files->len; k++) {
        AUTO_ERR e = {0};
        str text = STR_NONE;
        /* Errors have been reported. */
        if (root_read(l->arena, &l->root, files->items[k], &text, &e))
            (void)!tmpl_parse(t->set, path_base(files->items[k]), text, &e);
        l->bytes += text.len;
    }
}

/* ---- What it renders to. ---- */

struct rendering {
    size_t index;
    str raw; /* before "<no value>" is taken out */
    struct tmpl_provenance provenance;
};

/* Which line of which file wrote a place of the output. */
static struct where written_by(const struct lint *l, const struct rendering *r, size_t offset)
{
    struct where at = {.file = lint_path(l, l->reference.templates.items[r->index].path)};

    for (size_t i = 0; i < r->provenance.count; i++) {
        const struct tmpl_range *range = &r->provenance.items[i];
        if (range->from > offset)
            break;
        at.file = file_of(l, r->index, range->file);
        at.line = range->line;
    }
    return at;
}

static size_t line_start(str text, uint32_t line)
{
    size_t at = 0;

    for (uint32_t i = 1; i < line && at < text.len; i++) {
        size_t end = str_find_char(str_from(text, at), '\n');
        at = end == STR_NPOS ? text.len : at + end + 1;
    }
    return at;
}

static void add_yaml_fault(struct lint *l, const struct rendering *r, const struct err *e)
{
    struct where at = written_by(l, r, line_start(r->raw, e->at.line ? e->at.line : 1));

    lint_add(l, &lint_not_yaml, at, "with empty data it does not render to a YAML mapping: %.*s",
             STR_ARG(lint_yaml_text(e->text)));
}

/*
 * Findings about keys that a template gives twice, of which the first ones are shown. They come
 * nearly in the order of their lines, so that each is looked for from the one before.
 */
struct repeated {
    struct lint *lint;
    const struct rendering *rendering;
    size_t count;
    uint32_t line; /* of the one before, or 0 */
    size_t start;  /* where that line begins */
};

static size_t start_of_repeated(struct repeated *x, uint32_t line)
{
    bool ahead = x->line && line >= x->line;
    size_t from = ahead ? x->start : 0;

    x->start = from +
               line_start(str_from(x->rendering->raw, from), ahead ? line - x->line + 1 : line);
    x->line = line;
    return x->start;
}

/* Keys that come from data are the same only as long as there is none. */
static bool is_from_data(str line)
{
    str end = str_slice(line, 0, str_find_char(line, '\n'));

    return str_contains(end, STR("<no value>"));
}

static void note_repeated(void *ctx, struct where at, str text)
{
    struct repeated *x = ctx;
    size_t start = start_of_repeated(x, at.line);

    if (!is_from_data(str_from(x->rendering->raw, start)) && ++x->count <= DUPLICATE_KEYS_SHOWN)
        lint_add(x->lint, &lint_repeated_key, written_by(x->lint, x->rendering, start), "%.*s",
                 STR_ARG(text));
}

static bool read_rendering(struct lint *l, struct rendering *r)
{
    struct template *t = &l->reference.templates.items[r->index];
    struct repeated repeated = {.lint = l, .rendering = r};
    bool alone = false;
    const struct read_options options = {.nodes_max = RENDERED_NODES_MAX,
                                         .alone = &alone,
                                         .warn = note_repeated,
                                         .warn_ctx = &repeated};
    AUTO_ERR e = {0};
    uint32_t line;

    if (!yaml_map_read_with(l->arena, template_output(l->arena, r->raw), options, &t->metadata,
                            &e)) {
        add_yaml_fault(l, r, &e);
        return false;
    }
    l->bytes += template_tree_bytes(t->metadata);
    t->identity = identity_of(t->metadata);
    enum yaml_rest rest = alone ? YAML_REST_NONE : yaml_rest(r->raw, &line);
    if (rest != YAML_REST_NONE)
        lint_add(l, &lint_several_documents, written_by(l, r, line_start(r->raw, line)), "%s",
                 lint_rest_text(rest));
    return true;
}

static bool render(struct lint *l, struct rendering *r)
{
    const struct template *t = &l->reference.templates.items[r->index];
    struct buf out = buf_new(l->arena, TMPL_OUTPUT_MAX);
    struct tmpl_run run = {.provenance = &r->provenance};
    AUTO_ERR e = {0};

    if (tmpl_execute(l->arena, t->set, t->name, &run, &out, &e)) {
        tmpl_provenance_ranges(l->arena, &r->provenance);
        r->raw = l->notes[r->index].text = buf_str(&out);
        l->bytes += r->raw.len;
        return true;
    }
    add_template_fault(l, &lint_template_run, r->index, &e);
    return false;
}

/* ---- Identity. ---- */

static void check_kind(struct lint *l, const struct rendering *r)
{
    const struct template *t = &l->reference.templates.items[r->index];
    const struct value *kind = value_get(t->metadata, STR("kind"));

    if (!t->identity.kind.len)
        lint_add(l, &lint_missing_kind, written_by(l, r, kind && kind->pos ? kind->pos - 1 : 0),
                 "with empty data the template %s", kind ? "has an empty kind" : "has no kind");
}

static void check_partial(struct lint *l, const struct rendering *r, const char *name,
                          const struct value *v)
{
    str text = value_str(v);

    if (!str_contains(text, STR("<no value>")) || str_eq(str_trim(text), STR("<no value>")))
        return;
    lint_add(l, &lint_partial_name, written_by(l, r, v->pos ? v->pos - 1 : 0),
             "%s is fixed in part (\"%.*s\"), so it counts as \"%.*s\" and matches nothing else",
             name, STR_ARG(text), STR_ARG(template_output(l->arena, text)));
}

/* A name such as n or 123 without quotes is not a string, and so not a name. */
static void check_text(struct lint *l, const struct rendering *r, const char *name,
                       const struct value *v)
{
    if (!v || v->kind == VALUE_STRING || v->kind == VALUE_NULL)
        return;
    lint_add(l, &lint_not_text, written_by(l, r, v->pos ? v->pos - 1 : 0),
             "%s is not a string but %s, so it matches any value", name,
             value_is_container(v) ? "a structure" : value_kind_name(v->kind));
}

/* Partly fixed values can be seen while the text still contains "<no value>". */
static void check_identity(struct lint *l, const struct rendering *r)
{
    static const char *const names[] = {"apiVersion", "kind", "metadata.name",
                                        "metadata.namespace"};
    AUTO_ARENA scratch = arena_new();
    struct value *doc;
    AUTO_ERR e = {0};

    if (!yaml_map_read(scratch, r->raw, &doc, &e))
        return;
    const struct value *meta = object_meta(doc);
    const struct value *values[] = {value_get(doc, STR("apiVersion")), value_get(doc, STR("kind")),
                                    value_get(meta, STR("name")),
                                    value_get(meta, STR("namespace"))};
    for (size_t i = 0; i < COUNT(names); i++) {
        check_partial(l, r, names[i], values[i]);
        check_text(l, r, names[i], values[i]);
    }
}

/* ---- Functions per field. ---- */

/* As comparisons check it; *found: whether the template has the field. */
static bool field_is_good(struct lint *l, size_t i, struct per_field *f, bool *found, struct err *e)
{
    struct captures none = {.arena = l->arena, .left = INLINE_COST_MAX};
    str text;

    if (!path_parse_fields(l->arena, f->text, &f->path, e))
        return false;
    f->call = inline_find(f->function);
    if (!f->call)
        return err_set(e, ERR_INVALID, "there is no function \"%.*s\"", STR_ARG(f->function));
    return nested_string(l->arena, l->reference.templates.items[i].metadata, &f->path, true, &text,
                         found, e) &&
           (!*found || f->call->validate(l->arena, text, &none, e));
}

static void check_field(struct lint *l, size_t i, struct per_field *f)
{
    struct where at = lint_where(l, &(struct value){.pos = f->pos});
    bool found = false;
    str holder, want;
    AUTO_ERR e = {0};

    if (!field_is_good(l, i, f, &found, &e))
        lint_add(l, &lint_per_field, at, "%.*s: %.*s", STR_ARG(f->text), STR_ARG(e.text));
    else if (!found && (want = lint_quoted_path(l->arena, &f->path, &holder)).len)
        lint_add(l, l->notes[i].plain ? &lint_per_field : &lint_unquoted_key, at,
                 "pathToKey %.*s leads below a value of %.*s, which is text; did you mean %.*s?",
                 STR_ARG(f->text), STR_ARG(holder), STR_ARG(want));
    else if (!found && l->notes[i].plain)
        lint_add(l, &lint_per_field, at, "%.*s: the template %.*s has no such field",
                 STR_ARG(f->text), STR_ARG(l->reference.templates.items[i].path));
}

/* ---- All templates. ---- */

static void check_rendered(struct lint *l, size_t i)
{
    struct template *t = &l->reference.templates.items[i];
    struct rendering r = {.index = i};

    if (!render(l, &r) || !read_rendering(l, &r))
        return;
    l->notes[i].rendered = true;
    check_kind(l, &r);
    check_identity(l, &r);
    for (size_t k = 0; k < t->per_field.len; k++)
        check_field(l, i, &t->per_field.items[k]);
}

void lint_templates(struct lint *l)
{
    struct str_list functions = {0};
    bool ok = find_functions(l, &functions);

    l->borrowed = map_new(l->arena);
    ok = check_functions(l, &functions) && ok;
    for (size_t i = 0; i < l->reference.templates.len; i++) {
        l->notes[i].parsed = parse_own(l, i);
        if (!l->notes[i].parsed)
            continue;
        add_functions(l, i, &functions);
        note_plain(l, i);
        if (ok)
            check_rendered(l, i);
        if (l->bytes > TEMPLATES_BYTES_MAX) {
            lint_add(l, &lint_too_large, path_where(l, i),
                     "the templates up to here have more than %zu bytes",
                     (size_t)TEMPLATES_BYTES_MAX);
            return;
        }
    }
}
