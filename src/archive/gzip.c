/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip.c - unpacks gzip, and checks its checksums and lengths; see internal.h.
 *
 * libarchive could do it, but ignores checksums, lengths and whatever follows: corrupted data would
 * be compared as if it were intact.
 */
/* Before our headers, which poison names that this uses. */
#include <zlib.h>

#include "archive/internal.h"

#include <assert.h>

struct gzip {
    struct reader base;
    struct reader *from;
    z_stream z;
    uint64_t taken; /* bytes of from that have been unpacked */
    bool ended;     /* a gzip member is complete, and no other one has begun */
    char piece[GZIP_START_MAX];
};

bool gzip_is(str start)
{
    return str_has_prefix(start, STR("\x1F\x8B"));
}

uint64_t gzip_taken(const struct gzip *g)
{
    return g->taken;
}

/* Gets more input; *more is false at its end, which must not be in the middle of a gzip member. */
static bool fill(struct gzip *g, bool *more, struct err *e)
{
    size_t got = 0;

    *more = g->z.avail_in > 0;
    if (*more)
        return true;
    if (!g->from->read(g->from, g->piece, sizeof(g->piece), &got, e))
        return false;
    g->z.next_in = (Bytef *)g->piece;
    g->z.avail_in = (uInt)got;
    *more = got > 0;
    return got || g->ended || err_set(e, ERR_INVALID, "truncated gzip input");
}

/* After a gzip member: skips zeros, with which tapes are padded, or begins the next member. */
static bool begin_piece(struct gzip *g, struct err *e)
{
    while (g->z.avail_in && !*g->z.next_in) {
        g->z.next_in++;
        g->z.avail_in--;
        g->taken++;
    }
    if (!g->z.avail_in)
        return true;
    if (*g->z.next_in != 0x1F)
        return err_set(e, ERR_INVALID, "something that is not gzip follows the gzip data");
    g->ended = false;
    return inflateReset(&g->z) == Z_OK || err_set(e, ERR_INVALID, "the gzip data is broken");
}

static bool unpack(struct gzip *g, struct err *e)
{
    size_t before = g->z.avail_in;
    int result = inflate(&g->z, Z_NO_FLUSH);

    g->taken += before - g->z.avail_in;
    g->ended = result == Z_STREAM_END;
    if (g->ended || result == Z_OK || result == Z_BUF_ERROR)
        return true;
    return err_set(e, ERR_INVALID, "the gzip data is broken: %s",
                   g->z.msg ? g->z.msg : "it cannot be unpacked");
}

static bool read_gzip(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct gzip *g = (struct gzip *)r;
    uint64_t start = g->taken;
    bool more;

    *got = 0;
    g->z.next_out = (Bytef *)to;
    g->z.avail_out = (uInt)size;
    while (g->z.avail_out == size) {
        if (!fill(g, &more, e))
            return false;
        if (!more)
            return true;
        if (g->taken - start > PACK_HEADER_MAX)
            return err_set(e, ERR_LIMIT, "no member begins within %zu bytes",
                           (size_t)PACK_HEADER_MAX);
        if (g->ended ? !begin_piece(g, e) : !unpack(g, e))
            return false;
    }
    *got = size - g->z.avail_out;
    return true;
}

struct gzip *gzip_new(struct reader *from, str start)
{
    struct gzip *g = block_new(sizeof(*g));

    *g = (struct gzip){.base = {.read = read_gzip}, .from = from};
    assert(start.len <= sizeof(g->piece));
    memcpy(g->piece, start.ptr, start.len);
    g->z.next_in = (Bytef *)g->piece;
    g->z.avail_in = (uInt)start.len;
    int failure = inflateInit2(&g->z, MAX_WBITS + 16);
    assert(!failure);
    (void)failure;
    return g;
}

struct reader *gzip_reader(struct gzip *g)
{
    return &g->base;
}

void gzip_free(struct gzip *g)
{
    if (!g)
        return;
    inflateEnd(&g->z);
    block_free(g);
}
