/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_xml.c - XML as Go's encoding/xml writes it.
 *
 *   kind     escape: want is EscapeText of in
 *            tree: want is MarshalIndent of the element in root with indent
 *   root     {"name": ..., "attrs": [[name, value] ...], "text": ..., "children": [...]}
 */
#include "vectors.h"

#include "text/xml.h"

static void write_element(struct xml *x, const struct value *v)
{
    const struct value *attrs = value_get(v, STR("attrs"));
    const struct value *children = value_get(v, STR("children"));

    xml_open(x, value_get_str(v, STR("name")));
    for (size_t i = 0; i < value_len(attrs); i++) {
        const struct value *pair = value_at(attrs, i);
        xml_attr(x, value_str(value_at(pair, 0)), value_str(value_at(pair, 1)));
    }
    if (value_get(v, STR("text")))
        xml_text(x, value_get_str(v, STR("text")));
    for (size_t i = 0; i < value_len(children); i++)
        write_element(x, value_at(children, i));
    xml_close(x);
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str in, want;

    if (!vector_text(a, vector, "want", &want))
        return vector_differs(why, "vector", STR("no want"), STR("want"));
    if (vector_text(a, vector, "in", &in)) {
        xml_escape(&out, in);
    } else {
        struct xml x = xml_begin(&out, value_get_str(vector, STR("indent")));
        write_element(&x, value_get(vector, STR("root")));
    }
    return str_eq(buf_str(&out), want) || vector_differs(why, "text", buf_str(&out), want);
}

const struct vector_kind vector_xml = {
    .name = "xml",
    .help = "writing XML: escapes and indentation",
    .run = run,
};
