/* SPDX-License-Identifier: Apache-2.0 */
/* html_text.c - foreign text in a page, always escaped, and differences in colour. */
#include "report/internal.h"
#include "base/quote.h"
#include "text/html.h"

/* ---- Escaping. ---- */

/* Control characters, except for tabs and newlines. */
static bool is_control(uint32_t r)
{
    return (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7F && r < 0xA0) || r == 0xAD ||
           r == 0x61C || (r >= 0x200B && r <= 0x200F) || (r >= 0x2028 && r <= 0x202E) ||
           (r >= 0x2060 && r <= 0x2069) || r == 0xFEFF || r >= 0xE0000;
}

/* C0 has its own symbols, from U+2400. */
static void show_control(struct buf *out, uint32_t r)
{
    buf_fmt(out, "<span class=\"ctl\" title=\"U+%04X\">", r);
    if (r < ' ')
        buf_rune(out, 0x2400 + r);
    else if (r == 0x7F)
        buf_rune(out, 0x2421);
    else
        buf_fmt(out, "U+%04X", r);
    buf_add(out, STR("</span>"));
}

void html_show(struct buf *out, str text)
{
    size_t width, clean = 0;

    for (size_t i = 0; i < text.len; i += width) {
        uint32_t r = utf8_decode(str_from(text, i), &width);
        bool broken = r == RUNE_ERROR && width == 1;
        if (!broken && !is_control(r))
            continue;
        html_escape(out, str_slice(text, clean, i));
        if (broken)
            buf_fmt(out, "<span class=\"ctl\" title=\"not UTF-8\">\\x%02x</span>",
                    (unsigned char)text.ptr[i]);
        else
            show_control(out, r);
        clean = i + width;
    }
    html_escape(out, str_from(text, clean));
}

/*
 * The end of a URL: at a character that cannot be in one, and before punctuation at the end of a
 * sentence.
 */
static size_t url_end(str text)
{
    size_t len = 0;

    while (len < text.len && (unsigned char)text.ptr[len] > ' ' &&
           (unsigned char)text.ptr[len] < 0x7F && !strchr("\"'<>`{}|\\^", text.ptr[len]))
        len++;
    while (len && strchr(".,;:!?)]", text.ptr[len - 1]))
        len--;
    return len;
}

void html_put(struct buf *out, const char *before, str text, const char *after)
{
    buf_add(out, str_c(before));
    html_show(out, text);
    buf_add(out, str_c(after));
}

static size_t find_url(str text)
{
    size_t plain = str_find(text, STR("http://")), safe = str_find(text, STR("https://"));

    return plain < safe ? plain : safe;
}

void html_show_links(struct buf *out, str text)
{
    for (size_t at; (at = find_url(text)) != STR_NPOS;) {
        str rest = str_from(text, at);
        size_t len = url_end(rest);
        bool whole = len > strlen("https://");
        html_show(out, str_slice(text, 0, at));
        if (whole)
            buf_add(out, STR("<a rel=\"noopener noreferrer\" href=\""));
        if (whole)
            html_attr(out, str_slice(rest, 0, len));
        buf_add(out, whole ? STR("\">") : STR_NONE);
        html_show(out, str_slice(rest, 0, len));
        buf_add(out, whole ? STR("</a>") : STR_NONE);
        text = str_from(rest, len);
    }
    html_show(out, text);
}

void html_description(struct buf *out, str text)
{
    if (!text.len)
        return;
    buf_add(out, STR("<p class=\"description\">"));
    html_show_links(out, str_trim(text));
    buf_add(out, STR("</p>"));
}

void html_attr(struct buf *out, str text)
{
    AUTO_ARENA a = arena_new();

    html_escape(out, quote_line(a, text));
}

/* ---- Identifiers. ---- */

/* Keeps letters, digits and what needs no escape in a URL. */
static str slug(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == '.' || c == '-';
        buf_char(&out, plain ? c : '-');
    }
    return buf_str(&out);
}

str html_id(struct html_ids *ids, str text)
{
    str base = slug(ids->arena, text), id = base;

    for (size_t n = 2; map_has(ids->taken, id); n++)
        id = str_fmt(ids->arena, "%.*s-%zu", STR_ARG(base), n);
    map_set(ids->taken, id, ids);
    return id;
}

/* ---- Differences. ---- */

/* The common prefix and suffix of two lines, without the sign; never inside a code point. */
struct common {
    size_t head, tail;
};

/* Whether a byte belongs to a word; code points beyond ASCII count as letters. */
static bool is_word(str s, size_t at)
{
    unsigned char c = at < s.len ? (unsigned char)s.ptr[at] : ' ';

    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
}

/* Whether a cut before at is inside a word. */
static bool cuts_word(str s, size_t at)
{
    bool inside_rune = at < s.len && ((unsigned char)s.ptr[at] & 0xC0) == 0x80;

    return inside_rune || (at > 1 && is_word(s, at - 1) && is_word(s, at));
}

static struct common common_of(str x, str y)
{
    size_t most = x.len < y.len ? x.len : y.len;
    struct common c = {.head = 1};

    while (c.head < most && x.ptr[c.head] == y.ptr[c.head])
        c.head++;
    while (c.head > 1 && (cuts_word(x, c.head) || cuts_word(y, c.head)))
        c.head--;
    while (c.tail < most - c.head && x.ptr[x.len - 1 - c.tail] == y.ptr[y.len - 1 - c.tail])
        c.tail++;
    while (c.tail && (cuts_word(x, x.len - c.tail) || cuts_word(y, y.len - c.tail)))
        c.tail--;
    /* Lines that have almost nothing in common are easier to read as a whole. */
    if (4 * (c.head - 1 + c.tail) < most - 1)
        c = (struct common){.head = x.len};
    return c;
}

struct diff_writer {
    struct buf *out;
    size_t old_line, new_line;
    VEC(str) removed, added; /* a run of lines that has not ended yet */
};

static void add_number(struct buf *out, const char *name, size_t line)
{
    if (line)
        buf_fmt(out, " data-%s=\"%zu\"", name, line);
}

/* other is the line on the other side; if empty, nothing is marked. */
static void add_line(struct diff_writer *w, const char *class, str line, str other)
{
    struct common c = other.len ? common_of(line, other) : (struct common){.head = line.len};
    str middle = str_slice(line, c.head, line.len - c.tail);

    buf_fmt(w->out, "<span class=\"l%s%s\"", *class ? " " : "", class);
    add_number(w->out, "o", *class == 'a' || *class == 'h' ? 0 : w->old_line++);
    add_number(w->out, "n", *class == 'd' || *class == 'h' ? 0 : w->new_line++);
    buf_add(w->out, STR("><span>"));
    html_show(w->out, str_slice(line, 0, c.head));
    buf_add(w->out, middle.len ? STR("<b>") : STR_NONE);
    html_show(w->out, middle);
    buf_add(w->out, middle.len ? STR("</b>") : STR_NONE);
    html_show(w->out, str_from(line, line.len - c.tail));
    buf_add(w->out, STR("\n</span></span>"));
}

/* Lines are compared one to one if as many are added as removed. */
static void flush(struct diff_writer *w)
{
    bool paired = w->removed.len == w->added.len;

    if (!w->removed.len && !w->added.len)
        return;
    /* Side by side or one above the other, depending on the page. */
    buf_add(w->out, STR("<span class=\"run\"><span class=\"side\">"));
    for (size_t i = 0; i < w->removed.len; i++)
        add_line(w, "d", w->removed.items[i], paired ? w->added.items[i] : STR_NONE);
    buf_add(w->out, STR("</span><span class=\"side\">"));
    for (size_t i = 0; i < w->added.len; i++)
        add_line(w, "a", w->added.items[i], paired ? w->removed.items[i] : STR_NONE);
    buf_add(w->out, STR("</span></span>"));
    w->removed.len = w->added.len = 0;
}

static size_t take_number(str *rest)
{
    size_t n = 0, i = 0;

    for (; i < rest->len && rest->ptr[i] >= '0' && rest->ptr[i] <= '9'; i++)
        n = n > SIZE_MAX / 16 ? n : n * 10 + (size_t)(rest->ptr[i] - '0');
    *rest = str_from(*rest, i);
    return n;
}

/* "@@ -1,7 +1,7 @@" */
static void begin_hunk(struct diff_writer *w, str line)
{
    str rest = str_without_prefix(line, STR("@@ -")), skipped;

    add_line(w, "h", line, STR_NONE);
    w->old_line = take_number(&rest);
    str_cut(rest, STR("+"), &skipped, &rest);
    w->new_line = take_number(&rest);
}

static void take_line(struct arena *a, struct diff_writer *w, str line)
{
    char sign = line.len ? line.ptr[0] : ' ';

    if (sign == '-' && !w->added.len) {
        VEC_PUSH(a, &w->removed, line);
        return;
    }
    if (sign == '+') {
        VEC_PUSH(a, &w->added, line);
        return;
    }
    flush(w);
    if (sign == '-')
        VEC_PUSH(a, &w->removed, line);
    else if (sign == '@')
        begin_hunk(w, line);
    else
        add_line(w, sign == '\\' ? "h" : "", line, STR_NONE);
}

void html_diff(struct buf *out, str text)
{
    AUTO_ARENA a = arena_new();
    struct diff_lines lines = diff_lines_of(text);
    struct diff_writer w = {.out = out};
    str line;

    buf_add(out, STR("<pre class=\"diff\">"));
    while (diff_lines_next(&lines, &line))
        if (lines.hunks)
            take_line(a, &w, line);
        else
            add_line(&w, "h", line, STR_NONE);
    flush(&w);
    buf_add(out, STR("</pre>"));
}
