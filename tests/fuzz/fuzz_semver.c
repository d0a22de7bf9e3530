/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_semver.c - a constraint and, behind the first NUL, a version.
 *
 * A version prints as one that reads as equal, and satisfies "= itself" and ">= itself". Comparing
 * is the same from both sides.
 */
#include "tmpl/semver.h"

static bool satisfies(struct arena *a, str constraint, const struct semver *v, bool *ok)
{
    const struct semver_constraint *c;
    AUTO_ERR e = {0};

    *ok = semver_constraint_parse(a, constraint, &c, &e);
    if (!*ok && !str_has_prefix(e.text, STR("improper constraint: ")) &&
        !str_eq(e.text, STR("constraint Parser Error")))
        abort();
    return *ok && semver_satisfies(v, c);
}

static void check_version(struct arena *a, const struct semver *v)
{
    struct buf b = buf_new(a, MIB);
    struct semver again;
    bool ok;

    semver_format(&b, v);
    if (!semver_parse(buf_str(&b), &again, NULL) || semver_compare(v, &again) ||
        semver_compare(&again, v) || !str_eq(v->metadata, again.metadata))
        abort();
    if (!satisfies(a, str_concat(a, STR("="), buf_str(&b)), v, &ok) ||
        !satisfies(a, str_concat(a, STR(" >= "), buf_str(&b)), v, &ok) ||
        satisfies(a, str_concat(a, STR("!="), buf_str(&b)), v, &ok))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    struct semver v, w;
    str constraint, version;
    bool ok;

    str_cut(str_of((const char *)data, size), STR("\0"), &constraint, &version);
    if (!semver_parse(version, &v, NULL))
        v = (struct semver){.major = 1, .minor = 2, .patch = 3};
    satisfies(a, constraint, &v, &ok);
    check_version(a, &v);
    if (semver_parse(constraint, &w, NULL) && semver_compare(&v, &w) != -semver_compare(&w, &v))
        abort();
    return 0;
}
