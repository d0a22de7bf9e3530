/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret_name.h - names that say of a value that it is secret: password, client_secret, apiKey.
 *
 * Any thread.
 */
#pragma once

#include "base/base.h"

bool secret_name_is(str name);
/* Whether a text that is not understood speaks of secrets. */
bool secret_name_is_in(struct arena *a, str text);
