/* SPDX-License-Identifier: Apache-2.0 */
/* live_url.h - turns the URL of an effect into a call of the Azure client. Any thread. */
#pragma once

#include "arm/arm.h"

/*
 * Splits a URL into the id of a resource and its API version; false for any other URL, such as one
 * of an operation. Texts live as long as a and url.
 */
bool live_read_url(struct arena *a, str endpoint, str url, struct arm_call *call);
