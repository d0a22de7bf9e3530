/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto.c - checksums, passwords and encryption. Keys and certificates are in certs.c.
 *
 * Functions that take long on purpose (bcrypt, scrypt) are charged to the steps of the run, so that
 * a loop over them ends.
 */

#include "tmpl/funcs/crypto.h"

#include "text/codec.h"
#include "tmpl/funcs/families.h"

#include <crypt.h>

/* What a call costs in steps: about as many as could have been taken in its time. */
#define BCRYPT_STEPS 600000
#define SCRYPT_STEPS 1000000
#define AES_STEPS 50 /* beside the text */

/*
 * Once, and before anything else of the library: no configuration file is read, so that neither the
 * environment nor the machine changes what a template gives.
 */
void crypto_start(void)
{
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}

/* ---- Checksums ----------------------------------------------------------------------------------
 */

static bool return_hex(struct tmpl_call *c, const unsigned char *sum, size_t len)
{
    return return_str(c, hex_encode(c->arena, sum, len));
}

static const unsigned char *arg_bytes(const struct tmpl_call *c, size_t i)
{
    str s = arg_str(c, i);

    return (const unsigned char *)(s.len ? s.ptr : "");
}

static bool fn_sha1sum(struct tmpl_call *c)
{
    unsigned char sum[SHA_DIGEST_LENGTH];

    crypto_start();
    SHA1(arg_bytes(c, 0), arg_str(c, 0).len, sum);
    return return_hex(c, sum, sizeof(sum));
}

static bool fn_sha256sum(struct tmpl_call *c)
{
    unsigned char sum[SHA256_DIGEST_LENGTH];

    crypto_start();
    SHA256(arg_bytes(c, 0), arg_str(c, 0).len, sum);
    return return_hex(c, sum, sizeof(sum));
}

static bool fn_sha512sum(struct tmpl_call *c)
{
    unsigned char sum[SHA512_DIGEST_LENGTH];

    crypto_start();
    SHA512(arg_bytes(c, 0), arg_str(c, 0).len, sum);
    return return_hex(c, sum, sizeof(sum));
}

static bool fn_adler32sum(struct tmpl_call *c)
{
    enum { PRIME = 65521, ROUND = 5552 }; /* so many bytes cannot overflow 32 bits */
    const unsigned char *bytes = arg_bytes(c, 0);
    size_t len = arg_str(c, 0).len;
    uint32_t low = 1, high = 0;

    for (size_t i = 0; i < len;) {
        size_t end = len - i > ROUND ? i + ROUND : len;
        for (; i < end; i++) {
            low += bytes[i];
            high += low;
        }
        low %= PRIME;
        high %= PRIME;
    }
    return return_str(c, str_fmt(c->arena, "%u", high << 16 | low));
}

/* ---- Passwords ----------------------------------------------------------------------------------
 */

#define BCRYPT_COST 10
#define BCRYPT_PASSWORD_MAX 72
#define BCRYPT_FAILED "failed to encrypt string with bcrypt: "

/* The hash of a password, or why there is none: Sprig returns that as the result too. */
static str bcrypt_hash(struct arena *a, str password)
{
    struct crypt_data *data = ARENA_NEW(a, struct crypt_data);
    char setting[CRYPT_GENSALT_OUTPUT_SIZE], salt[16], *hash;

    if (password.len > BCRYPT_PASSWORD_MAX)
        return STR(BCRYPT_FAILED "bcrypt: password length exceeds 72 bytes");
    if (str_find_char(password, '\0') != STR_NPOS)
        return STR(BCRYPT_FAILED "bcrypt: password contains a NUL byte");
    random_bytes(salt, sizeof(salt));
    /* $2b$ is what Go calls $2a$; the library's $2a$ treats some 8-bit passwords differently. */
    if (!crypt_gensalt_rn("$2b$", BCRYPT_COST, salt, sizeof(salt), setting, sizeof(setting)))
        return STR(BCRYPT_FAILED "no salt");
    hash = crypt_rn(str_z(a, password), setting, data, sizeof(*data));
    if (!hash)
        return STR(BCRYPT_FAILED "not supported here");
    hash[2] = 'a';
    return str_copy(a, str_c(hash));
}

static bool fn_bcrypt(struct tmpl_call *c)
{
    return call_steps(c, BCRYPT_STEPS) && return_str(c, bcrypt_hash(c->arena, arg_str(c, 0)));
}

static bool fn_htpasswd(struct tmpl_call *c)
{
    str user = arg_str(c, 0), hash;

    if (str_find_char(user, ':') != STR_NPOS)
        return return_str(c, str_concat(c->arena, STR("invalid username: "), user));
    if (!call_steps(c, BCRYPT_STEPS))
        return false;
    hash = bcrypt_hash(c->arena, arg_str(c, 1));
    return return_str(c, str_join(c->arena, (str[]){user, hash}, 2, STR(":")));
}

/* The shapes of derived passwords: each letter denotes a set of characters. */
static const struct {
    const char *name;
    const char *shapes; /* separated by blanks */
} password_types[] = {
    {"basic", "aaanaaan aannaaan aaannaaa"},
    {"long", "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv "
             "CvccCvcvCvcvno CvcvnoCvccCvcv CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc "
             "CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv CvccCvccCvcvno "
             "CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc "
             "CvccCvcvCvccno"},
    {"maximum", "anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno"},
    {"medium", "CvcnoCvc CvcCvcno"},
    {"pin", "nnnn"},
    {"short", "Cvcn"},
};

#define VOWELS "AEIOUaeiou"
#define CONSONANTS "BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz"

static str password_characters(char letter)
{
    switch (letter) {
    case 'C':
        return STR("BCDFGHJKLMNPQRSTVWXYZ");
    case 'c':
        return STR("bcdfghjklmnpqrstvwxyz");
    case 'v':
        return STR("aeiou");
    case 'a':
        return STR(VOWELS CONSONANTS);
    case 'n':
        return STR("0123456789");
    case 'o':
        return STR("@&%?,=[]_:-+*$#!'^~;()/.");
    default:
        return STR(VOWELS CONSONANTS "0123456789!@#$%^&*()");
    }
}

static const char *find_shapes(str type)
{
    for (size_t i = 0; i < COUNT(password_types); i++)
        if (str_eq(type, str_c(password_types[i].name)))
            return password_types[i].shapes;
    return NULL;
}

/* The shape that a byte of the seed picks. */
static str pick_shape(str shapes, unsigned char seed)
{
    size_t count = 1;
    str one;

    for (size_t i = 0; i < shapes.len; i++)
        count += shapes.ptr[i] == ' ';
    for (size_t i = 0; i <= seed % count; i++)
        str_cut(shapes, STR(" "), &one, &shapes);
    return one;
}

static void add_u32(struct buf *b, uint64_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_char(b, (char)(n >> shift));
}

/* The algorithm of Master Password: scrypt over user and password, then HMAC over the site. */
static bool password_seed(struct tmpl_call *c, unsigned char seed[SHA256_DIGEST_LENGTH])
{
    str password = arg_str(c, 2), user = arg_str(c, 3), site = arg_str(c, 4);
    struct buf salt = buf_new(c->arena, BUF_UNLIMITED), message = salt;
    unsigned char key[64];

    crypto_start();
    buf_add(&salt, STR("com.lyndir.masterpassword"));
    add_u32(&salt, user.len);
    buf_add(&salt, user);
    buf_add(&message, STR("com.lyndir.masterpassword"));
    add_u32(&message, site.len);
    buf_add(&message, site);
    add_u32(&message, c->args[0].u);
    return EVP_PBE_scrypt(password.len ? password.ptr : "", password.len,
                          (const unsigned char *)salt.data, salt.len, 32768, 8, 2, 64 * MIB, key,
                          sizeof(key)) == 1 &&
           HMAC(EVP_sha256(), key, sizeof(key), (const unsigned char *)message.data, message.len,
                seed, NULL) != NULL;
}

static bool fn_derive_password(struct tmpl_call *c)
{
    const char *shapes = find_shapes(arg_str(c, 1));
    unsigned char seed[SHA256_DIGEST_LENGTH];
    struct buf out = buf_new(c->arena, 64);
    str shape;

    if (!shapes)
        return return_str(
            c, str_concat(c->arena, STR("cannot find password template "), arg_str(c, 1)));
    if (!call_steps(c, SCRYPT_STEPS))
        return false;
    if (!password_seed(c, seed))
        return return_str(c, STR("failed to derive password: scrypt failed"));
    shape = pick_shape(str_c(shapes), seed[0]);
    for (size_t i = 0; i < shape.len; i++) {
        str set = password_characters(shape.ptr[i]);
        buf_char(&out, set.ptr[seed[i + 1] % set.len]);
    }
    return return_buf(c, &out);
}

/* ---- AES ----------------------------------------------------------------------------------------
 */

#define AES_BLOCK ((size_t)16)
#define AES_KEY 32

/* AES-256-CBC over whole blocks, with the key cut or filled up with zeros. */
static bool aes(str password, const unsigned char *iv, str in, unsigned char *out, bool encrypt)
{
    unsigned char key[AES_KEY] = {0};
    EVP_CIPHER_CTX *ctx;
    int n = 0;
    bool ok;

    crypto_start();
    memcpy(key, password.len ? password.ptr : "", password.len < AES_KEY ? password.len : AES_KEY);
    ctx = EVP_CIPHER_CTX_new();
    ok = ctx && EVP_CipherInit_ex(ctx, EVP_aes_256_cbc(), NULL, key, iv, encrypt) == 1 &&
         EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 &&
         EVP_CipherUpdate(ctx, out, &n, (const unsigned char *)in.ptr, (int)in.len) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

static bool fn_encrypt_aes(struct tmpl_call *c)
{
    str plain = arg_str(c, 1);
    size_t padding = AES_BLOCK - plain.len % AES_BLOCK, len = plain.len + padding;
    unsigned char *out;
    char *padded;

    if (!plain.len)
        return return_str(c, STR_NONE);
    if (!call_room(c, 4 * len + 2 * AES_BLOCK) || !call_steps(c, AES_STEPS))
        return false;
    padded = arena_alloc_text(c->arena, len);
    memcpy(padded, plain.ptr, plain.len);
    memset(padded + plain.len, (int)padding, padding);
    out = arena_alloc_raw(c->arena, AES_BLOCK + len);
    random_bytes(out, AES_BLOCK);
    if (!aes(arg_str(c, 0), out, str_of(padded, len), out + AES_BLOCK, true))
        return call_fail(c, "AES failed");
    return return_str(c, base64_encode(c->arena, str_of((char *)out, AES_BLOCK + len)));
}

static bool fn_decrypt_aes(struct tmpl_call *c)
{
    str bytes = STR_NONE, blocks;
    unsigned char *out, padding;
    size_t bad = 0;

    if (!arg_str(c, 1).len)
        return return_str(c, STR_NONE);
    if (!call_room(c, 2 * arg_str(c, 1).len) || !call_steps(c, AES_STEPS))
        return false;
    if (!base64_decode(c->arena, arg_str(c, 1), &bytes, &bad))
        return call_fail(c, "illegal base64 data at input byte %zu", bad);
    if (bytes.len < AES_BLOCK)
        return call_fail(c, "runtime error: slice bounds out of range [:%zu] with capacity %zu",
                         AES_BLOCK, arg_str(c, 1).len / 4 * 3);
    blocks = str_from(bytes, AES_BLOCK);
    if (blocks.len % AES_BLOCK)
        return call_fail(c, "crypto/cipher: input not full blocks");
    if (!blocks.len)
        return call_fail(c, "runtime error: index out of range [-1]");
    out = arena_alloc_raw(c->arena, blocks.len);
    if (!aes(arg_str(c, 0), (const unsigned char *)bytes.ptr, blocks, out, false))
        return call_fail(c, "AES failed");
    padding = out[blocks.len - 1];
    if (padding > blocks.len)
        return call_fail(c, "runtime error: slice bounds out of range [:-%zu]",
                         padding - blocks.len);
    return return_str(c, str_of((char *)out, blocks.len - padding));
}

/* Sorted by name. */
const struct tmpl_func tmpl_crypto_funcs[] = {
    {"adler32sum", "func(string) string", SPRIG, fn_adler32sum, "The Adler-32 checksum, in decimal",
     "{{ adler32sum \"text\" }}"},
    {"bcrypt", "func(string) string", SPRIG, fn_bcrypt, "The bcrypt hash of a password",
     "{{ bcrypt \"secret\" }}"},
    {"decryptAES", "func(string, string) (string, error)", SPRIG, fn_decrypt_aes,
     "Decrypt what encryptAES made with the same password",
     "{{ encryptAES \"key\" \"text\" | decryptAES \"key\" }}"},
    {"derivePassword", "func(uint32, string, string, string, string) string", SPRIG,
     fn_derive_password, "A password for a site, by counter, type, master password, user and site",
     "{{ derivePassword 1 \"long\" \"secret\" \"me\" \"example.com\" }}"},
    {"encryptAES", "func(string, string) (string, error)", SPRIG, fn_encrypt_aes,
     "Encrypt by AES-256-CBC with a password; in base 64", "{{ encryptAES \"key\" \"text\" }}"},
    {"htpasswd", "func(string, string) string", SPRIG, fn_htpasswd,
     "A line for an htpasswd file, with a bcrypt hash", "{{ htpasswd \"me\" \"secret\" }}"},
    {"sha1sum", "func(string) string", SPRIG, fn_sha1sum, "The SHA-1 checksum, in hexadecimal",
     "{{ sha1sum \"text\" }}"},
    {"sha256sum", "func(string) string", SPRIG, fn_sha256sum,
     "The SHA-256 checksum, in hexadecimal", "{{ sha256sum \"text\" }}"},
    {"sha512sum", "func(string) string", SPRIG, fn_sha512sum,
     "The SHA-512 checksum, in hexadecimal", "{{ sha512sum \"text\" }}"},
    {0},
};
