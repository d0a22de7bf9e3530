/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - answers: objects in the requested form, and Statuses with errors. */
#include "store/internal.h"

#include "text/json/json.h"
#include "object/object.h"

void store_write_json(struct buf *out, const struct value *v)
{
    /* Exact numbers: nothing can fail. */
    if (!json_write(out, v, &json_exact, NULL))
        assert(!"written exactly");
}

bool store_answer(struct store_request *r, int status, const struct value *v)
{
    struct buf b = buf_new(r->arena, BUF_UNLIMITED);

    store_write_json(&b, v);
    buf_char(&b, '\n');
    r->call->status = status;
    r->call->reply = buf_str(&b);
    return true;
}

/* ---- Statuses. ---- */

struct value *store_status(struct arena *a, int code, const char *reason, str message)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("kind"), STR("Status"));
    value_set_str(a, v, STR("apiVersion"), STR("v1"));
    object_make_meta(a, v);
    value_set_str(a, v, STR("status"), code < 400 ? STR("Success") : STR("Failure"));
    if (message.len)
        value_set_str(a, v, STR("message"), message);
    if (reason[0])
        value_set_str(a, v, STR("reason"), str_c(reason));
    value_set_int(a, v, STR("code"), code);
    return v;
}

bool store_fault(struct store_request *r, int code, const char *reason, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    str message = str_vfmt(r->arena, format, args);
    va_end(args);
    store_answer(r, code, store_status(r->arena, code, reason, message));
    return false;
}

static struct value *causes_of(struct arena *a, const struct store_cause *causes, size_t count)
{
    struct value *list = value_list(a);

    for (size_t i = 0; i < count; i++) {
        struct value *c = value_object(a);
        if (causes[i].reason.len)
            value_set_str(a, c, STR("reason"), causes[i].reason);
        value_set_str(a, c, STR("message"), causes[i].message);
        if (causes[i].field.len)
            value_set_str(a, c, STR("field"), causes[i].field);
        value_add(a, list, c);
    }
    return list;
}

bool store_fault_of(struct store_request *r, int code, const char *reason, str name, str message,
                    const struct store_cause *causes, size_t count)
{
    bool by_kind = str_eq(str_c(reason), STR("Invalid"));

    return store_fault_as(r, code, reason, by_kind ? r->type->kind : r->type->plural, name, message,
                          causes, count);
}

bool store_fault_as(struct store_request *r, int code, const char *reason, str kind, str name,
                    str message, const struct store_cause *causes, size_t count)
{
    struct arena *a = r->arena;
    struct value *status = store_status(a, code, reason, message), *details = value_object(a);

    if (name.len)
        value_set_str(a, details, STR("name"), name);
    if (r->type->group.len)
        value_set_str(a, details, STR("group"), r->type->group);
    value_set_str(a, details, STR("kind"), kind);
    if (count)
        value_set(a, details, STR("causes"), causes_of(a, causes, count));
    value_set(a, status, STR("details"), details);
    store_answer(r, code, status);
    return false;
}

bool store_not_found(struct store_request *r, str name)
{
    return store_fault_of(r, 404, "NotFound", name,
                          str_fmt(r->arena, "%.*s \"%.*s\" not found",
                                  STR_ARG(store_type_name(r->arena, r->type)), STR_ARG(name)),
                          NULL, 0);
}

/* ---- Objects. ---- */

/* The version in which an object was stored, or the current storage version. */
static const struct store_shape_version *stored_as(const struct store_shape *shape,
                                                   const struct value *tree)
{
    str group, version, api = value_get_str(tree, STR("apiVersion"));

    if (!str_cut(api, STR("/"), &group, &version))
        version = api;
    const struct store_shape_version *as = store_shape_version(shape, version);
    return as ? as : store_shape_storage(shape);
}

struct value *store_metadata_only(struct arena *a, struct value *tree)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("kind"), STR("PartialObjectMetadata"));
    value_set_str(a, v, STR("apiVersion"), STR("meta.k8s.io/v1"));
    object_set_meta(a, v, object_meta(tree));
    return v;
}

/*
 * Like an API server, prunes and defaults with the version in which the object was stored, then
 * converts, which only prunes with the requested version.
 */
struct value *store_show(struct store_request *r, struct value *tree, uint64_t shape)
{
    const struct store_shape_version *was = stored_as(r->shape, tree);

    if (shape != r->shape->serial) {
        store_prune(r->arena, was, tree, NULL);
        store_default(r->arena, was, tree);
    }
    if (was != r->as)
        store_prune(r->arena, r->as, tree, NULL);
    value_set_str(r->arena, tree, STR("apiVersion"),
                  api_version_join(r->arena, r->type->group, r->as->name));
    if (r->view == STORE_TABLE)
        return store_table(r, tree);
    return r->view == STORE_METADATA ? store_metadata_only(r->arena, tree) : tree;
}

bool store_answer_object(struct store_request *r, int status, struct value *tree, uint64_t shape)
{
    return store_answer(r, status, store_show(r, tree, shape));
}
