/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - judging is pure: every verdict of a run can be reproduced from its record alone,
 * without the key for digests, and no record contains a Secret.
 */
#include "world/behaviours.h"

#include "operator/replay.h"
#include "text/json/json.h"

#define A_PERIOD (STAGE_PERIOD + STAGE_PERIOD / 4 + 3 * WORLD_MINUTE)
#define PASSWORD "planted-secret-replay"

static struct stage stage;

struct seen {
    struct stage *s;
    unsigned all, writes, drifts;
    str last; /* the last one that was written because of drift */
};

/* Reads it as from a file, on another machine. */
static void read_again(struct stage *s, str text, struct replay *out)
{
    struct source *source = ARENA_NEW(s->w->arena, struct source);
    struct value *record = NULL;
    AUTO_ERR e = {0};

    source->text = text;
    world_expect(s->w, json_read(s->w->arena, source, NULL, &record, &e), "%.*s", STR_ARG(e.text));
    world_expect(s->w, replay_judge(s->w->arena, s->model, NULL, record, out, &e), "%.*s",
                 STR_ARG(e.text));
}

static void judged(void *ctx, const struct value *record)
{
    struct seen *seen = ctx;
    struct stage *s = seen->s;
    struct buf b = buf_new(s->w->arena, BUF_UNLIMITED);
    struct replay r;

    world_expect(s->w, json_write(&b, record, &json_exact, NULL), "no JSON");
    world_expect(s->w, !str_contains(buf_str(&b), STR(PASSWORD)), "a Secret is kept: %.*s",
                 STR_ARG(buf_str(&b)));
    read_again(s, buf_str(&b), &r);
    world_expect(s->w, !r.inexact && r.same, "%.*s was %.*s and is %.*s", STR_ARG(r.object),
                 STR_ARG(r.was), STR_ARG(r.is));
    seen->all++;
    seen->writes += str_has_prefix(r.was, STR("write"));
    if (str_has_prefix(r.was, STR("write drift"))) {
        seen->drifts++;
        seen->last = buf_str(&b);
    }
}

/* A different answer of Azure leads to a different verdict. */
static void expect_sensitive(struct stage *s, str text)
{
    struct buf b = buf_new(s->w->arena, BUF_UNLIMITED);
    str before, after;
    struct replay r;

    while (str_cut(text, STR("\"Cool\""), &before, &after)) {
        buf_fmt(&b, "%.*s\"Hot\"", STR_ARG(before));
        text = after;
    }
    buf_add(&b, text);
    read_again(s, buf_str(&b), &r);
    world_expect(s->w, !r.same && str_eq(r.is, STR("leave")), "it is still %.*s", STR_ARG(r.is));
}

void judging_replayed(struct world *w)
{
    struct stage *s = &stage;
    struct seen seen = {.s = s};

    stage_open(s, w, &(struct stage_options){.judged = judged, .judged_ctx = &seen});
    stage_apply_text(s, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'password'},"
                        "'stringData':{'admin':'" PASSWORD "'}}");
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_apply_text(s, NETWORK("net", "", ""));
    stage_apply_text(s, OBJECT("sql.azure.com/v20211101", "Server", "server", "",
                               "'location':'westus2','owner':{'name':'rg'},'administratorLogin':"
                               "'boss','administratorLoginPassword':{'name':'password','key':"
                               "'admin'}"));
    stage_run(s, 60 * WORLD_MINUTE);
    stage_expect_ready(s, "Server", "server");
    for (unsigned i = 0; i < 2; i++) {
        (void)stage_azure(s, "PATCH", STR(ACCOUNT_ID("acc")), STR("2023-01-01"),
                          STR("{\"properties\":{\"accessTier\":\"Cool\"}}"));
        stage_run(s, A_PERIOD);
    }
    stage_patch(s, "Secret", "password", "{'stringData':{'admin':'" PASSWORD "-rotated'}}");
    stage_patch(s, "VirtualNetwork", "net", "{'spec':{'tags':{'a':'b'}}}");
    stage_run(s, 4 * A_PERIOD);
    world_expect(w, seen.all > 20 && seen.writes > 5 && seen.drifts > 0,
                 "%u decisions, %u to write, %u for drift", seen.all, seen.writes, seen.drifts);
    expect_sensitive(s, seen.last);
    stage_close(s);
}
