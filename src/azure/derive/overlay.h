/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlay.h - what is not in published types: kinds, versions and facts.
 *
 * One file per group, api/overlay/<group>.json; docs/design/azure-model.md has the format. Reading
 * checks the whole file: unknown keys and codes, versions that no kind offers and values of the
 * wrong type are errors with file and line. Facts are looked up by the exact name of a type and a
 * property, and are marked as used: an unused one is a mistake (overlay_unused).
 *
 * An overlay lives as long as its arena. One thread at a time, because of the marks.
 */
#pragma once

#include "value/source.h"

#define OVERLAY_MAX (16 * MIB) /* bytes in one file */
#define OVERLAY_KINDS_MAX 5000 /* kinds in one group */

enum side { SIDE_SPEC, SIDE_STATUS };
/* "spec", "status" */
const char *side_name(enum side side);

/* What a fact can say about a property. It may be limited to versions and to one side. */
enum fact_code {
    FACT_CONFIG,          /* config: optional pair with a config map */
    FACT_CONFIG_ONLY,     /* config!: from a config map only */
    FACT_DROP,            /* drop: leave out */
    FACT_FLATTEN,         /* flatten: replaced by its members */
    FACT_FLOAT,           /* float: a floating point number */
    FACT_HIDE,            /* hide: leave out, but the object does not count as empty */
    FACT_KEEP,            /* keep: although it is read-only or write-only */
    FACT_KEEP_EMPTY,      /* keepEmpty: send an empty collection */
    FACT_MAP,             /* map: any is a map of any */
    FACT_NO_FLATTEN,      /* noflatten */
    FACT_NO_ITEM_LIMITS,  /* noitemv: elements have no validation */
    FACT_OPTIONAL,        /* opt */
    FACT_PLAIN,           /* plain: neither a secret nor a reference, even if it looks like one */
    FACT_REF,             /* ref: contains an ARM id */
    FACT_REF_BESIDE,      /* ref+: a reference next to the literal */
    FACT_REF_WELL_KNOWN,  /* ref?: an ARM id or a well-known name */
    FACT_REQUIRED,        /* req */
    FACT_SECRET,          /* secret: from a secret */
    FACT_SECRET_MAP,      /* secretMap: a map from one secret */
    FACT_SECRET_OPTIONAL, /* secret?: optional pair with a secret */
    FACT_STRING,          /* string: an enum without its values */
    FACT_BY_TYPE,         /* variantByType: variants are named after their types */
    FACT_CODES,
};

/* What a fact can replace: {"name": "x"} and so on. */
enum fact_attr {
    ATTR_ARM,       /* the name in ARM */
    ATTR_ENUM,      /* the values */
    ATTR_IDENTITY,  /* what identifies the elements of an array: [fields], "index" or "set" */
    ATTR_MIN_ITEMS, /* children that must be embedded when the owner is created */
    ATTR_NAME,      /* the name in Kubernetes */
    ATTR_TYPE,      /* t: the type string */
    ATTR_LIMITS,    /* v: the validation */
    FACT_ATTRS,
};

/* All facts about one property in one version, on one side. */
struct facts {
    uint32_t codes; /* bits 1 << enum fact_code */
    const struct value *attr[FACT_ATTRS];
};

static inline bool facts_have(const struct facts *f, enum fact_code code)
{
    return f->codes >> code & 1;
}

/* Lists of type names. */
enum overlay_list {
    LIST_ADDITIONAL,    /* additionalProperties: has them although the types do not */
    LIST_NO_ADDITIONAL, /* noAdditionalProperties: does not have them although the types do */
    LIST_NO_FLATTEN,    /* noFlatten: "properties" stays */
    LIST_NOT_RESOURCE,  /* notResource: looks like a resource, but is not one */
    OVERLAY_LISTS,
};

struct overlay_kind {
    str name;     /* "ManagedCluster" */
    str arm_type; /* "Microsoft.ContainerService/managedClusters" */
    const struct value *versions;
    const struct value *node; /* everything the file says about it */
    const struct overlay_group *group;
};

struct overlay_group {
    str name; /* without ".azure.com" */
    const struct source *src;
    struct overlay_kind *kinds; /* sorted by name */
    size_t kind_count;
    bool explicit_collections;  /* payload */
    const struct value *models; /* version -> model written by hand; or NULL */
    struct map *versions;       /* the names of all versions, sorted */
    struct overlay_facts *facts;
};

struct overlay {
    struct overlay_group **groups; /* sorted by name */
    size_t group_count;
};

/* Reads a folder of group files, or one file {"format":1,"groups":{...}}. */
MUST_CHECK bool overlay_read(struct arena *a, str path, struct overlay *out, struct err *e);
/*
 * The same from memory: one group with that name, or several as in one file. src must stay valid.
 */
MUST_CHECK bool overlay_parse(struct arena *a, const struct source *src, str group,
                              struct overlay *out, struct err *e);
/* NULL when there is none. */
const struct overlay_group *overlay_find(const struct overlay *o, str group);
/* The order of two str, for qsort. */
int overlay_compare_texts(const void *x, const void *y);

bool overlay_offers(const struct overlay_kind *k, str version);
/* An option of a kind in a version: perVersion wins; a null value means "none". Or NULL. */
const struct value *overlay_option(const struct overlay_kind *k, str version, str key);

/* v20240501preview and v1api20240501preview are 2024-05-01-preview. False when it is neither. */
bool overlay_api_version(struct arena *a, str version, str *out);

/* Facts about a property of a type; the name of a variant is "=value". */
struct facts overlay_facts(const struct overlay_group *g, str type, str prop, str version,
                           enum side side);
/* Whether any version or side has this code for the property. Leaves no mark. */
bool overlay_elsewhere(const struct overlay_group *g, str type, str prop, enum fact_code code);
bool overlay_listed(const struct overlay_group *g, enum overlay_list list, str type, str version);
/* Whether a type that looks like a resource is an ordinary object inside a kind. */
bool overlay_expanded(const struct overlay_group *g, str type, str kind, str version,
                      enum side side);

/* Facts that have not been used since the overlay was read, in file order. */
struct unused_fact {
    struct where at;
    str text;
};
void overlay_unused(struct arena *a, const struct overlay_group *g, struct unused_fact **out,
                    size_t *count);
