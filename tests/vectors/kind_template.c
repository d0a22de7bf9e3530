/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_template.c - templates as Go's text/template executes them.
 *
 *   profile    which functions there are: go, kc or helm
 *   mode       "tree": parse only and print the tree
 *   name, tmpl the main template; defs: further texts, a list of {name, text}
 *   exec       the template to execute, when not the main one
 *   delims, opts   action delimiters and options
 *   data       JSON text of the data; num "json": all its numbers are float64
 *   data_yaml  YAML text instead
 *   crs        JSON text of the objects that lookups search
 *   tz         the local time zone
 *   want       the output; or err, with stage (parse, exec) and partial, what was written before
 *   loose      the error text is that of a Go panic: failing is enough
 */
#include "vectors.h"

#include "text/json/json.h"
#include "text/yaml/yaml.h"
#include "tmpl/tmpl.h"

struct attempt {
    struct arena *arena;
    const struct value *vector;
    const char *stage;
    struct buf out;
    const struct value *crs;
    bool again; /* with actions that were all parsed before, by another set */
};

static str text_of(const struct attempt *t, const char *key)
{
    str s = STR_NONE;

    if (!vector_text(t->arena, t->vector, key, &s))
        return STR_NONE;
    return s;
}

static enum tmpl_profile profile_of(str name)
{
    if (str_eq(name, STR("go")))
        return TMPL_GO;
    return str_eq(name, STR("helm")) ? TMPL_HELM : TMPL_KC;
}

static struct value *read_json(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;

    src->text = text;
    return json_read(a, src, &(struct read_options){.go = true}, &v, NULL) ? v : NULL;
}

static struct value *read_yaml(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;

    src->text = text;
    return yaml_read(a, src, NULL, &v, NULL) ? v : NULL;
}

/* ---- lookupCR and lookupCRs over the objects of the vector ---- */

static bool matches(str want, str have)
{
    return !want.len || str_eq(want, STR("*")) || str_eq(want, have);
}

static size_t lookup(void *ctx, struct arena *a, const str query[4], const struct value ***found)
{
    const struct value *crs = ((const struct attempt *)ctx)->crs;
    VEC(const struct value *) hits = {0};

    for (size_t i = 0; i < value_len(crs); i++) {
        const struct value *o = &crs->items[i], *meta = value_get(o, STR("metadata"));
        if (str_eq(query[TMPL_API_VERSION], value_get_str(o, STR("apiVersion"))) &&
            str_eq(query[TMPL_KIND], value_get_str(o, STR("kind"))) &&
            matches(query[TMPL_NAMESPACE], value_get_str(meta, STR("namespace"))) &&
            matches(query[TMPL_NAME], value_get_str(meta, STR("name"))))
            VEC_PUSH(a, &hits, o);
    }
    *found = hits.items;
    return hits.len;
}

/* ---- One attempt ---- */

static bool parse_all(struct attempt *t, struct tmpl_set *set, struct err *e)
{
    const struct value *opts = value_get(t->vector, STR("opts"));
    const struct value *defs = value_get(t->vector, STR("defs"));

    t->stage = "parse";
    for (size_t i = 0; i < value_len(opts); i++)
        if (!tmpl_option(set, value_str(&opts->items[i]), e))
            return false;
    if (!tmpl_parse(set, text_of(t, "name"), text_of(t, "tmpl"), e))
        return false;
    for (size_t i = 0; i < value_len(defs); i++)
        if (!tmpl_parse(set, value_get_str(&defs->items[i], STR("name")),
                        value_get_str(&defs->items[i], STR("text")), e))
            return false;
    return true;
}

static bool execute(struct attempt *t, struct tmpl_set *set, struct err *e)
{
    struct tmpl_hooks hooks = {.ctx = t, .lookup = lookup};
    struct tmpl_run run = {.hooks = &hooks, .zone = text_of(t, "tz")};
    str name = text_of(t, "exec"), yaml = text_of(t, "data_yaml");

    t->stage = "exec";
    if (!run.zone.len)
        run.zone = STR("UTC");
    t->crs = read_json(t->arena, text_of(t, "crs"));
    run.floats = str_eq(text_of(t, "num"), STR("json")) || yaml.len;
    if (yaml.len)
        run.data = read_yaml(t->arena, yaml);
    else if (value_get(t->vector, STR("data")))
        run.data = read_json(t->arena, text_of(t, "data"));
    return tmpl_execute(t->arena, set, name, &run, &t->out, e);
}

static bool attempt(struct attempt *t, struct err *e)
{
    const struct value *delims = value_get(t->vector, STR("delims"));
    struct tmpl_options opts = {
        .profile = profile_of(text_of(t, "profile")),
        .left = value_str(value_at(delims, 0)),
        .right = value_str(value_at(delims, 1)),
    };
    struct tmpl_set *set;

    if (t->again) {
        AUTO_ERR same = {0};
        opts.actions = tmpl_actions_new(t->arena);
        (void)!parse_all(t, tmpl_new(t->arena, &opts), &same);
    }
    set = tmpl_new(t->arena, &opts);
    if (!parse_all(t, set, e))
        return false;
    if (str_eq(text_of(t, "mode"), STR("tree"))) {
        tmpl_print(set, text_of(t, "name"), &t->out);
        return true;
    }
    return execute(t, set, e);
}

static bool check_failure(const struct attempt *t, const struct err *e, struct buf *why)
{
    const struct value *loose = value_get(t->vector, STR("loose"));
    str want = text_of(t, "err");

    if (!str_eq(text_of(t, "stage"), str_c(t->stage)))
        return vector_differs(why, "stage", str_c(t->stage), text_of(t, "stage"));
    if (!(value_is(loose, VALUE_BOOL) && loose->truth) && !str_eq(e->text, want))
        return vector_differs(why, "err", e->text, want);
    if (!str_eq(buf_str(&t->out), text_of(t, "partial")))
        return vector_differs(why, "partial", buf_str(&t->out), text_of(t, "partial"));
    return true;
}

static bool run_once(struct arena *a, const struct value *vector, bool again, struct buf *why)
{
    struct attempt t = {
        .arena = a, .vector = vector, .out = buf_new(a, BUF_UNLIMITED), .again = again};
    bool wants_failure = value_get(vector, STR("err")) != NULL, ok;
    AUTO_ERR e = {0};

    ok = attempt(&t, &e);
    if (ok && wants_failure)
        return vector_differs(why, "err", buf_str(&t.out), text_of(&t, "err"));
    if (!ok && !wants_failure)
        return vector_differs(why, "want", e.text, text_of(&t, "want"));
    if (!ok)
        return check_failure(&t, &e, why);
    if (!str_eq(buf_str(&t.out), text_of(&t, "want")))
        return vector_differs(why, "want", buf_str(&t.out), text_of(&t, "want"));
    return true;
}

static bool run_template(struct arena *a, const struct value *vector, struct buf *why)
{
    return run_once(a, vector, false, why) && run_once(a, vector, true, why);
}

const struct vector_kind vector_template = {
    .name = "template",
    .help = "templates as Go's text/template executes them",
    .run = run_template,
};
