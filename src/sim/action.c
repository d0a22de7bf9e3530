/* SPDX-License-Identifier: Apache-2.0 */
/*
 * action.c - POST on a resource: listKeys and the like.
 *
 * Answers are data ("actions" in api/sim), with $ placeholders that are replaced for each resource.
 */
#include "sim/internal.h"

#include "text/codec.h"

/* The value of a placeholder; where makes keys unique. False: it is not a placeholder. */
static bool find_word(struct sim_call *c, const struct sim_resource *r, str text, str where,
                      str *word, str *out)
{
    static const char *const words[] = {"$base64", "$key", "$name"};
    str key;
    size_t i = 0;

    while (i < COUNT(words) && !str_has_prefix(text, str_c(words[i])))
        i++;
    if (i == COUNT(words))
        return false;
    *word = str_c(words[i]);
    key = sim_guid_of(c->sim, c->arena,
                      str_fmt(c->arena, "%.*s!%.*s", STR_ARG(r->node.key), STR_ARG(where)));
    *out = i == 0 ? base64_encode(c->arena, key) : i == 1 ? key : c->name;
    return true;
}

static str fill(struct sim_call *c, const struct sim_resource *r, str text, str where)
{
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);
    str word, value;

    while (text.len) {
        if (find_word(c, r, text, where, &word, &value)) {
            buf_add(&b, value);
            text = str_from(text, word.len);
        } else {
            buf_char(&b, text.ptr[0]);
            text = str_from(text, 1);
        }
    }
    return buf_str(&b);
}

static struct value *filled(struct sim_call *c, const struct sim_resource *r, const struct value *v,
                            str where)
{
    struct value *out;

    if (value_is(v, VALUE_STRING))
        return value_string(c->arena, fill(c, r, value_str(v), where));
    if (!value_is_container(v))
        return value_copy(c->arena, v);
    out = value_is(v, VALUE_LIST) ? value_list(c->arena) : value_object(c->arena);
    for (size_t i = 0; i < v->len; i++) {
        str at = str_fmt(c->arena, "%.*s.%zu", STR_ARG(where), i);
        if (v->kind == VALUE_LIST)
            value_add(c->arena, out, filled(c, r, &v->items[i], at));
        else
            value_set(c->arena, out, value_key(&v->items[i]), filled(c, r, &v->items[i], at));
    }
    return out;
}

static void look_at(struct sim_call *c)
{
    c->type = arm_id_type(c->arena, &c->id);
    c->name = arm_id_name(&c->id);
    sim_recognize(c);
}

/*
 * Some children exist with their parent without ever being PUT: an action on a missing one may be
 * an action of the parent, "authorizationRules/RootManageSharedAccessKey/listKeys".
 */
static str action_of_parent(struct sim_call *c, str name)
{
    const struct arm_block *block = &c->id.blocks[c->id.block_count - 1];
    const struct arm_pair *pair = &block->pairs[block->count - 1];
    struct arm_id own = c->id, parent;
    str longer = str_fmt(c->arena, "%.*s/%.*s/%.*s", STR_ARG(pair->type), STR_ARG(pair->name),
                         STR_ARG(name));

    if (block->count < 2 || sim_find(c, arm_id_print(c->arena, &c->id)) ||
        !arm_id_parent(c->arena, &c->id, &parent))
        return name;
    c->id = parent;
    look_at(c);
    if (sim_types_action(c->sim->types, c->behaviour, longer))
        return longer;
    c->id = own;
    look_at(c);
    return name;
}

void sim_action(struct sim_call *c, str target, str name)
{
    const struct value *answer;
    struct sim_resource *r;

    if (!arm_id_parse(c->arena, target, &c->id, NULL)) {
        sim_refuse(c, 404, "NotFound", "There is nothing at %.*s.", STR_ARG(c->q->path));
        return;
    }
    look_at(c);
    /* For actions Azure accepts other versions than the model has for the resource. */
    if ((c->behaviour->versions.len && !sim_version_known(c)) || sim_deleted(c, name))
        return;
    if (c->id.block_count)
        name = action_of_parent(c, name);
    r = sim_need(c);
    if (!r)
        return;
    answer = sim_types_action(c->sim->types, c->behaviour, name);
    if (answer)
        sim_reply(c, 200, filled(c, r, answer, value_key(answer)));
    else
        sim_refuse(c, 404, "InvalidResourceType", "%.*s has no action '%.*s'.", STR_ARG(c->type),
                   STR_ARG(name));
}
