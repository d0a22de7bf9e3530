/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_formats.c - the table of output formats of fleets. To add one: fleet.h says how.
 */
#include "report/fleet_internal.h"

const struct fleet_format *const fleet_formats[] = {
    &fleet_json,  &fleet_yaml,     &fleet_csv,    &fleet_html,
    &fleet_junit, &fleet_markdown, &fleet_github, NULL,
};

const struct fleet_format *fleet_format_find(str name)
{
    if (!name.len || str_eq(name, STR("text")))
        return &fleet_text;
    for (size_t i = 0; fleet_formats[i]; i++)
        if (str_eq(name, str_c(fleet_formats[i]->name)))
            return fleet_formats[i];
    return NULL;
}
