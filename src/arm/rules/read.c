/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - a file of rules, checked: every key must be known and every value of its kind, so
 * that a rule never means less than its author thinks.
 */
#include "arm/rules/internal.h"
#include "base/embed.h"
#include "text/json/json.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

EMBED(errors_json, "api/rules/errors.json");

/* No honest file comes near; it keeps a foreign one from taking all memory. */
#define RULES_MAX 10000

bool rules_read_texts(struct fields *f, const struct value *v, void *out)
{
    struct str_list *list = out;

    if (!value_is(v, VALUE_LIST) || !v->len)
        return fields_fail(f, v, "%.*s must be a list of texts", STR_ARG(value_key(v)));
    for (size_t i = 0; i < v->len; i++) {
        if (!value_is(&v->items[i], VALUE_STRING) || !v->items[i].len)
            return fields_fail(f, &v->items[i], "%.*s must hold texts only", STR_ARG(value_key(v)));
        VEC_PUSH(f->arena, list, value_str(&v->items[i]));
    }
    return true;
}

/* ---- Matches. -------------------------------------------------------------------------------- */

static bool read_http(struct fields *f, const struct value *v, void *out)
{
    struct rule_match *m = out;

    if (!value_is(v, VALUE_LIST) || !v->len)
        return fields_fail(f, v, "http must be a list of statuses");
    for (size_t i = 0; i < v->len; i++) {
        int64_t status;
        if (!value_to_i64(&v->items[i], &status) || (status && (status < 100 || status > 599)))
            return fields_fail(f, &v->items[i],
                               "a status is a number from 100 to 599, or 0 for no answer");
        VEC_PUSH(f->arena, &m->http, (int)status);
    }
    return true;
}

static bool read_versions(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {{"from", fields_text, offsetof(struct rule_match, from)},
                                          {"to", fields_text, offsetof(struct rule_match, to)},
                                          {0}};

    return fields_read(f, v, fields, out);
}

static bool read_pattern(struct fields *f, const struct value *v, void *out)
{
    struct rule_match *m = out;

    if (!value_is(v, VALUE_STRING))
        return fields_fail(f, v, "pattern must be a text");
    if (regex_compile(f->arena, value_str(v), &m->pattern, f->e))
        return true;
    return err_at(f->e, source_where(f->source, v));
}

static bool read_understood(struct fields *f, const struct value *v, void *out)
{
    struct rule_match *m = out;

    m->asks_understood = true;
    return fields_bool(f, v, &m->understood);
}

static bool read_match(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {
        {"apiVersion", read_versions, 0},
        {"code", rules_read_texts, offsetof(struct rule_match, code)},
        {"contains", rules_read_texts, offsetof(struct rule_match, contains)},
        {"containsAny", rules_read_texts, offsetof(struct rule_match, contains_any)},
        {"group", rules_read_texts, offsetof(struct rule_match, group)},
        {"http", read_http, 0},
        {"ignoreCase", fields_bool, offsetof(struct rule_match, ignore_case)},
        {"inOrder", rules_read_texts, offsetof(struct rule_match, in_order)},
        {"inner", rules_read_texts, offsetof(struct rule_match, inner)},
        {"kind", rules_read_texts, offsetof(struct rule_match, kind)},
        {"method", rules_read_texts, offsetof(struct rule_match, method)},
        {"pattern", read_pattern, 0},
        {"understood", read_understood, 0},
        {0},
    };

    return fields_read(f, v, fields, out);
}

/* ---- Rules. ---------------------------------------------------------------------------------- */

static bool read_class(struct fields *f, const struct value *v, void *out)
{
    struct rule *rule = out;

    rule->sets_class = true;
    rule->class = str_eq(value_str(v), STR("fatal")) ? CLASS_FATAL : CLASS_RETRYABLE;
    if (rule->class == CLASS_FATAL || str_eq(value_str(v), STR("retryable")))
        return true;
    return fields_fail(f, v, "class must be retryable or fatal");
}

static bool read_effect(struct fields *f, const struct value *v, void *out)
{
    static const char *const names[] = {
        [EFFECT_OBJECT] = "object", [EFFECT_BUCKET] = "bucket", [EFFECT_SERVER] = "server",
        [EFFECT_TOKEN] = "token",   [EFFECT_REPLAN] = "replan", [EFFECT_REGISTER] = "register",
    };
    struct rule *rule = out;

    rule->sets_effect = true;
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(value_str(v), str_c(names[i]))) {
            rule->effect = (enum error_effect)i;
            return true;
        }
    return fields_fail(f, v, "effect must be object, bucket, server, token, replan or register");
}

static bool read_retry_name(struct fields *f, const struct value *v, void *out)
{
    struct rule *rule = out;

    rule->retry = rules_retry(f->ctx, value_str(v));
    return rule->retry || fields_fail(f, v, "there is no retry policy \"%.*s\" in retries",
                                      STR_ARG(value_text(v)));
}

static bool read_rule(struct fields *f, const struct value *v, struct rule_stage *stage)
{
    static const struct field fields[] = {
        {"class", read_class, 0},
        {"effect", read_effect, 0},
        {"id", fields_text, offsetof(struct rule, id)},
        {"match", read_match, offsetof(struct rule, match)},
        {"reason", fields_text, offsetof(struct rule, reason)},
        {"retry", read_retry_name, 0},
        {0},
    };
    struct rule rule = {.node = v};

    if (stage->rules.len == RULES_MAX)
        return fields_fail(f, v, "more than %d rules in one stage", RULES_MAX);
    if (!fields_read(f, v, fields, &rule))
        return false;
    if (!rule.id.len)
        return fields_fail(f, v, "a rule needs an id");
    if (!value_get(v, STR("match")))
        return fields_fail(f, v, "rule %.*s has no match; {} matches everything", STR_ARG(rule.id));
    if (!rule.sets_class && !rule.sets_effect && !rule.retry && !rule.reason.len)
        return fields_fail(f, v, "rule %.*s sets nothing", STR_ARG(rule.id));
    VEC_PUSH(f->arena, &stage->rules, rule);
    return true;
}

bool rules_read_stage(struct fields *f, const struct value *v, void *out)
{
    if (!value_is(v, VALUE_LIST))
        return fields_fail(f, v, "rules must be a list");
    for (size_t i = 0; i < v->len; i++)
        if (!read_rule(f, &v->items[i], out))
            return false;
    return true;
}

static bool read_stages(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {{"name", fields_text, offsetof(struct rule_stage, name)},
                                          {"rules", rules_read_stage, 0},
                                          {0}};
    struct rules *rules = out;

    if (!value_is(v, VALUE_LIST))
        return fields_fail(f, v, "stages must be a list");
    for (size_t i = 0; i < v->len; i++) {
        struct rule_stage stage = {0};
        if (!fields_read(f, &v->items[i], fields, &stage))
            return false;
        VEC_PUSH(f->arena, &rules->stages, stage);
    }
    return true;
}

/* ---- Policies. ------------------------------------------------------------------------------- */

static bool read_double(struct fields *f, const struct value *v, double *out)
{
    if (!value_is_number(v))
        return fields_fail(f, v, "%.*s must be a number", STR_ARG(value_key(v)));
    *out = strtod(str_z(f->arena, value_text(v)), NULL);
    return true;
}

static bool read_factor(struct fields *f, const struct value *v, void *out)
{
    double *d = out;

    return read_double(f, v, d) &&
           ((*d >= 1 && *d <= 1000) ||
            fields_fail(f, v, "%.*s must be from 1 to 1000", STR_ARG(value_key(v))));
}

static bool read_share(struct fields *f, const struct value *v, void *out)
{
    double *d = out;

    return read_double(f, v, d) &&
           ((*d >= 0 && *d < 1) ||
            fields_fail(f, v, "%.*s must be at least 0 and less than 1", STR_ARG(value_key(v))));
}

/* Seconds, at most a week; or the sync period, which is 0. */
static bool read_seconds(struct fields *f, const struct value *v, void *out)
{
    int64_t seconds;

    *(int64_t *)out = 0;
    if (str_eq(value_str(v), STR("sync")))
        return true;
    if (!value_to_i64(v, &seconds) || seconds < 1 || seconds > 604800)
        return fields_fail(f, v, "%.*s must be seconds from 1 to 604800, or \"sync\"",
                           STR_ARG(value_key(v)));
    *(int64_t *)out = seconds * NS_PER_SEC;
    return true;
}

static bool read_retries(struct fields *f, const struct value *v, void *out)
{
    static const struct field fields[] = {
        {"base", read_seconds, offsetof(struct rule_retry, base)},
        {"factor", read_factor, offsetof(struct rule_retry, factor)},
        {"jitter", read_share, offsetof(struct rule_retry, jitter)},
        {"max", read_seconds, offsetof(struct rule_retry, max)},
        {0},
    };
    struct rules *rules = out;

    if (!value_is(v, VALUE_OBJECT) || !v->len)
        return fields_fail(f, v, "retries must be an object with a policy under each name");
    for (size_t i = 0; i < v->len; i++) {
        struct rule_retry p = {.name = value_key(&v->items[i]), .factor = 1};
        if (!fields_read(f, &v->items[i], fields, &p))
            return false;
        VEC_PUSH(f->arena, &rules->retries, p);
    }
    return true;
}

/* ---- The file. ------------------------------------------------------------------------------- */

static bool read_name(struct fields *f, const struct value *v, void *out)
{
    (void)out;
    return str_eq(value_str(v), STR("errors")) || fields_fail(f, v, "rules must be \"errors\"");
}

bool rules_read(struct arena *a, const struct source *src, struct rules **out, struct err *e)
{
    static const struct field fields[] = {
        {"retries", read_retries, 0}, {"rules", read_name, 0}, {"stages", read_stages, 0}, {0}};
    struct rules *rules = ARENA_NEW(a, struct rules);
    struct fields f = {.arena = a, .source = src, .e = e, .ctx = rules};
    struct value *root;

    rules->source = src;
    if (!json_read(a, src, NULL, &root, e) || !fields_read(&f, root, fields, rules))
        return false;
    if (!rules->retries.len || !rules->stages.len)
        return fields_fail(&f, root, "a file of rules needs retries and, after them, stages");
    *out = rules;
    return true;
}

static struct rules *built_in;

static void read_built_in(void)
{
    static struct source src;
    static struct arena *volatile kept; /* of the run; volatile: leak checkers want to see it */

    kept = arena_new();
    src = (struct source){.file = STR("api/rules/errors.json"), .text = EMBEDDED(errors_json)};
    bool ok = rules_read(kept, &src, &built_in, NULL);
    assert(ok); /* a test reads the same file */
}

const struct rules *rules_errors(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_built_in);
    return built_in;
}
