/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - functions that read and write JSON.
 *
 * What is read has float64 for every number. toJson and its like answer an empty text when a value
 * cannot be written; the must forms fail.
 */
#include "tmpl/funcs/convert.h"
#include "tmpl/funcs/families.h"

#include "text/json/json.h"
#include "value/number.h"

/* ---- Writing -------------------------------------------------------------------------------- */

static bool write_json(struct tmpl_call *c, bool html, str indent, struct buf *b, struct err *e)
{
    struct json_style style = {.sorted = true, .html = html, .indent = indent};
    const struct value *tree;

    return tv_to_tree(c->rt, arg_tv(c, 0), &tree, &style.numbers, e) &&
           json_write(b, tree, &style, e);
}

/* The error as that of the call. */
static bool fail_with(struct tmpl_call *c, const struct err *e)
{
    c->error_kind = e->kind;
    return call_fail_str(c, str_copy(c->arena, e->text));
}

static bool must_json(struct tmpl_call *c, bool html, str indent)
{
    struct buf b = call_buf(c);
    AUTO_ERR e = {0};

    return write_json(c, html, indent, &b, &e) ? return_call_buf(c, &b) : fail_with(c, &e);
}

static bool soft_json(struct tmpl_call *c, str indent)
{
    struct buf b = call_buf(c);
    AUTO_ERR e = {0};

    if (write_json(c, true, indent, &b, &e))
        return return_call_buf(c, &b);
    if (e.kind == ERR_LIMIT)
        return fail_with(c, &e);
    if (c->rt->hooks->warn)
        c->rt->hooks->warn(c->rt->hooks->ctx, e.text);
    return return_str(c, STR_NONE);
}

static bool fn_to_json(struct tmpl_call *c)
{
    return soft_json(c, STR_NONE);
}

static bool fn_to_pretty_json(struct tmpl_call *c)
{
    return soft_json(c, STR("  "));
}

static bool fn_must_to_json(struct tmpl_call *c)
{
    return must_json(c, true, STR_NONE);
}

static bool fn_must_to_pretty_json(struct tmpl_call *c)
{
    return must_json(c, true, STR("  "));
}

static bool fn_to_raw_json(struct tmpl_call *c)
{
    return must_json(c, false, STR_NONE);
}

/* ---- Reading -------------------------------------------------------------------------------- */

#define JSON_BYTES_PER_STEP 2 /* that are read, also of a document that is rejected in the end */

static bool read_json(struct tmpl_call *c, struct value **out, struct err *e)
{
    const struct read_options opts = {.go = true};

    return json_read(c->arena, source_of(c->arena, arg_str(c, 0)), &opts, out, e);
}

/* A number beyond float64 becomes null, as Go's decoder leaves it. */
static bool drop_number(void *ctx, struct value *v, size_t depth)
{
    double d;

    (void)ctx;
    (void)depth;
    if (value_is_number(v) && !number_to_double(value_text(v), &d))
        v->kind = VALUE_NULL;
    return true;
}

/*
 * As read_json, but numbers that are out of range only fill e. *out is NULL when nothing could be
 * read.
 */
static void read_in_part(struct tmpl_call *c, struct value **out, struct err *e)
{
    if (read_json(c, out, e))
        return;
    if (!str_has_prefix(e->text, STR("json: cannot unmarshal number")) ||
        !json_read(c->arena, source_of(c->arena, arg_str(c, 0)), NULL, out, NULL))
        *out = NULL;
    else
        value_walk(*out, drop_number, NULL);
}

static bool fn_must_from_json(struct tmpl_call *c)
{
    AUTO_ERR e = {0};
    struct value *v;

    if (!call_steps(c, arg_str(c, 0).len / JSON_BYTES_PER_STEP))
        return false;
    return read_json(c, &v, &e) ? return_tv(c, tv_wrap(v, true)) : fail_with(c, &e);
}

/* A map with the text of an error under "Error". */
bool return_error_map(struct tmpl_call *c, str text)
{
    struct tv map = tv_map_new(c->rt, TV_MAP);

    tv_set(c->rt, map, STR("Error"), tv_str(str_copy(c->arena, text)));
    return return_tv(c, map);
}

/* A list of one: the text of an error. */
bool return_error_list(struct tmpl_call *c, str text)
{
    struct tv list = tv_list_new(c->rt, TV_LIST, 1);

    list.list->items[0] = tv_str(str_copy(c->arena, text));
    return return_tv(c, list);
}

static bool fn_from_json(struct tmpl_call *c)
{
    AUTO_ERR e = {0};
    struct value *v;
    struct tv map;

    if (!call_steps(c, arg_str(c, 0).len / JSON_BYTES_PER_STEP))
        return false;
    read_in_part(c, &v, &e);
    if (!v)
        return return_error_map(c, e.text);
    if (v->kind != VALUE_OBJECT && (v->kind != VALUE_NULL || e.kind))
        return return_error_map(c, cannot_unmarshal(c->arena, v, "map[string]interface {}"));
    if (v->kind == VALUE_NULL)
        return return_tv(c, tv_object(TV_MAP, NULL));
    map = tv_wrap(v, true);
    if (e.kind)
        tv_set(c->rt, map, STR("Error"), tv_str(str_copy(c->arena, e.text)));
    return return_tv(c, map);
}

static bool fn_from_json_array(struct tmpl_call *c)
{
    AUTO_ERR e = {0};
    struct value *v;

    if (!call_steps(c, arg_str(c, 0).len / JSON_BYTES_PER_STEP))
        return false;
    read_in_part(c, &v, &e);
    if (!v || (v->kind == VALUE_LIST && e.kind))
        return return_error_list(c, e.text);
    if (v->kind != VALUE_LIST && (v->kind != VALUE_NULL || e.kind))
        return return_error_list(c, cannot_unmarshal(c->arena, v, "[]interface {}"));
    if (v->kind == VALUE_NULL)
        return return_tv(c, tv_object(TV_LIST, NULL));
    return return_tv(c, tv_wrap(v, true));
}

#define TO_TEXT "func(any) string"
#define MUST_TO_TEXT "func(any) (string, error)"

const struct tmpl_func tmpl_json_funcs[] = {
    {"fromJson", "func(string) map[string]any", SPRIG, fn_from_json,
     "Read a JSON object; an error is under Error", "{{ (fromJson .text).name }}"},
    {"fromJsonArray", "func(string) []any", SPRIG, fn_from_json_array,
     "Read a JSON list; an error is its only element", "{{ fromJsonArray .text }}"},
    {"mustFromJson", "func(string) (any, error)", SPRIG, fn_must_from_json, "Read any JSON",
     "{{ mustFromJson .text }}"},
    {"mustToJson", MUST_TO_TEXT, SPRIG, fn_must_to_json, "Write JSON, or fail",
     "{{ mustToJson .map }}"},
    {"mustToPrettyJson", MUST_TO_TEXT, SPRIG, fn_must_to_pretty_json,
     "Write indented JSON, or fail", "{{ mustToPrettyJson .map }}"},
    {"mustToRawJson", MUST_TO_TEXT, SPRIG, fn_to_raw_json, "As toRawJson",
     "{{ mustToRawJson .map }}"},
    {"toJson", TO_TEXT, SPRIG, fn_to_json, "Write JSON", "{{ toJson .map }}"},
    {"toPrettyJson", TO_TEXT, SPRIG, fn_to_pretty_json, "Write indented JSON",
     "{{ toPrettyJson .map }}"},
    {"toRawJson", TO_TEXT, SPRIG, fn_to_raw_json, "Write JSON without HTML escapes",
     "{{ toRawJson .map }}"},
    {0},
};
