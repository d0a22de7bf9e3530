/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_value.c - whole trees: copy, equality, differences; lookups; what positions cost.
 *
 * The trees are a list of Kubernetes objects of about the size asked for, each with a name so that
 * elements are matched by identity, and a copy in which one object of a hundred was changed. Rates
 * count bytes of the JSON text.
 */
#include "bench.h"

#include "text/json/json.h"
#include "value/diff.h"

struct trees {
    struct value *left, *same, *changed, *shuffled;
    size_t want;          /* differences */
    struct value *object; /* lookups */
    str *keys;
    size_t key_count;
};

static size_t copy_round(void *ctx)
{
    const struct trees *t = ctx;
    AUTO_ARENA a = arena_new();

    value_copy(a, t->left);
    return arena_held(a);
}

static size_t equal_round(void *ctx)
{
    const struct trees *t = ctx;

    bench_check(value_equal(t->left, t->same), &(struct err){.text = STR("copies differ")});
    return 0;
}

static size_t hash_round(void *ctx)
{
    const struct trees *t = ctx;

    bench_check(value_hash(t->left) != 0, &(struct err){.text = STR("hash is 0")});
    return 0;
}

static void check_count(size_t got, size_t want)
{
    bench_check(got == want, &(struct err){.text = STR("wrong number of differences")});
}

static size_t diff_round(void *ctx)
{
    const struct trees *t = ctx;
    AUTO_ARENA a = arena_new();

    check_count(value_diff(a, t->left, t->changed, NULL).count, t->want);
    return 0;
}

static size_t diff_shuffled_round(void *ctx)
{
    const struct trees *t = ctx;
    AUTO_ARENA a = arena_new();

    check_count(value_diff(a, t->left, t->shuffled, NULL).count, 1);
    return 0;
}

static size_t lookup_round(void *ctx)
{
    const struct trees *t = ctx;
    size_t found = 0;

    for (size_t i = 0; i < t->key_count; i++)
        found += value_get(t->object, t->keys[i]) != NULL;
    check_count(found, t->key_count);
    return 0;
}

/* ---- Inputs. ---- */

static void name_elements(struct arena *a, struct value *list)
{
    for (size_t i = 0; i < list->len; i++)
        value_set_str(a, &list->items[i], STR("name"), str_fmt(a, "object-%zu", i));
}

/* Another value, a member less and a member more in one object of a hundred. */
static size_t change_some(struct arena *a, struct value *list)
{
    size_t changes = 0;

    for (size_t i = 50; i < list->len; i += 100, changes += 3) {
        struct value *object = &list->items[i];
        value_set_str(a, value_get(object, STR("spec")), STR("nodeName"), STR("other"));
        value_unset(value_get(object, STR("status")), STR("phase"));
        value_set_int(a, value_get(object, STR("status")), STR("added"), 1);
    }
    return changes;
}

static void swap_ends(struct value *list)
{
    for (size_t i = 0; i < list->len / 2; i++) {
        struct value kept = list->items[i];
        list->items[i] = list->items[list->len - 1 - i];
        list->items[list->len - 1 - i] = kept;
    }
}

static void make_trees(struct arena *a, str text, struct trees *t)
{
    AUTO_ERR e = {0};
    struct source src = {.text = text};
    struct value *root;

    bench_check(json_read(a, &src, NULL, &root, &e), &e);
    t->left = value_get(root, STR("items"));
    name_elements(a, t->left);
    t->same = value_copy(a, t->left);
    t->changed = value_copy(a, t->left);
    t->want = change_some(a, t->changed);
    t->shuffled = value_copy(a, t->left);
    swap_ends(t->shuffled);
}

static void make_object(struct arena *a, struct trees *t, size_t members)
{
    t->object = value_object(a);
    t->key_count = 1000000 / members * members;
    t->keys = ARENA_ARRAY(a, str, t->key_count);
    for (size_t i = 0; i < members; i++)
        t->keys[i] = str_fmt(a, "app.kubernetes.io/member-%zu", i);
    for (size_t i = 0; i < members; i++)
        value_set(a, t->object, t->keys[i], value_null(a));
    /* In another order than they were added, and as other texts: nothing is where it was. */
    for (size_t i = t->key_count; i > 0; i--)
        t->keys[i - 1] = str_copy(a, t->keys[(i - 1) * 7919 % members]);
}

/* ---- Rows. ---- */

static void bench_lookups(size_t members, const char *name)
{
    AUTO_ARENA a = arena_new();
    struct trees t = {0};
    size_t bytes = 0;

    make_object(a, &t, members);
    for (size_t i = 0; i < t.key_count; i++)
        bytes += t.keys[i].len;
    struct bench_result r = bench_run(
        &(struct bench_case){.name = name, .bytes = bytes, .run = lookup_round, .ctx = &t});
    printf("  %.1f ns per lookup\n", (double)bytes / r.rate / (double)t.key_count * 1e9);
}

static bool count_node(void *ctx, struct value *v, size_t depth)
{
    (void)v;
    (void)depth;
    ++*(size_t *)ctx;
    return true;
}

/* Positions are a field of the node, so their cost is known; what it means is shown. */
static void show_positions(struct value *root, size_t text_bytes)
{
    size_t nodes = 0, each = sizeof(root->pos);

    value_walk(root, count_node, &nodes);
    printf("  %zu nodes of %zu bytes, %zu of which are the position: %.2f bytes per byte of text, "
           "%.1f %% of the nodes\n",
           nodes, sizeof(*root), each, (double)(nodes * each) / (double)text_bytes,
           100.0 * (double)each / (double)sizeof(*root));
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    str text = bench_podlist_json(bench_size());
    struct trees t = {0};
    struct bench_case c = {.name = "value copy", .bytes = text.len, .run = copy_round, .ctx = &t};

    make_trees(a, text, &t);
    bench_run(&c);
    show_positions(t.left, text.len);
    c = (struct bench_case){
        .name = "value equal", .bytes = text.len, .run = equal_round, .ctx = &t};
    bench_run(&c);
    c.name = "value hash";
    c.run = hash_round;
    bench_run(&c);
    c.reference = "value equal";
    c.name = "value diff, 1 % changed";
    c.run = diff_round;
    c.target = 0.25;
    bench_run(&c);
    c.name = "value diff, reversed";
    c.run = diff_shuffled_round;
    bench_run(&c);
    printf("  %u objects, %zu differences\n", t.left->len, t.want);
    bench_lookups(8, "lookup among 8");
    bench_lookups(1000, "lookup among 1,000");
    bench_lookups(100000, "lookup among 100,000");
}

const struct benchmark bench_value = {
    .name = "value",
    .help = "whole trees: copy, equality, differences, lookups",
    .run = run,
};
