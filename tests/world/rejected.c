/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rejected.c - the API server rejects what the operator writes about an object, because of a
 * stricter definition or a webhook, after Azure has taken a PUT. Nothing is sent again because of
 * that.
 */
#include "world/behaviours.h"

static struct stage stage;

#define WHY "status.accessTier is of no use"

static bool is_about_account(const struct effect *effect, bool status)
{
    return effect->kind == KUBE_PATCH && str_contains(effect->url, STR("/storageaccounts/acc")) &&
           str_has_suffix(effect->url, STR("/status")) == status;
}

/* Rejects what Azure returned. */
static const char *body_is_rejected(struct stage *s, const struct effect *effect)
{
    (void)s;
    return is_about_account(effect, true) && str_contains(effect->body, STR("\"accessTier\""))
               ? WHY
               : NULL;
}

/* Rejects the whole status, once the PUT was sent. */
static const char *status_is_rejected(struct stage *s, const struct effect *effect)
{
    return is_about_account(effect, true) && stage_puts(s, STR(ACCOUNT_ID("acc"))) ? WHY : NULL;
}

/* Rejects metadata, including the poll token. */
static const char *metadata_is_rejected(struct stage *s, const struct effect *effect)
{
    return is_about_account(effect, false) && stage_puts(s, STR(ACCOUNT_ID("acc"))) ? WHY : NULL;
}

static struct stage *open(struct world *w,
                          const char *(*rejects)(struct stage *, const struct effect *))
{
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){0});
    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 1 * WORLD_MINUTE);
    s->rejects = rejects;
    stage_apply_text(s, ACCOUNT("acc", ""));
    return s;
}

static void expect_puts(struct stage *s, unsigned count, const char *when)
{
    unsigned puts = stage_puts(s, STR(ACCOUNT_ID("acc")));

    world_expect(s->w, puts == count, "%s: %u PUTs, not %u", when, puts, count);
}

/* Everything is accepted again: the object is Ready, and a change to it is sent once. */
static void end(struct stage *s)
{
    s->rejects = NULL;
    stage_run(s, STAGE_PERIOD + 5 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    expect_puts(s, 1, "at the end");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    expect_puts(s, 2, "after a change");
    stage_close(s);
}

/* The condition says so, and what was sent is still remembered, even by another process. */
void rejected_body(struct world *w)
{
    struct stage *s = open(w, body_is_rejected);

    stage_run(s, 1 * WORLD_HOUR);
    stage_expect(s, "StorageAccount", "acc", "Failed", "the API server rejects a write: " WHY);
    expect_puts(s, 1, "while it is rejected");
    stage_restart(s, NULL);
    stage_run(s, 1 * WORLD_HOUR);
    expect_puts(s, 1, "after a restart");
    end(s);
}

/* Nothing can be written: the operator has it in its own memory. */
void rejected_status(struct world *w)
{
    struct stage *s = open(w, status_is_rejected);

    stage_run(s, 1 * WORLD_HOUR);
    expect_puts(s, 1, "while it is rejected");
    world_expect(w, stage_condition(s, "StorageAccount", "acc").reason.len,
                 "there is no condition");
    end(s);
}

/* The token cannot be stored: the resource is read until it exists, without another PUT. */
void rejected_metadata(struct world *w)
{
    struct stage *s = open(w, metadata_is_rejected);

    stage_run(s, 1 * WORLD_HOUR);
    expect_puts(s, 1, "while it is rejected");
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, stage_has_event_with(s, "CreateOrUpdateActionError", WHY), "nobody was told");
    stage_restart(s, NULL);
    stage_run(s, 1 * WORLD_HOUR);
    expect_puts(s, 1, "after a restart");
    end(s);
}
