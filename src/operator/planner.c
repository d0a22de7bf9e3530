/* SPDX-License-Identifier: Apache-2.0 */
/* planner.c - plans what the operator would do to Azure; see planner.h. */
#include "operator/planner.h"

#include "base/clock.h"
#include "base/map.h"
#include "object/condition.h"
#include "object/names.h"
#include "operator/detect/detect.h"
#include "azure/resolve.h"
#include "azure/model/model.h"
#include "text/json/json.h"

#include <stdlib.h>

/* Anything due later than this is a retry or the next period, for which the plan does not wait. */
#define SOON NS_PER_MS
/* The most owners in the sort key of an object. */
#define PLACE_DEPTH 16

struct planned {
    struct object_key key;
    const struct value *object;
    const struct value *result; /* NULL: no pass has ended yet */
    str place;                  /* owners first, for the order */
    bool ours;                  /* of Azure's kinds */
    bool hurried;               /* it has waited for a reference in vain */
};

struct planner {
    struct arena *arena;
    struct planner_config config;
    struct budget_limits limits;
    struct operator* operator;
    struct map *objects; /* object_key_text to struct planned */
    uint64_t reads;
    bool news;    /* since the last step */
    bool hurries; /* nothing waits for references any more */
};

/* ---- Fields that a PUT does not change. ------------------------------------------------------ */

/*
 * Members that cannot be changed in an existing resource. In all types: the location, by the
 * contract of Resource Manager (InvalidResourceLocation). In role assignments: who may do what
 * (RoleAssignmentUpdateNotPermitted).
 *
 * To add one: the type (empty: all), the path, and what shows it.
 */
static const struct {
    const char *type, *path;
} immutable[] = {
    {"", "location"},
    {"Microsoft.Authorization/roleAssignments", "properties.principalId"},
    {"Microsoft.Authorization/roleAssignments", "properties.roleDefinitionId"},
};

static bool is_immutable(str type, str path)
{
    for (size_t i = 0; i < COUNT(immutable); i++)
        if (str_eq(path, str_c(immutable[i].path)) &&
            (!immutable[i].type[0] || str_eq_fold(type, str_c(immutable[i].type))))
            return true;
    return false;
}

/* Azure did not keep this very value after the last PUT. */
static bool has_no_effect(const struct value *known, const struct deviation *f)
{
    for (size_t i = 0; f->wanted && i < value_len(known); i++) {
        const struct value *k = value_at(known, i), *wanted = value_get(k, STR("wanted"));
        str cause = value_get_str(k, STR("cause"));
        if (str_eq(value_get_str(k, STR("path")), f->path) && value_equal(wanted, f->wanted) &&
            (str_eq(cause, str_c(detect_cause_name(CAUSE_DROPPED))) ||
             str_eq(cause, str_c(detect_cause_name(CAUSE_REPLACED)))))
            return true;
    }
    return false;
}

/* ---- Changes. -------------------------------------------------------------------------------- */

#define DIGEST_PREFIX "sha256:"
#define DIGEST_LEN (sizeof(DIGEST_PREFIX) - 1 + 64)

/*
 * In what is compared, Secrets are digests, and where an object with a Secret in it is missing as a
 * whole, that is what would be shown. Without the operator's key it could be guessed.
 */
static bool hide_digest(void *ctx, struct value *v, size_t depth)
{
    str text = value_str(v), hidden = STR("(secret)");

    (void)ctx, (void)depth;
    if (value_is(v, VALUE_STRING) && text.len == DIGEST_LEN &&
        str_has_prefix(text, STR(DIGEST_PREFIX))) {
        v->text = hidden.ptr;
        v->len = (uint32_t)hidden.len;
    }
    return true;
}

static void set_side(struct arena *a, struct value *change, const char *side, const struct value *v)
{
    if (v)
        value_walk(value_set(a, change, str_c(side), value_copy(a, v)), hide_digest, NULL);
}

static void add_change(struct arena *a, struct value *list, str path, const struct value *wanted,
                       const struct value *found, const char *flag)
{
    struct value *one = value_object(a);

    value_set_str(a, one, STR("path"), path);
    value_set_str(a, one, STR("op"), wanted ? found ? STR("~") : STR("+") : STR("-"));
    set_side(a, one, "wanted", wanted);
    set_side(a, one, "found", found);
    if (flag)
        value_set_str(a, one, STR("flag"), str_c(flag));
    value_add(a, list, one);
}

/*
 * Adds everything in a payload, member by member; a list is one value. Returns how many there are.
 */
static size_t add_members(struct arena *a, struct value *list, str path, const struct value *v)
{
    size_t count = 0;

    if (value_is(v, VALUE_NULL))
        return 0;
    if (!value_is(v, VALUE_OBJECT) || !v->len) {
        if (list && list->len < PLANNER_CHANGES_MAX)
            add_change(a, list, path, v, NULL, NULL);
        return 1;
    }
    for (size_t i = 0; i < v->len; i++)
        count += add_members(a, list,
                             str_fmt(a, "%.*s%s%.*s", STR_ARG(path), path.len ? "." : "",
                                     STR_ARG(value_key(&v->items[i]))),
                             &v->items[i]);
    return count;
}

static void set_changes(struct planner *p, struct value *out, const struct outcome *o)
{
    struct arena *a = p->arena;
    struct value *list = value_list(a);
    const struct value *known =
        value_get(value_get(value_get(o->object, STR("status")), STR("operatorStatus")),
                  STR("knownDifferences"));
    size_t all = 0;

    if (o->payload && !o->found)
        all = add_members(a, list, STR_NONE, o->payload);
    for (size_t i = 0; o->found && o->changes && i < o->changes->count; i++, all++) {
        const struct deviation *f = &o->changes->items[i];
        if (list->len < PLANNER_CHANGES_MAX)
            add_change(a, list, f->path, f->wanted ? f->wanted : f->before, f->found,
                       is_immutable(o->arm_type, f->path) ? "immutable"
                       : has_no_effect(known, f)          ? "no-effect"
                                                          : NULL);
    }
    if (list->len)
        value_set(a, out, STR("changes"), list);
    if (all > list->len)
        value_set_int(a, out, STR("more"), (int64_t)(all - list->len));
    size_t members = o->payload && o->found ? add_members(a, NULL, STR_NONE, o->payload) : 0;
    if (members > all)
        value_set_int(a, out, STR("unchanged"), (int64_t)(members - all));
}

/* ---- Results. -------------------------------------------------------------------------------- */

/* Whether it waits for something that does not exist: an owner, a target, a Secret. */
static bool is_dangling(const struct outcome *o)
{
    static const char *const reasons[] = {"AzureResourceNotFound", "ConfigMapNotFound",
                                          "ReferenceNotFound",     "SecretNotFound",
                                          "WaitingForOwner",       "WaitingForReference"};

    for (size_t i = 0; i < COUNT(reasons); i++)
        if (str_eq(o->reason, str_c(reasons[i])))
            return true;
    return false;
}

static const char *action_of(const struct outcome *o)
{
    bool deleting = o->object && object_is_deleting(o->object) && !o->other.len;

    switch (o->kind) {
    case OUTCOME_BLOCKED:
        return "blocked";
    case OUTCOME_WELL:
        return o->skipped ? "skipped" : "unchanged";
    case OUTCOME_WAITS:
        return deleting ? "unchanged" : "waiting";
    case OUTCOME_GONE:
        return "unchanged";
    case OUTCOME_WITHHELD:
        break;
    }
    if (o->effect->kind == ARM_PUT)
        return o->found ? "update" : "create";
    if (o->effect->kind == ARM_DELETE)
        return "delete";
    return effect_is_arm(o->effect->kind) ? "update" : "unchanged";
}

static str note_of(struct arena *a, const struct outcome *o, const struct planned *one)
{
    if (o->kind == OUTCOME_WITHHELD && one->hurried)
        return STR("it is sent later: what it refers to is not Ready by then");
    if (o->kind == OUTCOME_WAITS && o->other.len)
        return str_fmt(a,
                       "it belongs to the operator in namespace %.*s: plan as that one does, with "
                       "--operator-namespace",
                       STR_ARG(o->other));
    if (o->kind == OUTCOME_WAITS && o->object && object_is_deleting(o->object))
        return STR("it goes with its owner, or is released");
    if (o->kind == OUTCOME_WAITS)
        return STR("another change is under way");
    if (o->kind == OUTCOME_WELL && o->skipped)
        return STR("its reconcile policy is skip");
    if (o->kind == OUTCOME_WELL && o->changes && o->changes->count)
        return STR("drift that is reported and not corrected");
    if (o->kind == OUTCOME_WITHHELD && !effect_is_arm(o->effect->kind))
        return STR("only objects of the cluster are written");
    return STR_NONE;
}

static void set_request(struct planner *p, struct value *out, const struct outcome *o)
{
    struct arena *a = p->arena;

    if (!o->effect || !effect_is_arm(o->effect->kind))
        return;
    value_set_str(a, out, STR("method"), str_c(effect_method(o->effect->kind)));
    if (o->cause)
        value_set_str(a, out, STR("cause"), str_c(o->cause));
    if (!o->payload)
        return;
    value_set(a, out, STR("body"), value_copy(a, o->payload));
    /* Without a key, what is secret in the body could be guessed. */
    if (!p->config.operator.digest_key.len)
        return;
    value_set_str(
        a, out, STR("bodyDigest"),
        detect_digest(a, p->config.operator.digest_key, value_string(a, o->effect->body)));
}

static struct value *result_of(struct planner *p, const struct planned *one,
                               const struct outcome *o)
{
    struct arena *a = p->arena;
    struct value *out = value_object(a);
    str note = note_of(a, o, one);

    value_set(a, out, STR("object"), object_key_value(a, o->key));
    value_set_str(a, out, STR("action"), str_c(action_of(o)));
    if (o->id.len)
        value_set_str(a, out, STR("id"), o->id);
    if (o->api_version.len)
        value_set_str(a, out, STR("apiVersion"), o->api_version);
    set_request(p, out, o);
    set_changes(p, out, o);
    if (o->by.len)
        value_set_str(a, out, STR("by"), o->by);
    if (o->at.len)
        value_set_str(a, out, STR("at"), o->at);
    if (o->reason.len)
        value_set_str(a, out, STR("reason"), o->reason);
    if (o->message.len)
        value_set_str(a, out, STR("message"), o->message);
    if (o->kind == OUTCOME_BLOCKED)
        value_set_bool(a, out, is_dangling(o) ? STR("dangling") : STR("fault"), true);
    if (note.len)
        value_set_str(a, out, STR("note"), note);
    /* The pass's memory is freed when it ends. */
    return value_copy(a, out);
}

/* ---- The ports. ------------------------------------------------------------------------------ */

static struct planned *planned_of(const struct planner *p, const struct object_key *key)
{
    AUTO_ARENA a = arena_new();

    return map_get(p->objects, object_key_text(a, key));
}

static const struct value *port_find(void *ctx, struct arena *a, const struct object_key *key)
{
    struct planner *p = ctx;
    const struct planned *one = planned_of(p, key);

    if (one)
        return value_copy(a, one->object);
    return p->config.find ? p->config.find(p->config.ctx, a, key) : NULL;
}

static enum account_state port_account(void *ctx, struct arena *a, const struct value *object,
                                       struct account *out, struct err *e)
{
    struct planner *p = ctx;

    return p->config.account(p->config.ctx, a, object, out, e);
}

static void port_read(void *ctx, uint64_t ticket, const struct effect *effect)
{
    struct planner *p = ctx;

    p->reads += effect_is_arm(effect->kind);
    p->config.read(p->config.ctx, ticket, effect);
}

/* Marks the object as it will be after the write, so that whatever waits for it goes on. */
static void imagine_ready(struct planner *p, struct planned *one, const struct value *object)
{
    struct value *after = value_clone(p->arena, value_copy(p->arena, object));
    struct value *status = value_get(after, STR("status"));
    const struct condition ready = {.type = STR("Ready"),
                                    .status = STR("True"),
                                    .reason = STR("Succeeded"),
                                    .generation = object_generation(object)};

    if (!status)
        status = value_set(p->arena, after, STR("status"), value_object(p->arena));
    condition_set(p->arena, status, &ready, clock_now());
    one->object = after;
    operator_changed(p->operator, & one->key);
}

/* It waits, but already has an id, so that others can refer to it. */
static void imagine_claim(struct planner *p, struct planned *one, const struct value *object)
{
    if (!object_annotation(object, STR(ANNOTATION_RESOURCE_ID)).len ||
        object_annotation(one->object, STR(ANNOTATION_RESOURCE_ID)).len)
        return;
    one->object = value_copy(p->arena, object);
    operator_changed(p->operator, & one->key);
}

static void port_ended(void *ctx, const struct outcome *o)
{
    struct planner *p = ctx;
    struct planned *one = planned_of(p, o->key);

    if (!one)
        return;
    one->result = result_of(p, one, o);
    p->news = true;
    if (o->object &&
        (o->kind == OUTCOME_WELL || (o->kind == OUTCOME_WITHHELD && o->effect->kind == ARM_PUT)))
        imagine_ready(p, one, o->object);
    else if (o->object && o->kind == OUTCOME_BLOCKED)
        imagine_claim(p, one, o->object);
}

/* ---- The planner. ---------------------------------------------------------------------------- */

struct planner *planner_new(const struct planner_config *config)
{
    struct arena *a = arena_new_secret();
    struct planner *p = ARENA_NEW(a, struct planner);

    *p = (struct planner){.arena = a,
                          .config = *config,
                          .limits = config->limits ? *config->limits : budget_published(),
                          .objects = map_new(a)};
    p->config.operator.digest_key = str_copy(a, config->operator.digest_key);
    p->config.operator.impatient = true; /* each object is looked at once */
    const struct ports ports = {.ctx = p,
                                .find = port_find,
                                .account = config->account ? port_account : NULL,
                                .read = port_read,
                                .ended = port_ended};
    p->operator= operator_new(&p->config.operator, & ports);
    return p;
}

void planner_free(struct planner *p)
{
    if (!p)
        return;
    operator_free(p->operator);
    arena_free(p->arena);
}

void planner_add(struct planner *p, const struct value *object)
{
    struct planned *one = ARENA_NEW(p->arena, struct planned);
    const struct model_resource *resource;

    *one = (struct planned){.key = object_key_of(object), .object = object};
    one->ours = one->key.group.len && model_find_hub(p->config.operator.model, one->key.group,
                                                     one->key.kind, &resource, NULL);
    map_set(p->objects, object_key_text(p->arena, &one->key), one);
    p->news = true;
    operator_changed(p->operator, & one->key);
}

const struct value *planner_find(const struct planner *p, const struct object_key *key)
{
    const struct planned *one = planned_of(p, key);

    return one ? one->object : NULL;
}

void planner_changed(struct planner *p, const struct object_key *key)
{
    p->news = true;
    operator_changed(p->operator, key);
}

void planner_tell(struct planner *p, uint64_t ticket, const struct arm_answer *answer)
{
    p->news = true;
    operator_tell(p->operator, ticket, answer);
}

bool planner_step(struct planner *p)
{
    int64_t due;

    do {
        p->news = false;
        due = operator_step(p->operator);
    } while (p->news || due <= clock_mono() + SOON);
    return operator_stats(p->operator).flying > 0;
}

bool planner_hurry(struct planner *p)
{
    bool any = false;

    for (size_t i = 0; i < map_len(p->objects) && !p->hurries; i++) {
        struct planned *one = map_at(p->objects, i);
        one->hurried =
            str_eq(value_get_str(one->result, STR("reason")), STR("WaitingForReference"));
        any |= one->hurried;
    }
    p->hurries |= any;
    if (any)
        operator_hurry(p->operator);
    return any;
}

/* ---- The report. ----------------------------------------------------------------------------- */

static str own_place(struct arena *a, const struct object_key *key)
{
    return str_fmt(a, "%.*s\x01%.*s\x01%.*s", STR_ARG(key->namespace), STR_ARG(key->kind),
                   STR_ARG(key->name));
}

/* A sort key from its owners and itself, so that the order of texts is that of the tree. */
static str place_of(struct planner *p, const struct planned *one, size_t depth)
{
    const struct model_resource *resource;
    const struct value *owner = value_get(value_get(one->object, STR("spec")), STR("owner"));
    str own = own_place(p->arena, &one->key);
    struct reference ref;

    if (depth > PLACE_DEPTH || !owner ||
        !model_find_hub(p->config.operator.model, one->key.group, one->key.kind, &resource, NULL))
        return own;
    const struct reference_rule rule = owner_rule(resource);
    if (!reference_read(owner, &rule, NULL, &ref, NULL) || ref.form != REFERENCE_OBJECT)
        return own;
    const struct object_key key = reference_key(&ref, one->key.namespace);
    const struct planned *above = planned_of(p, &key);
    str before = above ? place_of(p, above, depth + 1) : own_place(p->arena, &key);
    return str_fmt(p->arena, "%.*s\x02%.*s", STR_ARG(before), STR_ARG(own));
}

static int by_place(const void *x, const void *y)
{
    const struct planned *p = *(struct planned *const *)x, *q = *(struct planned *const *)y;

    return str_cmp(p->place, q->place);
}

/* Seconds until the last of count requests may be sent. */
static double seconds_for(const struct planner *p, enum budget_verb verb, size_t count)
{
    const struct budget_rate *r = &p->limits.rates[verb];
    double wait = (double)count - r->burst * p->limits.share;

    return wait > 0 ? wait / (r->per_second * p->limits.share) : 0;
}

struct counted {
    const char *action;
    size_t count;
};

static struct value *summary_of(struct planner *p, struct arena *a, const struct value *resources)
{
    struct counted all[] = {{"create", 0},  {"update", 0},  {"delete", 0}, {"unchanged", 0},
                            {"skipped", 0}, {"blocked", 0}, {"waiting", 0}};
    struct value *out = value_object(a);
    size_t faults = 0, dangling = 0;

    for (size_t i = 0; i < value_len(resources); i++) {
        const struct value *r = value_at(resources, i);
        for (size_t k = 0; k < COUNT(all); k++)
            all[k].count += str_eq(value_get_str(r, STR("action")), str_c(all[k].action));
        faults += value_is_true(value_get(r, STR("fault")));
        dangling += value_is_true(value_get(r, STR("dangling")));
    }
    for (size_t k = 0; k < COUNT(all); k++)
        value_set_int(a, out, str_c(all[k].action), (int64_t)all[k].count);
    size_t puts = all[0].count + all[1].count;
    double seconds = seconds_for(p, BUDGET_WRITE, puts);
    double deletes = seconds_for(p, BUDGET_DELETE, all[2].count);
    seconds = seconds > deletes ? seconds : deletes;
    value_set_int(a, out, STR("faults"), (int64_t)faults);
    value_set_int(a, out, STR("dangling"), (int64_t)dangling);
    value_set_int(a, out, STR("reads"), (int64_t)p->reads);
    value_set_int(a, out, STR("writes"), (int64_t)(puts + all[2].count));
    value_set_int(a, out, STR("seconds"), (int64_t)seconds + ((double)(int64_t)seconds < seconds));
    return out;
}

/* A pass that has not ended polls an operation that was started earlier. */
static const struct value *waiting(struct arena *a, const struct object_key *key)
{
    struct value *out = value_object(a);

    value_set(a, out, STR("object"), object_key_value(a, key));
    value_set_str(a, out, STR("action"), STR("waiting"));
    value_set_str(a, out, STR("note"), STR("an operation is under way"));
    return out;
}

struct value *planner_report(struct planner *p, struct arena *a)
{
    struct value *out = value_object(a), *list = value_list(a);
    struct planned **all = ARENA_ARRAY(a, struct planned *, map_len(p->objects) + 1);
    size_t count = 0;

    for (size_t i = 0; i < map_len(p->objects); i++) {
        struct planned *one = map_at(p->objects, i);
        if (!one->ours)
            continue;
        one->place = place_of(p, one, 0);
        all[count++] = one;
    }
    if (count)
        qsort(all, count, sizeof(*all), by_place);
    for (size_t i = 0; i < count; i++)
        value_add(a, list,
                  all[i]->result ? value_copy(a, all[i]->result) : waiting(a, &all[i]->key));
    value_set(a, out, STR("summary"), summary_of(p, a, list));
    value_set(a, out, STR("resources"), list);
    return out;
}
