/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions.c - the functions of all families by name, with their signatures.
 *
 * Templates are full of function names, so the tables are indexed once per process, before the
 * first name is looked up. Open addressing; at most half of the slots are in use. A signature is
 * parsed when its function is first looked up: a process uses few of them.
 */
#include "tmpl/internal.h"

#include "base/lock.h"

enum { FUNCTIONS_MAX = 512, SLOTS = 2 * FUNCTIONS_MAX };

static struct {
    pthread_once_t once;
    struct lock lock; /* while a signature is parsed */
    size_t count;
    struct function items[FUNCTIONS_MAX];
    uint16_t slots[SLOTS]; /* number of an item plus one; 0 is free */
} all = {.once = PTHREAD_ONCE_INIT, .lock = LOCK_INIT};

/* Functions that see more than their arguments. */
static const struct {
    const char *name;
    unsigned reach;
} reaches[] = {
    {"lookup", TMPL_LOOKS_UP},
    {"lookupCR", TMPL_LOOKS_UP},
    {"lookupCRs", TMPL_LOOKS_UP},
    {"merge", TMPL_CHANGES},
    {"mergeOverwrite", TMPL_CHANGES},
    {"mustMerge", TMPL_CHANGES},
    {"mustMergeOverwrite", TMPL_CHANGES},
    {"set", TMPL_CHANGES},
    {"tpl", TMPL_LOOKS_UP | TMPL_CHANGES},
    {"unset", TMPL_CHANGES},
};

static unsigned reach_of(str name)
{
    for (size_t i = 0; i < COUNT(reaches); i++)
        if (str_eq(name, str_c(reaches[i].name)))
            return reaches[i].reach;
    return 0;
}

static void add(const struct tmpl_func *f)
{
    struct function *item = &all.items[all.count++];
    size_t at;

    assert(all.count <= FUNCTIONS_MAX);
    *item = (struct function){.func = f, .name = str_c(f->name)};
    for (at = str_hash(item->name) % SLOTS; all.slots[at]; at = (at + 1) % SLOTS)
        ;
    all.slots[at] = (uint16_t)all.count;
}

static void add_all(void)
{
    for (size_t i = 0; tmpl_families[i]; i++)
        for (const struct tmpl_func *f = tmpl_families[i]; f->name; f++)
            add(f);
}

static const struct function *completed(struct function *f)
{
    if (__atomic_load_n(&f->complete, __ATOMIC_ACQUIRE))
        return f;
    AUTO_LOCK guard = lock_take(&all.lock);
    if (!f->complete) {
        f->signature = signature_parse(f->func->signature);
        f->reach = reach_of(f->name);
        __atomic_store_n(&f->complete, true, __ATOMIC_RELEASE);
    }
    return f;
}

const struct function *function_find(str name, enum tmpl_profile profile)
{
    pthread_once(&all.once, add_all);
    for (size_t at = str_hash(name) % SLOTS; all.slots[at]; at = (at + 1) % SLOTS) {
        struct function *f = &all.items[all.slots[at] - 1];
        if (f->func->profiles & profile && str_eq(name, f->name))
            return completed(f);
    }
    return NULL;
}
