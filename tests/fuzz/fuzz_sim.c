/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_sim.c - the simulated ARM: files of behaviours, plans of faults, and requests. A text is one
 * of each, with a line of its own that holds only "---" between them; the requests are lines
 * "METHOD PATH?QUERY BODY".
 */
#include "sim/sim.h"
#include "value/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void request(struct sim *s, str line)
{
    AUTO_ARENA a = arena_new();
    struct sim_request q = {.base = STR("http://h")};
    struct sim_response r;
    str rest, url;

    str_cut(line, STR(" "), &q.method, &rest);
    str_cut(rest, STR(" "), &url, &q.body);
    str_cut(url, STR("?"), &q.path, &q.query);
    sim_handle(s, a, &q, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_config config = sim_defaults();
    struct source types = {.file = STR("types")}, faults = {.file = STR("faults")};
    str text = str_of((const char *)data, size), line;
    struct sim *s;

    /* Reading the model takes as long as a thousand requests. */
    config.virtual_time = config.bare = config.no_model = true;
    if (size > 64 * KIB || !sim_new(&config, &s, NULL))
        return 0;
    str_cut(text, STR("\n---\n"), &types.text, &text);
    str_cut(text, STR("\n---\n"), &faults.text, &text);
    (void)!sim_add_types(s, &types, NULL);
    (void)!sim_add_faults(s, &faults, NULL);
    for (int i = 0; i < 50 && str_next_line(&text, &line); i++)
        request(s, line);
    sim_free(s);
    return 0;
}
