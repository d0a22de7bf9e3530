/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zip.c - checks what the library does not check in a zip; see internal.h.
 *
 * The end record of a zip has the length and offset of its directory, counted from the first
 * member: anything beyond that comes before the archive. Archives of more than 4 GiB have these in
 * a second end record before the first; for them, this is not checked.
 *
 * Each member has a header of its own, too. The library finds members by the directory but takes
 * their names from the headers, and no checksum covers either: a single flipped bit can hide a
 * document or make it look like something else.
 */
#include "archive/internal.h"

#include <stdlib.h>

#define END_LEN 22
#define END_MAX (END_LEN + 65535) /* with a comment */
#define LARGE_LEN 20              /* locates the second end record, right before the end record */

static uint64_t number(str text, size_t at, size_t len)
{
    uint64_t n = 0;

    while (len-- > 0)
        n = n << 8 | (uint8_t)text.ptr[at + len];
    return n;
}

/* Reads size bytes, or up to the end. */
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
 * Where the end record begins in the last bytes of the archive, or STR_NPOS. A comment may look
 * like one: prefers the one that nothing follows, else the last.
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

static bool is_large(str tail, size_t at)
{
    return number(tail, at + 12, 4) == UINT32_MAX || number(tail, at + 16, 4) == UINT32_MAX ||
           (at >= LARGE_LEN && str_has_prefix(str_from(tail, at - LARGE_LEN), STR("PK\006\007")));
}

static bool check_before(str tail, size_t at, uint64_t before, struct err *e)
{
    uint64_t len = number(tail, at + 12, 4), start = number(tail, at + 16, 4);

    if (is_large(tail, at) || before + at <= len + start)
        return true;
    return err_set(e, ERR_INVALID,
                   "%llu bytes come before it that are not a part of it, such as another archive",
                   (unsigned long long)(before + at - len - start));
}

/* Padding with zeros is fine. */
static bool check_behind(str rest, struct err *e)
{
    for (size_t i = 0; i < rest.len; i++)
        if (rest.ptr[i])
            return err_set(e, ERR_INVALID, "something that is not a part of it follows it");
    return true;
}

/* ---- The directory. ---- */

#define ENTRY_LEN 46
#define HEADER_LEN 30

/* The byte range of a member. */
struct span {
    uint64_t from, to; /* to: UINT64_MAX when unknown */
    str name;          /* in the directory */
    uint16_t own_len;  /* of its name in its header */
};

struct directory {
    struct arena *arena;
    struct reader *from;
    uint64_t start;
    VEC(struct span) spans;
    char own[UINT16_MAX]; /* a name in a header */
};

/* Fewer than size bytes are an error. */
static bool read_at(struct reader *from, uint64_t at, char *to, size_t size, struct err *e)
{
    size_t got;

    if (from->seek(from, (int64_t)at, SEEK_SET) != (int64_t)at)
        return err_set(e, ERR_IO, "it cannot be read again");
    return read_all(from, to, size, &got, e) &&
           (got == size || err_set(e, ERR_INVALID, "its directory leads beyond its end"));
}

static bool is_wanted(str name)
{
    return pack_takes(name) || pack_is_name(name);
}

/* For unwanted members, the two names may differ. */
static bool check_name(struct directory *d, const struct span *member, struct err *e)
{
    str own = str_of(d->own, member->own_len);

    if (!read_at(d->from, member->from + HEADER_LEN, d->own, own.len, e))
        return false;
    return str_eq(own, member->name) || (!is_wanted(own) && !is_wanted(member->name)) ||
           err_set(e, ERR_INVALID, "its directory has another name for a member than the member");
}

/* Takes the next number from the field for those that need eight bytes. */
static void take_large(str *field, uint64_t *n)
{
    if (field->len < 8)
        return;
    *n = number(*field, 0, 8);
    *field = str_from(*field, 8);
}

/* The size and offset of a member; UINT32_MAX when the entry does not have them. */
static void read_entry(str entry, str more, uint64_t *size, uint64_t *at)
{
    size_t len;

    *size = number(entry, 20, 4);
    *at = number(entry, 42, 4);
    for (; more.len >= 4; more = str_from(more, 4 + len)) {
        len = (size_t)number(more, 2, 2);
        str field = str_slice(more, 4, 4 + len);
        if (number(more, 0, 2) != 1)
            continue;
        uint64_t unpacked;
        if (number(entry, 24, 4) == UINT32_MAX)
            take_large(&field, &unpacked);
        if (*size == UINT32_MAX)
            take_large(&field, size);
        if (*at == UINT32_MAX)
            take_large(&field, at);
        return;
    }
}

static bool check_entry(struct directory *d, str entry, str name, str more, struct err *e)
{
    uint64_t size, at;
    char bytes[HEADER_LEN];
    str header = str_of(bytes, sizeof(bytes));

    read_entry(entry, more, &size, &at);
    if (at == UINT32_MAX)
        return true;
    if (at > INT64_MAX - UINT32_MAX)
        return err_set(e, ERR_INVALID, "its directory leads beyond its end");
    if (!read_at(d->from, at, bytes, sizeof(bytes), e))
        return false;
    if (!str_has_prefix(header, STR("PK\003\004")))
        return err_set(e, ERR_INVALID, "its directory lists a member where none begins");
    uint64_t begin = at + HEADER_LEN + number(header, 26, 2) + number(header, 28, 2);
    struct span span = {.from = at,
                        .to = size >= UINT64_MAX - begin || size == UINT32_MAX ? UINT64_MAX
                                                                               : begin + size,
                        .name = name,
                        .own_len = (uint16_t)number(header, 26, 2)};
    VEC_PUSH(d->arena, &d->spans, span);
    return true;
}

static bool fail_in_one_place(struct err *e)
{
    return err_set(e, ERR_INVALID, "its directory has two members in one place");
}

/* Between two members there may be padding, and the data descriptor of the first. */
static bool check_gap(const struct directory *d, uint64_t from, uint64_t to, struct err *e)
{
    AUTO_ARENA a = arena_new();

    if (to > from && to - from > PACK_HEADER_MAX)
        return err_set(e, ERR_LIMIT, "more than %zu bytes of it belong to no member",
                       (size_t)PACK_HEADER_MAX);
    if (to < from)
        return fail_in_one_place(e);
    char *bytes = arena_alloc_text(a, (size_t)(to - from));
    return read_at(d->from, from, bytes, (size_t)(to - from), e) &&
           (str_find(str_of(bytes, (size_t)(to - from)), STR("PK\003\004")) == STR_NPOS ||
            err_set(e, ERR_INVALID, "it has a member that its directory does not list"));
}

static int order_spans(const void *x, const void *y)
{
    uint64_t a = ((const struct span *)x)->from, b = ((const struct span *)y)->from;

    return (a > b) - (a < b);
}

static bool check_spans(struct directory *d, struct err *e)
{
    uint64_t end = 0;

    if (d->spans.len)
        qsort(d->spans.items, d->spans.len, sizeof(struct span), order_spans);
    for (size_t i = 0; i < d->spans.len; i++) {
        const struct span *span = &d->spans.items[i];
        if (i && span->from == span[-1].from)
            return fail_in_one_place(e);
        if (end != UINT64_MAX && !check_gap(d, end, span->from, e))
            return false;
        end = span->to;
    }
    return end == UINT64_MAX || check_gap(d, end, d->start, e);
}

/* Names are read last: by then no two can be read from the same place, however long they are. */
static bool check_names(struct directory *d, struct err *e)
{
    for (size_t i = 0; i < d->spans.len; i++)
        if (!check_name(d, &d->spans.items[i], e))
            return false;
    return true;
}

/* The library has already reported a malformed directory. */
static bool check_directory(struct directory *d, str text, struct err *e)
{
    size_t name_len, more;

    for (size_t at = 0; at + ENTRY_LEN <= text.len; at += ENTRY_LEN + name_len + more) {
        str entry = str_from(text, at);
        if (!str_has_prefix(entry, STR("PK\001\002")))
            break;
        name_len = (size_t)number(entry, 28, 2);
        more = (size_t)(number(entry, 30, 2) + number(entry, 32, 2));
        str name = str_slice(entry, ENTRY_LEN, ENTRY_LEN + name_len);
        str fields = str_slice(entry, ENTRY_LEN + name_len,
                               ENTRY_LEN + name_len + (size_t)number(entry, 30, 2));
        if (!check_entry(d, entry, name, fields, e))
            return false;
    }
    return check_spans(d, e) && check_names(d, e);
}

#define LARGE_END_LEN 56

/* Finds the directory. The tail contains the end record, at this offset, and its locator. */
static bool find_directory(struct reader *from, str tail, size_t at, uint64_t *start, uint64_t *len,
                           struct err *e)
{
    char bytes[LARGE_END_LEN];
    str end = str_of(bytes, sizeof(bytes));

    *len = number(tail, at + 12, 4);
    *start = number(tail, at + 16, 4);
    if (!is_large(tail, at))
        return true;
    uint64_t place = at < LARGE_LEN ? UINT64_MAX : number(tail, at - LARGE_LEN + 8, 8);
    if (place > INT64_MAX)
        return err_set(e, ERR_INVALID, "its directory leads beyond its end");
    if (!read_at(from, place, bytes, sizeof(bytes), e))
        return false;
    *len = number(end, 40, 8);
    *start = number(end, 48, 8);
    return str_has_prefix(end, STR("PK\006\006")) ||
           err_set(e, ERR_INVALID, "the end of its directory is not where it should be");
}

/* Checks members against the directory. at is the offset of the end record in the tail. */
static bool check_members(struct reader *from, str tail, size_t at, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct directory *d = ARENA_NEW(a, struct directory);
    uint64_t len;

    d->arena = a;
    d->from = from;
    if (!find_directory(from, tail, at, &d->start, &len, e))
        return false;
    if (len > PACK_DIRECTORY_MAX || d->start > INT64_MAX)
        return err_set(e, ERR_LIMIT, "its directory is larger than the limit of %zu bytes",
                       (size_t)PACK_DIRECTORY_MAX);
    char *text = arena_alloc_text(a, (size_t)len);
    return read_at(from, d->start, text, (size_t)len, e) &&
           check_directory(d, str_of(text, (size_t)len), e);
}

/* ---- Read in order. ---- */

/* Non-ASCII names may have been converted on the way, so they are not counted. */
static uint64_t name_sum(str name)
{
    uint64_t sum = 0xcbf29ce484222325;

    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = (uint8_t)name.ptr[i];
        if (c >= 0x80)
            return 0;
        sum = (sum ^ (c == '\\' ? '/' : c)) * 0x100000001b3;
    }
    return is_wanted(name) ? sum : 0;
}

static uint64_t sized_sum(uint64_t sum, uint64_t size)
{
    return sum ? (sum ^ size) * 0x100000001b3 : 0;
}

void zip_count(struct zip_order *z, str name, uint64_t size)
{
    z->members += name_sum(name);
    z->members_sized += sized_sum(name_sum(name), size);
}

static void end_entry(struct zip_order *z)
{
    str entry = buf_str(&z->entry);
    uint64_t sum = name_sum(entry.len > ENTRY_LEN ? str_from(entry, ENTRY_LEN) : STR_NONE);
    uint64_t size = number(entry, 24, 4);

    z->entries += sum;
    z->entries_sized += sized_sum(sum, size);
    z->unsized |= size == UINT32_MAX;
    z->skip = (size_t)(number(entry, 30, 2) + number(entry, 32, 2));
    buf_truncate(&z->entry, 0);
}

/* How many bytes of an entry are needed for its name. */
static size_t entry_need(str entry)
{
    return entry.len < ENTRY_LEN ? ENTRY_LEN : ENTRY_LEN + (size_t)number(entry, 28, 2);
}

void zip_take(struct zip_order *z, char byte)
{
    static const char mark[] = "PK\001\002";
    str entry;

    if (z->skip) {
        z->skip--;
        return;
    }
    buf_char(&z->entry, byte);
    entry = buf_str(&z->entry);
    if (entry.len <= 4 && byte != mark[entry.len - 1]) {
        buf_truncate(&z->entry, 0);
        z->outside += entry.len;
        if (byte == mark[0])
            buf_char(&z->entry, byte);
        return;
    }
    if (entry.len >= ENTRY_LEN && entry.len == entry_need(entry))
        end_entry(z);
}

bool zip_check_order(const struct zip_order *z, struct err *e)
{
    if (z->members != z->entries)
        return err_set(e, ERR_INVALID, "its directory has other names than its members");
    return z->unsized || z->members_sized == z->entries_sized ||
           err_set(e, ERR_INVALID, "its directory has other sizes than its members");
}

/* ---- All of it. ---- */

static bool check_tail(struct reader *from, str tail, uint64_t before, struct err *e)
{
    size_t at = find_end(tail);

    /* The library reads such a zip in order, up to where its directory should begin. */
    if (at == STR_NPOS)
        return err_set(e, ERR_INVALID, "its directory has no end, or something else follows it");
    size_t end = at + END_LEN + comment_len(tail, at);
    return check_before(tail, at, before, e) &&
           check_behind(end < tail.len ? str_from(tail, end) : STR_NONE, e) &&
           check_members(from, tail, at, e);
}

bool zip_check(struct reader *from, struct err *e)
{
    AUTO_ARENA a = arena_new();
    char *tail = arena_alloc_text(a, END_MAX);
    int64_t size = from->seek(from, 0, SEEK_END);
    int64_t start = size > END_MAX ? size - END_MAX : 0;
    size_t got;

    if (size < 0 || from->seek(from, start, SEEK_SET) != start)
        return err_set(e, ERR_IO, "its end cannot be read again");
    return read_all(from, tail, END_MAX, &got, e) &&
           check_tail(from, str_of(tail, got), (uint64_t)start, e);
}
