/* SPDX-License-Identifier: Apache-2.0 */
/* live_url.c - turns the URL of an effect into a call; see live_url.h. */
#include "operator/live_url.h"

#include "text/url.h"

bool live_read_url(struct arena *a, str endpoint, str url, struct arm_call *call)
{
    str path, query, id;

    if (!str_has_prefix(url, endpoint))
        return false;
    str_cut(str_from(url, endpoint.len), STR("?"), &path, &query);
    if (!str_has_prefix(path, STR("/")) || !str_has_prefix(query, STR("api-version=")) ||
        str_contains(query, STR("&")) || !url_unescape(a, path, false, &id))
        return false;
    call->id = id;
    call->api_version = str_from(query, STR("api-version=").len);
    return true;
}
