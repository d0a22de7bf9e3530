/* SPDX-License-Identifier: Apache-2.0 */
/* compare_cli.c - checks options in the original's order, compares, and writes the report. */
#include "cli/cmd/compare_cli.h"
#include "cli/input.h"
#include "base/quote.h"
#include "cli/compat/klog.h"
#include "compare/lint/lint.h"
#include "go/quote.h"
#include "report/baseline.h"
#include "report/report.h"

#include <unistd.h>

bool compare_dialect(const struct compare_values *v, const struct dialect **out, struct err *e)
{
    if (v->compat && v->no_compat)
        return err_set(e, ERR_USAGE, "--compat and --no-compat cannot be used together");
    *out = !v->no_compat && (v->compat || v->original_name) ? &dialect_original : &dialect_native;
    return true;
}

/* Like client-go's default for programs. */
static void log_warning(void *ctx, str text)
{
    AUTO_ARENA a = arena_new();

    klog_line(ctx, 'I', go_quoted(a, str_concat(a, STR("Warning: "), text)));
}

void compare_set_cluster(struct compare_values *v, const struct options *o)
{
    const struct dialect *dialect = &dialect_native;
    AUTO_ERR e = {0};

    v->flags = kube_values_flags(o, &v->kube);
    if (!compare_dialect(v, &dialect, &e) || dialect != &dialect_original)
        return;
    v->flags.warn = (struct kube_warn){.tell = log_warning, .repeat = true};
    v->flags.client_go = true;
}

void compare_take_words(struct arena *a, struct compare_values *v, const str *words,
                        size_t word_count)
{
    struct str_list inputs = {0};
    size_t next = 0;

    if (!v->reference.len && !v->generate_config.len && word_count)
        v->reference = words[next++];
    for (size_t i = 0; i < v->filename.len; i++)
        VEC_PUSH(a, &inputs, v->filename.items[i]);
    v->recursive = true;
    for (; next < word_count; next++)
        VEC_PUSH(a, &inputs, words[next]);
    v->filename = inputs;
}

/* Like Go's os.TempDir, without a trailing slash. */
static str temp_folder(void)
{
    str folder = str_c(getenv("TMPDIR"));

    if (!folder.len)
        return STR("/tmp");
    while (folder.len > 1 && folder.ptr[folder.len - 1] == '/')
        folder.len--;
    return folder;
}

static bool check_patches(const struct compare_values *v, const struct dialect *dialect,
                          struct err *e)
{
    if (!str_eq(v->output, STR("generate-patches")))
        return true;
    if (!v->generate_override_for.len)
        return err_set(e, ERR_USAGE, "%s",
                       dialect->own_words
                           ? "-o generate-patches needs --generate-override-for TEMPLATES"
                           : "Requested user override generation but no entires for which "
                             "template to generate overrides for");
    if (!v->override_reason.len)
        return err_set(e, ERR_USAGE, "%s",
                       dialect->own_words ? "-o generate-patches needs --override-reason REASON"
                                          : "Reason required when generating overrides");
    return true;
}

static bool check_reference(str reference, const struct dialect *dialect, struct err *e)
{
    return reference.len ||
           err_set(e, ERR_USAGE, "%s",
                   dialect->own_words ? "name a reference, as in plumb compare REFERENCE FILES"
                                      : "\"Reference config file is required\"");
}

struct compare_options *compare_options_of(struct arena *a, const struct compare_values *v,
                                           const struct dialect *dialect,
                                           const struct compare_log *log)
{
    struct compare_options *o = ARENA_NEW(a, struct compare_options);
    bool own = dialect->own_words;

    *o = (struct compare_options){
        .reference = v->reference,
        .config = own ? input_path(v->diff_config) : v->diff_config,
        .overrides = own ? input_path(v->overrides) : v->overrides,
        .files = v->filename,
        .kustomize = v->kustomize,
        .cluster = &v->flags,
        .recursive = v->recursive,
        .outside_links = v->outside_links,
        .all = v->all_resources,
        .show_managed_fields = v->show_managed_fields,
        .override_for = v->generate_override_for,
        .override_reason = v->override_reason,
        .external_diff = v->watch.watch ? STR_NONE : str_c(getenv("KUBECTL_EXTERNAL_DIFF")),
        .temp = temp_folder(),
        .concurrency = v->concurrency,
        .dialect = dialect,
        .explain = v->explain.len > 0,
        .explain_object = str_eq(v->explain, STR(EXPLAIN_ALL)) ? STR_NONE : v->explain,
        .log = *log,
        .progress = v->progress,
    };
    return o;
}

/* With an earlier report, only what is new or worse counts. */
static bool drifted(const struct results *r)
{
    const struct result_baseline *b = &r->baseline;

    if (b->file.len)
        return b->counts[DRIFT_NEW] || b->counts[DRIFT_WORSE];
    return r->differing || r->issues.len;
}

/* For formats that cannot contain explanations, print them to standard error. */
static void show_explanations(struct arena *a, const struct results *r)
{
    struct buf text = buf_new(a, BUF_UNLIMITED), safe = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    report_explain_text(&text, r);
    quote_for_people(&safe, buf_str(&text));
    (void)!file_write_fd(STDERR_FILENO, STR("/dev/stderr"), buf_str(&safe), &e);
}

static bool write_report(struct arena *a, const struct compare_values *v, const struct results *r,
                         const struct compare_log *log, struct buf *out, enum exit_status *status,
                         struct err *e)
{
    const struct report_format *format = report_find(v->output, false);
    const struct report_options options = {.all = v->verbose,
                                           .now = clock_now(),
                                           .colour = v->colour,
                                           .terminal = v->terminal,
                                           .log = log};
    bool patches = str_eq(v->output, STR("generate-patches"));

    /* The original uses text for formats that it does not know. */
    if (!format || (!r->verdict.known && !format->original))
        format = &report_text;
    if (drifted(r) && !patches)
        *status = STATUS_DIFFERENT;
    if (v->strict && !r->verdict.complete)
        *status = STATUS_INCOMPLETE;
    if (!format->write(r, &options, out, e))
        return false;
    if (!format->explains)
        show_explanations(a, r);
    return true;
}

/* The most faults that are shown of an unusable reference. */
#define FAULTS_SHOWN 20

/* If the check finds nothing, the error is unchanged. */
bool compare_fail_reference(struct arena *a, const struct compare_options *o, struct err *e)
{
    const struct lint_options options = {.reference = o->reference,
                                         .overrides = o->overrides,
                                         .config = o->config,
                                         .outside_links = o->outside_links};
    struct buf text = buf_new(a, BUF_UNLIMITED);
    struct lint_report report;
    str rest = e->text, line;
    size_t shown = 0;
    AUTO_ERR fault = {0};

    if (compare_is_remote(o))
        return false;
    if (!lint_run(a, &options, &report, &fault))
        return str_has_prefix(e->text, STR("Reference config file not found")) &&
               err_copy(e, &fault);
    if (!report.errors || !str_next_line(&rest, &line))
        return false;
    buf_add(&text, line);
    for (size_t i = 0; i < report.findings.len && shown < FAULTS_SHOWN; i++) {
        const struct lint_finding *f = &report.findings.items[i];
        if (f->rule->severity != LINT_ERROR)
            continue;
        shown++;
        buf_fmt(&text, "\n  %.*s", STR_ARG(f->at.file));
        if (f->at.line)
            buf_fmt(&text, ":%u", (unsigned)f->at.line);
        buf_fmt(&text, ": %.*s\n      %s", STR_ARG(f->text), f->rule->advice);
    }
    if (report.errors > shown)
        buf_fmt(&text, "\n  and %zu more: see plumb reference lint", report.errors - shown);
    return err_set_str(e, e->kind, buf_str(&text));
}

bool compare_prepare(struct arena *a, const struct compare_options *options,
                     const struct compare **out, struct err *e)
{
    if (!check_reference(options->reference, options->dialect, e))
        return false;
    return compare_load(a, options, out, e) ||
           (options->dialect->own_words && compare_fail_reference(a, options, e));
}

bool compare_execute(struct arena *a, const struct compare_values *v, const str *words,
                     size_t word_count, const struct compare_log *log, struct buf *out,
                     enum exit_status *status, struct err *e)
{
    struct results results, earlier;
    const struct compare *c;
    const struct dialect *dialect = &dialect_native;

    if (!compare_dialect(v, &dialect, e) || !watch_check(v, dialect, e) ||
        !check_patches(v, dialect, e) || !check_reference(v->reference, dialect, e))
        return false;
    if (v->baseline.len && !baseline_read(a, input_path(v->baseline), &earlier, e))
        return false;
    const struct compare_options *options = compare_options_of(a, v, dialect, log);
    if (!compare_prepare(a, options, &c, e))
        return false;
    if (word_count)
        return err_set(e, ERR_USAGE, "Unexpected args: [%.*s]",
                       STR_ARG(str_join(a, words, word_count, STR(" "))));
    if (!compare_run(a, c, options, &results, e))
        return false;
    if (v->baseline.len)
        baseline_apply(a, v->baseline, &earlier, &results);
    return write_report(a, v, &results, log, out, status, e);
}
