/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_trace.c - a template, a line "%%", an object: whatever is rendered, differences have paths
 * that can be read back and places that exist, and what is suppressed can be told.
 */
#include "compare/explain/explain_internal.h"
#include "compare/internal.h"
#include "compare/reference/templates_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "text/yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t lines_of(str text)
{
    uint32_t lines = 1;

    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines;
}

static bool read_object(struct arena *a, str text, struct object *out)
{
    const struct read_options options = {.go = true};
    struct source *source = ARENA_NEW(a, struct source);
    AUTO_ERR e = {0};

    out->source = source;
    return yaml_source(a, STR("o.yaml"), text, source, &e) &&
           yaml_read(a, source, &options, &out->root, &e) && value_is(out->root, VALUE_OBJECT);
}

/* A template as a reference would have it. */
static bool read_template(struct arena *a, str text, struct template *out)
{
    AUTO_ERR e = {0};

    *out = (struct template){.path = STR("t.yaml"), .name = STR("t.yaml")};
    VEC_PUSH(a, &out->files, out->path);
    out->set = tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC});
    return tmpl_parse(out->set, out->name, text, &e);
}

static void check_field(struct arena *a, const struct result_field *f, str text, str object)
{
    struct path path;
    AUTO_ERR e = {0};
    bool ok = path_parse_dotted(a, f->path, &path, &e);

    assert(ok);
    (void)ok;
    assert(f->template.line <= lines_of(text) && f->object.line <= lines_of(object));
    assert(f->kind == RESULT_EXTRA ? !f->expected : !!f->expected);
    assert(f->kind == RESULT_MISSING ? !f->actual : !!f->actual);
}

static void try_all(struct trace *t, struct value *rendered, str text, str object)
{
    const struct tried_list tried = {
        .items = &(struct tried){.template = t->template, .scored = true}, .len = 1};
    struct result_explanation explanation = {0};
    struct result_fields fields = {0};

    fields_find(t, rendered, t->live, &fields);
    for (size_t i = 0; i < fields.len; i++)
        check_field(t->arena, &fields.items[i], text, object);
    explain_suppressed(t, &tried, &explanation);
    for (size_t i = 0; i < explanation.suppressed.len; i++)
        assert(explanation.suppressed.items[i].rule.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    struct compare_options options = {.dialect = &dialect_native, .explain = true};
    struct compare c = {0};
    struct log_buffer log = {.arena = a};
    struct object object = {0};
    struct template template;
    struct value *rendered;
    str text, rest;
    AUTO_ERR e = {0};

    if (size > 4096 || !str_cut(str_of((const char *)data, size), STR("\n%%\n"), &text, &rest) ||
        !read_object(a, rest, &object) || !read_template(a, text, &template))
        return 0;
    struct trace t = {
        .arena = a, .compare = &c, .options = &options, .object = &object, .template = &template};
    struct render r = {.log = &log, .trace = &t};
    if (!template_render(a, &template, object.root, &r, &rendered, &e))
        return 0;
    t.live = object.root;
    trace_add(&t, STAGE_RENDERED, NULL, rendered);
    try_all(&t, rendered, text, rest);
    return 0;
}
