/* SPDX-License-Identifier: Apache-2.0 */
/* scan_tag.c - directives, anchors, aliases and tags. All of them are short and rare. */
#include "text/yaml/scan_internal.h"

#include "go/strconv.h"

/* Letters, digits, '_' and '-'; may be empty. */
static bool scan_name(struct yscan *s, str *out)
{
    size_t from = s->at.pos;

    if (!yscan_need(s, 1))
        return false;
    while (yscan_is_alpha(s, 0)) {
        yscan_skip(s);
        if (!yscan_need(s, 1))
            return false;
    }
    *out = str_slice(s->text, from, s->at.pos);
    return true;
}

bool yscan_anchor(struct yscan *s, struct ytoken *t)
{
    yscan_skip(s);
    if (!scan_name(s, &t->value))
        return false;
    t->end = yscan_mark(s);
    uint8_t c = yscan_byte(s, 0);
    if (!t->value.len || !(yscan_is_blankz(s, 0) || strchr("?:,]}%@`", c)))
        return yscan_fail(s, "did not find expected alphabetic or numeric character");
    return true;
}

/* ---- Tags. ---- */

/* "!", "!!" or "!name!"; outside directives also "!name", which is the beginning of a tag. */
static bool scan_handle(struct yscan *s, bool directive, str *out)
{
    size_t from = s->at.pos;
    str name;

    if (!yscan_need(s, 1))
        return false;
    if (yscan_byte(s, 0) != '!')
        return yscan_fail(s, "did not find expected '!'");
    yscan_skip(s);
    if (!scan_name(s, &name))
        return false;
    if (yscan_byte(s, 0) == '!')
        yscan_skip(s);
    else if (directive && name.len)
        return yscan_fail(s, "did not find expected '!'");
    *out = str_slice(s->text, from, s->at.pos);
    return true;
}

/* One character as %HH octets. */
static bool scan_uri_escape(struct yscan *s, struct buf *out)
{
    size_t left = 0;

    for (bool first = true; first || left > 0; first = false, left--) {
        if (!yscan_need(s, 3))
            return false;
        int high = go_hex_digit(yscan_byte(s, 1)), low = go_hex_digit(yscan_byte(s, 2));
        if (yscan_byte(s, 0) != '%' || high < 0 || low < 0)
            return yscan_fail(s, "did not find URI escaped octet");
        uint8_t octet = (uint8_t)(high << 4 | low);
        if (first && !(left = yscan_width(octet)))
            return yscan_fail(s, "found an incorrect leading UTF-8 octet");
        if (!first && (octet & 0xC0) != 0x80)
            return yscan_fail(s, "found an incorrect trailing UTF-8 octet");
        buf_char(out, (char)octet);
        for (int i = 0; i < 3; i++)
            yscan_skip(s);
    }
    return true;
}

static bool is_uri(const struct yscan *s)
{
    uint8_t c = yscan_byte(s, 0);

    return yscan_is_alpha(s, 0) || (c && strchr(";/?:@&=+$,.!~*'()[]%", c));
}

/* head is what has been read of it already, without its '!'. */
static bool scan_uri(struct yscan *s, str head, bool may_be_empty, str *out)
{
    struct buf b = buf_new(s->scratch, BUF_UNLIMITED);

    buf_add(&b, head);
    if (!yscan_need(s, 1))
        return false;
    while (is_uri(s)) {
        may_be_empty = true;
        if (yscan_byte(s, 0) == '%') {
            if (!scan_uri_escape(s, &b))
                return false;
        } else {
            buf_char(&b, (char)yscan_byte(s, 0));
            yscan_skip(s);
        }
        if (!yscan_need(s, 1))
            return false;
    }
    if (!may_be_empty)
        return yscan_fail(s, "did not find expected tag URI");
    *out = str_copy(s->arena, buf_str(&b));
    return true;
}

static bool scan_verbatim_tag(struct yscan *s, struct ytoken *t)
{
    yscan_skip(s);
    yscan_skip(s);
    if (!scan_uri(s, STR_NONE, false, &t->suffix))
        return false;
    if (yscan_byte(s, 0) != '>')
        return yscan_fail(s, "did not find the expected '>'");
    yscan_skip(s);
    return true;
}

static bool scan_short_tag(struct yscan *s, struct ytoken *t)
{
    str handle = STR_NONE;

    if (!scan_handle(s, false, &handle))
        return false;
    if (handle.len > 1 && str_has_suffix(handle, STR("!"))) {
        t->value = handle;
        return scan_uri(s, STR_NONE, false, &t->suffix);
    }
    if (!scan_uri(s, str_from(handle, 1), true, &t->suffix))
        return false;
    if (t->suffix.len)
        t->value = STR("!");
    else
        t->suffix = STR("!");
    return true;
}

bool yscan_tag(struct yscan *s, struct ytoken *t)
{
    if (!yscan_need(s, 2))
        return false;
    if (!(yscan_byte(s, 1) == '<' ? scan_verbatim_tag(s, t) : scan_short_tag(s, t)))
        return false;
    if (!yscan_need(s, 1))
        return false;
    if (!yscan_is_blankz(s, 0))
        return yscan_fail(s, "did not find expected whitespace or line break");
    t->end = yscan_mark(s);
    return true;
}

/* ---- Directives. ---- */

static bool scan_version_number(struct yscan *s, size_t *out)
{
    size_t digits = 0;

    *out = 0;
    if (!yscan_need(s, 1))
        return false;
    for (; yscan_byte(s, 0) >= '0' && yscan_byte(s, 0) <= '9'; digits++) {
        if (digits == 2)
            return yscan_fail(s, "found extremely long version number");
        *out = *out * 10 + (yscan_byte(s, 0) - '0');
        yscan_skip(s);
        if (!yscan_need(s, 1))
            return false;
    }
    return digits || yscan_fail(s, "did not find expected version number");
}

static bool scan_version(struct yscan *s, struct ytoken *t)
{
    size_t major, minor;

    if (!yscan_skip_blanks(s) || !scan_version_number(s, &major))
        return false;
    if (yscan_byte(s, 0) != '.')
        return yscan_fail(s, "did not find expected digit or '.' character");
    yscan_skip(s);
    if (!scan_version_number(s, &minor))
        return false;
    t->kind = YTOKEN_VERSION;
    t->value.len = major * 256 + minor;
    return true;
}

static bool scan_tag_directive(struct yscan *s, struct ytoken *t)
{
    t->kind = YTOKEN_TAG_DIRECTIVE;
    if (!yscan_skip_blanks(s) || !scan_handle(s, true, &t->value) || !yscan_need(s, 1))
        return false;
    if (!yscan_is_blank(s, 0))
        return yscan_fail(s, "did not find expected whitespace");
    if (!yscan_skip_blanks(s) || !scan_uri(s, STR_NONE, false, &t->suffix) || !yscan_need(s, 1))
        return false;
    return yscan_is_blankz(s, 0) || yscan_fail(s, "did not find expected whitespace or line break");
}

static bool scan_directive_name(struct yscan *s, str *name)
{
    if (!scan_name(s, name))
        return false;
    if (!name->len)
        return yscan_fail(s, "could not find expected directive name");
    return yscan_is_blankz(s, 0) || yscan_fail(s, "found unexpected non-alphabetical character");
}

static bool scan_directive_value(struct yscan *s, str name, struct ytoken *t)
{
    if (str_eq(name, STR("YAML")))
        return scan_version(s, t);
    if (str_eq(name, STR("TAG")))
        return scan_tag_directive(s, t);
    if (!s->lenient)
        return yscan_fail(s, "found unknown directive name");
    t->kind = YTOKEN_TAG_DIRECTIVE;
    while (!yscan_is_breakz(s, 0)) {
        yscan_skip(s);
        if (!yscan_need(s, 1))
            return false;
    }
    return true;
}

bool yscan_directive(struct yscan *s, struct ytoken *t)
{
    str name;

    yscan_skip(s);
    if (!scan_directive_name(s, &name) || !scan_directive_value(s, name, t))
        return false;
    t->end = yscan_mark(s);
    return yscan_line_end(s);
}
