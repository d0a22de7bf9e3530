/* SPDX-License-Identifier: Apache-2.0 */
/* pair.c - compares one object with its candidates, and chooses the best. */
#include "compare/pair/pair_internal.h"
#include "base/quote.h"
#include "go/plain.h"

/* ---- What is secret. ---- */

const struct secret_values *pair_values(struct pairing *p)
{
    if (p->values_known || !p->dialect->masked_secrets)
        return p->values;
    p->values_known = true;
    p->values = p->run->by_kind ? p->run->values : secret_values_of(p->arena, &p->object->root, 1);
    return p->values;
}

/* Where what ends that the text has from byte at on; 0: it has none. */
static size_t behind(str text, size_t at, const char *what)
{
    size_t found = str_find(str_from(text, at), str_c(what));

    return found == STR_NPOS ? 0 : at + found + strlen(what);
}

/*
 * How much of an error is our own words and names: where a template failed, in which of its actions
 * and functions. What follows is what functions and templates say, and that may be these words too:
 * so they count only in front.
 */
static size_t own_words(str text)
{
    static const char ours[] = "template injection failed: ";
    static const char fails[] = "failed to constuct template: template: ";
    static const char calls[] = "error calling ";
    size_t own = strlen(ours), end;

    if (!str_has_prefix(text, str_c(ours)))
        return 0;
    if (!str_has_prefix(str_from(text, own), str_c(fails)) || !(end = behind(text, own, " at <")))
        return own;
    own = behind(text, end, ">: ");
    if (str_has_prefix(str_from(text, own), str_c(calls)))
        return behind(text, own, ": ");
    return own;
}

static size_t own_words_of_line(const struct log_line *line)
{
    static const char *const own[] = {"Executing template ", "Found ", " - ",
                                      "Skipping comparison "};

    if (line->severity != 'I')
        return 0;
    for (size_t i = 0; i < COUNT(own); i++)
        if (str_has_prefix(line->text, str_c(own[i])))
            return line->text.len;
    if (str_has_prefix(line->text, STR("Template ")))
        return behind(line->text, 0, "excluded itself from matching: ");
    return 0;
}

/* Hides values in what follows our own words. */
static str hide_behind(struct pairing *p, size_t own, str text)
{
    str rest = str_from(text, own), shown;

    shown = secret_values_hide_message(p->arena, pair_values(p), rest);
    return shown.ptr == rest.ptr ? text : str_concat(p->arena, str_slice(text, 0, own), shown);
}

/* Functions quote what they are given. */
static void hide_in_error(struct pairing *p, size_t own, struct err *e)
{
    str shown = hide_behind(p, own, e->text);

    if (shown.ptr != e->text.ptr)
        err_set_str(e, e->kind, shown);
}

static void hide_in_lines(struct pairing *p)
{
    for (size_t i = 0; i < p->out->log.lines.len; i++) {
        struct log_line *line = &p->out->log.lines.items[i];
        line->text = hide_behind(p, own_words_of_line(line), line->text);
    }
}

/* ---- Candidates. ---- */

/* The only use of the slug: in process, and with labels, no file is named after the object. */
static bool names_files(const struct pairing *p)
{
    return p->run->diff.command.len || !p->dialect->fields || !p->dialect->long_names;
}

static bool try_candidate(struct pairing *p, struct match *m, struct render *r, struct err *e)
{
    if (!pair_render(p, m->template, r, &m->rendered, e) || !pair_align(p, m, e) ||
        (!p->lazy && !pair_print(p, m, e)))
        return false;
    if (names_files(p))
        m->diff.slug = slug_make(p->arena, object_id(p->arena, p->root));
    if (!diff_begin(p->arena, &p->run->diff, &m->diff, e))
        return false;
    if (!p->lazy)
        pair_score(p, m);
    return pair_patch(p, m, e);
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
                 ((struct tried){.template = m->template,
                                 .scored = ok,
                                 .excluded = !ok && r->do_not_match,
                                 .score = m->score,
                                 .fault = str_copy(p->arena, e->text)}));
}

static void add_candidate(struct pairing *p, const struct template *t)
{
    struct render r = pair_render_options(p, NULL);
    const struct object *o = p->out->object;
    struct match m = {.template = t, .tally = {.arena = p->arena, .object = o->root}};
    AUTO_ERR e = {0};

    if (p->dialect->isolated_candidates) {
        p->root = value_clone(p->arena, o->root);
        r.text = &m.text;
    }
    if (p->dialect->verdict)
        p->tally = &m.tally;
    m.id = object_id(p->arena, p->root);
    if (try_candidate(p, &m, &r, &e)) {
        VEC_PUSH(p->arena, &p->matches, m);
    } else if (r.do_not_match) {
        err_set_str(&e, e.kind, str_copy(p->arena, reason_of(e.text)));
        log_buffer_info(&p->out->log, "Template %.*s excluded itself from matching: %.*s",
                        STR_ARG(t->path), STR_ARG(e.text));
        hide_in_error(p, 0, &e);
    } else {
        hide_in_error(p, own_words(e.text), &e);
        err_join(&p->errors, &e);
    }
    add_tried(p, &m, &r, &e);
    p->tally = NULL;
}

static struct match *first_same(const struct pairing *p)
{
    for (size_t i = 0; i < p->matches.len; i++)
        if (p->matches.items[i].same)
            return &p->matches.items[i];
    return NULL;
}

/* Prints and scores what lazy candidates put off; exact numbers can always be printed. */
static void score_all(struct pairing *p)
{
    for (size_t i = 0; i < p->matches.len; i++) {
        struct match *m = &p->matches.items[i];
        m->score = SIZE_MAX;
        if (pair_print(p, m, &p->errors))
            pair_score(p, m);
    }
}

/*
 * Scores of texts that differ too much are too large, each by another amount. All are replaced by
 * such as can be had for every text. The original compares what it has.
 */
static void score_again(struct pairing *p)
{
    const struct match *rough = NULL;

    for (size_t i = 0; i < p->matches.len; i++)
        rough = p->matches.items[i].rough ? &p->matches.items[i] : rough;
    if (!rough || p->matches.len < 2 || !p->dialect->isolated_candidates)
        return;
    for (size_t i = 0; i < p->matches.len; i++) {
        struct match *m = &p->matches.items[i];
        m->score = pair_score_lines(m);
        for (size_t k = 0; k < p->tried.len; k++)
            if (p->tried.items[k].template == m->template)
                p->tried.items[k].score = m->score;
    }
    log_buffer_warn(&p->out->log,
                    "%.*s and the template %.*s differ too much to be compared character by "
                    "character: the closest template was chosen by lines",
                    STR_ARG(p->out->id), STR_ARG(rough->template->path));
}

static struct match *best_match(struct pairing *p)
{
    struct match *best = p->lazy ? first_same(p) : NULL;

    if (best)
        return best;
    if (p->lazy)
        score_all(p);
    score_again(p);

    log_buffer_info(&p->out->log, "Found %zu matches for %.*s", p->matches.len,
                    STR_ARG(p->out->id));
    for (size_t i = 0; i < p->matches.len; i++) {
        struct match *m = &p->matches.items[i];
        log_buffer_info(&p->out->log, " - %.*s - Diff score: %zu", STR_ARG(m->template->path),
                        m->score);
        if (!best || m->score < best->score)
            best = m;
    }
    return best;
}

static void warn_about_program(const struct match *m, struct log_buffer *log)
{
    if (!m->score && m->diff.status == 1)
        log_buffer_warn(log,
                        "%.*s: Internally we found no difference but the external tool responded "
                        "with an exit code of 1",
                        STR_ARG(m->id));
    if (m->score && m->diff.status == 0)
        log_buffer_warn(log,
                        "%.*s: Internally we found a difference but the external tool responded "
                        "with an exit code of 0",
                        STR_ARG(m->id));
}

/* Files instead of temporary names: two runs give the same text. */
static void label_sides(const struct pairing *p, struct match *best)
{
    struct arena *a = p->arena;
    const struct object *o = p->object;
    str place = place_text(a, o->place), label = identity_label(a, &o->identity);

    struct result_place template = {
        .file = reference_file(a, &p->compare->reference, best->template->path)};

    if (p->traced)
        template.line = trace_template_line(&p->trace);
    best->diff.from = place_text(a, template);
    best->diff.to = str_fmt(a, "%.*s%s%.*s", STR_ARG(place), place.len ? " " : "",
                            STR_ARG(quote_line(a, label.len ? label : o->id)));
}

static void finish(struct pairing *p, struct match *best)
{
    struct outcome *out = p->out;

    if (p->errors.kind != ERR_NONE) {
        out->kind = OUTCOME_FAILED;
        out->error = str_copy(p->arena, p->errors.text);
    } else if (!best) {
        out->kind = OUTCOME_SKIPPED;
        log_buffer_info(&out->log,
                        "Skipping comparison of %.*s: doNotMatch returned by all templates",
                        STR_ARG(out->id));
    } else {
        out->kind = OUTCOME_COMPARED;
        out->template = best->template;
        out->differs = best->score > 0;
        pair_trace(p, best);
        if (p->dialect->fields && !best->same)
            label_sides(p, best);
        diff_end(p->arena, &p->run->diff, &best->diff);
        out->text = best->diff.text;
        out->patch = best->patch;
        if (p->dialect->verdict)
            tally_compared(&best->tally, best->expected,
                           best->same ? best->expected : best->actual);
        out->tally = best->tally;
        warn_about_program(best, &out->log);
    }
}

/* ---- The whole. ---- */

void compare_object(struct arena *a, const struct run *r, const struct object *o,
                    struct outcome *out)
{
    const struct compare *c = r->compare;
    struct pairing p = {.arena = a,
                        .run = r,
                        .compare = c,
                        .dialect = r->options->dialect,
                        .object = o,
                        .out = out};

    out->log = (struct log_buffer){.arena = a, .verbose = r->options->log.verbose};
    out->object = o;
    out->id = o->id;
    p.explain = explain_wants(r->options, o);
    /* A program that shows differences reads both texts. */
    p.lazy = p.dialect->exact_numbers && !p.explain && !r->options->log.verbose &&
             !r->diff.command.len;
    if (!c->templates->find(c->templates, o, &p.candidates, &p.candidate_count)) {
        pair_add_data(&p, NULL);
        return;
    }
    if (c->override_finder)
        (void)c->override_finder->find(c->override_finder, o, &out->overrides,
                                       &out->override_count);
    if (!p.dialect->isolated_candidates)
        p.root = r->keeps_objects && !r->in_turn ? value_clone(a, o->root) : o->root;
    for (size_t i = 0; i < p.candidate_count; i++)
        add_candidate(&p, &c->reference.templates.items[p.candidates[i]]);
    out->id = p.dialect->isolated_candidates ? o->id : object_id(a, p.root);
    struct match *best = best_match(&p);
    finish(&p, best);
    hide_in_lines(&p);
    if (p.dialect->own_words && out->error.len)
        out->error = go_plain(a, out->error);
    pair_add_data(&p, best);
    err_clear(&p.errors);
}
