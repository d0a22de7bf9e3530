/* SPDX-License-Identifier: Apache-2.0 */
/*
 * defaults.c - choosing between values, and failing.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

static bool fn_default(struct tmpl_call *c)
{
    return return_tv(c, c->count < 2 || is_empty(c->rt, c->args[1]) ? c->args[0] : c->args[1]);
}

static bool fn_empty(struct tmpl_call *c)
{
    return return_bool(c, is_empty(c->rt, arg_tv(c, 0)));
}

static bool fn_coalesce(struct tmpl_call *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (!is_empty(c->rt, c->args[i]))
            return return_tv(c, c->args[i]);
    return return_tv(c, tv_none());
}

static bool fn_all(struct tmpl_call *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (is_empty(c->rt, c->args[i]))
            return return_bool(c, false);
    return return_bool(c, true);
}

static bool fn_any(struct tmpl_call *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (!is_empty(c->rt, c->args[i]))
            return return_bool(c, true);
    return return_bool(c, false);
}

static bool fn_ternary(struct tmpl_call *c)
{
    return return_tv(c, c->args[2].truth ? c->args[0] : c->args[1]);
}

static bool fn_fail(struct tmpl_call *c)
{
    return call_fail_str(c, arg_str(c, 0));
}

const struct tmpl_func tmpl_default_funcs[] = {
    {"all", "func(...any) bool", SPRIG, fn_all, "Whether no argument is empty", "{{ all 1 .x }}"},
    {"any", "func(...any) bool", SPRIG, fn_any, "Whether some argument is not empty",
     "{{ any \"\" .x }}"},
    {"coalesce", "func(...any) any", SPRIG, fn_coalesce, "The first argument that is not empty",
     "{{ coalesce .x .y \"z\" }}"},
    {"default", "func(any, ...any) any", SPRIG, fn_default,
     "The second argument, or the first when that is empty", "{{ default \"d\" .x }}"},
    {"empty", "func(any) bool", SPRIG, fn_empty, "Whether a value is empty", "{{ empty .x }}"},
    {"fail", "func(string) (string, error)", TMPL_KC, fn_fail, "Fail with a message",
     "{{ fail \"no name\" }}"},
    {"ternary", "func(any, any, bool) any", SPRIG, fn_ternary,
     "The first argument if the last is true, else the second", "{{ ternary \"y\" \"n\" true }}"},
    {0},
};
