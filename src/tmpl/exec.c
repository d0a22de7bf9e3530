/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c - walking a template.
 *
 * The walk keeps its own stack of frames instead of recursing, so that templates that call
 * templates need no C stack, however deep: a frame is a list with the place in it, a range with its
 * iterator, or a template call with what to go back to. Pipelines are run by eval.c, which does not
 * recurse either; only include and tpl do, which are limited.
 */
#include "tmpl/code.h"
#include "tmpl/funcs/convert.h"

#include "value/value.h"

enum frame_kind { FRAME_LIST, FRAME_RANGE, FRAME_CALL };

struct frame {
    enum frame_kind kind;
    struct tv dot;
    size_t vars; /* how many variables there are when the frame ends */
    union {
        struct {
            const struct nodes *nodes;
            uint32_t at;
        } list;
        struct {
            const struct node *node;
            struct tv over;           /* the list or number */
            struct tv_entry *entries; /* of a map */
            size_t at, count, body_vars;
        } range;
        struct {
            const struct template *template;
            size_t vars_base;
        } call;
    };
};

typedef VEC(struct frame) frame_vec;

/* How many frames and variables there is room for at first. */
enum { FRAMES_FIRST = 16, VARIABLES_FIRST = 16 };

/* One walk: the run of a template, or of an include within it. */
struct walk {
    struct exec *x;
    frame_vec frames;
};

/* ---- Errors --------------------------------------------------------------------------------- */

static void double_percent(struct buf *out, str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '%')
            buf_char(out, '%');
        buf_char(out, s.ptr[i]);
    }
}

/* "NAME:LINE:COLUMN", the column in bytes from 0. */
static void add_location(struct buf *out, const struct file *file, size_t pos)
{
    str before = str_slice(file->text, 0, pos);
    size_t line = 1 + str_count_char(before, '\n'), newline = str_rfind_char(before, '\n');

    buf_fmt(out, "%.*s:%zu:%zu", STR_ARG(file->name), line,
            newline == STR_NPOS ? pos : pos - newline - 1);
}

/* Where the node visited last is in its text. */
static size_t position(const struct exec *x)
{
    return x->node == x->item ? x->node->pos : (size_t)x->item->pos + x->node->pos;
}

/* The format that Go's errorf makes: the place, then the message. */
static str place_format(struct arena *a, struct exec *x, const char *format)
{
    struct buf f = buf_new(a, BUF_UNLIMITED), name, context;

    name = context = f;
    double_percent(&name, x->template->name);
    buf_add(&f, STR("template: "));
    if (x->node) {
        /* Upstream: the name of the file is not protected, so a per cent sign in it is a verb. */
        add_location(&f, x->template->file, position(x));
        buf_add(&f, STR(": executing "));
        go_quote(&f, buf_str(&name));
        node_print(&context, x->node);
        buf_add(&f, STR(" at <"));
        double_percent(&f, buf_str(&context));
        buf_char(&f, '>');
    } else {
        buf_add(&f, buf_str(&name));
    }
    buf_fmt(&f, ": %s", format);
    return buf_str(&f);
}

static bool fail_kind(struct exec *x, enum err_kind kind, const char *format, const struct tv *args,
                      size_t count)
{
    AUTO_ARENA scratch = arena_new(); /* include fails 1,000 times with ever longer messages */
    struct buf b = buf_new(scratch, BUF_UNLIMITED);
    struct rt rt = x->rt;

    rt.arena = scratch;
    rt.errorf = true;
    tv_printf(&rt, &b, place_format(scratch, x, format), args, count);
    return err_set_str(x->err, kind, buf_str(&b));
}

bool exec_fail(struct exec *x, const char *format, const struct tv *args, size_t count)
{
    return fail_kind(x, ERR_INVALID, format, args, count);
}

bool exec_limit(struct exec *x, const char *what)
{
    struct tv text = tv_str(str_c(what));

    return fail_kind(x, ERR_LIMIT, "the template %s", &text, 1);
}

bool exec_step_failed(struct exec *x)
{
    if (!x->rt.steps)
        return exec_limit(x, "takes too many steps");
    if (arena_used(x->rt.arena) > x->rt.memory_max)
        return exec_limit(x, "uses too much memory");
    if (x->out->len > x->output_max || x->out->overflow)
        return exec_limit(x, "writes too much");
    return exec_limit(x, "makes a value that nests too deep");
}

/* ---- Variables ------------------------------------------------------------------------------ */

/* The data of a template. */
static void push_dollar(struct exec *x, struct tv data)
{
    exec_push(x, STR("$"), variable_id(STR("$")), data);
}

bool exec_undefined(struct exec *x, str name)
{
    return EXEC_FAIL(x, "undefined variable: %s", tv_str(name));
}

bool exec_assign(struct exec *x, str name, struct tv value)
{
    for (size_t i = x->vars.len; i > x->vars_base; i--) {
        const struct variable *v = &x->vars.items[i - 1];
        if (str_eq(str_of(v->name, v->len), name)) {
            x->vars.items[i - 1].value = value;
            rt_charge(&x->rt, (x->vars.len - i) / VARIABLES_PER_STEP);
            return true;
        }
    }
    return exec_undefined(x, name);
}

/* ---- Frames --------------------------------------------------------------------------------- */

/* What belongs to its kind is for the caller to set. */
static inline struct frame *push_frame(struct walk *w, enum frame_kind kind, struct tv dot,
                                       size_t vars)
{
    struct frame *f;

    if (UNLIKELY(w->frames.len == w->frames.cap))
        w->frames.items =
            vec_grow(w->x->rt.arena, w->frames.items, &w->frames.cap, sizeof(*w->frames.items));
    f = &w->frames.items[w->frames.len++];
    f->kind = kind;
    f->dot = dot;
    f->vars = vars;
    return f;
}

static void push_list(struct walk *w, const struct node *list, struct tv dot, size_t vars)
{
    struct frame *f = push_frame(w, FRAME_LIST, dot, vars);

    f->list.nodes = &list->list;
    f->list.at = 0;
}

/* Ends the top frame: its variables go, and a call goes back to its caller. */
static void pop_frame(struct walk *w)
{
    struct frame *f = &w->frames.items[--w->frames.len];

    w->x->vars.len = f->vars;
    if (f->kind == FRAME_CALL) {
        w->x->template = f->call.template;
        w->x->vars_base = f->call.vars_base;
        w->x->depth--;
    }
}

static bool catches(const struct frame *f, bool is_break)
{
    return f->kind == FRAME_RANGE && (is_break || f->range.count);
}

/*
 * break and continue: to the range around, which the parser has made sure of.
 *
 * Upstream: in the else of a range, break ends that range, which did not run, while continue
 * belongs to the range around it (control/break/018).
 */
static void jump(struct walk *w, bool is_break)
{
    while (!catches(&w->frames.items[w->frames.len - 1], is_break))
        pop_frame(w);
    if (is_break)
        pop_frame(w);
}

/* ---- Control -------------------------------------------------------------------------------- */

static bool walk_branch(struct walk *w, const struct node *n, struct tv dot)
{
    struct exec *x = w->x;
    size_t vars = x->vars.len;
    struct tv value;

    if (!eval_code(x, dot, n->branch.pipe->pipe.code, &value))
        return false;
    bool holds = exec_holds(x, value);
    if (UNLIKELY(x->run->coverage != NULL))
        coverage_note(x->run->coverage, n, holds);
    if (holds)
        push_list(w, n->branch.then, n->kind == NODE_WITH ? value : dot, vars);
    else if (n->branch.otherwise)
        push_list(w, n->branch.otherwise, dot, vars);
    else
        x->vars.len = vars;
    return true;
}

COLD static bool too_many_variables(struct exec *x, struct tv value)
{
    return EXEC_FAIL(x, "can't use %v to iterate over more than one variable", value);
}

COLD static bool cannot_iterate(struct exec *x, struct tv value)
{
    if (tv_kind(value) == TV_KIND_PTR)
        value.type = (uint8_t)tv_info(value.type)->elem;
    return EXEC_FAIL(x, "range can't iterate over %v", value);
}

/* How often a range runs. */
static bool range_count(struct exec *x, const struct node *n, struct tv value, size_t *count)
{
    switch (tv_kind(value)) {
    case TV_KIND_SLICE:
    case TV_KIND_MAP:
        *count = tv_len(&x->rt, value);
        return true;
    case TV_KIND_INVALID:
        *count = 0;
        return true;
    case TV_KIND_INT:
    case TV_KIND_UINT:
        if (n->branch.pipe->pipe.declared.len > 1)
            return too_many_variables(x, value);
        *count = tv_kind(value) == TV_KIND_INT && value.i < 0 ? 0 : (size_t)value.u;
        return true;
    default:
        return cannot_iterate(x, value);
    }
}

static bool walk_range(struct walk *w, const struct node *n, struct tv dot)
{
    struct exec *x = w->x;
    size_t vars = x->vars.len, count = 0;
    struct frame *f;
    struct tv value;

    if (!eval_code(x, dot, n->branch.pipe->pipe.code, &value) || !range_count(x, n, value, &count))
        return false;
    if (UNLIKELY(x->run->coverage != NULL))
        coverage_note(x->run->coverage, n, count > 0);
    f = push_frame(w, FRAME_RANGE, dot, vars);
    f->range.node = n;
    f->range.over = value;
    f->range.at = 0;
    f->range.count = count;
    f->range.body_vars = x->vars.len;
    f->range.entries = tv_kind(value) == TV_KIND_MAP ? tv_entries(&x->rt, value) : NULL;
    if (!count && n->branch.otherwise)
        push_list(w, n->branch.otherwise, dot, x->vars.len);
    return true;
}

/* The variables of a range for the next round. */
static bool set_range_vars(struct exec *x, const struct node *pipe, struct tv index, struct tv item)
{
    const struct nodes *d = &pipe->pipe.declared;
    struct variable *top = x->vars.items + x->vars.len;

    if (!d->len)
        return true;
    if (pipe->assign) {
        if (d->len > 1)
            return exec_assign(x, d->items[0]->chain.fields.items[0], index) &&
                   exec_assign(x, d->items[1]->chain.fields.items[0], item);
        return exec_assign(x, d->items[0]->chain.fields.items[0], item);
    }
    top[-1].value = item;
    if (d->len > 1)
        top[-2].value = index;
    return true;
}

static bool next_round(struct walk *w, struct frame *f)
{
    struct exec *x = w->x;
    size_t i = f->range.at++;
    struct tv index, item;

    x->vars.len = f->range.body_vars;
    if (f->range.entries) {
        index = tv_str(f->range.entries[i].key);
        item = f->range.entries[i].item;
    } else if (tv_kind(f->range.over) == TV_KIND_SLICE) {
        index = tv_int((int64_t)i);
        item = tv_at(&x->rt, f->range.over, i);
    } else {
        index = tv_none();
        item = f->range.over;
        item.u = i;
    }
    if (!set_range_vars(x, f->range.node->branch.pipe, index, item))
        return false;
    push_list(w, f->range.node->branch.then, item, f->range.body_vars);
    return true;
}

COLD static bool not_defined(struct exec *x, str name)
{
    return EXEC_FAIL(x, "template %q not defined", tv_str(name));
}

COLD static bool too_deep(struct exec *x)
{
    return EXEC_FAIL(x, "exceeded maximum template depth (%v)", tv_int(x->depth_max));
}

static bool walk_template(struct walk *w, const struct node *n, struct tv dot)
{
    struct exec *x = w->x;
    const struct template *t = map_get_hashed(x->set->templates, n->call.name, n->call.hash);
    struct tv data = tv_none();
    struct frame *f;

    if (!t)
        return not_defined(x, n->call.name);
    if (x->depth == x->depth_max)
        return too_deep(x);
    if (n->call.pipe && !eval_code(x, dot, n->call.pipe->pipe.code, &data))
        return false;
    f = push_frame(w, FRAME_CALL, dot, x->vars.len);
    f->call.template = x->template;
    f->call.vars_base = x->vars_base;
    x->depth++;
    x->template = t;
    x->vars_base = x->vars.len;
    push_dollar(x, data);
    push_list(w, t->root, data, x->vars.len);
    return true;
}

static inline bool walk_action(struct exec *x, const struct node *n, struct tv dot)
{
    struct tv value;

    if (!eval_code(x, dot, n->action->pipe.code, &value))
        return false;
    if (n->action->pipe.declared.len)
        return true;
    x->node = n;
    if (value.type == TV_STRING)
        buf_add(x->out, tv_text(value));
    else if (value.type == TV_INVALID)
        buf_add(x->out, STR("<no value>"));
    else
        tv_print(&x->rt, x->out, value);
    return true;
}

/* A node that has a frame of its own, or changes those that there are. */
static bool walk_control(struct walk *w, const struct node *n, struct tv dot)
{
    switch ((enum node_kind)n->kind) {
    case NODE_IF:
    case NODE_WITH:
        return walk_branch(w, n, dot);
    case NODE_RANGE:
        return walk_range(w, n, dot);
    case NODE_TEMPLATE:
        return walk_template(w, n, dot);
    case NODE_BREAK:
    case NODE_CONTINUE:
        jump(w, n->kind == NODE_BREAK);
        return true;
    default:
        assert(!"no node of a list");
        return true;
    }
}

/* Goes through a list up to and with the first node that is not a text or an action. */
static bool walk_list(struct walk *w, struct frame *f)
{
    struct exec *x = w->x;
    const struct nodes *nodes = f->list.nodes;

    while (f->list.at < nodes->len) {
        const struct node *n = nodes->items[f->list.at++];
        size_t from = x->out->len;
        bool ok = true;
        if (!exec_step(x))
            return false;
        x->node = x->item = n;
        if (n->kind == NODE_TEXT)
            buf_add(x->out, n->text);
        else if (n->kind == NODE_ACTION)
            ok = walk_action(x, n, f->dot);
        else
            return walk_control(w, n, f->dot);
        if (UNLIKELY(x->noted == x->out && x->out->len > from))
            provenance_note(x, n, from);
        if (!ok)
            return false;
    }
    return true;
}

/* Runs until all frames have ended. */
static bool walk(struct walk *w)
{
    while (w->frames.len) {
        struct frame *f = &w->frames.items[w->frames.len - 1];
        if (f->kind == FRAME_LIST && f->list.at < f->list.nodes->len) {
            if (!walk_list(w, f))
                return false;
            continue;
        }
        if (!exec_step(w->x))
            return false;
        if (f->kind == FRAME_RANGE && f->range.at < f->range.count) {
            if (!next_round(w, f))
                return false;
        } else {
            pop_frame(w);
        }
    }
    return exec_step(w->x);
}

bool exec_template(struct exec *x, const struct template *t, struct tv data, struct buf *out)
{
    struct walk w = {.x = x};
    struct exec saved = *x;
    bool ok;

    x->template = t;
    x->out = out;
    x->output_max = x->rt.memory_max;
    x->vars_base = x->vars.len;
    x->depth = 0;
    push_dollar(x, data);
    push_list(&w, t->root, data, x->vars.len);
    ok = walk(&w);
    x->template = saved.template;
    x->node = saved.node;
    x->item = saved.item;
    x->out = saved.out;
    x->output_max = saved.output_max;
    x->vars.len = x->vars_base;
    x->vars_base = saved.vars_base;
    x->depth = saved.depth;
    return ok;
}

/* ---- The whole ------------------------------------------------------------------------------ */

static size_t limit_or(size_t limit, size_t otherwise)
{
    return limit ? limit : otherwise;
}

static void set_limits(struct exec *x, const struct tmpl_limits *limits)
{
    static const struct tmpl_limits none = {0};

    limits = limits ? limits : &none;
    x->rt.steps = limits->steps ? limits->steps : TMPL_STEPS_MAX;
    x->depth_max = (uint32_t)limit_or(limits->depth, TMPL_DEPTH_MAX);
    x->output_max = x->out->len + limit_or(limits->output, TMPL_OUTPUT_MAX);
    x->rt.memory_max = arena_used(x->rt.arena) + limit_or(limits->memory, TMPL_MEMORY_MAX);
}

str no_template_text(struct arena *a, const struct tmpl_set *set, str name)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("template: no template "));
    go_quote(&b, name);
    buf_add(&b, STR(" associated with template "));
    go_quote(&b, set->main ? set->main->name : STR_NONE);
    return buf_str(&b);
}

/* The current state of a map of the host, or NULL if unknown. */
static const struct value *tree_now(struct exec *x, struct tv v)
{
    const struct value *tree = NULL;
    enum number_rule numbers;
    AUTO_ERR unsupported = {0};

    return tv_to_tree(&x->rt, v, &tree, &numbers, &unsupported) ? tree : NULL;
}

/* Functions like set change the maps they are given; those of the data are the host's. */
static void keep_changes(struct exec *x, struct tv data)
{
    const struct tmpl_hooks *hooks = x->rt.hooks;

    x->run->changed = NULL;
    if (!x->rt.overlay)
        return;
    if (x->run->data)
        x->run->changed = tree_now(x, data);
    for (size_t i = 0; i < x->rt.found.len; i++) {
        const struct value *found = x->rt.found.items[i];
        const struct value *now = tree_now(x, tv_wrap_host(&x->rt, found));
        if (now)
            hooks->changed(hooks->ctx, found, now);
    }
}

bool tmpl_execute(struct arena *a, const struct tmpl_set *set, str name, struct tmpl_run *run,
                  struct buf *out, struct err *e)
{
    static const struct tmpl_hooks no_hooks = {0};
    const struct template *t = name.ptr ? map_get(set->templates, name) : set->main_template;
    struct exec x = {.set = set, .template = t, .out = out, .err = e, .run = run};
    struct walk w = {.x = &x};
    struct frame frames[FRAMES_FIRST];
    struct variable vars[VARIABLES_FIRST];
    struct tv values[VALUES_FIRST], data;

    if (!t)
        return err_set_str(e, ERR_NOT_FOUND, no_template_text(a, set, name));
    x.stack = __builtin_frame_address(0);
    w.frames.items = frames;
    w.frames.cap = FRAMES_FIRST;
    x.vars.items = vars;
    x.vars.cap = VARIABLES_FIRST;
    x.top = values;
    x.values_end = values + VALUES_FIRST;
    x.rt = (struct rt){.arena = a, .exec = &x, .zone_name = run->zone};
    x.rt.hooks = run->hooks ? run->hooks : &no_hooks;
    x.noted = run->provenance ? out : NULL;
    run->do_not_match = false;
    set_limits(&x, run->limits);
    x.rt.exact = run->exact;
    if (run->data)
        data = run->floats ? tv_wrap(run->data, true) : tv_wrap_host(&x.rt, run->data);
    else
        data = tv_map_new(&x.rt, TV_MAP);
    push_dollar(&x, data);
    push_list(&w, t->root, data, x.vars.len);
    const uint64_t steps = x.rt.steps;
    bool ok = walk(&w);
    keep_changes(&x, data);
    run->steps = steps - x.rt.steps;
    return ok;
}
