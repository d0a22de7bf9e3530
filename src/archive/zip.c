/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zip.c - what comes before and behind a zip; see internal.h.
 *
 * The end of a zip says how long its directory is and where it begins, counted from the first
 * member. What is more than that comes before the archive. Archives of more than 4 GiB say it
 * elsewhere, and are not looked at.
 */
#include "archive/internal.h"

#define END_LEN 22
#define END_MAX (END_LEN + 65535) /* with a comment */
#define LARGE_LEN 20 /* where archives of more than 4 GiB say it, right before the end */

static uint64_t number(str text, size_t at, size_t len)
{
    uint64_t n = 0;

    while (len-- > 0)
        n = n << 8 | (uint8_t)text.ptr[at + len];
    return n;
}

/* Reads so many bytes, or until there are none. */
static bool read_all(struct reader *from, char *to, size_t size, size_t *got, struct err *e)
{
    size_t piece = 1;

    for (*got = 0; *got < size && piece; *got += piece)
        if (!from->read(from, to + *got, size - *got, &piece, e))
            return false;
    return true;
}

static size_t comment_len(str tail, size_t at)
{
    return (size_t)number(tail, at + 20, 2);
}

/*
 * Where the end begins in the last bytes of the archive; STR_NPOS: nowhere. A comment may look like
 * an end: the one counts that nothing follows, else the last.
 */
static size_t find_end(str tail)
{
    size_t last = STR_NPOS;

    for (size_t at = tail.len < END_LEN ? 0 : tail.len - END_LEN + 1; at-- > 0;) {
        if (!str_has_prefix(str_from(tail, at), STR("PK\005\006")))
            continue;
        if (at + END_LEN + comment_len(tail, at) == tail.len)
            return at;
        last = last == STR_NPOS ? at : last;
    }
    return last;
}

static bool check_before(str tail, size_t at, uint64_t before, struct err *e)
{
    uint64_t len = number(tail, at + 12, 4), start = number(tail, at + 16, 4);
    bool large =
        len == UINT32_MAX || start == UINT32_MAX ||
        (at >= LARGE_LEN && str_has_prefix(str_from(tail, at - LARGE_LEN), STR("PK\006\007")));

    if (large || before + at <= len + start)
        return true;
    return err_set(e, ERR_INVALID,
                   "%llu bytes come before it that are not a part of it, such as another archive",
                   (unsigned long long)(before + at - len - start));
}

/* Zeros may fill it up. */
static bool check_behind(str rest, struct err *e)
{
    for (size_t i = 0; i < rest.len; i++)
        if (rest.ptr[i])
            return err_set(e, ERR_INVALID, "something that is not a part of it follows it");
    return true;
}

static bool check_tail(str tail, uint64_t before, struct err *e)
{
    size_t at = find_end(tail);

    if (at == STR_NPOS)
        return true;
    size_t end = at + END_LEN + comment_len(tail, at);
    return check_before(tail, at, before, e) &&
           check_behind(end < tail.len ? str_from(tail, end) : STR_NONE, e);
}

bool zip_check_around(struct reader *from, struct err *e)
{
    AUTO_ARENA a = arena_new();
    char *tail = arena_alloc_text(a, END_MAX);
    int64_t size = from->seek(from, 0, SEEK_END);
    int64_t start = size > END_MAX ? size - END_MAX : 0;
    size_t got;

    if (size < 0 || from->seek(from, start, SEEK_SET) != start)
        return err_set(e, ERR_IO, "its end cannot be read again");
    return read_all(from, tail, END_MAX, &got, e) &&
           check_tail(str_of(tail, got), (uint64_t)start, e);
}
