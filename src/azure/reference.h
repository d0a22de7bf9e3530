/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - how an object names another one.
 *
 *   {name: x}                                where the model knows group and kind: owners
 *   {group: g, kind: k, name: x}             an object in the same namespace
 *   {armId: /subscriptions/...}              a resource in Azure
 *   {azure: {subscription, resourceGroup, name: Provider/type/name[/type/name...]}}
 *                                            the same in parts; omitted ones are the holder's own
 *   {wellKnownName: x}                       for well-known names in Azure
 *
 * The forms are mutually exclusive. Group and kind may also be given if they are known, and must
 * then match.
 */
#pragma once

#include "azure/model/model.h"
#include "object/object.h"
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
        *at; /* the reference; if reading fails, the member that is wrong, if known */
};

/* What a reference may look like in a given field. */
struct reference_rule {
    enum model_builtin builtin;
    str group, kind; /* of the target, if known; else empty */
};

/*
 * Reads a reference and checks its form. src may be NULL. Errors have the position of the invalid
 * member. The result points into v.
 */
MUST_CHECK bool reference_read(const struct value *v, const struct reference_rule *rule,
                               const struct source *src, struct reference *out, struct err *e);
/* What a reference to an object names, in the namespace of its holder. */
struct object_key reference_key(const struct reference *r, str namespace);
/*
 * The id for the Azure form; omitted parts are the holder's, which may be empty if all are given.
 */
MUST_CHECK bool reference_azure_id(struct arena *a, const struct reference *r, str subscription,
                                   str holder_group, str *out, struct err *e);
