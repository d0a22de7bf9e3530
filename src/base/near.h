/* SPDX-License-Identifier: Apache-2.0 */
/* near.h - which wrong names are worth a "did you mean"; see str_distance. Any thread. */
#pragma once

#include "base/base.h"

/* The largest distance at which it is worth asking: one letter in three, two at most. */
size_t near_max(str wrong);
