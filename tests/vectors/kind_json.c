/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_json.c - JSON as Go's encoding/json reads and writes it.
 *
 *   in         the text
 *   want       json.Marshal of what was decoded to interface{} (all numbers float64)
 *   raw        the same without HTML escapes, when it differs from want
 *   indented   json.MarshalIndent with two blanks, when recorded
 *   err        the error text instead, and offset, how many bytes had been looked at
 *   stream     in is read as a stream of values; want has them one per line, before err if any
 */
#include "vectors.h"

#include "text/json/json.h"

static const struct read_options go_reading = {.go = true};

static const struct json_style marshal = {.sorted = true, .html = true, .numbers = NUMBERS_FLOAT};
static const struct json_style raw = {.sorted = true, .numbers = NUMBERS_FLOAT};
static const struct json_style indented = {
    .sorted = true, .html = true, .numbers = NUMBERS_FLOAT, .indent = STR_INIT("  ")};

static bool check_written(struct arena *a, const struct value *v, const struct value *vector,
                          const char *key, const struct json_style *style, struct buf *why)
{
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str want;

    if (!vector_text(a, vector, key, &want))
        return true;
    if (!json_write(&out, v, style, &e))
        return vector_differs(why, key, e.text, want);
    return str_eq(buf_str(&out), want) || vector_differs(why, key, buf_str(&out), want);
}

/*
 * Where Go stopped: it counts the byte it complains about. At the end of the text it complains
 * about a blank that is not there, or about the end itself.
 */
static size_t stopped_at(str text, str message, size_t offset)
{
    bool blank = str_has_prefix(message, STR("invalid character ' '"));
    bool at_end = offset == text.len && !(blank && str_has_suffix(text, STR(" ")));

    if (!offset || str_has_prefix(message, STR("unexpected")) || (blank && at_end))
        return offset;
    return offset - 1;
}

static bool check_place(struct arena *a, const struct source *src, const struct err *e,
                        const struct value *vector, struct buf *why)
{
    int64_t offset;

    if (!value_to_i64(value_get(vector, STR("offset")), &offset))
        return true;
    size_t stop = stopped_at(src->text, e->text, (size_t)offset);
    struct where want = source_where_offset(src, stop);
    if (e->at.line == want.line && e->at.column == want.column)
        return true;
    return vector_differs(why, "place", str_fmt(a, "%u:%u", e->at.line, e->at.column),
                          str_fmt(a, "%u:%u", want.line, want.column));
}

static bool check_error(struct arena *a, const struct source *src, const struct err *e,
                        const struct value *vector, struct buf *why)
{
    str want = value_get_str(vector, STR("err"));

    if (!str_eq(e->text, want))
        return vector_differs(why, "error", e->text, want);
    return check_place(a, src, e, vector, why);
}

static bool run_single(struct arena *a, const struct source *src, const struct value *vector,
                       struct buf *why)
{
    AUTO_ERR e = {0};
    struct value *v;

    if (!json_read(a, src, &go_reading, &v, &e))
        return check_error(a, src, &e, vector, why);
    if (value_get(vector, STR("err")))
        return check_error(a, src, &e, vector, why);
    return check_written(a, v, vector, "want", &marshal, why) &&
           check_written(a, v, vector, "raw", &raw, why) &&
           check_written(a, v, vector, "indented", &indented, why);
}

static bool run_stream(struct arena *a, const struct source *src, const struct value *vector,
                       struct buf *why)
{
    AUTO_ERR e = {0};
    struct buf got = buf_new(a, BUF_UNLIMITED);
    struct value *v;
    size_t offset = 0;

    while (json_read_next(a, src, &go_reading, &offset, &v, &e) && v) {
        if (!json_write(&got, v, &marshal, &e))
            break;
        buf_char(&got, '\n');
    }
    str want = value_get_str(vector, STR("want"));
    if (!str_eq(buf_str(&got), want))
        return vector_differs(why, "values", buf_str(&got), want);
    return check_error(a, src, &e, vector, why);
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    const struct value *stream = value_get(vector, STR("stream"));
    struct source src = {0};

    if (!vector_text(a, vector, "in", &src.text))
        return vector_differs(why, "vector", STR("no in"), STR("in or in_b64"));
    if (value_is(stream, VALUE_BOOL) && stream->truth)
        return run_stream(a, &src, vector, why);
    return run_single(a, &src, vector, why);
}

const struct vector_kind vector_json = {
    .name = "json",
    .help = "JSON as Go's encoding/json reads and writes it",
    .run = run,
};
