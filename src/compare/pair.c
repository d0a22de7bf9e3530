/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pair.c - one object against its candidates, and which of them fits best.
 *
 * The object is worked on as a private copy, which loses the omitted fields of one candidate after
 * the other, as the original's shared object does. Improved comparisons give each candidate a copy
 * of its own, so that no template can hide what another one would show.
 */
#include "base/quote.h"
#include "compare/internal.h"
#include "compare/secret.h"
#include "diff/diff.h"
#include "text/json.h"
#include "text/patch.h"
#include "text/yaml.h"

/* The original gives up the shortest answer after a second; results should not depend on load. */
#define SCORE_NS (10 * NS_PER_SEC)

/* How the original writes the rendered side, and how numbers stay what they are. */
static const struct json_style json_floats = {
    .sorted = true, .html = true, .numbers = NUMBERS_FLOAT};
static const struct json_style json_plain = {
    .sorted = true, .html = true, .numbers = NUMBERS_PLAIN};

/* One candidate. */
struct match {
    const struct template *template;
    struct diff_run diff;
    str id; /* of the object, before this candidate's omission */
    size_t score;
    struct value *rendered;
    const struct value *expected, *actual; /* what was printed, secrets masked */
    struct value *patch;                   /* the override that would make them equal, or NULL */
    struct tally tally;                    /* improved only */
};

struct pairing {
    struct arena *arena;
    const struct compare *compare;
    const struct object *object;
    struct value *root; /* the object itself, or a copy */
    const size_t *candidates;
    size_t candidate_count;
    struct outcome *out;
    struct {
        struct match *items;
        size_t len, cap;
    } matches;
    struct journal silent;   /* for lines that would show what is secret */
    struct tally *tally;     /* of the candidate under way, or NULL */
    struct tried_list tried; /* when it is to be explained */
    bool explain;
    struct err errors;
};

/* ---- Lookups. ---- */

static bool field_fits(str wanted, str found)
{
    return !wanted.len || str_eq(wanted, STR("*")) || str_eq(wanted, found);
}

static bool object_fits(const struct value *object, const str query[4])
{
    struct identity i = identity_of(object);

    return str_eq(i.api_version, query[TMPL_API_VERSION]) && str_eq(i.kind, query[TMPL_KIND]) &&
           field_fits(query[TMPL_NAMESPACE], i.namespace) && field_fits(query[TMPL_NAME], i.name);
}

/*
 * Objects that come earlier have lost their omitted fields by now, this one those of the candidates
 * so far, later ones nothing.
 */
static const struct value *view_of(const struct pairing *p, size_t index)
{
    const struct object *o = &p->compare->objects.items[index];

    if (index == p->object->index)
        return p->root;
    return index < p->object->index && o->reduced ? o->reduced : o->root;
}

struct found {
    const struct value **items;
    size_t len, cap;
};

static size_t lookup(void *ctx, struct arena *a, const str query[4], const struct value ***found)
{
    const struct pairing *p = ctx;
    const struct map *kinds = p->compare->by_kind;
    const struct index_list *list = kinds ? map_get(kinds, query[TMPL_KIND]) : NULL;
    struct found out = {0};

    for (size_t i = 0; list && i < list->len; i++) {
        const struct value *view = view_of(p, list->items[i]);
        if (object_fits(view, query))
            VEC_PUSH(a, &out, view);
    }
    *found = out.items;
    journal_info(&p->out->journal, "lookupCRs %.*s %.*s %.*s %.*s located %zu objects",
                 STR_ARG(quote_of(a, query[0])), STR_ARG(quote_of(a, query[1])),
                 STR_ARG(quote_of(a, query[2])), STR_ARG(quote_of(a, query[3])), out.len);
    return out.len;
}

static void pass_warning(void *ctx, str text)
{
    const struct pairing *p = ctx;

    journal_warn(&p->out->journal, "%.*s", STR_ARG(text));
}

/* ---- The rendered side. ---- */

static bool is_improved(const struct pairing *p)
{
    return p->compare->options->improved;
}

/* Both sides as JSON. */
static bool write_sides(struct pairing *p, const struct value *rendered, struct buf *ours,
                        struct buf *theirs, struct err *e)
{
    bool exact = is_improved(p);

    if (!json_write(ours, rendered, exact ? &json_plain : &json_floats, e))
        return err_wrap(e, "failed to marshal reference CR");
    if (!json_write(theirs, p->root, exact ? &json_plain : &json_go, e))
        return err_wrap(e, "failed to marshal cluster CR");
    return true;
}

static bool merge_live(struct pairing *p, struct value **rendered, struct err *e)
{
    struct buf ours = buf_new(p->arena, BUF_UNLIMITED), theirs = buf_new(p->arena, BUF_UNLIMITED);
    struct buf merged = buf_new(p->arena, BUF_UNLIMITED);
    struct source *source = ARENA_NEW(p->arena, struct source);
    const struct read_options options = {.go = true, .any_number = is_improved(p)};

    if (!write_sides(p, *rendered, &ours, &theirs, e))
        return false;
    if (!patch_merge(buf_str(&theirs), buf_str(&ours), &merged, e))
        return err_wrap(e, "failed to merge cluster and reference CRs");
    source->text = buf_str(&merged);
    return json_read(p->arena, source, &options, rendered, e) ||
           err_wrap(e, "failed to unmarshal updated manifest");
}

static bool apply_merge(struct pairing *p, const struct template *t, const struct render *r,
                        struct value **rendered, struct err *e)
{
    if (p->tally)
        tally_merged(p->tally, t, *rendered, p->root);
    if (merge_live(p, rendered, e)) {
        trace_add(r->trace, STAGE_MERGED, NULL, *rendered);
        return true;
    }
    str slug = slug_make(p->arena, object_id(p->arena, p->root));
    return err_wrap(e, "failed to properly merge the manifests for %.*s some diff may be incorrect",
                    STR_ARG(slug));
}

/* Upstream: templates are given the object itself, so what they change in it stays changed. */
static void keep_changes(struct pairing *p, struct render *r)
{
    if (r->changed)
        *p->root = *value_clone(p->arena, r->changed);
    r->changed = NULL;
}

static bool apply_overrides(struct pairing *p, const struct template *t, struct render *r,
                            struct value **rendered, struct err *e)
{
    for (size_t i = 0; i < p->out->override_count; i++) {
        const struct override *o = &p->compare->overrides.items[p->out->overrides[i]];
        if (o->template_path.len && !str_eq(o->template_path, t->path))
            continue;
        bool ok = override_apply(p->arena, o, p->root, r, rendered, e);
        keep_changes(p, r);
        if (!ok)
            return is_improved(p) && err_wrap(e, "override %zu of %.*s", p->out->overrides[i] + 1,
                                              STR_ARG(p->compare->options->overrides));
        trace_add(r->trace, STAGE_OVERRIDDEN, o, *rendered);
    }
    return true;
}

static bool render_object(struct pairing *p, const struct template *t, struct render *r,
                          struct value **rendered, struct err *e)
{
    bool ok = template_render(p->arena, t, p->root, r, rendered, e);

    keep_changes(p, r);
    if (ok)
        trace_add(r->trace, STAGE_RENDERED, NULL, *rendered);
    return ok;
}

/* Functions for single fields log the values they see. */
static struct journal *inline_journal(struct pairing *p)
{
    if (!is_improved(p) || !secret_is(p->root))
        return &p->out->journal;
    p->silent = (struct journal){.arena = p->arena};
    return &p->silent;
}

static bool make_rendered(struct pairing *p, const struct template *t, struct render *r,
                          struct value **rendered, struct err *e)
{
    omit_fields_telling(p->arena, p->root, &t->omit, p->tally ? tally_omitted : NULL, p->tally);
    journal_info(&p->out->journal, "Executing template %.*s", STR_ARG(t->path));
    if (!render_object(p, t, r, rendered, e) || (t->merge && !apply_merge(p, t, r, rendered, e)) ||
        !apply_overrides(p, t, r, rendered, e) ||
        !inline_run(p->arena, t, *rendered, p->root, inline_journal(p), e))
        return err_wrap(e, "template injection failed");
    if (t->per_field.len)
        trace_add(r->trace, STAGE_INLINED, NULL, *rendered);
    omit_fields(p->arena, *rendered, &t->omit);
    return true;
}

/* ---- Printing and comparing. ---- */

static void drop_managed_fields(struct value *object)
{
    struct value *meta = value_get(object, STR("metadata"));

    if (value_is(meta, VALUE_OBJECT))
        value_unset(meta, STR("managedFields"));
}

static bool print_side(struct arena *a, const struct value *v, enum number_rule numbers, str *out,
                       struct err *e)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);

    if (!yaml_write(&text, v, numbers, e))
        return false;
    *out = buf_str(&text);
    return true;
}

static void keep_sides(struct pairing *p, struct match *m, const struct value *expected,
                       const struct value *actual)
{
    if (!is_improved(p))
        return;
    m->expected = expected;
    m->actual = actual;
    tally_compared(&m->tally, expected, actual);
}

static bool mask_sides(struct pairing *p, struct value **merged, struct value **live, struct err *e)
{
    if (!is_improved(p))
        return secret_mask(p->arena, merged, live, e);
    secret_mask_pair(p->arena, merged, live);
    return true;
}

/* Both texts stay empty when they would be the same anyway and nobody else looks at them. */
static bool print_both(struct pairing *p, struct match *m, const struct value *merged,
                       const struct value *live, struct err *e)
{
    bool exact = is_improved(p);
    enum number_rule ours = exact ? NUMBERS_PLAIN : NUMBERS_FLOAT;
    enum number_rule theirs = exact ? NUMBERS_PLAIN : NUMBERS_GO;

    if (!p->compare->diff.command.len && yaml_writes_same(merged, ours, live, theirs))
        return true;
    return print_side(p->arena, merged, ours, &m->diff.merged, e) &&
           print_side(p->arena, live, theirs, &m->diff.live, e);
}

static bool print_sides(struct pairing *p, struct match *m, struct err *e)
{
    struct value *merged = m->rendered, *live = p->root;

    if (!p->compare->options->show_managed_fields) {
        if (p->tally)
            tally_managed(p->tally, live);
        drop_managed_fields(merged);
        drop_managed_fields(live);
    }
    if (mask_sides(p, &merged, &live, e) && print_both(p, m, merged, live, e)) {
        keep_sides(p, m, merged, live);
        return true;
    }
    return err_wrap(e, "error occurered during diff");
}

/* The score itself matters only where it is compared or shown; shown alone it may be rough. */
static size_t score_of(const struct pairing *p, const struct match *m)
{
    if (str_eq(m->diff.merged, m->diff.live))
        return 0;
    if (p->candidate_count == 1 && !p->out->journal.verbose && !p->explain)
        return 1;
    int64_t limit = p->candidate_count == 1 && p->explain ? NS_PER_SEC : SCORE_NS;
    struct diff_pieces pieces = diff_chars(p->arena, m->diff.merged, m->diff.live, limit);
    return diff_chars_score(&pieces);
}

/* ---- Generated overrides. ---- */

static bool is_wanted(const struct compare *c, const struct template *t)
{
    for (size_t i = 0; i < c->options->override_for.len; i++)
        if (str_eq(c->options->override_for.items[i], t->path))
            return true;
    return false;
}

static bool create_patch(const struct pairing *p, str ours, str theirs, struct buf *out,
                         struct err *e)
{
    return is_improved(p) ? patch_create_merge_exact(ours, theirs, out, e)
                          : patch_create_merge(ours, theirs, out, e);
}

/* The override is for people and files: it says which values differ, and not what they are. */
static bool mask_patch(struct pairing *p, const struct match *m, struct buf *patch, struct err *e)
{
    struct source source = {.text = str_copy(p->arena, buf_str(patch))};
    struct value *tree;

    if (!is_improved(p) || !(secret_is(p->root) || secret_is(m->rendered)))
        return true;
    if (!json_read(p->arena, &source, NULL, &tree, e))
        return false;
    if (secret_mask_patch(p->arena, tree))
        journal_warn(&p->out->journal,
                     "%.*s: the generated override has no values of data, which are secret: it "
                     "does not make the object match",
                     STR_ARG(m->id));
    buf_truncate(patch, 0);
    return json_write(patch, tree, &json_plain, e);
}

static bool make_patch(struct pairing *p, struct match *m, struct err *e)
{
    struct buf ours = buf_new(p->arena, BUF_UNLIMITED), theirs = buf_new(p->arena, BUF_UNLIMITED);
    struct buf patch = buf_new(p->arena, BUF_UNLIMITED);
    struct override o = {.identity = identity_of(p->root),
                         .type = STR("mergepatch"),
                         .reason = p->compare->options->override_reason,
                         .template_path = m->template->path};

    if (!is_wanted(p->compare, m->template))
        return true;
    if (!write_sides(p, m->rendered, &ours, &theirs, e))
        return false;
    if (!create_patch(p, buf_str(&ours), buf_str(&theirs), &patch, e) ||
        !mask_patch(p, m, &patch, e))
        return err_wrap(e, "failed to create patch");
    o.patch = buf_str(&patch);
    m->patch = override_write(p->arena, &o);
    return true;
}

/* ---- Candidates. ---- */

static bool try_candidate(struct pairing *p, struct match *m, struct render *r, struct err *e)
{
    if (!make_rendered(p, m->template, r, &m->rendered, e) || !print_sides(p, m, e))
        return false;
    m->diff.slug = slug_make(p->arena, object_id(p->arena, p->root));
    if (!diff_run(p->arena, &p->compare->diff, &m->diff, e))
        return false;
    m->score = score_of(p, m);
    return make_patch(p, m, e);
}

static str reason_of(str text)
{
    static const char marker[] = "error calling doNotMatch: Do not match: ";
    size_t at = str_find(text, str_c(marker));

    return at == STR_NPOS ? text : str_from(text, at + strlen(marker));
}

static void add_tried(struct pairing *p, const struct match *m, const struct render *r,
                      const struct err *e)
{
    bool ok = e->kind == ERR_NONE;

    if (p->explain)
        VEC_PUSH(p->arena, &p->tried,
                 ((struct tried){
                     .template = m->template,
                     .scored = ok,
                     .excluded = !ok && r->do_not_match,
                     .score = m->score,
                     .fault = str_copy(p->arena, r->do_not_match ? reason_of(e->text) : e->text)}));
}

static struct render render_for(struct pairing *p, struct trace *trace)
{
    const struct object *object = p->object;

    return (struct render){.journal = &p->out->journal,
                           .exact = is_improved(p),
                           .helm = is_improved(p),
                           .secret = is_improved(p) && secret_is(object->root),
                           .hooks = {.ctx = p, .lookup = lookup, .warn = pass_warning},
                           .trace = trace};
}

static void add_candidate(struct pairing *p, const struct template *t)
{
    struct render r = render_for(p, NULL);
    const struct object *o = p->out->object;
    struct match m = {.template = t, .tally = {.arena = p->arena, .object = o->root}};
    AUTO_ERR e = {0};

    if (is_improved(p)) {
        p->root = value_clone(p->arena, o->root);
        p->tally = &m.tally;
    }
    m.id = object_id(p->arena, p->root);
    if (try_candidate(p, &m, &r, &e))
        VEC_PUSH(p->arena, &p->matches, m);
    else if (r.do_not_match)
        journal_info(&p->out->journal, "Template %.*s excluded itself from matching: %.*s",
                     STR_ARG(t->path), STR_ARG(reason_of(e.text)));
    else
        err_join(&p->errors, &e);
    add_tried(p, &m, &r, &e);
    p->tally = NULL;
}

static const struct match *best_match(struct pairing *p)
{
    const struct match *best = NULL;

    journal_info(&p->out->journal, "Found %zu matches for %.*s", p->matches.len,
                 STR_ARG(p->out->id));
    for (size_t i = 0; i < p->matches.len; i++) {
        const struct match *m = &p->matches.items[i];
        journal_info(&p->out->journal, " - %.*s - Diff score: %zu", STR_ARG(m->template->path),
                     m->score);
        if (!best || m->score < best->score)
            best = m;
    }
    return best;
}

static void warn_about_program(const struct match *m, struct journal *j)
{
    if (!m->score && m->diff.status == 1)
        journal_warn(j,
                     "%.*s: Internally we found no difference but the external tool responded "
                     "with an exit code of 1",
                     STR_ARG(m->id));
    if (m->score && m->diff.status == 0)
        journal_warn(j,
                     "%.*s: Internally we found a difference but the external tool responded "
                     "with an exit code of 0",
                     STR_ARG(m->id));
}

static void finish(struct pairing *p, const struct match *best)
{
    struct outcome *out = p->out;

    if (p->errors.kind != ERR_NONE) {
        out->kind = OUTCOME_FAILED;
        out->error = str_copy(p->arena, p->errors.text);
    } else if (!best) {
        out->kind = OUTCOME_SKIPPED;
        journal_info(&out->journal,
                     "Skipping comparison of %.*s: doNotMatch returned by all templates",
                     STR_ARG(out->id));
    } else {
        out->kind = OUTCOME_COMPARED;
        out->template = best->template;
        out->differs = best->score > 0;
        out->text = best->diff.text;
        out->patch = best->patch;
        out->tally = best->tally;
        warn_about_program(best, &out->journal);
    }
}

/* ---- Differences as data, and explanations. ---- */

/*
 * Makes the expected side once more, step by step and with the places of the template. Log lines
 * are those of the first time, so these are dropped. Of what earlier candidates of the original
 * changed in the object only the omitted fields are repeated.
 */
static bool retrace(const struct pairing *p, const struct template *t, struct trace *trace)
{
    struct outcome out = {.overrides = p->out->overrides,
                          .override_count = p->out->override_count,
                          .journal = {.arena = p->arena}};
    struct pairing again = {.arena = p->arena, .compare = p->compare, .object = p->object};
    const struct template *templates = p->compare->reference.templates.items;
    struct value *rendered;
    AUTO_ERR e = {0};

    *trace = (struct trace){.arena = p->arena, .compare = p->compare, .template = t};
    trace->object = p->object;
    again.out = &out;
    again.root = value_clone(p->arena, trace->object->root);
    for (size_t i = 0; !is_improved(p) && &templates[p->candidates[i]] != t; i++)
        omit_fields(p->arena, again.root, &templates[p->candidates[i]].omit);
    struct render r = render_for(&again, trace);
    bool ok = make_rendered(&again, t, &r, &rendered, &e);
    trace->live = again.root;
    return ok;
}

static void add_data(struct pairing *p, const struct match *best)
{
    bool wanted = best && p->out->differs && is_improved(p);
    struct result_explanation *x;
    struct trace trace;

    if (!wanted && !p->explain)
        return;
    bool traced = best && retrace(p, best->template, &trace);
    if (wanted)
        fields_find(&trace, best->expected, best->actual, &p->out->fields);
    if (!p->explain)
        return;
    x = p->out->explanation = ARENA_NEW(p->arena, struct result_explanation);
    explain_candidates(p->arena, p->compare, p->object, &p->tried, best ? best->template : NULL, x);
    if (traced)
        explain_suppressed(&trace, &p->tried, x);
}

void compare_object(struct arena *a, const struct compare *c, const struct object *o,
                    struct outcome *out)
{
    struct pairing p = {.arena = a, .compare = c, .object = o, .out = out};

    out->journal = (struct journal){.arena = a, .verbose = c->options->log.verbose};
    out->object = o;
    out->id = o->id;
    p.explain = explain_wants(c->options, o);
    if (!c->templates->find(c->templates, o, &p.candidates, &p.candidate_count)) {
        add_data(&p, NULL);
        return;
    }
    if (c->override_finder)
        (void)c->override_finder->find(c->override_finder, o, &out->overrides,
                                       &out->override_count);
    /* Improved comparisons work on a copy per candidate. */
    if (!c->options->improved)
        p.root = c->keeps_objects ? value_clone(a, o->root) : o->root;
    for (size_t i = 0; i < p.candidate_count; i++)
        add_candidate(&p, &c->reference.templates.items[p.candidates[i]]);
    out->id = c->options->improved ? o->id : object_id(a, p.root);
    const struct match *best = best_match(&p);
    finish(&p, best);
    add_data(&p, best);
    err_clear(&p.errors);
}

void compare_reduce(struct arena *a, const struct compare *c, struct object *o)
{
    const size_t *candidates;
    size_t count;

    if (!c->templates->find(c->templates, o, &candidates, &count))
        return;
    o->reduced = value_clone(a, o->root);
    for (size_t i = 0; i < count; i++)
        omit_fields(a, o->reduced, &c->reference.templates.items[candidates[i]].omit);
    if (!c->options->show_managed_fields)
        drop_managed_fields(o->reduced);
}
