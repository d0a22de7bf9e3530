/* SPDX-License-Identifier: Apache-2.0 */
/* types_rule.c - the files of api/sim: paths, conditions, and rules. */
#include "sim/types.h"

/* Far beyond any legitimate file. */
#define RULES_MAX 10000
#define CONDITIONS_MAX 16
#define MEMBERS_MAX 64

/* ---- Paths. ------------------------------------------------------------------------------------
 */

/* The next name of a path, in double quotes if it has dots; false if it is malformed. */
static bool next_name(str *rest, str *name)
{
    if (rest->ptr[0] != '"') {
        str_cut(*rest, STR("."), name, rest);
        return name->len > 0;
    }
    size_t end = str_find_char(str_from(*rest, 1), '"');
    if (end == STR_NPOS)
        return false;
    *name = str_slice(*rest, 1, end + 1);
    *rest = str_without_prefix(str_from(*rest, end + 2), STR("."));
    return name->len > 0;
}

bool sim_read_members(struct fields *f, const struct value *v, void *out)
{
    VEC(str) at = {0};
    str rest = value_str(v), name = STR_NONE;
    bool good = rest.len > 0;

    while (good && rest.len) {
        good = next_name(&rest, &name) && at.len < MEMBERS_MAX;
        if (good)
            VEC_PUSH(f->arena, &at, name);
    }
    *(struct sim_members *)out = (struct sim_members){at.items, at.len};
    return good ||
           fields_fail(f, v, "%.*s must name members, as in a.b.[].c", STR_ARG(value_key(v)));
}

/* ---- Conditions. -------------------------------------------------------------------------------
 */

/* A path that starts with a dot is about siblings. */
static bool read_place(struct fields *f, const struct value *v, void *out)
{
    struct sim_condition *c = out;
    struct value path = *v;

    c->beside = str_has_prefix(value_str(v), STR("."));
    if (c->beside) {
        path.text++;
        path.len--;
    }
    return sim_read_members(f, &path, &c->at);
}

static bool set_test(struct fields *f, const struct value *v, struct sim_condition *c,
                     enum sim_test test)
{
    if (c->test != TEST_PRESENT)
        return fields_fail(f, v, "a condition asks one thing only");
    c->test = test;
    c->is = v;
    return true;
}

static bool read_is(struct fields *f, const struct value *v, void *out)
{
    return set_test(f, v, out, TEST_IS);
}

static bool read_is_not(struct fields *f, const struct value *v, void *out)
{
    return set_test(f, v, out, TEST_IS_NOT);
}

static bool read_in(struct fields *f, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_LIST))
        return fields_fail(f, v, "in needs a list of values");
    return set_test(f, v, out, TEST_IN);
}

static bool read_absent(struct fields *f, const struct value *v, void *out)
{
    bool absent = false;

    return fields_bool(f, v, &absent) && (!absent || set_test(f, v, out, TEST_ABSENT));
}

/* The only condition of "when": "a.b", whose test is next to it. */
static struct sim_condition *only_condition(struct fields *f, struct sim_when *w)
{
    if (!w->conditions.len) {
        struct sim_condition c = {0};
        VEC_PUSH(f->arena, &w->conditions, c);
    }
    return &w->conditions.items[0];
}

static bool read_condition(struct fields *f, const struct value *v, struct sim_when *w)
{
    static const struct field fields[] = {
        {"absent", read_absent, 0}, {"at", read_place, 0},     {"in", read_in, 0},
        {"is", read_is, 0},         {"isNot", read_is_not, 0}, {0},
    };
    struct sim_condition c = {0};

    if (!fields_read(f, v, fields, &c))
        return false;
    if (!c.at.len)
        return fields_fail(f, v, "a condition needs at");
    if (w->conditions.len == CONDITIONS_MAX)
        return fields_fail(f, v, "more than %d conditions", CONDITIONS_MAX);
    VEC_PUSH(f->arena, &w->conditions, c);
    return true;
}

bool sim_read_when(struct fields *f, const struct value *v, void *out)
{
    struct sim_when *w = out;

    if (value_is(v, VALUE_STRING))
        return read_place(f, v, only_condition(f, w));
    if (!value_is(v, VALUE_LIST) || !v->len)
        return fields_fail(f, v, "when is a path, or a list of conditions");
    if (w->conditions.len)
        return fields_fail(f, v, "the tests of a list of conditions stand inside it");
    for (size_t i = 0; i < v->len; i++)
        if (!read_condition(f, &v->items[i], w))
            return false;
    return true;
}

bool sim_read_when_is(struct fields *f, const struct value *v, void *out)
{
    return read_is(f, v, only_condition(f, out));
}

bool sim_read_when_absent(struct fields *f, const struct value *v, void *out)
{
    return read_absent(f, v, only_condition(f, out));
}

bool sim_check_when(struct fields *f, const struct value *v, const struct sim_when *w)
{
    for (size_t i = 0; i < w->conditions.len; i++)
        if (!w->conditions.items[i].at.len)
            return fields_fail(f, v, "is and absent need when");
    return true;
}

/* ---- Rules. ------------------------------------------------------------------------------------
 */

static bool read_spelling(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {{"display", SPELL_DISPLAY},
                                              {"compact", SPELL_COMPACT},
                                              {"lower", SPELL_LOWER},
                                              {"upper", SPELL_UPPER},
                                              {"title", SPELL_TITLE},
                                              {"qualified", SPELL_QUALIFIED},
                                              {0}};

    return fields_word(f, v, words, out);
}

static bool read_at(struct fields *f, const struct value *v, struct sim_rule *rule, enum sim_op op)
{
    if (rule->at.len)
        return fields_fail(f, v, "a rule does one thing only");
    rule->op = op;
    return sim_read_members(f, v, &rule->at);
}

#define READ_OP(name, kind)                                                                        \
    static bool read_##name(struct fields *f, const struct value *v, void *out)                    \
    {                                                                                              \
        return read_at(f, v, out, kind);                                                           \
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

static bool read_if(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {{"null", 0}, {"empty", 1}, {0}};
    struct sim_rule *rule = out;
    int which = 0;

    if (!fields_word(f, v, words, &which))
        return false;
    rule->if_null = !which;
    rule->if_empty = which;
    return true;
}

static bool check_rule(struct fields *f, const struct value *v, const struct sim_rule *rule)
{
    bool wants = rule->op == OP_ADD || rule->op == OP_SET || rule->op == OP_EXTEND ||
                 rule->op == OP_EARLY;

    if (!rule->at.len)
        return fields_fail(
            f, v, "a rule needs one of add, drop, early, extend, late, reverse, set, spell");
    if (wants != (rule->value != NULL))
        return fields_fail(f, v, wants ? "this rule needs a value" : "this rule takes no value");
    if (rule->op == OP_EXTEND && !value_is(rule->value, VALUE_LIST))
        return fields_fail(f, v, "extend needs a list of elements");
    return sim_check_when(f, v, &rule->when);
}

static bool read_rule(struct fields *f, const struct value *v, struct sim_rule *rule)
{
    static const struct field fields[] = {
        {"absent", sim_read_when_absent, offsetof(struct sim_rule, when)},
        {"add", read_add, 0},
        {"as", read_spelling, offsetof(struct sim_rule, spelling)},
        {"drop", read_drop, 0},
        {"early", read_early, 0},
        {"extend", read_extend, 0},
        {"from", fields_text, offsetof(struct sim_rule, when.from)},
        {"if", read_if, 0},
        {"is", sim_read_when_is, offsetof(struct sim_rule, when)},
        {"late", read_late, 0},
        {"reverse", read_reverse, 0},
        {"set", read_set, 0},
        {"spell", read_spell, 0},
        {"to", fields_text, offsetof(struct sim_rule, when.to)},
        {"value", fields_any, offsetof(struct sim_rule, value)},
        {"when", sim_read_when, offsetof(struct sim_rule, when)},
        {0},
    };

    return fields_read(f, v, fields, rule) && check_rule(f, v, rule);
}

/* Outer rules first: the rules of inner members act on what a member was given. */
static void sort_rules(struct sim_type *type)
{
    for (size_t i = 1; i < type->rules.len; i++) {
        struct sim_rule rule = type->rules.items[i];
        size_t k = i;
        for (; k && type->rules.items[k - 1].at.len > rule.at.len; k--)
            type->rules.items[k] = type->rules.items[k - 1];
        type->rules.items[k] = rule;
    }
}

bool sim_read_rules(struct fields *f, const struct value *v, void *out)
{
    struct sim_type *type = out;

    type->known = true;
    if (!value_is(v, VALUE_LIST) || v->len > RULES_MAX)
        return fields_fail(f, v, "rules must be a list of at most %d", RULES_MAX);
    for (size_t i = 0; i < v->len; i++) {
        struct sim_rule rule = {0};
        if (!read_rule(f, &v->items[i], &rule))
            return false;
        VEC_PUSH(f->arena, &type->rules, rule);
    }
    sort_rules(type);
    return true;
}
