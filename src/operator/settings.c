/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - the reference operator's settings; see settings.h. */
#include "operator/settings.h"

#include "operator/schedule.h"
#include "text/codec.h"

#include <stdlib.h>

struct reading {
    struct arena *arena;
    const struct settings_source *source;
};

static bool get(void *ctx, const char *name, str *out)
{
    struct reading *r = ctx;
    const char *text = r->source->environment ? r->source->environment(name) : getenv(name);
    size_t bad;

    *out = str_c(text);
    if (out->len)
        return true;
    const struct value *v = value_get(r->source->secret, str_c(name));
    return v && base64_decode(r->arena, value_str(v), out, &bad) && out->len;
}

/* ---- Values. --------------------------------------------------------------------------------- */

bool settings_policy(str text, enum policy *out, struct err *e)
{
    static const struct {
        const char *name;
        enum policy policy;
    } policies[] = {
        {"manage", POLICY_MANAGE}, {"skip", POLICY_SKIP}, {"detach-on-delete", POLICY_DETACH}};

    for (size_t i = 0; i < COUNT(policies); i++)
        if (str_eq(text, str_c(policies[i].name))) {
            *out = policies[i].policy;
            return true;
        }
    return err_set(e, ERR_INVALID,
                   "\"%.*s\" is not a policy; it must be manage, skip or detach-on-delete",
                   STR_ARG(text));
}

/* Go's strconv.ParseBool, and false for anything else. */
static bool is_true(str text)
{
    static const char *const yes[] = {"1", "t", "T", "TRUE", "true", "True"};

    for (size_t i = 0; i < COUNT(yes); i++)
        if (str_eq(text, str_c(yes[i])))
            return true;
    return false;
}

static bool read_mode(str text, struct err *e)
{
    if (str_eq_fold(text, STR("watchers")) || str_eq_fold(text, STR("watchers-and-webhooks")))
        return true;
    if (str_eq_fold(text, STR("webhooks")))
        return err_set(e, ERR_INVALID,
                       "\"webhooks\": plumb checks objects in its passes and has no server of "
                       "webhooks; run it with watchers");
    return err_set(e, ERR_INVALID,
                   "\"%.*s\" is not a mode; it must be watchers or watchers-and-webhooks",
                   STR_ARG(text));
}

static void read_list(struct arena *a, str text, struct str_list *out)
{
    str one;

    while (text.len) {
        str_cut(text, STR(","), &one, &text);
        one = str_trim(one);
        if (one.len)
            VEC_PUSH(a, out, one);
    }
}

static bool at_least_one(str text, struct err *e)
{
    int64_t n;

    return (str_to_i64(text, &n) && n >= 1) ||
           err_set(e, ERR_INVALID, "\"%.*s\" is not a number from 1 on", STR_ARG(text));
}

static bool read_rate_mode(str text, struct err *e)
{
    return str_eq(text, STR("disabled")) || str_eq(text, STR("bucket")) ||
           err_set(e, ERR_INVALID, "\"%.*s\" is not a mode; it must be disabled or bucket",
                   STR_ARG(text));
}

/* ---- All of them. ---------------------------------------------------------------------------- */

static bool read_one(struct reading *r, const char *name, str text, struct settings *out,
                     struct err *e)
{
    str key = str_c(name);

    if (str_eq(key, STR("AZURE_OPERATOR_MODE")))
        return read_mode(text, e);
    if (str_eq(key, STR("AZURE_SYNC_PERIOD")))
        return schedule_parse(text, &out->period, e);
    if (str_eq(key, STR("DEFAULT_RECONCILE_POLICY")))
        return settings_policy(text, &out->policy, e);
    if (str_eq(key, STR("MAX_CONCURRENT_RECONCILES")))
        return at_least_one(text, e);
    if (str_eq(key, STR("RATE_LIMIT_MODE")))
        return read_rate_mode(text, e);
    if (str_eq(key, STR("ALLOW_MULTI_ENV_MANAGEMENT")))
        out->own_cloud = is_true(text);
    else if (str_eq(key, STR("AZURE_TARGET_NAMESPACES")))
        read_list(r->arena, text, &out->target);
    else if (str_eq(key, STR("AZURE_USER_AGENT_SUFFIX")))
        out->agent = text;
    else if (str_eq(key, STR("POD_NAMESPACE")))
        out->namespace = text;
    return true;
}

static bool read_credential(struct reading *r, struct settings *out, struct err *e)
{
    const struct credential_keys keys = {get, r};
    const struct credential_options options = {.origin = STR("the environment")};
    str subscription;

    if (get(r, "AZURE_SUBSCRIPTION_ID", &subscription)) {
        out->has_credential = true;
        if (!credential_select(r->arena, &keys, &options, &out->credential, e))
            return false;
    } else {
        /* Scoped credentials still use its endpoints. */
        AUTO_ERR none = {0};
        (void)!credential_select(r->arena, &keys, &options, &out->credential, &none);
        if (none.kind != ERR_NOT_FOUND)
            return err_copy(e, &none);
    }
    out->cloud = out->credential.cloud;
    return true;
}

bool settings_read(struct arena *a, const struct settings_source *source, struct settings *out,
                   struct err *e)
{
    static const char *const names[] = {
        "ALLOW_MULTI_ENV_MANAGEMENT", "AZURE_OPERATOR_MODE",     "AZURE_SYNC_PERIOD",
        "AZURE_TARGET_NAMESPACES",    "AZURE_USER_AGENT_SUFFIX", "DEFAULT_RECONCILE_POLICY",
        "MAX_CONCURRENT_RECONCILES",  "POD_NAMESPACE",           "RATE_LIMIT_MODE",
    };
    struct reading r = {a, source};
    str text;

    *out = (struct settings){.period = SETTINGS_PERIOD};
    for (size_t i = 0; i < COUNT(names); i++)
        if (get(&r, names[i], &text) && !read_one(&r, names[i], str_copy(a, text), out, e))
            return err_wrap(e, "%s", names[i]);
    return read_credential(&r, out, e);
}
