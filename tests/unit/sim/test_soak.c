/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_soak.c - a day of a small fleet in virtual time: every minute one network is put or deleted,
 * some are read, operations are polled when they ask for it, and now and then something fails.
 * SOAK_DAYS sets the number of days, up to 30.
 */
#include "sim_world.h"

#include <stdlib.h>

enum { MINUTES = 24 * 60, NETWORKS = 20 };

static struct world w;
static str base = STR(GROUP "/providers/Microsoft.Network/virtualNetworks/v");

/* What a client knows of one network. */
static struct {
    bool wanted;
    char url[1024]; /* of the operation under way; empty: none */
    int64_t due;    /* minute of the next poll */
} networks[NETWORKS];

static const char *path(int i)
{
    return str_z(w.a, str_fmt(w.a, "%.*s%d", STR_ARG(base), i));
}

static void note(int i, int64_t now)
{
    str url = header(&w, "Azure-AsyncOperation");
    int64_t seconds = 0;

    networks[i].url[0] = 0;
    if (!url.len || url.len >= sizeof networks[i].url)
        return;
    memcpy(networks[i].url, url.ptr, url.len);
    networks[i].url[url.len] = 0;
    if (!str_to_i64(header(&w, "Retry-After"), &seconds))
        seconds = 0;
    networks[i].due = now + (seconds + 59) / 60;
}

static void change(int64_t minute)
{
    int i = (int)(minute % NETWORKS);
    bool wanted = minute % 7 != 0;
    str body =
        str_fmt(w.a, "{\"location\":\"westus2\",\"properties\":{\"n\":%d}}", (int)(minute % 3));
    int status = ask(&w, wanted ? "PUT" : "DELETE", path(i), wanted ? str_z(w.a, body) : "");

    if (status >= 400)
        return; /* tried again when its turn comes */
    networks[i].wanted = wanted;
    note(i, minute);
}

static void poll(int64_t minute)
{
    for (int i = 0; i < NETWORKS; i++) {
        if (!networks[i].url[0] || networks[i].due > minute)
            continue;
        int status = ask_url(&w, "GET", str_c(networks[i].url), STR_NONE);
        if (status == 200 && !str_eq(value_get_str(w.body, STR("status")), STR("InProgress")))
            networks[i].url[0] = 0;
    }
}

static void trouble(int64_t minute)
{
    if (minute % 97 == 0)
        ask(&w, "POST", "/_sim/faults",
            "{\"kind\": \"fail\", \"method\": \"PUT\", \"status\": 503, \"retryAfter\": 5}");
    if (minute % 211 == 0)
        ask(&w, "POST", "/_sim/faults", "{\"kind\": \"throttle\"}");
}

static int64_t days_wanted(void)
{
    int64_t days;

    return str_to_i64(str_c(getenv("SOAK_DAYS")), &days) && days > 0 && days <= 30 ? days : 1;
}

TEST(a_day_passes_in_a_moment)
{
    struct sim_config config = sim_defaults();
    const int64_t days = days_wanted();
    int there = 0;

    config.virtual_time = true;
    w = begin(&config);
    ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}");
    for (int64_t minute = 1; minute <= days * MINUTES; minute++) {
        trouble(minute);
        change(minute);
        poll(minute);
        ask(&w, "GET", path((int)(minute * 7 % NETWORKS)), "");
        sim_advance(w.s, 60 * NS_PER_SEC);
        arena_reset(w.a);
    }
    sim_advance(w.s, 3600 * NS_PER_SEC);
    for (int i = 0; i < NETWORKS; i++) {
        int status = ask(&w, "GET", path(i), "");
        const struct value *p = value_get(w.body, STR("properties"));
        assert_int_equal(status, networks[i].wanted ? 200 : 404);
        if (status == 200)
            assert_str(value_get_str(p, STR("provisioningState")), STR("Succeeded"));
        there += status == 200;
    }
    assert_true(there > 10);
    ask(&w, "GET", "/_sim/time", "");
    assert_str(str_slice(value_get_str(w.body, STR("now")), 0, 13),
               str_fmt(w.a, "2026-01-%02dT01", (int)days + 1));
    str wanted = str_fmt(w.a,
                         "{\"throttled\": {\"max\": %d}, \"writes\": {\"min\": %d}, "
                         "\"polls\": {\"min\": %d}}",
                         (int)days * 10, (int)days * 1200, (int)days * 1000);
    assert_int_equal(ask(&w, "POST", "/_sim/assert", str_z(w.a, wanted)), 200);
    end(&w);
}

RUN_TESTS(cmocka_unit_test(a_day_passes_in_a_moment))
