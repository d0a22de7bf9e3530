/* SPDX-License-Identifier: Apache-2.0 */
/* test_rotation.c - a server gets a new certificate under load: no request is lost. */
#include "../test.h"

#include "base/file.h"

#include "net/server/server.h"
#include "support/certs.h"

#include <stdatomic.h>
#include <unistd.h>

enum { CLIENTS = 4, ROTATIONS = 30 };

static void handle(void *ctx, struct server_request *r)
{
    (void)ctx;
    server_reply(r, 200, STR("text/plain"), STR("ok"));
}

static struct http_client *client_of(str ca)
{
    struct http_config config = http_defaults();
    struct http_client *c;
    AUTO_ERR e = {0};

    config.no_proxy = true;
    config.tls.ca.text = ca;
    assert_ok(http_client_new(&config, &c, &e), &e);
    return c;
}

/* With a connection of its own. */
static bool ask(const struct server *s, str ca, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct http_client *c = client_of(ca);
    struct http_request r = {.url = server_url(s)};
    struct http_response response;
    bool ok = http_send(c, a, &r, &response, e);

    http_client_free(c);
    return ok && response.status == 200;
}

static struct server *start(const struct test_cert *cert)
{
    const struct server_config config = {.handle = handle, .cert = cert->cert, .key = cert->key};
    AUTO_ERR e = {0};
    struct server *s;

    assert_ok(server_start(&config, &s, &e), &e);
    return s;
}

TEST(new_connections_see_the_new_certificate)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct test_cert ca = test_ca(a, "one"), other = test_ca(a, "two");
    struct test_cert first = test_leaf(a, &ca, "s", "IP:127.0.0.1", -60, 3600);
    struct test_cert second = test_leaf(a, &other, "s", "IP:127.0.0.1", -60, 3600);
    struct server *s = start(&first);

    assert_ok(ask(s, ca.cert, &e), &e);
    assert_false(ask(s, other.cert, &e));
    /* What does not fit changes nothing. */
    assert_false(server_renew(s, second.cert, first.key, &e));
    assert_false(server_renew(s, STR("no certificate"), STR("no key"), &e));
    assert_ok(ask(s, ca.cert, &e), &e);
    assert_ok(server_renew(s, second.cert, second.key, &e), &e);
    assert_ok(ask(s, other.cert, &e), &e);
    assert_false(ask(s, ca.cert, &e));
    server_stop(s, 0);
}

struct load {
    const struct server *server;
    str cas;
    atomic_bool stop;
    atomic_uint asked, lost;
};

static void *keep_asking(void *ctx)
{
    struct load *l = ctx;
    struct http_client *kept = client_of(l->cas);

    while (!atomic_load(&l->stop)) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct http_request r = {.url = server_url(l->server)};
        struct http_response response;
        /* One on a connection that lives on, one on a new one. */
        atomic_fetch_add(&l->lost, !http_send(kept, a, &r, &response, &e));
        atomic_fetch_add(&l->lost, !ask(l->server, l->cas, &e));
        atomic_fetch_add(&l->asked, 2);
    }
    http_client_free(kept);
    return NULL;
}

TEST(no_request_is_lost_while_certificates_change)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct test_cert ca = test_ca(a, "one"), other = test_ca(a, "two");
    struct test_cert leaves[] = {test_leaf(a, &ca, "s", "IP:127.0.0.1", -60, 3600),
                                 test_leaf(a, &other, "s", "IP:127.0.0.1", -60, 3600)};
    struct server *s = start(&leaves[0]);
    struct load l = {.server = s, .cas = str_concat(a, ca.cert, other.cert)};
    pthread_t threads[CLIENTS];

    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_asking, &l), 0);
    for (unsigned i = 0; i < ROTATIONS; i++) {
        unsigned before = atomic_load(&l.asked);
        assert_ok(server_renew(s, leaves[i % 2].cert, leaves[i % 2].key, &e), &e);
        while (atomic_load(&l.asked) < before + 2 * CLIENTS)
            sched_yield();
    }
    atomic_store(&l.stop, true);
    for (size_t i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    print_message("%u requests, %u certificates, %u lost\n", atomic_load(&l.asked), ROTATIONS,
                  atomic_load(&l.lost));
    assert_int_equal(atomic_load(&l.lost), 0);
    server_stop(s, 0);
}

/* ---- Authorities. ---------------------------------------------------------------------------- */

static void name_client(void *ctx, struct server_request *r)
{
    (void)ctx;
    server_reply(r, 200, STR("text/plain"), server_client(r));
}

/* Who the server takes the client for, on a connection of its own; empty: nobody it knows. */
static str client_seen(struct arena *a, const struct server *s, str ca, const struct test_cert *own)
{
    struct http_config config = http_defaults();
    struct http_request r = {.url = server_url(s)};
    struct http_response response;
    struct http_client *c;
    AUTO_ERR e = {0};

    config.no_proxy = true;
    config.tls.ca.text = ca;
    config.tls.cert.text = own->cert;
    config.tls.key.text = own->key;
    assert_ok(http_client_new(&config, &c, &e), &e);
    assert_ok(http_send(c, a, &r, &response, &e), &e);
    http_client_free(c);
    return response.body;
}

enum { AUTHORITIES = 6, TRUSTED = 4 };

/* All of one name, as when an authority is renewed. */
TEST(new_authorities_of_clients_are_taken_beside_the_old_ones)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct test_cert ca = test_ca(a, "server"), cas[AUTHORITIES], clients[AUTHORITIES];
    struct test_cert own = test_leaf(a, &ca, "s", "IP:127.0.0.1", -60, 3600);
    struct server_config config = {.handle = name_client, .cert = own.cert, .key = own.key};
    struct server *s;

    for (size_t i = 0; i < AUTHORITIES; i++) {
        cas[i] = test_ca(a, "clients");
        clients[i] =
            test_leaf(a, &cas[i], str_z(a, str_fmt(a, "client-%zu", i)), "DNS:client", -60, 3600);
    }
    config.client_ca = STR("no certificate");
    assert_false(server_start(&config, &s, &e));
    config.client_ca = cas[0].cert;
    assert_ok(server_start(&config, &s, &e), &e);
    for (size_t now = 0; now < AUTHORITIES; now++) {
        if (now)
            assert_ok(server_trust(s, cas[now].cert, &e), &e);
        assert_false(server_trust(s, STR("no certificate"), &e));
        for (size_t i = 0; i < AUTHORITIES; i++)
            assert_str(client_seen(a, s, ca.cert, &clients[i]),
                       i <= now && now < i + TRUSTED ? str_fmt(a, "client-%zu", i) : STR_NONE);
    }
    server_stop(s, 0);
}

static void write_text(const char *path, str text)
{
    AUTO_ERR e = {0};

    assert_ok(file_write(str_c(path), text, 0600, &e), &e);
}

/* A file of authorities is read again: the server has a certificate of another one by now. */
TEST(a_file_of_authorities_may_change)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct test_cert ca = test_ca(a, "one"), other = test_ca(a, "two");
    struct test_cert first = test_leaf(a, &ca, "s", "IP:127.0.0.1", -60, 3600);
    struct test_cert second = test_leaf(a, &other, "s", "IP:127.0.0.1", -60, 3600);
    char path[] = "/tmp/plumb-ca-XXXXXX";
    struct http_config config = http_defaults();
    struct http_response response;
    struct http_client *c;
    struct server *s = start(&first);
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    write_text(path, ca.cert);
    config.no_proxy = true;
    config.tls.ca = (struct http_pem){.text = ca.cert, .file = str_c(path)};
    assert_ok(http_client_new(&config, &c, &e), &e);
    const struct http_request r = {.url = server_url(s)};
    assert_ok(http_send(c, a, &r, &response, &e), &e);
    server_stop(s, 0);

    /* Another server, since connections are kept. */
    s = start(&second);
    const struct http_request q = {.url = server_url(s)};
    assert_false(http_send(c, a, &q, &response, &e));
    write_text(path, other.cert);
    assert_ok(http_send(c, a, &q, &response, &e), &e);
    http_client_free(c);
    server_stop(s, 0);
    unlink(path);
}

RUN_TESTS(cmocka_unit_test(new_authorities_of_clients_are_taken_beside_the_old_ones),
          cmocka_unit_test(a_file_of_authorities_may_change),
          cmocka_unit_test(new_connections_see_the_new_certificate),
          cmocka_unit_test(no_request_is_lost_while_certificates_change))
