/* SPDX-License-Identifier: Apache-2.0 */
/* user.c - checks overrides and user config against the reference: what no longer matches it. */
#include "compare/lint/internal.h"
#include "compare/input/object_internal.h"
#include "compare/reference/overrides_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/reference/templates_internal.h"
#include "text/json/json.h"
#include "text/patch/patch.h"

/* Reads a file of the user and decodes it; *doc is NULL when there is nothing to go on with. */
static bool read_decoded(struct lint *l, str path, struct lint_shape shape, struct source **source,
                         struct value **doc, struct err *e)
{
    AUTO_ERR fault = {0};

    if (!lint_read(l, path, path, source, doc, e))
        return false;
    shape.source = *source;
    if (*doc && (!lint_schema(l, &shape, *doc) ||
                 !schema_decode(l->arena, shape.schema, SCHEMA_LOOSE, *doc, &fault)))
        *doc = NULL;
    return true;
}

/* ---- Ids. ---- */

/* Whether an object of that identity, all of it known, could be given to a template. */
static bool object_fits(const struct identity *object, const struct identity *template)
{
    return lint_fits(object, template) && (object->namespace.len || !template->namespace.len);
}

/*
 * Whether an id could be that of an object for a template. Names may have underscores, so every way
 * to take the id apart counts.
 */
static bool id_fits(str id, const struct identity *template)
{
    struct identity object = {0};
    str rest;

    if (!str_cut(id, STR("_"), &object.api_version, &rest) ||
        !str_cut(rest, STR("_"), &object.kind, &rest))
        return false;
    object.name = rest;
    if (object_fits(&object, template))
        return true;
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.ptr[i] != '_')
            continue;
        object.namespace = str_slice(rest, 0, i);
        object.name = str_from(rest, i + 1);
        if (object_fits(&object, template))
            return true;
    }
    return false;
}

static const struct template *find_template(const struct lint *l, str path, size_t *index)
{
    for (size_t i = 0; i < l->reference.templates.len; i++)
        if (str_eq(l->reference.templates.items[i].path, path)) {
            *index = i;
            return &l->reference.templates.items[i];
        }
    return NULL;
}

/* ---- Overrides. ---- */

struct override_check {
    struct lint *lint;
    const struct source *source;
    const struct value *entry;
    struct override override;
    size_t candidates; /* templates it can be for */
    size_t plain;      /* of which render alike whatever the object */
    size_t idle;       /* of which it does not change */
    size_t failed;     /* to which it cannot be applied */
    str reason;
};

static struct where member_where(const struct override_check *c, const char *key)
{
    const struct value *v = value_get(c->entry, str_c(key));

    return source_where(c->source, v ? v : c->entry);
}

/* What needs no template to be wrong. */
static bool check_patch(const struct override_check *c, struct err *e)
{
    const struct override *o = &c->override;
    struct arena *a = c->lint->arena;
    struct patch *operations;
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (str_eq(o->type, STR("mergepatch")))
        return patch_merge(STR("{}"), o->patch, &out, e);
    if (str_eq(o->type, STR("rfc6902")))
        return patch_read(a, o->patch, &operations, e);
    if (str_eq(o->type, STR("go-template")))
        return tmpl_parse(
            tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC, .extra = TMPL_HELM}), STR(""),
            o->patch, e);
    return err_set(e, ERR_INVALID,
                   "the type \"%.*s\" is none of mergepatch, rfc6902 and go-template",
                   STR_ARG(o->type));
}

static bool is_for(const struct override_check *c, const struct template *t)
{
    const struct override *o = &c->override;

    if (o->template_path.len && !str_eq(o->template_path, t->path))
        return false;
    return o->exact_match.len ? id_fits(o->exact_match, &t->identity)
                              : lint_fits(&o->identity, &t->identity);
}

/* Tries it on what a template always renders to. */
static void try_on(struct override_check *c, const struct template *t)
{
    AUTO_ARENA a = arena_new();
    struct value *object = value_clone(a, t->metadata);
    struct render render = {.exact = true}; /* as under plumb's own name */
    AUTO_ERR e = {0};

    c->plain++;
    if (!override_apply(a, &c->override, NULL, &render, &object, &e)) {
        c->failed++;
        c->reason = str_fmt(c->lint->arena, "%.*s: %.*s", STR_ARG(t->path), STR_ARG(e.text));
    } else if (value_equal(object, t->metadata)) {
        c->idle++;
    }
}

static void try_candidates(struct override_check *c)
{
    const struct lint *l = c->lint;
    bool fixed = !str_eq(c->override.type, STR("go-template"));

    for (size_t i = 0; i < l->reference.templates.len; i++) {
        const struct template *t = &l->reference.templates.items[i];
        if (l->notes[i].rendered && !is_for(c, t))
            continue;
        c->candidates++;
        if (fixed && l->notes[i].rendered && l->notes[i].plain && !t->merge)
            try_on(c, t);
    }
    if (!c->candidates)
        lint_add(c->lint, &lint_override_unmatched, source_where(c->source, c->entry),
                 "no template is for an object such as this override selects");
    else if (c->failed && c->failed == c->candidates)
        lint_add(c->lint, &lint_override_invalid, member_where(c, "patch"),
                 "the patch cannot be applied to %.*s", STR_ARG(c->reason));
    else if (c->idle && c->idle == c->candidates)
        lint_add(c->lint, &lint_override_idle, member_where(c, "patch"),
                 "the patch changes nothing in %s", c->idle == 1 ? "its template" : "any template");
}

static void check_override(struct override_check *c)
{
    const struct override *o = &c->override;
    AUTO_ERR e = {0};
    size_t index;

    if (!o->reason.len)
        lint_add(c->lint, &lint_override_invalid, source_where(c->source, c->entry),
                 "the override has no reason");
    if (!check_patch(c, &e)) {
        lint_add(c->lint, &lint_override_invalid, member_where(c, "patch"), "%.*s",
                 STR_ARG(e.text));
        return;
    }
    if (o->template_path.len && !find_template(c->lint, o->template_path, &index))
        lint_add(c->lint, &lint_override_unmatched, member_where(c, "templatePath"),
                 "the reference has no template %.*s", STR_ARG(o->template_path));
    else if (!o->exact_match.len && !o->identity.kind.len)
        lint_add(c->lint, &lint_override_unmatched, source_where(c->source, c->entry),
                 "an override with neither kind nor exactMatch is never selected");
    else
        try_candidates(c);
}

/* Of several with one exactMatch the last is taken. */
static void check_shadowed(struct lint *l, const struct source *source, const struct value *doc)
{
    struct map *later = map_new(l->arena);

    for (size_t i = value_len(doc); i > 0; i--) {
        const struct value *match = value_get(value_at(doc, i - 1), STR("exactMatch"));
        const struct value *winner = map_get(later, value_str(match));
        if (!value_str(match).len)
            continue;
        if (!winner)
            map_set(later, value_str(match), (void *)match);
        else
            lint_add(l, &lint_override_shadowed, source_where(source, match),
                     "the override in line %u is for %.*s too",
                     (unsigned)source_where(source, winner).line, STR_ARG(value_str(match)));
    }
}

bool lint_overrides(struct lint *l, struct err *e)
{
    const struct lint_shape shape = {.schema = &overrides_schema, .loose = true};
    struct source *source;
    struct value *doc;

    if (!read_decoded(l, l->options->overrides, shape, &source, &doc, e))
        return false;
    for (size_t i = 0; i < value_len(doc); i++) {
        struct override_check c = {.lint = l,
                                   .source = source,
                                   .entry = value_at(doc, i),
                                   .override = override_read(value_at(doc, i))};
        check_override(&c);
    }
    check_shadowed(l, source, doc);
    return true;
}

/* ---- User config. ---- */

static void check_pair(struct lint *l, const struct source *source, const struct value *pair)
{
    size_t index = 0;
    const struct template *t = find_template(l, value_str(pair), &index);

    if (!t)
        lint_add(l, &lint_config_unknown_template, source_where(source, pair),
                 "the reference has no template %.*s", STR_ARG(value_str(pair)));
    else if (l->notes[index].rendered && !id_fits(value_key(pair), &t->identity))
        lint_add(l, &lint_config_mismatch, lint_key_where(source, pair),
                 "%.*s does not match the template %.*s", STR_ARG(value_key(pair)),
                 STR_ARG(t->path));
}

bool lint_config(struct lint *l, struct err *e)
{
    const struct lint_shape shape = {.schema = &user_config_schema};
    struct source *source;
    struct value *doc;

    if (!read_decoded(l, l->options->config, shape, &source, &doc, e))
        return false;
    const struct value *pairs = user_config_pairs(doc);
    for (size_t i = 0; i < value_len(pairs); i++)
        check_pair(l, source, &pairs->items[i]);
    return true;
}
