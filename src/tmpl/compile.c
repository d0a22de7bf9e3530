/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - pipelines to code; see code.h.
 *
 * Each function below emits the operations of one kind of node, in the order in which Go's
 * functions of the same names (evalCommand, evalArg, ...) look at things, so that the first fault
 * is the same, and so is the node that it is reported at.
 */
#include "tmpl/code.h"
#include "tmpl/funcs/families.h"

struct compiler {
    struct arena *arena;
    op_vec *ops;
    uint32_t height, room; /* of the stack: now, and at most */
};

/* What a command is given besides its first operand; NULL where nothing can be given. */
struct given {
    const struct node *command;
    bool piped;
};

static bool has_args(const struct given *g)
{
    return g->command->list.len > 1 || g->piped;
}

static struct op *emit(struct compiler *k, enum op_kind kind, const struct node *n,
                       enum tv_type type)
{
    struct op *op;

    if (UNLIKELY(k->ops->len == k->ops->cap))
        k->ops->items = vec_grow(k->arena, k->ops->items, &k->ops->cap, sizeof(*op));
    op = &k->ops->items[k->ops->len++];
    *op = (struct op){.kind = (uint8_t)kind, .type = (uint8_t)type, .node = n};
    return op;
}

/* So many values go, and one comes. */
static void replace(struct compiler *k, uint32_t values)
{
    k->height += 1 - values;
    if (k->height > k->room)
        k->room = k->height;
}

static struct op *emit_push(struct compiler *k, enum op_kind kind, const struct node *n,
                            enum tv_type type)
{
    replace(k, 0);
    return emit(k, kind, n, type);
}

static void put_pipeline(struct compiler *k, const struct node *pipe, enum tv_type type);
static void put_operand(struct compiler *k, const struct node *n, enum tv_type type);

/* ---- Literals ------------------------------------------------------------------------------- */

static bool can_be_nil(enum tv_type type)
{
    enum tv_kind kind = tv_info(type)->kind;

    return kind == TV_KIND_SLICE || kind == TV_KIND_MAP || kind == TV_KIND_PTR || type >= TV_ANY;
}

/* Where nothing determines the type. */
static bool ideal_value(const struct node *n, struct tv *out)
{
    *out = n->kind == NODE_BOOL     ? n->constant
           : n->kind == NODE_STRING ? n->string.value
                                    : n->number.ideal;
    return out->type != TV_INVALID; /* else an integer that overflows */
}

static bool number_value(enum tv_type type, const struct number *n, struct tv *out)
{
    *out = (struct tv){.type = (uint8_t)type};
    switch (tv_info(type)->kind) {
    case TV_KIND_INT:
        out->i = n->i;
        return n->is_int;
    case TV_KIND_UINT:
        out->u = type == TV_UINT32 ? (uint32_t)n->u : n->u;
        return n->is_uint;
    case TV_KIND_FLOAT:
        out->f = n->f;
        return n->is_float;
    default:
        return false;
    }
}

bool literal_value(enum tv_type type, const struct node *n, struct tv *out)
{
    if (n->kind == NODE_NIL) {
        *out = type >= TV_ANY ? tv_none() : tv_object(type, NULL);
        return can_be_nil(type);
    }
    if (type >= TV_ANY)
        return ideal_value(n, out);
    if (n->kind == NODE_NUMBER)
        return number_value(type, n->number.value, out);
    return ideal_value(n, out) && out->type == type;
}

static void put_literal(struct compiler *k, const struct node *n, enum tv_type type)
{
    struct tv value;

    if (literal_value(type, n, &value))
        emit_push(k, OP_CONSTANT, n, type)->constant = value;
    else
        emit_push(k, OP_BAD_LITERAL, n, type);
}

/* ---- Fields --------------------------------------------------------------------------------- */

static struct code code_of(struct compiler *k, size_t first)
{
    size_t len = k->ops->len - first;
    struct op *ops = arena_alloc_raw(k->arena, arena_array_size(len, sizeof(*ops)));

    if (len)
        memcpy(ops, k->ops->items + first, len * sizeof(*ops));
    k->ops->len = first;
    return (struct code){.ops = ops, .len = (uint32_t)len, .room = k->room};
}

static bool is_literal(const struct node *n)
{
    return n->kind == NODE_BOOL || n->kind == NODE_NIL || n->kind == NODE_NUMBER ||
           n->kind == NODE_STRING;
}

static struct call_site *new_site(struct compiler *k, const struct node *at, str name,
                                  const struct given *g)
{
    struct call_site *site = ARENA_NEW(k->arena, struct call_site);

    site->node = at;
    site->name = name;
    if (g) {
        site->args = (const struct node *const *)g->command->list.items + 1;
        site->count = g->command->list.len - 1;
        site->piped = g->piped;
    }
    return site;
}

/* The arguments of what may turn out to be a method: their types are known then. */
static const struct code *codes_of(struct compiler *k, const struct call_site *site)
{
    struct code *codes = ARENA_ARRAY(k->arena, struct code, site->count);
    const struct compiler outer = *k;

    for (uint32_t i = 0; i < site->count; i++) {
        size_t first = k->ops->len;
        k->height = k->room = 0;
        if (!is_literal(site->args[i]))
            put_operand(k, site->args[i], TV_VALUE);
        codes[i] = code_of(k, first);
    }
    k->height = outer.height;
    k->room = outer.room;
    return codes;
}

/* The rest of a chain whose operation has been emitted; what is given is for the last field. */
static void put_fields(struct compiler *k, const struct node *n, uint32_t from,
                       const struct given *g, enum tv_type type)
{
    const struct names *names = &n->chain.fields;
    struct op *op = &k->ops->items[k->ops->len - 1];
    struct call_site *site;

    op->fields = (struct names){names->items + from, names->len - from};
    op->type = (uint8_t)type;
    if (!g || !has_args(g))
        return;
    op->type = TV_VALUE;
    op->fields.len--;
    site = new_site(k, n, names->items[names->len - 1], g);
    site->codes = codes_of(k, site);
    emit(k, OP_INVOKE, NULL, type)->site = site;
    replace(k, 1 + site->piped);
}

/* node: what is visited last by then, if it is known. */
static void put_in_vain(struct compiler *k, const struct node *node, const struct given *g)
{
    emit(k, OP_IN_VAIN, node, TV_VALUE)->command = g->command;
}

static void put_variable(struct compiler *k, const struct node *n, const struct given *g,
                         enum tv_type type)
{
    bool is_in_vain = n->chain.fields.len == 1 && g && has_args(g);

    /* Which is wrong whatever its type. */
    emit_push(k, OP_VARIABLE, n, is_in_vain ? TV_VALUE : type)->id =
        variable_id(n->chain.fields.items[0]);
    if (is_in_vain)
        put_in_vain(k, NULL, g);
    else if (n->chain.fields.len > 1)
        put_fields(k, n, 1, g, type);
}

static void put_chain(struct compiler *k, const struct node *n, const struct given *g,
                      enum tv_type type)
{
    put_operand(k, n->chain.on, TV_VALUE);
    emit(k, OP_FIELDS_OF, n, TV_VALUE);
    put_fields(k, n, 0, g, type);
}

static void put_field(struct compiler *k, const struct node *n, const struct given *g,
                      enum tv_type type)
{
    emit_push(k, OP_FIELDS, n, type);
    put_fields(k, n, 0, g, type);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/*
 * and, or: arguments after the deciding one are not evaluated. Until the end is known, the
 * operations that lead there are a list: skip is the number of the next one plus one.
 */
static void put_logic(struct compiler *k, const struct node *n, const struct call_site *site,
                      enum tv_type type)
{
    bool until = site->function->func->call == fn_or;
    uint32_t last = 0;

    emit(k, OP_STEP, n, TV_VALUE);
    for (uint32_t i = 0; i < site->count; i++) {
        put_operand(k, site->args[i], TV_VALUE);
        if (i + 1 == site->count && !site->piped)
            break;
        struct op *op = emit(k, OP_DECIDE, NULL, TV_VALUE);
        op->until = until;
        op->piped = site->piped;
        op->skip = last;
        last = (uint32_t)k->ops->len;
        k->height--;
    }
    while (last) {
        struct op *op = &k->ops->items[last - 1];
        uint32_t next = op->skip;
        op->skip = (uint32_t)k->ops->len - last;
        last = next;
    }
    if (type != TV_VALUE)
        emit(k, OP_CONVERT, NULL, type);
}

/* n is the function's name, at where a failing call is reported. */
static void put_call(struct compiler *k, const struct node *n, const struct node *at,
                     const struct given *g, enum tv_type type)
{
    const struct function *f = n->identifier.function;
    struct call_site *site = new_site(k, at, n->identifier.name, g);
    uint32_t takes = site->count + site->piped;

    site->function = f;
    site->word = n;
    assert(!f->signature.too_many && !f->signature.second);
    if (!signature_takes(&f->signature, takes)) {
        emit(k, OP_BAD_COUNT, n, type)->site = site;
        replace(k, site->piped);
        return;
    }
    if (f->func->call == fn_and || f->func->call == fn_or) {
        put_logic(k, n, site, type);
        return;
    }
    for (uint32_t i = 0; i < site->count; i++)
        put_operand(k, site->args[i], signature_param(&f->signature, i));
    if (site->piped) {
        site->piped_type = (uint8_t)signature_param(&f->signature, site->count);
        replace(k, 0); /* it moves to the end of the others */
        k->height--;
    }
    struct op *op = emit(k, OP_CALL, n, type);
    op->takes = takes;
    op->site = site;
    replace(k, takes);
}

/* ---- Operands and commands ------------------------------------------------------------------ */

static void put_operand(struct compiler *k, const struct node *n, enum tv_type type)
{
    switch ((enum node_kind)n->kind) {
    case NODE_DOT:
        emit_push(k, OP_DOT, n, type);
        break;
    case NODE_FIELD:
        put_field(k, n, NULL, type);
        break;
    case NODE_VARIABLE:
        put_variable(k, n, NULL, type);
        break;
    case NODE_PIPE:
        put_pipeline(k, n, type);
        break;
    case NODE_IDENTIFIER:
        put_call(k, n, n, NULL, type);
        break;
    case NODE_CHAIN:
        put_chain(k, n, NULL, type);
        break;
    default:
        put_literal(k, n, type);
    }
}

/* A literal as a command: its type is its own, and then it is converted. */
static void put_constant(struct compiler *k, const struct node *n, enum tv_type type)
{
    if (n->kind == NODE_NIL) {
        emit_push(k, OP_NIL, n, type);
        return;
    }
    put_literal(k, n, TV_ANY);
    if (type < TV_ANY)
        emit(k, OP_CONVERT, NULL, type);
}

static void put_command(struct compiler *k, const struct node *pipe, const struct given *g,
                        enum tv_type type)
{
    const struct node *n = g->command->list.items[0];

    switch ((enum node_kind)n->kind) {
    case NODE_FIELD:
        put_field(k, n, g, type);
        break;
    case NODE_VARIABLE:
        put_variable(k, n, g, type);
        break;
    case NODE_IDENTIFIER:
        put_call(k, n, g->command, g, type);
        break;
    case NODE_CHAIN:
        put_chain(k, n, g, type);
        break;
    case NODE_PIPE:
        if (has_args(g))
            put_in_vain(k, g->piped ? NULL : pipe, g);
        put_pipeline(k, n, type);
        break;
    default:
        if (has_args(g))
            put_in_vain(k, n, g);
        if (n->kind == NODE_DOT)
            emit_push(k, OP_DOT, n, type);
        else
            put_constant(k, n, type);
    }
}

static void put_declaration(struct compiler *k, const struct node *pipe, const struct node *v)
{
    emit(k, pipe->assign ? OP_ASSIGN : OP_DECLARE, v, TV_VALUE)->id =
        variable_id(v->chain.fields.items[0]);
}

/* What a pipeline gives is never in an interface. */
static void put_pipeline(struct compiler *k, const struct node *pipe, enum tv_type type)
{
    const struct nodes *commands = &pipe->pipe.commands, *declared = &pipe->pipe.declared;
    enum tv_type last = declared->len || type == TV_VALUE ? TV_ANY : type;

    for (uint32_t i = 0; i < commands->len; i++) {
        const struct given g = {commands->items[i], i > 0};
        put_command(k, pipe, &g, i + 1 < commands->len ? TV_ANY : last);
    }
    k->ops->items[k->ops->len - 1].whole = true;
    for (uint32_t i = 0; i < declared->len; i++)
        put_declaration(k, pipe, declared->items[i]);
    if (declared->len && type < TV_ANY)
        emit(k, OP_CONVERT, NULL, type)->whole = true;
}

void code_make(struct arena *a, op_vec *ops, struct node *pipe)
{
    struct compiler k = {.arena = a, .ops = ops};
    struct code *code = ARENA_NEW(a, struct code);

    ops->len = 0;
    put_pipeline(&k, pipe, TV_ANY);
    *code = code_of(&k, 0);
    pipe->pipe.code = code;
}
