/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the converter share: values.c finds what templates read, text.c
 * makes the texts of the chart's templates, chart.c writes files, helm.c does it all.
 */
#pragma once

#include "compare/helm/helm.h"
#include "compare/reference/reference_internal.h"

/* The name of a template in values.yaml. Lives as long as a. */
str helm_component(struct arena *a, str path);

/*
 * The values that a template reads, as one object: from defaults (NULL: none) if they are there,
 * else {}. Nothing is shared with defaults.
 */
MUST_CHECK bool helm_values(struct arena *a, const struct template *t, const struct value *defaults,
                            struct value **out, struct err *e);

/*
 * The text of a chart's template. values is the content of the values file, or NULL; the defaults
 * of capture groups are removed from it.
 */
str helm_text(struct arena *a, const struct template *t, str text, struct value *values,
              struct buf *note);

/* A file of the chart: its name below the folder of the chart. */
struct helm_file {
    str name, text;
};

struct helm_files {
    struct helm_file *items;
    size_t len, cap;
};

/* Creates the folder of a chart and writes the files into it, from the last to the first. */
MUST_CHECK bool helm_save(struct arena *a, str chart, const struct helm_files *files,
                          struct err *e);
/* The last element of the path of a chart. */
str helm_chart_name(str chart);

/* The objects of all YAML files below a folder, by the names of the files. */
MUST_CHECK bool helm_defaults(struct arena *a, str folder, struct map **out, struct err *e);
