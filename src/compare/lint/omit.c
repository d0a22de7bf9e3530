/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omit.c - checks the lists of fieldsToOmit: their paths, their includes, and whether they are
 * used.
 */
#include "compare/lint/internal.h"
#include "compare/reference/omit_internal.h"

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

/* A list while the includes are followed. */
struct list {
    const struct value *value;
    enum mark mark;
    size_t next; /* entry to be looked at */
    bool used;
};

struct omit {
    struct lint *lint;
    const struct value *items; /* NULL: there are none */
    struct list *lists;        /* one per member of items */
    struct map *by_name;
};

static bool is_built_in(str name)
{
    return str_eq(name, STR(OMIT_BUILT_IN));
}

/* ---- Entries. ---- */

/* Mappings of text to text, below which no path leads on. */
static bool holds_texts(str key)
{
    static const char *const names[] = {"annotations", "labels", "matchLabels", "nodeSelector"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(key, str_c(names[i])))
            return true;
    return false;
}

str lint_quoted_path(struct arena *a, const struct path *path, str *holder)
{
    struct buf want = buf_new(a, BUF_UNLIMITED);
    size_t i = 0;

    while (i < path->len && !holds_texts(path->steps[i].key))
        i++;
    if (i + 2 >= path->len)
        return STR_NONE;
    *holder = path->steps[i].key;
    path_print_dotted(&want, &(struct path){path->steps, i + 1});
    for (size_t k = i + 1; k < path->len; k++)
        buf_fmt(&want, "%s%.*s", k > i + 1 ? "." : ".\"", STR_ARG(path->steps[k].key));
    buf_char(&want, '"');
    return buf_str(&want);
}

static void check_dotted(struct lint *l, const struct value *text, const struct path *path)
{
    str holder, want = lint_quoted_path(l->arena, path, &holder);

    if (want.len)
        lint_add(l, &lint_unquoted_key, lint_where(l, text),
                 "pathToKey %.*s leads below a value of %.*s, which is text; did you mean %.*s?",
                 STR_ARG(value_str(text)), STR_ARG(holder), STR_ARG(want));
}

static void check_entry(struct lint *l, const struct value *entry)
{
    const struct value *text = value_get(entry, STR("pathToKey"));
    struct omit_list list = {0};
    AUTO_ERR e = {0};

    if (!value_str(text).len && value_get_str(entry, STR("include")).len)
        return;
    if (!value_str(text).len)
        lint_add(l, &lint_bad_path, lint_where(l, entry), "an entry without pathToKey%s",
                 l->version->default_must_exist ? "" : " or include");
    else if (!omit_entry_read(l->arena, STR_NONE, entry, &list, &e))
        lint_add(l, &lint_bad_path, lint_where(l, text), "pathToKey %.*s: %.*s",
                 STR_ARG(value_str(text)), STR_ARG(e.text));
    else
        check_dotted(l, text, &list.items[0]->path);
}

static void check_entries(struct omit *o)
{
    for (size_t i = 0; i < value_len(o->items); i++) {
        const struct value *list = &o->items->items[i];
        if (is_built_in(value_key(list)))
            lint_add(o->lint, &lint_omit_built_in, lint_key_where(o->lint->source, list),
                     "the list \"" OMIT_BUILT_IN "\" cannot be written by hand");
        for (size_t k = 0; k < value_len(list); k++)
            check_entry(o->lint, value_at(list, k));
    }
}

/* ---- Includes. ---- */

/* The list that an entry includes, or NULL; one that does not exist is reported once. */
static struct list *included(struct omit *o, const struct value *entry)
{
    const struct value *include = value_get(entry, STR("include"));
    struct list *list;

    if (!value_str(include).len || is_built_in(value_str(include)))
        return NULL;
    list = map_get(o->by_name, value_str(include));
    if (!list)
        lint_add(o->lint, &lint_unknown_omit_list, lint_where(o->lint, include),
                 "there is no list \"%.*s\" to include; nothing is omitted for it",
                 STR_ARG(value_str(include)));
    return list;
}

static void report_circle(struct lint *l, const struct list *from, const struct list *to,
                          const struct value *entry)
{
    struct where at = lint_where(l, value_get(entry, STR("include")));

    if (from == to)
        lint_add(l, &lint_circular_include, at, "the list \"%.*s\" includes itself",
                 STR_ARG(value_key(from->value)));
    else
        lint_add(l, &lint_circular_include, at,
                 "the list \"%.*s\" includes \"%.*s\", which includes it in turn",
                 STR_ARG(value_key(from->value)), STR_ARG(value_key(to->value)));
}

/* Follows the includes of one list, with a stack of its own: chains may be long. */
static void follow(struct omit *o, struct list *start)
{
    VEC(struct list *) stack = {0};

    start->mark = MARK_OPEN;
    VEC_PUSH(o->lint->arena, &stack, start);
    while (stack.len) {
        struct list *top = stack.items[stack.len - 1], *next;
        if (top->next == value_len(top->value)) {
            top->mark = MARK_DONE;
            stack.len--;
            continue;
        }
        const struct value *entry = value_at(top->value, top->next++);
        next = included(o, entry);
        if (next && next->mark == MARK_OPEN)
            report_circle(o->lint, top, next, entry);
        if (!next || next->mark != MARK_NEW)
            continue;
        next->mark = MARK_OPEN;
        VEC_PUSH(o->lint->arena, &stack, next);
    }
}

/* ---- Use. ---- */

static void use(struct omit *o, str name)
{
    VEC(struct list *) todo = {0};
    struct list *list = map_get(o->by_name, name);

    if (list)
        VEC_PUSH(o->lint->arena, &todo, list);
    while (todo.len) {
        struct list *top = todo.items[--todo.len];
        if (top->used)
            continue;
        top->used = true;
        for (size_t i = 0; i < value_len(top->value); i++) {
            list = map_get(o->by_name, value_get_str(value_at(top->value, i), STR("include")));
            if (list && !list->used)
                VEC_PUSH(o->lint->arena, &todo, list);
        }
    }
}

static bool exists(const struct omit *o, str name)
{
    return is_built_in(name) || map_has(o->by_name, name);
}

static void use_refs(struct omit *o, const struct value *entry)
{
    const struct value *refs = value_get(value_get(entry, STR("config")), STR("fieldsToOmitRefs"));

    for (size_t i = 0; i < value_len(refs); i++) {
        const struct value *ref = value_at(refs, i);
        use(o, value_str(ref));
        if (!exists(o, value_str(ref)))
            lint_add(o->lint, &lint_unknown_omit_list, lint_where(o->lint, ref),
                     "fieldsToOmitRefs names a list \"%.*s\" that does not exist",
                     STR_ARG(value_str(ref)));
    }
}

static void check_default(struct omit *o)
{
    const struct value *name =
        value_get(value_get(o->lint->doc, STR("fieldsToOmit")), STR("defaultOmitRef"));

    use(o, value_str(name));
    if (value_str(name).len && !exists(o, value_str(name)))
        lint_add(o->lint, &lint_unknown_omit_list, lint_where(o->lint, name),
                 "defaultOmitRef names a list \"%.*s\" that does not exist",
                 STR_ARG(value_str(name)));
}

static void report_unused(const struct omit *o)
{
    for (size_t i = 0; i < value_len(o->items); i++)
        if (!o->lists[i].used && !is_built_in(value_key(o->lists[i].value)))
            lint_add(o->lint, &lint_unused_omit_list,
                     lint_key_where(o->lint->source, o->lists[i].value),
                     "nothing uses the list \"%.*s\" of fieldsToOmit",
                     STR_ARG(value_key(o->lists[i].value)));
}

void lint_omit(struct lint *l)
{
    struct omit o = {.lint = l,
                     .items = value_get(value_get(l->doc, STR("fieldsToOmit")), STR("items")),
                     .by_name = map_new(l->arena)};

    o.lists = ARENA_ARRAY(l->arena, struct list, value_len(o.items));
    for (size_t i = 0; i < value_len(o.items); i++) {
        o.lists[i].value = &o.items->items[i];
        map_set(o.by_name, value_key(o.lists[i].value), &o.lists[i]);
    }
    check_entries(&o);
    for (size_t i = 0; i < value_len(o.items); i++)
        if (o.lists[i].mark == MARK_NEW)
            follow(&o, &o.lists[i]);
    check_default(&o);
    for (size_t i = 0; i < l->reference.templates.len; i++)
        use_refs(&o, l->notes[i].entry);
    report_unused(&o);
}
