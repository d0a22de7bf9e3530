/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - writing TOML as BurntSushi/toml's encoder does; see toml.h.
 *
 * The name of a table is the chain of keys that leads to it. It is kept as a stack of keys, and
 * written out for each table.
 */
#include "text/toml/internal.h"

#include "value/number.h"

struct writer {
    struct buf *out;
    struct arena *arena; /* for sorting and keys */
    struct err *e;
    enum number_rule numbers;
    VEC(str) path; /* keys from the root to the table being written */
    bool begun;    /* something was written */
    bool tagged;   /* strings may represent values that JSON lacks */
};

/* ---- Kinds. ---- */

/* Whether v is written as [table] or [[tables]]. Fails on a list with a null in it. */
static bool find_table(struct writer *w, const struct value *v, bool *table);

/* Whether all elements are objects. Fails on nulls, even those in lists within the list. */
static bool find_table_list(struct writer *w, const struct value *v, bool *table)
{
    bool inner;

    *table = v->len > 0;
    for (size_t i = 0; i < v->len; i++) {
        const struct value *item = &v->items[i];
        if (item->kind == VALUE_NULL)
            return err_set(w->e, ERR_INVALID, "toml: cannot encode array with nil element");
        if (item->kind != VALUE_OBJECT)
            *table = false;
        if (item->kind == VALUE_LIST && !find_table_list(w, item, &inner))
            return false;
    }
    return true;
}

static bool find_table(struct writer *w, const struct value *v, bool *table)
{
    if (v->kind == VALUE_LIST)
        return find_table_list(w, v, table);
    *table = v->kind == VALUE_OBJECT;
    return true;
}

/* ---- Text. ---- */

static void put(struct writer *w, str s)
{
    buf_add(w->out, s);
    w->begun = true;
}

/* Starts a new line, except at the very beginning. */
static void put_newline(struct writer *w)
{
    if (w->begun)
        buf_char(w->out, '\n');
}

static void put_indent(struct writer *w)
{
    for (size_t i = 1; i < w->path.len; i++)
        put(w, STR("  "));
}

static void put_escape(struct writer *w, char c)
{
    static const char short_names[] = "btn?fr"; /* 8 to 13; 11 has none */

    if (c == '"' || c == '\\')
        buf_fmt(w->out, "\\%c", c);
    else if (c >= 8 && c <= 13 && c != 11)
        buf_fmt(w->out, "\\%c", short_names[c - 8]);
    else
        buf_fmt(w->out, "\\u%04x", (unsigned char)c);
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && c != '"' && c != '\\' && c != 0x7F;
}

static void put_quoted(struct writer *w, str s)
{
    size_t done = 0;

    put(w, STR("\""));
    for (size_t i = 0; i < s.len; i++) {
        if (is_plain(s.ptr[i]))
            continue;
        put(w, str_slice(s, done, i));
        put_escape(w, s.ptr[i]);
        done = i + 1;
    }
    put(w, str_from(s, done));
    put(w, STR("\""));
}

static bool is_bare_key(str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (!toml_is_bare((unsigned char)key.ptr[i]))
            return false;
    return key.len > 0;
}

static void put_key(struct writer *w, str key)
{
    if (is_bare_key(key))
        put(w, key);
    else
        put_quoted(w, key);
}

/* The keys from the root, with dots between. */
static void put_path(struct writer *w)
{
    for (size_t i = 0; i < w->path.len; i++) {
        if (i)
            put(w, STR("."));
        put_key(w, w->path.items[i]);
    }
}

void toml_write_key(struct buf *out, const str *parts, size_t count)
{
    struct writer w = {.out = out};

    w.path.items = (str *)parts;
    w.path.len = count;
    put_path(&w);
}

/* ---- Numbers. ---- */

/* As strconv's 'f' with the fewest digits, and always with a point: 1e21 has all its zeros. */
static void put_double(struct writer *w, double d)
{
    char digits[NUMBER_MAX];
    int point;
    size_t n = number_digits(digits, d, &point);
    int count = (int)n;

    if (d == 0) /* it has the digit 0, and its point is meaningless */
        point = 1;
    put(w, __builtin_signbit(d) ? STR("-") : STR_NONE);
    if (point <= 0) {
        put(w, STR("0."));
        buf_repeat(w->out, '0', (size_t)-point);
        put(w, str_of(digits, n));
    } else if (point >= count) {
        put(w, str_of(digits, n));
        buf_repeat(w->out, '0', (size_t)(point - count));
        put(w, STR(".0"));
    } else {
        put(w, str_of(digits, (size_t)point));
        put(w, STR("."));
        put(w, str_of(digits + point, n - (size_t)point));
    }
}

static bool put_number(struct writer *w, const struct value *v)
{
    str text = value_text(v);
    int64_t i;
    double d;

    if (w->numbers == NUMBERS_EXACT || w->numbers == NUMBERS_PLAIN) {
        put(w, text);
        return true;
    }
    if (w->numbers == NUMBERS_GO && v->kind == VALUE_INT && str_to_i64(text, &i)) {
        buf_fmt(w->out, "%lld", (long long)i); /* -0 is the integer 0 */
        w->begun = true;
        return true;
    }
    if (!number_to_double(text, &d))
        return err_set(w->e, ERR_INVALID, "number %.*s is out of range", STR_ARG(text));
    put_double(w, d);
    return true;
}

/* ---- Values on one line. ---- */

static bool put_value(struct writer *w, const struct value *v);

static bool put_list(struct writer *w, const struct value *v)
{
    put(w, STR("["));
    for (size_t i = 0; i < v->len; i++) {
        if (i)
            put(w, STR(", "));
        if (!put_value(w, &v->items[i]))
            return false;
    }
    put(w, STR("]"));
    return true;
}

/* The members of an object: those that are plain values first, then tables; sorted both times. */
struct parts {
    struct value **plain, **tables;
    size_t plain_count, table_count;
};

static bool split_members(struct writer *w, const struct value *v, struct parts *out)
{
    struct value **sorted = value_sorted(w->arena, v);
    bool table;

    *out = (struct parts){.plain = ARENA_ARRAY(w->arena, struct value *, v->len),
                          .tables = ARENA_ARRAY(w->arena, struct value *, v->len)};
    for (size_t i = 0; i < v->len; i++) {
        if (!find_table(w, sorted[i], &table))
            return false;
        if (table)
            out->tables[out->table_count++] = sorted[i];
        else
            out->plain[out->plain_count++] = sorted[i];
    }
    return true;
}

/*
 * Members of an inline table. Upstream: whether a comma follows is decided before nulls are left
 * out, so that {"a": 1, "b": null} gives {a = 1, }. more: other members follow.
 */
static bool put_members(struct writer *w, struct value *const *members, size_t count, bool more)
{
    for (size_t i = 0; i < count; i++) {
        if (members[i]->kind == VALUE_NULL)
            continue;
        put_key(w, value_key(members[i]));
        put(w, STR(" = "));
        if (!put_value(w, members[i]))
            return false;
        if (more || i + 1 < count)
            put(w, STR(", "));
    }
    return true;
}

static bool put_inline_table(struct writer *w, const struct value *v)
{
    struct parts p;

    put(w, STR("{"));
    if (!split_members(w, v, &p) || !put_members(w, p.plain, p.plain_count, p.table_count > 0) ||
        !put_members(w, p.tables, p.table_count, false))
        return false;
    put(w, STR("}"));
    return true;
}

static bool put_value(struct writer *w, const struct value *v)
{
    switch ((enum value_kind)v->kind) {
    case VALUE_BOOL:
        put(w, v->truth ? STR("true") : STR("false"));
        return true;
    case VALUE_INT:
    case VALUE_FLOAT:
        return put_number(w, v);
    case VALUE_STRING:
        if (w->tagged && v->tag >= TOML_FLOAT)
            put(w, value_str(v));
        else
            put_quoted(w, value_str(v));
        return true;
    case VALUE_LIST:
        return put_list(w, v);
    case VALUE_OBJECT:
        return put_inline_table(w, v);
    case VALUE_NULL:
        break;
    }
    assert(!"nulls are left out or refused before");
    return true;
}

/* ---- Tables. ---- */

static bool put_table(struct writer *w, const struct value *v);

static bool put_pair(struct writer *w, const struct value *v)
{
    put_indent(w);
    put_key(w, value_key(v));
    put(w, STR(" = "));
    if (!put_value(w, v))
        return false;
    put_newline(w);
    return true;
}

static bool put_table_list(struct writer *w, const struct value *v)
{
    for (size_t i = 0; i < v->len; i++) {
        put_newline(w);
        put_indent(w);
        put(w, STR("[["));
        put_path(w);
        put(w, STR("]]"));
        put_newline(w);
        if (!put_table(w, &v->items[i]))
            return false;
    }
    return true;
}

static bool put_named_table(struct writer *w, const struct value *v)
{
    if (w->path.len == 1)
        put_newline(w); /* a blank line between the tables of the root */
    put_indent(w);
    put(w, STR("["));
    put_path(w);
    put(w, STR("]"));
    put_newline(w);
    return put_table(w, v);
}

/* One member; the path ends with its key. */
static bool put_member(struct writer *w, const struct value *v, bool table)
{
    if (!table)
        return put_pair(w, v);
    return v->kind == VALUE_LIST ? put_table_list(w, v) : put_named_table(w, v);
}

static bool put_each(struct writer *w, struct value *const *members, size_t count, bool tables)
{
    for (size_t i = 0; i < count; i++) {
        if (members[i]->kind == VALUE_NULL)
            continue;
        VEC_PUSH(w->arena, &w->path, value_key(members[i]));
        bool ok = put_member(w, members[i], tables);
        w->path.len--;
        if (!ok)
            return false;
    }
    return true;
}

static bool put_table(struct writer *w, const struct value *v)
{
    struct parts p;

    /* Stops when the buffer is full, since names of nested tables grow with the depth. */
    return buf_check(w->out, w->e) && split_members(w, v, &p) &&
           put_each(w, p.plain, p.plain_count, false) && put_each(w, p.tables, p.table_count, true);
}

static bool put_root(struct writer *w, const struct value *v)
{
    bool table;

    if (!v || v->kind == VALUE_NULL)
        return err_set(w->e, ERR_USAGE, "reflect: call of reflect.Value.Type on zero Value");
    if (v->kind == VALUE_OBJECT)
        return put_table(w, v);
    if (!find_table(w, v, &table))
        return false;
    if (table)
        return err_set(w->e, ERR_INVALID, "toml: top-level values must be Go maps or structs");
    return put_value(w, v);
}

bool toml_write(struct buf *out, const struct value *v, enum number_rule numbers, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct writer w = {.out = out, .arena = a, .e = e, .numbers = numbers};

    return put_root(&w, v) && buf_check(out, e);
}

bool toml_write_tagged(struct buf *out, const struct value *v, enum number_rule numbers,
                       struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct writer w = {.out = out, .arena = a, .e = e, .numbers = numbers, .tagged = true};

    return put_root(&w, v) && buf_check(out, e);
}
