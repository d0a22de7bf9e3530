/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile.c - see hostile.h.
 */
#include "support/hostile.h"

#include "value/value.h"

/*
 * Values by name. Their definitions may use $n, $half, $eighth and $some (the size, and a 2nd, 8th
 * and 64th of it) and the values above them.
 */
static const struct hostile_value {
    char type; /* s text, i integer, l list, m map, t time, b truth */
    const char *name, *made;
} values[] = {
    {'s', "$text", "repeat $n \"a\""},
    {'s', "$mixed", "repeat $eighth \"aB 1_x.\\n\""},
    {'s', "$letters", "repeat $half \"\\u00e9\""},
    {'s', "$blanks", "repeat $n \" \""},
    {'s', "$rare", "print (repeat $n \"b\") \"a\""},
    {'s', "$lines", "repeat $half \"a\\n\""},
    {'s', "$digits", "repeat $n \"1\""},
    {'s', "$dots", "repeat $half \"1.\""},
    {'s', "$hours", "repeat $half \"1h\""},
    {'s', "$layout", "repeat $eighth \"2006Jan1\""},
    {'s', "$base", "repeat $eighth \"QUJDQUJD\""},
    {'s', "$quotes", "repeat $n \"\\\"\""},
    {'s', "$controls", "repeat $n \"\\x01\""},
    {'s', "$markup", "repeat $n \"<\""},
    {'s', "$paths", "repeat $eighth \"/aa/../b\""},
    {'s', "$url", "print \"http://h/?\" $text"},
    {'s', "$json", "print \"[\" (repeat $half \"1,\") \"1]\""},
    {'s', "$broken", "print \"[\" (repeat $half \"1,\")"},
    {'s', "$object", "toJson $data"},
    {'s', "$deep", "print (repeat 5000 \"[\") (repeat 5000 \"]\")"},
    {'s', "$comments", "repeat $half \"#\\n\""},
    {'s', "$yaml", "repeat $eighth \"- a: b\\n\\n\""},
    {'s', "$tags", "repeat $eighth \"- !!a b\\n\""},
    {'s', "$merges", "print \"a: &a {x: 1}\\n\" (repeat $eighth \"b: *a\\n\")"},
    {'s', "$toml", "repeat $eighth \"[[a.b]]\\n\""},
    {'s', "$inner", "repeat $eighth \"{{ 1 }}.\""},
    {'s', "$pattern", "repeat 50 \"(a*)*\""},
    {'s', "$classes", "repeat 50 \"[^\\\\pL]\""},
    {'s', "$versions", "print \"1.2.3-\" $text"},
    {'s', "$ranges", "print (repeat $eighth \">1.0 || \") \"2\""},
    {'s', "$one", "\"a\""},
    {'s', "$none", "\"\""},
    {'s', "$name", "\"inner\""},
    {'i', "$zero", "0"},
    {'i', "$three", "3"},
    {'i', "$much", "$n"},
    {'i', "$less", "-1"},
    {'l', "$list", "until $eighth"},
    {'l', "$words", "splitList \"\\n\" $lines"},
    {'l', "$ten", "list $text $text $text $text $text $text $text $text $text $rare"},
    {'l', "$texts", "concat $ten $ten $ten $ten $ten $ten $ten $ten $ten $ten"},
    {'l', "$lists", "list $list $list $list $list $list $list $list $list $list"},
    {'m', "$data", "."},
    {'m', "$map", "fromJson (toJson $data)"},
    {'m', "$dict", "dict $text $text \"a\" $texts \"b\" $map \"c\" $lists"},
    {'t', "$now", "now"},
    {'b', "$true", "true"},
};

/* ---- Arguments from signatures. ---- */

struct params {
    const char *kinds[8]; /* letters of struct hostile_value that a parameter takes */
    size_t len;
};

static const char *kinds_of(str type)
{
    static const struct {
        const char *type, *kinds;
    } known[] = {
        {"string", "s"},    {"any", "slmit"}, {"reflect.Value", "slmit"},
        {"int", "i"},       {"[]any", "l"},   {"map[string]any", "m"},
        {"time.Time", "t"}, {"float64", "i"}, {"bool", "b"},
    };

    for (size_t i = 0; i < COUNT(known); i++)
        if (str_eq(type, str_c(known[i].type)))
            return known[i].kinds;
    return "s";
}

/* A variadic parameter is passed twice. */
static struct params params_of(const char *signature)
{
    str s = str_c(signature), list, type;
    struct params p = {0};

    s = str_from(s, strlen("func("));
    list = str_slice(s, 0, str_find_char(s, ')'));
    while (list.len && p.len + 2 <= COUNT(p.kinds)) {
        size_t comma = str_find(list, STR(", "));
        type = comma == STR_NPOS ? list : str_slice(list, 0, comma);
        list = comma == STR_NPOS ? STR_NONE : str_from(list, comma + 2);
        bool many = str_has_prefix(type, STR("..."));
        p.kinds[p.len++] = kinds_of(str_from(type, many ? 3 : 0));
        if (many) {
            p.kinds[p.len] = p.kinds[p.len - 1];
            p.len++;
        }
    }
    return p;
}

static size_t count_of(const char *kinds)
{
    size_t n = 0;

    for (size_t i = 0; i < COUNT(values); i++)
        n += strchr(kinds, values[i].type) != NULL;
    return n;
}

/* The value with this index among those of these kinds. */
static const struct hostile_value *value_of(const char *kinds, size_t number)
{
    for (size_t i = 0; i < COUNT(values); i++)
        if (strchr(kinds, values[i].type) && number-- == 0)
            return &values[i];
    return NULL;
}

/* ---- Texts. ---- */

/* Names in the definition are values that must be made first; *made has a bit for each one made. */
static void add_value(struct buf *b, const char *name, uint64_t *made)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        if (strcmp(values[i].name, name) != 0 || *made >> i & 1)
            continue;
        *made |= UINT64_C(1) << i;
        for (size_t k = 0; k < COUNT(values); k++) {
            const char *at = strstr(values[i].made, values[k].name);
            char after = at ? at[strlen(values[k].name)] : '\0';
            if (at && !(after >= 'a' && after <= 'z'))
                add_value(b, values[k].name, made);
        }
        buf_fmt(b, "{{ %s := %s }}", name, values[i].made);
    }
}

static struct hostile_call make_call(struct arena *a, const struct tmpl_help *f,
                                     const struct params *p, size_t number, size_t size)
{
    struct buf setup = buf_new(a, BUF_UNLIMITED), call = buf_new(a, BUF_UNLIMITED);
    uint64_t made = 0;

    buf_fmt(&setup, "{{ $n := %zu }}{{ $half := %zu }}{{ $eighth := %zu }}{{ $some := %zu }}", size,
            size / 2, size / 8, size / 64);
    buf_add(&call, f->name);
    for (size_t i = 0; i < p->len; i++) {
        size_t count = count_of(p->kinds[i]);
        const struct hostile_value *v = value_of(p->kinds[i], number % count);
        number /= count;
        add_value(&setup, v->name, &made);
        buf_fmt(&call, " %s", v->name);
    }
    return (struct hostile_call){buf_str(&setup), buf_str(&call)};
}

struct hostile_calls hostile_calls(struct arena *a, const struct tmpl_help *f, size_t size,
                                   size_t max)
{
    struct params p = params_of(f->signature);
    struct hostile_calls out = {0};
    size_t all = 1;

    for (size_t i = 0; i < p.len; i++)
        all *= count_of(p.kinds[i]);
    /* A step that shares no divisor with most counts visits all values of all parameters. */
    for (size_t i = 0; i < all && i < max; i++) {
        struct hostile_call c = make_call(a, f, &p, all <= max ? i : i * 7919 % all, size);
        VEC_PUSH(a, &out, c);
    }
    return out;
}

str hostile_template(struct arena *a, const struct hostile_call *call, size_t times)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    bool forever = times == HOSTILE_FOREVER;

    buf_add(&b, STR("{{ define \"inner\" }}{{ len . }}{{ end }}"));
    buf_add(&b, call->setup);
    buf_fmt(&b, "{{ range until %zu }}", forever ? 3000 : times);
    buf_fmt(&b, "%s{{ $_ := %.*s }}.%s{{ end }}", forever ? "{{ range until 3000 }}" : "",
            STR_ARG(call->call), forever ? "{{ end }}" : "");
    return buf_str(&b);
}

/* ---- Functions and runs. ---- */

size_t hostile_functions(struct arena *a, struct tmpl_help **out)
{
    static const enum tmpl_profile profiles[] = {TMPL_KC, TMPL_GO, TMPL_HELM};
    struct map *seen = map_new(a);
    VEC(struct tmpl_help) all = {0};

    for (size_t i = 0; i < COUNT(profiles); i++) {
        struct tmpl_help *some;
        size_t count = tmpl_functions(a, profiles[i], &some);
        for (size_t k = 0; k < count; k++)
            if (!map_has(seen, some[k].name)) {
                map_set(seen, some[k].name, NULL);
                VEC_PUSH(a, &all, some[k]);
            }
    }
    *out = all.items;
    return all.len;
}

bool hostile_run(struct arena *a, str text, struct tmpl_run *run, struct buf *out, size_t *used,
                 struct err *e)
{
    struct tmpl_set *set =
        tmpl_new(a, &(struct tmpl_options){.profile = TMPL_KC, .extra = TMPL_HELM});
    struct value *data = value_object(a);

    for (size_t i = 0; i < 4000; i++)
        value_set_str(a, data, str_fmt(a, "key%zu", i), STR("value"));
    run->data = data;
    *used = 0;
    if (!tmpl_parse(set, STR("t"), text, e))
        return false;
    size_t before = arena_used(a);
    bool ok = tmpl_execute(a, set, STR_NONE, run, out, e);
    *used = arena_used(a) - before;
    return ok;
}
