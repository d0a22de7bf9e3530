/* SPDX-License-Identifier: Apache-2.0 */
/* reference_new.c - plumb reference new: drafts a reference from objects. */
#include "cli/cmd/reference_internal.h"
#include "compare/draft/draft.h"
#include "kube/config/config.h"

static void show_line(void *ctx, char severity, str text)
{
    (void)ctx;
    if (severity != 'I')
        message_warning((struct where){0}, text);
}

static void print_report(struct call *c, const struct draft_options *o,
                         const struct draft_report *r)
{
    output_fmt(c->out, "Wrote %.*s: %zu template%s of %zu object%s, %zu of them optional\n",
               STR_ARG(o->folder), r->templates, r->templates == 1 ? "" : "s", r->objects,
               r->objects == 1 ? "" : "s", r->optional);
    output_fmt(c->out, "Values taken from the object that is compared: %zu\n", r->varying);
    if (r->secrets)
        output_fmt(c->out, "Values of %zu Secret%s are not in the reference\n", r->secrets,
                   r->secrets == 1 ? "" : "s");
    if (r->left_out)
        output_fmt(c->out, "Objects of other kinds: %zu\n", r->left_out);
    if (r->unread)
        output_fmt(c->out, "Documents that are not objects: %zu\n", r->unread);
    output_fmt(c->out, "Next: plumb reference lint %.*s; plumb compare %.*s INPUT\n",
               STR_ARG(o->folder), STR_ARG(o->folder));
}

bool cmd_reference_new(struct call *c, struct err *e)
{
    const struct reference_values *v = c->values;
    const struct kube_flags flags = {0};
    struct draft_options o = {.folder = c->args[1],
                              .kinds = {v->kinds.items, v->kinds.len, v->kinds.cap},
                              .cluster = &flags,
                              .log = {.line = show_line}};
    struct draft_report report;

    if (c->arg_count < 3)
        return err_set(e, ERR_USAGE,
                       "name what the reference is made of: files, folders, archives, or "
                       "context:NAME for a cluster");
    for (size_t i = 2; i < c->arg_count; i++)
        VEC_PUSH(c->arena, &o.inputs, c->args[i]);
    while (o.folder.len > 1 && str_has_suffix(o.folder, STR("/")))
        o.folder = str_slice(o.folder, 0, o.folder.len - 1);
    if (!draft_run(c->arena, &o, &report, e))
        return false;
    print_report(c, &o, &report);
    return true;
}
