/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_markdown.c - a fleet for a pull request or a ticket: totals, a row per finding, a row per
 * site that drifts or could not be compared. Limited to the size of a comment.
 */
#include "report/fleet_internal.h"

#define COMMENT_MAX 65536
/* Kept free for the closing lines. */
#define COMMENT_END 1024
#define FIELDS_SHOWN 3

struct comment {
    struct buf *out;
    size_t begin, left_out;
};

static void add_block(struct comment *c, str block)
{
    if (c->left_out || c->out->len - c->begin + block.len > COMMENT_MAX - COMMENT_END)
        c->left_out++;
    else
        buf_add(c->out, block);
}

static void add_summary(struct arena *a, const struct fleet *f, struct buf *out)
{
    const struct {
        const char *name;
        size_t n;
    } rows[] = {{"Sites", f->sites.len},
                {"With drift", f->drifting},
                {"Not compared", f->failed},
                {"Incomplete", f->states[VERDICT_INCOMPLETE]},
                {"With objects " UNMATCHED_WORDS, f->with_unmatched},
                {"Findings", f->kinds[FLEET_DIFFERS] + f->kinds[FLEET_MISSING]}};

    buf_add(out, STR("### "));
    markdown_text(out, fleet_headline(a, f));
    buf_add(out, STR("\n\n| | |\n| --- | ---: |\n"));
    for (size_t i = 0; i < COUNT(rows); i++)
        buf_fmt(out, "| %s | %zu |\n", rows[i].name, rows[i].n);
    if (f->baseline.file.len)
        buf_fmt(out, "| New since the earlier report | %zu |\n| Fixed | %zu |\n", f->baseline.fresh,
                f->baseline.fixed);
    if (report_is_of_another(f->baseline.hash, f->hash))
        buf_add(out, STR("| Earlier report | made with another reference |\n"));
    buf_char(out, '\n');
}

static void add_finding(struct comment *c, const struct fleet *f, const struct fleet_finding *x)
{
    AUTO_ARENA a = arena_new();
    struct buf row = buf_new(a, BUF_UNLIMITED);
    str line, rest = fleet_what(a, x, FIELDS_SHOWN);

    buf_add(&row, STR("| "));
    markdown_code(&row, fleet_subject(a, x));
    buf_add(&row, STR(" | "));
    for (bool first = true; str_next_line(&rest, &line); first = false) {
        buf_add(&row, first ? STR_NONE : STR("<br>"));
        markdown_text(&row, line);
    }
    buf_add(&row, STR(" | "));
    markdown_text(&row, fleet_share(a, f, x));
    buf_add(&row, STR(": "));
    markdown_text(&row, fleet_who(a, f, x, false));
    buf_add(&row, STR(" |\n"));
    add_block(c, buf_str(&row));
}

static void add_site(struct comment *c, const struct fleet_site *s)
{
    AUTO_ARENA a = arena_new();
    struct buf row = buf_new(a, BUF_UNLIMITED);
    str why = s->error.len ? s->error : fleet_incomplete_text(a, s);

    if (!why.len)
        return;
    buf_add(&row, STR("- "));
    markdown_code(&row, s->name);
    buf_add(&row, s->error.len ? STR(" was not compared: ") : STR(" is incomplete: "));
    markdown_text(&row, why);
    buf_char(&row, '\n');
    add_block(c, buf_str(&row));
}

bool fleet_write_markdown(const struct fleet *f, const struct report_options *o, struct buf *out,
                          struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct comment c = {.out = out, .begin = out->len};

    (void)o;
    (void)e;
    add_summary(a, f, out);
    if (f->findings.len)
        buf_add(out, STR("| Object | Change | Sites |\n| --- | --- | --- |\n"));
    for (size_t i = 0; i < f->findings.len; i++)
        add_finding(&c, f, &f->findings.items[i]);
    buf_char(out, '\n');
    for (size_t i = 0; i < f->sites.len; i++)
        add_site(&c, &f->sites.items[i]);
    if (c.left_out)
        buf_fmt(out, "> %s left out: a comment holds %d characters. The whole report: `-o html`.\n",
                str_z(a, counted(a, c.left_out, "line")), COMMENT_MAX);
    buf_add(out, STR("<sub>Reference "));
    markdown_code(out, f->hash);
    buf_add(out, STR("</sub>\n"));
    return true;
}
