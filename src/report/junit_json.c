/* SPDX-License-Identifier: Apache-2.0 */
/*
 * junit_json.c - the JSON report of the original, read back.
 *
 * The text is decoded as Go decodes it into the structs of the original: names without regard to
 * case, unknown ones dropped, null as nothing. The first value that does not fit is the error,
 * after all have been looked at. What comes out has the names of the tables below and can be read
 * with value_get alone.
 */
#include "report/junit.h"
#include "text/json.h"
#include "value/number.h"

enum shape_kind { SHAPE_STRING, SHAPE_INT, SHAPE_LIST, SHAPE_MAP, SHAPE_STRUCT };

struct shape {
    enum shape_kind kind;
    const char *go;           /* the type as messages name it */
    const char *owner;        /* SHAPE_STRUCT: the same before a field */
    const struct shape *item; /* SHAPE_LIST, SHAPE_MAP */
    const struct field *fields;
};

struct field {
    const char *name; /* NULL ends the table */
    const struct shape *type;
};

static const struct shape text_shape = {.kind = SHAPE_STRING, .go = "string"};
static const struct shape int_shape = {.kind = SHAPE_INT, .go = "int"};
static const struct shape texts_shape = {SHAPE_LIST, .go = "[]string", .item = &text_shape};

static const struct shape metadata_shape = {
    SHAPE_STRUCT, "compare.CRMetadata", "CRMetadata",
    .fields = (const struct field[]){{"description", &text_shape}, {NULL, NULL}}};
static const struct shape metadata_map_shape = {SHAPE_MAP, "map[string]compare.CRMetadata",
                                                .item = &metadata_shape};
static const struct shape issue_shape = {
    SHAPE_STRUCT, "compare.ValidationIssue", "ValidationIssue",
    .fields = (const struct field[]){{"Msg", &text_shape},
                                     {"CRs", &texts_shape},
                                     {"crMetadata", &metadata_map_shape},
                                     {NULL, NULL}}};
static const struct shape component_map_shape = {SHAPE_MAP, "map[string]compare.ValidationIssue",
                                                 .item = &issue_shape};
static const struct shape part_map_shape = {
    SHAPE_MAP, "map[string]map[string]compare.ValidationIssue", .item = &component_map_shape};

static const struct shape summary_shape = {
    SHAPE_STRUCT, "compare.Summary", "Summary",
    /* Upstream: the spelling of the first. */
    .fields = (const struct field[]){{"ValidationIssuses", &part_map_shape},
                                     {"NumMissing", &int_shape},
                                     {"UnmatchedCRS", &texts_shape},
                                     {"NumDiffCRs", &int_shape},
                                     {"TotalCRs", &int_shape},
                                     {"MetadataHash", &text_shape},
                                     {"patchedCRs", &int_shape},
                                     {"matchedByReferenceOnly", &texts_shape},
                                     {NULL, NULL}}};
static const struct shape diff_shape = {
    SHAPE_STRUCT, "compare.DiffSum", "DiffSum",
    .fields = (const struct field[]){{"DiffOutput", &text_shape},
                                     {"CorrelatedTemplate", &text_shape},
                                     {"CRName", &text_shape},
                                     {"Patched", &text_shape},
                                     {"OverrideReason", &texts_shape},
                                     {"description", &text_shape},
                                     {NULL, NULL}}};
static const struct shape diffs_shape = {SHAPE_LIST, "[]compare.DiffSum", .item = &diff_shape};
static const struct shape warning_shape = {
    SHAPE_STRUCT, "compare.Warning", "Warning",
    .fields = (const struct field[]){{"type", &text_shape},
                                     {"message", &text_shape},
                                     {"resources", &texts_shape},
                                     {NULL, NULL}}};
static const struct shape warnings_shape = {SHAPE_LIST, "[]compare.Warning",
                                            .item = &warning_shape};
static const struct shape output_shape = {
    SHAPE_STRUCT, "compare.Output", "Output",
    .fields = (const struct field[]){{"Summary", &summary_shape},
                                     {"Diffs", &diffs_shape},
                                     {"Warnings", &warnings_shape},
                                     {NULL, NULL}}};

/* ---- Decoding. ---- */

struct decoder {
    struct arena *arena;
    struct err *e;
    bool failed;       /* e holds the first fault */
    const char *owner; /* the struct that has the current field, or NULL */
    VEC(str) path;
};

/* Puts into the member key of out what v gives; null leaves what is there. */
static void decode_into(struct decoder *d, const struct shape *s, const struct value *v,
                        struct value *out, str key);

static void fail(struct decoder *d, const struct shape *s, str found)
{
    str path = str_join(d->arena, d->path.items, d->path.len, STR("."));

    if (d->failed)
        return;
    d->failed = true;
    if (d->owner)
        err_set(d->e, ERR_INVALID,
                "json: cannot unmarshal %.*s into Go struct field %s.%.*s of type %s",
                STR_ARG(found), d->owner, STR_ARG(path), s->go);
    else
        err_set(d->e, ERR_INVALID, "json: cannot unmarshal %.*s into Go value of type %s",
                STR_ARG(found), s->go);
}

/* Whether v can be what is wanted; complains otherwise. */
static bool fits(struct decoder *d, const struct shape *s, const struct value *v)
{
    static const char *const names[] = {"null",   "bool",  "number", "number",
                                        "string", "array", "object"};
    static const enum value_kind kinds[] = {VALUE_STRING, VALUE_INT, VALUE_LIST, VALUE_OBJECT,
                                            VALUE_OBJECT};
    int64_t i;

    if (s->kind == SHAPE_INT && value_is_number(v)) {
        if (v->kind == VALUE_INT && number_to_i64(value_text(v), &i))
            return true;
        fail(d, s, str_fmt(d->arena, "number %.*s", STR_ARG(value_text(v))));
        return false;
    }
    if (v->kind == kinds[s->kind])
        return true;
    fail(d, s, str_c(names[v->kind]));
    return false;
}

static const struct field *find_field(const struct shape *s, str key)
{
    for (const struct field *f = s->fields; f->name; f++)
        if (str_eq(key, str_c(f->name)))
            return f;
    for (const struct field *f = s->fields; f->name; f++)
        if (str_eq_fold(key, str_c(f->name)))
            return f;
    return NULL;
}

static void decode_struct(struct decoder *d, const struct shape *s, const struct value *v,
                          struct value *out)
{
    const char *owner = d->owner;

    for (size_t i = 0; i < v->len; i++) {
        const struct field *f = find_field(s, value_key(&v->items[i]));
        if (!f)
            continue;
        d->owner = s->owner;
        VEC_PUSH(d->arena, &d->path, str_c(f->name));
        decode_into(d, f->type, &v->items[i], out, str_c(f->name));
        d->path.len--;
        d->owner = owner;
    }
}

/* Elements are decoded as the only member of an object, so that there is one way to do it. */
static struct value *decode_list(struct decoder *d, const struct shape *s, const struct value *v)
{
    struct value *list = value_list(d->arena);

    for (size_t i = 0; i < v->len; i++) {
        struct value *holder = value_object(d->arena);
        decode_into(d, s->item, &v->items[i], holder, STR("item"));
        struct value *item = value_get(holder, STR("item"));
        value_add(d->arena, list, item ? item : value_null(d->arena));
    }
    return list;
}

static struct value *decode_map(struct decoder *d, const struct shape *s, const struct value *v)
{
    struct value *map = value_object(d->arena);

    for (size_t i = 0; i < v->len; i++) {
        str key = value_key(&v->items[i]);
        decode_into(d, s->item, &v->items[i], map, key);
        if (!value_get(map, key))
            value_set(d->arena, map, key, value_null(d->arena));
    }
    return map;
}

static void decode_into(struct decoder *d, const struct shape *s, const struct value *v,
                        struct value *out, str key)
{
    if (v->kind == VALUE_NULL || !fits(d, s, v))
        return;
    switch (s->kind) {
    case SHAPE_STRING:
    case SHAPE_INT:
        value_set(d->arena, out, key, v);
        break;
    case SHAPE_LIST:
        value_set(d->arena, out, key, decode_list(d, s, v));
        break;
    case SHAPE_MAP:
        value_set(d->arena, out, key, decode_map(d, s, v));
        break;
    case SHAPE_STRUCT:
        if (!value_get(out, key))
            value_set(d->arena, out, key, value_object(d->arena));
        decode_struct(d, s, v, value_get(out, key));
        break;
    }
}

/* ---- Telling. ---- */

static const str *texts_of(struct arena *a, const struct value *list)
{
    str *texts = ARENA_ARRAY(a, str, value_len(list) + 1);

    for (size_t i = 0; i < value_len(list); i++)
        texts[i] = value_str(value_at(list, i));
    return texts;
}

static void tell_objects(struct junit *j, const struct value *diffs)
{
    for (size_t i = 0; i < value_len(diffs); i++) {
        const struct value *d = value_at(diffs, i);
        const struct value *reasons = value_get(d, STR("OverrideReason"));
        junit_add_object(j, &(struct junit_object){
                                .id = value_get_str(d, STR("CRName")),
                                .template = value_get_str(d, STR("CorrelatedTemplate")),
                                .diff = value_get_str(d, STR("DiffOutput")),
                                .patched = value_get_str(d, STR("Patched")),
                                .reasons = texts_of(j->arena, reasons),
                                .reason_count = value_len(reasons),
                            });
    }
}

static void tell_issues(struct junit *j, const struct value *parts)
{
    for (size_t p = 0; p < value_len(parts); p++) {
        const struct value *components = &parts->items[p];
        for (size_t c = 0; c < value_len(components); c++) {
            const struct value *issue = &components->items[c];
            const struct value *paths = value_get(issue, STR("CRs"));
            junit_add_issue(j, value_key(components), value_key(issue),
                            value_get_str(issue, STR("Msg")), texts_of(j->arena, paths),
                            value_len(paths));
        }
    }
}

bool junit_from_json(struct arena *a, const struct source *src, str stamp, struct junit *out,
                     struct err *e)
{
    const struct read_options options = {.go = true, .any_number = true};
    struct decoder d = {.arena = a, .e = e};
    struct value *root, *holder = value_object(a);
    int64_t total = 0;

    if (!json_read(a, src, &options, &root, e))
        return false;
    decode_into(&d, &output_shape, root, holder, STR("output"));
    if (d.failed)
        return false;
    const struct value *output = value_get(holder, STR("output"));
    const struct value *summary = value_get(output, STR("Summary"));
    const struct value *unmatched = value_get(summary, STR("UnmatchedCRS"));
    const struct value *count = value_get(summary, STR("TotalCRs"));
    if (count && !value_to_i64(count, &total))
        total = 0;
    *out = junit_new(a, value_get_str(summary, STR("MetadataHash")), total, stamp);
    tell_objects(out, value_get(output, STR("Diffs")));
    tell_issues(out, value_get(summary, STR("ValidationIssuses")));
    for (size_t i = 0; i < value_len(unmatched); i++)
        junit_add_unmatched(out, value_str(value_at(unmatched, i)));
    return true;
}
