/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - prints documents to standard output, one function per format. */
#include "cli/print.h"
#include "text/json/json.h"
#include "text/toml/toml.h"
#include "text/yaml/yaml.h"

static bool write_json(const struct printer *p, struct buf *out, const struct value *v, str indent,
                       struct err *e)
{
    struct json_style style = {.sorted = p->sort, .numbers = p->numbers, .indent = indent};

    if (!json_write(out, v, &style, e))
        return false;
    buf_char(out, '\n');
    return true;
}

static bool write_indented(const struct printer *p, struct buf *out, const struct value *v,
                           struct err *e)
{
    return write_json(p, out, v, STR("  "), e);
}

static bool write_compact(const struct printer *p, struct buf *out, const struct value *v,
                          struct err *e)
{
    return write_json(p, out, v, STR_NONE, e);
}

static bool write_raw(const struct printer *p, struct buf *out, const struct value *v,
                      struct err *e)
{
    if (!value_is(v, VALUE_STRING))
        return write_compact(p, out, v, e);
    buf_add(out, value_str(v));
    buf_char(out, '\n');
    return true;
}

static bool write_toml(const struct printer *p, struct buf *out, const struct value *v,
                       struct err *e)
{
    if (p->count)
        return err_set(e, ERR_INVALID, "a TOML file holds one document, and this is one more");
    if (!value_is(v, VALUE_OBJECT))
        return err_set(e, ERR_INVALID, "a TOML file holds an object, not a %s",
                       value_kind_name((enum value_kind)v->kind));
    return toml_write(out, v, p->numbers, e);
}

static bool write_yaml(const struct printer *p, struct buf *out, const struct value *v,
                       struct err *e)
{
    if (p->count)
        buf_add(out, STR("---\n"));
    return yaml_write(out, v, p->numbers, e);
}

static const struct {
    const char *name;
    bool (*write)(const struct printer *p, struct buf *out, const struct value *v, struct err *e);
} formats[] = {
    {"json", write_indented}, {"json-compact", write_compact},
    {"raw", write_raw},       {"toml", write_toml},
    {"yaml", write_yaml},
};

bool print_document(struct printer *p, const struct doc *doc, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, OUTPUT_MAX);

    for (size_t i = 0; i < COUNT(formats); i++) {
        if (!str_eq(p->format, str_c(formats[i].name)))
            continue;
        if (!formats[i].write(p, &text, doc->root, e))
            return err_at(e, source_where(doc->source, doc->root));
        output_add(p->out, buf_str(&text));
        p->count++;
        return true;
    }
    return err_set(e, ERR_USAGE, "unknown format \"%.*s\"", STR_ARG(p->format));
}

bool print_as_json(struct output *out, struct value *v, struct err *e)
{
    struct printer printer = {.out = out, .format = STR("json")};
    struct source none = {0};

    return print_document(&printer, &(struct doc){.root = v, .source = &none}, e);
}

void print_short(struct buf *out, const struct value *v, size_t max)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, OUTPUT_MAX);
    size_t cut = max;

    if (!json_write(&text, v, &json_exact, NULL))
        return;
    if (text.len <= max) {
        buf_add(out, buf_str(&text));
        return;
    }
    /* Do not cut inside a character. */
    while (cut > 0 && ((unsigned char)text.data[cut] & 0xC0) == 0x80)
        cut--;
    buf_add(out, str_slice(buf_str(&text), 0, cut));
    buf_add(out, STR("..."));
}
