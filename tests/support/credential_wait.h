/* SPDX-License-Identifier: Apache-2.0 */
/* credential_wait.h - gets tokens, blocking. */
#pragma once

#include "arm/credential/credential.h"

/*
 * Gets a token for scope, and in *auxiliary (may be NULL) those of further tenants. Fetches it with
 * http if there is none, or waits while another thread does. Copied to a.
 */
MUST_CHECK bool credential_wait(struct credential *c, struct http_client *http, struct arena *a,
                                str scope, str *token, str *auxiliary, struct err *e);
