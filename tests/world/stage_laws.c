/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage_laws.c - the laws of the operator (src/operator/README.md), checked at the ports.
 *
 * 1  a crash anywhere equals LOOK: every scenario with faults must end well
 * 2  the finalizer is stored before the first PUT, the poll token before the first poll
 * 3  at most one effect in flight per object
 * 4  no write without a lease held now
 * 5  an own write never causes a pass: stage_expect_quiet
 * 6  no state waits in a thread: there is one thread, and no time passes in operator_step
 * 7  without a writer nothing is written: there is no function to call; stage_expect_quiet counts
 * 8  a hook that only calls next, an empty rule file and no file behave alike
 * 9  nothing in Azure without an object that knows it, no lost finalizer: stage_check_end
 */
#include "world/stage.h"

#include "text/json/json.h"
#include "text/url.h"

struct known {
    bool finalizer, gone;
};

static str plain_path(struct arena *a, str url)
{
    str path, query, plain;

    str_cut(str_without_prefix(url, STR(STAGE_ENDPOINT)), STR("?"), &path, &query);
    return url_unescape(a, path, false, &plain) ? plain : path;
}

/* Notes what may be polled with a token. */
static void note_token(struct stage *s, struct arena *a, str token)
{
    static const char *const members[] = {"asyncURL", "oplocURL", "pollURL"};
    struct value *v = NULL;

    if (!token.len || !json_read(a, &(struct source){.text = token}, NULL, &v, NULL))
        return;
    for (size_t i = 0; i < COUNT(members); i++) {
        str url = value_get_str(value_get(v, STR("token")), str_c(members[i]));
        str path = plain_path(a, url);
        if (path.len && !map_has(s->polled, path))
            map_set(s->polled, str_copy(s->w->arena, path), s);
    }
}

void stage_know(struct stage *s, const struct value *object, bool gone)
{
    AUTO_ARENA a = arena_new();
    str id = object_annotation(object, STR(ANNOTATION_RESOURCE_ID));
    struct known *k;

    if (!id.len)
        return;
    id = str_lower(a, id);
    if (!(k = map_get(s->known, id)))
        map_set(s->known, str_copy(s->w->arena, id), k = ARENA_NEW(s->w->arena, struct known));
    *k = (struct known){.finalizer = object_has_finalizer(object, STR(FINALIZER)), .gone = gone};
    note_token(s, a, object_annotation(object, STR(ANNOTATION_POLL_TOKEN)));
}

static void check_azure(struct stage *s, const struct effect *effect)
{
    AUTO_ARENA a = arena_new();
    str path = plain_path(a, effect->url);
    const struct known *k = map_get(s->known, str_lower(a, path));

    /* Our token must not be sent to a URL that somebody wrote into an object. */
    world_expect(s->w, str_has_prefix(effect->url, STR(STAGE_ENDPOINT "/")), "a request to %.*s",
                 STR_ARG(effect->url));
    if (effect->kind == ARM_PUT)
        world_expect(s->w, k && k->finalizer, "law 2: a PUT of %.*s before the claim",
                     STR_ARG(path));
    if (effect->kind == ARM_GET && str_contains(path, STR("/operation")))
        world_expect(s->w, map_has(s->polled, path),
                     "law 2: a poll of %.*s before its token is stored", STR_ARG(path));
}

/* Whatever it is: the next request is made after the answer has arrived, or was abandoned. */
static void check_alone(struct stage *s, const struct effect *effect)
{
    AUTO_ARENA a = arena_new();
    str key = object_key_text(a, effect->key);

    world_expect(s->w, !map_has(s->flying, key), "law 3: two requests at once for %.*s",
                 STR_ARG(key));
}

void stage_check_effect(struct stage *s, const struct effect *effect)
{
    world_expect(s->w, !effect_is_write(effect) || s->leads, "law 4: a write without the lease");
    world_expect(s->w, !effect_is_write(effect) || !s->options.observe,
                 "law 7: a write without a writer");
    check_alone(s, effect);
    if (effect_is_arm(effect->kind))
        check_azure(s, effect);
}

void stage_expect_quiet(struct stage *s, int64_t time)
{
    struct operator_stats before = operator_stats(s->operator), after;

    stage_run(s, time);
    after = operator_stats(s->operator);
    world_expect(s->w, after.passes == before.passes, "law 5: %llu passes without a cause",
                 (unsigned long long)(after.passes - before.passes));
}

void stage_check_end(struct stage *s)
{
    const struct value *all = stage_resources(s);

    for (size_t i = 0; i < value_len(all); i++) {
        const struct value *item = value_at(all, i);
        str id = value_is(item, VALUE_STRING) ? value_str(item) : value_get_str(item, STR("id"));
        const struct known *k = map_get(s->known, str_lower(s->w->arena, id));
        if (stage_puts(s, id))
            world_expect(s->w, k && k->finalizer && !k->gone, "law 9: nobody knows %.*s any more",
                         STR_ARG(id));
    }
}
