/* SPDX-License-Identifier: Apache-2.0 */
/* tar.c - reads the members of a tar from a stream; see internal.h. */
#include "oci/internal.h"

#include <errno.h>

#define BUFFER (64 * KIB)

static ssize_t give_bytes(struct archive *archive, void *ctx, const void **out)
{
    struct image_tar *t = ctx;
    size_t got = 0;

    *out = t->buffer;
    if (t->from->read(t->from, t->buffer, BUFFER, &got, &t->fault))
        return (ssize_t)got;
    t->lib->archive_set_error(archive, EIO, "%.*s", STR_ARG(t->fault.text));
    return ARCHIVE_FATAL;
}

static bool fail(struct image_tar *t, struct err *e)
{
    const char *why = t->lib->archive_error_string(t->archive);

    return err_set(e, t->fault.kind == ERR_NONE ? ERR_INVALID : t->fault.kind,
                   "it cannot be unpacked: %s", why ? why : "it is broken");
}

bool image_tar_open(struct arena *a, struct image_tar *t, struct reader *from, struct err *e)
{
    const struct pack_lib *lib = pack_lib_load(e);

    *t = (struct image_tar){.lib = lib, .from = from};
    if (!lib)
        return false;
    t->buffer = arena_alloc_text(a, BUFFER);
    t->archive = lib->archive_read_new();
    lib->archive_read_support_format_tar(t->archive);
    lib->archive_read_support_filter_gzip(t->archive);
    lib->archive_read_support_filter_zstd(t->archive);
    lib->archive_read_support_filter_bzip2(t->archive);
    lib->archive_read_support_filter_xz(t->archive);
    lib->archive_read_set_callback_data(t->archive, t);
    lib->archive_read_set_read_callback(t->archive, give_bytes);
    return lib->archive_read_open1(t->archive) == ARCHIVE_OK || fail(t, e);
}

bool image_tar_next(struct image_tar *t, struct archive_entry **out, struct err *e)
{
    int status = t->lib->archive_read_next_header(t->archive, out);

    if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
        return true;
    *out = NULL;
    return status == ARCHIVE_EOF || fail(t, e);
}

bool image_tar_data(struct image_tar *t, str *piece, uint64_t *at, struct err *e)
{
    const void *block = NULL;
    size_t len = 0;
    int64_t place = 0;
    int status;

    do {
        status = t->lib->archive_read_data_block(t->archive, &block, &len, &place);
    } while (status == ARCHIVE_OK && !len);
    *piece = STR_NONE;
    *at = (uint64_t)place;
    if (status == ARCHIVE_EOF)
        return true;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
        return fail(t, e);
    *piece = str_of(block, len);
    return true;
}

void image_tar_close(struct image_tar *t)
{
    if (t->archive)
        t->lib->archive_read_free(t->archive);
    err_clear(&t->fault);
    *t = (struct image_tar){0};
}

static bool read_bytes(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct image_bytes *b = (struct image_bytes *)r;

    (void)e;
    *got = b->rest.len < size ? b->rest.len : size;
    if (*got)
        memcpy(to, b->rest.ptr, *got);
    b->rest = str_from(b->rest, *got);
    return true;
}

struct image_bytes image_bytes_of(str bytes)
{
    return (struct image_bytes){{.read = read_bytes}, bytes};
}
