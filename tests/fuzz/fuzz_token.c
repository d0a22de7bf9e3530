/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_token.c - any bytes as the answer of a token endpoint: a token that fits into a header and
 * has a life, or a reason that stays on its line.
 */
#include "arm/credential/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int statuses[] = {200, 400, 401, 429, 500};
    AUTO_ARENA a = arena_new();
    const int64_t now = INT64_C(1800000000) * NS_PER_SEC;
    str text = {(const char *)data, size};
    struct token_answer answer;

    for (size_t i = 0; i < COUNT(statuses); i++) {
        AUTO_ERR e = {0};
        if (!token_answer_read(a, statuses[i], text, now, &answer, &e)) {
            CHECK(e.text.len && !str_contains(e.text, STR("\n")));
            CHECK(!token_advise(&e) && e.text.len);
            continue;
        }
        CHECK(statuses[i] == 200 && answer.token.len);
        CHECK(str_find_char(answer.token, '\n') == STR_NPOS);
        CHECK(answer.lifetime >= 0 && answer.lifetime <= 604800 * NS_PER_SEC);
    }
    return 0;
}
