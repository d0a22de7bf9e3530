/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.c - the model as a whole: finds its files, and reads them on demand.
 *
 * One lock guards everything read so far. Files in a folder are read before it is taken; two
 * threads that need the same file may both read it, and the first result is kept.
 */
#include "azure/model/internal.h"

#include <stdlib.h>

struct model {
    struct arena *arena;      /* for everything read; freed by model_close */
    struct model_file *files; /* sorted by group and version */
    size_t count;
    str folder; /* empty: embedded */
    struct lock lock;
};

/* ---- Files. ---------------------------------------------------------------------------------- */

static int compare_files(const void *x, const void *y)
{
    const struct model_file *p = x, *q = y;
    int order = str_cmp(p->group, q->group);

    return order ? order : model_version_compare(p->version, q->version);
}

struct file_list {
    VEC(struct model_file) files;
};

static bool add_group(struct arena *a, struct file_list *list, str folder, str group, struct err *e)
{
    str place = file_join(a, folder, group), *names;
    size_t count;

    if (file_kind(place) != FILE_FOLDER)
        return true;
    if (!file_list(a, place, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!str_has_suffix(names[i], STR(".json")))
            continue;
        if (list->files.len == MODEL_FILES_MAX)
            return err_set(e, ERR_LIMIT, "%.*s: more than %d model files", STR_ARG(folder),
                           MODEL_FILES_MAX);
        VEC_PUSH(a, &list->files,
                 ((struct model_file){.group = group,
                                      .version = str_without_suffix(names[i], STR(".json")),
                                      .path = file_join(a, place, names[i])}));
    }
    return true;
}

static bool list_folder(struct model *m, str folder, struct err *e)
{
    struct file_list list = {0};
    str *groups;
    size_t count;

    if (!file_list(m->arena, folder, &groups, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!add_group(m->arena, &list, folder, groups[i], e))
            return false;
    if (list.files.len == 0)
        return err_set(e, ERR_INVALID,
                       "%.*s has no model files: they are called GROUP/VERSION.json",
                       STR_ARG(folder));
    m->files = list.files.items;
    m->count = list.files.len;
    return true;
}

bool model_open(struct arena *a, str folder, struct model **out, struct err *e)
{
    struct model *m = ARENA_NEW(a, struct model);
    bool ok;

    if (folder.len == 0)
        folder = str_c(getenv("PLUMB_MODEL"));
    *m = (struct model){.arena = arena_new(), .lock = LOCK_INIT};
    m->folder = str_copy(m->arena, folder);
    ok = folder.len ? list_folder(m, m->folder, e)
                    : model_packed_files(m->arena, &m->files, &m->count, e);
    if (!ok) {
        model_close(m);
        return err_wrap(e, "resource model");
    }
    if (m->count)
        qsort(m->files, m->count, sizeof(*m->files), compare_files);
    *out = m;
    return true;
}

bool model_open_again(struct arena *a, const struct model *m, struct model **out, struct err *e)
{
    return model_open(a, m->folder, out, e);
}

void model_close(struct model *m)
{
    if (m) {
        arena_free(m->arena);
        m->arena = NULL;
        m->count = 0;
    }
}

size_t model_file_count(const struct model *m)
{
    return m->count;
}

size_t model_read_count(struct model *m)
{
    AUTO_LOCK guard = lock_take(&m->lock);
    size_t count = 0;

    for (size_t i = 0; i < m->count; i++)
        count += m->files[i].loaded;
    return count;
}

size_t model_held(struct model *m)
{
    AUTO_LOCK guard = lock_take(&m->lock);

    return m->arena ? arena_held(m->arena) : 0;
}

/* Call with the lock held. disk is the text of a file in a folder. */
static bool load_locked(struct model *m, struct model_file *f, str disk, struct err *e)
{
    struct source *src;

    if (f->loaded)
        return true;
    src = ARENA_NEW(m->arena, struct source);
    if (f->path.len) {
        src->file = f->path;
        src->text = str_copy(m->arena, disk);
    } else {
        src->file =
            str_fmt(m->arena, "api/model/%.*s/%.*s.json", STR_ARG(f->group), STR_ARG(f->version));
        if (!model_unpack(m->arena, f, &src->text, e))
            return err_wrap(e, "resource model");
    }
    f->loaded = model_file_read(m->arena, f, src, e);
    return f->loaded || err_wrap(e, "resource model");
}

static bool is_loaded(struct model *m, const struct model_file *f)
{
    AUTO_LOCK guard = lock_take(&m->lock);

    return f->loaded;
}

static bool load(struct model *m, struct model_file *f, struct err *e)
{
    AUTO_ARENA moment = arena_new();
    str disk = STR_NONE;

    if (is_loaded(m, f))
        return true;
    if (f->path.len && !file_read_max(moment, f->path, MODEL_FILE_MAX, &disk, e))
        return err_wrap(e, "resource model");
    AUTO_LOCK guard = lock_take(&m->lock);
    return load_locked(m, f, disk, e);
}

/* ---- Finding. -------------------------------------------------------------------------------- */

static str short_group(str group)
{
    return str_without_suffix(group, STR(".azure.com"));
}

/* The files of a group: m->files[*from .. *to). */
static bool group_files(const struct model *m, str group, size_t *from, size_t *to)
{
    size_t i = 0;

    while (i < m->count && !str_eq(m->files[i].group, group))
        i++;
    *from = i;
    while (i < m->count && str_eq(m->files[i].group, group))
        i++;
    *to = i;
    return *from < *to;
}

bool model_has_group(const struct model *m, str group)
{
    size_t from, to;

    return group_files(m, short_group(group), &from, &to);
}

/* Whether a file may have the kind; hub: as the version in which it is stored. */
static bool may_have(const struct model_file *f, str kind, bool hub)
{
    str rest = f->kinds, word;

    if (f->path.len)
        return true;
    while (rest.len) {
        str_cut(rest, STR(" "), &word, &rest);
        if (str_eq(str_without_suffix(word, STR("*")), kind))
            return !hub || str_has_suffix(word, STR("*"));
    }
    return false;
}

static const struct model_resource *kind_of_file(const struct model_file *f, str kind)
{
    for (size_t i = 0; i < f->resource_count; i++)
        if (str_eq(f->resources[i].kind, kind))
            return &f->resources[i];
    return NULL;
}

bool model_versions(struct model *m, struct arena *a, str group, str kind,
                    const struct model_resource ***out, size_t *count, struct err *e)
{
    VEC(const struct model_resource *) found = {0};
    size_t from, to;

    if (group_files(m, short_group(group), &from, &to))
        for (size_t i = from; i < to; i++) {
            if (!may_have(&m->files[i], kind, false))
                continue;
            if (!load(m, &m->files[i], e))
                return false;
            const struct model_resource *r = kind_of_file(&m->files[i], kind);
            if (r)
                VEC_PUSH(a, &found, r);
        }
    *out = found.items;
    *count = found.len;
    return true;
}

/* ---- Names. ---------------------------------------------------------------------------------- */

struct name_list {
    VEC(struct model_kind) kinds;
};

static bool add_names(struct model *m, struct arena *a, struct model_file *f,
                      struct name_list *names, struct err *e)
{
    str group = str_concat(a, f->group, STR(".azure.com")), rest = f->kinds, word;

    while (rest.len) {
        str_cut(rest, STR(" "), &word, &rest);
        VEC_PUSH(a, &names->kinds,
                 ((struct model_kind){group, str_without_suffix(word, STR("*"))}));
    }
    if (f->path.len && !load(m, f, e))
        return false;
    for (size_t i = 0; f->path.len && i < f->resource_count; i++)
        VEC_PUSH(a, &names->kinds, ((struct model_kind){group, f->resources[i].kind}));
    return true;
}

static int compare_kinds(const void *x, const void *y)
{
    const struct model_kind *p = x, *q = y;
    int order = str_cmp(p->group, q->group);

    return order ? order : str_cmp(p->kind, q->kind);
}

bool model_kinds(struct model *m, struct arena *a, struct model_kind **out, size_t *count,
                 struct err *e)
{
    struct name_list names = {0};
    size_t n = 0;

    for (size_t i = 0; i < m->count; i++)
        if (!add_names(m, a, &m->files[i], &names, e))
            return false;
    struct model_kind *all = names.kinds.items;
    if (names.kinds.len)
        qsort(all, names.kinds.len, sizeof(*all), compare_kinds);
    for (size_t i = 0; i < names.kinds.len; i++)
        if (!n || compare_kinds(&all[n - 1], &all[i]))
            all[n++] = all[i];
    *out = all;
    *count = n;
    return true;
}

bool model_has_kind(struct model *m, str group, str kind)
{
    size_t from, to;

    if (!str_has_suffix(group, STR(".azure.com")) ||
        !group_files(m, short_group(group), &from, &to))
        return false;
    for (size_t i = from; i < to; i++) {
        struct model_file *f = &m->files[i];
        if (f->path.len ? load(m, f, NULL) && kind_of_file(f, kind) : may_have(f, kind, false))
            return true;
    }
    return false;
}

/* The kind in the group with the most similar name, or empty. */
static str alike(const struct model *m, size_t from, size_t to, str kind)
{
    str best = STR_NONE;
    size_t least = kind.len / 3 + 2;

    for (size_t i = from; i < to; i++)
        for (size_t k = 0; k < m->files[i].resource_count; k++) {
            str name = m->files[i].resources[k].kind;
            size_t distance = str_eq_fold(name, kind) ? 0 : str_distance(name, kind);
            if (distance < least) {
                least = distance;
                best = name;
            }
        }
    return best;
}

static bool no_group(const struct model *m, str group, struct err *e)
{
    if (m->count == 0)
        return err_set(e, ERR_NOT_FOUND,
                       "this program was built without a resource model: name a folder with one "
                       "in PLUMB_MODEL");
    return err_set(e, ERR_NOT_FOUND, "unknown group \"%.*s\"", STR_ARG(group));
}

static bool no_kind(struct model *m, str group, str kind, struct err *e)
{
    size_t from, to;

    group_files(m, short_group(group), &from, &to);
    for (size_t i = from; i < to; i++)
        if (!load(m, &m->files[i], e))
            return false;
    str name = alike(m, from, to, kind);
    if (name.len)
        return err_set(e, ERR_NOT_FOUND, "group %.*s has no kind \"%.*s\": did you mean %.*s?",
                       STR_ARG(group), STR_ARG(kind), STR_ARG(name));
    return err_set(e, ERR_NOT_FOUND, "group %.*s has no kind \"%.*s\"", STR_ARG(group),
                   STR_ARG(kind));
}

static bool no_version(struct arena *a, str version, const struct model_resource **have,
                       size_t count, struct err *e)
{
    struct buf list = buf_new(a, 64 * KIB);

    for (size_t i = 0; i < count; i++)
        buf_fmt(&list, "%s%.*s", i ? ", " : "", STR_ARG(have[i]->version));
    return err_set(e, ERR_NOT_FOUND, "%.*s %.*s has no version \"%.*s\", but %.*s",
                   STR_ARG(have[0]->group), STR_ARG(have[0]->kind), STR_ARG(version),
                   STR_ARG(buf_str(&list)));
}

static bool not_found(struct model *m, str group, str version, str kind, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct model_resource **have;
    size_t count;

    if (!model_has_group(m, group))
        return no_group(m, group, e);
    if (!model_versions(m, a, group, kind, &have, &count, e))
        return false;
    return count ? no_version(a, version, have, count, e) : no_kind(m, group, kind, e);
}

bool model_find(struct model *m, str group, str version, str kind,
                const struct model_resource **out, struct err *e)
{
    size_t from, to;

    *out = NULL;
    if (str_has_suffix(group, STR(".azure.com")) && group_files(m, short_group(group), &from, &to))
        for (size_t i = from; i < to; i++) {
            if (!str_eq(m->files[i].version, version) || !may_have(&m->files[i], kind, false))
                continue;
            if (!load(m, &m->files[i], e))
                return false;
            *out = kind_of_file(&m->files[i], kind);
        }
    return *out || not_found(m, group, version, kind, e);
}

/* The newest of the files that may have the kind, or the one that stores it. */
static bool find_newest(struct model *m, str group, str kind, bool hub,
                        const struct model_resource **out, struct err *e)
{
    size_t from, to;

    if (!group_files(m, short_group(group), &from, &to))
        return true;
    for (size_t i = to; i > from; i--) {
        if (!may_have(&m->files[i - 1], kind, hub))
            continue;
        if (!load(m, &m->files[i - 1], e))
            return false;
        const struct model_resource *r = kind_of_file(&m->files[i - 1], kind);
        if (r && (r->hub || !hub)) {
            *out = r;
            return true;
        }
    }
    return true;
}

bool model_find_hub(struct model *m, str group, str kind, const struct model_resource **out,
                    struct err *e)
{
    *out = NULL;
    if (!find_newest(m, group, kind, true, out, e) ||
        (!*out && !find_newest(m, group, kind, false, out, e)))
        return false;
    return *out || not_found(m, group, STR_NONE, kind, e);
}

static int compare_resources(const void *x, const void *y)
{
    const struct model_resource *p = *(const struct model_resource *const *)x;
    const struct model_resource *q = *(const struct model_resource *const *)y;
    int order = str_cmp(p->group, q->group);

    if (order == 0)
        order = str_cmp(p->kind, q->kind);
    return order ? order : model_version_compare(p->version, q->version);
}

bool model_all(struct model *m, struct arena *a, const struct model_resource ***out, size_t *count,
               struct err *e)
{
    VEC(const struct model_resource *) all = {0};

    for (size_t i = 0; i < m->count; i++) {
        if (!load(m, &m->files[i], e))
            return false;
        for (size_t k = 0; k < m->files[i].resource_count; k++)
            VEC_PUSH(a, &all, &m->files[i].resources[k]);
    }
    if (all.len)
        qsort(all.items, all.len, sizeof(*all.items), compare_resources);
    *out = all.items;
    *count = all.len;
    return true;
}
