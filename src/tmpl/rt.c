/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt.c - lists, maps and data of a run.
 */
#include "tmpl/internal.h"

#include "value/number.h"
#include "value/value.h"

/* ---- Data of the host ----------------------------------------------------------------------- */

/* Whether a float64 prints as this number. */
static bool is_exact(str text, double f)
{
    char shortest[NUMBER_MAX];

    if (f - f != 0)
        return false;
    size_t len = number_format(shortest, f, NUMBER_JSON);
    return number_compare(text, str_of(shortest, len)) == 0;
}

static struct tv wrap_number(const struct value *node, uint8_t flags)
{
    str text = {node->text, node->len};
    int64_t i;
    double f;

    if (!(flags & TV_FLOATS) && node->kind == VALUE_INT && str_to_i64(text, &i))
        return tv_int64(i);
    number_to_double(text, &f);
    if (flags & TV_EXACT && !is_exact(text, f))
        return (struct tv){.type = TV_FLOAT64, .flags = TV_EXACT, .data = node};
    return tv_float(f);
}

double tv_float64(struct tv v)
{
    double f = v.f;

    if (v.flags & TV_EXACT)
        number_to_double(value_text(v.data), &f);
    return f;
}

/* Two numbers that are known exactly are compared exactly. */
static bool both_exact(struct tv x, struct tv y)
{
    return x.flags & TV_EXACT && y.flags & TV_EXACT;
}

bool tv_float_less(struct tv x, struct tv y)
{
    if (both_exact(x, y))
        return number_compare(value_text(x.data), value_text(y.data)) < 0;
    return tv_float64(x) < tv_float64(y);
}

bool tv_float_equal(struct tv x, struct tv y)
{
    if (both_exact(x, y))
        return number_compare(value_text(x.data), value_text(y.data)) == 0;
    return tv_float64(x) == tv_float64(y);
}

static struct tv wrap(const struct value *node, uint8_t flags)
{
    if (!node)
        return tv_none();
    switch ((enum value_kind)node->kind) {
    case VALUE_NULL:
        return tv_none();
    case VALUE_BOOL:
        return tv_bool(node->truth);
    case VALUE_INT:
    case VALUE_FLOAT:
        return wrap_number(node, flags);
    case VALUE_STRING:
        return (struct tv){.type = TV_STRING, .len = node->len, .text = node->text};
    case VALUE_LIST:
        return (struct tv){.type = TV_LIST, .flags = flags, .data = node};
    case VALUE_OBJECT:
        return (struct tv){.type = TV_MAP, .flags = flags, .data = node};
    }
    return tv_none();
}

struct tv tv_wrap(const struct value *node, bool floats)
{
    return wrap(node, floats ? TV_DATA | TV_FLOATS : TV_DATA);
}

struct tv tv_wrap_host(const struct rt *rt, const struct value *node)
{
    return wrap(node, rt->exact ? TV_DATA | TV_EXACT : TV_DATA);
}

/* An element or member of the container of. */
static struct tv wrap_child(struct tv of, const struct value *node)
{
    return wrap(node, of.flags & (TV_DATA | TV_FLOATS | TV_EXACT));
}

static struct tv in_interface(struct tv v)
{
    v.flags |= TV_IFACE;
    return v;
}

/* As an element of a slice or map of this type. */
static struct tv as_element(enum tv_type of, struct tv v)
{
    return tv_info(of)->elem == TV_ANY ? in_interface(v) : v;
}

/* ---- Lists ---------------------------------------------------------------------------------- */

struct tv tv_list_new(struct rt *rt, enum tv_type type, size_t n)
{
    const size_t size = arena_array_size(n, sizeof(struct tv));
    struct tv_list *list = arena_alloc_raw(rt->arena, sizeof(*list) + size);

    list->len = n;
    list->items = memset(list + 1, 0, size);
    return (struct tv){.type = (uint8_t)type, .list = list};
}

struct tv tv_at(const struct rt *rt, struct tv list, size_t i)
{
    (void)rt;
    if (list.flags & TV_DATA)
        return in_interface(wrap_child(list, &list.data->items[i]));
    return as_element((enum tv_type)list.type, list.list->items[i]);
}

struct tv tv_slice(struct rt *rt, struct tv list, size_t from, size_t to)
{
    struct tv out = {.type = list.type};

    if (list.flags & TV_DATA) {
        out = tv_list_new(rt, (enum tv_type)list.type, to - from);
        for (size_t i = from; i < to; i++)
            out.list->items[i - from] = wrap_child(list, &list.data->items[i]);
        return out;
    }
    if (!list.list)
        return out;
    out.list = ARENA_NEW(rt->arena, struct tv_list);
    *out.list = (struct tv_list){.len = to - from, .items = list.list->items + from};
    return out;
}

/* Go's decoder appends one element at a time, and each time doubles what is too small. */
size_t tv_capacity(const struct rt *rt, struct tv v)
{
    size_t n = tv_len(rt, v), cap = 1;

    if (!(v.flags & TV_DATA) || v.type == TV_STRING || !n)
        return n;
    while (cap < n)
        cap *= 2;
    return cap;
}

struct tv tv_slice_far(struct rt *rt, struct tv list, size_t from, size_t to)
{
    size_t n = tv_len(rt, list);
    struct tv out;

    if (to <= n)
        return tv_slice(rt, list, from, to);
    out = tv_list_new(rt, (enum tv_type)list.type, to - from);
    for (size_t i = from; i < n; i++)
        out.list->items[i - from] = tv_concrete(tv_at(rt, list, i));
    return out;
}

/* ---- Maps ----------------------------------------------------------------------------------- */

struct tv tv_map_new(struct rt *rt, enum tv_type type)
{
    return (struct tv){.type = (uint8_t)type, .map = map_new(rt->arena)};
}

static str node_key(const struct value *const *node)
{
    return str_of((const char *)node, sizeof(*node));
}

NOINLINE static struct map *find_changed(const struct rt *rt, const struct value *node)
{
    return map_get(rt->overlay, node_key(&node));
}

/* The changed copy of a map of the data, or NULL: most runs change nothing. */
static struct map *overlay_of(const struct rt *rt, const struct value *node)
{
    return rt->overlay ? find_changed(rt, node) : NULL;
}

static void entry_put(struct rt *rt, struct map *m, str key, struct tv item)
{
    struct tv *slot = map_get(m, key);

    if (!slot) {
        slot = arena_alloc_raw(rt->arena, sizeof(*slot));
        map_set(m, key, slot);
    }
    *slot = tv_concrete(item);
}

/* The map behind map that may be written: the overlay for data. */
static struct map *writable(struct rt *rt, struct tv map)
{
    const struct value **key;
    struct map *m;

    if (!(map.flags & TV_DATA))
        return map.map;
    m = overlay_of(rt, map.data);
    if (m)
        return m;
    m = map_new(rt->arena);
    for (size_t i = 0; i < map.data->len; i++)
        entry_put(rt, m, value_key(&map.data->items[i]), wrap_child(map, &map.data->items[i]));
    if (!rt->overlay)
        rt->overlay = map_new(rt->arena);
    key = arena_alloc_raw(rt->arena, sizeof(*key));
    *key = map.data;
    map_set(rt->overlay, node_key(key), m);
    return m;
}

/* The entries when they are not those of an unchanged node, else NULL. */
static struct map *made(const struct rt *rt, struct tv map)
{
    return map.flags & TV_DATA ? overlay_of(rt, map.data) : map.map;
}

bool tv_get(const struct rt *rt, struct tv map, str key, struct tv *out)
{
    const struct map *m = made(rt, map);
    const struct value *node;
    const struct tv *slot;

    if (!m && map.flags & TV_DATA) {
        node = value_get(map.data, key);
        if (node)
            *out = in_interface(wrap_child(map, node));
        return node != NULL;
    }
    slot = m ? map_get(m, key) : NULL;
    if (slot)
        *out = as_element((enum tv_type)map.type, *slot);
    return slot != NULL;
}

void tv_set(struct rt *rt, struct tv map, str key, struct tv item)
{
    entry_put(rt, writable(rt, map), key, item);
}

void tv_unset(struct rt *rt, struct tv map, str key)
{
    struct map *m = writable(rt, map);

    if (m)
        map_remove(m, key);
}

void rt_charge_sort(struct rt *rt, size_t n, uint64_t bytes, bool sorted)
{
    unsigned rounds = 1;

    for (size_t k = n; !sorted && k > 1; k /= 2)
        rounds++;
    rt_charge(rt, n / 2);
    rt_charge_bytes(rt, (n + bytes) * rounds);
}

static int entry_compare(const void *x, const void *y)
{
    return str_cmp(((const struct tv_entry *)x)->key, ((const struct tv_entry *)y)->key);
}

struct tv_entry *tv_entries(struct rt *rt, struct tv map)
{
    const struct map *m = made(rt, map);
    size_t n = tv_len(rt, map);
    struct tv_entry *e = ARENA_ARRAY(rt->arena, struct tv_entry, n);
    bool sorted = true;
    uint64_t bytes = 0;

    for (size_t i = 0; i < n; i++) {
        if (m) {
            e[i].key = map_key(m, i);
            e[i].item = as_element((enum tv_type)map.type, *(const struct tv *)map_at(m, i));
        } else {
            e[i].key = value_key(&map.data->items[i]);
            e[i].item = in_interface(wrap_child(map, &map.data->items[i]));
        }
        sorted = sorted && (i == 0 || str_cmp(e[i - 1].key, e[i].key) < 0);
        bytes += e[i].key.len;
    }
    rt_charge_sort(rt, n, bytes, sorted);
    if (!sorted)
        qsort(e, n, sizeof(*e), entry_compare);
    return e;
}

/* ---- Both ----------------------------------------------------------------------------------- */

size_t tv_len(const struct rt *rt, struct tv v)
{
    const struct map *m;

    switch (tv_kind(v)) {
    case TV_KIND_STRING:
        return v.len;
    case TV_KIND_SLICE:
        if (v.flags & TV_DATA)
            return v.data->len;
        return v.list ? v.list->len : 0;
    case TV_KIND_MAP:
        m = made(rt, v);
        if (m)
            return map_len(m);
        return v.flags & TV_DATA ? v.data->len : 0;
    default:
        return 0;
    }
}

bool tv_is_true(const struct rt *rt, struct tv v)
{
    switch (tv_kind(v)) {
    case TV_KIND_INVALID:
        return false;
    case TV_KIND_BOOL:
        return v.truth;
    case TV_KIND_INT:
    case TV_KIND_UINT:
        return v.u != 0;
    case TV_KIND_FLOAT:
        return tv_float64(v) != 0;
    case TV_KIND_COMPLEX:
        return v.z->re != 0 || v.z->im != 0;
    case TV_KIND_STRING:
        return v.len > 0;
    case TV_KIND_SLICE:
    case TV_KIND_MAP:
        return v.object && tv_len(rt, v) > 0;
    case TV_KIND_PTR:
        return v.object != NULL;
    default:
        return true;
    }
}

static bool lists_equal(struct rt *rt, struct tv x, struct tv y)
{
    size_t n = tv_len(rt, x);

    if (tv_is_nil(x) != tv_is_nil(y) || n != tv_len(rt, y))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!tv_deep_equal(rt, tv_at(rt, x, i), tv_at(rt, y, i)))
            return false;
    return true;
}

static bool maps_equal(struct rt *rt, struct tv x, struct tv y)
{
    size_t n = tv_len(rt, x);
    struct tv_entry *e;
    struct tv other;

    if (tv_is_nil(x) != tv_is_nil(y) || n != tv_len(rt, y))
        return false;
    e = tv_entries(rt, x);
    for (size_t i = 0; i < n; i++)
        if (!tv_get(rt, y, e[i].key, &other) || !tv_deep_equal(rt, e[i].item, other))
            return false;
    return true;
}

/* Values of other types have one representation in text. */
static bool objects_equal(struct rt *rt, struct tv x, struct tv y)
{
    const struct tv_info *info = tv_info(x.type);

    if (x.object == y.object)
        return true;
    if (!x.object || !y.object)
        return false;
    if (info->equal)
        return info->equal(x.object, y.object, true);
    return info->string && str_eq(tv_to_str(rt, x), tv_to_str(rt, y));
}

static bool containers_equal(struct rt *rt, struct tv x, struct tv y)
{
    bool same;

    if (rt->depth >= RT_DEPTH_MAX || rt->too_deep) {
        rt->too_deep = true;
        return false;
    }
    rt->depth++;
    same = tv_kind(x) == TV_KIND_SLICE ? lists_equal(rt, x, y) : maps_equal(rt, x, y);
    rt->depth--;
    return same;
}

bool tv_deep_equal(struct rt *rt, struct tv x, struct tv y)
{
    if (!rt_charge(rt, 1) || x.type != y.type)
        return false;
    switch (tv_kind(x)) {
    case TV_KIND_INVALID:
        return true;
    case TV_KIND_BOOL:
        return x.truth == y.truth;
    case TV_KIND_INT:
    case TV_KIND_UINT:
        return x.u == y.u;
    case TV_KIND_FLOAT:
        return tv_float_equal(x, y);
    case TV_KIND_COMPLEX:
        return x.z->re == y.z->re && x.z->im == y.z->im;
    case TV_KIND_STRING:
        if (x.len == y.len)
            rt_charge_bytes(rt, x.len);
        return str_eq(tv_text(x), tv_text(y));
    case TV_KIND_SLICE:
    case TV_KIND_MAP:
        return containers_equal(rt, x, y);
    default:
        return objects_equal(rt, x, y);
    }
}
