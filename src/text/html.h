/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.h - escapes text for HTML, JavaScript and URLs, like the template functions html, js and
 * urlquery.
 *
 * None of these can fail; out notes when it overflows. May be called from any thread.
 */
#pragma once

#include "base/base.h"

/* As Go's template.HTMLEscape: &#34; &#39; &amp; &lt; &gt;, and U+FFFD for NUL. */
void html_escape(struct buf *out, str text);
/* The escape of a character that is special in HTML and XML; empty if it is not. */
str markup_escape(uint32_t r);
/*
 * As Go's template.JSEscape: for a string in quotes. Quotes, the backslash and < > & = are escaped,
 * and so is everything that is not printable. Broken UTF-8 stays as it is.
 */
void js_escape(struct buf *out, str text);
/* As Go's url.QueryEscape: all but letters, digits and - _ . ~ as %XX, the blank as +. */
void url_query_escape(struct buf *out, str text);
