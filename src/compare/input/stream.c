/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - splits one input, JSON or YAML, into documents as Kubernetes tools do.
 *
 * A text whose first character is "{" is taken for a sequence of JSON values. If one of the first
 * two is invalid, the rest is tried as YAML, so that a YAML flow mapping is accepted. YAML is split
 * at lines that start with "---", as text/yaml/stream.c does with a text in memory.
 *
 *     data: | was returned   | unread ...   | room |
 *                             ^ from         ^ len
 *
 * Positions below are relative to from, since reading more may move everything to the front.
 */
#include "compare/input/input_internal.h"
#include "base/unicode.h"
#include "compare/log_buffer_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "text/json/json.h"
#include "text/yaml/yaml.h"
#include "value/number.h"

/* How far the original looks for the first character. */
#define GUESS_BYTES 4096
#define READ_BYTES (64 * KIB)
/* What is kept for the next input when a document was large. */
#define KEEP_BYTES (1 * MIB)

enum mode { MODE_START, MODE_YAML, MODE_JSON, MODE_END };

struct stream {
    struct arena *buffer; /* of data */
    str name;
    struct reader *reader;
    enum mode mode;
    char *data;
    size_t from, len, cap;
    bool ended;     /* the reader has no more */
    uint32_t line;  /* lines before from */
    size_t values;  /* of JSON so far */
    bool separator; /* what failed is a line between documents: there may be more behind it */
};

struct stream *stream_new(struct arena *a)
{
    struct stream *s = ARENA_NEW(a, struct stream);

    s->buffer = arena_new();
    s->mode = MODE_END;
    return s;
}

void stream_free(struct stream *s)
{
    if (s)
        arena_free(s->buffer);
}

void stream_end(struct stream *s)
{
    s->mode = MODE_END;
}

void stream_begin(struct stream *s, str name, struct reader *reader)
{
    struct stream fresh = {.buffer = s->buffer, .name = name, .reader = reader};

    if (s->cap <= KEEP_BYTES) {
        fresh.data = s->data;
        fresh.cap = s->cap;
    } else {
        arena_reset(s->buffer);
    }
    *s = fresh;
}

/* ---- Bytes. ---- */

static str unread(const struct stream *s)
{
    return str_of(s->data + s->from, s->len - s->from);
}

static void make_room(struct stream *s)
{
    if (s->from) {
        memmove(s->data, s->data + s->from, s->len - s->from);
        s->len -= s->from;
        s->from = 0;
    }
    if (s->cap - s->len >= READ_BYTES)
        return;
    size_t cap = s->cap ? 2 * s->cap : 2 * READ_BYTES;
    s->data = arena_grow(s->buffer, s->data, s->cap, cap);
    s->cap = cap;
}

/* Reads on; at the end nothing changes but ended. */
static bool more(struct stream *s, struct err *e)
{
    size_t got;

    if (s->len - s->from > STREAM_DOCUMENT_MAX)
        return err_set(e, ERR_LIMIT, "a document is larger than the limit of %zu bytes",
                       (size_t)STREAM_DOCUMENT_MAX);
    make_room(s);
    if (!s->reader->read(s->reader, s->data + s->len, s->cap - s->len, &got, e))
        return false;
    s->len += got;
    s->ended = !got;
    return true;
}

static bool read_to_end(struct stream *s, struct err *e)
{
    while (!s->ended)
        if (!more(s, e))
            return false;
    return true;
}

/* Replaces what is unread, all of which is there, by a text. */
static void put_back(struct stream *s, str text)
{
    if (text.len > s->cap)
        s->data = arena_grow(s->buffer, s->data, s->cap, text.len);
    s->cap = text.len > s->cap ? text.len : s->cap;
    if (text.len)
        memcpy(s->data, text.ptr, text.len);
    s->from = 0;
    s->len = text.len;
}

static void pass_by(struct stream *s, size_t len)
{
    s->line += (uint32_t)str_count_char(str_of(s->data + s->from, len), '\n');
    s->from += len;
}

/* ---- Documents. ---- */

/* The first of two equal keys is lost: warn about it. */
static void warn_about(void *ctx, struct where at, str text)
{
    struct input *in = ctx;

    log_buffer_duplicate_key(&in->log, "%.*s:%u: %.*s", STR_ARG(at.file), at.line, STR_ARG(text));
}

static struct read_options reading(struct input *in)
{
    enum quote_rule quotes = in->dialect->masked_secrets ? QUOTE_UNLESS_SECRET : QUOTE_ALWAYS;

    if (!in->dialect->strict_text)
        return (struct read_options){.go = true, .quotes = quotes};
    return (struct read_options){.quotes = quotes, .warn = warn_about, .warn_ctx = in};
}

static void fail(struct input *in, struct document *d, const struct err *fault)
{
    struct arena *a = in->arena;
    struct result_place place = {.file = d->file, .line = fault->at.line};

    d->failed = true;
    in->documents++;
    input_fail(in, str_fmt(a, "error parsing %.*s: %.*s", STR_ARG(d->file), STR_ARG(fault->text)),
               place, err_text_placed(a, fault));
}

/* Nothing can be made of the rest. */
static bool give_up(struct stream *s, struct input *in, struct document *out,
                    const struct err *fault)
{
    s->mode = MODE_END;
    fail(in, out, fault);
    return true;
}

/*
 * A copy of a text. Upstream: bytes that are not UTF-8 become U+FFFD in silence; otherwise whoever
 * reads the text fails with their place.
 */
static str copy_text(const struct input *in, str text)
{
    str copy = str_copy(in->arena, text);

    return in->dialect->strict_text ? copy : utf8_repair(in->arena, copy);
}

/* A source of the first len unread bytes, copied. */
static struct source *copy_source(const struct stream *s, const struct input *in, size_t len)
{
    struct arena *a = in->arena;
    struct source *source = ARENA_NEW(a, struct source);

    source->file = s->name;
    source->lines_before = s->line;
    source->text = copy_text(in, str_of(s->data + s->from, len));
    if (len > 4 * KIB)
        source_remember(a, source);
    return source;
}

uint32_t document_line(struct document *d, size_t offset)
{
    str text = d->source->text;
    const char *newline;

    if (offset > text.len)
        offset = text.len;
    if (!d->line || offset < d->counted) {
        d->line = d->source->lines_before + 1;
        d->counted = 0;
    }
    while (d->counted < offset &&
           (newline = memchr(text.ptr + d->counted, '\n', offset - d->counted))) {
        d->counted = (size_t)(newline - text.ptr) + 1;
        d->line++;
    }
    d->counted = offset;
    return d->line;
}

/*
 * Numbers of YAML pass through JSON, which writes floats in the shortest way: 1.0 becomes the
 * integer 1.
 */
static str shorten_float(struct arena *a, str number)
{
    char text[NUMBER_MAX];
    double d;

    if (!number_to_double(number, &d))
        return number;
    return str_copy(a, str_of(text, number_format(text, d, NUMBER_JSON)));
}

/* Without a loss: equal numbers look equal, 1.0 is an integer. */
static str spell_float(struct arena *a, str number)
{
    struct buf plain = buf_new(a, BUF_UNLIMITED);

    number_plain(&plain, number);
    return buf_str(&plain);
}

static void spell_floats(const struct input *in, struct value *v)
{
    if (v->kind == VALUE_FLOAT) {
        str text =
            (in->dialect->exact_numbers ? spell_float : shorten_float)(in->arena, value_text(v));
        v->text = text.ptr;
        v->len = (uint32_t)text.len;
        v->kind = number_is_integer(text) ? VALUE_INT : VALUE_FLOAT;
    }
    for (size_t i = 0; i < value_len(v); i++)
        if (v->items[i].kind == VALUE_FLOAT || value_is_container(&v->items[i]))
            spell_floats(in, &v->items[i]);
}

/*
 * Only a line of dashes that ends with "\n" separates documents, for the original as well; the
 * parser knows other marks, and would leave out what follows them.
 */
static bool check_end(const struct source *source, str text, struct err *e)
{
    uint32_t line;
    enum yaml_rest rest = yaml_rest(text, &line);

    if (rest == YAML_REST_NONE)
        return true;
    err_set(e, ERR_INVALID, "%s",
            rest == YAML_REST_LOOSE
                ? YAML_REST_LOOSE_TEXT
                : "another document begins within this one; put a line \"---\" before it");
    return err_at(e, (struct where){source->file, source->lines_before + line, 1});
}

void document_read(struct input *in, struct document *d)
{
    struct read_options options = reading(in);
    bool alone = !in->dialect->whole_yaml;
    AUTO_ERR e = {0};

    if (d->root || d->failed)
        return;
    options.alone = &alone;
    if (!yaml_read(in->arena, d->source, &options, &d->root, &e))
        err_wrap(&e, "error converting YAML to JSON");
    else if (alone || check_end(d->source, d->source->text, &e))
        spell_floats(in, d->root);
    if (e.kind != ERR_NONE)
        fail(in, d, &e);
}

/* ---- YAML. ---- */

enum line_kind { LINE_CONTENT, LINE_SEPARATOR, LINE_BROKEN };

/* What follows the dashes may only be a comment. */
static enum line_kind line_kind(str line, str *rest)
{
    if (!str_has_prefix(line, STR("---")))
        return LINE_CONTENT;
    *rest = str_trim_set(str_from(line, 3), STR(" \t\r\n\v\f"));
    return !rest->len || rest->ptr[0] == '#' ? LINE_SEPARATOR : LINE_BROKEN;
}

/* Where the line that begins at at ends, its break included. */
static bool end_of_line(struct stream *s, size_t at, size_t *end, struct err *e)
{
    for (size_t seen = at;;) {
        size_t lf = str_find_char(str_from(unread(s), seen), '\n');
        if (lf != STR_NPOS) {
            *end = seen + lf + 1;
            return true;
        }
        seen = s->len - s->from;
        *end = seen;
        if (s->ended)
            return true;
        if (!more(s, e))
            return false;
    }
}

/*
 * A line that is not a separator, up to end. What it says may belong to the document in front or to
 * the one that follows, so both are looked through for what must not be quoted.
 */
static bool fail_separator(struct stream *s, struct input *in, str rest, size_t end,
                           struct where at, struct err *e)
{
    str ignored;

    rest = utf8_repair(in->arena, str_copy(in->arena, rest));
    for (size_t from = end; in->dialect->masked_secrets; from = end) {
        if (!end_of_line(s, from, &end, e))
            return false;
        if (end == from || line_kind(str_slice(unread(s), from, end), &ignored) != LINE_CONTENT)
            break;
    }
    s->separator = true;
    rest = yaml_quotable(reading(in).quotes, str_slice(unread(s), 0, end), rest);
    err_set(e, ERR_INVALID, "invalid Yaml document separator: %.*s", STR_ARG(rest));
    return err_at(e, at);
}

/* The next line from the one at at on that begins with a dash, or the end of what there is. */
static bool find_dashed_line(struct stream *s, size_t at, size_t *found, struct err *e)
{
    for (size_t seen = at;;) {
        str text = unread(s);
        if (at < text.len && text.ptr[at] == '-') {
            *found = at;
            return true;
        }
        size_t lf = str_find_pair(str_from(text, seen), '\n', '-');
        if (lf != STR_NPOS || s->ended) {
            *found = lf != STR_NPOS ? seen + lf + 1 : text.len;
            return true;
        }
        seen = text.len > at ? text.len - 1 : at;
        if (!more(s, e))
            return false;
    }
}

/* The last one need not have an end. */
static uint32_t count_lines(str text)
{
    bool open = text.len && text.ptr[text.len - 1] != '\n';

    return (uint32_t)str_count_char(text, '\n') + open;
}

/* Finds the length of the next document, and that of it and what separates it from the next. */
static bool find_document(struct stream *s, struct input *in, size_t *len, size_t *whole,
                          uint32_t *lines, struct err *e)
{
    str rest;

    *lines = 0;
    for (size_t at = 0, next;; at = next) {
        if (!find_dashed_line(s, at, len, e) || !end_of_line(s, *len, &next, e))
            return false;
        *whole = next;
        *lines += count_lines(str_slice(unread(s), at, next));
        if (next == *len)
            return true;
        switch (line_kind(str_slice(unread(s), *len, next), &rest)) {
        case LINE_BROKEN:
            return fail_separator(s, in, rest, next, (struct where){s->name, s->line + *lines, 1},
                                  e);
        case LINE_SEPARATOR:
            if (*len &&
                !(in->dialect->whole_yaml && yaml_is_prologue(str_slice(unread(s), 0, *len))))
                return true;
            break;
        case LINE_CONTENT:
            break;
        }
    }
}

/* What precedes a broken separator is lost with it. */
static bool next_yaml(struct stream *s, struct input *in, struct document *out)
{
    size_t len = 0, whole = 0;
    uint32_t lines = 0;
    AUTO_ERR e = {0};

    s->separator = false;
    if (find_document(s, in, &len, &whole, &lines, &e)) {
        if (!whole)
            return false;
        out->yaml = true;
        out->source = copy_source(s, in, len);
    } else if (!in->dialect->isolated_faults || !s->separator) {
        return give_up(s, in, out, &e);
    } else {
        fail(in, out, &e);
    }
    s->from += whole;
    s->line += lines;
    return true;
}

/* ---- JSON. ---- */

/* Where a scan for the end of a value is. */
struct value_scan {
    size_t at, depth;
    bool quoted, escaped;
};

/* Moves on over what is there; true when the value has ended. */
static bool scan_value(struct value_scan *v, str text)
{
    while (v->at < text.len) {
        char c = text.ptr[v->at++];
        if (v->escaped)
            v->escaped = false;
        else if (c == '"')
            v->quoted = !v->quoted;
        else if (v->quoted)
            v->escaped = c == '\\';
        else if (c == '{' || c == '[')
            v->depth++;
        else if ((c == '}' || c == ']') && v->depth && --v->depth == 0)
            return true;
    }
    return false;
}

/* The next value: its bytes, and whether it ends. All there are when it does not. */
struct extent {
    size_t len;
    bool ends;
};

static bool find_value(struct stream *s, struct extent *out, struct err *e)
{
    struct value_scan v = {0};

    for (;;) {
        out->ends = scan_value(&v, unread(s));
        out->len = v.at;
        if (out->ends || s->ended)
            return true;
        if (!more(s, e))
            return false;
    }
}

/* A value with a fault: the next one begins behind it, if its end is known. */
static bool lose_value(struct stream *s, struct input *in, struct document *out,
                       const struct extent *extent, const struct err *fault)
{
    if (!in->dialect->isolated_faults || !extent->ends)
        return give_up(s, in, out, fault);
    fail(in, out, fault);
    pass_by(s, extent->len);
    return true;
}

/*
 * Finds where YAML begins: behind white space up to the end of a line. Upstream: reads four bytes
 * at a time for that, so that what is shorter cannot be YAML, nor can what is not UTF-8.
 */
static bool find_yaml(const struct input *in, str text, size_t *offset)
{
    for (;;) {
        size_t left = text.len - *offset, width;
        if (in->dialect->whole_yaml ? !left : left < UTF8_MAX)
            return in->dialect->whole_yaml;
        uint32_t rune = utf8_decode(str_from(text, *offset), &width);
        if (!in->dialect->whole_yaml && rune == RUNE_ERROR)
            return false;
        if (!unicode_is_space(rune))
            return true;
        *offset += width;
        if (rune == '\n')
            return true;
    }
}

/* What cannot be JSON may still be YAML; if it is neither, the fault is that of JSON. */
static bool try_yaml(struct stream *s, struct input *in, struct document *out, bool *ok)
{
    const struct read_options options = reading(in);
    struct yaml_stream y = {.src = out->source, .opts = &options};
    AUTO_ERR e = {0};

    if (!find_yaml(in, out->source->text, &y.offset))
        return false;
    *ok = yaml_stream_next(in->arena, &y, &out->root, &e);
    if (!*ok || !out->root)
        return false;
    spell_floats(in, out->root);
    out->yaml = true;
    s->mode = MODE_YAML;
    pass_by(s, y.offset);
    return true;
}

/*
 * Upstream: numbers are looked at when the document is decoded, and one that is too large is its
 * fault alone. A value that is broken leaves the offset where it begins.
 */
static bool refuse_number(struct stream *s, const struct input *in, size_t offset,
                          const struct err *fault, struct document *out)
{
    if (in->dialect->exact_numbers || !str_trim(str_slice(out->source->text, 0, offset)).len)
        return false;
    out->root = value_object(in->arena);
    out->refusal = str_copy(in->arena, fault->text);
    pass_by(s, offset);
    return true;
}

/* The value does not read on its own: everything that follows decides what is said of it. */
static bool retry_json(struct stream *s, struct input *in, const struct extent *extent,
                       struct document *out)
{
    const struct read_options options = reading(in);
    struct arena *a = in->arena;
    size_t offset = 0;
    bool ok = false;
    AUTO_ERR e = {0};

    if (!read_to_end(s, &e))
        return give_up(s, in, out, &e);
    put_back(s, copy_text(in, unread(s)));
    out->source = copy_source(s, in, s->len - s->from);
    if (json_read_next(a, out->source, &options, &offset, &out->root, &e)) {
        pass_by(s, offset);
        return out->root != NULL;
    }
    if (refuse_number(s, in, offset, &e, out))
        return true;
    if (s->values < 2 && (try_yaml(s, in, out, &ok) || ok))
        return out->root != NULL;
    return lose_value(s, in, out, extent, &e);
}

static bool next_json(struct stream *s, struct input *in, struct document *out)
{
    const struct read_options options = reading(in);
    struct extent extent = {0};
    size_t offset = 0;
    AUTO_ERR e = {0};

    if (!find_value(s, &extent, &e))
        return give_up(s, in, out, &e);
    out->source = copy_source(s, in, extent.len);
    /* Where something was repaired, offsets are not those of the buffer. */
    if (out->source->text.len == extent.len &&
        json_read_next(in->arena, out->source, &options, &offset, &out->root, &e) && out->root)
        pass_by(s, offset);
    else if (in->dialect->isolated_faults && extent.ends && s->values >= 2 && e.kind != ERR_NONE)
        return lose_value(s, in, out, &extent, &e);
    else if (!retry_json(s, in, &extent, out))
        return false;
    s->values++;
    return true;
}

/* ---- Both. ---- */

/* Text that is not UTF-8 is turned into it as a whole. */
static bool convert_start(struct stream *s, struct arena *a, struct err *e)
{
    str start = unread(s);
    struct source source;

    if (str_has_prefix(start, STR("\xEF\xBB\xBF")))
        s->from += 3;
    if (!str_has_prefix(start, STR("\xFF\xFE")) && !str_has_prefix(start, STR("\xFE\xFF")))
        return true;
    if (!read_to_end(s, e) || !yaml_source(a, s->name, unread(s), &source, e))
        return false;
    put_back(s, source.text);
    return true;
}

static bool start(struct stream *s, struct arena *a, struct err *e)
{
    while (s->len < GUESS_BYTES && !s->ended)
        if (!more(s, e))
            return false;
    if (!convert_start(s, a, e))
        return false;
    str guess = unicode_trim(str_slice(unread(s), 0, GUESS_BYTES));
    s->mode = str_has_prefix(guess, STR("{")) ? MODE_JSON : MODE_YAML;
    return true;
}

/* The next one, null documents of JSON included. */
static bool next_document(struct stream *s, struct input *in, struct document *out)
{
    AUTO_ERR e = {0};

    *out = (struct document){.file = s->name};
    if (s->mode == MODE_START && !start(s, in->arena, &e))
        return give_up(s, in, out, &e);
    if (s->mode == MODE_END)
        return false;
    return s->mode == MODE_JSON ? next_json(s, in, out) : next_yaml(s, in, out);
}

bool stream_next(struct stream *s, struct input *in, struct document *out)
{
    while (next_document(s, in, out))
        if (out->failed || !value_is(out->root, VALUE_NULL))
            return true;
    s->mode = MODE_END;
    return false;
}
