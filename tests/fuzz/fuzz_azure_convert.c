/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_azure_convert.c - random objects by schema, there and back.
 *
 * The input chooses a resource of the model and then, property by property, what its spec has.
 * spec -> ARM -> spec gives the same spec; so does a trip through another version of the kind. The
 * status of the body and a check of the object only have to end.
 *
 * Left out of the specs is what ARM does not tell: secrets, config maps, owner, azureName,
 * operatorSpec, and the second choice of two properties at one place.
 */
#include "azure/check.h"
#include "azure/convert/convert.h"
#include "text/json/json.h"

#include <stdlib.h>

/* The input as a stream of choices; zeros behind its end. */
struct dice {
    const uint8_t *data;
    size_t size, at;
    struct arena *arena;
    unsigned names; /* given out so far: all different */
};

static unsigned roll(struct dice *d)
{
    return d->at < d->size ? d->data[d->at++] : 0;
}

static struct value *make_object(struct dice *d, const struct model_type *t, int depth);

static str fresh(struct dice *d, const char *prefix)
{
    return str_fmt(d->arena, "%s%u", prefix, d->names++);
}

static struct value *make_id(struct dice *d)
{
    return value_string(d->arena, fresh(d, "/subscriptions/s/resourceGroups/g/providers/P.Q/t/n"));
}

static struct value *make_reference(struct dice *d, enum model_builtin builtin)
{
    struct value *ref = value_object(d->arena);

    if (builtin == BUILTIN_WELL_KNOWN_REFERENCE && roll(d) % 2)
        value_set_str(d->arena, ref, STR("wellKnownName"), fresh(d, "known"));
    else
        value_set(d->arena, ref, STR("armId"), make_id(d));
    return ref;
}

static struct value *make_scalar(struct dice *d, const struct model_shape *s)
{
    if (value_len(s->choices))
        return value_at(s->choices, roll(d) % s->choices->len);
    switch (s->form) {
    case FORM_INT:
        return value_int(d->arena, roll(d));
    case FORM_FLOAT:
        return value_number(d->arena, STR("1.5"));
    case FORM_BOOL:
        return value_bool(d->arena, roll(d) % 2);
    default:
        return value_string(d->arena, fresh(d, "x"));
    }
}

/* NULL when nothing can be made. */
static struct value *make(struct dice *d, const struct model_shape *s, int depth)
{
    struct value *out, *item;

    switch (s->form) {
    case FORM_OBJECT:
        return depth > 0 ? make_object(d, s->object, depth - 1) : NULL;
    case FORM_BUILTIN:
        return s->builtin <= BUILTIN_KNOWN_REFERENCE ? make_reference(d, s->builtin) : NULL;
    case FORM_LIST:
    case FORM_MAP:
        out = s->form == FORM_LIST ? value_list(d->arena) : value_object(d->arena);
        for (unsigned n = 1 + roll(d) % 3; n > 0; n--) {
            item = make(d, s->item, depth);
            if (!item)
                return NULL;
            if (s->form == FORM_LIST)
                value_add(d->arena, out, item);
            else
                value_set(d->arena, out, fresh(d, "k"), item);
        }
        return out;
    default:
        return make_scalar(d, s);
    }
}

/* Whether ARM would give the property back. */
static bool comes_back(const struct model_type *t, const struct model_prop *p)
{
    const struct model_arm *m = NULL, *members = t->arm;
    size_t count = t->arm_count;

    for (size_t i = 0; i < p->arm_len; i++) {
        m = model_arm(members, count, p->arm[i]);
        members = m->below;
        count = m->below_count;
    }
    return m && m->prop == p;
}

static void make_variant(struct dice *d, const struct model_type *t, int depth, struct value *out)
{
    size_t start = roll(d);

    for (size_t i = 0; i < t->prop_count; i++) {
        const struct model_prop *p = &t->props[(start + i) % t->prop_count];
        if (p->role != ROLE_VARIANT)
            continue;
        struct value *v = make_object(d, p->shape->object, depth);
        value_set_str(d->arena, v, t->discriminator, p->variant);
        value_set(d->arena, out, p->name, v);
        return;
    }
}

static struct value *make_object(struct dice *d, const struct model_type *t, int depth)
{
    struct value *out = value_object(d->arena);

    if (t->discriminator.len && depth >= 0)
        make_variant(d, t, depth - 1, out);
    for (size_t i = 0; i < t->prop_count; i++) {
        const struct model_prop *p = &t->props[i];
        bool identity = p->role == ROLE_IDENTITY;
        if (!identity && (!comes_back(t, p) || roll(d) % 3 == 0))
            continue;
        struct value *v = make(d, p->shape, depth);
        if (v)
            value_set(d->arena, out, p->name, v);
    }
    return out;
}

/* ---- Checking. ---- */

static void show(const char *what, const struct value *v)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct json_style style = {.sorted = true};

    if (v && json_write(&b, v, &style, NULL))
        fprintf(stderr, "%s %.*s\n", what, STR_ARG(buf_str(&b)));
}

/* Ends the program unless both are the same. */
static void expect(const struct model_resource *res, const struct value *got,
                   const struct value *wanted)
{
    if (value_equal(got, wanted))
        return;
    fprintf(stderr, "%.*s %.*s\n", STR_ARG(res->version), STR_ARG(res->kind));
    show("got   ", got);
    show("wanted", wanted);
    abort();
}

static bool no_source(void *ctx, struct arena *a, str namespace, str name, str key, str *out,
                      struct err *e)
{
    (void)ctx, (void)a, (void)namespace, (void)name, (void)key, (void)out;
    return err_set(e, ERR_NOT_FOUND, "nothing is there");
}

static void check_trip(struct arena *a, struct model *m, const struct model_resource *res,
                       const struct value *object, const struct value *spec)
{
    struct resolver r = {.model = m, .secret = no_source, .config = no_source};
    struct value *body;
    AUTO_ERR e = {0};

    if (!convert_to_body(a, &r, res, object, NULL, STR("/x/n"), &body, &e))
        abort();
    expect(res, convert_to_spec(a, res, body), spec);
    (void)convert_to_status(a, res, body);
}

static void check_versions(struct arena *a, const struct model_resource **all, size_t count,
                           const struct model_resource *res, const struct value *spec)
{
    for (size_t i = 0; i < count; i++) {
        struct value *left, *none;
        if (!str_eq(all[i]->kind, res->kind) || !str_eq(all[i]->group, res->group))
            continue;
        const struct value *there = convert_version(a, res, all[i], spec, NULL, &left);
        expect(res, convert_version(a, all[i], res, there, left, &none), spec);
        if (none)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *kept;
    static struct model *m;
    static const struct model_resource **all;
    static size_t count;
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    if (!m) {
        kept = arena_new();
        if (!model_open(kept, STR_NONE, &m, &e) || !model_all(m, kept, &all, &count, &e))
            abort();
    }
    if (count == 0)
        return 0;
    struct dice d = {.data = data, .size = size, .arena = a};
    size_t choice = roll(&d) << 8;
    const struct model_resource *res = all[(choice + roll(&d)) % count];
    struct value *spec = make_object(&d, res->spec, 6), *object = value_object(a);
    struct findings findings = {0};
    value_set(a, object, STR("spec"), spec);
    check_trip(a, m, res, object, spec);
    check_versions(a, all, count, res, spec);
    check_object(a, m, res, &(struct doc){.root = object}, &findings);
    return 0;
}
