/* SPDX-License-Identifier: Apache-2.0 */
/*
 * markdown.c - the report for a pull request: a table, and a collapsible block per object.
 *
 * A comment has at most 65,536 characters, so the report is kept below that: blocks that do not fit
 * are left out and counted. The limit is applied to bytes, of which there are never fewer than
 * characters.
 */
#include "report/internal.h"
#include "base/quote.h"
#include "text/html.h"

#define COMMENT_MAX 65536
/* Kept free for the closing lines. */
#define COMMENT_END 1024
/* How much of it one object, and each of the lists, may take. */
#define BLOCK_MAX 12000
#define LIST_MAX 50
#define HASH_MAX 64

/* ---- Foreign text. ---- */

/*
 * Everything that could be Markdown syntax becomes a character reference, which never is. The text
 * stays on one line.
 */
void markdown_text(struct buf *out, str text)
{
    AUTO_ARENA a = arena_new();
    str line = quote_line(a, text);

    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char)line.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter || c >= 0x80 || c == ' ' || c == ',' || c == '-' || c == '.' || c == '/')
            buf_char(out, (char)c);
        else
            buf_fmt(out, "&#%u;", c);
    }
}

/* Lines of a text, each on a line of its own. */
static void add_lines(struct buf *out, str text)
{
    str line, rest = str_trim(text);

    for (bool first = true; str_next_line(&rest, &line); first = false) {
        buf_add(out, first ? STR_NONE : STR("<br>"));
        markdown_text(out, line);
    }
}

/* In a code element, @mentions and links have no effect. */
void markdown_code(struct buf *out, str text)
{
    buf_add(out, STR("<code>"));
    markdown_text(out, text);
    buf_add(out, STR("</code>"));
}

/* A fence must be longer than every run of backquotes within. */
static size_t fence_length(str text)
{
    size_t longest = 2, run = 0;

    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        if (run > longest)
            longest = run;
    }
    return longest + 1;
}

static void add_diff(struct buf *out, str text)
{
    AUTO_ARENA a = arena_new();
    struct diff_lines lines = diff_lines_of(text);
    struct buf body = buf_new(a, BUF_UNLIMITED);
    size_t left_out = 0;
    str line;

    while (diff_lines_next(&lines, &line)) {
        str shown = quote_line(a, line);
        if (left_out || body.len + shown.len > BLOCK_MAX)
            left_out++;
        else
            buf_fmt(&body, "%.*s\n", STR_ARG(shown));
    }
    size_t fence = fence_length(buf_str(&body));
    buf_repeat(out, '`', fence);
    buf_add(out, STR("diff\n"));
    buf_add(out, buf_str(&body));
    buf_repeat(out, '`', fence);
    buf_char(out, '\n');
    if (left_out)
        buf_fmt(out, "\n%s not shown.\n", str_z(a, counted(a, left_out, "more line")));
}

/* ---- Blocks. ---- */

static void add_row(struct buf *out, const char *name, size_t n)
{
    buf_fmt(out, "| %s | %zu |\n", name, n);
}

static void add_summary(struct arena *a, const struct results *r, struct buf *out)
{
    static const char *const drifts[DRIFT_STATES] = {"New since the earlier report", "Worse",
                                                     "Remaining", "Fixed"};
    const struct result_verdict *v = &r->verdict;

    buf_add(out, STR("### "));
    markdown_text(out, headline(a, r));
    buf_add(out, STR("\n\n| | |\n| --- | ---: |\n"));
    add_row(out, "Objects compared", r->total);
    add_row(out, "Different", r->differing);
    add_row(out, "Missing from the cluster", r->missing);
    add_row(out, UNMATCHED_TITLE, results_unmatched(r));
    if (r->patched)
        add_row(out, "Patched by overrides", r->patched);
    for (size_t i = 0; r->baseline.file.len && i < DRIFT_STATES; i++)
        add_row(out, drifts[i], r->baseline.counts[i]);
    if (report_is_of_another(r->baseline.hash, r->hash))
        buf_add(out, STR("| Earlier report | made with another reference |\n"));
    if (v->known) {
        const char *mark = v->complete ? "" : "**";
        str text = verdict_text(a, v);
        buf_fmt(out, "| Verdict | %s%.*s%s |\n", mark, STR_ARG(text), mark);
        add_row(out, "Documents read", v->documents);
        add_row(out, "Documents that failed", v->failed);
        add_row(out, "Fields compared", v->fields_compared);
        add_row(out, "Fields left out", v->fields_omitted);
    }
    buf_char(out, '\n');
}

static void add_object_name(struct arena *a, struct buf *out, str id)
{
    struct object_name n = object_name_of(id);

    if (n.kind.len)
        markdown_code(out, n.kind);
    buf_add(out, n.kind.len ? STR(" ") : STR_NONE);
    markdown_code(out, n.namespace.len
                           ? str_fmt(a, "%.*s/%.*s", STR_ARG(n.namespace), STR_ARG(n.name))
                           : n.name);
}

static void add_object(struct arena *a, const struct results *r, const struct result_diff *d,
                       struct buf *out)
{
    struct diff_count n = diff_count_lines(d->text);
    str place = place_text(a, d->place);

    buf_add(out, STR("<details><summary>"));
    add_object_name(a, out, d->object);
    if (n.added || n.removed)
        buf_fmt(out, " +%zu −%zu", n.added, n.removed);
    buf_add(out, STR("</summary>\n\n"));
    buf_add(out, STR("Template "));
    markdown_code(out, d->template);
    if (place.len) {
        buf_add(out, STR(", object "));
        markdown_code(out, place);
    }
    if (d->patched) {
        buf_add(out, STR(", patched with "));
        markdown_code(out, diff_overrides(r, d));
    }
    buf_add(out, STR("\n\n"));
    if (d->description.len) {
        add_lines(out, d->description);
        buf_add(out, STR("\n\n"));
    }
    add_diff(out, d->text);
    buf_add(out, STR("\n</details>\n\n"));
}

static void add_issue(const struct result_issue *issue, struct buf *out)
{
    buf_add(out, STR("- "));
    markdown_code(out, issue->part);
    buf_add(out, STR(" / "));
    markdown_code(out, issue->component);
    buf_add(out, STR(": "));
    markdown_text(out, issue_words(issue));
    buf_char(out, '\n');
    for (size_t i = 0; i < issue->count; i++) {
        buf_add(out, STR("  - "));
        markdown_code(out, issue->templates[i].path);
        if (issue->templates[i].description.len) {
            buf_add(out, STR(": "));
            add_lines(out, issue->templates[i].description);
        }
        buf_char(out, '\n');
    }
}

/* ---- The whole, within its limit. ---- */

struct comment {
    struct buf *out;
    size_t begin; /* start of the report in out */
};

/* Adds a block if it fits. */
static bool add_block(struct comment *c, str block)
{
    if (c->out->len - c->begin + block.len > COMMENT_MAX - COMMENT_END)
        return false;
    buf_add(c->out, block);
    return true;
}

/* Adds issues; returns how many did not fit. */
static size_t add_issues(struct comment *c, const struct results *r)
{
    size_t left_out = 0;

    for (size_t i = 0; i < r->issues.len; i++) {
        AUTO_ARENA a = arena_new();
        struct buf block = buf_new(a, BUF_UNLIMITED);
        if (i == 0)
            buf_add(&block, STR("#### Issues\n\n"));
        add_issue(&r->issues.items[i], &block);
        left_out += i >= LIST_MAX || block.len > BLOCK_MAX || !add_block(c, buf_str(&block));
    }
    if (r->issues.len)
        buf_char(c->out, '\n');
    return left_out;
}

static size_t add_objects(struct comment *c, const struct results *r)
{
    size_t left_out = 0;
    bool any = false;

    for (size_t i = 0; i < r->diffs.len; i++) {
        AUTO_ARENA a = arena_new();
        struct buf block = buf_new(a, BUF_UNLIMITED);
        if (!diff_is_finding(&r->diffs.items[i]))
            continue;
        if (!any)
            buf_add(&block, STR("#### Differences\n\n"));
        add_object(a, r, &r->diffs.items[i], &block);
        if (left_out || !add_block(c, buf_str(&block)))
            left_out++;
        else
            any = true;
    }
    return left_out;
}

static size_t add_unmatched(struct comment *c, const struct results *r)
{
    AUTO_ARENA a = arena_new();
    struct buf block = buf_new(a, BUF_UNLIMITED);
    size_t shown = r->unmatched.len < LIST_MAX ? r->unmatched.len : LIST_MAX;

    if (!r->unmatched.len)
        return 0;
    buf_add(&block, STR("<details><summary>" UNMATCHED_TITLE "</summary>\n\n"));
    for (size_t i = 0; i < shown; i++) {
        buf_add(&block, STR("- "));
        add_object_name(a, &block, r->unmatched.items[i]);
        buf_char(&block, '\n');
    }
    if (results_unmatched(r) > r->unmatched.len)
        buf_fmt(&block, "- and %zu more: `-A` lists them all\n",
                results_unmatched(r) - r->unmatched.len);
    buf_add(&block, STR("\n</details>\n\n"));
    return r->unmatched.len - (add_block(c, buf_str(&block)) ? shown : 0);
}

static void tell_left_out(struct arena *a, struct buf *out, size_t n, const char *thing)
{
    if (n)
        buf_fmt(out, "> %s left out: a comment holds %d characters. The whole report: `-o html`.\n",
                str_z(a, counted(a, n, thing)), COMMENT_MAX);
}

static bool write_markdown(const struct results *r, const struct report_options *o, struct buf *out,
                           struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct comment c = {.out = out, .begin = out->len};

    (void)o;
    (void)e;
    add_summary(a, r, out);
    size_t issues = add_issues(&c, r), objects = add_objects(&c, r), ids = add_unmatched(&c, r);
    tell_left_out(a, out, issues, "issue");
    tell_left_out(a, out, objects, "object");
    tell_left_out(a, out, ids, "unmatched object");
    if (r->hash.len) {
        buf_add(out, issues + objects + ids ? STR("\n<sub>Reference ") : STR("<sub>Reference "));
        markdown_code(out, str_slice(r->hash, 0, HASH_MAX));
        buf_add(out, STR("</sub>\n"));
    }
    return true;
}

const struct report_format report_markdown = {
    .name = "markdown",
    .help = "for a pull request",
    .endings = ".md",
    .write = write_markdown,
    .write_fleet = fleet_write_markdown,
};
