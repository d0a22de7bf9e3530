/* SPDX-License-Identifier: Apache-2.0 */
/* helm.c - converts a reference: reads it, finds values, makes texts, and writes the chart. */
#include "compare/helm/internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/reference/templates_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "text/json/json.h"
#include "text/patch/patch.h"
#include "text/yaml/yaml.h"

struct conversion {
    struct arena *arena;
    const struct helm_options *options;
    struct root root;
    struct reference reference;
    struct map *defaults;    /* file name to object */
    struct value *given;     /* what the values file holds, or NULL */
    struct value *values;    /* of the chart */
    struct helm_files files; /* of the chart */
    struct buf *note;
};

/* ---- Reading. ---- */

static bool find_reference(struct conversion *c, str *file, struct err *e)
{
    str path = c->options->reference;

    if (str_has_prefix(path, STR("container://")))
        return err_set(e, ERR_INVALID,
                       "failed to get filesystem of cluster-compare reference temporary directory "
                       "could not be accessed, see logs for details");
    return root_open_linked(c->arena, path, c->options->outside_links, &c->root, file, e) ||
           err_wrap(e, "failed to get filesystem of cluster-compare reference");
}

/* Upstream puts no colon between the context and the error. */
static bool fail_in(const char *context, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str text = str_copy(a, e->text);

    return err_set(e, e->kind, "%s %.*s", context, STR_ARG(text));
}

static bool load_reference(struct conversion *c, struct err *e)
{
    struct log_buffer log = {.arena = c->arena, .verbose = c->options->log.verbose};
    str file = STR_NONE;
    bool ok;

    if (!find_reference(c, &file, e))
        return false;
    if (!reference_load(c->arena, &c->root, file, &log, &c->reference, e))
        ok = fail_in("failed to get cluster-compare reference ", e);
    else
        ok = templates_parse(c->arena, &c->root, &log, &c->reference, e) ||
             fail_in("failed to parse cluster-compare reference templates", e);
    log_buffer_flush(&log, &c->options->log);
    return ok;
}

static bool load_values(struct conversion *c, struct err *e)
{
    str text;

    if (!c->options->values.len)
        return true;
    if (!file_read(c->arena, c->options->values, &text, e))
        return err_wrap(e, "values file passed to command does not exist");
    if (!yaml_map_read(c->arena, text, &c->given, e))
        return err_wrap(e, "values file passed to command is not valid YAML");
    return true;
}

/* ---- Converting. ---- */

static void add_file(struct conversion *c, str name, str text)
{
    VEC_PUSH(c->arena, &c->files, ((struct helm_file){name, text}));
}

static bool add_helpers(struct conversion *c, struct err *e)
{
    struct buf all = buf_new(c->arena, BUF_UNLIMITED);

    for (size_t i = 0; i < c->reference.function_files.len; i++) {
        str text;
        if (!root_read(c->arena, &c->root, c->reference.function_files.items[i], &text, e))
            return false;
        if (i)
            buf_char(&all, '\n');
        buf_add(&all, text);
    }
    add_file(c, STR("templates/_helpers.tpl"), buf_str(&all));
    return true;
}

static bool convert_template(struct conversion *c, const struct template *t, struct err *e)
{
    const struct value *defaults = c->defaults ? map_get(c->defaults, file_base(t->path)) : NULL;
    struct value *values;
    str text;

    if (!root_read(c->arena, &c->root, t->path, &text, e))
        return fail_in(str_z(c->arena, str_fmt(c->arena, "failed to read template named: %.*s",
                                               STR_ARG(t->path))),
                       e);
    /* A web server has files of such names; in a chart they would lead out of it. */
    if (!root_is_plain(t->path))
        return err_set(e, ERR_INVALID, "template %.*s would lie outside of the chart",
                       STR_ARG(t->path));
    add_file(c, file_join(c->arena, STR("templates"), t->path),
             helm_text(c->arena, t, text, c->given, c->note));
    if (!helm_values(c->arena, t, defaults, &values, e))
        return false;
    if (values->len) {
        struct value *list = value_list(c->arena);
        value_add(c->arena, list, values);
        value_set(c->arena, c->values, helm_component(c->arena, t->path), list);
    }
    return true;
}

/* ---- The chart. ---- */

/* What the values file holds goes over what was found, as a merge patch. */
static bool merge_values(struct conversion *c, struct err *e)
{
    const struct read_options options = {.go = true};
    struct buf found = buf_new(c->arena, BUF_UNLIMITED), given = buf_new(c->arena, BUF_UNLIMITED);
    struct buf merged = buf_new(c->arena, BUF_UNLIMITED);
    struct source *source = ARENA_NEW(c->arena, struct source);

    if (!c->given)
        return true;
    if (json_write(&found, c->values, &json_go_floats, e) &&
        json_write(&given, c->given, &json_go_floats, e) &&
        patch_merge(buf_str(&found), buf_str(&given), &merged, e)) {
        source->text = buf_str(&merged);
        if (json_read(c->arena, source, &options, &c->values, e))
            return true;
    }
    return fail_in("failed to merge given values with generated values", e);
}

static bool add_yaml(struct conversion *c, str name, const struct value *v, const char *context,
                     struct err *e)
{
    struct buf text = buf_new(c->arena, BUF_UNLIMITED);

    if (!yaml_write(&text, v, NUMBERS_FLOAT, e))
        return err_wrap(e, "%s", context);
    add_file(c, name, buf_str(&text));
    return true;
}

/* Chart.yaml is the last, because that is the first that is written. */
static bool add_chart(struct conversion *c, struct err *e)
{
    struct arena *a = c->arena;
    const struct helm_options *o = c->options;
    struct value *chart = value_object(a);

    if (o->description.len)
        value_set_str(a, chart, STR("description"), o->description);
    value_set_str(a, chart, STR("name"), helm_chart_name(o->chart));
    if (o->version.len)
        value_set_str(a, chart, STR("version"), o->version);
    return add_yaml(c, STR("values.yaml"), c->values, "failed to convert chart values to YAML",
                    e) &&
           add_yaml(c, STR("Chart.yaml"), chart, "failed to save helm chart in dir", e);
}

static bool convert(struct conversion *c, struct err *e)
{
    const struct helm_options *o = c->options;

    if (!load_reference(c, e) || !add_helpers(c, e) ||
        (o->defaults.len && !helm_defaults(c->arena, o->defaults, &c->defaults, e)) ||
        !load_values(c, e))
        return false;
    for (size_t i = 0; i < c->reference.templates.len; i++)
        if (!convert_template(c, &c->reference.templates.items[i], e))
            return false;
    return merge_values(c, e) && add_chart(c, e) && helm_save(c->arena, o->chart, &c->files, e);
}

bool helm_convert(struct arena *a, const struct helm_options *o, struct buf *note, struct err *e)
{
    struct conversion c = {.arena = a, .options = o, .values = value_object(a), .note = note};
    bool ok = convert(&c, e);

    root_close(&c.root);
    return ok;
}
