/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_yaml.c - YAML as sigs.k8s.io/yaml reads and writes it.
 *
 *   kind     decode, decode-strict or encode
 *   yaml     the YAML text (yaml_b64 when it is not UTF-8)
 *   json     the JSON text
 *   err      the error text instead of a result
 */
#include "vectors.h"

#include "text/json/json.h"
#include "text/yaml/yaml.h"

static const struct json_style decoded = {.sorted = true, .html = true, .numbers = NUMBERS_YAML};

static bool compare(struct arena *a, const struct value *vector, const char *key, bool ok, str got,
                    struct buf *why)
{
    str want;

    if (vector_text(a, vector, "err", &want))
        return (!ok && str_eq(got, want)) || vector_differs(why, "error", got, want);
    if (!vector_text(a, vector, key, &want))
        return vector_differs(why, "vector", STR("neither result nor err"), str_c(key));
    return (ok && str_eq(got, want)) || vector_differs(why, key, got, want);
}

static bool decode(struct arena *a, str yaml, bool strict, struct buf *out, struct err *e)
{
    struct read_options options = {.duplicates = strict ? DUPLICATE_ERROR : DUPLICATE_LAST_WINS,
                                   .go = true,
                                   .quotes = QUOTE_ALWAYS};
    struct source src;
    struct value *v;

    return yaml_source(a, STR("vector"), yaml, &src, e) && yaml_read(a, &src, &options, &v, e) &&
           json_write(out, v, &decoded, e);
}

static bool encode(struct arena *a, str json, struct buf *out, struct err *e)
{
    struct source src = {.text = json};
    struct value *v;

    return json_read(a, &src, NULL, &v, e) && yaml_write(out, v, NUMBERS_GO, e);
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    AUTO_ERR e = {0};
    str kind = value_get_str(vector, STR("kind")), in;
    bool encoding = str_eq(kind, STR("encode"));
    struct buf out = buf_new(a, BUF_UNLIMITED);

    if (!vector_text(a, vector, encoding ? "json" : "yaml", &in))
        return vector_differs(why, "vector", STR("no input"), STR("json or yaml"));
    bool ok = encoding ? encode(a, in, &out, &e)
                       : decode(a, in, str_eq(kind, STR("decode-strict")), &out, &e);
    return compare(a, vector, encoding ? "yaml" : "json", ok, ok ? buf_str(&out) : e.text, why);
}

const struct vector_kind vector_yaml = {
    .name = "yaml",
    .help = "YAML as sigs.k8s.io/yaml reads and writes it",
    .run = run,
};
