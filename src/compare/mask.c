/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mask.c - masks Secrets in the original's dialect: shows only whether data is the same. secret.c
 * does it in plumb's own.
 */
#include "compare/secret.h"
#include "compare/nested_internal.h"

static bool is_secret(const struct value *live)
{
    str version = value_get_str(live, STR("apiVersion"));
    str group, rest;

    if (str_cut(version, STR("/"), &group, &rest))
        version = rest;
    return str_eq(value_get_str(live, STR("kind")), STR("Secret")) && str_eq(version, STR("v1"));
}

static bool check_data(struct arena *a, const struct value *data, bool floats, struct err *e)
{
    struct buf shown = buf_new(a, BUF_UNLIMITED);

    if (!data || data->kind == VALUE_OBJECT)
        return true;
    go_print(&shown, data, floats);
    return err_set(e, ERR_INVALID,
                   "run masker: extract 'data' field: get nested map: .data accessor error: %.*s "
                   "is of the type %s, expected map[string]interface{}",
                   STR_ARG(buf_str(&shown)), go_type(data, floats));
}

/* Upstream: the rendered side has floats only, so that integers are never the same. */
static bool same(const struct value *merged, const struct value *live)
{
    int64_t i;

    return !(live->kind == VALUE_INT && value_to_i64(live, &i)) && value_equal(merged, live);
}

static struct value *masked(struct arena *a, struct value *object, const struct value *data,
                            const struct value *other, bool before)
{
    struct value *copy = value_clone(a, object);
    struct value *out = value_get(copy, STR("data"));

    for (size_t i = 0; i < data->len; i++) {
        const struct value *here = &data->items[i];
        const struct value *there = value_get(other, value_key(here));
        bool differs = there && !(before ? same(here, there) : same(there, here));
        str text = STR("***");
        if (differs)
            text = before ? STR("*** (before)") : STR("*** (after)");
        value_set_str(a, out, value_key(here), text);
    }
    return copy;
}

bool secret_mask(struct arena *a, struct value **merged, struct value **live, struct err *e)
{
    const struct value *from = value_get(*merged, STR("data"));
    const struct value *to = value_get(*live, STR("data"));

    if (!is_secret(*live))
        return true;
    if (!check_data(a, from, true, e) || !check_data(a, to, false, e))
        return false;
    if (from)
        *merged = masked(a, *merged, from, to, true);
    if (to)
        *live = masked(a, *live, to, from, false);
    return true;
}
