/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c - masking both sides of a Secret; see secret.h. */
#include "compare/secret.h"
#include "text/json.h"

/* Annotations may hold objects with annotations; so deep nobody nests them on purpose. */
enum { NESTED_MAX = 3 };

static const char *const secret_fields[] = {"data", "stringData"};

bool secret_is(const struct value *object)
{
    return str_eq(value_get_str(object, STR("kind")), STR("Secret"));
}

/* ---- Values. ---- */

/* Key and place stay. What is null holds nothing. */
static void cover(struct value *v, str text)
{
    if (!v || v->kind == VALUE_NULL)
        return;
    v->kind = VALUE_STRING;
    v->room = v->indexed = 0;
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
}

static void cover_both(struct value *before, struct value *after)
{
    bool differ = before && after && !value_equal(before, after);

    cover(before, differ ? STR("*** (before)") : STR("***"));
    cover(after, differ ? STR("*** (after)") : STR("***"));
}

static void mask_field(struct value *before, struct value *after)
{
    if ((before && before->kind != VALUE_OBJECT) || (after && after->kind != VALUE_OBJECT)) {
        cover_both(before, after);
        return;
    }
    for (size_t i = 0; before && i < before->len; i++)
        cover_both(&before->items[i], value_get(after, value_key(&before->items[i])));
    for (size_t i = 0; after && i < after->len; i++)
        if (!value_get(before, value_key(&after->items[i])))
            cover_both(NULL, &after->items[i]);
}

/* ---- Annotations. ---- */

static bool mask_object(struct arena *a, struct value *before, struct value *after, int depth);

/* The object that an annotation holds, or NULL. */
static struct value *object_in(struct arena *a, const struct value *annotation)
{
    struct source *source = ARENA_NEW(a, struct source);
    struct value *out = NULL;

    source->text = value_str(annotation);
    if (!str_has_prefix(str_trim(source->text), STR("{")) ||
        !json_read(a, source, NULL, &out, NULL) || out->kind != VALUE_OBJECT)
        return NULL;
    return out;
}

static void write_back(struct arena *a, struct value *annotation, const struct value *object)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);

    if (!object)
        return;
    (void)!json_write(&text, object, &json_exact, NULL);
    if (str_has_suffix(value_str(annotation), STR("\n")))
        buf_char(&text, '\n');
    cover(annotation, buf_str(&text));
}

/* Whether it holds an object with its values, even if that cannot be read. */
static bool is_last_applied(str key)
{
    return str_has_suffix(key, STR("/last-applied-configuration"));
}

static void mask_annotation(struct arena *a, struct value *before, struct value *after, int depth)
{
    struct value *old = object_in(a, before), *new_ = object_in(a, after);
    str key = value_key(before ? before : after);

    if (is_last_applied(key) && ((before && !old) || (after && !new_))) {
        cover_both(before, after);
        return;
    }
    if (!mask_object(a, old, new_, depth + 1))
        return;
    write_back(a, before, old);
    write_back(a, after, new_);
}

static void mask_annotations(struct arena *a, struct value *before, struct value *after, int depth)
{
    for (size_t i = 0; before && i < before->len; i++)
        mask_annotation(a, &before->items[i], value_get(after, value_key(&before->items[i])),
                        depth);
    for (size_t i = 0; after && i < after->len; i++)
        if (!value_get(before, value_key(&after->items[i])))
            mask_annotation(a, NULL, &after->items[i], depth);
}

static struct value *annotations_of(const struct value *object)
{
    struct value *v = value_get(value_get(object, STR("metadata")), STR("annotations"));

    return value_is(v, VALUE_OBJECT) ? v : NULL;
}

/* Answers whether there was something to mask. */
static bool mask_object(struct arena *a, struct value *before, struct value *after, int depth)
{
    bool found = false;

    if (depth > NESTED_MAX)
        return false;
    for (size_t i = 0; i < COUNT(secret_fields); i++) {
        struct value *old = value_get(before, str_c(secret_fields[i]));
        struct value *new_ = value_get(after, str_c(secret_fields[i]));
        mask_field(old, new_);
        found |= old || new_;
    }
    mask_annotations(a, annotations_of(before), annotations_of(after), depth);
    return found;
}

void secret_mask_pair(struct arena *a, struct value **before, struct value **after)
{
    if (!secret_is(*before) && !secret_is(*after))
        return;
    if (*before)
        *before = value_clone(a, *before);
    if (*after)
        *after = value_clone(a, *after);
    mask_object(a, *before, *after, 0);
}

bool secret_mask_patch(struct arena *a, struct value *patch)
{
    return mask_object(a, NULL, patch, 0);
}
