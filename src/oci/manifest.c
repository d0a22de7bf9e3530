/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest.c - finds the layers of an image by name, through an index for several platforms and the
 * manifest for one.
 */
#include "oci/internal.h"
#include "text/json/json.h"

#include <sys/utsname.h>

/* How deep indexes may be nested. */
#define INDEX_DEPTH_MAX 3

/* The architecture as Go names it. */
static str architecture(struct arena *a)
{
    static const struct {
        const char *system, *go;
    } names[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"armv7l", "arm"}, {"i686", "386"}};
    struct utsname u;

    if (uname(&u))
        return STR("amd64");
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(u.machine, names[i].system) == 0)
            return str_c(names[i].go);
    return str_copy(a, str_c(u.machine));
}

/* Picks our platform, else the first for Linux, else the first: references contain no programs. */
static const struct value *choose(struct arena *a, const struct value *manifests)
{
    const struct value *best = NULL;
    int best_rank = -1;

    for (size_t i = 0; i < value_len(manifests); i++) {
        const struct value *m = value_at(manifests, i);
        const struct value *platform = value_get(m, STR("platform"));
        bool linux_ = str_eq(value_get_str(platform, STR("os")), STR("linux"));
        bool ours = str_eq(value_get_str(platform, STR("architecture")), architecture(a));
        int rank = linux_ ? 1 + ours : 0;
        if (rank > best_rank) {
            best = m;
            best_rank = rank;
        }
    }
    return best;
}

/*
 * The media types of layers: archives, compressed or not. Some are stored elsewhere, but registries
 * may have a copy.
 */
static const struct {
    const char *suffix, *fault;
} layer_types[] = {
    {".tar", NULL},
    {".tar+gzip", NULL},
    {".tar+zstd", NULL},
    {".tar.gzip", NULL},
    {".tar.zstd", NULL},
    {"+encrypted", "is encrypted"},
    {"", "is not an archive of files"},
};

static bool check_size(const struct value *size, struct err *e)
{
    int64_t bytes = 0;

    if (size && (!value_to_i64(size, &bytes) || bytes < 0))
        return err_set(e, ERR_INVALID, "the manifest gives it an invalid size");
    if (bytes > (int64_t)IMAGE_LAYER_MAX)
        return err_set(e, ERR_LIMIT, "it is larger than the limit of %llu bytes",
                       (unsigned long long)IMAGE_LAYER_MAX);
    return true;
}

static bool fail_digest(str digest, struct err *e)
{
    return err_set(e, ERR_INVALID, "the manifest has %.*s for a digest", STR_ARG(digest));
}

static bool check_layer(const struct value *layer, struct err *e)
{
    str type = value_get_str(layer, STR("mediaType")), digest = value_get_str(layer, STR("digest"));
    size_t i = 0;

    if (!check_size(value_get(layer, STR("size")), e))
        return false;
    if (!digest.len)
        return err_set(e, ERR_INVALID, "the manifest names a layer without a digest");
    if (!image_digest_is(digest))
        return fail_digest(digest, e);
    while (type.len && !str_has_suffix(type, str_c(layer_types[i].suffix)))
        i++;
    if (!type.len || !layer_types[i].fault)
        return true;
    return err_set(e, ERR_INVALID, "it %s: its type is %.*s", layer_types[i].fault, STR_ARG(type));
}

/* Layers that are not to be distributed are often missing. */
static bool explain_missing(const struct value *layer, struct err *e)
{
    str type = value_get_str(layer, STR("mediaType"));
    bool foreign = str_contains(type, STR("foreign")) ||
                   str_contains(type, STR("nondistributable"));

    return e && foreign && e->kind == ERR_NOT_FOUND &&
           err_wrap(e, "it is not distributed with the image (%.*s)", STR_ARG(type));
}

static bool read_layer(const struct image_store *store, const struct value *layer,
                       struct image_files *files, struct err *e)
{
    struct image_layer said;

    if (!check_layer(layer, e))
        return false;
    if (!store->layer(store->ctx, files, value_get_str(layer, STR("digest")), &said, e))
        return explain_missing(layer, e);
    image_files_lay(files, &said);
    return true;
}

static bool read_layers(const struct image_store *store, const struct value *layers,
                        struct image_files *files, struct err *e)
{
    if (value_len(layers) > IMAGE_LAYERS_MAX)
        return err_set(e, ERR_LIMIT, "the image has more than %d layers", IMAGE_LAYERS_MAX);
    for (size_t i = value_len(layers); i > 0; i--)
        if (!read_layer(store, value_at(layers, i - 1), files, e))
            return err_wrap(e, "layer %zu", i);
    return true;
}

static bool read_manifest(struct arena *a, const struct image_store *store, str reference,
                          struct value **out, struct err *e)
{
    const struct read_options options = {.go = true};
    struct source *source = ARENA_NEW(a, struct source);
    str text;

    if (!store->manifest(store->ctx, a, reference, &text, e))
        return false;
    if (str_find_char(reference, ':') != STR_NPOS && !image_check_digest(reference, text, e))
        return false;
    source->text = text;
    if (!json_read(a, source, &options, out, e))
        return err_wrap(e, "the manifest of the image is not a JSON document");
    return true;
}

bool image_index_find(const struct value *index, str tag, str *digest, struct err *e)
{
    const struct value *manifests = value_get(index, STR("manifests"));
    size_t count = value_len(manifests);

    for (size_t i = 0; i < count; i++) {
        const struct value *m = value_at(manifests, i), *notes = value_get(m, STR("annotations"));
        str name = value_get_str(notes, STR("org.opencontainers.image.ref.name"));
        str d = value_get_str(m, STR("digest"));
        if (str_eq(name, tag) || str_eq(d, tag) || (!tag.len && count == 1)) {
            *digest = d;
            return true;
        }
    }
    if (!tag.len)
        return err_set(e, ERR_INVALID, "there are %zu images: name one by its tag", count);
    return err_set(e, ERR_NOT_FOUND, "there is no image of the name %.*s", STR_ARG(tag));
}

bool image_read(struct arena *a, const struct image_store *store, str reference,
                struct image_files *files, struct err *e)
{
    struct value *doc;

    for (int depth = 0; depth <= INDEX_DEPTH_MAX; depth++) {
        if (!read_manifest(a, store, reference, &doc, e))
            return false;
        const struct value *layers = value_get(doc, STR("layers"));
        if (value_is(layers, VALUE_LIST))
            return read_layers(store, layers, files, e);
        const struct value *chosen = choose(a, value_get(doc, STR("manifests")));
        reference = value_get_str(chosen, STR("digest"));
        if (!reference.len)
            return err_set(e, ERR_INVALID,
                           "the manifest of the image names no layers (images of the first "
                           "generation of docker are not read)");
        /* A tag would be read without verification. */
        if (!image_digest_is(reference))
            return fail_digest(reference, e);
    }
    return err_set(e, ERR_LIMIT, "the image is an index of indexes without end");
}
