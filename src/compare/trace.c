/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - how the expected side of an object came about, and where things are written: in the
 * templates, the overrides and the metadata file, and in the object itself.
 */
#include "compare/internal.h"

void trace_add(struct trace *t, enum stage_kind kind, const struct override *o,
               const struct value *tree)
{
    if (t)
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

struct result_place object_place(const struct object *o, const struct value *tree,
                                 const struct path *p)
{
    size_t offset;

    if (!o->source)
        return (struct result_place){0};
    for (size_t len = p->len + 1; len-- > 0;) {
        const struct path above = {p->steps, len};
        if (source_offset(o->source, path_resolve(&above, tree), &offset))
            return place_of(source_where_offset(o->source, offset));
    }
    return (struct result_place){.file = o->source->file};
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

/* ---- What wrote a value. ---- */

static const struct override *writer_of(const struct trace *t, const struct path *p)
{
    for (size_t i = t->stages.len; i-- > 1;) {
        const struct stage *s = &t->stages.items[i];
        if (s->kind == STAGE_OVERRIDDEN &&
            !value_equal(path_resolve(p, s->tree), path_resolve(p, s[-1].tree)))
            return s->override;
    }
    return NULL;
}

struct result_place trace_place(const struct trace *t, const struct path *p)
{
    const struct override *o = writer_of(t, p);

    if (o)
        return source_place(&t->compare->overrides.source, o->pos);
    for (size_t len = p->len + 1; t->stages.len && len-- > 0;) {
        const struct path above = {p->steps, len};
        const struct tmpl_range *range =
            trace_range(t, path_resolve(&above, t->stages.items[0].tree));
        if (range)
            return trace_range_place(t, range);
    }
    return (struct result_place){
        .file = reference_file(t->arena, &t->compare->reference, t->template->path)};
}
