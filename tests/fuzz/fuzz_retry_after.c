/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_retry_after.c - any bytes as a Retry-After and as a date.
 *
 * A wait is never below zero nor beyond a year; a date that can be read is written so that it reads
 * as the same.
 */
#include "net/retry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    struct http_headers h = {0};
    str text = {(const char *)data, size};
    const int64_t now = INT64_C(1800000000) * NS_PER_SEC;
    int64_t wait, seconds, again;

    http_header_add(a, &h, STR("Retry-After"), text);
    if (retry_after(&h, now, &wait) && (wait < 0 || wait > 366 * 86400 * NS_PER_SEC))
        abort();
    if (http_date_parse(text, now, &seconds) &&
        (!http_date_parse(http_date(a, seconds), now, &again) || again != seconds))
        abort();
    return 0;
}
