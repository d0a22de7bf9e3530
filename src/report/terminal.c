/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c - the text report on a terminal.
 *
 * Works on the finished report, line by line: what a line is can be seen from its beginning and
 * from where it stands. A difference begins behind "Diff Output: " and ends at the next row of
 * asterisks.
 */
#include "report/internal.h"
#include "base/quote.h"

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

enum area { AREA_BLOCK, AREA_HEADER, AREA_HUNKS };

struct rule {
    const char *begin, *code;
};

/* What lines begin with, by where they stand. */
static const struct rule block_rules[] = {
    {"****", DIM},
    {"Cluster CR: ", BOLD},
    {"Summary", BOLD},
    {"CRs with diffs: 0/", GREEN},
    {"CRs with diffs: ", RED},
    {"CRs in reference missing from the cluster: ", RED},
    {"Cluster CRs unmatched to reference CRs: ", YELLOW},
    {"Warning: ", YELLOW},
    {"No validation issues", GREEN},
    {"Not compared:", YELLOW},
    {"Verdict: the comparison is complete", GREEN},
    {"Verdict: ", RED},
    {"New:", RED},
    {"Worse:", RED},
    {"Fixed:", GREEN},
    {"Explanations", BOLD},
};
static const struct rule header_rules[] = {{"", DIM}};
static const struct rule hunk_rules[] = {{"+", GREEN}, {"-", RED}, {"@@", CYAN}, {"\\", DIM}};

static const struct {
    const struct rule *rules;
    size_t count;
} areas[] = {
    [AREA_BLOCK] = {block_rules, COUNT(block_rules)},
    [AREA_HEADER] = {header_rules, COUNT(header_rules)},
    [AREA_HUNKS] = {hunk_rules, COUNT(hunk_rules)},
};

static const char *code_of(enum area area, str line)
{
    for (size_t i = 0; i < areas[area].count; i++)
        if (str_has_prefix(line, str_c(areas[area].rules[i].begin)))
            return areas[area].rules[i].code;
    return "";
}

/* Where the line stands, given where the one before it stood. */
static enum area area_of(enum area before, str line)
{
    if (str_has_prefix(line, STR("**********")))
        return AREA_BLOCK;
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
        const char *code = colour ? code_of(area, line) : "";
        buf_add(out, str_c(code));
        quote_for_terminal(out, line);
        buf_add(out, *code ? STR(PLAIN) : STR_NONE);
        buf_char(out, '\n');
    }
}
