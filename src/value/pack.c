/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c - packed trees.
 *
 * A node is a byte with its kind and, for containers, the number of its items; then its text or its
 * items. Numbers of bytes and items are varints. A key is the number of its word, or its length and
 * its bytes; so are short texts under keys whose values repeat (kind, namespace, status, ...).
 */
#include "value/pack.h"

#include <stdatomic.h>

/* ---- Words. ---- */

#define PAGE_WORDS 256

struct pack_words {
    struct lock lock; /* of everything but pages that are full or being read below count */
    struct arena *arena;
    struct map *numbers;                             /* word to its number */
    str *_Atomic pages[PACK_WORDS_MAX / PAGE_WORDS]; /* number to word, read without the lock */
    _Atomic uint32_t count;
};

struct pack_words *pack_words_new(void)
{
    struct arena *a = arena_new();
    struct pack_words *w = ARENA_NEW(a, struct pack_words);

    w->lock = (struct lock)LOCK_INIT;
    w->arena = a;
    w->numbers = map_new(a);
    return w;
}

void pack_words_free(struct pack_words *w)
{
    if (w)
        arena_free(w->arena);
}

size_t pack_words_count(const struct pack_words *w)
{
    return atomic_load(&w->count);
}

size_t pack_words_bytes(const struct pack_words *w)
{
    return arena_held(w->arena);
}

static void publish(struct pack_words *w, uint32_t number, str word)
{
    str *page = atomic_load(&w->pages[number / PAGE_WORDS]);

    if (!page)
        page = ARENA_ARRAY(w->arena, str, PAGE_WORDS);
    page[number % PAGE_WORDS] = word;
    atomic_store(&w->pages[number / PAGE_WORDS], page);
    atomic_store(&w->count, number + 1);
}

/* The number of a word, which is added when it is new. False when there is no room for it. */
static bool word_number(struct pack_words *w, str word, uint32_t *out)
{
    AUTO_LOCK guard = lock_take(&w->lock);
    uint32_t *known = map_get(w->numbers, word);

    *out = known ? *known : atomic_load(&w->count);
    if (known || *out == PACK_WORDS_MAX)
        return known;
    known = ARENA_NEW(w->arena, uint32_t);
    *known = *out;
    word = str_copy(w->arena, word);
    map_set(w->numbers, word, known);
    publish(w, *out, word);
    return true;
}

static bool word_at(const struct pack_words *w, uint64_t number, str *out)
{
    if (number >= atomic_load(&w->count))
        return false;
    *out = atomic_load(&w->pages[number / PAGE_WORDS])[number % PAGE_WORDS];
    return true;
}

/* ---- Packing. ---- */

/* Low bits of the first byte are the kind; these are beside it. */
#define TRUTH 8    /* of a bool */
#define IS_WORD 16 /* the text is the number of a word */

static void put_varint(struct buf *out, uint64_t n)
{
    while (n >= 0x80) {
        buf_char(out, (char)(n | 0x80));
        n >>= 7;
    }
    buf_char(out, (char)n);
}

static void put_key(struct pack_words *w, str key, struct buf *out)
{
    uint32_t number;

    if (key.len <= PACK_WORD_LEN_MAX && word_number(w, key, &number)) {
        put_varint(out, (uint64_t)number << 1);
        return;
    }
    put_varint(out, (uint64_t)key.len << 1 | 1);
    buf_add(out, key);
}

/* Whether values under this key are the same in very many objects. */
static bool repeats(str key)
{
    static const str keys[] = {
        STR_INIT("apiVersion"), STR_INIT("kind"),   STR_INIT("namespace"), STR_INIT("type"),
        STR_INIT("status"),     STR_INIT("reason"), STR_INIT("location"),
    };

    for (size_t i = 0; i < COUNT(keys); i++)
        if (str_eq(keys[i], key))
            return true;
    return false;
}

static void put_text(struct pack_words *w, const struct value *v, struct buf *out)
{
    str text = {v->text, v->len};
    uint32_t number;

    if (v->kind == VALUE_STRING && v->len <= 64 && repeats(value_key(v)) &&
        word_number(w, text, &number)) {
        buf_char(out, (char)(v->kind | IS_WORD));
        put_varint(out, number);
        return;
    }
    buf_char(out, (char)v->kind);
    put_varint(out, v->len);
    buf_add(out, text);
}

static void put_items(struct pack_words *w, const struct value *v, struct buf *out)
{
    buf_char(out, (char)v->kind);
    put_varint(out, v->len);
    for (size_t i = 0; i < v->len; i++) {
        if (v->kind == VALUE_OBJECT)
            put_key(w, value_key(&v->items[i]), out);
        value_pack(w, &v->items[i], out);
    }
}

void value_pack(struct pack_words *w, const struct value *v, struct buf *out)
{
    if (value_is_container(v))
        put_items(w, v, out);
    else if (v->kind == VALUE_BOOL)
        buf_char(out, (char)(VALUE_BOOL | (v->truth ? TRUTH : 0)));
    else if (v->kind == VALUE_NULL)
        buf_char(out, VALUE_NULL);
    else
        put_text(w, v, out);
}

/* ---- Unpacking. ---- */

struct unpacking {
    struct arena *arena;
    const struct pack_words *words;
    str rest;
    unsigned depth;
};

static bool get_varint(struct unpacking *u, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 63 && u->rest.len; shift += 7) {
        unsigned char c = (unsigned char)u->rest.ptr[0];
        u->rest = str_from(u->rest, 1);
        *out |= (uint64_t)(c & 0x7F) << shift;
        if (!(c & 0x80))
            return true;
    }
    return false;
}

static bool get_bytes(struct unpacking *u, uint64_t len, str *out)
{
    if (len > u->rest.len)
        return false;
    *out = str_slice(u->rest, 0, len);
    u->rest = str_from(u->rest, len);
    return true;
}

static bool get_key(struct unpacking *u, struct value *v)
{
    uint64_t n;
    str key;

    if (!get_varint(u, &n) ||
        !(n & 1 ? get_bytes(u, n >> 1, &key) : word_at(u->words, n >> 1, &key)))
        return false;
    v->key = key.ptr;
    v->key_len = (uint32_t)key.len;
    return true;
}

static bool get_node(struct unpacking *u, struct value *out);

static bool get_items(struct unpacking *u, struct value *out)
{
    struct value *nodes;
    uint64_t count;
    bool ok = true;

    /* Every item takes at least a byte, so no count makes more of an allocation than it should. */
    if (!get_varint(u, &count) || count > u->rest.len || ++u->depth > VALUE_DEPTH_MAX)
        return false;
    nodes = ARENA_ARRAY(u->arena, struct value, count);
    for (size_t i = 0; ok && i < count; i++)
        ok = (out->kind == VALUE_LIST || get_key(u, &nodes[i])) && get_node(u, &nodes[i]);
    u->depth--;
    if (ok)
        value_adopt(u->arena, out, (enum value_kind)out->kind, nodes, count);
    return ok;
}

static bool get_text(struct unpacking *u, struct value *out, bool is_word)
{
    uint64_t n;
    str text;

    if (!get_varint(u, &n) || !(is_word ? word_at(u->words, n, &text) : get_bytes(u, n, &text)))
        return false;
    out->text = text.ptr;
    out->len = (uint32_t)text.len;
    return true;
}

static bool get_node(struct unpacking *u, struct value *out)
{
    unsigned char head;

    if (!u->rest.len)
        return false;
    head = (unsigned char)u->rest.ptr[0];
    u->rest = str_from(u->rest, 1);
    out->kind = head & 7;
    if (out->kind == VALUE_NULL)
        return true;
    if (out->kind == VALUE_BOOL) {
        out->truth = head & TRUTH;
        return true;
    }
    if (out->kind == VALUE_LIST || out->kind == VALUE_OBJECT)
        return get_items(u, out);
    return out->kind <= VALUE_OBJECT && get_text(u, out, head & IS_WORD);
}

struct value *value_unpack(struct arena *a, const struct pack_words *w, str bytes)
{
    struct unpacking u = {.arena = a, .words = w, .rest = str_copy(a, bytes)};
    struct value *v = ARENA_NEW(a, struct value);

    return get_node(&u, v) && !u.rest.len ? v : NULL;
}
