/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict.c - how complete the comparison was: the last lines of the text report, and a member of
 * machine-readable reports.
 */
#include "report/internal.h"
#include "base/quote.h"

/* The most lines for people; programs get all of them. */
enum { RULES_SHOWN = 10, NOTES_SHOWN = 20 };

/* ---- For people. ---- */

str verdict_failures(struct arena *a, const struct result_verdict *v)
{
    str documents = v->failed ? counted(a, v->failed, "document") : STR_NONE;
    str objects = v->failed_objects ? counted(a, v->failed_objects, "object") : STR_NONE;

    if (!documents.len && !objects.len)
        return v->complete || v->matched ? STR_NONE : STR("nothing was compared");
    return str_fmt(a, "%.*s%s%.*s failed", STR_ARG(documents),
                   documents.len && objects.len ? " and " : "", STR_ARG(objects));
}

str verdict_text(struct arena *a, const struct result_verdict *v)
{
    enum verdict_state state = verdict_state(v);

    if (state == VERDICT_INCOMPLETE) {
        str failures = verdict_failures(a, v);
        return str_fmt(a, "incomplete%s%.*s", failures.len ? ": " : "", STR_ARG(failures));
    }
    return STR("complete");
}

size_t results_unmatched(const struct results *r)
{
    return r->verdict.known ? r->verdict.unmatched : r->unmatched.len;
}

static void add_rules(struct buf *out, const struct result_verdict *v)
{
    size_t rest = 0;

    for (size_t i = 0; i < v->rules.len; i++) {
        const struct result_rule *rule = &v->rules.items[i];
        if (i < RULES_SHOWN)
            buf_fmt(out, "  %zu by %.*s\n", rule->count,
                    STR_ARG(quote_line(out->arena, rule->rule)));
        else
            rest += rule->count;
    }
    if (rest)
        buf_fmt(out, "  %zu by %zu other rules\n", rest, v->rules.len - RULES_SHOWN);
}

static void add_note(struct buf *out, const struct result_note *note)
{
    str place = quote_line(out->arena, place_text(out->arena, note->place));
    str line, rest = note->reason;

    buf_fmt(out, "- %.*s%s%s", STR_ARG(place), place.len ? ": " : "",
            note->failed ? "" : "skipped: ");
    for (bool more = true, first = true; more; first = false) {
        more = str_cut(rest, STR("\n"), &line, &rest);
        buf_fmt(out, "%s%.*s\n", first ? "" : "  ", STR_ARG(line));
    }
}

static void add_notes(struct buf *out, const struct result_verdict *v)
{
    size_t all = v->skipped + v->failed + v->failed_objects;

    /* Members of archives have notes and are counted separately. */
    if (all < v->notes.len)
        all = v->notes.len;
    if (v->notes.len)
        buf_add(out, STR("Not compared:\n"));
    for (size_t i = 0; i < v->notes.len && i < NOTES_SHOWN; i++)
        add_note(out, &v->notes.items[i]);
    if (v->notes.len > NOTES_SHOWN)
        buf_fmt(out, "- and %zu more\n", all - NOTES_SHOWN);
}

void report_verdict_text(struct buf *out, const struct results *r)
{
    const struct result_verdict *v = &r->verdict;

    if (!v->known)
        return;
    buf_fmt(out, "Documents: %zu read, %zu skipped, %zu failed\n", v->documents, v->skipped,
            v->failed);
    if (v->members_ignored)
        buf_fmt(out, "Members of archives ignored: %zu\n", v->members_ignored);
    buf_fmt(out, "Objects: %zu matched, %zu not matched, %zu duplicate, %zu failed\n", v->matched,
            v->unmatched, v->duplicates, v->failed_objects);
    buf_fmt(out, "Fields: %zu compared, %zu omitted\n", v->fields_compared, v->fields_omitted);
    add_rules(out, v);
    add_notes(out, v);
    str text = verdict_text(out->arena, v);
    buf_fmt(out, "Verdict: %.*s\n", STR_ARG(text));
}

/* ---- For programs. ---- */

static struct value *rules_tree(struct arena *a, const struct result_verdict *v)
{
    struct value *out = value_list(a);

    for (size_t i = 0; i < v->rules.len; i++) {
        struct value *item = value_add(a, out, value_object(a));
        value_set_str(a, item, STR("rule"), v->rules.items[i].rule);
        value_set_int(a, item, STR("count"), (int64_t)v->rules.items[i].count);
    }
    return out;
}

static struct value *notes_tree(struct arena *a, const struct result_verdict *v)
{
    struct value *out = value_list(a);

    for (size_t i = 0; i < v->notes.len; i++) {
        const struct result_note *note = &v->notes.items[i];
        struct value *item = value_add(a, out, value_object(a));
        value_set_str(a, item, STR("place"), place_text(a, note->place));
        value_set_str(a, item, STR("reason"), note->reason);
        value_set_bool(a, item, STR("failed"), note->failed);
    }
    return out;
}

struct count {
    const char *name;
    size_t n;
};

static struct value *counts_tree(struct arena *a, const struct count *counts)
{
    struct value *out = value_object(a);

    for (; counts->name; counts++)
        value_set_int(a, out, str_c(counts->name), (int64_t)counts->n);
    return out;
}

void report_verdict_tree(struct arena *a, struct value *out, const struct results *r)
{
    const struct result_verdict *v = &r->verdict;
    const struct count documents[] = {{"read", v->documents},
                                      {"skipped", v->skipped},
                                      {"failed", v->failed},
                                      {"membersIgnored", v->members_ignored},
                                      {NULL, 0}};
    const struct count objects[] = {{"matched", v->matched},
                                    {"unmatched", v->unmatched},
                                    {"duplicate", v->duplicates},
                                    {"failed", v->failed_objects},
                                    {NULL, 0}};
    const struct count fields[] = {
        {"compared", v->fields_compared}, {"omitted", v->fields_omitted}, {NULL, 0}};

    if (!v->known)
        return;
    struct value *verdict = value_set(a, out, STR("Verdict"), value_object(a));
    value_set_str(a, verdict, STR("state"), str_c(verdict_state_name(verdict_state(v))));
    value_set_bool(a, verdict, STR("complete"), v->complete);
    value_set(a, verdict, STR("documents"), counts_tree(a, documents));
    value_set(a, verdict, STR("objects"), counts_tree(a, objects));
    value_set(a, verdict, STR("fields"), counts_tree(a, fields));
    value_set(a, verdict, STR("omittedBy"), rules_tree(a, v));
    value_set(a, verdict, STR("notes"), notes_tree(a, v));
}
