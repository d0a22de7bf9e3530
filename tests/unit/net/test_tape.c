/* SPDX-License-Identifier: Apache-2.0 */
/* Recording and replaying, and what must not be recorded. */
#include "../test.h"

#include "net/http/http.h"
#include "net/redact.h"
#include "net/server/server.h"
#include "net/tape/tape.h"

#include <unistd.h>

#define PLANTED "planted-secret-tape"

static void handle(void *ctx, struct server_request *r)
{
    int *count = ctx;
    str body =
        str_eq(server_path(r), STR("/api/v1/namespaces/x/secrets/y"))
            ? STR("{\"kind\":\"Secret\",\"data\":{\"p\":\"" PLANTED "\"}}")
            : str_fmt(server_arena(r), "{\"n\":%d,\"accessToken\":\"" PLANTED "\"}", ++*count);

    server_add_header(r, STR("Set-Cookie"), STR("id=" PLANTED));
    server_reply(r, 200, STR("application/json"), body);
}

struct call {
    const char *method, *path, *body;
};
static const struct call calls[] = {
    {"GET", "/a?x=1&token=" PLANTED, ""},
    {"GET", "/a?x=1&token=" PLANTED, ""},
    {"POST", "/b", "{\"clientSecret\":\"" PLANTED "\",\"name\":\"n\"}"},
    {"POST", "/b", "{\"clientSecret\":\"" PLANTED "\",\"name\":\"other\"}"},
    {"PATCH", "/api/v1/namespaces/x/secrets/y", "{\"data\":{\"p\":\"" PLANTED "\"}}"},
};

static bool call(struct http_client *client, struct arena *a, str base, const struct call *c,
                 struct http_response *response, struct err *e)
{
    struct http_request r = {.method = str_c(c->method),
                             .url = str_concat(a, base, str_c(c->path)),
                             .body = str_c(c->body)};

    http_header_add(a, &r.headers, STR("Authorization"), STR("Bearer " PLANTED));
    http_header_add(a, &r.headers, STR("Content-Type"), STR("application/json"));
    return http_send(client, a, &r, response, e);
}

static struct http_client *client_of(struct tape *tape)
{
    AUTO_ERR e = {0};
    struct http_config config = http_defaults();
    struct http_client *client;

    config.tape = tape;
    assert_ok(http_client_new(&config, &client, &e), &e);
    return client;
}

static void record(struct arena *a, str path, str *base)
{
    AUTO_ERR e = {0};
    int count = 0;
    const struct server_config config = {.handle = handle, .ctx = &count};
    struct server *server;
    struct tape *tape;
    struct http_response response;

    assert_ok(server_start(&config, &server, &e), &e);
    *base = str_copy(a, server_url(server));
    assert_ok(tape_record(path, &tape, &e), &e);
    struct http_client *client = client_of(tape);
    for (size_t i = 0; i < COUNT(calls); i++)
        assert_ok(call(client, a, *base, &calls[i], &response, &e), &e);
    server_stop(server, 0);
    assert_false(call(client, a, *base, &(struct call){"GET", "/refused", ""}, &response, &e));
    http_client_free(client);
    assert_ok(tape_close(tape, &e), &e);
}

static void check_replay(struct arena *a, str path, str base)
{
    AUTO_ERR e = {0};
    struct tape *tape;
    struct http_response response;

    assert_ok(tape_replay(path, &tape, &e), &e);
    struct http_client *client = client_of(tape);
    /* Another order of different requests, the same order of equal ones. */
    assert_ok(call(client, a, base, &calls[3], &response, &e), &e);
    assert_str(response.body, STR("{\"n\":4,\"accessToken\":\"REDACTED\"}"));
    for (int n = 1; n <= 2; n++) {
        assert_ok(call(client, a, base, &calls[0], &response, &e), &e);
        assert_str(response.body, str_fmt(a, "{\"n\":%d,\"accessToken\":\"REDACTED\"}", n));
        assert_int_equal(response.status, 200);
    }
    assert_false(call(client, a, base, &calls[0], &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_REPLAY);
    assert_int_equal(e.kind, ERR_NOT_FOUND);
    assert_true(str_contains(e.text, STR("has no unused answer to GET ")));
    assert_true(str_contains(e.text, STR("the next one is exchange 3, POST ")));
    assert_false(call(client, a, base, &(struct call){"POST", "/b", "{}"}, &response, &e));
    assert_false(call(client, a, base, &(struct call){"GET", "/refused", ""}, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_REFUSED);
    assert_ok(call(client, a, base, &calls[4], &response, &e), &e);
    assert_str(response.body, STR("{\"kind\":\"Secret\",\"data\":{\"p\":\"UkVEQUNURUQ=\"}}"));
    http_client_free(client);
    assert_ok(tape_close(tape, &e), &e);
}

TEST(what_was_recorded_is_replayed_without_its_secrets)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    char name[] = "/tmp/plumb-tape-XXXXXX";
    int fd = mkstemp(name);
    str text, base;

    close(fd);
    record(a, str_c(name), &base);
    assert_ok(file_read(a, str_c(name), &text, &e), &e);
    assert_false(str_contains(text, STR(PLANTED)));
    assert_true(str_contains(text, STR("[\"Authorization\",\"REDACTED\"]")));
    check_replay(a, str_c(name), base);
    unlink(name);
}

struct pieces {
    size_t count, bytes;
};

static bool count_pieces(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    struct pieces *p = ctx;

    (void)so_far, (void)e;
    p->count++;
    p->bytes += piece.len;
    return true;
}

/* ---- Servers that quote requests ------------------------------------------------------------ */

static void echo(void *ctx, struct server_request *r)
{
    str sent = server_header(r, STR("Authorization"));
    bool is_fine = str_eq(server_path(r), STR("/fine"));

    (void)ctx;
    server_add_header(r, STR("Warning"), str_fmt(server_arena(r), "299 - \"%.*s\"", STR_ARG(sent)));
    server_add_header(r, STR("X-Note"), sent);
    server_reply(
        r, is_fine ? 200 : 400, STR("text/plain"),
        str_fmt(server_arena(r), "you sent %.*s, %.*s", STR_ARG(sent), STR_ARG(server_target(r))));
}

static const struct {
    const char *user, *path, *authorization; /* user: in the URL */
} echoed[] = {
    {"", "/", "Bearer " PLANTED},
    {"", "/", "Basic dXNlcjpwbGFudGVkLXNlY3JldC10YXBl"},
    {"", "/", PLANTED},
    {"", "/?sig=planted%2Dsecret-tape", "none"},
    {"user:" PLANTED "@", "/", NULL},
    {"", "/fine", "Bearer " PLANTED},
};

/* As .NET and PHP write JSON. */
TEST(what_was_sent_is_found_however_it_is_escaped)
{
    AUTO_ARENA a = arena_new();
    struct http_request r = {.url = STR("http://u:p%22" PLANTED "%3E@h/")};

    http_header_add(a, &r.headers, STR("Authorization"), STR("Basic dTpw/+" PLANTED));
    assert_str(redact_sent(a, &r, STR("{\"a\":\"Basic dTpw\\/\\u002B" PLANTED "\"}")),
               STR("{\"a\":\"Basic REDACTED\"}"));
    assert_str(redact_sent(a, &r, STR("{\"a\":\"p\\u0022" PLANTED "\\u003E\"}")),
               STR("{\"a\":\"REDACTED\"}"));
    assert_str(redact_sent(a, &r, STR("<p>p&quot;" PLANTED "&gt;</p>")), STR("<p>REDACTED</p>"));
}

TEST(what_was_sent_does_not_come_back_in_messages_and_recordings)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct server_config config = {.handle = echo};
    struct server *server;
    struct tape *tape;
    char name[] = "/tmp/plumb-tape-XXXXXX";
    str path = str_c(name), text;

    close(mkstemp(name));
    assert_ok(server_start(&config, &server, &e), &e);
    assert_ok(tape_record(path, &tape, &e), &e);
    struct http_client *client = client_of(tape);
    for (size_t i = 0; i < COUNT(echoed); i++) {
        struct http_request r = {
            .url = str_fmt(a, "http://%s%.*s%s", echoed[i].user,
                           STR_ARG(str_from(server_url(server), strlen("http://"))),
                           echoed[i].path)};
        struct http_response response;
        if (echoed[i].authorization)
            http_header_add(a, &r.headers, STR("Authorization"), str_c(echoed[i].authorization));
        assert_ok(http_send(client, a, &r, &response, &e), &e);
        bool is_fine = response.status == 200;
        assert_true(is_fine == str_contains(response.body, STR(PLANTED)));
        assert_true(is_fine || str_contains(response.body, STR(REDACTED)));
        str warning = http_header_get(&response.headers, STR("Warning"));
        assert_false(str_contains(warning, STR(PLANTED)));
        assert_false(str_contains(response.body, STR("cGxhbnRlZ")));
    }
    server_stop(server, 0);
    http_client_free(client);
    assert_ok(tape_close(tape, &e), &e);
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_false(str_contains(text, STR(PLANTED)));
    assert_false(str_contains(text, STR("bGFudGVkLXNlY3Jld")));
    assert_true(str_contains(text, STR("you sent ")));
    unlink(name);
}

TEST(recorded_bodies_come_in_pieces_and_may_be_bytes)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct pieces p = {0};
    struct buf text = buf_new(a, MIB);
    struct tape *tape;
    struct http_response response;

    buf_add(&text, STR("{\"request\":{\"method\":\"GET\",\"url\":\"http://x/1\"},\"response\":"
                       "{\"status\":200,\"body\":\""));
    buf_repeat(&text, 'x', 40000);
    buf_add(&text, STR("\"}}\n{\"request\":{\"method\":\"GET\",\"url\":\"http://x/2\"},"
                       "\"response\":{\"status\":200,\"body64\":\"/wA=\"}}\n"));
    assert_ok(tape_replay_text(STR("t"), buf_str(&text), &tape, &e), &e);
    struct http_client *client = client_of(tape);
    const struct http_request r = {.url = STR("http://x/1"), .on_body = count_pieces, .ctx = &p};
    const struct http_request bytes = {.url = STR("http://x/2")};
    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_int_equal(p.bytes, 40000);
    assert_true(p.count > 1);
    assert_ok(http_send(client, a, &bytes, &response, &e), &e);
    assert_str(response.body, STR("\xff\0"));
    http_client_free(client);
    assert_ok(tape_close(tape, &e), &e);
}

static const struct {
    const char *text, *want;
    uint32_t line;
} broken[] = {
    {"{", "cannot replay t: unexpected EOF", 1},
    {"\n{}", "cannot replay t: a recorded exchange needs a request with method and url", 2},
    {"{\"request\":{\"method\":\"GET\",\"url\":\"x\"}}",
     "cannot replay t: a recorded exchange needs a response or a failure", 1},
    {"{\"request\":{\"method\":\"GET\",\"url\":\"x\"},\n\"response\":{\"status\":7}}",
     "cannot replay t: status must be a number from 100 to 999", 2},
    {"{\"request\":{\"method\":\"GET\",\"url\":\"x\"},\"failure\":\"tired\"}",
     "cannot replay t: unknown failure", 1},
    {"{\"request\":{\"method\":\"GET\",\"url\":\"x\"},\"response\":{\"status\":200,"
     "\"headers\":[[\"a\"]]}}",
     "cannot replay t: a header must be [name, value]", 1},
    {"{\"request\":{\"method\":\"GET\",\"url\":\"x\"},\"response\":{\"status\":200,"
     "\"body64\":\"?\"}}",
     "cannot replay t: illegal base64 data at input byte 0", 1},
};

TEST(an_old_recording_stays_until_the_new_one_is_whole)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    char path[] = "/tmp/plumb-test-XXXXXX";
    struct tape *tape;
    str text;

    close(mkstemp(path));
    assert_ok(file_write(str_c(path), STR("old"), 0600, &e), &e);
    assert_ok(tape_record(str_c(path), &tape, &e), &e);
    assert_ok(file_read(a, str_c(path), &text, &e), &e);
    assert_str(text, STR("old"));
    assert_ok(tape_close(tape, &e), &e);
    assert_ok(file_read(a, str_c(path), &text, &e), &e);
    assert_str(text, STR(""));
    unlink(path);
}

TEST(a_broken_recording_names_the_line)
{
    AUTO_ERR e = {0};
    struct tape *tape;

    for (size_t i = 0; i < COUNT(broken); i++) {
        assert_false(tape_replay_text(STR("t"), str_c(broken[i].text), &tape, &e));
        assert_str(e.text, str_c(broken[i].want));
        assert_int_equal(e.at.line, broken[i].line);
    }
    assert_false(tape_replay(STR("/no/such/file"), &tape, &e));
    assert_false(tape_record(STR("/no/such/file"), &tape, &e));
}

static const struct {
    const char *url, *type, *body, *want;
} bodies[] = {
    {"", "", "", ""},
    {"", "application/json", "{\"a\" : 1}", "{\"a\" : 1}"},
    {"", "application/json", "{\"adminPassword\":\"x\",\"n\":1.50}",
     "{\"adminPassword\":\"REDACTED\",\"n\":1.50}"},
    {"", "application/json", "{\"password\":\"\",\"secret\":{\"secretName\":\"s\"}}",
     "{\"password\":\"\",\"secret\":{\"secretName\":\"s\"}}"},
    {"", "application/json", "{\"continuationToken\":\"abc\"}", "{\"continuationToken\":\"abc\"}"},
    {"", "application/json", "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"b\"}}",
     "{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"b\"}}"},
    {"", "application/json",
     "{\"kind\":\"SecretList\",\"items\":[{\"data\":{\"a\":\"b\"},\"stringData\":{\"c\":\"d\"}}]}",
     "{\"kind\":\"SecretList\",\"items\":[{\"data\":{\"a\":\"UkVEQUNURUQ=\"},\"stringData\":{\"c\":"
     "\"REDACTED\"}}]}"},
    {"", "application/json",
     "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Secret\",\"data\":{\"a\":\"b\"}}}\n"
     "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\"}}\n",
     "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Secret\",\"data\":{\"a\":\"UkVEQUNURUQ=\"}}}\n"
     "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\"}}\n"},
    {"", "application/json",
     "{\"metadata\":{\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":"
     "\"{\\\"kind\\\":\\\"Secret\\\",\\\"stringData\\\":{\\\"a\\\":\\\"b\\\"}}\"}}}",
     "{\"metadata\":{\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":"
     "\"{\\\"kind\\\":\\\"Secret\\\",\\\"stringData\\\":{\\\"a\\\":\\\"REDACTED\\\"}}\"}}}"},
    /* Copies in annotations of a Secret, whatever their form. */
    {"", "application/json",
     "{\"kind\":\"Secret\",\"metadata\":{\"name\":\"n\",\"annotations\":{\"list\":"
     "\"[{\\\"data\\\":{\\\"a\\\":\\\"b\\\"}}]\",\"cut\":\"{\\\"data\\\":{\",\"yaml\":\"data: {a: "
     "b}\","
     "\"plain\":\"it is planted\",\"other\":\"stays\"}},\"data\":{\"a\":\"cGxhbnRlZA==\"}}",
     "{\"kind\":\"Secret\",\"metadata\":{\"name\":\"n\",\"annotations\":{\"list\":"
     "\"[{\\\"data\\\":{\\\"a\\\":\\\"UkVEQUNURUQ=\\\"}}]\",\"cut\":\"REDACTED\",\"yaml\":"
     "\"REDACTED\","
     "\"plain\":\"it is REDACTED\",\"other\":\"stays\"}},\"data\":{\"a\":\"UkVEQUNURUQ=\"}}"},
    /* What Secrets within another object hold is nowhere else in it, unless it is its name. */
    {"", "application/json",
     "{\"kind\":\"Work\",\"metadata\":{\"name\":\"workname\",\"annotations\":{\"list\":"
     "\"[{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{\\\"a\\\":\\\"b\\\"}}]\",\"cut\":\"[{\"}},"
     "\"spec\":{\"m\":[{\"kind\":\"Secret\",\"stringData\":{\"a\":\"planted-value\",\"b\":"
     "\"planted-\","
     "\"c\":\"workname\",\"d\":\"short\"}},{\"kind\":\"Secret\",\"data\":{\"a\":\"cGxhbnRlZC10b28="
     "\"}}],"
     "\"x\":[\"a "
     "planted-value\",\"cGxhbnRlZC12YWx1ZQ==\",\"planted-too\",\"planted-x\",\"short\"]}}",
     "{\"kind\":\"Work\",\"metadata\":{\"name\":\"workname\",\"annotations\":{\"list\":"
     "\"[{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{\\\"a\\\":\\\"UkVEQUNURUQ=\\\"}}]\",\"cut\":"
     "\"REDACTED\"}},\"spec\":{\"m\":[{\"kind\":\"Secret\",\"stringData\":{\"a\":\"REDACTED\","
     "\"b\":"
     "\"REDACTED\",\"c\":\"REDACTED\",\"d\":\"REDACTED\"}},{\"kind\":\"Secret\",\"data\":{\"a\":"
     "\"UkVEQUNURUQ=\"}}],\"x\":[\"a "
     "REDACTED\",\"REDACTED\",\"REDACTED\",\"REDACTEDx\",\"short\"]}}"},
    /* What a login is sent as, and what is in files that a Secret holds. */
    {"", "application/json",
     "{\"kind\":\"Work\",\"metadata\":{\"name\":\"w\"},\"spec\":[{\"kind\":\"Secret\",\"data\":{"
     "\".dockerconfigjson\":"
     "\"eyJhdXRocyI6eyJxdWF5LmlvIjp7ImF1dGgiOiJkWE5sY2pwd2JHRnVkR1ZrTFhaaGJIVmwi"
     "fX19\"}},{\"kind\":\"Secret\",\"stringData\":{\"password\":\"planted-tool\"}}],\"x\":["
     "\"Basic "
     "dXNlcjpwbGFudGVkLXZhbHVl\",\"planted-value\",\"Basic "
     "dXNlcjpwbGFudGVkLXRvb2w=\",\"PLANTED-TOOL\",\"706c616e7465642d746f6f6c\"]}",
     "{\"kind\":\"Work\",\"metadata\":{\"name\":\"w\"},\"spec\":[{\"kind\":\"Secret\",\"data\":{"
     "\".dockerconfigjson\":\"UkVEQUNURUQ=\"}},{\"kind\":\"Secret\",\"stringData\":{\"password\":"
     "\"REDACTED\"}}],\"x\":[\"Basic "
     "REDACTED\",\"REDACTED\",\"Basic dXNlcjpREDACTED\",\"REDACTED\",\"REDACTED\"]}"},
    /* The objects of a list have nothing to do with each other. */
    {"", "application/json",
     "{\"kind\":\"WorkList\",\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"planted-value\"},"
     "\"x\":\"planted-value\"},{\"metadata\":{},\"x\":\"planted-value\",\"y\":{\"kind\":\"Secret\","
     "\"stringData\":{\"a\":\"planted-value\"}}}]}",
     "{\"kind\":\"WorkList\",\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"planted-value\"},"
     "\"x\":\"planted-value\"},{\"metadata\":{},\"x\":\"REDACTED\",\"y\":{\"kind\":\"Secret\","
     "\"stringData\":{\"a\":\"REDACTED\"}}}]}"},
    {"https://h/api/v1/namespaces/n/secrets/s", "application/json-patch+json",
     "[{\"op\":\"add\",\"path\":\"/data/a\",\"value\":\"b\"}]",
     "[{\"op\":\"add\",\"path\":\"/data/a\",\"value\":\"REDACTED\"}]"},
    {"", "application/json", "{\"keys\":[{\"keyName\":\"key1\",\"value\":\"abc\"}]}",
     "{\"keys\":[{\"keyName\":\"key1\",\"value\":\"REDACTED\"}]}"},
    {"", "application/json", "{\"x\":\"-----BEGIN RSA PRIVATE KEY-----\"}", "{\"x\":\"REDACTED\"}"},
    {"", "application/x-www-form-urlencoded",
     "grant_type=client_credentials&client_secret=a%26b&client_assertion=c&scope=d",
     "grant_type=client_credentials&client_secret=REDACTED&client_assertion=REDACTED&scope=d"},
    {"", "text/plain", "hello", "hello"},
    {"", "application/yaml", "kind: Secret\ndata: {a: b}\n", "REDACTED"},
    {"", "application/json", "{\"kind\":\"Secret\",\"data\":{\"a\":", "REDACTED"},
    /* The data of a Secret is base64 whatever its members are called. */
    {"", "application/json", "{\"kind\":\"Secret\",\"data\":{\"apikey\":\"b\"}}",
     "{\"kind\":\"Secret\",\"data\":{\"apikey\":\"UkVEQUNURUQ=\"}}"},
    /* What is between values stays, and what cannot be read behind a Secret goes. */
    {"", "application/json",
     "{\"kind\":\"Secret\",\"data\":{\"apikey\":\"b\"}}\r\n\n{\"keyName\":\"k\"} 1 2\n{\"x\": ",
     "{\"kind\":\"Secret\",\"data\":{\"apikey\":\"UkVEQUNURUQ=\"}}\r\n\n{\"keyName\":\"k\"} 1 2\n"
     "REDACTED"},
    {"", "application/json", "[{\"token\":1}]2x-api-key=3",
     "[{\"token\":\"REDACTED\"}]2\nREDACTED"},
    {"", "application/json", "{\"token\":\"b\"}\n\nharmless",
     "{\"token\":\"REDACTED\"}\n\nharmless"},
    /* Of two members with one name either may count. */
    {"", "application/json", "{\"token\":\"b\",\"token\":\"REDACTED\"}", "REDACTED"},
    {"", "application/json", "{\"apiKey\":\"b", "REDACTED"},
    {"", "application/json", "{\"passwords\":1,\"password\":[\"b\",2]}",
     "{\"passwords\":1,\"password\":[\"REDACTED\",\"REDACTED\"]}"},
    {"", "application/json", "[\"-----BEGIN PRIVATE KEY-----\",\"a;AccountKey=b\"]",
     "[\"REDACTED\",\"REDACTED\"]"},
    {"", "application/json", "{\"uri\":\"https://h/x?sv=1&sig=b\"}",
     "{\"uri\":\"https://h/x?sv=1&sig=REDACTED\"}"},
    {"", "application/x-www-form-urlencoded", "{\"password\":\"b\"}",
     "{\"password\":\"REDACTED\"}"},
    {"", "Application/X-www-form-urlencoded; charset=utf-8", "password=b", "password=REDACTED"},
    {"", "text/plain", "api-key: b", "REDACTED"},
    /* Texts in objects without Secrets. */
    {"", "", "{\"a\":\"postgres://u:b@h/db\",\"c\":\"see https://u:b@h/?sig=b and x\"}",
     "{\"a\":\"postgres://u:xxxxx@h/db\",\"c\":\"see https://u:xxxxx@h/?sig=REDACTED and x\"}"},
    {"", "",
     "{\"env\":[{\"name\":\"DB_PASSWORD\",\"value\":\"b\"},{\"name\":\"A\",\"value\":\"b\"},"
     "{\"name\":\"token\",\"valueFrom\":{\"k\":\"b\"}}]}",
     "{\"env\":[{\"name\":\"DB_PASSWORD\",\"value\":\"REDACTED\"},{\"name\":\"A\",\"value\":\"b\"},"
     "{\"name\":\"token\",\"valueFrom\":{\"k\":\"b\"}}]}"},
    {"", "", "{\"args\":[\"--token\",\"b\",\"--password=b\",\"-v\",\"c\",\"token\",\"d\"]}",
     "{\"args\":[\"--token\",\"REDACTED\",\"--password=REDACTED\",\"-v\",\"c\",\"token\",\"d\"]}"},
    {"", "", "{\"c\":\"curl -H 'Authorization: Bearer planted-secret-0123456789' h\"}",
     "{\"c\":\"curl -H 'Authorization: Bearer REDACTED' h\"}"},
    {"", "",
     "{\"f\":\"db.password=b\\nuser: {}\\n- token: b \\n  client-key-data: b\\nno token: \\n\"}",
     "{\"f\":\"db.password=REDACTED\\nuser: {}\\n- token: REDACTED \\n  client-key-data: "
     "REDACTED\\n"
     "no token: \\n\"}"},
    {"", "", "{\"j\":\"{\\\"auths\\\":{\\\"r\\\":{\\\"password\\\":\\\"b\\\"}}}\",\"pwd\":\"b\"}",
     "{\"j\":\"{\\\"auths\\\":{\\\"r\\\":{\\\"password\\\":\\\"REDACTED\\\"}}}\",\"pwd\":"
     "\"REDACTED\"}"},
    {"", "",
     "{\"env\":[{\"name\":\"DB_PASS\",\"value\":\"b\"},{\"name\":\"PASSWORD_2\",\"value\":\"b\"},"
     "{\"key\":\"dbPass\",\"value\":\"b\"},{\"name\":\"bypass\",\"value\":\"b\"}],\"pass\":2,"
     "\"password\":{\"value\":\"b\",\"key\":\"c\"}}",
     "{\"env\":[{\"name\":\"DB_PASS\",\"value\":\"REDACTED\"},{\"name\":\"PASSWORD_2\",\"value\":"
     "\"REDACTED\"},{\"key\":\"dbPass\",\"value\":\"REDACTED\"},{\"name\":\"bypass\",\"value\":"
     "\"b\"}],"
     "\"pass\":2,\"password\":{\"value\":\"REDACTED\",\"key\":\"c\"}}"},
    /* Files in texts. */
    {"", "", "{\"f\":\"password: b\",\"g\":\"invalid password: b\"}",
     "{\"f\":\"password: REDACTED\",\"g\":\"invalid password: b\"}"},
    {"", "", "{\"f\":\"a: |\\n  b\\npassword: |-\\n  c\\n\\n   d\\n- token: >\\n    e\\nf: g\\n\"}",
     "{\"f\":\"a: |\\n  b\\npassword: |-\\n  REDACTED\\n\\n- token: >\\n    REDACTED\\nf: g\\n\"}"},
    {"", "", "{\"f\":\"password:b\\npwd:\\tc\\ntoken: &t d e\\nsecret: *t\\n\"}",
     "{\"f\":\"password:REDACTED\\npwd:\\tREDACTED\\ntoken: REDACTED\\nsecret: *t\\n\"}"},
    {"", "", "{\"f\":\"db: {user: a, password: b, secret: true, o: {token: c}}\"}",
     "{\"f\":\"db: {user: a, password: REDACTED, secret: true, o: {token: REDACTED}}\"}"},
    {"", "", "{\"f\":\"env:\\n- name: A_PASSWORD\\n  value: 'b c'\\n- name: B\\n  value: c\\n\"}",
     "{\"f\":\"env:\\n- name: A_PASSWORD\\n  value: REDACTED\\n- name: B\\n  value: c\\n\"}"},
    {"", "",
     "{\"f\":\"kind: Secret\\nstringData:\\n  a: b\\n\",\"g\":\"kind: SecretStore\\na: b\\n\"}",
     "{\"f\":\"REDACTED\",\"g\":\"kind: SecretStore\\na: b\\n\"}"},
    {"", "",
     "{\"f\":\"[{\\\"kind\\\": \\\"Secret\\\", \\\"stringData\\\": {\\\"a\\\": \\\"b\\\"}}]\"}",
     "{\"f\":\"[{\\\"kind\\\":\\\"Secret\\\",\\\"stringData\\\":{\\\"a\\\":\\\"REDACTED\\\"}}]\"}"},
    {"", "",
     "{\"f\":\"{\\\"auth\\\":\\\"dTpwbGFudGVk\\\"}\",\"g\":\"<password>b</password>\","
     "\"h\":\"token = \\\"\\\"\\\"b\\\"\\\"\\\"\",\"i\":\"use ghp_0123456789abcdefghij\"}",
     "{\"f\":\"{\\\"auth\\\":\\\"REDACTED\\\"}\",\"g\":\"<password>REDACTED</password>\","
     "\"h\":\"token = \\\"\\\"\\\"REDACTED\\\"\\\"\\\"\",\"i\":\"use REDACTED\"}"},
    {"", "", "{\"f\":\"- {name: DB_PASSWORD, value: b}\\n- {name: c, value: d}\"}",
     "{\"f\":\"- {name: DB_PASSWORD, value: REDACTED}\\n- {name: c, value: d}\"}"},
    /* What is not JSON, such as a manifest by URL. */
    {"", "text/yaml", "a: https://u:b@h/x\nb: /x?sig=b\n",
     "a: https://u:xxxxx@h/x\nb: /x?sig=REDACTED\n"},
    {"", "", "{\"a\":\"b\"} see https://u:b@h", "{\"a\":\"b\"} see https://u:xxxxx@h"},
    {"", "", "{\"a\":\"the token is wrong; password: at least 8\"}",
     "{\"a\":\"the token is wrong; password: at least 8\"}"},
};

TEST(secrets_are_found_wherever_they_stand)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(bodies); i++) {
        str once =
            redact_body(a, str_c(bodies[i].url), str_c(bodies[i].type), str_c(bodies[i].body));
        assert_str(once, str_c(bodies[i].want));
        assert_str(redact_body(a, str_c(bodies[i].url), str_c(bodies[i].type), once), once);
    }
    assert_str(redact_url(a, STR("https://u:p@h/x?sig=1&a=2&code=3")),
               STR("https://u:xxxxx@h/x?sig=REDACTED&a=2&code=REDACTED"));
    assert_str(redact_url(a, STR("http://h/a@b:c?")), STR("http://h/a@b:c?"));
    /* The "/" of the second password is gone with it, and so is the end of what the first may be.
     */
    assert_str(redact_url(a, STR("https://u:p@h \"https:\":A/@ b")), STR("https://u:xxxxx@ b"));
    assert_str(redact_url(a, STR("http://u\0v:p@h/#a=b&access_token=c")),
               STR("http://u\0v:xxxxx@h/#a=b&access_token=REDACTED"));
    assert_str(redact_url(a, STR("http://h/x?next=https://u:p@k/&u=v:w@x")),
               STR("http://h/x?next=https://u:xxxxx@k/&u=v:w@x"));
    assert_str(redact_url(a, STR("x?sig=a://b&next=c://u:p@h")),
               STR("x?sig=REDACTED&next=c://u:xxxxx@h"));
    assert_str(redact_url(a, STR("http://h/x%3fsig=a&b=c")), STR("http://h/x%3fsig=REDACTED&b=c"));
    assert_str(redact_place(a, STR("https://TOKEN@h/x?sas=1#key=2")),
               STR("https://xxxxx@h/x?sas=REDACTED#key=REDACTED"));
    assert_str(redact_place(a, STR("dir/x?sig=a")), STR("dir/x?sig=a"));
    assert_str(redact_place(a, STR("https:/u:p@h/x")), STR("https:/u:xxxxx@h/x"));
    assert_str(redact_url(a, STR("http://h/ftp://u:p@k")), STR("http://h/ftp://u:xxxxx@k"));
    assert_str(redact_url(a, STR("?a\0b&\0token=c")), STR("?a\0b&\0token=REDACTED"));
    assert_str(redact_url(a, STR("https://h/o?api-version=1&t=6&c=MII&s=abc&h=d")),
               STR("https://h/o?api-version=1&t=6&c=REDACTED&s=REDACTED&h=REDACTED"));
    assert_str(redact_url(a, STR("https://h/o?s=abc&h=d")), STR("https://h/o?s=abc&h=d"));
    assert_str(redact_header(a, STR("X-Vault-Token"), STR("x")), STR("REDACTED"));
    assert_str(redact_header(a, STR("Accept"), STR("x")), STR("x"));
    assert_str(redact_header(a, STR("Location"), STR("https://h/o?s=1&sig=2")),
               STR("https://h/o?s=1&sig=REDACTED"));
    assert_str(redact_header(a, STR("Location"), STR("/o?s=1&sig=2")), STR("/o?s=1&sig=REDACTED"));
}

TEST(messages_show_no_secrets_of_urls)
{
    AUTO_ARENA a = arena_new();
    static const char *const texts[][2] = {
        {"open https://u:" PLANTED "@h/a?sig=" PLANTED ": no such file",
         "open https://u:xxxxx@h/a?sig=REDACTED: no such file"},
        {"(http://" PLANTED "@h), \"oci://u:" PLANTED "@h/x:1\"",
         "(http://xxxxx@h), \"oci://u:xxxxx@h/x:1\""},
        {"open a/https:/u:" PLANTED "@h/b: gone", "open a/https:/u:xxxxx@h/b: gone"},
        {"no answer from https://h:8443: ask admin@example.com\n", NULL},
        {"see https://h/a?x=1&y=2.", NULL},
        {"a:b@c key=x", NULL},
        {"", NULL},
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        assert_str(redact_urls(a, str_c(texts[i][0])), str_c(texts[i][texts[i][1] ? 1 : 0]));
}

/* ---- Prose. ---------------------------------------------------------------------------------- */

static const struct {
    const char *text, *want; /* NULL: stays as it is */
} prose[] = {
    {"the password must have 8 characters", NULL},
    {"password: must have 8 characters (code=Bad; sku=Standard)", NULL},
    {"Basic is not a tier of Premium accounts, and a bearer token is missing", NULL},
    {"signature=; the token is empty", NULL},
    {"cannot copy https://x.blob.core.windows.net/a?sv=1&sig=" PLANTED "%3D : forbidden",
     "cannot copy https://x.blob.core.windows.net/a?sv=1&sig=REDACTED : forbidden"},
    {"poll \"https://h/o?t=1&c=x&s=" PLANTED "&h=y\"",
     "poll \"https://h/o?t=1&c=REDACTED&s=REDACTED&h=REDACTED\""},
    {"DefaultEndpointsProtocol=https;AccountName=n;AccountKey=" PLANTED "==;EndpointSuffix=s",
     "DefaultEndpointsProtocol=https;AccountName=n;AccountKey=REDACTED;EndpointSuffix=s"},
    {"Server=tcp:x;User ID=sa;Password=" PLANTED ";", "Server=tcp:x;User ID=sa;Password=REDACTED;"},
    {"sent {\"adminPassword\": \"" PLANTED "\", \"size\": 1}",
     "sent {\"adminPassword\": \"REDACTED\", \"size\": 1}"},
    {"text {\\\"clientSecret\\\":\\\"" PLANTED "\\\"}",
     "text {\\\"clientSecret\\\":\\\"REDACTED\\\"}"},
    {"sent {\"password\": \"it's \\\"" PLANTED "\\\\\"}", "sent {\"password\": \"REDACTED\"}"},
    {"text {\\\"password\\\":\\\"a\\\\\\\"" PLANTED "\\\"}",
     "text {\\\"password\\\":\\\"REDACTED\\\"}"},
    {"--adminPwd='" PLANTED " \" x' y", "--adminPwd='REDACTED' y"},
    {"Authorization: Bearer " PLANTED " was rejected",
     "Authorization: Bearer REDACTED was rejected"},
    {"the token eyJ0eXAiOiJKV1Qi.eyJhdWQiOiJo.c2lnbmF0dXJl has expired",
     "the token REDACTED has expired"},
    {"bad key -----BEGIN RSA PRIVATE KEY-----\n" PLANTED "\n-----END RSA PRIVATE KEY----- here",
     "bad key REDACTED here"},
    {"cut -----BEGIN PRIVATE KEY-----\n" PLANTED, "cut REDACTED"},
    {"?sv=2020&sig=" PLANTED "&se=1", "?sv=2020&sig=REDACTED&se=1"},
};

TEST(prose_loses_what_looks_like_a_secret)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(prose); i++) {
        str want = str_c(prose[i].want ? prose[i].want : prose[i].text);
        assert_str(redact_text(a, str_c(prose[i].text)), want);
        assert_str(redact_text(a, want), want);
    }
}

/* Many values and many annotations: each is searched for each. */
TEST(secrets_with_many_values_take_no_longer)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("{\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"a\":\""));
    buf_repeat(&b, '+', 256 * KIB);
    buf_add(&b, STR("\"}},\"stringData\":{\"k\":\"\""));
    for (size_t i = 0; i < 40000; i++)
        buf_fmt(&b, ",\"k%zu\":\"%06zu\"", i, i);
    buf_add(&b, STR("}}"));
    str shown = redact_body(a, STR(""), STR(""), buf_str(&b));
    assert_true(str_contains(shown, STR("{\"a\":\"REDACTED\"}")));
}

/* Others decide what is in objects, messages and URLs. */
TEST(texts_that_look_like_secrets_everywhere_take_no_longer)
{
    AUTO_ARENA a = arena_new();
    static const struct {
        const char *begin, *part, *end;
    } texts[] = {{"https://x/?", "c&", ""}, {"https://x/?", "c=1&h=1&", ""},
                 {"", "Bearer.", ""},       {"", "password:", ""},
                 {"", "http:[", "/x@"},     {"", "a://", "b:c@/d"}};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct buf b = buf_new(a, BUF_UNLIMITED);
        buf_add(&b, str_c(texts[i].begin));
        while (b.len < 2 * MIB)
            buf_add(&b, str_c(texts[i].part));
        buf_add(&b, str_c(texts[i].end));
        assert_true(redact_text(a, buf_str(&b)).len > 0);
        assert_true(redact_urls(a, buf_str(&b)).len > 0);
    }
}

/* Passwords that many other characters follow. */
TEST(what_follows_passwords_is_searched_once)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < 200000; i++)
        buf_add(&b, STR("a://b:c@/"));
    buf_repeat(&b, 'x', 16 * MIB);
    str shown = redact_passwords(a, buf_str(&b));
    assert_false(str_contains(shown, STR("b:c@")));
    assert_true(str_has_suffix(shown, STR("xxx")));
}

RUN_TESTS(cmocka_unit_test(what_was_recorded_is_replayed_without_its_secrets),
          cmocka_unit_test(recorded_bodies_come_in_pieces_and_may_be_bytes),
          cmocka_unit_test(what_was_sent_does_not_come_back_in_messages_and_recordings),
          cmocka_unit_test(an_old_recording_stays_until_the_new_one_is_whole),
          cmocka_unit_test(a_broken_recording_names_the_line),
          cmocka_unit_test(what_was_sent_is_found_however_it_is_escaped),
          cmocka_unit_test(messages_show_no_secrets_of_urls),
          cmocka_unit_test(prose_loses_what_looks_like_a_secret),
          cmocka_unit_test(secrets_are_found_wherever_they_stand),
          cmocka_unit_test(secrets_with_many_values_take_no_longer),
          cmocka_unit_test(texts_that_look_like_secrets_everywhere_take_no_longer),
          cmocka_unit_test(what_follows_passwords_is_searched_once))
