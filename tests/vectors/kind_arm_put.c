/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_put.c - custom resources and the PUT that was recorded for them.
 *
 * Cases that depend on what Azure already holds ("azure-state") are counted as not applicable.
 */
#include "support/arm_case.h"
#include "vectors.h"

#include "azure/convert/convert.h"
#include "text/json/json.h"

static str shown(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct json_style sorted = {.sorted = true};

    return v && json_write(&b, v, &sorted, NULL) ? buf_str(&b) : STR_NONE;
}

static bool compare(struct arena *a, const struct arm_request *got, const struct value *expect,
                    struct buf *why)
{
    str path = value_get_str(expect, STR("path")), api = value_get_str(expect, STR("apiVersion"));
    const struct value *body = value_get(expect, STR("body"));
    bool same = true;

    if (!str_eq(got->id, path))
        same = vector_differs(why, "path", got->id, path);
    if (!str_eq(got->api_version, api))
        same = vector_differs(why, "api-version", got->api_version, api);
    if (!value_equal(got->body, body))
        same = vector_differs(why, "body", shown(a, got->body), shown(a, body));
    return same;
}

static bool run_case(struct arena *a, const struct value *vector, struct buf *why, struct err *e)
{
    const struct model_resource *res;
    struct arm_request got;
    struct arm_case one;

    if (!arm_case_read(a, vector, &one, e))
        return false;
    const struct value *subject = one.objects.items[0];
    const struct manifests *m = arm_case_manifests(a, &one, SIZE_MAX);
    return object_resource(one.model, subject, &res, e) &&
           convert_to_arm(a, manifests_resolver(m), res, subject, NULL, &got, e) &&
           compare(a, &got, value_get(one.filled, STR("expect")), why);
}

static bool run_arm_put(struct arena *a, const struct value *vector, struct buf *why)
{
    AUTO_ERR e = {0};
    bool ok = run_case(a, vector, why, &e);

    if (e.kind != ERR_NONE)
        buf_fmt(why, "  error: %.*s\n", STR_ARG(e.text));
    return ok;
}

static bool needs_no_state(struct arena *a, const struct value *vector)
{
    (void)a;
    return !arm_case_has_state(vector);
}

const struct vector_kind vector_arm_put = {
    .name = "arm-put",
    .help = "custom resources and the PUT that ARM must get",
    .document = true,
    .run = run_arm_put,
    .applies = needs_no_state,
};
