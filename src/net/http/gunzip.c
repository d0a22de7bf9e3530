/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gunzip.c - decompresses the body of an answer as it arrives; see http_internal.h.
 *
 * curl could do it, but accepts truncated data as complete.
 */
/* Must precede our headers, which poison names that this uses. */
#include <zlib.h>

#include "net/http/http_internal.h"

#include <assert.h>

#define PIECE_MAX (64 * KIB)
/* What is unpacked may be that many times larger than what came, once it is more than FREE. */
#define RATIO_MAX 200
#define RATIO_FREE (100 * MIB)

struct gunzip {
    z_stream z;
    bool begun; /* there was input */
    bool whole; /* and it is complete */
    bool broken;
    bool explodes;
    uint64_t packed, unpacked;
    unsigned char piece[PIECE_MAX];
};

struct gunzip *gunzip_new(void)
{
    struct gunzip *g = block_new(sizeof(*g));

    g->z = (z_stream){0};
    g->begun = g->whole = g->broken = g->explodes = false;
    g->packed = g->unpacked = 0;
    int failure = inflateInit2(&g->z, MAX_WBITS + 16);
    assert(!failure);
    (void)failure;
    return g;
}

void gunzip_free(struct gunzip *g)
{
    if (!g)
        return;
    inflateEnd(&g->z);
    block_free(g);
}

bool gunzip_is_whole(const struct gunzip *g)
{
    return !g->begun || g->whole;
}

bool gunzip_is_broken(const struct gunzip *g)
{
    return g->broken;
}

bool gunzip_explodes(const struct gunzip *g)
{
    return g->explodes;
}

/*
 * One round; false if the data is not gzip, or a bomb: bodies have limits of their own, lists that
 * are read as they come have none.
 */
static bool unpack(struct gunzip *g, str *out)
{
    g->z.next_out = g->piece;
    g->z.avail_out = PIECE_MAX;
    int result = inflate(&g->z, Z_NO_FLUSH);
    *out = str_of((const char *)g->piece, PIECE_MAX - g->z.avail_out);
    if (result == Z_STREAM_END)
        g->whole = true;
    g->broken = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
    g->unpacked += out->len;
    g->explodes = g->unpacked > RATIO_FREE && g->unpacked / RATIO_MAX > g->packed;
    return !g->broken && !g->explodes;
}

enum gunzip_result gunzip_add(struct gunzip *g, str piece, bool (*give)(void *ctx, str piece),
                              void *ctx)
{
    str out;

    g->begun |= piece.len > 0;
    g->packed += piece.len;
    g->z.next_in = (unsigned char *)(uintptr_t)piece.ptr;
    g->z.avail_in = (uInt)piece.len;
    do {
        /* There may be several members, one after the other. */
        if (g->whole && g->z.avail_in) {
            g->whole = false;
            inflateReset(&g->z);
        }
        if (!unpack(g, &out))
            return GUNZIP_BAD;
        if (out.len && !give(ctx, out))
            return GUNZIP_STOPPED;
    } while (g->z.avail_in || !g->z.avail_out);
    return GUNZIP_OK;
}
