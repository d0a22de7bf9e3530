/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_credential.c - any bytes as a client certificate (PEM, PKCS#12, base64), and lines of
 * KEY=value as a Secret: both are read or refused with a reason, and what was chosen is complete.
 */
#include "arm/credential/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

static bool from_lines(void *ctx, const char *key, str *value)
{
    str rest = *(const str *)ctx, line, name, text;

    /* A file that is named would be read. */
    if (str_eq(str_c(key), STR("AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS")))
        return false;
    while (str_next_line(&rest, &line))
        if (str_cut(line, STR("="), &name, &text) && str_eq(name, str_c(key))) {
            *value = text;
            return true;
        }
    return false;
}

static void check_keys(struct arena *a, str text, bool scoped)
{
    const struct credential_keys keys = {from_lines, &text};
    const struct credential_options options = {
        .origin = STR("x"), .scoped = scoped, .own_cloud = true};
    struct credential_settings s;
    AUTO_ERR e = {0};

    if (!credential_select(a, &keys, &options, &s, &e)) {
        CHECK(e.text.len);
        return;
    }
    CHECK(s.kind != CREDENTIAL_SECRET || s.secret.len);
    CHECK(s.cloud.authority.len && s.cloud.authority.ptr[s.cloud.authority.len - 1] == '/');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str text = {(const char *)data, size}, assertion;
    struct credential_settings settings = {.client = STR("c"), .send_chain = true};
    struct client_cert *cert;
    AUTO_ERR e = {0};

    check_keys(a, text, true);
    check_keys(a, text, false);
    if (!client_cert_read(text, STR("pw"), &cert, &e)) {
        CHECK(e.text.len);
        return 0;
    }
    if (client_cert_valid(cert, clock_now(), &e) &&
        client_cert_assert(a, cert, &settings, STR("https://x/"), clock_now(), &assertion, &e))
        CHECK(assertion.len);
    client_cert_free(cert);
    return 0;
}
