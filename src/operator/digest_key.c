/* SPDX-License-Identifier: Apache-2.0 */
/* digest_key.c - the key for digests of payloads; see digest_key.h. */
#include "operator/digest_key.h"

#include "base/clock.h"
#include "text/codec.h"

#define MEMBER "key"
#define KEY_BYTES 32
#define TIMEOUT (5 * NS_PER_SEC)

static const struct kube_resource secrets = {.version = STR_INIT("v1"),
                                             .name = STR_INIT("secrets"),
                                             .kind = STR_INIT("Secret"),
                                             .namespaced = true};

static struct kube_ask ask_for(enum kube_verb verb, str namespace)
{
    return (struct kube_ask){
        .verb = verb,
        .call = {.resource = &secrets,
                 .namespace = namespace,
                 .name = verb == KUBE_VERB_CREATE ? STR_NONE : STR(DIGEST_KEY_SECRET),
                 .timeout = TIMEOUT},
        .write = {.field_manager = STR("plumb-operator")}};
}

static str key_of(struct arena *a, const struct value *secret, struct err *e)
{
    str text = value_get_str(value_get(secret, STR("data")), STR(MEMBER)), key;
    size_t bad;

    if (base64_decode(a, text, &key, &bad) && key.len >= KEY_BYTES)
        return key;
    err_set(e, ERR_INVALID,
            "Secret \"%s\" has no member \"%s\" of %d bytes or more; delete it to get a new one",
            DIGEST_KEY_SECRET, MEMBER, KEY_BYTES);
    return STR_NONE;
}

static str make(struct arena *a, struct kube_transport *transport, str namespace, struct err *e)
{
    struct kube_ask ask = ask_for(KUBE_VERB_CREATE, namespace);
    struct value *made = NULL;
    char bytes[KEY_BYTES];

    random_bytes(bytes, sizeof(bytes));
    ask.text = str_fmt(a,
                       "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"%s\"},"
                       "\"type\":\"Opaque\",\"data\":{\"%s\":\"%.*s\"}}",
                       DIGEST_KEY_SECRET, MEMBER,
                       STR_ARG(base64_encode(a, str_of(bytes, sizeof(bytes)))));
    return kube_do(transport, a, &ask, &made, e) ? key_of(a, made, e) : STR_NONE;
}

str digest_key_read(struct arena *a, struct kube_transport *transport, str namespace, bool create,
                    struct err *e)
{
    const struct kube_ask ask = ask_for(KUBE_VERB_GET, namespace);
    struct value *found = NULL;
    AUTO_ERR why = {0};

    if (kube_do(transport, a, &ask, &found, &why))
        return key_of(a, found, e);
    if (create && why.kind == ERR_NOT_FOUND)
        return make(a, transport, namespace, e);
    err_set(e, why.kind, "%.*s", STR_ARG(why.text));
    return STR_NONE;
}
