/* SPDX-License-Identifier: Apache-2.0 */
/*
 * saved.c - archives as docker save and podman save write them, and archives of an OCI
 * layout, read in one pass.
 *
 * Which of the files are layers, and in which order, is in manifest.json, or in the manifest that
 * index.json leads to, which may come last. So everything that is not JSON is read as a layer, of
 * which only relevant entries are kept; an error in it is reported only if a manifest names the
 * file.
 */
#include "oci/internal.h"
#include "text/json/json.h"
#include "value/value.h"

/* Enough to recognize a tar. */
#define HEAD 512
/* How many links in a row are followed. */
#define LINKS_MAX 8

enum member_kind { MEMBER_TEXT, MEMBER_LAYER, MEMBER_LINK, MEMBER_BROKEN };

struct member {
    enum member_kind kind;
    str text; /* the text; the target of the link; why it is broken */
    struct image_layer layer;
    str digest; /* of the file, "sha256:..." */
    bool plain; /* a tar that is not compressed */
};

struct saved {
    struct reader reader; /* for the current member */
    struct arena *arena;
    struct image_files *files;
    struct image_tar tar;
    struct map *members; /* by path */
    struct image_budget budget;
    /* About the current member: */
    char head[HEAD];
    size_t head_len;
    str start, piece; /* the rest of the head, and of the current piece */
    bool ended;
    struct image_digest digest;
};

/* ---- The bytes of a member. ---- */

static bool next_piece(struct saved *s, struct err *e)
{
    uint64_t at;

    if (!image_tar_data(&s->tar, &s->piece, &at, e) ||
        !image_budget_unpack(&s->budget, s->piece.len, e))
        return false;
    s->ended = !s->piece.len;
    image_digest_add(&s->digest, s->piece);
    return true;
}

static size_t take(str *from, char *to, size_t size)
{
    size_t n = from->len < size ? from->len : size;

    if (n)
        memcpy(to, from->ptr, n);
    *from = str_from(*from, n);
    return n;
}

static bool read_member(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct saved *s = (struct saved *)r;

    *got = take(&s->start, to, size);
    if (*got)
        return true;
    if (!s->piece.len && !s->ended && !next_piece(s, e))
        return false;
    *got = take(&s->piece, to, size);
    return true;
}

/* Begins a member by peeking at its first bytes. */
static bool begin_member(struct saved *s, str path, struct err *e)
{
    bool long_ = str_has_prefix(path, STR("blobs/sha512/"));

    s->start = s->piece = STR_NONE;
    s->ended = false;
    s->head_len = 0;
    image_digest_begin(&s->digest, long_ ? STR("sha512") : STR("sha256"));
    while (s->head_len < HEAD && !s->ended) {
        size_t got;
        if (!read_member(&s->reader, s->head + s->head_len, HEAD - s->head_len, &got, e))
            return false;
        s->head_len += got;
    }
    s->start = str_of(s->head, s->head_len);
    return true;
}

/* ---- Members. ---- */

static bool read_text(struct saved *s, struct member *m, struct err *e)
{
    struct buf text = buf_new(s->arena, IMAGE_MANIFEST_MAX);
    char piece[4096];
    size_t got;

    m->kind = MEMBER_TEXT;
    do {
        if (!read_member(&s->reader, piece, sizeof(piece), &got, e))
            return false;
        buf_add(&text, str_of(piece, got));
    } while (got && !text.overflow);
    m->text = buf_str(&text);
    if (text.overflow)
        return err_set(e, ERR_INVALID, "it is larger than the limit of %llu bytes",
                       (unsigned long long)IMAGE_MANIFEST_MAX);
    return image_budget_keep(image_files_budget(s->files), text.len, e);
}

static bool read_layer(struct saved *s, struct member *m, struct err *e)
{
    m->kind = MEMBER_LAYER;
    m->plain = str_has_prefix(str_from(str_of(s->head, s->head_len), 257), STR("ustar"));
    return image_layer_read(s->arena, image_files_folder(s->files), image_files_budget(s->files),
                            &s->reader, &m->layer, e);
}

/* An error in one file may not matter; exceeding a limit always does. */
static bool read_file(struct saved *s, struct member *m, str path, struct err *e)
{
    AUTO_ERR fault = {0};

    if (!begin_member(s, path, e))
        return false;
    str head = str_of(s->head, s->head_len);
    bool is_text = str_has_prefix(head, STR("{")) || str_has_prefix(head, STR("["));
    if (!(is_text ? read_text(s, m, &fault) : read_layer(s, m, &fault))) {
        if (fault.kind == ERR_LIMIT)
            return err_set(e, ERR_LIMIT, "%.*s", STR_ARG(fault.text));
        m->kind = MEMBER_BROKEN;
        m->text = str_copy(s->arena, fault.text);
    }
    /* The rest counts for the digest. */
    while (!s->ended)
        if (!next_piece(s, e))
            return false;
    m->digest = image_digest_end(&s->digest, s->arena);
    return true;
}

static str clean(struct arena *a, str folder, str path)
{
    return str_from(file_clean(a, str_fmt(a, "/%.*s/%.*s", STR_ARG(folder), STR_ARG(path))), 1);
}

static bool take_member(struct saved *s, struct archive_entry *entry, struct err *e)
{
    const struct pack_lib *lib = s->tar.lib;
    str path = clean(s->arena, STR_NONE, str_c(lib->archive_entry_pathname(entry)));
    const char *hard = lib->archive_entry_hardlink(entry);
    unsigned type = lib->archive_entry_filetype(entry);
    struct member *m = ARENA_NEW(s->arena, struct member);

    if (++s->budget.members > IMAGE_MEMBERS_MAX)
        return err_set(e, ERR_LIMIT, "the archive has more than %d files", IMAGE_MEMBERS_MAX);
    if (!image_budget_keep(&s->budget, sizeof(*m) + path.len, e))
        return false;
    if (hard || type == AE_IFLNK) {
        m->kind = MEMBER_LINK;
        m->text =
            hard ? clean(s->arena, STR_NONE, str_c(hard))
                 : clean(s->arena, image_parent(path), str_c(lib->archive_entry_symlink(entry)));
    } else if (type != AE_IFREG) {
        return true;
    } else if (!read_file(s, m, path, e)) {
        return err_wrap(e, "%.*s", STR_ARG(path));
    }
    map_set(s->members, path, m);
    return true;
}

static bool take_members(struct saved *s, struct err *e)
{
    struct archive_entry *entry;

    for (;;) {
        if (!image_tar_next(&s->tar, &entry, e))
            return false;
        if (!entry)
            return true;
        if (!take_member(s, entry, e))
            return false;
    }
}

/* ---- The manifest. ---- */

/* NULL when there is none. */
static const struct member *find(const struct saved *s, str path)
{
    const struct member *m = map_get(s->members, path);

    for (int i = 0; i < LINKS_MAX && m && m->kind == MEMBER_LINK; i++)
        m = map_get(s->members, m->text);
    return m && m->kind != MEMBER_LINK ? m : NULL;
}

static bool read_json(const struct saved *s, str path, struct value **out, struct err *e)
{
    const struct read_options options = {.go = true};
    struct source *source = ARENA_NEW(s->arena, struct source);
    const struct member *m = find(s, path);

    if (!m || m->kind != MEMBER_TEXT)
        return err_set(e, ERR_NOT_FOUND, "the archive has no %.*s", STR_ARG(path));
    source->text = m->text;
    return json_read(s->arena, source, &options, out, e) || err_wrap(e, "%.*s", STR_ARG(path));
}

static bool has_tag(const struct value *image, str tag)
{
    const struct value *tags = value_get(image, STR("RepoTags"));

    for (size_t i = 0; i < value_len(tags); i++)
        if (str_has_suffix(value_str(value_at(tags, i)), tag))
            return true;
    return false;
}

static bool find_image(struct arena *a, const struct value *images, str tag,
                       const struct value **out, struct err *e)
{
    size_t count = value_is(images, VALUE_LIST) ? value_len(images) : 0;
    str with_colon = str_concat(a, STR(":"), tag);

    for (size_t i = 0; i < count; i++) {
        *out = value_at(images, i);
        if (tag.len ? has_tag(*out, with_colon) : count == 1)
            return true;
    }
    if (!tag.len)
        return err_set(e, ERR_INVALID, "there are %zu images: name one by its tag", count);
    return err_set(e, ERR_NOT_FOUND, "there is no image with the tag %.*s", STR_ARG(tag));
}

/* A layer by its path; wanted is its digest, or empty. NULL, with e set, when it does not exist. */
static const struct member *find_layer(const struct saved *s, str path, str wanted, struct err *e)
{
    const struct member *m = find(s, path);

    if (!m) {
        (void)err_set(e, ERR_NOT_FOUND, "the archive has no %.*s", STR_ARG(path));
    } else if (m->kind != MEMBER_LAYER) {
        (void)err_set(e, ERR_INVALID, "%.*s: %.*s", STR_ARG(path),
                      STR_ARG(m->kind == MEMBER_BROKEN ? m->text : STR("it is not a layer")));
    } else if (wanted.len && !str_eq(wanted, m->digest)) {
        (void)err_set(e, ERR_INVALID, "%.*s has another digest than %.*s: it is corrupted",
                      STR_ARG(path), STR_ARG(wanted));
    } else {
        return m;
    }
    return NULL;
}

/* The expected digest of a layer; empty when unknown. */
static str known_digest(const struct saved *s, str path, const struct value *config, size_t i)
{
    const struct value *ids = value_get(value_get(config, STR("rootfs")), STR("diff_ids"));
    const struct member *m = find(s, path);
    str blob = str_without_prefix(path, STR("blobs/sha256/"));

    if (blob.len < path.len)
        return str_concat(s->arena, STR("sha256:"), blob);
    if (!m || !m->plain || !value_is(ids, VALUE_LIST) || i >= value_len(ids))
        return STR_NONE;
    str id = value_str(value_at(ids, i));
    return str_has_prefix(id, STR("sha256:")) ? id : STR_NONE;
}

static bool lay_saved(struct saved *s, str tag, struct err *e)
{
    struct value *images = NULL, *config = NULL;
    const struct value *image = NULL, *layers;
    AUTO_ERR ignored = {0};

    if (!read_json(s, STR("manifest.json"), &images, e) ||
        !find_image(s->arena, images, tag, &image, e))
        return false;
    /* Without it there is nothing to check digests against. */
    if (!read_json(s, clean(s->arena, STR_NONE, value_get_str(image, STR("Config"))), &config,
                   &ignored))
        config = NULL;
    layers = value_get(image, STR("Layers"));
    if (value_len(layers) > IMAGE_LAYERS_MAX)
        return err_set(e, ERR_LIMIT, "the image has more than %d layers", IMAGE_LAYERS_MAX);
    for (size_t i = value_is(layers, VALUE_LIST) ? value_len(layers) : 0; i > 0; i--) {
        str path = clean(s->arena, STR_NONE, value_str(value_at(layers, i - 1)));
        const struct member *m = find_layer(s, path, known_digest(s, path, config, i - 1), e);
        if (!m)
            return err_wrap(e, "layer %zu", i);
        image_files_lay(s->files, &m->layer);
    }
    return true;
}

/* ---- A layout. ---- */

static str blob_path(struct arena *a, str digest)
{
    str algorithm, hex;

    str_cut(digest, STR(":"), &algorithm, &hex);
    return clean(a, STR("blobs"), str_fmt(a, "%.*s/%.*s", STR_ARG(algorithm), STR_ARG(hex)));
}

static bool give_manifest(void *ctx, struct arena *a, str digest, str *out, struct err *e)
{
    str path = blob_path(a, digest);
    const struct member *m = find(ctx, path);

    if (!m || m->kind != MEMBER_TEXT)
        return err_set(e, ERR_NOT_FOUND, "the archive has no %.*s", STR_ARG(path));
    *out = m->text;
    return true;
}

static bool give_layer(void *ctx, struct image_files *files, str digest, struct image_layer *out,
                       struct err *e)
{
    const struct saved *s = ctx;
    const struct member *m = find_layer(s, blob_path(s->arena, digest), digest, e);

    (void)files;
    if (!m)
        return false;
    *out = m->layer;
    return true;
}

static bool lay_layout(struct saved *s, str tag, struct err *e)
{
    const struct image_store store = {give_manifest, give_layer, s};
    struct value *index = NULL;
    str digest = STR_NONE;

    return read_json(s, STR("index.json"), &index, e) && image_index_find(index, tag, &digest, e) &&
           image_read(s->arena, &store, digest, s->files, e);
}

bool image_saved_read(struct arena *a, struct reader *from, str tag, struct image_files *files,
                      struct err *e)
{
    AUTO_ARENA buffers = arena_new();
    struct saved s = {
        .reader = {.read = read_member}, .arena = a, .files = files, .members = map_new(a)};
    bool ok = image_tar_open(buffers, &s.tar, from, e) && take_members(&s, e);

    /* Newer engines write both, for the same images. */
    if (ok && !find(&s, STR("manifest.json")) && find(&s, STR("index.json")))
        ok = lay_layout(&s, tag, e);
    else
        ok = ok && lay_saved(&s, tag, e);

    image_tar_close(&s.tar);
    image_digest_drop(&s.digest);
    return ok;
}
