/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register.c - registers resource providers with a subscription.
 */
#include "arm/arm_internal.h"

#include "arm/id.h"
#include "text/json/json.h"

#define API_VERSION "2019-05-01"
#define WAIT (5 * NS_PER_SEC)
#define WAIT_MAX (600 * NS_PER_SEC)

/* Names become part of a URL, so anything but a provider name is rejected. */
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

bool registration_begin(struct arena *a, struct registration *r, const struct arm_call *call,
                        const struct cloud_error *refusal, struct err *e)
{
    struct arm_id id;

    if (!arm_id_parse(a, call->id, &id, e))
        return false;
    *r = (struct registration){.ask = *call, .provider = provider_of(refusal, &id)};
    if (!id.subscription.len || !is_provider(r->provider))
        return err_set(e, ERR_INVALID, "the refusal names no provider to register");
    r->ask.id = str_fmt(a, "/subscriptions/%.*s/providers/%.*s", STR_ARG(id.subscription),
                        STR_ARG(r->provider));
    r->ask.api_version = STR(API_VERSION);
    r->ask.body = r->ask.query = STR_NONE;
    r->ask.method = STR("POST");
    r->ask.action = STR("register");
    return true;
}

enum registration_next registration_step(struct arena *a, struct registration *r, str body,
                                         int64_t *wait, struct err *e)
{
    if (is_registered(a, body))
        return REGISTRATION_DONE;
    if (r->waited >= WAIT_MAX) {
        (void)err_set(e, ERR_IO, "%.*s is still being registered", STR_ARG(r->provider));
        return REGISTRATION_FAILED;
    }
    r->ask.method = STR("GET");
    r->ask.action = STR_NONE;
    r->waited += WAIT;
    *wait = WAIT;
    return REGISTRATION_ASK;
}
