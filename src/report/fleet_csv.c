/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_csv.c - a fleet for spreadsheets: a row per site and finding, and one for each site that
 * has no findings or could not be compared completely.
 *
 * Rows end with a newline and contain no others: control characters in foreign text are escaped. A
 * cell that a spreadsheet would take for a formula is prefixed with an apostrophe.
 */
#include "report/fleet_internal.h"
#include "base/quote.h"

/* Longer values and lists are cut: the other formats have them. */
#define VALUE_MAX 200
#define FIELDS_SHOWN 20

struct row {
    struct arena *arena;
    struct buf *out;
    size_t cells;
};

static void add_cell(struct row *r, str text)
{
    str line = quote_line(r->arena, text);
    bool formula = line.len && strchr("=+-@\t", line.ptr[0]);
    bool quoted = str_contains(line, STR("\"")) || str_contains(line, STR(",")) || formula;

    buf_add(r->out, r->cells++ ? STR(",") : STR_NONE);
    buf_add(r->out, quoted ? STR("\"") : STR_NONE);
    buf_add(r->out, formula ? STR("'") : STR_NONE);
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '"')
            buf_char(r->out, '"');
        buf_char(r->out, line.ptr[i]);
    }
    buf_add(r->out, quoted ? STR("\"") : STR_NONE);
}

static void add_number(struct row *r, size_t n)
{
    buf_fmt(r->out, "%s%zu", r->cells++ ? "," : "", n);
}

static void add_site(struct row *r, const struct fleet_site *s)
{
    add_cell(r, s->name);
    add_cell(r, str_c(fleet_site_state(s)));
    add_cell(r, s->error.len ? STR_NONE : fleet_verdict(s));
    add_number(r, s->apart);
}

static str fields_text(struct arena *a, const struct result_fields *fields)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < fields->len && i < FIELDS_SHOWN; i++) {
        str text = fleet_field_text(a, &fields->items[i], VALUE_MAX);
        buf_fmt(&out, "%s%.*s", i ? "; " : "", STR_ARG(text));
    }
    if (fields->len > FIELDS_SHOWN)
        buf_fmt(&out, "; and %zu more", fields->len - FIELDS_SHOWN);
    return buf_str(&out);
}

static void add_finding(struct row *r, const struct fleet *f, size_t index, size_t site)
{
    const struct fleet_finding *x = &f->findings.items[index];
    struct object_name n = x->object.len ? object_name_of(x->object) : (struct object_name){0};
    const str cells[] = {str_c(fleet_kind_name(x->kind)),
                         n.api,
                         n.kind,
                         n.namespace,
                         n.name,
                         x->template,
                         x->part,
                         x->component,
                         x->message.len ? x->message : fields_text(r->arena, &x->fields)};

    add_number(r, index + 1);
    for (size_t i = 0; i < COUNT(cells); i++)
        add_cell(r, cells[i]);
    add_number(r, x->sites.len);
    add_number(r, f->compared);
    if (!f->baseline.file.len || x->kind == FLEET_UNMATCHED)
        add_cell(r, STR_NONE);
    else
        add_cell(r, fleet_is_new(x, site) ? STR("yes") : STR("no"));
}

static void add_row(struct arena *a, const struct fleet *f, size_t site, const uint32_t *finding,
                    struct buf *out)
{
    struct row row = {.arena = a, .out = out};
    const struct fleet_site *s = &f->sites.items[site];

    add_site(&row, s);
    if (finding)
        add_finding(&row, f, *finding, site);
    else
        buf_add(out, STR(",,,,,,,,,"));
    if (!finding) {
        add_cell(&row, s->error.len ? s->error : fleet_incomplete_text(a, s));
        buf_add(out, STR(",,,"));
    }
    buf_char(out, '\n');
}

bool fleet_write_csv(const struct fleet *f, const struct report_options *o, struct buf *out,
                     struct err *e)
{
    (void)o;
    (void)e;
    buf_add(out, STR("site,state,verdict,apart,finding,kind,apiVersion,objectKind,namespace,name,"
                     "template,part,component,detail,sites,of,new\n"));
    for (size_t i = 0; i < f->sites.len; i++) {
        AUTO_ARENA a = arena_new();
        const struct fleet_site *s = &f->sites.items[i];
        for (size_t k = 0; k < s->findings.len; k++)
            add_row(a, f, i, &s->findings.items[k], out);
        if (!s->findings.len || fleet_site_is_incomplete(s))
            add_row(a, f, i, NULL, out);
    }
    return true;
}

const struct report_format report_csv = {
    .name = "csv",
    .help = "a row per site and finding",
    .endings = ".csv",
    .write_fleet = fleet_write_csv,
};
