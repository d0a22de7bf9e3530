/* SPDX-License-Identifier: Apache-2.0 */
/* secret_name.h - names of secret values: password, client_secret, apiKey. Any thread. */
#pragma once

#include "base/base.h"

bool secret_name_is(str name);
/* Whether a text of unknown format mentions anything secret. */
bool secret_name_is_in(struct arena *a, str text);
