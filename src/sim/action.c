/* SPDX-License-Identifier: Apache-2.0 */
/*
 * action.c - POST on a resource: listKeys and its relatives.
 *
 * Answers are data ("actions" in api/sim): texts with a dollar sign are made for each resource.
 */
#include "sim/internal.h"

static struct value *key_value(struct sim_call *c, const struct sim_resource *r,
                               const struct value *v, str where)
{
    struct value *out;

    if (value_is(v, VALUE_STRING) && str_eq(value_str(v), STR("$key")))
        return value_string(c->arena, sim_guid_of(c->sim, c->arena,
                                                  str_fmt(c->arena, "%.*s!%.*s",
                                                          STR_ARG(r->node.key), STR_ARG(where))));
    if (value_is(v, VALUE_STRING) && str_eq(value_str(v), STR("$name")))
        return value_string(c->arena, c->name);
    if (!value_is_container(v))
        return value_copy(c->arena, v);
    out = value_is(v, VALUE_LIST) ? value_list(c->arena) : value_object(c->arena);
    for (size_t i = 0; i < v->len; i++) {
        str at = str_fmt(c->arena, "%.*s.%zu", STR_ARG(where), i);
        if (v->kind == VALUE_LIST)
            value_add(c->arena, out, key_value(c, r, &v->items[i], at));
        else
            value_set(c->arena, out, value_key(&v->items[i]), key_value(c, r, &v->items[i], at));
    }
    return out;
}

void sim_action(struct sim_call *c, str target, str name)
{
    const struct value *answer;
    struct sim_resource *r;

    if (!arm_id_parse(c->arena, target, &c->id, NULL)) {
        sim_refuse(c, 404, "NotFound", "There is nothing at %.*s.", STR_ARG(c->q->path));
        return;
    }
    c->type = arm_id_type(c->arena, &c->id);
    c->name = arm_id_name(&c->id);
    sim_recognize(c);
    if (!sim_version_known(c) || sim_deleted(c, name))
        return;
    r = sim_need(c);
    if (!r)
        return;
    answer = sim_types_action(c->sim->types, c->behaviour, name);
    if (answer)
        sim_reply(c, 200, key_value(c, r, answer, value_key(answer)));
    else
        sim_refuse(c, 404, "InvalidResourceType", "%.*s has no action '%.*s'.", STR_ARG(c->type),
                   STR_ARG(name));
}
