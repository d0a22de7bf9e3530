/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.c - Go's types by name and kind.
 *
 * To add a type: a name in enum tv_type (rt.h), a line here at the same place, and, when it has
 * methods or fields or prints itself, their tables in the family that makes its values.
 */
#include "tmpl/internal.h"
#include "tmpl/funcs/families.h"
#include "tmpl/funcs/objects.h"

static void print_token(struct rt *rt, struct tv v, struct buf *out)
{
    const struct token *t = v.object;

    (void)rt;
    if (t->kind == TOKEN_EOF) {
        buf_add(out, STR("EOF"));
    } else if (t->kind == TOKEN_ERROR) {
        buf_add(out, t->text);
    } else if (t->kind > TOKEN_KEYWORD) {
        buf_fmt(out, "<%.*s>", STR_ARG(t->text));
    } else if (t->text.len > 10) {
        go_quote_short(out, t->text);
        buf_add(out, STR("..."));
    } else {
        go_quote(out, t->text);
    }
}

static struct tv token_kind(const void *object)
{
    return tv_int(((const struct token *)object)->kind);
}

static struct tv token_pos(const void *object)
{
    return tv_int((int64_t)((const struct token *)object)->pos);
}

static struct tv token_text(const void *object)
{
    return tv_str(((const struct token *)object)->text);
}

static struct tv token_line(const void *object)
{
    return tv_int(((const struct token *)object)->line);
}

static const struct tv_field token_fields[] = {
    {"typ", token_kind}, {"pos", token_pos}, {"val", token_text}, {"line", token_line}, {0},
};

/* In the order of enum tv_type. */
const struct tv_info tv_types[TV_TYPES] = {
    [TV_INVALID] = {.name = "interface {}", .kind_name = "invalid", .kind = TV_KIND_INVALID},
    [TV_BOOL] = {.name = "bool", .kind_name = "bool", .kind = TV_KIND_BOOL},
    [TV_INT] = {.name = "int", .kind_name = "int", .kind = TV_KIND_INT},
    [TV_INT64] = {.name = "int64", .kind_name = "int64", .kind = TV_KIND_INT},
    [TV_UINT8] = {.name = "uint8", .kind_name = "uint8", .kind = TV_KIND_UINT},
    [TV_UINT32] = {.name = "uint32", .kind_name = "uint32", .kind = TV_KIND_UINT},
    [TV_UINT64] = {.name = "uint64", .kind_name = "uint64", .kind = TV_KIND_UINT},
    [TV_FLOAT64] = {.name = "float64", .kind_name = "float64", .kind = TV_KIND_FLOAT},
    [TV_COMPLEX128] = {.name = "complex128", .kind_name = "complex128", .kind = TV_KIND_COMPLEX},
    [TV_STRING] = {.name = "string", .kind_name = "string", .kind = TV_KIND_STRING},
    [TV_LIST] = {.name = "[]interface {}",
                 .kind_name = "slice",
                 .kind = TV_KIND_SLICE,
                 .elem = TV_ANY},
    [TV_STRINGS] = {.name = "[]string",
                    .kind_name = "slice",
                    .kind = TV_KIND_SLICE,
                    .elem = TV_STRING},
    [TV_INTS] = {.name = "[]int", .kind_name = "slice", .kind = TV_KIND_SLICE, .elem = TV_INT},
    [TV_MAPS] = {.name = "[]map[string]interface {}",
                 .kind_name = "slice",
                 .kind = TV_KIND_SLICE,
                 .elem = TV_MAP},
    [TV_LISTS] = {.name = "[][]interface {}",
                  .kind_name = "slice",
                  .kind = TV_KIND_SLICE,
                  .elem = TV_LIST},
    [TV_BYTES] = {.name = "[]uint8", .kind_name = "slice", .kind = TV_KIND_SLICE, .elem = TV_UINT8},
    [TV_MAP] = {.name = "map[string]interface {}",
                .kind_name = "map",
                .kind = TV_KIND_MAP,
                .elem = TV_ANY},
    [TV_STRMAP] = {.name = "map[string]string",
                   .kind_name = "map",
                   .kind = TV_KIND_MAP,
                   .elem = TV_STRING},
    [TV_TIME] = {.name = "time.Time",
                 .kind_name = "struct",
                 .kind = TV_KIND_STRUCT,
                 .string = time_string,
                 .go_string = time_go_string,
                 .text = time_text,
                 .equal = time_equal,
                 .methods = time_methods,
                 .fields = time_fields},
    [TV_MONTH] = {.name = "time.Month",
                  .kind_name = "int",
                  .kind = TV_KIND_INT,
                  .string = month_string,
                  .methods = month_methods},
    [TV_WEEKDAY] = {.name = "time.Weekday",
                    .kind_name = "int",
                    .kind = TV_KIND_INT,
                    .string = weekday_string,
                    .methods = weekday_methods},
    [TV_DURATION] = {.name = "time.Duration",
                     .kind_name = "int64",
                     .kind = TV_KIND_INT,
                     .string = duration_string,
                     .methods = duration_methods},
    [TV_LOCATION] = {.name = "*time.Location",
                     .kind_name = "ptr",
                     .kind = TV_KIND_PTR,
                     .elem = TV_LOCATION_STRUCT,
                     .string = location_string,
                     .methods = location_methods},
    [TV_LOCATION_STRUCT] = {.name = "time.Location",
                            .kind_name = "struct",
                            .kind = TV_KIND_STRUCT,
                            .fields = location_fields},
    [TV_SEMVER] = {.name = "*semver.Version",
                   .kind_name = "ptr",
                   .kind = TV_KIND_PTR,
                   .elem = TV_SEMVER_STRUCT,
                   .string = semver_string,
                   .text = semver_text,
                   .equal = semver_equal,
                   .methods = semver_methods},
    [TV_SEMVER_STRUCT] = {.name = "semver.Version",
                          .kind_name = "struct",
                          .kind = TV_KIND_STRUCT,
                          .string = semver_string,
                          .text = semver_text,
                          .equal = semver_equal,
                          .methods = semver_struct_methods,
                          .fields = semver_fields},
    [TV_CERT] = {.name = "sprig.certificate",
                 .kind_name = "struct",
                 .kind = TV_KIND_STRUCT,
                 .fields = tmpl_cert_fields},
    [TV_TOKEN] = {.name = "parse.item",
                  .kind_name = "struct",
                  .kind = TV_KIND_STRUCT,
                  .string = print_token,
                  .fields = token_fields},
    [TV_ANY] = {.name = "interface {}", .kind_name = "interface", .kind = TV_KIND_INTERFACE},
    [TV_VALUE] = {.name = "reflect.Value", .kind_name = "struct", .kind = TV_KIND_STRUCT},
};

/* ---- Signatures ----------------------------------------------------------------------------- */

/* How signatures spell types where that differs from their names. */
static const struct {
    const char *spelling;
    enum tv_type type;
} spellings[] = {
    {"any", TV_ANY},
    {"[]any", TV_LIST},
    {"map[string]any", TV_MAP},
    {"[]map[string]any", TV_MAPS},
    {"[][]any", TV_LISTS},
};

static enum tv_type type_named(str name)
{
    for (size_t i = 0; i < COUNT(spellings); i++)
        if (str_eq(name, str_c(spellings[i].spelling)))
            return spellings[i].type;
    for (int i = TV_BOOL; i < TV_TYPES; i++)
        if (str_eq(name, str_c(tv_types[i].name)))
            return (enum tv_type)i;
    assert(!"a signature names an unknown type");
    return TV_ANY;
}

/* "func(int, ...any) (string, error)"; "func(...any) any". */
struct signature signature_parse(const char *text)
{
    str s = str_without_prefix(str_c(text), STR("func(")), params, result, one;
    struct signature sig = {0};
    size_t n = 0;

    str_cut(s, STR(")"), &params, &result);
    while (params.len) {
        str_cut(params, STR(", "), &one, &params);
        sig.variadic = str_has_prefix(one, STR("..."));
        assert(n < COUNT(sig.params));
        sig.params[n++] = (uint8_t)type_named(str_without_prefix(one, STR("...")));
    }
    sig.fixed = (uint8_t)(n - sig.variadic);
    result = str_trim_set(result, STR(" ()"));
    str_cut(result, STR(", "), &one, &params);
    sig.result = (uint8_t)type_named(one);
    n = 1;
    for (; params.len; n++) {
        str_cut(params, STR(", "), &one, &params);
        if (!str_eq(one, STR("error")))
            sig.second = (uint8_t)type_named(one);
    }
    sig.too_many = (uint8_t)(n > 2 ? n : 0);
    return sig;
}
