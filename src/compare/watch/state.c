/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c - the verdict about a watched cluster: the state of each object that counts, and what has
 * changed when the state does.
 *
 * An object counts if it was compared, could not be, or refers to a template. Only a hash of an
 * object's differences is kept; the differences themselves are reported and dropped. What is
 * missing follows from the number of objects per template, and is recomputed after each change.
 */
#include "compare/watch/internal.h"
#include "compare/explain/trace_internal.h"

enum entry_status { ENTRY_NONE, ENTRY_SAME, ENTRY_DRIFTS, ENTRY_FAILED };

struct watch_entry {
    struct table_node node;
    enum entry_status status;
    const struct template *template; /* NULL: none */
    uint64_t print;                  /* of what it differs in, or why it failed */
    size_t fact_count;
    struct owner_fact facts[]; /* and the key behind them */
};

static const char *const kind_names[WATCH_KINDS] = {
    [WATCH_START] = "start",     [WATCH_DRIFT] = "drift",       [WATCH_CHANGED] = "changed",
    [WATCH_FIXED] = "fixed",     [WATCH_FAILED] = "failed",     [WATCH_MISSING] = "missing",
    [WATCH_PRESENT] = "present", [WATCH_UNWANTED] = "unwanted", [WATCH_SOLVED] = "solved",
    [WATCH_END] = "end",
};

const char *watch_kind_name(enum watch_kind kind)
{
    return kind_names[kind];
}

/* ---- Changes. ---- */

static void tell(struct watch_state *s, const struct watch_change *change)
{
    s->reported[change->kind]++;
    VEC_PUSH(s->arena, &s->changes, *change);
}

static bool is_wrong(enum watch_kind kind)
{
    return kind == WATCH_DRIFT || kind == WATCH_CHANGED || kind == WATCH_FAILED;
}

/* Before the start only what is wrong in the end counts. */
static void tell_object(struct watch_state *s, str key, const struct watch_change *change)
{
    struct watch_change *kept = NULL;

    if (!s->early) {
        tell(s, change);
        return;
    }
    if (is_wrong(change->kind)) {
        kept = ARENA_NEW(s->arena, struct watch_change);
        *kept = *change;
        if (kept->kind == WATCH_CHANGED)
            kept->kind = WATCH_DRIFT;
    }
    if (kept || map_has(s->early, key))
        map_set(s->early, str_copy(s->arena, key), kept);
}

void watch_state_reset(struct watch_state *s)
{
    /* What waits for the start lives there too. */
    if (s->early)
        return;
    s->changes = (struct watch_changes){0};
    arena_reset(s->arena);
}

/* ---- Objects. ---- */

static struct watch_template *template_of(struct watch_state *s, const struct template *t)
{
    return &s->templates[t - s->compare->reference.templates.items];
}

/* One more, or one less. */
static void shift(size_t *n, bool add)
{
    *n = add ? *n + 1 : *n - 1;
}

static void count(struct watch_state *s, const struct watch_entry *e, bool add)
{
    bool drifts = e->status == ENTRY_DRIFTS;

    if (e->status == ENTRY_FAILED)
        shift(&s->failed, add);
    if (drifts) {
        shift(&s->drifting, add);
        shift(&template_of(s, e->template)->drifting, add);
    }
    if (drifts || e->status == ENTRY_SAME) {
        shift(&s->matched, add);
        shift(&template_of(s, e->template)->matched, add);
    }
    if (add)
        owners_take(e->facts, e->fact_count);
    else
        owners_drop(e->facts, e->fact_count);
}

static void drop_entry(struct watch_state *s, struct watch_entry *e)
{
    if (!e)
        return;
    count(s, e, false);
    table_drop(s->entries, &e->node);
    block_free(e);
}

static void add_entry(struct watch_state *s, str key, const struct watch_entry *like,
                      const struct owner_facts *facts)
{
    size_t fact_bytes = facts->len * sizeof(struct owner_fact);
    struct watch_entry *e = block_new(sizeof(*e) + fact_bytes + key.len);
    char *copy = (char *)e->facts + fact_bytes;

    *e = *like;
    e->fact_count = facts->len;
    if (fact_bytes)
        memcpy(e->facts, facts->items, fact_bytes);
    memcpy(copy, key.ptr, key.len);
    table_add(s->entries, &e->node, str_of(copy, key.len));
    count(s, e, true);
}

/* Order counts, so each is mixed into what was there. */
static uint64_t mix(uint64_t print, uint64_t more)
{
    return (print ^ more) * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

static uint64_t print_of(const struct outcome *out)
{
    uint64_t print = out->kind == OUTCOME_FAILED ? str_hash(out->error)
                                                 : str_hash(out->template->path);

    for (size_t i = 0; i < out->fields.len; i++) {
        const struct result_field *f = &out->fields.items[i];
        print = mix(mix(print, str_hash(f->path)), (uint64_t)f->kind);
        print = mix(print, f->expected ? value_hash(f->expected) : 0);
        print = mix(print, f->actual ? value_hash(f->actual) : 0);
    }
    return print;
}

static struct watch_entry entry_of(const struct outcome *out)
{
    struct watch_entry e = {.status = ENTRY_NONE};

    if (out->kind == OUTCOME_FAILED)
        e.status = ENTRY_FAILED;
    else if (out->kind == OUTCOME_COMPARED)
        e.status = out->differs ? ENTRY_DRIFTS : ENTRY_SAME;
    e.template = out->kind == OUTCOME_COMPARED ? out->template : NULL;
    if (e.status == ENTRY_FAILED || e.status == ENTRY_DRIFTS)
        e.print = print_of(out);
    return e;
}

static void set_template(struct watch_change *c, const struct template *t)
{
    if (!t)
        return;
    c->template = t->path;
    c->description = t->description;
    c->part = t->part;
    c->component = t->component;
}

static void tell_wrong(struct watch_state *s, str key, const struct outcome *out,
                       const struct watch_entry *old)
{
    bool failed = out->kind == OUTCOME_FAILED;
    bool drifted = old && old->status == ENTRY_DRIFTS;
    struct watch_change change = {.kind = failed    ? WATCH_FAILED
                                          : drifted ? WATCH_CHANGED
                                                    : WATCH_DRIFT,
                                  .object = str_copy(s->arena, out->id)};

    set_template(&change, failed ? NULL : out->template);
    if (failed)
        change.message = str_copy(s->arena, out->error);
    else
        fields_copy(s->arena, &out->fields, &change.fields);
    tell_object(s, key, &change);
}

static void tell_fixed(struct watch_state *s, str key, str id, const struct watch_entry *old,
                       bool gone)
{
    struct watch_change change = {.kind = WATCH_FIXED, .gone = gone};

    if (!old || (old->status != ENTRY_DRIFTS && old->status != ENTRY_FAILED))
        return;
    change.object = str_copy(s->arena, id);
    set_template(&change, old->template);
    tell_object(s, key, &change);
}

bool watch_state_apply(struct watch_state *s, str key, const struct outcome *out)
{
    struct watch_entry *old = (struct watch_entry *)table_find(s->entries, key);
    const struct watch_entry fresh = entry_of(out);
    bool wrong = fresh.status == ENTRY_DRIFTS || fresh.status == ENTRY_FAILED;
    bool other = wrong && (!old || old->status != fresh.status || old->print != fresh.print);

    s->compared += fresh.status != ENTRY_NONE;
    if (other)
        tell_wrong(s, key, out, old);
    else if (!wrong)
        tell_fixed(s, key, out->id, old, false);
    drop_entry(s, old);
    if (fresh.status != ENTRY_NONE || out->refers.len)
        add_entry(s, key, &fresh, &out->refers);
    return other;
}

void watch_state_remove(struct watch_state *s, str key, str id)
{
    struct watch_entry *old = (struct watch_entry *)table_find(s->entries, key);

    tell_fixed(s, key, id, old, true);
    drop_entry(s, old);
}

/* ---- Components. ---- */

static struct map *count_matches(struct arena *a, const struct watch_state *s)
{
    const struct reference *r = &s->compare->reference;
    struct log_buffer quiet = {.arena = a};
    struct str_list referred = {0};
    struct map *matches = map_new(a);

    for (size_t i = 0; i < r->templates.len; i++) {
        size_t *n = map_get(matches, r->templates.items[i].path);
        if (!n) {
            n = ARENA_NEW(a, size_t);
            map_set(matches, r->templates.items[i].path, n);
        }
        *n += s->templates[i].matched;
    }
    owners_find(s->owners, &quiet, &referred);
    for (size_t i = 0; i < referred.len; i++)
        ++*(size_t *)map_get(matches, referred.items[i]);
    return matches;
}

static str issue_key(struct arena *a, str part, str component, str message, str path)
{
    return str_fmt(a, "%.*s\n%.*s\n%.*s\n%.*s", STR_ARG(part), STR_ARG(component), STR_ARG(message),
                   STR_ARG(path));
}

static void add_issue(struct arena *a, const struct result_issue *from, const struct map *matches,
                      struct watch_issues *out)
{
    out->components++;
    for (size_t i = 0; i < from->count; i++) {
        const struct result_template *t = &from->templates[i];
        const size_t *n = map_get(matches, t->path);
        const struct watch_issue issue = {
            .key = issue_key(a, from->part, from->component, from->message, t->path),
            .part = from->part,
            .component = from->component,
            .message = from->message,
            .path = t->path,
            .description = t->description,
            .missing = !n || !*n};
        VEC_PUSH(a, out, issue);
        map_set(out->keys, issue.key, out);
        if (issue.missing)
            map_set(out->keys, issue_key(a, from->part, from->component, STR_NONE, t->path), out);
    }
}

static bool has_issue(const struct watch_issues *list, str key)
{
    return list->keys && map_has(list->keys, key);
}

static void tell_issue(struct watch_state *s, const struct watch_issue *i, enum watch_kind kind)
{
    /* Names are those of the reference, which outlives the watch. */
    const struct watch_change change = {.kind = kind,
                                        .template = i->path,
                                        .description = i->description,
                                        .part = i->part,
                                        .component = i->component,
                                        .message = i->message};

    tell(s, &change);
}

static void mark_missing(struct watch_state *s, struct arena *a, const struct watch_issues *issues)
{
    for (size_t i = 0; i < s->compare->reference.templates.len; i++) {
        struct watch_template *t = &s->templates[i];
        t->missing = has_issue(issues, issue_key(a, t->part, t->component, STR_NONE, t->path));
    }
}

static void tell_differences(struct watch_state *s, const struct watch_issues *fresh,
                             const struct map *matches)
{
    for (size_t i = 0; i < s->issues.len; i++) {
        const struct watch_issue *old = &s->issues.items[i];
        const size_t *n = map_get(matches, old->path);
        if (!has_issue(fresh, old->key))
            tell_issue(s, old, old->missing && n && *n ? WATCH_PRESENT : WATCH_SOLVED);
    }
    for (size_t i = 0; i < fresh->len; i++)
        if (!has_issue(&s->issues, fresh->items[i].key))
            tell_issue(s, &fresh->items[i],
                       fresh->items[i].missing ? WATCH_MISSING : WATCH_UNWANTED);
}

void watch_state_issues(struct watch_state *s)
{
    struct arena *a = arena_new();
    const struct map *matches = count_matches(a, s);
    struct results results = {0};
    struct watch_issues fresh = {.keys = map_new(a)};

    issues_find(a, &s->compare->reference, matches, &results);
    for (size_t i = 0; i < results.issues.len; i++)
        add_issue(a, &results.issues.items[i], matches, &fresh);
    fresh.missing = results.missing;
    if (!s->early)
        tell_differences(s, &fresh, matches);
    mark_missing(s, a, &fresh);
    arena_free(s->issue_arena);
    s->issue_arena = a;
    s->issues = fresh;
}

static int order_keys(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

void watch_state_start(struct watch_state *s)
{
    struct map *early = s->early;
    size_t len = map_len(early);
    str *keys = ARENA_ARRAY(s->arena, str, len);

    for (size_t i = 0; i < len; i++)
        keys[i] = map_key(early, i);
    if (len)
        qsort(keys, len, sizeof(str), order_keys);
    s->early = NULL;
    tell(s, &(struct watch_change){.kind = WATCH_START});
    for (size_t i = 0; i < len; i++)
        if (map_get(early, keys[i]))
            tell(s, map_get(early, keys[i]));
    for (size_t i = 0; i < s->issues.len; i++)
        tell_issue(s, &s->issues.items[i],
                   s->issues.items[i].missing ? WATCH_MISSING : WATCH_UNWANTED);
}

/* ---- Life. ---- */

void watch_state_open(struct watch_state *s, struct arena *a, const struct compare *c)
{
    const struct reference *r = &c->reference;

    *s = (struct watch_state){.compare = c,
                              .owners = owners_new(a, r),
                              .entries = table_new(),
                              .templates = ARENA_ARRAY(a, struct watch_template, r->templates.len),
                              .issue_arena = arena_new(),
                              .arena = arena_new()};
    s->early = map_new(s->arena);
    for (size_t i = 0; i < r->templates.len; i++) {
        const struct template *t = &r->templates.items[i];
        s->templates[i] =
            (struct watch_template){.part = t->part, .component = t->component, .path = t->path};
    }
}

void watch_state_close(struct watch_state *s)
{
    struct table_at at = {0};
    struct table_node *node;

    if (!s->entries)
        return;
    while ((node = table_each(s->entries, &at))) {
        table_drop(s->entries, node);
        block_free(node);
    }
    table_free(s->entries);
    arena_free(s->issue_arena);
    arena_free(s->arena);
}
