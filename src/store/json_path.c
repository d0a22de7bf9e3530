/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_path.c - the paths of printer columns, as client-go reads them.
 *
 *   .status.phase   ['a.b']   .a\.b   [0]   [-1]   [*]   .*   ..name
 *   .status.conditions[?(@.type=="Ready")].status
 *
 * Only the first value is ever shown, so the search ends there. An invalid path finds nothing,
 * which makes an empty cell.
 */
#include "store/internal.h"

#include "value/number.h"

/* A path that descends into everything ("..a..b") ends after this many nodes. */
#define STEPS_MAX 100000

struct searching {
    struct arena *arena;
    size_t *left; /* steps */
    const struct value *found;
};

static bool search(struct searching *s, const struct value *at, str path);

/* The text up to the end of a name; a backslash quotes the next character. */
static str take_name(struct arena *a, str *path)
{
    struct buf b = buf_new(a, path->len);
    size_t i = 0;

    for (; i < path->len && str_find_char(STR(".["), path->ptr[i]) == STR_NPOS; i++) {
        if (path->ptr[i] == '\\' && i + 1 < path->len)
            i++;
        buf_char(&b, path->ptr[i]);
    }
    *path = str_from(*path, i);
    return buf_str(&b);
}

static bool search_all(struct searching *s, const struct value *at, str path)
{
    for (size_t i = 0; i < value_len(at); i++)
        if (search(s, &at->items[i], path))
            return true;
    return false;
}

/* Searches here and everywhere below. */
static bool search_below(struct searching *s, const struct value *at, str path)
{
    if (search(s, at, path))
        return true;
    for (size_t i = 0; i < value_len(at) && *s->left; i++)
        if (search_below(s, &at->items[i], path))
            return true;
    return false;
}

static bool is_quoted(str s)
{
    return s.len >= 2 && (s.ptr[0] == '\'' || s.ptr[0] == '"') && s.ptr[s.len - 1] == s.ptr[0];
}

/* The other operand of a comparison: a text, a number, a word, or a path from the element. */
static str operand(struct searching *s, const struct value *element, str text)
{
    struct searching inner = {.arena = s->arena, .left = s->left};

    text = str_trim(text);
    if (is_quoted(text))
        return str_slice(text, 1, text.len - 1);
    if (!str_has_prefix(text, STR("@")))
        return text;
    (void)search(&inner, element, str_from(text, 1));
    return inner.found ? value_text(inner.found) : STR_NONE;
}

static int compare(str x, str y)
{
    double p, q;

    if (number_is_valid(x) && number_is_valid(y) && number_to_double(x, &p) &&
        number_to_double(y, &q))
        return p < q ? -1 : p > q;
    return str_cmp(x, y);
}

/* Inside "?(" and ")". */
static bool holds(struct searching *s, const struct value *element, str condition)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};

    for (size_t i = 0; i < COUNT(operators); i++) {
        str left, right;

        if (!str_cut(condition, str_c(operators[i]), &left, &right))
            continue;
        int order = compare(operand(s, element, left), operand(s, element, right));
        switch (i) {
        case 0:
            return order == 0;
        case 1:
            return order != 0;
        case 2:
            return order <= 0;
        case 3:
            return order >= 0;
        case 4:
            return order < 0;
        default:
            return order > 0;
        }
    }
    struct searching inner = {.arena = s->arena, .left = s->left};
    return search(&inner, element, str_without_prefix(str_trim(condition), STR("@")));
}

static bool search_filtered(struct searching *s, const struct value *at, str condition, str path)
{
    for (size_t i = 0; value_is(at, VALUE_LIST) && i < at->len && *s->left; i++)
        if (holds(s, &at->items[i], condition) && search(s, &at->items[i], path))
            return true;
    return false;
}

static bool search_index(struct searching *s, const struct value *at, str text, str path)
{
    int64_t i, len = (int64_t)value_len(at);

    if (!value_is(at, VALUE_LIST) || !str_to_i64(text, &i))
        return false;
    i += i < 0 ? len : 0;
    return i >= 0 && i < len && search(s, &at->items[i], path);
}

/* Handles what follows "[". */
static bool search_bracket(struct searching *s, const struct value *at, str path)
{
    str inside, rest;

    if (str_has_prefix(path, STR("?("))) {
        return str_cut(str_from(path, 2), STR(")]"), &inside, &rest) &&
               search_filtered(s, at, inside, rest);
    }
    if (!str_cut(path, STR("]"), &inside, &rest))
        return false;
    if (str_eq(inside, STR("*")))
        return search_all(s, at, rest);
    if (is_quoted(inside))
        return search(s, value_get(at, str_slice(inside, 1, inside.len - 1)), rest);
    return search_index(s, at, inside, rest);
}

static bool search(struct searching *s, const struct value *at, str path)
{
    if (!at || !*s->left)
        return false;
    --*s->left;
    if (!path.len || str_eq(path, STR("."))) {
        s->found = at;
        return true;
    }
    if (path.ptr[0] == '[')
        return search_bracket(s, at, str_from(path, 1));
    if (path.ptr[0] != '.')
        return false;
    path = str_from(path, 1);
    if (str_has_prefix(path, STR(".")))
        return search_below(s, at, path);
    if (str_has_prefix(path, STR("[")))
        return search(s, at, path);
    if (str_has_prefix(path, STR("*")))
        return search_all(s, at, str_from(path, 1));
    str name = take_name(s->arena, &path);
    return search(s, value_get(at, name), path);
}

const struct value *store_json_path_within(struct arena *a, const struct value *object, str path,
                                           size_t *left)
{
    size_t rest = *left > STEPS_MAX ? *left - STEPS_MAX : 0;
    struct searching s = {.arena = a, .left = left};

    *left -= rest;
    bool found = search(&s, object, path);
    *left += rest;
    return found ? s.found : NULL;
}

const struct value *store_json_path(struct arena *a, const struct value *object, str path)
{
    size_t left = STEPS_MAX;

    return store_json_path_within(a, object, path, &left);
}
