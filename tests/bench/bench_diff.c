/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_diff.c - unified differences against running GNU diff on the same texts, and character
 * differences of object-sized texts.
 *
 * GNU diff is measured by the CPU time of its process, which includes starting it; the row of the
 * smallest texts tells how much that is. For the small objects it is what counts.
 */
#include "bench.h"

#include "diff/diff.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE_LINES = 100000, SMALL_LINES = 60, SMALL_REPEAT = 200, CHARS_LINES = 180 };

struct texts {
    struct arena *arena;
    str old, new_;
    char old_path[32], new_path[32];
    size_t repeat;
};

/* ---- Texts ---------------------------------------------------------------------------------- */

/* Lines of which one in `each` differs from those of another call with a different salt. */
static str make_text(struct arena *a, size_t lines, size_t each, unsigned salt)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < lines; i++)
        if (i % each == each / 2)
            buf_fmt(&b, "    changed: value-%u-%zu\n", salt, i);
        else
            buf_fmt(&b, "    key-%zu: %zu\n", i % 1000, i % 7 * (i / 10));
    return buf_str(&b);
}

static void write_temporary(char path[32], str text)
{
    AUTO_ERR e = {0};

    snprintf(path, 32, "/tmp/bench-diff-XXXXXX");
    AUTO_FD fd = mkstemp(path);
    bench_check(fd >= 0, &(struct err){.text = STR("cannot make a temporary file")});
    bench_check(file_write_fd(fd, str_c(path), text, &e), &e);
}

static struct texts make_texts(size_t lines, size_t each, size_t repeat)
{
    struct texts t = {.arena = arena_new(), .repeat = repeat};

    t.old = make_text(t.arena, lines, each, 1);
    t.new_ = make_text(t.arena, lines, each, 2);
    write_temporary(t.old_path, t.old);
    write_temporary(t.new_path, t.new_);
    return t;
}

static void drop_texts(struct texts *t)
{
    unlink(t->old_path);
    unlink(t->new_path);
    arena_free(t->arena);
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static int64_t nanoseconds(struct timeval t)
{
    return (int64_t)t.tv_sec * NS_PER_SEC + (int64_t)t.tv_usec * 1000;
}

/* CPU time of this process and of those it waited for. */
static int64_t clock_with_children(void)
{
    struct rusage u;

    getrusage(RUSAGE_CHILDREN, &u);
    return clock_cpu() + nanoseconds(u.ru_utime) + nanoseconds(u.ru_stime);
}

static size_t gnu_round(void *ctx)
{
    struct texts *t = ctx;
    char *args[] = {"diff", "-u", "-N", t->old_path, t->new_path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    bool ok = !posix_spawnp(&child, "diff", &actions, NULL, args, environ) &&
              waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1;
    posix_spawn_file_actions_destroy(&actions);
    bench_check(ok, &(struct err){.text = STR("cannot run diff")});
    return 0;
}

static size_t unified_round(void *ctx)
{
    const struct texts *t = ctx;

    for (size_t i = 0; i < t->repeat; i++) {
        AUTO_ARENA a = arena_new();
        struct buf out = buf_new(a, BUF_UNLIMITED);
        enum diff_result result = diff_unified(&out, t->old, t->new_, DIFF_CONTEXT);
        bench_check(result == DIFF_CHANGED, &(struct err){.text = STR("no difference found")});
    }
    return 0;
}

static size_t chars_round(void *ctx)
{
    const struct texts *t = ctx;

    for (size_t i = 0; i < t->repeat; i++) {
        AUTO_ARENA a = arena_new();
        struct diff_pieces p = diff_chars(a, t->old, t->new_, &(uint64_t){DIFF_CHARS_STEPS});
        bench_check(p.count > 1, &(struct err){.text = STR("no difference found")});
    }
    return 0;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void compare_unified(const char *gnu, const char *ours, struct texts t, double target)
{
    size_t bytes = t.old.len + t.new_.len;

    bench_run(&(struct bench_case){
        .name = gnu, .bytes = bytes, .run = gnu_round, .ctx = &t, .clock = clock_with_children});
    bench_run(&(struct bench_case){.name = ours,
                                   .bytes = bytes * t.repeat,
                                   .run = unified_round,
                                   .ctx = &t,
                                   .reference = gnu,
                                   .target = target});
    drop_texts(&t);
}

static void run(void)
{
    struct texts chars = make_texts(CHARS_LINES, CHARS_LINES / 4, SMALL_REPEAT);

    compare_unified("GNU diff 100,000 lines", "diff 100,000 lines", make_texts(LARGE_LINES, 100, 1),
                    1);
    compare_unified("GNU diff 60 lines", "diff 60 lines", make_texts(SMALL_LINES, 20, SMALL_REPEAT),
                    50);
    bench_run(&(struct bench_case){.name = "char diff, few edits",
                                   .bytes = (chars.old.len + chars.new_.len) * chars.repeat,
                                   .run = chars_round,
                                   .ctx = &chars});
    drop_texts(&chars);
}

const struct benchmark bench_diff = {
    .name = "diff",
    .help = "unified and character differences, against GNU diff",
    .run = run,
};
