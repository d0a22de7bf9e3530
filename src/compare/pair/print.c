/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - prints both sides as texts, and measures how much they differ. */
#include "compare/pair/pair_internal.h"
#include "diff/diff.h"
#include "text/yaml/yaml.h"
#include "object/object.h"

void pair_drop_managed_fields(struct value *object)
{
    struct value *meta = object_meta(object);

    if (value_is(meta, VALUE_OBJECT))
        value_unset(meta, STR("managedFields"));
}

static bool print_side(struct arena *a, const struct value *v, enum number_rule numbers, str *out,
                       struct err *e)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);

    if (!yaml_write(&text, v, numbers, e))
        return false;
    *out = buf_str(&text);
    return true;
}

static bool mask_sides(struct pairing *p, struct value **merged, struct value **live, struct err *e)
{
    if (!p->dialect->masked_secrets)
        return secret_mask(p->arena, merged, live, e);
    secret_mask_pair(p->arena, pair_values(p), merged, live);
    return true;
}

/* Hides what a template has put into the identity of the object, and what is expected there. */
static void hide_new_identity(struct pairing *p, struct value *merged, struct value *live)
{
    static const struct {
        const char *name;
        bool in_meta;
    } fields[] = {{"apiVersion", false}, {"kind", false}, {"namespace", true}, {"name", true}};
    const struct value *own = p->object->root;

    for (size_t i = 0; p->dialect->masked_secrets && i < COUNT(fields); i++) {
        str name = str_c(fields[i].name);
        bool in = fields[i].in_meta;
        struct value *is = value_get(in ? object_meta(live) : live, name);
        const struct value *was = value_get(in ? object_meta(own) : own, name);
        if (is && !(was && value_equal(is, was)))
            (void)secret_values_hide_all(p->arena, pair_values(p),
                                         value_get(in ? object_meta(merged) : merged, name), is);
    }
}

/* How the numbers of both sides are spelled. */
static enum number_rule expected_numbers(const struct pairing *p)
{
    return p->dialect->exact_numbers ? NUMBERS_PLAIN : NUMBERS_FLOAT;
}

static enum number_rule actual_numbers(const struct pairing *p)
{
    return p->dialect->exact_numbers ? NUMBERS_PLAIN : NUMBERS_GO;
}

/* Whether the texts of both sides are not needed. */
static bool writes_same(const struct pairing *p, const struct value *merged,
                        const struct value *live)
{
    return !p->run->diff.command.len &&
           yaml_writes_same(merged, expected_numbers(p), live, actual_numbers(p));
}

static bool fail_in_diff(struct err *e)
{
    return err_wrap(e, "error occurered during diff");
}

bool pair_align(struct pairing *p, struct match *m, struct err *e)
{
    struct value *merged = m->rendered, *live = p->root;

    if (!p->run->options->show_managed_fields) {
        if (p->tally)
            tally_managed(p->tally, live);
        pair_drop_managed_fields(merged);
        pair_drop_managed_fields(live);
    }
    /* What is the same is not shown, and masking leaves it so. */
    m->same = p->dialect->masked_secrets && writes_same(p, merged, live);
    hide_new_identity(p, merged, live);
    if (!m->same && !mask_sides(p, &merged, &live, e))
        return fail_in_diff(e);
    m->expected = merged;
    m->actual = live;
    if (!p->dialect->masked_secrets || merged != m->rendered || live != p->root)
        m->same = m->same || writes_same(p, merged, live);
    return true;
}

bool pair_print(const struct pairing *p, struct match *m, struct err *e)
{
    if (m->same || (print_side(p->arena, m->expected, expected_numbers(p), &m->diff.merged, e) &&
                    print_side(p->arena, m->actual, actual_numbers(p), &m->diff.live, e)))
        return true;
    return fail_in_diff(e);
}

/* The score itself matters only where it is compared or shown. */
void pair_score(const struct pairing *p, struct match *m)
{
    uint64_t left = DIFF_CHARS_STEPS / p->candidate_count;

    m->score = !str_eq(m->diff.merged, m->diff.live);
    if (!m->score || (p->candidate_count == 1 && !p->out->log.verbose && !p->explain))
        return;
    struct diff_pieces pieces = diff_chars(p->arena, m->diff.merged, m->diff.live, &left);
    m->score = diff_chars_score(&pieces);
    m->rough = !left;
}

/* ---- Scores by lines ------------------------------------------------------------------------ */

/* A line of both texts. */
struct line_count {
    size_t ours, theirs;
};

static void count_lines(struct map *lines, struct arena *a, str text, bool ours)
{
    bool more = true;
    str line;

    while (more) {
        more = str_cut(text, STR("\n"), &line, &text);
        struct line_count *count = map_get(lines, line);
        if (!count) {
            count = ARENA_NEW(a, struct line_count);
            map_set(lines, line, count);
        }
        if (ours)
            count->ours++;
        else
            count->theirs++;
    }
}

size_t pair_score_lines(const struct match *m)
{
    AUTO_ARENA scratch = arena_new();
    struct map *lines = map_new(scratch);
    size_t score = 1; /* lines in another order are a difference */

    if (!m->score)
        return 0;
    count_lines(lines, scratch, m->diff.merged, true);
    count_lines(lines, scratch, m->diff.live, false);
    for (size_t i = 0; i < map_len(lines); i++) {
        const struct line_count *c = map_at(lines, i);
        size_t more = c->ours > c->theirs ? c->ours - c->theirs : c->theirs - c->ours;
        score += more * (map_key(lines, i).len + 1);
    }
    return score;
}
