/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_text.c - a fleet for people: what differs, rarest first; the sites, most unusual first;
 * what was not compared; and the totals, last, where they are visible on a terminal.
 *
 * It stays readable with hundreds of sites: equal findings and equal sites are one entry, and long
 * lists are cut in the middle. With -v nothing is left out, and differences are shown in full.
 */
#include "report/fleet_internal.h"
#include "base/quote.h"

/* In a long list, only the first and the last are shown. */
enum { ENTRIES_FIRST = 30, ENTRIES_LAST = 20, PROFILES_FIRST = 40, UNMATCHED_FIRST = 30 };
enum { FIELDS_SHOWN = 5, OBJECTS_SHOWN = 3, SITES_SHOWN = 20, CHANGES_SHOWN = 40 };
/* The most bytes of values in a line. */
#define VALUE_MAX 80

struct writer {
    struct arena *arena;
    const struct fleet *fleet;
    bool all;
    struct buf *out;
};

/* A foreign name, on one line. */
static str name_of(const struct writer *w, str name)
{
    return quote_line(w->arena, name);
}

/* ---- Findings. ---- */

static void add_fields(const struct writer *w, const struct fleet_finding *x)
{
    size_t shown = x->fields.len < FIELDS_SHOWN ? x->fields.len : FIELDS_SHOWN;

    for (size_t i = 0; i < shown; i++) {
        str text = fleet_field_text(w->arena, &x->fields.items[i], VALUE_MAX);
        str line = quote_line(w->arena, text);
        buf_fmt(w->out, "    %.*s\n", STR_ARG(line));
    }
    if (shown < x->fields.len)
        buf_fmt(w->out, "    and %s\n",
                str_z(w->arena, counted(w->arena, x->fields.len - shown, "more field")));
}

/* Lists the objects of an entry, which mostly have the same kind, and differ in the same way. */
static void add_objects(const struct writer *w, size_t index)
{
    const struct fleet_finding *x = &w->fleet->findings.items[index];
    size_t shown = w->all || x->alike <= OBJECTS_SHOWN + 1 ? x->alike : OBJECTS_SHOWN;

    buf_add(w->out, STR("    "));
    for (size_t i = 0; i < shown; i++) {
        str object = fleet_object_text(w->arena, x[i].object);
        buf_fmt(w->out, "%s%.*s", i ? ", " : "", STR_ARG(name_of(w, object)));
    }
    if (shown < x->alike)
        buf_fmt(w->out, " and %zu more", x->alike - shown);
    buf_fmt(w->out, " (%.*s)\n", STR_ARG(name_of(w, x->template)));
}

static void add_entry_head(const struct writer *w, size_t index)
{
    struct arena *a = w->arena;
    const struct fleet_finding *x = &w->fleet->findings.items[index];
    str share = fleet_share(a, w->fleet, x), who;

    if (x->alike < 2) {
        who = fleet_who(a, w->fleet, x, w->all);
        buf_fmt(w->out, "\n[%zu] %.*s: %.*s\n", index + 1, STR_ARG(share),
                STR_ARG(name_of(w, who)));
        return;
    }
    struct fleet_indexes sites = fleet_sites_alike(a, w->fleet, index);
    who = fleet_names(a, w->fleet, &sites, w->all);
    buf_fmt(w->out, "\n[%zu-%zu] %.*s each, the same in %zu objects: %.*s\n", index + 1,
            index + x->alike, STR_ARG(share), x->alike, STR_ARG(name_of(w, who)));
}

static void add_entry(const struct writer *w, size_t index)
{
    const struct fleet_finding *x = &w->fleet->findings.items[index];

    add_entry_head(w, index);
    if (x->kind == FLEET_MISSING) {
        buf_fmt(w->out, "    %.*s: %.*s (%.*s, %.*s)\n", STR_ARG(x->message),
                STR_ARG(name_of(w, x->template)), STR_ARG(name_of(w, x->part)),
                STR_ARG(name_of(w, x->component)));
        return;
    }
    add_objects(w, index);
    if (x->cut)
        buf_add(w->out,
                STR("    the difference is too large to be kept: compare one site alone\n"));
    else if (!w->all && x->fields.len)
        add_fields(w, x);
    else
        for (str line, rest = x->text; str_next_line(&rest, &line);)
            buf_fmt(w->out, "    %.*s\n", STR_ARG(line));
}

/* The first findings of entries: those that are drift, similar ones as one entry. */
static struct fleet_indexes entries_of(const struct writer *w)
{
    const struct fleet *f = w->fleet;
    size_t count = f->kinds[FLEET_DIFFERS] + f->kinds[FLEET_MISSING];
    struct fleet_indexes out = {0};

    for (size_t i = 0; i < count; i += f->findings.items[i].alike)
        VEC_PUSH(w->arena, &out, (uint32_t)i);
    return out;
}

static void add_findings(const struct writer *w)
{
    struct fleet_indexes entries = entries_of(w);
    size_t count = entries.len;
    bool cut = !w->all && count > ENTRIES_FIRST + ENTRIES_LAST + 1;
    size_t from = cut ? ENTRIES_FIRST : count, to = cut ? count - ENTRIES_LAST : count;

    if (!count)
        return;
    buf_add(w->out, STR("Drift, the rarest first\n"));
    for (size_t i = 0; i < from; i++)
        add_entry(w, entries.items[i]);
    if (cut)
        buf_fmt(w->out, "\n[%u-%u] %u more of these: -v or -o html shows them\n",
                entries.items[from] + 1, entries.items[to],
                entries.items[to] - entries.items[from]);
    for (size_t i = to; i < count; i++)
        add_entry(w, entries.items[i]);
    buf_char(w->out, '\n');
}

static void add_unmatched(const struct writer *w)
{
    const struct fleet *f = w->fleet;
    size_t first = f->findings.len - f->kinds[FLEET_UNMATCHED], shown = 0;

    if (first == f->findings.len)
        return;
    buf_add(w->out, STR("Objects without a template, the rarest first\n\n"));
    for (size_t i = first; i < f->findings.len && (w->all || shown < UNMATCHED_FIRST); i++) {
        const struct fleet_finding *x = &f->findings.items[i];
        str share = fleet_share(w->arena, f, x), who = fleet_who(w->arena, f, x, w->all);
        buf_fmt(w->out, "[%zu] %.*s: %.*s: %.*s\n", i + 1, STR_ARG(share), STR_ARG(name_of(w, who)),
                STR_ARG(name_of(w, x->object)));
        shown++;
    }
    if (first + shown < f->findings.len)
        buf_fmt(w->out, "and %zu more: -v or -o html shows them\n",
                f->findings.len - first - shown);
    buf_char(w->out, '\n');
}

/* ---- Sites. ---- */

/* The numbers of findings that are drift, as in "1-3 5". */
static str numbers(struct arena *a, const struct fleet_site *s)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t count = s->findings.len - s->counts[FLEET_UNMATCHED];

    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && s->findings.items[end] == s->findings.items[end - 1] + 1;)
            end++;
        buf_fmt(&out, "%s%u", i ? " " : "", (unsigned)s->findings.items[i] + 1);
        if (end - i > 1)
            buf_fmt(&out, "%s%u", end - i > 2 ? "-" : " ",
                    (unsigned)s->findings.items[end - 1] + 1);
    }
    return buf_str(&out);
}

/* The range of a number among the sites of a profile. */
struct range {
    size_t least, most;
};

static void widen(struct range *r, size_t n, bool first)
{
    r->least = first || n < r->least ? n : r->least;
    r->most = first || n > r->most ? n : r->most;
}

static str range_text(struct arena *a, struct range r)
{
    return r.least == r.most ? str_fmt(a, "%zu", r.least) : str_fmt(a, "%zu-%zu", r.least, r.most);
}

static void add_row(const struct writer *w, const struct fleet_profile *p)
{
    struct arena *a = w->arena;
    const struct fleet_site *first = &w->fleet->sites.items[p->sites.items[0]];
    struct range unmatched = {0}, objects = {0};
    size_t lacking = 0;
    str names = fleet_names(a, w->fleet, &p->sites, w->all), which = numbers(a, first);

    for (size_t i = 0; i < p->sites.len; i++) {
        const struct fleet_site *s = &w->fleet->sites.items[p->sites.items[i]];
        widen(&unmatched, s->unmatched, i == 0);
        widen(&objects, s->total, i == 0);
        lacking += !s->verdict.complete;
    }
    buf_fmt(w->out, "%5zu %6zu %7zu %9s %8s  %.*s", p->apart, first->counts[FLEET_DIFFERS],
            first->counts[FLEET_MISSING], str_z(a, range_text(a, unmatched)),
            str_z(a, range_text(a, objects)), STR_ARG(name_of(w, names)));
    if (p->sites.len > 1)
        buf_fmt(w->out, ": %zu sites", p->sites.len);
    if (lacking)
        buf_fmt(w->out, p->sites.len > 1 ? ", %zu incomplete" : ", incomplete", lacking);
    if (which.len)
        buf_fmt(w->out, " [%.*s]", STR_ARG(which));
    buf_char(w->out, '\n');
}

static void add_sites(const struct writer *w)
{
    const struct fleet *f = w->fleet;
    size_t shown = w->all || f->profiles.len <= PROFILES_FIRST + 1 ? f->profiles.len
                                                                   : PROFILES_FIRST;
    size_t rest = 0;

    if (!f->profiles.len)
        return;
    buf_add(w->out, STR("Sites, those that differ most from the others first\n\n"
                        "APART DIFFER MISSING UNMATCHED  OBJECTS  SITES [DRIFT]\n"));
    for (size_t i = 0; i < shown; i++)
        add_row(w, &f->profiles.items[i]);
    for (size_t i = shown; i < f->profiles.len; i++)
        rest += f->profiles.items[i].sites.len;
    if (rest)
        buf_fmt(w->out, "and %zu more sites: -v or -o html shows them\n", rest);
    buf_char(w->out, '\n');
}

/* ---- What was not compared. ---- */

static str first_reason(struct arena *a, const struct fleet_site *s)
{
    if (!s->verdict.notes.len)
        return STR_NONE;
    const struct result_note *note = &s->verdict.notes.items[0];
    str place = place_text(a, note->place);
    return str_fmt(a, "%s%.*s%s%.*s", ": ", STR_ARG(place), place.len ? ": " : "",
                   STR_ARG(note->reason));
}

static void add_incomplete(const struct writer *w)
{
    const struct fleet *f = w->fleet;
    size_t shown = 0, all = f->states[VERDICT_INCOMPLETE];

    if (!all)
        return;
    buf_add(w->out, STR("Incomplete\n"));
    for (size_t i = 0; i < f->sites.len && (w->all || shown < SITES_SHOWN); i++) {
        str what = fleet_incomplete_text(w->arena, &f->sites.items[i]);
        str why = quote_line(w->arena, first_reason(w->arena, &f->sites.items[i]));
        shown += what.len > 0;
        if (what.len)
            buf_fmt(w->out, "- %.*s: %.*s%.*s\n", STR_ARG(name_of(w, f->sites.items[i].name)),
                    STR_ARG(what), STR_ARG(why));
    }
    if (shown < all)
        buf_fmt(w->out, "- and %zu more\n", all - shown);
    buf_char(w->out, '\n');
}

static void add_failed(const struct writer *w)
{
    const struct fleet *f = w->fleet;
    size_t shown = 0;

    if (!f->failed)
        return;
    buf_add(w->out, STR("Not compared\n"));
    for (size_t i = 0; i < f->sites.len && (w->all || shown < SITES_SHOWN); i++) {
        const struct fleet_site *s = &f->sites.items[i];
        str why = quote_line(w->arena, s->error);
        shown += why.len > 0;
        if (why.len)
            buf_fmt(w->out, "- %.*s: %.*s\n", STR_ARG(name_of(w, s->name)), STR_ARG(why));
    }
    if (shown < f->failed)
        buf_fmt(w->out, "- and %zu more\n", f->failed - shown);
    buf_char(w->out, '\n');
}

/* ---- An earlier report. ---- */

/* New findings refer to numbers in the list above. */
static void add_fresh(const struct writer *w)
{
    const struct fleet *f = w->fleet;
    size_t shown = 0;

    if (!f->baseline.fresh)
        return;
    buf_add(w->out, STR("New\n"));
    for (size_t i = 0; i < f->findings.len && (w->all || shown < CHANGES_SHOWN); i++) {
        const struct fleet_finding *x = &f->findings.items[i];
        str who = fleet_names(w->arena, f, &x->fresh, w->all);
        str what = fleet_subject(w->arena, x);
        shown += x->fresh.len > 0;
        if (x->fresh.len)
            buf_fmt(w->out, "- [%zu] %.*s: %.*s\n", i + 1, STR_ARG(name_of(w, what)),
                    STR_ARG(name_of(w, who)));
    }
    if (shown == CHANGES_SHOWN && !w->all)
        buf_add(w->out, STR("- -v or -o html shows whether there are more\n"));
    buf_char(w->out, '\n');
}

static void add_gone(const struct writer *w)
{
    const struct fleet_baseline *b = &w->fleet->baseline;
    size_t shown = w->all || b->gone.len <= CHANGES_SHOWN ? b->gone.len : CHANGES_SHOWN;

    if (!b->gone.len)
        return;
    buf_add(w->out, STR("Fixed\n"));
    for (size_t i = 0; i < shown; i++) {
        const struct fleet_fixed *x = &b->gone.items[i];
        str who = fleet_names(w->arena, w->fleet, &x->sites, w->all);
        str what = x->object.len ? fleet_object_text(w->arena, x->object) : x->template;
        buf_fmt(w->out, "- %.*s: %.*s\n", STR_ARG(name_of(w, what)), STR_ARG(name_of(w, who)));
    }
    if (shown < b->gone.len)
        buf_fmt(w->out, "- and %zu more\n", b->gone.len - shown);
    buf_char(w->out, '\n');
}

static void add_baseline(const struct writer *w)
{
    const struct fleet_baseline *b = &w->fleet->baseline;

    if (b->file.len)
        buf_fmt(w->out, "Compared with %.*s: %zu new, %zu remaining, %zu fixed\n",
                STR_ARG(name_of(w, b->file)), b->fresh, b->remaining, b->fixed);
    if (report_is_of_another(b->hash, w->fleet->hash))
        buf_fmt(w->out, "It was made with another reference, of which the hash is %.*s\n",
                STR_ARG(name_of(w, b->hash)));
}

/* ---- The whole. ---- */

static void add_verdict(const struct writer *w)
{
    const struct fleet *f = w->fleet;
    size_t incomplete = f->states[VERDICT_INCOMPLETE];
    str sites = counted(w->arena, f->sites.len, "site");

    if (f->with_unmatched)
        buf_fmt(w->out, "Objects not matched by the reference: in %zu of %.*s\n", f->with_unmatched,
                STR_ARG(sites));
    if (f->failed || incomplete)
        buf_fmt(w->out, "Verdict: of %.*s: %zu not compared, %zu incomplete\n", STR_ARG(sites),
                f->failed, incomplete);
    else
        buf_add(w->out, STR("Verdict: complete\n"));
}

static void add_summary(const struct writer *w)
{
    const struct fleet *f = w->fleet;
    size_t rare = 0, common = 0, count = f->kinds[FLEET_DIFFERS] + f->kinds[FLEET_MISSING];

    for (size_t i = 0; i < count; i++) {
        rare += f->findings.items[i].sites.len == 1;
        common += f->findings.items[i].common;
    }
    buf_fmt(w->out, "Summary\nSites: %zu, %zu as expected, %zu with drift, ", f->sites.len,
            f->compared - f->drifting - f->undecided, f->drifting);
    if (f->undecided)
        buf_fmt(w->out, "%zu undecided, ", f->undecided);
    buf_fmt(w->out, "%zu not compared\n", f->failed);
    buf_fmt(w->out, "Drift: %zu different, %zu of objects, %zu missing\n", count,
            f->kinds[FLEET_DIFFERS], f->kinds[FLEET_MISSING]);
    if (count && f->compared > 1)
        buf_fmt(w->out, "  %zu in one site only, %zu in more than half of the sites\n", rare,
                common);
    buf_fmt(w->out, "Metadata Hash: %.*s\n", STR_ARG(f->hash));
    add_baseline(w);
    add_verdict(w);
}

static void write_plain(const struct fleet *f, bool all, struct buf *out)
{
    AUTO_ARENA a = arena_new();
    const struct writer w = {.arena = a, .fleet = f, .all = all, .out = out};

    add_findings(&w);
    add_unmatched(&w);
    add_sites(&w);
    add_incomplete(&w);
    add_failed(&w);
    add_fresh(&w);
    add_gone(&w);
    add_summary(&w);
}

static const struct line_rule rules[] = {
    {"[", COLOUR_BOLD},
    {"    +", COLOUR_GREEN},
    {"    -", COLOUR_RED},
    {"    @@", COLOUR_CYAN},
    {"Drift, ", COLOUR_BOLD},
    {"Objects without", COLOUR_BOLD},
    {"Sites, ", COLOUR_BOLD},
    {"APART", COLOUR_DIM},
    {"Incomplete", COLOUR_YELLOW},
    {"Not compared", COLOUR_RED},
    {"New", COLOUR_RED},
    {"Fixed", COLOUR_GREEN},
    {"Summary", COLOUR_BOLD},
    {"Drift: 0 ", COLOUR_GREEN},
    {"Drift: ", COLOUR_RED},
    {"Verdict: complete", COLOUR_GREEN},
    {"Verdict: ", COLOUR_RED},
};

bool fleet_write_text(const struct fleet *f, const struct report_options *o, struct buf *out,
                      struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf plain = buf_new(a, BUF_UNLIMITED);
    str line, rest;

    (void)e;
    write_plain(f, o->all, &plain);
    rest = buf_str(&plain);
    while (str_next_line(&rest, &line))
        report_line_for_terminal(out, line,
                                 o->colour ? report_line_code(rules, COUNT(rules), line) : "");
    return true;
}
