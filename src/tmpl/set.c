/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.c - templates by name; see tmpl.h.
 */
#include "tmpl/internal.h"

struct tmpl_set *tmpl_new(struct arena *a, const struct tmpl_options *opts)
{
    struct tmpl_set *set = ARENA_NEW(a, struct tmpl_set);

    set->arena = a;
    set->profile = opts && opts->profile ? opts->profile : TMPL_GO;
    if (opts) {
        set->extra = opts->extra;
        set->left = opts->left;
        set->right = opts->right;
        set->borrowed = opts->borrowed;
        set->ctx = opts->ctx;
        set->actions = opts->borrowed ? NULL : opts->actions;
    }
    set->missing = set->profile == TMPL_HELM ? MISSING_ZERO : MISSING_INVALID;
    set->templates = map_new(a);
    return set;
}

bool tmpl_option(struct tmpl_set *set, str option, struct err *e)
{
    static const struct {
        const char *name;
        enum missing_key missing;
    } options[] = {
        {"missingkey=default", MISSING_INVALID},
        {"missingkey=invalid", MISSING_INVALID},
        {"missingkey=zero", MISSING_ZERO},
        {"missingkey=error", MISSING_ERROR},
    };

    for (size_t i = 0; i < COUNT(options); i++) {
        if (str_eq(option, str_c(options[i].name))) {
            set->missing = options[i].missing;
            return true;
        }
    }
    return err_set(e, ERR_INVALID, "unrecognized option: %.*s", STR_ARG(option));
}

void set_install(struct tmpl_set *set, struct template *t)
{
    if (t->empty && map_has(set->templates, t->name))
        return;
    map_set(set->templates, t->name, t);
}

bool tmpl_parse(struct tmpl_set *set, str name, str text, struct err *e)
{
    struct file *file = ARENA_NEW(set->arena, struct file);
    struct map *trees = map_new(set->arena);

    *file = (struct file){.name = name, .text = text};
    if (text.len > UINT32_MAX)
        return err_set(e, ERR_LIMIT, "template: %.*s: larger than 4 GiB", STR_ARG(name));
    if (!set->main)
        set->main = file;
    if (!parse_text(set, file, trees, e))
        return false;
    for (size_t i = 0; i < map_len(trees); i++)
        set_install(set, map_at(trees, i));
    if (set->main == file)
        set->main_template = map_get(trees, name);
    return true;
}

void tmpl_add(struct tmpl_set *set, const struct tmpl_set *from)
{
    const size_t count = map_len(from->templates);

    map_reserve(set->templates, count);
    for (size_t i = 0; i < count; i++) {
        const struct template *t = map_at(from->templates, i);
        struct template *before = map_set_entry(set->templates, from->templates, i);
        if (before && t->empty) /* see set_install */
            map_set(set->templates, t->name, before);
    }
    set->reach |= from->reach;
    if (!set->main) {
        set->main = from->main;
        set->main_template = from->main_template;
    }
}

unsigned tmpl_reach(const struct tmpl_set *set)
{
    return set->reach;
}

bool tmpl_has(const struct tmpl_set *set, str name)
{
    return map_has(set->templates, name);
}

size_t tmpl_names(struct arena *a, const struct tmpl_set *set, str **out)
{
    size_t count = 0;

    *out = ARENA_ARRAY(a, str, map_len(set->templates));
    for (size_t i = 0; i < map_len(set->templates); i++) {
        const struct template *t = map_at(set->templates, i);
        if (!t->empty)
            (*out)[count++] = t->name;
    }
    return count;
}

void tmpl_print(const struct tmpl_set *set, str name, struct buf *out)
{
    const struct template *t = map_get(set->templates, name);

    if (t)
        node_print(out, t->root);
}
