/* SPDX-License-Identifier: Apache-2.0 */
/* object_meta.c - the standard form of metadata, which every object from a file must have. */
#include "compare/input/input_internal.h"
#include "go/decode.h"

static const struct schema exact_string = {.kind = SCHEMA_STRING, .go = "string"};
static const struct schema exact_bool = {.kind = SCHEMA_BOOL, .go = "bool"};
static const struct schema int64 = {.kind = SCHEMA_INT, .go = "int64"};
static const struct schema uid = {.kind = SCHEMA_STRING, .go = "types.UID"};
static const struct schema time_ = {.kind = SCHEMA_TIME, .go = "string", .apart = true};
static const struct schema operation = {.kind = SCHEMA_STRING,
                                        .go = "v1.ManagedFieldsOperationType"};
static const struct schema string_map = {
    .kind = SCHEMA_MAP, .go = "map[string]string", .item = &exact_string};

static const struct schema owner = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.OwnerReference",
    .fields = (const struct schema_field[]){{"apiVersion", &exact_string, NULL},
                                            {"blockOwnerDeletion", &exact_bool, NULL},
                                            {"controller", &exact_bool, NULL},
                                            {"kind", &exact_string, NULL},
                                            {"name", &exact_string, NULL},
                                            {"uid", &uid, NULL},
                                            {0}},
};
static const struct schema owners = {
    .kind = SCHEMA_LIST, .go = "[]v1.OwnerReference", .item = &owner};

static const struct schema managed = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.ManagedFieldsEntry",
    .fields = (const struct schema_field[]){{"apiVersion", &exact_string, NULL},
                                            {"fieldsType", &exact_string, NULL},
                                            {"manager", &exact_string, NULL},
                                            {"operation", &operation, NULL},
                                            {"subresource", &exact_string, NULL},
                                            {"time", &time_, NULL},
                                            {0}},
};
static const struct schema managed_list = {
    .kind = SCHEMA_LIST, .go = "[]v1.ManagedFieldsEntry", .item = &managed};

static const struct schema meta = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.ObjectMeta",
    .fields = (const struct schema_field[]){{"annotations", &string_map, NULL},
                                            {"creationTimestamp", &time_, NULL},
                                            {"deletionGracePeriodSeconds", &int64, NULL},
                                            {"deletionTimestamp", &time_, NULL},
                                            {"finalizers", &schema_strings, NULL},
                                            {"generateName", &exact_string, NULL},
                                            {"generation", &int64, NULL},
                                            {"labels", &string_map, NULL},
                                            {"managedFields", &managed_list, NULL},
                                            {"name", &exact_string, NULL},
                                            {"namespace", &exact_string, NULL},
                                            {"ownerReferences", &owners, NULL},
                                            {"resourceVersion", &exact_string, NULL},
                                            {"selfLink", &exact_string, NULL},
                                            {"uid", &uid, NULL},
                                            {0}},
};

static const struct schema object = {
    .kind = SCHEMA_STRUCT,
    .go = "v1.metadataOnlyObject",
    .fields = (const struct schema_field[]){{"apiVersion", &exact_string, NULL},
                                            {"kind", &exact_string, NULL},
                                            {"metadata", &meta, NULL},
                                            {0}},
};

/*
 * Which of several faults is reported depends on the order of the text, which for YAML is that of
 * the JSON it is turned into. The order costs time and is only made when something is wrong.
 */
bool object_meta_check(struct arena *a, struct value *doc, bool sorted, struct err *e)
{
    AUTO_ERR first = {0};

    if (schema_decode(a, &object, SCHEMA_CHECK, doc, &first))
        return true;
    if (!sorted)
        return err_copy(e, &first);
    return schema_decode(a, &object, SCHEMA_CHECK_SORTED, doc, e);
}
