/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.c - the values of pipelines, commands and operands.
 *
 * x->node is moved to each node that is looked at, because errors are reported at the one visited
 * last: the order of visits is Go's.
 */
#include "tmpl/internal.h"

/* What a command is given besides its operands. */
struct given {
    const struct nodes *args; /* the operands of the command, itself first; NULL: none */
    const struct tv *final;   /* the piped value, or NULL */
};

static const struct given nothing = {0};

static bool has_args(const struct given *g)
{
    return (g->args && g->args->len > 1) || g->final;
}

static struct tv tv_node(struct exec *x, const struct node *n)
{
    struct buf b = buf_new(x->rt.arena, BUF_UNLIMITED);

    node_print(&b, n);
    return tv_str(buf_str(&b));
}

static struct tv tv_c(const char *text)
{
    return tv_str(str_c(text));
}

COLD static bool given_in_vain(struct exec *x, const struct given *g)
{
    return EXEC_FAIL(x, "can't give argument to non-function %s", tv_node(x, g->args->items[0]));
}

static inline bool not_a_function(struct exec *x, const struct given *g)
{
    return !has_args(g) || given_in_vain(x, g);
}

/* ---- Fields --------------------------------------------------------------------------------- */

struct field {
    const struct node *node; /* the whole chain */
    str name;
    const struct given *given;
    struct tv dot;
};

/* What the operands are; the rest of the site is for the caller to set. */
ALWAYS_INLINE void set_args(struct call_site *site, const struct given *g)
{
    site->args = g->args ? (const struct node *const *)g->args->items + 1 : NULL;
    site->count = g->args ? g->args->len - 1 : 0;
    site->final = g->final;
}

static const struct tmpl_func *find_method(struct tv v, str name)
{
    const struct tmpl_func *m = tv_info(v.type)->methods;

    for (; m && m->name; m++)
        if (str_eq(name, str_c(m->name)))
            return m;
    return NULL;
}

static bool call_method(struct exec *x, const struct field *f, const struct tmpl_func *m,
                        struct tv self, struct tv *out)
{
    struct call_site site = {.node = f->node, .name = f->name, .dot = f->dot};
    struct signature sig = signature_parse(m->signature);

    set_args(&site, f->given);
    return eval_call(x, &site, m, &sig, self, out);
}

COLD static bool not_a_method(struct exec *x, str name)
{
    return EXEC_FAIL(x, "%s is not a method but has arguments", tv_str(name));
}

COLD static bool no_entry(struct exec *x, const char *format, str name)
{
    return EXEC_FAIL(x, format, tv_str(name));
}

static bool map_field(struct exec *x, const struct field *f, struct tv map, struct tv *out)
{
    if (has_args(f->given))
        return not_a_method(x, f->name);
    if (tv_get(&x->rt, map, f->name, out))
        return true;
    switch (x->set->missing) {
    case MISSING_INVALID:
        *out = tv_none();
        return true;
    case MISSING_ZERO:
        *out = map.type == TV_STRMAP ? tv_str(STR_NONE) : (struct tv){.flags = TV_IFACE};
        return true;
    case MISSING_ERROR:
        break;
    }
    return no_entry(x, "map has no entry for key %q", f->name);
}

COLD static bool struct_field(struct exec *x, const struct field *f, struct tv v, const char *type,
                              bool *found, struct tv *out)
{
    const struct tv_info *info = tv_info(v.type);
    const struct tv_field *field = info->kind == TV_KIND_PTR ? tv_info(info->elem)->fields
                                                             : info->fields;

    *found = false;
    for (; field && field->name; field++) {
        if (!str_eq(f->name, str_c(field->name)))
            continue;
        *found = true;
        if (field->name[0] < 'A' || field->name[0] > 'Z')
            return EXEC_FAIL(x, "%s is an unexported field of struct type %s", tv_str(f->name),
                             tv_c(type));
        if (has_args(f->given))
            return EXEC_FAIL(x, "%s has arguments but cannot be invoked as function",
                             tv_str(f->name));
        *out = field->get(v.object);
        return true;
    }
    return true;
}

COLD static bool nil_pointer(struct exec *x, str name)
{
    return EXEC_FAIL(x, "nil pointer evaluating %s.%s", tv_c("interface {}"), tv_str(name));
}

/* A field or method of a value other than a map. */
COLD static bool other_field(struct exec *x, const struct field *f, struct tv on, struct tv *out)
{
    const char *type = on.flags & TV_IFACE ? "interface {}" : tv_type_name(on);
    const struct tmpl_func *method;
    bool found;

    on = tv_concrete(on);
    method = find_method(on, f->name);
    if (method)
        return call_method(x, f, method, on, out);
    if (!struct_field(x, f, on, type, &found, out))
        return false;
    return found || EXEC_FAIL(x, "can't evaluate field %s in type %s", tv_str(f->name), tv_c(type));
}

/* Maps have no methods. */
static inline bool eval_field(struct exec *x, const struct field *f, struct tv on, struct tv *out)
{
    if (tv_kind(on) == TV_KIND_MAP)
        return map_field(x, f, tv_concrete(on), out);
    if (on.type != TV_INVALID)
        return other_field(x, f, on, out);
    if (on.flags & TV_IFACE)
        return nil_pointer(x, f->name);
    if (x->set->missing == MISSING_ERROR)
        return no_entry(x, "nil data; no entry for key %q", f->name);
    *out = tv_none();
    return true;
}

/* The fields from first on, one after the other; the last one gets what is given. */
static bool eval_chain(struct exec *x, const struct node *n, uint32_t first, struct tv on,
                       const struct given *g, struct tv dot, struct tv *out)
{
    const struct names *names = &n->chain.fields;
    struct field f = {.node = n, .dot = dot};

    for (uint32_t i = first; i < names->len; i++) {
        f.name = names->items[i];
        f.given = i + 1 == names->len ? g : &nothing;
        if (!eval_field(x, &f, on, &on))
            return false;
    }
    *out = on;
    return true;
}

static bool eval_field_node(struct exec *x, struct tv dot, const struct node *n,
                            const struct given *g, struct tv *out)
{
    x->node = n;
    return eval_chain(x, n, 0, dot, g, dot, out);
}

static bool eval_chain_node(struct exec *x, struct tv dot, const struct node *n,
                            const struct given *g, struct tv *out)
{
    struct tv on;

    x->node = n;
    return eval_arg(x, dot, TV_VALUE, n->chain.on, &on) && eval_chain(x, n, 0, on, g, dot, out);
}

static inline bool is_name(str x, str y)
{
    return x.len == y.len && hot_same(x.ptr, y.ptr, x.len);
}

static bool eval_variable(struct exec *x, struct tv dot, const struct node *n,
                          const struct given *g, struct tv *out)
{
    const struct names *names = &n->chain.fields;
    const str name = names->items[0];
    size_t i = x->vars.len;

    x->node = n;
    while (i > x->vars_base && !is_name(x->vars.items[i - 1].name, name))
        i--;
    if (x->vars.len - i >= VARIABLES_PER_STEP)
        rt_charge(&x->rt, (x->vars.len - i) / VARIABLES_PER_STEP);
    if (i == x->vars_base)
        return exec_undefined(x, name);
    *out = x->vars.items[i - 1].value;
    if (names->len == 1)
        return not_a_function(x, g);
    return eval_chain(x, n, 1, *out, g, dot, out);
}

/* ---- Commands ------------------------------------------------------------------------------- */

/* n is the function's name, at where a failing call is reported. */
ALWAYS_INLINE bool eval_function(struct exec *x, struct tv dot, const struct node *n,
                                 const struct node *at, const struct given *g, struct tv *out)
{
    const struct function *f = n->identifier.function;
    struct call_site site = {.node = at, .name = n->identifier.name, .dot = dot};

    set_args(&site, g);
    x->node = n;
    return eval_call(x, &site, f->func, &f->signature, tv_none(), out);
}

COLD static bool overflows_int(struct exec *x, str number)
{
    return EXEC_FAIL(x, "%s overflows int", tv_str(number));
}

/* A number where nothing determines its type. */
static bool eval_number(struct exec *x, const struct node *n, struct tv *out)
{
    x->node = n;
    *out = n->number.ideal;
    return out->type != TV_INVALID || overflows_int(x, n->number.value->text);
}

static bool eval_constant(struct exec *x, struct tv dot, const struct node *n, struct tv *out)
{
    switch ((enum node_kind)n->kind) {
    case NODE_BOOL:
        *out = n->constant;
        return true;
    case NODE_DOT:
        *out = dot;
        return true;
    case NODE_STRING:
        *out = n->string.value;
        return true;
    case NODE_NUMBER:
        return eval_number(x, n, out);
    default:
        return exec_fail(x, "nil is not a command", NULL, 0);
    }
}

ALWAYS_INLINE bool eval_command(struct exec *x, struct tv dot, const struct node *command,
                                const struct tv *final, struct tv *out)
{
    const struct node *n = command->list.items[0];
    struct given g = {.args = &command->list, .final = final};

    switch ((enum node_kind)n->kind) {
    case NODE_FIELD:
        return eval_field_node(x, dot, n, &g, out);
    case NODE_CHAIN:
        return eval_chain_node(x, dot, n, &g, out);
    case NODE_IDENTIFIER:
        return eval_function(x, dot, n, command, &g, out);
    case NODE_PIPE:
        return not_a_function(x, &g) && eval_pipeline(x, dot, n, out);
    case NODE_VARIABLE:
        return eval_variable(x, dot, n, &g, out);
    default:
        x->node = n;
        return not_a_function(x, &g) && eval_constant(x, dot, n, out);
    }
}

/* A pipeline that is a single command, as most are. */
ALWAYS_INLINE bool eval_simple(struct exec *x, struct tv dot, const struct node *pipe,
                               struct tv *out)
{
    x->node = pipe;
    if (!eval_command(x, dot, pipe->pipe.commands.items[0], NULL, out))
        return false;
    *out = tv_concrete(*out);
    return true;
}

bool eval_pipeline(struct exec *x, struct tv dot, const struct node *pipe, struct tv *out)
{
    const struct nodes *commands, *declared;
    struct tv final;

    if (pipe && pipe->simple)
        return eval_simple(x, dot, pipe, out);
    *out = tv_none();
    if (!pipe)
        return true;
    x->node = pipe;
    commands = &pipe->pipe.commands;
    for (uint32_t i = 0; i < commands->len; i++) {
        if (i)
            final = *out;
        if (!eval_command(x, dot, commands->items[i], i ? &final : NULL, out))
            return false;
        *out = tv_concrete(*out);
    }
    declared = &pipe->pipe.declared;
    for (uint32_t i = 0; i < declared->len; i++) {
        str name = declared->items[i]->chain.fields.items[0];
        if (!pipe->assign)
            exec_push(x, name, *out);
        else if (!exec_assign(x, name, *out))
            return false;
    }
    return true;
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static bool can_be_nil(enum tv_type type)
{
    enum tv_kind kind = tv_info(type)->kind;

    return kind == TV_KIND_SLICE || kind == TV_KIND_MAP || kind == TV_KIND_PTR || type == TV_ANY ||
           type == TV_VALUE;
}

static struct tv zero_of(enum tv_type type)
{
    return type == TV_ANY || type == TV_VALUE ? tv_none() : tv_object(type, NULL);
}

bool validate_other(struct exec *x, struct tv v, enum tv_type type, struct tv *out)
{
    if (v.type == TV_INVALID && !(v.flags & TV_IFACE)) {
        *out = zero_of(type);
        return can_be_nil(type) ||
               EXEC_FAIL(x, "invalid value; expected %s", tv_c(tv_info(type)->name));
    }
    return EXEC_FAIL(x, "wrong type for value; expected %s; got %s", tv_c(tv_info(type)->name),
                     tv_c(tv_type_name(v)));
}

COLD static bool wrong_literal(struct exec *x, const char *wanted, const struct node *n)
{
    return EXEC_FAIL(x, "expected %s; found %s", tv_c(wanted), tv_node(x, n));
}

COLD static bool no_literal(struct exec *x, enum tv_type type, const struct node *n)
{
    return EXEC_FAIL(x, "can't handle %s for arg of type %s", tv_node(x, n),
                     tv_c(tv_info(type)->name));
}

COLD static bool no_nil(struct exec *x, enum tv_type type)
{
    return EXEC_FAIL(x, "cannot assign nil to %s", tv_c(tv_info(type)->name));
}

/* A literal as an argument of a parameter of this type. */
static bool eval_literal(struct exec *x, struct tv dot, enum tv_type type, const struct node *n,
                         struct tv *out)
{
    const struct number *number = n->kind == NODE_NUMBER ? n->number.value : NULL;

    *out = (struct tv){.type = (uint8_t)type};
    switch (type == TV_ANY || type == TV_VALUE ? TV_KIND_INTERFACE : tv_info(type)->kind) {
    case TV_KIND_INTERFACE:
        return eval_constant(x, dot, n, out);
    case TV_KIND_BOOL:
        *out = n->constant;
        return n->kind == NODE_BOOL || wrong_literal(x, "bool", n);
    case TV_KIND_STRING:
        *out = n->string.value;
        return n->kind == NODE_STRING || wrong_literal(x, "string", n);
    case TV_KIND_INT:
        out->i = number ? number->i : 0;
        return (number && number->is_int) || wrong_literal(x, "integer", n);
    case TV_KIND_UINT:
        out->u = number ? number->u : 0;
        if (type == TV_UINT32)
            out->u = (uint32_t)out->u;
        return (number && number->is_uint) || wrong_literal(x, "unsigned integer", n);
    case TV_KIND_FLOAT:
        out->f = number ? number->f : 0;
        return (number && number->is_float) || wrong_literal(x, "float", n);
    default:
        return no_literal(x, type, n);
    }
}

bool eval_arg(struct exec *x, struct tv dot, enum tv_type type, const struct node *n,
              struct tv *out)
{
    bool ok;

    x->node = n;
    switch ((enum node_kind)n->kind) {
    case NODE_DOT:
        *out = dot;
        ok = true;
        break;
    case NODE_NIL:
        *out = zero_of(type);
        return can_be_nil(type) || no_nil(x, type);
    case NODE_STRING:
        if (type != TV_STRING && type < TV_ANY)
            return eval_literal(x, dot, type, n, out);
        *out = n->string.value;
        return true;
    case NODE_NUMBER:
        return type < TV_ANY ? eval_literal(x, dot, type, n, out) : eval_number(x, n, out);
    case NODE_FIELD:
        ok = eval_field_node(x, dot, n, &nothing, out);
        break;
    case NODE_VARIABLE:
        ok = eval_variable(x, dot, n, &nothing, out);
        break;
    case NODE_PIPE:
        ok = n->simple ? eval_simple(x, dot, n, out) : eval_pipeline(x, dot, n, out);
        break;
    case NODE_IDENTIFIER:
        ok = eval_function(x, dot, n, n, &nothing, out);
        break;
    case NODE_CHAIN:
        ok = eval_chain_node(x, dot, n, &nothing, out);
        break;
    default:
        return eval_literal(x, dot, type, n, out);
    }
    return ok && validate_type(x, *out, type, out);
}
