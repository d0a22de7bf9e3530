/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - how an object names another one.
 *
 *   {name: x}                                where the model knows group and kind: owners
 *   {group: g, kind: k, name: x}             an object in the same namespace
 *   {armId: /subscriptions/...}              a resource in Azure
 *   {azure: {subscription, resourceGroup, name: Provider/type/name[/type/name...]}}
 *                                            the same in parts; those left out are the holder's own
 *   {wellKnownName: x}                       where Azure knows the name
 *
 * The forms are mutually exclusive. Group and kind may also be given where they are known, and must
 * then match.
 */
#pragma once

#include "azure/model/model.h"
#include "value/source.h"

enum reference_form { REFERENCE_OBJECT, REFERENCE_ID, REFERENCE_AZURE, REFERENCE_WELL_KNOWN };

struct reference {
    enum reference_form form;
    str group, kind, name; /* REFERENCE_OBJECT */
    str id;                /* REFERENCE_ID */
    str subscription;      /* REFERENCE_AZURE, may be empty: the holder's; */
    str resource_group;    /* likewise, */
    str path;              /* and Provider/type/name... */
    str well_known;        /* REFERENCE_WELL_KNOWN */
    const struct value
        *at; /* the reference; when reading fails, the member that is wrong if known */
};

/* What a reference may look like at some place. */
struct reference_rule {
    enum model_builtin builtin;
    str group, kind; /* of what is referred to, when it is known; else empty */
};

/*
 * Reads a reference and checks its form. src may be NULL. Errors have the place of the member that
 * is wrong. The result points into v.
 */
MUST_CHECK bool reference_read(const struct value *v, const struct reference_rule *rule,
                               const struct source *src, struct reference *out, struct err *e);
/* The id that an Azure form means for a holder with this id, which may be empty when all is given.
 */
MUST_CHECK bool reference_azure_id(struct arena *a, const struct reference *r, str subscription,
                                   str holder_group, str *out, struct err *e);
