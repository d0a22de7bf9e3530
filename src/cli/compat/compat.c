/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat.c - the program under the original's names, such as kubectl-cluster_compare. Options,
 * output, messages and exit statuses are the original's.
 */
#include "cli/compat/compat.h"
#include "cli/cmd/compare_generate.h"
#include "cli/compat/klog.h"

#include <signal.h>
#include <unistd.h>

/* ---- Streams. ---- */

/* Unlike a failed write to standard output, this one cannot be reported. */
static void write_note(str text)
{
    AUTO_ERR e = {0};

    (void)!file_write_fd(STDERR_FILENO, STR("/dev/stderr"), text, &e);
}

/* kubectl recognises a missing context by these words. */
static const char *prefix_of(str text)
{
    if (str_contains(text, STR("context was not found for specified context")))
        return "Error in configuration: ";
    return str_has_prefix(text, STR("error: ")) ? "" : "error: ";
}

static enum exit_status show_error(struct arena *a, const struct err *e)
{
    bool ended = str_has_suffix(e->text, STR("\n"));

    write_note(
        str_fmt(a, "%s%.*s%s%s", prefix_of(e->text), STR_ARG(e->text), ended ? "" : "\n",
                e->kind == ERR_USAGE ? "See 'cluster-compare -h' for help and examples\n" : ""));
    return STATUS_TROUBLE;
}

/* ---- Jobs. ---- */

static enum exit_status finish(struct arena *a, str text, enum exit_status status)
{
    AUTO_ERR e = {0};

    if (file_write_fd(STDOUT_FILENO, STR("/dev/stdout"), text, &e))
        return status;
    err_wrap(&e, "error occurred when writing output");
    return show_error(a, &e);
}

static enum exit_status generate(struct arena *a, const struct compare_values *v, const str *words,
                                 size_t word_count)
{
    struct buf out = buf_new(a, BUF_UNLIMITED), note = buf_new(a, BUF_UNLIMITED);
    struct compare_log log = {.line = klog_line, .verbose = v->verbose};
    AUTO_ERR e = {0};

    if (!generate_check(a, v, words, word_count, &e))
        return show_error(a, &e);
    if (!generate_execute(a, v, &dialect_original, &log, &out, &note, &e)) {
        show_error(a, &e);
        return STATUS_DIFFERENT;
    }
    enum exit_status status = finish(a, buf_str(&out), STATUS_FINE);
    write_note(buf_str(&note));
    return status;
}

static enum exit_status compare(struct arena *a, const struct compare_values *v, const str *words,
                                size_t word_count)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct compare_log log = {.line = klog_line, .verbose = v->verbose};
    struct compare_values values = *v;
    enum exit_status status = STATUS_FINE;
    AUTO_ERR e = {0};

    values.colour = values.terminal = str_eq(v->color, STR("always"));
    if (!compare_execute(a, &values, words, word_count, &log, &out, &status, &e))
        return show_error(a, &e);
    return finish(a, buf_str(&out), status);
}

enum exit_status compat_run(struct arena *a, const struct compare_values *v, const str *words,
                            size_t word_count)
{
    return v->generate_config.len ? generate(a, v, words, word_count)
                                  : compare(a, v, words, word_count);
}

/* plumb's own command under the original's name: --no-compat. */
static enum exit_status run_native(struct arena *a, const struct compare_values *v,
                                   const struct options *o)
{
    struct output out = output_new(a, STDOUT_FILENO);
    struct call c = {.arena = a,
                     .command = &command_compare,
                     .options = o,
                     .values = v,
                     .args = o->words,
                     .arg_count = o->word_count,
                     .out = &out};
    AUTO_ERR e = {0};

    if (!c.command->run(&c, &e)) {
        message_error(&e);
        c.status = STATUS_TROUBLE;
    }
    err_clear(&e);
    if (output_finish(&out, &e))
        return c.status;
    message_error(&e);
    return STATUS_TROUBLE;
}

static enum exit_status run(struct arena *a, const struct compare_values *v,
                            const struct options *o)
{
    AUTO_ERR e = {0};
    const struct dialect *dialect = &dialect_native;

    if (!compare_dialect(v, &dialect, &e))
        return show_error(a, &e);
    if (v->fleet.len && dialect != &dialect_native) {
        err_set(&e, ERR_USAGE, "--fleet gives plumb's answers: add --no-compat");
        return show_error(a, &e);
    }
    return dialect == &dialect_native ? run_native(a, v, o)
                                      : compat_run(a, v, o->words, o->word_count);
}

static enum exit_status answer(struct arena *a, const char *program, const struct compare_values *v,
                               const struct options *o)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (v->help)
        compat_help(&out, program);
    else if (v->version)
        buf_add(&out, STR("cluster-compare version " PLUMB_VERSION " (plumb)\n"));
    else if (v->show_template_functions)
        compat_functions(&out);
    else
        return run(a, v, o);
    return finish(a, buf_str(&out), STATUS_FINE);
}

static enum exit_status complete(struct arena *a, size_t argc, char *const *argv, bool describe)
{
    struct buf out = buf_new(a, BUF_UNLIMITED), note = buf_new(a, BUF_UNLIMITED);

    compat_complete(a, argc, argv, describe, &out, &note);
    enum exit_status status = finish(a, buf_str(&out), STATUS_FINE);
    write_note(buf_str(&note));
    return status;
}

struct options compat_options_new(struct arena *a, struct compare_values *values)
{
    struct options o = options_new(a);

    o.pflag = true;
    options_defaults(a, compat_options, compat_option_count, values);
    options_add(&o, compat_options, compat_option_count, values);
    options_add(&o, command_compare.options, command_compare.option_count, values);
    options_defaults(a, kube_options, kube_option_count, &values->kube);
    options_add(&o, kube_options, kube_option_count, &values->kube);
    return o;
}

/* Prints a script, or without a shell the help, which lists them. False: not such a call. */
static bool find_script(size_t argc, char *const *argv, struct buf *out)
{
    str shell = str_c(argc > 1 ? argv[1] : "");

    if (!argc || strcmp(argv[0], "completion") != 0)
        return false;
    if (compat_script(shell, out))
        return true;
    if (str_has_prefix(shell, STR("-")) && !str_eq(shell, STR("-h")) &&
        !str_eq(shell, STR("--help")))
        return false;
    compat_completion_help(out);
    return true;
}

enum exit_status compat_main(const char *program, size_t argc, char *const *argv)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct compare_values values = {.original_name = true};
    struct buf script = buf_new(a, BUF_UNLIMITED);
    str first = str_c(argc ? argv[0] : "");

    /* Like a Go program, it dies if the reader is gone. */
    signal(SIGPIPE, SIG_DFL);
    if (str_eq(first, STR("__complete")) || str_eq(first, STR("__completeNoDesc")))
        return complete(a, argc - 1, argv + 1, str_eq(first, STR("__complete")));
    if (find_script(argc, argv, &script))
        return finish(a, buf_str(&script), STATUS_FINE);
    struct options o = compat_options_new(a, &values);
    if (!options_parse(&o, argc, argv, &e))
        return show_error(a, &e);
    compare_set_cluster(&values, &o);
    return answer(a, program, &values, &o);
}
