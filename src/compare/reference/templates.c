/* SPDX-License-Identifier: Apache-2.0 */
/*
 * templates.c - parses, checks and renders the templates of a reference.
 *
 * Every template forms a separate set together with all function files, because definitions of one
 * template are invisible to the others. Function files are read and parsed once, for the first
 * template that needs them; errors in them are reported for every template. Each template is run
 * once with empty data; the result is its metadata, which objects are correlated by.
 */
#include "compare/reference/templates_internal.h"
#include "compare/pair/inline_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/nested_internal.h"
#include "compare/input/object_internal.h"
#include "compare/reference/omit_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/explain/trace_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "go/quote.h"
#include "text/yaml/yaml.h"

str path_base(str path)
{
    size_t slash;

    while (path.len > 1 && path.ptr[path.len - 1] == '/')
        path.len--;
    slash = str_rfind_char(path, '/');
    return slash == STR_NPOS ? path : str_from(path, slash + 1);
}

/* ---- Parsing. ---- */

/* As %#q prints it. */
static str pattern_shown(struct arena *a, str pattern)
{
    return go_can_backquote(pattern) ? str_fmt(a, "`%.*s`", STR_ARG(pattern))
                                     : go_quoted(a, pattern);
}

/* As Go's ParseFS for one pattern: all files that fit are found before any is read. */
static bool find_files(struct arena *a, const struct root *root, str pattern, struct str_list *out,
                       struct err *e)
{
    size_t before = out->len;

    if (!root_glob(a, root, pattern, out, e))
        return false;
    if (out->len == before)
        return err_set(e, ERR_NOT_FOUND, "template: pattern matches no files: %.*s",
                       STR_ARG(pattern_shown(a, pattern)));
    return true;
}

/* A word of an action; one of the text around it does no harm. */
static bool has_word(str text, str word)
{
    size_t at = 0, found;

    while ((found = str_find(str_from(text, at), word)) != STR_NPOS) {
        size_t from = at + found, to = from + word.len;
        at = to;
        if (from && strchr(" \t\n\r({|", text.ptr[from - 1]) && to < text.len &&
            strchr(" \t\n\r", text.ptr[to]))
            return true;
    }
    return false;
}

bool template_changes(str text)
{
    static const char *const functions[] = {"set",       "unset",          "merge",
                                            "mustMerge", "mergeOverwrite", "mustMergeOverwrite"};

    for (size_t i = 0; i < COUNT(functions); i++)
        if (has_word(text, str_c(functions[i])))
            return true;
    return false;
}

/* Texts that were parsed into one set. */
struct texts {
    struct tmpl_set *set;
    struct str_list files;
    size_t bytes;
};

static bool parse_files(struct arena *a, const struct root *root, const struct str_list *files,
                        struct texts *out, struct err *e)
{
    for (size_t i = 0; i < files->len; i++) {
        str text;
        if (!root_read(a, root, files->items[i], &text, e) ||
            !tmpl_parse(out->set, path_base(files->items[i]), text, e))
            return false;
        out->bytes += text.len;
        VEC_PUSH(a, &out->files, files->items[i]);
    }
    return true;
}

static void add_texts(struct arena *a, struct template *t, const struct texts *texts)
{
    t->bytes += texts->bytes;
    for (size_t i = 0; i < texts->files.len; i++)
        VEC_PUSH(a, &t->files, texts->files.items[i]);
}

/* All templates, one after the other. */
struct loading {
    struct arena *arena;
    const struct root *root;
    struct log_buffer *log;
    struct reference *reference;
    struct tmpl_actions *actions;
    struct arena *scratch;  /* emptied after each template */
    struct texts functions; /* of the function files; no set: not parsed yet */
    struct err functions_fault;
    size_t omit_entries; /* of all templates; see OMIT_REFS_MAX */
};

/* False when all templates together have too many entries. list may be NULL. */
static bool add_list(struct loading *l, const struct omit_list *list, struct omit_list *out)
{
    l->omit_entries += list ? list->len : 0;
    if (l->omit_entries > (size_t)OMIT_REFS_MAX)
        return false;
    for (size_t i = 0; list && i < list->len; i++)
        VEC_PUSH(l->arena, out, list->items[i]);
    return true;
}

static bool find_omit_list(struct loading *l, str name, struct omit_list *out, struct err *e)
{
    struct map *lists = l->reference->omit_lists;

    if (!map_has(lists, name))
        return err_set(e, ERR_INVALID,
                       "fieldsToOmitRefs entry \"%.*s\" not found it fieldsToOmit Items",
                       STR_ARG(name));
    return add_list(l, map_get(lists, name), out) ||
           err_set(e, ERR_LIMIT, OMIT_REFS_TEXT, OMIT_REFS_MAX);
}

static void find_omit_lists(struct loading *l, struct template *t, struct err *all)
{
    const struct reference *r = l->reference;
    const struct omit_list *usual = map_get(r->omit_lists, r->omit_default);
    bool fits = true;

    /* Shared, not copied: nothing is added to it. */
    if (!t->omit_refs.len && usual)
        t->omit = *usual;
    for (size_t i = 0; i < t->omit_refs.len && fits; i++) {
        AUTO_ERR e = {0};
        if (find_omit_list(l, t->omit_refs.items[i], &t->omit, &e))
            continue;
        err_join(all, &e);
        fits = e.kind != ERR_LIMIT;
    }
}

static struct tmpl_set *new_set(const struct loading *l)
{
    const struct tmpl_options options = {
        .profile = TMPL_KC, .extra = l->reference->helm ? TMPL_HELM : 0, .actions = l->actions};

    return tmpl_new(l->arena, &options);
}

static bool parse_own(const struct loading *l, struct template *t, struct err *e)
{
    struct texts own = {.set = t->set};
    struct str_list files = {0};
    bool ok = find_files(l->arena, l->root, t->path, &files, e) &&
              parse_files(l->arena, l->root, &files, &own, e);

    add_texts(l->arena, t, &own);
    return ok || err_wrap(e,
                          "an error occurred while parsing template: %.*s specified in the config. "
                          "error",
                          STR_ARG(t->path));
}

static void parse_functions(struct loading *l)
{
    const struct str_list *patterns = &l->reference->function_files;
    struct err *e = &l->functions_fault;
    struct str_list files = {0};
    bool ok = true;

    l->functions.set = new_set(l);
    for (size_t i = 0; i < patterns->len && ok; i++)
        ok = find_files(l->arena, l->root, patterns->items[i], &files, e);
    if (!ok || !parse_files(l->arena, l->root, &files, &l->functions, e))
        err_wrap(e, "an error occurred while parsing the template function files specified in the "
                    "config. error");
}

static bool add_functions(struct loading *l, struct template *t, struct err *e)
{
    if (!l->functions.set)
        parse_functions(l);
    add_texts(l->arena, t, &l->functions);
    tmpl_add(t->set, l->functions.set);
    return l->functions_fault.kind == ERR_NONE || err_copy(e, &l->functions_fault);
}

/* ---- Rendering. ---- */

static const char no_value[] = "<no value>";

str template_output(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str before, rest = text;

    if (str_find_char(text, no_value[0]) == STR_NPOS || !str_contains(text, str_c(no_value)))
        return text;
    while (str_cut(rest, str_c(no_value), &before, &rest))
        buf_add(&out, before);
    buf_add(&out, before);
    return buf_str(&out);
}

/* Where an offset is once all marks before it are cut out; offsets are asked for in order. */
struct cutting {
    str text;
    size_t next, cut;
};

static size_t after_cut(struct cutting *c, size_t at)
{
    const size_t len = strlen(no_value);

    while (c->next != STR_NPOS && c->next + len <= at) {
        size_t more = str_find(str_from(c->text, c->next + len), str_c(no_value));
        c->next = more == STR_NPOS ? STR_NPOS : c->next + len + more;
        c->cut += len;
    }
    return at - c->cut;
}

/* Keeps what a trace wants to know about a rendering. */
static void keep_text(struct arena *a, struct trace *t, const struct template_text *written,
                      str read)
{
    struct cutting from = {.text = written->text, .next = str_find(written->text, str_c(no_value))};
    struct cutting to = from;

    t->text = read;
    t->provenance = written->provenance;
    tmpl_provenance_ranges(a, &t->provenance);
    if (from.next == STR_NPOS)
        return;
    for (size_t i = 0; i < t->provenance.count; i++) {
        t->provenance.items[i].from = after_cut(&from, t->provenance.items[i].from);
        t->provenance.items[i].to = after_cut(&to, t->provenance.items[i].to);
    }
}

/* A pattern that is not itself a name gives templates, but none of its own name. */
static bool execute(struct arena *a, const struct template *t, struct tmpl_run *run,
                    struct buf *out, struct err *e)
{
    if (tmpl_has(t->set, t->name))
        return tmpl_execute(a, t->set, t->name, run, out, e);
    return err_set(e, ERR_NOT_FOUND, "template: %.*s: %.*s is an incomplete or empty template",
                   STR_ARG(t->name), STR_ARG(go_quoted(a, t->name)));
}

/* The original compares the first document and forgets the rest. */
static bool check_single(const struct template *t, str text, struct err *e)
{
    uint32_t line;
    enum yaml_rest rest = yaml_rest(text, &line);

    if (rest == YAML_REST_NONE)
        return true;
    if (rest == YAML_REST_LOOSE)
        return err_set(e, ERR_INVALID, "template: %.*s, line %u of the result: %s",
                       STR_ARG(t->path), (unsigned)line, YAML_REST_LOOSE_TEXT);
    return err_set(e, ERR_INVALID,
                   "template: %.*s renders to several documents, the second in line %u of the "
                   "result; split it into one template for each",
                   STR_ARG(t->path), (unsigned)line);
}

/* More than that is not kept in case somebody asks; the memory of a run is limited. */
#define NOTES_MAX 4096

/* Most templates give a few KiB. */
#define TEXT_USUAL (4 * KIB)

/* Runs it, unless that has been done. */
static bool run_template(struct arena *a, const struct template *t, const struct value *data,
                         struct render *r, struct template_text *out, struct err *e)
{
    struct buf text = buf_new(a, TMPL_OUTPUT_MAX);
    struct tmpl_run run = {.data = data,
                           .exact = r->exact,
                           .hooks = &r->hooks,
                           .provenance = r->text || r->trace ? &out->provenance : NULL,
                           .coverage = r->coverage};

    if (r->text && r->text->complete) {
        *out = *r->text;
        return true;
    }
    out->provenance.note_max = r->trace ? 0 : NOTES_MAX;
    buf_room(&text, TEXT_USUAL);
    bool ok = execute(a, t, &run, &text, e);
    out->text = buf_str(&text);
    out->complete = ok && !run.changed && !r->coverage && !out->provenance.partial;
    r->do_not_match = run.do_not_match;
    r->changed = run.changed;
    if (r->text)
        *r->text = *out;
    return ok;
}

struct rendered {
    const struct template *template;
    struct log_buffer *log;
};

static void warn_of_key(void *ctx, struct where at, str text)
{
    const struct rendered *r = ctx;

    log_buffer_duplicate_key(r->log, "template %.*s, line %u of the result: %.*s",
                             STR_ARG(r->template->path), at.line, STR_ARG(text));
}

bool template_render(struct arena *a, const struct template *t, const struct value *data,
                     struct render *r, struct value **out, struct err *e)
{
    struct template_text text = {0};
    bool ok = run_template(a, t, data, r, &text, e);

    r->written = text.text.len;
    if (!ok)
        return err_wrap(e, "failed to constuct template");
    str plain = template_output(a, text.text);
    if (r->trace)
        keep_text(a, r->trace, &text, plain);
    if (r->keep)
        plain = str_copy(r->keep, plain);
    bool alone = !r->exact;
    struct rendered rendered = {t, r->log};
    const struct read_options options = {.nodes_max = RENDERED_NODES_MAX,
                                         .alone = &alone,
                                         .warn = r->exact && !r->trace ? warn_of_key : NULL,
                                         .warn_ctx = &rendered};
    if (yaml_map_read_with(r->keep ? r->keep : a, plain, options, out, e))
        return alone || check_single(t, plain, e);
    if (e->kind == ERR_LIMIT)
        return err_wrap(e, "template: %.*s renders to too much", STR_ARG(t->path));
    str reason = str_copy(a, e->text);
    return err_set(e, ERR_INVALID,
                   "template: %.*s isn't a yaml file after injection. yaml unmarshal error: %.*s. "
                   "The Template After Execution: %.*s",
                   STR_ARG(t->path), STR_ARG(reason), STR_ARG(r->secret ? STR("***") : text.text));
}

/* ---- Checks. ---- */

static bool check_field(struct arena *a, struct template *t, struct per_field *f,
                        struct captures *none, struct err *e)
{
    bool found;
    str text;

    if (!path_parse_fields(a, f->text, &f->path, e))
        return err_wrap(e,
                        "reference contains template with config per field with pathToKey that is "
                        "not in supoorted format. path: %.*s. error",
                        STR_ARG(f->text));
    f->call = inline_find(f->function);
    if (!f->call)
        return err_set(e, ERR_INVALID,
                       "reference contains template with config per field with InlineDiffFunc "
                       "that does not exist. InlineDiffFunc: %.*s",
                       STR_ARG(f->function));
    if (!nested_string(a, t->metadata, &f->path, true, &text, &found, e))
        return false;
    if (found && !f->call->validate(a, text, none, e))
        return err_wrap(e,
                        "reference contains template with config per field with InlineDiffFunc "
                        "that fails validation. InlineDiffFunc: %.*s. error",
                        STR_ARG(f->function));
    return true;
}

static void check_fields(struct arena *a, struct template *t, struct err *all)
{
    struct captures none = {.arena = a, .left = INLINE_COST_MAX};

    for (size_t i = 0; i < t->per_field.len; i++) {
        AUTO_ERR e = {0};
        if (!check_field(a, t, &t->per_field.items[i], &none, &e)) {
            err_join(all, &e);
            return;
        }
    }
}

/* ---- All templates. ---- */

static size_t find_nothing(void *ctx, struct arena *a, const str query[4],
                           const struct value ***found)
{
    (void)found;
    log_buffer_info(ctx, "pre-init lookupCRs %.*s %.*s %.*s %.*s located 0 objects",
                    STR_ARG(go_quoted(a, query[0])), STR_ARG(go_quoted(a, query[1])),
                    STR_ARG(go_quoted(a, query[2])), STR_ARG(go_quoted(a, query[3])));
    return 0;
}

static void pass_warning(void *ctx, str text)
{
    log_buffer_warn(ctx, "%.*s", STR_ARG(text));
}

static size_t bytes_below(const struct value *container)
{
    size_t bytes = container->len * sizeof(*container);

    for (size_t i = 0; i < container->len; i++)
        if (value_is_container(&container->items[i]))
            bytes += bytes_below(&container->items[i]);
    return bytes;
}

size_t template_tree_bytes(const struct value *v)
{
    return sizeof(*v) + (value_is_container(v) ? bytes_below(v) : 0);
}

/* What rendering needs is dropped but for the result. */
static void make_metadata(struct loading *l, struct template *t, struct err *all)
{
    struct arena *a = l->arena;
    struct log_buffer *log = l->log;
    struct value *metadata = NULL;
    struct render r = {
        .log = log, .hooks = {.ctx = log, .lookup = find_nothing, .warn = pass_warning}, .keep = a};
    AUTO_ERR e = {0};

    log_buffer_info(log, "Pre-processing template %.*s with empty data", STR_ARG(t->path));
    bool ok = template_render(l->scratch, t, NULL, &r, &metadata, &e);
    arena_reset(l->scratch);
    t->bytes += r.written;
    if (!ok) {
        err_wrap(&e, "failed to parse template %.*s with empty data", STR_ARG(t->path));
        err_join(all, &e);
        return;
    }
    t->bytes += template_tree_bytes(metadata);
    t->metadata = metadata;
    t->identity = identity_of(t->metadata);
    check_fields(a, t, all);
    if (!t->identity.kind.len) {
        err_set(&e, ERR_INVALID, "template missing kind: %.*s", STR_ARG(t->path));
        err_join(all, &e);
    }
}

static void parse_template(struct loading *l, struct template *t, struct err *all)
{
    AUTO_ERR e = {0};

    t->set = new_set(l);
    t->name = path_base(t->path);
    if (!parse_own(l, t, &e) || (l->reference->function_files.len && !add_functions(l, t, &e))) {
        err_join(all, &e);
        return;
    }
    t->looks_up = tmpl_reach(t->set) & TMPL_LOOKS_UP;
    t->changes = tmpl_reach(t->set) & TMPL_CHANGES;
    make_metadata(l, t, all);
    find_omit_lists(l, t, all);
}

static bool parse_all(struct loading *l, struct err *e)
{
    struct reference *r = l->reference;
    AUTO_ERR all = {0};
    size_t total = 0;

    for (size_t i = 0; i < r->templates.len; i++) {
        parse_template(l, &r->templates.items[i], &all);
        total += r->templates.items[i].bytes;
        if (total > TEMPLATES_BYTES_MAX)
            return err_set(e, ERR_LIMIT,
                           "the templates up to %.*s, each with the function files and with what "
                           "it renders to, have more than %zu bytes",
                           STR_ARG(r->templates.items[i].path), (size_t)TEMPLATES_BYTES_MAX);
    }
    return all.kind == ERR_NONE || err_copy(e, &all);
}

bool templates_parse(struct arena *a, const struct root *root, struct log_buffer *log,
                     struct reference *r, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    struct loading l = {.arena = a,
                        .root = root,
                        .log = log,
                        .reference = r,
                        .actions = tmpl_actions_new(a),
                        .scratch = scratch};
    bool ok = parse_all(&l, e);

    err_clear(&l.functions_fault);
    return ok;
}
