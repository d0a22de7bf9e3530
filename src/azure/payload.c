/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c - values that are not sent as they are.
 *
 * api/rules/payload.json is part of the program and is read once. A rule names a kind, a place in
 * its body, and what is sent there instead of what. A rule file that cannot be read is a mistake of
 * the build, found by the tests.
 */
#include "azure/convert_internal.h"

#include "base/embed.h"
#include "text/json.h"

#include <pthread.h>

EMBED(payload_json, "api/rules/payload.json");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct value *rules; /* written once, then only read */

static void read_rules(void)
{
    static struct source src;
    static struct arena *volatile kept; /* of the run; volatile: leak checkers want to see it */
    struct arena *a = kept = arena_new();
    struct value *root;

    src.file = STR("api/rules/payload.json");
    src.text = EMBEDDED(payload_json);
    if (json_read(a, &src, NULL, &root, NULL))
        rules = value_get(root, STR("values"));
    assert(value_is(rules, VALUE_LIST));
}

static bool is_about(const struct value *rule, const struct model_resource *res)
{
    return str_eq(value_get_str(rule, STR("kind")), res->kind) &&
           str_eq(value_get_str(rule, STR("group")), res->group);
}

static void apply(const struct value *rule, struct value *body)
{
    const struct value *at = value_get(rule, STR("at"));
    struct value *v = body;

    for (size_t i = 0; v && i < value_len(at); i++)
        v = value_get(v, value_str(value_at(at, i)));
    const struct value *send = value_get(value_get(rule, STR("send")), value_str(v));
    if (value_is(v, VALUE_STRING) && value_is(send, VALUE_STRING)) {
        v->text = send->text;
        v->len = send->len;
    }
}

void payload_replace(const struct model_resource *res, struct value *body)
{
    pthread_once(&once, read_rules);
    for (size_t i = 0; i < value_len(rules); i++)
        if (is_about(value_at(rules, i), res))
            apply(value_at(rules, i), body);
}
