/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c - the text report on a terminal.
 *
 * Works on the finished report, line by line: what a line is follows from its start and its
 * context. A diff starts after "Diff Output: " and ends at the next row of asterisks.
 */
#include "report/internal.h"
#include "base/quote.h"

#define PLAIN "\033[0m"

enum area { AREA_BLOCK, AREA_HEADER, AREA_HUNKS };

/* The prefixes of lines, by area. */
static const struct line_rule block_rules[] = {
    {"****", COLOUR_DIM},
    {"Cluster CR: ", COLOUR_BOLD},
    {"Summary", COLOUR_BOLD},
    {"CRs with diffs: 0/", COLOUR_GREEN},
    {"CRs with diffs: ", COLOUR_RED},
    {"CRs in reference missing from the cluster: ", COLOUR_RED},
    {"Cluster CRs unmatched to reference CRs: ", COLOUR_YELLOW},
    {"Warning: ", COLOUR_YELLOW},
    {"No validation issues", COLOUR_GREEN},
    {"Not compared:", COLOUR_YELLOW},
    {"Not matched by the reference: ", COLOUR_YELLOW},
    {"Verdict: complete", COLOUR_GREEN},
    {"Verdict: ", COLOUR_RED},
    {"New:", COLOUR_RED},
    {"Worse:", COLOUR_RED},
    {"Fixed:", COLOUR_GREEN},
    {"Explanations", COLOUR_BOLD},
};
static const struct line_rule header_rules[] = {{"", COLOUR_DIM}};
static const struct line_rule hunk_rules[] = {
    {"+", COLOUR_GREEN}, {"-", COLOUR_RED}, {"@@", COLOUR_CYAN}, {"\\", COLOUR_DIM}};

static const struct {
    const struct line_rule *rules;
    size_t count;
} areas[] = {
    [AREA_BLOCK] = {block_rules, COUNT(block_rules)},
    [AREA_HEADER] = {header_rules, COUNT(header_rules)},
    [AREA_HUNKS] = {hunk_rules, COUNT(hunk_rules)},
};

const char *report_line_code(const struct line_rule *rules, size_t count, str line)
{
    for (size_t i = 0; i < count; i++)
        if (str_has_prefix(line, str_c(rules[i].begin)))
            return rules[i].code;
    return "";
}

void report_line_for_terminal(struct buf *out, str line, const char *code)
{
    buf_add(out, str_c(code));
    quote_for_people(out, line);
    buf_add(out, *code ? STR(PLAIN) : STR_NONE);
    buf_char(out, '\n');
}

/* The area of a line, given that of the previous line. */
static enum area area_of(enum area before, str line)
{
    if (str_has_prefix(line, STR("**********")))
        return AREA_BLOCK;
    if (str_has_prefix(line, STR("--- ")) && before != AREA_HEADER)
        return AREA_HEADER;
    if (before == AREA_BLOCK)
        return str_has_prefix(line, STR("Diff Output: diff ")) ? AREA_HEADER : AREA_BLOCK;
    return before == AREA_HUNKS || str_has_prefix(line, STR("@@ ")) ? AREA_HUNKS : AREA_HEADER;
}

void report_for_terminal(struct buf *out, str text, bool colour)
{
    enum area area = AREA_BLOCK;
    str line, rest = text;

    while (str_next_line(&rest, &line)) {
        area = area_of(area, line);
        report_line_for_terminal(
            out, line, colour ? report_line_code(areas[area].rules, areas[area].count, line) : "");
    }
}
