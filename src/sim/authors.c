/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authors.c - who wrote what, and when: systemData for types that show it, the activity log for
 * all, and changes that somebody else makes behind the client's back.
 */
#include "sim/internal.h"

#include "text/json/json.h"
#include "text/url.h"
#include "value/path.h"

#include <string.h>

/* The oldest are dropped. */
#define ACTIVITY_MAX 10000
/* Events on a page of the activity log. */
#define PAGE 200

/* ---- Principals. ----------------------------------------------------------------------------- */

/* The principal of a token, sim.<tenant>.<principal>.<until>. */
static str principal_of(str token)
{
    str part, rest;

    str_cut(token, STR("."), &part, &rest);
    str_cut(rest, STR("."), &part, &rest);
    str_cut(rest, STR("."), &part, &rest);
    return part;
}

struct sim_author sim_author_of(const struct sim_call *c)
{
    str header = http_header_get(c->q->headers, STR("Authorization"));
    str principal = principal_of(str_trim(str_without_prefix(header, STR("Bearer "))));

    return (struct sim_author){.name = principal.len ? principal : STR("anonymous"),
                               .type = STR("Application")};
}

/* ---- systemData. ----------------------------------------------------------------------------- */

static void sign(struct sim_call *c, struct value *data, const char *what,
                 const struct sim_author *by, str when)
{
    const struct {
        const char *suffix;
        str text;
    } members[] = {{"By", by->name}, {"ByType", by->type}, {"At", when}};

    for (size_t i = 0; i < COUNT(members); i++) {
        str name = str_fmt(c->arena, "%s%s", what, members[i].suffix);
        if (value_get(data, name))
            value_set_str(c->arena, data, name, members[i].text);
    }
}

/* The creator stays the same. */
static void keep_creation(struct sim_call *c, struct value *data, const struct value *old)
{
    static const char *const members[] = {"createdBy", "createdByType", "createdAt"};

    for (size_t i = 0; i < COUNT(members); i++)
        if (value_get(data, str_c(members[i])) && value_get(old, str_c(members[i])))
            value_set(c->arena, data, str_c(members[i]),
                      value_copy(c->arena, value_get(old, str_c(members[i]))));
}

void sim_sign(struct sim_call *c, struct sim_resource *r, const struct sim_author *by,
              struct value *body)
{
    struct value *data = value_get(body, STR("systemData"));
    const struct value *old =
        r->body.len ? value_get(sim_parse(c->arena, r->body), STR("systemData")) : NULL;
    str when = sim_stamp(c->arena, sim_now(c->sim));

    r->wrote = sim_now(c->sim);
    r->changed = false;
    if (!value_is(data, VALUE_OBJECT))
        return;
    sign(c, data, "created", by, when);
    keep_creation(c, data, old);
    sign(c, data, "lastModified", by, when);
}

/* ---- The activity log. ----------------------------------------------------------------------- */

struct event {
    struct event *next;
    uint64_t number; /* counted from 1, also across restarts */
    int64_t time;
    str id, by, operation;
};

struct sim_activity {
    struct event *first, *last;
    size_t len;
};

/* The kind of fact in the state file. */
#define FACT "activity"

struct sim_activity *sim_activity_new(void)
{
    struct sim_activity *l = block_new(sizeof *l);

    memset(l, 0, sizeof *l);
    return l;
}

static void keep(struct sim *s, struct arena *a, const struct event *e)
{
    struct value *v = value_object(a);

    value_set_int(a, v, STR("time"), e->time);
    value_set_str(a, v, STR("id"), e->id);
    value_set_str(a, v, STR("by"), e->by);
    value_set_str(a, v, STR("operation"), e->operation);
    sim_database_fact(s->database, FACT, str_fmt(a, "%llu", (unsigned long long)e->number),
                      sim_json(a, v));
}

static void drop_first(struct sim *s)
{
    AUTO_ARENA a = arena_new();
    struct sim_activity *l = s->activity;
    struct event *e = l->first;

    sim_database_fact(s->database, FACT, str_fmt(a, "%llu", (unsigned long long)e->number),
                      STR_NONE);
    l->first = e->next;
    if (!l->first)
        l->last = NULL;
    l->len--;
    sim_keep(&e->id, STR_NONE);
    sim_keep(&e->by, STR_NONE);
    sim_keep(&e->operation, STR_NONE);
    block_free(e);
}

void sim_activity_clear(struct sim *s)
{
    while (s->activity->first)
        drop_first(s);
}

void sim_activity_free(struct sim *s)
{
    sim_activity_clear(s);
    block_free(s->activity);
}

static struct event *add(struct sim *s, uint64_t number)
{
    struct sim_activity *l = s->activity;
    struct event *e = block_new(sizeof *e);

    memset(e, 0, sizeof *e);
    e->number = number;
    if (l->last)
        l->last->next = e;
    else
        l->first = e;
    l->last = e;
    if (++l->len > ACTIVITY_MAX)
        drop_first(s);
    return e;
}

void sim_activity_add(struct sim_call *c, str id, const struct sim_author *by, str operation)
{
    const struct event *last = c->sim->activity->last;
    struct event *e = add(c->sim, last ? last->number + 1 : 1);

    e->time = sim_now(c->sim);
    sim_keep(&e->id, id);
    sim_keep(&e->by, by->name);
    sim_keep(&e->operation, operation);
    keep(c->sim, c->arena, e);
}

bool sim_take_activity(struct sim *s, str key, const struct value *v)
{
    const struct event *last = s->activity->last;
    uint64_t number;

    if (!str_to_u64(key, &number) || (last && number <= last->number))
        return false;
    struct event *e = add(s, number);
    sim_keep(&e->id, value_get_str(v, STR("id")));
    sim_keep(&e->by, value_get_str(v, STR("by")));
    sim_keep(&e->operation, value_get_str(v, STR("operation")));
    return value_to_i64(value_get(v, STR("time")), &e->time);
}

static struct value *show_event(struct arena *a, const struct event *e)
{
    struct value *v = value_object(a), *operation = value_object(a), *status = value_object(a);

    value_set_str(a, operation, STR("value"), e->operation);
    value_set_str(a, status, STR("value"), STR("Succeeded"));
    value_set_str(a, v, STR("caller"), e->by);
    value_set_str(a, v, STR("eventTimestamp"), sim_stamp(a, e->time));
    value_set(a, v, STR("operationName"), operation);
    value_set_str(a, v, STR("resourceId"), e->id);
    value_set(a, v, STR("status"), status);
    return v;
}

/* A query: eventTimestamp ge '...' and resourceUri eq '...'. */
struct question {
    str since, until, id, group;
};

static bool read_condition(str text, struct question *q)
{
    const struct {
        const char *words;
        str *out;
    } known[] = {{"eventTimestamp ge ", &q->since},
                 {"eventTimestamp le ", &q->until},
                 {"resourceUri eq ", &q->id},
                 {"resourceGroupName eq ", &q->group}};

    for (size_t i = 0; i < COUNT(known); i++)
        if (str_has_prefix(text, str_c(known[i].words))) {
            *known[i].out = str_trim_set(str_from(text, str_c(known[i].words).len), STR(" '"));
            return true;
        }
    return false;
}

/* As in Azure, a filter must have a start time. */
static bool read_filter(struct sim_call *c, struct question *q)
{
    str rest = sim_query(c, "$filter"), one;
    bool good = rest.len > 0;

    while (good && rest.len) {
        str_cut(rest, STR(" and "), &one, &rest);
        good = read_condition(str_trim(one), q);
    }
    if (good && q->since.len)
        return true;
    sim_refuse(c, 400, "BadRequest",
               "The $filter must be eventTimestamp ge '...', and may go on with eventTimestamp le, "
               "resourceUri eq or resourceGroupName eq, joined by and.");
    return false;
}

static bool is_asked(struct arena *a, const struct question *q, const struct event *e)
{
    str when = sim_stamp(a, e->time);
    struct arm_id id;

    if (str_cmp(str_slice(when, 0, 19), str_slice(q->since, 0, 19)) < 0 ||
        (q->until.len && str_cmp(str_slice(when, 0, 19), str_slice(q->until, 0, 19)) > 0) ||
        (q->id.len && !str_eq_fold(q->id, e->id)))
        return false;
    return !q->group.len || (arm_id_parse(a, e->id, &id, NULL) && str_eq_fold(id.group, q->group));
}

/* The newest come first. */
static void answer(struct sim_call *c, const struct question *q)
{
    struct value *v = value_object(c->arena), *list = value_list(c->arena);
    struct value *newest = value_list(c->arena);

    for (const struct event *e = c->sim->activity->first; e; e = e->next)
        if (is_asked(c->arena, q, e))
            value_add(c->arena, list, show_event(c->arena, e));
    for (size_t i = list->len; i > 0 && newest->len < PAGE; i--)
        value_add(c->arena, newest, &list->items[i - 1]);
    value_set(c->arena, v, STR("value"), newest);
    sim_reply(c, 200, v);
}

bool sim_activity(struct sim_call *c)
{
    static const char tail[] = "/providers/microsoft.insights/eventtypes/management/values";
    struct question q = {0};

    if (!str_eq(c->q->method, STR("GET")) ||
        !str_has_suffix(str_lower(c->arena, c->q->path), str_c(tail)))
        return false;
    if (read_filter(c, &q))
        answer(c, &q);
    return true;
}

/* ---- Changes of others. ---------------------------------------------------------------------- */

static bool set_or_remove(struct sim_call *c, struct value *tree, const struct sim_change *change)
{
    if (change->value)
        return path_set(c->arena, &change->at, tree, value_copy(c->arena, change->value), NULL);
    path_delete(&change->at, tree);
    return true;
}

bool sim_make_change(struct sim_call *c, const struct sim_change *change)
{
    struct sim_resource *r = sim_store_find(c->arena, c->sim->store, change->id);

    if (!r || !r->body.len)
        return false;
    struct value *body = sim_parse(c->arena, r->body);
    if (!set_or_remove(c, body, change))
        return false;
    if (!change->silent)
        sim_sign(c, r, &change->by, body);
    sim_keep(&r->body, sim_json(c->arena, body));
    /* A service that keeps what a PUT omits keeps this, too. */
    if (r->sent.len) {
        struct value *sent = sim_parse(c->arena, r->sent);
        if (set_or_remove(c, sent, change))
            sim_keep(&r->sent, sim_json(c->arena, sent));
    }
    r->changed = true;
    sim_store_changed(c->sim->store, r);
    if (!change->silent)
        sim_activity_add(c, r->id, &change->by, str_fmt(c->arena, "%.*s/write", STR_ARG(r->type)));
    return true;
}

static bool read_path(struct fields *f, const struct value *v, void *out)
{
    return (path_parse_dotted(f->arena, value_str(v), out, f->e) && ((struct path *)out)->len) ||
           fields_fail(f, v, "at must be a path, as in properties.size");
}

bool sim_read_change(struct arena *a, const struct source *src, struct sim_change *out,
                     struct err *e)
{
    static const struct field fields[] = {
        {"at", read_path, offsetof(struct sim_change, at)},
        {"by", fields_text, offsetof(struct sim_change, by.name)},
        {"byType", fields_text, offsetof(struct sim_change, by.type)},
        {"id", fields_text, offsetof(struct sim_change, id)},
        {"silent", fields_bool, offsetof(struct sim_change, silent)},
        {"value", fields_any, offsetof(struct sim_change, value)},
        {0},
    };
    struct fields f = {.arena = a, .source = src, .e = e};
    struct value *root;

    *out = (struct sim_change){.by = SIM_SOMEBODY};
    if (!json_read(a, src, NULL, &root, e) || !fields_read(&f, root, fields, out))
        return false;
    return (out->id.len && out->at.len) ||
           fields_fail(&f, root, "a change needs the id of a resource, and at");
}
