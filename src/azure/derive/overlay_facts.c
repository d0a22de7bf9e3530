/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlay_facts.c - facts about types and properties: reads them, looks them up, and finds unused
 * ones.
 *
 * To add a code: an enumerator in overlay.h, a line in the table below, a row in
 * docs/design/azure-model.md, and the place in a derive_*.c that looks it up.
 */
#include "azure/derive/overlay_internal.h"

struct code_row {
    str name;
    enum fact_code code;
    bool sided; /* .spec and .status may follow */
};

static const struct code_row codes[] = {
    {STR_INIT("config"), FACT_CONFIG, false},
    {STR_INIT("config!"), FACT_CONFIG_ONLY, false},
    {STR_INIT("drop"), FACT_DROP, true},
    {STR_INIT("flatten"), FACT_FLATTEN, true},
    {STR_INIT("float"), FACT_FLOAT, true},
    {STR_INIT("hide"), FACT_HIDE, true},
    {STR_INIT("keep"), FACT_KEEP, true},
    {STR_INIT("keepEmpty"), FACT_KEEP_EMPTY, false},
    {STR_INIT("map"), FACT_MAP, false},
    {STR_INIT("noflatten"), FACT_NO_FLATTEN, false},
    {STR_INIT("noitemv"), FACT_NO_ITEM_LIMITS, false},
    {STR_INIT("opt"), FACT_OPTIONAL, false},
    {STR_INIT("plain"), FACT_PLAIN, false},
    {STR_INIT("ref"), FACT_REF, false},
    {STR_INIT("ref+"), FACT_REF_BESIDE, false},
    {STR_INIT("ref?"), FACT_REF_WELL_KNOWN, false},
    {STR_INIT("req"), FACT_REQUIRED, false},
    {STR_INIT("secret"), FACT_SECRET, false},
    {STR_INIT("secret?"), FACT_SECRET_OPTIONAL, false},
    {STR_INIT("secretMap"), FACT_SECRET_MAP, false},
    {STR_INIT("string"), FACT_STRING, false},
    {STR_INIT("variantByType"), FACT_BY_TYPE, true},
};

static const str attrs[FACT_ATTRS] = {
    [ATTR_ARM] = STR_INIT("arm"),           [ATTR_ENUM] = STR_INIT("enum"),
    [ATTR_IDENTITY] = STR_INIT("identity"), [ATTR_MIN_ITEMS] = STR_INIT("minItems"),
    [ATTR_NAME] = STR_INIT("name"),         [ATTR_TYPE] = STR_INIT("t"),
    [ATTR_LIMITS] = STR_INIT("v"),
};

static const str lists[OVERLAY_LISTS] = {
    [LIST_ADDITIONAL] = STR_INIT("additionalProperties"),
    [LIST_NO_ADDITIONAL] = STR_INIT("noAdditionalProperties"),
    [LIST_NO_FLATTEN] = STR_INIT("noFlatten"),
    [LIST_NOT_RESOURCE] = STR_INIT("notResource"),
};

/* ---- Reading. ---- */

/* Appends a fact to others about the same thing. */
static void add_fact(struct overlay_facts *f, struct map *m, str key, const struct fact *fact)
{
    struct fact *copy = ARENA_NEW(f->arena, struct fact);
    struct fact *first = map_get(m, key);

    *copy = *fact;
    VEC_PUSH(f->arena, &f->all, copy);
    if (!first) {
        copy->last = copy;
        map_set(m, key, copy);
        return;
    }
    first->last->next = copy;
    first->last = copy;
}

static bool add_version(const struct overlay_reader *r, str version, struct fact *fact,
                        str *versions, struct err *e)
{
    if (!map_has(r->group->versions, version))
        return source_err(e, r->src, fact->node, "no kind of %.*s has a version \"%.*s\"",
                          STR_ARG(r->group->name), STR_ARG(version));
    versions[fact->version_count++] = version;
    return true;
}

/* "v1,v2" */
static bool read_versions(const struct overlay_reader *r, str text, struct fact *fact,
                          struct err *e)
{
    str *versions = ARENA_ARRAY(r->arena, str, str_count_char(text, ',') + 1);
    str one;

    fact->versions = versions;
    for (bool more = true; more;) {
        more = str_cut(text, STR(","), &one, &text);
        if (!add_version(r, one, fact, versions, e))
            return false;
    }
    return true;
}

static bool read_version_list(const struct overlay_reader *r, const struct value *list,
                              struct fact *fact, struct err *e)
{
    if (!list)
        return true;
    if (!value_is(list, VALUE_LIST) || list->len == 0)
        return source_err(e, r->src, list, "on must be a list of versions");
    str *versions = ARENA_ARRAY(r->arena, str, list->len);
    fact->versions = versions;
    for (size_t i = 0; i < list->len; i++)
        if (!add_version(r, value_str(&list->items[i]), fact, versions, e))
            return false;
    return true;
}

/* Cuts "name@v1,v2" into the name and the versions of fact. */
static bool read_limited(const struct overlay_reader *r, const struct value *node,
                         struct fact *fact, str *name, struct err *e)
{
    str versions;

    fact->node = node;
    if (!value_is(node, VALUE_STRING))
        return source_err(e, r->src, node, "%.*s: must be a string, not of type %s",
                          STR_ARG(fact->where), value_kind_name((enum value_kind)node->kind));
    return !str_cut(value_str(node), STR("@"), name, &versions) ||
           read_versions(r, versions, fact, e);
}

/* Takes ".spec" or ".status" off the end. */
static str take_side(str text, uint8_t *sides)
{
    *sides = SIDES_BOTH;
    if (str_has_suffix(text, STR(".spec")))
        *sides = 1 << SIDE_SPEC;
    if (str_has_suffix(text, STR(".status")))
        *sides = 1 << SIDE_STATUS;
    return str_without_suffix(str_without_suffix(text, STR(".spec")), STR(".status"));
}

static bool read_code(const struct overlay_reader *r, str text, struct fact *fact, struct err *e)
{
    str name = take_side(text, &fact->sides);

    for (size_t i = 0; i < COUNT(codes); i++) {
        if (!str_eq(codes[i].name, name) || (!codes[i].sided && name.len != text.len))
            continue;
        fact->code = codes[i].code;
        return true;
    }
    return source_err(e, r->src, fact->node, "%.*s: unknown code \"%.*s\"", STR_ARG(fact->where),
                      STR_ARG(text));
}

/* "ref", "secret drop.status@v20240501" */
static bool read_codes(const struct overlay_reader *r, const struct value *node, struct fact *fact,
                       struct map *props, str prop, struct err *e)
{
    str text = STR_NONE, one;

    if (!read_limited(r, node, fact, &text, e))
        return false;
    for (bool more = true; more;) {
        more = str_cut(text, STR(" "), &one, &text);
        if (!read_code(r, one, fact, e))
            return false;
        add_fact(r->group->facts, props, prop, fact);
    }
    return true;
}

/* The kinds of values that an attribute can have, as bits. */
static const uint32_t attr_kinds[FACT_ATTRS] = {
    [ATTR_ARM] = 1U << VALUE_STRING,    [ATTR_ENUM] = 1U << VALUE_LIST,
    [ATTR_MIN_ITEMS] = 1U << VALUE_INT, [ATTR_IDENTITY] = 1U << VALUE_LIST | 1U << VALUE_STRING,
    [ATTR_NAME] = 1U << VALUE_STRING,   [ATTR_TYPE] = 1U << VALUE_STRING,
    [ATTR_LIMITS] = 1U << VALUE_OBJECT,
};

static bool check_attr(const struct overlay_reader *r, const struct value *v,
                       const struct fact *fact, struct err *e)
{
    str key = value_key(v);
    bool fits = attr_kinds[fact->attr] >> v->kind & 1;

    if (fits && fact->attr == ATTR_IDENTITY && value_is(v, VALUE_STRING) &&
        !str_eq(value_str(v), STR("index")) && !str_eq(value_str(v), STR("set")))
        fits = false;
    for (size_t i = 0; fact->attr == ATTR_IDENTITY && i < value_len(v); i++)
        fits = fits && value_is(&v->items[i], VALUE_STRING);
    return fits || source_err(e, r->src, v, "%.*s: wrong value for %.*s%s", STR_ARG(fact->where),
                              STR_ARG(key),
                              fact->attr == ATTR_IDENTITY
                                  ? ": a list of property names, \"index\" or \"set\""
                                  : "");
}

/* {"enum": [...], "on": ["v20240501"]} */
static bool read_attrs(const struct overlay_reader *r, const struct value *node, struct fact *fact,
                       struct map *props, str prop, struct err *e)
{
    fact->node = node;
    fact->sides = SIDES_BOTH;
    if (!read_version_list(r, value_get(node, STR("on")), fact, e))
        return false;
    for (size_t i = 0; i < node->len; i++) {
        str key = value_key(&node->items[i]);
        if (str_eq(key, STR("on")))
            continue;
        fact->attr = 0;
        while (fact->attr < FACT_ATTRS && !str_eq(attrs[fact->attr], key))
            fact->attr++;
        if (fact->attr == FACT_ATTRS)
            return source_err(e, r->src, &node->items[i], "%.*s: unknown key \"%.*s\"",
                              STR_ARG(fact->where), STR_ARG(key));
        if (!check_attr(r, &node->items[i], fact, e))
            return false;
        fact->value = &node->items[i];
        add_fact(r->group->facts, props, prop, fact);
    }
    return true;
}

static bool read_fact(const struct overlay_reader *r, const struct value *node, str where,
                      struct map *props, str prop, struct err *e)
{
    struct fact fact = {.code = FACT_CODES, .attr = FACT_ATTRS, .where = where};

    if (value_is(node, VALUE_OBJECT))
        return read_attrs(r, node, &fact, props, prop, e);
    return read_codes(r, node, &fact, props, prop, e);
}

static bool read_type_props(const struct overlay_reader *r, const struct value *type, struct err *e)
{
    struct map *props = map_new(r->arena);

    if (!value_is(type, VALUE_OBJECT))
        return source_err(e, r->src, type, "props.%.*s must be an object",
                          STR_ARG(value_key(type)));
    map_set(r->group->facts->props, value_key(type), props);
    for (size_t i = 0; i < type->len; i++) {
        const struct value *v = &type->items[i];
        str prop = value_key(v);
        str where = str_fmt(r->arena, "props.%.*s.%.*s", STR_ARG(value_key(type)), STR_ARG(prop));
        size_t count = value_is(v, VALUE_LIST) ? v->len : 1;
        for (size_t j = 0; j < count; j++)
            if (!read_fact(r, value_is(v, VALUE_LIST) ? &v->items[j] : v, where, props, prop, e))
                return false;
    }
    return true;
}

static bool read_list(const struct overlay_reader *r, const struct value *root,
                      enum overlay_list list, struct err *e)
{
    const struct value *names = value_get(root, lists[list]);

    r->group->facts->lists[list] = map_new(r->arena);
    for (size_t i = 0; i < value_len(names); i++) {
        struct fact fact = {.code = FACT_CODES, .attr = FACT_ATTRS, .sides = SIDES_BOTH};
        str name = STR_NONE;
        fact.where = lists[list];
        if (!read_limited(r, &names->items[i], &fact, &name, e))
            return false;
        add_fact(r->group->facts, r->group->facts->lists[list], name, &fact);
    }
    return true;
}

static bool has_kind(const struct overlay_group *g, str name)
{
    for (size_t i = 0; i < g->kind_count; i++)
        if (str_eq(g->kinds[i].name, name))
            return true;
    return false;
}

/* "Kind", "Kind:spec", "Kind:status@v20240501" */
static bool read_expansion(const struct overlay_reader *r, str type, const struct value *node,
                           struct err *e)
{
    struct fact fact = {.code = FACT_CODES, .attr = FACT_ATTRS, .sides = SIDES_BOTH};
    str text = STR_NONE, side;

    fact.where = str_fmt(r->arena, "expand.%.*s", STR_ARG(type));
    if (!read_limited(r, node, &fact, &text, e))
        return false;
    if (str_cut(text, STR(":"), &fact.kind, &side)) {
        if (!str_eq(side, STR("spec")) && !str_eq(side, STR("status")))
            return source_err(e, r->src, node, "%.*s: after the colon comes spec or status",
                              STR_ARG(fact.where));
        fact.sides = str_eq(side, STR("spec")) ? 1 << SIDE_SPEC : 1 << SIDE_STATUS;
    }
    if (!has_kind(r->group, fact.kind))
        return source_err(e, r->src, node, "%.*s: there is no kind \"%.*s\" in %.*s",
                          STR_ARG(fact.where), STR_ARG(fact.kind), STR_ARG(r->group->name));
    add_fact(r->group->facts, r->group->facts->expand, type, &fact);
    return true;
}

static bool read_expand(const struct overlay_reader *r, const struct value *expand, struct err *e)
{
    r->group->facts->expand = map_new(r->arena);
    for (size_t i = 0; i < value_len(expand); i++) {
        const struct value *kinds = &expand->items[i];
        if (!value_is(kinds, VALUE_LIST))
            return source_err(e, r->src, kinds, "expand.%.*s must be a list of kinds",
                              STR_ARG(value_key(kinds)));
        for (size_t j = 0; j < kinds->len; j++)
            if (!read_expansion(r, value_key(kinds), &kinds->items[j], e))
                return false;
    }
    return true;
}

bool overlay_read_facts(struct overlay_reader *r, const struct value *root, struct err *e)
{
    const struct value *props = value_get(root, STR("props"));

    r->group->facts = ARENA_NEW(r->arena, struct overlay_facts);
    r->group->facts->arena = r->arena;
    r->group->facts->props = map_new(r->arena);
    for (size_t i = 0; i < OVERLAY_LISTS; i++)
        if (!read_list(r, root, (enum overlay_list)i, e))
            return false;
    if (!read_expand(r, value_get(root, STR("expand")), e))
        return false;
    for (size_t i = 0; i < value_len(props); i++)
        if (!read_type_props(r, &props->items[i], e))
            return false;
    return true;
}

/* ---- Lookup. ---- */

static bool applies(struct fact *f, str version, enum side side)
{
    bool in_version = f->version_count == 0;

    for (size_t i = 0; i < f->version_count && !in_version; i++)
        in_version = str_eq(f->versions[i], version);
    if (!in_version || !(f->sides >> side & 1))
        return false;
    f->used = true;
    return true;
}

static struct fact *first_fact(const struct overlay_group *g, str type, str prop)
{
    const struct map *props = map_get(g->facts->props, type);

    return props ? map_get(props, prop) : NULL;
}

struct facts overlay_facts(const struct overlay_group *g, str type, str prop, str version,
                           enum side side)
{
    struct facts out = {0};

    for (struct fact *f = first_fact(g, type, prop); f; f = f->next) {
        if (!applies(f, version, side))
            continue;
        if (f->code != FACT_CODES)
            out.codes |= 1U << f->code;
        else
            out.attr[f->attr] = f->value;
    }
    return out;
}

bool overlay_elsewhere(const struct overlay_group *g, str type, str prop, enum fact_code code)
{
    for (const struct fact *f = first_fact(g, type, prop); f; f = f->next)
        if (f->code == code)
            return true;
    return false;
}

bool overlay_listed(const struct overlay_group *g, enum overlay_list list, str type, str version)
{
    bool listed = false;

    for (struct fact *f = map_get(g->facts->lists[list], type); f; f = f->next)
        listed = applies(f, version, SIDE_SPEC) || listed;
    return listed;
}

bool overlay_expanded(const struct overlay_group *g, str type, str kind, str version,
                      enum side side)
{
    bool expanded = false;

    for (struct fact *f = map_get(g->facts->expand, type); f; f = f->next)
        expanded = (str_eq(f->kind, kind) && applies(f, version, side)) || expanded;
    return expanded;
}

void overlay_unused(struct arena *a, const struct overlay_group *g, struct unused_fact **out,
                    size_t *count)
{
    const struct overlay_facts *facts = g->facts;

    *out = ARENA_ARRAY(a, struct unused_fact, facts->all.len);
    *count = 0;
    for (size_t i = 0; i < facts->all.len; i++) {
        const struct fact *f = facts->all.items[i];
        if (f->used)
            continue;
        str text = value_str(f->node);
        if (f->attr != FACT_ATTRS)
            text = str_fmt(a, "{%.*s}", STR_ARG(attrs[f->attr]));
        (*out)[(*count)++] = (struct unused_fact){
            .at = source_where(g->src, f->node),
            .text = str_fmt(a, "%.*s: %.*s", STR_ARG(f->where), STR_ARG(text)),
        };
    }
}
