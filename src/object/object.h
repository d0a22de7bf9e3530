/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - a Kubernetes object as data: identity and metadata.
 *
 * An object is a value tree like everything else. These functions know its layout, so that other
 * code does not have to: identity, labels, annotations, owner references, finalizers. Readers are
 * lenient: a member that is absent or of the wrong type counts as empty. Writers modify the tree
 * and return whether anything changed.
 *
 * Names of annotations and labels are in object/names.h, conditions in object/condition.h. All
 * functions may be called from any thread that may use the tree.
 */
#pragma once

#include "base/base.h"
#include "value/value.h"

/* ---- Identity. ------------------------------------------------------------------------------- */

/* As written in the object. */
struct identity {
    str api_version, kind, namespace, name;
};

struct identity identity_of(const struct value *object);
/* "network.azure.com" and "v20250301" of an apiVersion; the core group is empty. */
void api_version_split(str api_version, str *group, str *version);
/* "apps/v1", or "v1" for the core group. Lives as long as a. */
str api_version_join(struct arena *a, str group, str version);
/* apiVersion_kind_namespace_name, without the namespace when it is empty, as in kube-compare. */
str identity_id(struct arena *a, const struct identity *identity);
str object_id(struct arena *a, const struct value *object);
/* "apps/v1 Deployment shop/web", for messages; empty unless version, kind and name are present. */
str identity_label(struct arena *a, const struct identity *identity);

/* Whether both are the same object, in any version, as references name it. */
struct object_key {
    str group, kind, namespace, name;
};

struct object_key object_key_of(const struct value *object);
/* "group/kind/namespace/name", for maps. */
str object_key_text(struct arena *a, const struct object_key *key);
/* An object with the four members, as in our JSON output. */
struct value *object_key_value(struct arena *a, const struct object_key *key);
/* "namespace/name", or the name alone: a key among objects of one resource. */
str object_path(struct arena *a, str namespace, str name);

/* ---- Metadata. ------------------------------------------------------------------------------- */

/* metadata, or NULL unless it is an object. */
struct value *object_meta(const struct value *object);
/* Whether a member of an object is its metadata, of any type. */
bool object_is_meta(str member);
const struct value *object_meta_member(const struct value *object);
/* metadata, created if it is not an object. */
struct value *object_make_meta(struct arena *a, struct value *object);
/* Sets metadata as a whole. */
void object_set_meta(struct arena *a, struct value *object, const struct value *meta);
void object_drop_meta(struct value *object);
/* A member of metadata that is a string. */
str object_meta_str(const struct value *object, str member);
str object_name(const struct value *object);
str object_namespace(const struct value *object);
str object_uid(const struct value *object);
/* 0 when there is none. */
int64_t object_generation(const struct value *object);
/* As a number, for comparing: 0 when it is not one. */
uint64_t object_version(const struct value *object);
bool object_is_deleting(const struct value *object);

str object_annotation(const struct value *object, str name);
str object_label(const struct value *object, str name);
/* Sets the value, or removes it if it is empty. Returns whether the object changed. */
bool object_set_annotation(struct arena *a, struct value *object, str name, str value);
bool object_set_label(struct arena *a, struct value *object, str name, str value);

/* ---- Finalizers. ----------------------------------------------------------------------------- */

bool object_has_finalizer(const struct value *object, str name);
bool object_add_finalizer(struct arena *a, struct value *object, str name);
bool object_remove_finalizer(struct value *object, str name);

/* ---- Owner references. ----------------------------------------------------------------------- */

struct owner_ref {
    str api_version, kind, name, uid;
    bool controller, block_deletion;
};

size_t object_owner_count(const struct value *object);
struct owner_ref object_owner(const struct value *object, size_t i);
bool object_is_owned_by(const struct value *object, str uid);
/*
 * Adds a reference, or replaces the one with the same group, kind and name: an owner that was
 * deleted and recreated has a different uid, and a newer program uses a different version.
 */
bool object_set_owner(struct arena *a, struct value *object, const struct owner_ref *owner);
