/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.c - claims the object: finalizer, id and owner, in one write before anything is sent.
 *
 * From then on nothing can be left behind in Azure, since deletions of the object wait for us. The
 * id depends only on the owners, so that objects that refer to each other do not block each other,
 * and it is frozen: the name in Azure and the owner can no longer change. Objects that have already
 * been claimed come here only to restore an owner reference that somebody removed.
 */
#include "operator/internal.h"

#include "arm/id.h"

enum { BEGIN, DISOWN, TAKE_CONFIG, TAKE_OWNER, WRITE };

/* How often an owner in Azure that is not visible is requested again. */
#define OWNER_WAIT (60 * NS_PER_SEC)

static bool has_name_from_config(const struct pass *p)
{
    const struct model_prop *prop =
        model_prop_of_role(p->resource->spec, ROLE_AZURE_NAME_FROM_CONFIG);
    const struct value *spec = value_get(p->object, STR("spec"));

    return prop && value_is(value_get(spec, prop->name), VALUE_OBJECT) &&
           !value_get_str(spec, STR("azureName")).len;
}

static struct pass_step write_claim(struct pass *p, const struct owner *owner, str id)
{
    struct value *after = value_clone(p->arena, p->object), *patch;
    struct arm_id parsed;

    p->phase = WRITE;
    if (id.len) {
        object_add_finalizer(p->arena, after, STR(FINALIZER));
        object_set_annotation(p->arena, after, STR(ANNOTATION_OPERATOR_NAMESPACE),
                              p->config->namespace);
        object_set_annotation(p->arena, after, STR(ANNOTATION_RESOURCE_ID), id);
        object_set_annotation(p->arena, after, STR(ANNOTATION_API_VERSION), p->resource->version);
        if (p->config->version.len)
            object_set_label(p->arena, after, STR(LABEL_VERSION), p->config->version);
        if (has_name_from_config(p) && arm_id_parse(p->arena, id, &parsed, NULL))
            object_set_annotation(p->arena, after, STR(ANNOTATION_AZURE_NAME),
                                  arm_id_name(&parsed));
    }
    owner_bind(p, owner, after);
    if (!(patch = meta_patch_object(p->arena, p->object, after, true)))
        return look_onward(p);
    return step_kube(p, KUBE_PATCH, pass_path(p, ""), patch);
}

/* The owner in Azure is read once, so that a wrong id is noticed before anything is sent. */
static struct pass_step after_owner(struct pass *p, const struct owner *owner, str id,
                                    const struct arm_answer *answer)
{
    str owner_id, url;

    if (!owner_azure_url(p, owner, &owner_id, &url))
        return write_claim(p, owner, id);
    if (!pass_in_scope(p, owner_id))
        return step_out_of_scope(p, owner_id);
    if (!answer) {
        p->phase = TAKE_OWNER;
        return step_arm(p, ARM_GET, url, NULL);
    }
    if (answer->http == 404)
        return step_wait_for(
            p, "WaitingForOwner",
            str_fmt(p->arena, "owner %.*s does not exist in Azure; looked for again every minute",
                    STR_ARG(owner_id)),
            OWNER_WAIT);
    /* A principal that may not read the owner may still be allowed to write below it. */
    if (answer->http == 401 || answer->http == 403)
        pass_report(p, true, "OwnerNotReadable", STR_NONE,
                    str_fmt(p->arena, "the credential may not read owner %.*s; continuing",
                            STR_ARG(owner_id)));
    else if (answer->http != 200)
        return step_answer_refused(p, STR("GET"), answer);
    return write_claim(p, owner, id);
}

static struct pass_step unresolved(struct pass *p, struct err *e)
{
    str text = str_copy(p->arena, e->text);

    if (p->unread.len) {
        p->phase = TAKE_CONFIG;
        return step_kube(p, KUBE_GET, p->unread, NULL);
    }
    if (e->kind == ERR_NOT_FOUND)
        return step_wait(
            p, p->missing_reason.len ? str_z(p->arena, p->missing_reason) : "ReferenceNotFound",
            text);
    return step_explain(p, "Error", "Failed", text);
}

struct pass_step state_claim(struct pass *p)
{
    const struct arm_answer *answer = p->asked ? NULL : pass_answer(p);
    const struct resolver resolver = gather_resolver(p);
    struct pass_step otherwise;
    struct owner owner;
    struct decision d;
    AUTO_ERR e = {0};
    str id;

    /* The answer to a hook's question: everything else is checked again. */
    if (p->asked)
        p->phase = 0;
    if (p->phase == WRITE)
        return pass_wrote(p, answer, &otherwise) ? look_onward(p) : otherwise;
    if (p->phase == DISOWN) {
        if (!pass_wrote(p, answer, &otherwise))
            return otherwise;
        /* The memory is the original's, too. */
        memory_load(p);
        p->phase = BEGIN;
    } else if (p->phase == BEGIN && copy_is(p)) {
        p->phase = DISOWN;
        return step_kube(p, KUBE_PATCH, pass_path(p, ""), copy_disown(p));
    }
    if (p->phase == TAKE_CONFIG && !gather_take(p, answer, &otherwise))
        return otherwise;
    if (!owner_read(p, &owner, &otherwise))
        return otherwise;
    if (object_has_finalizer(p->object, STR(FINALIZER)) && pass_id(p).len)
        return write_claim(p, &owner, STR_NONE);
    bool ready = owner_is_ready(p, &owner, &otherwise);
    p->unread = p->missing_reason = STR_NONE;
    bool resolved =
        resolve_id(p->arena, &resolver, p->resource, pass_named_object(p), NULL, &id, &e);
    /* Permanent errors are more important than something that does not exist yet. */
    if (!resolved && (ready || e.kind != ERR_NOT_FOUND))
        return unresolved(p, &e);
    if (!ready)
        return otherwise;
    if (!pass_is_of_kind(p, id, &otherwise))
        return otherwise;
    if (!pass_in_scope(p, id))
        return step_out_of_scope(p, id);
    if (copy_is_held(p, id, &otherwise))
        return otherwise;
    if (p->phase != TAKE_OWNER && !pass_point(p, ext_claim, &d, &otherwise))
        return otherwise;
    return after_owner(p, &owner, id, p->phase == TAKE_OWNER ? answer : NULL);
}
