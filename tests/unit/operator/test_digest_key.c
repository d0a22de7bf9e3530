/* SPDX-License-Identifier: Apache-2.0 */
/* test_digest_key.c - the key for digests is created once, and never by an observer. */
#include "../test.h"

#include "operator/digest_key.h"
#include "store/store.h"
#include "support/local.h"

#define SECRETS "/api/v1/namespaces/default/secrets"

struct stage {
    struct arena *arena;
    struct store *store;
    struct kube_config config;
    struct kube_transport *transport;
    struct local client;
};

static void begin(struct stage *s)
{
    struct store_config store = store_defaults();
    AUTO_ERR e = {0};

    s->arena = arena_new();
    assert_ok(store_open(&store, &s->store, &e), &e);
    s->config = (struct kube_config){.server = STR("http://api.local"), .http = http_defaults()};
    s->config.http.local = store_handler(s->store);
    assert_ok(kube_transport_new(&s->config, STR("plumb-operator"), &s->transport, &e), &e);
    s->client = local_client(store_handler(s->store));
}

static void end(struct stage *s)
{
    kube_transport_free(s->transport);
    local_end(&s->client);
    store_close(s->store);
    arena_free(s->arena);
}

static str key_of(struct stage *s, bool create, struct err *e)
{
    return digest_key_read(s->arena, s->transport, STR("default"), create, e);
}

TEST(the_key_is_made_once)
{
    struct stage s;
    AUTO_ERR e = {0};

    begin(&s);
    assert_int_equal(key_of(&s, false, &e).len, 0);
    assert_int_equal(e.kind, ERR_NOT_FOUND);
    assert_int_equal(local_ask(&s.client, "GET", SECRETS "/" DIGEST_KEY_SECRET, ""), 404);
    str first = key_of(&s, true, NULL);
    assert_int_equal(first.len, 32);
    assert_true(str_eq(key_of(&s, true, NULL), first));
    assert_true(str_eq(key_of(&s, false, NULL), first));
    assert_int_equal(local_ask(&s.client, "DELETE", SECRETS "/" DIGEST_KEY_SECRET, ""), 200);
    str second = key_of(&s, true, NULL);
    assert_int_equal(second.len, 32);
    assert_false(str_eq(second, first));
    end(&s);
}

TEST(a_key_that_is_too_short_is_not_used)
{
    struct stage s;
    AUTO_ERR e = {0};

    begin(&s);
    assert_int_equal(local_ask(&s.client, "POST", SECRETS,
                               "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
                               "\"" DIGEST_KEY_SECRET "\"},\"data\":{\"key\":\"YWJj\"}}"),
                     201);
    assert_int_equal(key_of(&s, true, &e).len, 0);
    assert_true(str_contains(e.text, STR("delete it to get a new one")));
    end(&s);
}

RUN_TESTS(cmocka_unit_test(the_key_is_made_once),
          cmocka_unit_test(a_key_that_is_too_short_is_not_used))
