/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - records decisions and judges them again; see replay.h. */
#include "operator/replay.h"

#include "net/redact.h"
#include "operator/internal.h"

#define RECORD_VERSION 1
/* The most paths that a verdict names. */
#define PATHS_MAX 20
#define MASKED "(secret)"

/* ---- Masking. -------------------------------------------------------------------------------- */

/* Removes Secrets from texts; a rotated one only shows in the digest of the payload. */
static bool mask(void *ctx, struct value *v, size_t depth)
{
    struct pass *p = ctx;
    const struct str_list *secrets = mask_values(p);

    (void)depth;
    if (!value_is(v, VALUE_STRING))
        return true;
    str text = value_str(v);
    for (size_t i = 0; i < secrets->len; i++)
        if (text.len && str_eq(text, secrets->items[i]))
            text = STR(MASKED);
    text = mask_hide(p, text, STR(MASKED));
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
    return true;
}

static struct value *masked(struct pass *p, const struct value *v)
{
    struct value *out = value_clone(p->arena, v);

    value_walk(out, mask, p);
    return out;
}

/* ---- Digests without the key. ---------------------------------------------------------------- */

/* Both canonical forms, as they are and masked. */
struct forms {
    struct pass *pass;
    const struct value *wanted, *found, *masked_wanted, *masked_found;
};

static str digest_of(const struct forms *f, const struct value *v, bool plain)
{
    return detect_digest(f->pass->arena, plain ? STR_NONE : f->pass->config->digest_key, v);
}

/* Replaces the digest of a current value with an unkeyed one; any other digest matches nothing
 * anyway. */
static void translate_text(const struct forms *f, const struct path *path, struct value *holder,
                           const char *member)
{
    str text = value_get_str(holder, str_c(member)), plain = STR_NONE;
    const struct value *wanted = path_resolve(path, f->wanted);
    const struct value *found = path_resolve(path, f->found);

    if (!str_has_prefix(text, STR("sha256:")))
        return;
    if (wanted && str_eq(text, digest_of(f, wanted, false)))
        plain = digest_of(f, path_resolve(path, f->masked_wanted), true);
    else if (found && str_eq(text, digest_of(f, found, false)))
        plain = digest_of(f, path_resolve(path, f->masked_found), true);
    value_set_str(f->pass->arena, holder, str_c(member), plain.len ? plain : STR("sha256:other"));
}

static void translate(const struct forms *f, struct value *list)
{
    static const char *const members[] = {"wanted", "found", "digest"};
    struct path path;

    for (size_t i = 0; i < value_len(list); i++) {
        struct value *one = value_at(list, i);
        if (path_parse_dotted(f->pass->arena, value_get_str(one, STR("path")), &path, NULL))
            for (size_t k = 0; k < COUNT(members); k++)
                translate_text(f, &path, one, members[k]);
    }
}

/* ---- Records. -------------------------------------------------------------------------------- */

static struct value *verdict_of(struct pass *p, bool write)
{
    struct value *out = value_object(p->arena), *paths = value_list(p->arena);
    bool drift = str_eq(str_c(p->cause.name), STR("drift"));

    value_set_bool(p->arena, out, STR("write"), write);
    if (write)
        value_set_str(p->arena, out, STR("cause"), str_c(p->cause.name));
    for (size_t i = 0; drift && p->drift && i < p->drift->news.count && i < PATHS_MAX; i++)
        value_add(p->arena, paths, value_string(p->arena, p->drift->news.items[i].path));
    if (paths->len)
        value_set(p->arena, out, STR("paths"), paths);
    return out;
}

/* The object without what does not influence the verdict, and with its memory in plain form. */
static struct value *subject_of(struct pass *p, const struct forms *f)
{
    struct value *out = masked(p, p->object), *meta = object_meta(out);
    struct value *memory = value_get(value_get(out, STR("status")), STR("operatorStatus"));

    value_unset(meta, STR("managedFields"));
    object_set_annotation(p->arena, out, STR(ANNOTATION_LAST_APPLIED), STR_NONE);
    if (!memory)
        return out;
    value_unset(memory, STR("decisions"));
    if (f) {
        translate(f, value_get(memory, STR("knownDifferences")));
        translate(f, value_get(memory, STR("guard")));
    }
    return out;
}

/* What the comparison saw, and what it would see with masked bodies. */
static struct forms forms_of(struct pass *p, const struct value *payload, const struct value *body)
{
    struct detect *d = detect_new(p->arena, p->config->model, p->resource, STR_NONE);
    struct forms f = {.pass = p, .wanted = p->drift->wanted, .found = p->drift->found};

    f.masked_wanted = detect_wanted(d, payload);
    f.masked_found = detect_found(d, body, f.masked_wanted);
    return f;
}

static struct value *record_of(struct pass *p, bool write)
{
    struct arena *a = p->arena;
    struct value *out = value_object(a);
    const struct object_key key = {.kind = STR("Namespace"), .name = p->card->key.namespace};
    const struct value *namespace = p->ports->find(p->ports->ctx, a, &key);
    const struct value *payload = p->request.body ? masked(p, p->request.body) : NULL;
    const struct value *body = p->body ? masked(p, p->body) : NULL;
    struct forms forms = {0};

    if (p->drift && payload && body)
        forms = forms_of(p, payload, body);
    value_set_int(a, out, STR("record"), RECORD_VERSION);
    value_set_int(a, out, STR("now"), p->now);
    value_set_str(a, out, STR("version"), p->resource->version);
    value_set_int(a, out, STR("mode"), p->config->drift);
    value_set_int(a, out, STR("generation"), p->generation);
    value_set_str(a, out, STR("digest"), p->digest);
    value_set_bool(a, out, STR("childWritten"), p->card->child_written);
    value_set(a, out, STR("object"), subject_of(p, forms.pass ? &forms : NULL));
    if (namespace)
        value_set(a, out, STR("namespace"), object_meta(namespace));
    if (payload)
        value_set(a, out, STR("payload"), payload);
    if (body)
        value_set(a, out, STR("body"), body);
    if (p->owner_body)
        value_set(a, out, STR("owner"), masked(p, p->owner_body));
    value_set(a, out, STR("verdict"), verdict_of(p, write));
    return out;
}

void replay_keep(struct pass *p, bool write)
{
    struct replay again;

    if (!p->ports->judged || !p->resource)
        return;
    struct value *record = record_of(p, write);
    if (!replay_judge(p->arena, p->config->model, p->config->rules, record, &again, NULL) ||
        !again.same)
        value_set_bool(p->arena, record, STR("inexact"), true);
    p->ports->judged(p->ports->ctx, record);
}

/* ---- Judging again. -------------------------------------------------------------------------- */

static const struct value *find_namespace(void *ctx, struct arena *a, const struct object_key *key)
{
    const struct value *record = ctx, *meta = value_get(record, STR("namespace"));
    struct value *out = value_object(a);

    if (!meta || !str_eq(key->kind, STR("Namespace")))
        return NULL;
    object_set_meta(a, out, value_copy(a, meta));
    return out;
}

static int64_t number(const struct value *record, const char *member)
{
    int64_t n = 0;

    return value_to_i64(value_get(record, str_c(member)), &n) ? n : 0;
}

static str words(struct arena *a, const struct value *verdict)
{
    const struct value *paths = value_get(verdict, STR("paths"));
    struct buf b = buf_new(a, BUF_UNLIMITED);
    bool write = value_is_true(value_get(verdict, STR("write")));

    buf_fmt(&b, "%s%s%.*s", write ? "write" : "leave", write ? " " : "",
            STR_ARG(value_get_str(verdict, STR("cause"))));
    for (size_t i = 0; i < value_len(paths); i++)
        buf_fmt(&b, "%s%.*s", i ? ", " : ": ", STR_ARG(value_str(value_at(paths, i))));
    return buf_str(&b);
}

static bool check(const struct value *record, struct err *e)
{
    const struct value *object = value_get(record, STR("object"));

    if (number(record, "record") != RECORD_VERSION)
        return err_set(e, ERR_INVALID, "not a decision that plumb operate --keep-decisions wrote");
    if (!value_is(object, VALUE_OBJECT) || !object_meta(object) ||
        !value_is(value_get(record, STR("verdict")), VALUE_OBJECT))
        return err_set(e, ERR_INVALID, "the decision has no object or no verdict");
    if (number(record, "mode") < DRIFT_CORRECT || number(record, "mode") > DRIFT_PUT_ONLY)
        return err_set(e, ERR_INVALID, "the decision has an unknown mode");
    return true;
}

/* Recreates the pass as it was when it reached JUDGE. */
static bool judge_again(struct arena *a, const struct operator_config *config,
                        const struct value *record, struct value **verdict, struct err *e)
{
    const struct ports ports = {.ctx = (void *)record, .find = find_namespace};
    const struct value *object = value_get(record, STR("object"));
    struct card card = {.key = object_key_of(object)};
    struct pass p = {.arena = a,
                     .config = config,
                     .ports = &ports,
                     .card = &card,
                     .now = number(record, "now"),
                     .object = object,
                     .generation = number(record, "generation"),
                     .digest = value_get_str(record, STR("digest")),
                     .body = value_get(record, STR("body")),
                     .owner_body = value_get(record, STR("owner"))};

    card.child_written = value_is_true(value_get(record, STR("childWritten")));
    p.request.body = value_get(record, STR("payload"));
    p.own_payload = p.request.body;
    if (!model_find(config->model, card.key.group, value_get_str(record, STR("version")),
                    card.key.kind, &p.resource, e))
        return false;
    bool write = judge_cause(&p, &p.cause);
    *verdict = verdict_of(&p, write);
    return true;
}

bool replay_judge(struct arena *a, struct model *model, const struct kind_set *rules,
                  const struct value *record, struct replay *out, struct err *e)
{
    if (!check(record, e))
        return false;
    const struct operator_config config = {
        .model = model, .rules = rules, .drift = (enum drift_mode)number(record, "mode")};
    const struct object_key key = object_key_of(value_get(record, STR("object")));
    struct value *verdict;

    if (!judge_again(a, &config, record, &verdict, e))
        return false;
    *out = (struct replay){.object = str_fmt(a, "%.*s %.*s/%.*s", STR_ARG(key.kind),
                                             STR_ARG(key.namespace), STR_ARG(key.name)),
                           .time = memory_stamp(a, number(record, "now")),
                           .inexact = value_is_true(value_get(record, STR("inexact"))),
                           .was = words(a, value_get(record, STR("verdict"))),
                           .is = words(a, verdict)};
    out->same = str_eq(out->was, out->is);
    return true;
}
