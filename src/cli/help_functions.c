/* SPDX-License-Identifier: Apache-2.0 */
/* help_functions.c - plumb help functions: describes template functions from their tables. */
#include "cli/commands.h"
#include "tmpl/tmpl.h"

static const struct {
    enum tmpl_profile profile;
    const char *name;
} profiles[] = {{TMPL_GO, "go"}, {TMPL_HELM, "helm"}, {TMPL_KC, "kc"}};

/* A function, in all the profiles that have it in this form. */
struct entry {
    struct tmpl_help help;
    unsigned profiles; /* bits of profiles[] */
};

struct entries {
    struct entry *items;
    size_t len, cap;
};

static void add_entry(struct arena *a, struct entries *all, const struct tmpl_help *help,
                      unsigned bit)
{
    for (size_t i = 0; i < all->len; i++) {
        const struct tmpl_help *known = &all->items[i].help;
        if (str_eq(known->name, help->name) && strcmp(known->help, help->help) == 0 &&
            strcmp(known->signature, help->signature) == 0) {
            all->items[i].profiles |= bit;
            return;
        }
    }
    VEC_PUSH(a, all, ((struct entry){*help, bit}));
}

static int by_name(const void *x, const void *y)
{
    const struct entry *p = x, *q = y;
    int order = str_cmp(p->help.name, q->help.name);

    return order ? order : (int)p->profiles - (int)q->profiles;
}

static struct entries all_entries(struct arena *a)
{
    struct entries all = {0};

    for (size_t i = 0; i < COUNT(profiles); i++) {
        struct tmpl_help *found;
        size_t count = tmpl_functions(a, profiles[i].profile, &found);
        for (size_t k = 0; k < count; k++)
            add_entry(a, &all, &found[k], 1u << i);
    }
    if (all.len)
        qsort(all.items, all.len, sizeof(*all.items), by_name);
    return all;
}

static void add_profiles(struct buf *out, unsigned bits)
{
    const char *sep = "";

    for (size_t i = 0; i < COUNT(profiles); i++) {
        if (bits & 1u << i) {
            buf_fmt(out, "%s%s", sep, profiles[i].name);
            sep = ", ";
        }
    }
}

static void add_one(struct buf *out, const struct entry *f)
{
    buf_fmt(out, "%.*s: %s.\n\n", STR_ARG(f->help.name), f->help.help);
    buf_fmt(out, "Type:\n  %s\n\nProfiles:\n  ", f->help.signature);
    add_profiles(out, f->profiles);
    buf_fmt(out, "\n\nExample:\n  %s\n", f->help.example);
}

static void add_markdown(struct buf *out, const struct entries *all)
{
    buf_add(out,
            STR("# Functions of templates\n"
                "\n"
                "Made by `plumb help functions -o markdown`; a golden case tells when it is old.\n"
                "[templates.md](templates.md) explains the language and the profiles.\n"));
    for (size_t i = 0; i < all->len; i++) {
        const struct entry *f = &all->items[i];
        buf_fmt(out, "\n## %.*s\n\n%s.\n\n`%s` · ", STR_ARG(f->help.name), f->help.help,
                f->help.signature);
        add_profiles(out, f->profiles);
        buf_fmt(out, "\n\n```\n%s\n```\n", f->help.example);
    }
}

static void add_list(struct buf *out, const struct entries *all)
{
    size_t widest = 0;

    for (size_t i = 0; i < all->len; i++)
        if (all->items[i].help.name.len > widest)
            widest = all->items[i].help.name.len;
    buf_add(out,
            STR("Functions of templates. 'plumb help functions NAME' tells more about one.\n\n"));
    for (size_t i = 0; i < all->len; i++) {
        const struct entry *f = &all->items[i];
        buf_fmt(out, "  %-*.*s   %s (", (int)widest, STR_ARG(f->help.name), f->help.help);
        add_profiles(out, f->profiles);
        buf_add(out, STR(")\n"));
    }
}

static const char *nearest(struct arena *a, const struct entries *all, str name)
{
    size_t least = 3;
    const char *best = NULL;

    for (size_t i = 0; i < all->len; i++) {
        size_t distance = str_distance(name, all->items[i].help.name);
        if (distance < least && distance < name.len) {
            least = distance;
            best = str_z(a, all->items[i].help.name);
        }
    }
    return best;
}

static bool unknown(struct arena *a, const struct entries *all, str name, struct err *e)
{
    const char *near = nearest(a, all, name);

    if (near)
        return err_set(e, ERR_USAGE, "unknown function \"%.*s\"; did you mean \"%s\"?",
                       STR_ARG(name), near);
    return err_set(e, ERR_USAGE, "unknown function \"%.*s\"", STR_ARG(name));
}

bool help_functions(struct arena *a, struct buf *out, str name, bool markdown, struct err *e)
{
    struct entries all = all_entries(a);
    bool found = false;

    if (!name.len && markdown)
        add_markdown(out, &all);
    else if (!name.len)
        add_list(out, &all);
    for (size_t i = 0; name.len && i < all.len; i++) {
        if (!str_eq(name, all.items[i].help.name))
            continue;
        if (found)
            buf_char(out, '\n');
        add_one(out, &all.items[i]);
        found = true;
    }
    return !name.len || found || unknown(a, &all, name, e);
}
