/* SPDX-License-Identifier: Apache-2.0 */
/* live_url.h - the address of an effect as a call of the client of Azure. Any thread. */
#pragma once

#include "arm/arm.h"

/*
 * The id of a resource and its API version; false for any other address, as those of operations
 * are. Texts live as long as a and url.
 */
bool live_read_url(struct arena *a, str endpoint, str url, struct arm_call *call);
