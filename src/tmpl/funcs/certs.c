/* SPDX-License-Identifier: Apache-2.0 */
/*
 * certs.c - private keys and certificates, as Sprig makes them with Go's x509 package: the
 * functions. What is in a certificate is cert_issue.c, what it is made of cert_job.h. RSA and DSA
 * keys come from OpenSSL's generator, everything else from base/clock.h.
 *
 * Making keys takes long, so each is charged to the steps of the run.
 */
#include "tmpl/funcs/cert_job.h"

#include "text/codec.h"
#include "tmpl/funcs/families.h"
#include "tmpl/funcs/keys.h"

#define RSA_STEPS 1200000       /* 2048 bits */
#define LARGE_RSA_STEPS 5000000 /* 4096 bits */
#define DSA_STEPS 3000000
#define SMALL_KEY_STEPS 4000 /* made or read */

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
    {"", LARGE_RSA_STEPS},        {"dsa", DSA_STEPS},       {"ecdsa", SMALL_KEY_STEPS},
    {"ed25519", SMALL_KEY_STEPS}, {"rsa", LARGE_RSA_STEPS},
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

/* ---- Certificates -------------------------------------------------------------------------------
 */

static struct cert_job job_new(struct tmpl_call *c)
{
    crypto_start();
    return (struct cert_job){.call = c, .arena = c->arena, .name = arg_str(c, 0)};
}

static void release(struct cert_job *j)
{
    X509_free(j->cert);
    X509_free(j->parent);
    EVP_PKEY_free(j->key);
    EVP_PKEY_free(j->signer);
    GENERAL_NAMES_free(j->alt);
    ERR_clear_error();
}

/* Makes the certificate, returns it, and ends the job. */
static bool finish(struct cert_job *j)
{
    str cert;
    bool ok = cert_issue(j, &cert) &&
              return_certificate(j->call, cert, key_write(j->arena, j->key));

    release(j);
    return ok;
}

/* Ends a job that cannot go on. Always false. */
static bool give_up(struct cert_job *j)
{
    release(j);
    return false;
}

/* The key of the certificate: new, or the one in PEM that the argument holds. */
static bool new_key(struct cert_job *j)
{
    if (!call_steps(j->call, RSA_STEPS))
        return false;
    j->key = key_new_rsa(2048);
    return j->key || call_fail(j->call, "error generating rsa key");
}

static bool given_key(struct cert_job *j, size_t i)
{
    str why;

    return call_steps(j->call, SMALL_KEY_STEPS) &&
           (key_read(j->arena, arg_str(j->call, i), &j->key, &why) ||
            call_fail(j->call, "parsing private key: %.*s", STR_ARG(why)));
}

static bool fn_gen_ca(struct tmpl_call *c)
{
    struct cert_job j = job_new(c);

    j.authority = true;
    j.days = arg_int(c, 1);
    return new_key(&j) ? finish(&j) : give_up(&j);
}

static bool fn_gen_ca_with_key(struct tmpl_call *c)
{
    struct cert_job j = job_new(c);

    j.authority = true;
    j.days = arg_int(c, 1);
    return given_key(&j, 2) ? finish(&j) : give_up(&j);
}

static bool fn_gen_self_signed_cert(struct tmpl_call *c)
{
    struct cert_job j = job_new(c);

    j.days = arg_int(c, 3);
    return new_key(&j) && cert_add_names(&j, arg_tv(c, 1), arg_tv(c, 2)) ? finish(&j) : give_up(&j);
}

static bool fn_gen_self_signed_cert_with_key(struct tmpl_call *c)
{
    struct cert_job j = job_new(c);

    j.days = arg_int(c, 3);
    return given_key(&j, 4) && cert_add_names(&j, arg_tv(c, 1), arg_tv(c, 2)) ? finish(&j)
                                                                              : give_up(&j);
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
static bool read_signer(struct cert_job *j, const struct certificate *authority)
{
    struct pem_block block;
    str why;

    if (!call_steps(j->call, UINT64_C(2) * SMALL_KEY_STEPS))
        return false;
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
    struct cert_job j = job_new(c);

    j.days = arg_int(c, 3);
    return new_key(&j) && read_signer(&j, arg_tv(c, 4).object) &&
                   cert_add_names(&j, arg_tv(c, 1), arg_tv(c, 2))
               ? finish(&j)
               : give_up(&j);
}

static bool fn_gen_signed_cert_with_key(struct tmpl_call *c)
{
    struct cert_job j = job_new(c);

    j.days = arg_int(c, 3);
    return given_key(&j, 5) && read_signer(&j, arg_tv(c, 4).object) &&
                   cert_add_names(&j, arg_tv(c, 1), arg_tv(c, 2))
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
    if (!call_steps(c, UINT64_C(2) * SMALL_KEY_STEPS))
        return false;
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
