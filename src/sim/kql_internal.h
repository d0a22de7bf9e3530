/* SPDX-License-Identifier: Apache-2.0 */
/* kql_internal.h - a parsed query. */
#pragma once

#include "sim/kql.h"

enum kql_kind {
    KQL_LITERAL,
    KQL_COLUMN,
    KQL_CALL,    /* of a function: tolower, ... */
    KQL_COMPARE, /* left, op, right; or left, op, items */
    KQL_AND,
    KQL_OR,
    KQL_NOT, /* left */
};

struct kql_node;

/* A function of one value. */
struct kql_function {
    const char *name;
    const struct value *(*call)(struct arena *a, const struct value *v);
};
/* NULL if there is none. */
const struct kql_function *kql_function(str name);

/* A comparison; negated ones share the function. */
struct kql_test {
    const char *name;
    bool (*holds)(struct arena *a, const struct value *left, const struct value *right);
    bool negated;
    bool list; /* right is any element of a list */
};
/* NULL if there is none. */
const struct kql_test *kql_test(str name);

struct kql_node {
    enum kql_kind kind;
    const struct value *literal;
    struct {
        str *items;
        size_t len, cap;
    } path;
    const struct kql_function *function;
    const struct kql_test *test;
    struct kql_node *left, *right;
    struct {
        struct kql_node **items;
        size_t len, cap;
    } list;
};

enum kql_step { KQL_WHERE, KQL_PROJECT, KQL_ORDER, KQL_LIMIT, KQL_COUNT, KQL_SUMMARIZE };

/* A column of project, order by or summarize. */
struct kql_column {
    str name;
    struct kql_node *value;
    bool ascending;
};

struct kql_operator {
    enum kql_step step;
    struct kql_node *condition;
    struct {
        struct kql_column *items;
        size_t len, cap;
    } columns;
    uint64_t limit;
    str count_name;
};

struct kql {
    str table;
    struct {
        struct kql_operator *items;
        size_t len, cap;
    } operators;
};
