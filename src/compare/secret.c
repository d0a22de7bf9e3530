/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c - masks both sides of a Secret; see secret.h. */
#include "compare/secret.h"
#include "text/json/json.h"
#include "object/object.h"

/* Annotations may hold objects with annotations; legitimate nesting is never this deep. */
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

/* Whether a text has the word as a key, in JSON of whatever nesting or in YAML. */
static bool has_key(str text, str word)
{
    for (size_t at; (at = str_find(text, word)) != STR_NPOS; text = str_from(text, at + word.len)) {
        char before = at ? text.ptr[at - 1] : ' ';
        str after = str_from(text, at + word.len);
        bool begins = !((before | 0x20) >= 'a' && (before | 0x20) <= 'z');
        if (begins && (!after.len || str_find_char(STR("\"\\':"), after.ptr[0]) != STR_NPOS))
            return true;
    }
    return false;
}

/* Whether an annotation holds an object with its values, even if that cannot be read. */
static bool is_copy(const struct value *annotation, bool unread)
{
    str text = value_str(annotation), key = value_key(annotation);

    return (unread && str_has_suffix(key, STR("/last-applied-configuration"))) ||
           has_key(text, STR("data")) || has_key(text, STR("stringData"));
}

static void mask_annotation(struct arena *a, struct value *before, struct value *after, int depth)
{
    struct value *old = object_in(a, before), *new_ = object_in(a, after);
    bool unread = (before && !old) || (after && !new_);
    bool differ = before && after && !value_equal(before, after);
    bool is_masked = !unread && depth < NESTED_MAX && mask_object(a, old, new_, depth + 1);

    if (!is_masked && (is_copy(before, unread) || is_copy(after, unread))) {
        cover_both(before, after);
        return;
    }
    if (!is_masked)
        return;
    write_back(a, before, old);
    write_back(a, after, new_);
    /* Blanks, escapes, keys twice: what is written is not what was there. */
    if (differ && value_equal(before, after)) {
        cover(before, STR("*** (before)"));
        cover(after, STR("*** (after)"));
    }
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
    struct value *v = value_get(object_meta(object), STR("annotations"));

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

/* ---- Whole objects. ---- */

/* Items of a SecretList need no kind: what a tree is within one. */
enum within { WITHIN_ANY, WITHIN_LIST, WITHIN_ITEMS };

static enum within within_of(const struct value *before, const struct value *after, str key,
                             enum within here)
{
    if (here == WITHIN_LIST)
        return WITHIN_ITEMS;
    bool is_list = secret_is_list(before) || secret_is_list(after);
    return is_list && str_eq(key, STR("items")) ? WITHIN_LIST : WITHIN_ANY;
}

/* Every Secret in two trees. */
static void mask_tree(struct arena *a, struct value *before, struct value *after, enum within here)
{
    if (here == WITHIN_ITEMS || secret_is(before) || secret_is(after)) {
        mask_object(a, before, after, 0);
        return;
    }
    for (int side = 0; side < 2; side++) {
        struct value *v = side ? after : before, *other = side ? before : after;
        for (size_t i = 0; v && value_is_container(v) && i < v->len; i++) {
            struct value *item = &v->items[i], *there = secret_counterpart(v, i, other);
            if (!value_is_container(item) || (side && there))
                continue;
            mask_tree(a, side ? there : item, side ? item : there,
                      within_of(before, after, value_key(item), here));
        }
    }
}

void secret_mask_pair(struct arena *a, const struct secret_values *values, struct value **before,
                      struct value **after)
{
    bool holds = secret_holds(*before) || secret_holds(*after);

    if (!values && !holds)
        return;
    if (*before)
        *before = value_clone(a, *before);
    if (*after)
        *after = value_clone(a, *after);
    if (holds)
        mask_tree(a, *before, *after, WITHIN_ANY);
    if (holds && !secret_is(*before) && !secret_is(*after))
        mask_annotations(a, annotations_of(*before), annotations_of(*after), 0);
    secret_values_hide_pair(a, values, *before, *after);
}

/*
 * A merge patch leaves out what stays, such as the kind: whether something is of a Secret is known
 * from the versions between which it leads.
 */
static bool mask_in_patch(struct arena *a, const struct value *before, const struct value *after,
                          struct value *patch, enum within here)
{
    bool found = false;

    if (here == WITHIN_ITEMS || secret_is(before) || secret_is(after) || secret_is(patch))
        return mask_object(a, NULL, patch, 0);
    for (size_t i = 0; value_is_container(patch) && i < patch->len; i++) {
        struct value *item = &patch->items[i];
        bool is_member = patch->kind == VALUE_OBJECT;
        const struct value *old = is_member ? value_get(before, value_key(item)) : NULL;
        const struct value *new_ = is_member ? value_get(after, value_key(item)) : item;
        enum within below = within_of(before, after, is_member ? value_key(item) : STR_NONE, here);
        if (value_is_container(item))
            found |= mask_in_patch(a, old, new_, item, below);
    }
    return found;
}

bool secret_mask_patch(struct arena *a, const struct secret_values *values,
                       const struct value *before, const struct value *after, struct value *patch)
{
    bool holds = secret_holds(before) || secret_holds(after);
    bool found = holds && mask_in_patch(a, before, after, patch, WITHIN_ANY);

    if (holds && !secret_is(before) && !secret_is(after))
        mask_annotations(a, NULL, annotations_of(patch), 0);
    return secret_values_hide_pair(a, values, NULL, patch) || found;
}
