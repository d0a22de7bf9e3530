/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_regex.c - any bytes as a pattern and a text.
 *
 * The first byte is the length of the pattern, the text follows it. Both machines find the same.
 * Spans lie in the text and in order, and on starts of characters. Replacing each match by itself
 * changes nothing. A quoted text is a pattern that matches it whole.
 */
#include "regex/internal.h"

/* Instructions times bytes: beyond, a run takes too long to be worth it. */
#define WORK_MAX ((size_t)20 * 1000 * 1000)

static void require(bool ok)
{
    if (!ok)
        abort();
}

/* One mark for each place where a character begins, and for the end. */
static bool *mark_starts(struct arena *a, str text)
{
    bool *starts = ARENA_ARRAY(a, bool, text.len + 1);
    size_t width;

    for (size_t i = 0; i < text.len; i += width) {
        starts[i] = true;
        utf8_decode(str_from(text, i), &width);
    }
    starts[text.len] = true;
    return starts;
}

static void check_spans(const struct span *spans, size_t count, str text, const bool *starts)
{
    require(spans[0].from != STR_NPOS);
    for (size_t i = 0; i < count; i++) {
        if (spans[i].from == STR_NPOS)
            continue;
        require(spans[i].from <= spans[i].to && spans[i].to <= text.len);
        require(spans[i].from >= spans[0].from && spans[i].to <= spans[0].to);
        require(starts[spans[i].from] && starts[spans[i].to]);
    }
}

static void check_machines(struct arena *a, const struct regex *re, str text)
{
    size_t slots = 2 * (re->groups + 1);
    struct search pike = {.re = re, .text = text, .arena = a, .slot_count = slots};
    struct search back = pike;

    pike.slots = ARENA_ARRAY(a, size_t, slots);
    back.slots = ARENA_ARRAY(a, size_t, slots);
    for (size_t from = 0, width = 1; from <= text.len; from += width) {
        if (!rx_backtrack_fits(&back, from) || from > 64)
            return;
        bool found = rx_search_run(&pike, from, SEARCH_PIKE);
        require(found == rx_search_run(&back, from, SEARCH_BACKTRACK));
        require(!found || !memcmp(pike.slots, back.slots, slots * sizeof(size_t)));
        width = 1;
        if (from < text.len)
            utf8_decode(str_from(text, from), &width);
    }
}

static void check_all(struct arena *a, const struct regex *re, str text)
{
    struct spans all = regex_find_all(a, re, text, -1, re->groups + 1);
    const bool *starts = mark_starts(a, text);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t pieces;

    require(regex_match(re, text) == (all.count > 0));
    for (size_t i = 0; i < all.count; i++) {
        const struct span *spans = &all.items[i * all.stride];
        check_spans(spans, all.stride, text, starts);
        require(!i || spans[0].from >= spans[-(ptrdiff_t)all.stride].to);
    }
    regex_replace(re, text, STR("$0"), &out);
    require(str_eq(buf_str(&out), text));
    regex_split(a, re, text, -1, &pieces);
    require(pieces <= all.count + 1);
}

static void check_quoted(struct arena *a, str text)
{
    AUTO_ERR e = {0};
    struct regex *re;
    struct span span;

    if (utf8_find_invalid(text) != STR_NPOS)
        return;
    require(regex_compile(a, regex_quote(a, text), &re, &e));
    require(regex_find(re, text, 0, &span, 1) && span.from == 0 && span.to == text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct regex *re;

    if (!size)
        return 0;
    str all = str_of((const char *)data + 1, size - 1);
    str pattern = str_slice(all, 0, data[0]), text = str_slice(str_from(all, data[0]), 0, 4096);
    if (!regex_compile(a, pattern, &re, &e)) {
        require(str_has_prefix(e.text, STR("error parsing regexp: ")));
        return 0;
    }
    if (re->inst_count * (re->groups + 1) * (text.len + 1) <= WORK_MAX) {
        check_machines(a, re, text);
        check_all(a, re, text);
    }
    check_quoted(a, text);
    return 0;
}
