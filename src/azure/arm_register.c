/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_register.c - providers that a subscription must know before it can use them.
 */
#include "azure/arm_internal.h"

#include "azure/id.h"
#include "text/json.h"

#define API_VERSION "2019-05-01"
#define WAIT (5 * NS_PER_SEC)
#define WAIT_MAX (600 * NS_PER_SEC)

/* Names go into an address: what is no name of a provider is not asked for. */
static bool is_provider(str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '.'))
            return false;
    }
    return name.len && name.len < 200;
}

static str provider_of(const struct cloud_error *refusal, const struct arm_id *id)
{
    for (size_t i = 0; i < refusal->causes.len; i++)
        if (is_provider(refusal->causes.items[i].target))
            return refusal->causes.items[i].target;
    return id->block_count ? id->blocks[id->block_count - 1].provider : STR_NONE;
}

static bool is_registered(struct arena *a, str body)
{
    const struct source src = {.text = body};
    struct value *root;

    return json_read(a, &src, NULL, &root, NULL) &&
           str_eq_fold(value_get_str(root, STR("registrationState")), STR("Registered"));
}

bool arm_register(struct arm *m, struct arena *a, const struct arm_call *call,
                  const struct cloud_error *refusal, struct err *e)
{
    struct arm_call ask = *call;
    struct arm_result result;
    struct arm_id id;
    str provider;

    if (!arm_id_parse(a, call->id, &id, e))
        return false;
    provider = provider_of(refusal, &id);
    if (!id.subscription.len || !is_provider(provider))
        return err_set(e, ERR_INVALID, "the refusal names no provider to register");
    ask.id = str_fmt(a, "/subscriptions/%.*s/providers/%.*s", STR_ARG(id.subscription),
                     STR_ARG(provider));
    ask.api_version = STR(API_VERSION);
    ask.body = ask.query = STR_NONE;
    ask.method = STR("POST");
    ask.action = STR("register");
    if (!arm_send(m, a, &ask, &result, e))
        return err_wrap(e, "registering %.*s", STR_ARG(provider));
    ask.method = STR("GET");
    ask.action = STR_NONE;
    for (int64_t waited = 0; !is_registered(a, result.body); waited += WAIT) {
        if (waited >= WAIT_MAX)
            return err_set(e, ERR_IO, "%.*s is still being registered", STR_ARG(provider));
        if (!call_wait(call, WAIT, e) || !arm_send(m, a, &ask, &result, e))
            return err_wrap(e, "waiting for the registration of %.*s", STR_ARG(provider));
    }
    return true;
}
