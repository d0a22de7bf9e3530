/* SPDX-License-Identifier: Apache-2.0 */
/* operation.c - decides what to request next about a long-running operation; see operation.h. */
#include "support/operation.h"

#include "net/redact.h"
#include "text/json/json.h"

/* How often to check a resource whose deletion was accepted without a way to poll it. */
#define GONE_LOOKS 40
#define GONE_WAIT (15 * NS_PER_SEC)

static bool deletes(const struct operation *o)
{
    return str_eq(o->about.method, STR("DELETE"));
}

static void fail(struct operation_step *step, enum err_kind kind, str why)
{
    step->next = OPERATION_FAILED;
    step->kind = kind;
    step->why = why;
}

static void finish(struct arena *a, struct operation *o, str body, struct operation_step *step)
{
    struct source *src = ARENA_NEW(a, struct source);

    o->lro.next = LRO_DONE;
    o->lro.body = body;
    step->next = OPERATION_DONE;
    step->text = body;
    src->text = body;
    if (!body.len || !json_read(a, src, NULL, &step->body, NULL))
        step->body = NULL;
}

static void ask_resource(struct operation *o, int64_t wait, struct operation_step *step)
{
    o->reads = true;
    step->next = OPERATION_ASK;
    step->url = o->about.resource.len ? o->about.resource : o->about.url;
    step->wait = wait;
    step->priority = o->about.priority;
}

/* There are many polls, which must not delay what users wait for. */
static void ask_operation(struct operation *o, struct operation_step *step)
{
    step->next = OPERATION_ASK;
    step->url = o->lro.poll_url;
    step->wait = o->lro.wait;
    step->poll = true;
    step->priority = o->about.priority == BUDGET_USER ? BUDGET_POLL : o->about.priority;
}

/* Takes the next step after an answer. */
static void go_on(struct arena *a, struct operation *o, struct operation_step *step)
{
    struct lro *l = &o->lro;

    *step = (struct operation_step){0};
    /* URLs elsewhere are not polled; the resource may show the same. */
    if (l->next == LRO_POLL && !lro_is_home(l->poll_url, o->about.endpoint)) {
        str elsewhere = redact_url(a, l->poll_url);
        if (!lro_stay_home(l)) {
            fail(step, ERR_DENIED,
                 str_fmt(a,
                         "the address of the operation leads to %.*s, which is not %.*s: rejected",
                         STR_ARG(elsewhere), STR_ARG(o->about.endpoint)));
            return;
        }
    }
    switch (l->next) {
    case LRO_POLL:
        ask_operation(o, step);
        break;
    case LRO_READ:
        ask_resource(o, l->wait, step);
        break;
    case LRO_DONE:
        finish(a, o, l->body, step);
        break;
    case LRO_FAILED:
        step->next = OPERATION_FAILED;
        step->error = l->error;
        break;
    }
}

/* Checks until it is gone; there is no hint when. */
static void look_again(struct operation *o, struct operation_step *step)
{
    if (++o->looks < GONE_LOOKS)
        ask_resource(o, GONE_WAIT, step);
    else
        fail(step, ERR_IO, STR("the deletion was accepted, but the resource is still there"));
}

static void take_resource(struct arena *a, struct operation *o, const struct arm_answer *answer,
                          struct operation_step *step)
{
    *step = (struct operation_step){0};
    if (!answer->http) {
        fail(step, ERR_IO, STR("reading what the operation made: there was no answer"));
    } else if (deletes(o) && answer->http == 404) {
        finish(a, o, STR_NONE, step);
    } else if (answer->http < 200 || answer->http >= 300) {
        step->next = OPERATION_FAILED;
        cloud_error_read(a, answer->http, answer->body, &step->error);
        step->error.retry_after = answer->retry_after;
    } else if (deletes(o)) {
        look_again(o, step);
    } else {
        finish(a, o, answer->body, step);
    }
}

void operation_take_up(struct arena *a, struct operation *o, const struct operation_about *about,
                       const struct lro *lro, struct operation_step *step)
{
    *o = (struct operation){.about = *about, .lro = *lro};
    /* Two of the protocols do not keep it in their tokens. */
    if (!o->lro.url.len)
        o->lro.url = about->url;
    go_on(a, o, step);
}

void operation_begin(struct arena *a, struct operation *o, const struct operation_about *about,
                     const struct arm_answer *first, struct operation_step *step)
{
    struct lro lro;

    lro_begin(a, &lro, about->method, about->url, first);
    operation_take_up(a, o, about, &lro, step);
}

bool operation_resume(struct arena *a, struct operation *o, const struct operation_about *about,
                      str token, struct operation_step *step, struct err *e)
{
    struct lro lro;

    if (!lro_resume(a, token, about->method, about->endpoint, &lro, e))
        return false;
    operation_take_up(a, o, about, &lro, step);
    return true;
}

void operation_step(struct arena *a, struct operation *o, const struct arm_answer *answer,
                    struct operation_step *step)
{
    if (o->reads) {
        take_resource(a, o, answer, step);
        return;
    }
    lro_step(a, &o->lro, answer);
    go_on(a, o, step);
}
