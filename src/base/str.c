/* SPDX-License-Identifier: Apache-2.0 */
/* str.c - text as pointer and length; see str.h. */
#include "base/str.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/hot.h"

#include <limits.h>
#include <pthread.h>

int str_arg_len(str s)
{
    return s.len > INT_MAX ? INT_MAX : (int)s.len;
}

str str_trim_set(str s, str set)
{
    while (s.len && str_find_char(set, s.ptr[0]) != STR_NPOS)
        s = str_from(s, 1);
    while (s.len && str_find_char(set, s.ptr[s.len - 1]) != STR_NPOS)
        s.len--;
    return s;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

str str_trim(str s)
{
    while (s.len && is_blank(s.ptr[0]))
        s = str_from(s, 1);
    while (s.len && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

str str_without_prefix(str s, str prefix)
{
    return str_has_prefix(s, prefix) ? str_from(s, prefix.len) : s;
}

str str_without_suffix(str s, str suffix)
{
    return str_has_suffix(s, suffix) ? str_slice(s, 0, s.len - suffix.len) : s;
}

bool str_cut(str s, str sep, str *before, str *after)
{
    size_t at = str_find(s, sep);

    if (at == STR_NPOS) {
        *before = s;
        *after = STR_NONE;
        return false;
    }
    *before = str_slice(s, 0, at);
    *after = str_from(s, at + sep.len);
    return true;
}

bool str_next_line(str *rest, str *line)
{
    size_t end = str_find_char(*rest, '\n');

    if (!rest->len)
        return false;
    *line = str_slice(*rest, 0, end);
    *rest = end == STR_NPOS ? STR_NONE : str_from(*rest, end + 1);
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Eight bytes at once: the highest bit of each tells whether it is from A to Z. */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static uint64_t lower_8(uint64_t x)
{
    uint64_t low = x & EACH(0x7f);
    uint64_t upper = (low + EACH(0x80 - 'A')) & ~(low + EACH(0x7f - 'Z')) & ~x & EACH(0x80);

    return x | upper >> 2; /* 0x20, the distance of the two cases */
}

bool str_eq_fold(str a, str b)
{
    size_t i = 0;

    if (a.len != b.len)
        return false;
    for (; i + 8 <= a.len; i += 8)
        if (lower_8(hot_load_8(a.ptr + i)) != lower_8(hot_load_8(b.ptr + i)))
            return false;
    for (; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i]))
            return false;
    return true;
}

int str_cmp(str a, str b)
{
    size_t n = a.len < b.len ? a.len : b.len;

    /* Most texts differ at once. */
    if (n && a.ptr[0] != b.ptr[0])
        return (uint8_t)a.ptr[0] - (uint8_t)b.ptr[0];
    int order = n ? memcmp(a.ptr, b.ptr, n) : 0;
    if (order)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool str_has_suffix(str s, str suffix)
{
    return s.len >= suffix.len &&
           (!suffix.len || !memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len));
}

/* How often the start of the needle may be found without the rest before memmem takes over. */
enum { FIND_TRIES = 8 };

size_t str_find(str s, str needle)
{
    if (!needle.len)
        return 0;
    if (needle.len == 1)
        return str_find_char(s, needle.ptr[0]);
    /*
     * memmem builds a table first, which does not pay off for texts that are short or lack the
     * first two bytes.
     */
    size_t from = 0;
    for (unsigned tries = 0; tries < FIND_TRIES; tries++, from++) {
        size_t next = str_find_pair(str_from(s, from), needle.ptr[0], needle.ptr[1]);
        if (next == STR_NPOS || s.len - (from += next) < needle.len)
            return STR_NPOS;
        if (hot_same(s.ptr + from, needle.ptr, needle.len))
            return from;
    }
    const char *at = memmem(s.ptr + from, s.len - from, needle.ptr, needle.len);
    return at ? (size_t)(at - s.ptr) : STR_NPOS;
}

/* Sixteen sums at once, for as many rounds as a byte can count. */
static size_t count_block(const char *p, size_t rounds, char c)
{
    hot_bytes b, sums = {0};
    uint8_t sum[sizeof(b)];
    size_t total = 0;

    for (size_t i = 0; i < rounds; i++) {
        memcpy(&b, p + i * sizeof(b), sizeof(b));
        sums -= b == c; /* the bytes of a comparison that holds are -1 */
    }
    memcpy(sum, &sums, sizeof(sum));
    for (size_t i = 0; i < sizeof(sum); i++)
        total += sum[i];
    return total;
}

size_t str_count_char(str s, char c)
{
    size_t total = 0, rounds;

    for (; (rounds = s.len / sizeof(hot_bytes)); s = str_from(s, rounds * sizeof(hot_bytes))) {
        rounds = rounds < INT8_MAX ? rounds : INT8_MAX;
        total += count_block(s.ptr, rounds, c);
    }
    for (size_t i = 0; i < s.len; i++)
        total += s.ptr[i] == c;
    return total;
}

/*
 * Skips blocks of sixteen bytes that do not contain the pair; returns where to go on byte by byte.
 */
static size_t skip_without_pair(str s, char first, char second)
{
    hot_bytes a, b;
    uint64_t found[2];
    size_t i = 0;

    for (; s.len - i > sizeof(a); i += sizeof(a)) {
        memcpy(&a, s.ptr + i, sizeof(a));
        memcpy(&b, s.ptr + i + 1, sizeof(b));
        a = (a == first) & (b == second);
        memcpy(found, &a, sizeof(found));
        if (found[0] | found[1])
            break;
    }
    return i;
}

size_t str_find_pair(str s, char first, char second)
{
    for (size_t i = skip_without_pair(s, first, second); i + 1 < s.len; i++)
        if (s.ptr[i] == first && s.ptr[i + 1] == second)
            return i;
    return STR_NPOS;
}

size_t str_rfind_char(str s, char c)
{
    const char *at = s.len ? memrchr(s.ptr, c, s.len) : NULL;

    return at ? (size_t)(at - s.ptr) : STR_NPOS;
}

bool str_contains(str s, str needle)
{
    return str_find(s, needle) != STR_NPOS;
}

uint64_t hash_seed;

static void make_hash_seed(void)
{
    __atomic_store_n(&hash_seed, random_u64() | 1, __ATOMIC_RELAXED);
}

uint64_t hash_seed_make(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_hash_seed);
    return __atomic_load_n(&hash_seed, __ATOMIC_RELAXED);
}

uint64_t str_hash(str s)
{
    return hash_text(s);
}

enum { DISTANCE_MAX = 64 };

static size_t min3(size_t x, size_t y, size_t z)
{
    size_t least = x < y ? x : y;

    return least < z ? least : z;
}

/* Three rows of the usual table: enough for transpositions of neighbours. */
size_t str_distance(str a, str b)
{
    size_t rows[3][DISTANCE_MAX + 1];

    if (a.len > DISTANCE_MAX || b.len > DISTANCE_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t differs = a.ptr[i - 1] != b.ptr[j - 1];
            now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + differs);
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
                now[j] = min3(now[j], earlier[j - 2] + 1, SIZE_MAX);
        }
    }
    return rows[a.len % 3][b.len];
}

bool str_to_u64(str s, uint64_t *out)
{
    uint64_t n = 0;

    if (!s.len)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(s.ptr[i] - '0'), &n))
            return false;
    }
    *out = n;
    return true;
}

bool str_to_i64(str s, int64_t *out)
{
    bool negative = str_has_prefix(s, STR("-"));
    uint64_t n;

    if (negative || str_has_prefix(s, STR("+")))
        s = str_from(s, 1);
    if (!str_to_u64(s, &n) || n > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - n) : (int64_t)n;
    return true;
}

str str_copy(struct arena *a, str s)
{
    char *copy = arena_alloc_text(a, s.len);

    if (s.len)
        memcpy(copy, s.ptr, s.len);
    return (str){copy, s.len};
}

char *str_z(struct arena *a, str s)
{
    char *copy = arena_alloc_text(a, s.len + 1);

    if (s.len)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return copy;
}

str str_concat(struct arena *a, str first, str second)
{
    return str_join(a, (const str[]){first, second}, 2, STR_NONE);
}

str str_join(struct arena *a, const str *parts, size_t count, str sep)
{
    size_t len = count ? (count - 1) * sep.len : 0;

    for (size_t i = 0; i < count; i++)
        len += parts[i].len;
    char *text = arena_alloc_text(a, len), *at = text;
    for (size_t i = 0; i < count; i++) {
        if (i && sep.len)
            at = mempcpy(at, sep.ptr, sep.len);
        if (parts[i].len)
            at = mempcpy(at, parts[i].ptr, parts[i].len);
    }
    return (str){text, len};
}

str str_lower(struct arena *a, str s)
{
    char *copy = arena_alloc_text(a, s.len);
    size_t i = 0;

    for (; i + 8 <= s.len; i += 8) {
        uint64_t x = lower_8(hot_load_8(s.ptr + i));
        memcpy(copy + i, &x, sizeof x);
    }
    for (; i < s.len; i++)
        copy[i] = lower(s.ptr[i]);
    return (str){copy, s.len};
}

/* Most texts are short: what fits is printed once. Secrets leave no copy on the stack. */
str str_vfmt(struct arena *a, const char *format, va_list args)
{
    char shorter[256];
    size_t room = a->secret ? 0 : sizeof(shorter);
    size_t len = str_print(shorter, room, format, args);
    char *text = arena_alloc_text(a, len);

    if (len > room)
        str_print(text, len, format, args);
    else
        memcpy(text, shorter, len);
    return (str){text, len};
}

str str_fmt(struct arena *a, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    str s = str_vfmt(a, format, args);
    va_end(args);
    return s;
}
