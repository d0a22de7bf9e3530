/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - the passes of the derivation, and what they have in common.
 *
 * Per group and version one struct derive; per kind and side a walk from the resource body. A
 * property goes through the passes in this order, each in a file of its own:
 *
 *   select.c     does it belong to this side?
 *   flatten.c    is it replaced by its members?
 *   refs.c       does it contain an ARM id?
 *   secrets.c    does its value come from a secret or a config map?
 *   property_types.c      its type and validation
 *   recursion.c  named types: seen before, recursive, an embedded resource?
 *   variants.c   discriminated objects
 *   identity.c   what identifies the elements of an array?
 *
 * scope.c handles a resource as a whole, name.c the spelling of names.
 */
#pragma once

#include "azure/derive/derive.h"

/* How deep objects may be nested. Published types need about 20. */
enum { DERIVE_DEPTH_MAX = 100 };
/* How many properties a walk may visit in one group and version. Published types need 20,000. */
enum { DERIVE_WORK_MAX = 2000000 };
/* How many different things may have the same name. */
enum { DERIVE_CLASH_MAX = 1000 };

/* The result for a type that was visited before in the same resource. */
struct memo {
    uint32_t round; /* the number of the resource; older entries do not count */
    str name;       /* empty: nothing is left of the type */
};

/* Shared by all groups. */
struct derive_world {
    struct arena *arena;
    const struct overlay *overlay;
    struct type_folder *types;
    struct derive_result *out;
    bool keep_notes;
    struct map *noted;    /* notes that were made already */
    struct map *by_type;  /* lowercase ARM type -> struct overlay_kind */
    struct map *segments; /* singular, lowercase segments of ARM types: "virtualnetwork" */
    struct map *patterns; /* whether Go's regular expressions support them */
    struct err *e;        /* the first error of a walk, which goes on regardless */
};

/* One group and version; one resource of it at a time. */
struct derive {
    struct arena *arena;
    struct derive_world *world;
    const struct overlay_group *group;
    str version, api_version;
    struct map *types, *enums, *scalars; /* name -> struct value */
    struct value *resources;

    const struct overlay_kind *kind;
    const struct arm_file *file;
    enum side side;
    VEC(uint32_t) stack; /* the types whose members are being derived */
    size_t depth;
    struct memo *memo;
    size_t memo_count;
    uint32_t round;
    size_t work; /* properties visited so far */
    bool failed;
};

/* A property on its way through the passes. */
struct member {
    str holder; /* the name of the type that has it */
    const struct arm_prop *prop;
    const struct arm_type *type;
    struct facts facts;
    str name;   /* in ARM */
    str prefix; /* path of the object that has it, if that was flattened; else empty */
    bool root;  /* in the resource body or its flattened properties */
    bool required;
};

/* Where a property is. */
struct place {
    str holder, prefix;
    bool root;
};

/* A property found for an object. */
struct found {
    str id;   /* identifier: names that differ in case only collide */
    str name; /* in Kubernetes */
    struct value *prop;
    bool flat;
};
struct found_list {
    VEC(struct found) items;
    bool hidden; /* something was left out that does not make the object empty */
};

/* A type string and its validation; t is empty when nothing is left. */
struct derived {
    str t;
    struct value *limits; /* or NULL */
};

/* ---- Notes and failures (derive.c). ---- */

void derive_note(struct derive *d, enum note_kind kind, str type, str prop, const char *why);
/* Records the first error: the walk goes on, and the resource fails at the end. */
void derive_fail(struct derive *d, const char *format, ...) FORMAT(2, 3);
/* Whether count more properties may be visited; if not, the resource fails. */
bool derive_spend(struct derive *d, size_t count);
/*
 * Stores a value under a name, or under name_2, name_3 ... if there are others. Returns the name.
 */
str derive_put(struct derive *d, struct map *section, str name, struct value *v);

/* ---- Names (name.c). ---- */

/* An identifier made of the words of name: "vnetSubnetID"; exported: starts with a capital. */
str name_identifier(struct arena *a, str name, bool exported);
/* "subnetId" is subnetReference, "ids" references. */
str name_reference(struct arena *a, str name, bool many);
/* The plural of a kind, in lowercase. */
str name_plural(struct arena *a, str kind);
/* The singular of a lowercase word: policy for "policies". */
str name_singular(struct arena *a, str word);
/* "Holder_Property", for enums and scalars. */
str name_below(struct arena *a, str holder, str prop);
/* The part after the last slash. */
str name_last(str path);

/* ---- Objects and their members (object.c). ---- */

/* The type {props} of an object, or NULL when nothing is left. */
struct value *derive_object(struct derive *d, const struct arm_type *t, bool root, bool expanded);
void derive_member(struct derive *d, const struct place *at, const struct arm_prop *p,
                   struct found_list *found);
/* Adds a property: path, required and empty follow from m. */
void derive_add(struct derive *d, const struct member *m, str name, struct value *prop,
                struct found_list *found);
/* A property {t}. */
struct value *derive_prop(struct derive *d, str t);
/* A property with type and validation from the type file; NULL when nothing is left. */
struct value *derive_plain(struct derive *d, const struct member *m);
/*
 * Sets a member of props. An existing one with that name is an error that only the overlay can
 * resolve.
 */
void derive_set(struct derive *d, struct value *props, str name, const struct value *prop);
str derive_path(struct derive *d, const struct member *m);

/* ---- The passes. ---- */

enum selection { SELECT_TAKEN, SELECT_DROPPED, SELECT_HIDDEN };
enum selection select_member(struct derive *d, const struct member *m);
bool flatten_member(struct derive *d, const struct member *m, struct found_list *found);
/* Whether a pass has handled m, so that later ones do not see it. */
typedef bool role_fn(struct derive *d, const struct member *m, struct found_list *found);
role_fn role_reference, role_identities, role_secret_map, role_config, role_pair, role_secret;
/* Whether the types or the overlay say that m is a secret. */
bool secret_member(const struct member *m);
/* Notes what looks like a reference or a secret, but is not marked as one. */
void propose_reference(struct derive *d, const struct member *m);
void propose_secret(struct derive *d, const struct member *m);
/* Sets what identifies the elements of an array. */
void identify_elements(struct derive *d, const struct member *m, struct value *prop);

struct derived derive_type(struct derive *d, const struct member *m, const struct arm_type *t);
struct value *derive_limits(struct derive *d, const struct arm_type *t, str holder, str prop);
/* The name of the type of an object below the root; empty when nothing is left. */
str derive_named(struct derive *d, const struct arm_type *t);
/* A discriminated object, or NULL when nothing is left. */
struct value *derive_variants(struct derive *d, const struct arm_type *t, bool root);

/* ---- Resources (scope.c, resource.c). ---- */

/* Facts about a resource as a whole. */
struct scope {
    const char *name;      /* "resourcegroup", "extension", "location", "tenant" */
    const char *owner_ref; /* "KnownResourceReference" ...; NULL: no owner */
    str owner_group, owner_kind;
    const struct value *fixed; /* a string: the name that all of them have; or NULL */
    bool hub;
};
struct scope derive_scope(struct derive *d, const struct overlay_kind *k,
                          const struct arm_resource *r);
/* The row of a resource in the model. */
struct value *derive_row(struct derive *d, const struct arm_resource *r, const struct scope *s,
                         str spec, str status);
void derive_resource(struct derive *d, const struct overlay_kind *k, const struct arm_resource *r);
