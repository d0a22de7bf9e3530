/* SPDX-License-Identifier: Apache-2.0 */
/* cluster.c - connects to a cluster with Azure custom resources; see cluster.h. */
#include "cli/cluster.h"

#include "azure/model/model.h"

bool cluster_open(struct call *c, struct arena *secrets, const struct kube_values *v,
                  struct cluster *out, struct err *e)
{
    struct kube_flags flags = kube_values_flags(c->options, v);
    struct kube_discovery *discovery;

    *out = (struct cluster){.call = c};
    if (!model_open(c->arena, STR_NONE, &out->model, e))
        return false;
    if (kube_config_load(secrets, &flags, &out->config, e) &&
        kube_transport_new(out->config, STR("plumb/" PLUMB_VERSION), &out->transport, e) &&
        kube_discover(out->transport, c->arena, NULL, &discovery, e)) {
        out->namespace = out->config->namespace;
        out->discovery = discovery;
        return true;
    }
    cluster_close(out);
    return false;
}

void cluster_close(struct cluster *cl)
{
    if (cl->transport)
        kube_transport_free(cl->transport);
    model_close(cl->model);
}

bool cluster_name(const struct cluster *cl, str text, struct object_key *key,
                  const struct kube_resource **resource, struct err *e)
{
    str kind, name;

    if (!str_cut(text, STR("/"), &kind, &name) || !kind.len || !name.len)
        return err_set(e, ERR_USAGE, "\"%.*s\" must be KIND/NAME, as virtualnetwork/net",
                       STR_ARG(text));
    *resource = kube_resource_find(cl->discovery, kind);
    if (!*resource)
        return err_set(e, ERR_NOT_FOUND, "the server does not have a resource type \"%.*s\"",
                       STR_ARG(kind));
    *key = (struct object_key){.group = (*resource)->group,
                               .kind = (*resource)->kind,
                               .namespace = cl->namespace,
                               .name = name};
    return true;
}

static bool check_version(const struct kube_version *v, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str why = v->failure.len ? v->failure : v->doubt;

    return !why.len ||
           err_set(e, v->failure.len ? v->error : ERR_IO, "objects of %.*s may be missing: %.*s",
                   STR_ARG(api_version_join(a, v->group, v->version)), STR_ARG(why));
}

bool cluster_check_group(const struct kube_discovery *d, str group, struct err *e)
{
    for (size_t i = 0; i < d->version_count; i++)
        if (str_eq(d->versions[i].group, group) && !check_version(&d->versions[i], e))
            return false;
    return true;
}

/* Without their resources, nothing would be listed, and nothing would seem to exist. */
static bool check_known(const struct cluster *cl, struct err *e)
{
    for (size_t i = 0; i < cl->discovery->version_count; i++) {
        const struct kube_version *v = &cl->discovery->versions[i];
        if (v->group.len && model_has_group(cl->model, v->group) && !check_version(v, e))
            return false;
    }
    return true;
}

struct listing {
    const struct kube_call *call;
    kube_item_fn *fn;
    void *ctx;
};

static bool take_item(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    const struct listing *l = ctx;

    if (!kube_object_fits(l->call, item, e))
        return err_wrap(e, "the list of %.*s", STR_ARG(l->call->resource->name));
    return l->fn(l->ctx, a, item, e);
}

bool cluster_list(const struct cluster *cl, str namespace, kube_item_fn *fn, void *ctx,
                  struct err *e)
{
    const struct kube_list_options options = {.limit = KUBE_PAGE};

    if (!check_known(cl, e))
        return false;
    for (size_t i = 0; i < cl->discovery->resource_count; i++) {
        const struct kube_resource *resource = &cl->discovery->resources[i];
        const struct kube_call call = {.resource = resource,
                                       .namespace = resource->namespaced ? namespace : STR_NONE};
        struct listing l = {&call, fn, ctx};
        if (resource->preferred && !resource->subresource && kube_verb_has(resource, "list") &&
            resource->group.len && model_has_group(cl->model, resource->group) &&
            !kube_list(cl->transport, &call, &options, take_item, &l, cl->call->arena, NULL, e))
            return false;
    }
    return true;
}
