/* SPDX-License-Identifier: Apache-2.0 */
/* glob.c - finds files by shell patterns; see glob_internal.h. */
#include "compare/input/glob_internal.h"

#include "go/path.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

bool glob_has_meta(str text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '*':
        case '?':
        case '[':
        case '\\':
        case '\0':
            return true;
        default:
            break;
        }
    }
    return false;
}

static str under(struct arena *a, str base, str path)
{
    return base.len ? str_join(a, (const str[]){base, path}, 2, STR("/")) : path;
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
        enum go_match r = go_path_match(pattern, names.items[i]);
        if (r == GO_MATCH_BAD)
            return false;
        if (r == GO_MATCH_YES)
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

    if (!glob_has_meta(pattern)) {
        if (exists(a, under(a, base, pattern)))
            VEC_PUSH(a, out, pattern);
        return true;
    }
    if (go_path_match(pattern, STR_NONE) == GO_MATCH_BAD)
        return false;
    if (!glob_has_meta(folder))
        return match_in(a, base, folder, last, out);
    if (!glob_files(a, base, folder, &folders))
        return false;
    for (size_t i = 0; i < folders.len; i++)
        if (!match_in(a, base, folders.items[i], last, out))
            return false;
    return true;
}
