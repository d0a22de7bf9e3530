/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.c - the files of api/sim: how each type behaves.
 *
 * Every key must be known and every value of its kind, so that a file never means less than its
 * author thinks; errors name file and line. The files of the program are one embedded text, in
 * which a line that begins with a form feed names the file that follows.
 */
#include "sim/internal.h"

#include "base/embed.h"
#include "text/json.h"

EMBED(sim_types, "build/gen/sim.types");

/* No honest file comes near. */
#define RULES_MAX 10000
#define TYPES_MAX 100000

struct sim_types {
    struct arena *arena;
    struct map *types; /* by name in lower case */
    const struct value *actions;
    struct sim_type usual;
};

struct reader {
    struct sim_types *types;
    struct arena *arena;
    const struct source *source;
    struct err *e;
};

struct field {
    const char *key;
    bool (*read)(struct reader *r, const struct value *v, void *out);
    size_t offset;
};

/* A value that must be one of a few words. */
struct word {
    const char *name;
    int value;
};

static bool unknown_key(struct reader *r, const struct value *v, const struct field *fields)
{
    struct buf known = buf_new(r->arena, BUF_UNLIMITED);

    for (const struct field *f = fields; f->key; f++)
        buf_fmt(&known, "%s%s", known.len ? ", " : "", f->key);
    return source_err(r->e, r->source, v, "unknown key \"%.*s\"; known are %.*s",
                      STR_ARG(value_key(v)), STR_ARG(buf_str(&known)));
}

static bool read_fields(struct reader *r, const struct value *object, const struct field *fields,
                        void *out)
{
    if (!value_is(object, VALUE_OBJECT))
        return source_err(r->e, r->source, object, "an object is wanted here");
    for (size_t i = 0; i < object->len; i++) {
        const struct value *v = &object->items[i];
        const struct field *f = fields;
        while (f->key && !str_eq(str_c(f->key), value_key(v)))
            f++;
        if (!f->key)
            return unknown_key(r, v, fields);
        if (!f->read(r, v, (char *)out + f->offset))
            return false;
    }
    return true;
}

/* ---- Scalars. ---------------------------------------------------------------------------------
 */

static bool read_text(struct reader *r, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_STRING) || !v->len)
        return source_err(r->e, r->source, v, "%.*s must be a text", STR_ARG(value_key(v)));
    *(str *)out = value_str(v);
    return true;
}

static bool read_flag(struct reader *r, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_BOOL))
        return source_err(r->e, r->source, v, "%.*s must be true or false", STR_ARG(value_key(v)));
    *(bool *)out = v->truth;
    return true;
}

static bool read_any(struct reader *r, const struct value *v, void *out)
{
    (void)r;
    *(const struct value **)out = v;
    return true;
}

static bool read_number(struct reader *r, const struct value *v, int64_t max, int64_t *out)
{
    if (value_to_i64(v, out) && *out >= 0 && *out <= max)
        return true;
    return source_err(r->e, r->source, v, "%.*s must be a number from 0 to %lld",
                      STR_ARG(value_key(v)), (long long)max);
}

static bool read_seconds(struct reader *r, const struct value *v, void *out)
{
    return read_number(r, v, 86400, out);
}

static bool read_polls(struct reader *r, const struct value *v, void *out)
{
    return read_number(r, v, 1000, out);
}

static bool read_status(struct reader *r, const struct value *v, void *out)
{
    int64_t status;

    if (!value_to_i64(v, &status) ||
        (status != 200 && status != 201 && status != 202 && status != 204))
        return source_err(r->e, r->source, v, "status must be 200, 201, 202 or 204");
    *(int *)out = (int)status;
    return true;
}

static bool read_word(struct reader *r, const struct value *v, const struct word *words, int *out)
{
    struct buf known = buf_new(r->arena, BUF_UNLIMITED);

    for (const struct word *w = words; w->name; w++) {
        if (str_eq(value_str(v), str_c(w->name))) {
            *out = w->value;
            return true;
        }
        buf_fmt(&known, "%s%s", known.len ? ", " : "", w->name);
    }
    return source_err(r->e, r->source, v, "%.*s must be one of %.*s", STR_ARG(value_key(v)),
                      STR_ARG(buf_str(&known)));
}

static bool read_poller(struct reader *r, const struct value *v, void *out)
{
    static const struct word words[] = {
        {"none", POLLER_NONE},         {"async", POLLER_ASYNC}, {"location", POLLER_LOCATION},
        {"relative", POLLER_RELATIVE}, {"body", POLLER_BODY},   {0}};

    return read_word(r, v, words, out);
}

static bool read_body(struct reader *r, const struct value *v, void *out)
{
    static const struct word words[] = {{"resource", BODY_RESOURCE},
                                        {"operation", BODY_OPERATION},
                                        {"empty", BODY_EMPTY},
                                        {"other", BODY_OTHER},
                                        {0}};

    return read_word(r, v, words, out);
}

static bool read_spelling(struct reader *r, const struct value *v, void *out)
{
    static const struct word words[] = {{"display", SPELL_DISPLAY},
                                        {"compact", SPELL_COMPACT},
                                        {"lower", SPELL_LOWER},
                                        {"upper", SPELL_UPPER},
                                        {"title", SPELL_TITLE},
                                        {"qualified", SPELL_QUALIFIED},
                                        {0}};

    return read_word(r, v, words, out);
}

/* ---- Rules. -----------------------------------------------------------------------------------
 */

struct members {
    str *items;
    size_t len;
};

/* "properties.subnets.[].id", names with points in double quotes. */
static bool read_members(struct reader *r, const struct value *v, struct members *out)
{
    VEC(str) at = {0};
    str rest = value_str(v);

    while (rest.len) {
        str name;
        if (rest.ptr[0] == '"') {
            size_t end = str_find_char(str_from(rest, 1), '"');
            if (end == STR_NPOS)
                break;
            name = str_slice(rest, 1, end + 1);
            rest = str_without_prefix(str_from(rest, end + 2), STR("."));
        } else {
            str_cut(rest, STR("."), &name, &rest);
        }
        if (!name.len || at.len == 64)
            break;
        VEC_PUSH(r->arena, &at, name);
    }
    *out = (struct members){at.items, at.len};
    if (value_str(v).len && !rest.len && at.len)
        return true;
    return source_err(r->e, r->source, v, "%.*s must name members, as in a.b.[].c",
                      STR_ARG(value_key(v)));
}

static bool read_at(struct reader *r, const struct value *v, void *out)
{
    struct sim_rule *rule = out;
    struct members at;

    if (rule->at)
        return source_err(r->e, r->source, v, "a rule does one thing only");
    if (!read_members(r, v, &at))
        return false;
    rule->at = at.items;
    rule->at_len = at.len;
    return true;
}

#define READ_OP(name, kind)                                                                        \
    static bool read_##name(struct reader *r, const struct value *v, void *out)                    \
    {                                                                                              \
        ((struct sim_rule *)out)->op = (kind);                                                     \
        return read_at(r, v, out);                                                                 \
    }
READ_OP(add, OP_ADD)
READ_OP(drop, OP_DROP)
READ_OP(set, OP_SET)
READ_OP(early, OP_EARLY)
READ_OP(extend, OP_EXTEND)
READ_OP(late, OP_LATE)
READ_OP(reverse, OP_REVERSE)
READ_OP(spell, OP_SPELL)
#undef READ_OP

static bool read_when(struct reader *r, const struct value *v, void *out)
{
    struct sim_rule *rule = out;
    struct members at;

    if (!read_members(r, v, &at))
        return false;
    rule->when = at.items;
    rule->when_len = at.len;
    if (rule->test == TEST_ALWAYS)
        rule->test = TEST_PRESENT;
    return true;
}

static bool read_is(struct reader *r, const struct value *v, void *out)
{
    struct sim_rule *rule = out;

    rule->test = TEST_IS;
    return read_any(r, v, &rule->is);
}

static bool read_absent(struct reader *r, const struct value *v, void *out)
{
    bool absent = false;

    if (!read_flag(r, v, &absent))
        return false;
    ((struct sim_rule *)out)->test = absent ? TEST_ABSENT : TEST_PRESENT;
    return true;
}

static bool read_if(struct reader *r, const struct value *v, void *out)
{
    static const struct word words[] = {{"null", 0}, {"empty", 1}, {0}};
    struct sim_rule *rule = out;
    int which = 0;

    if (!read_word(r, v, words, &which))
        return false;
    rule->if_null = !which;
    rule->if_empty = which;
    return true;
}

static bool check_rule(struct reader *r, const struct value *v, const struct sim_rule *rule)
{
    bool wants = rule->op == OP_ADD || rule->op == OP_SET || rule->op == OP_EXTEND ||
                 rule->op == OP_EARLY;

    if (!rule->at)
        return source_err(
            r->e, r->source, v,
            "a rule needs one of add, drop, early, extend, late, reverse, set, spell");
    if (wants != (rule->value != NULL))
        return source_err(r->e, r->source, v,
                          wants ? "this rule needs a value" : "this rule takes no value");
    if (rule->op == OP_EXTEND && !value_is(rule->value, VALUE_LIST))
        return source_err(r->e, r->source, v, "extend needs a list of elements");
    if (rule->test != TEST_ALWAYS && !rule->when)
        return source_err(r->e, r->source, v, "is and absent need when");
    return true;
}

static bool read_rule(struct reader *r, const struct value *v, struct sim_rule *rule)
{
    static const struct field fields[] = {
        {"absent", read_absent, 0},
        {"add", read_add, 0},
        {"as", read_spelling, offsetof(struct sim_rule, spelling)},
        {"drop", read_drop, 0},
        {"early", read_early, 0},
        {"extend", read_extend, 0},
        {"from", read_text, offsetof(struct sim_rule, from)},
        {"if", read_if, 0},
        {"is", read_is, 0},
        {"late", read_late, 0},
        {"reverse", read_reverse, 0},
        {"set", read_set, 0},
        {"spell", read_spell, 0},
        {"to", read_text, offsetof(struct sim_rule, to)},
        {"value", read_any, offsetof(struct sim_rule, value)},
        {"when", read_when, 0},
        {0},
    };

    return read_fields(r, v, fields, rule) && check_rule(r, v, rule);
}

static bool read_rules(struct reader *r, const struct value *v, void *out)
{
    struct sim_type *type = out;

    type->known = true;
    if (!value_is(v, VALUE_LIST) || v->len > RULES_MAX)
        return source_err(r->e, r->source, v, "rules must be a list of at most %d", RULES_MAX);
    for (size_t i = 0; i < v->len; i++) {
        struct sim_rule rule = {0};
        if (!read_rule(r, &v->items[i], &rule))
            return false;
        VEC_PUSH(r->arena, &type->rules, rule);
    }
    return true;
}

/* ---- Types. -----------------------------------------------------------------------------------
 */

static bool read_answer(struct reader *r, const struct value *v, void *out)
{
    static const struct field fields[] = {
        {"body", read_body, offsetof(struct sim_answer, body)},
        {"location", read_flag, offsetof(struct sim_answer, location)},
        {"poller", read_poller, offsetof(struct sim_answer, poller)},
        {"polls", read_polls, offsetof(struct sim_answer, polls)},
        {"retryAfter", read_seconds, offsetof(struct sim_answer, retry_after)},
        {"state", read_text, offsetof(struct sim_answer, state)},
        {"status", read_status, offsetof(struct sim_answer, status)},
        {0},
    };
    struct sim_answer *answer = out;

    if (!read_fields(r, v, fields, answer))
        return false;
    if (!answer->status)
        return source_err(r->e, r->source, v, "%.*s needs a status", STR_ARG(value_key(v)));
    if (answer->poller != POLLER_NONE && answer->poller != POLLER_RELATIVE &&
        !value_get(v, STR("polls")))
        answer->polls = 1;
    return true;
}

static bool read_mirror_at(struct reader *r, const struct value *v, void *out)
{
    struct sim_mirror *m = out;
    struct members at;

    if (!read_members(r, v, &at))
        return false;
    m->at = at.items;
    m->at_len = at.len;
    return true;
}

static bool read_mirrors(struct reader *r, const struct value *v, void *out)
{
    static const struct field fields[] = {
        {"at", read_mirror_at, 0}, {"flat", read_flag, offsetof(struct sim_mirror, flat)}, {0}};
    struct sim_type *type = out;

    if (!value_is(v, VALUE_OBJECT))
        return source_err(r->e, r->source, v, "mirrors must say where each child type is shown");
    for (size_t i = 0; i < v->len; i++) {
        struct sim_mirror m = {.type = value_key(&v->items[i])};
        if (!read_fields(r, &v->items[i], fields, &m))
            return false;
        if (!m.at)
            return source_err(r->e, r->source, &v->items[i], "a mirror needs at");
        VEC_PUSH(r->arena, &type->mirrors, m);
    }
    return true;
}

static bool read_actions(struct reader *r, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_OBJECT))
        return source_err(r->e, r->source, v, "actions must hold an answer for each name");
    return read_any(r, v, out);
}

/* Deeper rules first: what a whole member adds is then not added to again. */
static void sort_rules(struct sim_type *type)
{
    for (size_t i = 1; i < type->rules.len; i++) {
        struct sim_rule rule = type->rules.items[i];
        size_t k = i;
        for (; k && type->rules.items[k - 1].at_len < rule.at_len; k--)
            type->rules.items[k] = type->rules.items[k - 1];
        type->rules.items[k] = rule;
    }
}

static bool read_type(struct reader *r, const struct value *v)
{
    static const struct field fields[] = {
        {"actions", read_actions, offsetof(struct sim_type, actions)},
        {"create", read_answer, offsetof(struct sim_type, create)},
        {"delete", read_answer, offsetof(struct sim_type, remove)},
        {"exclusive", read_flag, offsetof(struct sim_type, exclusive)},
        {"headOnly", read_flag, offsetof(struct sim_type, head_only)},
        {"mirrors", read_mirrors, 0},
        {"rules", read_rules, 0},
        {"softDelete", read_text, offsetof(struct sim_type, soft_delete)},
        {"undeletable", read_flag, offsetof(struct sim_type, undeletable)},
        {"update", read_answer, offsetof(struct sim_type, update)},
        {0},
    };
    struct sim_type *type = ARENA_NEW(r->arena, struct sim_type);

    type->name = value_key(v);
    if (str_find_char(type->name, '/') == STR_NPOS)
        return source_err(r->e, r->source, v, "a type is written Provider/type");
    if (map_len(r->types->types) == TYPES_MAX)
        return source_err(r->e, r->source, v, "more than %d types", TYPES_MAX);
    if (!read_fields(r, v, fields, type))
        return err_wrap(r->e, "type %.*s", STR_ARG(type->name));
    if (!type->create.status)
        type->create = r->types->usual.create;
    if (!type->update.status) {
        type->update = type->create;
        type->update.status = type->create.status == 202 ? 202 : 200;
        if (type->update.poller == POLLER_RELATIVE)
            type->update.poller = POLLER_NONE;
    }
    if (!type->remove.status)
        type->remove = r->types->usual.remove;
    sort_rules(type);
    map_set(r->types->types, str_lower(r->arena, type->name), type);
    return true;
}

static bool read_types(struct reader *r, const struct value *v, void *out)
{
    (void)out;
    if (!value_is(v, VALUE_OBJECT))
        return source_err(r->e, r->source, v, "types must be an object");
    for (size_t i = 0; i < v->len; i++)
        if (!read_type(r, &v->items[i]))
            return false;
    return true;
}

/* ---- Files. -----------------------------------------------------------------------------------
 */

struct sim_types *sim_types_new(struct arena *a)
{
    struct sim_types *t = ARENA_NEW(a, struct sim_types);

    t->arena = a;
    t->types = map_new(a);
    t->usual.name = STR("unknown");
    t->usual.create = (struct sim_answer){.status = 201};
    t->usual.update = (struct sim_answer){.status = 200};
    t->usual.remove = (struct sim_answer){.status = 200, .body = BODY_EMPTY};
    return t;
}

bool sim_types_read(struct sim_types *t, const struct source *src, struct err *e)
{
    static const struct field fields[] = {
        {"actions", read_actions, offsetof(struct sim_types, actions)},
        {"types", read_types, 0},
        {0},
    };
    struct reader r = {.types = t, .arena = t->arena, .source = src, .e = e};
    struct value *root;

    return json_read(t->arena, src, NULL, &root, e) && read_fields(&r, root, fields, t);
}

bool sim_types_builtin(struct sim_types *t, struct err *e)
{
    str rest = EMBEDDED(sim_types), part;

    str_cut(rest, STR("\f"), &part, &rest);
    while (rest.len) {
        struct source *src = ARENA_NEW(t->arena, struct source);
        str_cut(rest, STR("\f"), &part, &rest);
        str_cut(part, STR("\n"), &src->file, &src->text);
        if (!sim_types_read(t, src, e))
            return false;
    }
    return true;
}

const struct sim_type *sim_types_find(struct arena *a, const struct sim_types *t, str type)
{
    const struct sim_type *found = map_get(t->types, str_lower(a, type));

    return found ? found : &t->usual;
}

static const struct value *member_fold(const struct value *object, str name)
{
    for (size_t i = 0; i < value_len(object); i++)
        if (str_eq_fold(value_key(&object->items[i]), name))
            return &object->items[i];
    return NULL;
}

const struct value *sim_types_action(const struct sim_types *t, const struct sim_type *type,
                                     str name)
{
    const struct value *own = member_fold(type->actions, name);

    return own ? own : member_fold(t->actions, name);
}
