/* SPDX-License-Identifier: Apache-2.0 */
/* cluster.c - a cluster with custom resources of Azure; see cluster.h. */
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

static bool is_listed(const struct cluster *cl, const struct kube_resource *r)
{
    return r->preferred && !r->subresource && kube_verb_has(r, "list") && r->group.len &&
           model_has_group(cl->model, r->group);
}

bool cluster_list(const struct cluster *cl, str namespace, kube_item_fn *fn, void *ctx,
                  struct err *e)
{
    const struct kube_list_options options = {.limit = KUBE_PAGE};

    for (size_t i = 0; i < cl->discovery->resource_count; i++) {
        const struct kube_resource *resource = &cl->discovery->resources[i];
        const struct kube_call call = {.resource = resource,
                                       .namespace = resource->namespaced ? namespace : STR_NONE};
        if (is_listed(cl, resource) &&
            !kube_list(cl->transport, &call, &options, fn, ctx, cl->call->arena, NULL, e))
            return false;
    }
    return true;
}
