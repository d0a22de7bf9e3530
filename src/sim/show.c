/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - reads: the current state of a resource, its existence, and collections of resources. */
#include "sim/internal.h"

#include "text/url.h"

/* Resources on a page of a list. */
#define PAGE 100

/* ---- One resource. ----------------------------------------------------------------------------
 */

const struct value *sim_element(const struct value *list, str name)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq_fold(value_get_str(&list->items[i], STR("name")), name))
            return &list->items[i];
    return NULL;
}

/*
 * A child as an element of its parent: complete, or its properties next to its name. One that came
 * with its parent and has not been written since is shown as the parent stores it.
 */
static const struct value *as_element(struct sim_call *c, struct sim_resource *child,
                                      const struct sim_mirror *m, const struct value *stored)
{
    str name = str_from(child->id, str_rfind_char(child->id, '/') + 1);
    const struct value *own = child->sent.len ? NULL : sim_element(stored, name);

    if (own)
        return own;
    struct value *v = sim_parse(c->arena, child->body);
    struct value *properties = value_get(v, STR("properties"));

    if (!m->flat)
        return v;
    struct value *flat = value_object(c->arena);
    value_set_str(c->arena, flat, STR("name"), value_get_str(v, STR("name")));
    return value_is(properties, VALUE_OBJECT) ? value_merge(c->arena, flat, properties) : flat;
}

static bool is_child_of_type(const struct sim_resource *r, str last)
{
    size_t slash = str_rfind_char(r->type, '/');

    return r->body.len && slash != STR_NPOS && str_eq_fold(str_from(r->type, slash + 1), last);
}

static void mirror_children(struct sim_call *c, struct sim_resource *r, const struct sim_mirror *m,
                            struct value *shown)
{
    struct value *list = value_list(c->arena);
    str last = m->at.items[m->at.len - 1];
    struct value *at = sim_at(shown, (struct sim_members){m->at.items, m->at.len - 1});
    const struct value *stored = value_get(at, last);

    for (struct sim_resource *child = r->first, *next; child; child = next) {
        next = child->next;
        if (is_child_of_type(child, m->type) && sim_settle(c, child, false))
            value_add(c->arena, list, as_element(c, child, m, stored));
    }
    if (value_is(at, VALUE_OBJECT) && (list->len || stored))
        value_set(c->arena, at, last, list);
}

static void show_state(struct sim_call *c, const struct sim_resource *r, struct value *shown)
{
    struct value *properties = value_get(shown, STR("properties"));

    sim_hide_late(c, shown);
    if (value_is(properties, VALUE_OBJECT) && (value_get(properties, STR("provisioningState")) ||
                                               r->operation->answer.poller == POLLER_BODY))
        value_set_str(c->arena, properties, STR("provisioningState"), r->operation->answer.state);
}

/* A service reverts to its own values some minutes after a write. */
#define KEEPS_AFTER (300 * NS_PER_SEC)

static void show_kept(struct sim_call *c, const struct sim_resource *r, const struct value *keeps,
                      struct value *shown)
{
    struct path path;

    if (sim_now(c->sim) - r->wrote < KEEPS_AFTER)
        return;
    for (size_t i = 0; i < value_len(keeps); i++)
        if (!path_parse_dotted(c->arena, value_key(&keeps->items[i]), &path, NULL) ||
            !path_set(c->arena, &path, shown, value_copy(c->arena, &keeps->items[i]), NULL))
            continue;
}

struct value *sim_show(struct sim_call *c, struct sim_resource *r)
{
    const struct sim_type *type = sim_types_find(c->arena, c->sim->types, r->type);
    struct value *shown = sim_parse(c->arena, r->body);

    for (size_t i = 0; i < type->mirrors.len; i++)
        mirror_children(c, r, &type->mirrors.items[i], shown);
    show_kept(c, r, type->keeps, shown);
    if (r->operation) {
        struct sim_call own = *c;
        own.behaviour = type;
        show_state(&own, r, shown);
    }
    return shown;
}

static void show_subscription(struct sim_call *c)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a);

    value_set_str(a, v, STR("id"), str_fmt(a, "/subscriptions/%.*s", STR_ARG(c->name)));
    value_set_str(a, v, STR("subscriptionId"), c->name);
    value_set_str(a, v, STR("displayName"), STR("simulated"));
    value_set_str(a, v, STR("state"), STR("Enabled"));
    if (c->sim->config.tenant.len)
        value_set_str(a, v, STR("tenantId"), c->sim->config.tenant);
    sim_reply(c, 200, v);
}

void sim_get(struct sim_call *c)
{
    if (!c->id.block_count && !c->id.group.len) {
        show_subscription(c);
        return;
    }
    if (c->behaviour->head_only) {
        sim_refuse(c, 405, "MethodNotAllowed", "The requested resource does not support GET.");
        return;
    }
    struct sim_resource *r = sim_need(c);
    if (!r)
        return;
    if (r->operation && r->operation->answer.poller == POLLER_BODY && !sim_settle(c, r, true)) {
        (void)sim_need(c);
        return;
    }
    sim_reply(c, 200, sim_show(c, r));
}

void sim_head(struct sim_call *c)
{
    struct sim_resource *r = sim_need(c);

    c->r->body = STR_NONE;
    if (r)
        sim_reply(c, 204, NULL);
}

/* ---- Collections. -----------------------------------------------------------------------------
 */

struct listing {
    struct sim_call *call;
    str type;   /* empty: all but groups */
    bool below; /* also what is not directly in the scope */
    struct value *list;
    size_t skip, seen;
    bool more;
};

static bool is_wanted(const struct listing *l, const struct sim_resource *r)
{
    if (!r->body.len)
        return false;
    if (l->type.len)
        return str_eq_fold(r->type, l->type);
    return !str_eq_fold(r->type, STR("Microsoft.Resources/resourceGroups")) &&
           str_find_char(str_from(r->type, str_find_char(r->type, '/') + 1), '/') == STR_NPOS;
}

/* For some types, lists show less than a read. */
static struct value *show_listed(struct sim_call *c, struct sim_resource *r)
{
    const struct str_list *drops = &sim_types_find(c->arena, c->sim->types, r->type)->list_drops;
    struct value *shown = sim_show(c, r);
    struct path path;

    for (size_t i = 0; i < drops->len; i++)
        if (path_parse_dotted(c->arena, drops->items[i], &path, NULL))
            path_delete(&path, shown);
    return shown;
}

static void list_one(struct listing *l, struct sim_resource *r)
{
    if (!is_wanted(l, r) || l->seen++ < l->skip)
        return;
    if (l->list->len == PAGE)
        l->more = true;
    else
        value_add(l->call->arena, l->list, show_listed(l->call, r));
}

struct sim_resource *sim_next_below(struct sim_resource *top, struct sim_resource *r, bool down)
{
    if (down && r->first)
        return r->first;
    while (r != top && !r->next)
        r = r->parent;
    return r == top ? NULL : r->next;
}

static void list_scope(struct listing *l, struct sim_resource *scope)
{
    struct sim_resource *r = scope->first, *next;

    for (; r && !l->more; r = next) {
        next = sim_next_below(scope, r, false);
        if (!sim_settle(l->call, r, false))
            continue;
        next = sim_next_below(scope, r, l->below);
        list_one(l, r);
    }
}

static void reply_list(struct listing *l)
{
    struct sim_call *c = l->call;
    struct value *v = value_object(c->arena);

    value_set(c->arena, v, STR("value"), l->list);
    if (l->more)
        value_set_str(c->arena, v, STR("nextLink"),
                      str_fmt(c->arena, "%.*s%.*s?api-version=%.*s&$skiptoken=%zu",
                              STR_ARG(c->q->base), STR_ARG(c->q->path), STR_ARG(c->api_version),
                              l->skip + PAGE));
    sim_reply(c, 200, v);
}

/* Splits the path of a collection into its scope and the type of its resources. */
static bool cut_collection(struct sim_call *c, str *scope, struct listing *l)
{
    str path = str_trim_set(c->q->path, STR("/"));
    size_t slash = str_rfind_char(path, '/');
    str last = str_from(path, slash == STR_NPOS ? 0 : slash + 1);
    str head = str_slice(path, 0, slash == STR_NPOS ? 0 : slash);
    size_t before = str_rfind_char(head, '/');
    str up = str_slice(head, 0, before == STR_NPOS ? 0 : before);
    size_t word = str_rfind_char(up, '/');

    *scope = str_fmt(c->arena, "/%.*s", STR_ARG(head));
    if (str_eq_fold(last, STR("resourceGroups"))) {
        l->type = STR("Microsoft.Resources/resourceGroups");
    } else if (str_eq_fold(last, STR("resources"))) {
        l->below = true;
    } else if (str_eq_fold(str_from(up, word == STR_NPOS ? 0 : word + 1), STR("providers"))) {
        l->type =
            str_fmt(c->arena, "%.*s/%.*s", STR_ARG(str_from(head, before + 1)), STR_ARG(last));
        *scope = str_fmt(c->arena, "/%.*s", STR_ARG(str_slice(up, 0, word == STR_NPOS ? 0 : word)));
        l->below = str_find(str_lower(c->arena, *scope), STR("/resourcegroups/")) == STR_NPOS;
    } else {
        struct arm_id id;
        if (!arm_id_parse(c->arena, *scope, &id, NULL) || !id.block_count)
            return false;
        l->type =
            str_fmt(c->arena, "%.*s/%.*s", STR_ARG(arm_id_type(c->arena, &id)), STR_ARG(last));
    }
    return true;
}

bool sim_list(struct sim_call *c)
{
    struct listing l = {.call = c, .list = value_list(c->arena)};
    struct sim_resource *scope;
    uint64_t skip;
    str at;

    if (!str_eq(c->q->method, STR("GET")) || !cut_collection(c, &at, &l))
        return false;
    if (str_to_u64(sim_query(c, "$skiptoken"), &skip))
        l.skip = skip;
    if (str_eq(at, STR("/"))) {
        scope = sim_store_root(c->sim->store);
    } else {
        if (!arm_id_parse(c->arena, at, &c->id, NULL))
            return false;
        c->type = arm_id_type(c->arena, &c->id);
        c->name = arm_id_name(&c->id);
        scope = c->id.block_count || c->id.group.len ? sim_need(c) : sim_find(c, at);
        if (!scope && c->r->status)
            return true;
    }
    if (scope)
        list_scope(&l, scope);
    reply_list(&l);
    return true;
}
