/* SPDX-License-Identifier: Apache-2.0 */
/* confirm.c - plumb confirm: releases deletions held back by plumb operate --confirm-deletes. */
#include "cli/commands.h"
#include "cli/options/kube.h"
#include "azure/model/model.h"
#include "kube/client.h"
#include "object/condition.h"
#include "object/names.h"
#include "object/object.h"

struct confirm_values {
    struct kube_values kube;
    bool all;
};

static const struct option confirm_options[] = {
    {"all", 0, OPTION_BOOL, offsetof(struct confirm_values, all),
     .help = "Confirm everything in the namespace that waits for confirmation"},
};

struct confirming {
    struct call *call;
    struct kube_transport *transport;
    const struct kube_discovery *discovery;
    const struct kube_resource *resource; /* of the listed objects */
    str namespace;
    size_t count;
};

static bool confirm(struct confirming *c, const struct kube_resource *resource, str name,
                    struct err *e)
{
    struct arena *a = c->call->arena;
    const struct kube_call place = {.resource = resource, .namespace = c->namespace, .name = name};
    const struct kube_write_options options = {.field_manager = STR(FIELD_MANAGER)};
    struct value *patch = value_object(a);

    object_set_annotation(a, patch, STR(ANNOTATION_CONFIRM), STR("delete"));
    if (!kube_patch(c->transport, a, &place, KUBE_MERGE_PATCH, patch, &options, NULL, e))
        return false;
    output_fmt(c->call->out, "%.*s/%.*s confirmed\n", STR_ARG(str_lower(a, resource->kind)),
               STR_ARG(name));
    c->count++;
    return true;
}

/* ---- By name. -------------------------------------------------------------------------------- */

static bool confirm_one(struct confirming *c, str text, struct err *e)
{
    struct kube_call place = {.namespace = c->namespace};
    struct value *found;
    str kind;

    if (!str_cut(text, STR("/"), &kind, &place.name) || !kind.len || !place.name.len)
        return err_set(e, ERR_USAGE, "\"%.*s\" must be KIND/NAME, as resourcegroup/shop",
                       STR_ARG(text));
    if (!(place.resource = kube_resource_find(c->discovery, kind)))
        return err_set(e, ERR_NOT_FOUND, "the server does not have a resource type \"%.*s\"",
                       STR_ARG(kind));
    if (!kube_get(c->transport, c->call->arena, &place, &found, e))
        return false;
    if (!object_is_deleting(found))
        return err_set(e, ERR_INVALID,
                       "%.*s is not being deleted: there is nothing to confirm. A deletion is "
                       "confirmed after \"kubectl delete\"",
                       STR_ARG(text));
    return confirm(c, place.resource, place.name, e);
}

/* ---- All that wait. -------------------------------------------------------------------------- */

static bool take(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    struct confirming *c = ctx;
    struct condition ready;

    (void)a;
    if (!object_is_deleting(item) ||
        !condition_get(value_get(item, STR("status")), STR("Ready"), &ready) ||
        !str_eq(ready.reason, STR("WaitingForConfirmation")))
        return true;
    return confirm(c, c->resource, str_copy(c->call->arena, object_name(item)), e);
}

static bool confirm_all(struct confirming *c, struct model *model, struct err *e)
{
    const struct kube_list_options options = {.limit = KUBE_PAGE};

    for (size_t i = 0; i < c->discovery->resource_count; i++) {
        const struct kube_resource *r = &c->discovery->resources[i];
        const struct kube_call place = {.resource = r, .namespace = c->namespace};
        c->resource = r;
        if (r->preferred && !r->subresource && r->namespaced && kube_verb_has(r, "list") &&
            r->group.len && model_has_group(model, r->group) &&
            !kube_list(c->transport, &place, &options, take, c, c->call->arena, NULL, e))
            return false;
    }
    if (!c->count)
        output_fmt(c->call->out, "Nothing in namespace %.*s waits for confirmation.\n",
                   STR_ARG(c->namespace));
    return true;
}

/* ---- The command. ---------------------------------------------------------------------------- */

static bool confirm_given(struct confirming *c, struct err *e)
{
    const struct confirm_values *v = c->call->values;
    struct model *model;

    if (v->all) {
        if (!model_open(c->call->arena, STR_NONE, &model, e))
            return false;
        bool ok = confirm_all(c, model, e);
        model_close(model);
        return ok;
    }
    for (size_t i = 0; i < c->call->arg_count; i++)
        if (!confirm_one(c, c->call->args[i], e))
            return false;
    return true;
}

static bool cmd_confirm(struct call *call, struct err *e)
{
    const struct confirm_values *v = call->values;
    struct kube_flags flags = kube_values_flags(call->options, &v->kube);
    AUTO_ARENA secrets = arena_new_secret();
    struct confirming c = {.call = call};
    struct kube_discovery *discovery;
    struct kube_config *config;

    if (v->all == (call->arg_count > 0))
        return err_set(e, ERR_USAGE, "name objects as KIND/NAME, or give --all");
    if (!kube_config_load(secrets, &flags, &config, e) ||
        !kube_transport_new(config, STR("plumb/" PLUMB_VERSION), &c.transport, e))
        return false;
    c.namespace = config->namespace;
    bool ok = kube_discover(c.transport, call->arena, NULL, &discovery, e);
    c.discovery = discovery;
    ok = ok && confirm_given(&c, e);
    kube_transport_free(c.transport);
    return ok;
}

const struct command command_confirm = {
    .name = "confirm",
    .args = "[KIND/NAME...]",
    .brief = "Let deletions go on that wait for confirmation",
    .help = "With plumb operate --confirm-deletes N, deleting more than N objects within ten\n"
            "minutes waits: the condition Ready of an object that is held back has the reason\n"
            "WaitingForConfirmation. This confirms the deletion of the objects named, and of\n"
            "everything that goes with them, by the annotation plumb.azure.com/confirm.\n",
    .examples = "  plumb confirm resourcegroup/old\n"
                "  plumb confirm --all -n test\n",
    .options = confirm_options,
    .option_count = COUNT(confirm_options),
    .values_size = sizeof(struct confirm_values),
    .connects = true,
    .kube_offset = offsetof(struct confirm_values, kube),
    .args_min = 0,
    .args_max = ARGS_ANY,
    .run = cmd_confirm,
};
