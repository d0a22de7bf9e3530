/* SPDX-License-Identifier: Apache-2.0 */
/*
 * versions.c - semver, semverCompare, and what templates see of versions.
 */
#include "tmpl/funcs/families.h"

#include "tmpl/funcs/common.h"
#include "tmpl/funcs/objects.h"
#include "tmpl/semver.h"

static const struct semver *version_of(struct tv v)
{
    return v.object;
}

static bool return_err(struct tmpl_call *c, const struct err *e)
{
    c->error_kind = e->kind;
    return call_fail_str(c, str_copy(c->arena, e->text));
}

/* ---- Printing ----------------------------------------------------------------------------------
 */

void semver_string(struct rt *rt, struct tv v, struct buf *out)
{
    (void)rt;
    semver_format(out, version_of(v));
}

bool semver_text(struct rt *rt, struct tv v, struct buf *out, struct err *e)
{
    (void)rt;
    (void)e;
    semver_format(out, version_of(v));
    return true;
}

/* Field by field, so that another spelling is another version. */
bool semver_equal(const void *x, const void *y, bool deep)
{
    const struct semver *v = x, *w = y;

    (void)deep;
    return v->major == w->major && v->minor == w->minor && v->patch == w->patch &&
           str_eq(v->pre, w->pre) && str_eq(v->metadata, w->metadata) &&
           str_eq(v->original, w->original);
}

static struct tv tv_uint64(uint64_t u)
{
    return (struct tv){.type = TV_UINT64, .u = u};
}

static struct tv field_major(const void *object)
{
    return tv_uint64(((const struct semver *)object)->major);
}

static struct tv field_minor(const void *object)
{
    return tv_uint64(((const struct semver *)object)->minor);
}

static struct tv field_patch(const void *object)
{
    return tv_uint64(((const struct semver *)object)->patch);
}

static struct tv field_pre(const void *object)
{
    return tv_str(((const struct semver *)object)->pre);
}

static struct tv field_metadata(const void *object)
{
    return tv_str(((const struct semver *)object)->metadata);
}

static struct tv field_original(const void *object)
{
    return tv_str(((const struct semver *)object)->original);
}

const struct tv_field semver_fields[] = {
    {"major", field_major},
    {"minor", field_minor},
    {"patch", field_patch},
    {"pre", field_pre},
    {"metadata", field_metadata},
    {"original", field_original},
    {0},
};

/* ---- Methods -----------------------------------------------------------------------------------
 */

static bool get_major(struct tmpl_call *c)
{
    return return_tv(c, field_major(c->self.object));
}

static bool get_minor(struct tmpl_call *c)
{
    return return_tv(c, field_minor(c->self.object));
}

static bool get_patch(struct tmpl_call *c)
{
    return return_tv(c, field_patch(c->self.object));
}

static bool get_prerelease(struct tmpl_call *c)
{
    return return_tv(c, field_pre(c->self.object));
}

static bool get_metadata(struct tmpl_call *c)
{
    return return_tv(c, field_metadata(c->self.object));
}

static bool get_original(struct tmpl_call *c)
{
    return return_tv(c, field_original(c->self.object));
}

static str format(struct tmpl_call *c, const struct semver *v)
{
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);

    semver_format(&b, v);
    return buf_str(&b);
}

static bool to_string(struct tmpl_call *c)
{
    return return_str(c, format(c, version_of(c->self)));
}

static bool marshal_text(struct tmpl_call *c)
{
    return return_bytes(c, format(c, version_of(c->self)));
}

/* Nothing in a version needs escaping. */
static bool marshal_json(struct tmpl_call *c)
{
    str s = format(c, version_of(c->self));

    return return_bytes(c, str_fmt(c->arena, "\"%.*s\"", STR_ARG(s)));
}

/* Compares with the argument. Fails when that is nil. */
static bool compare(struct tmpl_call *c, int *order)
{
    const struct semver *other = version_of(arg_tv(c, 0));

    *order = 0;
    if (!other)
        return call_fail(c, NIL_DEREFERENCE);
    *order = semver_compare(version_of(c->self), other);
    return true;
}

static bool compare_to(struct tmpl_call *c)
{
    int order;

    return compare(c, &order) && return_int(c, order);
}

static bool is_equal(struct tmpl_call *c)
{
    const struct semver *other = version_of(arg_tv(c, 0));

    return return_bool(c, other && semver_compare(version_of(c->self), other) == 0);
}

static bool is_greater(struct tmpl_call *c)
{
    int order;

    return compare(c, &order) && return_bool(c, order > 0);
}

static bool is_greater_equal(struct tmpl_call *c)
{
    int order;

    return compare(c, &order) && return_bool(c, order >= 0);
}

static bool is_less(struct tmpl_call *c)
{
    int order;

    return compare(c, &order) && return_bool(c, order < 0);
}

static bool is_less_equal(struct tmpl_call *c)
{
    int order;

    return compare(c, &order) && return_bool(c, order <= 0);
}

/* v as a new value whose original text has the v of the receiver's. */
static bool return_next(struct tmpl_call *c, struct semver v)
{
    bool has_v = str_has_prefix(version_of(c->self)->original, STR("v"));
    struct semver *next = ARENA_NEW(c->arena, struct semver);

    *next = v;
    next->original = str_concat(c->arena, has_v ? STR("v") : STR_NONE, format(c, &v));
    return return_tv(c, tv_object(TV_SEMVER_STRUCT, next));
}

static bool increase_major(struct tmpl_call *c)
{
    return return_next(c, (struct semver){.major = version_of(c->self)->major + 1});
}

static bool increase_minor(struct tmpl_call *c)
{
    const struct semver *v = version_of(c->self);

    return return_next(c, (struct semver){.major = v->major, .minor = v->minor + 1});
}

/* What comes before a release becomes that release. */
static bool increase_patch(struct tmpl_call *c)
{
    const struct semver *v = version_of(c->self);

    return return_next(
        c, (struct semver){.major = v->major, .minor = v->minor, .patch = v->patch + !v->pre.len});
}

static bool set_prerelease(struct tmpl_call *c)
{
    struct semver v = *version_of(c->self);
    AUTO_ERR e = {0};

    v.pre = arg_str(c, 0);
    return semver_valid_pre(v.pre, &e) ? return_next(c, v) : return_err(c, &e);
}

static bool set_metadata(struct tmpl_call *c)
{
    struct semver v = *version_of(c->self);
    AUTO_ERR e = {0};

    v.metadata = arg_str(c, 0);
    return semver_valid_metadata(v.metadata, &e) ? return_next(c, v) : return_err(c, &e);
}

/* Those that Go has for values as well as for pointers. */
#define VALUE_METHODS                                                                              \
    METHOD("IncMajor", "func() semver.Version", increase_major),                                   \
        METHOD("IncMinor", "func() semver.Version", increase_minor),                               \
        METHOD("IncPatch", "func() semver.Version", increase_patch),                               \
        METHOD("Major", "func() uint64", get_major),                                               \
        METHOD("MarshalJSON", "func() ([]uint8, error)", marshal_json),                            \
        METHOD("MarshalText", "func() ([]uint8, error)", marshal_text),                            \
        METHOD("Metadata", "func() string", get_metadata),                                         \
        METHOD("Minor", "func() uint64", get_minor), METHOD("Patch", "func() uint64", get_patch),  \
        METHOD("Prerelease", "func() string", get_prerelease),                                     \
        METHOD("SetMetadata", "func(string) (semver.Version, error)", set_metadata),               \
        METHOD("SetPrerelease", "func(string) (semver.Version, error)", set_prerelease),           \
        METHOD("String", "func() string", to_string),                                              \
        METHOD("Value", "func() (any, error)", to_string)

#define OTHER "func(*semver.Version) bool"

const struct tmpl_func semver_methods[] = {
    VALUE_METHODS,
    METHOD("Compare", "func(*semver.Version) int", compare_to),
    METHOD("Equal", OTHER, is_equal),
    METHOD("GreaterThan", OTHER, is_greater),
    METHOD("GreaterThanEqual", OTHER, is_greater_equal),
    METHOD("LessThan", OTHER, is_less),
    METHOD("LessThanEqual", OTHER, is_less_equal),
    METHOD("Original", "func() string", get_original),
    {0},
};

const struct tmpl_func semver_struct_methods[] = {
    VALUE_METHODS,
    {0},
};

/* ---- Functions ---------------------------------------------------------------------------------
 */

static bool fn_semver(struct tmpl_call *c)
{
    struct semver *v = ARENA_NEW(c->arena, struct semver);
    AUTO_ERR e = {0};

    if (!semver_parse(arg_str(c, 0), v, &e))
        return return_err(c, &e);
    return return_tv(c, tv_object(TV_SEMVER, v));
}

static bool fn_semver_compare(struct tmpl_call *c)
{
    const struct semver_constraint *constraint;
    struct semver v;
    AUTO_ERR e = {0};

    if (!semver_constraint_parse(c->arena, arg_str(c, 0), &constraint, &e) ||
        !semver_parse(arg_str(c, 1), &v, &e))
        return return_err(c, &e);
    return return_bool(c, semver_satisfies(&v, constraint));
}

const struct tmpl_func tmpl_version_funcs[] = {
    {"semver", "func(string) (*semver.Version, error)", SPRIG, fn_semver, "Read a semantic version",
     "{{ (semver \"1.2.3\").Major }}"},
    {"semverCompare", "func(string, string) (bool, error)", SPRIG, fn_semver_compare,
     "Whether a version satisfies a constraint", "{{ semverCompare \"^1.2\" \"1.4.0\" }}"},
    {0},
};
