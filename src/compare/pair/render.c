/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - renders what a template expects of an object.
 *
 * It works on a private copy of the object, which loses the omitted fields of one candidate after
 * the other, like the original's shared object. Isolated candidates have separate copies, so that
 * no template can hide what another one would show.
 */
#include "compare/pair/inline_internal.h"
#include "compare/pair/pair_internal.h"
#include "text/json/json.h"
#include "text/patch/patch.h"

struct render pair_render_options(struct pairing *p, struct trace *trace)
{
    return (struct render){.log = &p->out->log,
                           .exact = p->dialect->exact_numbers,
                           .helm = p->dialect->helm_functions,
                           .secret = p->dialect->masked_secrets && secret_is(p->object->root),
                           .hooks = pair_hooks(p),
                           .coverage = p->run->options->coverage,
                           .trace = trace};
}

/* ---- Steps. ---- */

bool pair_write_sides(struct pairing *p, const struct value *rendered, struct buf *ours,
                      struct buf *theirs, struct err *e)
{
    bool exact = p->dialect->exact_numbers;

    if (!json_write(ours, rendered, exact ? &json_go_plain : &json_go_floats, e))
        return err_wrap(e, "failed to marshal reference CR");
    if (!json_write(theirs, p->root, exact ? &json_go_plain : &json_go, e))
        return err_wrap(e, "failed to marshal cluster CR");
    return true;
}

/* Upstream: by way of JSON, which rounds numbers. */
static bool merge_texts(struct pairing *p, struct value **rendered, struct err *e)
{
    struct buf ours = buf_new(p->arena, BUF_UNLIMITED), theirs = buf_new(p->arena, BUF_UNLIMITED);
    struct buf merged = buf_new(p->arena, BUF_UNLIMITED);
    struct source *source = ARENA_NEW(p->arena, struct source);
    const struct read_options options = {.go = true};

    if (!pair_write_sides(p, *rendered, &ours, &theirs, e))
        return false;
    if (!patch_merge(buf_str(&theirs), buf_str(&ours), &merged, e))
        return err_wrap(e, "failed to merge cluster and reference CRs");
    source->text = buf_str(&merged);
    return json_read(p->arena, source, &options, rendered, e) ||
           err_wrap(e, "failed to unmarshal updated manifest");
}

static bool is_sorted(const struct value *object)
{
    for (size_t i = 1; i < object->len; i++)
        if (str_cmp(value_key(&object->items[i - 1]), value_key(&object->items[i])) > 0)
            return false;
    return true;
}

void pair_sort_members(struct arena *a, struct value *v)
{
    if (!value_is_container(v))
        return;
    if (v->kind == VALUE_OBJECT && !is_sorted(v)) {
        struct value **sorted = value_sorted(a, v);
        struct value *nodes = ARENA_ARRAY(a, struct value, v->len);
        for (size_t i = 0; i < v->len; i++)
            nodes[i] = *sorted[i];
        value_adopt(a, v, VALUE_OBJECT, nodes, v->len);
    }
    for (size_t i = 0; i < v->len; i++)
        pair_sort_members(a, &v->items[i]);
}

static bool merge_live(struct pairing *p, const struct render *r, struct value **rendered,
                       struct err *e)
{
    if (!p->dialect->exact_numbers)
        return merge_texts(p, rendered, e);
    *rendered = patch_merge_values(p->arena, p->root, *rendered);
    if (r->trace)
        pair_sort_members(p->arena, *rendered);
    return true;
}

static bool apply_merge(struct pairing *p, const struct template *t, const struct render *r,
                        struct value **rendered, struct err *e)
{
    if (p->tally)
        tally_merged(p->tally, t, *rendered, p->root);
    if (merge_live(p, r, rendered, e)) {
        trace_add(r->trace, STAGE_MERGED, NULL, *rendered);
        return true;
    }
    str slug = slug_make(p->arena, object_id(p->arena, p->root));
    return err_wrap(e, "failed to properly merge the manifests for %.*s some diff may be incorrect",
                    STR_ARG(slug));
}

/* Upstream: templates are given the object itself, so what they change in it stays changed. */
static void keep_changes(struct pairing *p, struct render *r)
{
    if (r->changed)
        *p->root = *value_copy(p->run->in_turn ? p->run->arena : p->arena, r->changed);
    r->changed = NULL;
}

/* Each result needs the one before it, and no other: unless all are explained, two are kept. */
static bool apply_overrides(struct pairing *p, const struct template *t, struct render *r,
                            struct value **rendered, struct err *e)
{
    if (!p->out->override_count)
        return true;
    AUTO_ARENA even = arena_new();
    AUTO_ARENA odd = arena_new();
    size_t applied = 0;

    for (size_t i = 0; i < p->out->override_count; i++) {
        const struct override *o = &p->compare->overrides.items[p->out->overrides[i]];
        if (o->template_path.len && !str_eq(o->template_path, t->path))
            continue;
        struct arena *room = r->trace ? p->arena : applied++ % 2 ? odd : even;
        if (!r->trace)
            arena_reset(room);
        bool ok = override_apply(room, o, p->root, r, rendered, e);
        keep_changes(p, r);
        if (!ok)
            return p->dialect->own_words &&
                   err_wrap(e, "override %zu of %.*s", p->out->overrides[i] + 1,
                            STR_ARG(p->run->options->overrides));
        trace_add(r->trace, STAGE_OVERRIDDEN, o, *rendered);
    }
    if (applied)
        *rendered = value_copy(p->arena, *rendered);
    return true;
}

static bool render_object(struct pairing *p, const struct template *t, struct render *r,
                          struct value **rendered, struct err *e)
{
    bool ok = template_render(p->arena, t, p->root, r, rendered, e);

    keep_changes(p, r);
    if (ok)
        trace_add(r->trace, STAGE_RENDERED, NULL, *rendered);
    return ok;
}

/* Functions for single fields log the values they see. */
static struct log_buffer *inline_log(struct pairing *p, const struct template *t)
{
    if (!t->per_field.len || !p->dialect->masked_secrets || !secret_holds(p->root))
        return &p->out->log;
    p->silent = (struct log_buffer){.arena = p->arena};
    return &p->silent;
}

bool pair_render(struct pairing *p, const struct template *t, struct render *r,
                 struct value **rendered, struct err *e)
{
    omit_fields_reporting(p->arena, p->root, &t->omit, p->tally ? tally_omitted : NULL, p->tally);
    log_buffer_info(&p->out->log, "Executing template %.*s", STR_ARG(t->path));
    if (!render_object(p, t, r, rendered, e) || (t->merge && !apply_merge(p, t, r, rendered, e)) ||
        !apply_overrides(p, t, r, rendered, e) ||
        !inline_run(p->arena, t, *rendered, p->root, INLINE_COST_MAX / p->candidate_count,
                    p->dialect->masked_secrets, inline_log(p, t), e))
        return err_wrap(e, "template injection failed");
    if (t->per_field.len)
        trace_add(r->trace, STAGE_INLINED, NULL, *rendered);
    omit_fields(p->arena, *rendered, &t->omit);
    return true;
}
