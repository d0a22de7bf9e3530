/* SPDX-License-Identifier: Apache-2.0 */
/*
 * difftool.c - shows the difference of two texts: in process, like diff -u -N for two folders with
 * one file each, or with a program that the user names.
 */
#include "compare/pair/difftool_internal.h"
#include "base/process.h"
#include "diff/diff.h"
#include "go/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME_MAX 255

/* Always of one length: where YAML folds a difference depends on it. */
static str temp_folder(struct arena *a, const struct diff_program *p, const char *name)
{
    const uint64_t first = 1000000000, last = UINT32_MAX;
    uint64_t number = first + random_below(last - first + 1);

    return str_fmt(a, "%.*s/%s-%llu", STR_ARG(p->temp), name, (unsigned long long)number);
}

static str temp_file(struct arena *a, str folder, str slug)
{
    return str_fmt(a, "%.*s/%.*s", STR_ARG(folder), STR_ARG(slug));
}

/* ---- In process. ---- */

/* A word as diff repeats it from its command line. */
static void add_word(struct buf *out, str word)
{
    bool plain = word.len > 0;

    for (size_t i = 0; i < word.len && plain; i++)
        plain = (unsigned char)word.ptr[i] > ' ' &&
                !strchr("!\"#$&'()*;<>?[\\]^`{|}~", word.ptr[i]);
    if (plain) {
        buf_add(out, word);
        return;
    }
    buf_char(out, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\'')
            buf_add(out, STR("'\\'"));
        buf_char(out, word.ptr[i]);
    }
    buf_char(out, '\'');
}

static void diff_in_process(struct arena *a, const struct diff_program *p, struct diff_run *d)
{
    struct buf hunks = buf_new(a, BUF_UNLIMITED), out = buf_new(a, BUF_UNLIMITED);
    enum diff_result result = DIFF_SAME;

    if (!str_eq(d->merged, d->live))
        result = diff_unified(&hunks, d->merged, d->live, DIFF_CONTEXT);
    d->status = result != DIFF_SAME;
    if (result == DIFF_SAME)
        return;
    bool labelled = d->from.len > 0;
    str from = labelled ? d->from : temp_file(a, temp_folder(a, p, "MERGED"), d->slug);
    str to = labelled ? d->to : temp_file(a, temp_folder(a, p, "LIVE"), d->slug);
    if (result == DIFF_BINARY) {
        buf_fmt(&out, "Binary files %.*s and %.*s differ\n", STR_ARG(from), STR_ARG(to));
        d->status = 2;
    } else if (labelled) {
        buf_fmt(&out, "--- %.*s\n+++ %.*s\n", STR_ARG(from), STR_ARG(to));
        buf_add(&out, buf_str(&hunks));
    } else {
        struct diff_file old = {from, clock_now()}, new_ = {to, clock_now()};
        buf_add(&out, STR("diff -u -N "));
        add_word(&out, from);
        buf_char(&out, ' ');
        add_word(&out, to);
        buf_char(&out, '\n');
        diff_header(&out, &old, &new_);
        buf_add(&out, buf_str(&hunks));
    }
    d->text = buf_str(&out);
}

/* ---- By another program. ---- */

static bool is_plain_argument(str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '='))
            return false;
    }
    return word.len > 0;
}

struct words {
    const char **items;
    size_t len, cap;
};

/* Program, both folders, and the further words that are harmless. */
static const char *const *make_argv(struct arena *a, str command, str from, str to)
{
    struct words argv = {0};
    str word, rest = command;
    bool more = str_cut(rest, STR(" "), &word, &rest);

    VEC_PUSH(a, &argv, str_z(a, word));
    VEC_PUSH(a, &argv, str_z(a, from));
    VEC_PUSH(a, &argv, str_z(a, to));
    while (more) {
        more = str_cut(rest, STR(" "), &word, &rest);
        if (is_plain_argument(word))
            VEC_PUSH(a, &argv, str_z(a, word));
    }
    VEC_PUSH(a, &argv, NULL);
    return argv.items;
}

static bool write_side(struct arena *a, str folder, str slug, str text, struct err *e)
{
    str path = temp_file(a, folder, slug);
    int fd;

    if (mkdir(str_z(a, folder), 0700) != 0)
        return err_errno(e, errno, "mkdir", folder);
    fd = open(str_z(a, path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(e, errno, "open", path);
    bool ok = file_write_fd(fd, path, text, e);
    close(fd);
    return ok;
}

static void remove_side(struct arena *a, str folder, str slug)
{
    unlink(str_z(a, temp_file(a, folder, slug)));
    rmdir(str_z(a, folder));
}

/* Upstream: whatever keeps a program from being started, it is said not to be found. */
static bool run_program(struct arena *a, const char *const *argv, bool explain, struct diff_run *d,
                        struct err *e)
{
    AUTO_ERR reason = {0};
    str name = go_quoted(a, str_c(argv[0]));

    if (!argv[0][0])
        return err_set(e, ERR_INVALID, "failed to run %.*s: exec: no command", STR_ARG(name));
    if (!process_run(a, argv, &d->text, &d->status, &reason)) {
        if (reason.kind == ERR_NOT_FOUND || (reason.kind == ERR_IO && !explain))
            err_set(&reason, ERR_NOT_FOUND, "executable file not found in $PATH");
        return err_set(e, reason.kind, "failed to run %.*s: %.*s", STR_ARG(name),
                       STR_ARG(reason.text));
    }
    if (d->status > 1)
        return err_set(e, ERR_INVALID, "failed to run %.*s: exit status %d", STR_ARG(name),
                       d->status);
    return true;
}

static bool diff_by_program(struct arena *a, const struct diff_program *p, struct diff_run *d,
                            struct err *e)
{
    str from = temp_folder(a, p, "MERGED"), to = temp_folder(a, p, "LIVE");
    bool ok = write_side(a, from, d->slug, d->merged, e) && write_side(a, to, d->slug, d->live, e);

    if (!ok)
        err_wrap(e, "failed to create diff instance");
    else if (!run_program(a, make_argv(a, p->command, from, to), p->dialect->own_words, d, e))
        ok = err_wrap(e, "diff exited with non-zero code");
    remove_side(a, from, d->slug);
    remove_side(a, to, d->slug);
    return ok;
}

bool diff_begin(struct arena *a, const struct diff_program *p, struct diff_run *d, struct err *e)
{
    /* No file is written in process; the original's answers depend on the limit all the same. */
    if (p->dialect->long_names && d->slug.len > FILE_NAME_MAX)
        d->slug = str_slice(d->slug, 0, FILE_NAME_MAX);
    if (d->slug.len > FILE_NAME_MAX) {
        str path = temp_file(a, temp_folder(a, p, "MERGED"), d->slug);
        return err_set(e, ERR_IO, "error occurered during diff: open %.*s: file name too long",
                       STR_ARG(path));
    }
    return !p->command.len || diff_by_program(a, p, d, e);
}

void diff_end(struct arena *a, const struct diff_program *p, struct diff_run *d)
{
    if (!p->command.len)
        diff_in_process(a, p, d);
}
