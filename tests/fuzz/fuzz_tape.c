/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_tape.c - any bytes as a recording, and as a body that loses its secrets.
 *
 * A recording is read or refused with a place. What was redacted stays as it is when redacted
 * again.
 */
#include "net/redact.h"
#include "net/tape/tape.h"

static void check_redaction(struct arena *a, str url, str type, str body)
{
    str once = redact_body(a, url, type, body);

    if (!str_eq(redact_body(a, url, type, once), once))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text = {(const char *)data, size};
    struct tape *tape;

    if (tape_replay_text(STR("t"), text, &tape, &e)) {
        if (!tape_close(tape, NULL))
            abort();
    } else if (!e.at.line) {
        abort();
    }
    check_redaction(a, STR("http://x/secrets/y"), STR_NONE, text);
    check_redaction(a, STR("http://x/y"), STR("application/x-www-form-urlencoded"), text);
    check_redaction(a, STR("http://x/y"), STR("application/json"), text);
    str url = redact_url(a, text);
    if (!str_eq(redact_url(a, url), url))
        abort();
    return 0;
}
