/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.c - turns what was sent into what is shown: the rules of a type, and generated values.
 *
 * Texts in rules that begin with a dollar sign are generated for each resource: $etag, $guid, $id,
 * $name, $text, $time, $url. They depend only on the seed and the id, so that a repeated PUT shows
 * the same values again.
 */
#include "sim/internal.h"

#include <ctype.h>

struct value *sim_at(const struct value *v, struct sim_members at)
{
    struct value *found = (struct value *)v;

    for (size_t i = 0; i < at.len && found; i++)
        found = value_get(found, at.items[i]);
    return found;
}

/* ---- Texts. -----------------------------------------------------------------------------------
 */

/* Names of regions as people write them; others keep their spelling. */
static const struct {
    const char *compact, *display;
} regions[] = {
    {"australiaeast", "Australia East"},
    {"brazilsouth", "Brazil South"},
    {"canadacentral", "Canada Central"},
    {"centralindia", "Central India"},
    {"centralus", "Central US"},
    {"eastasia", "East Asia"},
    {"eastus", "East US"},
    {"eastus2", "East US 2"},
    {"francecentral", "France Central"},
    {"germanywestcentral", "Germany West Central"},
    {"japaneast", "Japan East"},
    {"koreacentral", "Korea Central"},
    {"northcentralus", "North Central US"},
    {"northeurope", "North Europe"},
    {"norwayeast", "Norway East"},
    {"southafricanorth", "South Africa North"},
    {"southcentralus", "South Central US"},
    {"southeastasia", "Southeast Asia"},
    {"swedencentral", "Sweden Central"},
    {"switzerlandnorth", "Switzerland North"},
    {"uaenorth", "UAE North"},
    {"uksouth", "UK South"},
    {"westcentralus", "West Central US"},
    {"westeurope", "West Europe"},
    {"westus", "West US"},
    {"westus2", "West US 2"},
    {"westus3", "West US 3"},
    {"global", "Global"},
};

static str spell_display(str text)
{
    for (size_t i = 0; i < COUNT(regions); i++)
        if (str_eq_fold(text, str_c(regions[i].compact)))
            return str_c(regions[i].display);
    return text;
}

static str spell_compact(struct arena *a, str text)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ')
            buf_char(&b, (char)tolower((unsigned char)text.ptr[i]));
    return buf_str(&b);
}

static str spell_upper(struct arena *a, str text, size_t letters)
{
    char *copy = arena_alloc_text(a, text.len + 1);

    for (size_t i = 0; i < text.len; i++)
        copy[i] = i < letters ? (char)toupper((unsigned char)text.ptr[i]) : text.ptr[i];
    return str_of(copy, text.len);
}

static str spell_qualified(struct sim_call *c, str text)
{
    struct arm_id parent;

    if (str_contains(text, STR("/")) || !arm_id_parent(c->arena, &c->id, &parent))
        return text;
    return str_fmt(c->arena, "%.*s/%.*s", STR_ARG(arm_id_name(&parent)), STR_ARG(text));
}

static str spell(struct sim_call *c, enum sim_spelling spelling, str text)
{
    switch (spelling) {
    case SPELL_DISPLAY:
        return spell_display(text);
    case SPELL_COMPACT:
        return spell_compact(c->arena, text);
    case SPELL_LOWER:
        return str_lower(c->arena, text);
    case SPELL_UPPER:
        return spell_upper(c->arena, text, text.len);
    case SPELL_TITLE:
        return spell_upper(c->arena, text, 1);
    case SPELL_QUALIFIED:
        return spell_qualified(c, text);
    }
    return text;
}

/* The value of a placeholder ($...); where makes values unique. */
static str made(struct sim_call *c, const struct sim_resource *r, str text, str where)
{
    str seed = str_fmt(c->arena, "%.*s#%.*s", STR_ARG(r->node.key), STR_ARG(where));

    if (str_eq(text, STR("$etag")))
        return str_fmt(c->arena, "W/\"%.*s\"",
                       STR_ARG(sim_guid_of(c->sim, c->arena,
                                           str_fmt(c->arena, "%.*s#%llu", STR_ARG(r->node.key),
                                                   (unsigned long long)r->writes))));
    if (str_eq(text, STR("$guid")))
        return sim_guid_of(c->sim, c->arena, seed);
    if (str_has_prefix(text, STR("$id")))
        return str_concat(c->arena, r->id, str_from(text, 3));
    if (str_eq(text, STR("$name")))
        return c->name;
    if (str_eq(text, STR("$time")))
        return sim_stamp(c->arena, sim_now(c->sim));
    if (str_eq(text, STR("$url")))
        return str_fmt(c->arena, "https://%.*s.example.net/", STR_ARG(c->name));
    if (str_eq(text, STR("$text")))
        return str_slice(sim_guid_of(c->sim, c->arena, seed), 0, 8);
    return text;
}

struct value *sim_made(struct sim_call *c, const struct sim_resource *r, const struct value *v,
                       str where)
{
    struct arena *a = c->arena;

    if (value_is(v, VALUE_STRING))
        return value_string(a, made(c, r, value_str(v), where));
    if (!value_is_container(v))
        return value_copy(a, v);
    struct value *out = value_is(v, VALUE_LIST) ? value_list(a) : value_object(a);
    for (size_t i = 0; i < v->len; i++) {
        const struct value *item = &v->items[i];
        if (v->kind == VALUE_LIST)
            value_add(a, out, sim_made(c, r, item, where));
        else
            value_set(a, out, made(c, r, value_key(item), where),
                      sim_made(c, r, item, value_key(item)));
    }
    return out;
}

/* ---- Rules. -----------------------------------------------------------------------------------
 */

struct application {
    struct sim_call *call;
    const struct sim_resource *resource;
    const struct sim_rule *rule;
};

static bool is_empty(const struct value *v)
{
    return value_is(v, VALUE_NULL) || (value_is_container(v) && !v->len) ||
           (value_is(v, VALUE_STRING) && !v->len);
}

static void drop_member(const struct sim_rule *rule, struct value *object, str name)
{
    const struct value *v = value_get(object, name);

    if ((!rule->if_null || value_is(v, VALUE_NULL)) && (!rule->if_empty || is_empty(v)))
        value_unset(object, name);
}

static void extend_list(struct application *p, struct value *list)
{
    if (!value_is(list, VALUE_LIST))
        return;
    for (size_t i = 0; i < p->rule->value->len; i++) {
        struct value *item =
            sim_made(p->call, p->resource, &p->rule->value->items[i], STR("element"));
        bool there = false;
        for (size_t k = 0; k < list->len; k++)
            there = there || value_equal(&list->items[k], item);
        if (!there)
            value_add(p->call->arena, list, item);
    }
}

static void reverse_list(struct value *list)
{
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len / 2; i++) {
        struct value kept = list->items[i];
        list->items[i] = list->items[list->len - 1 - i];
        list->items[list->len - 1 - i] = kept;
    }
}

static void spell_member(struct application *p, struct value *v)
{
    if (value_is(v, VALUE_STRING)) {
        str text = spell(p->call, p->rule->spelling, value_str(v));
        v->text = text.ptr;
        v->len = (uint32_t)text.len;
    }
}

/* Applies the rule at its last step, to a member of object. */
static void act(struct application *p, struct value *object, str name)
{
    struct value *there = value_get(object, name);
    struct arena *a = p->call->arena;

    switch (p->rule->op) {
    case OP_ADD:
    case OP_EARLY:
        if (!there || value_is(there, VALUE_NULL))
            value_set(a, object, name, sim_made(p->call, p->resource, p->rule->value, name));
        break;
    case OP_SET:
        if (there)
            value_set(a, object, name, sim_made(p->call, p->resource, p->rule->value, name));
        break;
    case OP_DROP:
    case OP_LATE:
        drop_member(p->rule, object, name);
        break;
    case OP_EXTEND:
        extend_list(p, there);
        break;
    case OP_REVERSE:
        reverse_list(there);
        break;
    case OP_SPELL:
        spell_member(p, there);
        break;
    }
}

static bool condition_holds(const struct sim_condition *q, const struct value *top,
                            const struct value *beside)
{
    const struct value *v = sim_at(q->beside ? beside : top, q->at);

    switch (q->test) {
    case TEST_PRESENT:
        return v != NULL;
    case TEST_ABSENT:
        return !v;
    case TEST_IS:
        return v && value_equal(v, q->is);
    case TEST_IS_NOT:
        return !v || !value_equal(v, q->is);
    case TEST_IN:
        for (size_t i = 0; v && i < q->is->len; i++)
            if (value_equal(v, &q->is->items[i]))
                return true;
        return false;
    }
    return false;
}

/* Whether the conditions on the top of the body hold, or those on siblings. */
static bool conditions_hold(const struct sim_when *w, bool beside, const struct value *sent)
{
    for (size_t i = 0; i < w->conditions.len; i++)
        if (w->conditions.items[i].beside == beside &&
            !condition_holds(&w->conditions.items[i], sent, sent))
            return false;
    return true;
}

/* Ignores the conditions that depend on the place. */
static bool when_holds(const struct sim_call *c, const struct sim_when *w, const struct value *sent)
{
    return (!w->from.len || str_cmp(c->api_version, w->from) >= 0) &&
           (!w->to.len || str_cmp(c->api_version, w->to) <= 0) && conditions_hold(w, false, sent);
}

const struct sim_answer *sim_choose(const struct sim_call *c, const struct sim_answers *answers)
{
    size_t i = 0;

    while (i + 1 < answers->len && !when_holds(c, &answers->items[i].when, c->body))
        i++;
    return &answers->items[i];
}

/*
 * Follows the path of a rule in what is shown, and in parallel in what was sent. Elements that were
 * not sent are complete: the rule that adds them has everything.
 */
static void apply_rule(struct application *p, struct value *v, const struct value *sent,
                       size_t step)
{
    str name = p->rule->at.items[step];
    bool elements = str_eq(name, STR("[]")), members = str_eq(name, STR("{}"));

    if (elements || members) {
        for (size_t i = 0; value_is(v, elements ? VALUE_LIST : VALUE_OBJECT) && i < v->len; i++) {
            const struct value *same = elements ? (i < value_len(sent) ? &sent->items[i] : NULL)
                                                : value_get(sent, value_key(&v->items[i]));
            if (same && step + 1 < p->rule->at.len)
                apply_rule(p, &v->items[i], same, step + 1);
        }
        return;
    }
    if (!value_is(v, VALUE_OBJECT))
        return;
    if (step + 1 < p->rule->at.len)
        apply_rule(p, value_get(v, name), value_get(sent, name), step + 1);
    else if (conditions_hold(&p->rule->when, true, sent))
        act(p, v, name);
}

/* When a rule acts: on what is stored, or on what is shown while or because of a write. */
enum stage { STAGE_STORED, STAGE_EARLY, STAGE_LATE };

static enum stage stage_of(const struct sim_rule *rule)
{
    return rule->op == OP_EARLY ? STAGE_EARLY : rule->op == OP_LATE ? STAGE_LATE : STAGE_STORED;
}

static void apply_all(struct sim_call *c, const struct sim_resource *r, struct value *v,
                      enum stage stage)
{
    for (size_t i = 0; i < c->behaviour->rules.len; i++) {
        const struct sim_rule *rule = &c->behaviour->rules.items[i];
        struct application p = {c, r, rule};
        const struct value *sent = stage == STAGE_LATE ? v : c->body;
        if (stage_of(rule) == stage && when_holds(c, &rule->when, sent))
            apply_rule(&p, v, sent, 0);
    }
}

/* The members that nearly every resource has, in the usual order. */
static struct value *with_identity(struct sim_call *c, const struct sim_resource *r)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a);

    value_set_str(a, v, STR("id"), r->id);
    value_set_str(a, v, STR("name"), c->name);
    value_set_str(a, v, STR("type"), c->type);
    for (size_t i = 0; i < value_len(c->body); i++) {
        const struct value *m = &c->body->items[i];
        if (!str_eq(value_key(m), STR("id")) && !str_eq(value_key(m), STR("name")) &&
            !str_eq(value_key(m), STR("type")))
            value_set(a, v, value_key(m), value_copy(a, m));
    }
    return v;
}

/* Types that are not even in the model get a provisioningState, the one read-only property that
 * nearly all have. */
static void add_state(struct sim_call *c, struct value *v)
{
    struct value *properties = value_get(v, STR("properties"));

    if (!properties)
        properties = value_set(c->arena, v, STR("properties"), value_object(c->arena));
    if (value_is(properties, VALUE_OBJECT))
        value_set_str(c->arena, properties, STR("provisioningState"), STR("Succeeded"));
}

/* Services fill in properties even if it was not sent: the rules need it. */
static void ensure_properties(struct sim_call *c, struct value *v)
{
    bool below = false;

    for (size_t i = 0; i < c->behaviour->rules.len; i++) {
        const struct sim_rule *rule = &c->behaviour->rules.items[i];
        if (rule->op != OP_ADD || !str_eq(rule->at.items[0], STR("properties")))
            continue;
        if (rule->at.len == 1)
            return;
        below = true;
    }
    if (below && !value_get(v, STR("properties")))
        value_set(c->arena, v, STR("properties"), value_object(c->arena));
}

/* An identity shows its principal and tenant, as in all published types. */
static void add_principal(struct sim_call *c, const struct sim_resource *r, struct value *v)
{
    static const str ids[] = {STR_INIT("principalId"), STR_INIT("tenantId")};
    struct value *identity = value_get(v, STR("identity"));
    str type = str_lower(c->arena, value_get_str(identity, STR("type")));

    if (!value_is(identity, VALUE_OBJECT) || !str_contains(type, STR("systemassigned")))
        return;
    for (size_t i = 0; i < COUNT(ids); i++)
        if (!value_get(identity, ids[i]))
            value_set_str(c->arena, identity, ids[i], made(c, r, STR("$guid"), ids[i]));
}

struct value *sim_represent(struct sim_call *c, const struct sim_resource *r)
{
    struct value *v = with_identity(c, r);

    ensure_properties(c, v);
    apply_all(c, r, v, STAGE_STORED);
    if (!c->behaviour->known && !sim_usual_show(c, r, v))
        add_state(c, v);
    add_principal(c, r, v);
    sim_faults_policy(c, v);
    return v;
}

void sim_hide_late(struct sim_call *c, struct value *shown)
{
    apply_all(c, NULL, shown, STAGE_LATE);
}

void sim_show_early(struct sim_call *c, const struct sim_resource *r, struct value *shown)
{
    apply_all(c, r, shown, STAGE_EARLY);
}
