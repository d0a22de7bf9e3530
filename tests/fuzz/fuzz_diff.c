/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_diff.c - differences of two texts, which are the halves of the input around a byte 0xFF.
 *
 * Applying the hunks to old must give new, whatever the context; the pieces of the character
 * difference must make up both texts.
 */
#include "diff/diff.h"

#define CHECK(x) ((x) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A text that is consumed line by line, newlines included. */
static str take_line(str *rest)
{
    size_t newline = str_find_char(*rest, '\n');
    str line = newline == STR_NPOS ? *rest : str_slice(*rest, 0, newline + 1);

    *rest = str_from(*rest, line.len);
    return line;
}

static void expect(str *rest, str wanted)
{
    CHECK(str_has_prefix(*rest, wanted));
    *rest = str_from(*rest, wanted.len);
}

static size_t take_number(str *rest)
{
    size_t n = 0, digits = 0;

    for (; rest->len && rest->ptr[0] >= '0' && rest->ptr[0] <= '9'; digits++) {
        n = n * 10 + (size_t)(rest->ptr[0] - '0');
        *rest = str_from(*rest, 1);
    }
    CHECK(digits);
    return n;
}

/* "7,3" as the number of lines before the range and in it. */
static void take_range(str *rest, size_t *before, size_t *count)
{
    *before = take_number(rest);
    *count = 1;
    if (str_has_prefix(*rest, STR(","))) {
        expect(rest, STR(","));
        *count = take_number(rest);
    }
    *before -= *count ? 1 : 0;
}

/* Old while it is being patched. */
struct patch {
    str old;     /* what is left of it */
    size_t line; /* lines taken from it so far */
    struct buf new_;
    size_t written; /* lines of new_ */
};

/* Takes the text of a line of a hunk, without the newline that stands for a missing one. */
static str take_text(str *hunks)
{
    str text = str_from(take_line(hunks), 1);

    if (!str_has_prefix(*hunks, STR("\\")))
        return text;
    expect(hunks, STR("\\ No newline at end of file\n"));
    return str_without_suffix(text, STR("\n"));
}

static void copy_line(struct patch *p)
{
    CHECK(p->old.len);
    buf_add(&p->new_, take_line(&p->old));
    p->line++;
    p->written++;
}

static void apply_line(struct patch *p, str *hunks)
{
    CHECK(hunks->len);
    char mark = hunks->ptr[0];
    str text = take_text(hunks);
    CHECK(mark == ' ' || mark == '-' || mark == '+');
    if (mark != '+') {
        CHECK(str_eq(take_line(&p->old), text));
        p->line++;
    }
    if (mark != '-') {
        buf_add(&p->new_, text);
        p->written++;
    }
}

static void apply_hunk(struct patch *p, str *hunks)
{
    size_t old_before, old_count, new_before, new_count;

    expect(hunks, STR("@@ -"));
    take_range(hunks, &old_before, &old_count);
    expect(hunks, STR(" +"));
    take_range(hunks, &new_before, &new_count);
    expect(hunks, STR(" @@\n"));
    CHECK(old_before >= p->line);
    while (p->line < old_before)
        copy_line(p);
    CHECK(p->written == new_before);
    while (p->line < old_before + old_count || p->written < new_before + new_count)
        apply_line(p, hunks);
    CHECK(p->line == old_before + old_count && p->written == new_before + new_count);
}

static void check_unified(struct arena *a, str old, str new_, size_t context)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    enum diff_result result = diff_unified(&out, old, new_, context);
    str hunks = buf_str(&out);
    struct patch p = {.old = old, .new_ = buf_new(a, BUF_UNLIMITED)};

    CHECK((result == DIFF_SAME) == str_eq(old, new_));
    CHECK((result == DIFF_CHANGED) == (hunks.len > 0));
    if (result == DIFF_BINARY)
        return;
    while (hunks.len)
        apply_hunk(&p, &hunks);
    buf_add(&p.new_, p.old);
    CHECK(str_eq(buf_str(&p.new_), new_));
}

static void check_chars(struct arena *a, str old, str new_)
{
    struct diff_pieces pieces = diff_chars(a, old, new_, &(uint64_t){DIFF_CHARS_STEPS / 10});
    struct buf from = buf_new(a, BUF_UNLIMITED), to = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < pieces.count; i++) {
        if (pieces.items[i].op != DIFF_INSERT)
            buf_add(&from, pieces.items[i].text);
        if (pieces.items[i].op != DIFF_DELETE)
            buf_add(&to, pieces.items[i].text);
    }
    CHECK(str_eq(buf_str(&from), utf8_repair(a, old)));
    CHECK(str_eq(buf_str(&to), utf8_repair(a, new_)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str input = str_of((const char *)data, size), old, new_;

    if (!size)
        return 0;
    size_t context = data[0] % 5;
    str_cut(str_from(input, 1), STR("\xFF"), &old, &new_);
    check_unified(a, old, new_, context);
    check_chars(a, old, new_);
    return 0;
}
