/* SPDX-License-Identifier: Apache-2.0 */
/* test_serve.c - a store in a folder behind HTTPS: who has access, and who does not. */
#include "../test.h"

#include "kube/config/config.h"
#include "net/server/issue.h"
#include "store/serve.h"

#include <sys/stat.h>
#include <unistd.h>

struct place {
    struct arena *arena;
    char folder[32];
    str data;
    struct store_served *served;
};

static void start(struct place *p)
{
    struct store_serve_config config = store_serve_defaults();
    AUTO_ERR e = {0};

    config.data = p->data;
    config.store.sync = DB_SYNC_OFF;
    assert_ok(store_serve(&config, &p->served, &e), &e);
}

static void begin(struct place *p)
{
    *p = (struct place){.arena = arena_new_secret(), .folder = "/tmp/plumb-serve-XXXXXX"};
    assert_non_null(mkdtemp(p->folder));
    p->data = file_join(p->arena, str_c(p->folder), STR("data"));
    start(p);
}

static void end(struct place *p)
{
    str *names;
    size_t count;
    AUTO_ERR e = {0};

    store_serve_end(p->served, NS_PER_SEC);
    assert_ok(file_list(p->arena, p->data, &names, &count, &e), &e);
    for (size_t i = 0; i < count; i++)
        unlink(str_z(p->arena, file_join(p->arena, p->data, names[i])));
    rmdir(str_z(p->arena, p->data));
    rmdir(p->folder);
    arena_free(p->arena);
}

static str text_of(struct place *p, const char *name)
{
    AUTO_ERR e = {0};
    str text;

    assert_ok(file_read(p->arena, file_join(p->arena, p->data, str_c(name)), &text, &e), &e);
    return text;
}

/* Who calls: with a certificate, a token, both or nothing. */
struct caller {
    struct issued pair;
    str token;
    str ca;   /* whom it trusts; empty: the authority of the folder */
    str body; /* the beginning of a large one, of a POST */
};

/* The status of GET path; 0 when there is none. */
static int status_of(struct place *p, const struct caller *c, const char *path)
{
    struct http_config config = http_defaults();
    struct http_request request = {
        .method = c->body.len ? STR("POST") : STR("GET"),
        .body = c->body,
        .url = str_concat(p->arena, store_served_url(p->served), str_c(path))};
    struct http_response response = {0};
    struct http_client *client;
    AUTO_ERR e = {0};

    config.no_proxy = true;
    config.tls.ca.text = c->ca.len ? c->ca : text_of(p, "ca.crt");
    config.tls.cert.text = c->pair.cert;
    config.tls.key.text = c->pair.key;
    if (c->body.len)
        http_header_add(p->arena, &request.headers, STR("Content-Length"), STR("9000000"));
    if (c->token.len)
        http_header_add(p->arena, &request.headers, STR("Authorization"), c->token);
    assert_ok(http_client_new(&config, &client, &e), &e);
    if (!http_send(client, p->arena, &request, &response, &e))
        response.status = 0;
    http_client_free(client);
    return response.status;
}

#define OBJECTS "/api/v1/namespaces"

TEST(a_token_or_a_certificate_of_the_authority_opens)
{
    struct place p;
    struct caller c = {0};
    struct issued ca, other;
    AUTO_ERR e = {0};

    begin(&p);
    ca = (struct issued){text_of(&p, "ca.crt"), text_of(&p, "ca.key")};
    assert_int_equal(status_of(&p, &c, OBJECTS), 401);
    c.token = str_concat(p.arena, STR("Bearer "), text_of(&p, "token"));
    assert_int_equal(status_of(&p, &c, OBJECTS), 200);
    c.token = STR_NONE;
    assert_ok(issue_for_client(p.arena, &ca, STR("somebody"), STR_NONE, &c.pair, &e), &e);
    assert_int_equal(status_of(&p, &c, OBJECTS), 200);
    /* One for servers is not one for clients. */
    const str hosts[] = {STR("localhost")};
    assert_ok(issue_for_server(p.arena, &ca, hosts, 1, &c.pair, &e), &e);
    assert_int_equal(status_of(&p, &c, OBJECTS), 401);
    /* Neither is one of another authority, of the same name. */
    assert_ok(issue_authority(p.arena, STR("plumb-ca"), &other, &e), &e);
    assert_ok(issue_for_client(p.arena, &other, STR("plumb-admin"), STR_NONE, &c.pair, &e), &e);
    assert_int_not_equal(status_of(&p, &c, OBJECTS), 200);
    end(&p);
}

TEST(wrong_tokens_do_not_open)
{
    static const char *const cases[] = {"Bearer ", "Bearer x",      "Basic TOKEN",
                                        "TOKEN",   "Bearer TOKENx", "Bearer xTOKEN"};
    struct place p;

    begin(&p);
    str token = text_of(&p, "token");
    for (size_t i = 0; i < COUNT(cases); i++) {
        str before, after, text = str_c(cases[i]);
        bool whole = str_cut(text, STR("TOKEN"), &before, &after);
        struct caller c = {.token = whole ? str_fmt(p.arena, "%.*s%.*s%.*s", STR_ARG(before),
                                                    STR_ARG(token), STR_ARG(after))
                                          : text};
        assert_int_equal(status_of(&p, &c, OBJECTS), 401);
    }
    struct caller nearly = {
        .token = str_fmt(p.arena, "Bearer %.*s", (int)token.len - 1, token.ptr)};
    assert_int_equal(status_of(&p, &nearly, OBJECTS), 401);
    end(&p);
}

/* Their bodies are not kept, nor counted: what is too much for others is refused for this. */
TEST(who_may_not_call_is_refused_by_the_head_alone)
{
    struct place p;
    struct caller c = {.token = STR("Bearer wrong")};

    begin(&p);
    c.body = STR("the first of many");
    assert_int_equal(status_of(&p, &c, OBJECTS), 401);
    c.token = str_concat(p.arena, STR("Bearer "), text_of(&p, "token"));
    assert_int_equal(status_of(&p, &c, OBJECTS), 413);
    end(&p);
}

TEST(anybody_may_ask_for_version_and_health)
{
    static const char *const paths[] = {"/version", "/healthz", "/livez", "/readyz"};
    struct place p;
    struct caller c = {0};

    begin(&p);
    for (size_t i = 0; i < COUNT(paths); i++)
        assert_int_equal(status_of(&p, &c, paths[i]), 200);
    assert_int_equal(status_of(&p, &c, "/metrics"), 401);
    assert_int_equal(status_of(&p, &c, "/version/../api/v1/namespaces"), 401);
    end(&p);
}

/* Of the client, as the kubeconfig of now has it. */
static struct issued client_pair(struct place *p)
{
    const struct kube_flags flags = {.kubeconfig = store_served_kubeconfig(p->served)};
    struct kube_config *config;
    AUTO_ERR e = {0};

    assert_ok(kube_config_load(p->arena, &flags, &config, &e), &e);
    return (struct issued){config->http.tls.cert.text, config->http.tls.key.text};
}

#define YEAR (INT64_C(365) * 24 * 3600 * NS_PER_SEC)

/* Nine years and eleven months later: a new authority, and nobody has to restart anything. */
TEST(certificates_are_renewed_before_they_end)
{
    struct place p;
    struct caller c = {0};
    AUTO_ERR e = {0};

    begin(&p);
    c.token = str_concat(p.arena, STR("Bearer "), text_of(&p, "token"));
    str ca = text_of(&p, "ca.crt"), kubeconfig = text_of(&p, "kubeconfig");
    struct caller old = {.pair = client_pair(&p)};
    assert_int_equal(status_of(&p, &c, OBJECTS), 200);
    assert_ok(store_served_renew(p.served, clock_now() + 9 * YEAR, &e), &e);
    assert_str(text_of(&p, "ca.crt"), ca);
    assert_ok(store_served_renew(p.served, clock_now() + 10 * YEAR - YEAR / 13, &e), &e);
    assert_false(str_eq(text_of(&p, "ca.crt"), ca));
    assert_false(str_eq(text_of(&p, "kubeconfig"), kubeconfig));
    assert_int_equal(status_of(&p, &c, OBJECTS), 200);
    /* A certificate of the new authority opens, and so does one of the old that is still held. */
    struct caller fresh = {.pair = client_pair(&p)};
    assert_false(str_eq(fresh.pair.cert, old.pair.cert));
    assert_int_equal(status_of(&p, &fresh, OBJECTS), 200);
    assert_int_equal(status_of(&p, &old, OBJECTS), 200);
    /* Who still trusts the old one alone is not served any more: the new one is in use. */
    c.ca = ca;
    assert_int_equal(status_of(&p, &c, OBJECTS), 0);
    end(&p);
}

TEST(secrets_of_the_folder_are_their_owners)
{
    static const char *const names[] = {"ca.key", "kubeconfig", "lock", "store.db", "token"};
    struct place p;
    struct stat st;

    begin(&p);
    assert_int_equal(stat(str_z(p.arena, p.data), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_int_equal(stat(str_z(p.arena, file_join(p.arena, p.data, str_c(names[i]))), &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
    }
    end(&p);
}

TEST(the_kubeconfig_names_server_certificate_and_token)
{
    struct place p;
    struct kube_flags flags = {0};
    struct kube_config *config;
    AUTO_ERR e = {0};

    begin(&p);
    flags.kubeconfig = store_served_kubeconfig(p.served);
    assert_ok(kube_config_load(p.arena, &flags, &config, &e), &e);
    assert_str(config->server, store_served_url(p.served));
    assert_str(config->http.tls.ca.text, text_of(&p, "ca.crt"));
    struct caller c = {.pair = {config->http.tls.cert.text, config->http.tls.key.text}};
    assert_int_equal(status_of(&p, &c, OBJECTS), 200);
    assert_str(config->token, text_of(&p, "token"));
    end(&p);
}

TEST(a_folder_has_one_process_and_keeps_its_secrets)
{
    struct place p;
    struct store_serve_config config = store_serve_defaults();
    struct store_served *second;
    AUTO_ERR e = {0};

    begin(&p);
    config.data = p.data;
    assert_false(store_serve(&config, &second, &e));
    assert_int_equal(e.kind, ERR_EXISTS);
    str ca = text_of(&p, "ca.crt"), token = text_of(&p, "token");
    store_serve_end(p.served, NS_PER_SEC);
    start(&p);
    assert_str(text_of(&p, "ca.crt"), ca);
    assert_str(text_of(&p, "token"), token);
    end(&p);
}

RUN_TESTS(cmocka_unit_test(a_token_or_a_certificate_of_the_authority_opens),
          cmocka_unit_test(wrong_tokens_do_not_open),
          cmocka_unit_test(who_may_not_call_is_refused_by_the_head_alone),
          cmocka_unit_test(certificates_are_renewed_before_they_end),
          cmocka_unit_test(anybody_may_ask_for_version_and_health),
          cmocka_unit_test(secrets_of_the_folder_are_their_owners),
          cmocka_unit_test(the_kubeconfig_names_server_certificate_and_token),
          cmocka_unit_test(a_folder_has_one_process_and_keeps_its_secrets))
