/* SPDX-License-Identifier: Apache-2.0 */
/* operating.c - runs an operator; see operating.h. */
#include "cli/operating.h"

#include "kube/client.h"
#include "operator/health.h"

#include <unistd.h>

#define HOST_MAX 256

bool operating_settings(struct arena *a, struct kube_transport *t, str namespace, str secret,
                        struct settings *out, struct err *e)
{
    static const struct kube_resource secrets = {
        .version = STR_INIT("v1"), .name = STR_INIT("secrets"), .namespaced = true};
    const struct kube_call call = {.resource = &secrets, .namespace = namespace, .name = secret};
    struct value *found = NULL;
    AUTO_ERR why = {0};

    if (secret.len && !kube_get(t, a, &call, &found, &why) && why.kind != ERR_NOT_FOUND) {
        err_copy(e, &why);
        return err_wrap(e, "Secret %.*s/%.*s", STR_ARG(namespace), STR_ARG(secret));
    }
    const struct settings_source source = {.secret = value_get(found, STR("data"))};
    return settings_read(a, &source, out, e);
}

bool operating_rules(struct arena *a, struct kube_transport *t, str namespace, str from,
                     struct live_config *out, struct err *e)
{
    static const struct kube_resource config_maps = {
        .version = STR_INIT("v1"), .name = STR_INIT("configmaps"), .namespaced = true};
    str name = str_without_prefix(from, STR("configmap/"));
    const struct kube_call call = {.resource = &config_maps, .namespace = namespace, .name = name};
    struct kind_set *rules = NULL;
    struct value *found;

    if (name.len == from.len) {
        if (!kind_set_open(a, from, &rules, e))
            return false;
        out->operator.rules = rules;
        return true;
    }
    str shown = str_fmt(a, "ConfigMap %.*s/%.*s", STR_ARG(namespace), STR_ARG(name));
    if (!kube_get(t, a, &call, &found, e))
        return err_wrap(e, "%.*s", STR_ARG(shown));
    if (!kind_set_from_config_map(a, shown, found, &rules, e))
        return false;
    out->operator.rules = rules;
    out->rules_map = name;
    out->rules_version = value_get_str(object_meta(found), STR("resourceVersion"));
    return true;
}

struct credential_settings operating_simulated(struct arena *a, str url, str subscription)
{
    return (struct credential_settings){
        .kind = CREDENTIAL_SECRET,
        .subscription = subscription,
        .tenant = STR("simulated"),
        .client = STR("plumb"),
        .secret = STR("none"),
        .cloud = {.endpoint = url, .audience = url, .authority = str_concat(a, url, STR("/"))}};
}

str operating_namespace(str option, const struct kube_config *cluster)
{
    const char *pod = getenv("POD_NAMESPACE");

    if (option.len)
        return option;
    if (pod && *pod)
        return str_c(pod);
    return cluster && cluster->in_cluster ? cluster->namespace : STR(OPERATING_NAMESPACE);
}

str operating_identity(struct arena *a)
{
    char host[HOST_MAX + 1] = "";

    (void)!gethostname(host, HOST_MAX);
    return str_fmt(a, "%s_%016llx", host[0] ? host : "plumb", (unsigned long long)random_u64());
}

static void *run(void *ctx)
{
    struct operating *o = ctx;

    live_run(o->live, o->cancel);
    return NULL;
}

static bool listen_on(struct operating *o, str address, size_t i, struct err *e)
{
    return !address.len || str_eq(address, STR("0")) || (i == 1 && str_eq(address, o->health)) ||
           health_start(o->live, address, &o->servers[i], e);
}

bool operating_start(struct operating *o, struct err *e)
{
    struct live_config *c = &o->config;

    c->transport = o->transport;
    c->credential = o->settings.has_credential ? &o->settings.credential : NULL;
    c->cloud = &o->settings.cloud;
    c->own_cloud = o->settings.own_cloud;
    c->agent = o->settings.agent;
    c->namespaces = o->settings.target.items;
    c->namespace_count = o->settings.target.len;
    c->operator.namespace = o->settings.namespace;
    c->operator.period = o->settings.period;
    c->operator.policy = o->settings.policy;
    c->operator.version = STR("v" PLUMB_VERSION);
    o->cancel = http_cancel_new();
    if (live_start(c, &o->live, e)) {
        if (listen_on(o, o->health, 0, e) && listen_on(o, o->metrics, 1, e)) {
            if (pthread_create(&o->thread, NULL, run, o) == 0)
                return true;
            err_set(e, ERR_LIMIT, "no thread can be started");
        }
        for (size_t i = 0; i < COUNT(o->servers); i++)
            if (o->servers[i])
                server_stop(o->servers[i], 0);
        live_stop(o->live);
    }
    http_cancel_free(o->cancel);
    return false;
}

void operating_stop(struct operating *o)
{
    http_cancel_raise(o->cancel);
    pthread_join(o->thread, NULL);
    for (size_t i = 0; i < COUNT(o->servers); i++)
        if (o->servers[i])
            server_stop(o->servers[i], 0);
    live_stop(o->live);
    http_cancel_free(o->cancel);
}
