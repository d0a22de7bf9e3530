/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_paths.c - paths in all spellings, and what they do in a tree.
 *
 * What is printed must read back to an equal path; what was set must be found; what was deleted
 * must be gone.
 */
#include "value/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

/* {"a": {"b": [{"name": "x", "v": 1}, {"name": "y"}, [0, null]]}, "": "s", "0": true} */
static struct value *sample(struct arena *a)
{
    struct value *root = value_object(a), *object = value_object(a), *list = value_list(a);
    struct value *inner = value_list(a), *first = value_object(a), *second = value_object(a);

    value_set_str(a, first, STR("name"), STR("x"));
    value_set_int(a, first, STR("v"), 1);
    value_set_str(a, second, STR("name"), STR("y"));
    value_add(a, inner, value_int(a, 0));
    value_add(a, inner, value_null(a));
    value_add(a, list, first);
    value_add(a, list, second);
    value_add(a, list, inner);
    value_set(a, object, STR("b"), list);
    value_set(a, root, STR("a"), object);
    value_set_str(a, root, STR(""), STR("s"));
    value_set_bool(a, root, STR("0"), true);
    return root;
}

static bool has_key(const struct step *identity, str key)
{
    for (; identity; identity = identity->next_pair)
        if (str_eq(identity->key, key))
            return true;
    return false;
}

static bool repeats_key(const struct step *identity)
{
    for (; identity; identity = identity->next_pair)
        if (has_key(identity->next_pair, identity->key))
            return true;
    return false;
}

/* Whether setting the end of p leaves the elements on the way with the identity p names. */
static bool is_stable(const struct path *p)
{
    for (size_t i = 0; i < p->len; i++) {
        const struct step *step = &p->steps[i];
        if (step->kind != STEP_IDENTITY)
            continue;
        if (i + 1 == p->len || repeats_key(step))
            return false;
        if (p->steps[i + 1].kind != STEP_KEY || has_key(step, p->steps[i + 1].key))
            return false;
    }
    return true;
}

static void try_tree(struct arena *a, const struct path *p)
{
    struct value *root = sample(a), *before = sample(a);
    const struct value *item = value_string(a, STR("item"));
    AUTO_ERR e = {0};

    bool there = path_resolve(p, root) != NULL;
    if (!path_set(a, p, root, item, &e))
        CHECK(e.text.len && value_equal(root, before));
    else if (is_stable(p))
        CHECK(value_equal(path_resolve(p, root), item));
    there = path_resolve(p, before) != NULL;
    CHECK(path_delete(p, before) == (there && p->len));
    /* Another element of the list may take its place. */
    if (p->len && p->steps[p->len - 1].kind == STEP_KEY && there) {
        struct path above = {.steps = p->steps, .len = p->len - 1};
        if (value_is(path_resolve(&above, before), VALUE_OBJECT))
            CHECK(!path_resolve(p, before));
    }
}

static void try_dotted(struct arena *a, str text)
{
    AUTO_ERR e = {0};
    struct buf printed = buf_new(a, BUF_UNLIMITED);
    struct path p, again;

    if (!path_parse_dotted(a, text, &p, &e)) {
        CHECK(e.text.len);
        return;
    }
    path_print_dotted(&printed, &p);
    CHECK(path_parse_dotted(a, buf_str(&printed), &again, &e));
    CHECK(path_equal(&p, &again));
    try_tree(a, &p);
}

static void try_pointer(struct arena *a, str text)
{
    AUTO_ERR e = {0};
    struct buf printed = buf_new(a, BUF_UNLIMITED);
    struct path p, again;

    if (!path_parse_pointer(a, text, &p, &e)) {
        CHECK(e.text.len);
        return;
    }
    path_print_pointer(&printed, &p);
    CHECK(str_eq(buf_str(&printed), text));
    buf_truncate(&printed, 0);
    path_print_dotted(&printed, &p);
    CHECK(path_parse_dotted(a, buf_str(&printed), &again, &e));
    CHECK(path_equal(&p, &again));
    try_tree(a, &p);
}

/* What both readers accept without brackets means the same to both. */
static void try_fields(struct arena *a, str text)
{
    AUTO_ERR e = {0};
    struct path p, other;

    if (!path_parse_fields(a, text, &p, &e)) {
        CHECK(e.text.len);
        return;
    }
    if (!text.len || str_find_char(text, '[') != STR_NPOS ||
        str_find_char(text, '\r') != STR_NPOS || !path_parse_dotted(a, text, &other, NULL))
        return;
    CHECK(path_equal(&p, &other));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str text = {(const char *)data, size};

    try_dotted(a, text);
    try_pointer(a, text);
    try_fields(a, text);
    return 0;
}
