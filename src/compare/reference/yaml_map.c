/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_map.c - see yaml_map_internal.h. */
#include "compare/reference/yaml_map_internal.h"
#include "go/decode.h"
#include "text/yaml/yaml.h"

/* Below this many bytes a text cannot have too many nodes, and is read faster uncounted. */
#define UNCOUNTED (1 * MIB)

static bool read_any(struct arena *a, str text, struct read_options options, struct value **out,
                     struct err *e)
{
    struct source *source = ARENA_NEW(a, struct source);

    options.go = true;
    if (!yaml_source(a, STR_NONE, text, source, e))
        return err_wrap(e, "error converting YAML to JSON");
    return yaml_read(a, source, &options, out, e) || err_wrap(e, "error converting YAML to JSON");
}

bool yaml_any_read(struct arena *a, str text, bool single, struct value **out, struct err *e)
{
    return read_any(a, text, (struct read_options){.single = single}, out, e);
}

bool map_expect(struct arena *a, struct value **v, struct err *e)
{
    if ((*v)->kind == VALUE_NULL)
        *v = value_object(a);
    if ((*v)->kind == VALUE_OBJECT)
        return true;
    return err_set(e, ERR_INVALID,
                   "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal %s into "
                   "Go value of type map[string]interface {}",
                   json_kind(*v));
}

bool yaml_map_read_with(struct arena *a, str text, struct read_options options, struct value **out,
                        struct err *e)
{
    if (text.len <= UNCOUNTED)
        options.nodes_max = 0;
    if (!read_any(a, text, options, out, e))
        return false;
    return map_expect(a, out, e);
}

bool yaml_map_read(struct arena *a, str text, struct value **out, struct err *e)
{
    return yaml_map_read_with(a, text, (struct read_options){0}, out, e);
}

static bool fail_in_json(struct err *e)
{
    return err_wrap(e, "error unmarshaling JSON: while decoding JSON");
}

bool strict_decode(struct arena *a, const struct schema *schema, struct value *v, struct err *e)
{
    return schema_decode(a, schema, SCHEMA_STRICT, v, e) || fail_in_json(e);
}

bool strict_read(struct arena *a, const struct yaml_file *file, const struct schema *schema,
                 struct value **out, struct err *e)
{
    const struct read_options options = {
        .duplicates = DUPLICATE_ERROR, .go = true, .single = file->single};
    struct source *source = ARENA_NEW(a, struct source);

    if (!yaml_source(a, file->name, file->text, source, e) ||
        !yaml_read(a, source, &options, out, e))
        return err_wrap(e, "error converting YAML to JSON");
    if ((*out)->kind == VALUE_NULL) {
        *out = NULL;
        return true;
    }
    if (schema)
        return strict_decode(a, schema, *out, e);
    if ((*out)->kind == VALUE_OBJECT)
        return true;
    err_set(e, ERR_INVALID,
            "json: cannot unmarshal %s into Go value of type map[string]interface {}",
            json_kind(*out));
    return fail_in_json(e);
}
