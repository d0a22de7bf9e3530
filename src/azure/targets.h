/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.h - to which types of resources references are known to point.
 *
 * The model has facts of some references (model_resource.targets): types that were seen there in
 * recordings, not all that Azure accepts. So another type is a doubt, never an error: it is told
 * where somebody looks for a cause anyway, in plans and beside a refusal of Azure.
 *
 * May be called from any thread.
 */
#pragma once

#include "azure/needs.h"

/*
 * What is doubtful about the target of a reference, as a sentence that begins with its path; empty
 * when it is of a known type, when nothing is known, and for needs other than references.
 */
str target_doubt(struct arena *a, struct model *m, const struct model_resource *res,
                 const struct need *need);
/* The doubts about all references among the needs, joined by "; ". */
str target_doubts(struct arena *a, struct model *m, const struct model_resource *res,
                  const struct needs *needs);
