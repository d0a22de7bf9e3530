/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_layers.c - the layers of an image laid over each other.
 *
 * Layers come from the last to the first, so what is seen first stays. A layer hides, in those
 * before it: the names it has itself, names that it whites out (".wh.NAME"), and all that was in a
 * folder that it makes anew (".wh..wh..opq"). Only what lies below one folder is kept.
 */
#include "compare/image.h"
#include "compare/pack_lib.h"

/* Links from link to link, as the system follows them. */
#define LINKS_MAX 40

struct image_entry {
    str text;
    bool is_link;
    str link; /* what it leads to, from the root of the image */
};

struct image_files {
    struct arena *arena;
    str folder;            /* without slashes at both ends; empty: the root */
    struct map *entries;   /* path in the image to struct image_entry */
    struct map *hidden;    /* paths that layers below may not show, nor anything below them */
    struct map *opaque;    /* folders of which layers below show nothing */
    size_t bytes, members; /* so far */
    uint64_t unpacked;
};

struct image_files *image_files_new(struct arena *a, str folder)
{
    struct image_files *f = ARENA_NEW(a, struct image_files);

    f->arena = a;
    while (str_has_prefix(folder, STR("/")))
        folder = str_from(folder, 1);
    while (str_has_suffix(folder, STR("/")))
        folder.len--;
    f->folder = str_copy(a, folder);
    f->entries = map_new(a);
    f->hidden = map_new(a);
    f->opaque = map_new(a);
    return f;
}

/* A path from the root without "." and "..", which cannot lead out; lives as long as a. */
static str clean(struct arena *a, str path)
{
    struct str_list kept = {0};
    str element, rest = path;

    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &element, &rest);
        if (str_eq(element, STR("..")))
            kept.len -= kept.len > 0;
        else if (element.len && !str_eq(element, STR(".")))
            VEC_PUSH(a, &kept, element);
    }
    return str_join(a, kept.items, kept.len, STR("/"));
}

static bool is_below(str path, str folder)
{
    return !folder.len ||
           (str_has_prefix(path, folder) && path.len > folder.len && path.ptr[folder.len] == '/');
}

static str parent_of(str path)
{
    size_t slash = str_rfind_char(path, '/');

    return slash == STR_NPOS ? STR_NONE : str_slice(path, 0, slash);
}

/* Whether later layers hide a path. */
static bool is_hidden(const struct image_files *f, str path)
{
    if (map_has(f->hidden, path))
        return true;
    for (str above = parent_of(path);; above = parent_of(above)) {
        if (map_has(f->opaque, above) || map_has(f->hidden, above))
            return true;
        if (!above.len)
            return false;
    }
}

/* ---- One layer. ---- */

struct layer {
    struct image_files *files;
    const struct pack_lib *lib;
    struct archive *archive;
    struct arena *scratch;
    struct str_list hides, opaque; /* for the layers below; live as long as the files */
};

static bool fail_archive(struct layer *l, struct err *e)
{
    const char *why = l->lib->archive_error_string(l->archive);

    return err_set(e, ERR_INVALID, "a layer cannot be unpacked: %s", why ? why : "it is broken");
}

static bool count_bytes(struct image_files *f, size_t len, struct err *e)
{
    f->unpacked += len;
    if (f->unpacked > IMAGE_UNPACKED_MAX)
        return err_set(e, ERR_LIMIT, "the image is larger than %llu bytes",
                       (unsigned long long)IMAGE_UNPACKED_MAX);
    return true;
}

/* The data of the current member; out may be NULL. */
static bool read_data(struct layer *l, struct buf *out, struct err *e)
{
    const void *block;
    size_t len;
    int64_t at;

    for (;;) {
        int r = l->lib->archive_read_data_block(l->archive, &block, &len, &at);
        if (r == ARCHIVE_EOF)
            return true;
        if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
            return fail_archive(l, e);
        if (!count_bytes(l->files, len, e))
            return false;
        if (!out)
            continue;
        if (out->len + len > IMAGE_FILE_MAX || (uint64_t)at > IMAGE_FILE_MAX)
            return err_set(e, ERR_LIMIT, "a file of the reference is larger than %llu bytes",
                           (unsigned long long)IMAGE_FILE_MAX);
        while (out->len < (size_t)at)
            buf_char(out, '\0');
        buf_add(out, str_of(block, len));
    }
}

static bool keep_file(struct layer *l, str path, struct err *e)
{
    struct image_files *f = l->files;
    struct image_entry *entry = ARENA_NEW(f->arena, struct image_entry);
    struct buf text = buf_new(f->arena, IMAGE_FILE_MAX + 1);

    if (!read_data(l, &text, e))
        return false;
    f->bytes += text.len;
    if (f->bytes > IMAGE_FILES_MAX)
        return err_set(e, ERR_LIMIT, "the files of the reference are larger than %llu bytes",
                       (unsigned long long)IMAGE_FILES_MAX);
    entry->text = buf_str(&text);
    map_set(f->entries, str_copy(f->arena, path), entry);
    return true;
}

static void keep_link(struct layer *l, str path, str target)
{
    struct image_files *f = l->files;
    struct image_entry *entry = ARENA_NEW(f->arena, struct image_entry);

    entry->is_link = true;
    entry->link = clean(f->arena, target);
    map_set(f->entries, str_copy(f->arena, path), entry);
}

/* ".wh." names say what is gone. */
static bool take_whiteout(struct layer *l, str path)
{
    struct arena *a = l->files->arena;
    size_t slash = str_rfind_char(path, '/');
    str name = slash == STR_NPOS ? path : str_from(path, slash + 1);
    str folder = parent_of(path);

    if (!str_has_prefix(name, STR(".wh.")))
        return false;
    if (str_eq(name, STR(".wh..wh..opq"))) {
        VEC_PUSH(a, &l->opaque, str_copy(a, folder));
        return true;
    }
    name = str_from(name, 4);
    VEC_PUSH(a, &l->hides,
             folder.len ? str_fmt(a, "%.*s/%.*s", STR_ARG(folder), STR_ARG(name))
                        : str_copy(a, name));
    return true;
}

static bool matters(const struct image_files *f, str path)
{
    return is_below(path, f->folder) || is_below(f->folder, path) || str_eq(path, f->folder);
}

static bool take_member(struct layer *l, struct archive_entry *entry, struct err *e)
{
    const char *raw = l->lib->archive_entry_pathname(entry);
    const char *hard = l->lib->archive_entry_hardlink(entry);
    unsigned type = l->lib->archive_entry_filetype(entry);
    struct image_files *f = l->files;
    str path = clean(l->scratch, str_c(raw ? raw : ""));

    if (++f->members > IMAGE_MEMBERS_MAX)
        return err_set(e, ERR_LIMIT, "the image has more than %d files", IMAGE_MEMBERS_MAX);
    if (!path.len || !matters(f, path))
        return true;
    if (take_whiteout(l, path))
        return true;
    if (type != AE_IFDIR || hard)
        VEC_PUSH(f->arena, &l->hides, str_copy(f->arena, path));
    if (is_hidden(f, path))
        return true;
    if (hard) {
        keep_link(l, path, str_c(hard));
    } else if (type == AE_IFLNK) {
        str target = str_c(l->lib->archive_entry_symlink(entry));
        bool rooted = str_has_prefix(target, STR("/"));
        str full = str_fmt(l->scratch, "%.*s/%.*s", STR_ARG(parent_of(path)), STR_ARG(target));
        keep_link(l, path, rooted ? target : full);
    } else if (type == AE_IFREG && is_below(path, f->folder)) {
        return keep_file(l, path, e);
    }
    return true;
}

static bool take_members(struct layer *l, struct err *e)
{
    struct archive_entry *entry;

    for (;;) {
        struct arena_mark mark = arena_mark(l->scratch);
        int r = l->lib->archive_read_next_header(l->archive, &entry);
        if (r == ARCHIVE_EOF)
            return true;
        if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
            return fail_archive(l, e);
        if (!take_member(l, entry, e))
            return false;
        arena_rewind(l->scratch, mark);
    }
}

/* Only tar, packed in the ways that images are. */
static struct archive *open_tar(const struct pack_lib *lib, str bytes, bool *ok)
{
    struct archive *archive = lib->archive_read_new();

    lib->archive_read_support_format_tar(archive);
    lib->archive_read_support_filter_gzip(archive);
    lib->archive_read_support_filter_zstd(archive);
    lib->archive_read_support_filter_bzip2(archive);
    lib->archive_read_support_filter_xz(archive);
    *ok = lib->archive_read_open_memory(archive, bytes.ptr, bytes.len) == ARCHIVE_OK;
    return archive;
}

bool image_files_add(struct image_files *f, str bytes, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    struct layer l = {.files = f, .lib = pack_lib_load(e), .scratch = scratch};
    bool ok;

    if (!l.lib)
        return false;
    l.archive = open_tar(l.lib, bytes, &ok);
    ok = ok ? take_members(&l, e) : fail_archive(&l, e);
    l.lib->archive_read_free(l.archive);
    for (size_t i = 0; i < l.hides.len; i++)
        map_set(f->hidden, l.hides.items[i], f);
    for (size_t i = 0; i < l.opaque.len; i++)
        map_set(f->opaque, l.opaque.items[i], f);
    return ok;
}

bool image_unpack_one(struct arena *a, str bytes, str name, size_t max, str *out, struct err *e)
{
    struct image_files *f = image_files_new(a, STR_NONE);
    struct layer l = {.files = f, .lib = pack_lib_load(e), .scratch = a};
    struct archive_entry *entry;
    bool ok, found = false;

    if (!l.lib)
        return false;
    l.archive = open_tar(l.lib, bytes, &ok);
    while (ok && !found && l.lib->archive_read_next_header(l.archive, &entry) == ARCHIVE_OK) {
        const char *path = l.lib->archive_entry_pathname(entry);
        const void *block;
        size_t len;
        int64_t at;
        if (!path || !str_eq(clean(a, str_c(path)), name))
            continue;
        struct buf text = buf_new(a, max);
        while (l.lib->archive_read_data_block(l.archive, &block, &len, &at) == ARCHIVE_OK)
            buf_add(&text, str_of(block, len));
        ok = buf_check(&text, e) || err_wrap(e, "%.*s", STR_ARG(name));
        *out = buf_str(&text);
        found = true;
    }
    l.lib->archive_read_free(l.archive);
    if (ok && !found)
        return err_set(e, ERR_NOT_FOUND, "the archive has no %.*s", STR_ARG(name));
    return ok;
}

/* ---- Reading. ---- */

static int compare_paths(const void *x, const void *y)
{
    str xs = *(const str *)x, ys = *(const str *)y, one, other;

    for (bool more = true; more;) {
        more = str_cut(xs, STR("/"), &one, &xs);
        more &= str_cut(ys, STR("/"), &other, &ys);
        int order = str_cmp(one, other);
        if (order)
            return order;
    }
    return str_cmp(xs, ys);
}

void image_files_list(const struct image_files *f, struct arena *a, struct str_list *out)
{
    for (size_t i = 0; i < map_len(f->entries); i++) {
        str path = map_key(f->entries, i);
        if (is_below(path, f->folder))
            VEC_PUSH(a, out, f->folder.len ? str_from(path, f->folder.len + 1) : path);
    }
    if (out->len)
        qsort(out->items, out->len, sizeof(str), compare_paths);
}

/* The first link on the way to a path; what it leads to, with the rest of the way. */
static bool follow(const struct image_files *f, struct arena *a, str *path)
{
    for (size_t i = 1; i <= path->len; i++) {
        if (i < path->len && path->ptr[i] != '/')
            continue;
        const struct image_entry *entry = map_get(f->entries, str_slice(*path, 0, i));
        if (!entry || !entry->is_link)
            continue;
        *path = str_concat(a, entry->link, str_from(*path, i));
        return true;
    }
    return false;
}

bool image_files_read(const struct image_files *f, str name, str *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str path = f->folder.len ? str_fmt(a, "%.*s/%.*s", STR_ARG(f->folder), STR_ARG(name)) : name;
    size_t links = 0;

    while (follow(f, a, &path))
        if (++links > LINKS_MAX)
            return err_set(e, ERR_INVALID, "open %.*s: too many levels of symbolic links",
                           STR_ARG(name));
    const struct image_entry *entry = map_get(f->entries, path);
    if (!entry && links && !is_below(path, f->folder))
        return err_set(e, ERR_NOT_FOUND,
                       "open %.*s: it is a link to /%.*s of the image, which lies outside of the "
                       "folder of the reference: name the reference there",
                       STR_ARG(name), STR_ARG(path));
    if (!entry)
        return err_set(e, ERR_NOT_FOUND, "open %.*s: no such file or directory", STR_ARG(name));
    *out = entry->text;
    return true;
}
