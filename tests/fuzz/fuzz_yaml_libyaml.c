/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_yaml_libyaml.c - our scanner and grammar against libyaml's.
 *
 * Both are given the same bytes. They must agree on whether it is YAML, and when it is, on every
 * event with its anchor and text. Inputs of the classes in which Go's reader, and so ours,
 * differs from libyaml (docs/design/yaml.md) are left out by is_known_difference.
 */
#include "text/yaml/internal.h"

#include <yaml.h>

/*
 * What begins here in a flow collection: a colon before an indicator, which belongs to the scalar,
 * or an empty collection, which makes Go's reader forget the key that it may be.
 */
static bool is_odd_flow(str text)
{
    if (text.ptr[0] == ':')
        return memchr(",[]{}", text.ptr[1], 5);
    if (text.ptr[0] != '[' && text.ptr[0] != '{')
        return false;
    do
        text = str_from(text, 1);
    while (text.len && memchr(" \t\r\n", text.ptr[0], 4));
    return !text.len || memchr("]}#", text.ptr[0], 3);
}

/* Where the two part ways for good reason, recognised by bytes: rather too much than too little. */
static bool is_known_difference(str text)
{
    static const char *const parts[] = {
        "?",            /* ends plain scalars in flow collections */
        "%",            /* versions of YAML */
        "!",            /* which characters a tag may have, and what may follow it */
        "\\/",          /* escapes */
        "\\'",          /* escapes */
        "\xEF\xBB\xBF", /* byte order marks inside the text */
        "\xFF\xFE",     /* UTF-16, which yaml_source turns to UTF-8 before */
        "\xFE\xFF",     /* the same */
    };

    for (size_t i = 0; i < COUNT(parts); i++)
        if (str_contains(text, str_c(parts[i])))
            return true;
    for (size_t i = 0; i + 1 < text.len; i++)
        if (is_odd_flow(str_from(text, i)))
            return true;
    return false;
}

static enum yevent_kind kind_of(yaml_event_type_t type)
{
    switch (type) {
    case YAML_DOCUMENT_START_EVENT:
        return YEVENT_DOC_START;
    case YAML_DOCUMENT_END_EVENT:
        return YEVENT_DOC_END;
    case YAML_ALIAS_EVENT:
        return YEVENT_ALIAS;
    case YAML_SCALAR_EVENT:
        return YEVENT_SCALAR;
    case YAML_SEQUENCE_START_EVENT:
        return YEVENT_SEQ;
    case YAML_SEQUENCE_END_EVENT:
        return YEVENT_SEQ_END;
    case YAML_MAPPING_START_EVENT:
        return YEVENT_MAP;
    case YAML_MAPPING_END_EVENT:
        return YEVENT_MAP_END;
    default:
        return YEVENT_STREAM_END;
    }
}

static void add_event(struct buf *out, enum yevent_kind kind, str anchor, str value)
{
    buf_fmt(out, "%d &%zu ", (int)kind, anchor.len);
    buf_add(out, anchor);
    buf_fmt(out, " %zu ", value.len);
    buf_add(out, value);
    buf_char(out, '\n');
}

/* All events as text. False when they end in a problem. */
static bool our_events(struct arena *a, str text, struct buf *out, bool *limit)
{
    AUTO_ARENA scratch = arena_new();
    struct yparse p = {0};
    struct yevent event;

    yparse_begin(&p, a, scratch, text);
    do {
        if (!yparse_next(&p, &event)) {
            *limit = p.scan.problem.limit;
            return false;
        }
        add_event(out, event.kind, event.anchor, event.value);
    } while (event.kind != YEVENT_STREAM_END);
    return true;
}

static void add_their_event(struct buf *out, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL;
    str value = STR_NONE;

    if (event->type == YAML_ALIAS_EVENT)
        anchor = event->data.alias.anchor;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        anchor = event->data.sequence_start.anchor;
    if (event->type == YAML_MAPPING_START_EVENT)
        anchor = event->data.mapping_start.anchor;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        value = str_of((const char *)event->data.scalar.value, event->data.scalar.length);
    }
    add_event(out, kind_of(event->type), str_c((const char *)anchor), value);
}

static bool their_events(str text, struct buf *out)
{
    yaml_parser_t parser;
    yaml_event_t event;
    bool ok, more = true;

    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr, text.len);
    do {
        ok = yaml_parser_parse(&parser, &event);
        if (!ok)
            break;
        more = event.type != YAML_STREAM_END_EVENT;
        if (event.type != YAML_STREAM_START_EVENT)
            add_their_event(out, &event);
        yaml_event_delete(&event);
    } while (more);
    yaml_parser_delete(&parser);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = str_of((const char *)data, size);
    bool limit = false;

    if (!size || is_known_difference(text))
        return 0;
    AUTO_ARENA a = arena_new();
    struct buf ours = buf_new(a, BUF_UNLIMITED), theirs = buf_new(a, BUF_UNLIMITED);
    bool ok = our_events(a, text, &ours, &limit);
    if (limit)
        return 0;
    if (ok != their_events(text, &theirs))
        abort();
    if (ok && !str_eq(buf_str(&ours), buf_str(&theirs)))
        abort();
    return 0;
}
