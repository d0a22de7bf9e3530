/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - values of a run to trees; see convert.h.
 */
#include "tmpl/funcs/convert.h"

#include "go/decode.h"
#include "text/codec.h"
#include "text/toml/toml.h"
#include "text/yaml/yaml.h"
#include "value/value.h"

#include <math.h>

struct converter {
    struct rt *rt;
    struct err *e;
    enum target { TARGET_JSON, TARGET_TOML, TARGET_PRETTY } target;
    const void *deep; /* the container at CYCLES_FROM, of which there may be only one on the way */
};

/* Upstream: only there are cycles looked for, which decides what the error names. */
#define CYCLES_FROM 1000
/* Bytes that are not text and whose base64 is one line of YAML. */
#define BINARY_MAX 51

static bool convert(struct converter *k, struct tv v, unsigned depth, struct value **out);

static bool convert_list(struct converter *k, struct tv v, unsigned depth, struct value *list)
{
    for (size_t i = 0; i < tv_len(k->rt, v); i++) {
        struct value *item = NULL;
        if (!convert(k, tv_at(k->rt, v, i), depth + 1, &item))
            return false;
        value_add(k->rt->arena, list, item);
    }
    return true;
}

static bool convert_map(struct converter *k, struct tv v, unsigned depth, struct value *object)
{
    size_t n = tv_len(k->rt, v);
    struct tv_entry *entries = tv_entries(k->rt, v);

    for (size_t i = 0; i < n; i++) {
        struct value *item = NULL;
        if (!convert(k, entries[i].item, depth + 1, &item))
            return false;
        value_set(k->rt->arena, object, entries[i].key, item);
    }
    return true;
}

static bool convert_struct(struct converter *k, struct tv v, unsigned depth, struct value *object)
{
    const struct tv_field *f = tv_info(v.type)->fields;

    for (; f && f->name; f++) {
        struct value *item = NULL;
        if (f->name[0] < 'A' || f->name[0] > 'Z')
            continue;
        if (!convert(k, f->get(v.object), depth + 1, &item))
            return false;
        value_set(k->rt->arena, object, str_c(f->name), item);
    }
    return true;
}

static bool convert_container(struct converter *k, struct tv v, unsigned depth, struct value **out)
{
    struct rt *rt = k->rt;

    if (depth > CYCLES_FROM && v.object && v.object == k->deep && k->target != TARGET_TOML)
        return err_set(k->e, ERR_INVALID, "json: unsupported value: encountered a cycle via %s",
                       tv_type_name(v));
    if (depth == CYCLES_FROM)
        k->deep = v.object;
    if (depth > RT_DEPTH_MAX) {
        rt->too_deep = true;
        return err_set(k->e, ERR_LIMIT, "the value nests too deep");
    }
    if (arena_used(rt->arena) > rt->memory_max)
        return err_set(k->e, ERR_LIMIT, "the result is too large");
    if (tv_is_nil(v)) {
        *out = value_null(rt->arena);
        return true;
    }
    bool counts = tv_kind(v) == TV_KIND_SLICE || tv_kind(v) == TV_KIND_MAP;
    if (counts && tv_len(rt, v) > rt_room(rt) / sizeof(struct value))
        return err_set(k->e, ERR_LIMIT, "the result is too large");
    if (tv_kind(v) == TV_KIND_SLICE) {
        *out = value_list(rt->arena);
        return convert_list(k, v, depth, *out);
    }
    *out = value_object(rt->arena);
    return tv_kind(v) == TV_KIND_MAP ? convert_map(k, v, depth, *out)
                                     : convert_struct(k, v, depth, *out);
}

/* A text that is written as it is. */
static bool convert_plain(struct converter *k, str text, uint8_t tag, struct value **out)
{
    *out = value_string(k->rt->arena, text);
    (*out)->tag = tag;
    return true;
}

/* NaN and the infinities: an error in JSON. */
static bool convert_odd_float(struct converter *k, double f, struct value **out)
{
    static const char *const texts[][3] = {[TARGET_JSON] = {"NaN", "+Inf", "-Inf"},
                                           [TARGET_TOML] = {"nan", "inf", "-inf"},
                                           [TARGET_PRETTY] = {".nan", ".inf", "-.inf"}};
    const char *text = texts[k->target][isnan(f) ? 0 : f > 0 ? 1 : 2];

    if (k->target == TARGET_JSON)
        return err_set(k->e, ERR_INVALID, "json: unsupported value: %s", text);
    return convert_plain(k, str_c(text), k->target == TARGET_TOML ? TOML_FLOAT : YAML_PLAIN, out);
}

/* A value that is written as a string: times and versions. */
static bool convert_text(struct converter *k, struct tv v, struct value **out)
{
    struct buf b = buf_new(k->rt->arena, BUF_UNLIMITED);

    if (!tv_info(v.type)->text(k->rt, v, &b, k->e))
        return err_wrap(k->e, "json: error calling MarshalJSON for type %s", tv_type_name(v));
    *out = value_string(k->rt->arena, buf_str(&b));
    if (v.type == TV_TIME && k->target != TARGET_JSON)
        (*out)->tag = k->target == TARGET_TOML ? TOML_DATETIME : YAML_PLAIN;
    return true;
}

/* Types that only some formats write in a way of their own. */
static bool convert_special(struct converter *k, struct tv v, struct value **out)
{
    struct arena *a = k->rt->arena;
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (v.type == TV_DURATION && k->target != TARGET_JSON) {
        tv_info(v.type)->string(k->rt, v, &b);
        *out = value_string(a, buf_str(&b));
        return true;
    }
    if (v.type == TV_STRING && k->target == TARGET_PRETTY &&
        utf8_find_invalid(tv_text(v)) != STR_NPOS && v.len <= BINARY_MAX)
        return convert_plain(k, str_concat(a, STR("!!binary "), base64_encode(a, tv_text(v))),
                             YAML_PLAIN, out);
    if (v.type != TV_BYTES || k->target != TARGET_JSON || tv_is_nil(v))
        return false;
    for (size_t i = 0; i < tv_len(k->rt, v); i++)
        buf_char(&b, (char)tv_at(k->rt, v, i).u);
    *out = value_string(a, base64_encode(a, buf_str(&b)));
    return true;
}

static bool fail_complex(struct converter *k)
{
    static const char *const texts[] = {[TARGET_JSON] = "json: unsupported type: complex128",
                                        [TARGET_TOML] = "unsupported type: complex128",
                                        [TARGET_PRETTY] = "cannot marshal type: complex128"};

    return err_set(k->e, ERR_INVALID, "%s", texts[k->target]);
}

static bool convert(struct converter *k, struct tv v, unsigned depth, struct value **out)
{
    struct arena *a = k->rt->arena;

    v = tv_concrete(v);
    if (tv_info(v.type)->text)
        return convert_text(k, v, out);
    if (convert_special(k, v, out))
        return true;
    switch (tv_kind(v)) {
    case TV_KIND_INVALID:
        *out = value_null(a);
        return true;
    case TV_KIND_BOOL:
        *out = value_bool(a, v.truth);
        return true;
    case TV_KIND_INT:
        *out = value_int(a, v.i);
        return true;
    case TV_KIND_UINT:
        *out = value_uint(a, v.u);
        return true;
    case TV_KIND_FLOAT:
        if (v.flags & TV_EXACT) {
            *out = value_clone(a, v.data);
            return true;
        }
        if (!isfinite(v.f))
            return convert_odd_float(k, v.f, out);
        *out = value_float(a, v.f);
        return true;
    case TV_KIND_STRING:
        *out = value_string(a, tv_text(v));
        return true;
    case TV_KIND_COMPLEX:
        return fail_complex(k);
    default:
        return convert_container(k, v, depth, out);
    }
}

bool tv_to_tree(struct rt *rt, struct tv v, const struct value **out, enum number_rule *numbers,
                struct err *e)
{
    struct converter k = {.rt = rt, .e = e};
    struct value *tree = NULL;

    *numbers = rt->exact ? NUMBERS_PLAIN : NUMBERS_GO;
    if (v.flags & TV_DATA && !rt->overlay) {
        *out = v.data;
        *numbers = v.flags & TV_FLOATS ? NUMBERS_FLOAT : *numbers;
        return true;
    }
    if (!convert(&k, v, 0, &tree))
        return false;
    *out = tree;
    return true;
}

static bool to_copy(struct rt *rt, struct tv v, enum target target, const struct value **out,
                    struct err *e)
{
    struct converter k = {.rt = rt, .e = e, .target = target};
    struct value *tree = NULL;

    if (!convert(&k, v, 0, &tree))
        return false;
    *out = tree;
    return true;
}

bool tv_to_toml_tree(struct rt *rt, struct tv v, const struct value **out, struct err *e)
{
    return to_copy(rt, v, TARGET_TOML, out, e);
}

bool tv_to_pretty_tree(struct rt *rt, struct tv v, const struct value **out,
                       enum number_rule *numbers, struct err *e)
{
    *numbers = rt->exact ? NUMBERS_PLAIN : NUMBERS_GO;
    return to_copy(rt, v, TARGET_PRETTY, out, e);
}

const struct source *source_of(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);

    src->text = text;
    return src;
}

str cannot_unmarshal(struct arena *a, const struct value *v, const char *type)
{
    /* null fits everywhere: only a number that was dropped gets here. */
    const char *found = v->kind == VALUE_NULL ? "number" : json_kind(v);

    return str_fmt(a, "json: cannot unmarshal %s into Go value of type %s", found, type);
}
