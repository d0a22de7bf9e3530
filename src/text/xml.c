/* SPDX-License-Identifier: Apache-2.0 */
/* xml.c - writing XML as Go's encoding/xml does; see xml.h. */
#include "text/xml.h"

#include "text/html.h"

/* ---- Escapes. ---- */

/* Whether XML 1.0 allows the character. */
static bool is_xml_char(uint32_t r)
{
    return r == '\t' || r == '\n' || r == '\r' || (r >= 0x20 && r <= 0xD7FF) ||
           (r >= 0xE000 && r <= 0xFFFD) || (r >= 0x10000 && r <= RUNE_MAX);
}

/* The escape of r; empty if it needs none. */
static str escape_of(uint32_t r, size_t width)
{
    str markup = markup_escape(r);

    if (markup.len)
        return markup;
    switch (r) {
    case '\t':
        return STR("&#x9;");
    case '\n':
        return STR("&#xA;");
    case '\r':
        return STR("&#xD;");
    default:
        return !is_xml_char(r) || (r == RUNE_ERROR && width == 1) ? STR("\uFFFD") : STR_NONE;
    }
}

void xml_escape(struct buf *out, str text)
{
    size_t done = 0;

    for (size_t i = 0, width; i < text.len; i += width) {
        uint32_t r = utf8_decode(str_from(text, i), &width);
        str escape = escape_of(r, width);
        if (!escape.len)
            continue;
        buf_add(out, str_slice(text, done, i));
        buf_add(out, escape);
        done = i + width;
    }
    buf_add(out, str_from(text, done));
}

/* ---- Elements. ---- */

struct xml xml_begin(struct buf *out, str indent)
{
    return (struct xml){.out = out, .indent = indent};
}

void xml_header(struct xml *x)
{
    assert(!x->begun && !x->depth);
    buf_add(x->out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
}

/* Starts a new line, indented to the current depth. */
static void begin_line(struct xml *x)
{
    if (!x->indent.len)
        return;
    if (x->begun)
        buf_char(x->out, '\n');
    for (size_t i = 0; i < x->depth; i++)
        buf_add(x->out, x->indent);
}

static void end_start_tag(struct xml *x)
{
    if (x->open_tag)
        buf_char(x->out, '>');
    x->open_tag = false;
}

void xml_open(struct xml *x, str name)
{
    assert(x->depth < XML_DEPTH_MAX);
    end_start_tag(x);
    begin_line(x);
    buf_char(x->out, '<');
    buf_add(x->out, name);
    x->names[x->depth++] = name;
    x->begun = true;
    x->open_tag = true;
    x->just_begun = true;
}

void xml_attr(struct xml *x, str name, str value)
{
    assert(x->open_tag);
    buf_char(x->out, ' ');
    buf_add(x->out, name);
    buf_add(x->out, STR("=\""));
    xml_escape(x->out, value);
    buf_char(x->out, '"');
}

void xml_text(struct xml *x, str text)
{
    assert(x->depth);
    end_start_tag(x);
    xml_escape(x->out, text);
}

void xml_close(struct xml *x)
{
    assert(x->depth);
    end_start_tag(x);
    x->depth--;
    if (!x->just_begun)
        begin_line(x);
    x->just_begun = false;
    buf_add(x->out, STR("</"));
    buf_add(x->out, x->names[x->depth]);
    buf_char(x->out, '>');
}
