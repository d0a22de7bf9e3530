/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_tmpl.c - any bytes as a template text.
 *
 * What parses prints to a text that parses again and prints the same. That does not hold where text
 * is joined that was apart (comments are gone) or where a brace comes to stand before an action.
 * A text whose actions were all parsed before is the same, or fails with the same words.
 */
#include "tmpl/tmpl.h"

static bool parse_and_print(struct arena *a, str text, struct buf *out)
{
    static const struct tmpl_options opts = {.profile = TMPL_KC};
    struct tmpl_set *set = tmpl_new(a, &opts);
    AUTO_ERR e = {0};

    if (!tmpl_parse(set, STR("t"), text, &e)) {
        if (!str_has_prefix(e.text, STR("template: t:")))
            abort();
        return false;
    }
    tmpl_print(set, STR("t"), out);
    return true;
}

/* What a text is with these actions: its canonical form or its error. */
static str parsed_with(struct arena *a, struct tmpl_actions *actions, str text)
{
    const struct tmpl_options opts = {.profile = TMPL_KC, .actions = actions};
    struct tmpl_set *set = tmpl_new(a, &opts);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    if (!tmpl_parse(set, STR("t"), text, &e))
        return str_copy(a, e.text);
    tmpl_print(set, STR("t"), &out);
    return buf_str(&out);
}

static void parse_again(struct arena *a, str text)
{
    struct tmpl_actions *actions = tmpl_actions_new(a);
    str alone = parsed_with(a, NULL, text);

    if (!str_eq(alone, parsed_with(a, actions, text)) ||
        !str_eq(alone, parsed_with(a, actions, text)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    struct buf first = buf_new(a, BUF_UNLIMITED), second = buf_new(a, BUF_UNLIMITED);
    str text = str_of((const char *)data, size);

    parse_again(a, text);
    if (!parse_and_print(a, text, &first))
        return 0;
    if (str_contains(text, STR("/*")) || str_contains(text, STR("define")) ||
        str_contains(buf_str(&first), STR("{{{")))
        return 0;
    if (!parse_and_print(a, buf_str(&first), &second) || !str_eq(buf_str(&first), buf_str(&second)))
        abort();
    return 0;
}
