/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.c - plumb model: Azure's resource model, built from published types.
 *
 * To add a subcommand: write a function, add a line to the table of verbs.
 */
#include "azure/derive/derive.h"
#include "azure/model/diff.h"
#include "cli/cmd/model_internal.h"
#include "text/json/json.h"

struct model_values {
    str types, overlay, out, report, model;
    struct str_list groups;
    bool check, status;
};

static const struct option model_options[] = {
    {"check", 0, OPTION_BOOL, offsetof(struct model_values, check),
     .help = "build: write nothing, say which files would change"},
    {"group", 0, OPTION_STRINGS, offsetof(struct model_values, groups),
     .help = "build: only these `GROUPS`"},
    {"model", 0, OPTION_STRING, offsetof(struct model_values, model),
     .help = "show: use the model files in `FOLDER` instead of those in the program",
     .complete = COMPLETE_FOLDERS},
    {"out", 0, OPTION_STRING, offsetof(struct model_values, out), .value = "api/model",
     .help = "The `FOLDER` of model files", .complete = COMPLETE_FOLDERS},
    {"overlay", 0, OPTION_STRING, offsetof(struct model_values, overlay), .value = "api/overlay",
     .help = "build: the `FOLDER` of overlay files", .complete = COMPLETE_FOLDERS},
    {"report", 0, OPTION_STRING, offsetof(struct model_values, report),
     .help = "build: write all notes to this `FILE`, one per line; - is standard output",
     .complete = COMPLETE_FILES},
    {"status", 0, OPTION_BOOL, offsetof(struct model_values, status),
     .help = "show: the status instead of the spec"},
    {"types", 0, OPTION_STRING, offsetof(struct model_values, types),
     .help = "build: the `FOLDER` of published type files", .complete = COMPLETE_FOLDERS},
};

/* ---- build ---- */

/* The files of one build: how many there are, and how many have changed. */
struct written {
    size_t files, changed;
};

static str model_path(struct arena *a, str folder, const struct derived_model *m)
{
    return str_fmt(a, "%.*s/%.*s/%.*s.json", STR_ARG(folder), STR_ARG(m->group),
                   STR_ARG(m->version));
}

static bool is_current(struct arena *a, str path, str text)
{
    str old;

    return file_kind(path) == FILE_REGULAR && file_read_max(a, path, OUTPUT_MAX, &old, NULL) &&
           str_eq(old, text);
}

static bool write_model(struct call *c, const struct derived_model *m, struct written *w,
                        struct err *e)
{
    const struct model_values *v = c->values;
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, OUTPUT_MAX);
    str path = model_path(a, v->out, m);

    if (!derive_write(&text, m->root, e))
        return false;
    w->files++;
    if (is_current(a, path, buf_str(&text)))
        return true;
    w->changed++;
    if (v->check) {
        output_fmt(c->out, "would change %.*s\n", STR_ARG(path));
        c->status = STATUS_DIFFERENT;
        return true;
    }
    return file_make_folder(file_join(a, v->out, m->group), e) &&
           file_write(path, buf_str(&text), 0644, e);
}

/* Reports stale files: of groups that were built, but not written by this build. */
static bool report_stale(struct call *c, const struct derive_result *r, struct err *e)
{
    const struct model_values *v = c->values;
    struct map *known = map_new(c->arena);

    for (size_t i = 0; i < r->models.len; i++)
        map_set(known, model_path(c->arena, v->out, &r->models.items[i]), known);
    for (size_t i = 0; i < r->models.len; i++) {
        str folder = file_join(c->arena, v->out, r->models.items[i].group), *names;
        size_t count;
        if ((i && str_eq(r->models.items[i].group, r->models.items[i - 1].group)) ||
            file_kind(folder) != FILE_FOLDER)
            continue;
        if (!file_list(c->arena, folder, &names, &count, e))
            return false;
        for (size_t j = 0; j < count; j++)
            if (!map_has(known, file_join(c->arena, folder, names[j])))
                output_fmt(c->out, "stale: %.*s/%.*s is not written by this build any more\n",
                           STR_ARG(folder), STR_ARG(names[j]));
    }
    return true;
}

/* Notes that need a decision are shown; those that follow from rules are only counted. */
static void show_notes(struct call *c, const struct derive_result *r)
{
    static const char *const names[NOTE_KINDS] = {
        [NOTE_DROPPED] = "left out",
        [NOTE_CHANGED] = "simplified",
        [NOTE_UNKNOWN] = "of unknown kind",
        [NOTE_REFERENCE] = "may be references",
        [NOTE_SECRET] = "may be secrets",
        [NOTE_IDENTITY] = "arrays without obvious identity",
        [NOTE_NO_TYPE] = "kinds without an ARM type",
    };

    for (size_t i = 0; i < NOTE_KINDS; i++)
        if (r->counts[i])
            output_fmt(c->out, "%6zu %s\n", r->counts[i], names[i]);
    for (size_t i = 0; i < r->notes.len; i++)
        if (r->notes.items[i].kind == NOTE_NO_TYPE)
            output_fmt(c->out, "no ARM type: %.*s/%.*s %.*s\n", STR_ARG(r->notes.items[i].group),
                       STR_ARG(r->notes.items[i].version), STR_ARG(r->notes.items[i].resource));
}

static bool write_report(struct call *c, const struct derive_result *r, struct err *e)
{
    const struct model_values *v = c->values;
    struct buf text = buf_new(c->arena, OUTPUT_MAX);

    if (!v->report.len)
        return true;
    derive_write_notes(&text, r);
    if (!buf_check(&text, e))
        return false;
    if (!str_eq(v->report, STR("-")))
        return file_write(v->report, buf_str(&text), 0644, e);
    output_add(c->out, buf_str(&text));
    return true;
}

/* A fact that was never used is misspelled or outdated: an error at the end. */
static void report_unused(struct call *c, const struct derive_result *r)
{
    for (size_t i = 0; i < r->unused.len; i++) {
        AUTO_ERR e = {0};
        err_set(&e, ERR_INVALID, "unused fact: %.*s", STR_ARG(r->unused.items[i].text));
        err_at(&e, r->unused.items[i].at);
        call_report(c, &e);
    }
}

static bool build(struct call *c, struct err *e)
{
    const struct model_values *v = c->values;
    const struct derive_options options = {
        .types = v->types,
        .overlay = v->overlay,
        .groups = v->groups.items,
        .group_count = v->groups.len,
        .notes = v->report.len > 0,
    };
    struct derive_result r;
    struct written w = {0};

    if (c->arg_count > 0)
        return err_set(e, ERR_USAGE, "model build takes no words");
    if (!v->types.len)
        return err_set(e, ERR_USAGE, "model build needs --types FOLDER");
    if (!derive_models(c->arena, &options, &r, e))
        return false;
    for (size_t i = 0; i < r.models.len; i++)
        if (!write_model(c, &r.models.items[i], &w, e))
            return false;
    output_fmt(c->out, "%zu resources of %zu kinds from %zu type files: %zu model files, %zu %s\n",
               r.resources, r.kinds, r.files, w.files, w.changed,
               v->check ? "would change" : "changed");
    show_notes(c, &r);
    report_unused(c, &r);
    return report_stale(c, &r, e) && write_report(c, &r, e);
}

/* ---- diff ---- */

/* A model file by its path, or as GROUP/VERSION in the folder of models. */
static bool read_model(struct call *c, str name, struct value **out, struct err *e)
{
    const struct model_values *v = c->values;
    struct source *src = ARENA_NEW(c->arena, struct source);
    str path = name, text;

    if (file_kind(path) == FILE_MISSING)
        path = str_fmt(c->arena, "%.*s/%.*s.json", STR_ARG(v->out), STR_ARG(name));
    if (file_kind(path) == FILE_MISSING)
        return err_set(e, ERR_NOT_FOUND, "no model \"%.*s\": neither a file nor %.*s",
                       STR_ARG(name), STR_ARG(path));
    if (!file_read_max(c->arena, path, OUTPUT_MAX, &text, e))
        return false;
    *src = (struct source){.file = path, .text = text};
    if (!json_read(c->arena, src, NULL, out, e))
        return false;
    return value_is(value_get(*out, STR("resources")), VALUE_OBJECT) ||
           source_err(e, src, *out, "not a model file: it has no resources");
}

struct shown {
    struct call *call;
    struct buf text;
    str resource;
};

static void show_difference(void *ctx, const struct model_difference *d)
{
    struct shown *s = ctx;
    bool whole = !d->path.len && !d->key.len;

    if (!whole && !str_eq(d->resource, s->resource))
        buf_fmt(&s->text, "%.*s\n", STR_ARG(d->resource));
    s->resource = d->resource;
    if (!whole)
        buf_add(&s->text, STR("  "));
    model_diff_write(&s->text, d);
}

static bool diff(struct call *c, struct err *e)
{
    struct shown s = {.call = c, .text = buf_new(c->arena, OUTPUT_MAX)};
    struct value *old = NULL, *new_ = NULL;

    if (c->arg_count != 2)
        return err_set(e, ERR_USAGE, "model diff takes OLD and NEW");
    if (!read_model(c, c->args[0], &old, e) || !read_model(c, c->args[1], &new_, e))
        return false;
    model_diff(c->arena, old, new_, show_difference, &s);
    if (!buf_check(&s.text, e))
        return false;
    output_add(c->out, buf_str(&s.text));
    if (s.text.len)
        c->status = STATUS_DIFFERENT;
    return true;
}

/* ---- show ---- */

static bool show(struct call *c, struct err *e)
{
    const struct model_values *v = c->values;

    return cmd_model_show(c, v->model, v->status, e);
}

/* ---- The command. ---- */

static const struct {
    const char *name;
    bool (*run)(struct call *c, struct err *e);
} verbs[] = {
    {"build", build},
    {"diff", diff},
    {"show", show},
};

static const char *const *verb_names(struct arena *a)
{
    const char **names = ARENA_ARRAY(a, const char *, COUNT(verbs) + 1);

    for (size_t i = 0; i < COUNT(verbs); i++)
        names[i] = verbs[i].name;
    return names;
}

static bool cmd_model(struct call *c, struct err *e)
{
    str verb = c->args[0];

    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (!str_eq(verb, str_c(verbs[i].name)))
            continue;
        c->args++;
        c->arg_count--;
        return verbs[i].run(c, e);
    }
    return err_set(e, ERR_USAGE, "unknown word \"%.*s\" after model", STR_ARG(verb));
}

const struct command command_model = {
    .name = "model",
    .args = "build | diff OLD NEW | show KIND",
    .brief = "Build, compare and show the resource model of Azure",
    .help = "model build reads Microsoft's published type files and the overlay, and writes\n"
            "one model file per group and version. It prints how much was built, what was\n"
            "left out, and what looks like a reference, a secret or an array that the\n"
            "overlay should say something about; --report has the details. A fact of the\n"
            "overlay that nothing uses is an error.\n"
            "\n"
            "model diff shows what differs between two model files: kinds and properties\n"
            "that were added (+), removed (-) or changed (~). OLD and NEW are files, or\n"
            "GROUP/VERSION below the folder of models.\n"
            "\n"
            "model show prints a kind as a tree: each property (* when required), its type,\n"
            "-> its place in ARM, [its role]. KIND is RouteTable, network/RouteTable, or\n"
            "either with @VERSION; without one it is the version objects are stored in.\n"
            "\n"
            "Exit status: 0 when all is well, 1 when diff or --check found differences, 2\n"
            "when something went wrong.\n",
    .examples = "  plumb model build --types ~/bicep-types-az/generated\n"
                "  plumb model build --types types --group network --report notes.txt\n"
                "  plumb model diff network/v20240601 network/v20250301\n"
                "  plumb model show network/RouteTable@v20250301\n",
    .options = model_options,
    .option_count = COUNT(model_options),
    .values_size = sizeof(struct model_values),
    .args_min = 1,
    .args_max = 3,
    .complete = COMPLETE_FILES,
    .words = verb_names,
    .run = cmd_model,
};
