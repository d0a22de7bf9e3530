/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart.c - the files that a chart is made from, and those it consists of.
 */
#include "compare/helm/internal.h"
#include "compare/reference/yaml_map_internal.h"

#include <errno.h>
#include <sys/stat.h>

/* How deep folders may be nested: enough in practice, and names grow with every level. */
#define FOLDERS_MAX 1000

str helm_chart_name(str chart)
{
    str name = chart;

    while (name.len && name.ptr[name.len - 1] == '/')
        name.len--;
    if (!name.len)
        return chart.len ? STR("/") : STR(".");
    return file_base(name);
}

/* Everything up to the last slash; a slash at the end counts. */
static str folder_of(struct arena *a, str chart)
{
    size_t slash = str_rfind_char(chart, '/');

    return file_clean(a, slash == STR_NPOS ? STR(".") : str_slice(chart, 0, slash + 1));
}

/* ---- Writing. ---- */

static bool save_file(struct arena *a, str folder, const struct helm_file *file, struct err *e)
{
    str path = file_clean(a, file_join(a, folder, file->name));

    return file_make_folder(folder_of(a, path), e) && file_write(path, file->text, 0644, e);
}

bool helm_save(struct arena *a, str chart, const struct helm_files *files, struct err *e)
{
    str folder = file_clean(a, file_join(a, folder_of(a, chart), helm_chart_name(chart)));
    enum file_kind kind = file_kind(folder);

    if (kind != FILE_MISSING && kind != FILE_FOLDER) {
        err_set(e, ERR_EXISTS, "file %.*s already exists and is not a directory", STR_ARG(folder));
        return err_wrap(e, "failed to save helm chart in dir");
    }
    bool ok = file_make_folder(folder, e);
    for (size_t i = files->len; i > 0 && ok; i--)
        ok = save_file(a, folder, &files->items[i - 1], e);
    return ok || err_wrap(e, "failed to save helm chart in dir");
}

/* ---- Defaults. ---- */

static bool is_yaml(str path)
{
    return str_has_suffix(path, STR(".yaml")) || str_has_suffix(path, STR(".yml"));
}

static bool load_default(struct arena *a, str path, struct map *out, struct err *e)
{
    struct value *object;
    str text;

    if (!file_read(a, path, &text, e))
        return err_wrap(e, "failed to read yaml file %.*s", STR_ARG(path));
    if (!yaml_map_read(a, text, &object, e))
        return err_wrap(e, "file in  %.*s ends ith yaml/yml but is not valid yaml ", STR_ARG(path));
    map_set(out, file_base(path), object);
    return true;
}

/* As Go's filepath.Walk: names in bytewise order, links not followed. Pipes are passed over. */
static bool load_defaults(struct arena *a, str path, unsigned depth, struct map *out, struct err *e)
{
    struct stat st;
    str *names;
    size_t count;

    if (lstat(str_z(a, path), &st))
        return err_errno(e, errno, "lstat", path);
    if (!S_ISDIR(st.st_mode))
        return !is_yaml(path) || file_kind(path) == FILE_OTHER || load_default(a, path, out, e);
    if (depth > FOLDERS_MAX)
        return err_set(e, ERR_LIMIT, "%.*s: folders are nested too deep", STR_ARG(path));
    if (!file_list(a, path, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!load_defaults(a, file_clean(a, file_join(a, path, names[i])), depth + 1, out, e))
            return false;
    return true;
}

bool helm_defaults(struct arena *a, str folder, struct map **out, struct err *e)
{
    *out = map_new(a);
    return load_defaults(a, folder, 0, *out, e) || err_wrap(e, "failed to load yaml files");
}
