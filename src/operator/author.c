/* SPDX-License-Identifier: Apache-2.0 */
/*
 * author.c - finds out who changed a resource: from systemData in the current answer, else from the
 * activity log, which is queried once per drift and never for a resource that is as it should be.
 */
#include "operator/internal.h"

#include "arm/id.h"
#include "text/url.h"

#define ACTIVITY_VERSION "2015-04-01"
/* How far back to search: drift is noticed within a period. */
#define ACTIVITY_TIME (86400 * NS_PER_SEC)

struct author author_of(const struct pass *p)
{
    const struct value *data = value_get(p->body, STR("systemData"));
    str by = value_get_str(data, STR("lastModifiedBy"));

    if (!by.len)
        return p->author;
    return (struct author){.by = by, .at = value_get_str(data, STR("lastModifiedAt"))};
}

str author_text(struct pass *p)
{
    const struct author author = author_of(p);

    if (!author.by.len)
        return STR_NONE;
    return str_fmt(p->arena, " (last modified by %.*s%s%.*s)", STR_ARG(author.by),
                   author.at.len ? " at " : "", STR_ARG(author.at));
}

static bool activity_url(struct pass *p, str *out)
{
    struct buf b = buf_new(p->arena, BUF_UNLIMITED);
    struct arm_id id;
    if (!arm_id_parse(p->arena, pass_id(p), &id, NULL) || !id.subscription.len)
        return false;
    buf_add(&b, pass_url_of(p,
                            str_fmt(p->arena,
                                    "/subscriptions/%.*s/providers/Microsoft.Insights/eventtypes/"
                                    "management/values",
                                    STR_ARG(id.subscription)),
                            STR(ACTIVITY_VERSION)));
    url_query_add(&b, STR("$filter"),
                  str_fmt(p->arena, "eventTimestamp ge '%.*s' and resourceUri eq '%.*s'",
                          STR_ARG(memory_stamp(p->arena, p->now - ACTIVITY_TIME)),
                          STR_ARG(pass_id(p))));
    url_query_add(&b, STR("$select"), STR("caller,eventTimestamp,operationName,status"));
    *out = buf_str(&b);
    return true;
}

bool author_ask(struct pass *p, struct pass_step *step)
{
    str url;

    if (author_of(p).by.len || !activity_url(p, &url))
        return false;
    *step = step_arm(p, ARM_GET, url, NULL);
    return true;
}

/* Reads are not in the log, and rejected requests have changed nothing. */
static bool is_change(const struct value *event)
{
    str operation = value_get_str(value_get(event, STR("operationName")), STR("value"));
    str status = value_get_str(value_get(event, STR("status")), STR("value"));

    return value_get_str(event, STR("caller")).len && !str_eq_fold(status, STR("Failed")) &&
           !str_has_suffix(operation, STR("/read"));
}

void author_take(struct pass *p, const struct arm_answer *answer)
{
    const struct value *list, *newest = NULL;

    if (!answer || answer->http != 200)
        return; /* no author: not every principal may read the log */
    list = value_get(pass_read_json(p, answer->body), STR("value"));
    for (size_t i = 0; i < value_len(list); i++) {
        const struct value *one = value_at(list, i);
        if (is_change(one) &&
            (!newest || str_cmp(value_get_str(one, STR("eventTimestamp")),
                                value_get_str(newest, STR("eventTimestamp"))) > 0))
            newest = one;
    }
    p->author = (struct author){.by = value_get_str(newest, STR("caller")),
                                .at = value_get_str(newest, STR("eventTimestamp"))};
}
