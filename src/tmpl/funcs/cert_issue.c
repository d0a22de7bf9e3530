/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cert_issue.c - filling in and signing a certificate; see cert_job.h.
 *
 * It has what Go puts into it, in Go's order: key usage, extended key usage, basic constraints, for
 * authorities a key identifier, the identifier of the authority, alternative names.
 */
#include "tmpl/funcs/cert_job.h"

#include "tmpl/funcs/keys.h"

#define SIGNING_STEPS 8000

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

static bool set_subject(struct cert_job *j)
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
static bool set_times(struct cert_job *j)
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

static bool add_key_usage(struct cert_job *j)
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

static bool add_basic_constraints(struct cert_job *j)
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
static bool add_authority_key_id(struct cert_job *j)
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
static bool add_alternative_names(struct cert_job *j)
{
    return !j->alt ||
           X509_add1_ext_i2d(j->cert, NID_subject_alt_name, j->alt, j->name.len == 0, 0) == 1;
}

static bool fill_in(struct cert_job *j)
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

/* How long signing takes: with RSA the cube of the bits, which are up to whoever gives the key. */
static uint64_t signing_steps(const EVP_PKEY *key)
{
    uint64_t words = (uint64_t)EVP_PKEY_get_bits(key) / 64;

    return SIGNING_STEPS +
           (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA ? words * words * words / 4 : 0);
}

static bool check_keys(struct cert_job *j, EVP_PKEY *signer)
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

bool cert_issue(struct cert_job *j, str *out)
{
    EVP_PKEY *signer = j->signer ? j->signer : j->key;

    if (!check_keys(j, signer) || !call_steps(j->call, signing_steps(signer)))
        return false;
    if (!fill_in(j) || X509_sign(j->cert, signer, digest_for(signer)) <= 0)
        return j->call->error.len == 0 && call_fail(j->call, "error creating certificate");
    *out = cert_write(j->arena, j->cert);
    return true;
}
