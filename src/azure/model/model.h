/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - what plumb knows about Azure's resources, as data.
 *
 * There is one model file per group and API version. It lists the kinds, their properties, where
 * each property goes in an ARM body, and its role (docs/design/azure-model.md). Conversions,
 * schemas and checks are written once, against these structs; a new API version costs no C.
 *
 * The files are embedded in the program (built from api/model); a folder with the same layout can
 * be used instead (--model of plumb crd, model show, plan and replay; operate and serve always use
 * the embedded ones). A file is read when one of its kinds is first requested, and kept.
 *
 *     struct model *m;
 *     const struct model_resource *r;
 *     if (!model_open(a, STR_NONE, &m, e) ||
 *         !model_find(m, STR("network.azure.com"), STR("v20250301"), STR("RouteTable"), &r, e))
 *         return false;
 *
 * Everything returned is immutable and lives as long as the model. All functions may be called from
 * any thread.
 */
#pragma once

#include "value/value.h"

/* The largest model file, and how many there may be. */
#define MODEL_FILE_MAX (16 * MIB)
#define MODEL_FILES_MAX 100000

struct model;
struct model_type;

/* The form of a value in Kubernetes. */
enum model_form {
    FORM_STRING,
    FORM_INT,
    FORM_FLOAT,
    FORM_BOOL,
    FORM_JSON, /* anything */
    FORM_LIST,
    FORM_MAP,
    FORM_OBJECT,
    FORM_BUILTIN,
};

/* Objects that have the same meaning in every group. */
enum model_builtin {
    BUILTIN_NONE,
    BUILTIN_RESOURCE_REFERENCE,
    BUILTIN_WELL_KNOWN_REFERENCE,
    BUILTIN_KNOWN_REFERENCE,
    BUILTIN_ARBITRARY_OWNER,
    BUILTIN_KUBERNETES_OWNER,
    BUILTIN_SECRET_REFERENCE,
    BUILTIN_SECRET_MAP_REFERENCE,
    BUILTIN_CONFIG_MAP_REFERENCE,
    BUILTIN_SECRET_DESTINATION,
    BUILTIN_CONFIG_MAP_DESTINATION,
    BUILTIN_DESTINATION_EXPRESSION,
    BUILTIN_CONDITION,
    BUILTIN_COUNT,
};

struct model_shape {
    enum model_form form;
    enum model_builtin builtin;      /* FORM_BUILTIN */
    str spelling;                    /* as in the file: []@Subnet */
    const struct model_shape *item;  /* FORM_LIST, FORM_MAP */
    const struct model_type *object; /* FORM_OBJECT */
    const struct value *choices;     /* an enum: the list of its values; else NULL */
    const struct value *limits;      /* limits of a validated element type; else NULL */
};

/* What a property is for. */
enum model_role {
    ROLE_PLAIN,
    ROLE_AZURE_NAME,
    ROLE_AZURE_NAME_FROM_CONFIG,
    ROLE_OWNER,
    ROLE_OPERATOR_SPEC,
    ROLE_OPERATOR, /* inside operatorSpec */
    ROLE_CONDITIONS,
    ROLE_REF,        /* an ARM id in ARM */
    ROLE_WELL_KNOWN, /* an ARM id, or a well-known name in Azure */
    ROLE_IDENTITIES, /* user-assigned identities: a list here, in ARM a map by id */
    ROLE_IDENTITY,   /* the key of that map */
    ROLE_SECRET,
    ROLE_SECRET_MAP,
    ROLE_CONFIG_MAP,
    ROLE_VARIANT, /* its members are at the level of the object itself */
    ROLE_COUNT,
};
/* "ref", as in a model file. */
const char *model_role_name(enum model_role role);

/* What to send for a collection that is not set. */
enum model_empty { EMPTY_OMITTED, EMPTY_NULL, EMPTY_KEPT };

/* The longest ARM path of one property. */
#define MODEL_PATH_MAX 4

struct model_prop {
    str name;
    const struct model_shape *shape;
    enum model_role role;
    enum model_empty empty;
    bool required;
    bool shared;             /* another property has the same path in ARM */
    str arm[MODEL_PATH_MAX]; /* the path in ARM; arm_len 0: not in ARM, or a variant */
    size_t arm_len;
    str pair;                    /* the same for two properties of which at most one is set */
    str variant;                 /* ROLE_VARIANT: the value of the discriminator */
    const struct value *limits;  /* min, max, minLen, ... or NULL */
    const struct value *choices; /* of this property; or NULL */
    /* Lists: what identifies elements: a list of members, "index" or "set"; or NULL */
    const struct value *identity;
    uint32_t min_children; /* how many children must be in it when the owner is created */
    bool write_only;       /* responses may lack it, according to the published types */
};

/* The same properties, indexed by their ARM names. Sorted case-insensitively. */
struct model_arm {
    str name;
    const struct model_prop *prop; /* what the member becomes, or NULL */
    const struct model_arm *below; /* members that become properties of this type, too */
    size_t below_count;
};

struct model_type {
    str name;
    const struct model_prop *props; /* ordered bytewise by name */
    size_t prop_count;
    str discriminator; /* the discriminator of a type with variants; else empty */
    const struct model_arm *arm;
    size_t arm_count;
    bool any_empty; /* some property has an empty rule */
};

enum model_scope {
    SCOPE_NONE, /* not an ARM resource */
    SCOPE_RESOURCE_GROUP,
    SCOPE_SUBSCRIPTION, /* "location": resource groups themselves */
    SCOPE_TENANT,
    SCOPE_EXTENSION,
    SCOPE_COUNT,
};

enum model_operation { MODEL_GET = 1, MODEL_PUT = 2, MODEL_DELETE = 4, MODEL_HEAD = 8 };

struct model_resource {
    str group, version, kind; /* network.azure.com, v20250301, RouteTable */
    str plural;
    const struct model_type *spec, *status;
    str arm_type, api_version; /* empty when scope is SCOPE_NONE */
    enum model_scope scope;
    unsigned operations; /* bits of enum model_operation */
    bool has_owner, owner_required;
    enum model_builtin owner_form;
    str owner_group, owner_kind; /* empty: any */
    bool has_name;               /* spec.azureName exists */
    str fixed_name;              /* the name if it is fixed; else empty */
    bool uuid_name;              /* an unset name becomes a UUID instead of the object's name */
    bool hub;                    /* the version in which objects are stored */
    const struct value *categories, *secrets, *config_maps; /* as in the file, or NULL */
    /* Kinds that also appear as a list in the body of this one: [{kind, a}]; or NULL */
    const struct value *embedded;
    /*
     * Maps paths of references in the spec to the types seen there; "*": anything; or NULL. See
     * targets.h
     */
    const struct value *targets;
};

/*
 * Opens the model in a folder; if that is empty, the one in the folder PLUMB_MODEL names; else the
 * embedded one. Does not read any model file yet.
 */
MUST_CHECK bool model_open(struct arena *a, str folder, struct model **out, struct err *e);
/* Opens the same files again, without those read so far: for work that needs many kinds once. */
MUST_CHECK bool model_open_again(struct arena *a, const struct model *m, struct model **out,
                                 struct err *e);
/* Frees the files that were read. The model itself lives in the arena of model_open. */
void model_close(struct model *m);

/*
 * The resource of a kind in one API version. ERR_NOT_FOUND names what exists instead: other
 * versions, or kinds with similar names.
 */
MUST_CHECK bool model_find(struct model *m, str group, str version, str kind,
                           const struct model_resource **out, struct err *e);
/* The same, in the version in which its objects are stored. */
MUST_CHECK bool model_find_hub(struct model *m, str group, str kind,
                               const struct model_resource **out, struct err *e);

struct model_kind {
    str group, kind; /* network.azure.com, RouteTable */
};
/*
 * The names of all kinds, sorted by group and kind. Does not read embedded files, but reads those
 * in a folder, which has no index.
 */
MUST_CHECK bool model_kinds(struct model *m, struct arena *a, struct model_kind **out,
                            size_t *count, struct err *e);
/* Whether there is such a kind, by name alone in the same way. */
bool model_has_kind(struct model *m, str group, str kind);
/* Kinds in all their versions: one array, sorted by group, kind, version. Reads every file. */
MUST_CHECK bool model_all(struct model *m, struct arena *a, const struct model_resource ***out,
                          size_t *count, struct err *e);
/* The versions of a kind, oldest first; may be empty. */
MUST_CHECK bool model_versions(struct model *m, struct arena *a, str group, str kind,
                               const struct model_resource ***out, size_t *count, struct err *e);
/* Whether the group is known. */
bool model_has_group(const struct model *m, str group);
/* How many files there are. */
size_t model_file_count(const struct model *m);
/* How many of them have been read so far: those of the requested kinds. */
size_t model_read_count(struct model *m);
/* How many bytes the files read so far take. */
size_t model_held(struct model *m);

/* ---- Looking into types. NULL when there is none. -------------------------------------------- */

const struct model_prop *model_prop(const struct model_type *t, str name);
/* The property with this role. */
const struct model_prop *model_prop_of_role(const struct model_type *t, enum model_role role);
/* The member of an ARM object, by case-insensitive name. */
const struct model_arm *model_arm(const struct model_arm *members, size_t count, str name);
/* The property for the variant that the discriminator names, case-insensitively. */
const struct model_prop *model_variant(const struct model_type *t, str value);
/* Below, at or above 0: the order of versions, previews before their release. */
int model_version_compare(str x, str y);
