/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - private keys; see keys.h.
 *
 * Reading accepts what Go's x509 package accepts, and words failures as it does, as far as they lie
 * in the outermost structure.
 */
#include "tmpl/funcs/keys.h"

#include "text/codec.h"

/* ---- Making -------------------------------------------------------------------------------------
 */

EVP_PKEY *key_new_rsa(unsigned bits)
{
    crypto_start();
    return EVP_RSA_gen(bits);
}

static EVP_PKEY *dsa_parameters(void)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_DSA, NULL);
    EVP_PKEY *parameters = NULL;

    if (!ctx || EVP_PKEY_paramgen_init(ctx) <= 0 ||
        EVP_PKEY_CTX_set_dsa_paramgen_bits(ctx, 2048) <= 0 ||
        EVP_PKEY_CTX_set_dsa_paramgen_q_bits(ctx, 256) <= 0 ||
        EVP_PKEY_paramgen(ctx, &parameters) <= 0)
        parameters = NULL;
    EVP_PKEY_CTX_free(ctx);
    return parameters;
}

EVP_PKEY *key_new_dsa(void)
{
    EVP_PKEY *parameters, *key = NULL;
    EVP_PKEY_CTX *ctx;

    crypto_start();
    parameters = dsa_parameters();
    ctx = parameters ? EVP_PKEY_CTX_new(parameters, NULL) : NULL;
    if (!ctx || EVP_PKEY_keygen_init(ctx) <= 0 || EVP_PKEY_keygen(ctx, &key) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(parameters);
    return key;
}

/* A number from 1 to below the order of the group. */
static BIGNUM *random_scalar(const EC_GROUP *group)
{
    unsigned char bytes[32];
    BIGNUM *n = NULL;

    do {
        BN_free(n);
        random_bytes(bytes, sizeof(bytes));
        n = BN_bin2bn(bytes, sizeof(bytes), NULL);
    } while (n && (BN_is_zero(n) || BN_cmp(n, EC_GROUP_get0_order(group)) >= 0));
    return n;
}

/* The public point of a private number, as its bytes. */
static size_t public_point(const EC_GROUP *group, const BIGNUM *n, unsigned char *out, size_t max)
{
    EC_POINT *point = EC_POINT_new(group);
    size_t len = 0;

    if (point && EC_POINT_mul(group, point, n, NULL, NULL, NULL) == 1)
        len = EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, out, max, NULL);
    EC_POINT_free(point);
    return len;
}

static EVP_PKEY *key_from_parameters(OSSL_PARAM *parameters)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    EVP_PKEY *key = NULL;

    if (!ctx || !parameters || EVP_PKEY_fromdata_init(ctx) <= 0 ||
        EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, parameters) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

EVP_PKEY *key_new_p256(void)
{
    EC_GROUP *group;
    OSSL_PARAM_BLD *build;
    OSSL_PARAM *parameters = NULL;
    unsigned char point[65];
    EVP_PKEY *key = NULL;
    BIGNUM *n;
    size_t len;

    crypto_start();
    group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    n = group ? random_scalar(group) : NULL;
    len = n ? public_point(group, n, point, sizeof(point)) : 0;
    build = OSSL_PARAM_BLD_new();
    if (build && len &&
        OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) &&
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, len) &&
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, n))
        parameters = OSSL_PARAM_BLD_to_param(build);
    if (parameters)
        key = key_from_parameters(parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(build);
    BN_clear_free(n);
    EC_GROUP_free(group);
    return key;
}

EVP_PKEY *key_new_ed25519(void)
{
    unsigned char seed[32];

    crypto_start();
    random_bytes(seed, sizeof(seed));
    return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof(seed));
}

/* ---- Writing ------------------------------------------------------------------------------------
 */

static const char *traditional_type(const EVP_PKEY *key)
{
    switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
        return "RSA PRIVATE KEY";
    case EVP_PKEY_DSA:
        return "DSA PRIVATE KEY";
    case EVP_PKEY_EC:
        return "EC PRIVATE KEY";
    default:
        return NULL;
    }
}

static int pkcs8_bytes(const EVP_PKEY *key, unsigned char **out)
{
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    int len = info ? i2d_PKCS8_PRIV_KEY_INFO(info, out) : -1;

    PKCS8_PRIV_KEY_INFO_free(info);
    return len;
}

str pem_of_der(struct arena *a, str type, unsigned char *bytes, int len)
{
    struct pem_block block = {.type = type};
    str text = STR_NONE;

    if (len > 0) {
        block.bytes = str_of((char *)bytes, (size_t)len);
        text = pem_encode(a, &block);
    }
    OPENSSL_free(bytes);
    return text;
}

str key_write(struct arena *a, EVP_PKEY *key)
{
    const char *type = traditional_type(key);
    unsigned char *bytes = NULL;
    int len = type ? i2d_PrivateKey(key, &bytes) : pkcs8_bytes(key, &bytes);

    return pem_of_der(a, str_c(type ? type : "PRIVATE KEY"), bytes, len);
}

/* ---- What Go says about broken structures -------------------------------------------------------
 */

struct asn1_header {
    unsigned class, tag;
    bool compound;
    size_t len, size; /* of the content; of the header */
};

/* Reads a header by Go's rules; *why is set when it breaks them. */
static struct asn1_header read_header(str bytes, const char **why)
{
    const unsigned char *b = (const unsigned char *)bytes.ptr;
    struct asn1_header h = {.class = b[0] >> 6, .compound = b[0] & 0x20, .tag = b[0] & 0x1f};
    size_t count;

    *why = NULL;
    if (h.tag == 0x1f || bytes.len < 2) {
        *why = "syntax error: truncated tag or length";
        return h;
    }
    h.size = 2;
    h.len = b[1];
    if (b[1] < 0x80)
        return h;
    count = b[1] & 0x7f;
    h.len = 0;
    if (count == 0)
        *why = "syntax error: indefinite length found (not DER)";
    for (size_t i = 0; i < count && !*why; i++) {
        if (h.size == bytes.len)
            *why = "syntax error: truncated tag or length";
        else if (h.len >= 1 << 23)
            *why = "structure error: length too large";
        else if ((h.len = h.len << 8 | b[h.size++]) == 0)
            *why = "structure error: superfluous leading zeros in length";
    }
    if (!*why && h.len < 0x80)
        *why = "structure error: non-minimal length";
    return h;
}

str asn1_fault(struct arena *a, str bytes, const char *name)
{
    struct asn1_header h;
    const char *why;

    if (!bytes.len)
        return STR("asn1: syntax error: sequence truncated");
    h = read_header(bytes, &why);
    if (why)
        return str_fmt(a, "asn1: %s", why);
    if (h.class != 0 || h.tag != 16 || !h.compound)
        return str_fmt(a,
                       "asn1: structure error: tags don't match (16 vs {class:%u tag:%u length:%zu "
                       "isCompound:%s}) {optional:false explicit:false application:false "
                       "private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 "
                       "set:false omitEmpty:false} %s @%zu",
                       h.class, h.tag, h.len, h.compound ? "true" : "false", name, h.size);
    if (h.len > bytes.len - h.size)
        return STR("asn1: syntax error: data truncated");
    return STR("asn1: syntax error: sequence truncated");
}

/* ---- Reading ------------------------------------------------------------------------------------
 */

static EVP_PKEY *read_traditional(int type, str bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.ptr;
    EVP_PKEY *key = d2i_PrivateKey(type, NULL, &at, (long)bytes.len);

    ERR_clear_error();
    return key;
}

static PKCS8_PRIV_KEY_INFO *read_pkcs8_info(str bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.ptr;
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)bytes.len);

    ERR_clear_error();
    return info;
}

static bool is_traditional(int type, str bytes)
{
    EVP_PKEY *key = read_traditional(type, bytes);

    EVP_PKEY_free(key);
    return key != NULL;
}

static bool is_pkcs8(str bytes)
{
    PKCS8_PRIV_KEY_INFO *info = read_pkcs8_info(bytes);

    PKCS8_PRIV_KEY_INFO_free(info);
    return info != NULL;
}

/* "use ParseECPrivateKey instead", or what the asn1 package says. wanted is not tried. */
static str read_fault(struct arena *a, str bytes, const char *wanted, const char *prefix)
{
    static const char use[] =
        "x509: failed to parse private key (use Parse%sPrivateKey instead for this key format)";

    if (strcmp(wanted, "ecPrivateKey") != 0 && is_traditional(EVP_PKEY_EC, bytes))
        return str_fmt(a, use, "EC");
    if (strcmp(wanted, "pkcs8") != 0 && is_pkcs8(bytes))
        return str_fmt(a, use, "PKCS8");
    if (strcmp(wanted, "pkcs1PrivateKey") != 0 && is_traditional(EVP_PKEY_RSA, bytes))
        return str_fmt(a, use, "PKCS1");
    return str_concat(a, str_c(prefix), asn1_fault(a, bytes, wanted));
}

/* The curves that Go knows. */
static bool is_known_curve(const EVP_PKEY *key)
{
    char name[64];
    size_t len = 0;
    int nid;

    if (EVP_PKEY_get_base_id(key) != EVP_PKEY_EC)
        return true;
    if (!EVP_PKEY_get_group_name(key, name, sizeof(name), &len))
        return false;
    nid = OBJ_sn2nid(name);
    return nid == NID_secp224r1 || nid == NID_X9_62_prime256v1 || nid == NID_secp384r1 ||
           nid == NID_secp521r1;
}

static bool is_known_algorithm(const ASN1_OBJECT *algorithm)
{
    int nid = OBJ_obj2nid(algorithm);

    return nid == NID_rsaEncryption || nid == NID_X9_62_id_ecPublicKey || nid == NID_ED25519 ||
           nid == NID_X25519;
}

/* One way to read, with the words that Go puts before a failure. */
static bool read_as_pkcs8(struct arena *a, str bytes, EVP_PKEY **out, str *why)
{
    PKCS8_PRIV_KEY_INFO *info = read_pkcs8_info(bytes);
    const ASN1_OBJECT *algorithm = NULL;
    char name[80] = "";

    *out = NULL;
    if (!info) {
        *why = read_fault(a, bytes, "pkcs8", "");
        return false;
    }
    PKCS8_pkey_get0(&algorithm, NULL, NULL, NULL, info);
    OBJ_obj2txt(name, sizeof(name), algorithm, 1);
    if (!is_known_algorithm(algorithm))
        *why = str_fmt(a, "x509: PKCS#8 wrapping contained private key with unknown algorithm: %s",
                       name);
    else if (!(*out = EVP_PKCS82PKEY(info)))
        *why = STR("x509: failed to parse private key embedded in PKCS#8");
    ERR_clear_error();
    PKCS8_PRIV_KEY_INFO_free(info);
    return *out != NULL;
}

static bool read_as_traditional(struct arena *a, int type, str bytes, EVP_PKEY **out, str *why)
{
    static const struct {
        int type;
        const char *name, *prefix;
    } kinds[] = {
        {EVP_PKEY_DSA, "DSAKeyFormat", ""},
        {EVP_PKEY_EC, "ecPrivateKey", "x509: failed to parse EC private key: "},
        {EVP_PKEY_RSA, "pkcs1PrivateKey", ""},
    };
    size_t i = 0;

    *out = read_traditional(type, bytes);
    if (*out)
        return true;
    while (kinds[i].type != type)
        i++;
    *why = type == EVP_PKEY_DSA ? asn1_fault(a, bytes, kinds[i].name)
                                : read_fault(a, bytes, kinds[i].name, kinds[i].prefix);
    return false;
}

static bool wrap(struct arena *a, const char *context, str *why)
{
    *why = str_fmt(a, "%s: %.*s", context, STR_ARG(*why));
    return false;
}

static bool fail(str *why, str text)
{
    *why = text;
    return false;
}

static bool read_block(struct arena *a, const struct pem_block *block, EVP_PKEY **out, str *why)
{
    str type = block->type;

    if (str_eq(type, STR("PRIVATE KEY")))
        return read_as_pkcs8(a, block->bytes, out, why) || wrap(a, "decoding PEM as PKCS#8", why);
    if (!str_has_suffix(type, STR(" PRIVATE KEY")))
        return fail(why, str_concat(a, STR("no private key data in PEM block of type "), type));
    if (str_eq(type, STR("RSA PRIVATE KEY")))
        return read_as_traditional(a, EVP_PKEY_RSA, block->bytes, out, why) ||
               wrap(a, "parsing RSA private key from PEM", why);
    if (str_eq(type, STR("EC PRIVATE KEY")))
        return read_as_traditional(a, EVP_PKEY_EC, block->bytes, out, why) ||
               wrap(a, "parsing EC private key from PEM", why);
    if (str_eq(type, STR("DSA PRIVATE KEY")))
        return read_as_traditional(a, EVP_PKEY_DSA, block->bytes, out, why) ||
               wrap(a, "parsing DSA private key from PEM", why);
    return fail(why, str_concat(a, STR("invalid private key type "), type));
}

bool key_read(struct arena *a, str text, EVP_PKEY **out, str *why)
{
    struct pem_block block;

    crypto_start();
    *out = NULL;
    if (!pem_decode(a, text, &block))
        return fail(why, STR("no PEM data in input"));
    if (!read_block(a, &block, out, why))
        return false;
    if (is_known_curve(*out))
        return true;
    EVP_PKEY_free(*out);
    *out = NULL;
    return fail(why, STR("x509: unknown elliptic curve"));
}
