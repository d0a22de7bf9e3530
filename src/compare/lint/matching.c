/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matching.c - compares templates with each other: finds ambiguous ones, those that no object can
 * ever match, and files that only look like templates.
 */
#include "compare/input/glob_internal.h"
#include "base/inside.h"
#include "compare/lint/internal.h"
#include "text/json/json.h"

/* ---- Overlaps. ---- */

struct bucket {
    size_t *items;
    size_t len, cap;
};

static struct where entry_where(const struct lint *l, size_t i)
{
    return lint_where(l, l->notes[i].entry);
}

static void add_json(struct buf *out, const struct value *v)
{
    const struct json_style style = {.sorted = true, .numbers = NUMBERS_PLAIN};

    if (v)
        (void)!json_write(out, v, &style, NULL);
    buf_char(out, '\n');
}

/*
 * A text that two templates share when they render alike whatever the object, and are compared
 * alike. Empty: what it renders to depends on others.
 */
static str form_of(struct lint *l, size_t i)
{
    const struct template *t = &l->reference.templates.items[i];
    struct buf form = buf_new(l->arena, BUF_UNLIMITED);

    add_json(&form, value_get(l->notes[i].entry, STR("config")));
    if (l->notes[i].plain)
        add_json(&form, t->metadata);
    else
        tmpl_print(t->set, t->name, &form);
    bool calls = !l->notes[i].plain && str_contains(buf_str(&form), STR("{{template"));
    return calls ? STR_NONE : buf_str(&form);
}

static void find_unreachable(struct lint *l, const struct bucket *b)
{
    struct map *forms = map_new(l->arena); /* to the first note of each */

    for (size_t i = 0; b->len > 1 && i < b->len; i++) {
        size_t later = b->items[i];
        str form = form_of(l, later);
        const struct template_note *note = form.len ? map_get(forms, form) : NULL;
        if (form.len && !note)
            map_set(forms, form, &l->notes[later]);
        if (!note || l->notes[later].unreachable)
            continue;
        size_t first = (size_t)(note - l->notes);
        l->notes[later].unreachable = true;
        lint_add(l, &lint_unreachable, entry_where(l, later),
                 "the template %.*s is never selected: %.*s (line %u) renders the same",
                 STR_ARG(l->reference.templates.items[later].path),
                 STR_ARG(l->reference.templates.items[first].path),
                 (unsigned)entry_where(l, first).line);
    }
}

/* How many templates of a set are named. */
#define SHOWN_MAX 10

static void report_overlap(struct lint *l, const struct bucket *b)
{
    const struct identity *id = &l->reference.templates.items[b->items[0]].identity;
    struct str_list paths = {0};
    size_t second = SIZE_MAX, count = 0;

    for (size_t i = 0; i < b->len; i++) {
        if (l->notes[b->items[i]].unreachable)
            continue;
        if (++count == 2)
            second = b->items[i];
        if (count <= SHOWN_MAX)
            VEC_PUSH(l->arena, &paths, l->reference.templates.items[b->items[i]].path);
    }
    if (count < 2)
        return;
    lint_add(l, &lint_overlap, entry_where(l, second),
             "%zu templates fit every object like %.*s, and the one with the fewest differences is "
             "taken: %.*s%s",
             count, STR_ARG(identity_id(l->arena, id)),
             STR_ARG(str_join(l->arena, paths.items, paths.len, STR(", "))),
             count > paths.len ? ", ..." : "");
}

static void find_overlaps(struct lint *l)
{
    struct map *buckets = map_new(l->arena);

    for (size_t i = 0; i < l->reference.templates.len; i++) {
        size_t group;
        str key;
        if (!l->notes[i].rendered ||
            !group_find(l->arena, template_groups, &l->reference.templates.items[i].identity,
                        &group, &key))
            continue;
        key = str_fmt(l->arena, "%zu %.*s", group, STR_ARG(key));
        struct bucket *b = map_get(buckets, key);
        if (!b) {
            b = ARENA_NEW(l->arena, struct bucket);
            map_set(buckets, key, b);
        }
        VEC_PUSH(l->arena, b, i);
    }
    for (size_t i = 0; i < map_len(buckets); i++) {
        find_unreachable(l, map_at(buckets, i));
        report_overlap(l, map_at(buckets, i));
    }
}

bool lint_fits(const struct identity *x, const struct identity *y)
{
    const str left[] = {x->api_version, x->kind, x->namespace, x->name};
    const str right[] = {y->api_version, y->kind, y->namespace, y->name};

    for (size_t i = 0; i < COUNT(left); i++)
        if (left[i].len && right[i].len && !str_eq(left[i], right[i]))
            return false;
    return true;
}

/* ---- Unlisted files. ---- */

/* A larger file is not a forgotten template. */
#define UNLISTED_SIZE_MAX (1 * MIB)

static bool has_line(str text, const char *begin)
{
    str line;

    while (str_next_line(&text, &line))
        if (str_has_prefix(line, str_c(begin)))
            return true;
    return false;
}

static bool looks_like_template(struct lint *l, str name)
{
    AUTO_ERR e = {0};
    str text;

    return inside_read(l->arena, l->root.folder, name, l->root.outside_links, UNLISTED_SIZE_MAX,
                       &text, &e) &&
           has_line(text, "kind:") && has_line(text, "apiVersion:");
}

static bool is_given(const struct lint *l, str path)
{
    return str_eq(path, l->file) || str_eq(path, l->options->overrides) ||
           str_eq(path, l->options->config);
}

static void check_folder(struct lint *l, str folder, const struct map *listed)
{
    str full = folder.len ? lint_path(l, folder) : l->root.folder;
    struct str_list names = {0};

    if (glob_names(l->arena, full, &names) != 0)
        return;
    for (size_t i = 0; i < names.len; i++) {
        str name = names.items[i];
        if (folder.len)
            name = str_fmt(l->arena, "%.*s/%.*s", STR_ARG(folder), STR_ARG(names.items[i]));
        bool yaml = str_has_suffix(name, STR(".yaml")) || str_has_suffix(name, STR(".yml"));
        if (!yaml || map_has(listed, name) || is_given(l, lint_path(l, name)) ||
            !looks_like_template(l, name))
            continue;
        lint_add(l, &lint_unlisted, (struct where){.file = lint_path(l, name)},
                 "the file lies beside templates, but the metadata file does not list it");
    }
}

static void find_unlisted(struct lint *l)
{
    struct map *folders = map_new(l->arena), *listed = map_new(l->arena);

    for (size_t i = 0; i < l->reference.templates.len; i++) {
        str path = l->reference.templates.items[i].path;
        size_t slash = str_rfind_char(path, '/');
        map_set(listed, path, &listed);
        for (size_t k = 0; k < l->notes[i].functions.len; k++)
            map_set(listed, l->notes[i].functions.items[k], &listed);
        if (l->notes[i].parsed)
            map_set(folders, slash == STR_NPOS ? STR_NONE : str_slice(path, 0, slash), &folders);
    }
    for (size_t i = 0; i < map_len(folders); i++)
        check_folder(l, map_key(folders, i), listed);
}

void lint_matching(struct lint *l)
{
    find_overlaps(l);
    /* A web server's other files are unknown. */
    if (!root_is_remote(l->options->reference))
        find_unlisted(l);
}
