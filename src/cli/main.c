/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the program: finds the command (or an original by name), reads its options, runs it, and
 * sets the exit status.
 */
#include "cli/commands.h"
#include "cli/compat/originals.h"
#include "cli/options/kube.h"
#include "text/text.h"

#include "build_info.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* What the command line asks for. */
struct request {
    struct arena *arena;
    struct global_values globals;
    const struct command *command; /* NULL: none was given */
    bool alone;                    /* nothing follows its name */
    struct options options;
    void *values;
};

static void use_globals(const struct global_values *g)
{
    enum log_level level = LOG_LEVEL_WARN;
    bool known = log_level_parse(g->log_level, &level);

    assert(known);
    (void)known;
    if (g->verbose > 0)
        level = g->verbose > 1 ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO;
    log_setup(level, str_eq(g->log_format, STR("json")) ? LOG_JSON : LOG_TEXT, STDERR_FILENO);
}

/* ---- Reading the command line. ---- */

/* A user who types just a command wants to know its usage. */
static void show_usage(const struct request *r)
{
    struct buf text = buf_new(r->arena, BUF_UNLIMITED);

    if (r->command) {
        help_usage(&text, r->command);
        buf_fmt(&text, "\nExamples:\n%s\n", r->command->examples);
    } else {
        help_overview(&text);
    }
    message_text(buf_str(&text));
}

static void hint_about_usage(const struct request *r)
{
    const struct option *near = NULL;

    if (r->alone)
        show_usage(r);
    if (r->alone && !r->command)
        return;
    if (r->options.unknown.len)
        near = options_suggest(&r->options, r->options.unknown);
    if (near)
        message_hint("Did you mean --%s?", near->name);
    if (r->command)
        message_hint("Run 'plumb %s --help' for usage.", r->command->name);
    else
        message_hint("Run 'plumb --help' for usage.");
}

static bool fail_unknown_command(str name, struct err *e)
{
    const struct command *near = command_suggest(name);

    if (near)
        return err_set(e, ERR_USAGE, "unknown command \"%.*s\"; did you mean \"%s\"?",
                       STR_ARG(name), near->name);
    return err_set(e, ERR_USAGE, "unknown command \"%.*s\"", STR_ARG(name));
}

/* Reads the options before the command name; *used: how many arguments they took. */
static bool read_globals(struct request *r, size_t argc, char *const *argv, size_t *used,
                         struct err *e)
{
    r->options = options_new(r->arena);
    r->options.stop_at_word = r->options.own_words = true;
    options_defaults(r->arena, global_options, global_option_count, &r->globals);
    options_add(&r->options, global_options, global_option_count, &r->globals);
    if (!options_parse(&r->options, argc, argv, e))
        return false;
    *used = argc - r->options.word_count;
    return true;
}

static bool check_word_count(const struct request *r, struct err *e)
{
    const struct command *c = r->command;
    size_t count = r->options.word_count;

    if (r->globals.help || (count >= c->args_min && count <= c->args_max))
        return true;
    if (c->args_max == 0)
        return err_set(e, ERR_USAGE, "%s takes no arguments", c->name);
    return err_set(e, ERR_USAGE, "%s needs %s, not %zu argument%s", c->name, c->args, count,
                   count == 1 ? "" : "s");
}

static bool read_command(struct request *r, size_t argc, char *const *argv, struct err *e)
{
    const struct command *c = command_find(str_c(argv[0]));

    if (!c)
        return fail_unknown_command(str_c(argv[0]), e);
    r->command = c;
    r->alone = argc == 1;
    r->values = arena_alloc(r->arena, c->values_size);
    r->options = options_new(r->arena);
    r->options.own_words = true;
    options_defaults(r->arena, c->options, c->option_count, r->values);
    options_add(&r->options, c->options, c->option_count, r->values);
    if (c->connects) {
        void *kube = (char *)r->values + c->kube_offset;
        options_defaults(r->arena, kube_options, kube_option_count, kube);
        options_add(&r->options, kube_options, kube_option_count, kube);
    }
    options_add(&r->options, global_options, global_option_count, &r->globals);
    return options_parse(&r->options, argc - 1, argv + 1, e) && check_word_count(r, e) &&
           (c->checks_empty || r->globals.help || options_check_empty(&r->options, e));
}

static bool read_request(struct request *r, size_t argc, char *const *argv, struct err *e)
{
    size_t used = 0;

    if (!read_globals(r, argc, argv, &used, e))
        return false;
    r->alone = argc == 0;
    if (used == argc)
        return r->globals.help || r->globals.version ||
               err_set(e, ERR_USAGE, "a command is needed");
    return read_command(r, argc - used, argv + used, e);
}

/* ---- Running. ---- */

static void show_help(const struct request *r, struct output *out)
{
    struct buf text = buf_new(r->arena, BUF_UNLIMITED);

    if (r->command)
        help_command(&text, r->command);
    else
        help_overview(&text);
    output_add(out, buf_str(&text));
}

static void count_duplicate_keys(const struct call *c)
{
    AUTO_ARENA a = arena_new();

    if (c->duplicate_keys > DUPLICATE_KEYS_SHOWN)
        message_warning((struct where){0},
                        str_fmt(a, "%zu more duplicate keys are not shown, %zu in all",
                                c->duplicate_keys - DUPLICATE_KEYS_SHOWN, c->duplicate_keys));
}

static enum exit_status run_command(struct request *r, struct output *out)
{
    AUTO_ERR e = {0};
    struct call c = {
        .arena = r->arena,
        .command = r->command,
        .options = &r->options,
        .values = r->values,
        .args = r->options.words,
        .arg_count = r->options.word_count,
        .out = out,
    };

    if (!c.command->run(&c, &e)) {
        message_error(&e);
        c.status = STATUS_TROUBLE;
    }
    count_duplicate_keys(&c);
    if (e.kind == ERR_USAGE)
        hint_about_usage(r);
    return c.status;
}

static enum exit_status answer(struct request *r, struct output *out)
{
    use_globals(&r->globals);
    if (r->globals.help)
        show_help(r, out);
    else if (r->globals.version)
        output_add(out, STR("plumb " PLUMB_VERSION "\n"));
    else
        return run_command(r, out);
    return STATUS_FINE;
}

/* A closed pipe needs no message: the exit status is enough. */
static enum exit_status finish(struct output *out, enum exit_status status)
{
    AUTO_ERR e = {0};

    if (output_finish(out, &e))
        return status;
    if (!output_reader_left(out))
        message_error(&e);
    return STATUS_TROUBLE;
}

static enum exit_status run(size_t argc, char *const *argv)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct request r = {.arena = a};
    struct output out = output_new(a, STDOUT_FILENO);

    if (!read_request(&r, argc, argv, &e)) {
        message_error(&e);
        hint_about_usage(&r);
        return STATUS_TROUBLE;
    }
    return finish(&out, answer(&r, &out));
}

/* ---- The stack. ---- */

struct start {
    const char *program; /* the name it was started under */
    size_t argc;
    char *const *argv;
    int status;
};

static void *run_on_thread(void *start)
{
    struct start *s = start;
    const struct compat_name *name = compat_find(s->program);

    s->status = name ? name->run(s->program, s->argc, s->argv) : (int)run(s->argc, s->argv);
    return NULL;
}

/*
 * Trees of VALUE_DEPTH_MAX levels are walked by recursion, which must not depend on the shell's
 * limits, so the work is done on a thread with a large enough stack. Untouched pages cost nothing.
 */
static bool run_on_large_stack(struct start *s)
{
    pthread_attr_t attr;
    pthread_t thread;
    bool started;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, POOL_STACK);
    started = pthread_create(&thread, &attr, run_on_thread, s) == 0;
    if (started)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    return started;
}

/*
 * If a standard file is closed, the next file that is opened would get its number. So it is
 * replaced with something that cannot be used for the purpose, so that reading and writing still
 * fail.
 */
static void fill_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/*
 * Credentials and Secrets are in memory, and must not end up in a core file. A limit of 1 is less
 * than any core and, unlike 0, also prevents Linux from piping one to a program. Programs that we
 * start, which also get credentials, inherit it.
 */
static void disable_core_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CORE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max = limit.rlim_max < 1 ? limit.rlim_max : 1;
    (void)!setrlimit(RLIMIT_CORE, &limit);
}

/* The operator has a connection for each kind it watches, and hundreds to Azure. */
#define FILES_WANTED 16384

static void allow_open_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FILES_WANTED)
        return;
    limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
    (void)!setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
    struct start s = {
        .program = argc > 0 ? argv[0] : "",
        .argc = argc > 0 ? (size_t)argc - 1 : 0,
        .argv = argv + 1,
    };

    build_info = (struct build_info){PLUMB_COMMIT, PLUMB_DATE, PLUMB_MODEL_DATE};
    disable_core_files();
    allow_open_files();
    fill_standard_files();
    signal(SIGPIPE, SIG_IGN);
    if (!run_on_large_stack(&s))
        run_on_thread(&s);
    return s.status;
}
