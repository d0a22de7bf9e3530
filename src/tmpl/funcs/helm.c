/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helm.c - what Helm's engine adds: templates within templates, and its own conversions.
 *
 * include and tpl run a template inside the run, on the C stack. Helm stops a name that includes
 * itself more than 1,000 deep; several names together, or tpl within tpl, end at NESTING_MAX.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/convert.h"
#include "tmpl/funcs/families.h"
#include "tmpl/funcs/times.h"
#include "tmpl/internal.h"

#include "text/toml/toml.h"
#include "text/yaml/yaml.h"
#include "value/value.h"

#include <math.h>

/* How often a template may be open at once, as Helm counts. */
#define INCLUDE_MAX 1000
/* How many may be open at once in all, and how much of the C stack they may take. */
#define NESTING_MAX 2500
#define STACK_MAX (4 * MIB)

/* ---- include and tpl ----------------------------------------------------------------------------
 */

static bool is_nested_too_deep(const struct exec *x)
{
    const char *here = __builtin_frame_address(0);

    return x->nesting >= NESTING_MAX || (size_t)((const char *)x->stack - here) > STACK_MAX;
}

/* Runs t and leaves its text in out. When it fails, the message is that of x->err. */
static bool run_inner(struct tmpl_call *c, const struct template *t, struct tv data,
                      struct buf *out)
{
    struct exec *x = c->rt->exec;
    bool ok;

    if (is_nested_too_deep(x)) {
        c->error_kind = ERR_LIMIT;
        return call_fail(c, "the template nests too deep");
    }
    *out = call_buf(c);
    x->nesting++;
    ok = exec_template(x, t, data, out);
    x->nesting--;
    if (ok)
        return true;
    c->error = x->err ? x->err->text : STR("failed");
    c->error_kind = x->err ? x->err->kind : ERR_INVALID;
    return false;
}

/* How often a template of that name is open: *count lives as long as the run. */
static size_t *open_count(struct exec *x, str name)
{
    size_t *count;

    if (!x->included)
        x->included = map_new(x->rt.arena);
    count = map_get(x->included, name);
    if (!count) {
        count = ARENA_NEW(x->rt.arena, size_t);
        map_set(x->included, name, count);
    }
    return count;
}

static bool fn_include(struct tmpl_call *c)
{
    struct exec *x = c->rt->exec;
    str name = arg_str(c, 0);
    const struct template *t = map_get(x->set->templates, name);
    size_t *count = open_count(x, name);
    struct buf out = {0};
    bool ok;

    if (*count > INCLUDE_MAX)
        return call_fail(c,
                         "rendering template has a nested reference name: %.*s: unable to execute "
                         "template",
                         STR_ARG(name));
    if (!t)
        return call_fail_str(c, no_template_text(c->arena, x->set, name));
    ++*count;
    ok = run_inner(c, t, arg_tv(c, 1), &out);
    --*count;
    return ok && return_call_buf(c, &out);
}

/* A set with the templates of another one, which may get more of them. */
static struct tmpl_set *clone_set(struct arena *a, const struct tmpl_set *from)
{
    struct tmpl_set *set = ARENA_NEW(a, struct tmpl_set);

    *set = *from;
    set->arena = a;
    set->actions = NULL; /* they outlive this arena, and other threads may read them */
    set->templates = map_new(a);
    for (size_t i = 0; i < map_len(from->templates); i++)
        map_set_entry(set->templates, from->templates, i);
    return set;
}

/* "cannot parse template "...": text", the template as Go quotes it. */
static bool tpl_fail(struct tmpl_call *c, const char *what, str why)
{
    struct err *e = c->rt->exec->err;
    AUTO_ARENA scratch = arena_new();
    struct buf b = buf_new(scratch, BUF_UNLIMITED);

    buf_add(&b, str_c(what));
    go_quote(&b, arg_str(c, 0));
    buf_add(&b, STR(": "));
    buf_add(&b, why);
    err_set_str(e, c->error_kind ? c->error_kind : ERR_INVALID, buf_str(&b));
    c->error = e ? e->text : STR("failed");
    return false;
}

static str without_no_value(struct arena *a, str text)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str part = STR_NONE;

    while (str_cut(text, STR("<no value>"), &part, &text))
        buf_add(&b, part);
    buf_add(&b, part);
    return buf_str(&b);
}

/* Parses text under the name of the main template, which it does not replace for its callers. */
static bool parse_tpl(struct tmpl_call *c, struct tmpl_set *set, const struct template **out,
                      struct err *e)
{
    struct file *file = ARENA_NEW(c->arena, struct file);
    struct map *trees = map_new(c->arena);

    *file = (struct file){.name = set->main->name, .text = arg_str(c, 0)};
    if (!parse_text(set, file, trees, e))
        return false;
    for (size_t i = 0; i < map_len(trees); i++)
        set_install(set, map_at(trees, i));
    *out = map_get(trees, file->name);
    return true;
}

static bool fn_tpl(struct tmpl_call *c)
{
    struct exec *x = c->rt->exec;
    const struct tmpl_set *outer = x->set;
    struct tmpl_set *set;
    const struct template *t = NULL;
    AUTO_ERR e = {0};
    struct buf out = {0};
    bool ok;

    if (!call_steps(c, arg_str(c, 0).len + map_len(outer->templates)))
        return false;
    set = clone_set(c->arena, outer);
    /* Upstream: the option is set anew, so only its strictest form is handed down. */
    if (set->profile == TMPL_HELM && set->missing != MISSING_ERROR)
        set->missing = MISSING_ZERO;
    if (!parse_tpl(c, set, &t, &e))
        return tpl_fail(c, "cannot parse template ", e.text);
    x->set = set;
    ok = run_inner(c, t, arg_tv(c, 1), &out);
    x->set = outer;
    if (!ok)
        return tpl_fail(c, "error during tpl function execution for ", c->error);
    if (!call_room(c, out.len))
        return false;
    return return_str(c, without_no_value(c->arena, buf_str(&out)));
}

/* ---- Failing on purpose -------------------------------------------------------------------------
 */

/* Helm finds the message by its marks; nothing else looks for them. */
static bool helm_fail(struct tmpl_call *c, str message)
{
    if (c->rt->exec->set->profile != TMPL_HELM)
        return call_fail_str(c, message);
    return call_fail_str(c, str_join(c->arena,
                                     (str[]){STR("HELM_ERR_START"), message, STR("HELM_ERR_END")},
                                     3, STR_NONE));
}

static bool fn_fail(struct tmpl_call *c)
{
    return helm_fail(c, arg_str(c, 0));
}

/* Nothing, nil and the empty text are missing; false, 0 and empty lists are not. */
static bool fn_required(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 1);

    if (v.type == TV_INVALID || (v.type == TV_STRING && !v.len))
        return helm_fail(c, arg_str(c, 0));
    return return_tv(c, v);
}

/* ---- What a renderer without a cluster answers --------------------------------------------------
 */

/* All objects of a kind, as the API lists them. */
static bool return_kind_list(struct tmpl_call *c, const struct value *const *found, size_t count)
{
    struct tv list, map = tv_map_new(c->rt, TV_MAP);

    if (!call_room(c, count * sizeof(struct tv)))
        return false;
    list = tv_list_new(c->rt, TV_LIST, count);
    for (size_t i = 0; i < count; i++)
        list.list->items[i] = tv_wrap_host(c->rt, found[i]);
    tv_set(c->rt, map, STR("apiVersion"), tv_str(arg_str(c, 0)));
    tv_set(c->rt, map, STR("items"), list);
    tv_set(c->rt, map, STR("kind"), tv_str(str_concat(c->arena, arg_str(c, 1), STR("List"))));
    return return_tv(c, map);
}

bool host_lookup(struct tmpl_call *c, const struct value ***found, size_t *count)
{
    const struct tmpl_hooks *hooks = c->rt->hooks;
    const str query[] = {arg_str(c, 0), arg_str(c, 1), arg_str(c, 2), arg_str(c, 3)};

    *found = NULL;
    *count = 0;
    if (!hooks->lookup)
        return true;
    if (hooks->candidates && !call_steps(c, hooks->candidates(hooks->ctx, query)))
        return false;
    *count = hooks->lookup(hooks->ctx, c->arena, query, found);
    return true;
}

/* One object by its name, or all of a kind. A host without objects finds nothing. */
static bool fn_lookup(struct tmpl_call *c)
{
    const struct value **found;
    size_t count;

    if (!host_lookup(c, &found, &count))
        return false;
    if (!count)
        return return_tv(c, tv_map_new(c->rt, TV_MAP));
    if (!arg_str(c, TMPL_NAME).len)
        return return_kind_list(c, found, count);
    return return_tv(c, tv_wrap_host(c->rt, found[0]));
}

static bool fn_get_host_by_name(struct tmpl_call *c)
{
    return return_str(c, STR_NONE);
}

/* ---- Conversions --------------------------------------------------------------------------------
 */

static bool fn_to_yaml_pretty(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    AUTO_ERR e = {0};
    const struct value *tree;
    enum number_rule numbers;

    /* Upstream: what has no form in YAML ends the function, not only its result. */
    if (!tv_to_pretty_tree(c->rt, arg_tv(c, 0), &tree, &numbers, &e))
        return call_fail_str(c, str_copy(c->arena, e.text));
    if (!yaml_write_pretty(&b, tree, numbers, &e))
        return b.overflow ? return_call_buf(c, &b) : return_str(c, STR_NONE);
    b.len = str_without_suffix(buf_str(&b), STR("\n")).len;
    return return_call_buf(c, &b);
}

static struct tv toml_to_tv(struct tmpl_call *c, const struct value *v);

/* Dates without a zone have one whose name marks them as such. */
static struct tv toml_time(struct tmpl_call *c, const struct value *v)
{
    static const struct {
        enum toml_kind kind;
        const char *layout, *zone;
    } kinds[] = {
        {TOML_DATETIME, GOTIME_RFC3339_NANO, NULL},
        {TOML_LOCAL_DATETIME, "2006-01-02T15:04:05.999999999", "datetime-local"},
        {TOML_LOCAL_DATE, "2006-01-02", "date-local"},
        {TOML_LOCAL_TIME, "15:04:05.999999999", "time-local"},
    };
    const struct zone *local = local_zone(c->rt);
    struct gotime t = gotime_zero();
    size_t i = 0;

    while (kinds[i].kind != toml_kind(v))
        i++;
    if (kinds[i].zone)
        local = zone_fixed(c->arena, str_c(kinds[i].zone),
                           gotime_fields(gotime_now(local)).zone_offset);
    if (!gotime_parse(c->arena, str_c(kinds[i].layout), value_str(v), local, &t, NULL))
        assert(!"the reader has checked it");
    return tv_time(c->rt, t);
}

static struct tv toml_float(const struct value *v)
{
    double d = str_has_suffix(value_str(v), STR("inf")) ? (double)INFINITY : (double)NAN;

    return tv_float(str_has_prefix(value_str(v), STR("-")) ? -d : d);
}

static struct tv toml_list(struct tmpl_call *c, const struct value *v)
{
    struct tv list =
        tv_list_new(c->rt, toml_kind(v) == TOML_TABLES ? TV_MAPS : TV_LIST, value_len(v));

    for (size_t i = 0; i < value_len(v); i++)
        list.list->items[i] = toml_to_tv(c, &v->items[i]);
    return list;
}

static struct tv toml_table(struct tmpl_call *c, const struct value *v)
{
    struct tv map = tv_map_new(c->rt, TV_MAP);

    for (size_t i = 0; i < value_len(v); i++)
        tv_set(c->rt, map, value_key(&v->items[i]), toml_to_tv(c, &v->items[i]));
    return map;
}

static struct tv toml_to_tv(struct tmpl_call *c, const struct value *v)
{
    if (v->kind == VALUE_OBJECT)
        return toml_table(c, v);
    if (v->kind == VALUE_LIST)
        return toml_list(c, v);
    if (v->kind == VALUE_STRING && toml_kind(v) == TOML_FLOAT)
        return toml_float(v);
    if (v->kind == VALUE_STRING && toml_kind(v) != TOML_PLAIN)
        return toml_time(c, v);
    return tv_wrap(v, false);
}

static bool fn_from_toml(struct tmpl_call *c)
{
    AUTO_ERR e = {0};
    struct value *v;

    /* A tree takes some twenty times the room of its text, and the values made of it as much. */
    if (!call_room(c, 40 * arg_str(c, 0).len) || !call_steps(c, arg_str(c, 0).len))
        return false;
    if (!toml_read(c->arena, source_of(c->arena, arg_str(c, 0)), &v, &e))
        return return_error_map(c, e.text);
    return return_tv(c, toml_to_tv(c, v));
}

/* Sorted by name. */
const struct tmpl_func tmpl_helm_funcs[] = {
    {"fail", "func(string) (string, error)", TMPL_HELM, fn_fail, "Fail with a message",
     "{{ fail \"no name\" }}"},
    {"fromToml", "func(string) map[string]any", TMPL_HELM, fn_from_toml,
     "Read TOML; an error is under Error", "{{ (fromToml .text).name }}"},
    {"getHostByName", "func(string) string", TMPL_HELM, fn_get_host_by_name,
     "Nothing: templates do not reach the network", "{{ getHostByName \"example.com\" }}"},
    {"include", "func(string, any) (string, error)", TMPL_HELM, fn_include,
     "What another template gives, as text", "{{ include \"labels\" . | indent 2 }}"},
    {"lookup", "func(string, string, string, string) (map[string]any, error)", TMPL_HELM, fn_lookup,
     "An empty map: there is no cluster", "{{ lookup \"v1\" \"Pod\" \"default\" \"web\" }}"},
    {"required", "func(string, any) (any, error)", TMPL_HELM, fn_required,
     "A value, or fail with a message when it is missing or empty",
     "{{ required \"a name is needed\" .name }}"},
    {"toYamlPretty", "func(any) string", TMPL_HELM, fn_to_yaml_pretty,
     "Write YAML with indented lists", "{{ toYamlPretty .map }}"},
    {"tpl", "func(string, any) (string, error)", TMPL_HELM, fn_tpl,
     "What a text gives when it is a template", "{{ tpl .text . }}"},
    {0},
};
