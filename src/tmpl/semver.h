/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semver.h - semantic versions and constraints, compatible with Masterminds/semver 3.3.
 *
 * A version may omit minor and patch and may start with v. A constraint has alternatives separated
 * by ||, each a list of conditions separated by spaces or commas: "^1.2 || >=3.1 <4", "1.2 -
 * 1.4.5". Pre-releases ("1.2.3-rc.1") satisfy only conditions that name a pre-release.
 */
#pragma once

#include "base/base.h"

struct semver {
    uint64_t major, minor, patch;
    str pre, metadata; /* without - and + */
    str original;      /* as given */
};

struct semver_constraint;

/* The texts of out point into text. Errors are those of the original. */
MUST_CHECK bool semver_parse(str text, struct semver *out, struct err *e);
/* -1, 0 or 1. Metadata does not count. */
int semver_compare(const struct semver *x, const struct semver *y);
/* "1.2.3-rc.1+5". */
void semver_format(struct buf *out, const struct semver *v);
/* Whether a text is valid after the - or the + of a version. */
MUST_CHECK bool semver_valid_pre(str text, struct err *e);
MUST_CHECK bool semver_valid_metadata(str text, struct err *e);

/* The constraint lives as long as a and text. One of more than 4,096 bytes is ERR_LIMIT. */
MUST_CHECK bool semver_constraint_parse(struct arena *a, str text,
                                        const struct semver_constraint **out, struct err *e);
bool semver_satisfies(const struct semver *v, const struct semver_constraint *c);
