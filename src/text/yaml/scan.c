/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - bytes to tokens: structure.
 *
 * Two things make YAML hard to cut into tokens. Indentation becomes tokens of its own: a stack of
 * columns says which block collections are open. And in "key: value" nothing indicates that a key
 * has begun until the colon is seen, so tokens wait in a queue as long as one of them might turn
 * out to be the beginning of a key; then a key token is inserted before it. A key must end within
 * 1024 characters and on its line, which bounds the queue.
 */
#include "text/yaml/scan_internal.h"

#define LEVELS_MAX VALUE_DEPTH_MAX
enum { KEY_CHARS_MAX = 1024 };

void yscan_begin(struct yscan *s, struct arena *a, struct arena *scratch, str text)
{
    *s = (struct yscan){.text = text, .arena = a, .scratch = scratch, .indent = -1};
    if (!text.len)
        s->text = STR("\n");
    s->built = buf_new(scratch, BUF_UNLIMITED);
    s->breaks = buf_new(scratch, BUF_UNLIMITED);
    s->key_allowed = true;
    VEC_ADD(scratch, &s->keys);
}

/* ---- The queue. ---- */

static void add_token(struct yscan *s, enum ytoken_kind kind, struct ymark start)
{
    struct ytoken *t = VEC_NEXT(s->scratch, &s->tokens);

    *t = (struct ytoken){.kind = (uint8_t)kind, .start = start, .end = yscan_mark(s)};
}

/* Puts a token before the one with this number; at the end when that has been taken already. */
static void insert_token(struct yscan *s, size_t number, enum ytoken_kind kind, struct ymark at)
{
    size_t i = number < s->taken ? s->tokens.len : s->head + (number - s->taken);

    VEC_NEXT(s->scratch, &s->tokens);
    memmove(&s->tokens.items[i + 1], &s->tokens.items[i],
            (s->tokens.len - 1 - i) * sizeof(s->tokens.items[0]));
    s->tokens.items[i] = (struct ytoken){.kind = (uint8_t)kind, .start = at, .end = at};
}

static size_t next_number(const struct yscan *s)
{
    return s->taken + (s->tokens.len - s->head);
}

/* ---- Keys whose colon has not been seen yet. ---- */

static struct ykey *top_key(struct yscan *s)
{
    return &s->keys.items[s->keys.len - 1];
}

/*
 * Whether the key is still possible. A required one (at the indentation of its mapping) that is
 * not is an error; *ok says so.
 */
static bool key_is_valid(struct yscan *s, struct ykey *key, bool *ok)
{
    if (!key->possible)
        return false;
    if (key->at.line == s->at.line && s->at.column - key->at.column <= KEY_CHARS_MAX)
        return true;
    key->too_long = key->at.line == s->at.line;
    if (key->required) {
        *ok = yscan_fail(s, "could not find expected ':'");
        s->long_key = key->too_long;
    }
    key->possible = false;
    return false;
}

static bool drop_key(struct yscan *s)
{
    struct ykey *key = top_key(s);

    if (key->possible && key->required)
        return yscan_fail(s, "could not find expected ':'");
    key->possible = false;
    return true;
}

/* Notes that a key may begin here. */
static bool save_key(struct yscan *s)
{
    if (!s->key_allowed)
        return true;
    if (!drop_key(s))
        return false;
    *top_key(s) = (struct ykey){
        .possible = true,
        .listed = true,
        .required = s->flow == 0 && s->indent == (int32_t)s->at.column,
        .token = next_number(s),
        .at = s->at,
    };
    if (s->first_key >= s->keys.len)
        s->first_key = s->keys.len - 1;
    return true;
}

/* Keys of outer levels began earlier, so only the outermost possible one can be the next token. */
static bool next_may_be_key(struct yscan *s, bool *ok)
{
    while (s->first_key < s->keys.len &&
           !(s->keys.items[s->first_key].possible && s->keys.items[s->first_key].listed))
        s->first_key++;
    if (s->first_key >= s->keys.len)
        return false;
    struct ykey *key = &s->keys.items[s->first_key];
    return key->token == s->taken && key_is_valid(s, key, ok);
}

/* ---- Nesting. ---- */

static bool fail_depth(struct yscan *s)
{
    yscan_fail(s, "exceeded max depth of 10000");
    s->problem.limit = true;
    return false;
}

/* Opens a block collection at column unless one is open there; its token goes before number. */
static bool open_block(struct yscan *s, size_t number, enum ytoken_kind kind, struct ymark at)
{
    if (s->flow || s->indent >= (int32_t)at.column)
        return true;
    VEC_PUSH(s->scratch, &s->indents, s->indent);
    s->indent = (int32_t)at.column;
    if (s->indents.len > LEVELS_MAX)
        return fail_depth(s);
    insert_token(s, number, kind, at);
    return true;
}

static void close_blocks(struct yscan *s, int32_t column)
{
    if (s->flow)
        return;
    while (s->indent > column) {
        add_token(s, YTOKEN_BLOCK_END, yscan_mark(s));
        s->indent = s->indents.items[--s->indents.len];
    }
}

/* ---- One function per kind of token. ---- */

static bool fetch_simple(struct yscan *s, enum ytoken_kind kind, size_t chars)
{
    struct ymark start = yscan_mark(s);

    while (chars--)
        yscan_skip(s);
    add_token(s, kind, start);
    return true;
}

static bool fetch_end(struct yscan *s)
{
    if (s->at.column != 0) {
        s->at.column = 0;
        s->at.line++;
        s->past = 1;
    }
    close_blocks(s, -1);
    if (!drop_key(s))
        return false;
    s->key_allowed = false;
    add_token(s, YTOKEN_STREAM_END, yscan_mark(s));
    return true;
}

static bool fetch_document_mark(struct yscan *s, enum ytoken_kind kind)
{
    close_blocks(s, -1);
    if (!drop_key(s))
        return false;
    s->key_allowed = false;
    return fetch_simple(s, kind, 3);
}

static bool fetch_flow_start(struct yscan *s, enum ytoken_kind kind)
{
    if (!save_key(s))
        return false;
    VEC_PUSH(s->scratch, &s->keys, ((struct ykey){.token = next_number(s)}));
    if (++s->flow > LEVELS_MAX)
        return fail_depth(s);
    s->key_allowed = true;
    return fetch_simple(s, kind, 1);
}

/*
 * Upstream: an empty collection, in which no key began, makes the queue forget the key that it may
 * be itself: "{}: x" reads as {}, because that is a whole document before the colon is seen.
 */
static void leave_flow(struct yscan *s)
{
    size_t token = top_key(s)->token;

    s->flow--;
    s->keys.len--;
    if (top_key(s)->token == token)
        top_key(s)->listed = false;
}

static bool fetch_flow_end(struct yscan *s, enum ytoken_kind kind)
{
    if (!drop_key(s))
        return false;
    if (s->flow)
        leave_flow(s);
    s->key_allowed = false;
    return fetch_simple(s, kind, 1);
}

static bool fetch_flow_entry(struct yscan *s)
{
    if (!drop_key(s))
        return false;
    s->key_allowed = true;
    return fetch_simple(s, YTOKEN_FLOW_ENTRY, 1);
}

static bool fetch_block_entry(struct yscan *s)
{
    if (s->flow == 0) {
        if (!s->key_allowed)
            return yscan_fail(s, "block sequence entries are not allowed in this context");
        if (!open_block(s, next_number(s), YTOKEN_BLOCK_SEQ, yscan_mark(s)))
            return false;
    }
    if (!drop_key(s))
        return false;
    s->key_allowed = true;
    return fetch_simple(s, YTOKEN_BLOCK_ENTRY, 1);
}

static bool fetch_key(struct yscan *s)
{
    if (s->flow == 0) {
        if (!s->key_allowed)
            return yscan_fail(s, "mapping keys are not allowed in this context");
        if (!open_block(s, next_number(s), YTOKEN_BLOCK_MAP, yscan_mark(s)))
            return false;
    }
    if (!drop_key(s))
        return false;
    s->key_allowed = s->flow == 0;
    return fetch_simple(s, YTOKEN_KEY, 1);
}

/* A colon whose key was not announced: the key is empty, or stood after '?'. */
static bool fetch_lone_value(struct yscan *s)
{
    if (s->flow == 0) {
        if (!s->key_allowed)
            return yscan_fail(s, "mapping values are not allowed in this context");
        if (!open_block(s, next_number(s), YTOKEN_BLOCK_MAP, yscan_mark(s)))
            return false;
    }
    s->key_allowed = s->flow == 0;
    return fetch_simple(s, YTOKEN_VALUE, 1);
}

static bool fetch_value(struct yscan *s)
{
    struct ykey *key = top_key(s);
    bool ok = true;

    if (!key_is_valid(s, key, &ok)) {
        s->long_key |= key->too_long;
        return ok && fetch_lone_value(s);
    }
    insert_token(s, key->token, YTOKEN_KEY, key->at);
    if (!open_block(s, key->token, YTOKEN_BLOCK_MAP, key->at))
        return false;
    key->possible = false;
    s->key_allowed = false;
    return fetch_simple(s, YTOKEN_VALUE, 1);
}

typedef bool scan_fn(struct yscan *s, struct ytoken *t);

static bool fetch_scanned(struct yscan *s, enum ytoken_kind kind, scan_fn *scan)
{
    struct ytoken t = {.kind = (uint8_t)kind, .start = s->at};

    if (!scan(s, &t))
        return false;
    *VEC_NEXT(s->scratch, &s->tokens) = t;
    return true;
}

/* A token that may be the beginning of a key. */
static bool fetch_content(struct yscan *s, enum ytoken_kind kind, scan_fn *scan)
{
    if (!save_key(s))
        return false;
    s->key_allowed = false;
    return fetch_scanned(s, kind, scan);
}

static bool fetch_block_scalar(struct yscan *s)
{
    if (!drop_key(s))
        return false;
    s->key_allowed = true;
    return fetch_scanned(s, YTOKEN_SCALAR, yscan_block_scalar);
}

static bool fetch_directive(struct yscan *s)
{
    close_blocks(s, -1);
    if (!drop_key(s))
        return false;
    s->key_allowed = false;
    return fetch_scanned(s, YTOKEN_VERSION, yscan_directive);
}

/* ---- Choosing. ---- */

/* Moves over indentation as far as surely nothing has to be checked. */
static void skip_spaces(struct yscan *s)
{
    size_t end = s->checked > 16 ? s->checked - 16 : 0, at = s->at.pos;

    while (at < end && s->text.ptr[at] == ' ')
        at++;
    s->at.column += (uint32_t)at - s->at.pos;
    s->at.pos = (uint32_t)at;
}

/*
 * Moves over blanks, comments and line breaks. A tab is a blank only where no key can begin.
 *
 * Upstream: a byte order mark is looked for where Go's buffer begins instead of where the scanner
 * stands, so that with one there the first character of each line is lost. Where Go need not be
 * matched, a mark before a document, as files have it that were put behind each other, is skipped.
 */
static void skip_mark(struct yscan *s)
{
    if (!s->lenient && s->marked) {
        yscan_skip(s);
    } else if (s->lenient && yscan_byte(s, 0) == 0xEF && s->key_allowed &&
               str_has_prefix(str_from(s->text, s->at.pos), STR("\xEF\xBB\xBF"))) {
        yscan_skip(s);
        s->at.column = 0;
    }
}

static bool to_next_token(struct yscan *s)
{
    for (;;) {
        if (!yscan_need(s, 1))
            return false;
        if (s->at.column == 0)
            skip_mark(s);
        if (!yscan_need(s, 1))
            return false;
        skip_spaces(s);
        while (yscan_byte(s, 0) == ' ' ||
               (yscan_byte(s, 0) == '\t' && (s->flow || !s->key_allowed))) {
            yscan_skip(s);
            if (!yscan_need(s, 1))
                return false;
        }
        if (!yscan_skip_comment(s))
            return false;
        if (!yscan_is_break(s, 0))
            return true;
        if (!yscan_need(s, 2))
            return false;
        yscan_skip_break(s);
        if (s->flow == 0)
            s->key_allowed = true;
    }
}

static bool fetch_plain(struct yscan *s)
{
    return fetch_content(s, YTOKEN_SCALAR, yscan_plain_scalar);
}

/* '-', '?' and ':' are indicators before white space, else the beginning of a plain scalar. */
static bool fetch_indicator(struct yscan *s, uint8_t c)
{
    bool alone = yscan_is_blankz(s, 1);

    if (c == '-')
        return alone ? fetch_block_entry(s) : fetch_plain(s);
    if (!s->flow && !alone)
        return fetch_plain(s);
    return c == '?' ? fetch_key(s) : fetch_value(s);
}

static bool fetch_by_character(struct yscan *s, uint8_t c)
{
    switch (c) {
    case '[':
        return fetch_flow_start(s, YTOKEN_FLOW_SEQ);
    case '{':
        return fetch_flow_start(s, YTOKEN_FLOW_MAP);
    case ']':
        return fetch_flow_end(s, YTOKEN_FLOW_SEQ_END);
    case '}':
        return fetch_flow_end(s, YTOKEN_FLOW_MAP_END);
    case ',':
        return fetch_flow_entry(s);
    case '-':
    case '?':
    case ':':
        return fetch_indicator(s, c);
    case '*':
        return fetch_content(s, YTOKEN_ALIAS, yscan_anchor);
    case '&':
        return fetch_content(s, YTOKEN_ANCHOR, yscan_anchor);
    case '!':
        return fetch_content(s, YTOKEN_TAG, yscan_tag);
    case '\'':
    case '"':
        return fetch_content(s, YTOKEN_SCALAR, yscan_quoted_scalar);
    case '|':
    case '>':
        if (s->flow == 0)
            return fetch_block_scalar(s);
        return yscan_fail(s, "found character that cannot start any token");
    case '\t':
    case '%':
    case '@':
    case '`':
        return yscan_fail(s, "found character that cannot start any token");
    default:
        return fetch_plain(s);
    }
}

static bool fetch_token(struct yscan *s)
{
    if (!yscan_need(s, 1) || !to_next_token(s))
        return false;
    close_blocks(s, (int32_t)s->at.column);
    if (!yscan_need(s, 4))
        return false;
    uint8_t c = yscan_byte(s, 0);
    if (c == 0)
        return fetch_end(s);
    if (s->at.column == 0) {
        if (c == '%')
            return fetch_directive(s);
        if (c == '-' && yscan_at_document(s, '-'))
            return fetch_document_mark(s, YTOKEN_DOC_START);
        if (c == '.' && yscan_at_document(s, '.'))
            return fetch_document_mark(s, YTOKEN_DOC_END);
    }
    return fetch_by_character(s, c);
}

const struct ytoken *yscan_peek(struct yscan *s)
{
    bool ok = true;

    while (!s->ready) {
        if (s->head != s->tokens.len && !next_may_be_key(s, &ok)) {
            if (!ok)
                return NULL;
            s->ready = true;
        } else if (!fetch_token(s)) {
            return NULL;
        }
    }
    return &s->tokens.items[s->head];
}

void yscan_take(struct yscan *s)
{
    s->ready = false;
    s->taken++;
    if (++s->head == s->tokens.len)
        s->head = s->tokens.len = 0;
}
