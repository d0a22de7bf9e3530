/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.h - which types of resources references are known to point to.
 *
 * For some references, the model knows which types were seen there in recordings
 * (model_resource.targets), which is not everything that Azure accepts. So another type is a doubt,
 * never an error: it is reported where people look for a cause anyway, in plans and with an error
 * from Azure.
 *
 * May be called from any thread.
 */
#pragma once

#include "azure/needs.h"

/*
 * What is doubtful about the target of a reference, as a sentence that begins with its path; empty
 * if its type is among the known ones, if nothing is known, and for needs other than references.
 */
str target_doubt(struct arena *a, struct model *m, const struct model_resource *res,
                 const struct need *need);
/* The doubts about all references among the needs, joined by "; ". */
str target_doubts(struct arena *a, struct model *m, const struct model_resource *res,
                  const struct needs *needs);
