/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - where the expected side of an object comes from: places in the templates, the overrides
 * and the metadata file, and in the object itself.
 */
#include "compare/explain/trace_internal.h"
#include "compare/internal.h"
#include "compare/input/object_internal.h"
#include "compare/reference/overrides_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/reference/templates_internal.h"

void trace_add(struct trace *t, enum stage_kind kind, const struct override *o,
               const struct value *tree)
{
    if (!t)
        return;
    if (!t->indexes)
        t->indexes = map_new(t->arena);
    VEC_PUSH(t->arena, &t->stages, ((struct stage){kind, o, value_clone(t->arena, tree)}));
}

str field_path(struct arena *a, const struct path *p)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    path_print_dotted(&out, p);
    return buf_str(&out);
}

/* ---- Places. ---- */

static struct result_place place_of(struct where at)
{
    return (struct result_place){at.file, at.line};
}

struct result_place source_place(const struct source *s, uint32_t pos)
{
    return pos ? place_of(source_where_offset(s, pos - 1)) : (struct result_place){.file = s->file};
}

struct result_place object_place(const struct object *o)
{
    size_t offset;

    if (!o->source || !source_offset(o->source, o->root, &offset))
        return o->place;
    return place_of(source_where_offset(o->source, offset));
}

/* ---- Looking up. ---- */

/* Lists that are shorter are looked through. */
#define INDEX_FROM 16

/* The elements of a list by the text of one member. The first of several counts. */
static const struct map *index_of(const struct trace *t, const struct value *list, str key)
{
    str name = str_fmt(t->arena, "%zu %.*s", (size_t)(uintptr_t)list, STR_ARG(key));
    struct map *index = map_get(t->indexes, name);
    str text;

    if (index)
        return index;
    index = map_new(t->arena);
    for (size_t i = 0; i < list->len; i++)
        if (step_identity_text(value_get(&list->items[i], key), &text) && !map_has(index, text))
            map_set(index, text, &list->items[i]);
    map_set(t->indexes, name, index);
    return index;
}

static const struct value *follow(const struct trace *t, const struct step *s,
                                  const struct value *v)
{
    const struct path one = {(struct step *)s, 1};

    if (t->indexes && s->kind == STEP_IDENTITY && !s->next_pair && value_is(v, VALUE_LIST) &&
        v->len >= INDEX_FROM)
        return map_get(index_of(t, v, s->key), s->text);
    return path_resolve(&one, v);
}

const struct value *trace_find(const struct trace *t, const struct path *p,
                               const struct value *root)
{
    for (size_t i = 0; root && i < p->len; i++)
        root = follow(t, &p->steps[i], root);
    return root;
}

/* What is at a path, or the last thing on the way that was read from a text; NULL: nothing was. */
static const struct value *find_nearest(const struct trace *t, const struct path *p,
                                        const struct value *root)
{
    const struct value *last = NULL;

    for (size_t i = 0; root; i++) {
        last = root->pos ? root : last;
        if (i == p->len)
            break;
        root = follow(t, &p->steps[i], root);
    }
    return last;
}

struct result_place trace_object_place(const struct trace *t, const struct path *p)
{
    const struct source *source = t->object->source;
    size_t offset;

    if (!source || !source_offset(source, find_nearest(t, p, t->live), &offset))
        return t->object->place;
    return place_of(source_where_offset(source, offset));
}

/* ---- What was rendered. ---- */

static const struct tmpl_range *range_at(const struct tmpl_provenance *p, size_t offset)
{
    size_t low = 0, high = p->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->items[middle].to <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->count && p->items[low].from <= offset ? &p->items[low] : NULL;
}

/* A scalar belongs to what wrote its value, a list or mapping to what wrote its key. */
const struct tmpl_range *trace_range(const struct trace *t, const struct value *node)
{
    const struct source source = {.text = t->text};
    size_t offset;

    if (!source_offset(&source, node, &offset))
        return NULL;
    return range_at(&t->provenance, value_is_container(node) ? offset : node->pos - 1);
}

/* The files of a set are known to templates by their last element. */
static str path_of_file(const struct trace *t, str name)
{
    for (size_t i = 0; i < t->template->files.len; i++)
        if (str_eq(path_base(t->template->files.items[i]), name))
            return t->template->files.items[i];
    return name;
}

struct result_place trace_range_place(const struct trace *t, const struct tmpl_range *range)
{
    if (!range)
        return (struct result_place){0};
    str path = path_of_file(t, range->file);
    return (struct result_place){reference_file(t->arena, &t->compare->reference, path),
                                 range->line};
}

uint32_t trace_template_line(const struct trace *t)
{
    const struct tmpl_range *root = trace_range(t, t->stages.items[0].tree);

    return root && str_eq(root->file, path_base(t->template->path)) ? root->line : 0;
}

/* ---- What wrote a value. ---- */

static const struct override *writer_of(const struct trace *t, const struct path *p)
{
    for (size_t i = t->stages.len; i-- > 1;) {
        const struct stage *s = &t->stages.items[i];
        if (s->kind == STAGE_OVERRIDDEN &&
            !value_equal(trace_find(t, p, s->tree), trace_find(t, p, s[-1].tree)))
            return s->override;
    }
    return NULL;
}

struct result_place trace_place(const struct trace *t, const struct path *p)
{
    const struct override *o = writer_of(t, p);
    const struct tmpl_range *range = NULL;

    if (o)
        return source_place(&t->compare->overrides.source, o->pos);
    if (t->stages.len)
        range = trace_range(t, find_nearest(t, p, t->stages.items[0].tree));
    if (range)
        return trace_range_place(t, range);
    return (struct result_place){
        .file = reference_file(t->arena, &t->compare->reference, t->template->path)};
}
