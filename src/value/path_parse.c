/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_parse.c - reading the spellings of paths; the grammar is in path.h.
 *
 * The text is copied once, so that keys are views of memory that lives as long as the path; only
 * keys with escapes get a copy of their own.
 */
#include "value/path.h"

struct reader {
    struct arena *a;
    str text;
    size_t at;
    VEC(struct step) steps;
    struct err *e;
};

static bool at_end(const struct reader *r)
{
    return r->at >= r->text.len;
}

/* The next byte, or NUL at the end, which is also a byte: compare with printable ones only. */
static char peek(const struct reader *r)
{
    return (char)(at_end(r) ? 0 : r->text.ptr[r->at]);
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Always false. */
static bool expected(struct reader *r, const char *what)
{
    size_t column = utf8_count(str_slice(r->text, 0, r->at)) + 1, width = 1;
    str rest = str_from(r->text, r->at);

    if (!rest.len)
        return err_set(r->e, ERR_INVALID, "column %zu: expected %s, found the end", column, what);
    uint32_t rune = utf8_decode(rest, &width);
    if (rune == RUNE_ERROR || is_control(rest.ptr[0]))
        return err_set(r->e, ERR_INVALID, "column %zu: expected %s, found the byte 0x%02x", column,
                       what, (unsigned)(unsigned char)rest.ptr[0]);
    return err_set(r->e, ERR_INVALID, "column %zu: expected %s, found '%.*s'", column, what,
                   (int)width, rest.ptr);
}

static bool begin(struct reader *r, struct arena *a, str text, struct err *e)
{
    *r = (struct reader){.a = a, .e = e};
    if (text.len > PATH_MAX_TEXT)
        return err_set(e, ERR_LIMIT, "path is longer than the limit of %zu bytes", PATH_MAX_TEXT);
    r->text = str_copy(a, text);
    return true;
}

static bool add_step(struct reader *r, struct step step)
{
    if (r->steps.len == PATH_MAX_STEPS)
        return err_set(r->e, ERR_LIMIT, "path has more than the limit of %d steps", PATH_MAX_STEPS);
    VEC_PUSH(r->a, &r->steps, step);
    return true;
}

static bool finish(const struct reader *r, struct path *out)
{
    *out = (struct path){.steps = r->steps.items, .len = r->steps.len};
    return true;
}

/* ---- JSON pointers. ---- */

static bool unescape_pointer(struct reader *r, str segment, str *out)
{
    size_t start = r->at - segment.len, len = 0;
    char *text = arena_alloc_text(r->a, segment.len);

    for (size_t i = 0; i < segment.len; i++) {
        text[len] = segment.ptr[i];
        if (segment.ptr[i] == '~') {
            i++;
            r->at = start + i;
            if (i == segment.len || (segment.ptr[i] != '0' && segment.ptr[i] != '1'))
                return expected(r, "'0' or '1' after '~'");
            text[len] = segment.ptr[i] == '0' ? '~' : '/';
        }
        len++;
    }
    r->at = start + segment.len;
    *out = (str){text, len};
    return true;
}

bool path_parse_pointer(struct arena *a, str text, struct path *out, struct err *e)
{
    struct reader r;

    if (!begin(&r, a, text, e))
        return false;
    while (!at_end(&r)) {
        if (peek(&r) != '/')
            return expected(&r, "'/'");
        r.at++;
        str rest = str_from(r.text, r.at), key = str_slice(rest, 0, str_find_char(rest, '/'));
        r.at += key.len;
        if (str_find_char(key, '~') != STR_NPOS && !unescape_pointer(&r, key, &key))
            return false;
        if (!add_step(&r, (struct step){.kind = STEP_KEY, .key = key}))
            return false;
    }
    return finish(&r, out);
}

/* ---- The dotted spelling. ---- */

static bool read_quoted(struct reader *r, str *out)
{
    size_t start = ++r->at, len = 0;
    bool doubled = false;

    for (;; r->at++) {
        str rest = str_from(r->text, r->at);
        size_t quote = str_find_char(rest, '"');
        r->at += quote == STR_NPOS ? rest.len : quote;
        if (at_end(r))
            return expected(r, "'\"' at the end of the quoted text");
        r->at++;
        if (peek(r) != '"')
            break;
        doubled = true;
    }
    *out = str_slice(r->text, start, r->at - 1);
    if (!doubled)
        return true;
    char *text = arena_alloc_text(r->a, out->len);
    for (size_t i = 0; i < out->len; i++) {
        text[len++] = out->ptr[i];
        i += out->ptr[i] == '"';
    }
    *out = (str){text, len};
    return true;
}

/* No letter ever stops a word. */
static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* Quoted, or plain up to a control character or one of stops, which contains the quote. */
static bool read_word(struct reader *r, const char *stops, const char *what, str *out)
{
    size_t start = r->at;

    if (peek(r) == '"')
        return read_quoted(r, out);
    const char *at = r->text.ptr + start, *end = r->text.ptr + r->text.len;
    while (at < end && (is_letter(*at) || (!is_control(*at) && !strchr(stops, *at))))
        at++;
    r->at = (size_t)(at - r->text.ptr);
    *out = str_slice(r->text, start, r->at);
    return r->at > start || expected(r, what);
}

static bool read_key(struct reader *r)
{
    struct step step = {.kind = STEP_KEY};

    return read_word(r, ".[]\"", "a key", &step.key) && add_step(r, step);
}

/* Whether a bracket holds nothing but digits. */
static bool is_index(const struct reader *r)
{
    size_t i = r->at;

    while (i < r->text.len && r->text.ptr[i] >= '0' && r->text.ptr[i] <= '9')
        i++;
    return i > r->at && i < r->text.len && r->text.ptr[i] == ']';
}

static bool read_index(struct reader *r)
{
    str rest = str_from(r->text, r->at), digits = str_slice(rest, 0, str_find_char(rest, ']'));
    uint64_t index;

    if (digits.len > 1 && digits.ptr[0] == '0')
        return expected(r, "an index without leading zeros");
    if (!str_to_u64(digits, &index) || index > PATH_MAX_INDEX)
        return expected(r, "an index below 2^32");
    r->at += digits.len + 1;
    return add_step(r, (struct step){.kind = STEP_INDEX, .index = (size_t)index});
}

/* Adds name=text to the pairs of an identifier that came before. */
static bool read_pair(struct reader *r, struct step *step)
{
    step->kind = STEP_IDENTITY;
    if (!read_word(r, ".=,[]\"", "an index or the name of an identifying member", &step->key))
        return false;
    if (peek(r) != '=')
        return expected(r, "'='");
    r->at++;
    return read_word(r, ",[]\"", "the text of the identifying member", &step->text);
}

static bool read_identity(struct reader *r)
{
    struct step first = {0}, *last = &first;
    size_t pairs = 1;

    if (!read_pair(r, &first))
        return false;
    for (; peek(r) == ','; pairs++) {
        r->at++;
        if (pairs == PATH_MAX_PAIRS)
            return expected(r, "no more than 64 identifying members");
        struct step *pair = ARENA_NEW(r->a, struct step);
        if (!read_pair(r, pair))
            return false;
        last->next_pair = pair;
        last = pair;
    }
    if (peek(r) != ']')
        return expected(r, "']' or ','");
    r->at++;
    return add_step(r, first);
}

static bool read_bracket(struct reader *r)
{
    r->at++;
    return is_index(r) ? read_index(r) : read_identity(r);
}

bool path_parse_dotted(struct arena *a, str text, struct path *out, struct err *e)
{
    struct reader r;

    if (!begin(&r, a, text, e))
        return false;
    if (!at_end(&r) && peek(&r) != '[') {
        r.at += peek(&r) == '.';
        if (!read_key(&r))
            return false;
    }
    while (!at_end(&r)) {
        bool key = peek(&r) == '.';
        if (!key && peek(&r) != '[')
            return expected(&r, "'.' or '['");
        r.at += key;
        if (!(key ? read_key(&r) : read_bracket(&r)))
            return false;
    }
    return finish(&r, out);
}

/* ---- As the original reads omitted fields. ---- */

bool path_parse_fields(struct arena *a, str text, struct path *out, struct err *e)
{
    struct reader r;
    str *fields;
    size_t count;

    if (!begin(&r, a, text, e))
        return err_wrap(e, "failed to parse path");
    if (!csv_record(a, str_without_prefix(r.text, STR(".")), '.', &fields, &count, e))
        return err_wrap(e, "failed to parse path");
    for (size_t i = 0; i < count; i++)
        if (!add_step(&r, (struct step){.kind = STEP_KEY, .key = fields[i]}))
            return err_wrap(e, "failed to parse path");
    return finish(&r, out);
}
