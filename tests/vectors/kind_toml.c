/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_toml.c - TOML as BurntSushi/toml writes it.
 *
 *   data      the value, as JSON text
 *   numbers   float when all numbers were decoded to float64, else int64 where it fits
 *   want      what was written
 *   err       the error text instead
 */
#include "vectors.h"

#include "text/json/json.h"
#include "text/toml/toml.h"

static bool check(bool ok, str out, const struct err *e, const struct value *vector,
                  struct buf *why)
{
    str want = value_get_str(vector, STR("want")), err = value_get_str(vector, STR("err"));

    if (!ok)
        return str_eq(e->text, err) || vector_differs(why, "error", e->text, err);
    if (value_get(vector, STR("err")))
        return vector_differs(why, "error", STR_NONE, err);
    return str_eq(out, want) || vector_differs(why, "text", out, want);
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    AUTO_ERR e = {0};
    struct source src = {0};
    struct value *v;
    struct buf out = buf_new(a, BUF_UNLIMITED);
    bool floats = str_eq(value_get_str(vector, STR("numbers")), STR("float"));

    if (!vector_text(a, vector, "data", &src.text) || !json_read(a, &src, NULL, &v, &e))
        return vector_differs(why, "data", e.text, STR("JSON"));
    bool ok = toml_write(&out, v, floats ? NUMBERS_FLOAT : NUMBERS_GO, &e);
    return check(ok, buf_str(&out), &e, vector, why);
}

const struct vector_kind vector_toml = {
    .name = "toml",
    .help = "writing TOML",
    .run = run,
};
