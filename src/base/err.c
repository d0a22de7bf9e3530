/* SPDX-License-Identifier: Apache-2.0 */
/* err.c - the one way to fail; see err.h. */
#include "base/err.h"

#include "base/arena.h"
#include "base/buf.h"

#include <errno.h>

static struct arena *owner_of(struct err *e)
{
    if (!e->owner)
        e->owner = arena_new();
    return e->owner;
}

/*
 * A new error gets a new arena, and the old one is freed only after the new text is made, which may
 * quote the old one. This way, an error that is replaced a thousand times stays small.
 */
static struct arena *replace_owner(struct err *e)
{
    struct arena *former = e->owner;

    e->owner = arena_new();
    return former;
}

static bool fill(struct err *e, struct arena *former, enum err_kind kind, str text)
{
    arena_free(former);
    e->kind = kind;
    e->text = text;
    e->at = (struct where){0};
    return false;
}

bool err_set(struct err *e, enum err_kind kind, const char *format, ...)
{
    va_list args;

    if (!e)
        return false;
    struct arena *former = replace_owner(e);
    va_start(args, format);
    str text = str_vfmt(e->owner, format, args);
    va_end(args);
    return fill(e, former, kind, text);
}

bool err_set_str(struct err *e, enum err_kind kind, str text)
{
    if (!e)
        return false;
    struct arena *former = replace_owner(e);
    return fill(e, former, kind, str_copy(e->owner, text));
}

bool err_wrap(struct err *e, const char *format, ...)
{
    va_list args;

    if (!e)
        return false;
    va_start(args, format);
    str context = str_vfmt(owner_of(e), format, args);
    va_end(args);
    e->text = str_join(owner_of(e), (const str[]){context, e->text}, 2, STR(": "));
    return false;
}

/* Go's wording of system errors, for those that users may see. */
const char *err_errno_text(int number)
{
    static const struct {
        int number;
        const char *text;
    } texts[] = {
        {EACCES, "permission denied"},
        {EADDRINUSE, "address already in use"},
        {EADDRNOTAVAIL, "cannot assign requested address"},
        {ECONNABORTED, "software caused connection abort"},
        {ECONNREFUSED, "connection refused"},
        {ECONNRESET, "connection reset by peer"},
        {EEXIST, "file exists"},
        {EHOSTUNREACH, "no route to host"},
        {EIO, "input/output error"},
        {EISDIR, "is a directory"},
        {ELOOP, "too many levels of symbolic links"},
        {EMFILE, "too many open files"},
        {ENAMETOOLONG, "file name too long"},
        {ENETUNREACH, "network is unreachable"},
        {ENOENT, "no such file or directory"},
        {ENOSPC, "no space left on device"},
        {ENOTDIR, "not a directory"},
        {EPERM, "operation not permitted"},
        {EPIPE, "broken pipe"},
        {EROFS, "read-only file system"},
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i].number == number)
            return texts[i].text;
    const char *description = strerrordesc_np(number);
    return description ? description : "unknown error";
}

static enum err_kind errno_kind(int number)
{
    switch (number) {
    case ENOENT:
        return ERR_NOT_FOUND;
    case EEXIST:
        return ERR_EXISTS;
    case EACCES:
    case EPERM:
        return ERR_DENIED;
    default:
        return ERR_IO;
    }
}

bool err_errno(struct err *e, int number, const char *action, str path)
{
    return err_set(e, errno_kind(number), "%s %.*s: %s", action, STR_ARG(path),
                   err_errno_text(number));
}

bool err_at(struct err *e, struct where at)
{
    if (!e || e->at.line || (e->at.file.len && !at.line))
        return false;
    e->at = at;
    e->at.file = str_copy(owner_of(e), at.file);
    return false;
}

/*
 * In place wherever the arena can: the faults of a file with thousands of them are joined one by
 * one, and copies of all former ones would add up to gigabytes.
 */
static void append_line(struct err *e, str line)
{
    size_t len = e->text.len, all = len + 1 + line.len;
    char *text = arena_grow(owner_of(e), (char *)(uintptr_t)e->text.ptr, len, all);

    text[len] = '\n';
    memcpy(text + len + 1, line.ptr, line.len);
    e->text = str_of(text, all);
}

bool err_join(struct err *e, const struct err *other)
{
    if (!e)
        return false;
    if (e->kind == ERR_NONE)
        return err_copy(e, other);
    append_line(e, other->text);
    return false;
}

bool err_copy(struct err *e, const struct err *from)
{
    if (!e || e == from)
        return false;
    e->kind = from->kind;
    e->text = str_copy(owner_of(e), from->text);
    e->at = from->at;
    e->at.file = str_copy(owner_of(e), from->at.file);
    return false;
}

void err_clear(struct err *e)
{
    arena_free(e->owner);
    *e = (struct err){0};
}

str err_message(struct arena *a, const struct err *e)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (e->at.file.len)
        buf_fmt(&b, "%.*s:", STR_ARG(e->at.file));
    if (e->at.line)
        buf_fmt(&b, "%u:", e->at.line);
    if (e->at.line && e->at.column)
        buf_fmt(&b, "%u:", e->at.column);
    if (b.len)
        buf_char(&b, ' ');
    buf_add(&b, e->text);
    return buf_str(&b);
}

str err_text_placed(struct arena *a, const struct err *e)
{
    str prefix = STR("yaml: "), line, after;
    size_t at = str_find(e->text, STR("yaml: line "));

    if (!e->at.line || at == STR_NPOS ||
        !str_cut(str_from(e->text, at + prefix.len), STR(": "), &line, &after))
        return str_copy(a, e->text);
    return str_concat(a, str_slice(e->text, 0, at + prefix.len), after);
}
