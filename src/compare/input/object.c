/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - turns documents into objects: identity, lists, checks. */
#include "compare/input/object_internal.h"
#include "compare/input/input_internal.h"
#include "compare/nested_internal.h"
#include "go/decode.h"
#include "go/quote.h"

/* ---- Faults. ---- */

static struct result_place place_of(const struct input *in, struct document *doc,
                                    const struct value *v)
{
    if (!in->dialect->fields)
        return (struct result_place){0};
    return (struct result_place){.file = doc->file,
                                 .line = v->pos ? document_line(doc, v->pos - 1) : 0};
}

/* A document that cannot be decoded because of one of its values. */
static void refuse_at(struct input *in, struct document *doc, const struct value *v, str reason)
{
    struct arena *a = in->arena;

    input_fail(in,
               str_fmt(a, "unable to decode %.*s: %.*s", STR_ARG(go_quoted(a, doc->file)),
                       STR_ARG(reason)),
               place_of(in, doc, v), reason);
}

static void refuse(struct input *in, struct document *doc, str reason)
{
    refuse_at(in, doc, doc->root, reason);
}

/* The value that a fault of the metadata names, as "Go struct field ObjectMeta.metadata.name of".
 */
static const struct value *faulty_field(const struct value *root, str reason)
{
    const struct value *v = root;
    str before, path, key;

    if (!str_cut(reason, STR(" Go struct field "), &before, &path) ||
        !str_cut(path, STR(" of type "), &path, &before) || !str_cut(path, STR("."), &key, &path))
        return root;
    while (path.len) {
        (void)str_cut(path, STR("."), &key, &path);
        const struct value *member = value_get(v, key);
        if (!member)
            break;
        v = member;
    }
    return v->pos ? v : root;
}

/* ---- Objects. ---- */

static void keep(struct input *in, struct document *doc, struct value *root)
{
    struct value *meta = object_meta(root);
    struct value *namespace = value_get(meta, STR("namespace"));
    struct object *o;

    if (namespace && !value_str(namespace).len)
        value_unset(meta, STR("namespace"));
    o = VEC_ADD(in->arena, &in->objects);
    o->root = root;
    o->identity = identity_of(root);
    o->id = identity_id(in->arena, &o->identity);
    o->place = place_of(in, doc, root);
    o->source = doc->source;
}

/* Upstream: an apiVersion that is not group/version drops the kind as well. */
static bool has_kind(const struct input *in, const struct value *object)
{
    str version = value_get_str(object, STR("apiVersion"));

    if (!value_get_str(object, STR("kind")).len)
        return false;
    return in->dialect->any_version || str_find_char(version, '/') == str_rfind_char(version, '/');
}

/* Upstream: a group alone is not an apiVersion. */
static bool has_version(const struct input *in, const struct value *object)
{
    str text = value_get_str(object, STR("apiVersion"));

    return text.len && (in->dialect->any_version || !str_has_suffix(text, STR("/")));
}

static bool is_text(const struct value *v)
{
    return !v || v->kind == VALUE_STRING || v->kind == VALUE_NULL;
}

/* Whether what tells objects apart is text, as far as it is there. */
static bool is_named_by_texts(const struct value *object)
{
    const struct value *meta = object_meta_member(object);

    return is_text(value_get(object, STR("kind"))) &&
           is_text(value_get(object, STR("apiVersion"))) &&
           (!meta || meta->kind == VALUE_OBJECT || meta->kind == VALUE_NULL) &&
           is_text(value_get(meta, STR("name"))) && is_text(value_get(meta, STR("namespace")));
}

/* Documents that are not objects are skipped on purpose. */
static void skip(struct input *in, struct document *doc)
{
    struct input_fault *fault = VEC_ADD(in->arena, &in->faults);

    fault->note.place = place_of(in, doc, doc->root);
    fault->note.reason = STR("no object: it has no kind");
    fault->loss = LOSS_SKIPPED;
}

/* Kind and metadata of a document, be it an object or a list. */
static bool check_document(struct input *in, struct document *doc)
{
    AUTO_ERR e = {0};

    /* A kind that is not text is a fault of the document, unlike none. */
    bool broken = in->dialect->isolated_faults && !is_text(value_get(doc->root, STR("kind")));
    if (!has_kind(in, doc->root) && !broken) {
        if (in->dialect->isolated_faults)
            skip(in, doc);
        else
            refuse(in, doc, STR("Object 'Kind' is missing in the object"));
        return false;
    }
    if (object_meta_check(in->arena, doc->root, doc->yaml, &e))
        return true;
    refuse_at(in, doc, faulty_field(doc->root, e.text), str_copy(in->arena, e.text));
    return false;
}

/* ---- Lists. ---- */

static void infer_type(struct arena *a, struct value *item, const struct value *list)
{
    if (value_get_str(item, STR("kind")).len || value_get_str(item, STR("apiVersion")).len)
        return;
    str kind = str_without_suffix(value_get_str(list, STR("kind")), STR("List"));
    value_set_str(a, item, STR("kind"), kind);
    value_set_str(a, item, STR("apiVersion"), value_get_str(list, STR("apiVersion")));
}

/* The original gives up a list because of one item; otherwise the fault is the item's own. */
static bool decode_items(struct input *in, struct document *doc, const struct value *list,
                         struct value *items)
{
    for (size_t i = 0; i < value_len(items); i++) {
        struct value *item = value_at(items, i);
        if (item->kind == VALUE_NULL)
            *item = *value_object(in->arena);
        if (item->kind == VALUE_OBJECT) {
            if (!in->dialect->isolated_faults || is_named_by_texts(item))
                infer_type(in->arena, item, list);
        } else if (!in->dialect->isolated_faults) {
            refuse(in, doc,
                   str_fmt(in->arena,
                           "json: cannot unmarshal %s into Go value of type map[string]interface "
                           "{}",
                           json_kind(item)));
            return false;
        }
    }
    return true;
}

/* What keeps an item from being an object, or NULL. */
static const char *fault_of(const struct input *in, const struct value *item)
{
    if (item->kind != VALUE_OBJECT)
        return "an item of a list is not an object";
    if (!has_kind(in, item))
        return "unable to get type info from the object \"*unstructured.Unstructured\": Object "
               "'Kind' is missing in 'object has no kind field '";
    if (!has_version(in, item))
        return "unable to get type info from the object \"*unstructured.Unstructured\": Object "
               "'apiVersion' is missing in 'object has no apiVersion field'";
    return NULL;
}

/* An object that cannot be compared, though its document can be read. */
static void lose(struct input *in, struct result_place place, str reason)
{
    input_fail(in, reason, place, reason);
    in->faults.items[in->faults.len - 1].loss = LOSS_OBJECT;
}

/* Lists within lists. */
#define LISTS_MAX 100

static void add_items(struct input *in, struct document *doc, struct value *list, size_t depth);

static bool is_list(const struct value *item)
{
    return str_has_suffix(value_get_str(item, STR("kind")), STR("List")) &&
           value_is(value_get(item, STR("items")), VALUE_LIST);
}

/* Upstream: only documents are checked, so that such an item goes by another name. */
static bool check_item(struct input *in, struct document *doc, struct value *item)
{
    AUTO_ERR e = {0};

    if (!in->dialect->isolated_faults || item->kind != VALUE_OBJECT || is_named_by_texts(item) ||
        object_meta_check(in->arena, item, doc->yaml, &e))
        return true;
    lose(in, place_of(in, doc, faulty_field(item, e.text)), str_copy(in->arena, e.text));
    return false;
}

static void add_item(struct input *in, struct document *doc, struct value *item, size_t depth)
{
    const char *fault = fault_of(in, item);

    if (!check_item(in, doc, item))
        return;
    if (in->dialect->nested_lists && is_list(item) && depth < LISTS_MAX)
        add_items(in, doc, item, depth + 1);
    else if (!fault)
        keep(in, doc, item);
    else if (in->dialect->isolated_faults)
        lose(in, place_of(in, doc, item), str_c(fault));
    else
        input_fail(in, str_c(fault), (struct result_place){0}, STR_NONE);
}

/* Upstream: an item that has items is a list, and takes the list that it is in along. */
static bool has_list(const struct value *items)
{
    for (size_t i = 0; i < value_len(items); i++)
        if (value_is(value_get(value_at(items, i), STR("items")), VALUE_LIST))
            return true;
    return false;
}

static void add_items(struct input *in, struct document *doc, struct value *list, size_t depth)
{
    struct value *items = value_get(list, STR("items"));

    if (!in->dialect->nested_lists && has_list(items)) {
        input_fail(in,
                   STR("*unstructured.Unstructured is not a list: no Items field in this object"),
                   (struct result_place){0}, STR_NONE);
        return;
    }
    if (depth && !decode_items(in, doc, list, items))
        return;
    for (size_t i = 0; i < value_len(items); i++)
        add_item(in, doc, value_at(items, i), depth);
}

static void add_list(struct input *in, struct document *doc, struct value *items)
{
    if (items->kind != VALUE_LIST && items->kind != VALUE_NULL) {
        refuse_at(in, doc, items->pos ? items : doc->root,
                  str_fmt(in->arena,
                          "json: cannot unmarshal %s into Go struct field decodeList.items of type "
                          "[]json.RawMessage",
                          json_kind(items)));
        return;
    }
    if (decode_items(in, doc, doc->root, items) && check_document(in, doc))
        add_items(in, doc, doc->root, 0);
}

void object_add(struct input *in, struct document *doc)
{
    struct value *items = value_get(doc->root, STR("items"));

    in->documents++;
    if (doc->refusal.len)
        refuse(in, doc, doc->refusal);
    else if (doc->root->kind != VALUE_OBJECT)
        refuse(in, doc,
               str_fmt(in->arena,
                       "json: cannot unmarshal %s into Go value of type unstructured.detector",
                       json_kind(doc->root)));
    else if (items)
        add_list(in, doc, items);
    else if (check_document(in, doc))
        keep(in, doc, doc->root);
}
