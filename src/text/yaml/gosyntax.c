/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gosyntax.c - values as Go's %#v prints them, for the messages about keys that cannot be.
 *
 * A template that was not rendered is the usual cause: "{{ .Values.x }}" is a mapping whose key is
 * a mapping.
 */
#include "text/yaml/internal.h"

#include "go/quote.h"
#include "value/number.h"

static void add_number(struct buf *out, const struct value *v)
{
    char text[NUMBER_MAX];
    double d = 0;
    uint64_t u;

    if ((v->tag & RAW_WHAT) == RAW_INF) {
        buf_add(out, value_text(v));
        return;
    }
    if (yaml_key_kind(v) == YKEY_INT) {
        buf_add(out, value_text(v));
    } else if (v->kind == VALUE_INT && number_to_u64(value_text(v), &u)) {
        buf_fmt(out, "0x%llx", (unsigned long long)u);
    } else {
        (void)number_to_double(value_text(v), &d);
        buf_add(out, (str){text, number_format(text, d, NUMBER_G)});
    }
}

static void add_float_key(struct buf *out, str key)
{
    if (str_eq(key, STR(".inf")))
        key = STR("+Inf");
    else if (str_eq(key, STR("-.inf")))
        key = STR("-Inf");
    else if (str_eq(key, STR(".nan")))
        key = STR("NaN");
    buf_add(out, key);
}

void yaml_go_key(struct buf *out, const struct value *member)
{
    uint64_t u;

    switch ((enum ykey_kind)(member->tag >> RAW_KEY_SHIFT)) {
    case YKEY_STRING:
        go_quote(out, value_key(member));
        break;
    case YKEY_NULL:
        buf_add(out, STR("interface {}(nil)"));
        break;
    case YKEY_UINT:
        if (str_to_u64(value_key(member), &u))
            buf_fmt(out, "0x%llx", (unsigned long long)u);
        break;
    case YKEY_FLOAT:
        add_float_key(out, value_key(member));
        break;
    default:
        buf_add(out, value_key(member));
    }
}

static void add_object(struct buf *out, const struct value *v)
{
    AUTO_ARENA a = arena_new();
    struct value **members = value_sorted(a, v);

    buf_add(out, STR("map[interface {}]interface {}{"));
    for (size_t i = 0; i < v->len; i++) {
        buf_add(out, i ? STR(", ") : STR(""));
        yaml_go_key(out, members[i]);
        buf_char(out, ':');
        yaml_go_syntax(out, members[i]);
    }
    buf_char(out, '}');
}

static void add_list(struct buf *out, const struct value *v)
{
    buf_add(out, STR("[]interface {}{"));
    for (size_t i = 0; i < v->len; i++) {
        buf_add(out, i ? STR(", ") : STR(""));
        yaml_go_syntax(out, &v->items[i]);
    }
    buf_char(out, '}');
}

void yaml_go_syntax(struct buf *out, const struct value *v)
{
    switch ((enum value_kind)v->kind) {
    case VALUE_NULL:
        buf_add(out, STR("interface {}(nil)"));
        break;
    case VALUE_BOOL:
        buf_add(out, v->truth ? STR("true") : STR("false"));
        break;
    case VALUE_INT:
    case VALUE_FLOAT:
        add_number(out, v);
        break;
    case VALUE_STRING:
        go_quote(out, value_text(v));
        break;
    case VALUE_LIST:
        add_list(out, v);
        break;
    case VALUE_OBJECT:
        add_object(out, v);
        break;
    }
}
