/* SPDX-License-Identifier: Apache-2.0 */
/* source_url.c - fetches objects from a web server. */
#include "compare/input/input_internal.h"
#include "compare/input/fetch_internal.h"

bool source_url_read(struct arena *a, str url, bool explain, str *out, struct err *e)
{
    const struct fetch f = {.url = url,
                            .policy = &fetch_objects_policy,
                            .max = FETCH_OBJECTS_MAX,
                            .time_max = FETCH_OBJECTS_TIME,
                            .explain = explain,
                            .whole = explain};
    const struct http_config config = http_defaults();
    struct http_client *client;

    if (!http_client_new(&config, &client, e))
        return false;
    bool ok = fetch_text(client, a, &f, out, e);
    http_client_free(client);
    return ok;
}
