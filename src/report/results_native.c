/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results_native.c - reads what plumb's own reports have in addition to the original's: the
 * counterpart of tree_native.c and verdict.c. No other program guarantees these members, so
 * malformed ones are not errors, but count as absent.
 */
#include "report/internal.h"

size_t report_count_at(const struct value *object, const char *name)
{
    const struct value *v = value_get(object, str_c(name));
    int64_t n = 0;

    return v && value_to_i64(v, &n) && n > 0 ? (size_t)n : 0;
}

static bool truth_at(const struct value *object, const char *name)
{
    const struct value *v = value_get(object, str_c(name));

    return value_is(v, VALUE_BOOL) && v->truth;
}

static str text_at(const struct value *object, const char *name)
{
    return value_get_str(object, str_c(name));
}

/* Reads "file:line", as written by place_text. */
struct result_place results_read_place(const struct value *v)
{
    str text = value_str(v);
    size_t colon = str_rfind_char(text, ':');
    uint64_t line;

    if (colon == STR_NPOS || !str_to_u64(str_from(text, colon + 1), &line) || line > UINT32_MAX)
        return (struct result_place){.file = text};
    return (struct result_place){str_slice(text, 0, colon), (uint32_t)line};
}

struct str_list results_read_texts(struct arena *a, const struct value *list)
{
    struct str_list texts = {0};

    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++)
        VEC_PUSH(a, &texts, value_str(value_at(list, i)));
    return texts;
}

static struct result_place place_at(const struct value *object, const char *name)
{
    return results_read_place(value_get(object, str_c(name)));
}

/* ---- Fields. ---- */

void results_read_fields(struct arena *a, const struct value *list, struct result_diff *out)
{
    out->fields_known = value_is(list, VALUE_LIST);
    for (size_t i = 0; out->fields_known && i < value_len(list); i++) {
        const struct value *v = value_at(list, i);
        struct result_field *f = VEC_ADD(a, &out->fields);
        f->path = text_at(v, "path");
        f->expected = value_get(v, STR("expected"));
        f->actual = value_get(v, STR("actual"));
        f->template = place_at(v, "template");
        f->object = place_at(v, "object");
        for (enum result_kind k = RESULT_CHANGED; k <= RESULT_EXTRA; k++)
            if (str_eq(text_at(v, "kind"), str_c(result_kind_name(k))))
                f->kind = k;
    }
}

/* ---- Verdict. ---- */

static void read_rules(struct arena *a, const struct value *list, struct result_verdict *v)
{
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++) {
        const struct value *item = value_at(list, i);
        VEC_PUSH(a, &v->rules,
                 ((struct result_rule){text_at(item, "rule"), report_count_at(item, "count")}));
    }
}

static void read_notes(struct arena *a, const struct value *list, struct result_verdict *v)
{
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++) {
        const struct value *item = value_at(list, i);
        struct result_note note = {.place = place_at(item, "place"),
                                   .reason = text_at(item, "reason"),
                                   .failed = truth_at(item, "failed")};
        VEC_PUSH(a, &v->notes, note);
    }
}

static void read_verdict(struct arena *a, const struct value *in, struct result_verdict *v)
{
    const struct value *documents = value_get(in, STR("documents"));
    const struct value *objects = value_get(in, STR("objects"));
    const struct value *fields = value_get(in, STR("fields"));

    if (!value_is(in, VALUE_OBJECT))
        return;
    *v = (struct result_verdict){
        .known = true,
        .complete = truth_at(in, "complete"),
        .documents = report_count_at(documents, "read"),
        .skipped = report_count_at(documents, "skipped"),
        .failed = report_count_at(documents, "failed"),
        .members_ignored = report_count_at(documents, "membersIgnored"),
        .matched = report_count_at(objects, "matched"),
        .unmatched = report_count_at(objects, "unmatched"),
        .duplicates = report_count_at(objects, "duplicate"),
        .failed_objects = report_count_at(objects, "failed"),
        .fields_compared = report_count_at(fields, "compared"),
        .fields_omitted = report_count_at(fields, "omitted"),
    };
    read_rules(a, value_get(in, STR("omittedBy")), v);
    read_notes(a, value_get(in, STR("notes")), v);
}

/* ---- Baseline. ---- */

static void read_drift(struct arena *a, const struct value *in, enum result_drift_state state,
                       struct result_baseline *b)
{
    struct result_drift d = {.state = state,
                             .object = text_at(in, "CRName"),
                             .template = text_at(in, "template"),
                             .issue = text_at(in, "issue"),
                             .gone = truth_at(in, "gone"),
                             .more = results_read_texts(a, value_get(in, STR("more"))),
                             .masked = results_read_texts(a, value_get(in, STR("masked")))};
    VEC_PUSH(a, &b->drifts, d);
    b->counts[state]++;
}

static void read_baseline(struct arena *a, const struct value *in, struct result_baseline *b)
{
    static const char *const names[DRIFT_STATES] = {"New", "Worse", "Remaining", "Fixed"};

    b->file = text_at(in, "File");
    b->hash = text_at(in, "MetadataHash");
    for (size_t state = 0; b->file.len && state < DRIFT_STATES; state++) {
        const struct value *list = value_get(in, str_c(names[state]));
        for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++)
            read_drift(a, value_at(list, i), (enum result_drift_state)state, b);
    }
}

/* ---- Explanations. ---- */

static void read_candidates(struct arena *a, const struct value *list, struct result_explanation *x)
{
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++) {
        const struct value *v = value_at(list, i);
        struct result_candidate c = {.template = text_at(v, "template"),
                                     .score = report_count_at(v, "score"),
                                     .scored = value_get(v, STR("score")) != NULL,
                                     .chosen = truth_at(v, "chosen"),
                                     .why = text_at(v, "why")};
        VEC_PUSH(a, &x->candidates, c);
    }
}

static void read_suppressed(struct arena *a, const struct value *list, struct result_explanation *x)
{
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++) {
        const struct value *v = value_at(list, i);
        struct result_suppressed s = {text_at(v, "path"), text_at(v, "rule"), place_at(v, "place")};
        VEC_PUSH(a, &x->suppressed, s);
    }
}

static void read_explanations(struct arena *a, const struct value *list, struct results *out)
{
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++) {
        const struct value *v = value_at(list, i);
        struct result_explanation x = {.object = text_at(v, "CRName"),
                                       .place = place_at(v, "place")};
        read_candidates(a, value_get(v, STR("candidates")), &x);
        read_suppressed(a, value_get(v, STR("suppressed")), &x);
        VEC_PUSH(a, &out->explanations, x);
    }
}

void results_read_more(struct arena *a, const struct value *output, struct results *out)
{
    read_verdict(a, value_get(output, STR("Verdict")), &out->verdict);
    out->unmatched_all = !out->verdict.known || out->unmatched.len == out->verdict.unmatched;
    const struct value *subject = value_get(output, STR("Compared"));
    out->subject = (struct result_subject){.reference = text_at(subject, "reference"),
                                           .version = text_at(subject, "version"),
                                           .input = text_at(subject, "input")};
    read_baseline(a, value_get(output, STR("Baseline")), &out->baseline);
    read_explanations(a, value_get(output, STR("Explanations")), out);
}
