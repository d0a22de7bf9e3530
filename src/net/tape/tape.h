/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tape.h - records requests and responses in a file, and replays them.
 *
 *     struct tape *tape;
 *     if (!tape_record(path, &tape, e)) ...    or tape_replay(path, &tape, e)
 *     config.tape = tape;
 *     ... use clients made with config; free them ...
 *     if (!tape_close(tape, e)) ...
 *
 * For tests and bug reports. A file is lines of JSON, one per request in order of completion:
 *
 *     {"request":{"method":"GET","url":"https://x/","headers":[["Accept","*"]],"body":"..."},
 *      "response":{"status":200,"headers":[...],"body":"..."}}
 *
 * A body that is not UTF-8 is stored in base64 as "body64". A request without a response has
 * "failure" (a name of http_failure_name) and "error" instead of "response".
 *
 * Secrets never reach the file: see redact.h. Replaying sends nothing. A request gets the first
 * unused recorded response with the same method, URL and body, all redacted the same way, so
 * several threads may replay at once. If there is none, the request fails (ERR_NOT_FOUND) and the
 * error names the request and the next recorded one. A tape may be used from any thread.
 */
#pragma once

#include "net/http/http.h"

/* The largest recorded exchange, and the largest file that can be replayed. */
#define TAPE_EXCHANGE_MAX (64 * MIB)
#define TAPE_FILE_MAX (1 * GIB)

/*
 * Starts a file that only its owner can read (0600). tape_close gives it its final name; if
 * something could not be written, an existing file stays. A run that is killed leaves
 * NAME.<random>.part.
 */
MUST_CHECK bool tape_record(str path, struct tape **out, struct err *e);
/* Reads the whole file. Errors name the line. */
MUST_CHECK bool tape_replay(str path, struct tape **out, struct err *e);
/* The same from memory; file is its name in errors. */
MUST_CHECK bool tape_replay_text(str file, str text, struct tape **out, struct err *e);
/* Frees t. False if something could not be written. */
MUST_CHECK bool tape_close(struct tape *t, struct err *e);
