/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect.c - collects the results of all objects, what they mean for the components of the
 * reference, and how complete the comparison was.
 */
#include "compare/run_internal.h"
#include "compare/explain/explain_internal.h"
#include "net/redact.h"

/* ---- One object. ---- */

void run_count(struct run *r, str path)
{
    size_t *n = map_get(r->matches, path);

    if (!n) {
        n = ARENA_NEW(r->arena, size_t);
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
            VEC_PUSH(r->arena, &reasons, reason);
    }
    d->reasons = reasons.items;
    d->reason_count = reasons.len;
}

void run_add_patch(struct run *r, const struct value *patch)
{
    struct arena *a = r->arena;

    if (!r->results->patches)
        r->results->patches = value_list(a);
    value_add(a, r->results->patches, value_copy(a, patch));
}

static void add_compared(struct run *r, const struct outcome *o)
{
    struct arena *a = r->arena;
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
    d.fields_known = r->options->dialect->fields;
    fields_copy(a, &o->fields, &d.fields);
    if (o->patch)
        run_add_patch(r, o->patch);
    VEC_PUSH(a, &r->results->diffs, d);
}

/* A fault of one object is a note about it. */
static void note_failed(struct run *r, const struct outcome *o)
{
    const struct result_note note = {
        .place = o->object->place,
        .reason = str_fmt(r->arena, "%.*s: %.*s", STR_ARG(o->object->id), STR_ARG(o->error)),
        .failed = true};

    r->failed++;
    r->verdict.failed_objects++;
    verdict_note(r->arena, &r->verdict, &r->later, &note);
}

static void add_failed(struct run *r, const struct outcome *o)
{
    struct arena *a = r->arena;
    AUTO_ERR e = {0};

    VEC_PUSH(a, &r->results->unmatched, str_copy(a, o->id));
    if (error_ignorable(o->error, &r->later)) {
        r->verdict.failed_objects++;
        return;
    }
    err_set(&e, ERR_INVALID, "%.*s", STR_ARG(o->error));
    err_join(&r->errors, &e);
}

/* Upstream: none without -A, and never an object that all its templates excluded. */
static bool lists_unmatched(const struct run *r, const struct outcome *o)
{
    const struct compare_options *options = r->options;

    if (!options->dialect->some_unmatched)
        return options->all && o->kind == OUTCOME_NONE;
    if (options->one_of_many)
        return options->all;
    return options->all || r->results->unmatched.len < RESULT_UNMATCHED_SHOWN;
}

void run_add(struct run *r, struct outcome *o)
{
    struct arena *a = r->arena;

    log_buffer_move(&r->later, &o->log);
    if (o->explanation)
        VEC_PUSH(a, &r->results->explanations, explanation_copy(a, o->explanation));
    r->verdict.matched += o->kind == OUTCOME_COMPARED;
    r->verdict.unmatched += o->kind == OUTCOME_NONE || o->kind == OUTCOME_SKIPPED;
    if (o->kind == OUTCOME_COMPARED)
        add_compared(r, o);
    else if (o->kind == OUTCOME_FAILED && r->options->dialect->isolated_faults)
        note_failed(r, o);
    else if (o->kind == OUTCOME_FAILED)
        add_failed(r, o);
    else if (lists_unmatched(r, o))
        VEC_PUSH(a, &r->results->unmatched, str_copy(a, o->id));
}

/* ---- All of them. ---- */

/* An explanation was asked for an object that is not there. */
static void warn_unexplained(struct run *r)
{
    const struct compare_options *o = r->options;

    if (o->explain && o->explain_object.len && !r->results->explanations.len)
        log_buffer_warn(&r->log,
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
    const struct feed_extent *x = &r->extent;
    size_t objects = r->verdict.unmatched, documents = r->verdict.documents;

    if (!r->compare->reference.templates.len)
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
        return why_no_member(a, x->members, r->verdict.members_ignored);
    return str_fmt(a, "%.*s read without finding a document",
                   STR_ARG(counted(a, x->files ? x->files : 1, "file")));
}

static void note_nothing(struct run *r)
{
    bool input = r->compare->reference.templates.len > 0;
    const struct result_note note = {.place = {.file = input ? r->extent.only : STR_NONE},
                                     .reason = why_nothing(r->arena, r),
                                     .failed = true};

    if (r->options->dialect->verdict)
        verdict_note_first(r->arena, &r->verdict, &r->log, &note);
}

bool run_conclude(struct run *r, struct err *e)
{
    const struct compare *c = r->compare;

    if (r->errors.kind != ERR_NONE)
        return err_set(e, ERR_INVALID, "error occurred while trying to process resources: %.*s",
                       STR_ARG(r->errors.text));
    warn_unexplained(r);
    if (r->options->dialect->isolated_faults && r->failed && !r->verdict.matched)
        return err_set(e, ERR_INVALID,
                       "nothing could be compared: %zu objects have a template, and all failed",
                       r->failed);
    if (!r->verdict.matched)
        note_nothing(r);
    issues_find(r->arena, &c->reference, r->matches, r->results);
    if (!r->options->one_of_many && !compare_hash(r->arena, c, &r->results->hash))
        log_buffer_warn(&r->log,
                        "There was an error in hashing the reference, don't trust the hash");
    return true;
}

/* ---- How complete it was. ---- */

/* Names of inputs that are listed. */
#define INPUTS_SHOWN 3

static str input_name(struct arena *a, const struct run *r)
{
    const struct compare_options *o = r->options;
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (o->kustomize.len)
        return o->kustomize;
    for (size_t i = 0; i < o->files.len && i < INPUTS_SHOWN; i++) {
        str file = str_eq(o->files.items[i], STR("-")) ? STR("standard input") : o->files.items[i];
        buf_fmt(&out, "%s%.*s", i ? ", " : "", STR_ARG(redact_place(a, file)));
    }
    if (o->files.len > INPUTS_SHOWN)
        buf_fmt(&out, " and %zu more", o->files.len - INPUTS_SHOWN);
    return out.len ? buf_str(&out) : r->cluster_name;
}

void run_finish(struct run *r)
{
    struct result_verdict *v = &r->verdict;
    struct results *out = r->results;

    out->unmatched_all = r->options->all;
    v->complete = out->verdict.complete = v->matched && !v->failed && !v->failed_objects;
    if (!r->options->dialect->verdict)
        return;
    out->subject =
        (struct result_subject){.reference = redact_place(r->arena, r->options->reference),
                                .version = r->compare->reference.version,
                                .input = input_name(r->arena, r)};
    v->known = true;
    tally_finish(&r->tally, v);
    out->verdict = *v;
}
