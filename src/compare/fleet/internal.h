/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h - what run.c and group.c share. */
#pragma once

#include "compare/fleet/fleet.h"
#include "compare/internal.h"

/* Sets digest and shape, which live as long as a. */
void fleet_digest(struct arena *a, struct fleet_finding *f);
/*
 * A copy without sites, and without texts and fields unless texts is set. What belongs to the
 * reference is not copied.
 */
void fleet_finding_copy(struct arena *a, const struct fleet_finding *from, bool texts,
                        struct fleet_finding *out);
