/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice.c - tells users what they can do about a condition, and when the operator tries again.
 *
 * Azure says what is wrong, but seldom what helps. Texts are the same at each attempt, so that an
 * unchanged condition is not written again.
 */
#include "operator/internal.h"

#include "azure/targets.h"

/* By reason, sorted. To add one: a line; start with a verb, end without a full stop. */
static const struct {
    const char *reason, *advice;
} advices[] = {
    {"AllocationFailed", "choose another size, zone or region, or wait until Azure has capacity"},
    {"AuthorizationFailed", "grant the operator's identity a role that allows it"},
    {"AzureResourceNotFound",
     "create it, or set annotation " ANNOTATION_POLICY " to \"manage\" to have it created"},
    {"InvalidAuthenticationTokenTenant", "check AZURE_TENANT_ID and AZURE_SUBSCRIPTION_ID"},
    {"InvalidParameter", "correct the spec"},
    {"InvalidParameterValue", "correct the spec"},
    {"InvalidRequestContent", "correct the spec"},
    {"LinkedAuthorizationFailed",
     "grant the operator's identity a role on the resource that is referred to"},
    {"QuotaExceeded", "delete what is not needed, or request a higher quota"},
    {"RequestDisallowedByPolicy",
     "change the spec so that it complies with the policy, or request an exemption"},
    {"ResourceQuotaExceeded", "delete what is not needed, or request a higher quota"},
    {"ScopeLocked", "remove the lock in Azure"},
    {"SkuNotAvailable", "choose another SKU or region"},
    {"StorageAccountAlreadyTaken", "choose another spec.azureName: the name is used elsewhere"},
    {"SubscriptionNotFound",
     "check AZURE_SUBSCRIPTION_ID, and that the operator's identity may use it"},
};

#define DETACH                                                                                     \
    "set annotation " ANNOTATION_POLICY                                                            \
    " to \"detach-on-delete\" to keep the resource and let the object go"

static str what(const struct pass *p)
{
    for (size_t i = 0; i < COUNT(advices); i++)
        if (str_eq(p->verdict.reason, str_c(advices[i].reason)))
            return str_c(advices[i].advice);
    return STR_NONE;
}

static str span(struct arena *a, int64_t time)
{
    int64_t seconds = time / NS_PER_SEC;
    bool few = seconds < 120;
    long long count = (long long)(few ? seconds : seconds / 60);

    return str_fmt(a, "%lld %s%s", count, few ? "second" : "minute", count == 1 ? "" : "s");
}

/* Azure rejected a PUT, perhaps because a reference points to something unusual. */
static str doubts(struct pass *p)
{
    struct needs needs = {0};

    if (!p->verdict.class || !p->tried || str_eq(p->verdict.severity, STR("Info")))
        return STR_NONE;
    needs_of(p->arena, p->resource, p->applied ? p->applied : p->object, &needs);
    return target_doubts(p->arena, p->config->model, p->resource, &needs);
}

str advice_text(struct pass *p, str text)
{
    bool stuck = p->verdict.class && object_is_deleting(p->object);
    str advice = what(p), doubt = doubts(p);

    if (advice.len || stuck || doubt.len)
        text = str_without_suffix(text, STR("."));
    if (doubt.len)
        text = str_fmt(p->arena, "%.*s; %.*s", STR_ARG(text), STR_ARG(doubt));
    if (advice.len)
        text = str_fmt(p->arena, "%.*s; %.*s", STR_ARG(text), STR_ARG(advice));
    if (stuck)
        text = str_fmt(p->arena, "%.*s%s " DETACH, STR_ARG(text), advice.len ? ", or" : ";");
    return text;
}

/* Without a maximum of its own, delays grow up to the sync period. */
static str growing(struct pass *p)
{
    const struct rule_retry *rule = p->verdict.rule;
    int64_t max = rule && rule->max ? rule->max : explain_period(p);

    if (rule && rule->factor <= 1)
        return str_fmt(p->arena, " (tried again every %.*s)",
                       STR_ARG(span(p->arena, rule->base < max ? rule->base : max)));
    return str_fmt(p->arena, " (tried again after growing delays, at most %.*s)",
                   STR_ARG(span(p->arena, max)));
}

str advice_when(struct pass *p)
{
    const struct verdict *v = &p->verdict;

    if (v->waits)
        return STR_NONE;
    if (str_eq(v->severity, STR("Error")))
        return str_fmt(p->arena, " (checked again every %.*s, and whenever the object changes)",
                       STR_ARG(span(p->arena, explain_period(p))));
    if (v->retry)
        return STR(" (tried again as soon as Azure allows it)");
    return growing(p);
}
