/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner.c - finds and checks an object's owner, and binds the object to its uid.
 *
 * An owner is an object (by name, or by group, kind and name), or an Azure resource (by id). An
 * object is bound once: the owner reference, which Kubernetes' garbage collector follows, has the
 * owner's uid, so that an owner that was deleted and recreated does not get the children of the old
 * one. The reference is added whenever it is missing, and never bound to another uid.
 */
#include <openssl/evp.h>

#include "operator/internal.h"

#include "arm/id.h"
#include "text/codec.h"

/* Labels have at most 63 bytes and end with a letter or digit. */
#define LABEL_MAX 63
#define HASH_BYTES 4
#define HASH_LEN (1 + 2 * HASH_BYTES) /* "-" and hexadecimal digits */

str owner_label(struct arena *a, str text)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    if (text.len <= LABEL_MAX)
        return text;
    EVP_Digest(text.ptr, text.len, sum, &len, EVP_sha256(), NULL);
    str kept = str_slice(text, 0, LABEL_MAX - HASH_LEN), hash = hex_encode(a, sum, HASH_BYTES);
    return str_fmt(a, "%.*s-%.*s", STR_ARG(kept), STR_ARG(hash));
}

bool owner_read(struct pass *p, struct owner *out, struct pass_step *otherwise)
{
    const struct value *spec = value_get(p->object, STR("spec"));
    const struct value *owner = value_get(spec, STR("owner"));
    const struct reference_rule rule = owner_rule(p->resource);
    AUTO_ERR e = {0};

    *out = (struct owner){.form = OWNER_NONE};
    if (!p->resource->has_owner)
        return true;
    if (!value_is(owner, VALUE_OBJECT)) {
        if (!p->resource->owner_required)
            return true;
        *otherwise =
            step_explain(p, "Error", "Failed",
                         str_fmt(p->arena, "spec.owner is missing%s%.*s",
                                 rule.kind.len ? ": it names the " : "", STR_ARG(rule.kind)));
        return false;
    }
    if (!reference_read(owner, &rule, NULL, &out->ref, &e)) {
        *otherwise = step_explain(p, "Error", "Failed",
                                  str_fmt(p->arena, "spec.owner: %.*s", STR_ARG(e.text)));
        return false;
    }
    out->form = out->ref.form == REFERENCE_OBJECT ? OWNER_OBJECT : OWNER_AZURE;
    if (out->form != OWNER_OBJECT)
        return true;
    out->key = reference_key(&out->ref, p->card->key.namespace);
    pass_need(p, &out->key);
    out->object = p->ports->find(p->ports->ctx, p->arena, &out->key);
    return true;
}

/* ---- The owner reference. -------------------------------------------------------------------- */

/* The entry of this owner, whatever its uid and version. */
static bool find_ref(const struct value *object, const struct object_key *key,
                     struct owner_ref *out)
{
    str group, version;

    for (size_t i = 0; i < object_owner_count(object); i++) {
        *out = object_owner(object, i);
        api_version_split(out->api_version, &group, &version);
        if (str_eq(group, key->group) && str_eq(out->kind, key->kind) &&
            str_eq(out->name, key->name))
            return true;
    }
    return false;
}

static bool blocks(struct pass *p)
{
    struct object_key key = {.kind = STR("Namespace"), .name = p->card->key.namespace};
    str text = object_annotation(p->object, STR(ANNOTATION_BLOCK_OWNER));

    if (!text.len) {
        pass_need(p, &key);
        text = object_annotation(p->ports->find(p->ports->ctx, p->arena, &key),
                                 STR(ANNOTATION_BLOCK_OWNER));
    }
    return str_eq(text, STR("true"));
}

/* Whether the object belongs to an earlier owner of the same name. */
static bool owner_is_anothers(const struct pass *p, const struct owner *owner)
{
    struct owner_ref ref;

    return owner->form == OWNER_OBJECT && owner->object && find_ref(p->object, &owner->key, &ref) &&
           ref.uid.len && !str_eq(ref.uid, object_uid(owner->object));
}

bool owner_bind(struct pass *p, const struct owner *owner, struct value *after)
{
    struct arena *a = p->arena;
    struct owner_ref ref = {0};
    bool changed = false;

    if (owner->form != OWNER_OBJECT || !owner->object || owner_is_anothers(p, owner))
        return false;
    if (!find_ref(after, &owner->key, &ref))
        ref = (struct owner_ref){.api_version = value_get_str(owner->object, STR("apiVersion")),
                                 .kind = owner->key.kind,
                                 .name = owner->key.name,
                                 .uid = object_uid(owner->object)};
    ref.block_deletion = blocks(p);
    changed |= object_set_owner(a, after, &ref);
    changed |= object_set_label(a, after, STR(LABEL_OWNER_NAME), owner_label(a, owner->key.name));
    changed |= object_set_label(a, after, STR(LABEL_OWNER_KIND),
                                owner_label(a, str_fmt(a, "%.*s.%.*s", STR_ARG(owner->key.kind),
                                                       STR_ARG(owner->key.group))));
    changed |= object_set_label(a, after, STR(LABEL_OWNER_UID), owner_label(a, ref.uid));
    return changed;
}

bool owner_is_bound(struct pass *p)
{
    struct pass_step ignored;
    struct owner owner;
    struct owner_ref ref;

    if (!owner_read(p, &owner, &ignored) || owner.form != OWNER_OBJECT || !owner.object ||
        object_is_deleting(owner.object))
        return true;
    return find_ref(p->object, &owner.key, &ref) && ref.block_deletion == blocks(p);
}

/* ---- Waiting. -------------------------------------------------------------------------------- */

static bool is_ready(const struct value *owner)
{
    return owner && !object_is_deleting(owner) &&
           condition_is_true(value_get(owner, STR("status")), STR("Ready"),
                             object_generation(owner));
}

bool owner_is_ready(struct pass *p, const struct owner *owner, struct pass_step *otherwise)
{
    struct condition ready = {0};
    const char *why = "does not exist yet";
    str reason = STR_NONE;

    if (owner->form != OWNER_OBJECT)
        return true;
    if (owner_is_anothers(p, owner)) {
        *otherwise = step_wait(
            p, "WaitingForOwner",
            str_fmt(p->arena,
                    "owner %.*s \"%.*s\" was deleted and created again, and this object "
                    "belongs to the earlier one, with which it goes; delete it and create "
                    "it again",
                    STR_ARG(owner->key.kind), STR_ARG(owner->key.name)));
        return false;
    }
    if (is_ready(owner->object))
        return true;
    if (owner->object) {
        why = object_is_deleting(owner->object) ? "is being deleted" : "is not Ready yet";
        if (condition_get(value_get(owner->object, STR("status")), STR("Ready"), &ready) &&
            ready.reason.len)
            reason = str_fmt(p->arena, " (%.*s)", STR_ARG(ready.reason));
    }
    *otherwise = step_wait(
        p, "WaitingForOwner",
        str_fmt(p->arena, "owner %.*s \"%.*s\" %s%.*s; this continues as soon as it is Ready",
                STR_ARG(owner->key.kind), STR_ARG(owner->key.name), why, STR_ARG(reason)));
    return false;
}

/* ---- Owners in Azure. ------------------------------------------------------------------------ */

/* The API version for reading it: known for the kinds that may own this one, and for groups. */
static str version_of(struct pass *p, str id)
{
    struct arm_id parsed;
    const struct model_resource *res;
    str group = p->resource->owner_group, kind = p->resource->owner_kind;

    if (!arm_id_parse(p->arena, id, &parsed, NULL))
        return STR_NONE;
    if (!kind.len && !parsed.block_count && parsed.group.len) {
        group = STR("resources.azure.com");
        kind = STR("ResourceGroup");
    }
    return kind.len && model_find_hub(p->config->model, group, kind, &res, NULL) ? res->api_version
                                                                                 : STR_NONE;
}

bool owner_azure_url(struct pass *p, const struct owner *owner, str *id, str *url)
{
    *id = owner->ref.id;
    if (owner->form != OWNER_AZURE || owner->ref.form == REFERENCE_WELL_KNOWN)
        return false;
    if (owner->ref.form == REFERENCE_AZURE &&
        !reference_azure_id(p->arena, &owner->ref, p->account.subscription, STR_NONE, id, NULL))
        return false;
    str version = version_of(p, *id);
    *url = pass_url_of(p, *id, version);
    return version.len > 0;
}
