/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_answer.c - any bytes as an answer of HTTP/1.1.
 *
 * In pieces of any size the answer is the same as in one, limits are kept, and nothing is read
 * beyond the end of a piece.
 */
#include "net/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum answer_state read_all(struct arena *a, str text, size_t step,
                                  struct http_response *response)
{
    const struct answer_limits limits = {.head = 2000, .body = 500};
    enum answer_state state = ANSWER_MORE;
    struct answer p;
    size_t used;

    answer_begin(&p, a, STR("GET"), &limits, response);
    for (size_t at = 0; state == ANSWER_MORE && at < text.len; at += used) {
        state = answer_feed(&p, str_slice(text, at, at + step), &used);
        if (used > step || (!used && state == ANSWER_MORE))
            abort();
    }
    if (state == ANSWER_MORE && p.part == ANSWER_UNTIL_CLOSE)
        state = answer_close(&p);
    if (response->body.len > limits.body || (state == ANSWER_BROKEN) != (p.why != NULL))
        abort();
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    struct http_response whole = {0}, bytes = {0};
    str text;

    if (size < 1)
        return 0;
    text = str_copy(a, str_of((const char *)data + 1, size - 1));
    enum answer_state state = read_all(a, text, text.len + 1, &whole);
    /* A limit may be noticed a little earlier or later; everything else is the same. */
    if (read_all(a, text, data[0] % 64 + 1, &bytes) != state && state < ANSWER_HEAD_LARGE &&
        text.len < 1000)
        abort();
    if (state == ANSWER_DONE && text.len < 1000 &&
        (whole.status != bytes.status || !str_eq(whole.body, bytes.body) ||
         whole.headers.len != bytes.headers.len))
        abort();
    return 0;
}
