/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - calling functions: how many arguments, of which types, and what comes back.
 */
#include "tmpl/internal.h"
#include "tmpl/funcs/families.h"

#define SMALL_ARGS 8 /* more than so many are allocated */

/* What a call counts for, in steps, beside the texts among its arguments. */
#define CALL_STEPS 3

static bool takes(const struct signature *sig, uint32_t count)
{
    return sig->variadic ? count >= sig->fixed : count == sig->fixed;
}

COLD static bool wrong_count(struct exec *x, const struct call_site *site,
                             const struct signature *sig)
{
    /* Upstream: a piped value is not counted in this message. */
    if (sig->variadic)
        return EXEC_FAIL(x, "wrong number of args for %s: want at least %d got %d",
                         tv_str(site->name), tv_int(sig->fixed), tv_int(site->count));
    return EXEC_FAIL(x, "wrong number of args for %s: want %d got %d", tv_str(site->name),
                     tv_int(sig->fixed), tv_int(site->count + (site->final != NULL)));
}

/* Methods may return what templates cannot take. */
COLD static bool wrong_results(struct exec *x, const struct call_site *site,
                               const struct signature *sig)
{
    if (sig->too_many)
        return EXEC_FAIL(x, "function %s has %d return values; should be 1 or 2",
                         tv_str(site->name), tv_int(sig->too_many));
    return EXEC_FAIL(x,
                     "invalid function signature for %s: second return value should be error; "
                     "is %s",
                     tv_str(site->name), tv_str(str_c(tv_info(sig->second)->name)));
}

static enum tv_type param_type(const struct signature *sig, uint32_t i)
{
    return (enum tv_type)sig->params[i < sig->fixed ? i : sig->fixed];
}

/* and, or: arguments after the deciding one are not evaluated. */
static bool short_circuit(struct exec *x, const struct call_site *site, bool until, struct tv *out)
{
    for (uint32_t i = 0; i < site->count; i++) {
        if (!eval_arg(x, site->dot, TV_VALUE, site->args[i], out))
            return false;
        if (tv_is_true(&x->rt, *out) == until)
            return true;
    }
    return !site->final || validate_type(x, *site->final, TV_VALUE, out);
}

/* What a value adds to the texts that a call is charged for. */
static uint64_t text_bytes(struct tv v)
{
    return v.type == TV_STRING ? v.len : 0;
}

/* One argument. Many are texts: these need no call. */
static inline bool eval_one(struct exec *x, struct tv dot, enum tv_type type, const struct node *n,
                            struct tv *out)
{
    if (n->kind != NODE_STRING || (type != TV_STRING && type < TV_ANY))
        return eval_arg(x, dot, type, n, out);
    x->node = n;
    *out = n->string.value;
    return true;
}

/* Evaluates the arguments and charges for the call. */
static bool eval_args(struct exec *x, const struct call_site *site, const struct signature *sig,
                      struct tv *args)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < site->count; i++) {
        if (!eval_one(x, site->dot, param_type(sig, i), site->args[i], &args[i]))
            return false;
        bytes += text_bytes(args[i]);
    }
    if (site->final) {
        struct tv *last = &args[site->count];
        if (!validate_type(x, *site->final, param_type(sig, site->count), last))
            return false;
        bytes += text_bytes(*last);
    }
    rt_charge(&x->rt, CALL_STEPS + bytes / RT_BYTES_PER_STEP);
    return true;
}

/* A failed call, reported at the whole command. */
COLD static bool call_failed(struct exec *x, const struct call_site *site,
                             const struct tmpl_call *c)
{
    bool was_limit = c->error_kind == ERR_LIMIT;

    x->node = site->node;
    if (!x->rt.steps)
        return exec_limit(x, "takes too many steps");
    EXEC_FAIL(x, "error calling %s: %w", tv_str(site->name), tv_str(c->error));
    if (was_limit && x->err)
        x->err->kind = ERR_LIMIT;
    return false;
}

bool eval_call(struct exec *x, const struct call_site *site, const struct tmpl_func *f,
               const struct signature *sig, struct tv self, struct tv *out)
{
    struct tv small[SMALL_ARGS], *args = small;
    struct tmpl_call c = {.rt = &x->rt,
                          .arena = x->rt.arena,
                          .count = site->count + (site->final != NULL),
                          .self = self,
                          .site = site};

    if (UNLIKELY(!takes(sig, (uint32_t)c.count)))
        return wrong_count(x, site, sig);
    if (UNLIKELY(sig->too_many || sig->second))
        return wrong_results(x, site, sig);
    if (!exec_step(x))
        return false;
    if (f->call == fn_and || f->call == fn_or)
        return short_circuit(x, site, f->call == fn_or, out);
    if (site->count >= SMALL_ARGS)
        args = ARENA_ARRAY(x->rt.arena, struct tv, site->count + 1);
    if (!eval_args(x, site, sig, args))
        return false;
    c.args = args;
    c.result.type = sig->result;
    if (!f->call(&c))
        return call_failed(x, site, &c);
    *out = c.result;
    if (sig->result == TV_ANY)
        out->flags |= TV_IFACE;
    return true;
}

/* ---- For functions -------------------------------------------------------------------------- */

bool call_fail_str(struct tmpl_call *c, str text)
{
    c->error = text;
    return false;
}

bool call_fail(struct tmpl_call *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    c->error = str_vfmt(c->arena, format, args);
    va_end(args);
    return false;
}

bool call_room(struct tmpl_call *c, size_t bytes)
{
    if (bytes <= rt_room(c->rt))
        return true;
    c->error_kind = ERR_LIMIT;
    return call_fail(c, "the result is too large");
}

bool call_steps(struct tmpl_call *c, uint64_t steps)
{
    if (steps < c->rt->steps && rt_charge(c->rt, steps))
        return true;
    c->error_kind = ERR_LIMIT;
    return call_fail(c, "this takes too many steps");
}

struct buf call_buf(struct tmpl_call *c)
{
    return buf_new(c->arena, rt_room(c->rt));
}

bool return_call_buf(struct tmpl_call *c, const struct buf *b)
{
    if (!b->overflow)
        return return_buf(c, b);
    c->error_kind = ERR_LIMIT;
    return call_fail(c, "the result is too large");
}
