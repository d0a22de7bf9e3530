/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate.c - validates objects against structural schemas, in Kubernetes' words.
 *
 * The texts are those of its OpenAPI validator inside its field errors: "spec.size: Invalid value:
 * \"string\": spec.size in body must be of type integer: \"string\"". Rules in CEL
 * (x-kubernetes-validations) are not evaluated. What a write leaves unchanged is not checked again,
 * so that a stricter definition does not lock its objects.
 */
#include "store/internal.h"

#include "go/quote.h"
#include "regex/regex.h"
#include "text/json/json.h"
#include "value/number.h"

#include <math.h>

/* The most faults of one object that are reported. */
#define ERRORS_MAX 100
/* The most bytes of allowed values in an error. */
#define ALLOWED_TEXT_MAX (16 * KIB)

/* ---- Errors. --------------------------------------------------------------------------------- */

void store_error(struct store_errors *errors, str field, const char *reason, const char *format,
                 ...)
{
    va_list args;

    if (errors->items.len >= ERRORS_MAX)
        return;
    va_start(args, format);
    struct store_cause cause = {str_c(reason), str_vfmt(errors->arena, format, args), field};
    va_end(args);
    VEC_PUSH(errors->arena, &errors->items, cause);
}

str store_errors_text(struct arena *a, const struct store_errors *errors)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < errors->items.len; i++) {
        const struct store_cause *c = &errors->items.items[i];
        buf_fmt(&b, "%s%.*s: %.*s", i ? ", " : "", STR_ARG(c->field), STR_ARG(c->message));
    }
    if (errors->items.len < 2)
        return buf_str(&b);
    return str_fmt(a, "[%.*s]", STR_ARG(buf_str(&b)));
}

/* ---- Patterns, compiled once. ---------------------------------------------------------------- */

struct store_regexes {
    struct arena *arena;
    struct map *map;
    struct lock lock;
};

struct store_regexes *store_regexes_new(void)
{
    struct arena *a = arena_new();
    struct store_regexes *x = ARENA_NEW(a, struct store_regexes);

    *x = (struct store_regexes){.arena = a, .map = map_new(a), .lock = LOCK_INIT};
    return x;
}

void store_regexes_free(struct store_regexes *x)
{
    if (x)
        arena_free(x->arena);
}

const struct regex *store_regex(struct store_regexes *x, str pattern)
{
    AUTO_LOCK guard = lock_take(&x->lock);
    struct regex *re = NULL;

    if (map_has(x->map, pattern))
        return map_get(x->map, pattern);
    pattern = str_copy(x->arena, pattern);
    /* Invalid patterns are kept, too, since each attempt to compile costs memory. */
    if (!regex_compile(x->arena, pattern, &re, NULL))
        re = NULL;
    map_set(x->map, pattern, re);
    return re;
}

/* ---- One value. ------------------------------------------------------------------------------ */

/*
 * What the patterns of one object may cost, in the units of regex_limit: about a second, during
 * which everybody waits.
 */
#define PATTERNS_COST 40000000
/*
 * How often a part of a schema may be compared with a part of an object: each element of a long
 * list with each of many allowed values would take hours.
 */
#define VISITS_MAX 5000000

struct validating {
    struct store *store;
    struct arena *arena;
    struct store_errors *errors;
    uint64_t *left;   /* of PATTERNS_COST */
    uint64_t *visits; /* what is left of VISITS_MAX; at 0, validation stops */
};

static bool visit(struct validating *c)
{
    return *c->visits && --*c->visits;
}

/* old is the previous value, NULL if there was none or it is unknown. */
static void validate(struct validating *c, const struct value *schema, const struct value *v,
                     const struct value *old, str path);

/* A value in the form for field errors. */
static str shown(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (v->kind == VALUE_STRING)
        go_quote(&b, value_str(v));
    else
        store_write_json(&b, v);
    return buf_str(&b);
}

/* "path: Invalid value: v: path in body ..." */
FORMAT(4, 5)
static void invalid(struct validating *c, str path, const struct value *v, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    str text = str_vfmt(c->arena, format, args);
    va_end(args);
    store_error(c->errors, path, "FieldValueInvalid", "Invalid value: %.*s: %.*s in body %.*s",
                STR_ARG(shown(c->arena, v)), STR_ARG(path), STR_ARG(text));
}

static const char *type_of(const struct value *v)
{
    static const char *const names[] = {
        [VALUE_NULL] = "null",     [VALUE_BOOL] = "boolean",  [VALUE_INT] = "integer",
        [VALUE_FLOAT] = "number",  [VALUE_STRING] = "string", [VALUE_LIST] = "array",
        [VALUE_OBJECT] = "object",
    };

    return names[v->kind];
}

static bool type_fits(const struct value *schema, const struct value *v)
{
    str want = value_get_str(schema, STR("type"));
    int64_t whole;

    if (v->kind == VALUE_NULL && value_is_true(value_get(schema, STR("nullable"))))
        return true;
    if (value_is_true(value_get(schema, STR("x-kubernetes-int-or-string"))))
        return v->kind == VALUE_STRING || v->kind == VALUE_INT;
    if (!want.len || str_eq(want, str_c(type_of(v))))
        return true;
    if (str_eq(want, STR("number")))
        return v->kind == VALUE_INT;
    return str_eq(want, STR("integer")) && v->kind == VALUE_FLOAT && value_to_i64(v, &whole);
}

static void type_fault(struct validating *c, const struct value *schema, const struct value *v,
                       str path)
{
    str want = value_get_str(schema, STR("type"));

    if (value_is_true(value_get(schema, STR("x-kubernetes-int-or-string"))))
        want = STR("integer,string");
    store_error(c->errors, path, "FieldValueTypeInvalid",
                "Invalid value: \"%s\": %.*s in body must be of type %.*s: \"%s\"", type_of(v),
                STR_ARG(path), STR_ARG(want), type_of(v));
}

/* ---- Scalars. -------------------------------------------------------------------------------- */

static bool is_one_of(struct validating *c, const struct value *allowed, const struct value *v)
{
    for (size_t i = 0; i < value_len(allowed); i++)
        if (!visit(c) || value_equal(&allowed->items[i], v))
            return true;
    return false;
}

/* The start of a long list is enough. */
static str allowed_text(struct arena *a, const struct value *allowed)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < value_len(allowed); i++) {
        const struct value *one = &allowed->items[i];
        buf_add(&b, i ? STR(", ") : STR_NONE);
        if (b.len > ALLOWED_TEXT_MAX) {
            buf_add(&b, STR("..."));
            break;
        }
        go_quote(&b, one->kind == VALUE_STRING ? value_str(one) : shown(a, one));
    }
    return buf_str(&b);
}

static void check_enum(struct validating *c, const struct value *schema, const struct value *v,
                       str path)
{
    const struct value *allowed = value_get(schema, STR("enum"));

    if (!allowed || is_one_of(c, allowed, v) || c->errors->items.len >= ERRORS_MAX)
        return;
    store_error(c->errors, path, "FieldValueNotSupported",
                "Unsupported value: %.*s: supported values: %.*s", STR_ARG(shown(c->arena, v)),
                STR_ARG(allowed_text(c->arena, allowed)));
}

/*
 * Like an API server: exact if both are 64-bit integers, else in floating point, where 0.3 is a
 * multiple of 0.1, and nothing is integral beyond the integers that a double can hold.
 */
static bool is_multiple(str number, str step)
{
    const double whole_max = 9007199254740991.0, tolerance = 1e-9;
    int64_t n, by;
    double x, factor;

    if (number_to_i64(number, &n) && number_to_i64(step, &by))
        return by <= 0 || n % by == 0;
    if (!number_to_double(number, &x) || !number_to_double(step, &factor) || factor <= 0)
        return true;
    double times = factor < 1 ? 1 / factor * x : x / factor;
    return fabs(times) <= whole_max && fabs(times - round(times)) <= tolerance * fabs(round(times));
}

static void check_limits(struct validating *c, const struct value *schema, const struct value *v,
                         str path)
{
    static const struct {
        const char *limit, *exclusive, *text;
        int sign;
    } limits[] = {
        {"minimum", "exclusiveMinimum", "greater", -1},
        {"maximum", "exclusiveMaximum", "less", 1},
    };

    for (size_t i = 0; i < COUNT(limits); i++) {
        const struct value *limit = value_get(schema, str_c(limits[i].limit));
        bool exclusive = value_is_true(value_get(schema, str_c(limits[i].exclusive)));

        if (!value_is_number(limit))
            continue;
        int order = number_compare(value_text(v), value_text(limit)) * limits[i].sign;
        if (order > 0 || (exclusive && order == 0))
            invalid(c, path, v, "should be %s than %s%.*s", limits[i].text,
                    exclusive ? "" : "or equal to ", STR_ARG(value_text(limit)));
    }
    const struct value *step = value_get(schema, STR("multipleOf"));
    if (value_is_number(step) && !is_multiple(value_text(v), value_text(step)))
        invalid(c, path, v, "should be a multiple of %.*s", STR_ARG(value_text(step)));
}

static size_t count_runes(str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xC0) != 0x80;
    return n;
}

static bool limit_of(const struct value *schema, const char *name, int64_t *out)
{
    return value_to_i64(value_get(schema, str_c(name)), out);
}

static void check_text(struct validating *c, const struct value *schema, const struct value *v,
                       str path)
{
    str text = value_str(v), pattern = value_get_str(schema, STR("pattern"));
    str format = value_get_str(schema, STR("format"));
    int64_t limit, runes = (int64_t)count_runes(text);

    if (limit_of(schema, "maxLength", &limit) && runes > limit)
        store_error(c->errors, path, "FieldValueTooLong",
                    "Too long: may not be more than %lld byte%s", (long long)limit,
                    limit == 1 ? "" : "s");
    if (limit_of(schema, "minLength", &limit) && runes < limit)
        invalid(c, path, v, "should be at least %lld chars long", (long long)limit);
    if (pattern.len) {
        const struct regex *re = store_regex(c->store->regexes, pattern);
        if (re && !regex_match_within(re, text, c->left) && *c->left)
            invalid(c, path, v, "should match '%.*s'", STR_ARG(pattern));
    }
    if (pattern.len && !*c->left)
        store_error(c->errors, path, "FieldValueInvalid",
                    "Invalid value: it would take too long to find out whether it matches '%.*s'",
                    STR_ARG(pattern));
    if (format.len && !store_format_fits(c->store, format, text))
        store_error(c->errors, path, "FieldValueTypeInvalid",
                    "Invalid value: %.*s: %.*s in body must be of type %.*s: %.*s",
                    STR_ARG(shown(c->arena, v)), STR_ARG(path), STR_ARG(format),
                    STR_ARG(shown(c->arena, v)));
}

/* ---- Lists. ---------------------------------------------------------------------------------- */

/* The members of an element that identify it, as Go prints such a map. */
static str identity(struct validating *c, const struct value *keys, const struct value *element)
{
    struct arena *a = c->arena;
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_char(&b, '{');
    for (size_t i = 0; i < value_len(keys) && visit(c); i++) {
        const struct value *member = value_get(element, value_str(&keys->items[i]));
        buf_fmt(&b, "%s\"%.*s\":%.*s", i ? "," : "", STR_ARG(value_str(&keys->items[i])),
                STR_ARG(member ? shown(a, member) : STR("null")));
    }
    buf_char(&b, '}');
    return buf_str(&b);
}

/* Sets must not have equal elements, maps none with the same keys. */
static void check_unique(struct validating *c, const struct value *schema, const struct value *v,
                         str path)
{
    str type = value_get_str(schema, STR("x-kubernetes-list-type"));
    const struct value *keys = value_get(schema, STR("x-kubernetes-list-map-keys"));
    bool is_map = str_eq(type, STR("map"));
    struct strset *seen;

    if (!is_map && !str_eq(type, STR("set")))
        return;
    seen = strset_new(c->arena, 0);
    for (size_t i = 0; i < v->len; i++) {
        str id = is_map ? identity(c, keys, &v->items[i]) : shown(c->arena, &v->items[i]);
        if (!strset_add(seen, id, NULL))
            store_error(c->errors, str_fmt(c->arena, "%.*s[%zu]", STR_ARG(path), i),
                        "FieldValueDuplicate", "Duplicate value: %.*s", STR_ARG(id));
    }
    strset_free(seen);
}

/* The elements of a map by their keys; NULL for other lists, whose elements have no identity. */
static struct map *index_elements(struct validating *c, const struct value *schema,
                                  const struct value *list)
{
    const struct value *keys = value_get(schema, STR("x-kubernetes-list-map-keys"));

    if (!list || list->kind != VALUE_LIST ||
        !str_eq(value_get_str(schema, STR("x-kubernetes-list-type")), STR("map")))
        return NULL;
    struct map *elements = map_new(c->arena);
    for (size_t i = 0; i < list->len; i++)
        map_set(elements, identity(c, keys, &list->items[i]), &list->items[i]);
    return elements;
}

static void check_elements(struct validating *c, const struct value *schema, const struct value *v,
                           const struct value *old, str path)
{
    const struct value *items = value_get(schema, STR("items"));
    const struct value *keys = value_get(schema, STR("x-kubernetes-list-map-keys"));
    struct map *before = index_elements(c, schema, old);

    for (size_t i = 0; items && i < v->len; i++)
        validate(c, items, &v->items[i],
                 before ? map_get(before, identity(c, keys, &v->items[i])) : NULL,
                 str_fmt(c->arena, "%.*s[%zu]", STR_ARG(path), i));
}

/* The limits of how many items or properties there may be. */
static void check_len(struct validating *c, const struct value *schema, const struct value *v,
                      str path, const char *min, const char *max, const char *things)
{
    int64_t limit;

    if (limit_of(schema, min, &limit) && (int64_t)v->len < limit)
        store_error(c->errors, path, "FieldValueInvalid",
                    "Invalid value: %u: %.*s in body should have at least %lld %s", v->len,
                    STR_ARG(path), (long long)limit, things);
    if (limit_of(schema, max, &limit) && (int64_t)v->len > limit)
        store_error(c->errors, path, "FieldValueTooMany",
                    "Too many: %u: must have at most %lld item%s", v->len, (long long)limit,
                    limit == 1 ? "" : "s");
}

static void check_list(struct validating *c, const struct value *schema, const struct value *v,
                       const struct value *old, str path)
{
    check_len(c, schema, v, path, "minItems", "maxItems", "items");
    check_unique(c, schema, v, path);
    check_elements(c, schema, v, old, path);
}

/* ---- Objects. -------------------------------------------------------------------------------- */

static str below(struct validating *c, str path, str key)
{
    return path.len ? str_fmt(c->arena, "%.*s.%.*s", STR_ARG(path), STR_ARG(key)) : key;
}

static void check_object(struct validating *c, const struct value *schema, const struct value *v,
                         const struct value *old, str path)
{
    const struct value *required = value_get(schema, STR("required"));
    check_len(c, schema, v, path, "minProperties", "maxProperties", "properties");
    for (size_t i = 0; i < value_len(required) && visit(c); i++) {
        str key = value_str(&required->items[i]);
        if (!value_get(v, key))
            store_error(c->errors, below(c, path, key), "FieldValueRequired", "Required value");
    }
    for (size_t i = 0; i < v->len; i++) {
        const struct value *inner = store_schema_member(schema, value_key(&v->items[i]));
        if (inner)
            validate(c, inner, &v->items[i], value_get(old, value_key(&v->items[i])),
                     below(c, path, value_key(&v->items[i])));
    }
}

/* ---- Several schemas at once. ---------------------------------------------------------------- */

static bool fits(struct validating *c, const struct value *schema, const struct value *v,
                 const struct value *old, str path)
{
    struct arena_mark mark = arena_mark(c->arena);
    struct store_errors own = {.arena = c->arena};
    struct validating inner = {c->store, c->arena, &own, c->left, c->visits};

    validate(&inner, schema, v, old, path);
    bool ok = !own.items.len;
    arena_rewind(c->arena, mark);
    return ok;
}

static size_t count_fitting(struct validating *c, const struct value *schemas,
                            const struct value *v, const struct value *old, str path)
{
    size_t n = 0;

    for (size_t i = 0; i < value_len(schemas); i++)
        n += fits(c, &schemas->items[i], v, old, path);
    return n;
}

static void composed_fault(struct validating *c, str path, const char *text)
{
    store_error(c->errors, path.len ? path : STR("<nil>"), "FieldValueInvalid",
                "Invalid value: \"\": \"%.*s\" must %s", STR_ARG(path), text);
}

static void check_composed(struct validating *c, const struct value *schema, const struct value *v,
                           const struct value *old, str path)
{
    const struct value *one = value_get(schema, STR("oneOf")),
                       *any = value_get(schema, STR("anyOf"));
    const struct value *all = value_get(schema, STR("allOf")),
                       *none = value_get(schema, STR("not"));

    for (size_t i = 0; i < value_len(all); i++)
        validate(c, &all->items[i], v, old, path);
    if (value_len(any) && !count_fitting(c, any, v, old, path))
        composed_fault(c, path, "validate at least one schema (anyOf)");
    if (value_len(one)) {
        size_t n = count_fitting(c, one, v, old, path);
        if (n != 1)
            composed_fault(c, path,
                           n ? "validate one and only one schema (oneOf). Found more than one valid"
                             : "validate one and only one schema (oneOf). Found none valid");
    }
    if (none && fits(c, none, v, NULL, path))
        composed_fault(c, path, "not validate the schema (not)");
}

static void validate(struct validating *c, const struct value *schema, const struct value *v,
                     const struct value *old, str path)
{
    if (!visit(c) || (old && value_equal(old, v)))
        return;
    if (!type_fits(schema, v)) {
        type_fault(c, schema, v, path);
        return;
    }
    if (v->kind == VALUE_NULL)
        return;
    check_enum(c, schema, v, path);
    if (value_is_number(v))
        check_limits(c, schema, v, path);
    if (v->kind == VALUE_STRING)
        check_text(c, schema, v, path);
    if (v->kind == VALUE_LIST)
        check_list(c, schema, v, old, path);
    if (v->kind == VALUE_OBJECT)
        check_object(c, schema, v, old, path);
    check_composed(c, schema, v, old, path);
}

void store_validate(struct store *s, const struct store_shape_version *as, const struct value *old,
                    const struct value *object, struct store_errors *errors)
{
    uint64_t left = PATTERNS_COST, visits = VISITS_MAX;
    struct validating c = {s, errors->arena, errors, &left, &visits};

    validate(&c, as->schema, object, old, STR_NONE);
    if (!visits)
        store_error(errors, STR("<nil>"), "FieldValueInvalid",
                    "Invalid value: it would take too long to find out whether the schema allows "
                    "it");
}
