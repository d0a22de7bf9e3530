/* SPDX-License-Identifier: Apache-2.0 */
/*
 * github.c - the report as annotations of a GitHub workflow, which are commands in its log:
 *
 *   ::error file=objects/web.yaml,line=4,title=...::text
 *
 * GitHub shows ten of each kind per step, so no more are written; a notice has the totals.
 */
#include "report/internal.h"
#include "base/quote.h"

#define ANNOTATIONS_MAX 10
/* The most fields in one annotation. */
#define FIELDS_MAX 5
/* The most lines of a difference, if the fields are unknown. */
#define LINES_MAX 10
#define FIELD_VALUE_MAX 120

/*
 * The text of a command, which ends at a line break; "%" starts an escape. Logs are shown as on a
 * terminal, so terminal escape sequences are made visible first.
 */
void github_data(struct buf *out, str foreign)
{
    AUTO_ARENA a = arena_new();
    struct buf shown = buf_new(a, BUF_UNLIMITED);

    quote_for_terminal(&shown, foreign);
    str text = buf_str(&shown);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%' || c == '\n')
            buf_fmt(out, "%%%02X", (unsigned)c);
        else
            buf_char(out, c);
    }
}

/* A property also ends at a comma or colon. */
void github_property(struct buf *out, str foreign)
{
    AUTO_ARENA a = arena_new();
    str text = quote_line(a, foreign);

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == ':' || c == ',' || c == '%')
            buf_fmt(out, "%%%02X", (unsigned)c);
        else
            buf_char(out, c);
    }
}

static void begin_error(struct buf *out, const struct result_place *p, str title)
{
    buf_add(out, STR("::error "));
    if (p->file.len) {
        buf_add(out, STR("file="));
        github_property(out, p->file);
        if (p->line)
            buf_fmt(out, ",line=%u", p->line);
        buf_char(out, ',');
    }
    buf_add(out, STR("title="));
    github_property(out, title);
    buf_add(out, STR("::"));
}

static str fields_text(struct arena *a, const struct result_diff *d)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < d->fields.len && i < FIELDS_MAX; i++) {
        const struct result_field *f = &d->fields.items[i];
        str expected = field_text(a, f->expected, FIELD_VALUE_MAX);
        str actual = field_text(a, f->actual, FIELD_VALUE_MAX);
        buf_fmt(&out, "%s%.*s: expected %.*s, found %.*s", i ? "\n" : "", STR_ARG(f->path),
                STR_ARG(expected), STR_ARG(actual));
    }
    if (d->fields.len > FIELDS_MAX)
        buf_fmt(&out, "\n%zu more", d->fields.len - FIELDS_MAX);
    return buf_str(&out);
}

static str lines_text(struct arena *a, const struct result_diff *d)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct diff_lines lines = diff_lines_of(d->text);
    size_t shown = 0;
    str line;

    while (diff_lines_next(&lines, &line) && shown < LINES_MAX) {
        if (lines.hunks && !str_has_prefix(line, STR("+")) && !str_has_prefix(line, STR("-")))
            continue;
        buf_fmt(&out, "%s%.*s", shown++ ? "\n" : "", STR_ARG(line));
    }
    return buf_str(&out);
}

static void add_object(struct arena *a, const struct result_diff *d, struct buf *out)
{
    const struct result_place *place = &d->place;

    if (d->fields.len && d->fields.items[0].object.line)
        place = &d->fields.items[0].object;
    begin_error(out, place,
                str_fmt(a, "%.*s differs from %.*s", STR_ARG(d->object), STR_ARG(d->template)));
    github_data(out, d->fields.len ? fields_text(a, d) : lines_text(a, d));
    buf_char(out, '\n');
}

static void add_issue(struct arena *a, const struct result_issue *issue, struct buf *out)
{
    struct result_place nowhere = {0};
    str *paths = ARENA_ARRAY(a, str, issue->count);

    for (size_t i = 0; i < issue->count; i++)
        paths[i] = issue->templates[i].path;
    begin_error(out, &nowhere,
                str_fmt(a, "%.*s / %.*s", STR_ARG(issue->part), STR_ARG(issue->component)));
    github_data(out, str_fmt(a, "%.*s: %.*s", STR_ARG(issue_words(issue)),
                             STR_ARG(str_join(a, paths, issue->count, STR(", ")))));
    buf_char(out, '\n');
}

static bool write_github(const struct results *r, const struct report_options *o, struct buf *out,
                         struct err *e)
{
    AUTO_ARENA a = arena_new();
    size_t found = 0;

    (void)o;
    (void)e;
    for (size_t i = 0; i < r->diffs.len; i++)
        if (diff_is_finding(&r->diffs.items[i]) && found++ < ANNOTATIONS_MAX)
            add_object(a, &r->diffs.items[i], out);
    for (size_t i = 0; i < r->issues.len; i++)
        if (found++ < ANNOTATIONS_MAX)
            add_issue(a, &r->issues.items[i], out);
    buf_add(out, STR("::notice title=plumb compare::"));
    github_data(out, headline(a, r));
    if (r->verdict.known)
        github_data(out, str_concat(a, STR("; verdict: "), verdict_text(a, &r->verdict)));
    if (found > ANNOTATIONS_MAX)
        buf_fmt(out, " (%d of %zu findings shown)", ANNOTATIONS_MAX, found);
    buf_char(out, '\n');
    return true;
}

const struct report_format report_github = {
    .name = "github",
    .help = "annotations of a GitHub workflow",
    .endings = ".log",
    .write = write_github,
    .write_fleet = fleet_write_github,
};
