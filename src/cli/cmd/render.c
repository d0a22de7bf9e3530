/* SPDX-License-Identifier: Apache-2.0 */
/* render.c - plumb render: renders templates with data. */
#include "cli/objects.h"
#include "base/map.h"
#include "tmpl/tmpl.h"
#include "value/path.h"
#include "object/object.h"

struct render_values {
    str left, right, missing_key, profile;
    struct str_list data, lookup, set;
};

static const char *const missing_keys[] = {"default", "invalid", "zero", "error", NULL};
static const char *const profiles[] = {"go", "helm", "kc", "plumb", NULL};

static const struct option render_options[] = {
    {"data", 'd', OPTION_ARRAY, offsetof(struct render_values, data),
     .help = "Read the data from `FILE`; more than one are merged in order",
     .complete = COMPLETE_FILES},
    {"left-delimiter", 0, OPTION_STRING, offsetof(struct render_values, left), .value = "{{",
     .help = "What begins an action: `TEXT`"},
    {"lookup", 0, OPTION_ARRAY, offsetof(struct render_values, lookup),
     .help = "Let lookupCR and lookupCRs find the objects in `FILE`", .complete = COMPLETE_FILES},
    {"missing-key", 0, OPTION_STRING, offsetof(struct render_values, missing_key),
     .help = "What a key that a map has not means, `HOW`: default, invalid, zero or error",
     .choices = missing_keys},
    {"profile", 0, OPTION_STRING, offsetof(struct render_values, profile), .value = "kc",
     .help = "Which functions there are, `NAME`: go, helm, kc or plumb", .choices = profiles},
    {"right-delimiter", 0, OPTION_STRING, offsetof(struct render_values, right), .value = "}}",
     .help = "What ends an action: `TEXT`"},
    {"set", 0, OPTION_ARRAY, offsetof(struct render_values, set),
     .help = "Set a value of the data: `PATH=VALUE`, where the value is YAML"},
};

/* ---- Data. ---- */

/* Reads the first document of each file; later ones are merged over earlier ones. */
static bool read_data(struct call *c, const struct render_values *v, struct value **out,
                      struct err *e)
{
    struct str_list files = {0};

    for (size_t i = 0; i < v->data.len; i++)
        if (!input_add(c->arena, v->data.items[i], &files, e))
            return false;
    *out = value_object(c->arena);
    for (size_t i = 0; i < files.len; i++) {
        struct input *in = ARENA_NEW(c->arena, struct input);
        struct doc doc;
        if (!input_open(c, c->arena, files.items[i], false, in, e) ||
            !input_next(c->arena, in, &doc, e))
            return false;
        if (doc.root)
            *out = value_merge(c->arena, *out, doc.root);
    }
    return true;
}

/* a.b=1: the value is parsed as YAML; an empty one is the empty text. */
static bool set_one(struct arena *a, struct value *root, str text, struct err *e)
{
    static const struct read_options options = {.single = true};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *item;
    struct path path;
    str key;

    if (!str_cut(text, STR("="), &key, &src->text) || !key.len)
        return err_set(e, ERR_USAGE, "--set %.*s: want PATH=VALUE", STR_ARG(text));
    if (!src->text.len) {
        item = value_string(a, STR_NONE);
    } else if (!yaml_read(a, src, &options, &item, e)) {
        e->at = (struct where){0}; /* no file */
        return err_wrap(e, "--set %.*s", STR_ARG(text));
    }
    return (path_parse_dotted(a, key, &path, e) && path_set(a, &path, root, item, e)) ||
           err_wrap(e, "--set %.*s", STR_ARG(text));
}

/* ---- What templates ask. ---- */

struct host {
    struct objects *objects; /* one for each file */
    size_t count;
};

static bool matches(str want, str have)
{
    return !want.len || str_eq(want, STR("*")) || str_eq(want, have);
}

static bool is_wanted(const struct value *o, const str query[4])
{
    struct identity id = identity_of(o);

    return str_eq(query[TMPL_API_VERSION], id.api_version) && str_eq(query[TMPL_KIND], id.kind) &&
           matches(query[TMPL_NAMESPACE], id.namespace) && matches(query[TMPL_NAME], id.name);
}

static size_t lookup(void *ctx, struct arena *a, const str query[4], const struct value ***found)
{
    const struct host *h = ctx;
    VEC(const struct value *) hits = {0};

    for (size_t i = 0; i < h->count; i++)
        for (size_t k = 0; k < h->objects[i].len; k++)
            if (is_wanted(h->objects[i].items[k].doc.root, query))
                VEC_PUSH(a, &hits, h->objects[i].items[k].doc.root);
    *found = hits.items;
    return hits.len;
}

static size_t candidates(void *ctx, const str query[4])
{
    const struct host *h = ctx;
    size_t n = 0;

    (void)query;
    for (size_t i = 0; i < h->count; i++)
        n += h->objects[i].len;
    return n;
}

static void warn(void *ctx, str text)
{
    (void)ctx;
    message_warning((struct where){0}, text);
}

/* ---- Templates. ---- */

static enum tmpl_profile profile_named(str name)
{
    if (str_eq(name, STR("go")))
        return TMPL_GO;
    return str_eq(name, STR("helm")) ? TMPL_HELM : TMPL_KC;
}

/* A file, and its name in messages and other templates. */
struct source_file {
    str path, name;
};

struct source_files {
    struct source_file *items;
    size_t len, cap;
};

/* The file name, or for files found in a folder, the path below it, which is unique. */
static str template_name(str word, str path)
{
    if (str_eq(path, STR("-")))
        return STR("<stdin>");
    if (path.len == word.len)
        return file_base(path);
    str below = str_from(path, word.len);
    return str_has_prefix(below, STR("/")) ? str_from(below, 1) : below;
}

static bool add_templates(struct arena *a, str word, struct source_files *out, struct err *e)
{
    static const char *const endings[] = {".json", ".tmpl", ".tpl", ".yaml", ".yml", NULL};
    struct str_list found = {0};

    if (!input_add_ending(a, word, endings, &found, e))
        return false;
    if (!found.len)
        return err_set(e, ERR_NOT_FOUND,
                       "%.*s: no templates: no .json, .tmpl, .tpl, .yaml or .yml file",
                       STR_ARG(word));
    for (size_t i = 0; i < found.len; i++)
        VEC_PUSH(a, out,
                 ((struct source_file){found.items[i], template_name(word, found.items[i])}));
    return true;
}

static bool find_templates(struct call *c, struct source_files *out, struct err *e)
{
    struct map *known = map_new(c->arena);

    for (size_t i = 0; i < c->arg_count; i++)
        if (!add_templates(c->arena, c->args[i], out, e))
            return false;
    for (size_t i = 0; i < out->len; i++) {
        const struct source_file *f = &out->items[i], *other = map_get(known, f->name);
        if (other)
            return err_set(e, ERR_USAGE, "two templates are called \"%.*s\": %.*s and %.*s",
                           STR_ARG(f->name), STR_ARG(other->path), STR_ARG(f->path));
        map_set(known, f->name, (void *)f);
    }
    return true;
}

/* Together with the output and spare room for growth, any template stays below 256 MiB. */
static const struct tmpl_limits limits = {.memory = 96 * MIB};

/* Nothing is written of a template that fails. */
static void render_one(struct call *c, const struct tmpl_set *set, str name, struct tmpl_run *run)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf out = buf_new(c->arena, TMPL_OUTPUT_MAX);

    if (tmpl_execute(a, set, name, run, &out, &e))
        output_add(c->out, buf_str(&out));
    else
        call_report(c, &e);
}

static bool cmd_render(struct call *c, struct err *e)
{
    const struct render_values *v = c->values;
    struct tmpl_options opts = {
        .profile = profile_named(v->profile), .left = v->left, .right = v->right};

    opts.extra = str_eq(v->profile, STR("plumb")) ? TMPL_HELM : 0;
    struct tmpl_set *set = tmpl_new(c->arena, &opts);
    struct source_files files = {0};
    struct host host = {.objects = ARENA_ARRAY(c->arena, struct objects, v->lookup.len)};
    struct tmpl_hooks hooks = {
        .ctx = &host, .lookup = lookup, .candidates = candidates, .warn = warn};
    struct tmpl_run run = {.hooks = &hooks, .limits = &limits};
    struct value *data;

    if (v->missing_key.len &&
        !tmpl_option(set, str_concat(c->arena, STR("missingkey="), v->missing_key), e))
        return false;
    if (!read_data(c, v, &data, e))
        return false;
    for (size_t i = 0; i < v->set.len; i++)
        if (!set_one(c->arena, data, v->set.items[i], e))
            return false;
    for (; host.count < v->lookup.len; host.count++)
        if (!objects_read(c, v->lookup.items[host.count], &host.objects[host.count], e))
            return false;
    if (!find_templates(c, &files, e))
        return false;
    for (size_t i = 0; i < files.len; i++) {
        struct source source;
        if (!input_read(c->arena, files.items[i].path, FILE_MAX, &source, e) ||
            !tmpl_parse(set, files.items[i].name, source.text, e))
            return false;
    }
    run.data = data;
    for (size_t i = 0; i < files.len; i++)
        if (!str_has_prefix(file_base(files.items[i].name), STR("_")))
            render_one(c, set, files.items[i].name, &run);
    return true;
}

const struct command command_render = {
    .name = "render",
    .args = "TEMPLATE...",
    .brief = "Render templates over data",
    .help = "The templates are Go's text/template language with the functions of Sprig. All\n"
            "files are parsed into one set, so that they can use what others define; each is\n"
            "known by its file name. Then each is rendered in the order given, except those\n"
            "whose name begins with an underscore. For -, reads standard input. A folder\n"
            "stands for all .json, .tmpl, .tpl, .yaml and .yml files below it, each known by\n"
            "its path below the folder.\n"
            "\n"
            "The profile says which functions there are: go has those of the language only,\n"
            "kc what references of cluster comparisons may use, helm what charts may use, and\n"
            "plumb what references of plumb compare may use: kc and what helm has beyond it.\n"
            "Nothing reaches the environment, the file system or the network.\n"
            "\n"
            "A template that fails is reported with its place, and nothing of it is written;\n"
            "the others are still rendered, and the exit status is 2. Run 'plumb help\n"
            "functions' for the list of functions.\n",
    .examples = "  plumb render -d values.yaml deployment.tmpl\n"
                "  plumb render --set name=web --set replicas=3 deployment.tmpl\n"
                "  plumb render --profile helm -d values.yaml _helpers.tpl service.tpl\n"
                "  plumb render --profile helm -d values.yaml templates/\n",
    .options = render_options,
    .option_count = COUNT(render_options),
    .values_size = sizeof(struct render_values),
    .args_min = 1,
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .run = cmd_render,
};
