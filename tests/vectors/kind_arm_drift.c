/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_drift.c - what was PUT, what Azure answered, and what a change detector must say.
 *
 * A case is a PUT (put), the first GET after it (observed), further GETs (later), the next PUT of
 * another body (nextPut), and artificial changes of the answer (mutations). The detector learns
 * from put and observed, its record goes through JSON as it does in a status, and then each of
 * these is one vector: drift or not. Of a GET that coincides with the PUT of a child it is told so,
 * as the operator knows what it wrote.
 *
 * Without a record there is no memory of what Azure made of a PUT, and rules alone decide: how many
 * cases would be adopted without a write is told, too.
 */
#include "vectors.h"

#include "operator/detect/detect.h"
#include "text/json/json.h"

/* ---- Kinds by ARM type. ---- */

static struct map *kinds;      /* "microsoft.cache/redis@2023-04-01" to a resource */
static struct map *any_kind;   /* the type alone, to its newest version */
static struct arena *kinds_in; /* kept to the end of the run */
static struct model *model;

static bool read_kinds(struct err *e)
{
    const struct model_resource **all;
    size_t count = 0;

    if (kinds)
        return true;
    kinds_in = arena_new();
    if (!model_open(kinds_in, STR_NONE, &model, e) || !model_all(model, kinds_in, &all, &count, e))
        return false;
    kinds = map_new(kinds_in);
    any_kind = map_new(kinds_in);
    for (size_t i = 0; i < count; i++) {
        str type = str_lower(kinds_in, all[i]->arm_type);
        map_set(kinds, str_fmt(kinds_in, "%.*s@%.*s", STR_ARG(type), STR_ARG(all[i]->api_version)),
                (void *)all[i]);
        map_set(any_kind, type, (void *)all[i]);
    }
    return true;
}

static const struct model_resource *find_kind(struct arena *a, const struct value *vector)
{
    str type = str_lower(a, value_get_str(vector, STR("armType")));
    const struct model_resource *found = map_get(
        kinds,
        str_fmt(a, "%.*s@%.*s", STR_ARG(type), STR_ARG(value_get_str(vector, STR("apiVersion")))));

    return found ? found : map_get(any_kind, type);
}

/* ---- What is asked. ---- */

enum question { OBSERVED, LATER, NEXT_PUT, MUTATION };

/* Counts by class, for the last lines. */
static struct class_count {
    str name;
    size_t asked, right;
} classes[32];
static size_t class_count;
static size_t cases, adopted;

static struct class_count *count_of(str name)
{
    size_t i = 0;

    while (i < class_count && !str_eq(classes[i].name, name))
        i++;
    if (i == COUNT(classes))
        return &classes[0];
    if (i == class_count)
        classes[class_count++].name = str_copy(kinds_in, name);
    return &classes[i];
}

struct asking {
    struct arena *arena;
    const struct value *vector;
    struct detect *detect;
    const struct value *wanted;
    const struct value *observed; /* as Azure answered */
    struct record record;
    struct vector_tally *tally;
};

static str shown(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    return !v ? STR("nothing") : json_write(&b, v, &json_exact, NULL) ? buf_str(&b) : STR_NONE;
}

static void check(struct asking *q, str class, const char *detail, const struct deviations *got,
                  bool drift)
{
    struct class_count *count = count_of(class);

    count->asked++;
    if ((got->count > 0) == drift) {
        count->right++;
        q->tally->passed++;
        return;
    }
    q->tally->failed++;
    printf("FAILED %.*s: %.*s %s\n", STR_ARG(value_get_str(q->vector, STR("name"))), STR_ARG(class),
           detail);
    if (drift)
        printf("  no drift found\n");
    for (size_t i = 0; i < got->count && i < 5; i++)
        printf("  %s %.*s: %.200s -> %.200s\n", difference_kind_name(got->items[i].kind),
               STR_ARG(got->items[i].path), str_z(q->arena, shown(q->arena, got->items[i].before)),
               str_z(q->arena, shown(q->arena, got->items[i].found)));
}

static struct deviations look(struct asking *q, const struct value *wanted,
                              const struct value *body)
{
    const struct value *found = detect_found(q->detect, body, wanted);

    return detect_compare(q->detect, &q->record, wanted, found);
}

static void ask_later(struct asking *q)
{
    const struct value *later = value_get(q->vector, STR("later"));

    for (size_t i = 0; i < value_len(later); i++) {
        const struct value *one = value_at(later, i), *body = value_get(one, STR("body"));
        struct deviations got = look(q, q->wanted, body ? body : q->observed);
        if (value_get_str(one, STR("coincidesWith")).len)
            deviations_drop_child_write(&got);
        check(q, STR("later"), "", &got, value_is_true(value_get(one, STR("drift"))));
    }
}

/* What Azure said last before the next PUT. */
static const struct value *last_answer(const struct asking *q)
{
    const struct value *later = value_get(q->vector, STR("later"));
    const struct value *last = later ? value_get(value_at(later, value_len(later) - 1), STR("body"))
                                     : NULL;

    return last ? last : q->observed;
}

static void ask_next_put(struct asking *q)
{
    const struct value *next = value_get(q->vector, STR("nextPut"));

    if (!next)
        return;
    const struct value *wanted = detect_wanted(q->detect, value_get(next, STR("body")));
    const struct value *found = detect_found(q->detect, last_answer(q), wanted);
    struct deviations got = detect_compare(q->detect, NULL, wanted, found);

    /* First what is wanted but missing in Azure; then what is still there but no longer wanted. */
    deviations_keep_set(&got);
    if (!got.count)
        got = detect_compare(q->detect, &q->record, wanted, found);
    check(q, STR("nextPut"), "", &got, value_is_true(value_get(next, STR("drift"))));
}

/* ---- Mutations. ---- */

static void reverse(struct value *list)
{
    for (size_t i = 0; i < value_len(list) / 2; i++) {
        struct value kept = list->items[i];
        list->items[i] = list->items[list->len - 1 - i];
        list->items[list->len - 1 - i] = kept;
    }
}

static bool mutate(struct arena *a, const struct value *mutation, struct value *body)
{
    str op = value_get_str(mutation, STR("op"));
    struct path path;

    if (!path_parse_pointer(a, value_get_str(mutation, STR("path")), &path, NULL))
        return false;
    if (str_eq(op, STR("remove")))
        return path_delete(&path, body);
    if (str_eq(op, STR("reverse"))) {
        reverse(path_resolve(&path, body));
        return true;
    }
    const struct value *value = value_get(mutation, STR("value"));
    return value && path_set(a, &path, body, value, NULL);
}

static void ask_mutations(struct asking *q)
{
    const struct value *all = value_get(q->vector, STR("mutations"));

    for (size_t i = 0; i < value_len(all); i++) {
        const struct value *one = value_at(all, i);
        struct value *body = value_clone(q->arena, q->observed);
        struct deviations got = {0};
        if (mutate(q->arena, one, body))
            got = look(q, q->wanted, body);
        check(q, value_get_str(one, STR("class")), str_z(q->arena, value_get_str(one, STR("path"))),
              &got, value_is_true(value_get(one, STR("drift"))));
    }
}

/* ---- One case. ---- */

/* The record as it comes back from a status. */
static bool learn(struct asking *q, struct err *e)
{
    struct buf b = buf_new(q->arena, BUF_UNLIMITED);
    const struct value *found = detect_found(q->detect, q->observed, q->wanted);
    struct record record = detect_learn(q->detect, q->wanted, found);
    struct source *src = ARENA_NEW(q->arena, struct source);
    struct value *back;

    if (!json_write(&b, record_write(q->arena, &record), &json_exact, e))
        return false;
    src->text = buf_str(&b);
    if (!json_read(q->arena, src, NULL, &back, e))
        return false;
    return record_read(q->arena, back, &q->record) ||
           err_set(e, ERR_INVALID, "the record cannot be read back");
}

static bool prepare(struct asking *q, struct err *e)
{
    const struct model_resource *res;

    if (!read_kinds(e))
        return false;
    res = find_kind(q->arena, q->vector);
    if (!res)
        return err_set(e, ERR_NOT_FOUND, "no kind has this type");
    q->detect = detect_new(q->arena, model, res, STR("vectors"));
    q->observed = value_get(q->vector, STR("observed"));
    if (!value_is(q->observed, VALUE_OBJECT) ||
        !value_is(value_get(q->vector, STR("put")), VALUE_OBJECT))
        return err_set(e, ERR_INVALID, "a case has a PUT and what was observed");
    q->wanted = detect_wanted(q->detect, value_get(q->vector, STR("put")));
    return learn(q, e);
}

static void adopt(struct asking *q)
{
    const struct value *found = detect_found(q->detect, q->observed, q->wanted);
    struct deviations unmet = detect_compare(q->detect, NULL, q->wanted, found);

    deviations_keep_set(&unmet);
    cases++;
    adopted += !unmet.count;
}

static bool ask(struct asking *q, struct err *e)
{
    if (!prepare(q, e))
        return false;
    struct deviations same = look(q, q->wanted, q->observed);
    check(q, STR("observed"), "", &same, false);
    adopt(q);
    ask_later(q);
    ask_next_put(q);
    ask_mutations(q);
    return true;
}

static void run_arm_drift(struct arena *a, const struct value *vector, struct vector_tally *tally)
{
    struct asking q = {.arena = a, .vector = vector, .tally = tally};
    AUTO_ERR e = {0};

    if (ask(&q, &e))
        return;
    tally->failed++;
    printf("FAILED %.*s: %.*s\n", STR_ARG(value_get_str(vector, STR("name"))), STR_ARG(e.text));
}

static void finish(void)
{
    for (size_t i = 0; i < class_count; i++)
        printf("%-16.*s %5zu of %5zu\n", STR_ARG(classes[i].name), classes[i].right,
               classes[i].asked);
    printf("%zu of %zu would be adopted without a write\n", adopted, cases);
}

/* ---- Every member, one after the other. ---- */

/*
 * arm-mutate: every member of an answer is changed and removed, one after the other. What shows in
 * the canonical form can be written, and must be found, whatever the record knows.
 */
struct mutating {
    struct asking *q;
    struct value *body;
    const struct value *canonical; /* of the answer as it was */
    str way[VALUE_DEPTH_MAX / 100];
    size_t depth;
};

static size_t mutations, unseen, read_only, unread;
/* The share that may stay unseen, of a thousand. */
#define UNSEEN_MAX 5
#define UNSEEN_SHOWN 40

static void expect_seen(struct mutating *m, const char *what)
{
    const struct value *found = detect_found(m->q->detect, m->body, m->q->wanted);

    if (value_equal(found, m->canonical)) {
        read_only++;
        return;
    }
    struct deviations got = detect_compare(m->q->detect, &m->q->record, m->q->wanted, found);
    mutations++;
    if (got.count) {
        m->q->tally->passed++;
        return;
    }
    if (unseen++ >= UNSEEN_SHOWN)
        return;
    printf("not seen: %.*s %s ", STR_ARG(value_get_str(m->q->vector, STR("name"))), what);
    for (size_t i = 0; i < m->depth; i++)
        printf("%s%.*s", i ? "." : "", STR_ARG(m->way[i]));
    printf("\n");
}

static void change_scalar(struct arena *a, struct value *v)
{
    str text = value_text(v);

    switch ((enum value_kind)v->kind) {
    case VALUE_BOOL:
        v->truth = !v->truth;
        break;
    case VALUE_STRING:
        text = str_fmt(a, "%.*sx", STR_ARG(text));
        v->text = text.ptr;
        v->len = (uint32_t)text.len;
        break;
    default:
        *v = (struct value){
            .kind = VALUE_INT, .key = v->key, .key_len = v->key_len, .text = "424242", .len = 6};
    }
}

static void mutate_each(struct mutating *m, struct value *v);

static void mutate_leaf(struct mutating *m, struct value *v)
{
    struct value kept = *v;
    struct arena_mark mark = arena_mark(m->q->arena);

    if (v->kind == VALUE_NULL || (v->kind >= VALUE_STRING && !v->len))
        return;
    change_scalar(m->q->arena, v);
    expect_seen(m, "changed");
    *v = (struct value){.kind = VALUE_NULL, .key = kept.key, .key_len = kept.key_len};
    expect_seen(m, "removed");
    *v = kept;
    arena_rewind(m->q->arena, mark);
}

static void mutate_each(struct mutating *m, struct value *v)
{
    for (size_t i = 0; i < v->len && m->depth < COUNT(m->way); i++) {
        struct value *item = &v->items[i];
        m->way[m->depth++] = v->kind == VALUE_LIST ? STR("[]") : value_key(item);
        if (value_is_container(item))
            mutate_each(m, item);
        else
            mutate_leaf(m, item);
        m->depth--;
    }
}

static void run_arm_mutate(struct arena *a, const struct value *vector, struct vector_tally *tally)
{
    struct asking q = {.arena = a, .vector = vector, .tally = tally};
    struct mutating *m = ARENA_NEW(a, struct mutating);
    AUTO_ERR e = {0};

    if (!prepare(&q, &e)) {
        unread++;
        tally->failed++;
        printf("FAILED %.*s: %.*s\n", STR_ARG(value_get_str(vector, STR("name"))), STR_ARG(e.text));
        return;
    }
    m->q = &q;
    m->body = value_clone(a, q.observed);
    m->canonical = detect_found(q.detect, q.observed, q.wanted);
    mutate_each(m, m->body);
    tally->failed = unread + (unseen * 1000 > mutations * UNSEEN_MAX ? unseen : 0);
}

static void finish_mutate(void)
{
    printf("%zu of %zu changes seen; %zu of members that cannot be written\n", mutations - unseen,
           mutations, read_only);
}

const struct vector_kind vector_arm_mutate = {
    .name = "arm-mutate",
    .help = "every writable member of recorded answers, changed: FILEs are those of arm-drift",
    .document = true,
    .list = "",
    .run_parts = run_arm_mutate,
    .finish = finish_mutate,
};

const struct vector_kind vector_arm_drift = {
    .name = "arm-drift",
    .help = "recorded answers of Azure, and whether they are a change",
    .document = true,
    .list = "",
    .run_parts = run_arm_drift,
    .finish = finish,
};
