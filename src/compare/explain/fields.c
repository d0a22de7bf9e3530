/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - differences as data: expected and actual values by field, and where each of them comes
 * from.
 */
#include "compare/explain/trace_internal.h"
#include "value/diff.h"

/* A list that was reordered and a value of another kind are both there, and not as expected. */
static const enum result_kind kinds[] = {
    [DIFFERENCE_ADDED] = RESULT_EXTRA,       [DIFFERENCE_MISSING] = RESULT_MISSING,
    [DIFFERENCE_CHANGED] = RESULT_CHANGED,   [DIFFERENCE_TYPE] = RESULT_CHANGED,
    [DIFFERENCE_REORDERED] = RESULT_CHANGED,
};

/* Places are looked up in trees that are not masked: masking loses them. */
static struct result_field make_field(const struct trace *t, struct arena *scratch,
                                      const struct difference *d)
{
    struct path path = path_of_trail(scratch, d->at);
    struct path above = {path.steps, path.len ? path.len - 1 : 0};
    enum result_kind kind = kinds[d->kind];

    return (struct result_field){
        .path = field_path(t->arena, &path),
        .kind = kind,
        .expected = d->old_,
        .actual = d->new_,
        .template = trace_place(t, kind == RESULT_EXTRA ? &above : &path),
        .object = trace_object_place(t, kind == RESULT_MISSING ? &above : &path),
    };
}

void fields_find(const struct trace *t, const struct value *expected, const struct value *actual,
                 struct result_fields *out)
{
    AUTO_ARENA scratch = arena_new();
    struct differences found = value_diff(t->arena, expected, actual, NULL);
    size_t before = arena_used(t->arena);

    for (size_t i = 0; i < found.count && !out->cut; i++) {
        VEC_PUSH(t->arena, out, make_field(t, scratch, &found.items[i]));
        arena_reset(scratch);
        out->cut = i + 1 < found.count && arena_used(t->arena) - before > TRACE_MEMORY_MAX;
    }
}

static struct result_place copy_place(struct arena *a, struct result_place place)
{
    return (struct result_place){str_copy(a, place.file), place.line};
}

static struct result_field copy_field(struct arena *a, const struct result_field *f)
{
    return (struct result_field){
        .path = str_copy(a, f->path),
        .kind = f->kind,
        .expected = f->expected ? value_copy(a, f->expected) : NULL,
        .actual = f->actual ? value_copy(a, f->actual) : NULL,
        .template = copy_place(a, f->template),
        .object = copy_place(a, f->object),
    };
}

void fields_copy(struct arena *a, const struct result_fields *from, struct result_fields *out)
{
    out->cut = from->cut;
    for (size_t i = 0; i < from->len; i++)
        VEC_PUSH(a, out, copy_field(a, &from->items[i]));
}
