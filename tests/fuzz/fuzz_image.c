/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_image.c - any texts as manifests, indexes and layers of an image, and as an archive of
 * docker save or of a layout.
 *
 * The first line is the name of the image, the rest documents that "----" lines part: the first is
 * what the tag leads to, "{N}" in a document is the digest of the one that many places behind it,
 * so that chains of them can be followed. What is refused has a text.
 */
#include <openssl/evp.h>

#include "oci/internal.h"
#include "text/codec.h"

#define DOCUMENTS_MAX 8

static str digest_of(struct arena *a, str bytes)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    EVP_Digest(bytes.len ? bytes.ptr : "", bytes.len, sum, &len, EVP_sha256(), NULL);
    return str_concat(a, STR("sha256:"), hex_encode(a, sum, len));
}

static str fill_in(struct arena *a, str text, const str *digests, size_t left)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < text.len; i++) {
        bool is_mark = i + 2 < text.len && text.ptr[i] == '{' && text.ptr[i + 2] == '}';
        size_t n = is_mark ? (size_t)(unsigned char)text.ptr[i + 1] - '1' : SIZE_MAX;
        if (n < left) {
            buf_add(&b, digests[n]);
            i += 2;
        } else {
            buf_char(&b, text.ptr[i]);
        }
    }
    return buf_str(&b);
}

static bool find(void *ctx, struct arena *a, str key, str *out, struct err *e)
{
    const str *found = map_get(ctx, key);

    (void)a;
    if (!found)
        return err_set(e, ERR_NOT_FOUND, "there is none");
    *out = *found;
    return true;
}

static bool find_layer(void *ctx, struct image_files *files, str digest, struct image_layer *out,
                       struct err *e)
{
    str bytes;

    if (!find(ctx, NULL, digest, &bytes, e))
        return false;
    struct image_bytes from = image_bytes_of(bytes);
    return image_layer_read_checked(files, digest, &from.reader, out, e);
}

static void read_image(struct arena *a, str rest)
{
    str texts[DOCUMENTS_MAX], digests[DOCUMENTS_MAX];
    struct map *documents = map_new(a);
    struct image_store store = {find, find_layer, documents};
    struct image_files *files = image_files_new(a, STR("ref"));
    AUTO_ERR e = {0};
    size_t count = 0;

    for (bool more = true; more && count < DOCUMENTS_MAX; count++)
        more = str_cut(rest, STR("\n----\n"), &texts[count], &rest);
    for (size_t i = count; i > 0; i--) {
        str *kept = &texts[i - 1];
        *kept = fill_in(a, *kept, digests + i, count - i);
        digests[i - 1] = digest_of(a, *kept);
        map_set(documents, digests[i - 1], kept);
    }
    map_set(documents, STR("tag"), &texts[0]);
    if (!image_read(a, &store, STR("tag"), files, &e) && !e.text.len)
        abort();
}

static void read_saved(struct arena *a, str bytes)
{
    struct image_bytes from = image_bytes_of(bytes);
    AUTO_ERR e = {0};

    if (!image_saved_read(a, &from.reader, STR_NONE, image_files_new(a, STR("ref")), &e) &&
        !e.text.len)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct image_name name;
    str text = str_of((const char *)data, size), first, rest;

    str_cut(text, STR("\n"), &first, &rest);
    if (image_name_parse(a, first, &name, &e) &&
        (!name.registry.len || !name.repository.len || (!name.tag.len && !name.digest.len)))
        abort();
    read_image(a, rest);
    read_saved(a, rest);
    return 0;
}
