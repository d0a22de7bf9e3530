/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - writing XML as Go's encoding/xml does, for JUnit reports.
 *
 *     struct xml x = xml_begin(out, STR("\t"));
 *     xml_open(&x, STR("testsuite"));
 *     xml_attr(&x, STR("name"), name);
 *     xml_text(&x, STR("a < b"));
 *     xml_close(&x);
 *
 * gives <testsuite name="...">a &lt; b</testsuite>. Elements are never self-closing; the escapes
 * are Go's (&#34; &#39; &#xA;). Each element starts on its own line; so does its end tag if it had
 * child elements, as with MarshalIndent. With an empty indent everything is one line. Nothing is
 * written after the last end tag.
 *
 * Names are written as they are. Calls that do not fit together (an attribute after text, more
 * closed than opened, more than XML_DEPTH_MAX levels) are programming errors: asserted. One thread
 * at a time; out notes when it overflows.
 */
#pragma once

#include "text/text.h"

#define XML_DEPTH_MAX 64

struct xml {
    struct buf *out;
    str indent;
    size_t depth;
    bool begun;      /* something was written: the next line needs a newline before it */
    bool open_tag;   /* the start tag still takes attributes */
    bool just_begun; /* no element was closed since the last start tag */
    str names[XML_DEPTH_MAX];
};

struct xml xml_begin(struct buf *out, str indent);
/* Writes the XML declaration, Go's xml.Header. Only before the first element. */
void xml_header(struct xml *x);
/* name must live until the element is closed. */
void xml_open(struct xml *x, str name);
void xml_attr(struct xml *x, str name, str value);
void xml_text(struct xml *x, str text);
void xml_close(struct xml *x);
/* Appends text with Go's escapes; characters that XML forbids and broken UTF-8 become U+FFFD. */
void xml_escape(struct buf *out, str text);
