/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_tmpl_exec.c - templates over data, with every function there is.
 *
 * The input is a template and, behind the first NUL, JSON for its data. The first byte picks the
 * profile. Limits are small, so that every run ends soon.
 */
#include "text/json/json.h"
#include "tmpl/tmpl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tmpl_limits limits = {
        .steps = 100000, .output = 256 * KIB, .memory = 8 * MIB, .depth = 1000};
    static const enum tmpl_profile profiles[] = {TMPL_KC, TMPL_HELM, TMPL_GO};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text, json;
    struct value *tree = NULL;
    struct buf out = buf_new(a, MIB);

    if (!size)
        return 0;
    str_cut(str_of((const char *)data + 1, size - 1), STR("\0"), &text, &json);
    struct source src = {.text = json};
    struct tmpl_options opts = {.profile = profiles[data[0] % COUNT(profiles)]};
    struct tmpl_set *set = tmpl_new(a, &opts);
    struct tmpl_run run = {.limits = &limits, .floats = data[0] & 4};
    if (json.len && !json_read(a, &src, NULL, &tree, NULL))
        return 0;
    run.data = tree;
    if (!tmpl_parse(set, STR("t"), text, &e))
        return 0;
    if (!tmpl_execute(a, set, STR("t"), &run, &out, &e) &&
        !str_has_prefix(e.text, STR("template: t:")))
        abort();
    return 0;
}
