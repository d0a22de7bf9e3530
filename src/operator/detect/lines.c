/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - special rules for members of single kinds: api/rules/detect.json.
 *
 * The file is built in and is read once. It switches rules off for a kind ("off"), sets what to do
 * on drift of a kind ("modes"; PUT-only is for kinds whose recorded answers fail the replay of
 * vectors arm-drift, which none does), and has lines about members ("members"): a kind, a path in
 * its body ("at", where "*" matches any element or entry), what it is ("is"), and the document or
 * recording that shows it ("source"). An invalid file is a bug, found by the tests.
 */
#include "operator/detect/internal.h"

#include "base/embed.h"
#include "text/json/json.h"

#include <pthread.h>

EMBED(detect_json, "api/rules/detect.json");

static const char *const rules[] = {
    [DETECT_EMPTY] = "empty",
    [DETECT_NEVER] = "never",
    [DETECT_KEY_CASE] = "key-case",
    [DETECT_ENUM] = "enum",
    [DETECT_ID] = "id",
    [DETECT_ROLE] = "role",
    [DETECT_GUID] = "guid",
    [DETECT_LOCATION] = "location",
    [DETECT_SKU] = "sku",
    [DETECT_NUMBER] = "number",
    [DETECT_FOLD] = "fold",
    [DETECT_XML] = "xml",
    [DETECT_JSON] = "json",
    [DETECT_CHILDREN] = "children",
};

static const char *const line_names[] = {
    [LINE_FOLD] = "fold",         [LINE_XML] = "xml",       [LINE_JSON] = "json",
    [LINE_CHILDREN] = "children", [LINE_HIDDEN] = "hidden",
};

/* ---- Reading. -------------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct value *file; /* written once, then only read */

/* The members of the file with their kinds, which every comparison searches. */
static struct about {
    str kind, group;
    const struct value *line;
} * about;
static size_t about_count;

static void read_file(void)
{
    static struct source src;
    static struct arena *volatile kept; /* of the run; volatile, so that leak checkers see it */
    struct arena *a = kept = arena_new();
    struct value *root;

    src.file = STR("api/rules/detect.json");
    src.text = EMBEDDED(detect_json);
    if (json_read(a, &src, NULL, &root, NULL))
        file = root;
    const struct value *members = value_get(file, STR("members"));
    assert(value_is(members, VALUE_LIST));
    about = ARENA_ARRAY(a, struct about, value_len(members) + 1);
    for (size_t i = 0; i < value_len(members); i++) {
        const struct value *line = value_at(members, i);
        about[about_count++] = (struct about){value_get_str(line, STR("kind")),
                                              value_get_str(line, STR("group")), line};
    }
}

static bool is_about(const struct value *line, const struct model_resource *res)
{
    return str_eq(value_get_str(line, STR("kind")), res->kind) &&
           str_eq(value_get_str(line, STR("group")), res->group);
}

static void take_off(struct detect *d, const struct value *line)
{
    const struct value *names = value_get(line, STR("rules"));

    for (size_t i = 0; i < value_len(names); i++)
        for (size_t rule = 0; rule < DETECT_RULE_COUNT; rule++)
            if (str_eq(value_str(value_at(names, i)), str_c(rules[rule])))
                d->off |= UINT32_C(1) << rule;
}

static void take_line(struct detect *d, const struct value *line)
{
    str is = value_get_str(line, STR("is"));

    for (size_t kind = 0; kind < LINE_KIND_COUNT; kind++)
        if (str_eq(is, str_c(line_names[kind])) && d->line_count < LINES_MAX)
            d->lines[d->line_count++] =
                (struct line){.kind = (enum line_kind)kind, .at = value_get(line, STR("at"))};
}

/* a/b in the model; there are no deeper ones. */
static void take_embedded(struct detect *d)
{
    const struct value *all = d->resource->embedded;

    for (size_t i = 0; i < value_len(all) && i < EMBEDDED_MAX; i++) {
        str rest = value_get_str(value_at(all, i), STR("a"));
        struct embedded *e = &d->embedded[d->embedded_count++];
        for (bool more = rest.len > 0; more && e->len < EMBEDDED_DEPTH; e->len++)
            more = str_cut(rest, STR("/"), &e->steps[e->len], &rest);
    }
}

/* The depths at which there are children at all: this excludes nearly all members. */
static void note_depths(struct detect *d)
{
    for (size_t i = 0; i < d->embedded_count; i++)
        d->child_depths |= UINT64_C(1) << d->embedded[i].len;
    for (size_t i = 0; i < d->line_count; i++)
        if (d->lines[i].kind == LINE_CHILDREN && value_len(d->lines[i].at) < DEPTH_MAX)
            d->child_depths |= UINT64_C(1) << value_len(d->lines[i].at);
}

void lines_take(struct detect *d)
{
    take_embedded(d);
    pthread_once(&once, read_file);
    const struct value *off = value_get(file, STR("off"));

    for (size_t i = 0; i < value_len(off); i++)
        if (is_about(value_at(off, i), d->resource))
            take_off(d, value_at(off, i));
    for (size_t i = 0; i < about_count; i++)
        if (str_eq(about[i].kind, d->resource->kind) && str_eq(about[i].group, d->resource->group))
            take_line(d, about[i].line);
    note_depths(d);
}

str detect_mode_of(const struct model_resource *resource)
{
    pthread_once(&once, read_file);
    const struct value *modes = value_get(file, STR("modes"));

    for (size_t i = 0; i < value_len(modes); i++)
        if (is_about(value_at(modes, i), resource))
            return value_get_str(value_at(modes, i), STR("mode"));
    return STR_NONE;
}

/* ---- Asking. --------------------------------------------------------------------------------- */

static bool is_there(const struct value *at, const str *way, size_t depth)
{
    if (value_len(at) != depth || depth > DEPTH_MAX)
        return false;
    for (size_t i = depth; i > 0; i--) {
        str step = value_str(value_at(at, i - 1));
        if (!str_eq(step, way[i - 1]) && !str_eq(step, STR("*")))
            return false;
    }
    return true;
}

bool lines_have(const struct detect *d, enum line_kind kind)
{
    for (size_t i = 0; i < d->line_count; i++)
        if (d->lines[i].kind == kind && is_there(d->lines[i].at, d->way, d->depth))
            return true;
    return false;
}

static size_t way_of(const struct path *path, str way[DEPTH_MAX])
{
    size_t len = path->len < DEPTH_MAX ? path->len : DEPTH_MAX;

    for (size_t i = 0; i < len; i++)
        way[i] = path->steps[i].kind == STEP_KEY ? path->steps[i].key : STR("*");
    return len;
}

bool lines_have_path(const struct detect *d, enum line_kind kind, const struct path *path)
{
    str way[DEPTH_MAX];
    size_t len = d->line_count ? way_of(path, way) : 0;

    for (size_t depth = 1; depth <= len; depth++)
        for (size_t i = 0; i < d->line_count; i++)
            if (d->lines[i].kind == kind && is_there(d->lines[i].at, way, depth))
                return true;
    return false;
}

/* ---- Children. ------------------------------------------------------------------------------- */

bool children_of_kind_are_at(const struct detect *d, size_t i, const str *way, size_t depth)
{
    const struct embedded *e = &d->embedded[i];

    if (i >= d->embedded_count || e->len != depth)
        return false;
    for (size_t k = depth; k > 0; k--)
        if (!str_eq_fold(e->steps[k - 1], way[k - 1]))
            return false;
    return depth > 0;
}

bool children_are_at(const struct detect *d, const str *way, size_t depth)
{
    if (!depth || depth >= DEPTH_MAX || !(d->child_depths >> depth & 1) ||
        !rule_is_on(d, DETECT_CHILDREN))
        return false;
    for (size_t i = 0; i < d->embedded_count; i++)
        if (children_of_kind_are_at(d, i, way, depth))
            return true;
    for (size_t i = 0; i < d->line_count; i++)
        if (d->lines[i].kind == LINE_CHILDREN && is_there(d->lines[i].at, way, depth))
            return true;
    return false;
}

bool children_have_path(const struct detect *d, const struct path *path)
{
    str way[DEPTH_MAX];
    size_t len = way_of(path, way);

    for (size_t depth = 1; depth <= len; depth++)
        if (children_are_at(d, way, depth))
            return true;
    return false;
}
