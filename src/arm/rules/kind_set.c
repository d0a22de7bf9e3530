/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_set.c - the rules of all kinds: the built-in ones, and those overlaid with a user's files.
 *
 * The built-in files are a single embedded text, in which a line that begins with a form feed names
 * the file that follows.
 */
#include "arm/rules/internal.h"

#include "base/embed.h"
#include "base/file.h"
#include "base/map.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

EMBED(kind_rules, "build/gen/kind.rules");

/* The largest user file, and how many there may be. */
#define KIND_FILE_MAX (1 * MIB)
#define KIND_FILES_MAX 1000

struct kind_set {
    struct map *kinds;                /* "cache/Redis" to struct kind_rules */
    const struct kind_rules **sorted; /* map_len(kinds) items */
};

static str key_of(struct arena *a, str group, str kind)
{
    return str_fmt(a, "%.*s/%.*s", STR_ARG(str_without_suffix(group, STR(".azure.com"))),
                   STR_ARG(kind));
}

static int by_name(const void *x, const void *y)
{
    const struct kind_rules *p = *(const struct kind_rules *const *)x;
    const struct kind_rules *q = *(const struct kind_rules *const *)y;
    int order = str_cmp(p->group, q->group);

    return order ? order : str_cmp(p->kind, q->kind);
}

static void sort(struct arena *a, struct kind_set *set)
{
    size_t count = map_len(set->kinds);

    set->sorted = ARENA_ARRAY(a, const struct kind_rules *, count);
    for (size_t i = 0; i < count; i++)
        set->sorted[i] = map_at(set->kinds, i);
    if (count)
        qsort(set->sorted, count, sizeof(*set->sorted), by_name);
}

/* ---- Built-in rules. ------------------------------------------------------------------------- */

static struct kind_set built_in;

static void read_built_in(void)
{
    static struct arena *volatile kept; /* until exit; volatile: leak checkers want to see it */
    struct arena *a = kept = arena_new();
    str rest = EMBEDDED(kind_rules), part;

    built_in.kinds = map_new(a);
    str_cut(rest, STR("\f"), &part, &rest);
    while (rest.len) {
        struct source *src = ARENA_NEW(a, struct source);
        struct kind_rules *rules = NULL;
        str_cut(rest, STR("\f"), &part, &rest);
        str_cut(part, STR("\n"), &src->file, &src->text);
        bool ok = kind_rules_read(a, src, &rules, NULL);
        assert(ok); /* a test reads the same files */
        if (ok)
            map_set(built_in.kinds, key_of(a, rules->group, rules->kind), rules);
    }
    sort(a, &built_in);
}

const struct kind_set *kind_set_built_in(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_built_in);
    return &built_in;
}

/* ---- Overlays. ------------------------------------------------------------------------------- */

static struct rule_stage *join_errors(struct arena *a, const struct rule_stage *own,
                                      const struct rule_stage *built)
{
    struct rule_stage *both = ARENA_NEW(a, struct rule_stage);

    both->name = own->name;
    for (size_t i = 0; i < own->rules.len; i++)
        VEC_PUSH(a, &both->rules, own->rules.items[i]);
    for (size_t i = 0; built && i < built->rules.len; i++)
        VEC_PUSH(a, &both->rules, built->rules.items[i]);
    return both;
}

static struct kind_rules *lay_over(struct arena *a, const struct kind_rules *built,
                                   const struct kind_rules *own)
{
    struct kind_rules *both = ARENA_NEW(a, struct kind_rules);

    *both = *built;
    both->node = own->node;
    if (own->errors)
        both->errors = join_errors(a, own->errors, built->errors);
    if (value_get(own->node, STR("owner")))
        both->owner = own->owner;
    if (value_get(own->node, STR("send")))
        both->send = own->send;
    if (value_get(own->node, STR("ready")))
        both->ready = own->ready;
    if (value_get(own->node, STR("secrets"))) {
        both->calls = own->calls;
        both->secrets = own->secrets;
    }
    if (value_get(own->node, STR("merge")))
        both->merges = own->merges;
    if (value_get(own->node, STR("values")))
        both->values = own->values;
    if (value_get(own->node, STR("trim")))
        both->trims = own->trims;
    if (value_get(own->node, STR("naming")))
        both->naming = own->naming;
    if (value_get(own->node, STR("delete")))
        both->delete = own->delete;
    return both;
}

bool kind_set_overlay(struct arena *a, const struct source *const *files, size_t count,
                      struct kind_set **out, struct err *e)
{
    const struct kind_set *base = kind_set_built_in();
    struct kind_set *set = ARENA_NEW(a, struct kind_set);
    struct map *own = map_new(a);

    set->kinds = map_new(a);
    for (size_t i = 0; i < map_len(base->kinds); i++)
        map_set(set->kinds, map_key(base->kinds, i), map_at(base->kinds, i));
    for (size_t i = 0; i < count; i++) {
        struct kind_rules *rules, *built;
        if (!kind_rules_read(a, files[i], &rules, e))
            return false;
        str key = key_of(a, rules->group, rules->kind);
        if (map_set(own, key, rules))
            return source_err(e, files[i], rules->node, "another file has rules for %.*s/%.*s",
                              STR_ARG(rules->group), STR_ARG(rules->kind));
        built = map_get(base->kinds, key);
        map_set(set->kinds, key, built ? lay_over(a, built, rules) : rules);
    }
    sort(a, set);
    *out = set;
    return true;
}

bool kind_set_open(struct arena *a, str folder, struct kind_set **out, struct err *e)
{
    VEC(const struct source *) files = {0};
    size_t count;
    str *names;

    if (!file_list(a, folder, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct source *src = ARENA_NEW(a, struct source);
        if (!str_has_suffix(names[i], STR(".json")))
            continue;
        if (files.len == KIND_FILES_MAX)
            return err_set(e, ERR_LIMIT, "%.*s has more than %d files of rules", STR_ARG(folder),
                           KIND_FILES_MAX);
        src->file = file_join(a, folder, names[i]);
        if (!file_read_max(a, src->file, KIND_FILE_MAX, &src->text, e))
            return false;
        VEC_PUSH(a, &files, src);
    }
    return kind_set_overlay(a, files.items, files.len, out, e);
}

bool kind_set_from_config_map(struct arena *a, str name, const struct value *config_map,
                              struct kind_set **out, struct err *e)
{
    const struct value *data = value_get(config_map, STR("data"));
    VEC(const struct source *) files = {0};

    for (size_t i = 0; i < value_len(data); i++) {
        struct source *src = ARENA_NEW(a, struct source);
        if (!str_has_suffix(value_key(&data->items[i]), STR(".json")))
            continue;
        if (files.len == KIND_FILES_MAX)
            return err_set(e, ERR_LIMIT, "%.*s has more than %d files of rules", STR_ARG(name),
                           KIND_FILES_MAX);
        src->file = str_fmt(a, "%.*s/%.*s", STR_ARG(name), STR_ARG(value_key(&data->items[i])));
        src->text = str_copy(a, value_str(&data->items[i]));
        VEC_PUSH(a, &files, src);
    }
    if (!files.len)
        return err_set(e, ERR_NOT_FOUND,
                       "%.*s has no rules: each key that ends in .json is a file of them",
                       STR_ARG(name));
    return kind_set_overlay(a, files.items, files.len, out, e);
}

/* ---- Looking. -------------------------------------------------------------------------------- */

const struct kind_rules *kind_rules_find(const struct kind_set *set, str group, str kind)
{
    AUTO_ARENA a = arena_new();

    return map_get((set ? set : kind_set_built_in())->kinds, key_of(a, group, kind));
}

size_t kind_set_len(const struct kind_set *set)
{
    return map_len(set->kinds);
}

const struct kind_rules *kind_set_at(const struct kind_set *set, size_t i)
{
    return set->sorted[i];
}
