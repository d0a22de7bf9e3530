/* SPDX-License-Identifier: Apache-2.0 */
/* payload.c - replaces values before sending them: "values" in the rules of a kind. */
#include "azure/convert/internal.h"

#include "arm/rules/kind.h"

static void apply(const struct kind_value *rule, struct value *body)
{
    struct value *v = path_resolve(&rule->at, body);
    const struct value *send = value_get(rule->send, value_str(v));

    if (value_is(v, VALUE_STRING) && send) {
        v->text = send->text;
        v->len = send->len;
    }
}

void payload_replace(const struct kind_set *rules, const struct model_resource *res,
                     struct value *body)
{
    const struct kind_rules *own = kind_rules_find(rules, res->group, res->kind);

    for (size_t i = 0; own && i < own->values.len; i++)
        apply(&own->values.items[i], body);
}
