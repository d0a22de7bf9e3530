/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - explains the state of an object; see why.h. */
#include "operator/why.h"

#include "base/map.h"
#include "object/names.h"
#include "object/object.h"
#include "operator/detect/detect.h"
#include "operator/tree.h"
#include "text/json/json.h"

#include <stdlib.h>

/* ---- One object. ----------------------------------------------------------------------------- */

static void set_text(struct arena *a, struct value *out, const char *member, str text)
{
    if (text.len)
        value_set_str(a, out, str_c(member), text);
}

static void set_synced(struct arena *a, struct value *out, const struct value *status)
{
    struct condition synced;

    if (!condition_get(status, STR("Synced"), &synced))
        return;
    struct value *v = value_object(a);
    value_set_str(a, v, STR("status"), synced.status);
    set_text(a, v, "reason", synced.reason);
    set_text(a, v, "message", synced.message);
    set_text(a, v, "since", synced.since);
    value_set(a, out, STR("synced"), v);
}

/*
 * The operator's memory of an object, in its status or, if there is no field for it, in an
 * annotation.
 */
static const struct value *memory_of(struct arena *a, const struct value *object)
{
    const struct value *own = value_get(value_get(object, STR("status")), STR("operatorStatus"));
    struct source *src = ARENA_NEW(a, struct source);
    struct value *beside = NULL;

    src->text = own ? STR_NONE : object_annotation(object, STR(ANNOTATION_KNOWN));
    return own || !src->text.len || !json_read(a, src, NULL, &beside, NULL) ? own : beside;
}

/* Copies members of operatorStatus. */
static void copy(struct arena *a, struct value *out, const struct value *from,
                 const char *const *members)
{
    for (; *members; members++) {
        const struct value *v = value_get(from, str_c(*members));
        if (v && (!value_is_container(v) || v->len))
            value_set(a, out, str_c(*members), value_copy(a, v));
    }
}

struct value *why_object(struct arena *a, const struct value *object)
{
    static const char *const waits[] = {"nextRetry", "attempt", "class", "rule", "requestId", NULL};
    static const char *const known[] = {"decisions", "knownDifferences", "settled", "guard", NULL};
    const struct value *status = value_get(object, STR("status"));
    const struct value *memory = memory_of(a, object);
    struct value *out = value_object(a), *wait = value_object(a);
    const struct object_key key = object_key_of(object);
    struct condition ready = {0};
    str message, state = tree_state(&(struct tree_node){.object = object}, &message);

    value_set(a, out, STR("object"), object_key_value(a, &key));
    value_set_str(a, out, STR("state"), state);
    set_text(a, out, "message", message);
    if (condition_get(status, STR("Ready"), &ready))
        set_text(a, out, "since", ready.since);
    set_text(a, out, "resourceId", object_annotation(object, STR(ANNOTATION_RESOURCE_ID)));
    set_text(a, out, "policy", object_annotation(object, STR(ANNOTATION_POLICY)));
    set_text(a, out, "mode", object_annotation(object, STR(ANNOTATION_MODE)));
    set_synced(a, out, status);
    copy(a, wait, memory, waits);
    if (wait->len)
        value_set(a, out, STR("waits"), wait);
    copy(a, out, memory, known);
    return out;
}

/* ---- All kinds. ------------------------------------------------------------------------------ */

struct kind_noise {
    str group, kind;
    size_t objects, corrections, reports, puts, losses, stuck;
    struct map *paths; /* to struct path_noise */
};

struct path_noise {
    str path;
    size_t count;
};

struct why_kinds {
    struct arena *arena;
    struct map *kinds; /* "group/kind" to struct kind_noise */
};

struct why_kinds *why_kinds_new(struct arena *a)
{
    struct why_kinds *k = ARENA_NEW(a, struct why_kinds);

    *k = (struct why_kinds){a, map_new(a)};
    return k;
}

/* "subnets[name=a].x" is "subnets[*].x" in all objects. */
static str any_element(struct arena *a, str path)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    bool inside = false;

    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '[')
            buf_add(&b, STR("[*]"));
        inside = inside ? path.ptr[i] != ']' : path.ptr[i] == '[';
        if (!inside && path.ptr[i] != ']')
            buf_char(&b, path.ptr[i]);
    }
    return buf_str(&b);
}

static void count_path(struct why_kinds *k, struct kind_noise *n, str path)
{
    str plain = any_element(k->arena, path);
    struct path_noise *found = map_get(n->paths, plain);

    if (!found && map_len(n->paths) >= WHY_PATHS_MAX)
        return;
    if (!found) {
        found = ARENA_NEW(k->arena, struct path_noise);
        *found = (struct path_noise){.path = plain};
        map_set(n->paths, plain, found);
    }
    found->count++;
}

static void count_decision(struct why_kinds *k, struct kind_noise *n, const struct value *one)
{
    bool put = str_eq(value_get_str(one, STR("action")), STR("put"));
    bool drift = put && str_eq(value_get_str(one, STR("reason")), STR("drift"));
    bool report = str_eq(value_get_str(one, STR("action")), STR("report"));
    const struct value *paths = value_get(one, STR("paths"));

    n->puts += put;
    n->corrections += drift;
    n->reports += report;
    for (size_t i = 0; (drift || report) && i < value_len(paths); i++)
        count_path(k, n, value_str(value_at(paths, i)));
}

static bool is_loss(const struct value *known)
{
    str cause = value_get_str(known, STR("cause"));

    for (int c = 0; c < CAUSE_COUNT; c++)
        if (detect_cause_is_loss((enum detect_cause)c) &&
            str_eq(cause, str_c(detect_cause_name((enum detect_cause)c))))
            return true;
    return false;
}

static struct kind_noise *noise_of(struct why_kinds *k, const struct value *object)
{
    const struct object_key key = object_key_of(object);
    str name = str_fmt(k->arena, "%.*s/%.*s", STR_ARG(key.group), STR_ARG(key.kind));
    struct kind_noise *n = map_get(k->kinds, name);

    if (n || map_len(k->kinds) >= WHY_KINDS_MAX)
        return n;
    n = ARENA_NEW(k->arena, struct kind_noise);
    *n = (struct kind_noise){.group = str_copy(k->arena, key.group),
                             .kind = str_copy(k->arena, key.kind),
                             .paths = map_new(k->arena)};
    map_set(k->kinds, name, n);
    return n;
}

void why_kinds_add(struct why_kinds *k, const struct value *object)
{
    AUTO_ARENA a = arena_new();
    const struct value *memory = memory_of(a, object);
    const struct value *decisions = value_get(memory, STR("decisions"));
    const struct value *known = value_get(memory, STR("knownDifferences"));
    struct kind_noise *n = noise_of(k, object);
    struct condition synced;

    if (!n)
        return;
    n->objects++;
    for (size_t i = 0; i < value_len(decisions); i++)
        count_decision(k, n, value_at(decisions, i));
    for (size_t i = 0; i < value_len(known); i++)
        n->losses += is_loss(value_at(known, i));
    n->stuck += condition_get(value_get(object, STR("status")), STR("Synced"), &synced) &&
                str_eq(synced.reason, STR("NotConverging"));
}

static int by_count(const void *x, const void *y)
{
    const struct path_noise *p = *(struct path_noise *const *)x;
    const struct path_noise *q = *(struct path_noise *const *)y;

    return p->count != q->count ? (p->count < q->count) - (p->count > q->count)
                                : str_cmp(p->path, q->path);
}

static struct value *paths_list(struct why_kinds *k, const struct kind_noise *n)
{
    struct value *out = value_list(k->arena);
    size_t count = map_len(n->paths);
    struct path_noise **all = ARENA_ARRAY(k->arena, struct path_noise *, count + 1);

    for (size_t i = 0; i < count; i++)
        all[i] = map_at(n->paths, i);
    if (count)
        qsort(all, count, sizeof(*all), by_count);
    for (size_t i = 0; i < count; i++) {
        struct value *one = value_object(k->arena);
        value_set_str(k->arena, one, STR("path"), all[i]->path);
        value_set_int(k->arena, one, STR("count"), (int64_t)all[i]->count);
        value_add(k->arena, out, one);
    }
    return out;
}

static int by_noise(const void *x, const void *y)
{
    const struct kind_noise *p = *(struct kind_noise *const *)x;
    const struct kind_noise *q = *(struct kind_noise *const *)y;
    size_t drift[] = {p->corrections + p->reports, q->corrections + q->reports};

    if (drift[0] != drift[1])
        return drift[0] < drift[1] ? 1 : -1;
    if (p->puts != q->puts)
        return p->puts < q->puts ? 1 : -1;
    int order = str_cmp(p->kind, q->kind);
    return order ? order : str_cmp(p->group, q->group);
}

struct value *why_kinds_list(struct why_kinds *k)
{
    struct value *out = value_list(k->arena);
    size_t count = map_len(k->kinds);
    struct kind_noise **all = ARENA_ARRAY(k->arena, struct kind_noise *, count + 1);

    for (size_t i = 0; i < count; i++)
        all[i] = map_at(k->kinds, i);
    if (count)
        qsort(all, count, sizeof(*all), by_noise);
    for (size_t i = 0; i < count; i++) {
        const struct kind_noise *n = all[i];
        struct value *one = value_object(k->arena);
        value_set_str(k->arena, one, STR("group"), n->group);
        value_set_str(k->arena, one, STR("kind"), n->kind);
        value_set_int(k->arena, one, STR("objects"), (int64_t)n->objects);
        value_set_int(k->arena, one, STR("corrections"), (int64_t)n->corrections);
        value_set_int(k->arena, one, STR("reports"), (int64_t)n->reports);
        value_set_int(k->arena, one, STR("puts"), (int64_t)n->puts);
        value_set_int(k->arena, one, STR("losses"), (int64_t)n->losses);
        value_set_int(k->arena, one, STR("stuck"), (int64_t)n->stuck);
        value_set(k->arena, one, STR("paths"), paths_list(k, n));
        value_add(k->arena, out, one);
    }
    return out;
}
