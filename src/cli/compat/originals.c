/* SPDX-License-Identifier: Apache-2.0 */
/* originals.c - the names of the originals, one line each. */
#include "cli/compat/originals.h"
#include "cli/cmd/compare_cli.h"

static int run_compare(const char *program, size_t argc, char *const *argv)
{
    return (int)compat_main(program, argc, argv);
}

static const struct compat_name names[] = {
    {"cluster-compare", run_compare},
    {"cluster_compare", run_compare},
    {"helm-convert", compat_helm_convert},
    {"report-creator", compat_report_creator},
};

const struct compat_name *compat_find(const char *program)
{
    str name = file_base(str_c(program));

    for (size_t i = 0; i < COUNT(names); i++)
        if (str_has_suffix(name, str_c(names[i].name)))
            return &names[i];
    return NULL;
}
