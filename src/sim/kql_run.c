/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kql_run.c - runs a query over rows: values, comparisons, and one function per operator. A missing
 * member is null; null is equal to nothing, and thus different from everything.
 */
#include "sim/kql_internal.h"

#include "text/json/json.h"
#include "value/number.h"

#include <ctype.h>
#include <stdlib.h>

static const struct value *evaluate(struct arena *a, const struct kql_node *n,
                                    const struct value *row);

/* ---- Texts. ------------------------------------------------------------------------------------
 */

static bool is_null(const struct value *v)
{
    return !v || value_is(v, VALUE_NULL);
}

/* As by tostring; null is empty. */
static str text_of(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (is_null(v))
        return STR_NONE;
    if (value_is(v, VALUE_STRING))
        return value_str(v);
    return json_write(&b, v, &json_exact, NULL) ? buf_str(&b) : STR_NONE;
}

static const struct value *fn_tolower(struct arena *a, const struct value *v)
{
    return value_string(a, str_lower(a, text_of(a, v)));
}

static const struct value *fn_toupper(struct arena *a, const struct value *v)
{
    str text = text_of(a, v);
    char *copy = arena_alloc_text(a, text.len + 1);

    for (size_t i = 0; i < text.len; i++)
        copy[i] = (char)toupper((unsigned char)text.ptr[i]);
    return value_string(a, str_of(copy, text.len));
}

static const struct value *fn_tostring(struct arena *a, const struct value *v)
{
    return value_string(a, text_of(a, v));
}

static const struct value *fn_isnull(struct arena *a, const struct value *v)
{
    return value_bool(a, is_null(v));
}

static const struct value *fn_isnotnull(struct arena *a, const struct value *v)
{
    return value_bool(a, !is_null(v));
}

static const struct value *fn_isempty(struct arena *a, const struct value *v)
{
    return value_bool(a, !text_of(a, v).len);
}

static const struct value *fn_isnotempty(struct arena *a, const struct value *v)
{
    return value_bool(a, text_of(a, v).len > 0);
}

static const struct kql_function functions[] = {
    {"isempty", fn_isempty}, {"isnotempty", fn_isnotempty}, {"isnotnull", fn_isnotnull},
    {"isnull", fn_isnull},   {"tolower", fn_tolower},       {"tostring", fn_tostring},
    {"toupper", fn_toupper},
};

const struct kql_function *kql_function(str name)
{
    for (size_t i = 0; i < COUNT(functions); i++)
        if (str_eq(name, str_c(functions[i].name)))
            return &functions[i];
    return NULL;
}

/* ---- Comparisons. ------------------------------------------------------------------------------
 */

static bool both_numbers(const struct value *x, const struct value *y)
{
    return value_is_number(x) && value_is_number(y);
}

static int order(struct arena *a, const struct value *x, const struct value *y)
{
    if (both_numbers(x, y))
        return number_compare(value_text(x), value_text(y));
    return str_cmp(text_of(a, x), text_of(a, y));
}

static bool test_equal(struct arena *a, const struct value *x, const struct value *y)
{
    return !is_null(x) && !is_null(y) && order(a, x, y) == 0;
}

static bool test_equal_fold(struct arena *a, const struct value *x, const struct value *y)
{
    return !is_null(x) && !is_null(y) && str_eq_fold(text_of(a, x), text_of(a, y));
}

static bool test_less(struct arena *a, const struct value *x, const struct value *y)
{
    return !is_null(x) && !is_null(y) && order(a, x, y) < 0;
}

static bool test_at_most(struct arena *a, const struct value *x, const struct value *y)
{
    return !is_null(x) && !is_null(y) && order(a, x, y) <= 0;
}

static bool test_more(struct arena *a, const struct value *x, const struct value *y)
{
    return test_less(a, y, x);
}

static bool test_at_least(struct arena *a, const struct value *x, const struct value *y)
{
    return test_at_most(a, y, x);
}

static bool test_contains(struct arena *a, const struct value *x, const struct value *y)
{
    return str_contains(str_lower(a, text_of(a, x)), str_lower(a, text_of(a, y)));
}

static bool test_starts(struct arena *a, const struct value *x, const struct value *y)
{
    return str_has_prefix(str_lower(a, text_of(a, x)), str_lower(a, text_of(a, y)));
}

static bool test_ends(struct arena *a, const struct value *x, const struct value *y)
{
    return str_has_suffix(str_lower(a, text_of(a, x)), str_lower(a, text_of(a, y)));
}

static bool is_part(str text, size_t at)
{
    return at < text.len && isalnum((unsigned char)text.ptr[at]);
}

/* A whole word: no letter or digit is next to it. */
static bool test_has(struct arena *a, const struct value *x, const struct value *y)
{
    str text = str_lower(a, text_of(a, x)), word = str_lower(a, text_of(a, y));
    size_t from = 0, found;

    while ((found = str_find(str_from(text, from), word)) != STR_NPOS) {
        size_t at = from + found, end = at + word.len;
        bool before = at && is_part(text, at - 1) && is_part(text, at);
        bool after = end && is_part(text, end) && is_part(text, end - 1);
        if (!before && !after)
            return true;
        from = at + 1;
        if (from > text.len)
            return false;
    }
    return false;
}

static const struct kql_test tests[] = {
    {"!=", test_equal, true, false},
    {"!contains", test_contains, true, false},
    {"!endswith", test_ends, true, false},
    {"!has", test_has, true, false},
    {"!in", test_equal, true, true},
    {"!in~", test_equal_fold, true, true},
    {"!startswith", test_starts, true, false},
    {"!~", test_equal_fold, true, false},
    {"<", test_less, false, false},
    {"<=", test_at_most, false, false},
    {"==", test_equal, false, false},
    {"=~", test_equal_fold, false, false},
    {">", test_more, false, false},
    {">=", test_at_least, false, false},
    {"contains", test_contains, false, false},
    {"endswith", test_ends, false, false},
    {"has", test_has, false, false},
    {"in", test_equal, false, true},
    {"in~", test_equal_fold, false, true},
    {"startswith", test_starts, false, false},
};

const struct kql_test *kql_test(str name)
{
    for (size_t i = 0; i < COUNT(tests); i++)
        if (str_eq(name, str_c(tests[i].name)))
            return &tests[i];
    return NULL;
}

static bool compare(struct arena *a, const struct kql_node *n, const struct value *row)
{
    const struct value *left = evaluate(a, n->left, row);
    bool holds = false;

    if (!n->test->list)
        holds = n->test->holds(a, left, evaluate(a, n->right, row));
    for (size_t i = 0; i < n->list.len && !holds; i++)
        holds = n->test->holds(a, left, evaluate(a, n->list.items[i], row));
    return holds != n->test->negated;
}

/* ---- Values. -----------------------------------------------------------------------------------
 */

static const struct value *member(const struct value *row, const struct kql_node *n)
{
    const struct value *v = row;

    for (size_t i = 0; i < n->path.len && v; i++)
        v = value_get(v, n->path.items[i]);
    return v;
}

static bool holds(struct arena *a, const struct kql_node *n, const struct value *row)
{
    return value_is_true(evaluate(a, n, row));
}

static const struct value *evaluate(struct arena *a, const struct kql_node *n,
                                    const struct value *row)
{
    switch (n->kind) {
    case KQL_LITERAL:
        return n->literal;
    case KQL_COLUMN:
        return member(row, n);
    case KQL_CALL:
        return n->function->call(a, evaluate(a, n->left, row));
    case KQL_COMPARE:
        return value_bool(a, compare(a, n, row));
    case KQL_AND:
        return value_bool(a, holds(a, n->left, row) && holds(a, n->right, row));
    case KQL_OR:
        return value_bool(a, holds(a, n->left, row) || holds(a, n->right, row));
    case KQL_NOT:
        return value_bool(a, !holds(a, n->left, row));
    }
    return NULL;
}

/* ---- Operators. --------------------------------------------------------------------------------
 */

static struct value *run_where(struct arena *a, const struct kql_operator *o,
                               const struct value *rows)
{
    struct value *out = value_list(a);

    for (size_t i = 0; i < value_len(rows); i++)
        if (holds(a, o->condition, &rows->items[i]))
            value_add(a, out, &rows->items[i]);
    return out;
}

static struct value *columns_of(struct arena *a, const struct kql_operator *o,
                                const struct value *row)
{
    struct value *out = value_object(a);

    for (size_t i = 0; i < o->columns.len; i++) {
        const struct value *v = evaluate(a, o->columns.items[i].value, row);
        value_set(a, out, o->columns.items[i].name, v ? v : value_null(a));
    }
    return out;
}

static struct value *run_project(struct arena *a, const struct kql_operator *o,
                                 const struct value *rows)
{
    struct value *out = value_list(a);

    for (size_t i = 0; i < value_len(rows); i++)
        value_add(a, out, columns_of(a, o, &rows->items[i]));
    return out;
}

struct sorted {
    const struct kql_operator *by;
    const struct value *row;
    const struct value **keys; /* NULL, texts and numbers only */
    size_t number;             /* keeps equal ones in order */
};

/* Null is first in ascending order, last in descending order. */
static int compare_keys(const struct value *x, const struct value *y)
{
    if (!x || !y)
        return (x != NULL) - (y != NULL);
    if (both_numbers(x, y))
        return number_compare(value_text(x), value_text(y));
    return str_cmp(value_text(x), value_text(y));
}

static int compare_rows(const void *x, const void *y)
{
    const struct sorted *s = x, *t = y;

    for (size_t i = 0; i < s->by->columns.len; i++) {
        int got = compare_keys(s->keys[i], t->keys[i]);
        if (got)
            return s->by->columns.items[i].ascending ? got : -got;
    }
    return s->number < t->number ? -1 : s->number > t->number;
}

static const struct value **keys_of(struct arena *a, const struct kql_operator *o,
                                    const struct value *row)
{
    const struct value **keys = ARENA_ARRAY(a, const struct value *, o->columns.len);

    for (size_t i = 0; i < o->columns.len; i++) {
        const struct value *v = evaluate(a, o->columns.items[i].value, row);
        keys[i] = is_null(v) ? NULL : value_is_number(v) ? v : fn_tostring(a, v);
    }
    return keys;
}

static struct value *run_order(struct arena *a, const struct kql_operator *o,
                               const struct value *rows)
{
    size_t count = value_len(rows);
    struct sorted *s = ARENA_ARRAY(a, struct sorted, count + 1);
    struct value *out = value_list(a);

    for (size_t i = 0; i < count; i++)
        s[i] = (struct sorted){o, &rows->items[i], keys_of(a, o, &rows->items[i]), i};
    qsort(s, count, sizeof *s, compare_rows);
    for (size_t i = 0; i < count; i++)
        value_add(a, out, s[i].row);
    return out;
}

static struct value *run_limit(struct arena *a, const struct kql_operator *o,
                               const struct value *rows)
{
    struct value *out = value_list(a);

    for (size_t i = 0; i < value_len(rows) && i < o->limit; i++)
        value_add(a, out, &rows->items[i]);
    return out;
}

static struct value *run_count(struct arena *a, const struct kql_operator *o,
                               const struct value *rows)
{
    struct value *out = value_list(a), *row = value_object(a);

    value_set_int(a, row, o->count_name, (int64_t)value_len(rows));
    value_add(a, out, row);
    return out;
}

static struct value *run_summarize(struct arena *a, const struct kql_operator *o,
                                   const struct value *rows)
{
    struct value *out = value_list(a);
    struct map *groups = map_new(a); /* text of the columns to the number of rows */

    if (!o->columns.len)
        return run_count(a, o, rows);
    for (size_t i = 0; i < value_len(rows); i++) {
        str key = text_of(a, columns_of(a, o, &rows->items[i]));
        int64_t *count = map_get(groups, key);
        if (!count) {
            count = ARENA_NEW(a, int64_t);
            map_set(groups, key, count);
        }
        ++*count;
    }
    for (size_t i = 0; i < map_len(groups); i++) {
        struct source src = {.text = map_key(groups, i)};
        struct value *row;
        if (!json_read(a, &src, NULL, &row, NULL))
            continue;
        value_set_int(a, row, o->count_name, *(int64_t *)map_at(groups, i));
        value_add(a, out, row);
    }
    return out;
}

bool kql_wants(struct arena *a, const struct kql *q, const struct value *row)
{
    for (size_t i = 0; i < q->operators.len && q->operators.items[i].step == KQL_WHERE; i++)
        if (!holds(a, q->operators.items[i].condition, row))
            return false;
    return true;
}

struct value *kql_run(struct arena *a, const struct kql *q, const struct value *rows)
{
    static struct value *(*const run[])(struct arena * a, const struct kql_operator *o,
                                        const struct value *rows) = {
        [KQL_WHERE] = run_where, [KQL_PROJECT] = run_project, [KQL_ORDER] = run_order,
        [KQL_LIMIT] = run_limit, [KQL_COUNT] = run_count,     [KQL_SUMMARIZE] = run_summarize,
    };
    struct value *now = value_list(a);

    for (size_t i = 0; i < value_len(rows); i++)
        value_add(a, now, &rows->items[i]);
    for (size_t i = 0; i < q->operators.len; i++)
        now = run[q->operators.items[i].step](a, &q->operators.items[i], now);
    return now;
}
