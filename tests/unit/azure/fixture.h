/* SPDX-License-Identifier: Apache-2.0 */
/* fixture.h - a small made-up model (tests/unit/azure/model), and JSON for its tests. */
#pragma once

#include "../test.h"

#include "azure/convert/convert.h"
#include "azure/manifests.h"
#include "text/json/json.h"

#define FIXTURE_MODEL "tests/unit/azure/model"

static inline struct model *fixture_model(struct arena *a)
{
    AUTO_ERR e = {0};
    struct model *m = NULL;

    assert_ok(model_open(a, STR(FIXTURE_MODEL), &m, &e), &e);
    return m;
}

/* Apostrophes stand for quotes. */
static inline struct value *fixture_json(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    char *copy = str_z(a, str_c(text));
    AUTO_ERR e = {0};
    struct value *v = NULL;

    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    src->text = str_c(copy);
    assert_ok(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

static inline void assert_json_at(struct arena *a, const struct value *got, const char *want,
                                  const char *file, int line)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct json_style style = {.sorted = true};

    if (got && value_equal(got, fixture_json(a, want)))
        return;
    if (got && json_write(&b, got, &style, NULL))
        print_error("got  %.*s\nwant %s\n", STR_ARG(buf_str(&b)), want);
    _fail(file, line);
}
#define assert_json(a, got, want) assert_json_at((a), (got), (want), __FILE__, __LINE__)

static inline const struct model_resource *fixture_resource(struct model *m, const char *version,
                                                            const char *kind)
{
    const struct model_resource *r = NULL;
    AUTO_ERR e = {0};

    assert_ok(model_find(m, STR("example.azure.com"), str_c(version), str_c(kind), &r, &e), &e);
    return r;
}

/* A Kubernetes object: apiVersion and kind, a name, and the spec as JSON. */
static inline struct value *fixture_object(struct arena *a, const char *api, const char *kind,
                                           const char *name, const char *spec)
{
    struct value *object = value_object(a), *meta = value_object(a);

    value_set_str(a, object, STR("apiVersion"), str_c(api));
    value_set_str(a, object, STR("kind"), str_c(kind));
    value_set_str(a, meta, STR("name"), str_c(name));
    value_set_str(a, meta, STR("namespace"), STR("ns"));
    value_set(a, object, STR("metadata"), meta);
    value_set(a, object, STR("spec"), fixture_json(a, spec));
    return object;
}
