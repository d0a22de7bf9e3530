/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - finds properties by their names on both sides.
 *
 * On ARM's side, a type is a small tree: members that become properties, and members (mostly
 * "properties") whose own members do. Names are case-insensitive there, since ARM's responses
 * sometimes spell them differently from requests.
 */
#include "azure/model/internal.h"

#include <stdlib.h>

/* ---- By name. -------------------------------------------------------------------------------- */

const struct model_prop *model_prop(const struct model_type *t, str name)
{
    size_t low = 0, high = t->prop_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(name, t->props[middle].name);
        if (order == 0)
            return &t->props[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct model_prop *model_prop_of_role(const struct model_type *t, enum model_role role)
{
    for (size_t i = 0; i < t->prop_count; i++)
        if (t->props[i].role == role)
            return &t->props[i];
    return NULL;
}

const struct model_prop *model_variant(const struct model_type *t, str value)
{
    for (size_t i = 0; i < t->prop_count; i++)
        if (t->props[i].role == ROLE_VARIANT && str_eq_fold(t->props[i].variant, value))
            return &t->props[i];
    return NULL;
}

/* ---- By ARM name. ---------------------------------------------------------------------------- */

static unsigned char fold(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static int compare_fold(str x, str y)
{
    size_t both = x.len < y.len ? x.len : y.len;

    for (size_t i = 0; i < both; i++) {
        if (x.ptr[i] == y.ptr[i]) /* nearly always, since members are usually spelled as in the
                                   * model */
            continue;
        int difference = fold(x.ptr[i]) - fold(y.ptr[i]);
        if (difference)
            return difference;
    }
    return (x.len > y.len) - (x.len < y.len);
}

const struct model_arm *model_arm(const struct model_arm *members, size_t count, str name)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_fold(name, members[middle].name);
        if (order == 0)
            return &members[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/*
 * Which of several properties with the same ARM path gets ARM's value: a reference before the plain
 * text it replaces, and that before a secret or config map, which only the user can name.
 */
static int rank(const struct model_prop *p)
{
    static const int ranks[ROLE_COUNT] = {
        [ROLE_PLAIN] = 1,      [ROLE_VARIANT] = 1,    [ROLE_SECRET] = 2,
        [ROLE_SECRET_MAP] = 2, [ROLE_CONFIG_MAP] = 2,
    };

    return ranks[p->role];
}

static int compare_places(const void *x, const void *y)
{
    const struct model_prop *p = *(const struct model_prop *const *)x;
    const struct model_prop *q = *(const struct model_prop *const *)y;

    for (size_t i = 0; i < p->arm_len && i < q->arm_len; i++) {
        int order = compare_fold(p->arm[i], q->arm[i]);
        if (order)
            return order;
    }
    if (p->arm_len != q->arm_len)
        return p->arm_len < q->arm_len ? -1 : 1;
    return rank(p) != rank(q) ? rank(p) - rank(q) : str_cmp(p->name, q->name);
}

/*
 * The properties list[0..count) share the first depth steps; returns the members at the next one.
 */
static const struct model_arm *build(struct arena *a, struct model_prop *const *list, size_t count,
                                     size_t depth, size_t *members)
{
    struct model_arm *out = ARENA_ARRAY(a, struct model_arm, count);
    size_t n = 0, end;

    for (size_t i = 0; i < count; i = end) {
        struct model_arm *m = &out[n++];
        m->name = list[i]->arm[depth];
        for (end = i; end < count && compare_fold(list[end]->arm[depth], m->name) == 0;)
            end++;
        size_t deeper = i;
        if (list[i]->arm_len == depth + 1)
            m->prop = list[i];
        while (deeper < end && list[deeper]->arm_len == depth + 1)
            deeper++;
        if (deeper < end)
            m->below = build(a, list + deeper, end - deeper, depth + 1, &m->below_count);
    }
    *members = n;
    return out;
}

static bool same_place(const struct model_prop *p, const struct model_prop *q)
{
    bool same = p->arm_len == q->arm_len;

    for (size_t i = 0; same && i < p->arm_len; i++)
        same = compare_fold(p->arm[i], q->arm[i]) == 0;
    return same;
}

void model_index_arm(struct arena *a, struct model_type *t, struct model_prop *props)
{
    struct model_prop **list = ARENA_ARRAY(a, struct model_prop *, t->prop_count);
    size_t count = 0;

    for (size_t i = 0; i < t->prop_count; i++)
        if (props[i].arm_len)
            list[count++] = &props[i];
    qsort(list, count, sizeof(*list), compare_places);
    for (size_t i = 1; i < count; i++)
        if (same_place(list[i - 1], list[i]))
            list[i - 1]->shared = list[i]->shared = true;
    t->arm = build(a, list, count, 0, &t->arm_count);
}

/* ---- Versions. ------------------------------------------------------------------------------- */

/* The date in a version, or all of it when there is none. */
static str version_date(str v)
{
    str date = str_without_suffix(v, STR("preview"));
    size_t from = date.len;

    while (from && date.ptr[from - 1] >= '0' && date.ptr[from - 1] <= '9')
        from--;
    return str_from(date, from);
}

int model_version_compare(str x, str y)
{
    int order = str_cmp(version_date(x), version_date(y));
    bool first = str_has_suffix(x, STR("preview")), second = str_has_suffix(y, STR("preview"));

    if (order)
        return order;
    if (first != second)
        return first ? -1 : 1;
    return str_cmp(x, y);
}
