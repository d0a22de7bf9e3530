/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - selects kinds by pattern or name. */
#include "cli/options/kinds.h"
#include "base/near.h"

#include <fnmatch.h>

/* ---- What else there is. ---- */

static str group_of(const struct model_kind *r)
{
    return str_without_suffix(r->group, STR(".azure.com"));
}

static str kind_of(str text)
{
    size_t slash = str_rfind_char(text, '/');

    return slash == STR_NPOS ? text : str_from(text, slash + 1);
}

/* The most similar kind, or else all groups, as there are hundreds of kinds. */
static str other_kinds(struct arena *a, const struct model_kind *all, size_t count, str wrong)
{
    struct buf groups = buf_new(a, 64 * KIB);
    const struct model_kind *best = NULL;
    size_t least = near_max(kind_of(wrong)) + 1;

    for (size_t i = 0; i < count; i++) {
        size_t distance = str_distance(kind_of(wrong), all[i].kind);
        if (!i || !str_eq(all[i].group, all[i - 1].group))
            buf_fmt(&groups, "%s%.*s", i ? ", " : "", STR_ARG(group_of(&all[i])));
        if (distance >= least)
            continue;
        least = distance;
        best = &all[i];
    }
    if (best)
        return str_fmt(a, "did you mean %.*s/%.*s?", STR_ARG(group_of(best)), STR_ARG(best->kind));
    return str_fmt(a, "the groups are %.*s", STR_ARG(buf_str(&groups)));
}

/* ---- Patterns. ---- */

static bool is_broken(str pattern)
{
    size_t open = str_find_char(pattern, '[');

    return pattern.len == 0 ||
           (open != STR_NPOS && str_find_char(str_from(pattern, open), ']') == STR_NPOS);
}

/* Groups can also be given without their suffix: network/RouteTable. */
static bool fits(struct arena *a, str pattern, const struct model_kind *k)
{
    const char *wanted = str_z(a, pattern);
    str group = str_without_suffix(k->group, STR(".azure.com"));

    if (str_find_char(pattern, '/') == STR_NPOS)
        return fnmatch(wanted, str_z(a, k->kind), FNM_CASEFOLD) == 0;
    str full = str_fmt(a, "%.*s/%.*s", STR_ARG(k->group), STR_ARG(k->kind));
    str brief = str_fmt(a, "%.*s/%.*s", STR_ARG(group), STR_ARG(k->kind));
    return fnmatch(wanted, str_z(a, full), FNM_CASEFOLD | FNM_PATHNAME) == 0 ||
           fnmatch(wanted, str_z(a, brief), FNM_CASEFOLD | FNM_PATHNAME) == 0;
}

/* used records which of the patterns matched. */
static bool fits_any(const struct str_list *patterns, bool *used, const struct model_kind *k)
{
    AUTO_ARENA a = arena_new();
    bool any = patterns->len == 0;

    for (size_t i = 0; i < patterns->len; i++)
        if (fits(a, patterns->items[i], k))
            any = used[i] = true;
    return any;
}

bool kind_names_select(struct arena *a, struct model *m, const struct str_list *patterns,
                       struct kind_names *out, struct err *e)
{
    bool *used = ARENA_ARRAY(a, bool, patterns->len + 1);
    struct model_kind *all;
    size_t count;

    *out = (struct kind_names){0};
    for (size_t i = 0; i < patterns->len; i++)
        if (is_broken(patterns->items[i]))
            return err_set(e, ERR_USAGE, "invalid pattern \"%.*s\"", STR_ARG(patterns->items[i]));
    if (!model_kinds(m, a, &all, &count, e))
        return false;
    out->items = ARENA_ARRAY(a, struct model_kind, count);
    for (size_t i = 0; i < count; i++)
        if (fits_any(patterns, used, &all[i]))
            out->items[out->len++] = all[i];
    for (size_t i = 0; i < patterns->len; i++)
        if (!used[i])
            return err_set(e, ERR_NOT_FOUND, "no kind fits \"%.*s\"; %.*s",
                           STR_ARG(patterns->items[i]),
                           STR_ARG(other_kinds(a, all, count, patterns->items[i])));
    return true;
}

bool kind_list_select(struct arena *a, struct model *m, const struct str_list *patterns,
                      struct kind_list *out, struct err *e)
{
    VEC(const struct model_resource *) list = {0};
    const struct model_resource **versions;
    struct kind_names names;
    size_t count;

    *out = (struct kind_list){0};
    if (!kind_names_select(a, m, patterns, &names, e))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        if (!model_versions(m, a, names.items[i].group, names.items[i].kind, &versions, &count, e))
            return false;
        for (size_t k = 0; k < count; k++)
            VEC_PUSH(a, &list, versions[k]);
    }
    *out = (struct kind_list){list.items, list.len};
    return true;
}

size_t kind_list_end(const struct kind_list *list, size_t i)
{
    const struct model_resource *first = list->items[i];

    while (i < list->len && str_eq(list->items[i]->kind, first->kind) &&
           str_eq(list->items[i]->group, first->group))
        i++;
    return i;
}

/* ---- One kind. ---- */

/* Finds the group that has the kind; if there are several, the error lists them. */
static bool find_group(struct arena *a, struct model *m, str kind, str *group, str *exact,
                       struct err *e)
{
    struct buf groups = buf_new(a, 64 * KIB);
    struct model_kind *all;
    size_t count, found = 0;

    if (!model_kinds(m, a, &all, &count, e))
        return false;
    *group = STR_NONE;
    for (size_t i = 0; i < count; i++) {
        if (!str_eq_fold(all[i].kind, kind) || str_eq(all[i].group, *group))
            continue;
        *group = all[i].group;
        *exact = all[i].kind;
        buf_fmt(&groups, "%s%.*s", found++ ? ", " : "", STR_ARG(all[i].group));
    }
    if (found == 0)
        return err_set(e, ERR_NOT_FOUND, "there is no kind \"%.*s\"; %.*s", STR_ARG(kind),
                       STR_ARG(other_kinds(a, all, count, kind)));
    str list = buf_str(&groups);
    return found == 1 || err_set(e, ERR_USAGE,
                                 "%.*s exists in several groups: write GROUP/%.*s, with one of "
                                 "%.*s",
                                 STR_ARG(kind), STR_ARG(kind), STR_ARG(list));
}

bool kind_list_find(struct arena *a, struct model *m, str text, const struct model_resource **out,
                    struct err *e)
{
    str name, version, group, kind;
    bool versioned = str_cut(text, STR("@"), &name, &version);

    if (str_cut(name, STR("/"), &group, &kind)) {
        if (!str_has_suffix(group, STR(".azure.com")))
            group = str_concat(a, group, STR(".azure.com"));
    } else {
        kind = name;
        if (!find_group(a, m, name, &group, &kind, e))
            return false;
    }
    return versioned ? model_find(m, group, version, kind, out, e)
                     : model_find_hub(m, group, kind, out, e);
}
