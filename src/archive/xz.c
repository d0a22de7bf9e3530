/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xz.c - how much memory xz would take; see internal.h.
 *
 * libarchive allows 1 GiB for each archive, so a few archives in each other, all of them small,
 * take several. The size of the dictionary is in the header of each block, so we follow the format:
 * streams of blocks, each with a header, chunks of LZMA2 and a checksum, and an index at the end.
 * Whatever is wrong in between is left to the library, which stops there.
 */
#include "archive/internal.h"

#define STREAM_HEADER_LEN 12
#define STREAM_FOOTER_LEN 12
#define FILTER_LZMA2 0x21

/* What the bytes at hand are. */
enum state {
    STREAM_HEADER,
    BLOCK, /* the size of its header, or the beginning of the index */
    BLOCK_HEADER,
    CHUNK, /* its first byte */
    CHUNK_SIZES,
    INDEX,   /* numbers of any length: how many records there are, and two for each */
    PADDING, /* zeros after a stream */
    LOST,    /* nothing that the library would accept */
};

static size_t check_len(uint8_t kind)
{
    static const uint8_t lens[] = {0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64};

    return lens[kind & 15];
}

static void expect(struct xz *x, enum state state, size_t need)
{
    x->state = state;
    x->have = 0;
    x->need = need;
}

/* The next number of a header, in groups of seven bits. */
static uint64_t take_number(const struct xz *x, size_t *at)
{
    uint64_t n = 0;

    for (unsigned shift = 0; *at < x->have && shift < 63; shift += 7) {
        uint8_t byte = x->bytes[(*at)++];
        n |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            break;
    }
    return n;
}

static bool check_dictionary(uint8_t bits, struct err *e)
{
    /* 2 or 3 times a power of two. */
    uint64_t size = bits > 40 ? UINT64_MAX : (uint64_t)(2 | (bits & 1)) << (bits / 2 + 11);

    return size <= PACK_WINDOW_MAX ||
           err_set(e, ERR_LIMIT, "unpacking it takes more memory than the limit of %zu bytes",
                   (size_t)PACK_WINDOW_MAX);
}

static bool take_block_header(struct xz *x, struct err *e)
{
    size_t at = 2;
    const uint8_t flags = x->bytes[1];

    for (unsigned size = 0x40; size <= 0x80; size <<= 1)
        if (flags & size)
            (void)take_number(x, &at);
    for (size_t i = 0; i <= (flags & 3U); i++) {
        uint64_t filter = take_number(x, &at), len = take_number(x, &at);
        if (filter == FILTER_LZMA2 && at < x->have && !check_dictionary(x->bytes[at], e))
            return false;
        at += len > x->have ? x->have : (size_t)len;
    }
    x->packed = 0;
    expect(x, CHUNK, 1);
    return true;
}

/* After the chunks: padding to four bytes, and the checksum. */
static void end_block(struct xz *x)
{
    x->skip = (4 - x->packed % 4) % 4 + check_len(x->check);
    expect(x, BLOCK, 1);
}

static void take_chunk(struct xz *x)
{
    const uint8_t control = x->bytes[0];

    x->packed++;
    if (!control) {
        end_block(x);
        return;
    }
    /* The first byte is needed with the sizes. */
    x->need = control <= 2 ? 3 : control >= 0xC0 ? 6 : 5;
    x->state = control <= 2 || control >= 0x80 ? CHUNK_SIZES : LOST;
}

static void take_chunk_sizes(struct xz *x)
{
    size_t at = x->bytes[0] <= 2 ? 1 : 3;

    x->skip = ((uint64_t)x->bytes[at] << 8 | x->bytes[at + 1]) + 1;
    x->packed += x->need - 1 + x->skip;
    expect(x, CHUNK, 1);
}

/* A number of the index. */
static void take_index(struct xz *x)
{
    x->packed++;
    if (x->bytes[x->have - 1] & 0x80) {
        x->need = x->have + 1;
        if (x->need > 9)
            x->state = LOST;
        return;
    }
    size_t at = 0;
    uint64_t n = take_number(x, &at);
    if (!x->counted)
        x->numbers = n > UINT64_MAX / 2 ? UINT64_MAX : 2 * n;
    else
        x->numbers--;
    x->counted = true;
    expect(x, INDEX, 1);
    if (x->numbers)
        return;
    x->skip = (4 - x->packed % 4) % 4 + 4 + STREAM_FOOTER_LEN;
    expect(x, PADDING, 1);
}

static void take_block(struct xz *x)
{
    if (x->bytes[0]) {
        x->state = BLOCK_HEADER;
        x->need = ((size_t)x->bytes[0] + 1) * 4;
        return;
    }
    x->packed = 1;
    x->counted = false;
    expect(x, INDEX, 1);
}

static bool take(struct xz *x, struct err *e)
{
    switch ((enum state)x->state) {
    case STREAM_HEADER:
        x->check = x->bytes[7];
        expect(x, BLOCK, 1);
        return true;
    case BLOCK:
        take_block(x);
        return true;
    case BLOCK_HEADER:
        return take_block_header(x, e);
    case CHUNK:
        take_chunk(x);
        return true;
    case CHUNK_SIZES:
        take_chunk_sizes(x);
        return true;
    case INDEX:
        take_index(x);
        return true;
    case PADDING:
        x->need = x->bytes[0] ? STREAM_HEADER_LEN : 1;
        x->have = x->bytes[0] ? 1 : 0;
        x->state = x->bytes[0] ? STREAM_HEADER : PADDING;
        return true;
    case LOST:
        break;
    }
    return true;
}

bool xz_is(str start)
{
    return str_has_prefix(start, STR("\xFD"
                                     "7zXZ"));
}

void xz_begin(struct xz *x)
{
    *x = (struct xz){.state = STREAM_HEADER, .need = STREAM_HEADER_LEN};
}

bool xz_take(struct xz *x, str bytes, struct err *e)
{
    for (size_t i = 0; i < bytes.len && x->state != LOST; i++) {
        if (x->skip) {
            size_t left = bytes.len - i, skip = x->skip < left ? (size_t)x->skip : left;
            x->skip -= skip;
            i += skip - 1;
            continue;
        }
        x->bytes[x->have++] = (uint8_t)bytes.ptr[i];
        if (x->have == x->need && !take(x, e))
            return false;
    }
    return true;
}
