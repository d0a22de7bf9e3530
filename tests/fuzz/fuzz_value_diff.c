/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_value_diff.c - differences of two JSON texts, which are separated by a line break.
 *
 * Equal trees have none and others have some (order apart); seen from the other side, what was
 * added is missing; places resolve to what the difference shows.
 */
#include "text/json/json.h"
#include "value/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

static size_t count(const struct differences *d, enum difference_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < d->count; i++)
        n += d->items[i].kind == kind;
    return n;
}

static void check_places(struct arena *a, const struct differences *d, const struct value *old_,
                         const struct value *new_)
{
    for (size_t i = 0; i < d->count && i < 100; i++) {
        struct path p = path_of_trail(a, d->items[i].at);
        if (d->items[i].old_)
            CHECK(path_resolve(&p, old_) == d->items[i].old_);
        else
            CHECK(path_resolve(&p, new_) == d->items[i].new_);
    }
}

static void check_pair(struct arena *a, const struct value *old_, const struct value *new_,
                       const struct diff_options *opts)
{
    struct differences there = value_diff(a, old_, new_, opts);
    struct differences back = value_diff(a, new_, old_, opts);

    CHECK(value_diff(a, old_, value_copy(a, old_), opts).count == 0);
    CHECK((there.count == 0) == value_equal(old_, new_));
    CHECK(there.count == back.count);
    CHECK(count(&there, DIFFERENCE_ADDED) == count(&back, DIFFERENCE_MISSING));
    CHECK(count(&there, DIFFERENCE_MISSING) == count(&back, DIFFERENCE_ADDED));
    CHECK(count(&there, DIFFERENCE_REORDERED) == count(&back, DIFFERENCE_REORDERED));
    check_places(a, &there, old_, new_);
    check_places(a, &back, new_, old_);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const str fields[] = {STR_INIT("a"), STR_INIT("b")};
    struct step any = {.kind = STEP_KEY, .key = STR("*")};
    const struct list_rule rules[] = {
        {.path = {&any, 1}, .kind = LIST_BY_FIELDS, .fields = fields, .field_count = 2},
        {.kind = LIST_AS_SET},
    };
    struct diff_options opts = {.rules = rules, .rule_count = COUNT(rules)};
    AUTO_ARENA a = arena_new();
    struct source old_text = {0}, new_text = {0};
    struct value *old_, *new_;

    str_cut((str){(const char *)data, size}, STR("\n"), &old_text.text, &new_text.text);
    if (!json_read(a, &old_text, NULL, &old_, NULL) || !json_read(a, &new_text, NULL, &new_, NULL))
        return 0;
    check_pair(a, old_, new_, NULL);
    check_pair(a, old_, new_, &opts);
    return 0;
}
