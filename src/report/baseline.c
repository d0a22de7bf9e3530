/* SPDX-License-Identifier: Apache-2.0 */
/* baseline.c - compares results with an earlier report: what is new, worse, the same, fixed. */
#include "report/baseline.h"
#include "report/internal.h"
#include "report/results_json.h"
#include "text/json/json.h"

bool report_is_of_another(str earlier, str hash)
{
    return earlier.len && hash.len && !str_eq(earlier, hash);
}

/* ---- Reading. ---- */

bool baseline_read(struct arena *a, str path, struct results *out, struct err *e)
{
    struct source *source = ARENA_NEW(a, struct source);

    source->file = path;
    if (!file_read(a, path, &source->text, e))
        return err_wrap(e, "the baseline cannot be read");
    if (results_check_json(a, source, e) && results_from_json(a, source, out, e))
        return true;
    return err_wrap(e, "the baseline %.*s is not a comparison report; write one with -o json",
                    STR_ARG(path));
}

/* ---- What two objects have in common. ---- */

/* How often each of some texts occurs. */
static size_t *count_of(struct arena *a, struct map *m, str text)
{
    size_t *n = map_get(m, text);

    if (!n) {
        n = ARENA_NEW(a, size_t);
        map_set(m, text, n);
    }
    return n;
}

/* Values of Secrets are masked in both reports, so they look the same. */
static void note_masked(struct arena *a, str text, str shown, struct result_drift *d)
{
    if (str_contains(text, STR("***")))
        VEC_PUSH(a, &d->masked, shown);
}

/* Path and actual value in one text. */
static str field_key(struct arena *a, const struct result_field *f)
{
    const struct json_style style = {.sorted = true, .numbers = NUMBERS_EXACT};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    buf_add(&out, f->path);
    buf_char(&out, 0);
    if (f->actual)
        (void)!json_write(&out, f->actual, &style, &e);
    return buf_str(&out);
}

static void compare_fields(struct arena *a, const struct result_fields *before,
                           const struct result_fields *now, struct result_drift *d)
{
    struct map *known = map_new(a);

    for (size_t i = 0; i < before->len; i++)
        map_set(known, field_key(a, &before->items[i]), known);
    for (size_t i = 0; i < now->len; i++) {
        str key = field_key(a, &now->items[i]);
        if (map_has(known, key))
            note_masked(a, str_from(key, now->items[i].path.len), now->items[i].path, d);
        else
            VEC_PUSH(a, &d->more, now->items[i].path);
    }
}

/* A text without hunks is from the user's own diff program: each of its lines counts. */
static bool next_change(struct diff_lines *d, str *line)
{
    while (diff_lines_next(d, line))
        if (!d->hunks || str_has_prefix(*line, STR("+")) || str_has_prefix(*line, STR("-")))
            return true;
    return false;
}

static void compare_texts(struct arena *a, str before, str now, struct result_drift *d)
{
    struct diff_lines lines = diff_lines_of(before);
    struct map *known = map_new(a);
    str line;

    while (next_change(&lines, &line))
        ++*count_of(a, known, line);
    lines = diff_lines_of(now);
    while (next_change(&lines, &line)) {
        size_t *left = count_of(a, known, line);
        if (!*left) {
            VEC_PUSH(a, &d->more, line);
            continue;
        }
        --*left;
        if (str_has_prefix(line, STR("+")))
            note_masked(a, line, line, d);
    }
}

static void compare_diffs(struct arena *a, const struct result_diff *before,
                          const struct result_diff *now, struct result_drift *d)
{
    bool fields = before->fields.len && now->fields.len;

    if (fields && !before->fields.cut && !now->fields.cut)
        compare_fields(a, &before->fields, &now->fields, d);
    else
        compare_texts(a, before->text, now->text, d);
}

/* ---- Objects and issues by name. ---- */

struct names {
    struct arena *arena;
    struct map *seen;  /* id to how often it occurred */
    struct map *known; /* id and number to struct result_diff */
};

static str next_name(struct names *n, str id)
{
    return str_fmt(n->arena, "%.*s %zu", STR_ARG(id), ++*count_of(n->arena, n->seen, id));
}

static struct names name_diffs(struct arena *a, const struct results *r)
{
    struct names n = {a, map_new(a), map_new(a)};

    for (size_t i = 0; i < r->diffs.len; i++)
        map_set(n.known, next_name(&n, r->diffs.items[i].object), &r->diffs.items[i]);
    n.seen = map_new(a);
    return n;
}

static void add_drift(struct arena *a, struct result_baseline *b, struct result_drift d)
{
    b->counts[d.state]++;
    VEC_PUSH(a, &b->drifts, d);
}

static struct result_drift drift_of(enum result_drift_state state, const struct result_diff *d)
{
    return (struct result_drift){.state = state, .object = d->object, .template = d->template};
}

/* Adds the findings of this run. */
static void add_present(struct arena *a, const struct results *earlier, const struct results *r,
                        struct result_baseline *b)
{
    struct names before = name_diffs(a, earlier);

    for (size_t i = 0; i < r->diffs.len; i++) {
        const struct result_diff *now = &r->diffs.items[i];
        const struct result_diff *old = map_get(before.known, next_name(&before, now->object));
        struct result_drift d = drift_of(DRIFT_NEW, now);
        if (!now->differs)
            continue;
        if (old && old->differs) {
            compare_diffs(a, old, now, &d);
            d.state = d.more.len ? DRIFT_WORSE : DRIFT_REMAINING;
        }
        add_drift(a, b, d);
    }
}

/* Adds the findings that are only in the earlier report. */
static void add_fixed(struct arena *a, const struct results *earlier, const struct results *r,
                      struct result_baseline *b)
{
    struct names present = name_diffs(a, r);

    for (size_t i = 0; i < earlier->diffs.len; i++) {
        const struct result_diff *old = &earlier->diffs.items[i];
        const struct result_diff *now = map_get(present.known, next_name(&present, old->object));
        struct result_drift d = drift_of(DRIFT_FIXED, old);
        d.gone = !now;
        if (old->differs && !(now && now->differs))
            add_drift(a, b, d);
    }
}

static struct map *name_issues(struct arena *a, const struct results *r)
{
    struct map *names = map_new(a);

    for (size_t i = 0; i < r->issues.len; i++)
        for (size_t k = 0; k < r->issues.items[i].count; k++) {
            const struct result_issue *issue = &r->issues.items[i];
            struct result_drift *d = ARENA_NEW(a, struct result_drift);
            d->issue = str_fmt(a, "%.*s, %.*s: %.*s", STR_ARG(issue->part),
                               STR_ARG(issue->component), STR_ARG(issue->message));
            d->template = issue->templates[k].path;
            map_set(names, str_fmt(a, "%.*s %.*s", STR_ARG(d->issue), STR_ARG(d->template)), d);
        }
    return names;
}

static void add_issues(struct arena *a, const struct results *earlier, const struct results *r,
                       struct result_baseline *b)
{
    const struct map *before = name_issues(a, earlier), *now = name_issues(a, r);

    for (size_t i = 0; i < map_len(now); i++) {
        struct result_drift d = *(const struct result_drift *)map_at(now, i);
        d.state = map_has(before, map_key(now, i)) ? DRIFT_REMAINING : DRIFT_NEW;
        add_drift(a, b, d);
    }
    for (size_t i = 0; i < map_len(before); i++) {
        struct result_drift d = *(const struct result_drift *)map_at(before, i);
        d.state = DRIFT_FIXED;
        if (!map_has(now, map_key(before, i)))
            add_drift(a, b, d);
    }
}

/* Sorts by state; the order within a state is kept. */
static void sort_drifts(struct arena *a, struct result_baseline *b)
{
    struct result_drift *sorted = ARENA_ARRAY(a, struct result_drift, b->drifts.len);
    size_t len = 0;

    for (size_t state = 0; state < DRIFT_STATES; state++)
        for (size_t i = 0; i < b->drifts.len; i++)
            if (b->drifts.items[i].state == state)
                sorted[len++] = b->drifts.items[i];
    b->drifts.items = sorted;
    b->drifts.cap = len;
}

void baseline_apply(struct arena *a, str file, const struct results *earlier, struct results *r)
{
    struct result_baseline *b = &r->baseline;

    *b = (struct result_baseline){.file = file, .hash = earlier->hash};
    add_present(a, earlier, r, b);
    add_fixed(a, earlier, r, b);
    add_issues(a, earlier, r, b);
    sort_drifts(a, b);
}
