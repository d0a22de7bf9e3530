/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.c - the last decisions, which are kept in objects for plumb why.
 *
 * Each has its reason, no more than ten are kept, and they cost no write of their own.
 */
#include "world/behaviours.h"

#define A_PERIOD (STAGE_PERIOD + STAGE_PERIOD / 4 + 3 * WORLD_MINUTE)

static struct stage stage;

static const struct value *decisions(struct stage *s)
{
    const struct value *status = value_get(stage_get(s, "StorageAccount", "acc"), STR("status"));

    return value_get(value_get(status, STR("operatorStatus")), STR("decisions"));
}

static const struct value *expect(struct stage *s, const char *action, const char *reason)
{
    const struct value *newest = value_at(decisions(s), 0);

    world_expect(s->w,
                 str_eq(value_get_str(newest, STR("action")), str_c(action)) &&
                     str_eq(value_get_str(newest, STR("reason")), str_c(reason)),
                 "the newest decision is %.*s %.*s, not %s %s",
                 STR_ARG(value_get_str(newest, STR("action"))),
                 STR_ARG(value_get_str(newest, STR("reason"))), action, reason);
    return newest;
}

static void change(struct stage *s, const char *patch)
{
    struct sim_response r =
        stage_azure(s, "PATCH", STR(ACCOUNT_ID("acc")), STR("2023-01-01"), str_c(patch));

    world_expect(s->w, r.status < 300, "the change was refused: %.*s", STR_ARG(r.body));
    stage_run(s, A_PERIOD);
}

static void expect_drift(struct stage *s, const char *action, const char *reason)
{
    const struct value *d = expect(s, action, reason);

    world_expect(
        s->w,
        str_eq(value_str(value_at(value_get(d, STR("paths")), 0)), STR("properties.accessTier")) &&
            str_contains(value_get_str(d, STR("message")), STR("wanted \"Hot\", found \"Cool\"")),
        "%s does not say what: %.*s", action, STR_ARG(value_get_str(d, STR("message"))));
}

void decisions_kept(struct world *w)
{
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){0});
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 5 * WORLD_MINUTE);
    expect(s, "wait", "WaitingForOwner");
    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 60 * WORLD_MINUTE);
    expect(s, "put", "absent");
    change(s, "{\"properties\":{\"accessTier\":\"Cool\"}}");
    expect_drift(s, "put", "drift");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'tags':{'a':'b'}}}");
    stage_run(s, 5 * WORLD_MINUTE);
    const struct value *d = expect(s, "put", "payload");
    world_expect(w, str_contains(value_get_str(d, STR("message")), STR("tags")),
                 "what changed: %.*s", STR_ARG(value_get_str(d, STR("message"))));
    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_MODE, "'report'"));
    change(s, "{\"properties\":{\"accessTier\":\"Cool\"}}");
    expect_drift(s, "report", "DriftFound");
    unsigned writes = s->status_writes;
    stage_run(s, 4 * A_PERIOD);
    world_expect(w, s->status_writes == writes, "%u writes for what is known",
                 s->status_writes - writes);
    for (unsigned i = 0; i < 12; i++) {
        stage_patch(s, "StorageAccount", "acc",
                    i % 2 ? "{'spec':{'tags':{'a':'b'}}}" : "{'spec':{'tags':{'a':'c'}}}");
        stage_run(s, 2 * WORLD_MINUTE);
    }
    world_expect(w, value_len(decisions(s)) == 10, "%zu decisions", value_len(decisions(s)));
    stage_close(s);
}
