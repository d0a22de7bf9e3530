/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - a comparison from its options to its results: loading, correlating, and counting.
 * What happens in between is in run.c.
 */
#include "compare/run_internal.h"
#include "compare/explain/explain_internal.h"
#include "compare/input/input_internal.h"
#include "compare/reference/templates_internal.h"
#include "go/quote.h"
#include "net/redact.h"

#include <sys/stat.h>
#include <errno.h>

/* ---- Loading. ---- */

/* What the user should know before a folder is looked into. */
static bool check_reference(struct arena *a, const struct compare_options *o, bool *folder,
                            struct err *e)
{
    struct stat st = {0};

    if (root_is_remote(o->reference))
        return true;
    bool missing = stat(str_z(a, o->reference), &st) != 0 && errno == ENOENT;
    if (missing && o->dialect->own_words)
        return err_set(e, ERR_NOT_FOUND,
                       "the reference %.*s does not exist; name its metadata file, or the folder "
                       "that holds metadata.yaml",
                       STR_ARG(redact_place(a, o->reference)));
    if (missing)
        return err_set(e, ERR_NOT_FOUND, "\"Reference config file doesn't exist\"");
    *folder = S_ISDIR(st.st_mode);
    return true;
}

static bool find_reference(struct arena *a, const struct compare_options *o, struct root *root,
                           str *file, struct err *e)
{
    bool folder = false;

    if (!check_reference(a, o, &folder, e) ||
        !root_open_linked(a, o->reference, o->outside_links || !o->dialect->confined_links, root,
                          file, e))
        return false;
    root->original = !o->dialect->own_words;
    if (o->dialect->folder_names && folder) {
        root->folder = o->reference;
        *file = STR("metadata.yaml");
    }
    return true;
}

/* Of a path that is listed twice, the last one. */
static bool find_template(const struct reference *r, str path, size_t *index)
{
    for (size_t i = r->templates.len; i-- > 0;)
        if (str_eq(r->templates.items[i].path, path)) {
            *index = i;
            return true;
        }
    return false;
}

static int compare_strs(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

/* Turns paths into indexes of templates. Of several unknown ones the first by object counts. */
static bool resolve_pairs(struct compare *c, const struct map *pairs, struct map **out,
                          struct err *e)
{
    str *ids = ARENA_ARRAY(c->arena, str, map_len(pairs));

    for (size_t i = 0; i < map_len(pairs); i++)
        ids[i] = map_key(pairs, i);
    qsort(ids, map_len(pairs), sizeof(str), compare_strs);
    *out = map_new(c->arena);
    for (size_t i = 0; i < map_len(pairs); i++) {
        const str *path = map_get(pairs, ids[i]);
        size_t *index = ARENA_NEW(c->arena, size_t);
        if (!find_template(&c->reference, *path, index))
            return err_set(e, ERR_INVALID,
                           "error in template manual matching for resource: %.*s no template in "
                           "the name of %.*s",
                           STR_ARG(ids[i]), STR_ARG(*path));
        map_set(*out, ids[i], index);
    }
    return true;
}

static bool build_correlators(struct compare *c, const struct map *pairs, struct err *e)
{
    const struct reference *r = &c->reference;
    struct candidate *candidates = ARENA_ARRAY(c->arena, struct candidate, r->templates.len);
    struct correlator *chain[2];
    size_t count = 0;
    struct map *exact;

    if (map_len(pairs)) {
        if (!resolve_pairs(c, pairs, &exact, e))
            return false;
        chain[count++] = correlate_exact(c->arena, exact);
    }
    for (size_t i = 0; i < r->templates.len; i++)
        candidates[i] =
            (struct candidate){r->templates.items[i].identity, r->templates.items[i].path};
    chain[count++] =
        correlate_group(c->arena, template_groups, candidates, r->templates.len, &c->journal);
    c->templates = correlate_multi(c->arena, chain, count);
    if (c->overrides.len)
        c->override_finder = overrides_correlator(c->arena, &c->overrides, &c->journal);
    return true;
}

/* How many templates a message names. */
#define REPEATED_SHOWN 10

/*
 * The original takes such references: only the first of the two is ever chosen, and both count as
 * matched when it is, so that a component with both is never said to lack anything.
 */
static bool check_repeated(struct arena *a, const struct reference *r, struct err *e)
{
    struct map *seen = map_new(a), *repeated = map_new(a);
    struct str_list shown = {0};

    for (size_t i = 0; i < r->templates.len; i++) {
        str path = r->templates.items[i].path;
        if (map_has(seen, path))
            map_set(repeated, path, &repeated);
        map_set(seen, path, &seen);
    }
    for (size_t i = 0; i < map_len(repeated) && i < REPEATED_SHOWN; i++)
        VEC_PUSH(a, &shown, map_key(repeated, i));
    if (!map_len(repeated))
        return true;
    str names = str_join(a, shown.items, shown.len, STR(", "));
    return err_set(e, ERR_INVALID, "the reference lists %zu template%s more than once: %.*s%s",
                   map_len(repeated), map_len(repeated) == 1 ? "" : "s", STR_ARG(names),
                   map_len(repeated) > shown.len ? ", ..." : "");
}

/* For an unknown name the original silently writes no overrides. */
static bool check_override_for(struct arena *a, const struct compare *c, struct err *e)
{
    const struct str_list *names = &c->options->override_for;
    struct str_list known = {0};
    size_t index;

    for (size_t i = 0; i < c->reference.templates.len && i < REPEATED_SHOWN; i++)
        VEC_PUSH(a, &known, c->reference.templates.items[i].path);
    for (size_t i = 0; i < names->len; i++)
        if (!find_template(&c->reference, names->items[i], &index))
            return err_set(e, ERR_USAGE,
                           "--generate-override-for: the reference has no template %.*s; it has "
                           "%.*s%s",
                           STR_ARG(go_quoted(a, names->items[i])),
                           STR_ARG(str_join(a, known.items, known.len, STR(", "))),
                           c->reference.templates.len > known.len ? ", ..." : "");
    return true;
}

static bool load_from(struct compare *c, struct root *root, struct err *e)
{
    const struct compare_options *o = c->options;
    struct map *pairs = map_new(c->arena);
    str file = STR_NONE;

    c->reference.helm = o->dialect->helm_functions;
    return find_reference(c->arena, o, root, &file, e) &&
           reference_load(c->arena, root, file, &c->journal, &c->reference, e) &&
           (!o->config.len || user_config_load(c->arena, o->config, &pairs, e)) &&
           templates_parse(c->arena, root, &c->journal, &c->reference, e) &&
           (!o->dialect->sound_overrides ||
            (check_repeated(c->arena, &c->reference, e) && check_override_for(c->arena, c, e))) &&
           (!o->overrides.len || overrides_load(c->arena, o->overrides, &c->overrides, e)) &&
           build_correlators(c, pairs, e);
}

static bool load(struct compare *c, struct err *e)
{
    struct root root = {0};
    bool ok = load_from(c, &root, e);

    root_close(&root);
    return ok;
}

bool compare_is_remote(const struct compare_options *options)
{
    return root_is_remote(options->reference);
}

bool compare_load(struct arena *a, const struct compare_options *options, struct compare **out,
                  struct err *e)
{
    struct compare *c = ARENA_NEW(a, struct compare);

    c->arena = a;
    c->options = options;
    c->journal = (struct journal){.arena = a, .verbose = options->log.verbose};
    c->diff = (struct diff_program){options->external_diff, options->temp, options->dialect};
    bool ok = load(c, e);
    journal_flush(&c->journal, &options->log);
    *out = c;
    return ok;
}

str compare_hash(struct compare *c)
{
    struct journal quiet = {.arena = c->arena};

    if (!c->hash.len)
        c->hash = reference_hash(c->arena, &c->reference, &quiet);
    return c->hash;
}

void compare_kinds(struct arena *a, const struct compare *c, struct compare_kinds *out)
{
    struct map *seen = map_new(a);

    for (size_t i = 0; i < c->reference.templates.len; i++) {
        const struct identity *id = &c->reference.templates.items[i].identity;
        struct compare_kind kind = {.kind = id->kind};
        str version;
        api_version_split(id->api_version, &kind.group, &version);
        str key = str_fmt(a, "%.*s/%.*s", STR_ARG(kind.group), STR_ARG(kind.kind));
        if (map_has(seen, key))
            continue;
        map_set(seen, key, seen);
        VEC_PUSH(a, out, kind);
    }
}

struct compare *compare_again(struct arena *a, const struct compare *c,
                              const struct compare_options *options)
{
    struct compare *again = ARENA_NEW(a, struct compare);

    again->arena = a;
    again->options = options;
    again->journal = (struct journal){.arena = a, .verbose = options->log.verbose};
    again->reference = c->reference;
    again->overrides = c->overrides;
    again->templates = c->templates;
    again->override_finder = c->override_finder;
    again->diff = (struct diff_program){options->external_diff, options->temp, options->dialect};
    again->hash = c->hash;
    return again;
}

/* ---- Results. ---- */

void run_count(struct run *r, str path)
{
    size_t *n = map_get(r->matches, path);

    if (!n) {
        n = ARENA_NEW(r->compare->arena, size_t);
        map_set(r->matches, path, n);
    }
    ++*n;
    r->results->total++;
}

static void add_reasons(struct run *r, const struct outcome *o, struct result_diff *d)
{
    struct str_list reasons = {0};

    for (size_t i = 0; i < o->override_count; i++) {
        str reason = r->compare->overrides.items[o->overrides[i]].reason;
        if (reason.len)
            VEC_PUSH(r->compare->arena, &reasons, reason);
    }
    d->reasons = reasons.items;
    d->reason_count = reasons.len;
}

static void add_patch(struct run *r, const struct value *patch)
{
    struct arena *a = r->compare->arena;

    if (!r->results->patches)
        r->results->patches = value_list(a);
    value_add(a, r->results->patches, value_copy(a, patch));
}

static void add_compared(struct run *r, const struct outcome *o)
{
    struct arena *a = r->compare->arena;
    struct result_diff d = {.object = str_copy(a, o->id),
                            .template = o->template->path,
                            .description = o->template->description,
                            .part = o->template->part,
                            .component = o->template->component,
                            .text = str_copy(a, o->text),
                            .differs = o->differs,
                            .place = o->object->place,
                            .patched = o->override_count > 0};

    run_count(r, o->template->path);
    r->results->differing += o->differs;
    r->results->patched += d.patched;
    tally_add(&r->tally, &o->tally);
    add_reasons(r, o, &d);
    d.fields_known = r->compare->options->dialect->fields;
    fields_copy(a, &o->fields, &d.fields);
    if (o->patch)
        add_patch(r, o->patch);
    VEC_PUSH(a, &r->results->diffs, d);
}

/* A fault of one object is a note about it. */
static void note_failed(struct run *r, const struct outcome *o)
{
    struct compare *c = r->compare;
    const struct result_note note = {
        .place = o->object->place,
        .reason = str_fmt(c->arena, "%.*s: %.*s", STR_ARG(o->object->id), STR_ARG(o->error)),
        .failed = true};

    r->failed++;
    c->verdict.failed_objects++;
    verdict_note(c->arena, &c->verdict, &r->later, &note);
}

static void add_failed(struct run *r, const struct outcome *o)
{
    struct arena *a = r->compare->arena;
    AUTO_ERR e = {0};

    VEC_PUSH(a, &r->results->unmatched, str_copy(a, o->id));
    if (error_ignorable(o->error, &r->later)) {
        r->compare->verdict.failed_objects++;
        return;
    }
    err_set(&e, ERR_INVALID, "%.*s", STR_ARG(o->error));
    err_join(&r->errors, &e);
}

/* Upstream: none without -A, and never an object that all its templates excluded. */
static bool lists_unmatched(const struct run *r, const struct outcome *o)
{
    const struct compare_options *options = r->compare->options;

    if (!options->dialect->some_unmatched)
        return options->all && o->kind == OUTCOME_NONE;
    if (options->one_of_many)
        return options->all;
    return options->all || r->results->unmatched.len < RESULT_UNMATCHED_SHOWN;
}

void run_add(struct run *r, struct outcome *o)
{
    struct arena *a = r->compare->arena;

    journal_move(&r->later, &o->journal);
    if (o->explanation)
        VEC_PUSH(a, &r->results->explanations, explanation_copy(a, o->explanation));
    r->compare->verdict.matched += o->kind == OUTCOME_COMPARED;
    r->compare->verdict.unmatched += o->kind == OUTCOME_NONE || o->kind == OUTCOME_SKIPPED;
    if (o->kind == OUTCOME_COMPARED)
        add_compared(r, o);
    else if (o->kind == OUTCOME_FAILED && r->compare->options->dialect->isolated_faults)
        note_failed(r, o);
    else if (o->kind == OUTCOME_FAILED)
        add_failed(r, o);
    else if (lists_unmatched(r, o))
        VEC_PUSH(a, &r->results->unmatched, str_copy(a, o->id));
}

/* An explanation was asked for an object that is not there. */
static void warn_unexplained(struct run *r)
{
    const struct compare_options *o = r->compare->options;

    if (o->explain && o->explain_object.len && !r->results->explanations.len)
        journal_warn(&r->compare->journal,
                     "no object to explain has the id, kind/name or kind/namespace/name %.*s",
                     STR_ARG(o->explain_object));
}

/* "1 thing was" or "N things were". */
static str counted(struct arena *a, size_t n, const char *thing)
{
    return str_fmt(a, "%zu %s%s", n, thing, n == 1 ? " was" : "s were");
}

static str why_no_member(struct arena *a, size_t members, size_t ignored)
{
    str found = counted(a, members, "member");

    if (ignored >= members)
        return str_fmt(a, "%.*s found in archives and skipped", STR_ARG(found));
    if (ignored)
        return str_fmt(a,
                       "%.*s found in archives: %zu skipped, and none of the others has a name "
                       "that ends in .json, .yaml or .yml",
                       STR_ARG(found), ignored);
    return str_fmt(a,
                   "%.*s found in archives, and none has a name that ends in .json, .yaml or "
                   ".yml",
                   STR_ARG(found));
}

/* What was read, and why it could not be compared. */
static str why_nothing(struct arena *a, const struct run *r)
{
    const struct compare *c = r->compare;
    const struct feed_extent *x = &r->extent;
    size_t objects = c->verdict.unmatched, documents = c->verdict.documents;

    if (!c->reference.templates.len)
        return STR("the reference has no templates");
    if (objects)
        return str_fmt(a,
                       "%.*s read, and the reference has no template for %s; is it the reference "
                       "of another product?",
                       STR_ARG(counted(a, objects, "object")), objects == 1 ? "it" : "any of them");
    if (x->live)
        return STR("the cluster has no object of a kind that the reference has templates for");
    if (documents)
        return str_fmt(a, "%.*s read, and none is a Kubernetes object",
                       STR_ARG(counted(a, documents, "document")));
    if (x->members)
        return why_no_member(a, x->members, c->verdict.members_ignored);
    return str_fmt(a, "%.*s read without finding a document",
                   STR_ARG(counted(a, x->files ? x->files : 1, "file")));
}

static void note_nothing(struct run *r)
{
    struct compare *c = r->compare;
    bool input = c->reference.templates.len > 0;
    const struct result_note note = {.place = {.file = input ? r->extent.only : STR_NONE},
                                     .reason = why_nothing(c->arena, r),
                                     .failed = true};

    if (c->options->dialect->verdict)
        verdict_note_first(c->arena, &c->verdict, &c->journal, &note);
}

static bool run(struct run *r, struct err *e)
{
    struct compare *c = r->compare;

    if (!run_all(r, e))
        return false;
    if (r->errors.kind != ERR_NONE)
        return err_set(e, ERR_INVALID, "error occurred while trying to process resources: %.*s",
                       STR_ARG(r->errors.text));
    warn_unexplained(r);
    if (c->options->dialect->isolated_faults && r->failed && !c->verdict.matched)
        return err_set(e, ERR_INVALID,
                       "nothing could be compared: %zu objects have a template, and all failed",
                       r->failed);
    if (!c->verdict.matched)
        note_nothing(r);
    issues_find(c->arena, &c->reference, r->matches, r->results);
    if (!c->hash.len)
        c->hash = reference_hash(c->arena, &c->reference, &c->journal);
    r->results->hash = c->hash;
    return true;
}

/* Names of inputs that are listed. */
#define INPUTS_SHOWN 3

static str input_name(struct arena *a, const struct compare *c)
{
    const struct compare_options *o = c->options;
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (o->kustomize.len)
        return o->kustomize;
    for (size_t i = 0; i < o->files.len && i < INPUTS_SHOWN; i++) {
        str file = str_eq(o->files.items[i], STR("-")) ? STR("standard input") : o->files.items[i];
        buf_fmt(&out, "%s%.*s", i ? ", " : "", STR_ARG(redact_place(a, file)));
    }
    if (o->files.len > INPUTS_SHOWN)
        buf_fmt(&out, " and %zu more", o->files.len - INPUTS_SHOWN);
    return out.len ? buf_str(&out) : c->cluster_name;
}

static void set_subject(const struct compare *c, struct results *out)
{
    out->subject =
        (struct result_subject){.reference = redact_place(c->arena, c->options->reference),
                                .version = c->reference.version,
                                .input = input_name(c->arena, c)};
}

static void finish_verdict(const struct run *r, struct results *out)
{
    struct compare *c = r->compare;

    out->unmatched_all = c->options->all;
    out->verdict.complete = c->verdict.matched && !c->verdict.failed && !c->verdict.failed_objects;
    if (!c->options->dialect->verdict)
        return;
    set_subject(c, out);
    tally_finish(&r->tally, &c->verdict);
    c->verdict.complete = out->verdict.complete;
    out->verdict = c->verdict;
    out->verdict.known = true;
}

bool compare_run(struct compare *c, struct results *out, struct err *e)
{
    struct run r = {.compare = c,
                    .tally = {.arena = c->arena},
                    .results = out,
                    .matches = map_new(c->arena),
                    .later = {.arena = c->arena, .verbose = c->journal.verbose}};

    *out = (struct results){.overrides = c->options->overrides};
    for (size_t i = 0; i < c->overrides.len; i++)
        add_patch(&r, override_write(c->arena, &c->overrides.items[i]));
    bool ok = run(&r, e);
    journal_flush(&c->journal, &c->options->log);
    finish_verdict(&r, out);
    err_clear(&r.errors);
    return ok;
}
