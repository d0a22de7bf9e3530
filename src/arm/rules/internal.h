/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h - rules in memory; shared by the files of this folder. */
#pragma once

#include "arm/rules/kind.h"
#include "regex/regex.h"
#include "value/fields.h"

struct rule_match {
    struct str_list code, inner, method, group, kind;
    struct str_list contains, contains_any, in_order; /* in the message */
    struct {
        int *items;
        size_t len, cap;
    } http;
    str from, to; /* of the api-version; empty: no limit */
    struct regex *pattern;
    bool ignore_case;
    bool asks_understood, understood;
};

struct rule {
    str id;
    struct rule_match match;
    bool sets_class, sets_effect;
    enum error_class class;
    enum error_effect effect;
    const struct rule_retry *retry; /* NULL: unchanged */
    str reason;                     /* empty: unchanged */
    const struct value *node;       /* where it was read */
};

struct rule_stage {
    str name;
    struct {
        struct rule *items;
        size_t len, cap;
    } rules;
};

struct rules {
    const struct source *source;
    struct {
        struct rule_retry *items;
        size_t len, cap;
    } retries;
    struct {
        struct rule_stage *items;
        size_t len, cap;
    } stages;
};

/* Whether a rule applies to these facts. */
bool rule_matches(const struct rule_match *m, const struct error_facts *facts);

/*
 * read.c: reads a list of texts into a struct str_list, and a list of rules into a struct
 * rule_stage. The ctx of the fields is the struct rules with the retry policies.
 */
field_fn rules_read_texts, rules_read_stage;

/* file.c: reports something in a file that is probably a mistake. */
struct rules_findings {
    struct arena *arena;
    const struct source *source;
    struct rules_finding *items;
    size_t len, cap;
};
void rules_found(struct rules_findings *f, const struct value *at, const char *format, ...)
    FORMAT(3, 4);
/* lint.c: finds rules of a stage that never apply, and ids that are in ids already. */
void rules_lint_stage(struct rules_findings *f, const struct rule_stage *stage, struct map *ids);
/* kind_lint.c: the file of a kind. *count is how many rules it has. */
MUST_CHECK bool kind_lint(struct rules_findings *f, size_t *count, struct err *e);
/* detect_lint.c: the same for the file of the comparison. */
MUST_CHECK bool detect_lint(struct rules_findings *f, size_t *count, struct err *e);
