/* SPDX-License-Identifier: Apache-2.0 */
/*
 * derive.c - derives all groups and versions, one after the other; also handles notes and named
 * types.
 */
#include "azure/derive/internal.h"

#include <stdlib.h>

static const char *const note_names[NOTE_KINDS] = {
    [NOTE_DROPPED] = "dropped",     [NOTE_CHANGED] = "changed", [NOTE_UNKNOWN] = "unknown",
    [NOTE_REFERENCE] = "reference", [NOTE_SECRET] = "secret",   [NOTE_IDENTITY] = "identity",
    [NOTE_NO_TYPE] = "no-arm-type",
};

const char *note_name(enum note_kind kind)
{
    return note_names[kind];
}

/* ---- Helpers for the passes. ---- */

/*
 * The same type occurs in many resources and versions: a note about it is made once per group,
 * version and side; proposals, which suggest a line in the overlay, once per group.
 */
static str note_key(struct derive *d, enum note_kind kind, str type, str prop)
{
    bool once = kind == NOTE_REFERENCE || kind == NOTE_SECRET || kind == NOTE_IDENTITY;
    str version = once ? STR_NONE : d->version;

    return str_fmt(d->world->arena, "%d|%.*s|%.*s|%d|%.*s|%.*s", kind, STR_ARG(d->group->name),
                   STR_ARG(version), d->side, STR_ARG(type), STR_ARG(prop));
}

void derive_note(struct derive *d, enum note_kind kind, str type, str prop, const char *why)
{
    struct derive_world *w = d->world;
    struct arena_mark mark = arena_mark(w->arena);
    str key = note_key(d, kind, type, prop);

    if (map_has(w->noted, key)) {
        arena_rewind(w->arena, mark);
        return;
    }
    map_set(w->noted, key, d);
    w->out->counts[kind]++;
    if (!w->keep_notes)
        return;
    VEC_PUSH(w->arena, &w->out->notes,
             ((struct derive_note){.kind = kind,
                                   .side = d->side,
                                   .group = d->group->name,
                                   .version = d->version,
                                   .resource = d->kind->name,
                                   .type = type,
                                   .prop = prop,
                                   .why = why}));
}

void derive_fail(struct derive *d, const char *format, ...)
{
    va_list args;

    if (d->failed)
        return;
    d->failed = true;
    va_start(args, format);
    str text = str_vfmt(d->arena, format, args);
    va_end(args);
    err_set_str(d->world->e, ERR_INVALID, text);
    err_at(d->world->e, (struct where){.file = d->file->name});
}

bool derive_spend(struct derive *d, size_t count)
{
    d->work += count;
    if (d->work > DERIVE_WORK_MAX)
        derive_fail(d, "more than %d properties in one version", DERIVE_WORK_MAX);
    return !d->failed;
}

str derive_put(struct derive *d, struct map *section, str name, struct value *v)
{
    str tried = name;

    for (size_t n = 2;; n++) {
        const struct value *there = map_get(section, tried);
        if (!there) {
            map_set(section, tried, v);
            return tried;
        }
        if (value_equal(there, v))
            return tried;
        if (n > DERIVE_CLASH_MAX) {
            derive_fail(d, "more than %d different things are called %.*s", DERIVE_CLASH_MAX,
                        STR_ARG(name));
            return tried;
        }
        tried = str_fmt(d->arena, "%.*s_%zu", STR_ARG(name), n);
    }
}

/* ---- One version. ---- */

static bool derive_kind(struct derive *d, const struct overlay_kind *k, struct err *e)
{
    struct arm_resource r;
    bool ok = type_folder_find(d->world->types, k->arm_type, d->api_version, &r, e);

    if (ok) {
        derive_resource(d, k, &r);
        ok = !d->failed;
    }
    if (ok)
        return true;
    if (e->kind == ERR_NOT_FOUND)
        err_at(e, source_where(d->group->src, k->node));
    return err_wrap(e, "kind %.*s of %.*s in version %.*s", STR_ARG(k->name),
                    STR_ARG(d->group->name), STR_ARG(d->version));
}

/* The entries of a section as an object, sorted by name. */
static struct value *section_object(struct arena *a, const struct map *section)
{
    struct value *object = value_object(a);
    str *names = ARENA_ARRAY(a, str, map_len(section));

    for (size_t i = 0; i < map_len(section); i++)
        names[i] = map_key(section, i);
    if (map_len(section))
        qsort(names, map_len(section), sizeof(str), overlay_compare_texts);
    for (size_t i = 0; i < map_len(section); i++)
        value_set(a, object, names[i], map_get(section, names[i]));
    return object;
}

static struct value *model_root(struct derive *d)
{
    struct arena *a = d->arena;
    struct value *root = value_object(a), *versions = value_list(a);

    value_add(a, versions, value_string(a, d->api_version));
    value_set_str(a, root, STR("group"), str_concat(a, d->group->name, STR(".azure.com")));
    value_set_str(a, root, STR("version"), d->version);
    value_set(a, root, STR("armApiVersion"), versions);
    value_set(a, root, STR("resources"), d->resources);
    value_set(a, root, STR("types"), section_object(a, d->types));
    value_set(a, root, STR("enums"), section_object(a, d->enums));
    value_set(a, root, STR("scalars"), section_object(a, d->scalars));
    return root;
}

static bool derive_version(struct derive_world *w, const struct overlay_group *g, str version,
                           struct err *e)
{
    struct derive d = {.arena = w->arena, .world = w, .group = g, .version = version};

    d.types = map_new(w->arena);
    d.enums = map_new(w->arena);
    d.scalars = map_new(w->arena);
    d.resources = value_object(w->arena);
    if (!overlay_api_version(w->arena, version, &d.api_version))
        return err_set(e, ERR_INVALID, "version \"%.*s\" is not vYYYYMMDD", STR_ARG(version));
    for (size_t i = 0; i < g->kind_count; i++)
        if (overlay_offers(&g->kinds[i], version) && !derive_kind(&d, &g->kinds[i], e))
            return false;
    VEC_PUSH(w->arena, &w->out->models,
             ((struct derived_model){.group = g->name,
                                     .version = version,
                                     .root = model_root(&d),
                                     .resources = value_len(d.resources)}));
    w->out->resources += value_len(d.resources);
    return true;
}

/* ---- Groups. ---- */

/* A model written by hand, for kinds that ARM does not know. */
static void take_model(struct derive_world *w, const struct overlay_group *g,
                       const struct value *model)
{
    const struct value *resources = value_get(model, STR("resources"));

    VEC_PUSH(w->arena, &w->out->models,
             ((struct derived_model){.group = g->name,
                                     .version = value_key(model),
                                     .root = model,
                                     .resources = value_len(resources),
                                     .by_hand = true}));
    for (size_t i = 0; i < value_len(resources); i++) {
        w->out->counts[NOTE_NO_TYPE]++;
        VEC_PUSH(w->arena, &w->out->notes,
                 ((struct derive_note){.kind = NOTE_NO_TYPE,
                                       .group = g->name,
                                       .version = value_key(model),
                                       .resource = value_key(&resources->items[i]),
                                       .why = "written by hand in the overlay"}));
    }
}

static void collect_unused(struct derive_world *w, const struct overlay_group *g)
{
    struct unused_fact *unused;
    size_t count;

    overlay_unused(w->arena, g, &unused, &count);
    for (size_t i = 0; i < count; i++)
        VEC_PUSH(w->arena, &w->out->unused, unused[i]);
}

static bool derive_group(struct derive_world *w, const struct overlay_group *g, str only,
                         struct err *e)
{
    w->out->kinds += g->kind_count;
    for (size_t i = 0; i < value_len(g->models); i++)
        if (!only.len || str_eq(only, value_key(&g->models->items[i])))
            take_model(w, g, &g->models->items[i]);
    for (size_t i = 0; i < map_len(g->versions); i++) {
        str version = map_key(g->versions, i);
        if ((!only.len || str_eq(only, version)) && !derive_version(w, g, version, e))
            return false;
    }
    if (!only.len)
        collect_unused(w, g);
    return true;
}

/* ---- Everything. ---- */

static void index_kind(struct derive_world *w, struct overlay_kind *k)
{
    str type = str_lower(w->arena, k->arm_type), segment;
    str rest = type;

    map_set(w->by_type, type, k);
    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &segment, &rest);
        map_set(w->segments, name_singular(w->arena, segment), k);
    }
}

static void index_kinds(struct derive_world *w)
{
    const struct overlay *o = w->overlay;

    w->noted = map_new(w->arena);
    w->by_type = map_new(w->arena);
    w->segments = map_new(w->arena);
    w->patterns = map_new(w->arena);
    for (size_t i = 0; i < o->group_count; i++)
        for (size_t j = 0; j < o->groups[i]->kind_count; j++)
            index_kind(w, &o->groups[i]->kinds[j]);
}

static bool is_wanted(const struct derive_options *o, str group)
{
    for (size_t i = 0; i < o->group_count; i++)
        if (str_eq(o->groups[i], group))
            return true;
    return o->group_count == 0;
}

static bool check_groups(const struct derive_options *o, const struct overlay *overlay,
                         struct err *e)
{
    for (size_t i = 0; i < o->group_count; i++)
        if (!overlay_find(overlay, o->groups[i]))
            return err_set(e, ERR_NOT_FOUND, "the overlay has no group \"%.*s\"",
                           STR_ARG(o->groups[i]));
    return true;
}

bool derive_with(struct arena *a, const struct overlay *overlay, struct type_folder *types,
                 const struct derive_options *options, struct derive_result *out, struct err *e)
{
    struct derive_world w = {.arena = a,
                             .overlay = overlay,
                             .types = types,
                             .out = out,
                             .keep_notes = options->notes,
                             .e = e};

    *out = (struct derive_result){0};
    if (!check_groups(options, overlay, e))
        return false;
    index_kinds(&w);
    for (size_t i = 0; i < overlay->group_count; i++)
        if (is_wanted(options, overlay->groups[i]->name) &&
            !derive_group(&w, overlay->groups[i], options->version, e))
            return false;
    out->files = type_folder_files(types);
    return true;
}

bool derive_models(struct arena *a, const struct derive_options *options, struct derive_result *out,
                   struct err *e)
{
    struct overlay *overlay = ARENA_NEW(a, struct overlay);
    struct type_folder *types;

    return overlay_read(a, options->overlay, overlay, e) &&
           type_folder_open(a, options->types, &types, e) &&
           derive_with(a, overlay, types, options, out, e);
}
