/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - what makes a document an object: identity, lists, checks.
 */
#include "base/quote.h"
#include "compare/internal.h"

/* ---- Identity. ---- */

struct identity identity_of(const struct value *object)
{
    const struct value *meta = value_get(object, STR("metadata"));

    return (struct identity){
        .api_version = value_get_str(object, STR("apiVersion")),
        .kind = value_get_str(object, STR("kind")),
        .namespace = value_get_str(meta, STR("namespace")),
        .name = value_get_str(meta, STR("name")),
    };
}

str identity_id(struct arena *a, const struct identity *i)
{
    if (i->namespace.len)
        return str_fmt(a, "%.*s_%.*s_%.*s_%.*s", STR_ARG(i->api_version), STR_ARG(i->kind),
                       STR_ARG(i->namespace), STR_ARG(i->name));
    return str_fmt(a, "%.*s_%.*s_%.*s", STR_ARG(i->api_version), STR_ARG(i->kind),
                   STR_ARG(i->name));
}

str object_id(struct arena *a, const struct value *object)
{
    struct identity i = identity_of(object);

    return identity_id(a, &i);
}

/* ---- Faults. ---- */

static void add_error(struct arena *a, struct input_errors *errors, const char *format, ...)
    FORMAT(3, 4);
static void add_error(struct arena *a, struct input_errors *errors, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    VEC_PUSH(a, &errors->items, str_vfmt(a, format, args));
    va_end(args);
}

/* A document that cannot be decoded. */
static void refuse(struct arena *a, const struct document *doc, struct input_errors *errors,
                   str reason)
{
    add_error(a, errors, "unable to decode %.*s: %.*s", STR_ARG(quote_of(a, doc->file)),
              STR_ARG(reason));
}

/* ---- Objects. ---- */

static void keep(struct arena *a, struct value *root, struct objects *out)
{
    struct value *meta = value_get(root, STR("metadata"));
    struct value *namespace = value_get(meta, STR("namespace"));
    struct object *o;

    if (namespace && !value_str(namespace).len)
        value_unset(meta, STR("namespace"));
    o = VEC_ADD(a, out);
    o->root = root;
    o->identity = identity_of(root);
    o->id = identity_id(a, &o->identity);
}

/* Kind and metadata of a document, be it an object or a list. */
static bool check_document(struct arena *a, const struct document *doc,
                           struct input_errors *errors)
{
    AUTO_ERR e = {0};

    if (!value_get_str(doc->root, STR("kind")).len) {
        refuse(a, doc, errors, STR("Object 'Kind' is missing in the object"));
        return false;
    }
    if (object_meta_check(a, doc->root, doc->yaml, &e))
        return true;
    refuse(a, doc, errors, e.text);
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

static bool decode_items(struct arena *a, const struct document *doc, struct value *items,
                         struct input_errors *errors)
{
    for (size_t i = 0; i < value_len(items); i++) {
        struct value *item = value_at(items, i);
        if (item->kind == VALUE_NULL)
            *item = *value_object(a);
        if (item->kind != VALUE_OBJECT) {
            refuse(a, doc, errors,
                   str_fmt(a,
                           "json: cannot unmarshal %s into Go value of type map[string]interface "
                           "{}",
                           json_kind(item)));
            return false;
        }
        infer_type(a, item, doc->root);
    }
    return true;
}

static void add_item(struct arena *a, struct value *item, struct objects *out,
                     struct input_errors *errors)
{
    const char *what = NULL;

    if (value_is(value_get(item, STR("items")), VALUE_LIST)) {
        add_error(a, errors,
                  "*unstructured.Unstructured is not a list: no Items field in this object");
        return;
    }
    if (!value_get_str(item, STR("kind")).len)
        what = "Object 'Kind' is missing in 'object has no kind field '";
    else if (!value_get_str(item, STR("apiVersion")).len)
        what = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
    if (what)
        add_error(a, errors,
                  "unable to get type info from the object \"*unstructured.Unstructured\": %s",
                  what);
    else
        keep(a, item, out);
}

static void add_list(struct arena *a, const struct document *doc, struct value *items,
                     struct objects *out, struct input_errors *errors)
{
    if (items->kind != VALUE_LIST && items->kind != VALUE_NULL) {
        refuse(a, doc, errors,
               str_fmt(a,
                       "json: cannot unmarshal %s into Go struct field decodeList.items of type "
                       "[]json.RawMessage",
                       json_kind(items)));
        return;
    }
    if (!decode_items(a, doc, items, errors) || !check_document(a, doc, errors))
        return;
    for (size_t i = 0; i < value_len(items); i++)
        add_item(a, value_at(items, i), out, errors);
}

void object_add(struct arena *a, const struct document *doc, struct objects *out,
                struct input_errors *errors)
{
    struct value *items = value_get(doc->root, STR("items"));

    if (doc->root->kind != VALUE_OBJECT)
        refuse(a, doc, errors,
               str_fmt(a, "json: cannot unmarshal %s into Go value of type unstructured.detector",
                       json_kind(doc->root)));
    else if (items)
        add_list(a, doc, items, out, errors);
    else if (check_document(a, doc, errors))
        keep(a, doc->root, out);
}
