/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c - the file of decision records, with rotation; see replay.h. */
#include "operator/replay.h"

#include "base/file.h"
#include "base/log.h"
#include "text/json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct keeper {
    struct arena *arena;
    char *path, *older;
    int fd;
    size_t size;
    bool failed;
};

static bool open_file(struct keeper *k, struct err *e)
{
    struct stat st;

    k->fd = open(k->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (k->fd < 0 || fstat(k->fd, &st) != 0)
        return err_errno(e, errno, "open", str_c(k->path));
    k->size = (size_t)st.st_size;
    return true;
}

bool keeper_open(str path, struct keeper **out, struct err *e)
{
    struct arena *a = arena_new();
    struct keeper *k = ARENA_NEW(a, struct keeper);

    *k = (struct keeper){.arena = a,
                         .path = str_z(a, path),
                         .older = str_z(a, str_concat(a, path, STR(".1"))),
                         .fd = -1};
    if (!open_file(k, e)) {
        keeper_close(k);
        return false;
    }
    *out = k;
    return true;
}

void keeper_close(struct keeper *k)
{
    if (!k)
        return;
    if (k->fd >= 0)
        close(k->fd);
    arena_free(k->arena);
}

static bool rotate(struct keeper *k, struct err *e)
{
    close(k->fd);
    k->fd = -1;
    if (rename(k->path, k->older) != 0)
        return err_errno(e, errno, "rename", str_c(k->path));
    return open_file(k, e);
}

static bool add(struct keeper *k, str line, struct err *e)
{
    if (k->fd < 0 && !open_file(k, e))
        return false;
    if (k->size && k->size + line.len > KEEPER_BYTES_MAX && !rotate(k, e))
        return false;
    k->size += line.len;
    return file_write_fd(k->fd, str_c(k->path), line, e);
}

void keeper_add(struct keeper *k, const struct value *record)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf b = buf_new(a, KEEPER_LINE_MAX);
    bool ok = json_write(&b, record, &json_exact, NULL);

    buf_char(&b, '\n');
    if (b.overflow)
        ok = err_set(&e, ERR_LIMIT, "a decision is longer than %d bytes", (int)KEEPER_LINE_MAX);
    ok = ok && add(k, buf_str(&b), &e);
    if (!ok && !k->failed)
        LOG_WARN("decision was not kept", LOG_STR("error", e.text));
    k->failed = k->failed || !ok;
}
