/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dicts.c - map functions of templates. merge and its like are in merge.c.
 *
 * Maps are references: set and unset change the map for all who hold it.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"
#include "tmpl/semver.h"

static bool fn_dict(struct tmpl_call *c)
{
    struct tv map = tv_map_new(c->rt, TV_MAP);

    if (!call_room(c, c->count * 64))
        return false;
    for (size_t i = 0; i < c->count; i += 2)
        tv_set(c->rt, map, as_text(c->rt, c->args[i]),
               i + 1 < c->count ? c->args[i + 1] : tv_str(STR_NONE));
    return return_tv(c, map);
}

static bool fn_get(struct tmpl_call *c)
{
    struct tv item;

    if (!tv_get(c->rt, arg_tv(c, 0), arg_str(c, 1), &item))
        return return_str(c, STR_NONE);
    return return_tv(c, tv_concrete(item));
}

static bool fn_set(struct tmpl_call *c)
{
    struct tv map = arg_tv(c, 0);

    if (tv_is_nil(map))
        return call_fail(c, "assignment to entry in nil map");
    if (!call_room(c, 64 * (tv_len(c->rt, map) + 1)))
        return false;
    tv_set(c->rt, map, arg_str(c, 1), arg_tv(c, 2));
    return return_tv(c, map);
}

static bool fn_unset(struct tmpl_call *c)
{
    struct tv map = arg_tv(c, 0), item;

    if (tv_get(c->rt, map, arg_str(c, 1), &item))
        tv_unset(c->rt, map, arg_str(c, 1));
    return return_tv(c, map);
}

static bool fn_has_key(struct tmpl_call *c)
{
    struct tv item;

    return return_bool(c, tv_get(c->rt, arg_tv(c, 0), arg_str(c, 1), &item));
}

static bool fn_pluck(struct tmpl_call *c)
{
    struct tv out = tv_list_new(c->rt, TV_LIST, c->count - 1), item;

    out.list->len = 0;
    for (size_t i = 1; i < c->count; i++)
        if (tv_get(c->rt, c->args[i], arg_str(c, 0), &item))
            out.list->items[out.list->len++] = tv_concrete(item);
    return return_tv(c, out);
}

/* Go's order is random; ours is that of the keys. */
static bool fn_keys(struct tmpl_call *c)
{
    size_t n = 0, at = 0;
    struct tv out;

    for (size_t i = 0; i < c->count; i++)
        n += tv_len(c->rt, c->args[i]);
    if (!call_room(c, n * 64))
        return false;
    out = tv_list_new(c->rt, TV_STRINGS, n);
    for (size_t i = 0; i < c->count; i++) {
        struct tv_entry *e = tv_entries(c->rt, c->args[i]);
        for (size_t j = 0; j < tv_len(c->rt, c->args[i]); j++)
            out.list->items[at++] = tv_str(e[j].key);
    }
    return return_tv(c, out);
}

static bool fn_values(struct tmpl_call *c)
{
    size_t n = tv_len(c->rt, arg_tv(c, 0));
    struct tv_entry *e;
    struct tv out;

    if (!call_room(c, n * 64))
        return false;
    e = tv_entries(c->rt, arg_tv(c, 0));
    out = tv_list_new(c->rt, TV_LIST, n);
    for (size_t i = 0; i < n; i++)
        out.list->items[i] = tv_concrete(e[i].item);
    return return_tv(c, out);
}

static bool fn_pick(struct tmpl_call *c)
{
    struct tv out = tv_map_new(c->rt, TV_MAP), item;

    for (size_t i = 1; i < c->count; i++)
        if (tv_get(c->rt, arg_tv(c, 0), arg_str(c, i), &item))
            tv_set(c->rt, out, arg_str(c, i), item);
    return return_tv(c, out);
}

static bool is_omitted(const struct tmpl_call *c, str key)
{
    for (size_t i = 1; i < c->count; i++)
        if (str_eq(key, arg_str(c, i)))
            return true;
    return false;
}

static bool fn_omit(struct tmpl_call *c)
{
    struct tv out = tv_map_new(c->rt, TV_MAP);
    size_t n = tv_len(c->rt, arg_tv(c, 0));
    struct tv_entry *e;

    if (!call_room(c, n * 128))
        return false;
    e = tv_entries(c->rt, arg_tv(c, 0));
    for (size_t i = 0; i < n; i++)
        if (!is_omitted(c, e[i].key))
            tv_set(c->rt, out, e[i].key, e[i].item);
    return return_tv(c, out);
}

/* Go's panic when a value is not of the type that the code takes it for. */
static bool bad_conversion(struct tmpl_call *c, struct tv v, const char *wanted)
{
    return call_fail(c, "interface conversion: interface {} is %s, not %s",
                     v.type == TV_INVALID ? "nil" : tv_type_name(v), wanted);
}

static bool fn_dig(struct tmpl_call *c)
{
    struct tv at, fallback;

    if (c->count < 3)
        return call_fail(c, "dig needs at least three arguments");
    at = c->args[c->count - 1];
    fallback = c->args[c->count - 2];
    if (at.type != TV_MAP)
        return bad_conversion(c, at, "map[string]interface {}");
    for (size_t i = 0; i + 2 < c->count; i++)
        if (c->args[i].type != TV_STRING)
            return bad_conversion(c, c->args[i], "string");
    for (size_t i = 0; i + 2 < c->count; i++) {
        if (at.type != TV_MAP)
            return bad_conversion(c, at, "map[string]interface {}");
        if (!tv_get(c->rt, at, arg_str(c, i), &at))
            return return_tv(c, fallback);
        at = tv_concrete(at);
    }
    return return_tv(c, at);
}

/* ---- Copies --------------------------------------------------------------------------------- */

static bool deep_copy(struct tmpl_call *c, struct tv v, unsigned depth, struct tv *out);

static bool copy_list(struct tmpl_call *c, struct tv v, unsigned depth, struct tv *out)
{
    size_t n = tv_len(c->rt, v);

    *out = tv_list_new(c->rt, (enum tv_type)v.type, n);
    for (size_t i = 0; i < n; i++)
        if (!deep_copy(c, tv_concrete(tv_at(c->rt, v, i)), depth + 1, &out->list->items[i]))
            return false;
    return true;
}

static bool copy_map(struct tmpl_call *c, struct tv v, unsigned depth, struct tv *out)
{
    size_t n = tv_len(c->rt, v);
    struct tv_entry *e = tv_entries(c->rt, v);
    struct tv item;

    *out = tv_map_new(c->rt, (enum tv_type)v.type);
    for (size_t i = 0; i < n; i++) {
        if (!deep_copy(c, tv_concrete(e[i].item), depth + 1, &item))
            return false;
        tv_set(c->rt, *out, e[i].key, item);
    }
    return true;
}

static bool deep_copy(struct tmpl_call *c, struct tv v, unsigned depth, struct tv *out)
{
    *out = v;
    /* Upstream: only fields that are exported are copied, and a version has none. */
    if (v.type == TV_SEMVER || v.type == TV_SEMVER_STRUCT)
        out->object = ARENA_NEW(c->arena, struct semver);
    if (tv_is_nil(v) || (tv_kind(v) != TV_KIND_SLICE && tv_kind(v) != TV_KIND_MAP))
        return true;
    if (depth > RT_DEPTH_MAX)
        return call_fail(c, "the value nests too deep");
    if (!call_room(c, 128 * (tv_len(c->rt, v) + 1)))
        return false;
    return tv_kind(v) == TV_KIND_SLICE ? copy_list(c, v, depth, out) : copy_map(c, v, depth, out);
}

static bool fn_deep_copy(struct tmpl_call *c)
{
    struct tv out;

    if (arg_tv(c, 0).type == TV_INVALID)
        return call_fail(c, "reflect: call of reflect.Value.Type on zero Value");
    return deep_copy(c, arg_tv(c, 0), 0, &out) && return_tv(c, out);
}

#define MAP_AND_KEYS "func(map[string]any, ...string) map[string]any"

const struct tmpl_func tmpl_dict_funcs[] = {
    {"deepCopy", "func(any) any", SPRIG, fn_deep_copy, "A copy that shares nothing",
     "{{ deepCopy .map }}"},
    {"dict", "func(...any) map[string]any", SPRIG, fn_dict, "A map of keys and values",
     "{{ dict \"a\" 1 \"b\" 2 }}"},
    {"dig", "func(...any) (any, error)", SPRIG, fn_dig, "The entry below some keys, or a default",
     "{{ dig \"a\" \"b\" \"none\" .map }}"},
    {"get", "func(map[string]any, string) any", SPRIG, fn_get, "An entry, or an empty text",
     "{{ get .map \"a\" }}"},
    {"hasKey", "func(map[string]any, string) bool", SPRIG, fn_has_key, "Whether a map has a key",
     "{{ hasKey .map \"a\" }}"},
    {"keys", "func(...map[string]any) []string", SPRIG, fn_keys, "The keys of maps",
     "{{ keys .map | sortAlpha }}"},
    {"mustDeepCopy", "func(any) (any, error)", SPRIG, fn_deep_copy, "As deepCopy",
     "{{ mustDeepCopy .map }}"},
    {"omit", MAP_AND_KEYS, SPRIG, fn_omit, "The map without some keys", "{{ omit .map \"a\" }}"},
    {"pick", MAP_AND_KEYS, SPRIG, fn_pick, "Only some keys of the map", "{{ pick .map \"a\" }}"},
    {"pluck", "func(string, ...map[string]any) []any", SPRIG, fn_pluck,
     "The values of one key in several maps", "{{ pluck \"a\" .map .other }}"},
    {"set", "func(map[string]any, string, any) map[string]any", SPRIG, fn_set,
     "Change an entry of the map", "{{ $_ := set .map \"a\" 2 }}"},
    {"unset", "func(map[string]any, string) map[string]any", SPRIG, fn_unset,
     "Remove an entry of the map", "{{ $_ := unset .map \"a\" }}"},
    {"values", "func(map[string]any) []any", SPRIG, fn_values, "The values of a map",
     "{{ values .map }}"},
    {0},
};
