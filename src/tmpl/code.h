/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h - compiled pipelines.
 *
 * When a pipeline has been parsed, compile.c turns it into a list of operations in Go's order of
 * evaluation, which eval.c runs on a stack of values. Whatever does not depend on data is decided
 * once, at this point: literals have the type of their parameter, the number of arguments of each
 * function is known, and a pipeline in parentheses becomes part of the surrounding list.
 *
 * Code is read-only and lives as long as the set whose text was parsed.
 */
#pragma once

#include "tmpl/internal.h"

enum op_kind {
    /* These put a value on top. */
    OP_CONSTANT,
    OP_DOT,
    OP_FIELDS,   /* of the dot */
    OP_VARIABLE, /* perhaps with fields */
    /* These change the top. */
    OP_CONVERT,   /* only the type */
    OP_FIELDS_OF, /* of the top */
    OP_INVOKE,    /* a field or method of the top, with arguments */
    OP_CALL,      /* a function: the result replaces the arguments */
    /* and, or: the top is dropped, unless it decides, which makes it the result. */
    OP_STEP,
    OP_DECIDE,
    /* The top stays. */
    OP_DECLARE,
    OP_ASSIGN,
    /* These always fail when they are reached. */
    OP_BAD_COUNT,   /* of arguments */
    OP_BAD_LITERAL, /* for the type of its parameter */
    OP_NIL,         /* as a command */
    OP_IN_VAIN,     /* arguments for something other than a function */
};

/* What is known about a call before it is made. */
struct call_site {
    const struct function *function; /* OP_INVOKE: found at run time */
    const struct node *word;         /* the function's name; OP_INVOKE: NULL */
    const struct node *node;         /* where a failing call is reported */
    str name;
    const struct node *const *args; /* without the piped value */
    const struct code *codes;       /* OP_INVOKE: of args; those of literals are empty */
    uint32_t count;                 /* of args */
    bool piped;                     /* a value is piped in: the last argument */
    uint8_t piped_type;             /* OP_CALL: enum tv_type of its parameter */
};

struct op {
    uint8_t kind;   /* enum op_kind */
    uint8_t type;   /* enum tv_type that the value gets; TV_VALUE: unchanged */
    bool whole : 1; /* the value of a pipeline: not in an interface, whatever its type */
    bool until : 1; /* OP_DECIDE: what decides */
    bool piped : 1; /* OP_DECIDE: there is a value below: the result if nothing decides */
    union {
        uint32_t id;    /* of a variable */
        uint32_t takes; /* OP_CALL: how many values */
        uint32_t skip;  /* OP_DECIDE: how many operations to skip */
    };
    const struct node *node; /* it was made from, for errors */
    union {
        struct tv constant;
        struct names fields;
        const struct call_site *site;
        const struct node *command; /* OP_IN_VAIN */
    };
};

struct code {
    const struct op *ops;
    uint32_t len, room; /* room: the most values on the stack at once */
    str printed;        /* the canonical form, if several texts share the pipeline */
};

typedef VEC(struct op) op_vec;

/* Compiles a pipeline. ops is scratch memory from a. */
void code_make(struct arena *a, op_vec *ops, struct node *pipe);

/* Variables are compared by name; ids make most comparisons fast. */
static inline uint32_t variable_id(str name)
{
    uint32_t id = 0;

    for (size_t i = 0; i < name.len; i++)
        id = 31 * id + (unsigned char)name.ptr[i];
    return id;
}

static inline bool signature_takes(const struct signature *sig, size_t count)
{
    return sig->variadic ? count >= sig->fixed : count == sig->fixed;
}

static inline enum tv_type signature_param(const struct signature *sig, uint32_t i)
{
    return (enum tv_type)sig->params[i < sig->fixed ? i : sig->fixed];
}

/* A literal as an argument for a parameter of this type. False if it cannot be one. */
MUST_CHECK bool literal_value(enum tv_type type, const struct node *n, struct tv *out);
/* Reports why that fails, which must be known. Always false. */
COLD bool literal_fail(struct exec *x, enum tv_type type, const struct node *n);
