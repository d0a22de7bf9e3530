/* SPDX-License-Identifier: Apache-2.0 */
/*
 * to_arm.c - converts a spec to the body of a PUT.
 *
 * The spec is walked once. Each value goes to the ARM path of its property in the model; objects on
 * the path are created when something is put in. Afterwards, collections that must be sent although
 * they are unset are added where their object exists.
 *
 * If something cannot be found, the walk goes on, so that everything missing is reported together.
 */
#include "azure/convert/internal.h"

#include "azure/member.h"
#include "value/path.h"

/* One conversion. */
struct sending {
    struct arena *arena;
    struct resolver r; /* wraps the caller's */
    struct asking asking;
    const struct model_resource *res;
    const struct value *object;
    const struct source *src;
    str namespace;
    str id; /* the object's own id: completes references in Azure form */
    struct missing missing;
    struct where first; /* position of the first thing that is missing */
    struct err *e;      /* never NULL: its kind is needed */
};

static bool put_members(struct sending *s, const struct model_type *t, const struct value *from,
                        const struct trail *at, struct value *to);
static bool convert(struct sending *s, const struct model_shape *shape, const struct value *from,
                    const struct trail *at, struct value *to);

/* ---- Errors. --------------------------------------------------------------------------------- */

static str path_text(struct arena *a, const struct trail *at)
{
    struct path path = path_of_trail(a, at);
    struct buf text = buf_new(a, 64 * KIB);

    buf_add(&text, STR("spec."));
    path_print_dotted(&text, &path);
    return buf_str(&text);
}

/* Adds to the error which field failed, and its position. Always false. */
static bool fail_at(const struct sending *s, const struct value *v, const struct trail *at)
{
    AUTO_ARENA a = arena_new();

    if (s->src)
        err_at(s->e, source_where(s->src, v));
    return err_wrap(s->e, "%.*s", STR_ARG(path_text(a, at)));
}

/* Records that what was looked up last is missing, with the error, and goes on. */
static void note_missing(struct sending *s, str path, const struct value *v)
{
    if (s->missing.len == 0)
        s->first = s->e->at.line || !s->src ? s->e->at : source_where(s->src, v);
    missing_add(s->arena, &s->missing, &s->asking, path, s->e->text);
    err_clear(s->e);
}

static bool wrong_form(const struct sending *s, const struct value *v, const struct trail *at,
                       const char *wanted)
{
    err_set(s->e, ERR_INVALID, "must be %s, not %s", wanted,
            value_kind_name((enum value_kind)v->kind));
    return fail_at(s, v, at);
}

/* ---- Values that come from elsewhere. -------------------------------------------------------- */

static void set_text(struct value *to, str text)
{
    to->kind = VALUE_STRING;
    to->text = text.ptr;
    to->len = (uint32_t)text.len;
}

static bool send_reference(struct sending *s, const struct model_shape *shape,
                           const struct value *from, struct value *to)
{
    struct reference_rule rule = {.builtin = shape->builtin};
    struct reference ref;
    str id;

    if (!reference_read(from, &rule, s->src, &ref, s->e))
        return false;
    if (ref.form == REFERENCE_AZURE && !s->id.len)
        return true; /* the owner is missing: nothing will be sent */
    if (!resolve_reference(s->arena, &s->r, s->object, &ref, s->id, &id, s->e))
        return false;
    set_text(to, id);
    return true;
}

/* Name and key of a secret or config map. */
static bool read_source(const struct sending *s, const struct value *from, bool keyed, str *name,
                        str *key)
{
    *name = member_fold_str(from, STR("name"));
    *key = member_fold_str(from, STR("key"));
    return (name->len && (!keyed || key->len)) ||
           err_set(s->e, ERR_INVALID, keyed ? "needs a name and a key" : "needs a name");
}

/* A value of a secret or config map. */
static bool send_keyed(struct sending *s, const struct model_shape *shape, const struct value *from,
                       struct value *to)
{
    bool secret = shape->builtin == BUILTIN_SECRET_REFERENCE;
    str name, key, text = STR_NONE;

    if (!read_source(s, from, true, &name, &key) ||
        !(secret ? s->r.secret : s->r.config)(s->r.ctx, s->arena, s->namespace, name, key, &text,
                                              s->e))
        return false;
    set_text(to, text);
    return true;
}

static bool send_secret_map(struct sending *s, const struct model_shape *shape,
                            const struct value *from, struct value *to)
{
    const struct value *all;
    str name, key;

    (void)shape;
    if (!read_source(s, from, false, &name, &key) ||
        !s->r.secret_map(s->r.ctx, s->arena, s->namespace, name, &all, s->e))
        return false;
    *to = *all;
    return true;
}

typedef bool send_fn(struct sending *s, const struct model_shape *shape, const struct value *from,
                     struct value *to);

/* Builtins that never reach ARM are not listed: their roles exclude them. */
static send_fn *const senders[BUILTIN_COUNT] = {
    [BUILTIN_RESOURCE_REFERENCE] = send_reference, [BUILTIN_WELL_KNOWN_REFERENCE] = send_reference,
    [BUILTIN_KNOWN_REFERENCE] = send_reference,    [BUILTIN_ARBITRARY_OWNER] = send_reference,
    [BUILTIN_SECRET_REFERENCE] = send_keyed,       [BUILTIN_SECRET_MAP_REFERENCE] = send_secret_map,
    [BUILTIN_CONFIG_MAP_REFERENCE] = send_keyed,
};

static bool convert_builtin(struct sending *s, const struct model_shape *shape,
                            const struct value *from, const struct trail *at, struct value *to)
{
    send_fn *send = senders[shape->builtin];

    if (!send)
        return wrong_form(s, from, at, "something that ARM has");
    if (send(s, shape, from, to))
        return true;
    fail_at(s, from, at);
    if (s->e->kind != ERR_NOT_FOUND)
        return false;
    note_missing(s, path_text(s->arena, at), from);
    return true;
}

/* ---- Collections and objects. ---------------------------------------------------------------- */

/* Whether values of the form are copied unchanged. */
static bool is_plain(const struct model_shape *shape)
{
    while (shape->form == FORM_LIST || shape->form == FORM_MAP)
        shape = shape->item;
    return shape->form < FORM_LIST;
}

static bool convert_items(struct sending *s, const struct model_shape *shape,
                          const struct value *from, const struct trail *at, struct value *to)
{
    bool list = shape->form == FORM_LIST;
    struct value *out = list ? value_list(s->arena) : value_object(s->arena);

    if (from->kind != (list ? VALUE_LIST : VALUE_OBJECT))
        return wrong_form(s, from, at, list ? "a list" : "an object");
    for (size_t i = 0; i < from->len; i++) {
        const struct value *item = &from->items[i];
        struct trail here = {
            .up = at,
            .step = {.kind = list ? STEP_INDEX : STEP_KEY, .key = value_key(item), .index = i}};
        struct value made = {0};
        if (!convert(s, shape->item, item, &here, &made))
            return false;
        if (list)
            value_add(s->arena, out, &made);
        else
            value_set(s->arena, out, value_key(item), &made);
    }
    *to = *out;
    return true;
}

static bool convert_object(struct sending *s, const struct model_shape *shape,
                           const struct value *from, const struct trail *at, struct value *to)
{
    struct value *out = value_object(s->arena);

    if (from->kind != VALUE_OBJECT)
        return wrong_form(s, from, at, "an object");
    if (!put_members(s, shape->object, from, at, out))
        return false;
    *to = *out;
    return true;
}

/* Stores the ARM form of from in to, which has no key. */
static bool convert(struct sending *s, const struct model_shape *shape, const struct value *from,
                    const struct trail *at, struct value *to)
{
    if (is_plain(shape) || from->kind == VALUE_NULL) {
        *to = *from;
        return true;
    }
    switch (shape->form) {
    case FORM_OBJECT:
        return convert_object(s, shape, from, at, to);
    case FORM_BUILTIN:
        return convert_builtin(s, shape, from, at, to);
    default:
        return convert_items(s, shape, from, at, to);
    }
}

/* Converts a list of identities to a map by id. */
static bool convert_identities(struct sending *s, const struct model_prop *p,
                               const struct value *from, const struct trail *at, struct value *to)
{
    const struct model_type *t = p->shape->form == FORM_LIST ? p->shape->item->object : NULL;
    const struct model_prop *key = t ? model_prop_of_role(t, ROLE_IDENTITY) : NULL;
    struct value *out = value_object(s->arena);

    if (!value_is(from, VALUE_LIST) || !key)
        return wrong_form(s, from, at, "a list of references");
    for (size_t i = 0; i < from->len; i++) {
        struct trail here = {.up = at, .step = {.kind = STEP_INDEX, .index = i}};
        const struct value *ref = member_fold(&from->items[i], key->name);
        struct value id = {0}, *rest = value_object(s->arena);
        if (!ref)
            return wrong_form(s, &from->items[i], &here, "an object with a reference");
        struct trail below = {.up = &here, .step = {.kind = STEP_KEY, .key = key->name}};
        if (!convert(s, key->shape, ref, &below, &id) ||
            !put_members(s, t, &from->items[i], &here, rest))
            return false;
        value_set(s->arena, out, value_str(&id), rest);
    }
    *to = *out;
    return true;
}

/* ---- Properties. ----------------------------------------------------------------------------- */

/*
 * The object that contains the last step of a path; created if make is set, otherwise NULL if
 * missing.
 */
static struct value *parent_of(struct arena *a, const struct model_prop *p, struct value *to,
                               bool make)
{
    for (size_t i = 0; to && i + 1 < p->arm_len; i++) {
        struct value *next = value_get(to, p->arm[i]);
        if (!value_is(next, VALUE_OBJECT) && make)
            next = value_set(a, to, p->arm[i], value_object(a));
        to = value_is(next, VALUE_OBJECT) ? next : NULL;
    }
    return to;
}

static bool put_variant(struct sending *s, const struct model_type *t, const struct model_prop *p,
                        const struct value *from, const struct trail *at, struct value *to)
{
    if (from->kind != VALUE_OBJECT || p->shape->form != FORM_OBJECT)
        return wrong_form(s, from, at, "an object");
    if (!put_members(s, p->shape->object, from, at, to))
        return false;
    if (t->discriminator.len && p->variant.len && !value_get(to, t->discriminator))
        value_set_str(s->arena, to, t->discriminator, p->variant);
    return true;
}

static bool put_prop(struct sending *s, const struct model_type *t, const struct model_prop *p,
                     const struct value *from, const struct trail *up, struct value *to)
{
    struct trail at = {.up = up, .step = {.kind = STEP_KEY, .key = p->name}};
    struct value made = {0};

    if (p->role == ROLE_VARIANT)
        return put_variant(s, t, p, from, &at, to);
    if (p->arm_len == 0)
        return true;
    bool ok = p->role == ROLE_IDENTITIES ? convert_identities(s, p, from, &at, &made)
                                         : convert(s, p->shape, from, &at, &made);
    if (!ok)
        return false;
    value_set(s->arena, parent_of(s->arena, p, to, true), p->arm[p->arm_len - 1], &made);
    return true;
}

/* Adds collections that are sent although they are unset, in objects that exist. */
static void put_empty(struct sending *s, const struct model_type *t, struct value *to)
{
    for (size_t i = 0; i < t->prop_count; i++) {
        const struct model_prop *p = &t->props[i];
        if (p->empty == EMPTY_OMITTED || p->arm_len == 0)
            continue;
        struct value *parent = parent_of(s->arena, p, to, false);
        str key = p->arm[p->arm_len - 1];
        if (!parent || value_get(parent, key))
            continue;
        value_set(s->arena, parent, key,
                  p->empty == EMPTY_NULL        ? value_null(s->arena)
                  : p->shape->form == FORM_LIST ? value_list(s->arena)
                                                : value_object(s->arena));
    }
}

static bool put_members(struct sending *s, const struct model_type *t, const struct value *from,
                        const struct trail *at, struct value *to)
{
    for (size_t i = 0; i < from->len; i++) {
        const struct value *v = &from->items[i];
        const struct model_prop *p = member_prop(t, from, v);
        if (p && !put_prop(s, t, p, v, at, to))
            return false;
    }
    if (t->any_empty)
        put_empty(s, t, to);
    return true;
}

/* ---- The id. --------------------------------------------------------------------------------- */

static void note_missing_id(struct sending *s, const char *path, const struct value *v)
{
    err_wrap(s->e, "%s", path);
    note_missing(s, str_c(path), v);
}

/*
 * The id, from owner and name. The owner is looked up first; if it is missing, the name is still
 * looked up, since it may be missing too.
 */
static bool find_id(struct sending *s, str *out)
{
    const struct value *spec = value_get(s->object, STR("spec"));
    str name;

    if (resolve_id(s->arena, &s->r, s->res, s->object, s->src, out, s->e))
        return true;
    *out = STR_NONE;
    if (s->e->kind != ERR_NOT_FOUND)
        return false;
    const struct object_key owner = s->asking.object;
    AUTO_ERR of_owner = {0};
    err_copy(&of_owner, s->e);
    bool named = resolve_name(s->arena, &s->r, s->res, s->object, &name, s->e);
    if (!named && s->e->kind != ERR_NOT_FOUND)
        return false;
    bool owned = !named && str_eq(owner.kind, s->asking.object.kind) &&
                 str_eq(owner.name, s->asking.object.name);
    if (!named)
        note_missing_id(s, "spec.azureNameFromConfig", value_get(spec, STR("azureNameFromConfig")));
    if (!owned) {
        s->asking.object = owner;
        s->asking.key = STR_NONE;
        err_copy(s->e, &of_owner);
        note_missing_id(s, "spec.owner", value_get(spec, STR("owner")));
    }
    return true;
}

/* ---- The request. ---------------------------------------------------------------------------- */

static bool make_body(struct sending *s, struct value **out)
{
    const struct value *spec = value_get(s->object, STR("spec"));
    size_t slash = str_rfind_char(s->id, '/');

    *out = value_object(s->arena);
    if (slash != STR_NPOS)
        value_set_str(s->arena, *out, STR("name"), str_from(s->id, slash + 1));
    return !value_is(spec, VALUE_OBJECT) || put_members(s, s->res->spec, spec, NULL, *out);
}

static void begin(struct sending *s, const struct resolver *r)
{
    s->namespace = object_namespace(s->object);
    s->asking.r = r;
    s->r = asking_resolver(&s->asking);
}

/* Reports the first mistake, or else everything that is missing. */
static bool end(const struct sending *s, bool ok, struct err *e)
{
    if (!ok)
        return err_copy(e, s->e);
    return s->missing.len == 0 || missing_fail(&s->missing, s->first, e);
}

bool convert_to_body(struct arena *a, const struct resolver *r, const struct model_resource *res,
                     const struct value *object, const struct source *src, str id,
                     struct value **out, struct err *e)
{
    AUTO_ERR own = {0};
    struct sending s = {.arena = a, .res = res, .object = object, .src = src, .id = id, .e = &own};

    begin(&s, r);
    return end(&s, make_body(&s, out), e);
}

bool convert_to_arm(struct arena *a, const struct resolver *r, const struct model_resource *res,
                    const struct value *object, const struct source *src, struct arm_request *out,
                    struct err *e)
{
    AUTO_ERR own = {0};
    struct sending s = {.arena = a, .res = res, .object = object, .src = src, .e = &own};

    begin(&s, r);
    *out = (struct arm_request){.api_version = res->api_version};
    bool ok = find_id(&s, &s.id) && make_body(&s, &out->body);
    out->missing = s.missing;
    if (!end(&s, ok, e))
        return false;
    out->id = s.id;
    out->name = str_from(s.id, str_rfind_char(s.id, '/') + 1);
    payload_replace(r->rules, res, out->body);
    return true;
}
