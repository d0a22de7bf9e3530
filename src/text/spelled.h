/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spelled.h - finds a text in another one, however it is escaped there.
 *
 * Servers quote what they were sent in JSON, in JSON inside JSON, in a URL, in HTML, and each
 * library escapes other characters: "+" is \u002B for .NET, "/" is \/ for PHP, "&" is \u0026 for Go
 * and &amp; in a page. So any character may be escaped in any of these ways, and in a different way
 * than its neighbours. A line break may also be CR LF, a blank, or be followed by indentation.
 *
 * The time is in proportion to the length of the text: if it begins with most of what is wanted at
 * too many places, such as a row of zeros, the rest of it counts as an occurrence. Any thread.
 */
#pragma once

#include "base/base.h"

/*
 * The text with mask in place of every occurrence of wanted; the text itself if there is none, or
 * if wanted is empty.
 */
str spelled_replace(struct arena *a, str text, str wanted, str mask);
