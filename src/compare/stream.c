/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the documents of one input text, JSON or YAML, split as Kubernetes tools do it.
 *
 * A text whose first character is "{" is taken for JSON values one after the other. When one of the
 * first two is broken, what follows is tried as YAML, so that a YAML flow mapping is accepted.
 */
#include "compare/internal.h"
#include "text/json.h"
#include "text/yaml.h"
#include "value/number.h"

/* How far the original looks for the first character. */
#define GUESS_BYTES 4096

struct stream {
    struct input *in;
    str name;
    struct source *source;
    struct read_options reading;
    struct line_counter lines;
};

uint32_t line_at(struct line_counter *c, size_t offset)
{
    const char *newline;

    if (!c->line || offset < c->offset)
        *c = (struct line_counter){.text = c->text, .line = 1};
    while (c->offset < offset &&
           (newline = memchr(c->text.ptr + c->offset, '\n', offset - c->offset))) {
        c->offset = (size_t)(newline - c->text.ptr) + 1;
        c->line++;
    }
    c->offset = offset;
    return c->line;
}

static void fail_parsing(struct stream *s, const struct err *fault)
{
    struct arena *a = s->in->arena;
    struct result_place place = {.file = s->name, .line = fault->at.line};

    if (s->in->verdict)
        s->in->verdict->documents++;
    input_fail(s->in,
               str_fmt(a, "error parsing %.*s: %.*s", STR_ARG(s->name), STR_ARG(fault->text)),
               place, err_text_placed(a, fault));
}

static bool looks_like_json(str text)
{
    str start = str_trim(str_slice(text, 0, GUESS_BYTES));

    return str_has_prefix(start, STR("{"));
}

/*
 * Numbers of YAML pass through JSON, which writes floats in the shortest way: 1.0 becomes the
 * integer 1.
 */
static bool shorten_float(void *ctx, struct value *v, size_t depth)
{
    char text[NUMBER_MAX];
    double d;

    (void)depth;
    if (v->kind != VALUE_FLOAT || !number_to_double(value_text(v), &d))
        return true;
    str shortest = str_copy(ctx, str_of(text, number_format(text, d, NUMBER_JSON)));
    v->text = shortest.ptr;
    v->len = (uint32_t)shortest.len;
    v->kind = number_is_integer(shortest) ? VALUE_INT : VALUE_FLOAT;
    return true;
}

/* Without a loss: equal numbers look equal, 1.0 is an integer. */
static bool spell_float(void *ctx, struct value *v, size_t depth)
{
    struct buf plain;

    (void)depth;
    if (v->kind != VALUE_FLOAT)
        return true;
    plain = buf_new(ctx, BUF_UNLIMITED);
    number_plain(&plain, value_text(v));
    v->text = plain.data;
    v->len = (uint32_t)plain.len;
    v->kind = number_is_integer(buf_str(&plain)) ? VALUE_INT : VALUE_FLOAT;
    return true;
}

static void add_document(struct stream *s, struct value *root, bool yaml)
{
    struct input_doc doc = {s->name, root, yaml, s->source, &s->lines};

    if (yaml)
        value_walk(root, s->in->verdict ? spell_float : shorten_float, s->in->arena);
    object_add(s->in, &doc);
}

static bool next_yaml(struct stream *s, struct yaml_stream *y, struct value **root, struct err *e)
{
    return yaml_stream_next(s->in->arena, y, root, e) ||
           (str_has_prefix(e->text, STR("invalid Yaml")) ? false
                                                         : err_wrap(e, "error converting YAML to "
                                                                       "JSON"));
}

/* A broken document ends the stream for the original only. */
static void read_yaml(struct stream *s, struct yaml_stream *y)
{
    for (;;) {
        struct value *root = NULL;
        size_t before = y->offset;
        AUTO_ERR e = {0};
        if (next_yaml(s, y, &root, &e)) {
            if (!root)
                return;
            add_document(s, root, true);
            continue;
        }
        fail_parsing(s, &e);
        if (!s->in->verdict || y->offset == before)
            return;
    }
}

/* What cannot be JSON may still be YAML; if it is neither, the fault is that of JSON. */
static void read_rest_as_yaml(struct stream *s, size_t offset, const struct err *json_error)
{
    str text = s->source->text;
    struct yaml_stream y = {.src = s->source, .opts = &s->reading};
    struct value *root;
    AUTO_ERR e = {0};

    for (; offset < text.len && strchr(" \t\r\n", text.ptr[offset]); offset++)
        if (text.ptr[offset] == '\n') {
            offset++;
            break;
        }
    y.offset = offset;
    if (!next_yaml(s, &y, &root, &e)) {
        fail_parsing(s, json_error);
        return;
    }
    if (!root)
        return;
    add_document(s, root, true);
    read_yaml(s, &y);
}

static void read_json(struct stream *s)
{
    size_t offset = 0;

    for (size_t count = 0;; count++) {
        struct value *root;
        AUTO_ERR e = {0};
        if (!json_read_next(s->in->arena, s->source, &s->reading, &offset, &root, &e)) {
            if (count < 2)
                read_rest_as_yaml(s, offset, &e);
            else
                fail_parsing(s, &e);
            return;
        }
        if (!root)
            return;
        if (root->kind != VALUE_NULL)
            add_document(s, root, false);
    }
}

/* The first of two equal keys is lost: somebody should know. */
static void warn_about(void *ctx, struct where at, str text)
{
    const struct input *in = ctx;

    journal_warn(in->journal, "%.*s:%u: %.*s", STR_ARG(at.file), at.line, STR_ARG(text));
}

void stream_read(struct input *in, str name, str text)
{
    struct stream s = {.in = in,
                       .name = name,
                       .source = ARENA_NEW(in->arena, struct source),
                       .reading = {.go = true}};
    AUTO_ERR e = {0};

    if (in->verdict) {
        s.reading.any_number = true;
        s.reading.warn = warn_about;
        s.reading.warn_ctx = in;
    }
    if (!yaml_source(in->arena, name, text, s.source, &e)) {
        fail_parsing(&s, &e);
        return;
    }
    str repaired = utf8_repair(in->arena, s.source->text);
    if (repaired.ptr != s.source->text.ptr) {
        s.source->text = repaired;
        source_remember(in->arena, s.source);
    }
    s.lines.text = s.source->text;
    if (looks_like_json(s.source->text)) {
        read_json(&s);
    } else {
        struct yaml_stream y = {.src = s.source, .opts = &s.reading};
        read_yaml(&s, &y);
    }
}
