/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the table of annotations, labels and finalizers that plumb uses.
 *
 * Those of the reference operator (Azure Service Operator) are identical, so that either operator
 * can take over from the other; plumb's own have the prefix plumb.azure.com/.
 *
 * To add one: a define here, a line in the table of names.c, a line in the documentation of the
 * code that reads it.
 */
#pragma once

#include "base/base.h"

#define NAME_PREFIX "serviceoperator.azure.com/"
#define NAME_PREFIX_OWN "plumb.azure.com/"

#define FINALIZER NAME_PREFIX "finalizer"
/* The field manager of plumb's own writes in metadata.managedFields. */
#define FIELD_MANAGER "plumb"

/* ---- The reference operator's. --------------------------------------------------------------- */

/* Written by users. */
#define ANNOTATION_POLICY NAME_PREFIX "reconcile-policy"
#define ANNOTATION_CREDENTIAL_FROM NAME_PREFIX "credential-from"
/* Written by the operator. */
#define ANNOTATION_OPERATOR_NAMESPACE NAME_PREFIX "operator-namespace"
#define ANNOTATION_RESOURCE_ID NAME_PREFIX "resource-id"
#define ANNOTATION_POLL_TOKEN NAME_PREFIX "poller-resume-token"
#define ANNOTATION_POLL_ID NAME_PREFIX "poller-resume-id"
#define ANNOTATION_GENERATION NAME_PREFIX "latest-reconciled-generation"
#define ANNOTATION_CHILD_ID NAME_PREFIX "child-resource-id-override"
#define ANNOTATION_AZURE_NAME NAME_PREFIX "azure-name-from-config"
#define ANNOTATION_SYNC_TOKEN NAME_PREFIX "bi-poller-resume-token"

#define LABEL_OWNER_NAME NAME_PREFIX "owner-name"
#define LABEL_OWNER_KIND NAME_PREFIX "owner-group-kind"
#define LABEL_OWNER_UID NAME_PREFIX "owner-uid"
#define LABEL_VERSION NAME_PREFIX "last-reconciled-version"

/* ---- Plumb's own. ---------------------------------------------------------------------------- */

/* Written by the operator. */
#define ANNOTATION_API_VERSION NAME_PREFIX_OWN "api-version"
#define ANNOTATION_KNOWN NAME_PREFIX_OWN "known-differences"
#define ANNOTATION_LEFTOVERS NAME_PREFIX_OWN "leftovers"
#define ANNOTATION_POLL_DIGEST NAME_PREFIX_OWN "poller-resume-digest"
/* Written by users. */
#define ANNOTATION_MODE NAME_PREFIX_OWN "mode"
#define ANNOTATION_SYNC_PERIOD NAME_PREFIX_OWN "sync-period"
#define ANNOTATION_PROTECT NAME_PREFIX_OWN "protect"
#define ANNOTATION_CONFIRM NAME_PREFIX_OWN "confirm"
#define ANNOTATION_IGNORE NAME_PREFIX_OWN "ignore"
#define ANNOTATION_SHARE NAME_PREFIX_OWN "share"
#define ANNOTATION_BLOCK_OWNER NAME_PREFIX_OWN "block-owner-deletion"

/* ---- Others'. -------------------------------------------------------------------------------- */

#define ANNOTATION_LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

enum name_writer { NAME_USER, NAME_OPERATOR };

struct object_annotation_name {
    const char *name;
    enum name_writer writer;
    const char *help;
};

/* All annotations, sorted by name; ends with a NULL name. */
extern const struct object_annotation_name object_annotations[];
