/* SPDX-License-Identifier: Apache-2.0 */
/*
 * needs.h - lists everything that an object needs or names.
 *
 *   needs      owner, references, Secrets, ConfigMaps: what its body and id are made from
 *   exports    Secrets and ConfigMaps that operatorSpec asks to be written
 *
 *     struct needs needs = {0};
 *     needs_of(a, resource, object, &needs);
 *     for (size_t i = 0; i < needs.len; i++)
 *         if (need_is_in_cluster(&needs.items[i])) watch(&needs.items[i].object);
 *
 * Only what the object itself names is listed: what its owner needs is listed for the owner. Fields
 * that are not sent are skipped (convert.h has the same rules), and so are invalid fields:
 * azure/check.h and the conversion report those. All functions may be called from any thread.
 */
#pragma once

#include "azure/reference.h"
#include "object/object.h"

enum need_kind {
    NEED_OWNER,
    NEED_REFERENCE,
    NEED_SECRET,     /* one key of it */
    NEED_SECRET_MAP, /* all keys */
    NEED_CONFIG_MAP, /* one key of it */
    NEED_EXPORT_SECRET,
    NEED_EXPORT_CONFIG_MAP,
    NEED_KIND_COUNT,
};

struct need {
    enum need_kind kind;
    str path;                 /* spec.subnets[0].routeTableReference */
    const struct value *at;   /* the value at path */
    struct object_key object; /* in the object's namespace; empty: see need_is_in_cluster */
    str key; /* key in the Secret or ConfigMap; empty: all, or chosen by an expression */
    struct reference reference; /* NEED_OWNER, NEED_REFERENCE */
};

struct needs {
    struct need *items;
    size_t len, cap;
};

/*
 * Appends everything that an object of this kind needs and names. Lives as long as a and the
 * object.
 */
void needs_of(struct arena *a, const struct model_resource *res, const struct value *object,
              struct needs *out);

/* Whether the need is met by an object; otherwise it is an id, or a well-known name in Azure. */
bool need_is_in_cluster(const struct need *n);
/* Whether the operator writes it, rather than reads it. */
bool need_is_export(const struct need *n);
/* "owner", "reference", "secret", "secret map", "config map", "exported secret", ... */
const char *need_kind_name(enum need_kind kind);

/* What a conversion did not find. */
struct missing_item {
    str path;                 /* path of the need: spec.owner */
    struct object_key object; /* the missing object: the need itself, or an owner further up */
    str key;                  /* the missing key, if the object exists; else empty */
    str text;                 /* the message, with the path */
};

struct missing {
    struct missing_item *items;
    size_t len, cap;
};
