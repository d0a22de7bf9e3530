/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - parses a command line by the rules of pflag. */
#include "cli/options/options.h"
#include "go/quote.h"

struct options options_new(struct arena *a)
{
    return (struct options){.arena = a, .words_before_dash = STR_NPOS};
}

void options_add(struct options *o, const struct option *options, size_t count, void *values)
{
    assert(o->group_count < OPTION_GROUPS);
    o->groups[o->group_count++] = (struct option_group){
        .options = options,
        .count = count,
        .values = values,
        .given = ARENA_ARRAY(o->arena, bool, count),
    };
}

/* ---- Finding. ---- */

/* An option and the group whose table lists it. */
struct found {
    const struct option *option;
    const struct option_group *group;
};

static bool same_name(str given, str name, bool kubectl)
{
    if (given.len != name.len)
        return false;
    for (size_t i = 0; i < given.len; i++)
        if (given.ptr[i] != name.ptr[i] && !(kubectl && given.ptr[i] == '_' && name.ptr[i] == '-'))
            return false;
    return true;
}

static bool find_name(const struct options *o, str name, struct found *out)
{
    for (size_t g = 0; g < o->group_count; g++) {
        for (size_t i = 0; i < o->groups[g].count; i++) {
            *out = (struct found){&o->groups[g].options[i], &o->groups[g]};
            if (same_name(name, str_c(out->option->name), o->kubectl))
                return true;
        }
    }
    return false;
}

static bool find_letter(const struct options *o, char letter, struct found *out)
{
    for (size_t g = 0; g < o->group_count; g++) {
        for (size_t i = 0; i < o->groups[g].count; i++) {
            *out = (struct found){&o->groups[g].options[i], &o->groups[g]};
            if (letter && out->option->letter == letter)
                return true;
        }
    }
    return false;
}

bool options_given(const struct options *o, str name)
{
    struct found f;

    return find_name(o, name, &f) && f.group->given[f.option - f.group->options];
}

const struct option *options_suggest(const struct options *o, str name)
{
    const struct option *best = NULL;
    size_t least = 3;

    for (size_t g = 0; g < o->group_count; g++) {
        for (size_t i = 0; i < o->groups[g].count; i++) {
            const struct option *option = &o->groups[g].options[i];
            str known = str_c(option->name);
            /* A prefix of at least two letters is as good as one typo. */
            size_t distance =
                name.len >= 2 && str_has_prefix(known, name) ? 1 : str_distance(name, known);
            if (option->hidden || distance >= least || distance >= name.len)
                continue;
            least = distance;
            best = option;
        }
    }
    return best;
}

/* ---- Setting. ---- */

static str shown_name(struct arena *a, const struct option *o)
{
    if (o->letter)
        return str_fmt(a, "-%c, --%s", o->letter, o->name);
    return str_fmt(a, "--%s", o->name);
}

static bool fail_value(struct options *o, const struct option *option, str text, struct err *e)
{
    static const char *const wanted[] = {
        [OPTION_BOOL] = "must be true or false",
        [OPTION_COUNT] = "must be a whole number",
        [OPTION_DURATION] = "must be a time such as 30s, 5m or 1h30m",
        [OPTION_INT] = "must be a whole number",
        [OPTION_ARRAY] = NULL,
    };

    if (e)
        e->kind = ERR_USAGE;
    /*
     * Upstream: Go functions, such as strconv.ParseInt, are named only if its error texts are
     * required.
     */
    if (o->own_words && wanted[option->type])
        err_set(e, ERR_USAGE, "%s", wanted[option->type]);
    return err_wrap(e, "invalid argument %.*s for \"%.*s\" flag",
                    STR_ARG(go_quoted(o->arena, text)), STR_ARG(shown_name(o->arena, option)));
}

static bool needs_text(const struct option *o)
{
    return !o->may_be_empty &&
           (o->type == OPTION_STRING || o->type == OPTION_STRINGS || o->type == OPTION_ARRAY);
}

static bool set(struct options *o, struct found f, str text, struct err *e)
{
    bool *given = &f.group->given[f.option - f.group->options];
    void *target = (char *)f.group->values + f.option->offset;

    if (!option_set(o->arena, f.option, target, text, !*given, e))
        return fail_value(o, f.option, text, e);
    *given = true;
    if (!text.len && needs_text(f.option) && !o->emptied)
        o->emptied = f.option;
    return true;
}

bool options_check_empty(const struct options *o, struct err *e)
{
    if (!o->emptied)
        return true;
    return err_set(e, ERR_USAGE,
                   "invalid argument \"\" for \"%.*s\" flag: it is empty; leave the flag out, or "
                   "check the variable that it comes from",
                   STR_ARG(shown_name(o->arena, o->emptied)));
}

/* ---- Reading. ---- */

/* What is left of the command line. */
struct cursor {
    char *const *argv;
    size_t at, count;
};

static bool take(struct cursor *c, str *out)
{
    if (c->at == c->count)
        return false;
    *out = str_c(c->argv[c->at++]);
    return true;
}

static bool fail_help(struct options *o, struct err *e)
{
    o->help = true;
    return err_set(e, ERR_USAGE, "pflag: help requested");
}

static bool fail_unknown(struct options *o, str name, struct err *e)
{
    o->unknown = name;
    return err_set(e, ERR_USAGE, "unknown flag: --%.*s", STR_ARG(name));
}

static bool parse_long(struct options *o, str word, struct cursor *c, struct err *e)
{
    str name, value;
    bool has_value = str_cut(str_from(word, 2), STR("="), &name, &value);
    struct found f;
    const char *bare;

    if (name.len == 0 || name.ptr[0] == '-')
        return err_set(e, ERR_USAGE, "bad flag syntax: %.*s", STR_ARG(word));
    if (!find_name(o, name, &f))
        return str_eq(name, STR("help")) ? fail_help(o, e) : fail_unknown(o, name, e);
    bare = option_bare(f.option);
    if (has_value)
        return set(o, f, value, e);
    if (bare)
        return set(o, f, str_c(bare), e);
    if (!take(c, &value))
        return err_set(e, ERR_USAGE, "flag needs an argument: %.*s", STR_ARG(word));
    return set(o, f, value, e);
}

static bool fail_letter(struct options *o, const char *what, str letters, struct err *e)
{
    struct buf quoted = buf_new(o->arena, BUF_UNLIMITED);

    /* Upstream: a byte is shown as if it were a code point. */
    go_quote_rune(&quoted, (unsigned char)letters.ptr[0], false);
    return err_set(e, ERR_USAGE, "%s: %.*s in -%.*s", what, STR_ARG(buf_str(&quoted)),
                   STR_ARG(letters));
}

/* Handles the first of letters, and leaves the rest in *letters. */
static bool parse_letter(struct options *o, str *letters, struct cursor *c, struct err *e)
{
    str all = *letters, value;
    struct found f;
    const char *bare;

    *letters = STR_NONE;
    if (!find_letter(o, all.ptr[0], &f))
        return all.ptr[0] == 'h' ? fail_help(o, e)
                                 : fail_letter(o, "unknown shorthand flag", all, e);
    bare = option_bare(f.option);
    if (all.len > 2 && all.ptr[1] == '=')
        return set(o, f, str_from(all, 2), e);
    if (bare) {
        *letters = str_from(all, 1);
        return set(o, f, str_c(bare), e);
    }
    if (all.len > 1)
        return set(o, f, str_from(all, 1), e);
    if (!take(c, &value))
        return fail_letter(o, "flag needs an argument", all, e);
    return set(o, f, value, e);
}

static bool parse_letters(struct options *o, str word, struct cursor *c, struct err *e)
{
    str letters = str_from(word, 1);

    while (letters.len) {
        if ((o->pflag || o->kubectl) && str_has_prefix(letters, STR("test.")))
            return true;
        if (!parse_letter(o, &letters, c, e))
            return false;
    }
    return true;
}

static void add_rest(struct options *o, struct cursor *c)
{
    str word;

    while (take(c, &word))
        o->words[o->word_count++] = word;
}

bool options_parse(struct options *o, size_t argc, char *const *argv, struct err *e)
{
    struct cursor c = {.argv = argv, .count = argc};
    str word;

    o->words = ARENA_ARRAY(o->arena, str, argc);
    while (take(&c, &word)) {
        bool ok = true;
        if (word.len < 2 || word.ptr[0] != '-') {
            o->words[o->word_count++] = word;
            if (o->stop_at_word)
                add_rest(o, &c);
        } else if (str_eq(word, STR("--"))) {
            o->words_before_dash = o->word_count;
            add_rest(o, &c);
        } else if (word.ptr[1] == '-') {
            ok = parse_long(o, word, &c, e);
        } else {
            ok = parse_letters(o, word, &c, e);
        }
        if (!ok)
            return false;
    }
    return true;
}
