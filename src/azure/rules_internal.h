/* SPDX-License-Identifier: Apache-2.0 */
/* rules_internal.h - rules once they are read. */
#pragma once

#include "azure/rules.h"
#include "regex/regex.h"

struct text_list {
    str *items;
    size_t len, cap;
};

struct rule_match {
    struct text_list code, inner, method, group, kind;
    struct text_list contains, contains_any, in_order; /* in the message */
    struct {
        int *items;
        size_t len, cap;
    } http;
    str from, to; /* of the api-version; empty: open */
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
    const struct rule_retry *retry; /* NULL: as before */
    str reason;                     /* empty: as before */
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

/* Whether a rule is about these facts. */
bool rule_matches(const struct rule_match *m, const struct error_facts *facts);
