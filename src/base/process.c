/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - running another program; see process.h. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The two ends of a pipe; -1 when there is none. */
struct pipe_ends {
    int from, to;
};

struct process_stream {
    str name;
    pid_t pid;
    int output, errors; /* -1 when ended or not wanted */
    struct buf said;
    int64_t silence_max, timeout;
    int64_t due; /* by clock_wire; INT64_MAX: no limit */
    int cancel;  /* -1: none */
    bool killed; /* because it timed out or was cancelled */
};

static void close_fd(int *fd)
{
    fd_cleanup(fd);
    *fd = -1;
}

static bool open_pipe(struct pipe_ends *p, str name, struct err *e)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_errno(e, errno, "pipe", name);
    *p = (struct pipe_ends){ends[0], ends[1]};
    return true;
}

static void close_pipe(struct pipe_ends *p)
{
    close_fd(&p->from);
    close_fd(&p->to);
}

/* ---- Starting. ---- */

struct start {
    const struct process *process;
    struct pipe_ends input, output, errors;
};

/* Its input goes into the pipe before it starts; it fits, so the write does not block. */
static bool make_input(struct start *s, str name, struct err *e)
{
    str input = s->process->input;

    if (!input.len)
        return true;
    if (input.len > PROCESS_INPUT_MAX)
        return err_set(e, ERR_LIMIT, "more than %d bytes to read for %.*s", (int)PROCESS_INPUT_MAX,
                       STR_ARG(name));
    if (!open_pipe(&s->input, name, e) || !file_write_fd(s->input.to, name, input, e))
        return false;
    close_fd(&s->input.to);
    return true;
}

/* Returns an errno. */
static int spawn(const struct start *s, pid_t *pid)
{
    const struct process *p = s->process;
    posix_spawn_file_actions_t actions;
    int failure;

    posix_spawn_file_actions_init(&actions);
    if (s->input.from >= 0)
        posix_spawn_file_actions_adddup2(&actions, s->input.from, STDIN_FILENO);
    else if (!p->with_input)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, s->output.to, STDOUT_FILENO);
    if (s->errors.to >= 0)
        posix_spawn_file_actions_adddup2(&actions, s->errors.to, STDERR_FILENO);
    failure = posix_spawnp(pid, p->argv[0], &actions, NULL, (char *const *)p->argv,
                           p->env ? p->env : environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static bool is_program(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/*
 * Whether the program exists. Checked first, because not every system reports that when starting it
 * (nor does valgrind): some start a child that exits with status 127.
 */
static bool is_there(struct arena *a, str name)
{
    str rest = str_c(getenv("PATH")), folder;
    bool more = true;

    if (str_find_char(name, '/') != STR_NPOS)
        return file_kind(name) != FILE_MISSING;
    while (more) {
        more = str_cut(rest, STR(":"), &folder, &rest);
        if (is_program(str_z(a, file_join(a, folder.len ? folder : STR("."), name))))
            return true;
    }
    return false;
}

static bool start(struct start *s, str name, pid_t *pid, struct err *e)
{
    if (!make_input(s, name, e) || !open_pipe(&s->output, name, e) ||
        (s->process->keep_errors && !open_pipe(&s->errors, name, e)))
        return false;
    int failure = spawn(s, pid);
    if (failure)
        return err_set(e, failure == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s",
                       err_errno_text(failure));
    return true;
}

bool process_open(struct arena *a, const struct process *p, struct process_stream **out,
                  struct err *e)
{
    struct start s = {p, {-1, -1}, {-1, -1}, {-1, -1}};
    struct process_stream *stream = ARENA_NEW(a, struct process_stream);

    *out = stream;
    stream->name = str_copy(a, str_c(p->argv[0]));
    if (!is_there(a, stream->name))
        return err_set(e, ERR_NOT_FOUND, "%s", err_errno_text(ENOENT));
    bool ok = start(&s, stream->name, &stream->pid, e);
    close_pipe(&s.input);
    close_fd(&s.output.to);
    close_fd(&s.errors.to);
    if (!ok) {
        close_pipe(&s.output);
        close_pipe(&s.errors);
        return false;
    }
    stream->output = s.output.from;
    stream->errors = s.errors.from;
    stream->said = buf_new(a, PROCESS_SAID_MAX);
    stream->silence_max = p->silence_max;
    stream->timeout = p->timeout;
    stream->due = p->timeout ? clock_wire() + p->timeout : INT64_MAX;
    stream->cancel = p->cancel_fd ? p->cancel_fd : -1;
    return true;
}

/* ---- Reading. ---- */

/* Keeps the beginning and discards the rest, so that the program never waits for us. */
static void read_errors(struct process_stream *s)
{
    char piece[4096];
    ssize_t n = read(s->errors, piece, sizeof(piece));

    if (n > 0)
        buf_add(&s->said, str_slice(str_of(piece, (size_t)n), 0, PROCESS_SAID_MAX - s->said.len));
    else if (n == 0 || errno != EINTR)
        close_fd(&s->errors);
}

static bool fail_silent(struct process_stream *s, struct err *e)
{
    kill(s->pid, SIGKILL);
    return err_set(e, ERR_LIMIT, "it has printed nothing for %lld seconds",
                   (long long)(s->silence_max / NS_PER_SEC));
}

static bool is_cancelled(const struct process_stream *s)
{
    struct pollfd fd = {s->cancel, POLLIN, 0};

    return s->cancel >= 0 && poll(&fd, 1, 0) > 0;
}

/* Checks whether the program may go on, and kills it if not. */
static bool may_go_on(struct process_stream *s, struct err *e)
{
    bool cancelled = is_cancelled(s);

    if (!cancelled && (s->due == INT64_MAX || clock_wire() < s->due))
        return true;
    s->killed = true;
    kill(s->pid, SIGKILL);
    if (cancelled)
        return err_set(e, ERR_CANCELLED, "context canceled");
    return err_set(e, ERR_LIMIT, "it has not ended within %g seconds",
                   (double)s->timeout / (double)NS_PER_SEC);
}

/* Milliseconds until the next check is due; -1: none. */
static int patience(const struct process_stream *s)
{
    int64_t silence = s->silence_max ? s->silence_max : INT64_MAX;
    int64_t left = s->due == INT64_MAX ? INT64_MAX : s->due - clock_wire();
    int64_t wait = silence < left ? silence : left;

    if (wait == INT64_MAX)
        return -1;
    wait = wait < 0 ? 0 : wait / NS_PER_MS + 1;
    return wait > INT32_MAX ? INT32_MAX : (int)wait;
}

/* Until there is output, or the end of it. */
static bool wait_for_output(struct process_stream *s, struct err *e)
{
    for (;;) {
        struct pollfd fds[] = {
            {s->output, POLLIN, 0}, {s->errors, POLLIN, 0}, {s->cancel, POLLIN, 0}};
        int ready = poll(fds, COUNT(fds), patience(s));
        if (ready < 0 && errno != EINTR)
            return err_errno(e, errno, "poll", s->name);
        if (!may_go_on(s, e))
            return false;
        if (ready == 0)
            return fail_silent(s, e);
        if (ready > 0 && fds[1].revents)
            read_errors(s);
        if (ready > 0 && fds[0].revents)
            return true;
    }
}

bool process_read(struct process_stream *s, char *to, size_t size, size_t *got, struct err *e)
{
    *got = 0;
    if (s->output < 0)
        return true;
    if (!wait_for_output(s, e) || !file_read_some(s->output, s->name, to, size, got, e))
        return false;
    if (!*got)
        close_fd(&s->output);
    return true;
}

/*
 * Reads the rest of its standard error, without waiting for a child of its own that keeps the pipe
 * open.
 */
static void drain_errors(struct process_stream *s)
{
    while (s->errors >= 0) {
        struct pollfd fd = {s->errors, POLLIN, 0};
        if (poll(&fd, 1, 0) <= 0)
            break;
        read_errors(s);
    }
    close_fd(&s->errors);
}

static bool has_ended(const struct process_stream *s)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == s->pid;
}

/*
 * Reads its standard error until it has ended, so that it never waits for us to do so. A program
 * with a timeout or a cancel descriptor is checked now and then.
 */
static bool await_end(struct process_stream *s, struct err *e)
{
    bool limited = s->due != INT64_MAX || s->cancel >= 0;

    while (s->errors >= 0 || limited) {
        struct pollfd fd = {s->errors, POLLIN, 0};
        if (poll(&fd, 1, 10) > 0)
            read_errors(s);
        else if (has_ended(s))
            return true;
        else if (!may_go_on(s, e))
            return false;
    }
    return true;
}

static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool close_stream(struct process_stream *s, int *status, struct err *e)
{
    if (s->output >= 0)
        kill(s->pid, SIGTERM);
    close_fd(&s->output);
    bool ok = s->killed || await_end(s, e);
    drain_errors(s);
    *status = wait_for(s->pid);
    return ok;
}

void process_close(struct process_stream *s, int *status)
{
    (void)!close_stream(s, status, NULL);
}

str process_said(const struct process_stream *s)
{
    return str_trim(buf_str(&s->said));
}

/* ---- As a whole. ---- */

static bool read_all(struct process_stream *s, size_t max, struct buf *out, struct err *e)
{
    for (;;) {
        size_t room = 64 * KIB, got;
        if (!process_read(s, buf_room(out, room), room, &got, e))
            return false;
        if (!got)
            return true;
        buf_wrote(out, got);
        if (out->len > max)
            return err_set(e, ERR_LIMIT, "%.*s is larger than the limit of %zu bytes",
                           STR_ARG(s->name), max);
    }
}

bool process_run_as(struct arena *a, const struct process *p, str *out, int *status, struct err *e)
{
    size_t max = p->output_max ? p->output_max : PROCESS_OUTPUT_MAX;
    struct buf text = buf_new(a, BUF_UNLIMITED);
    struct process_stream *s = NULL;

    if (!process_open(a, p, &s, e))
        return false;
    bool ok = read_all(s, max, &text, e);
    ok = close_stream(s, status, ok ? e : NULL) && ok;
    /* As for files: a NUL follows, which is not counted. */
    *buf_room(&text, 1) = '\0';
    *out = buf_str(&text);
    return ok;
}

bool process_run(struct arena *a, const char *const *argv, str *out, int *status, struct err *e)
{
    const struct process p = {.argv = argv};

    return process_run_as(a, &p, out, status, e);
}
