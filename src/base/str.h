/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str.h - text as pointer and length, passed by value.
 *
 * A str may contain NUL, is not terminated, is never freed and never written through: it is a view
 * of memory owned elsewhere. The empty str may have a NULL pointer. C strings appear only at the
 * boundaries (system calls, libraries) and are converted there with str_c and str_z.
 *
 * All functions are pure and may be called from any thread.
 */
#pragma once

#include "base/attr.h"

#include <stdarg.h>

struct arena;

typedef struct {
    const char *ptr;
    size_t len;
} str;

/* A str of a literal; in static tables, which need constant initializers, use STR_INIT. */
#define STR(literal) ((str){"" literal, sizeof(literal) - 1})
#define STR_INIT(literal)                                                                          \
    {                                                                                              \
        "" literal, sizeof(literal) - 1                                                            \
    }
/* For printf's "%.*s". Lengths beyond INT_MAX are cut. s is evaluated more than once. */
#define STR_ARG(s) str_arg_len(s), ((s).len ? (s).ptr : "")
#define STR_NONE ((str){NULL, 0})

/* What str_find and friends return when nothing is found. */
#define STR_NPOS SIZE_MAX

int str_arg_len(str s);

/*
 * Views. Here and below, the static analyzer sees declarations only: it cannot know that a text
 * with a length has bytes.
 */
#ifdef __clang_analyzer__
str str_c(const char *c_string);
#else
static inline str str_c(const char *c_string) /* NULL gives the empty str */
{
    return c_string ? (str){c_string, strlen(c_string)} : STR_NONE;
}
#endif
static inline str str_of(const char *ptr, size_t len)
{
    return (str){ptr, len};
}
#ifdef __clang_analyzer__
str str_slice(str s, size_t from, size_t to);
#else
static inline str str_slice(str s, size_t from, size_t to) /* clamped to s */
{
    to = to > s.len ? s.len : to;
    return from >= to ? (str){s.ptr, 0} : (str){s.ptr + from, to - from};
}
#endif
#ifdef __clang_analyzer__
str str_from(str s, size_t from);
#else
static inline str str_from(str s, size_t from) /* the rest, clamped */
{
    from = from > s.len ? s.len : from;
    return (str){s.ptr ? s.ptr + from : NULL, s.len - from};
}
#endif
str str_trim(str s);                       /* without blanks, tabs, CR, LF at both ends */
str str_trim_set(str s, str set);          /* without bytes of set at both ends */
str str_without_prefix(str s, str prefix); /* s itself when it does not begin with it */
str str_without_suffix(str s, str suffix);
/* Cuts s at the first sep. False, with *before = s and *after empty, when there is none. */
bool str_cut(str s, str sep, str *before, str *after);
/*
 * Takes the next line off *rest, without its LF; a CR before it stays. False at the end. A text
 * that ends in LF has no empty last line.
 */
bool str_next_line(str *rest, str *line);

/* Questions. */
#ifdef __clang_analyzer__
bool str_eq(str a, str b);
#else
static inline bool str_eq(str a, str b)
{
    return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}
#endif
bool str_eq_fold(str a, str b); /* ASCII case-insensitive */
int str_cmp(str a, str b);      /* bytewise; below, at or above 0 */
#ifdef __clang_analyzer__
bool str_has_prefix(str s, str prefix);
#else
static inline bool str_has_prefix(str s, str prefix)
{
    return s.len >= prefix.len && (!prefix.len || !memcmp(s.ptr, prefix.ptr, prefix.len));
}
#endif
bool str_has_suffix(str s, str suffix);
size_t str_find(str s, str needle); /* position or STR_NPOS; an empty needle is at 0 */
#ifdef __clang_analyzer__
size_t str_find_char(str s, char c);
#else
static inline size_t str_find_char(str s, char c)
{
    const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;

    return at ? (size_t)(at - s.ptr) : STR_NPOS;
}
#endif
/* How often a byte occurs: the lines of a text, say. */
size_t str_count_char(str s, char c);
/*
 * The first place where second follows first: fast when each byte is frequent but the pair is not.
 */
size_t str_find_pair(str s, char first, char second);
size_t str_rfind_char(str s, char c);
bool str_contains(str s, str needle);
/* Seeded once per process: never stored, never printed. */
uint64_t str_hash(str s);
/* The Damerau-Levenshtein distance, for "did you mean". SIZE_MAX for texts over 64 bytes. */
size_t str_distance(str a, str b);

/*
 * Numbers: the whole text must be an optional sign and decimal digits. False if not, or on
 * overflow.
 */
MUST_CHECK bool str_to_i64(str s, int64_t *out);
MUST_CHECK bool str_to_u64(str s, uint64_t *out); /* no sign */

/* Copies, which live as long as a. */
str str_copy(struct arena *a, str s);
char *str_z(struct arena *a, str s); /* terminated, for system calls */
str str_concat(struct arena *a, str first, str second);
str str_join(struct arena *a, const str *parts, size_t count, str sep);
str str_lower(struct arena *a, str s); /* ASCII only */
str str_fmt(struct arena *a, const char *format, ...) FORMAT(2, 3);
str str_vfmt(struct arena *a, const char *format, va_list args) FORMAT(2, 0);
/*
 * What all our printf-like functions use: as vsnprintf, but "%.*s" prints all of a text even if it
 * contains a NUL, and no NUL is added at the end. Writes up to room bytes and returns how many
 * there are. Numbers may take 511 bytes. No %p, no %n, no wide characters.
 */
size_t str_print(char *out, size_t room, const char *format, va_list args) FORMAT(3, 0);
