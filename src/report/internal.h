/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h - what the formats share. */
#pragma once

#include "report/report.h"
#include "text/text.h"
#include "value/value.h"

extern const struct report_format report_csv, report_github, report_html, report_json, report_junit,
    report_markdown, report_patches, report_sarif, report_yaml;
extern fleet_writer fleet_write_csv, fleet_write_github, fleet_write_html, fleet_write_json,
    fleet_write_junit, fleet_write_markdown, fleet_write_text, fleet_write_yaml;

/* The results as one tree, members in the order in which the original writes them. */
struct value *report_tree(struct arena *a, const struct results *r);
/* How numbers in YAML are written: as the original does, or losslessly in reports of our own. */
enum number_rule report_numbers(const struct results *r, enum number_rule original);
/* Add members that the original does not have: to a diff, for a field, and to the whole report. */
void report_tree_fields(struct arena *a, struct value *out, const struct result_diff *d);
void report_tree_field(struct arena *a, struct value *out, const struct result_field *f);
void report_tree_more(struct arena *a, struct value *out, const struct results *r);
/* Sets a member, unless the text is empty. */
void report_set_text(struct arena *a, struct value *out, const char *key, str text);
/* Whether an earlier report, with this hash of its reference, was made with another reference. */
bool report_is_of_another(str earlier, str hash);
/* The member of this name if it is a positive number, else 0. */
size_t report_count_at(const struct value *object, const char *name);

/*
 * When run as plumb, for people: the objects that differ (all: also those that do not), and the
 * totals.
 */
void report_objects_text(struct buf *out, const struct results *r, bool all);
void report_summary_text(struct buf *out, const struct results *r);
/* The same for the comparison with an earlier report. */
void report_baseline_text(struct buf *out, const struct results *r);

/*
 * Appends the text report in a form that is safe for a terminal: escape sequences are neutralised,
 * and with colour lines are coloured by their meaning.
 */
void report_for_terminal(struct buf *out, str text, bool colour);

/* How lines that begin with a text are coloured. */
#define COLOUR_BOLD "\033[1m"
#define COLOUR_DIM "\033[2m"
#define COLOUR_RED "\033[31m"
#define COLOUR_GREEN "\033[32m"
#define COLOUR_YELLOW "\033[33m"
#define COLOUR_CYAN "\033[36m"
struct line_rule {
    const char *begin, *code;
};
/* Appends one line and a newline, escaped and, unless code is empty, coloured. */
void report_line_for_terminal(struct buf *out, str line, const char *code);
/* The colour of the first rule that matches, or "". */
const char *report_line_code(const struct line_rule *rules, size_t count, str line);

/* ---- Escaping of foreign text. ---- */

/* In Markdown, on one line: as text, and as code. */
void markdown_text(struct buf *out, str text);
void markdown_code(struct buf *out, str text);
/* In a command of a GitHub workflow: after its "::", and as a property. */
void github_data(struct buf *out, str foreign);
void github_property(struct buf *out, str foreign);

/* ---- How complete the comparison was; nothing if that is unknown. ---- */

/* "complete", "incomplete: 1 object failed". */
str verdict_text(struct arena *a, const struct result_verdict *v);
/* How many objects have no template, including those that are not listed. */
size_t results_unmatched(const struct results *r);
/* What they are called in all formats. */
#define UNMATCHED_WORDS "not matched by the reference"
#define UNMATCHED_TITLE "Not matched by the reference"
/* "1 document and 2 objects failed", "nothing was compared", or empty. */
str verdict_failures(struct arena *a, const struct result_verdict *v);
/* Appends the last lines of the summary. */
void report_verdict_text(struct buf *out, const struct results *r);
/* Sets the member Verdict. */
void report_verdict_tree(struct arena *a, struct value *out, const struct results *r);

/* ---- Objects. ---- */

/* The parts of an id. Cluster-scoped objects have no namespace. */
struct object_name {
    str api, kind, namespace, name;
};
struct object_name object_name_of(str id);

/* The file of the overrides that were selected for an object. */
static inline str diff_overrides(const struct results *r, const struct result_diff *d)
{
    return d->overrides.len ? d->overrides : r->overrides;
}

/* Whether the comparison found something about an object. */
static inline bool diff_is_finding(const struct result_diff *d)
{
    return d->differs || d->text.len;
}

/* Counts the lines that a unified diff adds and removes. */
struct diff_count {
    size_t added, removed;
};
struct diff_count diff_count_lines(str text);

/*
 * Iterates over the lines of a unified diff. The lines before the first hunk, which name temporary
 * files, are skipped. False at the end. A text without hunks is returned unchanged.
 */
struct diff_lines {
    str rest;
    bool hunks; /* the text is a unified diff */
};
struct diff_lines diff_lines_of(str text);
bool diff_lines_next(struct diff_lines *d, str *line);

/*
 * A key that is equal for objects that differ from one template in the same fields with the same
 * values; empty if that is unknown. Lives as long as a.
 */
str diff_alike_key(struct arena *a, const struct result_diff *d);
/* "3, expected 1", "missing, expected 1", "3, not expected"; values cut at about max bytes. */
str field_change(struct arena *a, const struct result_field *f, size_t max);
/* A value on one line, as JSON; "absent" for NULL. Cut at about max bytes. Lives as long as a. */
str field_text(struct arena *a, const struct value *v, size_t max);
/* "changed", "missing", "extra". */
const char *result_kind_name(enum result_kind kind);
/* "N THING" or "N THINGs". */
str counted(struct arena *a, size_t n, const char *thing);
/* What is wrong with a component, in our words, as the original's are meant for programs. */
str issue_words(const struct result_issue *issue);
/* One sentence: "3 of 40 objects differ, 2 missing from the cluster". Lives as long as a. */
str headline(struct arena *a, const struct results *r);

/* ---- The outline: parts, components and their entries. ---- */

/* Exactly one of the two is set. */
struct entry {
    const struct result_issue *issue;
    const struct result_diff *diff;
};

struct group {
    str part, component;
    struct {
        struct entry *items;
        size_t len, cap;
    } entries;       /* issues, then objects that differ, then the rest, each by id */
    size_t findings; /* issues and objects that differ */
};

struct outline {
    struct group *items;
    size_t len, cap;
};

/*
 * Ordered by part, then by component. An object without a part is under the folder of its template.
 * Lives as long as a; points into r.
 */
struct outline outline_of(struct arena *a, const struct results *r);

/* ---- HTML. ---- */

/* Appends foreign text with all markup escaped and control characters made visible. */
void html_show(struct buf *out, str text);
/* The same, between two pieces of our own markup. */
void html_put(struct buf *out, const char *before, str text, const char *after);
/* The same as html_show, with web addresses as links. */
void html_show_links(struct buf *out, str text);
/* A paragraph with the reference's description; nothing if it is empty. */
void html_description(struct buf *out, str text);
/* The same for an attribute, where there is no markup: control characters are shown as escapes. */
void html_attr(struct buf *out, str text);
/* Appends a diff as a block of lines. */
void html_diff(struct buf *out, str text);

/* Unique anchors in the page. */
struct html_ids {
    struct arena *arena;
    struct map *taken;
};
str html_id(struct html_ids *ids, str text);

/* The page: head, bar with its chips, <main> with an open element by the caller, end, which closes
 * both. Titles are ours. */
void html_head(struct buf *out, str title);
void html_bar(struct buf *out, const char *title, const char *placeholder);
void html_chip(struct buf *out, const char *status, const char *label, size_t n, bool dot);
void html_bar_end(struct buf *out);
void html_end(struct buf *out);
/* A link in the tree at the side. */
void html_link(struct buf *out, str anchor, str name, size_t findings, size_t all);
/* A part of a bar, which is as wide as its share. The part "same" is the rest. */
struct html_part {
    const char *class;
    size_t n;
};
/* Begins the first panel: a headline, a line below it, a bar; the caller adds totals and ends both.
 */
void html_overview(struct buf *out, str headline, str lead, const struct html_part *parts,
                   size_t count);
void html_total(struct buf *out, const char *class, const char *label, size_t n);
/* Appends nothing if the value is empty. */
void html_fact(struct buf *out, const char *name, str value);
void html_made(struct arena *a, struct buf *out, int64_t now, const struct result_subject *s,
               str overrides, str hash);
extern const char html_chevron[];

/* The start of an item, whose status may be several words, and the parts of items. */
void html_item(struct buf *out, str id, const char *status);
void html_name(struct buf *out, str id);
void html_delta(struct buf *out, str text);
void html_fields(const struct result_diff *d, struct buf *out);

/* What all items of a page need. */
struct html_page {
    const struct results *results;
    struct html_ids ids;
    struct map *explanations; /* id of an object to struct result_explanation */
    struct map *alike;        /* diff_alike_key to struct html_alike */
    bool open;                /* all findings are shown open, as there are few */
};
/* Objects that differ in the same way, in reading order. All but the first are shown in short. */
struct html_alike {
    const struct result_diff **items;
    size_t len, cap;
    size_t number; /* of the group, from 1 */
};
/* alike may be NULL. */
void html_object(struct html_page *p, const struct result_diff *d, const struct html_alike *alike,
                 struct buf *out);
void html_issue(struct html_page *p, const struct result_issue *issue, struct buf *out);
void html_unmatched(struct html_page *p, str id, struct buf *out);
/*
 * The panels: how complete the comparison was; the earlier report; objects that are only referred
 * to.
 */
void html_verdict(const struct result_verdict *v, struct buf *out);
void html_baseline(const struct results *r, struct buf *out);
void html_reference_only(const struct results *r, struct buf *out);

/* The first change, for a closed row. */
void html_change(struct buf *out, const struct result_fields *fields);

/* Building blocks. Classes and labels are ours, all other text is foreign. heads ends with NULL. */
void html_code(struct buf *out, str text);
void html_badge(struct buf *out, const char *class, const char *label);
void html_table(struct buf *out, const char *const *heads);
void html_cell(struct buf *out, str text);
void html_table_end(struct buf *out);

/* ---- Reading plumb's own members of a JSON report. Malformed ones count as absent. ---- */

struct result_place results_read_place(const struct value *v);
struct str_list results_read_texts(struct arena *a, const struct value *list);
void results_read_fields(struct arena *a, const struct value *list, struct result_diff *out);
/* Verdict, baseline and explanations. */
void results_read_more(struct arena *a, const struct value *output, struct results *out);
