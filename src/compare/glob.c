/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob.c - shell patterns; see glob.h.
 */
#include "compare/glob.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

/* ---- One name. ---- */

/* One character of a class, maybe escaped; moves *p behind it. False when the class is broken. */
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

/* A class after its "[": whether r is in it. *p moves behind its "]". */
static enum glob_result match_class(str *p, uint32_t r)
{
    bool negated = p->len && p->ptr[0] == '^', in = false;

    if (negated)
        *p = str_from(*p, 1);
    for (size_t ranges = 0; !p->len || p->ptr[0] != ']' || !ranges; ranges++) {
        uint32_t lo, hi;
        if (!class_char(p, &lo))
            return GLOB_BAD;
        hi = lo;
        if (p->ptr[0] == '-') {
            *p = str_from(*p, 1);
            if (!class_char(p, &hi))
                return GLOB_BAD;
        }
        in |= lo <= r && r <= hi;
    }
    *p = str_from(*p, 1);
    return in != negated ? GLOB_YES : GLOB_NO;
}

/* One element of a pattern other than "*", against the beginning of *name. */
static enum glob_result match_one(str *pattern, str *name)
{
    size_t width = 0;
    uint32_t r = name->len ? utf8_decode(*name, &width) : 0;
    char c = pattern->ptr[0];
    enum glob_result result = GLOB_YES;

    *pattern = str_from(*pattern, 1);
    if (c == '[') {
        result = match_class(pattern, r);
    } else if (c == '?') {
        result = r == '/' ? GLOB_NO : GLOB_YES;
    } else {
        if (c == '\\') {
            if (!pattern->len)
                return GLOB_BAD;
            c = pattern->ptr[0];
            *pattern = str_from(*pattern, 1);
        }
        width = 1;
        result = name->len && name->ptr[0] == c ? GLOB_YES : GLOB_NO;
    }
    if (!name->len && result == GLOB_YES)
        result = GLOB_NO;
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
        else if (match_one(&pattern, &name) == GLOB_BAD)
            return false;
    }
    return true;
}

enum glob_result glob_match(str pattern, str name)
{
    str after_star = STR_NONE, star_name = STR_NONE;
    bool star = false;

    if (!is_well_formed(pattern))
        return GLOB_BAD;
    while (pattern.len || name.len) {
        if (pattern.len && pattern.ptr[0] == '*') {
            star = true;
            after_star = pattern = str_from(pattern, 1);
            star_name = name;
            continue;
        }
        if (pattern.len && match_one(&pattern, &name) == GLOB_YES)
            continue;
        /* Let the last star take one more byte. */
        if (!star || !star_name.len || star_name.ptr[0] == '/')
            return GLOB_NO;
        star_name = str_from(star_name, 1);
        name = star_name;
        pattern = after_star;
    }
    return GLOB_YES;
}

/* ---- Files. ---- */

bool glob_has_meta(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr("*?[\\", text.ptr[i]))
            return true;
    return false;
}

static str under(struct arena *a, str base, str path)
{
    return base.len ? str_fmt(a, "%.*s/%.*s", STR_ARG(base), STR_ARG(path)) : path;
}

static bool exists(struct arena *a, str path)
{
    struct stat st;

    return lstat(str_z(a, path), &st) == 0;
}

static int compare_entries(const void *x, const void *y)
{
    return str_cmp(((const struct glob_entry *)x)->name, ((const struct glob_entry *)y)->name);
}

int glob_entries(struct arena *a, str folder, struct glob_entries *out)
{
    DIR *dir = opendir(str_z(a, folder));
    struct dirent *entry;

    if (!dir)
        return errno;
    while ((errno = 0, entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            VEC_PUSH(a, out,
                     ((struct glob_entry){str_copy(a, str_c(entry->d_name)), entry->d_type}));
    int failure = errno;
    closedir(dir);
    if (out->len)
        qsort(out->items, out->len, sizeof(*out->items), compare_entries);
    return failure;
}

int glob_names(struct arena *a, str folder, struct str_list *out)
{
    struct glob_entries entries = {0};
    int failure = glob_entries(a, folder, &entries);

    for (size_t i = 0; i < entries.len; i++)
        VEC_PUSH(a, out, entries.items[i].name);
    return failure;
}

str glob_join(struct arena *a, str folder, str name)
{
    return folder.len ? file_clean(a, file_join(a, folder, name)) : name;
}

/* A folder that cannot be read has nothing that fits. */
static bool match_in(struct arena *a, str base, str folder, str pattern, struct str_list *out)
{
    struct str_list names = {0};

    (void)glob_names(a, under(a, base, folder), &names);
    for (size_t i = 0; i < names.len; i++) {
        enum glob_result r = glob_match(pattern, names.items[i]);
        if (r == GLOB_BAD)
            return false;
        if (r == GLOB_YES)
            VEC_PUSH(a, out, glob_join(a, folder, names.items[i]));
    }
    return true;
}

bool glob_files(struct arena *a, str base, str pattern, struct str_list *out)
{
    size_t slash = str_rfind_char(pattern, '/');
    str folder = slash == STR_NPOS ? STR(".") : str_slice(pattern, 0, slash ? slash : 1);
    str last = slash == STR_NPOS ? pattern : str_from(pattern, slash + 1);
    struct str_list folders = {0};

    if (!is_well_formed(pattern))
        return false;
    if (!glob_has_meta(pattern)) {
        if (exists(a, under(a, base, pattern)))
            VEC_PUSH(a, out, pattern);
        return true;
    }
    if (!glob_has_meta(folder))
        return match_in(a, base, folder, last, out);
    if (!glob_files(a, base, folder, &folders))
        return false;
    for (size_t i = 0; i < folders.len; i++)
        if (!match_in(a, base, folders.items[i], last, out))
            return false;
    return true;
}
