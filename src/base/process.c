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
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Starts the program with its output in the pipe. Answers an errno. */
static int start(const struct process *p, const int ends[2], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int failure;

    posix_spawn_file_actions_init(&actions);
    if (!p->with_input)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
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
 * Whether the program is there. Asked before, because not every system tells when starting one
 * (nor does valgrind): some let a child begin that ends with status 127.
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

/* A program that runs, and until when it may. */
struct running {
    const struct process *process;
    pid_t pid;
    int64_t due; /* by real_time; INT64_MAX: no limit */
};

static int64_t real_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

/* Milliseconds for poll; 0 when the time is over. */
static int left(const struct running *r)
{
    int64_t ms = r->due == INT64_MAX ? -1 : (r->due - real_time() + NS_PER_MS - 1) / NS_PER_MS;

    if (r->due == INT64_MAX)
        return -1;
    return ms < 0 ? 0 : ms > INT32_MAX ? INT32_MAX : (int)ms;
}

/* Waits until fd (below 0: none) can be read, for no longer than ms. */
static bool wait_readable(const struct running *r, int fd, int ms, struct err *e)
{
    int cancel = r->process->cancel_fd;
    struct pollfd p[] = {{.fd = fd, .events = POLLIN},
                         {.fd = cancel ? cancel : -1, .events = POLLIN}};
    int n;

    do
        n = poll(p, 2, ms);
    while (n < 0 && errno == EINTR);
    if (p[1].revents)
        return err_set(e, ERR_CANCELLED, "context canceled");
    if (!left(r))
        return err_set(e, ERR_IO, "still running after %g s, which is too long",
                       (double)r->process->timeout / (double)NS_PER_SEC);
    return true;
}

static bool read_output(struct arena *a, const struct running *r, int fd, str *out, struct err *e)
{
    str name = str_c(r->process->argv[0]);
    size_t max = r->process->output_max ? r->process->output_max : PROCESS_OUTPUT_MAX, got;
    struct buf b = buf_new(a, max + 1);
    char piece[16 * KIB];

    do {
        if (!wait_readable(r, fd, left(r), e) ||
            !file_read_some(fd, name, piece, sizeof(piece), &got, e))
            return false;
        if (got > max - b.len)
            return err_set(e, ERR_LIMIT, "%.*s prints more than %zu bytes", STR_ARG(name), max);
        buf_add(&b, str_of(piece, got));
    } while (got);
    *out = buf_str(&b);
    return true;
}

/* A pause between two looks at a program that has closed its output and not ended yet. */
#define NAP_MS 10

static bool await_end(const struct running *r, int *status, struct err *e)
{
    bool limited = r->due != INT64_MAX || r->process->cancel_fd;
    int raw = 0;
    pid_t ended;

    while ((ended = waitpid(r->pid, &raw, limited ? WNOHANG : 0)) != r->pid) {
        if (ended < 0 && errno != EINTR)
            break;
        if (ended == 0 && !wait_readable(r, -1, NAP_MS, e))
            return false;
    }
    *status = ended == r->pid && WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
    return true;
}

static void end_it(const struct running *r)
{
    kill(r->pid, SIGKILL);
    while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

bool process_run_as(struct arena *a, const struct process *p, str *out, int *status, struct err *e)
{
    str name = str_c(p->argv[0]);
    struct running r = {.process = p, .pid = -1, .due = INT64_MAX};
    int ends[2], failure;

    if (!is_there(a, name))
        return err_set(e, ERR_NOT_FOUND, "%s", err_errno_text(ENOENT));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_errno(e, errno, "pipe", name);
    if (p->timeout)
        r.due = real_time() + p->timeout;
    failure = start(p, ends, &r.pid);
    close(ends[1]);
    if (failure) {
        close(ends[0]);
        return err_set(e, failure == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s",
                       err_errno_text(failure));
    }
    bool ok = read_output(a, &r, ends[0], out, e);
    close(ends[0]);
    ok = ok && await_end(&r, status, e);
    if (!ok)
        end_it(&r);
    return ok;
}

bool process_run(struct arena *a, const char *const *argv, str *out, int *status, struct err *e)
{
    const struct process p = {.argv = argv};

    return process_run_as(a, &p, out, status, e);
}
