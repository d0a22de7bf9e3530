/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - values of a run to trees; see convert.h.
 */
#include "tmpl/funcs/convert.h"

#include "value/value.h"

#include <math.h>

static bool convert(struct rt *rt, struct tv v, unsigned depth, struct value **out, struct err *e);

static bool convert_list(struct rt *rt, struct tv v, unsigned depth, struct value *list,
                         struct err *e)
{
    for (size_t i = 0; i < tv_len(rt, v); i++) {
        struct value *item;
        if (!convert(rt, tv_at(rt, v, i), depth + 1, &item, e))
            return false;
        value_add(rt->arena, list, item);
    }
    return true;
}

static bool convert_map(struct rt *rt, struct tv v, unsigned depth, struct value *object,
                        struct err *e)
{
    size_t n = tv_len(rt, v);
    struct tv_entry *entries = tv_entries(rt, v);

    for (size_t i = 0; i < n; i++) {
        struct value *item;
        if (!convert(rt, entries[i].item, depth + 1, &item, e))
            return false;
        value_set(rt->arena, object, entries[i].key, item);
    }
    return true;
}

static bool convert_struct(struct rt *rt, struct tv v, unsigned depth, struct value *object,
                           struct err *e)
{
    const struct tv_field *f = tv_info(v.type)->fields;

    for (; f && f->name; f++) {
        struct value *item;
        if (f->name[0] < 'A' || f->name[0] > 'Z')
            continue;
        if (!convert(rt, f->get(v.object), depth + 1, &item, e))
            return false;
        value_set(rt->arena, object, str_c(f->name), item);
    }
    return true;
}

static bool convert_container(struct rt *rt, struct tv v, unsigned depth, struct value **out,
                              struct err *e)
{
    if (depth > RT_DEPTH_MAX) {
        rt->too_deep = true;
        return err_set(e, ERR_LIMIT, "the value nests too deep");
    }
    if (arena_used(rt->arena) > rt->memory_max)
        return err_set(e, ERR_LIMIT, "the result is too large");
    if (tv_is_nil(v)) {
        *out = value_null(rt->arena);
        return true;
    }
    if (tv_kind(v) == TV_KIND_SLICE) {
        *out = value_list(rt->arena);
        return convert_list(rt, v, depth, *out, e);
    }
    *out = value_object(rt->arena);
    return tv_kind(v) == TV_KIND_MAP ? convert_map(rt, v, depth, *out, e)
                                     : convert_struct(rt, v, depth, *out, e);
}

static bool convert_float(struct rt *rt, double f, struct value **out, struct err *e)
{
    if (isnan(f))
        return err_set(e, ERR_INVALID, "json: unsupported value: NaN");
    if (isinf(f))
        return err_set(e, ERR_INVALID, "json: unsupported value: %s", f > 0 ? "+Inf" : "-Inf");
    *out = value_float(rt->arena, f);
    return true;
}

/* A value that stands in the text as a string: times and versions. */
static bool convert_text(struct rt *rt, struct tv v, struct value **out, struct err *e)
{
    struct buf b = buf_new(rt->arena, BUF_UNLIMITED);

    if (!tv_info(v.type)->text(rt, v, &b, e))
        return err_wrap(e, "json: error calling MarshalJSON for type %s", tv_type_name(v));
    *out = value_string(rt->arena, buf_str(&b));
    return true;
}

static bool convert(struct rt *rt, struct tv v, unsigned depth, struct value **out, struct err *e)
{
    v = tv_concrete(v);
    if (tv_info(v.type)->text && !tv_is_nil(v))
        return convert_text(rt, v, out, e);
    switch (tv_kind(v)) {
    case TV_KIND_INVALID:
        *out = value_null(rt->arena);
        return true;
    case TV_KIND_BOOL:
        *out = value_bool(rt->arena, v.truth);
        return true;
    case TV_KIND_INT:
        *out = value_int(rt->arena, v.i);
        return true;
    case TV_KIND_UINT:
        *out = value_uint(rt->arena, v.u);
        return true;
    case TV_KIND_FLOAT:
        return convert_float(rt, v.f, out, e);
    case TV_KIND_STRING:
        *out = value_string(rt->arena, tv_text(v));
        return true;
    case TV_KIND_COMPLEX:
        return err_set(e, ERR_INVALID, "json: unsupported type: complex128");
    default:
        return convert_container(rt, v, depth, out, e);
    }
}

bool tv_to_tree(struct rt *rt, struct tv v, const struct value **out, enum number_rule *numbers,
                struct err *e)
{
    struct value *tree = NULL;

    *numbers = NUMBERS_GO;
    if (v.flags & TV_DATA && !rt->overlay) {
        *out = v.data;
        *numbers = v.flags & TV_FLOATS ? NUMBERS_FLOAT : NUMBERS_GO;
        return true;
    }
    if (!convert(rt, v, 0, &tree, e))
        return false;
    *out = tree;
    return true;
}

const struct source *source_of(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);

    src->text = text;
    return src;
}

str cannot_unmarshal(struct arena *a, const struct value *v, const char *type)
{
    static const char *const names[] = {
        /* null fits everywhere: only a number that was dropped gets here. */
        [VALUE_NULL] = "number",   [VALUE_BOOL] = "bool",     [VALUE_INT] = "number",
        [VALUE_FLOAT] = "number",  [VALUE_STRING] = "string", [VALUE_LIST] = "array",
        [VALUE_OBJECT] = "object",
    };

    return str_fmt(a, "json: cannot unmarshal %s into Go value of type %s", names[v->kind], type);
}
