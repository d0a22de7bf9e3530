/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_internal.h - what the formats of fleets share. */
#pragma once

#include "compare/fleet/fleet.h"
#include "report/internal.h"

/* What a finding is about: "Deployment shop/web", or the template. Lives as long as a. */
str fleet_subject(struct arena *a, const struct fleet_finding *x);
/* What is wrong: the changed fields, at most shown of them, or what is missing. */
str fleet_what(struct arena *a, const struct fleet_finding *x, size_t shown);

/* "differs", "missing", "unmatched". */
const char *fleet_kind_name(enum fleet_kind kind);
/* Reads Kind. False: it is unknown. */
bool fleet_read_kind(const struct value *v, enum fleet_kind *out);
/* Reads an entry of Findings, without its kind and sites. */
void fleet_read_finding(struct arena *a, const struct value *v, struct fleet_finding *out);
/* "failed", "drift", "clean". */
const char *fleet_site_state(const struct fleet_site *s);
/* "12 of 400 sites drift, 2 could not be compared". Lives as long as a. */
str fleet_headline(struct arena *a, const struct fleet *f);
/* "3 of 398 sites", or "3 of 398 sites, new in 2" */
str fleet_share(struct arena *a, const struct fleet *f, const struct fleet_finding *x);
/*
 * The sites with a finding: all names if there are few or all is set, else some names and the
 * number of others; or "all", or "all but" a few. Lives as long as a.
 */
str fleet_who(struct arena *a, const struct fleet *f, const struct fleet_finding *x, bool all);
/* The names of some sites, or of all. */
str fleet_names(struct arena *a, const struct fleet *f, const struct fleet_indexes *sites,
                bool all);
/*
 * The sites with a finding or one of the similar ones that follow it, from index on. Lives as long
 * as a.
 */
struct fleet_indexes fleet_sites_alike(struct arena *a, const struct fleet *f, size_t index);
/* "Deployment shop/web", or the id itself if it does not have that form. Lives as long as a. */
str fleet_object_text(struct arena *a, str id);
/* "spec.replicas: 5 instead of 3", values cut at about max bytes. Lives as long as a. */
str fleet_field_text(struct arena *a, const struct result_field *f, size_t max);
/* For qsort and bsearch of the items of fleet_indexes. */
int fleet_compare_indexes(const void *x, const void *y);
/* Whether the earlier report does not have the finding for that site. */
bool fleet_is_new(const struct fleet_finding *x, size_t site);
/* What was not compared: "2 documents failed, ...". Empty if everything was. */
str fleet_incomplete_text(struct arena *a, const struct fleet_site *s);
/* How completely a site was compared, in one word. */
str fleet_verdict(const struct fleet_site *s);
