/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cloud_error.c - any bytes as the body of a refusal, after a letter that picks its status.
 *
 * Reading never fails: there is always a code, something to tell people, a bounded number of causes
 * and a rule that says what to do.
 */
#include "arm/error.h"
#include "arm/rules/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

static void check_causes(const struct cloud_error *e)
{
    bool is_chosen = !e->cause;

    CHECK(e->causes.len <= CLOUD_CAUSES_MAX);
    for (size_t i = 0; i < e->causes.len; i++) {
        const struct cloud_cause *c = &e->causes.items[i];
        CHECK(c->depth && (c->code.len || c->message.len));
        is_chosen |= e->cause == c;
    }
    CHECK(is_chosen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int statuses[] = {0, 200, 400, 401, 403, 404, 409, 412, 429, 500, 503};
    static const char *const methods[] = {"PUT", "DELETE", "GET"};
    AUTO_ARENA a = arena_new();
    str text = {(const char *)data, size};
    unsigned choice = size ? data[0] : 0;
    struct cloud_error e;
    struct error_verdict v;

    cloud_error_read(a, statuses[choice % COUNT(statuses)], str_from(text, 1), &e);
    CHECK(e.code.len && cloud_error_text(a, &e).len);
    check_causes(&e);
    rules_classify(
        a, rules_errors(),
        &(struct error_facts){.error = &e, .method = str_c(methods[choice % COUNT(methods)])}, &v);
    CHECK(v.retry && v.rule.len && v.reason.len);
    return 0;
}
