/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reflect.c - what Go's types are called.
 */
#include "tmpl/funcs/families.h"

static str type_name(struct tv v)
{
    return v.type == TV_INVALID ? STR("<nil>") : str_c(tv_type_name(v));
}

static str kind_name(struct tv v)
{
    return str_c(tv_info(v.type)->kind_name);
}

static bool fn_type_of(struct tmpl_call *c)
{
    return return_str(c, type_name(arg_tv(c, 0)));
}

static bool fn_type_is(struct tmpl_call *c)
{
    return return_bool(c, str_eq(arg_str(c, 0), type_name(arg_tv(c, 1))));
}

static bool fn_type_is_like(struct tmpl_call *c)
{
    str name = type_name(arg_tv(c, 1)), target = arg_str(c, 0);

    return return_bool(c, str_eq(target, name) || (str_has_prefix(name, STR("*")) &&
                                                   str_eq(target, str_from(name, 1))));
}

static bool fn_kind_of(struct tmpl_call *c)
{
    return return_str(c, kind_name(arg_tv(c, 0)));
}

static bool fn_kind_is(struct tmpl_call *c)
{
    return return_bool(c, str_eq(arg_str(c, 0), kind_name(arg_tv(c, 1))));
}

static bool fn_deep_equal(struct tmpl_call *c)
{
    return return_bool(c, tv_deep_equal(c->rt, arg_tv(c, 0), arg_tv(c, 1)));
}

const struct tmpl_func tmpl_reflect_funcs[] = {
    {"deepEqual", "func(any, any) bool", SPRIG, fn_deep_equal,
     "Whether two values are the same, types included", "{{ deepEqual .a .b }}"},
    {"kindIs", "func(string, any) bool", SPRIG, fn_kind_is, "Whether a value is of this kind",
     "{{ kindIs \"map\" .x }}"},
    {"kindOf", "func(any) string", SPRIG, fn_kind_of, "The kind of a value", "{{ kindOf .x }}"},
    {"typeIs", "func(string, any) bool", SPRIG, fn_type_is, "Whether a value is of this type",
     "{{ typeIs \"int64\" .x }}"},
    {"typeIsLike", "func(string, any) bool", SPRIG, fn_type_is_like,
     "Whether a value is of this type or points to one", "{{ typeIsLike \"string\" .x }}"},
    {"typeOf", "func(any) string", SPRIG, fn_type_of, "The type of a value", "{{ typeOf .x }}"},
    {0},
};
