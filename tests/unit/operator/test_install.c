/* SPDX-License-Identifier: Apache-2.0 */
/* test_install.c - definitions are installed into the store, and only by the leader. */
#include "../test.h"

#include "operator/install.h"
#include "net/handler.h"
#include "store/store.h"

struct stage {
    struct arena *a;
    struct handler api; /* before the store */
    struct store *store;
    struct kube_config kube;
    struct kube_transport *transport;
    struct model *model;
    struct install_config config;
    unsigned writes, trouble; /* seen; answered by 503 from now on */
    bool leads, lose;         /* lose: during the next read */
};

static void answer(void *ctx, struct handler_call *c)
{
    struct stage *s = ctx;

    if (str_eq(c->method, STR("GET"))) {
        s->leads = s->leads && !s->lose;
        handler_answer(store_handler(s->store), c);
        return;
    }
    s->writes++;
    if (!s->trouble) {
        handler_answer(store_handler(s->store), c);
        return;
    }
    s->trouble--;
    s->leads = s->leads && !s->lose;
    handler_add_header(c, STR("Retry-After"), STR("0"));
    handler_reply(c, 503, STR("text/plain"), STR("later"));
}

static bool leads(void *ctx)
{
    return ((struct stage *)ctx)->leads;
}

static const struct model_kind kinds[] = {
    {STR_INIT("resources.azure.com"), STR_INIT("ResourceGroup")}};

static void begin(struct stage *s)
{
    AUTO_ERR e = {0};
    struct store_config config = store_defaults();

    *s = (struct stage){.a = arena_new(), .api = {answer, s}, .leads = true};
    assert_ok(store_open(&config, &s->store, &e), &e);
    s->kube = (struct kube_config){.server = STR("http://api.local"), .http = http_defaults()};
    s->kube.http.local = &s->api;
    assert_ok(kube_transport_new(&s->kube, STR("me"), &s->transport, &e), &e);
    assert_ok(model_open(s->a, STR_NONE, &s->model, &e), &e);
    s->config = (struct install_config){
        .transport = s->transport, .model = s->model, .leads = leads, .ctx = s};
    s->config.kinds = kinds;
    s->config.count = COUNT(kinds);
}

static void end(struct stage *s)
{
    model_close(s->model);
    kube_transport_free(s->transport);
    store_close(s->store);
    arena_free(s->a);
}

TEST(the_leader_installs_once)
{
    AUTO_ERR e = {0};
    struct stage s;
    struct install_stats stats;

    begin(&s);
    assert_ok(install_definitions(&s.config, &stats, &e), &e);
    assert_int_equal(stats.created, 1);
    assert_ok(install_definitions(&s.config, &stats, &e), &e);
    assert_int_equal(stats.kept, 1);
    assert_int_equal(s.writes, 1);
    /* The model of the operator is not filled by it. */
    assert_int_equal(model_read_count(s.model), 0);
    end(&s);
}

/* Whenever the lease goes, the write that was to follow does not. */
TEST(without_the_lease_nothing_is_written)
{
    AUTO_ERR e = {0};
    struct stage s;
    struct install_stats stats;

    begin(&s);
    s.leads = false;
    assert_false(install_definitions(&s.config, &stats, &e));
    assert_int_equal(e.kind, ERR_CANCELLED);
    err_clear(&e);
    s.leads = s.lose = true;
    assert_false(install_definitions(&s.config, &stats, &e));
    assert_int_equal(e.kind, ERR_CANCELLED);
    assert_int_equal(s.writes, 0);
    end(&s);
}

/* Nobody knows who leads by the time of a repetition, so there is none. */
TEST(a_write_is_not_repeated_in_place)
{
    AUTO_ERR e = {0};
    struct stage s;
    struct install_stats stats;

    begin(&s);
    s.trouble = 1;
    assert_false(install_definitions(&s.config, &stats, &e));
    assert_int_equal(s.writes, 1);
    err_clear(&e);
    assert_ok(install_definitions(&s.config, &stats, &e), &e);
    assert_int_equal(s.writes, 2);
    end(&s);
}

RUN_TESTS(cmocka_unit_test(the_leader_installs_once),
          cmocka_unit_test(without_the_lease_nothing_is_written),
          cmocka_unit_test(a_write_is_not_repeated_in_place))
