/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest.c - computes digests, and checks those of layers while reading them; see internal.h.
 */
#include <openssl/evp.h>

#include "oci/internal.h"
#include "text/codec.h"

static const struct {
    const char *name;
    const EVP_MD *(*make)(void);
} algorithms[] = {{"sha256", EVP_sha256}, {"sha512", EVP_sha512}};

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_made_of(str text, str others)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_alnum(text.ptr[i]) && str_find_char(others, text.ptr[i]) == STR_NPOS)
            return false;
    return text.len && is_alnum(text.ptr[0]);
}

bool image_digest_is(str text)
{
    str algorithm, encoded;

    str_cut(text, STR(":"), &algorithm, &encoded);
    return is_made_of(algorithm, STR("+._-")) && is_made_of(encoded, STR("=_-"));
}

bool image_digest_begin(struct image_digest *d, str algorithm)
{
    *d = (struct image_digest){0};
    for (size_t i = 0; i < COUNT(algorithms); i++) {
        if (!str_eq(algorithm, str_c(algorithms[i].name)))
            continue;
        d->algorithm = algorithms[i].name;
        d->ctx = EVP_MD_CTX_new();
        EVP_DigestInit_ex(d->ctx, algorithms[i].make(), NULL);
        return true;
    }
    return false;
}

void image_digest_add(struct image_digest *d, str bytes)
{
    if (bytes.len)
        EVP_DigestUpdate(d->ctx, bytes.ptr, bytes.len);
}

str image_digest_end(struct image_digest *d, struct arena *a)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    EVP_DigestFinal_ex(d->ctx, sum, &len);
    str hex = hex_encode(a, sum, len);
    str text = str_fmt(a, "%s:%.*s", d->algorithm, STR_ARG(hex));
    image_digest_drop(d);
    return text;
}

void image_digest_drop(struct image_digest *d)
{
    EVP_MD_CTX_free(d->ctx);
    d->ctx = NULL;
}

static bool begin_for(struct image_digest *d, str digest, struct err *e)
{
    str algorithm, hex;

    str_cut(digest, STR(":"), &algorithm, &hex);
    return image_digest_begin(d, algorithm) ||
           err_set(e, ERR_INVALID, "digests like %.*s are not known", STR_ARG(digest));
}

static bool end_as(struct image_digest *d, str digest, struct err *e)
{
    AUTO_ARENA a = arena_new();

    return str_eq(image_digest_end(d, a), digest) ||
           err_set(e, ERR_INVALID, "what was read for %.*s has another digest: it is corrupted",
                   STR_ARG(digest));
}

bool image_check_digest(str digest, str bytes, struct err *e)
{
    struct image_digest d;

    if (!begin_for(&d, digest, e))
        return false;
    image_digest_add(&d, bytes);
    return end_as(&d, digest, e);
}

/* ---- Layers. ---- */

/* A reader that adds the bytes to a digest on their way to the unpacker. */
struct checked {
    struct reader reader;
    struct reader *from;
    struct image_digest digest;
    uint64_t len;
    bool ended;
    struct err fault; /* the error of from, or that it is too long */
};

static bool read_checked(struct reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    struct checked *c = (struct checked *)r;

    if (c->fault.kind)
        return err_copy(e, &c->fault);
    if (!c->from->read(c->from, to, size, got, &c->fault))
        return err_copy(e, &c->fault);
    image_digest_add(&c->digest, str_of(to, *got));
    c->len += *got;
    c->ended = !*got;
    if (c->len <= IMAGE_LAYER_MAX)
        return true;
    err_set(&c->fault, ERR_LIMIT, "it is larger than the limit of %llu bytes",
            (unsigned long long)IMAGE_LAYER_MAX);
    return err_copy(e, &c->fault);
}

/* Bytes after the end of the archive, or after an error in it, count for the digest. */
static bool read_rest(struct checked *c)
{
    AUTO_ARENA a = arena_new();
    size_t size = 64 * KIB, got;
    char *piece = arena_alloc_text(a, size);
    AUTO_ERR e = {0};

    while (!c->ended)
        if (!read_checked(&c->reader, piece, size, &got, &e))
            return false;
    return true;
}

bool image_layer_read_checked(struct image_files *f, str digest, struct reader *from,
                              struct image_layer *out, struct err *e)
{
    struct checked c = {.reader = {.read = read_checked}, .from = from};
    AUTO_ERR fault = {0};
    bool ok;

    if (!begin_for(&c.digest, digest, e))
        return false;
    ok = image_layer_read(image_files_arena(f), image_files_folder(f), image_files_budget(f),
                          &c.reader, out, &fault);
    /* When a limit is exceeded, the rest is not read. */
    bool too_much = !ok && fault.kind == ERR_LIMIT && !c.fault.kind;
    if (!too_much && !read_rest(&c))
        ok = err_copy(&fault, &c.fault);
    else if (!too_much && !end_as(&c.digest, digest, &fault))
        ok = false;
    if (!ok)
        err_copy(e, &fault);
    image_digest_drop(&c.digest);
    err_clear(&c.fault);
    return ok;
}
