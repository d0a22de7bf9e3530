/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c - reads the metadata file: its version, and what all versions share. */
#include "compare/reference/reference_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/nested_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "go/decode.h"
#include "text/yaml/yaml.h"

/* All versions in rising order. To add one: reference_internal.h says how. */
static const struct reference_version *const versions[] = {&reference_v1, &reference_v2};

bool reference_version_find(struct arena *a, const struct value *doc,
                            const struct reference_version **out, struct err *e)
{
    const struct value *version = value_get(doc, STR("apiVersion"));
    struct buf shown = buf_new(a, BUF_UNLIMITED);

    *out = &reference_v1;
    if (!version)
        return true;
    go_print(&shown, version, true);
    str name = str_trim(buf_str(&shown));
    for (size_t i = 0; i < COUNT(versions); i++)
        if (str_eq_fold(name, str_c(versions[i]->name))) {
            *out = versions[i];
            return true;
        }
    return err_set(e, ERR_INVALID, "unknown reference file apiVersion: '%.*s'", STR_ARG(name));
}

static bool fail_in_format(struct err *e)
{
    return err_wrap(e, "Reference config isn't in correct format. error");
}

static bool read_format(struct arena *a, const struct yaml_file *file, struct value **out,
                        struct err *e)
{
    if (!strict_read(a, file, NULL, out, e))
        return fail_in_format(e);
    if (!*out)
        return err_set(e, ERR_INVALID,
                       "Reference config isn't in correct format. error: the file is empty");
    return true;
}

/* Tells each template the names of its part and its component. */
static void name_places(struct reference *r)
{
    for (size_t p = 0; p < r->parts.len; p++) {
        const struct part *part = &r->parts.items[p];
        for (size_t c = 0; c < part->components.len; c++) {
            const struct component *component = &part->components.items[c];
            for (size_t i = 0; i < component->count; i++) {
                r->templates.items[component->first + i].part = part->name;
                r->templates.items[component->first + i].component = component->name;
            }
        }
    }
}

str reference_file(struct arena *a, const struct reference *r, str file)
{
    if (!r->folder.len || str_eq(r->folder, STR(".")))
        return file;
    return str_fmt(a, "%.*s/%.*s", STR_ARG(r->folder), STR_ARG(file));
}

bool reference_load(struct arena *a, const struct root *root, str file, struct log_buffer *log,
                    struct reference *out, struct err *e)
{
    const struct reference_version *version;
    struct yaml_file read = {.name = file, .single = out->single};
    struct value *doc;

    if (!root_read(a, root, file, &read.text, e))
        return err_wrap(e, "Reference config file not found. error");
    if (!read_format(a, &read, &doc, e) || !reference_version_find(a, doc, &version, e))
        return false;
    if (!strict_decode(a, version->schema, doc, e))
        return fail_in_format(e);
    out->folder = root->folder;
    out->version = str_c(version->name);
    if (!yaml_source(a, reference_file(a, out, file), read.text, &out->source, e) ||
        !reference_build(a, version, doc, log, out, e))
        return false;
    name_places(out);
    return true;
}
