/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pass_ext.c - a pass at the points of its kind (ext.h): the input of hooks, the questions they
 * ask, and what becomes of their decisions.
 */
#include "operator/internal.h"

#include "text/url.h"

/* A hook normally asks a few questions, some of which are paged. */
#define QUESTIONS_MAX 128

struct ext pass_ext(const struct pass *p)
{
    return ext_find(p->config->rules, p->config->hooks, p->card->key.group, p->card->key.kind);
}

struct ext_input pass_ext_input(const struct pass *p)
{
    return (struct ext_input){
        .arena = p->arena,
        .resource = p->resource,
        .object = p->object,
        .payload = p->request.body,
        .body = p->body,
        .owner = p->owner_body,
        .sent = memory_get(p, "sentChildren"),
        .id = pass_id(p),
        .api_version = p->resource->api_version,
        .endpoint = p->account.endpoint,
        .answers = p->ext.items,
        .answer_count = p->ext.len,
    };
}

static bool method_effect(str method, enum effect_kind *out)
{
    static const enum effect_kind kinds[] = {ARM_GET, ARM_POST, ARM_PUT, ARM_DELETE};

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(method, str_c(effect_method(kinds[i])))) {
            *out = kinds[i];
            return true;
        }
    return false;
}

/* Hooks may read anywhere in Azure, but write only where the object may. */
static bool may_write(const struct pass *p, const struct ext_request *request, str *id)
{
    str path, query;

    if (request->harmless || !str_has_prefix(request->url, STR("/")))
        return true;
    str_cut(request->url, STR("?"), &path, &query);
    return url_unescape(p->arena, path, false, id) && pass_in_scope(p, *id);
}

bool pass_question(struct pass *p, const struct ext_request *request, struct pass_step *step)
{
    enum effect_kind kind;
    str url, id = request->url;

    if (!may_write(p, request, &id)) {
        *step = step_out_of_scope(p, id);
        return false;
    }
    if (p->ext.len == QUESTIONS_MAX || !method_effect(request->method, &kind) ||
        !ext_url(p->arena, p->account.endpoint, request, &url)) {
        *step = step_explain(p, "Warning", "Failed",
                             str_fmt(p->arena, "%.*s %.*s is not asked: %s",
                                     STR_ARG(request->method), STR_ARG(request->url),
                                     p->ext.len == QUESTIONS_MAX
                                         ? "too many questions"
                                         : "it is not a request to Resource Manager"));
        return false;
    }
    *step = step_arm(p, kind, url, request->body);
    step->effect.harmless = request->harmless;
    p->asked = true;
    p->mark = 0;
    return true;
}

void pass_take_answer(struct pass *p)
{
    const struct arm_answer *answer = p->asked ? pass_answer(p) : NULL;

    p->asked = false;
    if (answer)
        VEC_PUSH(p->arena, &p->ext, *answer);
}

void pass_answered(struct pass *p)
{
    p->ext.len = 0;
}

/* What a decision changes in the object is written with the next write of its metadata. */
static void note_annotations(struct pass *p, const struct value *changes)
{
    if (!p->annotations)
        p->annotations = value_object(p->arena);
    for (size_t i = 0; i < value_len(changes); i++)
        value_set_str(p->arena, p->annotations, value_key(&changes->items[i]),
                      value_str(&changes->items[i]));
}

void pass_annotate(const struct pass *p, struct value *object)
{
    for (size_t i = 0; i < value_len(p->annotations); i++)
        object_set_annotation(p->arena, object, value_key(&p->annotations->items[i]),
                              value_str(&p->annotations->items[i]));
}

bool pass_point(struct pass *p,
                struct decision (*point)(const struct ext *x, const struct ext_input *in),
                struct decision *out, struct pass_step *step)
{
    const struct ext ext = pass_ext(p);

    pass_take_answer(p);
    const struct ext_input in = pass_ext_input(p);
    *out = point(&ext, &in);
    note_annotations(p, out->annotations);
    if (out->kind == DECISION_ASK) {
        (void)pass_question(p, &out->request, step);
        return false;
    }
    pass_answered(p);
    if (out->kind != DECISION_BLOCK)
        return true;
    *step =
        step_explain(p, str_z(p->arena, out->severity), str_z(p->arena, out->reason), out->message);
    p->verdict.retry = out->retry;
    return false;
}
