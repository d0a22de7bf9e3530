/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omit.c - fields that are not compared: the lists of the metadata file, and removing them.
 */
#include "compare/omit.h"
#include "compare/journal.h"

static const char *const built_in[] = {
    "metadata.resourceVersion",
    "metadata.uid",
    "metadata.creationTimestamp",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.selfLink",
    "metadata.generateName",
    "metadata.finalizers",
    "\"kubectl.kubernetes.io/last-applied-configuration\"",
    "metadata.annotations.\"kubectl.kubernetes.io/last-applied-configuration\"",
    "status",
};

struct value *omit_built_in(struct arena *a)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < COUNT(built_in); i++)
        value_set_str(a, value_add(a, list, value_object(a)), STR("pathToKey"), str_c(built_in[i]));
    return list;
}

struct value *omit_prepare(struct arena *a, struct value *doc, struct journal *j)
{
    struct value *omit = value_get(doc, STR("fieldsToOmit"));

    if (!omit)
        omit = value_set(a, doc, STR("fieldsToOmit"), value_object(a));
    if (value_get_str(omit, STR("defaultOmitRef")).len == 0)
        value_set_str(a, omit, STR("defaultOmitRef"), STR(OMIT_BUILT_IN));
    if (!value_get(omit, STR("items")))
        value_set(a, omit, STR("items"), value_object(a));
    struct value *items = value_get(omit, STR("items"));
    if (value_get(items, STR(OMIT_BUILT_IN)))
        journal_warn(j,
                     "fieldsToOmit.Map contains the key \"%s\", this will be overwritten with "
                     "default values",
                     OMIT_BUILT_IN);
    value_set(a, items, STR(OMIT_BUILT_IN), omit_built_in(a));
    return items;
}

bool omit_path_read(struct arena *a, str text, bool prefix, struct omit_path **out, struct err *e)
{
    *out = ARENA_NEW(a, struct omit_path);
    (*out)->prefix = prefix;
    (*out)->text = text;
    return path_parse_fields(a, text, &(*out)->path, e);
}

/* ---- Removing. ---- */

/*
 * Below v, through objects only: removes what all of the keys from step on lead to, and then, on
 * the way back, every mapping that is empty. Upstream tidies up even where nothing was removed.
 * Answers how many steps led to what was removed first, 0 when nothing was.
 */
static size_t remove_below(struct value *v, const struct path *p, size_t step)
{
    struct value *child = value_get(v, p->steps[step].key);
    size_t removed = 0;

    if (!child)
        return 0;
    if (step + 1 < p->len)
        removed = remove_below(child, p, step + 1);
    if (step + 1 == p->len || (child->kind == VALUE_OBJECT && !child->len)) {
        value_remove(v, (size_t)(child - v->items));
        removed = removed ? removed : step + 1;
    }
    return removed;
}

static size_t remove_path(struct value *root, const struct path *p)
{
    return p->len ? remove_below(root, p, 0) : 0;
}

struct found_path {
    size_t entry; /* its number in the list */
    struct path path;
};

struct found_paths {
    struct found_path *items;
    size_t len, cap;
};

static void expand_prefix(struct arena *a, struct value *root, const struct omit_list *list,
                          size_t entry, struct found_paths *out)
{
    const struct path *p = &list->items[entry]->path;
    struct path above = {p->steps, p->len - 1};
    const struct value *parent = path_resolve(&above, root);
    str prefix = p->steps[p->len - 1].key;

    if (!value_is(parent, VALUE_OBJECT))
        return;
    for (size_t i = 0; i < parent->len; i++) {
        struct step step = {.kind = STEP_KEY, .key = value_key(&parent->items[i])};
        if (str_has_prefix(step.key, prefix))
            VEC_PUSH(a, out, ((struct found_path){entry, path_append(a, &above, step)}));
    }
}

struct omission {
    struct value *object;
    omit_told *told; /* or NULL */
    void *ctx;
};

static void omit_one(const struct omission *x, const struct omit_path *entry, struct path path)
{
    path.len = remove_path(x->object, &path);
    if (path.len && x->told)
        x->told(x->ctx, entry, &path);
}

/* All prefixes are expanded before anything is removed. */
void omit_fields_telling(struct arena *a, struct value *object, const struct omit_list *list,
                         omit_told *told, void *ctx)
{
    const struct omission x = {object, told, ctx};
    struct found_paths expanded = {0};
    size_t next = 0;

    for (size_t i = 0; i < list->len; i++)
        if (list->items[i]->prefix)
            expand_prefix(a, object, list, i, &expanded);
    for (size_t i = 0; i < list->len; i++) {
        const struct omit_path *o = list->items[i];
        if (!o->prefix)
            omit_one(&x, o, o->path);
        for (; next < expanded.len && expanded.items[next].entry == i; next++)
            omit_one(&x, o, expanded.items[next].path);
    }
}

void omit_fields(struct arena *a, struct value *object, const struct omit_list *list)
{
    omit_fields_telling(a, object, list, NULL, NULL);
}
