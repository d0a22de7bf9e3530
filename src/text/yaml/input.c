/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c - bytes, checked as far as they have been looked at.
 *
 * The text is in memory, yet it is checked piece by piece, in pieces of the size that Go's reader
 * uses: a syntax error in the first piece is reported before a control character in the second, but
 * after one in the first. How many characters a piece still holds, and where it was when the last
 * one was read, is therefore part of the observable behaviour:
 *
 *   window     where the piece began when it was last refilled
 *   at.pos     the scanner
 *   checked    everything before is valid
 *   read       everything before has been fetched; an incomplete character may lie between
 *   zeros      NULs that Go has appended behind the end
 */
#include "text/yaml/scan_internal.h"

enum { PIECE = 512 };

bool yscan_fail(struct yscan *s, const char *text)
{
    s->problem = (struct yproblem){.kind = YPROBLEM_SCAN, .text = text, .at = yscan_mark(s)};
    return false;
}

static bool fail_input(struct yscan *s, const char *text, size_t pos)
{
    s->problem = (struct yproblem){.kind = YPROBLEM_INPUT, .text = text};
    s->problem.at.pos = (uint32_t)pos;
    return false;
}

size_t yscan_width(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if ((first & 0xE0) == 0xC0)
        return 2;
    if ((first & 0xF0) == 0xE0)
        return 3;
    return (first & 0xF8) == 0xF0 ? 4 : 0;
}

bool yscan_is_allowed(uint32_t c)
{
    if (c < 0x80)
        return (c >= 0x20 && c <= 0x7E) || c == '\t' || c == '\n' || c == '\r';
    return c == 0x85 || (c >= 0xA0 && c != 0xFFFE && c != 0xFFFF);
}

static bool check_wide(struct yscan *s, const uint8_t *p, size_t width, size_t pos)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c = p[0] & (0xFFu >> (width + 1));

    for (size_t k = 1; k < width; k++) {
        if ((p[k] & 0xC0) != 0x80)
            return fail_input(s, "invalid trailing UTF-8 octet", pos);
        c = (c << 6) | (p[k] & 0x3F);
    }
    if (c < smallest[width])
        return fail_input(s, "invalid length of a UTF-8 sequence", pos);
    if ((c >= 0xD800 && c <= 0xDFFF) || c > RUNE_MAX)
        return fail_input(s, "invalid Unicode character", pos);
    if (!yscan_is_allowed(c))
        return fail_input(s, "control characters are not allowed", pos);
    return true;
}

/* Moves over printable ASCII, eight bytes at a time: high bits clear, none below 0x20, no DEL. */
static size_t skip_ascii(const uint8_t *text, size_t i, size_t end)
{
    const uint64_t ones = 0x0101010101010101, high = ones * 0x80;

    for (uint64_t w; end - i >= sizeof(w); i += sizeof(w)) {
        memcpy(&w, text + i, sizeof(w));
        if ((w | ((w - ones * 0x20) & ~w) | (w + ones)) & high)
            break;
    }
    return i;
}

/* Checks what has been fetched; an incomplete character at its end waits for the next piece. */
static bool check_piece(struct yscan *s, size_t *chars)
{
    const uint8_t *text = (const uint8_t *)s->text.ptr;

    while (s->checked < s->read) {
        size_t plain = skip_ascii(text, s->checked, s->read);
        *chars += plain - s->checked;
        s->checked = plain;
        if (plain == s->read)
            break;
        uint8_t c = text[s->checked];
        size_t width = yscan_width(c);
        if (LIKELY(width == 1)) {
            if (UNLIKELY(!yscan_is_allowed(c)))
                return fail_input(s, "control characters are not allowed", s->checked);
        } else if (width == 0) {
            return fail_input(s, "invalid leading UTF-8 octet", s->checked);
        } else if (width > s->read - s->checked) {
            return s->eof ? fail_input(s, "incomplete UTF-8 octet sequence", s->checked) : true;
        } else if (!check_wide(s, text + s->checked, width, s->checked)) {
            return false;
        }
        s->checked += width;
        ++*chars;
    }
    return true;
}

static size_t count_unread(const struct yscan *s)
{
    return s->zeros + utf8_count(str_slice(s->text, s->at.pos, s->checked));
}

bool yscan_more(struct yscan *s, size_t chars)
{
    size_t unread = count_unread(s);

    if (unread >= chars)
        return true;
    s->window = s->at.pos;
    s->marked = str_has_prefix(str_from(s->text, s->window), STR("\xEF\xBB\xBF"));
    for (bool first = true; unread < chars; first = false) {
        if (!first || s->checked == s->read) {
            if (s->read == s->text.len)
                s->eof = true;
            else
                s->read = s->text.len - s->checked > PIECE ? s->checked + PIECE : s->text.len;
        }
        if (!check_piece(s, &unread))
            return false;
        if (s->eof) {
            s->zeros++;
            return true;
        }
    }
    return true;
}

bool yscan_at_document(const struct yscan *s, uint8_t c)
{
    return s->at.column == 0 && yscan_byte(s, 0) == c && yscan_byte(s, 1) == c &&
           yscan_byte(s, 2) == c && yscan_is_blankz(s, 3);
}

void yscan_skip_wide(struct yscan *s)
{
    s->at.column++;
    if (LIKELY(s->at.pos < s->text.len))
        s->at.pos += (uint32_t)yscan_width((uint8_t)s->text.ptr[s->at.pos]);
    else if (s->zeros)
        s->zeros--;
}

str yscan_skip_break(struct yscan *s)
{
    uint8_t c = yscan_byte(s, 0);
    size_t width = 1;
    str meaning = STR("\n");

    if (c == 0xC2 || (c == '\r' && yscan_byte(s, 1) == '\n'))
        width = 2;
    else if (c == 0xE2)
        width = 3;
    else if (c == 0)
        return STR_NONE;
    if (c == 0xE2 || c == '\n')
        meaning = str_of(s->text.ptr + s->at.pos, width);
    s->at.pos += (uint32_t)width;
    s->at.column = 0;
    s->at.line++;
    return meaning;
}

bool yscan_skip_blanks(struct yscan *s)
{
    if (!yscan_need(s, 1))
        return false;
    while (yscan_is_blank(s, 0)) {
        yscan_skip(s);
        if (!yscan_need(s, 1))
            return false;
    }
    return true;
}

bool yscan_skip_comment(struct yscan *s)
{
    if (yscan_byte(s, 0) != '#')
        return true;
    while (!yscan_is_breakz(s, 0)) {
        yscan_skip(s);
        if (!yscan_need(s, 1))
            return false;
    }
    return true;
}

bool yscan_line_end(struct yscan *s)
{
    if (!yscan_skip_blanks(s) || !yscan_skip_comment(s))
        return false;
    if (!yscan_is_breakz(s, 0))
        return yscan_fail(s, "did not find expected comment or line break");
    if (!yscan_is_break(s, 0))
        return true;
    if (!yscan_need(s, 2))
        return false;
    yscan_skip_break(s);
    return true;
}
