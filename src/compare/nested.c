/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested.c - follows paths through objects and lists, with the original's errors, and prints values
 * as Go does.
 */
#include "compare/nested_internal.h"
#include "go/quote.h"
#include "value/number.h"

/* ---- Values as Go prints them. ---- */

static void print_number(struct buf *out, const struct value *v, bool floats)
{
    char text[NUMBER_MAX];
    double d = 0;
    int64_t i;

    if (!floats && v->kind == VALUE_INT && number_to_i64(value_text(v), &i)) {
        buf_fmt(out, "%lld", (long long)i);
        return;
    }
    (void)number_to_double(value_text(v), &d);
    buf_add(out, str_of(text, number_format(text, d, NUMBER_G)));
}

static void print_list(struct buf *out, const struct value *v, bool floats)
{
    buf_char(out, '[');
    for (size_t i = 0; i < v->len; i++) {
        if (i)
            buf_char(out, ' ');
        go_print(out, &v->items[i], floats);
    }
    buf_char(out, ']');
}

static void print_object(struct buf *out, const struct value *v, bool floats)
{
    struct value **members = value_sorted(out->arena, v);

    buf_add(out, STR("map["));
    for (size_t i = 0; i < v->len; i++) {
        if (i)
            buf_char(out, ' ');
        buf_add(out, value_key(members[i]));
        buf_char(out, ':');
        go_print(out, members[i], floats);
    }
    buf_char(out, ']');
}

void go_print(struct buf *out, const struct value *v, bool floats)
{
    switch ((enum value_kind)v->kind) {
    case VALUE_NULL:
        buf_add(out, STR("<nil>"));
        break;
    case VALUE_BOOL:
        buf_add(out, v->truth ? STR("true") : STR("false"));
        break;
    case VALUE_INT:
    case VALUE_FLOAT:
        print_number(out, v, floats);
        break;
    case VALUE_STRING:
        buf_add(out, value_str(v));
        break;
    case VALUE_LIST:
        print_list(out, v, floats);
        break;
    case VALUE_OBJECT:
        print_object(out, v, floats);
        break;
    }
}

const char *go_type(const struct value *v, bool floats)
{
    static const char *const names[] = {
        "<nil>", "bool", "int64", "float64", "string", "[]interface {}", "map[string]interface {}"};
    int64_t i;

    if (v->kind == VALUE_INT && (floats || !number_to_i64(value_text(v), &i)))
        return "float64";
    return names[v->kind];
}

/* ---- Paths. ---- */

static str path_text(struct arena *a, const struct path *p, size_t len)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < len; i++) {
        buf_char(&out, '.');
        buf_add(&out, p->steps[i].key);
    }
    if (!len)
        buf_char(&out, '.');
    return buf_str(&out);
}

static str value_shown(struct arena *a, const struct value *v, bool floats)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    go_print(&out, v, floats);
    return buf_str(&out);
}

/* As strconv.Atoi: a sign and digits. Upstream crashes on negative ones; here nothing is there. */
static bool list_index(str text, int64_t *out, const char **problem)
{
    str digits = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+') ? str_from(text, 1) : text;

    *problem = "invalid syntax";
    for (size_t i = 0; i < digits.len; i++)
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
            return false;
    if (!digits.len)
        return false;
    *problem = "value out of range";
    if (!str_to_i64(digits, out))
        return false;
    if (text.ptr[0] == '-' && *out)
        *out = -*out;
    return true;
}

static bool step_into_list(struct arena *a, const struct value **v, const struct path *p, size_t at,
                           struct err *e)
{
    str key = p->steps[at].key;
    const char *problem;
    int64_t index;

    if (!list_index(key, &index, &problem))
        return err_set(e, ERR_INVALID,
                       "%.*s accessor error: found slice but index %.*s could not be converted "
                       "into an int: strconv.Atoi: parsing %.*s: %s",
                       STR_ARG(path_text(a, p, at + 1)), STR_ARG(key), STR_ARG(go_quoted(a, key)),
                       problem);
    *v = index < 0 ? NULL : value_at(*v, (size_t)index);
    return true;
}

static bool nested_find(struct arena *a, const struct value *root, const struct path *p,
                        bool floats, const struct value **out, struct err *e)
{
    const struct value *v = root;

    for (size_t i = 0; i < p->len && v && v->kind != VALUE_NULL; i++) {
        if (v->kind == VALUE_OBJECT) {
            v = value_get(v, p->steps[i].key);
        } else if (v->kind == VALUE_LIST) {
            if (!step_into_list(a, &v, p, i, e))
                return false;
        } else {
            return err_set(e, ERR_INVALID,
                           "%.*s accessor error: %.*s is of the type %s, expected map[string]any "
                           "or []any",
                           STR_ARG(path_text(a, p, i + 1)), STR_ARG(value_shown(a, v, floats)),
                           go_type(v, floats));
        }
        if (value_is(v, VALUE_NULL) && i + 1 < p->len)
            v = NULL;
    }
    *out = v;
    return true;
}

bool nested_get(struct arena *a, const struct value *root, const struct path *p,
                const struct value **out, struct err *e)
{
    return nested_find(a, root, p, true, out, e);
}

bool nested_string(struct arena *a, const struct value *root, const struct path *p, bool floats,
                   str *out, bool *found, struct err *e)
{
    const struct value *v = NULL;

    *found = false;
    *out = STR_NONE;
    if (!nested_find(a, root, p, floats, &v, e))
        return false;
    *found = v != NULL;
    *out = value_str(v);
    if (!v || v->kind == VALUE_STRING)
        return true;
    return err_set(e, ERR_INVALID, "%.*s accessor error: %.*s is of the type %s, expected string",
                   STR_ARG(path_text(a, p, p->len)), STR_ARG(value_shown(a, v, floats)),
                   go_type(v, floats));
}
