/* SPDX-License-Identifier: Apache-2.0 */
/* model_show.c - plumb model show: shows a kind as a readable tree. */
#include "cli/cmd/model_internal.h"

#include "azure/model/model.h"
#include "cli/options/kinds.h"

/* Deeper than any ARM type, to stop at cycles in a model. */
#define SHOW_DEPTH 40

struct showing {
    struct output *out;
    struct arena *arena;
    const struct model_type *above[SHOW_DEPTH]; /* the parents of the type being shown */
};

/* ---- One property. ---- */

static void add_values(struct buf *b, const char *label, const struct value *list)
{
    buf_fmt(b, "  %s", label);
    for (size_t i = 0; i < value_len(list); i++) {
        str text = value_text(value_at(list, i));
        buf_fmt(b, "%s%.*s", i ? "|" : "", STR_ARG(text));
    }
}

static void add_limits(struct buf *b, const struct value *limits)
{
    for (size_t i = 0; i < value_len(limits); i++) {
        str name = value_key(&limits->items[i]), text = value_text(&limits->items[i]);
        buf_fmt(b, "  %.*s=%.*s", STR_ARG(name), STR_ARG(text));
    }
}

/* The shape below lists and maps. */
static const struct model_shape *innermost(const struct model_shape *s)
{
    while (s->item)
        s = s->item;
    return s;
}

static void add_shape(struct buf *b, const struct model_shape *s)
{
    static const char *const names[] = {
        [FORM_STRING] = "string", [FORM_INT] = "int",   [FORM_FLOAT] = "float",
        [FORM_BOOL] = "bool",     [FORM_JSON] = "json", [FORM_OBJECT] = "object",
    };

    for (; s->item; s = s->item)
        buf_add(b, s->form == FORM_LIST ? STR("list of ") : STR("map of "));
    if (s->form == FORM_BUILTIN)
        buf_add(b, str_from(s->spelling, 1));
    else
        buf_add(b, str_c(names[s->form]));
}

static void show_prop(struct showing *s, const struct model_prop *p, size_t depth)
{
    struct buf b = buf_new(s->arena, 1 * MIB);
    const struct model_shape *inner = innermost(p->shape);

    buf_repeat(&b, ' ', 2 * depth);
    buf_fmt(&b, "%.*s%s  ", STR_ARG(p->name), p->required ? "*" : "");
    add_shape(&b, p->shape);
    for (size_t i = 0; i < p->arm_len; i++)
        buf_fmt(&b, "%s%.*s", i ? "/" : "  -> ", STR_ARG(p->arm[i]));
    if (p->role != ROLE_PLAIN)
        buf_fmt(&b, "  [%s]", model_role_name(p->role));
    if (p->variant.len)
        buf_fmt(&b, "  when %.*s", STR_ARG(p->variant));
    if (p->empty != EMPTY_OMITTED)
        buf_fmt(&b, "  unset: %s", p->empty == EMPTY_NULL ? "null" : "empty");
    if (inner->choices)
        add_values(&b, "one of ", inner->choices);
    if (p->choices)
        add_values(&b, "one of ", p->choices);
    add_limits(&b, p->limits);
    add_limits(&b, inner->limits);
    buf_char(&b, '\n');
    output_add(s->out, buf_str(&b));
}

/* ---- The tree. ---- */

static bool is_above(const struct showing *s, const struct model_type *t, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        if (s->above[i] == t)
            return true;
    return false;
}

static void show_type(struct showing *s, const struct model_type *t, size_t depth)
{
    if (depth + 1 >= SHOW_DEPTH)
        return;
    s->above[depth] = t;
    for (size_t i = 0; i < t->prop_count; i++) {
        const struct model_shape *inner = innermost(t->props[i].shape);
        show_prop(s, &t->props[i], depth + 1);
        if (inner->form == FORM_OBJECT && !is_above(s, inner->object, depth + 1))
            show_type(s, inner->object, depth + 1);
    }
}

/* ---- The head. ---- */

static void show_head(struct call *c, const struct model_resource *r)
{
    static const char *const scopes[SCOPE_COUNT] = {
        [SCOPE_NONE] = "none",
        [SCOPE_RESOURCE_GROUP] = "resource group",
        [SCOPE_SUBSCRIPTION] = "subscription",
        [SCOPE_TENANT] = "tenant",
        [SCOPE_EXTENSION] = "extension of any resource",
    };
    static const struct {
        unsigned bit;
        const char *name;
    } ops[] = {
        {MODEL_GET, "get"}, {MODEL_PUT, "put"}, {MODEL_DELETE, "delete"}, {MODEL_HEAD, "head"}};

    output_fmt(c->out, "%.*s/%.*s %.*s%s\n", STR_ARG(r->group), STR_ARG(r->version),
               STR_ARG(r->kind), r->hub ? " (stored version)" : "");
    if (r->arm_type.len)
        output_fmt(c->out, "ARM type    %.*s@%.*s\n", STR_ARG(r->arm_type),
                   STR_ARG(r->api_version));
    output_fmt(c->out, "scope       %s\n", scopes[r->scope]);
    if (r->owner_kind.len)
        output_fmt(c->out, "owner       %.*s %.*s\n", STR_ARG(r->owner_group),
                   STR_ARG(r->owner_kind));
    output_add(c->out, STR("operations "));
    for (size_t i = 0; i < COUNT(ops); i++)
        if (r->operations & ops[i].bit)
            output_fmt(c->out, " %s", ops[i].name);
    output_add(c->out, STR("\n"));
    if (r->fixed_name.len)
        output_fmt(c->out, "name        always %.*s\n", STR_ARG(r->fixed_name));
    if (r->uuid_name)
        output_add(c->out, STR("name        a UUID unless azureName is set\n"));
}

bool cmd_model_show(struct call *c, str folder, bool status, struct err *e)
{
    const struct model_resource *r;
    struct model *m;

    if (c->arg_count != 1)
        return err_set(e, ERR_USAGE, "model show takes one KIND, GROUP/KIND or KIND@VERSION");
    if (!model_open(c->arena, folder, &m, e))
        return false;
    bool ok = kind_list_find(c->arena, m, c->args[0], &r, e);
    if (ok) {
        struct showing s = {.out = c->out, .arena = c->arena};
        show_head(c, r);
        output_fmt(c->out, "\n%s\n", status ? "status" : "spec");
        show_type(&s, status ? r->status : r->spec, 0);
    }
    model_close(m);
    return ok;
}
