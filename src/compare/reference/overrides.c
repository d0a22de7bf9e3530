/* SPDX-License-Identifier: Apache-2.0 */
/* overrides.c - users' patches for templates (-p): reads, selects, applies and writes them. */
#include "compare/reference/overrides_internal.h"
#include "compare/pair/correlate_internal.h"
#include "compare/log_buffer_internal.h"
#include "go/decode.h"
#include "compare/reference/templates_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "text/json/json.h"
#include "text/patch/patch.h"
#include "text/yaml/yaml.h"

static const struct schema patch_type = {.kind = SCHEMA_STRING, .go = "compare.patchType"};

static const struct schema override_schema = {
    .kind = SCHEMA_STRUCT,
    .go = "compare.UserOverride",
    .fields = (const struct schema_field[]){{"apiVersion", &schema_string, NULL},
                                            {"exactMatch", &schema_string, NULL},
                                            {"kind", &schema_string, NULL},
                                            {"name", &schema_string, NULL},
                                            {"namespace", &schema_string, NULL},
                                            {"patch", &schema_string, NULL},
                                            {"reason", &schema_string, NULL},
                                            {"templatePath", &schema_string, NULL},
                                            {"type", &patch_type, NULL},
                                            {0}},
    .pointer = true,
};

const struct schema overrides_schema = {
    .kind = SCHEMA_LIST,
    .go = "[]*compare.UserOverride",
    .item = &override_schema,
};

/* ---- Reading and writing. ---- */

struct override override_read(const struct value *v)
{
    return (struct override){
        .identity = {.api_version = value_get_str(v, STR("apiVersion")),
                     .kind = value_get_str(v, STR("kind")),
                     .namespace = value_get_str(v, STR("namespace")),
                     .name = value_get_str(v, STR("name"))},
        .exact_match = value_get_str(v, STR("exactMatch")),
        .reason = value_get_str(v, STR("reason")),
        .type = value_get_str(v, STR("type")),
        .patch = value_get_str(v, STR("patch")),
        .template_path = value_get_str(v, STR("templatePath")),
        .pos = v->pos,
    };
}

static bool read_overrides(struct arena *a, str path, bool single, struct overrides *out,
                           struct err *e)
{
    struct value *doc;
    str text;

    if (!file_read(a, path, &text, e) || !yaml_any_read(a, text, single, &doc, e) ||
        !yaml_source(a, path, text, &out->source, e))
        return false;
    if (!schema_decode(a, &overrides_schema, SCHEMA_LOOSE, doc, e))
        return err_wrap(e, "error unmarshaling JSON: while decoding JSON");
    for (size_t i = 0; i < value_len(doc); i++) {
        VEC_PUSH(a, out, override_read(value_at(doc, i)));
        if (!out->items[out->len - 1].reason.len)
            return err_set(e, ERR_INVALID, "missing reason");
    }
    return true;
}

bool overrides_load(struct arena *a, str path, bool single, struct overrides *out, struct err *e)
{
    return read_overrides(a, path, single, out, e) || err_wrap(e, "failed to load user overrides");
}

static void set_unless_empty(struct arena *a, struct value *out, str key, str text)
{
    if (text.len)
        value_set_str(a, out, key, text);
}

struct value *override_write(struct arena *a, const struct override *o)
{
    struct value *out = value_object(a);

    set_unless_empty(a, out, STR("apiVersion"), o->identity.api_version);
    set_unless_empty(a, out, STR("exactMatch"), o->exact_match);
    set_unless_empty(a, out, STR("kind"), o->identity.kind);
    set_unless_empty(a, out, STR("name"), o->identity.name);
    set_unless_empty(a, out, STR("namespace"), o->identity.namespace);
    value_set_str(a, out, STR("patch"), o->patch);
    value_set_str(a, out, STR("reason"), o->reason);
    value_set_str(a, out, STR("templatePath"), o->template_path);
    value_set_str(a, out, STR("type"), o->type);
    return out;
}

/* ---- Selecting. ---- */

static str override_shown(struct arena *a, const struct override *o)
{
    const str fields[] = {o->identity.name, o->identity.api_version,
                          o->identity.kind, o->identity.namespace,
                          o->exact_match,   o->reason,
                          o->type,          o->patch,
                          o->template_path};

    return str_fmt(a, "{%.*s}", STR_ARG(str_join(a, fields, COUNT(fields), STR(" "))));
}

struct correlator *overrides_correlator(struct arena *a, const struct overrides *o,
                                        struct log_buffer *log)
{
    struct candidate *candidates = ARENA_ARRAY(a, struct candidate, o->len);
    struct correlator *chain[2];
    struct map *exact = map_new(a);
    size_t count = 0;

    for (size_t i = 0; i < o->len; i++) {
        size_t *index = ARENA_NEW(a, size_t);
        candidates[i] = (struct candidate){o->items[i].identity, override_shown(a, &o->items[i])};
        *index = i;
        if (o->items[i].exact_match.len)
            map_set(exact, o->items[i].exact_match, index);
    }
    if (map_len(exact))
        chain[count++] = correlate_exact(a, exact);
    chain[count++] = correlate_group(a, override_groups, candidates, o->len, log);
    return correlate_multi(a, chain, count);
}

/* ---- Applying. ---- */

struct patching {
    struct arena *arena; /* for the result */
    const struct value *live;
    struct render *render;
    str document; /* the rendered object as JSON */
    struct buf out;
    uint64_t steps; /* left for patch templates, all together */
    size_t bytes;   /* likewise: what they may render to */
};

static bool apply_operations(struct patching *p, struct arena *scratch, str patch, struct err *e)
{
    struct patch *operations;

    if (!patch_read(scratch, patch, &operations, e))
        return err_wrap(e, "failed to decode user patch");
    return patch_apply(operations, p->document, &p->out, e) ||
           err_wrap(e, "failed to apply user patch");
}

static bool run_patch(struct patching *p, struct arena *a, str patch, struct buf *text,
                      struct err *e)
{
    const struct tmpl_options options = {.profile = TMPL_KC,
                                         .extra = p->render->helm ? TMPL_HELM : 0};
    const struct tmpl_limits limits = {.steps = p->steps, .output = p->bytes};
    struct tmpl_set *set = tmpl_new(a, &options);
    struct tmpl_run run = {
        .data = p->live, .exact = p->render->exact, .limits = &limits, .hooks = &p->render->hooks};

    if (!tmpl_parse(set, STR(""), patch, e))
        return err_wrap(e, "failed to parse patch as template");
    bool ok = tmpl_execute(a, set, STR(""), &run, text, e);
    p->steps -= run.steps < p->steps ? run.steps : p->steps - 1;
    p->bytes -= text->len < p->bytes ? text->len : p->bytes - 1;
    p->render->do_not_match = run.do_not_match;
    p->render->changed = run.changed ? value_copy(p->arena, run.changed) : NULL;
    return ok || err_wrap(e, "failed to execute patch template");
}

/* Runs a patch that is a template; what it gives says type and patch anew. */
static bool expand_patch(struct patching *p, struct arena *a, struct override *o, struct err *e)
{
    struct buf text = buf_new(a, p->bytes);
    struct value *doc;

    if (!run_patch(p, a, o->patch, &text, e))
        return false;
    if (!yaml_any_read(a, buf_str(&text), p->render->exact, &doc, e))
        return err_wrap(e, "failed to unmarshal templated patch");
    if (!schema_decode(a, &override_schema, SCHEMA_LOOSE, doc, e)) {
        err_wrap(e, "error unmarshaling JSON: while decoding JSON");
        return err_wrap(e, "failed to unmarshal templated patch");
    }
    *o = override_read(doc);
    return true;
}

/*
 * How often a patch template may give another one. What they take together is limited as for a
 * single template; each needs only the one before it.
 */
#define PATCH_TEMPLATES_MAX 1000

static bool apply_patch(struct patching *p, struct override o, struct err *e)
{
    AUTO_ARENA even = arena_new();
    AUTO_ARENA odd = arena_new();

    for (size_t i = 0; str_eq(o.type, STR("go-template")); i++) {
        struct arena *room = i % 2 ? odd : even;
        if (i == PATCH_TEMPLATES_MAX)
            return err_set(e, ERR_LIMIT, "patch templates give each other without end");
        arena_reset(room);
        if (!expand_patch(p, room, &o, e))
            return false;
    }
    if (str_eq(o.type, STR("mergepatch")))
        return patch_merge(p->document, o.patch, &p->out, e) ||
               err_wrap(e, "failed to apply user patch");
    if (str_eq(o.type, STR("rfc6902")))
        return apply_operations(p, even, o.patch, e);
    return err_set(e, ERR_INVALID, "unknown patch type: %.*s", STR_ARG(o.type));
}

/*
 * Upstream: the patched object, which is JSON, is read as YAML, where U+0085 is a line break, and
 * long keys and control characters are errors.
 */
static bool read_patched(struct arena *a, str json, bool exact, struct value **out, struct err *e)
{
    struct source *source = ARENA_NEW(a, struct source);

    if (!exact)
        return yaml_map_read(a, json, out, e);
    source->text = json;
    return json_read(a, source, NULL, out, e) && map_expect(a, out, e);
}

bool override_apply(struct arena *a, const struct override *o, const struct value *live,
                    struct render *r, struct value **object, struct err *e)
{
    AUTO_ARENA scratch = arena_new();
    struct buf document = buf_new(scratch, BUF_UNLIMITED);
    struct patching p = {.arena = a,
                         .live = live,
                         .render = r,
                         .out = buf_new(a, BUF_UNLIMITED),
                         .steps = TMPL_STEPS_MAX,
                         .bytes = TMPL_OUTPUT_MAX};

    if (!json_write(&document, *object, r->exact ? &json_go_plain : &json_go_floats, e))
        return err_wrap(e, "failed to marshal reference CR");
    p.document = buf_str(&document);
    if (!apply_patch(&p, *o, e))
        return false;
    return read_patched(a, buf_str(&p.out), r->exact, object, e) ||
           err_wrap(e, "failed to unmarshal updated manifest");
}
