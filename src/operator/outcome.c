/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.c - reports how a pass ends, for plans; and simulates writes to the object if there is no
 * writer.
 *
 * A pass writes to its object before it writes to Azure: the claim, the condition, the poll token.
 * Without a writer these are applied to the pass's own view, so that it goes through the same
 * states and arrives at the request that it would send to Azure.
 */
#include "operator/internal.h"

#include "text/json/json.h"
#include "text/patch/patch.h"

/* ---- Imagined writes. ------------------------------------------------------------------------ */

static bool is_own(struct pass *p, str url)
{
    return p->resource && (str_eq(url, pass_path(p, "")) || str_eq(url, pass_path(p, "/status")));
}

bool outcome_imagine(struct pass *p, const struct effect *effect)
{
    struct buf b = buf_new(p->arena, BUF_UNLIMITED);
    struct value *patch;

    if (effect->kind != KUBE_PATCH || !is_own(p, effect->url) ||
        !(patch = pass_read_json(p, effect->body)) ||
        !json_write(&b, patch_merge_values(p->arena, p->object, patch), &json_exact, NULL))
        return false;
    p->answer = ARENA_NEW(p->arena, struct arm_answer);
    *p->answer = (struct arm_answer){.http = 200, .body = buf_str(&b), .retry_after = -1};
    return true;
}

/* ---- Outcomes. ------------------------------------------------------------------------------- */

#define MASKED "(secret)"

static bool mask(void *ctx, struct value *v, size_t depth)
{
    struct pass *p = ctx;

    (void)depth;
    if (!value_is(v, VALUE_STRING))
        return true;
    str text = v->len && str_list_has(&p->secrets, value_str(v)) ? STR(MASKED)
                                                                 : status_masked(p, value_str(v));
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
    return true;
}

static const struct value *shown(struct pass *p, const struct value *v)
{
    if (!v)
        return NULL;
    struct value *out = value_clone(p->arena, v);
    value_walk(out, mask, p);
    return out;
}

static const struct value *shown_if(struct pass *p, const struct deviation *f,
                                    const struct value *v)
{
    return v && f->hidden ? value_string(p->arena, STR("(hidden)")) : shown(p, v);
}

static struct deviations shown_changes(struct pass *p, const struct deviations *all)
{
    struct deviations out = {ARENA_ARRAY(p->arena, struct deviation, all->count + 1), all->count};

    for (size_t i = 0; i < all->count; i++) {
        const struct deviation *f = &all->items[i];
        out.items[i] = *f;
        out.items[i].wanted = shown_if(p, f, f->wanted);
        out.items[i].before = shown_if(p, f, f->before);
        out.items[i].found = shown_if(p, f, f->found);
    }
    return out;
}

/* Differences that lead to a PUT, or only to a report. */
static struct deviations changes_of(struct pass *p, const struct effect *effect)
{
    if (effect && effect->kind == ARM_PUT)
        return p->body && p->request.body ? drift_changes(p) : (struct deviations){0};
    if (!p->drift)
        return (struct deviations){0};
    return p->drift->held.count ? p->drift->held : p->drift->news;
}

void outcome_tell(struct pass *p, enum outcome_kind kind, const struct effect *effect)
{
    struct outcome o = {.kind = kind, .key = &p->card->key, .object = p->object, .effect = effect};

    if (!p->ports->ended)
        return;
    const struct deviations all = changes_of(p, effect), changes = shown_changes(p, &all);
    o.changes = &changes;
    if (changes.count && p->cause.name && str_eq(str_c(p->cause.name), STR("drift"))) {
        o.by = author_of(p).by;
        o.at = author_of(p).at;
    }
    o.found = p->body;
    o.skipped = p->object && pass_policy(p) == POLICY_SKIP;
    if (p->object && p->card->overlaps)
        o.other = object_annotation(p->object, STR(ANNOTATION_OPERATOR_NAMESPACE));
    if (p->object && p->resource) {
        o.id = pass_id(p);
        o.api_version = p->resource->api_version;
        o.arm_type = p->resource->arm_type;
    }
    if (effect && effect->kind == ARM_PUT) {
        o.cause = p->cause.name;
        o.payload = shown(p, p->request.body);
    }
    if (kind == OUTCOME_BLOCKED) {
        o.severity = p->verdict.severity;
        o.reason = p->verdict.reason;
        o.message = status_without_secrets(p, p->verdict.message);
        o.waits = p->verdict.waits;
    }
    p->ports->ended(p->ports->ctx, &o);
}
