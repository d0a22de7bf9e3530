/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json.c - any bytes as JSON.
 *
 * What can be read can be written and read again, to an equal tree and the same text. Go's way of
 * reading accepts whatever the exact one does. A text that is read as one value is also a stream
 * of one. Errors have a place.
 */
#include "text/json/json.h"

/* Writes v and reads that back. */
static struct value *round_trip(struct arena *a, const struct value *v,
                                const struct json_style *style, str *text)
{
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct value *again;

    if (!json_write(&out, v, style, &e)) {
        assert(style->numbers != NUMBERS_EXACT);
        return NULL;
    }
    struct source src = {.text = buf_str(&out)};
    if (!json_read(a, &src, NULL, &again, &e))
        abort();
    *text = src.text;
    return again;
}

/*
 * The second text equals the first, except where Go's numbers settle only then: -0.0 is written as
 * -0, which reads as an integer, which is written as 0. So those have one more round.
 */
static void check_round_trip(struct arena *a, const struct value *v, const struct json_style *style)
{
    bool exact = style->numbers == NUMBERS_EXACT;
    str first, second;
    struct value *again = round_trip(a, v, style, &first);

    if (again && exact && !value_equal(v, again))
        abort();
    if (again && !exact)
        again = round_trip(a, again, style, &first);
    if (again && (!round_trip(a, again, style, &second) || !str_eq(first, second)))
        abort();
}

static void check_styles(struct arena *a, const struct value *v)
{
    static const struct json_style indented = {.sorted = true, .indent = STR_INIT(" ")};

    check_round_trip(a, v, &json_exact);
    check_round_trip(a, v, &json_go);
    check_round_trip(a, v, &indented);
}

static void check_stream(struct arena *a, const struct source *src, const struct value *only)
{
    AUTO_ERR e = {0};
    struct value *v;
    size_t offset = 0, count = 0;

    while (json_read_next(a, src, NULL, &offset, &v, &e) && v) {
        if (only && (count || !value_equal(only, v)))
            abort();
        count++;
    }
    if (only && (count != 1 || e.kind))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct read_options go = {.go = true}, strict = {.duplicates = DUPLICATE_ERROR};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    AUTO_ERR go_error = {0};
    struct source src = {.text = {(const char *)data, size}};
    struct value *v, *by_go, *unique;

    bool ok = json_read(a, &src, NULL, &v, &e);
    bool go_ok = json_read(a, &src, &go, &by_go, &go_error);
    if ((!ok && !e.at.line) || (!go_ok && !go_error.at.line))
        abort();
    if (ok)
        check_styles(a, v);
    if (go_ok)
        check_styles(a, by_go);
    if (ok && go_ok && !value_equal(v, by_go))
        abort();
    if (json_read(a, &src, &strict, &unique, NULL) && !value_equal(v, unique))
        abort();
    check_stream(a, &src, v);
    return 0;
}
