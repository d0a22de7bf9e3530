/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types_folder.c - finds type files, and the resources in them.
 *
 * A file is known by the last two folders above it, PROVIDER/VERSION. The published layout has
 * folders per service above those and may spread one provider and version over several files; the
 * stripped layout has one. Files are read only on demand, and each one once.
 */
#include "azure/derive/types_internal.h"

#include <zlib.h>

/* One type file. */
struct type_entry {
    str path;
    struct arm_file *file; /* NULL until it is read */
};

/* The files of one provider and version. */
struct type_bucket {
    VEC(struct type_entry) entries;
    struct map *resources; /* lowercase name -> struct arm_resource; NULL until it is filled */
};

struct type_folder {
    struct arena *arena;
    str path;
    struct map *buckets; /* "provider/version", lowercase -> struct type_bucket */
    size_t files_read;
};

/* ---- Unpacking. ---- */

enum { GZIP_BITS = 15 + 16 }; /* the largest window, with gzip's header */

/* Inflates member after member into out. */
static bool inflate_all(z_stream *z, struct buf *out)
{
    int status = Z_OK;

    while (z->avail_in > 0 || status == Z_OK) {
        char *room = buf_room(out, 64 * KIB);
        if (!room)
            return false;
        z->next_out = (Bytef *)room;
        z->avail_out = 64 * KIB;
        status = inflate(z, Z_NO_FLUSH);
        buf_wrote(out, 64 * KIB - z->avail_out);
        if (status == Z_STREAM_END && z->avail_in > 0)
            status = inflateReset(z);
        if (status != Z_OK)
            break;
    }
    return status == Z_STREAM_END;
}

static bool unpack_gzip(struct arena *a, str path, str packed, str *out, struct err *e)
{
    struct buf b = buf_new(a, ARM_FILE_MAX);
    z_stream z = {0};

    z.next_in = (Bytef *)(uintptr_t)packed.ptr;
    z.avail_in = (uInt)packed.len;
    if (inflateInit2(&z, GZIP_BITS) != Z_OK)
        return err_set(e, ERR_IO, "cannot start zlib");
    bool ok = inflate_all(&z, &b);
    inflateEnd(&z);
    const struct where at = {.file = path};
    if (!buf_check(&b, e))
        return err_at(e, at);
    if (!ok) {
        err_set(e, ERR_INVALID, "the gzip data is broken or cut off");
        return err_at(e, at);
    }
    *out = buf_str(&b);
    return true;
}

/* The text of a type file, unpacked when it is compressed with gzip. */
static bool read_text(struct arena *a, str path, str *out, struct err *e)
{
    str text;

    if (!file_read_max(a, path, ARM_FILE_MAX, &text, e))
        return false;
    if (str_has_prefix(text, STR("\x1f\x8b")))
        return unpack_gzip(a, path, text, out, e);
    *out = text;
    return true;
}

/* ---- Finding files. ---- */

/* "provider/version" of ".../provider/version/types.json", lowercase; empty when too short. */
static str bucket_key(struct arena *a, str path)
{
    size_t slash = str_rfind_char(path, '/');

    if (slash == STR_NPOS)
        return STR_NONE;
    str folder = str_slice(path, 0, slash);
    size_t version = str_rfind_char(folder, '/');
    if (version == STR_NPOS)
        return STR_NONE;
    return str_lower(a, str_from(folder, str_rfind_char(str_slice(folder, 0, version), '/') + 1));
}

static void add_file(struct type_folder *f, str key, const struct type_entry *entry)
{
    struct type_bucket *bucket = map_get(f->buckets, key);

    if (!bucket) {
        bucket = ARENA_NEW(f->arena, struct type_bucket);
        map_set(f->buckets, key, bucket);
    }
    VEC_PUSH(f->arena, &bucket->entries, *entry);
}

static bool is_type_file(str name)
{
    return str_eq(name, STR("types.json")) || str_eq(name, STR("types.json.gz"));
}

static bool scan(struct type_folder *f, str path, size_t depth, struct err *e)
{
    str *names;
    size_t count;

    if (!file_list(f->arena, path, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        str below = file_join(f->arena, path, names[i]);
        if (is_type_file(names[i]))
            add_file(f, bucket_key(f->arena, below), &(struct type_entry){.path = below});
        else if (depth < ARM_FOLDER_DEPTH && file_kind(below) == FILE_FOLDER &&
                 !scan(f, below, depth + 1, e))
            return false;
    }
    return true;
}

struct type_folder *type_folder_new(struct arena *a)
{
    struct type_folder *f = ARENA_NEW(a, struct type_folder);

    f->arena = a;
    f->buckets = map_new(a);
    return f;
}

bool type_folder_open(struct arena *a, str path, struct type_folder **out, struct err *e)
{
    struct type_folder *f = type_folder_new(a);

    f->path = path;
    if (!scan(f, path, 0, e))
        return false;
    if (map_len(f->buckets) == 0) {
        err_set(e, ERR_NOT_FOUND,
                "no type files here: they are called PROVIDER/VERSION/types.json or types.json.gz");
        return err_at(e, (struct where){.file = path});
    }
    *out = f;
    return true;
}

size_t type_folder_files(const struct type_folder *f)
{
    return f->files_read;
}

/* ---- Finding resources. ---- */

static bool read_entry(struct type_folder *f, struct type_entry *entry, struct err *e)
{
    struct source *src = ARENA_NEW(f->arena, struct source);

    if (entry->file)
        return true;
    src->file = entry->path;
    if (!read_text(f->arena, entry->path, &src->text, e))
        return false;
    entry->file = ARENA_NEW(f->arena, struct arm_file);
    if (!types_read(f->arena, src, entry->file, e))
        return false;
    f->files_read++;
    return true;
}

/* If a resource is in several files, the first wins: files are sorted by name. */
static void index_file(struct type_folder *f, struct type_bucket *bucket,
                       const struct arm_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        const struct arm_type *t = &file->types[i];
        if (t->kind != ARM_RESOURCE)
            continue;
        str name = str_lower(f->arena, t->name);
        if (map_has(bucket->resources, name))
            continue;
        struct arm_resource *r = ARENA_NEW(f->arena, struct arm_resource);
        *r = (struct arm_resource){.file = file, .type = t, .body = arm_type_at(file, t->body)};
        map_set(bucket->resources, name, r);
    }
}

static bool fill_bucket(struct type_folder *f, struct type_bucket *bucket, struct err *e)
{
    if (bucket->resources)
        return true;
    struct map *resources = map_new(f->arena);
    for (size_t i = 0; i < bucket->entries.len; i++)
        if (!read_entry(f, &bucket->entries.items[i], e))
            return false;
    bucket->resources = resources;
    for (size_t i = 0; i < bucket->entries.len; i++)
        index_file(f, bucket, bucket->entries.items[i].file);
    return true;
}

bool type_folder_add(struct type_folder *f, str provider, str version, const struct source *src,
                     struct err *e)
{
    struct type_entry entry = {.path = src->file, .file = ARENA_NEW(f->arena, struct arm_file)};
    str key = str_join(f->arena, (str[]){provider, version}, 2, STR("/"));

    if (!types_read(f->arena, src, entry.file, e))
        return false;
    f->files_read++;
    add_file(f, str_lower(f->arena, key), &entry);
    return true;
}

bool type_folder_find(struct type_folder *f, str arm_type, str api_version,
                      struct arm_resource *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str provider = str_slice(arm_type, 0, str_find_char(arm_type, '/'));
    str key = str_fmt(a, "%.*s/%.*s", STR_ARG(provider), STR_ARG(api_version));

    key = str_lower(a, key);
    struct type_bucket *bucket = map_get(f->buckets, key);
    if (!bucket)
        return err_set(e, ERR_NOT_FOUND, "there is no %.*s/types.json below %.*s", STR_ARG(key),
                       STR_ARG(f->path));
    if (!fill_bucket(f, bucket, e))
        return false;
    str name = str_fmt(a, "%.*s@%.*s", STR_ARG(arm_type), STR_ARG(api_version));
    const struct arm_resource *found = map_get(bucket->resources, str_lower(a, name));
    if (!found)
        return err_set(e, ERR_NOT_FOUND, "there is no ResourceType %.*s in %.*s", STR_ARG(name),
                       STR_ARG(bucket->entries.items[0].path));
    *out = *found;
    return true;
}
