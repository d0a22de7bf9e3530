/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_arm_headers.c - any headers of Azure's answers, one "name: value" in a line: the budget that
 * believes them still lets somebody go, at a time that can be waited for.
 */
#include "arm/budget/budget.h"
#include "net/retry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

static struct http_headers headers_of(struct arena *a, str text)
{
    struct http_headers h = {0};
    str line, name, value;

    while (h.len < 100 && str_next_line(&text, &line)) {
        str_cut(line, STR(":"), &name, &value);
        http_header_add(a, &h, name, str_trim(value));
    }
    return h;
}

static void check_signal(const struct budget_signal *s)
{
    CHECK(s->remaining >= -1 && s->provider_remaining >= -1);
    CHECK(s->provider_window == -1 || s->provider_window > 0);
}

/* Sends a few, each answered by these headers. */
static void use(const struct budget_signal *s)
{
    const struct budget_limits limits = budget_published();
    struct budget *b = budget_new(&limits);
    struct budget_request r = {
        .subscription = STR("s"), .provider = STR("P"), .namespace = STR("x"), .item = b};
    struct budget_grant grant;
    int64_t now = 0, again;

    for (int i = 0; i < 3; i++) {
        int asked = 0;
        CHECK(budget_submit(b, &r, now, NULL));
        while (!budget_next(b, now, &grant, &again)) {
            CHECK(again > now && again < INT64_MAX && asked++ < 100000);
            now = again;
        }
        budget_answer(b, &grant, now, s);
    }
    budget_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    struct http_headers h = headers_of(a, str_of((const char *)data, size));
    int64_t wait;

    if (!retry_after(&h, INT64_C(1800000000) * NS_PER_SEC, &wait))
        wait = -1;
    for (size_t verb = 0; verb < BUDGET_VERBS; verb++) {
        struct budget_signal s =
            budget_signal_of(&h, (enum budget_verb)verb, verb ? 429 : 200, EFFECT_BUCKET, wait);
        check_signal(&s);
        use(&s);
    }
    return 0;
}
