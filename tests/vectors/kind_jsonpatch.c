/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_jsonpatch.c - JSON Patch and JSON Merge Patch as evanphx/json-patch does them.
 *
 *   kind         apply, merge or create
 *   doc, patch   the texts, for apply and merge
 *   old, new     the texts, for create
 *   want         the resulting text
 *   err          the error text instead; for apply with stage, decode or apply
 */
#include "vectors.h"

#include "text/patch/patch.h"

struct outcome {
    bool ok;
    const char *stage; /* where apply failed */
    struct buf out;
};

static str text_of(struct arena *a, const struct value *vector, const char *key)
{
    str s = STR_NONE;

    (void)vector_text(a, vector, key, &s);
    return s;
}

static void run_apply(struct arena *a, const struct value *vector, struct outcome *o, struct err *e)
{
    struct patch *p;

    o->stage = "decode";
    if (!patch_read(a, text_of(a, vector, "patch"), &p, e))
        return;
    o->stage = "apply";
    o->ok = patch_apply(p, text_of(a, vector, "doc"), &o->out, e);
}

static void run_merge(struct arena *a, const struct value *vector, struct outcome *o, struct err *e)
{
    o->ok = patch_merge(text_of(a, vector, "doc"), text_of(a, vector, "patch"), &o->out, e);
}

static void run_create(struct arena *a, const struct value *vector, struct outcome *o,
                       struct err *e)
{
    o->ok = patch_create_merge(text_of(a, vector, "old"), text_of(a, vector, "new"), &o->out, e);
}

static const struct {
    const char *name;
    void (*run)(struct arena *a, const struct value *vector, struct outcome *o, struct err *e);
} runs[] = {
    {"apply", run_apply},
    {"create", run_create},
    {"merge", run_merge},
};

static bool check(const struct outcome *o, const struct err *e, const struct value *vector,
                  struct buf *why)
{
    str want = value_get_str(vector, STR("want")), err = value_get_str(vector, STR("err"));
    str stage = value_get_str(vector, STR("stage"));

    if (!o->ok && !value_get(vector, STR("err")))
        return vector_differs(why, "result", e->text, want);
    if (!str_eq(e->text, err))
        return vector_differs(why, "error", e->text, err);
    if (!o->ok && stage.len && !str_eq(stage, str_c(o->stage)))
        return vector_differs(why, "stage", str_c(o->stage), stage);
    return str_eq(buf_str(&o->out), want) || vector_differs(why, "result", buf_str(&o->out), want);
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    AUTO_ERR e = {0};
    str kind = value_get_str(vector, STR("kind"));
    struct outcome o = {.out = buf_new(a, BUF_UNLIMITED)};

    for (size_t i = 0; i < COUNT(runs); i++) {
        if (!str_eq(kind, str_c(runs[i].name)))
            continue;
        runs[i].run(a, vector, &o, &e);
        return check(&o, &e, vector, why);
    }
    return vector_differs(why, "kind", kind, STR("apply, create or merge"));
}

const struct vector_kind vector_jsonpatch = {
    .name = "jsonpatch",
    .help = "JSON Patch and JSON Merge Patch: results and errors",
    .run = run,
};
