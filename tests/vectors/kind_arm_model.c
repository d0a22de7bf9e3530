/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_model.c - target models of resources: what the derivation must give.
 *
 * A FILE is a model file, .../model/GROUP/VERSION.json; the types it was made from are in
 * .../types, and the overlay is ours. Each resource is one vector: its facts and its spec must be
 * the same, down to every property; its status may be more generous than the target where the
 * original kept required marks, limits and enums in a status. Those are counted and told.
 *
 * Beside the point are: names of types; what only one of both can have (how the original imports
 * objects; our identities, embedded children, targets, write-only marks and UUID names).
 */
#include "vectors.h"

#include "azure/derive/derive.h"
#include "azure/model/diff.h"
#include "text/json/json.h"

#include <unistd.h>

static size_t generous; /* differences of statuses that are meant to be */

struct check {
    str file;
    struct buf why;
    size_t differences;
};

/* ---- What may differ. ---- */

static bool is_ours(const struct model_difference *d)
{
    static const str keys[] = {STR_INIT("identity"), STR_INIT("minItems"), STR_INIT("embedded"),
                               STR_INIT("targets"), STR_INIT("writeOnly")};

    for (size_t i = 0; i < COUNT(keys); i++)
        if (str_eq(d->key, keys[i]) && !d->old)
            return true;
    return str_eq(d->key, STR("azureName")) && value_get(d->new_, STR("uuid")) &&
           value_get(d->old, STR("spec")) && !value_get(d->old, STR("uuid"));
}

/* Whether old is an enum or a limited scalar where new has the plain thing. */
static bool is_plainer(const struct model_difference *d)
{
    str old = value_get_str(d->old, STR("t")), new_ = value_get_str(d->new_, STR("t"));

    while (str_has_prefix(old, STR("[]")) && str_has_prefix(new_, STR("[]"))) {
        old = str_from(old, 2);
        new_ = str_from(new_, 2);
    }
    bool named = str_has_prefix(old, STR("%")) || str_has_prefix(old, STR("~"));
    return named && (str_eq(new_, STR("string")) || str_eq(new_, STR("int")));
}

static bool is_generous(const struct model_difference *d)
{
    if (d->side != SIDE_STATUS || !d->path.len)
        return false;
    if (d->change == CHANGE_RETYPED)
        return is_plainer(d);
    return d->change == CHANGE_FACT && !d->new_ &&
           (str_eq(d->key, STR("r")) || str_eq(d->key, STR("v")));
}

static void take_difference(void *ctx, const struct model_difference *d)
{
    struct check *c = ctx;

    if (is_ours(d))
        return;
    if (is_generous(d)) {
        generous++;
        return;
    }
    c->differences++;
    buf_add(&c->why, STR("  "));
    model_diff_write(&c->why, d);
}

/* ---- Running. ---- */

static void check_resource(struct arena *a, str file, const struct value *want,
                           const struct value *got, str kind, struct vector_tally *tally)
{
    struct check c = {.file = file, .why = buf_new(a, 64 * KIB)};

    if (!value_get(value_get(got, STR("resources")), kind)) {
        buf_add(&c.why, STR("  not derived\n"));
        c.differences++;
    } else {
        model_diff_resource(a, want, got, kind, take_difference, &c);
    }
    if (c.differences == 0) {
        tally->passed++;
        return;
    }
    tally->failed++;
    printf("FAILED %.*s %.*s\n%.*s", STR_ARG(file), STR_ARG(kind), STR_ARG(buf_str(&c.why)));
}

/* The folder of types: beside a folder above the file. Empty when there is none. */
static str find_types(struct arena *a, str path)
{
    for (;;) {
        size_t slash = str_rfind_char(path, '/');
        if (slash == STR_NPOS)
            return STR_NONE;
        path = str_slice(path, 0, slash);
        str types = file_join(a, path, STR("types"));
        if (file_kind(types) == FILE_FOLDER)
            return types;
    }
}

/* The overlay of this project: from where we are, or from where this program is. */
static str find_overlay(struct arena *a)
{
    char exe[4096];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe));

    if (file_kind(STR("api/overlay")) == FILE_FOLDER || length <= 0)
        return STR("api/overlay");
    str folder = str_of(exe, (size_t)length);
    for (int i = 0; i < 3; i++)
        folder = str_slice(folder, 0, str_rfind_char(folder, '/'));
    return file_join(a, folder, STR("api/overlay"));
}

static bool read_target(struct arena *a, str path, struct value **out, struct err *e)
{
    struct source *src = ARENA_NEW(a, struct source);

    src->file = path;
    return file_read(a, path, &src->text, e) && json_read(a, src, NULL, out, e);
}

static bool run_file(struct arena *a, str path, struct vector_tally *tally, struct err *e)
{
    struct value *want;
    struct derive_result r;

    if (!read_target(a, path, &want, e))
        return false;
    str group = str_without_suffix(value_get_str(want, STR("group")), STR(".azure.com"));
    const struct derive_options options = {
        .types = find_types(a, path),
        .overlay = find_overlay(a),
        .groups = &group,
        .group_count = 1,
        .version = value_get_str(want, STR("version")),
    };
    if (!options.types.len)
        return err_set(e, ERR_NOT_FOUND, "%.*s: no folder types beside the models", STR_ARG(path));
    if (!derive_models(a, &options, &r, e))
        return false;
    const struct value *resources = value_get(want, STR("resources"));
    for (size_t i = 0; i < value_len(resources); i++)
        check_resource(a, path, want, r.models.len ? r.models.items[0].root : NULL,
                       value_key(&resources->items[i]), tally);
    return true;
}

static void finish(void)
{
    printf("%zu places where a status is more generous than the target\n", generous);
}

const struct vector_kind vector_arm_model = {
    .name = "arm-model",
    .help = "resource models derived from types; FILEs are target models",
    .run_file = run_file,
    .finish = finish,
};
