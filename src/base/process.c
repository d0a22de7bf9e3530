/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - running another program; see process.h. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool process_run_as(struct arena *a, const struct process *p, str *out, int *status, struct err *e)
{
    str name = str_c(p->argv[0]);
    int ends[2], failure;
    pid_t pid = -1;

    if (!is_there(a, name))
        return err_set(e, ERR_NOT_FOUND, "%s", err_errno_text(ENOENT));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_errno(e, errno, "pipe", name);
    failure = start(p, ends, &pid);
    close(ends[1]);
    if (failure) {
        close(ends[0]);
        return err_set(e, failure == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s",
                       err_errno_text(failure));
    }
    bool ok =
        file_read_fd(a, ends[0], name, p->output_max ? p->output_max : PROCESS_OUTPUT_MAX, out, e);
    close(ends[0]);
    *status = wait_for(pid);
    return ok;
}

bool process_run(struct arena *a, const char *const *argv, str *out, int *status, struct err *e)
{
    const struct process p = {.argv = argv};

    return process_run_as(a, &p, out, status, e);
}
