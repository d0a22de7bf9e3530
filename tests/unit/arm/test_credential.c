/* SPDX-License-Identifier: Apache-2.0 */
/* test_credential.c - credentials against a scripted token endpoint. */
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>

#include "../test.h"

#include "arm/credential/internal.h"
#include "net/retry.h"
#include "net/server/server.h"
#include "support/credential_wait.h"
#include "text/codec.h"
#include "text/url.h"

#include <unistd.h>

#define NOW (INT64_C(1800000000) * NS_PER_SEC)
#define SCOPE STR("https://management.core.windows.net//.default")
#define PLANTED "planted-secret-credential"

/* ---- The endpoint. ---- */

struct stage {
    struct lock lock;
    unsigned asked, busy; /* busy: so many are answered by 503 first */
    int status;
    const char *answer; /* NULL: a token with a number */
    int64_t offset;     /* of its clock, in seconds */
    unsigned only_at;   /* refuses assertions with a wrong time until they fit */
    struct buf seen;    /* the last body or target */
};

static bool assertion_fits(struct stage *s, struct arena *a, str body)
{
    str assertion, claims, bytes;
    size_t bad, at;
    int64_t nbf = 0;
    char *text;

    if (!s->only_at || !url_query_get(a, body, STR("client_assertion"), &assertion))
        return true;
    str_cut(assertion, STR("."), &claims, &assertion);
    str_cut(assertion, STR("."), &claims, &assertion);
    text =
        str_z(a, str_fmt(a, "%.*s%.*s", STR_ARG(claims), (int)((4 - claims.len % 4) % 4), "==="));
    for (char *p = text; *p; p++)
        *p = (char)(*p == '-' ? '+' : *p == '_' ? '/' : *p);
    assert_true(base64_decode(a, str_c(text), &bytes, &bad));
    at = str_find(bytes, STR("\"nbf\":"));
    assert_true(at != STR_NPOS && str_to_i64(str_slice(bytes, at + 6, at + 16), &nbf));
    int64_t now = NOW / NS_PER_SEC + s->offset;
    return nbf <= now && now <= nbf + 900;
}

static void handle(void *ctx, struct server_request *r)
{
    struct stage *s = ctx;
    struct arena *a = server_arena(r);
    AUTO_LOCK guard = lock_take(&s->lock);
    str body = server_body(r);

    s->asked++;
    buf_truncate(&s->seen, 0);
    buf_fmt(&s->seen, "%.*s\n%.*s\n%.*s", STR_ARG(server_target(r)),
            STR_ARG(server_header(r, STR("Metadata"))), STR_ARG(body));
    server_add_header(r, STR("Date"), http_date(a, NOW / NS_PER_SEC + s->offset));
    if (s->busy) {
        s->busy--;
        server_reply(r, 503, STR_NONE, STR("busy"));
    } else if (!assertion_fits(s, a, body)) {
        server_reply(r, 401, STR("application/json"),
                     STR("{\"error\":\"invalid_client\",\"error_description\":\"AADSTS700024: "
                         "Client assertion is not within its valid time range.\\r\\nTrace\"}"));
    } else if (s->answer) {
        server_reply(r, s->status, STR("application/json"), str_c(s->answer));
    } else {
        server_reply(r, 200, STR("application/json"),
                     str_fmt(a, "{\"access_token\":\"token-%u\",\"expires_in\":3600}", s->asked));
    }
}

struct fixture {
    struct arena *a;
    struct stage stage;
    struct server *server;
    struct http_client *http;
    struct credential_settings settings;
    struct credential *credential;
    struct err e;
};

static void begin(struct fixture *f, enum credential_kind kind)
{
    const struct server_config config = {.handle = handle, .ctx = &f->stage};
    struct http_config client = http_defaults();

    *f = (struct fixture){.a = arena_new()};
    f->stage.lock = (struct lock)LOCK_INIT;
    f->stage.seen = buf_new(f->a, MIB);
    client.no_proxy = true;
    assert_ok(server_start(&config, &f->server, &f->e), &f->e);
    assert_ok(http_client_new(&client, &f->http, &f->e), &f->e);
    f->settings = (struct credential_settings){
        .kind = kind,
        .tenant = STR("tenant-1"),
        .client = STR("client-1"),
        .secret = STR(PLANTED),
        .metadata = server_url(f->server),
        .cloud = {.authority = str_concat(f->a, server_url(f->server), STR("/"))}};
    clock_fake(NOW);
}

static void open_credential(struct fixture *f)
{
    assert_ok(credential_new(&f->settings, &f->credential, &f->e), &f->e);
}

static void end(struct fixture *f)
{
    credential_free(f->credential);
    http_client_free(f->http);
    server_stop(f->server, 0);
    err_clear(&f->e);
    arena_free(f->a);
    clock_real();
}

static void expect_token(struct fixture *f, const char *token)
{
    str got;

    assert_ok(credential_wait(f->credential, f->http, f->a, SCOPE, &got, NULL, &f->e), &f->e);
    assert_str(got, str_c(token));
}

static void expect_failure(struct fixture *f, const char *text)
{
    str got;

    assert_false(credential_wait(f->credential, f->http, f->a, SCOPE, &got, NULL, &f->e));
    if (!str_contains(f->e.text, str_c(text)))
        assert_str(f->e.text, str_c(text));
    assert_false(str_contains(f->e.text, STR(PLANTED)));
}

TEST(a_client_secret_is_exchanged_once_and_renewed_at_half_life)
{
    struct fixture f;

    begin(&f, CREDENTIAL_SECRET);
    open_credential(&f);
    expect_token(&f, "token-1");
    assert_str(
        buf_str(&f.stage.seen),
        STR("/tenant-1/oauth2/v2.0/token\n\ngrant_type=client_credentials&client_id=client-1&"
            "scope=https%3A%2F%2Fmanagement.core.windows.net%2F%2F.default&"
            "client_secret=" PLANTED));
    expect_token(&f, "token-1");
    clock_advance(1799 * NS_PER_SEC);
    expect_token(&f, "token-1");
    clock_advance(2 * NS_PER_SEC);
    expect_token(&f, "token-2");
    assert_int_equal(f.stage.asked, 2);
    end(&f);
}

TEST(the_old_token_serves_on_while_renewing_fails)
{
    struct fixture f;

    begin(&f, CREDENTIAL_SECRET);
    open_credential(&f);
    expect_token(&f, "token-1");
    f.stage.answer = "{\"error\":\"server_error\"}";
    f.stage.status = 400;
    clock_advance(2000 * NS_PER_SEC);
    expect_token(&f, "token-1");
    expect_token(&f, "token-1");
    assert_int_equal(f.stage.asked, 2);
    clock_advance(1600 * NS_PER_SEC);
    expect_failure(&f, "server_error");
    f.stage.answer = NULL;
    clock_advance(5 * NS_PER_SEC);
    expect_token(&f, "token-4");
    credential_refuse(f.credential, STR("token-4"));
    expect_token(&f, "token-5");
    end(&f);
}

TEST(a_busy_endpoint_is_asked_again)
{
    struct fixture f;

    begin(&f, CREDENTIAL_SECRET);
    open_credential(&f);
    f.stage.busy = 2;
    expect_token(&f, "token-3");
    f.stage.busy = 100;
    credential_refuse(f.credential, STR("token-3"));
    expect_failure(&f, "503 Service Unavailable");
    expect_failure(&f, "check AZURE_AUTHORITY_HOST");
    end(&f);
}

static void *ask_token(void *ctx)
{
    struct fixture *f = ctx;
    AUTO_ARENA a = arena_new_secret();
    str token;

    return credential_wait(f->credential, f->http, a, SCOPE, &token, NULL, NULL) &&
                   str_eq(token, STR("token-1"))
               ? f
               : NULL;
}

TEST(many_threads_ask_once)
{
    struct fixture f;
    pthread_t threads[8];

    begin(&f, CREDENTIAL_SECRET);
    open_credential(&f);
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_token, &f), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
    assert_int_equal(f.stage.asked, 1);
    end(&f);
}

TEST(a_token_that_is_born_dead_is_used_once)
{
    struct fixture f;

    begin(&f, CREDENTIAL_SECRET);
    open_credential(&f);
    f.stage.status = 200;
    f.stage.answer = "{\"access_token\":\"x\",\"expires_in\":\"0\"}";
    expect_token(&f, "x");
    expect_token(&f, "x");
    assert_int_equal(f.stage.asked, 2);
    end(&f);
}

/* ---- Refusals: each says what to check. ---- */

static const struct {
    const char *said, *advice;
} refusals[] = {
    {"AADSTS7000215: Invalid client secret provided", "check AZURE_CLIENT_SECRET"},
    {"AADSTS7000222: The provided client secret keys are expired", "the client secret has expired"},
    {"AADSTS90002: Tenant 'tenant-1' not found", "check AZURE_TENANT_ID"},
    {"AADSTS700016: Application not found in the directory", "check AZURE_CLIENT_ID"},
    {"AADSTS70021: No matching federated identity record found", "service account"},
};

TEST(refusals_say_what_to_check)
{
    struct fixture f;

    begin(&f, CREDENTIAL_SECRET);
    f.stage.status = 401;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        open_credential(&f);
        f.stage.answer = str_z(f.a, str_fmt(f.a,
                                            "{\"error\":\"invalid_client\",\"error_description\":"
                                            "\"%s. Trace ID: 1\\r\\nTimestamp\"}",
                                            refusals[i].said));
        expect_failure(&f, refusals[i].said);
        expect_failure(&f, refusals[i].advice);
        expect_failure(&f, "getting a token for client client-1 in tenant tenant-1");
        assert_false(str_contains(f.e.text, STR("Timestamp")));
        assert_false(str_contains(f.e.text, STR("Trace")));
        credential_free(f.credential);
        f.credential = NULL;
    }
    end(&f);
}

TEST(an_endpoint_that_is_down_says_so)
{
    struct fixture f;

    begin(&f, CREDENTIAL_SECRET);
    f.settings.cloud.authority = STR("http://127.0.0.1:1/");
    open_credential(&f);
    expect_failure(&f, "connection refused");
    expect_failure(&f, "check AZURE_AUTHORITY_HOST");
    end(&f);
}

TEST(ids_cannot_lead_elsewhere)
{
    struct fixture f;

    begin(&f, CREDENTIAL_SECRET);
    f.settings.tenant = STR("../evil");
    assert_false(credential_new(&f.settings, &f.credential, &f.e));
    assert_true(str_contains(f.e.text, STR("AZURE_TENANT_ID")));
    end(&f);
}

/* ---- Managed and workload identity, the Azure CLI. ---- */

TEST(a_managed_identity_asks_the_machine)
{
    struct fixture f;

    begin(&f, CREDENTIAL_MANAGED);
    open_credential(&f);
    f.stage.busy = 1;
    expect_token(&f, "token-2");
    assert_str(buf_str(&f.stage.seen),
               STR("/metadata/identity/oauth2/token?api-version=2018-02-01&resource="
                   "https%3A%2F%2Fmanagement.core.windows.net%2F&client_id=client-1\ntrue\n"));
    f.stage.status = 400;
    f.stage.answer = "{\"error\":\"invalid_request\",\"error_description\":\"Identity not found\"}";
    credential_refuse(f.credential, STR("token-2"));
    expect_failure(&f, "Identity not found; check that the identity with AZURE_CLIENT_ID");
    end(&f);
}

TEST(a_machine_without_a_metadata_service_says_so)
{
    struct fixture f;

    begin(&f, CREDENTIAL_MANAGED);
    f.settings.metadata = STR("http://127.0.0.1:1");
    open_credential(&f);
    expect_failure(&f, "there is no metadata service of a managed identity here; check");
    end(&f);
}

TEST(a_federated_token_is_read_each_time)
{
    char path[] = "/tmp/plumb-token-XXXXXX";
    struct fixture f;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    begin(&f, CREDENTIAL_WORKLOAD);
    f.settings.token_file = str_c(path);
    open_credential(&f);
    expect_failure(&f, "holds no token");
    assert_ok(file_write(str_c(path), STR("first\n"), 0600, &f.e), &f.e);
    clock_advance(5 * NS_PER_SEC);
    expect_token(&f, "token-1");
    assert_true(str_contains(buf_str(&f.stage.seen), STR("client_assertion=first")));
    assert_ok(file_write(str_c(path), STR("second"), 0600, &f.e), &f.e);
    clock_advance(3000 * NS_PER_SEC);
    expect_token(&f, "token-2");
    assert_true(str_contains(buf_str(&f.stage.seen), STR("client_assertion=second")));
    unlink(path);
    clock_advance(4000 * NS_PER_SEC);
    expect_failure(&f, "no such file or directory");
    end(&f);
}

static void write_program(struct fixture *f, const char *path, const char *text)
{
    assert_ok(file_write(str_c(path), str_c(text), 0700, &f->e), &f->e);
}

TEST(the_azure_cli_gives_its_token)
{
    char folder[] = "/tmp/plumb-az-XXXXXX";
    struct fixture f;
    char *path;

    assert_non_null(mkdtemp(folder));
    begin(&f, CREDENTIAL_CLI);
    path = str_z(f.a, str_fmt(f.a, "%s/az", folder));
    f.settings.program = path;
    write_program(
        &f, path,
        "#!/bin/sh\n[ \"$6\" = https://management.core.windows.net/ ] && "
        "[ \"$8\" = tenant-1 ] && echo '{\"accessToken\":\"cli\",\"expires_on\":1800003600}'\n");
    open_credential(&f);
    expect_token(&f, "cli");
    write_program(&f, path, "#!/bin/sh\nexit 3\n");
    credential_refuse(f.credential, STR("cli"));
    expect_failure(&f, "az login");
    unlink(path);
    clock_advance(5 * NS_PER_SEC);
    expect_failure(&f, "the Azure CLI cannot be run; install it");
    rmdir(folder);
    end(&f);
}

/* ---- Certificates. ---- */

static EVP_PKEY *shared_key; /* made once: it takes a while */

static X509 *make_cert(EVP_PKEY *key, long from, long to)
{
    X509 *cert = X509_new();
    time_t now = (time_t)(NOW / NS_PER_SEC);

    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_time_adj_ex(X509_getm_notBefore(cert), 0, from, &now);
    X509_time_adj_ex(X509_getm_notAfter(cert), 0, to, &now);
    X509_set_pubkey(cert, key);
    X509_sign(cert, key, EVP_sha256());
    return cert;
}

static str text_of(struct arena *a, BIO *bio)
{
    char *data;
    long len = BIO_get_mem_data(bio, &data);
    str text = str_copy(a, str_of(data, (size_t)len));

    BIO_free(bio);
    return text;
}

static str make_pem(struct arena *a, EVP_PKEY *key, long from, long to, const char *password)
{
    BIO *bio = BIO_new(BIO_s_mem());
    X509 *cert = make_cert(key, from, to);

    PEM_write_bio_PrivateKey(bio, key, password ? EVP_aes_128_cbc() : NULL, NULL, 0, NULL,
                             (char *)password);
    PEM_write_bio_X509(bio, cert);
    X509_free(cert);
    return text_of(a, bio);
}

static str make_pfx(struct arena *a, const char *password, bool legacy)
{
    OSSL_PROVIDER *old = legacy ? OSSL_PROVIDER_load(NULL, "legacy") : NULL,
                  *usual = legacy ? OSSL_PROVIDER_load(NULL, "default") : NULL;
    X509 *cert = make_cert(shared_key, -100, 1000000);
    PKCS12 *p12 = PKCS12_create(password, "x", shared_key, cert, NULL,
                                legacy ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : 0,
                                legacy ? NID_pbe_WithSHA1And40BitRC2_CBC : 0, 2, 2, 0);
    BIO *bio = BIO_new(BIO_s_mem());

    assert_non_null(p12);
    i2d_PKCS12_bio(bio, p12);
    PKCS12_free(p12);
    X509_free(cert);
    if (old)
        OSSL_PROVIDER_unload(old);
    if (usual)
        OSSL_PROVIDER_unload(usual);
    return text_of(a, bio);
}

static void expect_signature(struct fixture *f, bool rs256)
{
    str assertion, signed_part, signature, bytes;
    size_t bad, at;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    EVP_PKEY_CTX *ctx;
    char *text;

    assert_true(url_query_get(f->a, buf_str(&f->stage.seen), STR("client_assertion"), &assertion));
    at = str_rfind_char(assertion, '.');
    signed_part = str_slice(assertion, 0, at);
    signature = str_from(assertion, at + 1);
    text = str_z(f->a, str_fmt(f->a, "%.*s%.*s", STR_ARG(signature),
                               (int)((4 - signature.len % 4) % 4), "==="));
    for (char *p = text; *p; p++)
        *p = (char)(*p == '-' ? '+' : *p == '_' ? '/' : *p);
    assert_true(base64_decode(f->a, str_c(text), &bytes, &bad));
    assert_int_equal(EVP_DigestVerifyInit(md, &ctx, EVP_sha256(), NULL, shared_key), 1);
    if (!rs256)
        EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING);
    assert_int_equal(EVP_DigestVerify(md, (const unsigned char *)bytes.ptr, bytes.len,
                                      (const unsigned char *)signed_part.ptr, signed_part.len),
                     1);
    EVP_MD_CTX_free(md);
}

TEST(certificates_of_all_kinds_sign)
{
    struct fixture f;

    for (int i = 0; i < 6; i++) {
        begin(&f, CREDENTIAL_CERTIFICATE);
        str kinds[] = {make_pem(f.a, shared_key, -100, 1000000, NULL),
                       make_pem(f.a, shared_key, -100, 1000000, "pw"),
                       make_pfx(f.a, "pw", false),
                       make_pfx(f.a, "", false),
                       make_pfx(f.a, "pw", true),
                       base64_encode(f.a, make_pfx(f.a, "pw", true))};
        f.settings.certificate = kinds[i];
        f.settings.password = i == 0 || i == 3 ? STR_NONE : STR("pw");
        f.settings.rs256 = i % 2;
        f.settings.send_chain = i % 2;
        f.stage.only_at = 1;
        open_credential(&f);
        expect_token(&f, "token-1");
        expect_signature(&f, f.settings.rs256);
        end(&f);
    }
}

static const struct {
    const char *what;
    long from, to;
    const char *error;
} dates[] = {
    {"expired", -1000, -10, "the client certificate expired at 2027-01-15T07:59:50Z; renew it"},
    {"not yet", 100, 1000, "not valid before 2027-01-15T08:01:40Z; check the clock"},
};

TEST(certificates_out_of_date_say_so)
{
    struct fixture f;

    for (size_t i = 0; i < COUNT(dates); i++) {
        begin(&f, CREDENTIAL_CERTIFICATE);
        f.settings.certificate = make_pem(f.a, shared_key, dates[i].from, dates[i].to, NULL);
        open_credential(&f);
        expect_failure(&f, dates[i].error);
        assert_int_equal(f.stage.asked, 0);
        end(&f);
    }
}

TEST(a_wrong_clock_is_put_right_or_named)
{
    struct fixture f;

    begin(&f, CREDENTIAL_CERTIFICATE);
    f.settings.certificate = make_pem(f.a, shared_key, -100000, 1000000, NULL);
    f.stage.only_at = 1;
    f.stage.offset = 3000;
    open_credential(&f);
    expect_token(&f, "token-2");
    credential_refuse(f.credential, STR("token-2"));
    f.stage.offset = 86400;
    expect_failure(&f, "the clock of this machine is 24 hours behind");
    f.stage.offset = -86400;
    clock_advance(5 * NS_PER_SEC);
    expect_failure(&f, "24 hours ahead of that of the token endpoint: set it right");
    end(&f);
}

TEST(bad_certificates_say_what_is_wrong)
{
    struct fixture f;
    EVP_PKEY *ec = EVP_EC_gen("P-256");

    begin(&f, CREDENTIAL_CERTIFICATE);
    const struct {
        str data;
        const char *error;
    } cases[] = {
        {STR("nonsense"), "neither PEM nor PKCS#12"},
        {STR("-----BEGIN x"), "no certificate"},
        {str_slice(make_pem(f.a, shared_key, 0, 1, NULL), 0, 400), "no certificate"},
        {str_from(make_pem(f.a, shared_key, 0, 1, NULL),
                  str_find(make_pem(f.a, shared_key, 0, 1, NULL), STR("-----BEGIN CERT"))),
         "no private key"},
        {make_pfx(f.a, "other", false), "the password of the client certificate is wrong"},
        {make_pem(f.a, ec, 0, 1000, NULL), "not an RSA key"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        f.settings.certificate = cases[i].data;
        f.settings.password = STR("pw");
        assert_false(credential_new(&f.settings, &f.credential, &f.e));
        if (!str_contains(f.e.text, str_c(cases[i].error)))
            assert_str(f.e.text, str_c(cases[i].error));
    }
    EVP_PKEY_free(ec);
    end(&f);
}

TEST(further_tenants_have_tokens_of_their_own)
{
    static const str tenants[] = {STR_INIT("t2"), STR_INIT("t3")};
    struct fixture f;
    str token, text;

    begin(&f, CREDENTIAL_SECRET);
    f.settings.tenants = tenants;
    f.settings.tenant_count = 2;
    open_credential(&f);
    assert_ok(credential_wait(f.credential, f.http, f.a, SCOPE, &token, &text, &f.e), &f.e);
    assert_str(token, STR("token-1"));
    assert_str(text, STR("Bearer token-2, Bearer token-3"));
    end(&f);
}

/* ---- Choosing. ---- */

static bool from_table(void *ctx, const char *key, str *value)
{
    for (const char *const *pair = ctx; *pair; pair += 2)
        if (strcmp(pair[0], key) == 0) {
            *value = str_c(pair[1]);
            return true;
        }
    return false;
}

#define IDS "AZURE_SUBSCRIPTION_ID", "s", "AZURE_TENANT_ID", "t", "AZURE_CLIENT_ID", "c"
#define CLOUD                                                                                      \
    "AZURE_RESOURCE_MANAGER_ENDPOINT", "https://e/", "AZURE_RESOURCE_MANAGER_AUDIENCE", "aud",     \
        "AZURE_AUTHORITY_HOST", "https://a"

static const struct {
    bool scoped, own_cloud;
    const char *keys[20];
    int kind;          /* -1: an error */
    const char *error; /* what it says */
} choices[] = {
    {true,
     0,
     {IDS, "AZURE_CLIENT_SECRET", "x", "AZURE_CLIENT_CERTIFICATE", "y"},
     CREDENTIAL_SECRET,
     NULL},
    {true, 0, {IDS, "AZURE_CLIENT_SECRET", ""}, -1, "AZURE_CLIENT_SECRET is there but empty"},
    {true,
     0,
     {IDS, "AZURE_CLIENT_CERTIFICATE", "y", "AUTH_MODE", "podidentity"},
     CREDENTIAL_CERTIFICATE,
     NULL},
    {true, 0, {IDS, "AUTH_MODE", "podidentity"}, CREDENTIAL_MANAGED, NULL},
    {true, 0, {IDS, "AUTH_MODE", "workloadidentity"}, CREDENTIAL_WORKLOAD, NULL},
    {true, 0, {IDS, "AUTH_MODE", ""}, CREDENTIAL_WORKLOAD, NULL},
    {true, 0, {IDS}, CREDENTIAL_WORKLOAD, NULL},
    {true, 0, {IDS, "AUTH_MODE", "PodIdentity"}, -1, "must be podidentity or workloadidentity"},
    {true, 0, {"AZURE_CLIENT_ID", "c"}, -1, "x lacks AZURE_SUBSCRIPTION_ID, AZURE_TENANT_ID"},
    {true, 0, {IDS, CLOUD}, -1, "ALLOW_MULTI_ENV_MANAGEMENT"},
    {true, 1, {IDS, CLOUD}, CREDENTIAL_WORKLOAD, NULL},
    {true, 1, {IDS, "AZURE_AUTHORITY_HOST", "https://a"}, -1, "all of"},
    {true, 1, {IDS, "AZURE_AUTHORITY_HOST", "a"}, -1, "must begin with https://"},
    {true, 0, {IDS, "AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS", "/nowhere/x"}, -1, "no such file"},
    {true,
     0,
     {IDS, "AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS", "/dev/ptmx"},
     -1,
     "not a regular file"},
    {false, 0, {0}, -1, "use one of the namespace"},
    {false,
     0,
     {IDS, "USE_WORKLOAD_IDENTITY_AUTH", "true", "AZURE_CLIENT_CERTIFICATE", "y"},
     CREDENTIAL_WORKLOAD,
     NULL},
    {false,
     0,
     {IDS, "AZURE_CLIENT_CERTIFICATE", "y", "AZURE_CLIENT_SECRET", "x"},
     CREDENTIAL_CERTIFICATE,
     NULL},
    {false,
     0,
     {IDS, "AZURE_CLIENT_CERTIFICATE", "", "AZURE_CLIENT_SECRET", "x"},
     CREDENTIAL_SECRET,
     NULL},
    {false, 0, {"AZURE_SUBSCRIPTION_ID", "s"}, CREDENTIAL_MANAGED, NULL},
    {false,
     0,
     {"AZURE_SUBSCRIPTION_ID", "s", "AZURE_CLIENT_SECRET", "x"},
     -1,
     "x lacks AZURE_TENANT_ID, AZURE_CLIENT_ID"},
};

TEST(keys_choose_the_credential)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(choices); i++) {
        const struct credential_keys keys = {from_table, (void *)choices[i].keys};
        const struct credential_options options = {
            .origin = STR("x"), .scoped = choices[i].scoped, .own_cloud = choices[i].own_cloud};
        struct credential_settings s;
        AUTO_ERR e = {0};
        bool ok = credential_select(a, &keys, &options, &s, &e);
        if (choices[i].kind < 0) {
            assert_false(ok);
            if (!str_contains(e.text, str_c(choices[i].error)))
                assert_str(e.text, str_c(choices[i].error));
            continue;
        }
        assert_ok(ok, &e);
        assert_int_equal(s.kind, choices[i].kind);
        assert_str(s.subscription, STR("s"));
        assert_str(s.cloud.endpoint,
                   choices[i].own_cloud ? STR("https://e") : STR("https://management.azure.com"));
        assert_str(s.cloud.authority, choices[i].own_cloud
                                          ? STR("https://a/")
                                          : STR("https://login.microsoftonline.com/"));
    }
}

/* Of a Secret: it may hold what the file should, or the path of what is not for its user. */
TEST(what_is_wrong_with_a_file_of_credentials_is_said_without_quoting_it)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {NULL, "no such file"},
        {"top-secret", "it is not JSON"},
        {"{\"client_id\":\"c\"}", "client_id, tenant_id or client_secret is missing"},
    };
    AUTO_ARENA a = arena_new();
    char folder[] = "/tmp/plumb-identity-XXXXXX";

    assert_non_null(mkdtemp(folder));
    str path = file_join(a, str_c(folder), STR("file"));

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const pairs[] = {IDS, "AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS",
                                     str_z(a, path), NULL};
        const struct credential_keys keys = {from_table, (void *)pairs};
        const struct credential_options options = {.origin = STR("x"), .scoped = true};
        struct credential_settings s;
        AUTO_ERR e = {0};
        if (cases[i].text)
            assert_ok(file_write(path, str_c(cases[i].text), 0600, &e), &e);
        assert_false(credential_select(a, &keys, &options, &s, &e));
        assert_str(e.text, str_fmt(a,
                                   "x: AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS must be the path "
                                   "of a file with credentials: %s",
                                   cases[i].want));
        assert_str(e.at.file, STR_NONE);
    }
    unlink(str_z(a, path));
    rmdir(folder);
}

TEST(clouds_have_scopes)
{
    AUTO_ARENA a = arena_new();

    assert_str(cloud_scope(a, cloud_find(STR("public"))), SCOPE);
    assert_str(cloud_scope(a, cloud_find(STR("China"))),
               STR("https://management.core.chinacloudapi.cn/.default"));
    assert_null(cloud_find(STR("mars")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_secret_is_exchanged_once_and_renewed_at_half_life),
        cmocka_unit_test(the_old_token_serves_on_while_renewing_fails),
        cmocka_unit_test(a_busy_endpoint_is_asked_again),
        cmocka_unit_test(many_threads_ask_once),
        cmocka_unit_test(a_token_that_is_born_dead_is_used_once),
        cmocka_unit_test(refusals_say_what_to_check),
        cmocka_unit_test(an_endpoint_that_is_down_says_so),
        cmocka_unit_test(ids_cannot_lead_elsewhere),
        cmocka_unit_test(a_managed_identity_asks_the_machine),
        cmocka_unit_test(a_machine_without_a_metadata_service_says_so),
        cmocka_unit_test(a_federated_token_is_read_each_time),
        cmocka_unit_test(the_azure_cli_gives_its_token),
        cmocka_unit_test(certificates_of_all_kinds_sign),
        cmocka_unit_test(certificates_out_of_date_say_so),
        cmocka_unit_test(a_wrong_clock_is_put_right_or_named),
        cmocka_unit_test(bad_certificates_say_what_is_wrong),
        cmocka_unit_test(further_tenants_have_tokens_of_their_own),
        cmocka_unit_test(keys_choose_the_credential),
        cmocka_unit_test(what_is_wrong_with_a_file_of_credentials_is_said_without_quoting_it),
        cmocka_unit_test(clouds_have_scopes),
    };
    int failed;

    shared_key = EVP_RSA_gen(1024);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    EVP_PKEY_free(shared_key);
    return failed;
}
