/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remove.c - the object is being deleted: its resource goes first, then the finalizer.
 *
 * A resource is read before it is deleted, as most are already gone together with their parent. If
 * reading is forbidden, the DELETE is sent anyway. While the owner is being deleted, nothing is
 * deleted below it, and its end wakes this object; unless Azure refuses to delete the owner, in
 * which case children go first. If the owner may be held, it is first read from the API server:
 * foreground deletion deletes children before the owner, and the caches of two kinds are not
 * equally up to date.
 */
#include "operator/internal.h"

#include "arm/id.h"

/* How often an accepted deletion is checked before it is sent again. */
#define GONE_WAIT (15 * NS_PER_SEC)
#define GONE_LOOKS 40

/* How long to wait for the cache if the owner is newer than in the cache. */
#define OWNER_LAG (5 * NS_PER_SEC)

enum { LOOK_AT_IT, TELL, LOOK_AT_OWNER, OWNER_SEEN, TAKE_ANSWER, LOOK_AT_GROUP };

static bool can_be_deleted(const struct pass *p)
{
    return p->resource->operations & MODEL_DELETE;
}

/* Whether the owner must not be deleted in Azure, or not yet; what is below is part of it. */
static bool is_held(const struct value *owner, const struct condition *ready)
{
    return meta_is_protected(owner) || str_eq(ready->reason, STR("Protected")) ||
           str_eq(ready->reason, STR("WaitingForConfirmation"));
}

/* Whether the owner is being deleted in Azure, together with this, or is waiting to be. */
static bool owner_is_going(struct pass *p)
{
    const struct value *owner = NULL;
    struct object_key key;
    struct condition ready = {0};

    if (!pass_owner(p, &owner, &key))
        return false;
    pass_need(p, &key);
    if (!owner || !object_is_deleting(owner) || !object_has_finalizer(owner, STR(FINALIZER)) ||
        pass_policy_of(p, owner) != POLICY_MANAGE)
        return false;
    if (!condition_get(value_get(owner, STR("status")), STR("Ready"), &ready))
        return true;
    /* Foreground deletion deletes this before its owner; if only this was confirmed, it is meant.
     * */
    if (is_held(owner, &ready))
        return !meta_is_confirmed(p->object);
    /* Its deletion may be stuck because of this object. */
    return !str_eq(ready.severity, STR("Warning"));
}

/* Whether the owner exists and is not being deleted. */
static bool owner_stays(struct pass *p)
{
    const struct value *owner = NULL;
    struct object_key key;

    if (!pass_owner(p, &owner, &key))
        return true;
    pass_need(p, &key);
    return owner && !object_is_deleting(owner);
}

/*
 * The path of an owner that may be held and does not seem to be in deletion. If only this was
 * confirmed, it is meant.
 */
static bool find_owner_to_see(struct pass *p, str *path)
{
    const struct value *owner = NULL;
    const struct model_resource *hub;
    struct object_key key;

    if (p->phase == OWNER_SEEN || meta_is_confirmed(p->object) || !pass_owner(p, &owner, &key) ||
        !owner || object_is_deleting(owner) ||
        (!meta_is_protected(owner) && !p->config->confirm_deletes) ||
        !model_find_hub(p->config->model, key.group, key.kind, &hub, NULL))
        return false;
    *path = pass_path_of(p, value_get_str(owner, STR("apiVersion")), hub->plural, &key);
    return true;
}

/* ---- Reasons not to. ------------------------------------------------------------------------- */

static bool is_protected(struct pass *p, struct pass_step *otherwise)
{
    if (!meta_is_protected(p->object))
        return false;
    *otherwise = step_wait(p, "Protected",
                           STR("annotation " ANNOTATION_PROTECT
                               " protects the resource in Azure from deletion: remove the "
                               "annotation to delete it, or set " ANNOTATION_POLICY
                               " to \"detach-on-delete\" to keep it and let the object go"));
    return true;
}

static bool is_confirmed(struct pass *p, struct pass_step *otherwise)
{
    unsigned max = p->config->confirm_deletes;
    size_t now, recent;

    if (!max || !p->deletes || p->card->delete_sent || meta_is_confirmed(p->object))
        return true;
    recent = p->deletes(p->deletes_ctx, p->card, &now);
    if (recent + now <= max)
        return true;
    *otherwise = step_wait(
        p, "WaitingForConfirmation",
        str_fmt(p->arena,
                "deleting this would remove %zu objects from Azure, after %zu in the last ten "
                "minutes, and more than %u need confirmation (--confirm-deletes): run \"plumb "
                "confirm %.*s/%.*s\", or set annotation " ANNOTATION_CONFIRM " to \"delete\"",
                now, recent, max, STR_ARG(str_lower(p->arena, p->card->key.kind)),
                STR_ARG(p->card->key.name)));
    return false;
}

/* A kind that Azure cannot delete is a part of its owner. */
static struct pass_step not_supported(struct pass *p)
{
    struct pass_step step = step_explain(
        p, "Warning", "DeletionNotSupportedInAzure",
        str_fmt(p->arena,
                "Azure cannot delete a %.*s; it goes with its owner. To let the object go now, set "
                "annotation " ANNOTATION_POLICY " to \"detach-on-delete\"",
                STR_ARG(p->resource->kind)));

    p->verdict.rule = rules_retry(rules_errors(), STR("very-slow"));
    return step;
}

/* ---- The way. -------------------------------------------------------------------------------- */

/*
 * If deleting is forbidden, perhaps because the role was assigned on the group and went with it,
 * look at the group. Otherwise explain the error.
 */
static struct pass_step look_at_group(struct pass *p, const struct arm_answer *refusal)
{
    const struct model_resource *group;
    struct pass_step explain = step_answer_refused(p, STR("DELETE"), refusal);
    struct arm_id id;

    if (!arm_id_parse(p->arena, pass_id(p), &id, NULL) || !id.group.len || !id.block_count ||
        !model_find_hub(p->config->model, STR("resources.azure.com"), STR("ResourceGroup"), &group,
                        NULL))
        return explain;
    p->phase = LOOK_AT_GROUP;
    str at = arm_id_of_group(p->arena, id.subscription, id.group);
    return step_arm(p, ARM_GET, pass_url_of(p, at, group->api_version), NULL);
}

static struct pass_step take_answer(struct pass *p, const struct arm_answer *answer)
{
    if (answer->http == 404)
        return step_to(STATE_RELEASE);
    if (!answer->http)
        return step_answer_refused(p, STR("DELETE"), answer);
    if (answer->http == 401 || answer->http == 403)
        return look_at_group(p, answer);
    lro_begin(p->arena, &p->operation, STR("DELETE"), pass_url(p), answer);
    if (p->operation.next == LRO_FAILED)
        return step_refused(p, STR("DELETE"), &p->operation.error);
    if (p->operation.next == LRO_POLL)
        return step_to(STATE_NOTE);
    p->sent = true;
    p->phase = LOOK_AT_IT;
    return read_ask(p);
}

/* After the status is reported. */
static struct pass_step delete_it(struct pass *p)
{
    struct pass_step otherwise;
    struct decision d;
    str url, owner;

    /* Check the current object: its user may have changed their mind since the pass started. */
    if (pass_policy(p) != POLICY_MANAGE)
        return step_to(STATE_RELEASE);
    if (owner_is_going(p)) {
        p->card->waits = true;
        return step_rest(STEP_NEVER);
    }
    if (!can_be_deleted(p))
        return not_supported(p);
    if (find_owner_to_see(p, &owner)) {
        p->phase = LOOK_AT_OWNER;
        return step_kube(p, KUBE_GET, owner, NULL);
    }
    if (is_protected(p, &otherwise) || !is_confirmed(p, &otherwise))
        return otherwise;
    p->priority = PRIORITY_USER;
    if (!pass_point(p, ext_delete, &d, &otherwise))
        return otherwise;
    if (!ext_url(p->arena, p->account.endpoint, &d.request, &url))
        url = pass_url(p);
    p->phase = TAKE_ANSWER;
    p->looks = 0;
    pass_report(p, false, "BeginDelete", STR_NONE,
                str_fmt(p->arena, "deleting %.*s", STR_ARG(pass_id(p))));
    /* A retry does not count as another deletion. */
    if (p->deleted && !p->card->delete_sent)
        p->deleted(p->deletes_ctx, p->card);
    p->card->delete_sent = true;
    return step_arm(p, ARM_DELETE, url, NULL);
}

/* If it is being deleted after all, the cache will show it in a moment. */
static struct pass_step take_owner(struct pass *p, const struct arm_answer *answer)
{
    const struct value *owner = answer->http == 200 ? pass_read_json(p, answer->body) : NULL;

    if (answer->http != 404 && (!owner || object_is_deleting(owner)))
        return step_rest(OWNER_LAG);
    p->phase = OWNER_SEEN;
    return delete_it(p);
}

/* Whether we delete it, or it goes with its owner. */
static str progress(struct pass *p)
{
    const struct value *owner;
    struct object_key key;

    if (!owner_is_going(p) || !pass_owner(p, &owner, &key))
        return STR("the resource is being deleted in Azure");
    return str_fmt(p->arena, "goes with its owner %.*s \"%.*s\", which is being deleted",
                   STR_ARG(key.kind), STR_ARG(key.name));
}

/* Whether it is already known that nothing will be deleted. */
static bool is_kept(const struct pass *p)
{
    return meta_is_protected(p->object) ||
           (status_has(p, "WaitingForConfirmation") && !meta_is_confirmed(p->object));
}

/* It still exists. */
static struct pass_step after_look(struct pass *p)
{
    struct condition deleting = status_condition(p, "Info", "Deleting", progress(p));
    struct value *patch;

    if (p->sent && p->looks++ < GONE_LOOKS)
        return step_pause(GONE_WAIT);
    if (!can_be_deleted(p) && !owner_stays(p))
        return step_to(STATE_RELEASE);
    p->phase = TELL;
    deleting.generation = object_generation(p->object);
    if (can_be_deleted(p) && !is_kept(p) && (patch = status_patch(p, NULL, &deleting)))
        return step_kube(p, KUBE_PATCH, pass_path(p, "/status"), patch);
    return delete_it(p);
}

static bool has_token(const struct pass *p)
{
    return !p->drop_token &&
           str_eq(object_annotation(p->object, STR(ANNOTATION_POLL_ID)), STR(POLLER_DELETE));
}

/*
 * What cannot be read can still be deleted: only a missing answer, or one that does not show
 * whether an accepted deletion has ended, stop this.
 */
static bool tells_nothing(const struct pass *p, const struct arm_answer *answer)
{
    return !answer->http || (p->sent && answer->http != 200 && answer->http != 204);
}

struct pass_step state_remove(struct pass *p)
{
    const struct arm_answer *answer = p->asked ? NULL : pass_answer(p);
    struct pass_step otherwise;

    if (pass_policy(p) != POLICY_MANAGE || !pass_id(p).len)
        return step_to(STATE_RELEASE);
    if (p->phase == TELL && answer && !pass_wrote(p, answer, &otherwise))
        return otherwise;
    if (p->phase == LOOK_AT_OWNER && answer)
        return take_owner(p, answer);
    if (p->phase == TELL || p->phase == OWNER_SEEN)
        return delete_it(p);
    if (p->phase == TAKE_ANSWER && answer)
        return take_answer(p, answer);
    if (p->phase == LOOK_AT_GROUP && answer)
        return step_to(answer->http == 404 ? STATE_RELEASE : STATE_MASK);
    if (!answer && !p->paused && has_token(p))
        return step_to(STATE_FOLLOW);
    if (!answer && !p->paused && !pass_may_ask(p, &otherwise))
        return otherwise;
    p->paused = false;
    if (!answer)
        return read_ask(p);
    /* Rights may go with the resource: then rely on the deletion that Azure accepted. */
    if (answer->http == 404 || (p->sent && answer->http == 403))
        return step_to(STATE_RELEASE);
    if (tells_nothing(p, answer))
        return step_answer_refused(p, STR("GET"), answer);
    return after_look(p);
}

struct pass_step state_release(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);
    struct pass_step otherwise;

    if (answer)
        return pass_wrote(p, answer, &otherwise) ? step_rest(STEP_NEVER) : otherwise;
    if (pass_policy(p) != POLICY_MANAGE && pass_id(p).len)
        pass_report(p, false, "Detached", STR_NONE,
                    str_fmt(p->arena, "%.*s stays in Azure, as the reconcile-policy says",
                            STR_ARG(pass_id(p))));
    struct value *after = value_clone(p->arena, p->object);
    object_remove_finalizer(after, STR(FINALIZER));
    return step_kube(p, KUBE_PATCH, pass_path(p, ""),
                     meta_patch_object(p->arena, p->object, after, true));
}
