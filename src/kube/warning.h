/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warning.h - parses "Warning" headers of API servers. For this folder, and for fuzzing.
 *
 *     299 - "v1beta1 CronJob is deprecated", 299 - "another"
 *
 * A value has any number of entries: code, agent, text in quotes, and perhaps a date in quotes.
 */
#pragma once

#include "base/base.h"

/* The code of servers' warnings to their users; other codes are about caches on the way. */
#define KUBE_WARNING_CODE 299

struct kube_warning {
    int code;
    str agent, text;
};

/*
 * Takes the first entry off *rest. Fails when it is not valid; *rest is then undefined. The text
 * lives as long as a, the agent as long as *rest.
 */
MUST_CHECK bool kube_warning_read(struct arena *a, str *rest, struct kube_warning *out,
                                  struct err *e);
