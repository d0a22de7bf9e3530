/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results_json.c - the JSON report of the original, read back.
 *
 * The text is decoded as Go decodes it into the structs of the original: names without regard to
 * case, unknown ones dropped, null as nothing. The first value that does not fit is the error,
 * after all have been looked at. What comes out has the names of the tables below and can be read
 * with value_get alone.
 */
#include "report/results_json.h"
#include "report/internal.h"
#include "text/json.h"
#include "value/number.h"

enum shape_kind { SHAPE_STRING, SHAPE_INT, SHAPE_LIST, SHAPE_MAP, SHAPE_STRUCT, SHAPE_ANY };

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
static const struct shape any_shape = {.kind = SHAPE_ANY};
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
                                     {"Differences", &any_shape}, /* ours, as what follows */
                                     {"MoreDifferences", &any_shape},
                                     {"part", &any_shape},
                                     {"component", &any_shape},
                                     {"place", &any_shape},
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
                                     {"Verdict", &any_shape}, /* ours, as what follows */
                                     {"Baseline", &any_shape},
                                     {"Explanations", &any_shape},
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
    if (s->kind == SHAPE_ANY || v->kind == kinds[s->kind])
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
    case SHAPE_ANY:
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

/* ---- Results. ---- */

static struct str_list texts_of(struct arena *a, const struct value *list)
{
    struct str_list texts = {0};

    for (size_t i = 0; i < value_len(list); i++)
        VEC_PUSH(a, &texts, value_str(value_at(list, i)));
    return texts;
}

/* A negative number cannot come from a comparison; it counts as none. */
static size_t count_of(const struct value *summary, str name)
{
    const struct value *v = value_get(summary, name);
    int64_t n = 0;

    return v && value_to_i64(v, &n) && n > 0 ? (size_t)n : 0;
}

static void add_diff(struct arena *a, const struct value *d, struct results *out)
{
    struct str_list reasons = texts_of(a, value_get(d, STR("OverrideReason")));
    str patched = value_get_str(d, STR("Patched"));
    struct result_diff diff = {
        .object = value_get_str(d, STR("CRName")),
        .template = value_get_str(d, STR("CorrelatedTemplate")),
        .description = value_get_str(d, STR("description")),
        .text = value_get_str(d, STR("DiffOutput")),
        .part = value_get_str(d, STR("part")),
        .component = value_get_str(d, STR("component")),
        .place = results_read_place(value_get(d, STR("place"))),
        .patched = patched.len > 0,
        .overrides = patched,
        .reasons = reasons.items,
        .reason_count = reasons.len,
    };

    diff.differs = diff.text.len > 0;
    results_read_fields(a, value_get(d, STR("Differences")), &diff);
    diff.fields.cut = value_is_true(value_get(d, STR("MoreDifferences")));
    if (patched.len)
        out->overrides = patched;
    VEC_PUSH(a, &out->diffs, diff);
}

static void add_issue(struct arena *a, str part, const struct value *issue, struct results *out)
{
    const struct value *paths = value_get(issue, STR("CRs"));
    const struct value *metadata = value_get(issue, STR("crMetadata"));
    struct result_issue *i = VEC_ADD(a, &out->issues);

    i->part = part;
    i->component = value_key(issue);
    i->message = value_get_str(issue, STR("Msg"));
    i->count = value_len(paths);
    i->templates = ARENA_ARRAY(a, struct result_template, i->count);
    for (size_t n = 0; n < i->count; n++) {
        i->templates[n].path = value_str(value_at(paths, n));
        i->templates[n].description =
            value_get_str(value_get(metadata, i->templates[n].path), STR("description"));
    }
}

static void add_issues(struct arena *a, const struct value *parts, struct results *out)
{
    struct value **sorted = value_sorted(a, parts);

    for (size_t p = 0; p < value_len(parts); p++) {
        struct value **components = value_sorted(a, sorted[p]);
        for (size_t c = 0; c < value_len(sorted[p]); c++)
            add_issue(a, value_key(sorted[p]), components[c], out);
    }
}

static void fill(struct arena *a, const struct value *output, struct results *out)
{
    const struct value *summary = value_get(output, STR("Summary"));
    const struct value *diffs = value_get(output, STR("Diffs"));
    const struct value *issues = value_get(summary, STR("ValidationIssuses"));

    *out = (struct results){
        .unmatched = texts_of(a, value_get(summary, STR("UnmatchedCRS"))),
        .reference_only = texts_of(a, value_get(summary, STR("matchedByReferenceOnly"))),
        .missing = count_of(summary, STR("NumMissing")),
        .differing = count_of(summary, STR("NumDiffCRs")),
        .total = count_of(summary, STR("TotalCRs")),
        .patched = count_of(summary, STR("patchedCRs")),
        .hash = value_get_str(summary, STR("MetadataHash")),
    };
    for (size_t i = 0; i < value_len(diffs); i++)
        add_diff(a, value_at(diffs, i), out);
    if (issues)
        add_issues(a, issues, out);
    results_read_more(a, output, out);
}

bool results_from_json(struct arena *a, const struct source *src, struct results *out,
                       struct err *e)
{
    const struct read_options options = {.go = true, .any_number = true};
    struct decoder d = {.arena = a, .e = e};
    struct value *root, *holder = value_object(a);

    if (!json_read(a, src, &options, &root, e))
        return false;
    decode_into(&d, &output_shape, root, holder, STR("output"));
    if (d.failed)
        return false;
    fill(a, value_get(holder, STR("output")), out);
    return true;
}
