/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - looking into trees and building them; see value.h.
 *
 * The items of a list or object are one block of nodes. A block made by a reader fits exactly
 * (room = 0); the first addition moves it to one with a power of two of places. An object of more
 * than INDEX_FROM members also has a hash index, in front of its items so that it needs no pointer:
 *
 *     | slots: uint32_t * slot_count(capacity) | items ... |
 *                                              ^ v->items
 *
 * A slot holds an item's number plus one; 0 is free. At least half of the slots are free.
 */
#include "value/value.h"

#include "base/hot.h"
#include "value/number.h"

/* Up to here a linear search is as fast as hashing. */
enum { INDEX_FROM = 16 };

const char *value_kind_name(enum value_kind kind)
{
    static const char *const names[] = {
        [VALUE_NULL] = "null",     [VALUE_BOOL] = "bool",     [VALUE_INT] = "integer",
        [VALUE_FLOAT] = "float",   [VALUE_STRING] = "string", [VALUE_LIST] = "list",
        [VALUE_OBJECT] = "object",
    };

    return names[kind];
}

str value_text(const struct value *v)
{
    if (v && v->kind >= VALUE_INT && v->kind <= VALUE_STRING)
        return (str){v->text, v->len};
    return STR_NONE;
}

str value_str(const struct value *v)
{
    return value_is(v, VALUE_STRING) ? (str){v->text, v->len} : STR_NONE;
}

bool value_to_i64(const struct value *v, int64_t *out)
{
    return value_is_number(v) && number_to_i64(value_text(v), out);
}

struct value *value_at(const struct value *list, size_t i)
{
    return value_is(list, VALUE_LIST) && i < list->len ? &list->items[i] : NULL;
}

/* ---- The index of large objects. ---- */

static size_t capacity(const struct value *v)
{
    return v->room ? (size_t)1 << v->room : v->len;
}

/* The smallest power of two that leaves half of the slots free. */
static size_t slot_count(size_t cap)
{
    size_t n = (size_t)2 * INDEX_FROM;

    while (n < 2 * cap)
        n *= 2;
    return n;
}

ALWAYS_INLINE bool key_is(const struct value *v, str key)
{
    return v->key_len == key.len &&
           (!key.len || (v->key[0] == key.ptr[0] && hot_same(v->key, key.ptr, key.len)));
}

/* The slot of key, or the free one where it would go. */
static size_t find_slot(const uint32_t *slots, size_t count, const struct value *items, str key)
{
    size_t at = str_hash(key) & (count - 1);

    while (slots[at] && !key_is(&items[slots[at] - 1], key))
        at = (at + 1) & (count - 1);
    return at;
}

static uint32_t *slots_of(const struct value *v)
{
    return (uint32_t *)(void *)v->items - slot_count(capacity(v));
}

/* Where the next key with this hash goes; it is known to be a new one. */
static size_t free_slot(const uint32_t *slots, size_t count, str key)
{
    size_t at = str_hash(key) & (count - 1);

    while (slots[at])
        at = (at + 1) & (count - 1);
    return at;
}

static void index_all(struct value *v)
{
    uint32_t *slots = slots_of(v);
    size_t count = slot_count(capacity(v));

    memset(slots, 0, count * sizeof(*slots));
    for (uint32_t i = 0; i < v->len; i++)
        slots[free_slot(slots, count, value_key(&v->items[i]))] = i + 1;
}

/* The number of the member key, or len. */
static size_t find_member(const struct value *object, str key)
{
    if (object->indexed) {
        const uint32_t *slots = slots_of(object);
        uint32_t number = slots[find_slot(slots, slot_count(capacity(object)), object->items, key)];
        return number ? number - 1 : object->len;
    }
    for (size_t i = 0; i < object->len; i++)
        if (key_is(&object->items[i], key))
            return i;
    return object->len;
}

NOINLINE static struct value *get_unusual(const struct value *object, str key)
{
    size_t i = find_member(object, key);

    return i < object->len ? &object->items[i] : NULL;
}

/* Most objects are small and most keys are short: what these take calls nothing. */
struct value *value_get(const struct value *object, str key)
{
    if (!value_is(object, VALUE_OBJECT))
        return NULL;
    if (object->indexed || key.len > HOT_SHORT)
        return get_unusual(object, key);
    struct value *member = object->items;
    for (uint32_t left = object->len; left; left--, member++)
        if (key_is(member, key))
            return member;
    return NULL;
}

str value_get_str(const struct value *object, str key)
{
    return value_str(value_get(object, key));
}

/*
 * Slots of a struct value_index hold 32 bits of the hash beside the number of the node: growing and
 * passing by other keys then touches neither nodes nor texts, which in large objects are far away.
 */
#define SLOT_NUMBER UINT32_MAX

static size_t index_slot(const struct value_index *index, const struct value *nodes, uint32_t hash,
                         str key)
{
    size_t mask = index->cap - 1, at = hash & mask;

    for (uint64_t slot; (slot = index->slots[at]); at = (at + 1) & mask)
        if (slot >> 32 == hash && key_is(&nodes[(slot & SLOT_NUMBER) - 1], key))
            break;
    return at;
}

static void index_put(struct value_index *index, uint64_t slot)
{
    size_t mask = index->cap - 1, at = (slot >> 32) & mask;

    while (index->slots[at])
        at = (at + 1) & mask;
    index->slots[at] = slot;
}

static void index_grow(struct arena *a, struct value_index *index, size_t cap)
{
    struct value_index old = *index;

    index->cap = cap;
    index->slots = ARENA_ARRAY(a, uint64_t, cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i])
            index_put(index, old.slots[i]);
}

/* Takes in the nodes that were added since; the last key asked for is most likely one of them. */
static void index_catch_up(struct value_index *index, const struct value *nodes, size_t n)
{
    for (; index->seen < n; index->seen++) {
        const struct value *v = &nodes[index->seen];
        bool asked = v->key == index->asked.ptr && v->key_len == index->asked.len;
        uint32_t hash = asked ? index->asked_hash : (uint32_t)str_hash(value_key(v));
        index_put(index, (uint64_t)hash << 32 | (index->seen + 1));
    }
}

size_t value_index_find(struct arena *a, struct value_index *index, const struct value *nodes,
                        size_t n, str key)
{
    if (n < INDEX_FROM) {
        for (size_t i = 0; i < n; i++)
            if (key_is(&nodes[i], key))
                return i;
        return n;
    }
    if (slot_count(n + 1) > index->cap)
        index_grow(a, index, slot_count(n + 1));
    index_catch_up(index, nodes, n);
    index->asked = key;
    index->asked_hash = (uint32_t)str_hash(key);
    uint64_t slot = index->slots[index_slot(index, nodes, index->asked_hash, key)];
    return slot ? (slot & SLOT_NUMBER) - 1 : n;
}

/* Most objects have few members: putting each where it belongs is then quicker than qsort. */
enum { INSERT_MAX = 12 };

static int by_key(const void *x, const void *y)
{
    return str_cmp(value_key(*(struct value *const *)x), value_key(*(struct value *const *)y));
}

/* Puts member behind the n that are sorted and before those of them whose keys come after its. */
static void insert_sorted(struct value **sorted, size_t n, struct value *member)
{
    for (; n && str_cmp(value_key(sorted[n - 1]), value_key(member)) > 0; n--)
        sorted[n] = sorted[n - 1];
    sorted[n] = member;
}

struct value **value_sorted(struct arena *a, const struct value *object)
{
    size_t len = value_is(object, VALUE_OBJECT) ? object->len : 0;
    struct value **sorted = arena_alloc_raw(a, arena_array_size(len, sizeof(void *)));
    bool in_order = true;

    if (len <= INSERT_MAX) {
        for (size_t i = 0; i < len; i++)
            insert_sorted(sorted, i, &object->items[i]);
        return sorted;
    }
    for (size_t i = 0; i < len; i++) {
        sorted[i] = &object->items[i];
        in_order = in_order && (i == 0 || by_key(&sorted[i - 1], &sorted[i]) <= 0);
    }
    if (!in_order)
        qsort(sorted, len, sizeof(void *), by_key);
    return sorted;
}

void value_walk(struct value *v, value_walk_fn *fn, void *ctx)
{
    VEC(struct {
        struct value *v;
        size_t depth;
    }) stack = {0};
    AUTO_ARENA a = arena_new();

    if (v)
        VEC_ADD(a, &stack)->v = v;
    while (stack.len) {
        stack.len--;
        struct value *node = stack.items[stack.len].v;
        size_t depth = stack.items[stack.len].depth;
        if (!fn(ctx, node, depth))
            continue;
        for (size_t i = value_len(node); i > 0; i--) {
            VEC_ADD(a, &stack)->v = &node->items[i - 1];
            stack.items[stack.len - 1].depth = depth + 1;
        }
    }
}

/* ---- Building. ---- */

static struct value *new_node(struct arena *a, enum value_kind kind)
{
    struct value *v = ARENA_NEW(a, struct value);

    v->kind = (uint8_t)kind;
    return v;
}

static struct value *new_text(struct arena *a, enum value_kind kind, str text)
{
    struct value *v = new_node(a, kind);

    assert(text.len <= UINT32_MAX);
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
    return v;
}

struct value *value_null(struct arena *a)
{
    return new_node(a, VALUE_NULL);
}

struct value *value_bool(struct arena *a, bool b)
{
    struct value *v = new_node(a, VALUE_BOOL);

    v->truth = b;
    return v;
}

struct value *value_int(struct arena *a, int64_t i)
{
    return new_text(a, VALUE_INT, str_fmt(a, "%lld", (long long)i));
}

struct value *value_uint(struct arena *a, uint64_t u)
{
    return new_text(a, VALUE_INT, str_fmt(a, "%llu", (unsigned long long)u));
}

/* A float stays one: without point or exponent, ".0" is added so that the text says so. */
struct value *value_float(struct arena *a, double d)
{
    char text[NUMBER_MAX];
    str s = {text, number_format(text, d, NUMBER_JSON)};

    return new_text(a, VALUE_FLOAT,
                    number_is_integer(s) ? str_concat(a, s, STR(".0")) : str_copy(a, s));
}

struct value *value_number(struct arena *a, str text)
{
    assert(number_is_valid(text));
    return new_text(a, number_is_integer(text) ? VALUE_INT : VALUE_FLOAT, text);
}

struct value *value_string(struct arena *a, str text)
{
    return new_text(a, VALUE_STRING, text);
}

struct value *value_list(struct arena *a)
{
    return new_node(a, VALUE_LIST);
}

struct value *value_object(struct arena *a)
{
    return new_node(a, VALUE_OBJECT);
}

/* A block for cap items, with an index in front when it is to hold a large object. */
static struct value *new_block(struct arena *a, size_t cap, bool indexed)
{
    size_t before = indexed ? slot_count(cap) * sizeof(uint32_t) : 0;
    char *block = arena_alloc_raw(a, before + arena_array_size(cap, sizeof(struct value)));

    return (struct value *)(void *)(block + before);
}

/* Room for one more item. */
static void make_room(struct arena *a, struct value *v)
{
    if (v->room && v->len < capacity(v))
        return;
    uint8_t room = 2;
    while ((size_t)1 << room <= v->len)
        room++;
    bool indexed = v->kind == VALUE_OBJECT && (size_t)1 << room > INDEX_FROM;
    struct value *block = new_block(a, (size_t)1 << room, indexed);
    if (v->len)
        memcpy(block, v->items, v->len * sizeof(*block));
    v->items = block;
    v->room = room;
    v->indexed = indexed;
    if (indexed)
        index_all(v);
}

/* Puts the content of item into slot, which keeps its own key. */
static struct value *put(struct value *slot, const struct value *item)
{
    const char *key = slot->key;
    uint32_t key_len = slot->key_len;

    *slot = *item;
    slot->key = key;
    slot->key_len = key_len;
    return slot;
}

struct value *value_add(struct arena *a, struct value *list, const struct value *item)
{
    return value_insert(a, list, list->len, item);
}

struct value *value_insert(struct arena *a, struct value *list, size_t i, const struct value *item)
{
    const struct value kept = *item; /* item may be an element of this very list */

    assert(list->kind == VALUE_LIST && i <= list->len && list->len < UINT32_MAX);
    make_room(a, list);
    memmove(&list->items[i + 1], &list->items[i], (list->len - i) * sizeof(kept));
    list->len++;
    list->items[i] = (struct value){0};
    return put(&list->items[i], &kept);
}

void value_remove(struct value *list, size_t i)
{
    assert(i < list->len);
    memmove(&list->items[i], &list->items[i + 1], (list->len - i - 1) * sizeof(*list->items));
    list->len--;
    /* The index is found by the capacity, which shrinks with a block that fitted exactly. What the
     * smaller index needs still lies in front of the items. */
    if (list->indexed)
        index_all(list);
}

size_t value_remove_if(struct value *v, value_test_fn *drop, void *ctx)
{
    size_t kept = 0, len = value_len(v);

    for (size_t i = 0; i < len; i++)
        if (!drop(ctx, &v->items[i]))
            v->items[kept++] = v->items[i];
    if (kept == len)
        return 0;
    v->len = (uint32_t)kept;
    if (v->indexed)
        index_all(v); /* as in value_remove */
    return len - kept;
}

struct value *value_set(struct arena *a, struct value *object, str key, const struct value *item)
{
    const struct value kept = *item; /* item may be a member of this very object */

    assert(object->kind == VALUE_OBJECT && key.len <= UINT32_MAX);
    size_t i = find_member(object, key);
    if (i < object->len)
        return put(&object->items[i], &kept);
    make_room(a, object);
    struct value *slot = &object->items[object->len];
    *slot = (struct value){.key = key.ptr, .key_len = (uint32_t)key.len};
    put(slot, &kept);
    if (object->indexed) {
        uint32_t *slots = slots_of(object);
        slots[find_slot(slots, slot_count(capacity(object)), object->items, key)] = object->len + 1;
    }
    object->len++;
    return slot;
}

struct value *value_set_str(struct arena *a, struct value *object, str key, str text)
{
    return value_set(a, object, key, value_string(a, text));
}

struct value *value_set_int(struct arena *a, struct value *object, str key, int64_t i)
{
    return value_set(a, object, key, value_int(a, i));
}

struct value *value_set_bool(struct arena *a, struct value *object, str key, bool b)
{
    return value_set(a, object, key, value_bool(a, b));
}

bool value_unset(struct value *object, str key)
{
    size_t i = object->kind == VALUE_OBJECT ? find_member(object, key) : object->len;

    if (object->kind != VALUE_OBJECT || i == object->len)
        return false;
    value_remove(object, i);
    return true;
}

NOINLINE static void adopt_unusual(struct arena *a, struct value *v, enum value_kind kind,
                                   const struct value *nodes, size_t n)
{
    bool indexed = kind == VALUE_OBJECT && n > INDEX_FROM;

    assert(n < UINT32_MAX);
    v->kind = (uint8_t)kind;
    v->room = 0;
    v->indexed = indexed;
    v->len = (uint32_t)n;
    v->items = n ? new_block(a, n, indexed) : NULL;
    if (n)
        memcpy(v->items, nodes, n * sizeof(*nodes));
    if (indexed)
        index_all(v);
}

/* As for value_get: what is small calls nothing on its way to memcpy. */
void value_adopt(struct arena *a, struct value *v, enum value_kind kind, const struct value *nodes,
                 size_t n)
{
    const size_t size = n * sizeof(*nodes);

    if (!n || n > INDEX_FROM || !arena_is_ready(a, size)) {
        adopt_unusual(a, v, kind, nodes, n);
        return;
    }
    struct value *items = arena_alloc_raw(a, size);
    v->kind = (uint8_t)kind;
    v->room = 0;
    v->indexed = false;
    v->len = (uint32_t)n;
    v->items = items;
    memcpy(items, nodes, size);
}
