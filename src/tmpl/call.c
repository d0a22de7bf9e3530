/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - what functions use while they are called, and what is wrong with calls.
 */
#include "tmpl/code.h"

bool call_wrong_count(struct exec *x, const struct call_site *site)
{
    const struct signature *sig = &site->function->signature;

    /* Upstream: a piped value is not counted in this message. */
    if (sig->variadic)
        return EXEC_FAIL(x, "wrong number of args for %s: want at least %d got %d",
                         tv_str(site->name), tv_int(sig->fixed), tv_int(site->count));
    return EXEC_FAIL(x, "wrong number of args for %s: want %d got %d", tv_str(site->name),
                     tv_int(sig->fixed), tv_int(site->count + site->piped));
}

bool call_wrong_results(struct exec *x, const struct call_site *site)
{
    const struct signature *sig = &site->function->signature;

    if (sig->too_many)
        return EXEC_FAIL(x, "function %s has %d return values; should be 1 or 2",
                         tv_str(site->name), tv_int(sig->too_many));
    return EXEC_FAIL(x,
                     "invalid function signature for %s: second return value should be error; "
                     "is %s",
                     tv_str(site->name), tv_str(str_c(tv_info(sig->second)->name)));
}

bool call_failed(struct exec *x, const struct tmpl_call *c)
{
    bool was_limit = c->error_kind == ERR_LIMIT;

    x->node = c->site->node;
    if (!x->rt.steps)
        return exec_limit(x, "takes too many steps");
    EXEC_FAIL(x, "error calling %s: %w", tv_str(c->site->name), tv_str(c->error));
    if (was_limit && x->err)
        x->err->kind = ERR_LIMIT;
    return false;
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
