/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of an API server, one by one and in lists. */
#include "../test.h"

#include "kube/items_internal.h"
#include "support/api_server.h"
#include "text/json/json.h"

#include <string.h>

struct fixture {
    struct arena *a;
    struct api_server *api;
    struct kube_transport *t;
    struct kube_call all; /* widgets of all namespaces */
    struct kube_status status;
    struct err e;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){.a = arena_new(), .api = api_start()};
    f->t = api_transport(f->api);
    f->all = (struct kube_call){.resource = &api_widgets, .status = &f->status};
}

static void end(struct fixture *f)
{
    api_stop(f->api);
    err_clear(&f->e);
    arena_free(f->a);
}

static struct kube_call one(const struct fixture *f, const char *name)
{
    struct kube_call c = f->all;

    c.namespace = STR("x");
    c.name = str_c(name);
    return c;
}

static struct value *json(struct arena *a, const char *text)
{
    const struct source src = {.text = str_c(text)};
    AUTO_ERR e = {0};
    struct value *v = NULL;

    assert_ok(json_read(a, &src, NULL, &v, &e), &e);
    return v;
}

/* ---- Lists ---------------------------------------------------------------------------------- */

struct names {
    struct arena *a;
    struct buf text;
    size_t restarts, stop_after, seen;
};

static bool collect(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    struct names *n = ctx;
    str name = value_get_str(value_get(item, STR("metadata")), STR("name"));

    (void)a;
    (void)e;
    assert_str(value_get_str(item, STR("kind")), STR("Widget"));
    assert_str(value_get_str(item, STR("apiVersion")), STR("example.com/v1"));
    buf_fmt(&n->text, "%.*s ", STR_ARG(name));
    return !n->stop_after || ++n->seen < n->stop_after;
}

static void restart(void *ctx)
{
    struct names *n = ctx;

    n->restarts++;
    buf_truncate(&n->text, 0);
}

static void fill(struct fixture *f, size_t count)
{
    for (size_t i = 0; i < count; i++)
        api_put(f->api, "x", str_z(f->a, str_fmt(f->a, "w%zu", i)), NULL);
}

TEST(lists_come_in_pages_until_the_end)
{
    struct fixture f;
    begin(&f);
    struct names n = {.text = buf_new(f.a, 1 * MIB)};
    struct kube_list_meta meta;
    const struct kube_list_options o = {.limit = 2, .labels = STR("a=b"), .fields = STR("c=d")};

    fill(&f, 5);
    assert_ok(kube_list(f.t, &f.all, &o, collect, &n, f.a, &meta, &f.e), &f.e);
    assert_str(buf_str(&n.text), STR("w0 w1 w2 w3 w4 "));
    assert_str(meta.resource_version, STR("105"));
    assert_int_equal(meta.pages, 3);
    assert_int_equal(meta.items, 5);
    assert_str(api_requests(f.api, f.a, false),
               STR("GET /apis/example.com/v1/widgets?fieldSelector=c%3Dd&labelSelector=a%3Db&"
                   "limit=2\n"
                   "GET /apis/example.com/v1/widgets?continue=105-2&fieldSelector=c%3Dd&"
                   "labelSelector=a%3Db&limit=2\n"
                   "GET /apis/example.com/v1/widgets?continue=105-4&fieldSelector=c%3Dd&"
                   "labelSelector=a%3Db&limit=2\n"));
    end(&f);
}

TEST(a_caller_may_stop_a_list)
{
    struct fixture f;
    begin(&f);
    struct names n = {.text = buf_new(f.a, 1 * MIB), .stop_after = 3};
    const struct kube_list_options o = {.limit = 2};

    fill(&f, 5);
    assert_ok(kube_list(f.t, &f.all, &o, collect, &n, NULL, NULL, &f.e), &f.e);
    assert_str(buf_str(&n.text), STR("w0 w1 w2 "));
    end(&f);
}

#define SECOND_PAGE "/apis/example.com/v1/widgets?continue"
#define EXPIRED                                                                                    \
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Expired\",\"code\":410,"             \
    "\"message\":\"too old\""

TEST(an_expired_list_begins_anew_without_pages)
{
    struct fixture f;
    begin(&f);
    struct names n = {.text = buf_new(f.a, 1 * MIB)};
    struct kube_list_meta meta;
    const struct kube_list_options o = {.limit = 2, .restart = restart};

    fill(&f, 5);
    api_answer(f.api, SECOND_PAGE, 410, "application/json", EXPIRED "}");
    assert_ok(kube_list(f.t, &f.all, &o, collect, &n, f.a, &meta, &f.e), &f.e);
    assert_str(buf_str(&n.text), STR("w0 w1 w2 w3 w4 "));
    assert_int_equal(n.restarts, 1);
    assert_int_equal(meta.pages, 1);
    end(&f);
}

TEST(an_expired_list_goes_on_where_the_server_offers_it)
{
    struct fixture f;
    begin(&f);
    struct names n = {.text = buf_new(f.a, 1 * MIB)};
    const struct kube_list_options o = {.limit = 2};

    fill(&f, 5);
    api_answer(f.api, SECOND_PAGE, 410, "application/json",
               EXPIRED ",\"metadata\":{\"continue\":\"200-3\"}}");
    assert_ok(kube_list(f.t, &f.all, &o, collect, &n, NULL, NULL, &f.e), &f.e);
    assert_str(buf_str(&n.text), STR("w0 w1 w3 w4 "));
    api_answer(f.api, SECOND_PAGE, 410, "application/json", EXPIRED "}");
    assert_false(kube_list(f.t, &f.all, &o, collect, &n, f.a, NULL, &f.e));
    assert_int_equal(f.e.kind, ERR_EXPIRED);
    assert_str(f.e.text, STR("too old"));
    assert_int_equal(f.status.code, 410);
    end(&f);
}

TEST(a_page_that_breaks_off_is_an_error_or_a_new_beginning)
{
    struct fixture f;
    begin(&f);
    struct names n = {.text = buf_new(f.a, 1 * MIB)};
    struct kube_list_options o = {0};

    fill(&f, 3);
    api_break(f.api, "/apis/example.com");
    assert_false(kube_list(f.t, &f.all, &o, collect, &n, NULL, NULL, &f.e));
    assert_int_equal(f.e.kind, ERR_IO);
    assert_str(buf_str(&n.text), STR("half "));
    api_break(f.api, "/apis/example.com");
    o.restart = restart;
    assert_ok(kube_list(f.t, &f.all, &o, collect, &n, NULL, NULL, &f.e), &f.e);
    assert_str(buf_str(&n.text), STR("w0 w1 w2 "));
    end(&f);
}

/* The names of all pages, "|" behind each, and "again" before one that has some once more. */
static bool read_pages(struct fixture *f, struct buf *out, size_t limit)
{
    const struct kube_list_options o = {.limit = limit};
    struct kube_pages *pages = kube_pages_new(f->t, &f->all, &o);
    struct kube_page page = {0};
    bool ok = true;

    buf_truncate(out, 0);
    err_clear(&f->e);
    while (ok && !page.last) {
        ok = kube_pages_next(pages, f->a, &page, &f->e);
        buf_add(out, page.again ? STR("again ") : STR_NONE);
        for (size_t i = 0; ok && i < page.len; i++) {
            str name = value_get_str(value_get(page.items[i], STR("metadata")), STR("name"));
            buf_fmt(out, "%.*s ", STR_ARG(name));
        }
        buf_char(out, '|');
    }
    kube_pages_free(pages);
    return ok;
}

TEST(a_list_is_read_page_by_page)
{
    struct fixture f;
    begin(&f);
    struct buf names = buf_new(f.a, 1 * MIB);

    fill(&f, 5);
    assert_ok(read_pages(&f, &names, 2), &f.e);
    assert_str(buf_str(&names), STR("w0 w1 |w2 w3 |w4 |"));
    assert_ok(read_pages(&f, &names, 0), &f.e);
    assert_str(buf_str(&names), STR("w0 w1 w2 w3 w4 |"));
    /* Nothing of a page that breaks off is seen. */
    api_break(f.api, SECOND_PAGE);
    clock_fake(0);
    bool ok = read_pages(&f, &names, 2);
    clock_real();
    assert_ok(ok, &f.e);
    assert_str(buf_str(&names), STR("w0 w1 |w2 w3 |w4 |"));
    end(&f);
}

TEST(a_page_that_has_expired_is_replaced_or_begins_the_list_anew)
{
    struct fixture f;
    begin(&f);
    struct buf names = buf_new(f.a, 1 * MIB);

    fill(&f, 5);
    api_answer(f.api, SECOND_PAGE, 410, "application/json",
               EXPIRED ",\"metadata\":{\"continue\":\"200-3\"}}");
    assert_ok(read_pages(&f, &names, 2), &f.e);
    assert_str(buf_str(&names), STR("w0 w1 |w3 w4 |"));
    api_answer(f.api, SECOND_PAGE, 410, "application/json", EXPIRED "}");
    assert_ok(read_pages(&f, &names, 2), &f.e);
    assert_str(buf_str(&names), STR("w0 w1 |again w0 w1 w2 w3 w4 |"));
    api_answer(f.api, SECOND_PAGE, 403, "application/json", "{\"message\":\"no\"}");
    assert_false(read_pages(&f, &names, 2));
    assert_int_equal(f.e.kind, ERR_DENIED);
    /* Not for ever; and nobody waits here. */
    for (int i = 0; i < 4; i++)
        api_break(f.api, SECOND_PAGE);
    clock_fake(0);
    bool ok = read_pages(&f, &names, 2);
    clock_real();
    assert_false(ok);
    assert_int_equal(f.e.kind, ERR_IO);
    end(&f);
}

TEST(metadata_alone_is_asked_for_and_kept)
{
    struct fixture f;
    begin(&f);
    struct value *v;
    struct kube_call c = one(&f, "a");

    c.metadata_only = true;
    api_put(f.api, "x", "a", "\"data\":{\"secret\":\"s\"}");
    assert_ok(kube_get(f.t, f.a, &c, &v, &f.e), &f.e);
    assert_null(value_get(v, STR("data")));
    assert_str(value_get_str(v, STR("kind")), STR("Widget"));
    assert_true(str_contains(api_requests(f.api, f.a, true),
                             STR("as=PartialObjectMetadata;g=meta.k8s.io;v=v1")));
    end(&f);
}

/* ---- Cutting -------------------------------------------------------------------------------- */

static bool add_item(void *ctx, str text, struct err *e)
{
    (void)e;
    buf_fmt(ctx, "<%.*s>", STR_ARG(text));
    return true;
}

static const struct {
    const char *text, *items, *envelope;
} cuts[] = {
    {"{\"items\":[]}", "", "{\"items\":[]}"},
    {"{\"items\":null,\"a\":1}", "", "{\"items\":null,\"a\":1}"},
    {"{\"items\":[{\"a\":[1,{}]},{\"b\":\"]}\\\"\"}],\"z\":2}",
     "<{\"a\":[1,{}]}><{\"b\":\"]}\\\"\"}>", "{\"items\":[],\"z\":2}"},
    {"{\"items\" : [ {} , 1 , \"x,y\" ,[2]] }", "<{}><1 ><\"x,y\" ><[2]>", "{\"items\":[]}"},
    {"{\"kind\":\"items\",\"a\":[1,2],\"metadata\":{\"items\":[3]}}", "",
     "{\"kind\":\"items\",\"a\":[1,2],\"metadata\":{\"items\":[3]}}"},
    {"{\"xitems\":[1],\"items\":[2],\"itemsx\":[3]}", "<2>",
     "{\"xitems\":[1],\"items\":[],\"itemsx\":[3]}"},
    {"{\"items\":[{}}", "<{}>", NULL},
    {"{\"items\":[{}", "<{}>", NULL},
    {"<html>", "", NULL},
    {"]]]]", "", NULL},
    {"", "", NULL},
};

TEST(objects_are_cut_out_whatever_the_pieces)
{
    for (size_t i = 0; i < COUNT(cuts); i++) {
        for (size_t step = 1; step < 40; step++) {
            AUTO_ARENA a = arena_new();
            AUTO_ERR e = {0};
            struct buf got = buf_new(a, 1 * MIB), written = buf_new(a, 1 * MIB);
            struct kube_items items = kube_items_new(a, add_item, &got);
            struct value *envelope;
            str text = str_c(cuts[i].text);

            for (size_t at = 0; at < text.len; at += step)
                assert_ok(kube_items_add(&items, str_slice(text, at, at + step), &e), &e);
            assert_str(buf_str(&got), str_c(cuts[i].items));
            bool ok = kube_items_end(&items, a, &envelope, &e);
            assert_int_equal(ok, cuts[i].envelope != NULL);
            if (ok) {
                assert_ok(json_write(&written, envelope, &json_exact, &e), &e);
                assert_str(buf_str(&written), str_c(cuts[i].envelope));
            }
        }
    }
}

/* Lists that a server may not send, and what is told of them. */
static const struct {
    const char *body, *want;
} malformed[] = {
    {"{\"items\":\"none\"}", "\"items\" is not a list but a string"},
    {"{\"items\":{\"a\":{}}}", "\"items\" is not a list but an object"},
    {"{\"items\":0}", "\"items\" is not a list but an integer"},
    {"{\"items\":false}", "\"items\" is not a list but a bool"},
    {"{\"it\\u0065ms\":[{}]}", "\"items\" is written with escapes"},
    {"{\"Items\":[{}]}", "no \"items\""},
    {"[{\"items\":[]}]", "no \"items\""},
    {"{\"items\":[],\"items\":[{}]}", "duplicate key \"items\""},
    {"{\"items\":[{}],\"items\":null}", "duplicate key \"items\""},
    {"{\"items\":[],\"metadata\":{\"continue\":\"x\"},\"metadata\":{}}",
     "duplicate key \"metadata\""},
    {"{\"items\":[],\"metadata\":{\"continue\":\"x\",\"continue\":\"\"}}",
     "duplicate key \"continue\""},
    {"{\"items\":[],\"metadata\":{\"continue\":7}}", "\"continue\" is not a string but an integer"},
    {"{\"items\":[],\"metadata\":{\"continue\":[\"x\"]}}",
     "\"continue\" is not a string but a list"},
    {"{\"items\":[],\"metadata\":{\"resourceVersion\":1}}",
     "\"resourceVersion\" is not a string but an integer"},
    {"{\"items\":[],\"metadata\":[{\"continue\":\"x\"}]}",
     "\"metadata\" is not an object but a list"},
    {"{\"items\":[],\"metadata\":\"\"}", "\"metadata\" is not an object but a string"},
    {"{\"items\":[],\"metadata\":{\"remainingItemCount\":3}}",
     "it ends, and 3 objects are said to remain"},
    {"{\"items\":[],\"metadata\":{\"remainingItemCount\":\"3\"}}",
     "\"remainingItemCount\" is not an integer but a string"},
    {"{\"items\":[],\"kind\":{}}", "\"kind\" is not a string but an object"},
    {"{\"items\":[],\"apiVersion\":1}", "\"apiVersion\" is not a string but an integer"},
    {"{\"items\":[null]}", "null where an object should be"},
    {"{\"items\":[\"w\"]}", "string where an object should be"},
    {"{\"items\":[[]]}", "list where an object should be"},
    {"{\"items\":[{}{}]}", "no comma between two objects"},
    {"{\"items\":[{},,{}]}", "a comma too many"},
    {"{\"items\":[,{}]}", "a comma too many"},
    {"{\"items\":[{},]}", "a comma too many"},
    {"{\"items\":[{}]} {\"items\":[]}", "invalid character '{' after top-level value"},
    {"{\"items\":[{}]", "unexpected end of JSON input"},
    {"{\"items\":[{\"a\":1,\"a\":2}]}", "duplicate key \"a\""},
    {"{\"items\":[{\"kind\":1}]}", "\"kind\" is not a string but an integer"},
    {"{\"items\":[{\"apiVersion\":{}}]}", "\"apiVersion\" is not a string but an object"},
    {"{\"items\":[{\"metadata\":\"w\"}]}", "\"metadata\" is not an object but a string"},
    {"{\"items\":[{\"metadata\":{\"name\":1}}]}", "\"name\" is not a string but an integer"},
    {"{\"items\":[{\"metadata\":{\"namespace\":[]}}]}", "\"namespace\" is not a string but a list"},
    {"{\"items\":[{\"a\":\"\xff\"}]}", "UTF-8"},
    {"{\"items\":[{\"a\xc3\":\"\"}]}", "UTF-8"},
    {"{\"items\":[{\"a\":\"\\ud800\"}]}", "surrogate"},
    {"{\"items\":[],\"kind\":\"\xc0\x80\"}", "UTF-8"},
    {"{\"items\":[],\"metadata\":{\"continue\":\"\xed\xa0\x80\"}}", "UTF-8"},
};

static bool ignore(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    (void)ctx;
    (void)a;
    (void)item;
    (void)e;
    return true;
}

TEST(malformed_lists_are_errors)
{
    struct fixture f;
    begin(&f);

    for (size_t i = 0; i < COUNT(malformed); i++) {
        AUTO_ERR e = {0};
        api_answer(f.api, "/apis/example.com", 200, "application/json", malformed[i].body);
        bool ok = kube_list(f.t, &f.all, NULL, ignore, NULL, NULL, NULL, &e);
        if (ok || !str_contains(e.text, str_c(malformed[i].want)))
            fail_msg("%s: %.*s", malformed[i].body, STR_ARG(e.text));
        assert_true(str_has_prefix(e.text, STR("the list of widgets: ")));
    }
    end(&f);
}

/* Nobody asked for a part. */
TEST(a_part_of_an_answer_is_an_error)
{
    static const char body[] = "{\"items\":[{\"metadata\":{\"name\":\"w\"}}],\"metadata\":{}}";
    const struct kube_list_options as_client_go = {.lenient = true};
    struct fixture f;
    begin(&f);
    const struct kube_call one = {.resource = &api_widgets, .name = STR("w")};
    struct value *v;
    AUTO_ERR e = {0};

    api_answer_always(f.api, "/apis/example.com", 206, "application/json", body);
    assert_false(kube_list(f.t, &f.all, NULL, ignore, NULL, NULL, NULL, &e));
    assert_str(e.text,
               STR("the list of widgets: the server sent only a part of it (206 Partial Content)"));
    assert_false(kube_get(f.t, f.a, &one, &v, &e));
    assert_true(str_contains(e.text, STR("206 Partial Content")));
    assert_ok(kube_list(f.t, &f.all, &as_client_go, ignore, NULL, NULL, NULL, &f.e), &f.e);
    end(&f);
}

/* Caches and proxies send them for what they have made of a list. */
TEST(a_list_is_answered_by_200)
{
    static const char body[] = "{\"items\":[{\"metadata\":{\"name\":\"w\"}}],\"metadata\":{}}";
    static const int statuses[] = {201, 202, 203, 207, 226};
    struct fixture f;
    begin(&f);
    const struct kube_call one = {.resource = &api_widgets, .name = STR("w")};
    struct value *v;

    for (size_t i = 0; i < COUNT(statuses); i++) {
        AUTO_ERR e = {0};
        str want = str_fmt(f.a, "the server answered %d instead of 200", statuses[i]);
        for (int n = 0; n < 2; n++)
            api_answer(f.api, "/apis/example.com", statuses[i], "application/json", body);
        assert_false(kube_list(f.t, &f.all, NULL, ignore, NULL, NULL, NULL, &e));
        assert_str(e.text, str_concat(f.a, STR("the list of widgets: "), want));
        assert_false(kube_get(f.t, f.a, &one, &v, &e));
        assert_true(str_contains(e.text, want));
    }
    end(&f);
}

TEST(lists_may_leave_out_what_is_empty)
{
    static const char *const bodies[] = {
        "{\"items\":null}",
        "{\"items\":[],\"metadata\":null}",
        "{\"items\":[],\"metadata\":{\"continue\":null,\"remainingItemCount\":0}}",
        " {\n\"items\" : [ { } ,\n{\"metadata\":null} ] }\r\n",
    };
    struct fixture f;
    begin(&f);

    for (size_t i = 0; i < COUNT(bodies); i++) {
        api_answer(f.api, "/apis/example.com", 200, "application/json", bodies[i]);
        assert_ok(kube_list(f.t, &f.all, NULL, ignore, NULL, NULL, NULL, &f.e), &f.e);
    }
    end(&f);
}

/* The pages of a list lead back to an earlier one: 0 1 2 3 1 2 3 ... */
TEST(lists_that_go_round_end)
{
    struct fixture f;
    begin(&f);
    AUTO_ERR e = {0};

    for (int i = 3; i >= 0; i--)
        api_answer_always(
            f.api,
            i ? str_z(f.a, str_fmt(f.a, "/apis/example.com/v1/widgets?continue=%d", i))
              : "/apis/example.com/v1/widgets",
            200, "application/json",
            str_z(f.a, str_fmt(f.a, "{\"items\":[{}],\"metadata\":{\"continue\":\"%d\"}}",
                               i == 3 ? 1 : i + 1)));
    assert_false(kube_list(f.t, &f.all, NULL, ignore, NULL, NULL, NULL, &e));
    assert_true(str_contains(e.text, STR("does not advance: the same \"continue\" twice")));
    end(&f);
}

/* Each page has another "continue", and the same objects. */
TEST(lists_that_go_round_under_new_names_end)
{
    struct fixture f;
    begin(&f);
    AUTO_ERR e = {0};
    const int pages = 40;

    for (int i = 0; i < pages; i++) {
        const char *at =
            i ? str_z(f.a, str_fmt(f.a, "/apis/example.com/v1/widgets?continue=t%d", i))
              : "/apis/example.com/v1/widgets";
        str body = str_fmt(f.a,
                           "{\"items\":[{\"metadata\":{\"name\":\"%s\"}}],\"metadata\":{"
                           "\"continue\":\"t%d\"}}",
                           i % 2 ? "b" : "a", i + 1);
        api_answer(f.api, at, 200, "application/json", str_z(f.a, body));
    }
    assert_false(kube_list(f.t, &f.all, NULL, ignore, NULL, NULL, NULL, &e));
    assert_true(str_contains(e.text, STR("does not advance: ")));
    assert_true(str_contains(e.text, STR(" begins page after page")));
    end(&f);
}

TEST(a_list_that_expires_again_and_again_is_given_up)
{
    struct fixture f;
    begin(&f);
    const struct kube_list_options options = {.limit = 1};
    struct kube_pages *pages = kube_pages_new(f.t, &f.all, &options);
    struct kube_page page = {0};
    int count = 0;

    api_answer_always(f.api, "/apis/example.com/v1/widgets?continue=", 410, "application/json",
                      "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Expired\","
                      "\"code\":410}");
    api_answer_always(f.api, "/apis/example.com/v1/widgets", 200, "application/json",
                      "{\"items\":[{\"metadata\":{\"name\":\"a\"}}],\"metadata\":{"
                      "\"continue\":\"t\"}}");
    while (count < 20 && kube_pages_next(pages, f.a, &page, &f.e))
        count++;
    assert_true(count < 20);
    assert_int_equal(f.e.kind, ERR_EXPIRED);
    kube_pages_free(pages);
    end(&f);
}

#define LIST_OF(kind, version)                                                                     \
    "{\"kind\":\"" kind "\",\"apiVersion\":\"" version "\",\"items\":[{\"metadata\":{"             \
    "\"name\":\"a\"}}],\"metadata\":{}}"

/* Built-in objects do not say what they are: their list does. */
TEST(a_list_of_another_type_is_an_error)
{
    static const struct kube_resource maps = {.version = STR_INIT("v1"),
                                              .name = STR_INIT("configmaps"),
                                              .kind = STR_INIT("ConfigMap"),
                                              .namespaced = true};
    static const struct {
        const char *body, *want;
    } cases[] = {
        {LIST_OF("ConfigMapList", "v1"), NULL},
        {LIST_OF("List", "v1"), NULL},
        {"{\"items\":[],\"metadata\":{}}", NULL},
        {LIST_OF("PodList", "v1"), "the server's response is a PodList of v1"},
        {LIST_OF("ConfigMap", "v1"), "the server's response is a ConfigMap of v1"},
        {LIST_OF("ConfigMapList", "apps/v1"),
         "the server's response is a ConfigMapList of apps/v1"},
    };
    const struct kube_call c = {.resource = &maps};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture f;
        begin(&f);
        api_answer(f.api, "/api/v1/configmaps", 200, "application/json", cases[i].body);
        bool ok = kube_list(f.t, &c, NULL, ignore, NULL, NULL, NULL, &f.e);
        assert_int_equal(ok, !cases[i].want);
        assert_true(ok || str_contains(f.e.text, str_c(cases[i].want)));
        end(&f);
    }
}

TEST(credentials_that_a_list_quotes_are_masked)
{
    static const struct kube_resource maps = {
        .version = STR_INIT("v1"), .name = STR_INIT("configmaps"), .kind = STR_INIT("ConfigMap")};
    const struct kube_call c = {.resource = &maps};
    struct fixture f;
    begin(&f);
    struct kube_config config = *kube_transport_config(f.t);
    struct kube_transport *t;

    config.token = STR("token-0123456789");
    assert_ok(kube_transport_new(&config, STR_NONE, &t, &f.e), &f.e);
    api_answer(f.api, "/api/v1/configmaps", 200, "application/json",
               LIST_OF("token-0123456789", "v1"));
    assert_false(kube_list(t, &c, NULL, ignore, NULL, NULL, NULL, &f.e));
    assert_true(str_contains(f.e.text, STR("the server's response is a REDACTED of v1")));
    kube_transport_free(t);
    end(&f);
}

/* ---- Writing -------------------------------------------------------------------------------- */

TEST(objects_are_created_changed_and_deleted)
{
    struct fixture f;
    begin(&f);
    struct value *v;
    struct kube_call a = one(&f, "a"), into = one(&f, "");
    const struct kube_write_options mine = {
        .field_manager = STR("me"), .force = true, .field_validation = STR("Strict")};
    const struct kube_delete_options how = {
        .propagation = STR("Foreground"), .grace_given = true, .uid = STR("u")};

    assert_ok(
        kube_create(f.t, f.a, &into, json(f.a, "{\"metadata\":{\"name\":\"a\"}}"), NULL, &v, &f.e),
        &f.e);
    assert_str(value_get_str(value_get(v, STR("metadata")), STR("resourceVersion")), STR("101"));
    assert_false(kube_create(f.t, f.a, &into, v, NULL, NULL, &f.e));
    assert_int_equal(f.e.kind, ERR_EXISTS);
    value_set_int(f.a, v, STR("spec"), 1);
    assert_ok(kube_update(f.t, f.a, &a, v, NULL, NULL, &f.e), &f.e);
    assert_false(kube_update(f.t, f.a, &a, v, NULL, NULL, &f.e));
    assert_int_equal(f.e.kind, ERR_CONFLICT);
    a.subresource = STR("status");
    assert_ok(kube_patch(f.t, f.a, &a, KUBE_MERGE_PATCH, json(f.a, "{\"status\":{\"x\":1}}"), NULL,
                         &v, &f.e),
              &f.e);
    assert_non_null(value_get(value_get(v, STR("status")), STR("x")));
    a.subresource = STR_NONE;
    assert_false(kube_patch(f.t, f.a, &a, KUBE_APPLY_PATCH, v, NULL, &v, &f.e));
    assert_ok(kube_patch(f.t, f.a, &a, KUBE_APPLY_PATCH, json(f.a, "{}"), &mine, &v, &f.e), &f.e);
    assert_ok(kube_delete(f.t, f.a, &a, &how, &v, &f.e), &f.e);
    assert_false(kube_get(f.t, f.a, &a, &v, &f.e));
    assert_int_equal(f.e.kind, ERR_NOT_FOUND);
    str requests = api_requests(f.api, f.a, false);
    assert_true(str_contains(requests, STR("PATCH /apis/example.com/v1/namespaces/x/widgets/a/"
                                           "status\n")));
    assert_true(str_contains(requests,
                             STR("widgets/a?fieldManager=me&fieldValidation=Strict&force=true\n")));
    end(&f);
}

/* ---- Errors --------------------------------------------------------------------------------- */

#define FORBIDDEN                                                                                  \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","           \
    "\"message\":\"widgets.example.com is forbidden: User \\\"u\\\" cannot get resource "          \
    "\\\"widgets\\\" in API group \\\"example.com\\\" in the namespace \\\"x\\\"\","               \
    "\"reason\":\"Forbidden\",\"code\":403}"

static const struct {
    int status;
    const char *type, *body;
    enum err_kind kind;
    const char *text;
} failures[] = {
    {403, "application/json", FORBIDDEN, ERR_DENIED,
     "widgets.example.com is forbidden: User \"u\" cannot get resource \"widgets\" in API group "
     "\"example.com\" in the namespace \"x\""},
    {401, "application/json",
     "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"Unauthorized\",\"reason\":"
     "\"Unauthorized\",\"code\":401}",
     ERR_DENIED, "Unauthorized"},
    {404, "text/plain", "404 page not found\n", ERR_NOT_FOUND,
     "the server could not find the requested resource (get widgets.example.com a)"},
    {500, "text/plain", "boom\n", ERR_IO,
     "an error on the server (\"boom\") has prevented the request from succeeding (get "
     "widgets.example.com a)"},
    {502, "text/html", "", ERR_IO,
     "an error on the server (\"unknown\") has prevented the request from succeeding (get "
     "widgets.example.com a)"},
    {429, "", "", ERR_THROTTLED,
     "the server has received too many requests and has asked us to try again later (get "
     "widgets.example.com a)"},
    {418, "text/plain", "teapot", ERR_INVALID, "teapot (get widgets.example.com a)"},
};

TEST(errors_have_the_words_of_kubectl)
{
    struct fixture f;
    begin(&f);
    struct value *v;
    const struct kube_call c = one(&f, "a");

    for (size_t i = 0; i < COUNT(failures); i++) {
        api_answer(f.api, "/apis/example.com", failures[i].status, failures[i].type,
                   failures[i].body);
        assert_false(kube_get(f.t, f.a, &c, &v, &f.e));
        assert_str(f.e.text, str_c(failures[i].text));
        assert_int_equal(f.e.kind, failures[i].kind);
        assert_int_equal(f.status.code, failures[i].status);
    }
    end(&f);
}

TEST(answers_that_are_no_objects_are_refused)
{
    static const char *const bodies[] = {"<html>", "[1]", "{\"a\"", "", "3"};
    struct fixture f;
    begin(&f);
    struct value *v;
    const struct kube_call c = one(&f, "a");
    struct names n = {.text = buf_new(f.a, 1 * MIB)};

    for (size_t i = 0; i < COUNT(bodies); i++) {
        api_answer(f.api, "/apis/example.com", 200, "application/json", bodies[i]);
        api_answer(f.api, "/apis/example.com", 200, "application/json", bodies[i]);
        assert_false(kube_get(f.t, f.a, &c, &v, &f.e));
        assert_int_equal(f.e.kind, ERR_INVALID);
        assert_false(kube_list(f.t, &f.all, NULL, collect, &n, NULL, NULL, &f.e));
        assert_int_equal(f.e.kind, ERR_INVALID);
    }
    end(&f);
}

TEST(paths_are_escaped)
{
    AUTO_ARENA a = arena_new();
    const struct kube_resource pods = {.version = STR("v1"), .name = STR("pods")};
    const struct kube_call c = {
        .resource = &pods, .namespace = STR("a/b"), .name = STR("c d"), .subresource = STR("log")};

    assert_str(kube_call_path(a, &c), STR("/api/v1/namespaces/a%2Fb/pods/c%20d/log"));
}

RUN_TESTS(
    cmocka_unit_test(lists_come_in_pages_until_the_end), cmocka_unit_test(a_caller_may_stop_a_list),
    cmocka_unit_test(an_expired_list_begins_anew_without_pages),
    cmocka_unit_test(an_expired_list_goes_on_where_the_server_offers_it),
    cmocka_unit_test(a_page_that_breaks_off_is_an_error_or_a_new_beginning),
    cmocka_unit_test(a_list_is_read_page_by_page),
    cmocka_unit_test(a_page_that_has_expired_is_replaced_or_begins_the_list_anew),
    cmocka_unit_test(metadata_alone_is_asked_for_and_kept),
    cmocka_unit_test(objects_are_cut_out_whatever_the_pieces),
    cmocka_unit_test(malformed_lists_are_errors), cmocka_unit_test(a_part_of_an_answer_is_an_error),
    cmocka_unit_test(a_list_is_answered_by_200),
    cmocka_unit_test(lists_may_leave_out_what_is_empty), cmocka_unit_test(lists_that_go_round_end),
    cmocka_unit_test(lists_that_go_round_under_new_names_end),
    cmocka_unit_test(a_list_that_expires_again_and_again_is_given_up),
    cmocka_unit_test(a_list_of_another_type_is_an_error),
    cmocka_unit_test(credentials_that_a_list_quotes_are_masked),
    cmocka_unit_test(objects_are_created_changed_and_deleted),
    cmocka_unit_test(errors_have_the_words_of_kubectl),
    cmocka_unit_test(answers_that_are_no_objects_are_refused), cmocka_unit_test(paths_are_escaped))
