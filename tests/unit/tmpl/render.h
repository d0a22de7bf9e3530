/* SPDX-License-Identifier: Apache-2.0 */
/* render.h - renders one template with JSON data, for tests. */
#pragma once

#include "../test.h"

#include "text/json/json.h"
#include "tmpl/tmpl.h"

/* Renders text with json (NULL: no data); returns the output, or what was written and the error. */
static inline str render_with(struct arena *a, const char *text, const char *json,
                              enum tmpl_profile profile, struct tmpl_run *run)
{
    struct tmpl_options opts = {.profile = profile};
    struct tmpl_set *set = tmpl_new(a, &opts);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct source *src = ARENA_NEW(a, struct source);
    struct value *data = NULL;
    AUTO_ERR e = {0};

    src->text = str_c(json);
    if (json)
        assert_ok(json_read(a, src, NULL, &data, &e), &e);
    run->data = data;
    if (!tmpl_parse(set, STR("t"), str_c(text), &e) ||
        !tmpl_execute(a, set, STR("t"), run, &out, &e)) {
        if (out.len)
            buf_char(&out, '|');
        buf_add(&out, e.text);
    }
    return buf_str(&out);
}

static inline str render(struct arena *a, const char *text, const char *json)
{
    struct tmpl_run run = {0};

    return render_with(a, text, json, TMPL_KC, &run);
}

/* A case in a table: a template, its data and the expected output. */
struct render_case {
    const char *text, *json, *want;
};

static inline void check_renders(const struct render_case *cases, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++) {
        assert_str(render(a, cases[i].text, cases[i].json), str_c(cases[i].want));
        arena_reset(a);
    }
}
