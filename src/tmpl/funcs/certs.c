/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certs.c - private keys and certificates, as Sprig makes them with Go's x509 package.
 *
 * A certificate has what Go puts into it, in Go's order: key usage, extended key usage, basic
 * constraints, for authorities a key identifier, the identifier of the authority, alternative
 * names. RSA and DSA keys come from OpenSSL's generator, everything else from base/clock.h.
 *
 * Making keys takes long, so each is charged to the steps of the run.
 */
#include "tmpl/funcs/crypto.h"

#include "text/codec.h"
#include "tmpl/funcs/families.h"
#include "tmpl/funcs/keys.h"

#include <arpa/inet.h>

#define RSA_STEPS 500000 /* 2048 bits */
#define LARGE_KEY_STEPS 2000000
#define SMALL_KEY_STEPS 2000

struct certificate {
    str cert, key;
};

/* ---- The type sprig.certificate -----------------------------------------------------------------
 */

static struct tv field_cert(const void *object)
{
    return tv_str(((const struct certificate *)object)->cert);
}

static struct tv field_key(const void *object)
{
    return tv_str(((const struct certificate *)object)->key);
}

const struct tv_field tmpl_cert_fields[] = {{"Cert", field_cert}, {"Key", field_key}, {0}};

static bool return_certificate(struct tmpl_call *c, str cert, str key)
{
    struct certificate *made = ARENA_NEW(c->arena, struct certificate);

    *made = (struct certificate){cert, key};
    return return_tv(c, tv_object(TV_CERT, made));
}

/* ---- genPrivateKey ------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    uint64_t steps;
} key_types[] = {
    {"", LARGE_KEY_STEPS},        {"dsa", LARGE_KEY_STEPS}, {"ecdsa", SMALL_KEY_STEPS},
    {"ed25519", SMALL_KEY_STEPS}, {"rsa", LARGE_KEY_STEPS},
};

static EVP_PKEY *key_of_type(str type)
{
    if (str_eq(type, STR("dsa")))
        return key_new_dsa();
    if (str_eq(type, STR("ecdsa")))
        return key_new_p256();
    return str_eq(type, STR("ed25519")) ? key_new_ed25519() : key_new_rsa(4096);
}

static bool fn_gen_private_key(struct tmpl_call *c)
{
    str type = arg_str(c, 0), text;
    size_t i = 0;
    EVP_PKEY *key;

    while (i < COUNT(key_types) && !str_eq(type, str_c(key_types[i].name)))
        i++;
    if (i == COUNT(key_types))
        return return_str(c, str_concat(c->arena, STR("Unknown type "), type));
    if (!call_steps(c, key_types[i].steps))
        return false;
    key = key_of_type(type);
    if (!key)
        return return_str(c, STR("failed to generate private key"));
    text = key_write(c->arena, key);
    EVP_PKEY_free(key);
    return return_str(c, text);
}

/* ---- What a certificate is made of --------------------------------------------------------------
 */

/* Everything that one call works with; release frees it. */
struct job {
    struct tmpl_call *call;
    struct arena *arena;
    X509 *cert;
    X509 *parent;       /* NULL: signed by its own key */
    EVP_PKEY *key;      /* of the certificate */
    EVP_PKEY *signer;   /* NULL: key */
    GENERAL_NAMES *alt; /* NULL: none */
    str name;
    int64_t days;
    bool authority;
};

static void release(struct job *j)
{
    X509_free(j->cert);
    X509_free(j->parent);
    EVP_PKEY_free(j->key);
    EVP_PKEY_free(j->signer);
    GENERAL_NAMES_free(j->alt);
    ERR_clear_error();
}

static bool add_alt(struct job *j, int type, int string_type, const void *bytes, size_t len)
{
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_STRING *string = ASN1_STRING_type_new(string_type);

    if (!j->alt)
        j->alt = GENERAL_NAMES_new();
    if (!name || !string || !j->alt || !ASN1_STRING_set(string, bytes, (int)len)) {
        GENERAL_NAME_free(name);
        ASN1_STRING_free(string);
        return call_fail(j->call, "out of memory");
    }
    GENERAL_NAME_set0_value(name, type, string);
    sk_GENERAL_NAME_push(j->alt, name);
    return true;
}

static bool is_ascii(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] > 0x7f)
            return false;
    return true;
}

/* Upstream: names are looked at in CreateCertificate, so its words come before. */
static bool add_dns(struct job *j, str name)
{
    struct buf quoted = buf_new(j->arena, BUF_UNLIMITED);

    if (is_ascii(name))
        return add_alt(j, GEN_DNS, V_ASN1_IA5STRING, name.ptr, name.len);
    go_quote(&quoted, name);
    return call_fail(j->call,
                     "error creating certificate: x509: %.*s cannot be encoded as an IA5String",
                     STR_ARG(buf_str(&quoted)));
}

/* An address of IPv4, also when it is written as one of IPv6, has four bytes. */
static bool add_ip(struct job *j, str text)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    unsigned char ip[16];
    const char *z = str_z(j->arena, text);
    bool whole = strlen(z) == text.len;

    if (whole && inet_pton(AF_INET, z, ip) == 1)
        return add_alt(j, GEN_IPADD, V_ASN1_OCTET_STRING, ip, 4);
    if (!whole || inet_pton(AF_INET6, z, ip) != 1)
        return call_fail(j->call, "error parsing ip: %.*s", STR_ARG(text));
    if (memcmp(ip, mapped, sizeof(mapped)) == 0)
        return add_alt(j, GEN_IPADD, V_ASN1_OCTET_STRING, ip + 12, 4);
    return add_alt(j, GEN_IPADD, V_ASN1_OCTET_STRING, ip, 16);
}

/* The texts of a list. what begins the error about an element of another type. */
static bool texts_of(struct tmpl_call *c, struct tv list, const char *what, str **out)
{
    size_t count = tv_len(c->rt, list);

    *out = ARENA_ARRAY(c->arena, str, count);
    for (size_t i = 0; i < count; i++) {
        struct tv item = tv_concrete(tv_at(c->rt, list, i));
        if (item.type != TV_STRING)
            return call_fail(
                c, "%s: %.*s is not a string", what,
                STR_ARG(item.type == TV_INVALID ? STR("<nil>") : tv_to_str(c->rt, item)));
        (*out)[i] = tv_text(item);
    }
    return true;
}

/* IP addresses are checked before names, but names come first in the certificate. */
static bool add_names(struct job *j, struct tv ips, struct tv names)
{
    struct tmpl_call *c = j->call;
    size_t ip_count = tv_len(c->rt, ips), name_count = tv_len(c->rt, names);
    GENERAL_NAMES *addresses;
    str *texts;

    if (!texts_of(c, ips, "error parsing ip", &texts))
        return false;
    for (size_t i = 0; i < ip_count; i++)
        if (!add_ip(j, texts[i]))
            return false;
    if (!texts_of(c, names, "error processing alternate dns name", &texts))
        return false;
    addresses = j->alt;
    j->alt = NULL;
    for (size_t i = 0; i < name_count; i++) {
        if (!add_dns(j, texts[i])) {
            GENERAL_NAMES_free(addresses);
            return false;
        }
    }
    if (!j->alt)
        j->alt = addresses;
    else if (addresses) {
        for (int i = 0; i < sk_GENERAL_NAME_num(addresses); i++)
            sk_GENERAL_NAME_push(j->alt, sk_GENERAL_NAME_value(addresses, i));
        sk_GENERAL_NAME_free(addresses);
    }
    return true;
}

/* ---- Filling in ---------------------------------------------------------------------------------
 */

/* What asn1 calls a PrintableString. */
static bool is_printable(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9');
        if (!alphanumeric && !(c && strchr(" '()+,-./:=?", c)))
            return false;
    }
    return true;
}

static bool set_subject(struct job *j)
{
    int type = is_printable(j->name) ? V_ASN1_PRINTABLESTRING : V_ASN1_UTF8STRING;

    if (!j->name.len)
        return true;
    if (utf8_find_invalid(j->name) != STR_NPOS)
        return call_fail(j->call, "error creating certificate: asn1: string not valid UTF-8");
    return X509_NAME_add_entry_by_NID(X509_get_subject_name(j->cert), NID_commonName, type,
                                      (const unsigned char *)j->name.ptr, (int)j->name.len, -1,
                                      0) == 1;
}

/* Upstream: days beyond 292 years wrap around, as nanoseconds in 64 bits do. */
static bool set_times(struct job *j)
{
    int64_t now = clock_now(), span = (int64_t)((uint64_t)j->days * 86400 * (uint64_t)NS_PER_SEC);
    __int128 end = (__int128)now + span;
    time_t from = now / NS_PER_SEC, to;

    to = (time_t)(end / NS_PER_SEC - (end % NS_PER_SEC < 0));
    return ASN1_TIME_set(X509_getm_notBefore(j->cert), from) &&
           ASN1_TIME_set(X509_getm_notAfter(j->cert), to);
}

static bool set_serial(X509 *cert)
{
    unsigned char bytes[16];
    BIGNUM *n;
    bool ok;

    random_bytes(bytes, sizeof(bytes));
    n = BN_bin2bn(bytes, sizeof(bytes), NULL);
    ok = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(cert));
    BN_free(n);
    return ok;
}

static bool add_key_usage(struct job *j)
{
    ASN1_BIT_STRING *bits = ASN1_BIT_STRING_new();
    bool ok = bits && ASN1_BIT_STRING_set_bit(bits, 0, 1) && /* digital signature */
              ASN1_BIT_STRING_set_bit(bits, 2, 1) &&         /* key encipherment */
              (!j->authority || ASN1_BIT_STRING_set_bit(bits, 5, 1)) &&
              X509_add1_ext_i2d(j->cert, NID_key_usage, bits, 1, 0) == 1;

    ASN1_BIT_STRING_free(bits);
    return ok;
}

static bool add_extended_key_usage(X509 *cert)
{
    EXTENDED_KEY_USAGE *usage = sk_ASN1_OBJECT_new_null();
    bool ok = usage && sk_ASN1_OBJECT_push(usage, OBJ_nid2obj(NID_server_auth)) &&
              sk_ASN1_OBJECT_push(usage, OBJ_nid2obj(NID_client_auth)) &&
              X509_add1_ext_i2d(cert, NID_ext_key_usage, usage, 0, 0) == 1;

    EXTENDED_KEY_USAGE_free(usage);
    return ok;
}

static bool add_basic_constraints(struct job *j)
{
    BASIC_CONSTRAINTS *constraints = BASIC_CONSTRAINTS_new();
    bool ok;

    if (constraints)
        constraints->ca = j->authority ? 0xff : 0;
    ok = constraints && X509_add1_ext_i2d(j->cert, NID_basic_constraints, constraints, 1, 0) == 1;
    BASIC_CONSTRAINTS_free(constraints);
    return ok;
}

/* Of an authority: the first 160 bits of the SHA-256 sum of the public key. */
static bool add_subject_key_id(X509 *cert)
{
    const ASN1_BIT_STRING *key = X509_get0_pubkey_bitstr(cert);
    unsigned char sum[SHA256_DIGEST_LENGTH];
    ASN1_OCTET_STRING *id = ASN1_OCTET_STRING_new();
    bool ok;

    SHA256(ASN1_STRING_get0_data(key), (size_t)ASN1_STRING_length(key), sum);
    ok = id && ASN1_OCTET_STRING_set(id, sum, 20) &&
         X509_add1_ext_i2d(cert, NID_subject_key_identifier, id, 0, 0) == 1;
    ASN1_OCTET_STRING_free(id);
    return ok;
}

/* Of a certificate that somebody else signed, when that one has a key identifier. */
static bool add_authority_key_id(struct job *j)
{
    const ASN1_OCTET_STRING *parent_id = j->parent ? X509_get0_subject_key_id(j->parent) : NULL;
    AUTHORITY_KEYID *id;
    bool ok;

    if (!parent_id ||
        X509_NAME_cmp(X509_get_subject_name(j->parent), X509_get_subject_name(j->cert)) == 0)
        return true;
    id = AUTHORITY_KEYID_new();
    if (id)
        id->keyid = ASN1_OCTET_STRING_dup(parent_id);
    ok = id && id->keyid && X509_add1_ext_i2d(j->cert, NID_authority_key_identifier, id, 0, 0) == 1;
    AUTHORITY_KEYID_free(id);
    return ok;
}

/* Critical when nothing else names the holder. */
static bool add_alternative_names(struct job *j)
{
    return !j->alt ||
           X509_add1_ext_i2d(j->cert, NID_subject_alt_name, j->alt, j->name.len == 0, 0) == 1;
}

static bool fill_in(struct job *j)
{
    j->cert = X509_new();
    return j->cert && X509_set_version(j->cert, X509_VERSION_3) && set_serial(j->cert) &&
           set_subject(j) && set_times(j) &&
           X509_set_issuer_name(j->cert, X509_get_subject_name(j->parent ? j->parent : j->cert)) &&
           X509_set_pubkey(j->cert, j->key) && add_key_usage(j) &&
           add_extended_key_usage(j->cert) && add_basic_constraints(j) &&
           (!j->authority || add_subject_key_id(j->cert)) && add_authority_key_id(j) &&
           add_alternative_names(j);
}

/* ---- Signing ------------------------------------------------------------------------------------
 */

static const EVP_MD *digest_for(const EVP_PKEY *key)
{
    if (EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519)
        return NULL;
    if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC && EVP_PKEY_get_bits(key) > 256)
        return EVP_PKEY_get_bits(key) > 384 ? EVP_sha512() : EVP_sha384();
    return EVP_sha256();
}

static bool can_sign(const EVP_PKEY *key)
{
    int type = EVP_PKEY_get_base_id(key);

    return type == EVP_PKEY_RSA || type == EVP_PKEY_EC || type == EVP_PKEY_ED25519;
}

static bool check_keys(struct job *j, EVP_PKEY *signer)
{
    if (!can_sign(signer))
        return call_fail(j->call, "error creating certificate: x509: certificate private key does "
                                  "not implement crypto.Signer");
    if (!can_sign(j->key))
        return call_fail(j->call, "error creating certificate: x509: unsupported public key type");
    if (j->parent && EVP_PKEY_eq(X509_get0_pubkey(j->parent), signer) != 1)
        return call_fail(j->call, "error creating certificate: x509: provided PrivateKey doesn't "
                                  "match parent's PublicKey");
    return true;
}

static str cert_write(struct arena *a, X509 *cert)
{
    unsigned char *bytes = NULL;
    int len = i2d_X509(cert, &bytes);

    return pem_of_der(a, STR("CERTIFICATE"), bytes, len);
}

/* Makes the certificate, returns it, and ends the job. */
static bool finish(struct job *j)
{
    EVP_PKEY *signer = j->signer ? j->signer : j->key;
    bool ok = check_keys(j, signer);

    if (ok && (!fill_in(j) || X509_sign(j->cert, signer, digest_for(signer)) <= 0))
        ok = j->call->error.len == 0 && call_fail(j->call, "error creating certificate");
    if (ok)
        return_certificate(j->call, cert_write(j->arena, j->cert), key_write(j->arena, j->key));
    release(j);
    return ok && j->call->error.len == 0;
}

/* Ends a job that cannot go on. Always false. */
static bool give_up(struct job *j)
{
    release(j);
    return false;
}

/* ---- Functions ----------------------------------------------------------------------------------
 */

static struct job job_new(struct tmpl_call *c)
{
    crypto_start();
    return (struct job){.call = c, .arena = c->arena, .name = arg_str(c, 0)};
}

/* The key of the certificate: new, or the one in PEM that the argument holds. */
static bool new_key(struct job *j)
{
    if (!call_steps(j->call, RSA_STEPS))
        return false;
    j->key = key_new_rsa(2048);
    return j->key || call_fail(j->call, "error generating rsa key");
}

static bool given_key(struct job *j, size_t i)
{
    str why;

    return call_steps(j->call, SMALL_KEY_STEPS) &&
           (key_read(j->arena, arg_str(j->call, i), &j->key, &why) ||
            call_fail(j->call, "parsing private key: %.*s", STR_ARG(why)));
}

static bool fn_gen_ca(struct tmpl_call *c)
{
    struct job j = job_new(c);

    j.authority = true;
    j.days = arg_int(c, 1);
    return new_key(&j) ? finish(&j) : give_up(&j);
}

static bool fn_gen_ca_with_key(struct tmpl_call *c)
{
    struct job j = job_new(c);

    j.authority = true;
    j.days = arg_int(c, 1);
    return given_key(&j, 2) ? finish(&j) : give_up(&j);
}

static bool fn_gen_self_signed_cert(struct tmpl_call *c)
{
    struct job j = job_new(c);

    j.days = arg_int(c, 3);
    return new_key(&j) && add_names(&j, arg_tv(c, 1), arg_tv(c, 2)) ? finish(&j) : give_up(&j);
}

static bool fn_gen_self_signed_cert_with_key(struct tmpl_call *c)
{
    struct job j = job_new(c);

    j.days = arg_int(c, 3);
    return given_key(&j, 4) && add_names(&j, arg_tv(c, 1), arg_tv(c, 2)) ? finish(&j) : give_up(&j);
}

/* Reads a certificate by Go's rules; *why is what Go says. */
static X509 *cert_read(str bytes, str *why)
{
    const unsigned char *at = (const unsigned char *)bytes.ptr;
    X509 *cert = d2i_X509(NULL, &at, (long)bytes.len);

    ERR_clear_error();
    if (cert && at != (const unsigned char *)bytes.ptr + bytes.len) {
        *why = STR("x509: trailing data");
        X509_free(cert);
        return NULL;
    }
    *why = STR("x509: malformed certificate");
    return cert;
}

/* The authority that signs, out of its certificate and key in PEM. */
static bool read_signer(struct job *j, const struct certificate *authority)
{
    struct pem_block block;
    str why;

    if (!pem_decode(j->arena, authority->cert, &block))
        return call_fail(j->call, "unable to decode certificate");
    j->parent = cert_read(block.bytes, &why);
    if (!j->parent)
        return call_fail(j->call, "error parsing certificate: decodedSignerCert.Bytes: %.*s",
                         STR_ARG(why));
    return key_read(j->arena, authority->key, &j->signer, &why) ||
           call_fail(j->call, "error parsing private key: %.*s", STR_ARG(why));
}

static bool fn_gen_signed_cert(struct tmpl_call *c)
{
    struct job j = job_new(c);

    j.days = arg_int(c, 3);
    return new_key(&j) && read_signer(&j, arg_tv(c, 4).object) &&
                   add_names(&j, arg_tv(c, 1), arg_tv(c, 2))
               ? finish(&j)
               : give_up(&j);
}

static bool fn_gen_signed_cert_with_key(struct tmpl_call *c)
{
    struct job j = job_new(c);

    j.days = arg_int(c, 3);
    return given_key(&j, 5) && read_signer(&j, arg_tv(c, 4).object) &&
                   add_names(&j, arg_tv(c, 1), arg_tv(c, 2))
               ? finish(&j)
               : give_up(&j);
}

static bool fn_build_custom_cert(struct tmpl_call *c)
{
    str cert = STR_NONE, key = STR_NONE, why;
    struct pem_block block;
    EVP_PKEY *parsed_key;
    X509 *parsed;
    size_t bad;

    crypto_start();
    if (!base64_decode(c->arena, arg_str(c, 0), &cert, &bad))
        return call_fail(c, "unable to decode base64 certificate");
    if (!base64_decode(c->arena, arg_str(c, 1), &key, &bad))
        return call_fail(c, "unable to decode base64 private key");
    if (!pem_decode(c->arena, cert, &block))
        return call_fail(c, "unable to decode certificate");
    parsed = cert_read(block.bytes, &why);
    if (!parsed)
        return call_fail(c, "error parsing certificate: decodedCert.Bytes: %.*s", STR_ARG(why));
    X509_free(parsed);
    if (!key_read(c->arena, key, &parsed_key, &why))
        return call_fail(c, "error parsing private key: %.*s", STR_ARG(why));
    EVP_PKEY_free(parsed_key);
    return return_certificate(c, cert, key);
}

/* Sorted by name. */
const struct tmpl_func tmpl_cert_funcs[] = {
    {"buildCustomCert", "func(string, string) (sprig.certificate, error)", SPRIG,
     fn_build_custom_cert, "A certificate and its key out of their PEM texts in base 64",
     "{{ $ca := buildCustomCert .cert .key }}"},
    {"genCA", "func(string, int) (sprig.certificate, error)", SPRIG, fn_gen_ca,
     "A new authority: .Cert and .Key; by name and days", "{{ (genCA \"my-ca\" 365).Cert }}"},
    {"genCAWithKey", "func(string, int, string) (sprig.certificate, error)", SPRIG,
     fn_gen_ca_with_key, "As genCA, with a private key in PEM",
     "{{ (genCAWithKey \"my-ca\" 365 (genPrivateKey \"ecdsa\")).Cert }}"},
    {"genPrivateKey", "func(string) string", SPRIG, fn_gen_private_key,
     "A new private key in PEM: rsa, dsa, ecdsa or ed25519", "{{ genPrivateKey \"ecdsa\" }}"},
    {"genSelfSignedCert", "func(string, []any, []any, int) (sprig.certificate, error)", SPRIG,
     fn_gen_self_signed_cert,
     "A new certificate, signed by itself; by name, IP addresses, DNS names and days",
     "{{ (genSelfSignedCert \"web\" (list \"10.0.0.1\") (list \"web.example\") 365).Cert }}"},
    {"genSelfSignedCertWithKey",
     "func(string, []any, []any, int, string) (sprig.certificate, error)", SPRIG,
     fn_gen_self_signed_cert_with_key, "As genSelfSignedCert, with a private key in PEM",
     "{{ (genSelfSignedCertWithKey \"web\" nil nil 365 (genPrivateKey \"ecdsa\")).Cert }}"},
    {"genSignedCert",
     "func(string, []any, []any, int, sprig.certificate) (sprig.certificate, error)", SPRIG,
     fn_gen_signed_cert,
     "A new certificate, signed by an authority; by name, IP addresses, DNS names and days",
     "{{ (genSignedCert \"web\" nil (list \"web.example\") 365 (genCA \"my-ca\" 365)).Cert }}"},
    {"genSignedCertWithKey",
     "func(string, []any, []any, int, sprig.certificate, string) (sprig.certificate, error)", SPRIG,
     fn_gen_signed_cert_with_key, "As genSignedCert, with a private key in PEM",
     "{{ (genSignedCertWithKey \"web\" nil nil 1 (genCA \"a\" 1) (genPrivateKey \"ecdsa\")).Cert "
     "}}"},
    {0},
};
