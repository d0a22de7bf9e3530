/* SPDX-License-Identifier: Apache-2.0 */
/* meta.c - what users decide in metadata, and the patch between before and after. */
#include "operator/internal.h"

#include "operator/schedule.h"

enum policy meta_policy(const struct operator_config *config, const struct value *object,
                        const struct value *namespace)
{
    str text = object_annotation(object, STR(ANNOTATION_POLICY));

    if (!text.len)
        text = object_annotation(namespace, STR(ANNOTATION_POLICY));
    if (str_eq(text, STR("manage")))
        return POLICY_MANAGE;
    if (str_eq(text, STR("skip")))
        return POLICY_SKIP;
    /* Upstream: an unknown value means the configured one, not that of the Namespace. */
    return str_eq(text, STR("detach-on-delete")) ? POLICY_DETACH : config->policy;
}

/* ---- Values that mean nothing. --------------------------------------------------------------- */

static bool is_policy(str text)
{
    return str_eq(text, STR("manage")) || str_eq(text, STR("skip")) ||
           str_eq(text, STR("detach-on-delete"));
}

static bool is_mode(str text)
{
    enum drift_mode mode;

    return drift_mode_read(text, &mode);
}

static bool is_period(str text)
{
    int64_t period;

    return schedule_parse(text, &period, NULL);
}

static const struct {
    const char *name;
    bool (*knows)(str text);
    const char *wanted;
} checked[] = {
    {ANNOTATION_MODE, is_mode, "\"correct\", \"report\" or \"put-only\""},
    {ANNOTATION_POLICY, is_policy, "\"manage\", \"skip\" or \"detach-on-delete\""},
    {ANNOTATION_SYNC_PERIOD, is_period, "\"never\" or a duration from \"1s\" on, such as \"30m\""}};

static void report_unknown(struct pass *p, const struct value *object, const char *whose)
{
    for (size_t i = 0; i < COUNT(checked); i++) {
        str text = object_annotation(object, str_c(checked[i].name));
        if (text.len && !checked[i].knows(text))
            pass_report(p, true, "InvalidAnnotation", STR("InvalidAnnotation"),
                        str_fmt(p->arena, "%s%s is \"%.*s\", which has no effect; it must be %s",
                                whose, checked[i].name, STR_ARG(text), checked[i].wanted));
    }
}

void meta_report_unknown(struct pass *p)
{
    const struct object_key namespace = {.kind = STR("Namespace"), .name = p->card->key.namespace};

    report_unknown(p, p->object, "");
    report_unknown(p, p->ports->find(p->ports->ctx, p->arena, &namespace), "the Namespace's ");
}

/* ---- What users decide. ---------------------------------------------------------------------- */

bool meta_is_protected(const struct value *object)
{
    str text = object_annotation(object, STR(ANNOTATION_PROTECT));

    return text.len && !str_eq(text, STR("false"));
}

bool meta_is_confirmed(const struct value *object)
{
    return str_eq(object_annotation(object, STR(ANNOTATION_CONFIRM)), STR("delete"));
}

uint64_t meta_intent(const struct value *object)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (!object)
        return 0;
    buf_fmt(&b, "%.*s %lld %d", STR_ARG(object_uid(object)), (long long)object_generation(object),
            object_is_deleting(object));
    for (const struct object_annotation_name *n = object_annotations; n->name; n++)
        if (n->writer == NAME_USER)
            buf_fmt(&b, "\n%.*s", STR_ARG(object_annotation(object, str_c(n->name))));
    return str_hash(buf_str(&b));
}

uint64_t meta_shown(const struct value *object)
{
    AUTO_ARENA a = arena_new();
    struct condition ready = {0};

    if (!object)
        return 0;
    (void)condition_get(value_get(object, STR("status")), STR("Ready"), &ready);
    /* Foreground deletion keeps an object whose resource is gone. */
    return str_hash(str_fmt(a, "%.*s %lld %d %d %.*s %.*s %lld\n%.*s\n%.*s",
                            STR_ARG(object_uid(object)), (long long)object_generation(object),
                            object_is_deleting(object),
                            object_has_finalizer(object, STR(FINALIZER)), STR_ARG(ready.status),
                            STR_ARG(ready.reason), (long long)ready.generation,
                            STR_ARG(object_annotation(object, STR(ANNOTATION_RESOURCE_ID))),
                            STR_ARG(object_annotation(object, STR(ANNOTATION_CHILD_ID)))));
}

struct value *meta_patch(struct arena *a, const struct value *before, const struct value *after)
{
    struct value *patch = value_object(a), *below;

    for (size_t i = 0; i < value_len(after); i++) {
        const struct value *now = &after->items[i], *old = value_get(before, value_key(now));
        if (value_is(now, VALUE_OBJECT) && value_is(old, VALUE_OBJECT)) {
            if ((below = meta_patch(a, old, now)))
                value_set(a, patch, value_key(now), below);
        } else if (!old || !value_equal(old, now)) {
            value_set(a, patch, value_key(now), now);
        }
    }
    for (size_t i = 0; i < value_len(before); i++)
        if (!value_get(after, value_key(&before->items[i])))
            value_set(a, patch, value_key(&before->items[i]), value_null(a));
    return patch->len ? patch : NULL;
}

struct value *meta_patch_object(struct arena *a, const struct value *before,
                                const struct value *after, bool exact)
{
    struct value *patch = value_object(a);
    struct value *meta = meta_patch(a, object_meta(before), object_meta(after));

    if (!meta)
        return NULL;
    if (exact)
        value_set_str(a, meta, STR("resourceVersion"),
                      object_meta_str(before, STR("resourceVersion")));
    object_set_meta(a, patch, meta);
    return patch;
}
