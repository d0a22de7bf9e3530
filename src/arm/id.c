/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id.c - parses, compares and builds ids of Azure Resource Manager.
 */
#include "arm/id.h"

/* ---- Reading. -------------------------------------------------------------------------------- */

/*
 * Servers resolve dots, some treat a backslash as a slash, and control characters end lines: with
 * any of these, the id that is checked could differ from the resource that is accessed.
 */
bool arm_id_is_segment(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c < ' ' || c == 0x7f || c == '/' || c == '\\')
            return false;
    }
    return s.len && !str_eq(s, STR(".")) && !str_eq(s, STR(".."));
}

/* The segments of an id, one after the other. */
struct segments {
    str rest;
    size_t number; /* number of the last one, from 1 */
};

static bool next_segment(struct segments *s, str *out)
{
    if (s->rest.len == 0)
        return false;
    str_cut(s->rest, STR("/"), out, &s->rest);
    s->number++;
    return true;
}

static bool peek_is(const struct segments *s, str word)
{
    struct segments copy = *s;
    str segment;

    return next_segment(&copy, &segment) && str_eq_fold(segment, word);
}

/* The value after a keyword, such as the name of the subscription. */
static bool value_behind(struct segments *s, const char *word, str *out, struct err *e)
{
    str skipped;

    if (next_segment(s, &skipped) && next_segment(s, out) && out->len)
        return true;
    return err_set(e, ERR_INVALID, "nothing follows \"%s\"", word);
}

static bool read_pairs(struct arena *a, struct segments *s, struct arm_block *block, struct err *e)
{
    VEC(struct arm_pair) pairs = {0};
    struct arm_pair pair;

    while (s->rest.len && !(pairs.len && peek_is(s, STR("providers")))) {
        if (!next_segment(s, &pair.type) || !next_segment(s, &pair.name) || !pair.type.len ||
            !pair.name.len)
            return err_set(e, ERR_INVALID, "type \"%.*s\" has no name behind it",
                           STR_ARG(pair.type));
        VEC_PUSH(a, &pairs, pair);
    }
    if (pairs.len == 0)
        return err_set(e, ERR_INVALID, "provider \"%.*s\" has no type and name behind it",
                       STR_ARG(block->provider));
    block->pairs = pairs.items;
    block->count = pairs.len;
    return true;
}

static bool read_blocks(struct arena *a, struct segments *s, struct arm_id *out, struct err *e)
{
    VEC(struct arm_block) blocks = {0};

    while (s->rest.len) {
        struct arm_block block = {0};
        if (!peek_is(s, STR("providers"))) {
            str found = STR_NONE;
            (void)next_segment(s, &found);
            return err_set(e, ERR_INVALID, "\"providers\" is expected at \"%.*s\"", STR_ARG(found));
        }
        if (!value_behind(s, "providers", &block.provider, e) || !read_pairs(a, s, &block, e))
            return false;
        VEC_PUSH(a, &blocks, block);
    }
    out->blocks = blocks.items;
    out->block_count = blocks.len;
    return true;
}

static str without_last_slash(str text)
{
    while (text.len > 1 && text.ptr[text.len - 1] == '/')
        text.len--;
    return text;
}

static bool check_segments(str text, struct err *e)
{
    struct segments s = {.rest = str_from(text, 1)};
    str segment;

    while (next_segment(&s, &segment))
        if (segment.len && !arm_id_is_segment(segment))
            return err_set(e, ERR_INVALID, "\"%.*s\" in it is not a name", STR_ARG(segment));
    return true;
}

static bool read_id(struct arena *a, str text, struct arm_id *out, struct err *e)
{
    struct segments s = {.rest = str_from(without_last_slash(text), 1)};

    *out = (struct arm_id){0};
    if (text.len > ARM_ID_MAX)
        return err_set(e, ERR_LIMIT, "it is longer than %zu bytes", ARM_ID_MAX);
    if (!str_has_prefix(text, STR("/")))
        return err_set(e, ERR_INVALID, "it does not begin with a slash");
    if (!check_segments(text, e))
        return false;
    if (peek_is(&s, STR("subscriptions"))) {
        if (!value_behind(&s, "subscriptions", &out->subscription, e))
            return false;
        if (peek_is(&s, STR("resourceGroups")) &&
            !value_behind(&s, "resourceGroups", &out->group, e))
            return false;
    }
    if (!read_blocks(a, &s, out, e))
        return false;
    return out->subscription.len || out->block_count ||
           err_set(e, ERR_INVALID, "it names neither a subscription nor a provider");
}

bool arm_id_parse(struct arena *a, str text, struct arm_id *out, struct err *e)
{
    str shown = str_slice(text, 0, 512);

    return read_id(a, text, out, e) || err_wrap(e, "\"%.*s\" is no ARM id", STR_ARG(shown));
}

bool arm_id_is(str text)
{
    AUTO_ARENA a = arena_new();
    struct arm_id id;

    return read_id(a, text, &id, NULL);
}

/* ---- Looking. -------------------------------------------------------------------------------- */

bool arm_id_equal(str x, str y)
{
    return str_eq_fold(without_last_slash(x), without_last_slash(y));
}

str arm_id_print(struct arena *a, const struct arm_id *id)
{
    struct buf b = buf_new(a, 4 * ARM_ID_MAX);

    if (id->subscription.len)
        buf_fmt(&b, "/subscriptions/%.*s", STR_ARG(id->subscription));
    if (id->group.len)
        buf_fmt(&b, "/resourceGroups/%.*s", STR_ARG(id->group));
    for (size_t i = 0; i < id->block_count; i++) {
        const struct arm_block *block = &id->blocks[i];
        buf_fmt(&b, "/providers/%.*s", STR_ARG(block->provider));
        for (size_t k = 0; k < block->count; k++)
            buf_fmt(&b, "/%.*s/%.*s", STR_ARG(block->pairs[k].type), STR_ARG(block->pairs[k].name));
    }
    return buf_str(&b);
}

str arm_id_type(struct arena *a, const struct arm_id *id)
{
    struct buf b = buf_new(a, 2 * ARM_ID_MAX);

    if (id->block_count == 0)
        return id->group.len ? STR("Microsoft.Resources/resourceGroups")
                             : STR("Microsoft.Resources/subscriptions");
    const struct arm_block *last = &id->blocks[id->block_count - 1];
    buf_add(&b, last->provider);
    for (size_t k = 0; k < last->count; k++)
        buf_fmt(&b, "/%.*s", STR_ARG(last->pairs[k].type));
    return buf_str(&b);
}

str arm_id_name(const struct arm_id *id)
{
    if (id->block_count == 0)
        return id->group.len ? id->group : id->subscription;
    const struct arm_block *last = &id->blocks[id->block_count - 1];
    return last->pairs[last->count - 1].name;
}

bool arm_id_parent(struct arena *a, const struct arm_id *id, struct arm_id *out)
{
    *out = *id;
    if (id->block_count == 0) {
        out->group = STR_NONE;
        return id->group.len > 0;
    }
    const struct arm_block *last = &id->blocks[id->block_count - 1];
    if (last->count == 1) {
        out->block_count--;
        return out->block_count || id->subscription.len;
    }
    struct arm_block *blocks = ARENA_ARRAY(a, struct arm_block, id->block_count);
    for (size_t i = 0; i < id->block_count; i++)
        blocks[i] = id->blocks[i];
    blocks[id->block_count - 1].count--;
    out->blocks = blocks;
    return true;
}

/* ---- Building. ------------------------------------------------------------------------------- */

str arm_id_of_group(struct arena *a, str subscription, str name)
{
    return str_fmt(a, "/subscriptions/%.*s/resourceGroups/%.*s", STR_ARG(subscription),
                   STR_ARG(name));
}

str arm_id_of_extension(struct arena *a, str target, str type, str name)
{
    str base = without_last_slash(target);

    if (str_eq(base, STR("/")))
        base = STR_NONE;
    return str_fmt(a, "%.*s/providers/%.*s/%.*s", STR_ARG(base), STR_ARG(type), STR_ARG(name));
}

/* How many parts of the type base already has, in which case it also has the provider. */
static size_t shared_parts(const struct arm_id *base, str provider)
{
    if (base->block_count == 0)
        return 0;
    const struct arm_block *last = &base->blocks[base->block_count - 1];
    return str_eq_fold(last->provider, provider) ? last->count : 0;
}

bool arm_id_of_resource(struct arena *a, str base, str type, const str *names, size_t count,
                        str *out, struct err *e)
{
    struct buf b = buf_new(a, 4 * ARM_ID_MAX);
    struct arm_id above = {0};
    str provider, types, part;

    base = without_last_slash(base);
    if (base.len && !arm_id_parse(a, base, &above, e))
        return false;
    str_cut(type, STR("/"), &provider, &types);
    size_t have = shared_parts(&above, provider), parts = str_count_char(types, '/') + 1;
    if (have >= parts || parts - have != count)
        return err_set(e, ERR_INVALID,
                       "type %.*s needs %zu more names below its owner, and there are %zu",
                       STR_ARG(type), have < parts ? parts - have : 0, count);
    buf_add(&b, base);
    if (have == 0)
        buf_fmt(&b, "/providers/%.*s", STR_ARG(provider));
    for (size_t i = 0; i < parts; i++) {
        str_cut(types, STR("/"), &part, &types);
        if (i >= have)
            buf_fmt(&b, "/%.*s/%.*s", STR_ARG(part), STR_ARG(names[i - have]));
    }
    *out = buf_str(&b);
    return buf_check(&b, e);
}

bool arm_id_check_type(struct arena *a, str text, str expected, struct err *e)
{
    struct arm_id id;

    if (!arm_id_parse(a, text, &id, e))
        return false;
    str type = arm_id_type(a, &id);
    return str_eq_fold(type, expected) ||
           err_set(e, ERR_INVALID, "\"%.*s\" is the id of a %.*s, but the owner must be a %.*s",
                   STR_ARG(text), STR_ARG(type), STR_ARG(expected));
}
