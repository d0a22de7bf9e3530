/* SPDX-License-Identifier: Apache-2.0 */
/*
 * azure_name.c - the name of a resource in Azure.
 *
 * Mostly the same as its object's. Role assignments and definitions must have a UUID as their name:
 * version 5 over owner, kind, namespace and name, so that the same manifest always means the same
 * resource.
 */
#include "azure/resolve.h"

#include "arm/id.h"

#include <ctype.h>
#include <openssl/sha.h>

/* 9a329043-7ad7-4b1c-812f-9c7a93d6392a, the namespace of the original's names. */
static const unsigned char uuid_namespace[16] = {0x9a, 0x32, 0x90, 0x43, 0x7a, 0xd7, 0x4b, 0x1c,
                                                 0x81, 0x2f, 0x9c, 0x7a, 0x93, 0xd6, 0x39, 0x2a};

static str uuid_print(struct arena *a, unsigned char b[16], int version)
{
    b[6] = (unsigned char)((b[6] & 0x0f) | version << 4);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    return str_fmt(a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
                   b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                   b[14], b[15]);
}

str uuid_of_text(struct arena *a, str text)
{
    unsigned char sum[SHA_DIGEST_LENGTH];
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, str_of((const char *)uuid_namespace, sizeof(uuid_namespace)));
    buf_add(&b, text);
    SHA1((const unsigned char *)b.data, b.len, sum);
    return uuid_print(a, sum, 5);
}

/* With dashes, or as 32 bare digits. */
static bool is_uuid(str s)
{
    bool dashes = s.len == 36;

    if (!dashes && s.len != 32)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        bool dash = dashes && (i == 8 || i == 13 || i == 18 || i == 23);
        if (dash ? s.ptr[i] != '-' : !isxdigit((unsigned char)s.ptr[i]))
            return false;
    }
    return true;
}

/*
 * The owner's part of the text. Upstream: API versions whose name begins with v1api ignore an
 * owner's id, later ones use it literally; the recordings of role assignments prove it.
 */
static str owner_part(struct arena *a, const struct model_resource *res,
                      const struct object_key *self, const struct value *owner)
{
    str id = value_get_str(owner, STR("armId"));
    str group = res->owner_group.len ? res->owner_group : value_get_str(owner, STR("group"));
    str kind = res->owner_kind.len ? res->owner_kind : value_get_str(owner, STR("kind"));
    str name = value_get_str(owner, STR("name"));

    if (id.len && !str_has_prefix(res->version, STR("v1api")))
        return id;
    if (id.len)
        group = kind = name = STR_NONE;
    return str_fmt(a, "%.*s/%.*s:%.*s/%.*s", STR_ARG(group), STR_ARG(kind),
                   STR_ARG(self->namespace), STR_ARG(name));
}

static bool generated_name(struct arena *a, const struct model_resource *res,
                           const struct value *object, str *out, struct err *e)
{
    const struct value *spec = value_get(object, STR("spec"));
    const struct value *owner = value_get(spec, STR("owner"));
    str convention = value_get_str(value_get(spec, STR("operatorSpec")), STR("namingConvention"));
    struct object_key self = object_key_of(object);
    unsigned char bytes[16];

    if (str_eq_fold(convention, STR("random"))) {
        random_bytes(bytes, sizeof(bytes));
        *out = uuid_print(a, bytes, 4);
        return true;
    }
    if (is_uuid(self.name)) {
        *out = self.name;
        return true;
    }
    if (!value_is(owner, VALUE_OBJECT))
        return err_set(e, ERR_INVALID,
                       "the name of a %.*s follows from spec.owner, which is missing",
                       STR_ARG(res->kind));
    str first = owner_part(a, res, &self, owner);
    *out =
        uuid_of_text(a, str_fmt(a, "%.*s:%.*s/%.*s:%.*s/%.*s", STR_ARG(first), STR_ARG(res->kind),
                                STR_ARG(res->group), STR_ARG(self.namespace), STR_ARG(self.name)));
    return true;
}

static bool name_from_config(struct arena *a, const struct resolver *r, const struct value *object,
                             const struct value *ref, str *out, struct err *e)
{
    str name = value_get_str(ref, STR("name")), key = value_get_str(ref, STR("key"));

    if (!r->config(r->ctx, a, object_key_of(object).namespace, name, key, out, e))
        return err_wrap(e, "spec.azureNameFromConfig");
    return out->len ||
           err_set(e, ERR_INVALID, "spec.azureNameFromConfig: key %.*s of config map %.*s is empty",
                   STR_ARG(key), STR_ARG(name));
}

static bool find_name(struct arena *a, const struct resolver *r, const struct model_resource *res,
                      const struct value *object, str *out, struct err *e)
{
    const struct value *spec = value_get(object, STR("spec"));
    const struct model_prop *config = model_prop_of_role(res->spec, ROLE_AZURE_NAME_FROM_CONFIG);
    const struct value *source = config ? value_get(spec, config->name) : NULL;

    *out = res->fixed_name;
    if (res->has_name)
        *out = value_get_str(spec, STR("azureName"));
    if (out->len)
        return true;
    if (value_is(source, VALUE_OBJECT))
        return name_from_config(a, r, object, source, out, e);
    if (res->uuid_name)
        return generated_name(a, res, object, out, e);
    *out = object_key_of(object).name;
    return out->len || err_set(e, ERR_INVALID, "metadata.name is missing");
}

/* A slash, ".." or a backslash would refer to another resource. */
bool resolve_name(struct arena *a, const struct resolver *r, const struct model_resource *res,
                  const struct value *object, str *out, struct err *e)
{
    if (!find_name(a, r, res, object, out, e))
        return false;
    if (arm_id_is_segment(*out))
        return true;
    return err_set(e, ERR_INVALID, "\"%.*s\" cannot be a name in Azure: it %s", STR_ARG(*out),
                   str_contains(*out, STR("/")) || str_has_prefix(*out, STR("."))
                       ? "has more than one segment"
                       : "has a backslash or control characters");
}
