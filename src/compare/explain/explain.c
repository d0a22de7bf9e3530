/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - explains why an object was compared with one template and not another. */
#include "compare/explain/explain_internal.h"
#include "compare/internal.h"
#include "go/quote.h"

/* ---- Which objects. ---- */

/* kind/name or kind/namespace/name; a blank may take the place of the first slash. */
static bool is_named(const struct identity *i, str text)
{
    str kind, rest, namespace, name;

    if (!str_cut(text, STR(" "), &kind, &rest) && !str_cut(text, STR("/"), &kind, &rest))
        return false;
    if (!str_eq_fold(kind, i->kind))
        return false;
    if (str_eq(rest, i->name))
        return true;
    return str_cut(rest, STR("/"), &namespace, &name) && str_eq(namespace, i->namespace) &&
           str_eq(name, i->name);
}

bool explain_wants(const struct compare_options *options, const struct object *o)
{
    str wanted = options->explain_object;

    return options->explain &&
           (!wanted.len || str_eq(wanted, o->id) || is_named(&o->identity, wanted));
}

/* ---- Candidates. ---- */

struct ranking {
    struct arena *arena;
    const struct tried_list *tried;
    const struct tried *chosen; /* NULL: none */
    str reason;
    size_t scored, equal; /* candidates with a score; with that of the chosen one */
};

static str why_chosen(const struct ranking *r)
{
    if (r->tried->len == 1)
        return str_fmt(r->arena, "%.*s", STR_ARG(r->reason));
    if (r->equal > 1)
        return str_fmt(r->arena, "%.*s; the first of %zu with the lowest score", STR_ARG(r->reason),
                       r->equal);
    return str_fmt(r->arena, "%.*s; the lowest score of %zu", STR_ARG(r->reason), r->scored);
}

/* What a template rendered to may hold what is secret. */
static str fault_text(str fault)
{
    return str_slice(fault, 0, str_find(fault, STR(" The Template After Execution: ")));
}

static str why_tried(const struct ranking *r, const struct tried *t)
{
    if (t == r->chosen)
        return why_chosen(r);
    if (t->excluded)
        return str_fmt(r->arena, "it excluded itself with doNotMatch: %.*s", STR_ARG(t->fault));
    if (!t->scored)
        return str_fmt(r->arena, "it failed: %.*s", STR_ARG(fault_text(t->fault)));
    if (!r->chosen)
        return STR("no template was chosen because another candidate failed");
    if (t->score == r->chosen->score)
        return str_fmt(r->arena, "the same score as %.*s, which comes first",
                       STR_ARG(r->chosen->template->path));
    return str_fmt(r->arena, "a higher score than %.*s", STR_ARG(r->chosen->template->path));
}

static void rank(struct ranking *r, const struct template *chosen)
{
    for (size_t i = 0; i < r->tried->len; i++)
        if (r->tried->items[i].template == chosen)
            r->chosen = &r->tried->items[i];
    for (size_t i = 0; i < r->tried->len; i++) {
        const struct tried *t = &r->tried->items[i];
        r->scored += t->scored;
        r->equal += r->chosen && t->scored && t->score == r->chosen->score;
    }
}

/* ---- Templates that were no candidates. ---- */

static bool was_tried(const struct tried_list *tried, const struct template *t)
{
    for (size_t i = 0; i < tried->len; i++)
        if (tried->items[i].template == t)
            return true;
    return false;
}

/* The fields that a template fixes and the object has otherwise. */
static str other_fields(struct arena *a, const struct identity *t, const struct identity *o)
{
    const struct {
        const char *name;
        str wanted, found;
    } fields[] = {{"apiVersion", t->api_version, o->api_version},
                  {"metadata.namespace", t->namespace, o->namespace},
                  {"metadata.name", t->name, o->name}};
    struct str_list texts = {0};

    for (size_t i = 0; i < COUNT(fields); i++)
        if (fields[i].wanted.len && !str_eq(fields[i].wanted, fields[i].found))
            VEC_PUSH(
                a, &texts,
                str_fmt(a, "%s %.*s", fields[i].name, STR_ARG(go_quoted(a, fields[i].wanted))));
    return str_join(a, texts.items, texts.len, STR(", "));
}

static str why_untried(const struct ranking *r, const struct template *t, const struct object *o)
{
    str other = other_fields(r->arena, &t->identity, &o->identity);

    if (other.len)
        return str_fmt(r->arena, "not tried: it is for %.*s", STR_ARG(other));
    if (!r->tried->len)
        return STR("not tried");
    return str_fmt(r->arena, "not tried: %.*s comes first, %.*s",
                   STR_ARG(r->tried->items[0].template->path), STR_ARG(r->reason));
}

/* Templates of the same kind are worth a word; all others have nothing to do with the object. */
static void add_untried(const struct ranking *r, const struct compare *c, const struct object *o,
                        struct result_explanation *out)
{
    for (size_t i = 0; i < c->reference.templates.len; i++) {
        const struct template *t = &c->reference.templates.items[i];
        if (str_eq(t->identity.kind, o->identity.kind) && !was_tried(r->tried, t))
            VEC_PUSH(r->arena, &out->candidates,
                     ((struct result_candidate){.template = t->path, .why = why_untried(r, t, o)}));
    }
}

void explain_candidates(struct arena *a, const struct compare *c, const struct object *o,
                        const struct tried_list *tried, const struct template *chosen,
                        struct result_explanation *out)
{
    struct ranking r = {.arena = a, .tried = tried};

    out->object = o->id;
    out->place = object_place(o);
    if (tried->len)
        r.reason = c->templates->reason(c->templates, a, o);
    rank(&r, chosen);
    for (size_t i = 0; i < tried->len; i++) {
        const struct tried *t = &tried->items[i];
        VEC_PUSH(a, &out->candidates,
                 ((struct result_candidate){.template = t->template->path,
                                            .score = t->score,
                                            .scored = t->scored,
                                            .chosen = t == r.chosen,
                                            .why = why_tried(&r, t)}));
    }
    add_untried(&r, c, o, out);
}

/* ---- Copies. ---- */

struct result_explanation explanation_copy(struct arena *a, const struct result_explanation *from)
{
    struct result_explanation out = {
        .object = str_copy(a, from->object),
        .place = {str_copy(a, from->place.file), from->place.line},
        .cut = from->cut,
    };

    for (size_t i = 0; i < from->candidates.len; i++) {
        struct result_candidate c = from->candidates.items[i];
        c.template = str_copy(a, c.template);
        c.why = str_copy(a, c.why);
        VEC_PUSH(a, &out.candidates, c);
    }
    for (size_t i = 0; i < from->suppressed.len; i++) {
        struct result_suppressed s = from->suppressed.items[i];
        s.path = str_copy(a, s.path);
        s.rule = str_copy(a, s.rule);
        s.rule_place.file = str_copy(a, s.rule_place.file);
        VEC_PUSH(a, &out.suppressed, s);
    }
    return out;
}
