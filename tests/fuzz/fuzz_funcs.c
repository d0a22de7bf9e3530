/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_funcs.c - any function of templates with any arguments.
 *
 * The bytes pick a function, and then one argument after the other: texts, numbers, lists, maps,
 * fields of some data. The template is executed under small limits. It may fail in any way that is
 * an error; it may not crash, hang or leak. The errors are Go's: they name the template.
 */
#include "text/json/json.h"
#include "tmpl/tmpl.h"

struct bytes {
    const uint8_t *at, *end;
};

static uint8_t take(struct bytes *b)
{
    return b->at < b->end ? *b->at++ : 0;
}

/* A text literal of the next bytes; those that need it are escaped. */
static void add_text(struct buf *out, struct bytes *b)
{
    size_t len = take(b) % 24;

    buf_char(out, '"');
    for (size_t i = 0; i < len && b->at < b->end; i++) {
        uint8_t c = take(b);
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\')
            buf_char(out, (char)c);
        else
            buf_fmt(out, "\\x%02x", c);
    }
    buf_char(out, '"');
}

static void add_argument(struct buf *out, struct bytes *b, int depth)
{
    static const char *const literals[] = {
        "0",   "1",    "-1",    "7",   "64",   "1000000", "9223372036854775807",
        "1.5", "-0.0", "1e300", "nil", "true", "false",   ".",
        ".m",  ".l",   ".n",    ".s",  ".i",   ".f",      ".none",
        ".e",  "`a`",
    };
    uint8_t kind = take(b) % 32;

    if (kind < COUNT(literals)) {
        buf_add(out, str_c(literals[kind]));
    } else if (kind < 28 || depth > 2) {
        add_text(out, b);
    } else {
        static const char *const makers[] = {"list", "dict", "int64", "toString"};
        buf_fmt(out, "(%s", makers[kind - 28]);
        for (size_t n = kind < 30 ? take(b) % 4 : 1; n; n--) {
            buf_char(out, ' ');
            add_argument(out, b, depth + 1);
        }
        buf_char(out, ')');
    }
}

/* Making keys and stretching passwords takes long by nature. */
static bool is_slow(str name)
{
    return str_has_prefix(name, STR("gen")) || str_eq(name, STR("bcrypt")) ||
           str_eq(name, STR("htpasswd")) || str_eq(name, STR("derivePassword"));
}

static const struct value *test_data(struct arena *a)
{
    static const struct source src = {
        .text = STR_INIT(
            "{\"m\":{\"a\":1,\"b\":{\"c\":\"x\"}},\"l\":[1,\"b\",null,[2],{\"k\":2.5}],\"n\":null,"
            "\"s\":\"a,b c\\n\",\"i\":3,\"f\":2.5,\"e\":\"\"}")};
    struct value *v = NULL;

    return json_read(a, &src, NULL, &v, NULL) ? v : NULL;
}

static void make_template(struct buf *out, str name, struct bytes *b)
{
    size_t count = take(b) % 6;
    bool piped = take(b) & 1;

    buf_add(out, STR("{{ "));
    if (piped) {
        add_argument(out, b, 0);
        buf_add(out, STR(" | "));
    }
    buf_add(out, name);
    for (size_t i = 0; i < count; i++) {
        buf_char(out, ' ');
        add_argument(out, b, 0);
    }
    buf_add(out, STR(" | printf \"%v\" }}"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tmpl_limits limits = {
        .steps = 200000, .output = 1 * MIB, .memory = 16 * MIB, .depth = 100};
    struct bytes b = {data, data + size};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    enum tmpl_profile profile = take(&b) & 1 ? TMPL_HELM : TMPL_KC;
    struct tmpl_help *functions;
    size_t count = tmpl_functions(a, profile, &functions);
    str name = functions[(take(&b) | (size_t)take(&b) << 8) % count].name;
    struct tmpl_set *set = tmpl_new(a, &(struct tmpl_options){.profile = profile});
    struct buf text = buf_new(a, 64 * KIB), out = buf_new(a, 2 * MIB);
    struct tmpl_run run = {.data = test_data(a), .limits = &limits};

    if (is_slow(name))
        return 0;
    make_template(&text, name, &b);
    if (!tmpl_parse(set, STR("t"), buf_str(&text), &e))
        return 0;
    if (!tmpl_execute(a, set, STR("t"), &run, &out, &e) &&
        !str_has_prefix(e.text, STR("template: ")))
        abort();
    return 0;
}
