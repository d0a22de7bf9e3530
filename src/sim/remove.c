/* SPDX-License-Identifier: Apache-2.0 */
/* remove.c - DELETE. */
#include "sim/internal.h"

static void reply_deleted(struct sim_call *c, struct sim_resource *r)
{
    const struct sim_answer *answer = sim_choose(c, &c->behaviour->remove);
    struct value *body = NULL;

    if (answer->poller == POLLER_NONE || answer->poller == POLLER_RELATIVE ||
        answer->poller == POLLER_BODY) {
        if (answer->body == BODY_RESOURCE && answer->status != 204)
            body = sim_show(c, r);
        sim_soft_delete(c, r);
        sim_store_remove(c->sim->store, r);
        sim_reply(c, answer->status == 202 ? 200 : answer->status, body);
        return;
    }
    struct sim_operation *o = sim_operation_start(c, r, answer, true, false);
    if (answer->body == BODY_OPERATION)
        body = sim_operation_body(c, o);
    else if (answer->body == BODY_RESOURCE)
        body = sim_show(c, r);
    sim_reply(c, answer->status, body);
    sim_operation_headers(c, o);
}

/* Some services require a parameter that says whether to delete dependents as well. */
static bool lacks_query(struct sim_call *c)
{
    str name, value, wanted = c->behaviour->delete_query;

    str_cut(wanted, STR("="), &name, &value);
    if (!wanted.len || str_eq_fold(sim_query(c, str_z(c->arena, name)), value))
        return false;
    sim_refuse(c, 400, "ValidationError",
               "'%.*s' may have dependents: the query must have %.*s to delete them as well.",
               STR_ARG(c->name), STR_ARG(wanted));
    return true;
}

static bool lacks_match(struct sim_call *c)
{
    if (!c->behaviour->delete_match || http_header_has(c->q->headers, STR("If-Match")))
        return false;
    sim_refuse(c, 400, "MissingOrIncorrectHeader",
               "The header If-Match is required; * matches every version.");
    return true;
}

static bool is_refused(struct sim_call *c, const struct sim_resource *r)
{
    if (c->behaviour->undeletable) {
        sim_refuse(c, 405, "MethodNotAllowed",
                   "The requested resource does not support http method 'DELETE'.");
        return true;
    }
    if (lacks_query(c) || lacks_match(c))
        return true;
    if (r->operation && r->operation->deletes) {
        sim_reply(c, 202, NULL);
        sim_operation_headers(c, r->operation);
        return true;
    }
    return false;
}

void sim_delete(struct sim_call *c)
{
    struct sim_resource *r = sim_find(c, arm_id_print(c->arena, &c->id));

    if (!r || !r->body.len) {
        r = sim_need(c);
        /* The resource never existed, but its group and parent do: nothing to do. */
        if (!r && c->r->status == 404 && !str_contains(c->r->body, STR("ParentResourceNotFound")) &&
            !str_contains(c->r->body, STR("ResourceGroupNotFound")))
            sim_reply(c, 204, NULL);
        return;
    }
    if (!is_refused(c, r) && !sim_is_locked(c, r) && !sim_in_use(c, r) && !sim_troubled(c, true))
        reply_deleted(c, r);
}
