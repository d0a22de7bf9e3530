/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - decodes a tree by a schema; see go/decode.h.
 *
 * Go goes on decoding after an error and reports the first one; members are visited in bytewise
 * order because the original turns YAML into JSON first, which sorts them.
 */
#include "go/decode.h"

#include "go/quote.h"
#include "go/time.h"
#include "value/number.h"
#include "value/source.h"

const struct schema schema_string = {.kind = SCHEMA_STRING, .go = "string"};
const struct schema schema_bool = {.kind = SCHEMA_BOOL, .go = "bool"};
const struct schema schema_strings = {
    .kind = SCHEMA_LIST, .go = "[]string", .item = &schema_string};

struct decoder {
    struct arena *arena;
    const struct source *src; /* NULL: errors have no position */
    struct err *e;
    bool failed; /* e holds the first error */
    bool stop;   /* nothing is decoded any more */
    enum schema_mode mode;
    bool apart;        /* inside something that is decoded by a separate call */
    bool embedded;     /* the field belongs to an embedded struct */
    const char *owner; /* the struct that owns the current field */
    struct str_list path;
};

static void decode(struct decoder *d, const struct schema *s, struct value *v);

/* ---- Faults. ---- */

const char *json_kind(const struct value *v)
{
    static const char *const names[] = {"null",   "bool",  "number", "number",
                                        "string", "array", "object"};
    return names[v->kind];
}

static void fail(struct decoder *d, const struct value *v, const char *format, ...) FORMAT(3, 4);
static void fail(struct decoder *d, const struct value *v, const char *format, ...)
{
    va_list args;

    if (d->failed && !d->apart)
        return;
    va_start(args, format);
    str text = str_vfmt(d->arena, format, args);
    va_end(args);
    if (d->src)
        source_err(d->e, d->src, v, "%.*s", STR_ARG(text));
    else
        err_set(d->e, ERR_INVALID, "%.*s", STR_ARG(text));
    d->failed = true;
    d->stop = d->apart;
}

static void fail_as(struct decoder *d, const struct schema *s, const struct value *v, str found)
{
    str path = str_join(d->arena, d->path.items, d->path.len, STR("."));

    if (d->owner)
        fail(d, v, "json: cannot unmarshal %.*s into Go struct field %s.%.*s of type %s",
             STR_ARG(found), d->owner, STR_ARG(path), s->go);
    else
        fail(d, v, "json: cannot unmarshal %.*s into Go value of type %s", STR_ARG(found), s->go);
}

static void fail_type(struct decoder *d, const struct schema *s, const struct value *v)
{
    fail_as(d, s, v, str_c(json_kind(v)));
}

/* Upstream crashes later when an entry of a list is null. */
static void fail_null(struct decoder *d, const struct value *v)
{
    str path = str_join(d->arena, d->path.items, d->path.len, STR("."));

    fail(d, v, "an entry of %.*s is null", STR_ARG(path.len ? path : STR("the list")));
    d->stop = true;
}

/* ---- Scalars. ---- */

/* The shortest text that reads back as the nearest float32. */
static str float32_text(struct arena *a, str number)
{
    double d = 0;
    char digits[NUMBER_MAX + 1] = "";

    (void)number_to_double(number, &d);
    for (int precision = 1; precision <= 9; precision++) {
        snprintf(digits, sizeof(digits), "%.*g", precision, d);
        if (strtof(digits, NULL) == (float)d)
            break;
    }
    d = strtod(digits, NULL);
    return str_copy(a, str_of(digits, number_format(digits, d, NUMBER_G)));
}

static str number_text(struct arena *a, const struct value *v)
{
    uint64_t u;
    int64_t i;

    if (v->kind == VALUE_INT &&
        (number_to_i64(value_text(v), &i) || number_to_u64(value_text(v), &u)))
        return value_text(v);
    return float32_text(a, value_text(v));
}

static void replace(struct value *v, const struct value *with)
{
    struct value old = *v;

    *v = *with;
    v->key = old.key;
    v->key_len = old.key_len;
    v->pos = old.pos;
}

static bool only_checks(const struct decoder *d)
{
    return d->mode >= SCHEMA_CHECK;
}

static void check_string(struct decoder *d, const struct schema *s, const struct value *v)
{
    AUTO_ERR e = {0};

    if (!s->check(value_str(v), &e))
        fail(d, v, "%.*s", STR_ARG(e.text));
}

static void decode_string(struct decoder *d, const struct schema *s, struct value *v)
{
    if (v->kind == VALUE_STRING) {
        if (s->check)
            check_string(d, s, v);
        return;
    }
    /* Upstream: where a struct is embedded, the types of its fields are not seen. */
    if (d->apart || d->embedded || d->mode >= SCHEMA_JSON || value_is_container(v))
        fail_type(d, s, v);
    else if (v->kind == VALUE_BOOL)
        replace(v, value_string(d->arena, v->truth ? STR("true") : STR("false")));
    else
        replace(v, value_string(d->arena, number_text(d->arena, v)));
}

static void decode_int(struct decoder *d, const struct schema *s, const struct value *v)
{
    int64_t i;

    if (v->kind == VALUE_INT && number_to_i64(value_text(v), &i))
        return;
    if (!value_is_number(v))
        fail_type(d, s, v);
    else
        fail_as(d, s, v, str_fmt(d->arena, "number %.*s", STR_ARG(value_text(v))));
}

static int two_digits(str s, size_t at)
{
    return (s.ptr[at] - '0') * 10 + (s.ptr[at + 1] - '0');
}

/*
 * A fast path for times in UTC up to the 28th, as nearly all are: these are valid in every month.
 */
static bool is_usual_time(str s)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";

    if (s.len != sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (form[i] == 'd' ? s.ptr[i] < '0' || s.ptr[i] > '9' : s.ptr[i] != form[i])
            return false;
    const int month = two_digits(s, 5), day = two_digits(s, 8);
    return month >= 1 && month <= 12 && day >= 1 && day <= 28 && two_digits(s, 11) < 24 &&
           two_digits(s, 14) < 60 && two_digits(s, 17) < 60;
}

static void decode_time(struct decoder *d, const struct schema *s, const struct value *v)
{
    AUTO_ERR e = {0};
    struct gotime t;

    if (v->kind != VALUE_STRING)
        fail_type(d, s, v);
    else if (!is_usual_time(value_str(v)) &&
             !gotime_parse(d->arena, STR(GOTIME_RFC3339), value_str(v), NULL, &t, &e))
        fail(d, v, "%.*s", STR_ARG(e.text));
}

/* ---- Containers. ---- */

/* The members in the order in which they are visited. */
static struct value **members_of(struct decoder *d, const struct value *v)
{
    if (d->mode != SCHEMA_CHECK && d->mode != SCHEMA_JSON)
        return value_sorted(d->arena, v);
    struct value **out = arena_alloc_raw(d->arena, arena_array_size(v->len, sizeof(*out)));
    for (size_t i = 0; i < v->len; i++)
        out[i] = &v->items[i];
    return out;
}

static void decode_items(struct decoder *d, const struct schema *s, struct value *v)
{
    for (size_t i = 0; i < v->len && !d->stop; i++) {
        if (v->items[i].kind == VALUE_NULL && s->item->pointer)
            fail_null(d, &v->items[i]);
        else
            decode(d, s->item, &v->items[i]);
    }
}

static void decode_map(struct decoder *d, const struct schema *s, struct value *v)
{
    struct value **members = members_of(d, v);

    for (size_t i = 0; i < v->len && !d->stop; i++)
        decode(d, s->item, members[i]);
}

static const struct schema_field *find_field(const struct decoder *d, const struct schema *s,
                                             str key)
{
    const struct schema_field *folded = NULL;

    for (const struct schema_field *f = s->fields; f->name; f++) {
        if (key.len && key.ptr[0] == f->name[0] && str_eq(key, str_c(f->name)))
            return f;
        if (!folded && !only_checks(d) && str_eq_fold(key, str_c(f->name)))
            folded = f;
    }
    return folded;
}

/* A struct is named without its package when it owns a field. */
static const char *without_package(const char *go)
{
    const char *dot = strchr(go, '.');

    return dot ? dot + 1 : go;
}

static void decode_field(struct decoder *d, const struct schema *s, const struct schema_field *f,
                         struct value *v)
{
    size_t depth = d->path.len;
    const char *owner = d->owner;

    if (f->embedded)
        VEC_PUSH(d->arena, &d->path, str_c(f->embedded));
    VEC_PUSH(d->arena, &d->path, str_c(f->name));
    if (!d->apart)
        d->owner = without_package(s->go);
    d->embedded = f->embedded != NULL;
    decode(d, f->type, v);
    d->embedded = false;
    d->owner = owner;
    d->path.len = depth;
}

/* To encoding/json, two spellings of a name are the same struct: the second adds to the first. */
static void keep_member(struct decoder *d, const struct schema_field *f, const struct value *v,
                        struct value *out)
{
    struct value *before = d->mode == SCHEMA_JSON && f->type->kind == SCHEMA_STRUCT
                               ? value_get(out, str_c(f->name))
                               : NULL;

    if (!before)
        value_set(d->arena, out, str_c(f->name), v);
    for (size_t i = 0; before && i < value_len(v); i++)
        value_set(d->arena, before, value_key(&v->items[i]), &v->items[i]);
}

static void decode_member(struct decoder *d, const struct schema *s, struct value *v,
                          struct value *out)
{
    const struct schema_field *f = find_field(d, s, value_key(v));

    if (!f && d->mode == SCHEMA_STRICT && !d->apart)
        fail(d, v, "json: unknown field %s", str_z(d->arena, go_quoted(d->arena, value_key(v))));
    if (!f)
        return;
    decode_field(d, s, f, v);
    if (v->kind != VALUE_NULL && !only_checks(d))
        keep_member(d, f, v, out);
}

/* Members are put into a new object, so that two spellings of one name become one member. */
static void decode_struct(struct decoder *d, const struct schema *s, struct value *v)
{
    struct value **members = members_of(d, v);
    struct value *out = only_checks(d) ? NULL : value_object(d->arena);

    for (size_t i = 0; i < v->len && !d->stop; i++)
        decode_member(d, s, members[i], out);
    if (out)
        replace(v, out);
}

static bool fits(const struct schema *s, const struct value *v)
{
    switch (s->kind) {
    case SCHEMA_BOOL:
        return v->kind == VALUE_BOOL;
    case SCHEMA_LIST:
        return v->kind == VALUE_LIST;
    case SCHEMA_MAP:
    case SCHEMA_STRUCT:
        return v->kind == VALUE_OBJECT;
    case SCHEMA_ANY:
    case SCHEMA_INT:
    case SCHEMA_STRING:
    case SCHEMA_TIME:
        break;
    }
    return true;
}

static void decode_fitting(struct decoder *d, const struct schema *s, struct value *v)
{
    switch (s->kind) {
    case SCHEMA_ANY:
    case SCHEMA_BOOL:
        break;
    case SCHEMA_INT:
        decode_int(d, s, v);
        break;
    case SCHEMA_LIST:
        decode_items(d, s, v);
        break;
    case SCHEMA_MAP:
        decode_map(d, s, v);
        break;
    case SCHEMA_STRING:
        decode_string(d, s, v);
        break;
    case SCHEMA_STRUCT:
        decode_struct(d, s, v);
        break;
    case SCHEMA_TIME:
        decode_time(d, s, v);
        break;
    }
}

static void decode(struct decoder *d, const struct schema *s, struct value *v)
{
    bool apart = d->apart;

    if (v->kind == VALUE_NULL)
        return;
    d->apart = apart || s->apart;
    if (fits(s, v))
        decode_fitting(d, s, v);
    else
        fail_type(d, s, v);
    d->apart = apart;
}

bool schema_decode(struct arena *a, const struct schema *schema, enum schema_mode mode,
                   struct value *v, struct err *e)
{
    struct decoder d = {.arena = a, .e = e, .mode = mode};

    decode(&d, schema, v);
    return !d.failed;
}

bool schema_check(const struct source *src, const struct schema *schema, const struct value *v,
                  struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct decoder d = {.arena = a, .src = src, .e = e, .mode = SCHEMA_CHECK};

    decode(&d, schema, (struct value *)v); /* which this mode does not change */
    return !d.failed;
}
