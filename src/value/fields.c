/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - files of facts into structs, by tables of keys. */
#include "value/fields.h"

#include <stdarg.h>

bool fields_fail(struct fields *f, const struct value *v, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    str text = str_vfmt(f->arena, format, args);
    va_end(args);
    err_set_str(f->e, ERR_INVALID, text);
    return err_at(f->e, source_where(f->source, v));
}

static bool unknown_key(struct fields *f, const struct value *v, const struct field *table)
{
    struct buf known = buf_new(f->arena, BUF_UNLIMITED);

    for (const struct field *line = table; line->key; line++)
        buf_fmt(&known, "%s%s", known.len ? ", " : "", line->key);
    return fields_fail(f, v, "unknown key \"%.*s\"; known are %.*s", STR_ARG(value_key(v)),
                       STR_ARG(buf_str(&known)));
}

bool fields_read(struct fields *f, const struct value *object, const struct field *table, void *out)
{
    if (!value_is(object, VALUE_OBJECT))
        return fields_fail(f, object, "an object is wanted here");
    for (size_t i = 0; i < object->len; i++) {
        const struct value *v = &object->items[i];
        const struct field *line = table;
        while (line->key && !str_eq(str_c(line->key), value_key(v)))
            line++;
        if (!line->key)
            return unknown_key(f, v, table);
        if (!line->read(f, v, (char *)out + line->offset))
            return false;
    }
    return true;
}

bool fields_text(struct fields *f, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_STRING) || !v->len)
        return fields_fail(f, v, "%.*s must be a text", STR_ARG(value_key(v)));
    *(str *)out = value_str(v);
    return true;
}

bool fields_bool(struct fields *f, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_BOOL))
        return fields_fail(f, v, "%.*s must be true or false", STR_ARG(value_key(v)));
    *(bool *)out = v->truth;
    return true;
}

bool fields_any(struct fields *f, const struct value *v, void *out)
{
    (void)f;
    *(const struct value **)out = v;
    return true;
}

bool fields_number(struct fields *f, const struct value *v, int64_t max, int64_t *out)
{
    if (value_to_i64(v, out) && *out >= 0 && *out <= max)
        return true;
    return fields_fail(f, v, "%.*s must be a number from 0 to %lld", STR_ARG(value_key(v)),
                       (long long)max);
}

bool fields_word(struct fields *f, const struct value *v, const struct field_word *words, int *out)
{
    struct buf known = buf_new(f->arena, BUF_UNLIMITED);

    for (const struct field_word *w = words; w->name; w++) {
        if (str_eq(value_str(v), str_c(w->name))) {
            *out = w->value;
            return true;
        }
        buf_fmt(&known, "%s%s", known.len ? ", " : "", w->name);
    }
    return fields_fail(f, v, "%.*s must be one of %.*s", STR_ARG(value_key(v)),
                       STR_ARG(buf_str(&known)));
}
