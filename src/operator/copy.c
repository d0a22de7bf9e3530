/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.c - objects that were copied from others, including the original's claim.
 *
 * After "kubectl get -o yaml", a change of the name and "kubectl apply", the copy has the
 * original's finalizer, id and poll token, and deleting it would delete the original's resource. An
 * object is a copy if an older object claims the same id and nothing was ever decided about this
 * one: its status is empty. The copied claim is removed, and the object is claimed like any new
 * one. If it really refers to the same resource, it waits until the original is gone or gives up
 * the id.
 */
#include "operator/internal.h"

#include "arm/id.h"

#define TAKEN "ResourceTaken"

uint64_t copy_number(const struct value *object)
{
    AUTO_ARENA a = arena_new();
    str id = object_annotation(object, STR(ANNOTATION_RESOURCE_ID));

    return id.len ? str_hash(str_lower(a, id)) : 0;
}

/* Definitions have a default status, whose condition is Unknown. */
static bool is_decided(const struct value *object)
{
    struct condition ready;

    return condition_get(value_get(object, STR("status")), STR("Ready"), &ready) &&
           !str_eq(ready.status, STR("Unknown"));
}

/*
 * Times are texts of whole seconds: within the same second, an object about which something was
 * decided counts as older.
 */
bool copy_is_older(const struct value *one, const struct value *other)
{
    int order = str_cmp(value_get_str(object_meta(one), STR("creationTimestamp")),
                        value_get_str(object_meta(other), STR("creationTimestamp")));

    if (order)
        return order < 0;
    if (is_decided(one) != is_decided(other))
        return is_decided(one);
    return str_cmp(object_uid(one), object_uid(other)) < 0;
}

bool copy_is(struct pass *p)
{
    str id = object_annotation(p->object, STR(ANNOTATION_RESOURCE_ID));

    return id.len && p->holder && !is_decided(p->object) && p->holder(p->deletes_ctx, p, id);
}

struct value *copy_disown(struct pass *p)
{
    static const char *const names[] = {ANNOTATION_OPERATOR_NAMESPACE, ANNOTATION_RESOURCE_ID,
                                        ANNOTATION_POLL_TOKEN,         ANNOTATION_POLL_ID,
                                        ANNOTATION_POLL_DIGEST,        ANNOTATION_GENERATION,
                                        ANNOTATION_CHILD_ID,           ANNOTATION_AZURE_NAME,
                                        ANNOTATION_SYNC_TOKEN,         ANNOTATION_KNOWN,
                                        ANNOTATION_LEFTOVERS};
    struct value *after = value_clone(p->arena, p->object);

    for (size_t i = 0; i < COUNT(names); i++)
        object_set_annotation(p->arena, after, str_c(names[i]), STR_NONE);
    object_remove_finalizer(after, STR(FINALIZER));
    p->disowned = true;
    return meta_patch_object(p->arena, p->object, after, true);
}

bool copy_is_held(struct pass *p, str id, struct pass_step *step)
{
    const struct value *holder;

    if ((!p->disowned && !status_has(p, TAKEN)) || !p->holder ||
        !(holder = p->holder(p->deletes_ctx, p, id)))
        return false;
    const struct object_key key = object_key_of(holder);
    pass_need(p, &key);
    *step = step_wait(
        p, TAKEN,
        str_fmt(
            p->arena,
            "%.*s \"%.*s\" in namespace %.*s manages %.*s, and this object is a copy of it: set "
            "another spec.azureName, or delete one of them; this continues when the other one "
            "is gone",
            STR_ARG(key.kind), STR_ARG(key.name), STR_ARG(key.namespace), STR_ARG(id)));
    return true;
}
