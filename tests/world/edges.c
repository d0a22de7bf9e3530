/* SPDX-License-Identifier: Apache-2.0 */
/* edges.c - users, Azure and restarts at the wrong moment: operator.md, sections 1.3 and 1.6. */
#include "world/behaviours.h"

static struct stage stage;

static struct stage *open_group(struct world *w)
{
    stage_open(&stage, w, &(struct stage_options){0});
    stage_apply_text(&stage, GROUP("rg", ""));
    stage_run(&stage, 30 * NS_PER_SEC);
    return &stage;
}

/*
 * 1.3: an object that was copied or restored with the annotations of another life, but without the
 * finalizer: it is claimed before anything is sent (law 2), whatever its token says.
 */
void edge_unclaimed_token(struct world *w)
{
    struct stage *s = open_group(w);

    stage_apply_text(
        s, ACCOUNT("acc", ",'annotations':{'" ANNOTATION_RESOURCE_ID "':'" ACCOUNT_ID(
                              "acc") "','" ANNOTATION_POLL_ID
                                     "':'GenericClient.CreateOrUpdateByID','" ANNOTATION_POLL_TOKEN
                                     "':'of another life'}"));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}
