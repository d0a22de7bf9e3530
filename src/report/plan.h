/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - a plan (operator/planner.h: planner_report) as Markdown and as a page.
 *
 * Both escape everything foreign. They cannot fail; out notes when it overflows. Any thread.
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

/* For a comment on a pull request: below 65,536 bytes, what does not fit is counted. */
void plan_markdown(const struct value *plan, struct buf *out);
/* One file that connects to nothing. */
void plan_html(const struct value *plan, struct buf *out);
