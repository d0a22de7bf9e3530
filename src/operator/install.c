/* SPDX-License-Identifier: Apache-2.0 */
/* install.c - installs definitions into a cluster; see install.h. */
#include "operator/install.h"

#include "azure/crd.h"
#include "kube/client.h"
#include "object/object.h"

#define LABEL_NAME "app.kubernetes.io/name"
#define LABEL_VERSION_OF "app.kubernetes.io/version"

static const struct kube_resource definitions = {.group = STR_INIT("apiextensions.k8s.io"),
                                                 .version = STR_INIT("v1"),
                                                 .name = STR_INIT("customresourcedefinitions"),
                                                 .kind = STR_INIT("CustomResourceDefinition")};
static const struct kube_write_options options = {.field_manager = STR_INIT("plumb")};

/* Called right before each write, since earlier requests may have taken a while. */
static bool may_write(const struct install_config *c, struct err *e)
{
    return !c->leads || c->leads(c->ctx) || err_set(e, ERR_CANCELLED, "the lease is not held");
}

static bool create(const struct install_config *c, struct arena *a, const struct kube_call *call,
                   const struct value *crd, struct install_stats *out, struct err *e)
{
    struct kube_call all = *call;

    if (!may_write(c, e))
        return false;
    all.name = STR_NONE;
    all.retry = &retry_never;
    out->created++;
    return kube_create(c->transport, a, &all, crd, &options, NULL, e);
}

static bool replace(const struct install_config *c, struct arena *a, const struct kube_call *call,
                    const struct value *found, struct value *crd, struct install_stats *out,
                    struct err *e)
{
    if (!str_eq(object_label(found, STR(LABEL_NAME)), object_label(crd, STR(LABEL_NAME))) ||
        str_eq(object_label(found, STR(LABEL_VERSION_OF)),
               object_label(crd, STR(LABEL_VERSION_OF)))) {
        out->kept++;
        return true;
    }
    struct kube_call once = *call;

    if (!may_write(c, e))
        return false;
    value_set_str(a, object_meta(crd), STR("resourceVersion"),
                  object_meta_str(found, STR("resourceVersion")));
    out->replaced++;
    once.retry = &retry_never;
    return kube_update(c->transport, a, &once, crd, &options, NULL, e);
}

static bool install_one(const struct install_config *c,
                        const struct model_resource *const *versions, size_t count,
                        struct install_stats *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct value *crd = value_copy(a, crd_build(a, versions, count, &(struct crd_options){0}));
    const struct kube_call call = {
        .resource = &definitions, .name = object_name(crd), .cancel = c->cancel};
    struct value *found = NULL;

    bool there = kube_get(c->transport, a, &call, &found, e);
    bool ok = there                      ? replace(c, a, &call, found, crd, out, e)
              : e->kind == ERR_NOT_FOUND ? (err_clear(e), create(c, a, &call, crd, out, e))
                                         : false;
    return ok || err_wrap(e, "definition %.*s", STR_ARG(object_name(crd)));
}

static bool install_kind(const struct install_config *c, struct model *m,
                         const struct model_kind *kind, struct install_stats *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct model_resource **versions;
    size_t count;

    return model_versions(m, a, kind->group, kind->kind, &versions, &count, e) &&
           install_one(c, (const struct model_resource *const *)versions, count, out, e);
}

/* Only the files of one group are held at a time: all of them would take 20 MiB. */
static bool install_group(const struct install_config *c, size_t from, size_t to,
                          struct install_stats *out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct model *m;

    if (!model_open_again(a, c->model, &m, e))
        return false;
    bool ok = true;
    for (size_t i = from; ok && i < to; i++)
        ok = install_kind(c, m, &c->kinds[i], out, e);
    model_close(m);
    return ok;
}

bool install_definitions(const struct install_config *config, struct install_stats *out,
                         struct err *e)
{
    const struct model_kind *kinds = config->kinds;

    *out = (struct install_stats){0};
    for (size_t i = 0, end; i < config->count; i = end) {
        for (end = i + 1; end < config->count && str_eq(kinds[end].group, kinds[i].group);)
            end++;
        if (!install_group(config, i, end, out, e))
            return false;
    }
    return true;
}
