/* SPDX-License-Identifier: Apache-2.0 */
/* body.c - reads the body of a request: JSON, YAML, or protobuf for built-in types. */
#include "store/internal.h"

#include "text/json/json.h"
#include "text/yaml/yaml.h"

str store_media_type(const struct store_request *r)
{
    str type = handler_header(r->call, STR("Content-Type")), rest;

    str_cut(type, STR(";"), &type, &rest);
    return str_trim(type);
}

bool store_read_body(struct store_request *r, const struct read_options *options,
                     struct value **out, struct err *e)
{
    const struct source src = {.text = r->call->body};

    if (store_is_protobuf(src.text))
        return store_protobuf_read(r->arena, src.text, out, e);
    str type = store_media_type(r);
    if (str_eq(type, STR("application/yaml")) || str_eq(type, STR("application/x-yaml")))
        return yaml_read(r->arena, &src, options, out, e);
    return json_read(r->arena, &src, options, out, e);
}
