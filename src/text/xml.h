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
 * are Go's (&#34; &#39; &#xA;). An element with text is written on one line, one with child
 * elements is indented, as MarshalIndent does.
 */
#pragma once

#include "text/text.h"

#define XML_DEPTH_MAX 64

struct xml {
    struct buf *out;
    str indent;
    size_t depth;
    bool open_tag;     /* the start tag still takes attributes */
    bool had_children; /* the element closed last stands on a line of its own */
    str names[XML_DEPTH_MAX];
};

struct xml xml_begin(struct buf *out, str indent);
/* The declaration line that Go's xml.Header is. */
void xml_header(struct xml *x);
void xml_open(struct xml *x, str name);
void xml_attr(struct xml *x, str name, str value);
void xml_text(struct xml *x, str text);
void xml_close(struct xml *x);
/* Appends text with Go's escapes; characters that XML forbids become U+FFFD. */
void xml_escape(struct buf *out, str text);
