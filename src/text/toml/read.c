/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - reading TOML: keys, tables, lists and inline tables; see toml.h and
 * internal.h.
 *
 * The tree is built from the root for each value, along the keys of the current table, as
 * BurntSushi's parser does it: that determines what may be defined twice, and how a clash is
 * reported. A table that has only appeared in a longer key is implicit: it may still be defined
 * once.
 */
#include "text/toml/internal.h"

typedef VEC(str) key_vec;

/* ---- The tree ---- */

enum toml_kind toml_kind(const struct value *v)
{
    return (enum toml_kind)(v->tag & TOML_KIND_MASK);
}

static const char *shown_key(struct toml_reader *r, const str *parts, size_t count, str last)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    toml_write_key(&b, parts, count);
    if (last.ptr) {
        if (count)
            buf_char(&b, '.');
        toml_write_key(&b, &last, 1);
    }
    return str_z(r->arena, buf_str(&b));
}

/*
 * The table that a node refers to: itself, or the last one of [[key]]. NULL if it is not a table.
 */
static struct value *table_of(struct value *v)
{
    if (v->kind == VALUE_OBJECT)
        return v;
    return v->kind == VALUE_LIST && toml_kind(v) == TOML_TABLES ? &v->items[v->len - 1] : NULL;
}

/* The table that is being filled. */
static bool current_table(struct toml_reader *r, struct value **out)
{
    struct value *table = r->root;

    *out = NULL;
    for (size_t i = 0; i < r->context.len; i++) {
        table = table_of(value_get(table, r->context.items[i]));
        if (!table)
            return toml_fail_line(r, r->key_line, "Key '%s' has already been defined.",
                                  shown_key(r, r->context.items, i + 1, STR_NONE));
    }
    *out = table;
    return true;
}

/* How a value is set. */
enum set_mode {
    SET_VALUE,    /* key = value */
    SET_TABLE,    /* [key] */
    SET_IMPLICIT, /* a part of a longer key, or an inline table: an empty table to be filled */
};

/*
 * Sets a key of the current table. Upstream: if the key exists, a list is replaced, an implicit
 * table is taken over, and everything else is an error.
 */
static bool set_key(struct toml_reader *r, str key, struct value *v, enum set_mode mode)
{
    bool is_array = mode == SET_VALUE && value_is(v, VALUE_LIST) && toml_kind(v) == TOML_PLAIN;
    struct value *table, *old;

    if (!current_table(r, &table))
        return false;
    old = value_get(table, key);
    if (old && !(old->tag & TOML_ARRAY) && !is_array) {
        if (mode != SET_IMPLICIT && !(old->tag & TOML_IMPLICIT))
            return toml_fail_line(r, r->key_line, "Key '%s' has already been defined.",
                                  shown_key(r, r->context.items, r->context.len, key));
        old->tag &= (uint8_t)~TOML_IMPLICIT;
        return true;
    }
    if (is_array || (old && mode == SET_IMPLICIT))
        v->tag |= TOML_ARRAY;
    if (!old && mode == SET_IMPLICIT)
        v->tag |= TOML_IMPLICIT;
    value_set(r->arena, table, key, v);
    return true;
}

/* The table that the first parts of a key lead to; missing ones become implicit. */
static bool parent_table(struct toml_reader *r, const str *parts, size_t count, struct value **out)
{
    struct value *table = r->root, *v;

    assert(parts || !count);
    *out = NULL;
    for (size_t i = 0; i < count; i++) {
        v = value_get(table, parts[i]);
        if (!v) {
            struct value *fresh = value_object(r->arena);
            fresh->tag = TOML_IMPLICIT;
            v = value_set(r->arena, table, parts[i], fresh);
        }
        table = table_of(v);
        if (!table)
            return toml_fail_line(r, r->key_line, "Key '%s' was already created as a hash.",
                                  shown_key(r, parts, i + 1, STR_NONE));
    }
    *out = table;
    return true;
}

/* [[key]], or an inline table in a list: one more table below parent, which is the context. */
static bool add_table(struct toml_reader *r, str key, struct value *parent)
{
    struct value *list = value_get(parent, key);

    if (!list) {
        struct value *fresh = value_list(r->arena);
        fresh->tag = TOML_TABLES;
        list = value_set(r->arena, parent, key, fresh);
    }
    if (list->kind != VALUE_LIST || toml_kind(list) != TOML_TABLES)
        return toml_fail_line(r, r->key_line,
                              "Key '%s' was already created and cannot be used as an array.",
                              shown_key(r, r->context.items, r->context.len, key));
    value_add(r->arena, list, value_object(r->arena));
    return true;
}

/* Creates the table key in the current one and enters it. */
static bool enter(struct toml_reader *r, str key, bool in_list, enum set_mode mode,
                  struct value *parent)
{
    if (in_list ? !add_table(r, key, parent) : !set_key(r, key, value_object(r->arena), mode))
        return false;
    VEC_PUSH(r->arena, &r->context, key);
    return true;
}

/* Makes the table with this key, as named in [key], the one to be filled. */
static bool enter_table(struct toml_reader *r, const key_vec *key, bool in_list)
{
    size_t parents = key->len - 1;
    struct value *parent;

    if (!parent_table(r, key->items, parents, &parent))
        return false;
    r->context.len = 0;
    for (size_t i = 0; i < parents; i++)
        VEC_PUSH(r->arena, &r->context, key->items[i]);
    return enter(r, key->items[parents], in_list, SET_TABLE, parent);
}

static bool too_deep(struct toml_reader *r)
{
    return err_set(r->e, ERR_LIMIT, "toml: line %lld: nested deeper than %d levels",
                   (long long)r->line, TOML_DEPTH_MAX);
}

/* ---- Keys ---- */

/*
 * Reads one part of a key, quoted or bare. A bare part may be empty: then what follows is an error.
 */
static bool read_part(struct toml_reader *r, uint32_t first, key_vec *key)
{
    size_t start = r->at;
    str part = STR_NONE;

    if (key->len + r->context.len >= TOML_DEPTH_MAX)
        return too_deep(r);
    if (first == '"' || first == '\'') {
        r->at++;
        if (!toml_string(r, first, &part))
            return false;
    } else {
        while (r->at < r->text.len && toml_is_bare((unsigned char)r->text.ptr[r->at]))
            r->at++;
        part = str_slice(r->text, start, r->at);
    }
    VEC_PUSH(r->arena, key, part);
    return true;
}

/* Reads a key up to and including its "=". */
static bool read_key(struct toml_reader *r, key_vec *key)
{
    uint32_t c;

    for (;;) {
        bool first = key->len == 0;
        if (!toml_skip_blanks(r) || !toml_peek(r, &c))
            return false;
        if (c == '=' || c == TOML_EOF)
            return TOML_FAIL(r, "unexpected '='%s", first ? ": key name appears blank" : "");
        if (c == '.')
            return TOML_FAIL(r, "unexpected '.'%s", first ? ": keys cannot start with a '.'" : "");
        if (!read_part(r, c, key))
            return false;
        if (first)
            r->key_line = r->line;
        if (!toml_skip_blanks(r) || !toml_next(r, &c))
            return false;
        if (c == '=')
            return true;
        if (c == TOML_EOF)
            return toml_fail_after(r, c, "unexpected EOF; expected key separator '='");
        if (c != '.')
            return toml_fail_line(r, r->line - (c == '\n'),
                                  "expected '.' or '=', but got %s instead", toml_quote(r, c));
    }
}

/* Reads the name of a table up to and including the "]" that ends it. */
static bool read_table_name(struct toml_reader *r, key_vec *key)
{
    uint32_t c;

    do {
        if (!toml_skip_blanks(r) || !toml_peek(r, &c))
            return false;
        if (c == ']' || c == TOML_EOF)
            return TOML_FAIL(r, "unexpected end of table name (table names cannot be empty)");
        if (c == '.')
            return TOML_FAIL(r, "unexpected table separator (table names cannot be empty)");
        if (!read_part(r, c, key))
            return false;
        if (key->len == 1)
            r->key_line = r->line;
        if (!toml_skip_blanks(r) || !toml_next(r, &c))
            return false;
        if (c != '.' && c != ']')
            return toml_fail_after(r, c,
                                   "expected '.' or ']' to end table name, but got %s instead",
                                   toml_quote(r, c));
    } while (c == '.');
    return true;
}

/* ---- Values ---- */

static bool read_value(struct toml_reader *r, bool in_list, struct value **out);

/* Enters the parts of a key before the last, each of which is a table, one after the other. */
static bool enter_parts(struct toml_reader *r, const key_vec *key)
{
    struct value *parent;

    assert(key->items);
    r->key = key->items[key->len - 1];
    for (size_t i = 0; i + 1 < key->len; i++)
        if (!parent_table(r, r->context.items, r->context.len, &parent) ||
            !enter(r, key->items[i], false, SET_IMPLICIT, parent))
            return false;
    return true;
}

/* Reads key = value. The context is restored at the end. */
static bool read_pair(struct toml_reader *r, key_vec *key, struct value **v)
{
    size_t outer = r->context.len;

    if (!read_key(r, key) || !enter_parts(r, key) || !read_value(r, false, v))
        return false;
    assert(*v);
    if (!set_key(r, r->key, *v, SET_VALUE))
        return false;
    r->context.len = outer;
    return true;
}

/*
 * Sets a value in an inline table that is built outside the tree as well: a list of inline tables
 * takes its elements from there.
 */
static bool set_inline(struct toml_reader *r, struct value *table, const key_vec *key,
                       const struct value *v)
{
    for (size_t i = 0; i + 1 < key->len; i++) {
        struct value *next = value_get(table, key->items[i]);
        if (!next)
            next = value_set(r->arena, table, key->items[i], value_object(r->arena));
        if (next->kind != VALUE_OBJECT)
            return toml_fail_line(r, r->key_line, "%s is not a table",
                                  toml_quote_str(r, key->items[i]));
        table = next;
    }
    value_set(r->arena, table, key->items[key->len - 1], v)->tag &= TOML_KIND_MASK;
    return true;
}

/* "end of file", or the unescaped character in quotes. */
static const char *found(struct toml_reader *r, uint32_t c)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    if (c == TOML_EOF)
        return "end of file";
    buf_char(&b, '\'');
    buf_rune(&b, c);
    buf_char(&b, '\'');
    return str_z(r->arena, buf_str(&b));
}

/* Goes back by the character that was read last. */
static void step_back(struct toml_reader *r, uint32_t c)
{
    size_t width = 0;

    if (c != TOML_EOF)
        utf8_decode_last(str_slice(r->text, 0, r->at), &width);
    r->at -= width;
}

/* Between the pairs of an inline table. *end when it is over. */
static bool next_pair(struct toml_reader *r, bool first, bool *end)
{
    uint32_t c;

    for (*end = false; !*end;) {
        if (!toml_skip_blanks(r) || !toml_next(r, &c))
            return false;
        if (toml_is_newline(c))
            return toml_fail_line(r, r->line - 1, "newlines not allowed within inline tables");
        if (c == '#') {
            if (!toml_comment(r))
                return false;
        } else if (c == '}') {
            *end = true;
        } else if (first && c == ',') {
            return TOML_FAIL(r, "unexpected comma");
        } else if (first) {
            step_back(r, c);
            return true;
        } else if (c == ',') {
            if (!toml_skip_blanks(r) || !toml_peek(r, &c))
                return false;
            if (c == '}')
                return TOML_FAIL(r, "trailing comma not allowed in inline tables");
            first = true;
        } else {
            return toml_fail_after(
                r, c, "expected a comma or an inline table terminator '}', but got %s instead",
                found(r, c));
        }
    }
    return true;
}

static bool read_inline_table(struct toml_reader *r, bool in_list, struct value **out)
{
    size_t outer = r->context.len;
    str outer_key = r->key;
    struct value *parent;
    bool end = false;

    *out = value_object(r->arena);
    if (!parent_table(r, r->context.items, outer, &parent))
        return false;
    r->key = STR_NONE;
    if (!enter(r, outer_key, in_list, SET_IMPLICIT, parent) || !next_pair(r, true, &end))
        return false;
    while (!end) {
        key_vec key = {0};
        struct value *v;
        if (!read_pair(r, &key, &v) || !set_inline(r, *out, &key, v) || !next_pair(r, false, &end))
            return false;
    }
    r->context.len = outer;
    r->key = outer_key;
    return true;
}

/* Between the elements of a list: white space, line breaks and comments. Reads one character on. */
static bool next_in_list(struct toml_reader *r, uint32_t *c)
{
    for (;;) {
        if (!toml_next(r, c))
            return false;
        if (*c == '#') {
            if (!toml_comment(r))
                return false;
        } else if (!toml_is_blank(*c) && !toml_is_newline(*c)) {
            return true;
        }
    }
}

static bool read_list(struct toml_reader *r, struct value **out)
{
    struct value *item;
    uint32_t c;

    *out = value_list(r->arena);
    for (;;) {
        if (!next_in_list(r, &c))
            return false;
        if (c == ']')
            return true;
        if (c == ',')
            return TOML_FAIL(r, "unexpected comma");
        step_back(r, c);
        if (!read_value(r, true, &item))
            return false;
        assert(item);
        value_add(r->arena, *out, item)->tag &= TOML_KIND_MASK;
        if (!next_in_list(r, &c))
            return false;
        if (c == ']')
            return true;
        if (c != ',')
            return toml_fail_after(
                r, c, "expected a comma (',') or array terminator (']'), but got %s", found(r, c));
    }
}

static bool read_value(struct toml_reader *r, bool in_list, struct value **out)
{
    uint32_t c;
    bool ok;

    *out = NULL;
    if (!toml_skip_blanks(r) || !toml_next(r, &c))
        return false;
    if (c != '[' && c != '{')
        return toml_scalar(r, c, out);
    if (++r->depth + r->context.len > TOML_DEPTH_MAX)
        return too_deep(r);
    ok = c == '[' ? read_list(r, out) : read_inline_table(r, in_list, out);
    r->depth--;
    return ok;
}

/* ---- The document ---- */

/* [table] or [[table]], whose first "[" has been read. */
static bool read_table(struct toml_reader *r)
{
    key_vec key = {0};
    bool in_list;
    uint32_t c;

    if (!toml_peek(r, &c))
        return false;
    in_list = c == '[';
    r->at += in_list;
    if (!read_table_name(r, &key))
        return false;
    if (in_list) {
        if (!toml_next(r, &c))
            return false;
        if (c != ']')
            return toml_fail_after(
                r, c, "expected end of table array name delimiter ']', but got %s instead",
                toml_quote(r, c));
    }
    return enter_table(r, &key, in_list);
}

/* After a table or a pair, only a comment may follow on the line. */
static bool read_end_of_line(struct toml_reader *r)
{
    uint32_t c;

    if (!toml_skip_blanks(r) || !toml_next(r, &c))
        return false;
    if (c == '#')
        return toml_comment(r);
    return c == TOML_EOF || toml_is_newline(c) ||
           TOML_FAIL(r,
                     "expected a top-level item to end with a newline, comment, or EOF, but got "
                     "%s instead",
                     toml_quote(r, c));
}

static bool read_top_pair(struct toml_reader *r)
{
    key_vec key = {0};
    struct value *v;

    if (!read_pair(r, &key, &v))
        return false;
    r->key = STR_NONE;
    return true;
}

static bool read_document(struct toml_reader *r)
{
    uint32_t c;

    for (;;) {
        if (!toml_peek(r, &c))
            return false;
        if (c == TOML_EOF)
            return true;
        if (toml_is_blank(c) || toml_is_newline(c) || c == '#' || c == '[') {
            if (!toml_next(r, &c) || (c == '#' && !toml_comment(r)) ||
                (c == '[' && (!read_table(r) || !read_end_of_line(r))))
                return false;
        } else if (!read_top_pair(r) || !read_end_of_line(r)) {
            return false;
        }
    }
}

/* Skips a byte order mark, even a UTF-16 one: NULs will show if the text really is UTF-16. */
static str skip_mark(str text)
{
    static const str marks[] = {STR_INIT("\xff\xfe"), STR_INIT("\xfe\xff"),
                                STR_INIT("\xef\xbb\xbf")};

    for (size_t i = 0; i < COUNT(marks); i++)
        if (str_has_prefix(text, marks[i]))
            return str_from(text, marks[i].len);
    return text;
}

bool toml_read(struct arena *a, const struct source *src, struct value **out, struct err *e)
{
    struct toml_reader r = {.arena = a, .e = e, .text = skip_mark(src->text), .line = 1};

    *out = NULL;
    if (str_find_char(str_slice(r.text, 0, 6), '\0') != STR_NPOS)
        return TOML_FAIL(&r, "files cannot contain NULL bytes; probably using UTF-16; TOML files "
                             "must be UTF-8");
    r.root = value_object(a);
    if (!read_document(&r))
        return false;
    *out = r.root;
    return true;
}
