/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - whether a part of a write-ahead log would be left out.
 *
 * SQLite reads the log up to the first frame with a wrong checksum, and takes the rest for a
 * transaction that a crash has cut off. Since each transaction is synced before the next one
 * begins, a crash can only have damaged the last. Damage further in front would hide transactions
 * that were answered, without a word.
 */
#include "db/internal.h"

#include "base/file.h"

#define HEADER_LEN 32
#define FRAME_HEADER_LEN 24
#define PAGE_MIN 512
#define PAGE_MAX 65536

struct log {
    int fd;
    str name;
    bool big_endian; /* the numbers that are summed up */
    uint32_t page;
    uint32_t salts[2], sums[2];
    char bytes[FRAME_HEADER_LEN + PAGE_MAX];
};

static uint32_t number(const char *at, bool big_endian)
{
    const uint8_t *b = (const uint8_t *)at;

    return big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                      : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static uint32_t field(const struct log *l, size_t at)
{
    return number(l->bytes + at, true);
}

static void sum_up(struct log *l, size_t from, size_t to)
{
    for (size_t at = from; at < to; at += 8) {
        l->sums[0] += number(l->bytes + at, l->big_endian) + l->sums[1];
        l->sums[1] += number(l->bytes + at + 4, l->big_endian) + l->sums[0];
    }
}

/* *whole is false at the end, where less than size bytes are left. */
static bool read_bytes(struct log *l, size_t size, bool *whole, struct err *e)
{
    size_t have = 0;

    for (size_t got = 1; have < size && got; have += got)
        if (!file_read_some(l->fd, l->name, l->bytes + have, size - have, &got, e))
            return false;
    *whole = have == size;
    return true;
}

static bool take_header(struct log *l)
{
    const uint32_t magic = field(l, 0);

    l->big_endian = magic & 1;
    l->page = field(l, 8);
    l->salts[0] = field(l, 16);
    l->salts[1] = field(l, 20);
    sum_up(l, 0, 24);
    return (magic & ~1U) == 0x377f0682 && l->page >= PAGE_MIN && l->page <= PAGE_MAX &&
           l->page % 8 == 0 && l->sums[0] == field(l, 24) && l->sums[1] == field(l, 28);
}

/* Frames with other salts are left from before the log was begun again. */
static bool is_current(const struct log *l)
{
    return field(l, 8) == l->salts[0] && field(l, 12) == l->salts[1];
}

static bool is_intact(struct log *l)
{
    sum_up(l, 0, 8);
    sum_up(l, FRAME_HEADER_LEN, FRAME_HEADER_LEN + l->page);
    return is_current(l) && l->sums[0] == field(l, 16) && l->sums[1] == field(l, 20);
}

/*
 * Reads the frames. *lost: behind one that is broken, a transaction ends and another one begins.
 * The last frame of a transaction has the size of the database, and may be there more than once.
 */
static bool read_frames(struct log *l, bool *lost, struct err *e)
{
    bool intact = true, whole = true;
    uint32_t page = 0, size = 0;

    for (*lost = false; !*lost;) {
        if (!read_bytes(l, FRAME_HEADER_LEN + l->page, &whole, e))
            return false;
        if (!whole)
            return true;
        intact = intact && is_intact(l);
        if (intact || !is_current(l))
            continue;
        *lost = size && (page != field(l, 0) || size != field(l, 4));
        page = field(l, 0);
        size = field(l, 4);
    }
    return true;
}

static bool read_log(struct log *l, bool *lost, struct err *e)
{
    bool whole = false;

    *lost = false;
    if (!read_bytes(l, HEADER_LEN, &whole, e) || !whole)
        return whole || e->kind == ERR_NONE;
    if (take_header(l))
        return read_frames(l, lost, e);
    /* The header is synced before the first frame. */
    return read_bytes(l, FRAME_HEADER_LEN + PAGE_MIN, lost, e);
}

bool db_log_check(str path, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct log *l = ARENA_NEW(a, struct log);
    bool lost = false;

    l->name = str_concat(a, path, STR("-wal"));
    if (file_kind(l->name) == FILE_MISSING)
        return true;
    AUTO_FD fd = -1;
    if (!file_open(l->name, &fd, e))
        return false;
    l->fd = fd;
    if (!read_log(l, &lost, e))
        return false;
    return !lost ||
           err_set(e, ERR_INVALID,
                   "%.*s: damaged, and changes behind the damage would be lost; without this file "
                   "the database opens as it was before all changes in it",
                   STR_ARG(l->name));
}
