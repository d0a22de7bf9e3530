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
    struct arena *arena;
    str name;
    struct source source;
    const struct source *kept; /* the same, as long as the objects live */
    struct objects *out;
    struct input_errors *errors;
};

static const struct read_options reading = {.go = true};

static void fail_parsing(struct stream *s, str reason)
{
    VEC_PUSH(s->arena, &s->errors->items,
             str_fmt(s->arena, "error parsing %.*s: %.*s", STR_ARG(s->name), STR_ARG(reason)));
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

static void add_yaml(struct stream *s, struct value *root)
{
    struct input_doc doc = {s->name, root, true, s->kept};

    value_walk(root, shorten_float, s->arena);
    object_add(s->arena, &doc, s->out, s->errors);
}

static bool next_yaml(struct stream *s, struct yaml_stream *y, struct value **root, struct err *e)
{
    return yaml_stream_next(s->arena, y, root, e) ||
           (str_has_prefix(e->text, STR("invalid Yaml")) ? false
                                                         : err_wrap(e, "error converting YAML to "
                                                                       "JSON"));
}

static void read_yaml(struct stream *s, struct yaml_stream *y)
{
    struct value *root;
    AUTO_ERR e = {0};

    while (next_yaml(s, y, &root, &e)) {
        if (!root)
            return;
        add_yaml(s, root);
    }
    fail_parsing(s, e.text);
}

/* What cannot be JSON may still be YAML; if it is neither, the fault is that of JSON. */
static void read_rest_as_yaml(struct stream *s, size_t offset, const struct err *json_error)
{
    str text = s->source.text;
    struct yaml_stream y = {.src = &s->source, .opts = &reading};
    struct value *root;
    AUTO_ERR e = {0};

    for (; offset < text.len && strchr(" \t\r\n", text.ptr[offset]); offset++)
        if (text.ptr[offset] == '\n') {
            offset++;
            break;
        }
    y.offset = offset;
    if (!next_yaml(s, &y, &root, &e)) {
        fail_parsing(s, json_error->text);
        return;
    }
    if (!root)
        return;
    add_yaml(s, root);
    read_yaml(s, &y);
}

static void read_json(struct stream *s)
{
    size_t offset = 0;

    for (size_t count = 0;; count++) {
        struct value *root;
        AUTO_ERR e = {0};
        if (!json_read_next(s->arena, &s->source, &reading, &offset, &root, &e)) {
            if (count < 2)
                read_rest_as_yaml(s, offset, &e);
            else
                fail_parsing(s, e.text);
            return;
        }
        if (!root)
            return;
        struct input_doc doc = {s->name, root, false, s->kept};
        if (root->kind != VALUE_NULL)
            object_add(s->arena, &doc, s->out, s->errors);
    }
}

void stream_read(struct arena *a, str name, str text, struct objects *out,
                 struct input_errors *errors)
{
    struct stream s = {.arena = a, .name = name, .out = out, .errors = errors};
    struct source *source = ARENA_NEW(a, struct source);
    AUTO_ERR e = {0};

    if (!yaml_source(a, name, text, source, &e)) {
        fail_parsing(&s, e.text);
        return;
    }
    source->text = utf8_repair(a, source->text);
    s.source = *source;
    s.kept = source;
    if (looks_like_json(source->text)) {
        read_json(&s);
    } else {
        struct yaml_stream y = {.src = &s.source, .opts = &reading};
        read_yaml(&s, &y);
    }
}
