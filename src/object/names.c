/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - the table of annotations; see names.h. */
#include "object/names.h"

const struct object_annotation_name object_annotations[] = {
    {ANNOTATION_API_VERSION, NAME_OPERATOR, "API version that the user applied"},
    {ANNOTATION_BLOCK_OWNER, NAME_USER, "the owner's deletion waits for this object"},
    {ANNOTATION_CONFIRM, NAME_USER, "confirms a deletion that waits for it"},
    {ANNOTATION_IGNORE, NAME_USER, "paths whose drift is ignored"},
    {ANNOTATION_KNOWN, NAME_OPERATOR,
     "what the operator knows, where the status has no place for it"},
    {ANNOTATION_LEFTOVERS, NAME_OPERATOR, "fields that the stored version has no place for"},
    {ANNOTATION_MODE, NAME_USER, "what happens on drift: correct, report or put-only"},
    {ANNOTATION_POLL_DIGEST, NAME_OPERATOR, "digest of the payload that is being applied"},
    {ANNOTATION_PROTECT, NAME_USER, "rejects deletion of the resource in Azure"},
    {ANNOTATION_SHARE, NAME_USER, "paths that others may add to"},
    {ANNOTATION_SYNC_PERIOD, NAME_USER, "time between two looks at Azure"},
    {ANNOTATION_AZURE_NAME, NAME_OPERATOR, "name in Azure, as it was read from a ConfigMap"},
    {ANNOTATION_SYNC_TOKEN, NAME_OPERATOR, "state of the sync of a backup"},
    {ANNOTATION_CHILD_ID, NAME_OPERATOR, "ARM id that children are placed below"},
    {ANNOTATION_CREDENTIAL_FROM, NAME_USER, "Secret with the credential"},
    {ANNOTATION_GENERATION, NAME_OPERATOR, "generation for which Azure was last asked"},
    {ANNOTATION_OPERATOR_NAMESPACE, NAME_OPERATOR,
     "namespace of the operator that owns the object"},
    {ANNOTATION_POLL_ID, NAME_OPERATOR, "what the poll token belongs to"},
    {ANNOTATION_POLL_TOKEN, NAME_OPERATOR, "state of a long-running operation"},
    {ANNOTATION_POLICY, NAME_USER, "manage, skip or detach-on-delete"},
    {ANNOTATION_RESOURCE_ID, NAME_OPERATOR, "ARM id"},
    {NULL, NAME_USER, NULL},
};
