/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drift.c - change detection in a pass: what JUDGE compares, LEARN records and SETTLE remembers.
 *
 * The comparison itself is in detect/. Here it is combined with the object: its memory (record,
 * guard), its mode (correct, report, put-only), and what it shares with others.
 *
 * A record is taken from the first answer after a PUT, and again at extra looks within two minutes:
 * until two answers agree, what Azure fills in late is learned, not corrected. Members that the
 * user has set are watched from the beginning. A corrective PUT that does not help leaves the
 * record as it was: each look finds the same difference, until the guard holds it.
 */
#include "operator/internal.h"

#include "base/clock.h"
#include "text/json/json.h"

#define SETTLE_TIME (120 * NS_PER_SEC)
/* The most differences in a message. */
#define SHOWN_MAX 5
/* A larger record is not kept: the object is then compared like an adopted one. */
#define RECORD_BYTES_MAX (128 * KIB)

/* ---- What is known. -------------------------------------------------------------------------- */

static bool is_same_comparator(const struct pass *p)
{
    int64_t comparator;

    return value_to_i64(memory_get(p, "comparator"), &comparator) &&
           comparator == DETECT_COMPARATOR;
}

static bool is_settled(const struct pass *p)
{
    const struct value *v = memory_get(p, "settled");

    return !v || value_is_true(v);
}

/* Whether the record was taken less than two minutes ago: stamps sort as texts. */
static bool is_fresh(const struct pass *p)
{
    char stamp[CLOCK_STAMP];

    clock_stamp(p->now - SETTLE_TIME, stamp);
    return str_cmp(memory_text(p, "takenAt"), str_of(stamp, 19)) >= 0;
}

/* Lets the kind's hook change the differences. Hooks cannot ask questions here. */
static struct differences after_compare(void *ctx, struct differences all)
{
    const struct drift *x = ctx;

    return ext_after_compare(&x->ext, &x->in, all);
}

static struct drift *look(struct pass *p)
{
    struct drift *x = ARENA_NEW(p->arena, struct drift);
    bool known;

    if (p->drift)
        *x = *p->drift;
    else
        x->payload = p->request.body;
    p->drift = x;
    x->detect = detect_new(p->arena, p->config->model, p->resource, p->config->digest_key);
    x->ext = pass_ext(p);
    x->in = pass_ext_input(p);
    const struct decision say = ext_before_compare(&x->ext, &x->in);
    detect_filter(x->detect, after_compare, x);
    x->wanted = detect_wanted(x->detect, p->request.body == x->payload ? say.value : x->payload);
    x->found = detect_found(x->detect, say.found, x->wanted);
    x->sharing = sharing_read(p->arena, object_annotation(p->object, STR(ANNOTATION_IGNORE)),
                              object_annotation(p->object, STR(ANNOTATION_SHARE)));
    x->known = memory_is_payload(p, &known) && is_same_comparator(p) &&
               str_eq(memory_text(p, "apiVersion"), p->resource->api_version) &&
               record_read(p->arena, memory_get(p, "knownDifferences"), &x->record);
    if (!x->guarded)
        guard_read(p->arena, memory_get(p, "guard"), &x->guard);
    x->guarded = true;
    return x;
}

/* ---- Modes. ---------------------------------------------------------------------------------- */

bool drift_mode_read(str text, enum drift_mode *out)
{
    static const char *const names[] = {
        [DRIFT_CORRECT] = "correct", [DRIFT_REPORT] = "report", [DRIFT_PUT_ONLY] = "put-only"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(text, str_c(names[i]))) {
            *out = (enum drift_mode)i;
            return true;
        }
    return false;
}

static bool is_mode_of(const struct value *object, enum drift_mode *out)
{
    return drift_mode_read(object_annotation(object, STR(ANNOTATION_MODE)), out);
}

static struct object_key namespace_of(const struct pass *p)
{
    return (struct object_key){.kind = STR("Namespace"), .name = p->card->key.namespace};
}

static enum drift_mode find_mode(const struct pass *p)
{
    const struct object_key key = namespace_of(p);
    enum drift_mode mode;

    if (is_mode_of(p->object, &mode) ||
        is_mode_of(p->ports->find(p->ports->ctx, p->arena, &key), &mode) ||
        (p->resource && drift_mode_read(detect_mode_of(p->resource), &mode)))
        return mode;
    return p->config->drift;
}

enum drift_mode drift_mode(struct pass *p)
{
    const struct object_key key = namespace_of(p);
    enum drift_mode mode;

    if (is_mode_of(p->object, &mode))
        return mode;
    pass_need(p, &key);
    return find_mode(p);
}

bool drift_writes(const struct pass *p)
{
    return (p->resource && !(p->resource->operations & MODEL_GET)) ||
           find_mode(p) == DRIFT_PUT_ONLY;
}

/* ---- JUDGE. ---------------------------------------------------------------------------------- */

/* Leaves out children, which have their own objects, and shared paths, which belong to others. */
static struct deviations news_of(struct drift *x, const struct record *record)
{
    struct deviations f = detect_compare(x->detect, record, x->wanted, x->found);

    if (!record)
        deviations_keep_set(&f);
    deviations_drop_children(&f);
    deviations_drop_shared(x->detect, &f, &x->sharing, x->found);
    return f;
}

/*
 * Whether somebody may have written the resource since the last look. Drift is found within a
 * period, so its cause must be more recent than that.
 */
static bool was_written(const struct pass *p)
{
    str at = author_of(p).at;
    char stamp[CLOCK_STAMP];

    clock_stamp(p->now - p->config->period * 2, stamp);
    return at.len && str_cmp(str_slice(at, 0, 19), str_of(stamp, 19)) >= 0;
}

static void report_evolution(struct pass *p, const struct deviation *f, size_t shown, size_t all)
{
    pass_report(
        p, true, "AzureEvolved", STR("AzureEvolved"),
        str_fmt(p->arena,
                "%.*s is new on %zu of %zu objects of kind %.*s, and nobody has written it: "
                "it is not corrected. List the path in " ANNOTATION_IGNORE
                " to accept it, or in the spec to decide about it",
                STR_ARG(f->path), shown, all, STR_ARG(p->card->key.kind)));
}

/* Removes what Azure itself has added to the whole kind, or may have, from the news. */
static void drop_evolved(struct pass *p, struct drift *x)
{
    size_t kept = 0, waiting = 0, shown = 0, all = 0;

    x->evolved =
        (struct deviations){.items = ARENA_ARRAY(p->arena, struct deviation, x->news.count + 1)};
    for (size_t i = 0; i < x->news.count; i++) {
        struct deviation f = x->news.items[i];
        enum evolve e = x->known && p->evolves && deviation_is_new_member(x->detect, &f) &&
                                !was_written(p)
                            ? p->evolves(p->deletes_ctx, p->card, f.path, &shown, &all)
                            : EVOLVE_NO;
        if (e == EVOLVE_FOUND)
            report_evolution(p, &f, shown, all);
        if (e == EVOLVE_FOUND || e == EVOLVE_HELD)
            x->evolved.items[x->evolved.count++] = f;
        else
            x->news.items[kept++] = f;
        waiting += e == EVOLVE_WAIT;
    }
    x->news.count = kept;
    x->waits = kept && waiting == kept;
}

bool drift_waits(const struct pass *p)
{
    return p->drift && p->drift->waits;
}

bool drift_is_found(struct pass *p)
{
    struct drift *x = look(p);
    bool settling = x->known && !is_settled(p) && is_fresh(p);

    x->news = news_of(x, x->known ? &x->record : NULL);
    size_t all = x->news.count;
    if (p->card->child_written)
        deviations_drop_child_write(&x->news);
    x->learn = !x->known || settling || x->news.count < all;
    x->settled = !settling || !x->news.count;
    if (settling)
        deviations_keep_set(&x->news); /* the rest may still change: it is learned */
    const struct deviations held = guard_filter(x->detect, &x->guard, &x->news);
    drop_evolved(p, x);
    x->held = guard_stuck(x->detect, &x->guard, &held, x->wanted, x->found);
    x->learn = x->learn && !read_is_busy(p->body);
    return x->news.count > 0;
}

bool drift_is_news(struct pass *p)
{
    struct condition synced = {0};

    if (!p->drift || !p->drift->news.count)
        return false;
    return drift_mode(p) == DRIFT_CORRECT ||
           !condition_get(value_get(p->object, STR("status")), STR("Synced"), &synced) ||
           !str_eq(synced.reason, STR("DriftFound"));
}

bool drift_is_settling(const struct pass *p)
{
    return p->drift && !is_settled(p) && is_fresh(p);
}

/* ---- Texts. ---------------------------------------------------------------------------------- */

static void add_value(struct pass *p, struct buf *b, const struct deviation *f,
                      const struct value *v)
{
    struct buf text = buf_new(p->arena, BUF_UNLIMITED);

    if (!v)
        buf_add(b, STR("nothing"));
    else if (f->hidden)
        buf_add(b, STR("(hidden)"));
    else if (json_write(&text, v, &json_exact, NULL))
        buf_fmt(b, "%.*s%s", STR_ARG(str_slice(buf_str(&text), 0, 100)),
                text.len > 100 ? "..." : "");
}

/* Differences for people: path, wanted, found. */
static str drift_text(struct pass *p, const struct deviations *all)
{
    struct buf b = buf_new(p->arena, 4 * KIB);

    for (size_t i = 0; i < all->count && i < SHOWN_MAX; i++) {
        const struct deviation *f = &all->items[i];
        buf_fmt(&b, "%s%.*s: wanted ", i ? "; " : "", STR_ARG(f->path));
        add_value(p, &b, f, f->wanted ? f->wanted : f->before);
        buf_add(&b, STR(", found "));
        add_value(p, &b, f, f->found);
    }
    if (all->count > SHOWN_MAX)
        buf_fmt(&b, "; and %zu more", all->count - SHOWN_MAX);
    return buf_str(&b);
}

/* What is set and differs, and what was set but no longer is: the rest is in the record. */
static struct deviations wishes(struct pass *p, struct drift *x)
{
    struct record r;
    struct deviations set = detect_compare(x->detect, NULL, x->wanted, x->found), old;

    deviations_keep_set(&set);
    if (!is_same_comparator(p) || !record_read(p->arena, memory_get(p, "knownDifferences"), &r))
        return set;
    old = detect_compare(x->detect, &r, x->wanted, x->found);
    struct deviations all = {ARENA_ARRAY(p->arena, struct deviation, set.count + old.count + 1),
                             set.count};
    for (size_t i = 0; i < set.count; i++)
        all.items[i] = set.items[i];
    for (size_t i = 0; i < old.count; i++)
        if (!old.items[i].wanted)
            all.items[all.count++] = old.items[i];
    return all;
}

struct deviations drift_changes(struct pass *p)
{
    struct drift *x = p->drift ? p->drift : look(p);

    if (str_eq(str_c(p->cause.name), STR("drift")))
        return x->news;
    struct deviations all = wishes(p, x);
    deviations_drop_children(&all);
    deviations_drop_shared(x->detect, &all, &x->sharing, x->found);
    return all;
}

/* ---- SEND. ----------------------------------------------------------------------------------- */

/* For metrics: the cause of a write, and the paths that drifted. */
static void tally(struct pass *p, const char *cause, const struct deviations *all)
{
    size_t count = all ? all->count : 0;
    str *paths = ARENA_ARRAY(p->arena, str, count + 1);

    for (size_t i = 0; i < count; i++)
        paths[i] = all->items[i].path;
    if (p->ports->tally)
        p->ports->tally(p->ports->ctx, &(struct tally){.cause = cause,
                                                       .kind = p->card->key.kind,
                                                       .paths = paths,
                                                       .path_count = count});
}

/* Whether a member changes with each PUT and means nothing. */
static bool is_stamp(str name)
{
    static const char *const names[] = {"etag", "provisioningState", "systemData"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(name, str_c(names[i])))
            return true;
    return false;
}

/* A hash of what Azure shows, without stamps; not 0. */
static uint64_t shown_by_azure(struct arena *a, const struct value *body)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct value *v = value_clone(a, body), *below = value_get(v, STR("properties"));

    for (size_t i = value_len(v); i-- > 0;)
        if (is_stamp(value_key(&v->items[i])))
            value_remove(v, i);
    for (size_t i = value_is(below, VALUE_OBJECT) ? value_len(below) : 0; i-- > 0;)
        if (is_stamp(value_key(&below->items[i])))
            value_remove(below, i);
    return json_write(&b, v, &json_exact, NULL) ? str_hash(buf_str(&b)) | 1 : 0;
}

static void note_before(struct pass *p)
{
    AUTO_ARENA a = arena_new();

    p->before = p->body && p->ports->tally ? shown_by_azure(a, p->body) : 0;
}

static void tally_noop(struct pass *p)
{
    AUTO_ARENA a = arena_new();

    if (p->before && p->body && p->before == shown_by_azure(a, p->body))
        p->ports->tally(p->ports->ctx, &(struct tally){.kind = p->card->key.kind, .noop = true});
    p->before = 0;
}

void drift_tally_avoided(struct pass *p)
{
    if (p->ports->tally)
        p->ports->tally(p->ports->ctx, &(struct tally){.kind = p->card->key.kind, .avoided = true});
}

/* The payload with the recorded values of what the user left to Azure and a PUT did not bring back.
 */
static struct value *carry(struct pass *p, const struct deviations *survivors)
{
    struct value *out = value_clone(p->arena, p->request.body);
    bool any = false;

    for (size_t i = 0; i < survivors->count; i++) {
        const struct deviation *f = &survivors->items[i];
        const struct value *value = f->before ? f->before : value_null(p->arena);
        struct path path;
        if (f->wanted || f->hidden || !path_parse_dotted(p->arena, f->path, &path, NULL) ||
            (!f->before && path.steps[path.len - 1].kind != STEP_KEY))
            continue;
        any = path_set(p->arena, &path, out, value, NULL) || any;
    }
    return any ? out : NULL;
}

void drift_before_put(struct pass *p)
{
    struct drift *x = p->drift;
    bool drift = str_eq(str_c(p->cause.name), STR("drift")), again = false;
    struct value *more;

    note_before(p);
    if (x && x->carried) {
        tally(p, p->cause.name, NULL);
        return;
    }
    tally(p, p->cause.name, x && drift ? &x->news : NULL);
    if (!p->body || !p->request.body) {
        decisions_add(p, &(struct made){.action = "put", .reason = str_c(p->cause.name)});
        return;
    }
    if (!x)
        x = look(p);
    if (drift) {
        p->cause.paths = str_concat(p->arena, drift_text(p, &x->news), author_text(p));
        again = guard_knows(&x->guard, &x->news); /* to omit it did not help, or not for long */
        guard_count(x->detect, &x->guard, &x->news);
    } else {
        x->guard.count = 0; /* another wish, another try */
    }
    x->counted = true;
    const struct deviations changes = drift_changes(p);
    decisions_add(p, &(struct made){.action = "put",
                                    .reason = str_c(p->cause.name),
                                    .message = drift_text(p, &changes),
                                    .changes = &changes,
                                    .by_others = drift});
    p->request.body = value_clone(
        p->arena, sharing_carry(x->detect, &x->sharing, x->payload, x->wanted, x->found));
    if (again && (more = carry(p, &x->news))) {
        x->carried = true;
        p->request.body = more;
    }
}

/* ---- LEARN. ---------------------------------------------------------------------------------- */

/* What Azure has accepted and not kept, after a prefix; empty if there is nothing. */
static str losses(struct pass *p, const struct record *r, const char *prefix)
{
    struct buf b = buf_new(p->arena, 4 * KIB);
    size_t count = 0;

    for (size_t i = 0; i < r->count; i++)
        if (detect_cause_is_loss(r->items[i].cause) && count++ < SHOWN_MAX)
            buf_fmt(&b, "%s%.*s (%s)", b.len ? ", " : prefix, STR_ARG(r->items[i].path),
                    detect_cause_name(r->items[i].cause));
    return buf_str(&b);
}

/* What a PUT was about and is still there. All else that its answer shows is Azure's, and learned.
 */
static void keep_causes(struct deviations *f, const struct deviations *causes)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < causes->count; k++)
            if (str_eq(f->items[i].path, causes->items[k].path)) {
                f->items[kept++] = f->items[i];
                break;
            }
    f->count = kept;
}

struct pass_step state_learn(struct pass *p)
{
    bool was_drift = p->drift && p->cause.name && str_eq(str_c(p->cause.name), STR("drift"));
    struct value *more;

    tally_noop(p);
    if (!p->request.body || drift_mode(p) == DRIFT_PUT_ONLY)
        return step_to(STATE_EXPORT);
    struct drift *x = look(p);
    const struct deviations causes = x->news;
    struct deviations held = {0};
    x->learn = true;
    x->settled = false;
    x->news.count = x->held.count = 0;
    x->landed = x->landed || was_drift;
    if (x->carrying.count) {
        guard_count(x->detect, &x->guard, &x->carrying);
        x->carrying.count = 0;
    }
    if (was_drift && x->known) {
        x->news = news_of(x, &x->record);
        keep_causes(&x->news, &causes);
        held = guard_filter(x->detect, &x->guard, &x->news);
        if (x->news.count && !x->carried && (more = carry(p, &x->news))) {
            x->carried = true;
            x->carrying = x->news;
            p->request.body = more;
            p->sent = false;
            return step_to(STATE_SEND);
        }
        x->learn = !x->news.count; /* else once more at the next look */
        x->settled = !x->learn;
        x->news.count = 0;
    }
    if (x->learn) {
        struct record r = detect_learn(x->detect, x->wanted, x->found);
        str lost = losses(p, &r, "");
        if (lost.len)
            pass_report(p, true, "NotGranted", STR("NotGranted"),
                        str_fmt(p->arena, "Azure accepted the request and keeps other values: %.*s",
                                STR_ARG(lost)));
    }
    x->held = guard_stuck(x->detect, &x->guard, &held, x->wanted, x->found);
    return step_to(STATE_EXPORT);
}

/* ---- SETTLE. --------------------------------------------------------------------------------- */

static void remember_record(struct pass *p, struct drift *x)
{
    struct record r = detect_learn(x->detect, x->wanted, x->found);
    struct value *written = record_write(p->arena, &r);

    if (r.overflow || status_size(written) > RECORD_BYTES_MAX) {
        memory_set(p, "knownDifferences", NULL);
        memory_set(p, "comparator", NULL);
        return;
    }
    memory_set(p, "knownDifferences", written);
    memory_set(p, "comparator", value_int(p->arena, DETECT_COMPARATOR));
}

void drift_remember(struct pass *p)
{
    struct drift *x = p->drift;

    if (!x)
        return;
    if (x->learn) {
        remember_record(p, x);
        memory_set(p, "settled", value_bool(p->arena, x->settled));
    }
    if (x->learn && !x->known && !p->sent)
        decisions_add(p,
                      &(struct made){.action = "adopt", .reason = STR("as-wanted"), .once = true});
    if (x->counted || value_len(memory_get(p, "guard")))
        memory_set(p, "guard", x->guard.count ? guard_write(p->arena, &x->guard) : NULL);
    p->card->child_written = false;
}

void drift_remember_guard(struct pass *p)
{
    if (p->drift && p->drift->landed && p->drift->guard.count)
        memory_set(p, "guard", guard_write(p->arena, &p->drift->guard));
}

/* Reports the condition if the object does not have it yet. */
static void report_condition(struct pass *p, const struct condition *c,
                             const struct deviations *changes)
{
    struct condition old;

    if (condition_get(value_get(p->object, STR("status")), c->type, &old) &&
        str_eq(old.reason, c->reason))
        return;
    pass_report(p, true, "CompareResource", c->reason,
                str_concat(p->arena, c->message, author_text(p)));
    tally(p, NULL, changes);
    decisions_add(p, &(struct made){.action = "report",
                                    .reason = c->reason,
                                    .message = c->message,
                                    .changes = changes,
                                    .by_others = true,
                                    .once = true});
}

bool drift_condition(struct pass *p, struct condition *out)
{
    const struct drift *x = p->drift;
    struct record r;

    if (!x) {
        *out = (struct condition){.type = STR("Synced"),
                                  .status = STR("Unknown"),
                                  .reason = STR("NotCompared"),
                                  .generation = p->generation};
        return p->request.body != NULL;
    }
    *out = (struct condition){.type = STR("Synced"),
                              .status = STR("True"),
                              .reason = STR("Synced"),
                              .generation = p->generation};
    if (record_read(p->arena, memory_get(p, "knownDifferences"), &r))
        out->message = losses(p, &r, "not granted by Azure: ");
    if (!x->held.count && !x->news.count && x->evolved.count) {
        out->reason = STR("AzureEvolved");
        out->message = drift_text(p, &x->evolved);
    }
    if (!x->held.count && !x->news.count)
        return true;
    out->status = STR("False");
    out->severity = STR("Warning");
    out->reason = x->held.count ? STR("NotConverging") : STR("DriftFound");
    const struct deviations *shown = x->held.count ? &x->held : &x->news;
    out->message = drift_text(p, shown);
    report_condition(p, out, shown);
    return true;
}
