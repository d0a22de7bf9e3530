/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_html_internal.h - what the files of the fleet's HTML page share. For this folder only. */
#pragma once

#include "report/fleet_internal.h"

struct fleet_page {
    const struct fleet *fleet;
    struct buf *out;
    struct html_ids ids;
    str *site_ids; /* anchors of the sites */
};

/* Append one item to the page: a finding, whose anchor is "finding-NUMBER", or a site. */
void fleet_html_finding(struct fleet_page *p, size_t index);
void fleet_html_site(struct fleet_page *p, size_t index);
