/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - what an object carries, byte by byte as the reference operator writes it: operator.md,
 * 1.1, 2.7 and 4.5. Names are spelled out here, so that a changed define is noticed.
 */
#include "world/behaviours.h"

#define OTHERS "serviceoperator.azure.com/"

static struct stage stage;

static const struct {
    const char *place, *name, *value; /* value NULL: absent */
} fields[] = {
    {"annotations", OTHERS "operator-namespace", "plumb-system"},
    {"annotations", OTHERS "resource-id",
     "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/"
     "Microsoft.Storage/storageAccounts/acc"},
    {"annotations", OTHERS "latest-reconciled-generation", "1"},
    {"annotations", OTHERS "poller-resume-token", NULL},
    {"annotations", OTHERS "poller-resume-id", NULL},
    {"annotations", OTHERS "reconcile-policy", NULL},
    {"labels", OTHERS "owner-name", "rg"},
    {"labels", OTHERS "owner-group-kind", "ResourceGroup.resources.azure.com"},
    {"labels", OTHERS "last-reconciled-version", "v0.1.0"},
};

static const struct value *meta_of_account(struct stage *s)
{
    return value_get(stage_get(s, "StorageAccount", "acc"), STR("metadata"));
}

static void check_fields(struct stage *s, const struct value *meta)
{
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct value *v =
            value_get(value_get(meta, str_c(fields[i].place)), str_c(fields[i].name));
        world_expect(s->w, fields[i].value ? str_eq(value_str(v), str_c(fields[i].value)) : !v,
                     "%s is \"%.*s\"", fields[i].name, STR_ARG(value_str(v)));
    }
}

/* {apiVersion, kind, name, uid} and nothing else; the uid is that of the label, too. */
static void check_owner(struct stage *s, str uid)
{
    const struct value *meta = meta_of_account(s);
    const struct value *owners = value_get(meta, STR("ownerReferences")), *o = value_at(owners, 0);

    world_expect(s->w, value_len(owners) == 1 && value_len(o) == 4, "the owner reference");
    world_expect(
        s->w,
        str_has_prefix(value_get_str(o, STR("apiVersion")), STR("resources.azure.com/")) &&
            str_eq(value_get_str(o, STR("kind")), STR("ResourceGroup")) &&
            str_eq(value_get_str(o, STR("name")), STR("rg")) &&
            str_eq(value_get_str(o, STR("uid")), uid) &&
            str_eq(value_get_str(value_get(meta, STR("labels")), STR(OTHERS "owner-uid")), uid),
        "the owner reference");
}

void fields_of_objects(struct world *w)
{
    struct stage *s = &stage;
    const struct value *annotations = NULL, *finalizers;
    str token = STR_NONE;

    stage_open(s, w, &(struct stage_options){0});
    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 30 * NS_PER_SEC);
    str uid = str_copy(w->arena, object_uid(stage_get(s, "ResourceGroup", "rg")));
    stage_apply_text(s, ACCOUNT("acc", ""));
    for (int i = 0; i < 600 && !token.len; i++) {
        stage_run(s, 20 * NS_PER_MS);
        annotations = value_get(meta_of_account(s), STR("annotations"));
        token = value_get_str(annotations, STR(OTHERS "poller-resume-token"));
    }
    world_expect(w,
                 str_has_prefix(token, STR("{\"type\":\"GenericResource\",\"token\":{\"")) &&
                     str_eq(value_get_str(annotations, STR(OTHERS "poller-resume-id")),
                            STR("GenericClient.CreateOrUpdateByID")),
                 "the poll token: %.*s", STR_ARG(token));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    check_fields(s, meta_of_account(s));
    check_owner(s, uid);
    finalizers = value_get(meta_of_account(s), STR("finalizers"));
    world_expect(w,
                 value_len(finalizers) == 1 &&
                     str_eq(value_str(value_at(finalizers, 0)), STR(OTHERS "finalizer")),
                 "the finalizer");
    stage_close(s);
}
