/* SPDX-License-Identifier: Apache-2.0 */
/* unicode.c - searching the generated tables; see unicode.h. */
#include "base/unicode.h"

#include "base/utf8.h"

enum { NAME_SIZE = 24 }; /* as in tools/gen-unicode.c */

/* Names are kept in place: without pointers, nothing needs relocating when the program starts. */
struct unicode_named {
    char name[NAME_SIZE];
    uint16_t first, count;
};
struct unicode_alias {
    char name[NAME_SIZE];
    uint8_t set;
};
struct unicode_case {
    uint32_t rune, upper, lower, title, fold;
};

#include "unicode_tables.h"

/* ---- Properties ------------------------------------------------------------------------------ */

static bool ranges_have(const struct unicode_range *ranges, size_t count, uint32_t r)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r > ranges[middle].hi)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && r >= ranges[low].lo;
}

static bool set_has(size_t set, uint32_t r)
{
    const struct unicode_named *s = &unicode_sets[set];

    return ranges_have(unicode_ranges + s->first, s->count, r);
}

bool unicode_is_letter(uint32_t r)
{
    if (r < 0x80)
        return (r | 0x20) >= 'a' && (r | 0x20) <= 'z';
    return set_has(UNICODE_SET_L, r);
}

bool unicode_is_digit(uint32_t r)
{
    if (r < 0x80)
        return r >= '0' && r <= '9';
    return set_has(UNICODE_SET_Nd, r);
}

bool unicode_is_upper(uint32_t r)
{
    return set_has(UNICODE_SET_Lu, r);
}

bool unicode_is_lower(uint32_t r)
{
    return set_has(UNICODE_SET_Ll, r);
}

bool unicode_is_title(uint32_t r)
{
    return set_has(UNICODE_SET_Lt, r);
}

bool unicode_is_number(uint32_t r)
{
    return set_has(UNICODE_SET_N, r);
}

bool unicode_is_punct(uint32_t r)
{
    return set_has(UNICODE_SET_P, r);
}

bool unicode_is_space(uint32_t r)
{
    if (r < 0x80)
        return r == ' ' || (r >= '\t' && r <= '\r');
    return set_has(UNICODE_SET_White_Space, r);
}

str unicode_trim(str s)
{
    size_t width;

    while (s.len && unicode_is_space(utf8_decode(s, &width)))
        s = str_from(s, width);
    while (s.len && unicode_is_space(utf8_decode_last(s, &width)))
        s.len -= width;
    return s;
}

bool unicode_is_print(uint32_t r)
{
    if (r < 0x80)
        return r >= 0x20 && r < 0x7F;
    return r <= RUNE_MAX && !set_has(UNICODE_SET_C, r) && !set_has(UNICODE_SET_Z, r);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* The number of entries below r. */
static size_t case_index(uint32_t r)
{
    size_t low = 0, high = COUNT(unicode_cases);

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unicode_cases[middle].rune < r)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct unicode_case *find_case(uint32_t r)
{
    size_t i = case_index(r);

    return i < COUNT(unicode_cases) && unicode_cases[i].rune == r ? &unicode_cases[i] : NULL;
}

uint32_t unicode_to_upper(uint32_t r)
{
    const struct unicode_case *c = find_case(r);

    return c ? c->upper : r;
}

uint32_t unicode_to_lower(uint32_t r)
{
    const struct unicode_case *c = find_case(r);

    return c ? c->lower : r;
}

uint32_t unicode_to_title(uint32_t r)
{
    const struct unicode_case *c = find_case(r);

    return c ? c->title : r;
}

uint32_t unicode_fold(uint32_t r)
{
    const struct unicode_case *c = find_case(r);

    return c ? c->fold : r;
}

size_t unicode_fold_index(uint32_t r)
{
    return case_index(r);
}

bool unicode_fold_at(size_t index, uint32_t *r, uint32_t *fold)
{
    if (index >= COUNT(unicode_cases))
        return false;
    *r = unicode_cases[index].rune;
    *fold = unicode_cases[index].fold;
    return true;
}

/* ---- Sets by name ---------------------------------------------------------------------------- */

/*
 * The form in which Go 1.26 looks names up: one capital, the rest lowercase, without blanks,
 * hyphens and underscores. A name longer than any in the tables gives "".
 */
static void canonical_name(str name, char out[NAME_SIZE])
{
    size_t len = 0;

    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '_' || c == '-' || c == ' ')
            continue;
        if (!len && c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        else if (len && c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (!c || len == NAME_SIZE - 1) {
            len = 0;
            break;
        }
        out[len++] = c;
    }
    out[len] = '\0';
}

/*
 * Categories first, then scripts, by their exact names. Upstream: the names of scripts keep their
 * underscores, so that a script of two words (Old_Italic, SignWriting) is not found by any
 * spelling.
 */
static const struct unicode_named *find_named(const char *name)
{
    for (size_t i = 0; i < UNICODE_SET_White_Space; i++)
        if (!strcmp(unicode_sets[i].name, name))
            return &unicode_sets[i];
    for (size_t i = 0; i < COUNT(unicode_aliases); i++) {
        char alias[NAME_SIZE];
        canonical_name(str_c(unicode_aliases[i].name), alias);
        if (!strcmp(alias, name))
            return &unicode_sets[unicode_aliases[i].set];
    }
    return NULL;
}

static const struct unicode_range any_range = {0, RUNE_MAX}, ascii_range = {0, 0x7F};

/* The names that are neither category nor script, and the one category that is not canonical. */
static const struct unicode_named *find_special(const char *name)
{
    if (!strcmp(name, "Assigned"))
        return &unicode_sets[UNICODE_SET_Cn];
    return !strcmp(name, "Lc") ? &unicode_sets[UNICODE_SET_LC] : find_named(name);
}

bool unicode_set_find(str name, struct unicode_set *out, bool *inverted)
{
    char key[NAME_SIZE];

    canonical_name(name, key);
    *inverted = !strcmp(key, "Assigned");
    if (!strcmp(key, "Any") || !strcmp(key, "Ascii")) {
        *out = (struct unicode_set){strcmp(key, "Any") ? &ascii_range : &any_range, 1};
        return true;
    }
    const struct unicode_named *set = find_special(key);
    if (!set)
        return false;
    *out = (struct unicode_set){unicode_ranges + set->first, set->count};
    return true;
}
