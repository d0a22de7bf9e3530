/* SPDX-License-Identifier: Apache-2.0 */
/* live_rules.c - watches a ConfigMap with rules; see live_rules.h. */
#include "operator/live_rules.h"

#include "base/lock.h"
#include "base/log.h"
#include "text/json/json.h"

struct live_rules {
    struct arena *arena; /* of this */
    str namespace, name;
    struct lock lock;
    /* Under the lock. */
    int64_t due;         /* by clock_mono */
    bool asked, changed; /* a read is under way; there was news meanwhile */
    bool gone;           /* which was logged */
    struct arena *seen;  /* for version: the last ConfigMap that was read, valid or not */
    str version;
    struct arena *next; /* of the new rules; NULL: none */
    const struct kind_set *rules;
    struct arena *current; /* of the current rules; NULL: not ours. Used by the owner only */
};

struct live_rules *live_rules_new(str namespace, str name, str version)
{
    struct arena *a = arena_new();
    struct live_rules *r = ARENA_NEW(a, struct live_rules);

    *r = (struct live_rules){.arena = a,
                             .namespace = str_copy(a, namespace),
                             .name = str_copy(a, name),
                             .seen = arena_new(),
                             .lock = LOCK_INIT};
    r->version = str_copy(r->seen, version);
    return r;
}

void live_rules_free(struct live_rules *r)
{
    if (!r)
        return;
    arena_free(r->seen);
    if (r->next)
        arena_free(r->next);
    if (r->current)
        arena_free(r->current);
    arena_free(r->arena);
}

bool live_rules_changed(struct live_rules *r, const struct object_key *key)
{
    if (!r || key->group.len || !str_eq(key->kind, STR("ConfigMap")) ||
        !str_eq(key->namespace, r->namespace) || !str_eq(key->name, r->name))
        return false;
    AUTO_LOCK guard = lock_take(&r->lock);
    r->due = 0;
    r->changed = r->asked;
    return true;
}

bool live_rules_due(struct live_rules *r, int64_t now)
{
    AUTO_LOCK guard = lock_take(&r->lock);

    if (r->asked || now < r->due)
        return false;
    r->asked = true;
    r->due = now + LIVE_RULES_EVERY;
    return true;
}

/* The ConfigMap, if it is not the same as the last one; a is its arena. */
static const struct value *read_news(struct live_rules *r, struct arena *a, str body)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *map = NULL;

    src->text = str_copy(a, body);
    if (!json_read(a, src, NULL, &map, NULL) || !value_is(map, VALUE_OBJECT))
        return NULL;
    str version = value_get_str(object_meta(map), STR("resourceVersion"));
    if (str_eq(version, r->version))
        return NULL;
    arena_reset(r->seen);
    r->version = str_copy(r->seen, version);
    return map;
}

static bool take_map(struct live_rules *r, str body)
{
    struct arena *a = arena_new();
    const struct value *map = read_news(r, a, body);
    str shown = str_fmt(a, "ConfigMap %.*s/%.*s", STR_ARG(r->namespace), STR_ARG(r->name));
    struct kind_set *rules;
    AUTO_ERR e = {0};

    if (!map || !kind_set_from_config_map(a, shown, map, &rules, &e)) {
        if (map)
            LOG_WARN("the rules stay as they are", LOG_STR("error", e.text),
                     LOG_INT("line", e.at.line), LOG_STR("rules", shown));
        arena_free(a);
        return false;
    }
    if (r->next)
        arena_free(r->next);
    r->next = a;
    r->rules = rules;
    LOG_INFO("the rules have changed", LOG_STR("rules", shown),
             LOG_STR("resourceVersion", r->version));
    return true;
}

bool live_rules_tell(struct live_rules *r, int http, str body)
{
    AUTO_LOCK guard = lock_take(&r->lock);

    r->asked = false;
    if (r->changed)
        r->due = 0;
    r->changed = false;
    if (http == 404 && !r->gone)
        LOG_WARN("the ConfigMap of the rules is gone: the rules stay as they are",
                 LOG_STR("namespace", r->namespace), LOG_STR("name", r->name));
    r->gone = http == 404;
    return http == 200 && take_map(r, body);
}

bool live_rules_pending(struct live_rules *r)
{
    if (!r)
        return false;
    AUTO_LOCK guard = lock_take(&r->lock);
    return r->next != NULL;
}

const struct kind_set *live_rules_take(struct live_rules *r)
{
    AUTO_LOCK guard = lock_take(&r->lock);

    if (r->current)
        arena_free(r->current);
    r->current = r->next;
    r->next = NULL;
    return r->rules;
}
