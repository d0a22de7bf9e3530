/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rt.h - values at run time, and how functions are called.
 *
 * Go's dynamic types decide what a template prints and how it fails, so a struct tv has one of
 * them, and a flag whether it is in a variable of type interface {} (Go says "nil pointer
 * evaluating interface {}.x" for one and "can't evaluate field x in type string" for the other). A
 * tv is 16 bytes and passed by value; lists and maps are references, so that all holders of a map
 * see the effect of set.
 *
 * The host's data is not converted: a TV_LIST or TV_MAP with TV_DATA points to a node of the tree,
 * which never changes. When a template changes a map of the data, that map is copied once into the
 * overlay of the run, and from then on the copy is used in place of the node.
 *
 * Everything here belongs to one execution and one thread.
 */
#pragma once

#include "base/base.h"
#include "go/quote.h"
#include "go/strconv.h"
#include "tmpl/tmpl.h"

struct value;
struct zone;
struct exec;
struct call_site;

/* Go's types, in the order of tv_types in rt.c. */
enum tv_type {
    TV_INVALID, /* no value; with TV_IFACE: a nil interface */
    TV_BOOL,
    TV_INT,
    TV_INT64,
    TV_UINT8,
    TV_UINT32,
    TV_UINT64,
    TV_FLOAT64,
    TV_COMPLEX128,
    TV_STRING,
    TV_LIST,    /* []interface {} */
    TV_STRINGS, /* []string */
    TV_INTS,    /* []int */
    TV_MAPS,    /* []map[string]interface {} */
    TV_LISTS,   /* [][]interface {} */
    TV_BYTES,   /* []uint8: the result of the Marshal methods of times and versions */
    TV_MAP,     /* map[string]interface {} */
    TV_STRMAP,  /* map[string]string */
    TV_TIME,
    TV_MONTH,
    TV_WEEKDAY,
    TV_DURATION,
    TV_LOCATION, /* *time.Location */
    TV_LOCATION_STRUCT,
    TV_SEMVER, /* *semver.Version */
    TV_SEMVER_STRUCT,
    TV_CERT,  /* sprig.certificate */
    TV_TOKEN, /* the parser's, only in odd error texts */
    TV_ANY,   /* only for parameters and results: interface {} */
    TV_VALUE, /* only for parameters and results: reflect.Value, knows if it is in an interface */
    TV_TYPES
};

enum tv_kind {
    TV_KIND_INVALID,
    TV_KIND_BOOL,
    TV_KIND_INT,
    TV_KIND_UINT,
    TV_KIND_FLOAT,
    TV_KIND_COMPLEX,
    TV_KIND_STRING,
    TV_KIND_SLICE,
    TV_KIND_MAP,
    TV_KIND_STRUCT,
    TV_KIND_PTR,
    TV_KIND_INTERFACE,
};

/*
 * TV_FLOATS: with TV_DATA, every number below is a float64. TV_EXACT: with TV_DATA, numbers below
 * that Go would round stay exact; a float64 with it is such a number: .data is its node, and
 * tv_float64 returns Go's rounded value.
 */
enum { TV_IFACE = 1, TV_DATA = 2, TV_FLOATS = 4, TV_EXACT = 8 };

struct tv_list {
    size_t len;
    struct tv *items;
};

struct tv_complex {
    double re, im;
};

struct tv {
    uint8_t type;  /* enum tv_type */
    uint8_t flags; /* TV_IFACE, TV_DATA */
    uint32_t len;  /* TV_STRING: bytes */
    union {
        bool truth;
        int64_t i;  /* TV_INT, TV_INT64, TV_MONTH, TV_WEEKDAY, TV_DURATION */
        uint64_t u; /* TV_UINT* */
        double f;   /* unless TV_EXACT: see tv_float64 */
        const char *text;
        const struct tv_complex *z;
        struct tv_list *list;     /* slices; NULL is Go's nil slice */
        struct map *map;          /* maps: text to struct tv; NULL is Go's nil map */
        const struct value *data; /* with TV_DATA */
        const void *object;       /* the rest: what the family of the type made */
    };
};

/* One execution, as values see it. */
struct rt {
    struct arena *arena;
    struct map *overlay; /* node address to its changed copy, NULL until something is changed */
    struct {
        const struct value **items;
        size_t len, cap;
    } found;           /* results of lookups; only if the host wants to know about changes */
    struct map *known; /* the same, to find it by its address */
    struct exec *exec;
    const struct tmpl_hooks *hooks;
    str zone_name;           /* of the local time zone; empty: that of the process */
    const struct zone *zone; /* the local time zone, once needed: funcs/dates.c */
    bool zone_known;
    size_t memory_max; /* of arena_used */
    uint64_t steps;    /* left; see rt_charge */
    unsigned depth;    /* of a recursion over values */
    bool exact;        /* never round numbers of the host's data */
    bool errorf;       /* printing an error: %w means %v */
    bool too_deep;     /* a value is nested too deep to print: the run fails */
};

/* How deep recursion over values may go: a map can contain itself. */
#define RT_DEPTH_MAX 4000

/*
 * Counts work against the limit of steps; one step is about 50 ns. False if none are left: a loop
 * then ends early with any result, since the run fails at its next step.
 */
#define RT_BYTES_PER_STEP 8 /* of text that is read or written */
static inline bool rt_charge(struct rt *rt, uint64_t steps)
{
    rt->steps = rt->steps > steps ? rt->steps - steps : 0;
    return rt->steps > 0;
}

/* The same for work on this many bytes of text that is not an argument. */
static inline bool rt_charge_bytes(struct rt *rt, uint64_t bytes)
{
    return rt_charge(rt, bytes / RT_BYTES_PER_STEP);
}

/* The same for sorting n texts with this many bytes in total, or for finding that they are sorted.
 * */
void rt_charge_sort(struct rt *rt, size_t n, uint64_t bytes, bool sorted);

/* How many bytes the run may still allocate. */
static inline size_t rt_room(const struct rt *rt)
{
    size_t used = arena_used(rt->arena);

    return used < rt->memory_max ? rt->memory_max - used : 0;
}

/* ---- Types. ---- */

struct tmpl_func;

/* A field of a struct type, for printing and for .Field. */
struct tv_field {
    const char *name;
    struct tv (*get)(const void *object);
};

struct tv_info {
    const char *name;      /* "map[string]interface {}" */
    const char *kind_name; /* "map" */
    enum tv_kind kind;
    enum tv_type elem; /* of slices, maps and pointers; TV_ANY if elements are interfaces */
    /* Go's String method, or NULL. Appends. */
    void (*string)(struct rt *rt, struct tv v, struct buf *out);
    /* Go's GoString method, for %#v, or NULL. Appends. */
    void (*go_string)(struct rt *rt, struct tv v, struct buf *out);
    /* The text of a value in JSON, YAML and TOML, or NULL. Appends. */
    bool (*text)(struct rt *rt, struct tv v, struct buf *out, struct err *e);
    /* Go's ==; with deep: reflect.DeepEqual. NULL: the same object or the same String. */
    bool (*equal)(const void *x, const void *y, bool deep);
    const struct tmpl_func *methods; /* ends with a line without a name; may be NULL */
    const struct tv_field *fields;   /* the same */
};

extern const struct tv_info tv_types[TV_TYPES];
static inline const struct tv_info *tv_info(enum tv_type type)
{
    return &tv_types[type];
}
/* Go's name of the type of v; a nil interface is "interface {}". */
static inline const char *tv_type_name(struct tv v)
{
    return tv_types[v.type].name;
}
static inline enum tv_kind tv_kind(struct tv v)
{
    return tv_types[v.type].kind;
}

/* ---- Making. ---- */

static inline struct tv tv_bool(bool b)
{
    return (struct tv){.type = TV_BOOL, .truth = b};
}
static inline struct tv tv_int(int64_t i)
{
    return (struct tv){.type = TV_INT, .i = i};
}
static inline struct tv tv_int64(int64_t i)
{
    return (struct tv){.type = TV_INT64, .i = i};
}
static inline struct tv tv_float(double f)
{
    return (struct tv){.type = TV_FLOAT64, .f = f};
}
/* Texts of 4 GiB and more cannot occur: memory limits are lower. */
static inline struct tv tv_str(str s)
{
    return (struct tv){.type = TV_STRING, .len = (uint32_t)s.len, .text = s.ptr};
}
static inline struct tv tv_none(void)
{
    return (struct tv){0};
}
static inline struct tv tv_object(enum tv_type type, const void *object)
{
    return (struct tv){.type = (uint8_t)type, .object = object};
}
/* The concrete value in an interface, like Go's indirectInterface. */
static inline struct tv tv_concrete(struct tv v)
{
    v.flags &= (uint8_t)~TV_IFACE;
    return v;
}
static inline str tv_text(struct tv v)
{
    return (str){v.text, v.len};
}
/*
 * Wraps a node of data, which must live as long as the run. NULL gives no value. floats: every
 * number is a float64; else integers that fit are int64.
 */
struct tv tv_wrap(const struct value *node, bool floats);
/* Wraps a node of the host's data, exactly if the run asks for that. */
struct tv tv_wrap_host(const struct rt *rt, const struct value *node);
/* The value of a float64. */
double tv_float64(struct tv v);
/* Go's < and == of two of them. */
bool tv_float_less(struct tv x, struct tv y);
bool tv_float_equal(struct tv x, struct tv y);

/* ---- Lists (every slice type). ---- */

/* A list with n zeroed elements. The caller must have checked rt_room. */
struct tv tv_list_new(struct rt *rt, enum tv_type type, size_t n);
size_t tv_len(const struct rt *rt, struct tv v); /* text, slice or map */
/* Element i, which must exist; in an interface if the type says so. */
struct tv tv_at(const struct rt *rt, struct tv list, size_t i);
/* The elements from from to to, which must be in range, as a list of the same type. */
struct tv tv_slice(struct rt *rt, struct tv list, size_t from, size_t to);
/*
 * How far a slice of it may extend, like Go's cap: decoded lists have spare room. For text, its
 * length.
 */
size_t tv_capacity(const struct rt *rt, struct tv v);
/* Like tv_slice, but to may be up to the capacity; elements beyond the end are nil. */
struct tv tv_slice_far(struct rt *rt, struct tv list, size_t from, size_t to);
static inline bool tv_is_nil(struct tv v)
{
    return !v.object && tv_info(v.type)->kind >= TV_KIND_SLICE && v.type != TV_INVALID;
}

/* ---- Maps. Keys must live as long as the run. ---- */

struct tv tv_map_new(struct rt *rt, enum tv_type type);
/* The entry key, in an interface if the type says so. False if there is none. */
bool tv_get(const struct rt *rt, struct tv map, str key, struct tv *out);
/* Changes a map for all holders. map must not be nil. */
void tv_set(struct rt *rt, struct tv map, str key, struct tv item);
void tv_unset(struct rt *rt, struct tv map, str key);

struct tv_entry {
    str key;
    struct tv item; /* as returned by tv_get */
};
/* The entries sorted bytewise by key, count = tv_len. */
struct tv_entry *tv_entries(struct rt *rt, struct tv map);

/* ---- Questions. ---- */

/* Go's truth: not the zero of its type. */
bool tv_is_true(const struct rt *rt, struct tv v);
/* reflect.DeepEqual: types must be equal, too. */
bool tv_deep_equal(struct rt *rt, struct tv x, struct tv y);

/* ---- Text. ---- */

/* fmt.Sprint of one operand: %v. */
void tv_print(struct rt *rt, struct buf *out, struct tv v);
/* fmt.Sprintf, Sprint and Sprintln. */
void tv_printf(struct rt *rt, struct buf *out, str format, const struct tv *args, size_t count);
void tv_sprint(struct rt *rt, struct buf *out, const struct tv *args, size_t count);
void tv_sprintln(struct rt *rt, struct buf *out, const struct tv *args, size_t count);
/* The %v text of one value. */
str tv_to_str(struct rt *rt, struct tv v);
/* strconv.FormatFloat(f, verb, precision, 64). */
void go_float(struct buf *out, double f, char verb, int precision);

/* ---- Functions. ---- */

struct tmpl_call {
    struct rt *rt;
    struct arena *arena; /* of the run */
    const struct tv *args;
    size_t count;   /* of args, including variadic ones */
    struct tv self; /* of methods */
    const struct call_site *site;
    struct tv result; /* has the type of the signature when the function starts */
    str error;        /* what failed */
    enum err_kind error_kind;
};

/*
 * One line of a family's table. The signature is Go's. It decides how many arguments there are, how
 * they are converted and how errors about them are worded, so that a function gets only what it
 * asked for: args of type any are concrete (TV_INVALID for nil), reflect.Value keeps the interface.
 */
struct tmpl_func {
    const char *name;
    const char *signature;
    unsigned profiles; /* enum tmpl_profile, or-ed */
    bool (*call)(struct tmpl_call *c);
    const char *help;
    const char *example;
};

/* The tables of all families, NULL-terminated: funcs/all.c. */
extern const struct tmpl_func *const tmpl_families[];
static inline str arg_str(const struct tmpl_call *c, size_t i)
{
    return tv_text(c->args[i]);
}
static inline int64_t arg_int(const struct tmpl_call *c, size_t i)
{
    return c->args[i].i;
}
static inline struct tv arg_tv(const struct tmpl_call *c, size_t i)
{
    return c->args[i];
}

/* Each sets the result and returns true. */
static inline bool return_tv(struct tmpl_call *c, struct tv v)
{
    c->result = v;
    return true;
}
static inline bool return_str(struct tmpl_call *c, str s)
{
    return return_tv(c, tv_str(s));
}
static inline bool return_buf(struct tmpl_call *c, const struct buf *b)
{
    return return_str(c, buf_str(b));
}
static inline bool return_bool(struct tmpl_call *c, bool b)
{
    return return_tv(c, tv_bool(b));
}
/* An int or int64, depending on the signature. */
static inline bool return_int(struct tmpl_call *c, int64_t i)
{
    c->result.i = i;
    return true;
}
static inline bool return_float(struct tmpl_call *c, double f)
{
    return return_tv(c, tv_float(f));
}
/* Fails with this text: "error calling NAME: TEXT". Always false. */
bool call_fail(struct tmpl_call *c, const char *format, ...) FORMAT(2, 3);
bool call_fail_str(struct tmpl_call *c, str text);
/*
 * Whether this many more bytes fit into the memory limit of the run; else fails like call_fail.
 * Call it before allocating anything that grows with a number or a product of sizes.
 */
MUST_CHECK bool call_room(struct tmpl_call *c, size_t bytes);
/* The same for work: fails if fewer steps are left. See rt_charge. */
MUST_CHECK bool call_steps(struct tmpl_call *c, uint64_t steps);
/* A buffer in the arena of the run, limited to what is left of the memory limit. */
struct buf call_buf(struct tmpl_call *c);
/* Returns the text of a call_buf; fails if it overflowed. */
bool return_call_buf(struct tmpl_call *c, const struct buf *b);
