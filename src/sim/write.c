/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - PUT and PATCH: stored at once, shown as under way until the operation ends.
 *
 * A parent that mirrors its children replaces them with those in its body, as Azure does: children
 * that are not in the body are deleted.
 */
#include "sim/internal.h"

/* ---- Refusals. --------------------------------------------------------------------------------
 */

/* Always true. */
static bool refuse_running(struct sim_call *c, const struct sim_operation *o)
{
    sim_refuse(c, 409, "AnotherOperationInProgress",
               "Another operation on this or dependent resource is in progress. To retrieve status "
               "of the operation use uri: %.*s.",
               STR_ARG(o->node.key));
    return true;
}

static bool refuse_busy(struct sim_call *c, struct sim_resource *r)
{
    for (const struct sim_resource *up = r; up; up = up->parent)
        if (up->operation && up->operation->deletes) {
            bool group = str_eq_fold(up->type, STR("Microsoft.Resources/resourceGroups"));
            sim_refuse(c, 409, group ? "ResourceGroupBeingDeleted" : "Conflict",
                       "%.*s is in deprovisioning state and cannot perform this operation.",
                       STR_ARG(up->id));
            return true;
        }
    return r->operation && c->behaviour->exclusive && refuse_running(c, r->operation);
}

/* One operation at a time among the children of parent and the parent itself. */
static bool refuse_siblings(struct sim_call *c, const struct sim_resource *parent,
                            const struct sim_resource *own)
{
    if (!c->behaviour->siblings)
        return false;
    if (sim_is_busy(c->sim, parent))
        return refuse_running(c, parent->operation);
    for (const struct sim_resource *r = parent->first; r; r = r->next)
        if (r != own && sim_is_busy(c->sim, r))
            return refuse_running(c, r->operation);
    return false;
}

static bool refuse_condition(struct sim_call *c, const struct sim_resource *r)
{
    str match = http_header_get(c->q->headers, STR("If-Match"));
    str none = http_header_get(c->q->headers, STR("If-None-Match"));
    str etag = r ? value_get_str(sim_parse(c->arena, r->body), STR("etag")) : STR_NONE;

    if ((match.len && !r) || (match.len && !str_eq(match, STR("*")) && !str_eq(match, etag)) ||
        (r && str_eq(none, STR("*")))) {
        sim_refuse(c, 412, "PreconditionFailed", "The condition of the request does not hold.");
        return true;
    }
    return false;
}

/* ---- Children in the body. --------------------------------------------------------------------
 */

static struct value *element_body(struct sim_call *c, const struct value *element, bool flat)
{
    struct value *v;

    if (!flat)
        return value_copy(c->arena, element);
    v = value_object(c->arena);
    value_set_str(c->arena, v, STR("name"), value_get_str(element, STR("name")));
    struct value *properties = value_copy(c->arena, element);
    value_unset(properties, STR("name"));
    value_set(c->arena, v, STR("properties"), properties);
    return v;
}

static void put_element(struct sim_call *c, struct sim_resource *parent, const struct sim_mirror *m,
                        const struct value *element)
{
    struct sim_call child = *c;
    str id = str_fmt(c->arena, "%.*s/%.*s/%.*s", STR_ARG(parent->id), STR_ARG(m->type),
                     STR_ARG(value_get_str(element, STR("name"))));

    if (!arm_id_parse(c->arena, id, &child.id, NULL))
        return;
    child.type = str_fmt(c->arena, "%.*s/%.*s", STR_ARG(parent->type), STR_ARG(m->type));
    child.name = arm_id_name(&child.id);
    sim_recognize(&child);
    child.body = element_body(c, element, m->flat);
    struct sim_resource *r = sim_store_find(c->arena, c->sim->store, id);
    if (!r)
        r = sim_store_add(c->arena, c->sim->store, parent, id, child.type);
    r->writes++;
    sim_keep(&r->sent, STR_NONE);
    sim_keep(&r->api_version, c->api_version);
    struct value *stored = sim_represent(&child, r);
    struct sim_author by = sim_author_of(c);
    sim_sign(c, r, &by, stored);
    sim_keep(&r->body, sim_json(c->arena, stored));
    sim_store_changed(c->sim->store, r);
}

static void replace_children(struct sim_call *c, struct sim_resource *r, const struct sim_mirror *m)
{
    const struct value *list = sim_at(c->body, m->at);

    for (struct sim_resource *child = r->first, *next; child; child = next) {
        next = child->next;
        str last = str_from(child->type, str_rfind_char(child->type, '/') + 1);
        str name = str_from(child->id, str_rfind_char(child->id, '/') + 1);
        if (str_eq_fold(last, m->type) && !sim_element(list, name))
            sim_store_remove(c->sim->store, child);
    }
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++)
        if (value_get_str(&list->items[i], STR("name")).len)
            put_element(c, r, m, &list->items[i]);
}

/* ---- The write. -------------------------------------------------------------------------------
 */

/*
 * given: the body of the request; c->body is the same, merged with the omitted members if these are
 * kept.
 */
static void store(struct sim_call *c, struct sim_resource *r, const struct value *given)
{
    struct value *stored;
    str sent = sim_json(c->arena, c->body);
    struct sim_author by = sim_author_of(c);

    if (r->sent.len && !r->changed && value_equal(sim_parse(c->arena, r->sent), c->body))
        c->sim->counters.noop_writes++;
    else
        r->writes++;
    sim_keep(&r->sent, sent);
    sim_keep(&r->api_version, c->api_version);
    stored = sim_represent(c, r);
    sim_sign(c, r, &by, stored);
    for (size_t i = 0; i < c->behaviour->mirrors.len; i++) {
        const struct sim_mirror *m = &c->behaviour->mirrors.items[i];
        if (!m->read_only && (given == c->body || sim_at(given, m->at)))
            replace_children(c, r, m);
    }
    sim_keep(&r->body, sim_json(c->arena, stored));
    sim_store_changed(c->sim->store, r);
}

/* The first answer of SQL servers: the name of the operation, and when it started. */
static struct value *started_body(struct sim_call *c)
{
    struct value *v = value_object(c->arena);
    size_t slash = str_rfind_char(c->type, '/');

    value_set_str(c->arena, v, STR("operation"),
                  str_fmt(c->arena, "Upsert%.*s", STR_ARG(str_from(c->type, slash + 1))));
    value_set_str(c->arena, v, STR("startTime"), sim_stamp(c->arena, sim_now(c->sim)));
    return v;
}

static void reply_body(struct sim_call *c, struct sim_resource *r, const struct sim_answer *answer)
{
    struct value *shown;

    switch (answer->body) {
    case BODY_RESOURCE:
        shown = sim_show(c, r);
        sim_hide_late(c, shown);
        sim_show_early(c, r, shown);
        sim_reply(c, answer->status, shown);
        return;
    case BODY_OPERATION:
        if (r->operation)
            sim_reply(c, answer->status, sim_operation_body(c, r->operation));
        else
            sim_reply(c, answer->status, sim_show(c, r));
        return;
    case BODY_STARTED:
        sim_reply(c, answer->status, started_body(c));
        return;
    case BODY_OTHER:
        sim_reply(c, answer->status, value_object(c->arena));
        return;
    case BODY_EMPTY:
        sim_reply(c, answer->status, NULL);
        return;
    }
}

static void answer_write(struct sim_call *c, struct sim_resource *r, bool creates)
{
    const struct sim_answer *answer =
        sim_choose(c, creates ? &c->behaviour->create : &c->behaviour->update);

    if (answer->poller != POLLER_NONE && answer->poller != POLLER_RELATIVE)
        sim_operation_start(c, r, answer, false, creates);
    reply_body(c, r, answer);
    if (answer->poller == POLLER_RELATIVE)
        sim_header(c, "Location", r->id);
    else if (r->operation)
        sim_operation_headers(c, r->operation);
}

/* Handles a soft-deleted resource of the same name: true if the request was answered. */
static bool recover(struct sim_call *c, struct sim_resource *parent)
{
    struct sim_resource *old =
        sim_store_find(c->arena, c->sim->deleted, arm_id_print(c->arena, &c->id));
    str mode = value_get_str(value_get(c->body, STR("properties")), STR("createMode"));

    if (!old)
        return false;
    if (!str_eq_fold(mode, STR("recover"))) {
        sim_refuse(c, 409, "ConflictError",
                   "A %.*s with the same name already exists in deleted state. You need to either "
                   "recover or purge the existing one.",
                   STR_ARG(c->type));
        return true;
    }
    struct sim_resource *r = sim_store_add(c->arena, c->sim->store, parent, old->id, old->type);
    sim_keep(&r->body, old->body);
    sim_keep(&r->api_version, old->api_version);
    sim_store_changed(c->sim->store, r);
    sim_store_remove(c->sim->deleted, old);
    answer_write(c, r, false);
    return true;
}

static struct sim_resource *make(struct sim_call *c)
{
    struct sim_resource *parent = sim_need_parent(c);

    if (!parent || refuse_busy(c, parent) || refuse_siblings(c, parent, NULL) ||
        recover(c, parent) || sim_lacks_reference(c))
        return NULL;
    if (sim_store_len(c->sim->store) >= SIM_RESOURCES_MAX) {
        sim_refuse(c, 409, "QuotaExceeded", "The simulator holds at most %d resources.",
                   SIM_RESOURCES_MAX);
        return NULL;
    }
    return sim_store_add(c->arena, c->sim->store, parent, arm_id_print(c->arena, &c->id), c->type);
}

void sim_put(struct sim_call *c, bool patch)
{
    struct sim_resource *r;
    const struct value *given = c->body;
    bool creates, keeps = c->sim->config.keeps || c->behaviour->keeps_omitted;

    if (!value_is(c->body, VALUE_OBJECT)) {
        sim_refuse(c, 400, "InvalidRequestContent",
                   "The request content was invalid and could not be deserialized: a JSON object "
                   "is expected.");
        return;
    }
    if (!sim_provider_ready(c))
        return;
    r = patch ? sim_need(c) : sim_find(c, arm_id_print(c->arena, &c->id));
    if ((patch && !r) || refuse_condition(c, r && r->body.len ? r : NULL) ||
        (r && (refuse_busy(c, r) || refuse_siblings(c, r->parent, r) || sim_lacks_reference(c))))
        return;
    if ((patch || keeps) && r && r->sent.len)
        c->body = value_merge(c->arena, sim_parse(c->arena, r->sent), c->body);
    creates = !r || !r->body.len;
    if (creates && sim_troubled(c, false))
        return;
    if (!r)
        r = make(c);
    if (!r)
        return;
    store(c, r, given);
    c->created = creates;
    answer_write(c, r, creates);
}
