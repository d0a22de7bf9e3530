/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums, passwords, keys and certificates. More cases are in tests/recorded/template. */
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "render.h"

#include "base/clock.h"

static const struct render_case sums[] = {
    {"{{ sha1sum \"abc\" }}", NULL, "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"{{ sha256sum \"\" | trunc 16 }}", NULL, "e3b0c44298fc1c14"},
    {"{{ sha512sum \"abc\" | trunc 16 }}", NULL, "ddaf35a193617aba"},
    {"{{ adler32sum \"\" }} {{ adler32sum \"Wikipedia\" }}", NULL, "1 300286872"},
    {"{{ derivePassword 1 \"bogus\" \"p\" \"u\" \"s\" }}", NULL,
     "cannot find password template bogus"},
    {"{{ derivePassword 1 \"long\" \"\" \"\" \"\" }}", NULL, "YavoDajh9;Zafn"},
};

TEST(sums_are_those_of_the_standards)
{
    check_renders(sums, COUNT(sums));
}

static const struct render_case aes[] = {
    {"{{ encryptAES \"k\" .s | decryptAES \"k\" }}", "{\"s\":\"sixteen letters!\"}",
     "sixteen letters!"},
    {"{{ encryptAES \"k\" \"\" }}|", NULL, "|"},
    {"{{ decryptAES \"k\" \"a,b\" }}", NULL,
     "template: t:1:3: executing \"t\" at <decryptAES \"k\" \"a,b\">: error calling decryptAES: "
     "illegal base64 data at input byte 1"},
    {"{{ decryptAES \"k\" \"YWJj\" }}", NULL,
     "template: t:1:3: executing \"t\" at <decryptAES \"k\" \"YWJj\">: error calling decryptAES: "
     "runtime error: slice bounds out of range [:16] with capacity 3"},
};

TEST(what_is_encrypted_can_be_decrypted)
{
    check_renders(aes, COUNT(aes));
}

TEST(a_bcrypt_hash_fits_its_password)
{
    AUTO_ARENA a = arena_new();
    str hash = render(a, "{{ bcrypt \"secret\" }}", NULL);

    assert_int_equal(hash.len, 60);
    assert_true(str_has_prefix(hash, STR("$2a$10$")));
    assert_str(
        render(a, "{{ bcrypt (repeat 73 \"x\") }}", NULL),
        STR("failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"));
    assert_str(render(a, "{{ htpasswd \"a:b\" \"x\" }}", NULL), STR("invalid username: a:b"));
}

TEST(a_password_with_a_nul_is_refused)
{
    AUTO_ARENA a = arena_new();

    assert_str(render(a, "{{ bcrypt \"a\\x00b\" }}", NULL),
               STR("failed to encrypt string with bcrypt: bcrypt: password contains a NUL byte"));
}

TEST(fake_randomness_repeats)
{
    static const char text[] = "{{ uuidv4 }} {{ randAlphaNum 8 }} {{ genPrivateKey \"ed25519\" }}";
    AUTO_ARENA a = arena_new();
    str first, second;

    random_fake(7);
    first = render(a, text, NULL);
    random_fake(7);
    second = render(a, text, NULL);
    random_real();
    assert_str(first, second);
    assert_true(str_contains(first, STR("-----BEGIN PRIVATE KEY-----\n")));
}

/* ---- Certificates ---- */

static X509 *read_cert(str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    BIO_free(bio);
    return cert;
}

static EVP_PKEY *read_key(str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);

    BIO_free(bio);
    return key;
}

/* Three certificates and keys in PEM, separated by a bar. */
static void split(str all, str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        str_cut(all, STR("|"), &parts[i], &all);
}

TEST(a_signed_certificate_verifies_against_its_authority)
{
    AUTO_ARENA a = arena_new();
    str parts[4];
    X509 *ca, *cert;
    EVP_PKEY *key;

    split(render(a,
                 "{{ $ca := genCAWithKey \"my-ca\" 10 (genPrivateKey \"ecdsa\") }}"
                 "{{ $c := genSignedCertWithKey \"web\" (list \"10.0.0.1\" \"::1\") "
                 "(list \"a.example\") 5 $ca (genPrivateKey \"ed25519\") }}"
                 "{{ $ca.Cert }}|{{ $ca.Key }}|{{ $c.Cert }}|{{ $c.Key }}",
                 NULL),
          parts, 4);
    ca = read_cert(parts[0]);
    cert = read_cert(parts[2]);
    key = read_key(parts[3]);
    assert_true(ca && cert && key);
    assert_int_equal(X509_verify(cert, X509_get0_pubkey(ca)), 1);
    assert_int_equal(X509_verify(ca, X509_get0_pubkey(ca)), 1);
    assert_int_equal(X509_check_private_key(cert, key), 1);
    assert_int_equal(X509_check_issued(ca, cert), X509_V_OK);
    assert_int_equal(X509_check_ca(ca), 1);
    assert_int_equal(X509_check_ca(cert), 0);
    assert_int_equal(X509_check_ip_asc(cert, "10.0.0.1", 0), 1);
    assert_int_equal(X509_check_ip_asc(cert, "::1", 0), 1);
    assert_int_equal(X509_check_host(cert, "a.example", 0, 0, NULL), 1);
    assert_int_equal(X509_check_host(cert, "b.example", 0, 0, NULL), 0);
    X509_free(ca);
    X509_free(cert);
    EVP_PKEY_free(key);
}

TEST(a_certificate_is_valid_for_the_days_asked_for)
{
    AUTO_ARENA a = arena_new();
    int days, seconds;
    X509 *cert;

    cert =
        read_cert(render(a, "{{ (genCAWithKey \"x\" 30 (genPrivateKey \"ecdsa\")).Cert }}", NULL));
    assert_non_null(cert);
    assert_int_equal(
        ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(cert), X509_get0_notAfter(cert)), 1);
    assert_int_equal(days, 30);
    assert_int_equal(seconds, 0);
    X509_free(cert);
}

#define AT(call) "template: t:1:3: executing \"t\" at <" call ">: error calling "

static const struct render_case bad_certificates[] = {
    {"{{ genCAWithKey \"x\" 1 \"\" }}", NULL,
     AT("genCAWithKey \"x\" 1 \"\"") "genCAWithKey: parsing private key: no PEM data in input"},
    {"{{ genSelfSignedCertWithKey \"x\" (list 5) nil 1 .k }}",
     "{\"k\":\"-----BEGIN PRIVATE "
     "KEY-----\\nMC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs"
     "cHR4f\\n-----END PRIVATE KEY-----\\n\"}",
     AT("genSelfSignedCertWithKey \"x\" (list 5) nil 1 .k") "genSelfSignedCertWithKey: error "
                                                            "parsing "
                                                            "ip: 5 is not a string"},
    {"{{ buildCustomCert \"!\" \"\" }}", NULL,
     AT("buildCustomCert \"!\" \"\"") "buildCustomCert: unable to decode base64 certificate"},
    {"{{ genPrivateKey \"RSA\" }}", NULL, "Unknown type RSA"},
};

TEST(faults_of_keys_and_certificates_are_worded_as_go_words_them)
{
    check_renders(bad_certificates, COUNT(bad_certificates));
}

TEST(a_loop_over_slow_functions_ends)
{
    static const struct tmpl_limits limits = {.steps = 3000};
    AUTO_ARENA a = arena_new();
    struct tmpl_run run = {.limits = &limits};

    assert_true(str_contains(render_with(a, "{{ bcrypt \"x\" }}", NULL, TMPL_KC, &run),
                             STR("this takes too many steps")));
}

RUN_TESTS(cmocka_unit_test(sums_are_those_of_the_standards),
          cmocka_unit_test(what_is_encrypted_can_be_decrypted),
          cmocka_unit_test(a_bcrypt_hash_fits_its_password),
          cmocka_unit_test(a_password_with_a_nul_is_refused),
          cmocka_unit_test(fake_randomness_repeats),
          cmocka_unit_test(a_signed_certificate_verifies_against_its_authority),
          cmocka_unit_test(a_certificate_is_valid_for_the_days_asked_for),
          cmocka_unit_test(faults_of_keys_and_certificates_are_worded_as_go_words_them),
          cmocka_unit_test(a_loop_over_slow_functions_ends))
