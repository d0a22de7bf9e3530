/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_match.c - which elements of two lists belong together; see diff.h.
 *
 * Elements are found by hash: of the texts of their identifying members, or of the whole element
 * for sets. str_hash is seeded, so foreign text cannot make this quadratic.
 */
#include "value/diff_internal.h"

/* Elements of one list by what they are matched by. */
struct table {
    const struct value *list;
    uint64_t *hashes; /* of each element */
    uint32_t *slots;  /* element number plus 1; 0 is free; at least half are */
    size_t slot_count;
    uint32_t *next; /* sets: an equal element further on, plus 1 */
};

static uint64_t hash_identity(const struct matching *m, const struct value *element)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < m->field_count; i++) {
        str text = STR_NONE;
        step_identity_text(value_get(element, m->fields[i]), &text);
        hash = (hash ^ str_hash(text)) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return hash;
}

static bool same_identity(const struct matching *m, const struct value *x, const struct value *y)
{
    for (size_t i = 0; i < m->field_count; i++) {
        str mine = STR_NONE, other = STR_NONE;
        step_identity_text(value_get(x, m->fields[i]), &mine);
        step_identity_text(value_get(y, m->fields[i]), &other);
        if (!str_eq(mine, other))
            return false;
    }
    return true;
}

static uint64_t hash_element(const struct matching *m, const struct value *element)
{
    return m->kind == MATCH_SET ? value_hash(element) : hash_identity(m, element);
}

static bool same_element(const struct matching *m, const struct value *x, const struct value *y)
{
    return m->kind == MATCH_SET ? value_equal(x, y) : same_identity(m, x, y);
}

static struct table new_table(struct arena *a, const struct matching *m, const struct value *list)
{
    struct table t = {.list = list, .slot_count = 8};

    while (t.slot_count < (size_t)list->len * 2)
        t.slot_count *= 2;
    t.slots = ARENA_ARRAY(a, uint32_t, t.slot_count);
    t.hashes = ARENA_ARRAY(a, uint64_t, list->len);
    for (size_t i = 0; i < list->len; i++)
        t.hashes[i] = hash_element(m, &list->items[i]);
    return t;
}

/* The slot of an element like this one, or the free one where it would go. */
static uint32_t *find_slot(const struct table *t, const struct matching *m,
                           const struct value *element, uint64_t hash)
{
    size_t at = hash & (t->slot_count - 1);

    for (; t->slots[at]; at = (at + 1) & (t->slot_count - 1)) {
        size_t number = t->slots[at] - 1;
        if (t->hashes[number] == hash && same_element(m, &t->list->items[number], element))
            break;
    }
    return &t->slots[at];
}

/* False when two elements are alike. */
static bool fill_distinct(struct table *t, const struct matching *m)
{
    for (uint32_t i = 0; i < t->list->len; i++) {
        uint32_t *slot = find_slot(t, m, &t->list->items[i], t->hashes[i]);
        if (*slot)
            return false;
        *slot = i + 1;
    }
    return true;
}

/* From the end, so that each slot leads to equal elements in their order. */
static void fill_chained(struct arena *a, struct table *t, const struct matching *m)
{
    t->next = ARENA_ARRAY(a, uint32_t, t->list->len);
    for (uint32_t i = t->list->len; i > 0; i--) {
        uint32_t *slot = find_slot(t, m, &t->list->items[i - 1], t->hashes[i - 1]);
        t->next[i - 1] = *slot;
        *slot = i;
    }
}

/* ---- Partners. ---- */

static void begin_partners(struct arena *a, struct matching *m, size_t old_len, size_t new_len)
{
    m->partner = ARENA_ARRAY(a, uint32_t, old_len);
    m->taken = ARENA_ARRAY(a, bool, new_len);
}

static void set_partner(struct matching *m, size_t i, uint32_t number)
{
    m->partner[i] = number;
    if (number)
        m->taken[number - 1] = true;
}

static bool is_reordered(const struct matching *m, const struct value *old_,
                         const struct value *new_)
{
    bool moved = false;

    if (old_->len != new_->len)
        return false;
    for (size_t i = 0; i < old_->len; i++) {
        if (!m->partner[i])
            return false;
        moved = moved || m->partner[i] != i + 1;
    }
    return moved;
}

static void match_sets(struct arena *a, struct matching *m, const struct value *old_,
                       const struct value *new_)
{
    m->kind = MATCH_SET;
    struct table t = new_table(a, m, new_);
    fill_chained(a, &t, m);
    begin_partners(a, m, old_->len, new_->len);
    for (size_t i = 0; i < old_->len; i++) {
        const struct value *element = &old_->items[i];
        uint32_t *slot = find_slot(&t, m, element, value_hash(element));
        /* The last of its kind stays in the slot, so that the search finds the way past it. */
        if (!*slot || m->taken[*slot - 1])
            continue;
        set_partner(m, i, *slot);
        if (t.next[*slot - 1])
            *slot = t.next[*slot - 1];
    }
}

static bool all_have(const struct value *list, const str *fields, size_t count)
{
    str text;

    for (size_t i = 0; i < list->len; i++)
        for (size_t f = 0; f < count; f++)
            if (!step_identity_text(value_get(&list->items[i], fields[f]), &text))
                return false;
    return true;
}

/* False when these fields do not identify the elements. */
static bool match_identity(struct arena *a, struct matching *m, const struct value *old_,
                           const struct value *new_)
{
    if (!m->field_count || !all_have(old_, m->fields, m->field_count) ||
        !all_have(new_, m->fields, m->field_count))
        return false;
    m->kind = MATCH_IDENTITY;
    struct table mine = new_table(a, m, old_), other = new_table(a, m, new_);
    if (!fill_distinct(&mine, m) || !fill_distinct(&other, m))
        return false;
    begin_partners(a, m, old_->len, new_->len);
    for (size_t i = 0; i < old_->len; i++)
        set_partner(m, i, *find_slot(&other, m, &old_->items[i], mine.hashes[i]));
    return true;
}

static bool match_by(struct arena *a, struct matching *m, const struct value *old_,
                     const struct value *new_, const str *fields, size_t count)
{
    m->fields = fields;
    m->field_count = count;
    return match_identity(a, m, old_, new_);
}

/* ---- The way that fits. ---- */

static bool all_scalars(const struct value *list)
{
    for (size_t i = 0; i < list->len; i++)
        if (value_is_container(&list->items[i]))
            return false;
    return true;
}

static bool match_by_rule(struct arena *a, struct matching *m, const struct value *old_,
                          const struct value *new_, const struct list_rule *rule)
{
    switch (rule->kind) {
    case LIST_BY_FIELDS:
        return match_by(a, m, old_, new_, rule->fields, rule->field_count);
    case LIST_AS_SET:
        match_sets(a, m, old_, new_);
        return true;
    case LIST_BY_INDEX:
        break;
    }
    m->kind = MATCH_INDEX;
    return true;
}

static void match_by_content(struct arena *a, struct matching *m, const struct value *old_,
                             const struct value *new_)
{
    static const str usual[] = {STR_INIT("name"), STR_INIT("id"), STR_INIT("key")};

    if (all_scalars(old_) && all_scalars(new_)) {
        match_sets(a, m, old_, new_);
        return;
    }
    for (size_t i = 0; i < COUNT(usual); i++)
        if (match_by(a, m, old_, new_, &usual[i], 1))
            return;
    m->kind = MATCH_INDEX;
}

void diff_match(struct arena *a, const struct value *old_, const struct value *new_,
                const struct list_rule *rule, struct matching *m)
{
    *m = (struct matching){0};
    if (!rule || !match_by_rule(a, m, old_, new_, rule))
        match_by_content(a, m, old_, new_);
    m->reordered = m->kind != MATCH_INDEX && is_reordered(m, old_, new_);
}
