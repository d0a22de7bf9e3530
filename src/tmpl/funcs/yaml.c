/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml.c - functions that read and write YAML, and write TOML.
 */
#include "tmpl/funcs/convert.h"
#include "tmpl/funcs/families.h"

#include "text/toml/toml.h"
#include "text/yaml/yaml.h"

static bool write_yaml(struct tmpl_call *c, struct buf *b, struct err *e)
{
    const struct value *tree;
    enum number_rule numbers;

    if (!tv_to_tree(c->rt, arg_tv(c, 0), &tree, &numbers, e))
        return err_wrap(e, "error marshaling into JSON");
    return yaml_write(b, tree, numbers, e);
}

static bool fn_to_yaml(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    AUTO_ERR e = {0};

    if (write_yaml(c, &b, &e) && !b.overflow)
        return return_str(c, str_without_suffix(buf_str(&b), STR("\n")));
    if (b.overflow || e.kind == ERR_LIMIT) {
        c->error_kind = ERR_LIMIT;
        return call_fail(c, "the result is too large");
    }
    if (c->rt->hooks->warn)
        c->rt->hooks->warn(c->rt->hooks->ctx, e.text);
    return return_str(c, STR_NONE);
}

static bool fn_must_to_yaml(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    AUTO_ERR e = {0};

    if (!write_yaml(c, &b, &e))
        return call_fail_str(c, str_copy(c->arena, e.text));
    b.len = str_without_suffix(buf_str(&b), STR("\n")).len;
    return return_call_buf(c, &b);
}

#define YAML_STEPS 1 /* to read a byte, also of a document that is rejected in the end */

/* The tree, or NULL with e filled. */
static const struct value *read_yaml(struct tmpl_call *c, struct err *e)
{
    const struct read_options opts = {.go = true, .quotes = QUOTE_ALWAYS};
    struct source *src = ARENA_NEW(c->arena, struct source);
    struct value *v;

    if (yaml_source(c->arena, STR_NONE, arg_str(c, 0), src, e) &&
        yaml_read(c->arena, src, &opts, &v, e))
        return v;
    err_wrap(e, "error converting YAML to JSON");
    return NULL;
}

static str while_decoding(struct tmpl_call *c, const struct value *v, const char *type)
{
    return str_concat(c->arena, STR("error unmarshaling JSON: while decoding JSON: "),
                      cannot_unmarshal(c->arena, v, type));
}

static bool fn_from_yaml(struct tmpl_call *c)
{
    AUTO_ERR e = {0};

    if (!call_steps(c, arg_str(c, 0).len * YAML_STEPS))
        return false;
    const struct value *v = read_yaml(c, &e);
    if (!v)
        return return_error_map(c, e.text);
    if (v->kind == VALUE_NULL)
        return return_tv(c, tv_map_new(c->rt, TV_MAP));
    if (v->kind != VALUE_OBJECT)
        return return_error_map(c, while_decoding(c, v, "map[string]interface {}"));
    return return_tv(c, tv_wrap(v, true));
}

static bool fn_from_yaml_array(struct tmpl_call *c)
{
    AUTO_ERR e = {0};

    if (!call_steps(c, arg_str(c, 0).len * YAML_STEPS))
        return false;
    const struct value *v = read_yaml(c, &e);
    if (!v)
        return return_error_list(c, e.text);
    if (v->kind == VALUE_NULL)
        return return_tv(c, tv_list_new(c->rt, TV_LIST, 0));
    if (v->kind != VALUE_LIST)
        return return_error_list(c, while_decoding(c, v, "[]interface {}"));
    return return_tv(c, tv_wrap(v, true));
}

/* A failure of the encoder is the result; its crash is an error. */
static bool fn_to_toml(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    AUTO_ERR e = {0};
    const struct value *tree;

    if (tv_to_toml_tree(c->rt, arg_tv(c, 0), &tree, &e) &&
        toml_write_tagged(&b, tree, NUMBERS_GO, &e))
        return return_call_buf(c, &b);
    if (e.kind == ERR_LIMIT)
        c->error_kind = ERR_LIMIT;
    if (e.kind == ERR_USAGE || e.kind == ERR_LIMIT)
        return call_fail_str(c, str_copy(c->arena, e.text));
    return return_str(c, str_copy(c->arena, e.text));
}

const struct tmpl_func tmpl_yaml_funcs[] = {
    {"fromYaml", "func(string) map[string]any", SPRIG, fn_from_yaml,
     "Read a YAML mapping; an error is under Error", "{{ (fromYaml .text).name }}"},
    {"fromYamlArray", "func(string) []any", SPRIG, fn_from_yaml_array,
     "Read a YAML list; an error is its only element", "{{ fromYamlArray .text }}"},
    {"mustToYaml", "func(any) (string, error)", TMPL_HELM, fn_must_to_yaml, "Write YAML, or fail",
     "{{ mustToYaml .map }}"},
    {"toToml", "func(any) string", SPRIG, fn_to_toml, "Write TOML", "{{ toToml .map }}"},
    {"toYaml", "func(any) string", SPRIG, fn_to_yaml, "Write YAML", "{{ toYaml .map }}"},
    {0},
};
