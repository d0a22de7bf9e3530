/* SPDX-License-Identifier: Apache-2.0 */
/* send.c - sends the PUT, and notes on the object that an operation is under way. */
#include "operator/internal.h"

#include "azure/check.h"

void pass_drop_token(const struct pass *p, struct value *object)
{
    object_set_annotation(p->arena, object, STR(ANNOTATION_POLL_TOKEN), STR_NONE);
    object_set_annotation(p->arena, object, STR(ANNOTATION_POLL_ID), STR_NONE);
    object_set_annotation(p->arena, object, STR(ANNOTATION_POLL_DIGEST), STR_NONE);
}

/* Nothing is created below an owner that is gone or being deleted: it would be rejected, or deleted
 * with it. */
static bool owner_is_leaving(struct pass *p, struct object_key *key)
{
    const struct value *owner = NULL;

    if (!pass_owner(p, &owner, key))
        return false;
    pass_need(p, key);
    return !owner || object_is_deleting(owner);
}

/* Some resources cannot be created without a child. */
static void add_missing_children(struct pass *p, struct buf *text)
{
    const struct model_type *t = p->resource->spec;
    const struct value *spec = value_get(p->applied, STR("spec"));

    for (size_t i = 0; !p->body && i < t->prop_count; i++)
        if (value_len(value_get(spec, t->props[i].name)) < t->props[i].min_children)
            buf_fmt(text, "%sspec.%.*s: a %.*s is created with at least %u of them",
                    text->len ? "; " : "", STR_ARG(t->props[i].name), STR_ARG(p->resource->kind),
                    t->props[i].min_children);
}

/*
 * What the reference operator's webhooks reject is not sent. The API server checks types and
 * limits.
 */
static bool is_valid(struct pass *p, struct pass_step *otherwise)
{
    struct findings findings = {0};
    struct buf text = buf_new(p->arena, 16 * KIB);

    if (!p->applied)
        return true;
    check_object(p->arena, p->config->model, p->resource,
                 &(struct doc){.root = (struct value *)p->applied}, &findings);
    for (size_t i = 0; i < findings.len; i++)
        if (findings.items[i].exclusive)
            buf_fmt(&text, "%s%.*s: %.*s", text.len ? "; " : "", STR_ARG(findings.items[i].path),
                    STR_ARG(findings.items[i].text));
    add_missing_children(p, &text);
    if (!text.len)
        return true;
    *otherwise = step_explain(p, "Error", "InvalidSpec", buf_str(&text));
    return false;
}

static struct pass_step put(struct pass *p)
{
    struct object_key key;

    /* As the object is by now: its user may have decided otherwise since the pass began. */
    if (object_is_deleting(p->object) || pass_policy(p) == POLICY_SKIP)
        return step_rest(0);
    if (owner_is_leaving(p, &key))
        return step_wait(p, "WaitingForOwner",
                         str_fmt(p->arena, "owner %.*s \"%.*s\" is gone, or is being deleted",
                                 STR_ARG(key.kind), STR_ARG(key.name)));
    p->phase = 2;
    p->tried = true;
    drift_before_put(p);
    pass_report(p, false, "BeginCreateOrUpdate", str_c(p->cause.name),
                str_fmt(p->arena, "%s %.*s%s%.*s", p->body ? "updating" : "creating",
                        STR_ARG(pass_id(p)), p->cause.paths.len ? ": " : "",
                        STR_ARG(p->cause.paths)));
    return step_arm(p, ARM_PUT, pass_url(p), p->request.body);
}

static struct pass_step take_answer(struct pass *p, const struct arm_answer *answer)
{
    if (!answer->http)
        return step_answer_refused(p, STR("PUT"), answer);
    lro_begin(p->arena, &p->operation, STR("PUT"), pass_url(p), answer);
    if (p->operation.next == LRO_FAILED)
        return step_refused(p, STR("PUT"), &p->operation.error);
    if (p->operation.next == LRO_POLL)
        return step_to(STATE_NOTE);
    p->sent = true;
    return step_to(STATE_READ);
}

struct pass_step state_send(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);
    struct condition reconciling =
        status_condition(p, "Info", "Reconciling",
                         p->body ? STR("the resource is being updated in Azure")
                                 : STR("the resource is being created in Azure"));
    struct value *patch;
    struct pass_step otherwise;

    if (p->phase == 2)
        return take_answer(p, answer);
    if (p->phase == 0) {
        if (!is_valid(p, &otherwise))
            return otherwise;
        p->phase = 1;
        if ((patch = status_patch(p, NULL, &reconciling)))
            return step_kube(p, KUBE_PATCH, pass_path(p, "/status"), patch);
    }
    if (answer && !pass_wrote(p, answer, &otherwise))
        return otherwise;
    return put(p);
}

struct pass_step state_note(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);
    bool deleting = str_eq(p->operation.method, STR("DELETE"));
    struct pass_step otherwise;

    if (answer) {
        if (!pass_wrote(p, answer, &otherwise))
            return otherwise;
        p->following = true;
        return step_to(STATE_FOLLOW);
    }
    struct value *after = value_clone(p->arena, p->object);
    object_set_annotation(p->arena, after, STR(ANNOTATION_POLL_TOKEN),
                          lro_token(p->arena, &p->operation));
    object_set_annotation(p->arena, after, STR(ANNOTATION_POLL_ID),
                          deleting ? STR(POLLER_DELETE) : STR(POLLER_PUT));
    object_set_annotation(p->arena, after, STR(ANNOTATION_POLL_DIGEST),
                          deleting ? STR_NONE : p->digest);
    if (p->generation)
        object_set_annotation(p->arena, after, STR(ANNOTATION_GENERATION),
                              str_fmt(p->arena, "%lld", (long long)p->generation));
    struct value *patch = meta_patch_object(p->arena, p->object, after, false);
    p->following = !patch;
    return patch ? step_kube(p, KUBE_PATCH, pass_path(p, ""), patch) : step_to(STATE_FOLLOW);
}
