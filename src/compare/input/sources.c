/* SPDX-License-Identifier: Apache-2.0 */
/* sources.c - finds the inputs of -f: files, folders, patterns, URLs and standard input. */
#include "compare/input/input_internal.h"
#include "archive/archive.h"
#include "compare/input/fetch_internal.h"
#include "compare/input/glob_internal.h"
#include "go/quote.h"
#include "net/redact.h"
#include "text/url.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The deepest folder that is walked into. */
#define FOLDER_DEPTH_MAX 1000

struct search {
    struct input *in;
    struct arena *arena; /* that of in */
    bool recursive;
    struct input_sources *out;
    struct input_errors errors;
    bool stdin_seen;
    size_t unread; /* faults that are none */
};

static void add_error(struct search *s, const char *format, ...) FORMAT(2, 3);
static void add_error(struct search *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    VEC_PUSH(s->arena, &s->errors.items, str_vfmt(s->arena, format, args));
    va_end(args);
}

/* ---- Folders. ---- */

/* Names alone are useless in a folder that may be listed but not entered. */
static bool read_folder(struct search *s, str path, struct glob_entries *out, struct err *e)
{
    int failure = glob_entries(s->arena, path, out);

    if (failure)
        return err_errno(e, failure, "open", path);
    if (faccessat(AT_FDCWD, str_z(s->arena, path), X_OK, AT_EACCESS) == 0)
        return true;
    for (size_t i = 0; i < out->len; i++)
        out->items[i].type = DT_UNKNOWN;
    return true;
}

static void add_file(struct search *s, str path)
{
    struct input_source source = {.path = path, .name = path};

    VEC_PUSH(s->arena, s->out, source);
}

/*
 * A pipe in a folder would be waited for without end, a device may have none: what is neither file
 * nor folder is passed over. What cannot be looked at fails when it is read.
 */
static bool is_readable(struct search *s, str path)
{
    static const char reason[] = "neither a file nor a folder";
    struct stat st;

    if (stat(str_z(s->arena, path), &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return true;
    s->in->documents++;
    input_fail(s->in, str_fmt(s->arena, "error parsing %.*s: %s", STR_ARG(path), reason),
               (struct result_place){.file = path}, str_c(reason));
    return false;
}

static bool walk(struct search *s, str path, size_t depth, struct err *e);

/*
 * Something in a folder that cannot be looked at is its own loss where faults are isolated.
 */
static bool lose(struct search *s, str path, const struct err *fault, struct err *e)
{
    if (!s->in->dialect->isolated_faults)
        return err_copy(e, fault);
    str reason = str_copy(s->arena, fault->text);
    s->in->documents++;
    input_fail(s->in, reason, (struct result_place){.file = path}, reason);
    return true;
}

static bool walk_below(struct search *s, str path, size_t depth, struct err *e)
{
    AUTO_ERR fault = {0};

    return walk(s, path, depth, &fault) || lose(s, path, &fault, e);
}

/* Most file systems return the type with the name; for others, stat. */
static bool find_type(struct search *s, str path, unsigned char *type, struct err *e)
{
    struct stat st;

    if (*type != DT_UNKNOWN)
        return true;
    if (lstat(str_z(s->arena, path), &st) != 0)
        return err_errno(e, errno, "lstat", path);
    *type = IFTODT(st.st_mode);
    return true;
}

/* Tells what is not read, so that nobody believes it was; nothing has failed. */
static void note_unread(struct search *s, str path, str reason)
{
    input_fail(s->in, reason, (struct result_place){.file = path}, reason);
    struct input_fault *fault = &s->in->faults.items[s->in->faults.len - 1];
    fault->note.failed = false;
    fault->loss = LOSS_MEMBER;
    s->unread++;
}

static void pass_over(struct search *s, str path, unsigned char type)
{
    struct stat st;
    str stem, reason = STR_NONE;

    if (!s->in->dialect->archives)
        return;
    if (type == DT_REG && pack_is_named(path, &stem))
        reason = STR("an archive in a folder is not read; name it to compare its documents");
    else if (type == DT_LNK && stat(str_z(s->arena, path), &st) == 0 && S_ISDIR(st.st_mode))
        reason = STR("a link to a folder is not followed; name it to compare its documents");
    if (reason.len)
        note_unread(s, path, reason);
}

static bool add_child(struct search *s, str path, unsigned char type, size_t depth, struct err *e)
{
    AUTO_ERR fault = {0};

    if (!find_type(s, path, &type, &fault))
        return lose(s, path, &fault, e);
    if (type == DT_DIR)
        return !s->recursive || walk_below(s, path, depth + 1, e);
    if (!pack_takes(path))
        pass_over(s, path, type);
    else if (type == DT_REG || is_readable(s, path))
        add_file(s, path);
    return true;
}

static bool walk(struct search *s, str path, size_t depth, struct err *e)
{
    struct glob_entries entries = {0};

    if (depth > FOLDER_DEPTH_MAX)
        return err_set(e, ERR_LIMIT, "%.*s: folders nest too deep", STR_ARG(path));
    if (!read_folder(s, path, &entries, e))
        return false;
    /* The prefix of each name, cleaned once for all. */
    str before = str_without_suffix(glob_join(s->arena, path, STR("x")), STR("x"));
    for (size_t i = 0; i < entries.len; i++) {
        const struct glob_entry *entry = &entries.items[i];
        if (!add_child(s, str_concat(s->arena, before, entry->name), entry->type, depth, e))
            return false;
    }
    return true;
}

/* ---- Values of -f. ---- */

static void add_path(struct search *s, str path)
{
    struct stat st;
    AUTO_ERR e = {0};
    str quoted = go_quoted(s->arena, redact_place(s->arena, path));

    if (stat(str_z(s->arena, path), &st) != 0) {
        if (errno == ENOENT)
            add_error(s, "the path %.*s does not exist", STR_ARG(quoted));
        else
            add_error(s, "the path %.*s cannot be accessed: stat %.*s: %s", STR_ARG(quoted),
                      STR_ARG(path), err_errno_text(errno));
        return;
    }
    /* Upstream: a link to a folder is read as a file, and fails. */
    if (!s->in->dialect->isolated_faults && lstat(str_z(s->arena, path), &st) != 0)
        st.st_mode = 0;
    if (!S_ISDIR(st.st_mode))
        add_file(s, path);
    else if (!walk_below(s, path, 0, &e))
        add_error(s, "error reading %.*s: %.*s", STR_ARG(quoted), STR_ARG(e.text));
}

/* A path that does not exist may be a pattern. */
static bool expand(struct search *s, str value, struct str_list *paths)
{
    struct stat st;
    str quoted = go_quoted(s->arena, redact_place(s->arena, value));

    if (stat(str_z(s->arena, value), &st) == 0 || errno != ENOENT) {
        VEC_PUSH(s->arena, paths, value);
        return true;
    }
    if (!glob_files(s->arena, STR_NONE, value, paths)) {
        add_error(s, "pattern %.*s is not valid: syntax error in pattern", STR_ARG(quoted));
        return false;
    }
    if (!paths->len)
        add_error(s, "the path %.*s does not exist", STR_ARG(quoted));
    return paths->len > 0;
}

/* What a pattern finds is not what somebody names: a pipe would be waited for. */
static void add_paths(struct search *s, str value)
{
    struct str_list paths = {0};
    size_t before = s->out->len + s->in->faults.len;

    if (!expand(s, value, &paths))
        return;
    for (size_t i = 0; i < paths.len; i++)
        if (str_eq(paths.items[i], value) || is_readable(s, paths.items[i]))
            add_path(s, paths.items[i]);
    if (!s->out->len && !s->errors.items.len && s->in->faults.len == s->unread)
        add_error(s, "error reading [%.*s]: recognized file extensions are [.json .yaml .yml]",
                  STR_ARG(str_join(s->arena, paths.items, paths.len, STR(" "))));
    else if (s->in->dialect->archives && s->out->len + s->in->faults.len == before)
        note_unread(s, value, STR("a folder without files named .json, .yaml or .yml"));
}

static void add_stdin(struct search *s)
{
    struct input_source source = {.stdin_ = true};

    if (s->stdin_seen) {
        add_error(s, "standard input cannot be used for multiple arguments");
        return;
    }
    s->stdin_seen = true;
    VEC_PUSH(s->arena, s->out, source);
}

static void add_url(struct search *s, str value)
{
    struct input_source source = {.url = true};
    struct url url;
    AUTO_ERR e = {0};

    if (url_parse(s->arena, value, &url, &e)) {
        source.path = url_text(s->arena, &url);
        source.name = redact_url(s->arena, source.path);
        VEC_PUSH(s->arena, s->out, source);
        return;
    }
    add_error(s, "the URL passed to filename %.*s is not valid: %.*s",
              STR_ARG(go_quoted(s->arena, redact_url(s->arena, value))), STR_ARG(e.text));
}

static void add_value(struct search *s, str value)
{
    if (str_eq(value, STR("-")))
        add_stdin(s);
    else if (fetch_is_url(value))
        add_url(s, value);
    else
        add_paths(s, value);
}

bool sources_find(struct input *in, const struct compare_options *o, struct input_sources *out,
                  struct err *e)
{
    struct search s = {.in = in, .arena = in->arena, .recursive = o->recursive, .out = out};

    if (o->files.len && o->kustomize.len)
        add_error(&s, "only one of -f or -k can be specified");
    if (o->kustomize.len && o->recursive)
        add_error(&s, "the -k flag can't be used with -f or -R");
    for (size_t i = 0; i < o->files.len && !o->kustomize.len; i++)
        add_value(&s, o->files.items[i]);
    if (!s.errors.items.len)
        return true;
    return err_set(e, ERR_INVALID, "failed to collect resources: %.*s",
                   STR_ARG(errors_text(s.arena, &s.errors)));
}
