/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - value to JSON; see json.h.
 *
 * The writer recurses, which VALUE_DEPTH_MAX bounds: what needs room on the stack (numbers) is kept
 * out of the functions that call themselves. Texts are appended without checking the room left; the
 * buffer remembers when it was too small, which is checked once per item.
 */
#include "text/json/json.h"

#include "text/json/scan_internal.h"
#include "value/number.h"

#include <math.h>

const struct json_style json_go = {.sorted = true, .html = true, .numbers = NUMBERS_GO};
const struct json_style json_go_floats = {.sorted = true, .html = true, .numbers = NUMBERS_FLOAT};
const struct json_style json_go_plain = {.sorted = true, .html = true, .numbers = NUMBERS_PLAIN};
const struct json_style json_exact = {.numbers = NUMBERS_EXACT};

struct writer {
    struct buf *out;
    const struct json_style *style;
    struct arena *scratch; /* for sorted members */
    size_t depth;
    struct err *e;
};

/* ---- Strings. ---- */

/* As buf_char, without a call where there is room. */
static inline void add_char(struct buf *out, char c)
{
    if (LIKELY(out->len < out->cap && !out->overflow))
        out->data[out->len++] = c;
    else
        buf_char(out, c);
}

/* The length of the part of s, from i on, that is copied as it is. */
static size_t plain_len(str s, size_t i, bool html)
{
    const char *from = s.ptr + i, *end = s.ptr + s.len;

    return (size_t)((html ? json_skip_plain(from, end, true) : json_skip_plain(from, end, false)) -
                    from);
}

static void add_ascii_escape(struct buf *out, char c)
{
    static const char codes[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";
    const char *known = c ? strchr(meanings, c) : NULL;

    if (known) {
        buf_char(out, '\\');
        buf_char(out, codes[known - meanings]);
    } else {
        buf_fmt(out, "\\u%04x", (unsigned char)c);
    }
}

/* The code point at i, which is beyond ASCII; returns its width. */
static size_t add_multi(struct buf *out, str s, size_t i)
{
    size_t width;
    uint32_t rune = utf8_decode(str_from(s, i), &width);

    if (rune == 0x2028 || rune == 0x2029 || width == 1)
        buf_fmt(out, "\\u%04x", rune);
    else
        buf_add(out, str_slice(s, i, i + width));
    return width;
}

static void add_escaped(struct buf *out, str s, size_t i, bool html)
{
    while (i < s.len) {
        size_t n = plain_len(s, i, html);
        buf_add(out, str_slice(s, i, i + n));
        i += n;
        if (i == s.len)
            return;
        if ((unsigned char)s.ptr[i] >= 0x80) {
            i += add_multi(out, s, i);
        } else {
            add_ascii_escape(out, s.ptr[i]);
            i++;
        }
    }
}

void json_write_string(struct buf *out, str s, bool html)
{
    size_t plain = s.len ? plain_len(s, 0, html) : 0;
    char *at = buf_room(out, plain + 2);

    if (!at)
        return;
    at[0] = '"';
    if (plain)
        memcpy(at + 1, s.ptr, plain);
    at[plain + 1] = '"';
    buf_wrote(out, plain + 2);
    if (plain == s.len)
        return;
    buf_truncate(out, out->len - 1);
    add_escaped(out, s, plain, html);
    add_char(out, '"');
}

/* ---- Numbers. ---- */

static bool write_double(struct writer *w, str text)
{
    char out[NUMBER_MAX];
    double d;

    if (!number_to_double(text, &d))
        return err_set(w->e, ERR_INVALID, "json: unsupported value: %s", d < 0 ? "-Inf" : "+Inf");
    buf_add(w->out, (str){out, number_format(out, d, NUMBER_JSON)});
    return true;
}

/* Whether an integer also fits an integer type in Go, under the rule of the style. */
static bool fits_integer(str text, enum number_rule rule)
{
    enum { SURE = 18 }; /* any integer of so many bytes fits int64 */
    int64_t i;
    uint64_t u;

    if (text.len <= SURE || number_to_i64(text, &i))
        return true;
    return rule == NUMBERS_YAML && number_to_u64(text, &u);
}

/* Whether this integer, as a float64, is written with the same digits. */
static bool is_exact_double(str text)
{
    return text.len <= 15;
}

static bool write_number(struct writer *w, const struct value *v)
{
    str text = value_text(v);
    enum number_rule rule = w->style->numbers;

    if (rule == NUMBERS_PLAIN) {
        number_plain(w->out, text);
        return true;
    }
    if (v->kind == VALUE_INT && rule != NUMBERS_EXACT && rule != NUMBERS_FLOAT) {
        if (!fits_integer(text, rule))
            return write_double(w, text);
        if (str_eq(text, STR("-0")))
            text = STR("0");
    } else if (rule != NUMBERS_EXACT && !(v->kind == VALUE_INT && is_exact_double(text))) {
        return write_double(w, text);
    }
    buf_add(w->out, text);
    return true;
}

/* ---- Lists and objects. ---- */

static bool write_value(struct writer *w, const struct value *v);

static void new_line(struct writer *w)
{
    if (!w->style->indent.len)
        return;
    add_char(w->out, '\n');
    for (size_t i = 0; i < w->depth; i++)
        buf_add(w->out, w->style->indent);
}

/*
 * Stops when the buffer is full: indentation can make a text a thousand times as large as its tree.
 */
static bool begin_item(struct writer *w, size_t i)
{
    if (i)
        add_char(w->out, ',');
    new_line(w);
    return buf_check(w->out, w->e);
}

static bool write_element(struct writer *w, const struct value *v, size_t i)
{
    return begin_item(w, i) && write_value(w, v);
}

static bool write_items(struct writer *w, const struct value *v)
{
    for (size_t i = 0; i < v->len; i++)
        if (!write_element(w, &v->items[i], i))
            return false;
    return true;
}

static bool write_member(struct writer *w, const struct value *v, size_t i)
{
    if (!begin_item(w, i))
        return false;
    json_write_string(w->out, value_key(v), w->style->html);
    add_char(w->out, ':');
    if (w->style->indent.len)
        add_char(w->out, ' ');
    return write_value(w, v);
}

static bool write_members(struct writer *w, const struct value *v)
{
    for (size_t i = 0; i < v->len; i++)
        if (!write_member(w, &v->items[i], i))
            return false;
    return true;
}

static bool write_sorted(struct writer *w, const struct value *v)
{
    struct arena_mark mark = arena_mark(w->scratch);
    struct value **members = value_sorted(w->scratch, v);

    for (size_t i = 0; i < v->len; i++)
        if (!write_member(w, members[i], i))
            return false;
    arena_rewind(w->scratch, mark);
    return true;
}

static bool write_below(struct writer *w, const struct value *v)
{
    if (v->kind == VALUE_LIST)
        return write_items(w, v);
    return w->style->sorted ? write_sorted(w, v) : write_members(w, v);
}

static bool write_container(struct writer *w, const struct value *v)
{
    add_char(w->out, v->kind == VALUE_LIST ? '[' : '{');
    if (v->len) {
        w->depth++;
        if (!write_below(w, v))
            return false;
        w->depth--;
        new_line(w);
    }
    add_char(w->out, v->kind == VALUE_LIST ? ']' : '}');
    return true;
}

static bool write_value(struct writer *w, const struct value *v)
{
    switch ((enum value_kind)v->kind) {
    case VALUE_NULL:
        buf_add(w->out, STR("null"));
        return true;
    case VALUE_BOOL:
        buf_add(w->out, v->truth ? STR("true") : STR("false"));
        return true;
    case VALUE_INT:
    case VALUE_FLOAT:
        return write_number(w, v);
    case VALUE_STRING:
        json_write_string(w->out, value_text(v), w->style->html);
        return true;
    case VALUE_LIST:
    case VALUE_OBJECT:
        return write_container(w, v);
    }
    return true;
}

bool json_write(struct buf *out, const struct value *v, const struct json_style *style,
                struct err *e)
{
    AUTO_ARENA scratch = value_is_container(v) ? arena_new() : NULL;
    struct writer w = {.out = out, .style = style, .scratch = scratch, .e = e};

    return write_value(&w, v) && buf_check(out, e);
}
