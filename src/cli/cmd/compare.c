/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - plumb compare: compares Kubernetes objects with a reference made of templates. */
#include "cli/cmd/compare_fleet.h"
#include "cli/cmd/compare_generate.h"
#include "cli/progress.h"
#include "net/tape/tape.h"
#include "cli/options/formats.h"
#include "report/report.h"

#include <unistd.h>

static const char *const colours[] = {"auto", "always", "never", NULL};

static const struct option options[] = {
    {"all-resources", 'A', OPTION_BOOL, offsetof(struct compare_values, all_resources),
     .help = "List all objects that the reference does not match"},
    {"allow-outside-links", 0, OPTION_BOOL, offsetof(struct compare_values, outside_links),
     .help = "Follow links of the reference that lead out of its folder"},
    {"baseline", 0, OPTION_STRING, offsetof(struct compare_values, baseline),
     .help = "Fail only for what is new or worse than in `REPORT`, an earlier -o json",
     .complete = COMPLETE_FILES},
    {"color", 0, OPTION_STRING, offsetof(struct compare_values, color), .value = "auto",
     .help = "Colour the text report: `WHEN` is auto (on a terminal), always or never",
     .bare = "always", .choices = colours},
    {"compat", 0, OPTION_BOOL, offsetof(struct compare_values, compat),
     .help = "Give the answers of kube-compare, to the byte"},
    {"concurrency", 0, OPTION_INT, offsetof(struct compare_values, concurrency),
     .help =
         "With --fleet: compare `N` sites at a time; 0 is one per processor, at least eight for "
         "contexts"},
    {"diff-config", 'c', OPTION_STRING, offsetof(struct compare_values, diff_config),
     .help = "Take pairs of objects and templates from `FILE`", .complete = COMPLETE_FILES},
    {"explain", 0, OPTION_STRING, offsetof(struct compare_values, explain), .bare = EXPLAIN_ALL,
     .help = "Say why templates were chosen and fields were not compared; for one `OBJECT` (id or "
             "kind/name) or for all"},
    {"filename", 'f', OPTION_STRINGS, offsetof(struct compare_values, filename),
     .help = "Compare the objects of these `FILES`, folders or patterns; - is standard input",
     .complete = COMPLETE_FILES},
    {"fleet", 0, OPTION_ARRAY, offsetof(struct compare_values, fleet),
     .help = "Compare many `SITES` and group what they have in common: a folder of archives and "
             "folders, a list of them, contexts, or contexts:PATTERN",
     .complete = COMPLETE_FILES, .may_be_empty = true},
    {"generate-config", 'g', OPTION_STRING, offsetof(struct compare_values, generate_config),
     .help =
         "Write a reference as `FILE` describes it, from the objects of -f, instead of comparing",
     .complete = COMPLETE_FILES},
    {"generate-override-for", 0, OPTION_STRINGS,
     offsetof(struct compare_values, generate_override_for),
     .help = "With -o generate-patches: write overrides for these `TEMPLATES`"},
    {"kustomize", 'k', OPTION_STRING, offsetof(struct compare_values, kustomize),
     .help = "Compare what kustomize builds from `FOLDER`", .complete = COMPLETE_FOLDERS},
    {"metrics-addr", 0, OPTION_STRING, offsetof(struct compare_values, watch.metrics_addr),
     .help =
         "With --watch: serve the verdict for Prometheus at this `ADDRESS`, a port or host:port"},
    {"metrics-file", 0, OPTION_STRING, offsetof(struct compare_values, watch.metrics_file),
     .help = "With --watch: keep the verdict for Prometheus in `FILE`", .complete = COMPLETE_FILES},
    {"no-compat", 0, OPTION_BOOL, offsetof(struct compare_values, no_compat),
     .help = "Give plumb's answers, whatever the name under which it was started"},
    {"output", 'o', OPTION_STRING, offsetof(struct compare_values, output),
     .words = &format_words_compare},
    {"output-dir", 0, OPTION_STRING, offsetof(struct compare_values, output_dir),
     .help = "With -g: write the reference to `FOLDER`", .complete = COMPLETE_FOLDERS},
    {"override-reason", 0, OPTION_STRING, offsetof(struct compare_values, override_reason),
     .help = "With -o generate-patches: the `REASON` to write into overrides",
     .may_be_empty = true},
    {"overrides", 'p', OPTION_STRING, offsetof(struct compare_values, overrides),
     .help = "Patch templates with the overrides of `FILE`", .complete = COMPLETE_FILES},
    {"record", 0, OPTION_STRING, offsetof(struct compare_values, record),
     .help = "Write all requests and answers to `FILE`, without secrets, for bug reports",
     .complete = COMPLETE_FILES},
    {"recursive", 'R', OPTION_BOOL, offsetof(struct compare_values, recursive),
     .help = "With --compat: read the folders of -f with all folders below them, as is usual"},
    {"reference", 'r', OPTION_STRING, offsetof(struct compare_values, reference),
     .help = "Compare with the reference whose metadata `FILE`, or whose folder, this is",
     .complete = COMPLETE_FILES},
    {"replay", 0, OPTION_STRING, offsetof(struct compare_values, replay),
     .help = "Send nothing: take the answers from `FILE`, which --record wrote",
     .complete = COMPLETE_FILES},
    {"show-managed-fields", 0, OPTION_BOOL, offsetof(struct compare_values, show_managed_fields),
     .help = "Compare metadata.managedFields too"},
    {"strict", 0, OPTION_BOOL, offsetof(struct compare_values, strict),
     .help = "End with status 3 when not everything could be compared"},
    {"verbose", 'v', OPTION_BOOL, offsetof(struct compare_values, verbose),
     .help = "Show objects without differences, and what was tried"},
    {"watch", 0, OPTION_BOOL, offsetof(struct compare_values, watch.watch),
     .help = "Keep comparing a cluster, and write what changes in the verdict"},
    {"watch-interval", 0, OPTION_DURATION, offsetof(struct compare_values, watch.interval),
     .value = "1s", .help = "With --watch: gather changes for this `TIME` before comparing"},
    {"watch-poll", 0, OPTION_DURATION, offsetof(struct compare_values, watch.poll), .value = "30s",
     .help = "With --watch: list types that cannot be watched this `TIME` after the last list"},
};

static void show_line(void *ctx, char severity, str text)
{
    if (ctx)
        progress_clear(ctx);
    if (severity == 'I')
        message_hint("%.*s", STR_ARG(text));
    else if (severity == 'S')
        kube_show_warning(NULL, text);
    else
        message_warning((struct where){0}, text);
}

static bool generate(struct call *c, const struct compare_values *v, struct err *e)
{
    struct compare_log log = {.line = show_line, .verbose = v->verbose};
    struct buf out = buf_new(c->arena, BUF_UNLIMITED), note = buf_new(c->arena, BUF_UNLIMITED);

    if (!generate_check(c->arena, v, NULL, 0, e) ||
        !generate_execute(c->arena, v, &dialect_native, &log, &out, &note, e))
        return false;
    output_add(c->out, buf_str(&out));
    message_text(buf_str(&note));
    return true;
}

static void show_step(void *ctx, size_t done, size_t total)
{
    progress_step(ctx, done, total);
}

static bool compare(struct call *c, const struct compare_values *given, struct err *e)
{
    struct progress progress = progress_new(STDERR_FILENO);
    struct compare_log log = {.line = show_line, .ctx = &progress, .verbose = given->verbose};
    struct buf out = buf_new(c->arena, BUF_UNLIMITED);
    struct compare_values v = *given;
    bool ok;

    if (!v.fleet.len && str_eq(v.output, STR("csv")))
        return err_set(e, ERR_USAGE, "-o csv is for fleets: name sites with --fleet");
    /* The writer colors and escapes the text report; other formats do not depend on terminals. */
    v.colour = str_eq(v.color, STR("always")) || (str_eq(v.color, STR("auto")) && c->out->colour);
    v.terminal = c->out->terminal || v.colour;
    v.progress = (struct compare_progress){show_step, &progress};
    progress.things = v.fleet.len ? "sites" : "objects";
    if (v.fleet.len)
        ok = fleet_execute(c->arena, &v, c->options, &log, &out, &c->status, e);
    else
        ok = compare_execute(c->arena, &v, NULL, 0, &log, &out, &c->status, e);
    progress_clear(&progress);
    if (!ok)
        return false;
    if (v.output.len)
        output_add(c->out, buf_str(&out));
    else
        output_add_safe(c->out, buf_str(&out));
    return true;
}

static bool watch(struct call *c, const struct compare_values *v, struct err *e)
{
    struct compare_log log = {.line = show_line, .verbose = v->verbose};

    return watch_execute(c, v, &log, e);
}

/* ---- Words and options. ---- */

/* KIND/NAME, KIND/NAMESPACE/NAME or an id, but not a file, a pattern, a URL or "-". */
static bool names_object(str word)
{
    return word.len && word.ptr[0] >= 'A' && word.ptr[0] <= 'z' &&
           (str_find_char(word, '/') != STR_NPOS || str_find_char(word, '_') != STR_NPOS) &&
           !str_contains(word, STR("://")) && str_find_char(word, '*') == STR_NPOS &&
           file_kind(word) == FILE_MISSING;
}

/*
 * --explain OBJECT, where OBJECT is optional: the first argument that cannot be anything else,
 * which is removed from the arguments.
 */
static void take_explained(struct call *c, struct compare_values *v)
{
    str *rest = ARENA_ARRAY(c->arena, str, c->arg_count + 1);
    size_t count = 0;

    if (!str_eq(v->explain, STR(EXPLAIN_ALL)))
        return;
    for (size_t i = 0; i < c->arg_count; i++) {
        if (str_eq(v->explain, STR(EXPLAIN_ALL)) && names_object(c->args[i]))
            v->explain = c->args[i];
        else
            rest[count++] = c->args[i];
    }
    c->args = rest;
    c->arg_count = count;
}

/* Options that do nothing unless something else is given. */
static bool generates_patches(const struct compare_values *v)
{
    return str_eq(v->output, STR("generate-patches"));
}

static bool generates_reference(const struct compare_values *v)
{
    return v->generate_config.len > 0;
}

static bool has_fleet(const struct compare_values *v)
{
    return v->fleet.len > 0;
}

static bool watches(const struct compare_values *v)
{
    return v->watch.watch;
}

static const struct {
    const char *option;
    bool (*counts)(const struct compare_values *v);
    const char *why;
} conditional[] = {
    {"concurrency", has_fleet, "it is for --fleet"},
    {"generate-override-for", generates_patches, "it is for -o generate-patches"},
    {"output-dir", generates_reference, "it is for -g"},
    {"override-reason", generates_patches, "it is for -o generate-patches"},
    {"watch-interval", watches, "it is for --watch"},
    {"watch-poll", watches, "it is for --watch"},
};

static void warn_about_option(const struct call *c, const char *name, const char *why)
{
    if (options_given(c->options, str_c(name)))
        message_warning((struct where){0}, str_fmt(c->arena, "--%s has no effect: %s", name, why));
}

static void warn_about_options(const struct call *c, const struct compare_values *v)
{
    for (size_t i = 0; i < COUNT(conditional); i++)
        if (!conditional[i].counts(v))
            warn_about_option(c, conditional[i].option, conditional[i].why);
    bool reads_files = !v->fleet.len && (v->filename.len || v->kustomize.len);
    for (size_t i = 0; i < kube_option_count && reads_files; i++)
        warn_about_option(c, kube_options[i].name, "the objects come from files");
}

static bool run_any(struct call *c, struct err *e)
{
    struct compare_values v = *(const struct compare_values *)c->values;
    const struct dialect *dialect = &dialect_native;

    compare_set_cluster(&v, c->options);
    if (!compare_dialect(&v, &dialect, e))
        return false;
    if (dialect == &dialect_original && !v.fleet.len) {
        c->status = compat_run(c->arena, &v, c->args, c->arg_count);
        return true;
    }
    if (!options_check_empty(c->options, e))
        return false;
    take_explained(c, &v);
    compare_take_words(c->arena, &v, c->args, c->arg_count);
    warn_about_options(c, &v);
    if (v.watch.watch && !v.fleet.len)
        return watch(c, &v, e);
    return v.generate_config.len && !v.fleet.len ? generate(c, &v, e) : compare(c, &v, e);
}

static bool open_tape(const struct compare_values *v, struct tape **out, struct err *e)
{
    *out = NULL;
    if (v->record.len && v->replay.len)
        return err_set(e, ERR_USAGE, "--record and --replay do not go together");
    if (v->record.len)
        return tape_record(v->record, out, e);
    return !v->replay.len || tape_replay(v->replay, out, e);
}

/* Reports that something could not be recorded, if there is nothing worse. */
static bool run(struct call *c, struct err *e)
{
    AUTO_ERR ignored = {0};
    struct tape *tape;

    if (!open_tape(c->values, &tape, e))
        return false;
    http_use_tape(tape);
    bool ok = run_any(c, e);
    http_use_tape(NULL);
    if (tape && !tape_close(tape, ok ? e : &ignored))
        ok = false;
    return ok;
}

const struct command command_compare = {
    .name = "compare",
    .args = "[REFERENCE] [FILES...]",
    .brief = "Compare Kubernetes objects with a reference",
    .help = "A reference is a folder with a metadata file and templates. Each object is compared\n"
            "with the template that fits it: what the template renders to for this object is\n"
            "the expected side of the difference. REFERENCE is the same as -r, FILES as -f;\n"
            "folders are read with all folders below them.\n"
            "\n"
            "The report ends with a verdict: what was read and compared, and what was not.\n"
            "\n"
            "Without files a cluster is asked, as by kubectl. With --watch it is compared until a\n"
            "signal ends it, and a line is written whenever the verdict changes.\n"
            "\n"
            "With --fleet many sites are compared at once: each archive and each folder in a\n"
            "folder, or contexts of the kubeconfig. Drift that several sites share is reported\n"
            "once, the rarest first, and the sites are ordered by how much they differ from\n"
            "the others. The exit status is 2 when some site could not be compared.\n"
            "\n"
            "The exit status is 0 when nothing differs and nothing is missing, 1 when something\n"
            "does, and 2 when the comparison could not be made. With --strict it is 3 when a\n"
            "part of the input could not be compared.\n",
    .examples = "  plumb compare reference objects\n"
                "  plumb compare reference objects --explain Deployment/shop/web\n"
                "  plumb compare -r reference/metadata.yaml -f objects -o json\n"
                "  plumb compare -r reference --watch --metrics-addr 9273\n"
                "  plumb compare reference --fleet must-gathers -o html >fleet.html\n"
                "  plumb compare reference --fleet 'contexts:edge-*'\n",
    .options = options,
    .option_count = COUNT(options),
    .values_size = sizeof(struct compare_values),
    .checks_empty = true,
    .connects = true,
    .kube_offset = offsetof(struct compare_values, kube),
    .args_min = 0,
    .args_max = ARGS_ANY,
    .complete = COMPLETE_FILES,
    .run = run,
};
