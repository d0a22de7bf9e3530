/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.c - running the code of pipelines; see code.h.
 *
 * x->node is moved to each node that is looked at, because errors are reported at the one visited
 * last: the order of visits is Go's.
 */
#include "tmpl/code.h"

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

/* ---- Types ---------------------------------------------------------------------------------- */

COLD bool validate_other(struct exec *x, struct tv v, enum tv_type type, struct tv *out)
{
    if (v.type == TV_INVALID && !(v.flags & TV_IFACE)) {
        const struct node nil = {.kind = NODE_NIL};
        return literal_value(type, &nil, out) ||
               EXEC_FAIL(x, "invalid value; expected %s", tv_c(tv_info(type)->name));
    }
    return EXEC_FAIL(x, "wrong type for value; expected %s; got %s", tv_c(tv_info(type)->name),
                     tv_c(tv_type_name(v)));
}

static bool wrong_literal(struct exec *x, const char *wanted, const struct node *n)
{
    return EXEC_FAIL(x, "expected %s; found %s", tv_c(wanted), tv_node(x, n));
}

bool literal_fail(struct exec *x, enum tv_type type, const struct node *n)
{
    const char *name = tv_info(type)->name;

    x->node = n;
    if (n->kind == NODE_NIL)
        return EXEC_FAIL(x, "cannot assign nil to %s", tv_c(name));
    if (type >= TV_ANY)
        return EXEC_FAIL(x, "%s overflows int", tv_str(n->number.value->text));
    switch (tv_info(type)->kind) {
    case TV_KIND_BOOL:
        return wrong_literal(x, "bool", n);
    case TV_KIND_STRING:
        return wrong_literal(x, "string", n);
    case TV_KIND_INT:
        return wrong_literal(x, "integer", n);
    case TV_KIND_UINT:
        return wrong_literal(x, "unsigned integer", n);
    case TV_KIND_FLOAT:
        return wrong_literal(x, "float", n);
    default:
        return EXEC_FAIL(x, "can't handle %s for arg of type %s", tv_node(x, n), tv_c(name));
    }
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* What a call counts for, in steps, beside the texts among its arguments. */
#define CALL_STEPS 3

/* A limit was passed before the call, which is reported at its name. */
COLD static bool no_step(struct exec *x, const struct call_site *site)
{
    if (site->word)
        x->node = site->word;
    return exec_step_failed(x);
}

static inline uint64_t text_bytes(const struct tv *args, size_t count)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += args[i].type == TV_STRING ? args[i].len : 0;
    return bytes;
}

/* Charges for a call and makes it. self: the receiver of a method. */
ALWAYS_INLINE bool make_call(struct exec *x, const struct call_site *site, const struct tv *args,
                             struct tv self, struct tv *out)
{
    const struct function *f = site->function;
    struct tmpl_call c = {
        .rt = &x->rt,
        .arena = x->rt.arena,
        .args = args,
        .count = site->count + site->piped,
        .self = self,
        .site = site,
        .result = {.type = f->signature.result},
        .error = STR_NONE,
        .error_kind = ERR_NONE,
    };

    if (UNLIKELY(!exec_may_call(x)))
        return no_step(x, site);
    rt_charge(&x->rt, CALL_STEPS + text_bytes(args, c.count) / RT_BYTES_PER_STEP);
    if (UNLIKELY(!f->func->call(&c)))
        return call_failed(x, &c);
    *out = c.result;
    if (f->signature.result == TV_ANY)
        out->flags |= TV_IFACE;
    return true;
}

/* ---- Fields --------------------------------------------------------------------------------- */

/* A field of a chain, and what it is given. */
struct field {
    str name;
    const struct node *node;      /* the whole chain */
    const struct call_site *site; /* OP_INVOKE; else NULL: no arguments */
    const struct tv *piped;       /* with a site whose value is piped */
    struct tv dot;
};

static const struct tmpl_func *find_method(struct tv v, str name)
{
    const struct tmpl_func *m = tv_info(v.type)->methods;

    for (; m && m->name; m++)
        if (str_eq(name, str_c(m->name)))
            return m;
    return NULL;
}

/* Argument i of a method. */
static bool method_arg(struct exec *x, const struct field *f, uint32_t i, enum tv_type type,
                       struct tv *out)
{
    const struct call_site *site = f->site;
    struct tv value;

    if (i == site->count)
        return validate_type(x, *f->piped, type, out);
    if (!site->codes[i].len) {
        x->node = site->args[i];
        return literal_value(type, site->args[i], out) || literal_fail(x, type, site->args[i]);
    }
    return eval_code(x, f->dot, &site->codes[i], &value) && validate_type(x, value, type, out);
}

static bool call_method(struct exec *x, const struct field *f, const struct tmpl_func *m,
                        struct tv self, struct tv *out)
{
    const struct function method = {.func = m, .signature = signature_parse(m->signature)};
    const struct signature *sig = &method.signature;
    struct call_site site = {.node = f->node, .name = f->name};
    struct tv *args;

    if (f->site)
        site = *f->site;
    site.function = &method;
    uint32_t count = site.count + site.piped;
    if (!signature_takes(sig, count))
        return call_wrong_count(x, &site);
    if (sig->too_many || sig->second)
        return call_wrong_results(x, &site);
    args = ARENA_ARRAY(x->rt.arena, struct tv, count);
    for (uint32_t i = 0; i < count; i++)
        if (!method_arg(x, f, i, signature_param(sig, i), &args[i]))
            return false;
    return make_call(x, &site, args, self, out);
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
    if (f->site)
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
        if (f->site)
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

COLD static bool eval_other_field(struct exec *x, const struct op *op, uint32_t i, struct tv dot,
                                  struct tv *on)
{
    const struct field f = {.name = op->fields.items[i], .node = op->node, .dot = dot};

    return eval_field(x, &f, *on, on);
}

/* A field of a map, or of what a map does not have. False: not so simple. */
static inline bool easy_field(struct exec *x, str name, struct tv *on)
{
    if (on->type == TV_MAP && tv_get(&x->rt, *on, name, on))
        return true;
    if (x->set->missing != MISSING_INVALID || (on->type != TV_MAP && on->type != TV_INVALID) ||
        (on->type == TV_INVALID && on->flags & TV_IFACE))
        return false;
    *on = tv_none();
    return true;
}

/* The fields of an operation, one after the other. */
NOINLINE static bool eval_fields(struct exec *x, const struct op *op, struct tv on, struct tv dot,
                                 struct tv *out)
{
    for (uint32_t i = 0; i < op->fields.len; i++)
        if (!easy_field(x, op->fields.items[i], &on) && !eval_other_field(x, op, i, dot, &on))
            return false;
    *out = on;
    return true;
}

/* The last field of a chain, with arguments. */
NOINLINE static bool eval_invoke(struct exec *x, const struct op *op, struct tv dot, struct tv *top)
{
    const struct call_site *site = op->site;
    const struct field f = {
        .name = site->name, .node = site->node, .site = site, .piped = top - 2, .dot = dot};

    return eval_field(x, &f, top[-1], site->piped ? top - 2 : top - 1);
}

/* ---- Operands ------------------------------------------------------------------------------- */

static inline bool is_variable(const struct variable *v, uint32_t id, str name)
{
    return v->id == id && v->len == name.len && hot_same(v->name, name.ptr, name.len);
}

static inline bool eval_variable(struct exec *x, const struct op *op, struct tv dot, struct tv *out)
{
    const str name = op->node->chain.fields.items[0];
    const struct variable *first = x->vars.items + x->vars_base;
    const struct variable *end = x->vars.items + x->vars.len, *v = end;

    x->node = op->node;
    while (v > first && !is_variable(v - 1, op->id, name))
        v--;
    if (UNLIKELY(end - v >= VARIABLES_PER_STEP))
        rt_charge(&x->rt, (uint64_t)(end - v) / VARIABLES_PER_STEP);
    if (UNLIKELY(v == first))
        return exec_undefined(x, name);
    *out = v[-1].value;
    return LIKELY(!op->fields.len) || eval_fields(x, op, *out, dot, out);
}

COLD static bool convert_other(struct exec *x, const struct op *op, struct tv *v)
{
    struct tv value = op->whole ? tv_concrete(*v) : *v;

    return validate_other(x, value, (enum tv_type)op->type, v);
}

/* Gives the value that an operation left the type that it is to have. */
ALWAYS_INLINE bool convert(struct exec *x, const struct op *op, struct tv *v)
{
    if (op->type == TV_VALUE)
        return true;
    if (op->type != TV_ANY && UNLIKELY(v->type != op->type))
        return convert_other(x, op, v);
    v->flags &= (uint8_t)~TV_IFACE;
    return true;
}

/* ---- Code ----------------------------------------------------------------------------------- */

COLD static bool given_in_vain(struct exec *x, const struct op *op)
{
    if (op->node)
        x->node = op->node;
    return EXEC_FAIL(x, "can't give argument to non-function %s",
                     tv_node(x, op->command->list.items[0]));
}

COLD static bool always_fails(struct exec *x, const struct op *op)
{
    if (op->kind == OP_IN_VAIN)
        return given_in_vain(x, op);
    x->node = op->node;
    switch ((enum op_kind)op->kind) {
    case OP_BAD_COUNT:
        return call_wrong_count(x, op->site);
    case OP_BAD_LITERAL:
        return literal_fail(x, (enum tv_type)op->type, op->node);
    default:
        return exec_fail(x, "nil is not a command", NULL, 0);
    }
}

/* Calls a function whose arguments are the values on top; the first one becomes the result. */
ALWAYS_INLINE bool eval_call(struct exec *x, const struct op *op, struct tv *args, struct tv *top)
{
    const struct call_site *site = op->site;
    struct tv *out = args;

    if (!site->count)
        x->node = op->node;
    if (site->piped) {
        if (!validate_type(x, *args++, (enum tv_type)site->piped_type, top++))
            return false;
    }
    x->top = top;
    return make_call(x, site, args, tv_none(), out);
}

/* An argument of and, or: drops it and goes on, unless it decides. */
static inline const struct op *eval_decide(struct exec *x, const struct op *op, struct tv **top)
{
    struct tv value = *--*top;

    if (exec_holds(x, value) != op->until)
        return op;
    if (op->piped)
        --*top;
    *(*top)++ = value;
    return op + op->skip;
}

/* More of the stack, for templates within templates. */
struct value_block {
    struct value_block *next;
    size_t count;
    struct tv values[];
};

/* The first spare block if it is large enough, else a new one. */
static struct value_block *take_block(struct exec *x, size_t room)
{
    struct value_block *block = x->spare_values;
    size_t count = room > VALUES_FIRST ? room : VALUES_FIRST;

    if (block && block->count >= room) {
        x->spare_values = block->next;
        return block;
    }
    block =
        arena_alloc_raw(x->rt.arena, sizeof(*block) + arena_array_size(count, sizeof(struct tv)));
    block->count = count;
    return block;
}

/* The stack has too little room: until this code has ended, it goes on in another block. */
COLD static bool eval_elsewhere(struct exec *x, struct tv dot, const struct code *code,
                                struct tv *out)
{
    struct value_block *block = take_block(x, code->room);
    struct tv *top = x->top, *end = x->values_end;
    bool ok;

    x->top = block->values;
    x->values_end = block->values + block->count;
    ok = eval_code(x, dot, code, out);
    x->top = top;
    x->values_end = end;
    block->next = x->spare_values;
    x->spare_values = block;
    return ok;
}

bool eval_code(struct exec *x, struct tv dot, const struct code *code, struct tv *out)
{
    const struct op *op = code->ops, *end = op + code->len;
    struct tv *const bottom = x->top, *top = bottom;

    if (UNLIKELY(code->room > (size_t)(x->values_end - bottom)))
        return eval_elsewhere(x, dot, code, out);
    for (; op < end; op++) {
        switch ((enum op_kind)op->kind) {
        case OP_CONSTANT:
            x->node = op->node;
            *top++ = op->constant;
            continue;
        case OP_DOT:
            x->node = op->node;
            *top++ = dot;
            break;
        case OP_FIELDS:
            x->node = op->node;
            if (!eval_fields(x, op, dot, dot, top++))
                return false;
            break;
        case OP_VARIABLE:
            if (!eval_variable(x, op, dot, top++))
                return false;
            break;
        case OP_CONVERT:
            break;
        case OP_FIELDS_OF:
            if (!eval_fields(x, op, top[-1], dot, &top[-1]))
                return false;
            break;
        case OP_INVOKE:
            x->top = top;
            if (!eval_invoke(x, op, dot, top))
                return false;
            top -= op->site->piped;
            break;
        case OP_CALL:
            if (!eval_call(x, op, top - op->takes, top))
                return false;
            top = top - op->takes + 1;
            break;
        case OP_STEP:
            x->node = op->node;
            if (!exec_step(x))
                return false;
            continue;
        case OP_DECIDE:
            op = eval_decide(x, op, &top);
            continue;
        case OP_DECLARE:
            exec_push(x, op->node->chain.fields.items[0], op->id, top[-1]);
            continue;
        case OP_ASSIGN:
            if (!exec_assign(x, op->node->chain.fields.items[0], top[-1]))
                return false;
            continue;
        default:
            return always_fails(x, op);
        }
        if (!convert(x, op, &top[-1]))
            return false;
    }
    *out = *bottom;
    x->top = bottom;
    return true;
}
