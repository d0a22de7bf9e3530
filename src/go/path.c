/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.c - paths and patterns as in Go's package path.
 */
#include "go/path.h"

/* ---- Parts of a path. ---- */

str go_path_base(str path)
{
    if (!path.len)
        return STR(".");
    while (path.len && path.ptr[path.len - 1] == '/')
        path.len--;
    return path.len ? file_base(path) : STR("/");
}

str go_path_dir(struct arena *a, str path)
{
    size_t slash = str_rfind_char(path, '/');

    return file_clean(a, str_slice(path, 0, slash == STR_NPOS ? 0 : slash + 1));
}

str go_path_ext(str path)
{
    for (size_t i = path.len; i > 0 && path.ptr[i - 1] != '/'; i--)
        if (path.ptr[i - 1] == '.')
            return str_from(path, i - 1);
    return STR_NONE;
}

/* ---- Patterns. ---- */

/*
 * Reads one character of a class, maybe escaped; moves *p past it. False when the class is
 * malformed.
 */
static bool class_char(str *p, uint32_t *out)
{
    size_t width;

    if (!p->len || p->ptr[0] == '-' || p->ptr[0] == ']')
        return false;
    if (p->ptr[0] == '\\') {
        *p = str_from(*p, 1);
        if (!p->len)
            return false;
    }
    *out = utf8_decode(*p, &width);
    if (*out == RUNE_ERROR && width == 1)
        return false;
    *p = str_from(*p, width);
    return p->len > 0;
}

/* Reads a class after its "[": whether r is in it. Moves *p past its "]". */
static enum go_match match_class(str *p, uint32_t r)
{
    bool negated = p->len && p->ptr[0] == '^', in = false;

    if (negated)
        *p = str_from(*p, 1);
    for (size_t ranges = 0; !p->len || p->ptr[0] != ']' || !ranges; ranges++) {
        uint32_t lo, hi;
        if (!class_char(p, &lo))
            return GO_MATCH_BAD;
        hi = lo;
        if (p->ptr[0] == '-') {
            *p = str_from(*p, 1);
            if (!class_char(p, &hi))
                return GO_MATCH_BAD;
        }
        in |= lo <= r && r <= hi;
    }
    *p = str_from(*p, 1);
    return in != negated ? GO_MATCH_YES : GO_MATCH_NO;
}

/* Matches one element of a pattern other than "*" against the beginning of *name. */
static enum go_match match_one(str *pattern, str *name)
{
    size_t width = 0;
    uint32_t r = name->len ? utf8_decode(*name, &width) : 0;
    char c = pattern->ptr[0];
    enum go_match result = GO_MATCH_YES;

    *pattern = str_from(*pattern, 1);
    if (c == '[') {
        result = match_class(pattern, r);
    } else if (c == '?') {
        result = r == '/' ? GO_MATCH_NO : GO_MATCH_YES;
    } else {
        if (c == '\\') {
            if (!pattern->len)
                return GO_MATCH_BAD;
            c = pattern->ptr[0];
            *pattern = str_from(*pattern, 1);
        }
        width = 1;
        result = name->len && name->ptr[0] == c ? GO_MATCH_YES : GO_MATCH_NO;
    }
    if (!name->len && result == GO_MATCH_YES)
        result = GO_MATCH_NO;
    *name = str_from(*name, width);
    return result;
}

/* Whether what is left of a pattern is well-formed. */
static bool is_well_formed(str pattern)
{
    while (pattern.len) {
        str name = STR("a");
        if (pattern.ptr[0] == '*')
            pattern = str_from(pattern, 1);
        else if (match_one(&pattern, &name) == GO_MATCH_BAD)
            return false;
    }
    return true;
}

enum go_match go_path_match(str pattern, str name)
{
    str after_star = STR_NONE, star_name = STR_NONE;
    bool star = false;

    if (!is_well_formed(pattern))
        return GO_MATCH_BAD;
    while (pattern.len || name.len) {
        if (pattern.len && pattern.ptr[0] == '*') {
            star = true;
            after_star = pattern = str_from(pattern, 1);
            star_name = name;
            continue;
        }
        if (pattern.len && match_one(&pattern, &name) == GO_MATCH_YES)
            continue;
        /* Let the last star take one more byte. */
        if (!star || !star_name.len || star_name.ptr[0] == '/')
            return GO_MATCH_NO;
        star_name = str_from(star_name, 1);
        name = star_name;
        pattern = after_star;
    }
    return GO_MATCH_YES;
}
