/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kql.h - the subset of the Kusto query language that Resource Graph queries need.
 *
 *     resources | where type =~ 'Microsoft.Network/virtualNetworks' and tags['owner'] == 'me'
 *     | project id, state = properties.provisioningState | order by id asc | limit 10
 *
 * A query is a table and operators, each of which takes the rows of the one before:
 *
 *     where CONDITION
 *     project COLUMN [= VALUE], ...
 *     order by VALUE [asc|desc], ...     (also sort by; the default is desc)
 *     limit N                            (also take)
 *     count                              one row with Count
 *     summarize [NAME =] count() [by [NAME =] VALUE, ...]
 *
 * Conditions: == != =~ !~ < <= > >=, in in~ !in !in~ (...), has contains startswith endswith and
 * their negations with !, and, or, not(...), parentheses; isnull isnotnull isempty isnotempty.
 * Values: columns (a.b, a['b']), texts, numbers, true, false, tolower() toupper() tostring().
 * Comments start with //. Everything else is rejected, with its position.
 *
 * A query never changes once parsed. Functions may be called from any thread.
 */
#pragma once

#include "value/value.h"

/* Far beyond any legitimate query. */
#define KQL_TEXT_MAX (64 * KIB)
#define KQL_DEPTH_MAX 64
#define KQL_OPERATORS_MAX 64
#define KQL_LIST_MAX 1000

struct kql;

/* Why a query is rejected, in the terms of Resource Graph. */
struct kql_fault {
    const char *code; /* ParserFailure, UnknownFunction, ... */
    str message, token;
    size_t line, column; /* from 1 and from 0, as Azure counts */
};

/* The query and its texts live as long as a; false fills fault. */
MUST_CHECK bool kql_parse(struct arena *a, str text, struct kql **out, struct kql_fault *fault);
/* The table that the query starts with, as written. */
str kql_table(const struct kql *q);
/* Whether a row passes the conditions that the query starts with. */
bool kql_wants(struct arena *a, const struct kql *q, const struct value *row);
/* Runs the query over the rows of its table; both are lists of objects. */
struct value *kql_run(struct arena *a, const struct kql *q, const struct value *rows);
