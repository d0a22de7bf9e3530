/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - writes a plan (operator/planner.h: planner_report) as Markdown or HTML.
 *
 * Both escape all foreign text. They cannot fail; an overflow is noted in out. Any thread.
 */
#pragma once

#include "base/base.h"

struct value;

/* "2 to create, 1 to update, ...": the totals in one line. Lives as long as a. */
str plan_totals(struct arena *a, const struct value *plan);
/* "3 writes in about 0 seconds, after 12 reads". */
str plan_cost(struct arena *a, const struct value *plan);
/* "wanted X, found Y" of a change, each cut after max bytes. Lives as long as a. */
str plan_values(struct arena *a, const struct value *change, size_t max);

/* For a comment on a pull request: less than 65,536 bytes; what does not fit is only counted. */
void plan_markdown(const struct value *plan, struct buf *out);
/* A self-contained page. */
void plan_html(const struct value *plan, struct buf *out);
