/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authorization_role_assignment.c - roles by their well-known names ("Reader").
 *
 * Azure expects the id of the role definition. Built-in ones are listed at the root scope, filtered
 * by name, and assigned by their id in the subscription of the assignment.
 */
#include "operator/ext/ext_all.h"

#include "arm/id.h"
#include "text/url.h"

#define COLLECTION "/providers/Microsoft.Authorization/roleDefinitions"
#define PAGES_MAX 50

static str list_url(struct arena *a, str role)
{
    struct buf b = buf_new(a, BUF_UNLIMITED), quoted = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < role.len; i++) {
        buf_char(&quoted, role.ptr[i]);
        if (role.ptr[i] == '\'')
            buf_char(&quoted, '\'');
    }
    buf_add(&b, STR(COLLECTION "?api-version=2022-04-01"));
    url_query_add(&b, STR("$filter"), str_fmt(a, "roleName eq '%.*s'", STR_ARG(buf_str(&quoted))));
    return buf_str(&b);
}

/* The last part of the id of a built-in role, or empty. */
static str role_name(const struct value *page, str role)
{
    const struct value *list = value_get(page, STR("value"));

    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++) {
        const struct value *properties = value_get(&list->items[i], STR("properties"));
        if (str_eq_fold(value_get_str(properties, STR("roleName")), role) &&
            str_eq(value_get_str(properties, STR("type")), STR("BuiltInRole")))
            return value_get_str(&list->items[i], STR("name"));
    }
    return STR_NONE;
}

static struct decision with_role(const struct ext_input *in, struct decision next, str name)
{
    struct value *payload = value_clone(in->arena, next.value);
    struct arm_id id;
    str role = str_concat(in->arena, STR(COLLECTION "/"), name);

    if (arm_id_parse(in->arena, in->id, &id, NULL) && id.subscription.len)
        role =
            str_fmt(in->arena, "/subscriptions/%.*s%.*s", STR_ARG(id.subscription), STR_ARG(role));
    value_set_str(in->arena, value_get(payload, STR("properties")), STR("roleDefinitionId"), role);
    return decision_go(payload);
}

static struct decision role_by_name(const struct ext_input *in, struct decision next)
{
    str role = next.kind == DECISION_GO ? value_get_str(value_get(next.value, STR("properties")),
                                                        STR("roleDefinitionId"))
                                        : STR_NONE;
    str url = list_url(in->arena, role), name;

    if (!role.len || str_has_prefix(role, STR("/")))
        return next;
    for (size_t i = 0; url.len && i < PAGES_MAX; i++) {
        const struct arm_answer *answer = ext_answer(in, i);
        if (!answer)
            return decision_ask("GET", url, NULL);
        if (answer->http != 200)
            return decision_refused(in, "listing role definitions", answer);
        const struct value *page = ext_body(in, answer);
        if ((name = role_name(page, role)).len)
            return with_role(in, next, name);
        url = value_get_str(page, STR("nextLink"));
    }
    return decision_block(str_fmt(in->arena, "there is no built-in role \"%.*s\"", STR_ARG(role)));
}

const struct azure_ext ext_authorization_role_assignment = {
    .kind = "authorization.azure.com/RoleAssignment",
    .payload = role_by_name,
};
