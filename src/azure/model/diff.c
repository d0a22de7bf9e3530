/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - compares two models; see diff.h.
 */
#include "azure/model/diff.h"
#include "text/json/json.h"

/* How deep types may be nested; derived models stop at 100. */
enum { DEPTH_MAX = 200 };

struct comparison {
    struct arena *arena;
    const struct value *old, *new_; /* the model files */
    model_diff_fn *fn;
    void *ctx;
    str resource;
    enum side side;
    struct map *seen; /* pairs of types that have been compared already */
    size_t depth;
};

/* The position of a walk: a step and those above it. */
struct step {
    const struct step *above;
    str name;
};

static str path_text(struct arena *a, const struct step *s)
{
    if (!s)
        return STR_NONE;
    str above = path_text(a, s->above);
    return above.len ? str_join(a, (str[]){above, s->name}, 2, STR(".")) : s->name;
}

static void tell(const struct comparison *c, enum model_change change, const struct step *at,
                 str key, const struct value *old, const struct value *new_)
{
    const struct model_difference d = {
        .change = change,
        .resource = c->resource,
        .side = c->side,
        .path = path_text(c->arena, at),
        .key = key,
        .old = old,
        .new_ = new_,
    };

    c->fn(c->ctx, &d);
}

/* ---- Facts. ---- */

/* A minimum length or count of 0 means nothing, and published types do not have it. */
static struct value *without_zeros(struct arena *a, const struct value *limits)
{
    static const str least[] = {STR_INIT("minLen"), STR_INIT("minItems")};
    struct value *cut = limits ? value_clone(a, limits) : value_object(a);

    for (size_t i = 0; i < COUNT(least); i++) {
        int64_t limit;
        if (value_to_i64(value_get(cut, least[i]), &limit) && limit == 0)
            value_unset(cut, least[i]);
    }
    return cut;
}

static bool same_limits(struct arena *a, const struct value *x, const struct value *y)
{
    return value_equal(without_zeros(a, x), without_zeros(a, y));
}

static bool has_value(const struct value *list, const struct value *v)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (value_equal(&list->items[i], v))
            return true;
    return false;
}

/* Whether both have the same values, in any order and without duplicates. */
static bool same_values(const struct value *x, const struct value *y)
{
    if (value_len(x) != value_len(y))
        return false;
    for (size_t i = 0; i < value_len(x); i++)
        if (!has_value(y, &x->items[i]))
            return false;
    return true;
}

static const str prop_keys[] = {
    STR_INIT("a"),        STR_INIT("r"),        STR_INIT("v"),         STR_INIT("role"),
    STR_INIT("pair"),     STR_INIT("empty"),    STR_INIT("enum"),      STR_INIT("default"),
    STR_INIT("identity"), STR_INIT("minItems"), STR_INIT("writeOnly"),
};

static void compare_facts(const struct comparison *c, const struct step *at,
                          const struct value *old, const struct value *new_)
{
    for (size_t i = 0; i < COUNT(prop_keys); i++) {
        const struct value *x = value_get(old, prop_keys[i]), *y = value_get(new_, prop_keys[i]);
        bool limits = str_eq(prop_keys[i], STR("v"));
        if (limits ? !same_limits(c->arena, x, y) : !value_equal(x, y))
            tell(c, CHANGE_FACT, at, prop_keys[i], x, y);
    }
}

/* ---- Types. ---- */

static void compare_types(struct comparison *c, const struct step *at, str old, str new_);

/* Takes [] and {} off the front. */
static str element_of(str t)
{
    while (str_has_prefix(t, STR("[]")) || str_has_prefix(t, STR("{}")))
        t = str_from(t, 2);
    return t;
}

static const struct value *look_up(const struct value *model, const char *section, str t)
{
    return value_get(value_get(model, str_c(section)), str_from(t, 1));
}

/*
 * Whether both type strings have the same form; the contents of named types are compared elsewhere.
 */
static bool same_form(str old, str new_)
{
    str x = element_of(old), y = element_of(new_);

    if (!str_eq(str_slice(old, 0, old.len - x.len), str_slice(new_, 0, new_.len - y.len)))
        return false;
    bool named = x.len && y.len && x.ptr[0] == y.ptr[0] &&
                 (x.ptr[0] == '@' || x.ptr[0] == '%' || x.ptr[0] == '~');
    return named || str_eq(x, y);
}

/* Compares enums and validated elements: their names do not matter, only what they allow. */
static void compare_named(const struct comparison *c, const struct step *at, str x, str y)
{
    bool is_enum = str_has_prefix(x, STR("%"));
    const char *section = is_enum ? "enums" : "scalars";
    const struct value *old = look_up(c->old, section, x), *new_ = look_up(c->new_, section, y);

    if (is_enum ? same_values(old, new_)
                : str_eq(value_get_str(old, STR("t")), value_get_str(new_, STR("t"))) &&
                      same_limits(c->arena, value_get(old, STR("v")), value_get(new_, STR("v"))))
        return;
    tell(c, CHANGE_RETYPED, at, is_enum ? STR("values") : STR("elements"), old, new_);
}

static void compare_props(struct comparison *c, const struct step *at, const struct value *old,
                          const struct value *new_)
{
    str x = value_get_str(old, STR("t")), y = value_get_str(new_, STR("t"));
    str inner_x = element_of(x), inner_y = element_of(y);

    compare_facts(c, at, old, new_);
    if (!same_form(x, y))
        tell(c, CHANGE_RETYPED, at, STR_NONE, old, new_);
    else if (str_has_prefix(inner_x, STR("@")))
        compare_types(c, at, inner_x, inner_y);
    else if (str_has_prefix(inner_x, STR("%")) || str_has_prefix(inner_x, STR("~")))
        compare_named(c, at, inner_x, inner_y);
}

/* Whether this pair of types has not been compared yet; marks it. */
static bool enter(struct comparison *c, str old, str new_)
{
    str key = str_join(c->arena, (str[]){old, new_}, 2, STR(" "));

    if (c->depth >= DEPTH_MAX || map_has(c->seen, key))
        return false;
    map_set(c->seen, key, c);
    return true;
}

static void compare_types(struct comparison *c, const struct step *at, str old, str new_)
{
    const struct value *x = look_up(c->old, "types", old), *y = look_up(c->new_, "types", new_);
    const struct value *props_x = value_get(x, STR("props")), *props_y = value_get(y, STR("props"));

    if (!enter(c, old, new_))
        return;
    c->depth++;
    if (!value_equal(value_get(x, STR("oneOf")), value_get(y, STR("oneOf"))))
        tell(c, CHANGE_FACT, at, STR("oneOf"), value_get(x, STR("oneOf")),
             value_get(y, STR("oneOf")));
    struct value **sorted = value_sorted(c->arena, props_x);
    for (size_t i = 0; i < value_len(props_x); i++) {
        const struct step step = {.above = at, .name = value_key(sorted[i])};
        const struct value *other = value_get(props_y, step.name);
        if (other)
            compare_props(c, &step, sorted[i], other);
        else
            tell(c, CHANGE_REMOVED, &step, STR_NONE, sorted[i], NULL);
    }
    sorted = value_sorted(c->arena, props_y);
    for (size_t i = 0; i < value_len(props_y); i++) {
        const struct step step = {.above = at, .name = value_key(sorted[i])};
        if (!value_get(props_x, step.name))
            tell(c, CHANGE_ADDED, &step, STR_NONE, NULL, sorted[i]);
    }
    c->depth--;
}

/* ---- Resources. ---- */

/* The first ones always differ between versions, so they are not reported. */
enum { VERSION_KEYS = 3 };
static const str row_keys[] = {
    STR_INIT("armApiVersion"), STR_INIT("importable"), STR_INIT("hub"),     STR_INIT("armType"),
    STR_INIT("scope"),         STR_INIT("ops"),        STR_INIT("owner"),   STR_INIT("azureName"),
    STR_INIT("categories"),    STR_INIT("configMaps"), STR_INIT("secrets"), STR_INIT("plural"),
    STR_INIT("embedded"),      STR_INIT("targets"),
};

static void compare_side(struct comparison *c, enum side side, const struct value *old,
                         const struct value *new_)
{
    str key = str_c(side_name(side));
    str x = str_concat(c->arena, STR("@"), value_get_str(old, key));
    str y = str_concat(c->arena, STR("@"), value_get_str(new_, key));

    c->side = side;
    c->seen = map_new(c->arena);
    c->depth = 0;
    compare_types(c, NULL, x, y);
}

static void compare_resource(struct comparison *c, str name)
{
    const struct value *old = value_get(value_get(c->old, STR("resources")), name);
    const struct value *new_ = value_get(value_get(c->new_, STR("resources")), name);

    bool same_version =
        value_equal(value_get(c->old, STR("version")), value_get(c->new_, STR("version")));

    c->resource = name;
    c->side = SIDE_SPEC;
    for (size_t i = 0; i < COUNT(row_keys); i++) {
        const struct value *x = value_get(old, row_keys[i]), *y = value_get(new_, row_keys[i]);
        if (!value_equal(x, y) && (i >= VERSION_KEYS || same_version))
            tell(c, CHANGE_FACT, NULL, row_keys[i], x, y);
    }
    compare_side(c, SIDE_SPEC, old, new_);
    compare_side(c, SIDE_STATUS, old, new_);
}

void model_diff_resource(struct arena *a, const struct value *old, const struct value *new_,
                         str resource, model_diff_fn *fn, void *ctx)
{
    struct comparison c = {.arena = a, .old = old, .new_ = new_, .fn = fn, .ctx = ctx};

    compare_resource(&c, resource);
}

void model_diff(struct arena *a, const struct value *old, const struct value *new_,
                model_diff_fn *fn, void *ctx)
{
    struct comparison c = {.arena = a, .old = old, .new_ = new_, .fn = fn, .ctx = ctx};
    const struct value *x = value_get(old, STR("resources")),
                       *y = value_get(new_, STR("resources"));
    struct value **sorted = value_sorted(a, x);

    for (size_t i = 0; i < value_len(x); i++) {
        c.resource = value_key(sorted[i]);
        if (value_get(y, c.resource))
            compare_resource(&c, c.resource);
        else
            tell(&c, CHANGE_REMOVED, NULL, STR_NONE, sorted[i], NULL);
    }
    sorted = value_sorted(a, y);
    for (size_t i = 0; i < value_len(y); i++) {
        c.resource = value_key(sorted[i]);
        if (!value_get(x, c.resource))
            tell(&c, CHANGE_ADDED, NULL, STR_NONE, NULL, sorted[i]);
    }
}

/* ---- As text. ---- */

/* The type of a property, or a fact as JSON. */
static void write_value(struct buf *out, const struct value *v, bool prop)
{
    if (prop)
        buf_add(out, value_get_str(v, STR("t")));
    else if (!v || !json_write(out, v, &json_exact, NULL))
        buf_add(out, STR("none"));
}

/* The elements of x that y does not have, each after a sign. */
static void write_missing(struct buf *out, const struct value *x, const struct value *y, char sign)
{
    for (size_t i = 0; i < value_len(x); i++) {
        if (has_value(y, &x->items[i]))
            continue;
        buf_fmt(out, " %c", sign);
        write_value(out, &x->items[i], false);
    }
}

static void write_change(struct buf *out, const struct model_difference *d)
{
    if (str_eq(d->key, STR("values"))) {
        write_missing(out, d->old, d->new_, '-');
        write_missing(out, d->new_, d->old, '+');
        return;
    }
    buf_char(out, ' ');
    if (d->change != CHANGE_ADDED)
        write_value(out, d->old, !d->key.len);
    if (d->change == CHANGE_RETYPED || d->change == CHANGE_FACT)
        buf_add(out, STR(" -> "));
    if (d->change != CHANGE_REMOVED)
        write_value(out, d->new_, !d->key.len);
}

void model_diff_write(struct buf *out, const struct model_difference *d)
{
    static const char signs[] = {'+', '-', '~', '~'};

    buf_fmt(out, "%c ", signs[d->change]);
    if (d->path.len)
        buf_fmt(out, "%s.%.*s", side_name(d->side), STR_ARG(d->path));
    else
        buf_add(out, d->resource);
    if (d->key.len)
        buf_fmt(out, " %.*s", STR_ARG(d->key));
    if (d->path.len || d->key.len) {
        buf_char(out, ':');
        write_change(out, d);
    }
    buf_char(out, '\n');
}
