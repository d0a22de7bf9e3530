/* SPDX-License-Identifier: Apache-2.0 */
/* objects.c - matches the documents of one file with those of another. */
#include "cli/objects.h"
#include "object/object.h"

static void add_object(struct arena *a, struct objects *o, struct doc doc, struct map *counts)
{
    struct identity id = identity_of(doc.root);
    str label = identity_label(a, &id);
    uintptr_t count = (uintptr_t)map_get(counts, label) + 1;

    map_set(counts, label, (void *)count);
    struct object object = {
        .doc = doc,
        .label = label,
        .key = str_fmt(a, "%.*s#%zu", STR_ARG(label), (size_t)count),
    };
    VEC_PUSH(a, o, object);
}

/* A List may contain lists; recursion is bounded by the depth of the document. */
static void add_document(struct arena *a, struct objects *o, struct doc doc, struct map *counts)
{
    const struct value *items = value_get(doc.root, STR("items"));

    if (!str_eq(value_get_str(doc.root, STR("kind")), STR("List")) ||
        !value_is(items, VALUE_LIST)) {
        add_object(a, o, doc, counts);
        return;
    }
    for (size_t i = 0; i < value_len(items); i++)
        add_document(a, o, (struct doc){.root = value_at(items, i), .source = doc.source}, counts);
}

/* Documents refer to their source, so inputs live as long as the run. */
static bool read_file(struct call *c, str name, struct objects *out, struct map *counts,
                      struct err *e)
{
    struct input *in = ARENA_NEW(c->arena, struct input);
    struct doc doc;

    if (!input_open(c, c->arena, name, false, in, e))
        return false;
    for (;;) {
        if (!input_next(c->arena, in, &doc, e)) {
            call_report(c, e);
            err_clear(e);
        } else if (doc.root) {
            add_document(c->arena, out, doc, counts);
        } else {
            return true;
        }
    }
}

bool objects_read(struct call *c, str name, struct objects *out, struct err *e)
{
    struct map *counts = map_new(c->arena);
    struct str_list files = {0};

    *out = (struct objects){0};
    if (!input_add(c->arena, name, &files, e))
        return false;
    for (size_t i = 0; i < files.len; i++)
        if (!read_file(c, files.items[i], out, counts, e))
            return false;
    return true;
}

struct object_pairs objects_match(struct arena *a, const struct objects *old,
                                  const struct objects *new_)
{
    struct map *unmatched = map_new(a), *taken = map_new(a);
    struct object_pairs pairs = {0};

    for (size_t i = 0; i < new_->len; i++)
        map_set(unmatched, new_->items[i].key, &new_->items[i]);
    for (size_t i = 0; i < old->len; i++) {
        struct object_pair pair = {&old->items[i], map_get(unmatched, old->items[i].key)};
        VEC_PUSH(a, &pairs, pair);
        map_set(taken, old->items[i].key, &old->items[i]);
    }
    for (size_t i = 0; i < new_->len; i++) {
        struct object_pair pair = {NULL, &new_->items[i]};
        if (!map_has(taken, new_->items[i].key))
            VEC_PUSH(a, &pairs, pair);
    }
    return pairs;
}
