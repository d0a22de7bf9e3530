/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - after a successful PUT or an observation: the kind's check, then exports to Secrets
 * and ConfigMaps.
 *
 * Fetching keys costs a request that Azure counts as a write, so they are fetched only if something
 * may have changed: after a PUT, if different exports are requested, if a target is not as we left
 * it, and once a day. The graph wakes the object when others change a target.
 *
 * An object of the same name that is not ours is left alone. One of ours that is no longer
 * requested is deleted; their names are remembered, so that this costs nothing as long as the
 * requested exports stay the same.
 */
#include "operator/internal.h"

#include "base/map.h"
#include "text/codec.h"

#define EXPORT_EVERY (86400 * NS_PER_SEC)
#define REASON "FailedWritingAdditionalKubernetesObjects"

enum { PHASE_CHECK, PHASE_FETCH, PHASE_LOOK, PHASE_WRITE, PHASE_STALE, PHASE_DELETE };

static const struct value *wanted(const struct pass *p, const char *what)
{
    const struct value *spec = value_get(p->object, STR("spec"));

    return value_get(value_get(spec, STR("operatorSpec")), str_c(what));
}

/* ---- Targets. -------------------------------------------------------------------------------- */

static struct object_key target_key(const struct pass *p, const char *kind, str name)
{
    return (struct object_key){
        .kind = str_c(kind), .namespace = p->card->key.namespace, .name = name};
}

static str target_path(struct pass *p, const struct value *target, bool collection)
{
    return pass_plain_path(p, value_get_str(target, STR("kind")), p->card->key.namespace,
                           collection ? STR_NONE : object_name(target));
}

static struct value *new_target(struct pass *p, const char *kind, str name)
{
    struct arena *a = p->arena;
    struct value *target = value_object(a);
    struct owner_ref owner = {.api_version = value_get_str(p->object, STR("apiVersion")),
                              .kind = p->card->key.kind,
                              .name = p->card->key.name,
                              .uid = object_uid(p->object)};

    value_set_str(a, target, STR("apiVersion"), STR("v1"));
    value_set_str(a, target, STR("kind"), str_c(kind));
    struct value *meta = object_make_meta(a, target);
    value_set_str(a, meta, STR("name"), name);
    value_set_str(a, meta, STR("namespace"), p->card->key.namespace);
    object_set_owner(a, target, &owner);
    if (str_eq(str_c(kind), STR("Secret")))
        value_set_str(a, target, STR("type"), STR("Opaque"));
    value_set(a, target, STR("data"), value_object(a));
    return target;
}

/* Adds texts to a member of the metadata. False if a different text is already there. */
static bool add_texts(struct pass *p, struct value *target, const char *member,
                      const struct value *texts)
{
    struct value *meta = object_meta(target), *all;

    if (!value_len(texts))
        return true;
    if (!(all = value_get(meta, str_c(member))))
        all = value_set(p->arena, meta, str_c(member), value_object(p->arena));
    for (size_t i = 0; i < texts->len; i++) {
        const struct value *old = value_get(all, value_key(&texts->items[i]));
        if (old && !value_equal(old, &texts->items[i]))
            return false;
        value_set_str(p->arena, all, value_key(&texts->items[i]), value_str(&texts->items[i]));
    }
    return true;
}

static bool add_item(struct pass *p, const char *kind, struct map *targets,
                     const struct ext_export *item)
{
    str id = str_fmt(p->arena, "%s %.*s", kind, STR_ARG(item->object)), text = item->value;
    struct value *target = map_get(targets, id);

    if (!target) {
        target = new_target(p, kind, item->object);
        map_set(targets, id, target);
    }
    struct value *data = value_get(target, STR("data"));
    if (value_get(data, item->key) || !add_texts(p, target, "labels", item->labels) ||
        !add_texts(p, target, "annotations", item->annotations))
        return false;
    if (str_eq(str_c(kind), STR("Secret"))) {
        mask_value(p, text);
        text = base64_encode(p->arena, text);
    }
    value_set_str(p->arena, data, item->key, text);
    return true;
}

/* Collects everything that is to be written, by object. False if two values have the same key. */
static bool add_all(struct pass *p, const char *kind, const struct ext_exports *exports,
                    struct pass_step *step)
{
    for (size_t i = 0; i < exports->count; i++) {
        const struct ext_export *item = &exports->items[i];
        if (add_item(p, kind, p->targets, item))
            continue;
        *step = step_explain(p, "Error", REASON,
                             str_fmt(p->arena,
                                     "operatorSpec asks for key \"%.*s\" of %s \"%.*s\" twice, or "
                                     "for different labels or annotations of it",
                                     STR_ARG(item->key), kind, STR_ARG(item->object)));
        return false;
    }
    return true;
}

/* ---- Whether it is due. ---------------------------------------------------------------------- */

/* Calls fn for the requested objects, whatever their values will be. */
static void each_target(struct pass *p, const char *what, const char *kind,
                        void (*fn)(struct pass *p, const char *kind, str name, struct value *out),
                        struct value *out)
{
    const struct value *all = wanted(p, what);

    for (size_t i = 0; i < value_len(all); i++)
        fn(p, kind, value_get_str(&all->items[i], STR("name")), out);
}

/* From now on, versions other than the one in the cache are news. */
static void need_target(struct pass *p, const char *kind, str name, struct value *out)
{
    struct object_key key = target_key(p, kind, name);
    const struct value *found = p->ports->find(p->ports->ctx, p->arena, &key);

    (void)out;
    pass_export(p, &key);
    pass_exported(p, &key, found ? object_version(found) : 0);
}

/* The version of a target: as written in this pass, or as in the cache. */
static void note_version(struct pass *p, const char *kind, str name, struct value *out)
{
    struct object_key key = target_key(p, kind, name);
    str id = str_fmt(p->arena, "%s %.*s", kind, STR_ARG(name));
    const struct value *written = p->written ? map_get(p->written, id) : NULL;
    const struct value *found = written ? written : p->ports->find(p->ports->ctx, p->arena, &key);

    value_set_str(p->arena, out, id, object_meta_str(found, STR("resourceVersion")));
}

static str export_digest(struct pass *p, const struct ext_exports *configs)
{
    struct value *all = value_object(p->arena), *v;

    if ((v = (struct value *)wanted(p, "secrets")))
        value_set(p->arena, all, STR("secrets"), v);
    if ((v = (struct value *)wanted(p, "configMaps")))
        value_set(p->arena, all, STR("configMaps"), v);
    v = value_set(p->arena, all, STR("values"), value_object(p->arena));
    for (size_t i = 0; i < configs->count; i++)
        value_set_str(p->arena, v, configs->items[i].member, configs->items[i].value);
    v = value_set(p->arena, all, STR("versions"), value_object(p->arena));
    each_target(p, "secrets", "Secret", note_version, v);
    each_target(p, "configMaps", "ConfigMap", note_version, v);
    return memory_digest(p, all);
}

static bool is_due(struct pass *p, const struct ext_exports *configs)
{
    const struct value *last = memory_get(p, "exports");

    return p->sent || !str_eq(value_get_str(last, STR("digest")), export_digest(p, configs)) ||
           str_cmp(value_get_str(last, STR("time")),
                   memory_stamp(p->arena, p->now - EXPORT_EVERY)) <= 0;
}

static bool is_in(const struct value *list, str text)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_str(value_at(list, i)), text))
            return true;
    return false;
}

static void note_target(struct pass *p, const char *kind, str name, struct value *out)
{
    str id = str_fmt(p->arena, "%s %.*s", kind, STR_ARG(name));

    if (!is_in(out, id))
        value_add(p->arena, out, value_string(p->arena, id));
}

/* All that are requested: "Secret name", "ConfigMap name". */
static struct value *all_targets(struct pass *p)
{
    struct value *all = value_list(p->arena);

    each_target(p, "secrets", "Secret", note_target, all);
    each_target(p, "configMaps", "ConfigMap", note_target, all);
    return all;
}

/* Those that the last export wrote. */
static const struct value *old_targets(const struct pass *p)
{
    return value_get(memory_get(p, "exports"), STR("objects"));
}

static struct pass_step finish(struct pass *p)
{
    struct value *exports = value_object(p->arena), *all = all_targets(p);
    const struct ext ext = pass_ext(p);
    const struct ext_input in = pass_ext_input(p);
    struct ext_exports configs = ext_configs(&ext, &in);

    value_set_str(p->arena, exports, STR("digest"), export_digest(p, &configs));
    value_set(p->arena, exports, STR("objects"), all);
    value_set_str(p->arena, exports, STR("time"), memory_stamp(p->arena, p->now));
    memory_set(p, "exports", all->len ? exports : NULL);
    return step_to(STATE_SETTLE);
}

/* ---- What is no longer requested. ------------------------------------------------------------ */

static struct value *preconditions(struct pass *p, const struct value *found)
{
    struct value *options = value_object(p->arena), *only = value_object(p->arena);

    value_set_str(p->arena, only, STR("uid"), object_uid(found));
    value_set_str(p->arena, only, STR("resourceVersion"),
                  object_meta_str(found, STR("resourceVersion")));
    value_set(p->arena, options, STR("preconditions"), only);
    return options;
}

/*
 * Deletes a target of ours in the version that was seen; one that somebody took over stays. True:
 * step is the request.
 */
static bool must_delete(struct pass *p, const struct arm_answer *answer, str path,
                        struct pass_step *step)
{
    struct value *found = answer->http == 200 ? pass_read_json(p, answer->body) : NULL;

    if (!found && answer->http != 404) {
        *step = step_rest(NS_PER_SEC);
        return true;
    }
    if (!found || !object_is_owned_by(found, object_uid(p->object)))
        return false;
    p->phase = PHASE_DELETE;
    *step = step_kube(p, KUBE_DELETE, path, preconditions(p, found));
    return true;
}

static bool was_deleted(struct pass *p, const struct arm_answer *answer, str kind, str name,
                        struct pass_step *step)
{
    struct object_key key = target_key(p, str_z(p->arena, kind), name);

    if (answer->http == 200 || answer->http == 202 || answer->http == 404) {
        pass_exported(p, &key, 0);
        return true;
    }
    /* Somebody else was faster, or there was no answer: the next pass looks again. */
    *step = step_rest(NS_PER_SEC);
    if (answer->http && answer->http != 409)
        *step = step_explain(p, "Warning", REASON,
                             str_fmt(p->arena,
                                     "%.*s \"%.*s\" is no longer requested and cannot be deleted "
                                     "(status %d)",
                                     STR_ARG(kind), STR_ARG(name), answer->http));
    return false;
}

static struct pass_step prune(struct pass *p)
{
    const struct value *old = old_targets(p), *wanted_now = all_targets(p);
    struct pass_step step;
    str kind, name;

    for (; p->target < value_len(old); p->target++, p->phase = PHASE_STALE) {
        str id = value_str(value_at(old, p->target));
        if (is_in(wanted_now, id) || !str_cut(id, STR(" "), &kind, &name))
            continue;
        str path = pass_plain_path(p, kind, p->card->key.namespace, name);
        const struct arm_answer *answer = pass_answer(p);
        if (!answer)
            return step_kube(p, KUBE_GET, path, NULL);
        if (p->phase == PHASE_STALE ? must_delete(p, answer, path, &step)
                                    : !was_deleted(p, answer, kind, name, &step))
            return step;
    }
    return finish(p);
}

static struct pass_step begin_prune(struct pass *p)
{
    p->phase = PHASE_STALE;
    p->target = 0;
    return prune(p);
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static void fault(struct pass *p, const struct value *target, const char *text)
{
    if (!p->export_fault.len)
        p->export_fault = str_fmt(p->arena, "%.*s \"%.*s\" %s",
                                  STR_ARG(value_get_str(target, STR("kind"))),
                                  STR_ARG(object_name(target)), text);
}

static void note_written(struct pass *p, const struct value *target, const struct value *object)
{
    str kind = value_get_str(target, STR("kind")), name = object_name(target);
    struct object_key key = target_key(p, str_z(p->arena, kind), name);

    if (!p->written)
        p->written = map_new(p->arena);
    map_set(p->written, str_fmt(p->arena, "%.*s %.*s", STR_ARG(kind), STR_ARG(name)),
            (void *)object);
    pass_exported(p, &key, object_version(object));
}

/* The patch that makes an object of ours what it should be; NULL if it already is. */
static struct value *target_patch(struct pass *p, const struct value *target,
                                  const struct value *found)
{
    static const char *const members[] = {"labels", "annotations", "ownerReferences", "finalizers"};
    struct value *after = value_clone(p->arena, found), *patch;
    struct value *meta = object_make_meta(p->arena, after);

    for (size_t i = 0; i < COUNT(members); i++) {
        const struct value *v = value_get(object_meta(target), str_c(members[i]));
        if (v)
            value_set(p->arena, meta, str_c(members[i]), v);
        else
            value_unset(meta, str_c(members[i]));
    }
    value_set(p->arena, after, STR("data"), value_get(target, STR("data")));
    if (!(patch = meta_patch(p->arena, found, after)))
        return NULL;
    value_set_str(p->arena, object_make_meta(p->arena, patch), STR("resourceVersion"),
                  object_meta_str(found, STR("resourceVersion")));
    return patch;
}

/* Looks at a target. True: it must be written; step is the request. */
static bool must_write(struct pass *p, const struct value *target, const struct arm_answer *answer,
                       struct pass_step *step)
{
    struct value *found = answer->http == 200 ? pass_read_json(p, answer->body) : NULL, *patch;

    if (answer->http == 404) {
        *step = step_kube(p, KUBE_CREATE, target_path(p, target, true), target);
        return true;
    }
    if (!found) {
        fault(p, target, "cannot be read");
        return false;
    }
    if (!object_is_owned_by(found, object_uid(p->object))) {
        fault(p, target, "exists and is not owned by this resource");
        return false;
    }
    if ((patch = target_patch(p, target, found))) {
        *step = step_kube(p, KUBE_PATCH, target_path(p, target, false), patch);
        return true;
    }
    note_written(p, target, found);
    return false;
}

/* True: go on with the next target. */
static bool take_write(struct pass *p, const struct value *target, const struct arm_answer *answer,
                       struct pass_step *step)
{
    struct value *object =
        answer->http == 200 || answer->http == 201 ? pass_read_json(p, answer->body) : NULL;

    if (object) {
        note_written(p, target, object);
        return true;
    }
    /* Somebody else was faster, or there was no answer: the next pass looks again. */
    if (!answer->http || answer->http == 404 || answer->http == 409) {
        *step = step_rest(NS_PER_SEC);
        return false;
    }
    fault(p, target, "cannot be written");
    return true;
}

/* Looks at one target after the other, and writes those that differ. */
static struct pass_step write_targets(struct pass *p)
{
    struct pass_step step;

    while (p->target < map_len(p->targets)) {
        const struct value *target = map_at(p->targets, p->target);
        const struct arm_answer *answer = pass_answer(p);
        if (!answer)
            return step_kube(p, KUBE_GET, target_path(p, target, false), NULL);
        if (p->phase == PHASE_LOOK && must_write(p, target, answer, &step)) {
            p->phase = PHASE_WRITE;
            return step;
        }
        if (p->phase == PHASE_WRITE && !take_write(p, target, answer, &step))
            return step;
        p->phase = PHASE_LOOK;
        p->target++;
    }
    if (p->export_fault.len)
        return step_explain(p, "Error", REASON, p->export_fault);
    return begin_prune(p);
}

/* ---- The state. ------------------------------------------------------------------------------ */

/* True: everything for the targets is there. */
static bool fetch(struct pass *p, struct pass_step *step)
{
    const struct ext ext = pass_ext(p);

    pass_take_answer(p);
    const struct ext_input in = pass_ext_input(p);
    struct ext_exports secrets = ext_secrets(&ext, &in), configs = ext_configs(&ext, &in);
    str why = secrets.fault.len ? secrets.fault : configs.fault;
    if (secrets.request_count) {
        (void)pass_question(p, &secrets.requests[0], step);
        return false;
    }
    pass_answered(p);
    if (why.len) {
        *step = step_explain(p, "Warning", "Failed", why);
        return false;
    }
    p->targets = map_new(p->arena);
    return add_all(p, "Secret", &secrets, step) && add_all(p, "ConfigMap", &configs, step);
}

static struct pass_step check(struct pass *p)
{
    const struct ext ext = pass_ext(p);
    struct decision d;
    struct pass_step step;

    /* The PUT succeeded; it is not sent again, whatever fails from here on. */
    if (p->sent)
        settle_remember(p);
    if (!pass_point(p, ext_post_check, &d, &step))
        return step;
    if (d.value)
        p->body = d.value;
    bool wants = value_len(wanted(p, "secrets")) || value_len(wanted(p, "configMaps"));
    if (!wants && !memory_get(p, "exports"))
        return step_to(STATE_SETTLE);
    p->mark = 0; /* whether there is something to do depends on others, too */
    if (!wants)
        return begin_prune(p);
    each_target(p, "secrets", "Secret", need_target, NULL);
    each_target(p, "configMaps", "ConfigMap", need_target, NULL);
    const struct ext_input in = pass_ext_input(p);
    struct ext_exports configs = ext_configs(&ext, &in);
    if (!is_due(p, &configs))
        return step_to(STATE_SETTLE);
    p->phase = PHASE_FETCH;
    return state_export(p);
}

struct pass_step state_export(struct pass *p)
{
    struct pass_step step;

    if (p->phase == PHASE_CHECK)
        return check(p);
    if (p->phase >= PHASE_STALE)
        return prune(p);
    if (p->phase == PHASE_FETCH) {
        if (!fetch(p, &step))
            return step;
        p->phase = PHASE_LOOK;
    }
    return write_targets(p);
}
