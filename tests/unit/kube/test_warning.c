/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings of servers: parsing the headers, and reporting each text once. */
#include "../test.h"

#include "kube/warning.h"
#include "kube/watch.h"
#include "support/api_server.h"

/* All entries as "code agent [text]"; "!" when one cannot be read. */
static str read_all(struct arena *a, const char *header)
{
    struct buf out = buf_new(a, 64 * KIB);
    str rest = str_c(header);

    while (rest.len) {
        struct kube_warning w;
        AUTO_ERR e = {0};
        if (!kube_warning_read(a, &rest, &w, &e)) {
            buf_char(&out, '!');
            break;
        }
        buf_fmt(&out, "%d %.*s [%.*s]", w.code, STR_ARG(w.agent), STR_ARG(w.text));
    }
    return buf_str(&out);
}

TEST(headers_are_read_entry_by_entry)
{
    static const struct {
        const char *header, *want;
    } cases[] = {
        {"299 - \"a text\"", "299 - [a text]"},
        {"299 - \"\"", "299 - []"},
        {" 299 agent \"a\" ", "299 agent [a]"},
        {"299 - \"say \\\"hi\\\" \\\\ now\"", "299 - [say \"hi\" \\ now]"},
        {"299 - \"a\", 199 b \"c\"", "299 - [a]199 b [c]"},
        {"299 - \"a\" \"Sat, 25 Aug 2012 23:34:45 GMT\",299 - \"b\"", "299 - [a]299 - [b]"},
        {"299 - \"\xc3\xa4\"", "299 - [\xc3\xa4]"},
        {"299 - \"a\" b", "!"},
        {"299 - \"a", "!"},
        {"299 - a", "!"},
        {"299 -", "!"},
        {"299  \"a\"", "!"},
        {"29 - \"a\"", "!"},
        {"2999 - \"a\"", "!"},
        {"x99 - \"a\"", "!"},
        {"299 - \"a\x01\"", "!"},
        {"299 - \"\xff\"", "!"},
        {"299 - \"a\", 299", "299 - [a]!"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(read_all(a, cases[i].header), str_c(cases[i].want));
}

struct told {
    struct lock lock;
    struct buf text;
};

static void tell(void *ctx, str text)
{
    struct told *t = ctx;
    AUTO_LOCK guard = lock_take(&t->lock);

    buf_fmt(&t->text, "%.*s|", STR_ARG(text));
}

static str told_text(struct told *t, struct arena *a)
{
    AUTO_LOCK guard = lock_take(&t->lock);

    return str_copy(a, buf_str(&t->text));
}

static struct kube_transport *connect(struct arena *a, const struct api_server *api, struct told *t,
                                      bool repeat)
{
    struct kube_config *config = ARENA_NEW(a, struct kube_config);
    struct kube_transport *out = NULL;
    AUTO_ERR e = {0};

    config->server = api_url(api);
    config->http = http_defaults();
    config->http.no_proxy = true;
    config->warn = (struct kube_warn){tell, t, repeat};
    assert_ok(kube_transport_new(config, STR_NONE, &out, &e), &e);
    return out;
}

TEST(each_text_is_told_once_or_every_time)
{
    AUTO_ARENA a = arena_new();
    struct api_server *api = api_start();
    const struct kube_call call = {
        .resource = &api_widgets, .namespace = STR_INIT("x"), .name = STR_INIT("none")};

    for (int repeat = 0; repeat < 2; repeat++) {
        struct told t = {.lock = LOCK_INIT, .text = buf_new(a, 64 * KIB)};
        struct kube_transport *transport = connect(a, api, &t, repeat);
        struct value *v;
        api_warn(api, "299 - \"old\", 199 - \"no\", 299 - \"\", 299 - \"older\"");
        for (int i = 0; i < 2; i++)
            assert_false(kube_get(transport, a, &call, &v, NULL));
        api_warn(api, NULL);
        assert_false(kube_get(transport, a, &call, &v, NULL));
        assert_str(told_text(&t, a), repeat ? STR("old|older|old|older|") : STR("old|older|"));
        kube_transport_free(transport);
    }
    api_stop(api);
}

TEST(watches_tell_too)
{
    AUTO_ARENA a = arena_new();
    struct api_server *api = api_start();
    struct told t = {.lock = LOCK_INIT, .text = buf_new(a, 64 * KIB)};
    struct kube_transport *transport = connect(a, api, &t, false);
    struct kube_watches *hub = kube_watches_new(transport);
    const struct kube_watch_config config = {.call = {.resource = &api_widgets}};

    api_warn(api, "299 - \"old\"");
    struct kube_watch *w = kube_watch_start(hub, &config);
    for (int i = 0; i < 6000 && !told_text(&t, a).len; i++)
        clock_sleep(10 * NS_PER_MS);
    assert_str(told_text(&t, a), STR("old|"));
    kube_watch_stop(w);
    kube_watches_free(hub);
    kube_transport_free(transport);
    api_stop(api);
}

RUN_TESTS(cmocka_unit_test(headers_are_read_entry_by_entry),
          cmocka_unit_test(each_text_is_told_once_or_every_time),
          cmocka_unit_test(watches_tell_too))
