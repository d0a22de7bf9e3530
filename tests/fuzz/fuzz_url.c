/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_url.c - any bytes as a URL, and as a base and a reference split at the first line break.
 *
 * What can be read is written so that it reads as the same. A resolved reference can be resolved
 * against anything and stays as it is.
 */
#include "text/url.h"

static void check_round_trip(struct arena *a, str text)
{
    struct url u, again;

    if (!url_parse(a, text, &u, NULL))
        return;
    str first = url_text(a, &u);
    /* As Go does, lest a colon in its first part end a scheme; one that is written escaped does
     * not. */
    if (!u.raw_path.len && str_has_prefix(first, STR("./")) && !str_has_prefix(u.path, STR("./")))
        u.path = str_concat(a, STR("./"), u.path);
    if (!url_parse(a, first, &again, NULL)) {
        /* The zone of an address may hold what Go escapes and then does not read. */
        if (!str_has_prefix(u.host, STR("[")))
            abort();
        return;
    }
    if (!str_eq(u.path, again.path) || !str_eq(u.query, again.query) || !str_eq(u.host, again.host))
        abort();
    if (!str_eq(first, url_text(a, &again)))
        abort();
}

static void check_resolve(struct arena *a, str base, str ref)
{
    str first, second;

    if (!url_resolve(a, base, ref, &first, NULL))
        return;
    if (str_has_prefix(first, STR("http:")) &&
        url_resolve(a, STR("http://x/y"), first, &second, NULL) && !str_eq(first, second))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str text = {(const char *)data, size}, base, ref, value;

    check_round_trip(a, text);
    str_cut(text, STR("\n"), &base, &ref);
    check_resolve(a, base, ref);
    url_same_origin(base, ref);
    url_join(a, base, ref);
    url_query_get(a, base, ref, &value);
    struct buf b = buf_new(a, BUF_UNLIMITED);
    url_path_escape(&b, text);
    if (!url_unescape(a, buf_str(&b), false, &value) || !str_eq(value, text))
        abort();
    return 0;
}
