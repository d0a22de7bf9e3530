/* SPDX-License-Identifier: Apache-2.0 */
/* patch.c - generates overrides that make a template accept its object. */
#include "compare/pair/pair_internal.h"
#include "text/json/json.h"
#include "text/patch/patch.h"

static bool is_wanted(const struct compare_options *o, const struct template *t)
{
    for (size_t i = 0; i < o->override_for.len; i++)
        if (str_eq(o->override_for.items[i], t->path))
            return true;
    return false;
}

static bool create_patch(const struct pairing *p, str ours, str theirs, struct buf *out,
                         struct err *e)
{
    return p->dialect->exact_numbers ? patch_create_merge_exact(ours, theirs, out, e)
                                     : patch_create_merge(ours, theirs, out, e);
}

/* The override is for people and files: it says which values differ, and not what they are. */
static bool mask_patch(struct pairing *p, const struct match *m, struct buf *patch, struct err *e)
{
    struct source source = {.text = str_copy(p->arena, buf_str(patch))};
    struct value *tree;

    bool holds = secret_holds(p->root) || secret_holds(m->rendered);

    if (!p->dialect->masked_secrets || !(holds || pair_values(p)))
        return true;
    if (!json_read(p->arena, &source, NULL, &tree, e))
        return false;
    if (secret_mask_patch(p->arena, pair_values(p), m->rendered, p->root, tree))
        log_buffer_warn(&p->out->log,
                        "%.*s: the generated override has no values of data, which are secret: it "
                        "does not make the object match",
                        STR_ARG(m->id));
    buf_truncate(patch, 0);
    return json_write(patch, tree, &json_go_plain, e);
}

bool pair_patch(struct pairing *p, struct match *m, struct err *e)
{
    struct buf ours = buf_new(p->arena, BUF_UNLIMITED), theirs = buf_new(p->arena, BUF_UNLIMITED);
    struct buf patch = buf_new(p->arena, BUF_UNLIMITED);
    struct override o = {.type = STR("mergepatch"),
                         .reason = p->run->options->override_reason,
                         .template_path = m->template->path};

    if (!is_wanted(p->run->options, m->template))
        return true;
    o.identity = identity_of(p->root);
    if (!pair_write_sides(p, m->rendered, &ours, &theirs, e))
        return false;
    if (!create_patch(p, buf_str(&ours), buf_str(&theirs), &patch, e) ||
        !mask_patch(p, m, &patch, e))
        return err_wrap(e, "failed to create patch");
    o.patch = buf_str(&patch);
    m->patch = override_write(p->arena, &o);
    return true;
}
