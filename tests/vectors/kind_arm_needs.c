/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_needs.c - what objects need (azure/needs.h), by the cases of arm-put.
 *
 * Every document of a case is converted once with each of its needs taken away, and the conversion
 * must report exactly that one. And what the recorded body has of ids, secrets and values of config
 * maps must come from a listed need, unless the spec has it. No target of a reference is doubtful:
 * what was recorded is known (tools/derive-targets).
 */
#include "support/arm_case.h"
#include "vectors.h"

#include "base/map.h"
#include "arm/id.h"
#include "azure/convert/convert.h"
#include "azure/needs.h"
#include "azure/targets.h"

struct needing {
    struct arena *arena;
    struct arm_case one;
    const struct value *subject;
    const struct model_resource *res;
    struct needs needs;
    struct buf *why;
};

/* What ran, for the last line. */
static size_t documents, taken, values_seen;

static bool complain(struct needing *n, const struct need *need, const char *what, str text)
{
    struct object_key self = object_key_of(n->subject);

    buf_fmt(n->why, "  %.*s %.*s: %.*s (%s %.*s): %s%s%.*s\n", STR_ARG(self.kind),
            STR_ARG(self.name), STR_ARG(need->path), need_kind_name(need->kind),
            STR_ARG(need->object.name), what, text.len ? ": " : "", STR_ARG(text));
    return false;
}

/* ---- Taking away. ---------------------------------------------------------------------------- */

static bool same_key(const struct object_key *x, const struct object_key *y)
{
    return str_eq(x->group, y->group) && str_eq(x->kind, y->kind) && str_eq(x->name, y->name) &&
           str_eq(x->namespace, y->namespace);
}

static size_t find(const struct arm_case *c, const struct object_key *key)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < c->objects.len && found == SIZE_MAX; i++) {
        struct object_key k = object_key_of(c->objects.items[i]);
        if (same_key(&k, key))
            found = i;
    }
    return found;
}

/* Without the need, the conversion misses it and nothing else. */
static bool misses(struct needing *n, const struct need *need, const struct manifests *m, bool key)
{
    struct arm_request got;
    AUTO_ERR e = {0};
    bool named = false;

    if (convert_to_arm(n->arena, manifests_resolver(m), n->res, n->subject, NULL, &got, &e))
        return complain(n, need, "is not missed", STR_NONE);
    if (e.kind != ERR_NOT_FOUND)
        return complain(n, need, "another error than not found", e.text);
    for (size_t i = 0; i < got.missing.len; i++) {
        const struct missing_item *item = &got.missing.items[i];
        if (!same_key(&item->object, &need->object) || (key && !str_eq(item->key, need->key)))
            return complain(n, need, "something else is missed", item->text);
        named = named || str_eq(item->path, need->path);
    }
    return named || complain(n, need, "the missing path differs", got.missing.items[0].path);
}

static bool take_away(struct needing *n, const struct need *need)
{
    size_t at = find(&n->one, &need->object);

    if (at == SIZE_MAX)
        return complain(n, need, "is not in the case", STR_NONE);
    taken++;
    if (!misses(n, need, arm_case_manifests(n->arena, &n->one, at), false))
        return false;
    if (!need->key.len)
        return true;
    struct value *whole = n->one.objects.items[at];
    struct value *part = value_clone(n->arena, whole);
    str data = need->kind == NEED_SECRET ? STR("stringData") : STR("data");
    value_unset(value_get(part, data), need->key);
    n->one.objects.items[at] = part;
    bool ok = misses(n, need, arm_case_manifests(n->arena, &n->one, SIZE_MAX), true);
    n->one.objects.items[at] = whole;
    return ok;
}

/* A case has the Secrets and ConfigMaps of its subject only: the others get made-up ones. */
static void make_up(struct needing *n, const struct need *need)
{
    bool secret = need->kind == NEED_SECRET || need->kind == NEED_SECRET_MAP;
    size_t at = find(&n->one, &need->object);

    if (!secret && need->kind != NEED_CONFIG_MAP)
        return;
    if (at == SIZE_MAX) {
        arm_case_add(n->arena, &n->one, secret, need->object.name, value_object(n->arena));
        at = n->one.objects.len - 1;
    }
    struct value *data =
        value_get(n->one.objects.items[at], secret ? STR("stringData") : STR("data"));
    str key = need->key.len ? need->key : STR("made-up");
    if (!value_get(data, key))
        value_set_str(n->arena, data, key, STR("made up"));
}

static bool look_for(struct needing *n, size_t doc, struct err *e)
{
    bool ok = true;

    n->subject = n->one.objects.items[doc];
    n->needs = (struct needs){0};
    if (!object_resource(n->one.model, n->subject, &n->res, e))
        return false;
    documents++;
    needs_of(n->arena, n->res, n->subject, &n->needs);
    for (size_t i = 0; i < n->needs.len; i++) {
        str doubt = target_doubt(n->arena, n->one.model, n->res, &n->needs.items[i]);
        if (doubt.len)
            ok = complain(n, &n->needs.items[i], "its target is doubted", doubt);
        make_up(n, &n->needs.items[i]);
    }
    for (size_t i = 0; n->res->scope != SCOPE_NONE && i < n->needs.len; i++) {
        const struct need *need = &n->needs.items[i];
        if (need_is_in_cluster(need) && !need_is_export(need))
            ok = take_away(n, need) && ok;
    }
    return ok;
}

/* ---- Where values of the body come from. ----------------------------------------------------- */

struct texts {
    struct map *seen;
};

static bool keep_text(void *ctx, struct value *v, size_t depth)
{
    struct texts *t = ctx;

    (void)depth;
    if (v->kind == VALUE_STRING)
        map_set(t->seen, value_str(v), t);
    return true;
}

static void keep_all(struct texts *t, struct value *all)
{
    if (all)
        value_walk(all, keep_text, t);
}

/* What a need gives to the body. */
static bool resolve_need(struct needing *n, const struct resolver *r, const struct need *need,
                         str id, struct texts *out, struct err *e)
{
    const struct value *all;
    str text = STR_NONE;

    switch (need->kind) {
    case NEED_REFERENCE:
        if (!resolve_reference(n->arena, r, n->subject, &need->reference, id, &text, e))
            return false;
        break;
    case NEED_SECRET:
        if (!r->secret(r->ctx, n->arena, need->object.namespace, need->object.name, need->key,
                       &text, e))
            return false;
        break;
    case NEED_CONFIG_MAP:
        if (!r->config(r->ctx, n->arena, need->object.namespace, need->object.name, need->key,
                       &text, e))
            return false;
        break;
    case NEED_SECRET_MAP:
        if (!r->secret_map(r->ctx, n->arena, need->object.namespace, need->object.name, &all, e))
            return false;
        value_walk((struct value *)all, keep_text, out);
        return true;
    default:
        return true;
    }
    map_set(out->seen, text, out);
    return true;
}

struct tracing {
    struct needing *n;
    struct texts spec, needs, foreign;
    bool ok;
};

static void trace_text(struct tracing *t, str text)
{
    if (!text.len || (!arm_id_is(text) && !map_has(t->foreign.seen, text)) ||
        map_has(t->spec.seen, text))
        return;
    values_seen++;
    if (map_has(t->needs.seen, text))
        return;
    buf_fmt(t->n->why, "  from no need: %.*s\n", STR_ARG(text));
    t->ok = false;
}

static bool trace(void *ctx, struct value *v, size_t depth)
{
    struct tracing *t = ctx;

    (void)depth;
    trace_text(t, value_key(v)); /* identities are members of an object */
    if (v->kind == VALUE_STRING)
        trace_text(t, value_str(v));
    return true;
}

/* Of the subject: the only document whose body was recorded. */
static bool trace_body(struct needing *n, struct err *e)
{
    const struct resolver *r = manifests_resolver(arm_case_manifests(n->arena, &n->one, SIZE_MAX));
    const struct value *expect = value_get(n->one.filled, STR("expect"));
    struct tracing t = {.n = n,
                        .spec.seen = map_new(n->arena),
                        .needs.seen = map_new(n->arena),
                        .foreign.seen = map_new(n->arena),
                        .ok = true};

    keep_all(&t.spec, value_get(n->subject, STR("spec")));
    keep_all(&t.foreign, value_get(n->one.filled, STR("secrets")));
    keep_all(&t.foreign, value_get(n->one.filled, STR("configMaps")));
    for (size_t i = 0; i < n->needs.len; i++)
        if (!resolve_need(n, r, &n->needs.items[i], value_get_str(expect, STR("path")), &t.needs,
                          e))
            return false;
    struct value *body = value_get(expect, STR("body"));
    if (body)
        value_walk(body, trace, &t);
    return t.ok;
}

static bool run_arm_needs(struct arena *a, const struct value *vector, struct buf *why)
{
    struct needing n = {.arena = a, .why = why};
    AUTO_ERR e = {0};
    bool ok = arm_case_read(a, vector, &n.one, &e);

    for (size_t i = 0; e.kind == ERR_NONE && i < n.one.docs; i++) {
        ok = look_for(&n, i, &e) && ok;
        if (i == 0 && e.kind == ERR_NONE && !arm_case_has_state(vector))
            ok = trace_body(&n, &e) && ok;
    }
    if (e.kind != ERR_NONE)
        buf_fmt(why, "  error: %.*s\n", STR_ARG(e.text));
    return ok && e.kind == ERR_NONE;
}

static void print_figures(void)
{
    printf("%zu documents, %zu needs taken away, %zu values of bodies traced\n", documents, taken,
           values_seen);
}

const struct vector_kind vector_arm_needs = {
    .name = "arm-needs",
    .help = "what the objects of arm-put need, each taken away in turn",
    .document = true,
    .run = run_arm_needs,
    .finish = print_figures,
};
