/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_use.c - resources that need each other: those in use cannot be deleted ("inUse" of a type in
 * api/sim), and a strict simulator rejects bodies with the id of a resource that does not exist or
 * is not ready ("references").
 *
 * A resource with a lock (Microsoft.Authorization/locks) on it, below it or above it cannot be
 * deleted, either.
 *
 * The users of a resource are found by its id in the bodies of others. Deleting a whole group skips
 * this check.
 */
#include "sim/internal.h"

#define LOCK_TYPE "Microsoft.Authorization/locks"

/* ---- Texts of a body. --------------------------------------------------------------------------
 */

/* Whether an id in quotes, or the id of something below it, is in a JSON text. id is in lower case.
 */
static bool mentions(str json, str id)
{
    for (size_t at = 0; at + id.len + 1 < json.len; at++) {
        size_t quote = str_find_char(str_from(json, at), '"');
        if (quote == STR_NPOS || at + quote + id.len + 1 >= json.len)
            return false;
        at += quote;
        char after = json.ptr[at + 1 + id.len];
        if ((after == '"' || after == '/') &&
            str_eq_fold(str_slice(json, at + 1, at + 1 + id.len), id))
            return true;
    }
    return false;
}

/* ---- What is in use. ---------------------------------------------------------------------------
 */

/* A resource outside r that refers to it, of one of the types; NULL: none. */
static const struct sim_resource *user_of(struct sim_call *c, struct sim_resource *r,
                                          const struct str_list *by)
{
    struct sim_resource *top = sim_store_root(c->sim->store), *at = top->first;

    for (; by->len && at; at = sim_next_below(top, at, at != r))
        if (at != r && at->body.len && sim_is_listed(by, at->type) &&
            mentions(at->body, r->node.key) && !sim_is_gone(c->sim, at))
            return at;
    return NULL;
}

static const struct sim_resource *child_of(struct sim_call *c, const struct sim_resource *r,
                                           const struct str_list *below)
{
    for (const struct sim_resource *child = r->first; below->len && child; child = child->next) {
        str last = str_from(child->type, str_rfind_char(child->type, '/') + 1);
        if (child->body.len && sim_is_listed(below, last) && !sim_is_gone(c->sim, child))
            return child;
    }
    return NULL;
}

/* A lock on r, on one of its parents, or on one of its children. Both levels forbid deleting. */
static const struct sim_resource *lock_of(struct sim_resource *r)
{
    struct sim_resource *at;

    for (const struct sim_resource *up = r->parent; up; up = up->parent)
        for (at = up->first; at; at = at->next)
            if (at->body.len && str_eq_fold(at->type, STR(LOCK_TYPE)))
                return at;
    for (at = r->first; at; at = sim_next_below(r, at, true))
        if (at->body.len && str_eq_fold(at->type, STR(LOCK_TYPE)))
            return at;
    return NULL;
}

bool sim_is_locked(struct sim_call *c, struct sim_resource *r)
{
    const struct sim_resource *lock = str_eq_fold(r->type, STR(LOCK_TYPE)) ? NULL : lock_of(r);

    if (!lock)
        return false;
    sim_refuse(c, 409, "ScopeLocked",
               "The scope '%.*s' cannot perform delete operation because following scope(s) are "
               "locked: '%.*s'. Please remove the lock and try again.",
               STR_ARG(r->id), STR_ARG(lock->parent->id));
    return true;
}

bool sim_in_use(struct sim_call *c, struct sim_resource *r)
{
    for (size_t i = 0; i < c->behaviour->uses.len; i++) {
        const struct sim_use *use = &c->behaviour->uses.items[i];
        const struct sim_resource *other = child_of(c, r, &use->below);
        if (!other)
            other = user_of(c, r, &use->by);
        if (other) {
            sim_refuse_as(c, &use->refusal, other->id);
            return true;
        }
    }
    return false;
}

/* ---- What is referred to. ----------------------------------------------------------------------
 */

/* The list of this name in a part of a body, or in its properties. */
static const struct value *list_of(const struct value *part, str name)
{
    const struct value *places[] = {part, value_get(part, STR("properties"))};

    for (size_t p = 0; p < COUNT(places); p++)
        for (size_t i = 0; value_is(places[p], VALUE_OBJECT) && i < places[p]->len; i++)
            if (places[p]->items[i].kind == VALUE_LIST &&
                str_eq_fold(value_key(&places[p]->items[i]), name))
                return &places[p]->items[i];
    return NULL;
}

/*
 * Things inside a resource are not resources: a front end is a part of its load balancer, and
 * exists if that one's body has it, by its id or as a list element with its name.
 */
static bool is_part(struct sim_call *c, const struct arm_id *id, str text)
{
    const struct arm_block *block = &id->blocks[id->block_count - 1];
    struct arm_id up = *id;

    while (arm_id_parent(c->arena, &up, &up) && up.block_count == id->block_count) {
        struct sim_resource *r = sim_find(c, arm_id_print(c->arena, &up));
        if (!r || !r->body.len)
            continue;
        const struct value *part = sim_show(c, r);
        for (size_t i = up.blocks[up.block_count - 1].count; part && i < block->count; i++)
            part = sim_element(list_of(part, block->pairs[i].type), block->pairs[i].name);
        return part || mentions(r->body, str_lower(c->arena, text));
    }
    return false;
}

/* Whether a text of the body is rejected. */
static bool refuse_text(struct sim_call *c, str text)
{
    const struct sim_references *rules = sim_types_references(c->sim->types);
    str own = arm_id_print(c->arena, &c->id);
    struct arm_id id;

    if (!str_eq_fold(str_slice(text, 0, 15), STR("/subscriptions/")) ||
        !arm_id_parse(c->arena, text, &id, NULL) || !id.group.len || !id.block_count ||
        str_eq_fold(str_slice(text, 0, own.len), own))
        return false;
    const struct sim_resource *r = sim_find(c, text);
    const struct sim_refusal *why = &rules->missing;
    if (r && r->body.len) {
        if (!r->operation || !r->operation->creates)
            return false;
        why = &rules->busy;
    } else if (is_part(c, &id, text) || sim_built_in(c, &id)) {
        return false;
    }
    if (why->status)
        sim_refuse_as(c, why, text);
    return why->status != 0;
}

static bool refuse_below(struct sim_call *c, const struct value *v, size_t depth)
{
    if (value_is(v, VALUE_STRING))
        return refuse_text(c, value_str(v));
    for (size_t i = 0; value_is_container(v) && depth && i < v->len; i++) {
        bool keyed = v->kind == VALUE_OBJECT && str_has_prefix(value_key(&v->items[i]), STR("/"));
        if ((keyed && refuse_text(c, value_key(&v->items[i]))) ||
            refuse_below(c, &v->items[i], depth - 1))
            return true;
    }
    return false;
}

bool sim_lacks_reference(struct sim_call *c)
{
    return c->sim->config.strict && refuse_below(c, c->body, 64);
}
