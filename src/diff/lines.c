/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - turns two texts into two arrays of numbers.
 *
 * What both texts begin and end with is cut off first, except for a few lines next to the middle:
 * runs of changes may be moved over those. How many are left affects GNU diff's result, and must
 * not be changed for speed.
 *
 * Then each line of the middle gets the number of its class, so that the search compares numbers.
 * A last line without a newline is equal only to another such line, which follows from keeping the
 * newline as part of the line.
 */
#include "diff/internal.h"

/* With many lines, the table grows as needed, since most lines may be alike. */
enum { SLOTS_FIRST = 64, SLOTS_AT_ONCE = 1 << 20, AHEAD = 16 };

static bool is_incomplete(str s)
{
    return s.len && s.ptr[s.len - 1] != '\n';
}

static size_t common_prefix(str a, str b)
{
    size_t n = a.len < b.len ? a.len : b.len, i = 0;
    uint64_t x, y;

    for (; i + 8 <= n; i += 8) {
        memcpy(&x, a.ptr + i, 8);
        memcpy(&y, b.ptr + i, 8);
        if (x != y)
            break;
    }
    while (i < n && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

static size_t common_suffix(str a, str b)
{
    size_t n = a.len < b.len ? a.len : b.len, i = 0;
    uint64_t x, y;

    for (; i + 8 <= n; i += 8) {
        memcpy(&x, a.ptr + a.len - i - 8, 8);
        memcpy(&y, b.ptr + b.len - i - 8, 8);
        if (x != y)
            break;
    }
    while (i < n && a.ptr[a.len - i - 1] == b.ptr[b.len - i - 1])
        i++;
    return i;
}

/* The last start of a line at or before at, and then `lines` lines further up. */
static size_t lines_up(str text, size_t at, int32_t lines)
{
    while (at) {
        const char *newline = memrchr(text.ptr, '\n', at);
        size_t start = newline ? (size_t)(newline - text.ptr) + 1 : 0;
        if (start == 0 || lines-- == 0)
            return start;
        at = start - 1;
    }
    return 0;
}

static size_t line_end(str text, size_t at)
{
    const char *newline = memchr(text.ptr + at, '\n', text.len - at);

    return newline ? (size_t)(newline - text.ptr) + 1 : text.len;
}

static size_t count_lines(str text)
{
    size_t lines = 0;

    for (size_t at = 0; at < text.len; at = line_end(text, at))
        lines++;
    return lines;
}

static bool begins_line(str text, size_t at)
{
    return at == 0 || text.ptr[at - 1] == '\n';
}

/* How many bytes at the end of both texts are left out of the middle, which begins at start. */
static size_t suffix_to_skip(str old, str new_, size_t start, int32_t horizon)
{
    if (is_incomplete(old) != is_incomplete(new_))
        return 0;
    size_t skip = common_suffix(str_from(old, start), str_from(new_, start));
    size_t at = old.len - skip;
    int32_t lines = horizon;

    if (!begins_line(old, at) || !begins_line(new_, new_.len - skip))
        lines++;
    while (lines-- > 0 && at < old.len)
        at = line_end(old, at);
    return old.len - at;
}

/* Records where lines start, from the context before the middle to the context after it. */
static void find_starts(struct arena *a, struct diff_side *s, size_t from, size_t to,
                        int32_t context)
{
    VEC(uint32_t) starts = {0};
    size_t at = lines_up(s->text, from, context);

    s->skipped = count_lines(str_slice(s->text, 0, at));
    for (; at < from; at = line_end(s->text, at), s->before++)
        VEC_PUSH(a, &starts, (uint32_t)at);
    s->skipped += (size_t)s->before;
    for (; at < to; at = line_end(s->text, at), s->count++)
        VEC_PUSH(a, &starts, (uint32_t)at);
    for (; at < s->text.len && s->after < context; at = line_end(s->text, at), s->after++)
        VEC_PUSH(a, &starts, (uint32_t)at);
    VEC_PUSH(a, &starts, (uint32_t)at);
    s->starts = starts.items + s->before;
}

static str line_of(const struct diff_side *s, int32_t i)
{
    return str_of(s->text.ptr + s->starts[i], s->starts[i + 1] - s->starts[i]);
}

/* Line i of old, or line ~i of new. */
static str line_at(const struct diff_pair *p, int32_t i)
{
    return i >= 0 ? line_of(&p->side[0], i) : line_of(&p->side[1], ~i);
}

/* Finds classes by their text. Kept small, since touching new memory is what costs most here. */
struct table {
    int32_t *slots; /* numbers of classes plus 1; 0 is free */
    size_t size;    /* a power of two, at least twice the number of classes */
};

static int32_t *free_slot(const struct table *t, uint32_t hash)
{
    size_t at = hash & (t->size - 1);

    while (t->slots[at])
        at = (at + 1) & (t->size - 1);
    return &t->slots[at];
}

static void table_grow(struct arena *a, struct table *t, const struct diff_pair *p, size_t size)
{
    t->size = size;
    t->slots = ARENA_ARRAY(a, int32_t, size);
    for (int32_t i = 0; i < p->class_count; i++)
        *free_slot(t, p->classes[i].hash) = i + 1;
}

static uint32_t hash_of(str line)
{
    return (uint32_t)str_hash(line);
}

/*
 * The class of a line, a new one if there is no equal line yet. i is where it occurs, as in struct
 * diff_class.
 */
static int32_t class_of(struct arena *a, struct table *t, struct diff_pair *p, uint32_t hash,
                        int32_t i)
{
    str line = line_at(p, i);
    size_t at = hash & (t->size - 1);

    for (; t->slots[at]; at = (at + 1) & (t->size - 1)) {
        const struct diff_class *c = &p->classes[t->slots[at] - 1];
        if (c->hash == hash && str_eq(line_at(p, c->line), line))
            return t->slots[at] - 1;
    }
    p->classes[p->class_count] = (struct diff_class){.hash = hash, .line = i};
    t->slots[at] = ++p->class_count;
    if (2 * (size_t)p->class_count > t->size)
        table_grow(a, t, p, 2 * t->size);
    return p->class_count - 1;
}

/* Prefetches the slots of a few lines, since waiting for memory costs most here. */
static void classify_old(struct arena *a, struct table *t, struct diff_pair *p)
{
    struct diff_side *old = &p->side[0];
    uint32_t hashes[AHEAD];

    for (int32_t i = 0; i < old->count + AHEAD; i++) {
        if (i >= AHEAD) {
            int32_t line = i - AHEAD;
            old->classes[line] = class_of(a, t, p, hashes[line % AHEAD], line);
            p->classes[old->classes[line]].count[0]++;
        }
        if (i < old->count) {
            hashes[i % AHEAD] = hash_of(line_of(old, i));
            __builtin_prefetch(&t->slots[hashes[i % AHEAD] & (t->size - 1)]);
        }
    }
}

/*
 * Most lines of the new text come in the same order as in the old one, so trying the expected line
 * first saves most lookups. It affects only the time.
 */
static void classify_new(struct arena *a, struct table *t, struct diff_pair *p)
{
    const struct diff_side *old = &p->side[0];
    struct diff_side *new_ = &p->side[1];
    int32_t expected = 0;

    for (int32_t i = 0; i < new_->count; i++, expected++) {
        str line = line_of(new_, i);
        bool as_expected = expected < old->count && str_eq(line_of(old, expected), line);
        int32_t class_ = as_expected ? old->classes[expected]
                                     : class_of(a, t, p, hash_of(line), ~i);
        struct diff_class *c = &p->classes[class_];
        new_->classes[i] = class_;
        c->count[1]++;
        if (!as_expected && c->count[0] == 1)
            expected = c->line;
    }
}

static void classify(struct arena *a, struct diff_pair *p)
{
    size_t counts[] = {(size_t)p->side[0].count, (size_t)p->side[1].count};
    struct table table = {0};
    size_t size = SLOTS_FIRST;

    for (int i = 0; i < 2; i++) {
        p->side[i].classes = arena_alloc_raw(a, arena_array_size(counts[i], sizeof(int32_t)));
        p->side[i].changed = ARENA_ARRAY(a, char, counts[i] + 2) + 1;
    }
    p->classes = arena_alloc_raw(a, arena_array_size(counts[0] + counts[1], sizeof(*p->classes)));
    while (size < 2 * counts[0] && size < SLOTS_AT_ONCE)
        size *= 2;
    table_grow(a, &table, p, size);
    classify_old(a, &table, p);
    classify_new(a, &table, p);
}

void diff_split(struct arena *a, struct diff_pair *p, str old, str new_, int32_t context)
{
    size_t start = lines_up(old, common_prefix(old, new_), context);
    size_t skip = suffix_to_skip(old, new_, start, context);

    *p = (struct diff_pair){.side = {{.text = old}, {.text = new_}}};
    find_starts(a, &p->side[0], start, old.len - skip, context);
    find_starts(a, &p->side[1], start, new_.len - skip, context);
    classify(a, p);
}
