/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h - pipelines in the form in which they run.
 *
 * When a pipeline has been parsed, compile.c makes a list of operations of it, in the order in
 * which Go evaluates; eval.c runs them on a stack of values. What does not depend on data is
 * settled here, once: literals have the type of their parameter, a function knows how many
 * arguments it gets, and a pipeline in parentheses is part of the list around it.
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
    OP_CONVERT,   /* nothing but the type */
    OP_FIELDS_OF, /* of the top */
    OP_INVOKE,    /* a field or method of the top, with arguments */
    OP_CALL,      /* a function: the result replaces the arguments */
    /* and, or: the top is dropped, unless it decides: then it is the result. */
    OP_STEP,
    OP_DECIDE,
    /* The top stays. */
    OP_DECLARE,
    OP_ASSIGN,
    /* What always fails, once it is reached. */
    OP_BAD_COUNT,   /* of arguments */
    OP_BAD_LITERAL, /* for the type of its parameter */
    OP_NIL,         /* as a command */
    OP_IN_VAIN,     /* arguments for something other than a function */
};

/* A call as far as it is known before it is made. */
struct call_site {
    const struct function *function; /* OP_INVOKE: found when it runs */
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
    uint8_t type;   /* enum tv_type that the value gets; TV_VALUE: it stays as it is */
    bool whole : 1; /* the value is that of a pipeline: not in an interface, whatever its type */
    bool until : 1; /* OP_DECIDE: what decides */
    bool piped : 1; /* OP_DECIDE: a value is below, the result if nothing decides */
    union {
        uint32_t id;    /* of a variable */
        uint32_t takes; /* OP_CALL: so many values */
        uint32_t skip;  /* OP_DECIDE: to the operation so many further on */
    };
    const struct node *node; /* that it is made of: for errors */
    union {
        struct tv constant;
        struct names fields;
        const struct call_site *site;
        const struct node *command; /* OP_IN_VAIN */
    };
};

struct code {
    const struct op *ops;
    uint32_t len, room; /* room: how many values there may be at once */
    str printed;        /* the canonical form, where several texts share the pipeline */
};

typedef VEC(struct op) op_vec;

/* Gives a pipeline its code. ops is scratch memory from a. */
void code_make(struct arena *a, op_vec *ops, struct node *pipe);

/* Variables are told apart by their names, and the ids make most comparisons short. */
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

/* A literal as an argument of a parameter of this type. False when it cannot be one. */
MUST_CHECK bool literal_value(enum tv_type type, const struct node *n, struct tv *out);
/* The same, which is known to fail: says why. Always false. */
COLD bool literal_fail(struct exec *x, enum tv_type type, const struct node *n);
