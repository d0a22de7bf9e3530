/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_live.c - plumb plan against Azure: runs the operator without a writer over objects from
 * files or a cluster.
 */
#include "cli/cmd/plan_live.h"

#include "arm/rules/kind.h"
#include "azure/applied.h"
#include "cli/cluster.h"
#include "cli/operating.h"
#include "cli/print.h"
#include "object/names.h"
#include "operator/digest_key.h"
#include "operator/planner_live.h"
#include "report/plan.h"

#define SUBSCRIPTION "00000000-0000-0000-0000-000000000000"
/* The most bytes of a value in a line. */
#define VALUE_SHOWN 300

struct making {
    struct call *call;
    struct model *model;
    struct arena *secrets;
    struct kube_config *config;       /* NULL: no cluster */
    struct kube_transport *transport; /* the same */
    const struct kube_discovery *discovery;
    struct settings settings;
    VEC(const struct value *) objects;
    size_t unread; /* objects that may exist, but could not be read */
};

/* ---- The cluster. ---------------------------------------------------------------------------- */

static bool find_resource(const struct making *m, const struct object_key *key,
                          struct kube_resource *out)
{
    static const struct {
        const char *kind, *plural;
        bool namespaced;
    } core[] = {{"ConfigMap", "configmaps", true},
                {"Namespace", "namespaces", false},
                {"Secret", "secrets", true}};

    for (size_t i = 0; i < COUNT(core); i++)
        if (!key->group.len && str_eq(key->kind, str_c(core[i].kind))) {
            *out = (struct kube_resource){.version = STR("v1"),
                                          .name = str_c(core[i].plural),
                                          .namespaced = core[i].namespaced};
            return true;
        }
    for (size_t i = 0; i < m->discovery->resource_count; i++) {
        const struct kube_resource *r = &m->discovery->resources[i];
        if (r->preferred && !r->subresource && str_eq(r->group, key->group) &&
            str_eq(r->kind, key->kind)) {
            *out = *r;
            return true;
        }
    }
    return false;
}

static bool is_object(const struct kube_call *c, const struct value *object, struct err *e)
{
    if (!kube_object_fits(c, object, e))
        return false;
    return (str_eq(object_name(object), c->name) &&
            str_eq(object_namespace(object), c->resource->namespaced ? c->namespace : STR_NONE)) ||
           err_set(e, ERR_INVALID, "the server's response is another object: %.*s",
                   STR_ARG(object_name(object)));
}

/* 200, 404 if it does not exist, or another status with e; 0: no usable answer. */
static int ask(const struct making *m, struct arena *a, const struct object_key *key,
               struct value **out, struct err *e)
{
    struct kube_resource resource;
    struct kube_status status = {0};
    const struct kube_call call = {
        .resource = &resource, .namespace = key->namespace, .name = key->name, .status = &status};

    if (!m->transport)
        return 404;
    if (!find_resource(m, key, &resource))
        return cluster_check_group(m->discovery, key->group, e) ? 404 : 0;
    /* The body of a failure may claim anything. */
    if (!kube_get(m->transport, a, &call, out, e))
        return status.code == 200 ? 0 : status.code;
    return is_object(&call, *out, e) ? 200 : 0;
}

/* The operator would have read it, so a plan without it may be wrong. */
static int fetch(void *ctx, struct arena *a, const struct object_key *key, struct value **out)
{
    struct making *m = ctx;
    AUTO_ERR why = {0};
    int status = ask(m, a, key, out, &why);

    if (status != 200 && status != 404) {
        m->unread++;
        err_wrap(&why, "%.*s %.*s%s%.*s was not read, so the plan may be wrong", STR_ARG(key->kind),
                 STR_ARG(key->namespace), key->namespace.len ? "/" : "", STR_ARG(key->name));
        call_report(m->call, &why);
    }
    return status;
}

/* Empty if there is no operator yet. */
static str read_digest_key(struct making *m, str namespace)
{
    AUTO_ERR why = {0};
    str key = m->transport ? digest_key_read(m->secrets, m->transport, namespace, false, &why)
                           : STR_NONE;

    if (why.kind && why.kind != ERR_NOT_FOUND)
        message_warning((struct where){0},
                        str_fmt(m->call->arena,
                                "without Secret %.*s/%s, all that the operator keeps digests of "
                                "is compared with Azure, and no bodyDigest is shown: %.*s",
                                STR_ARG(namespace), DIGEST_KEY_SECRET, STR_ARG(why.text)));
    return key;
}

static bool connect(struct making *m, struct err *e)
{
    const struct plan_values *v = m->call->values;
    struct kube_flags flags = kube_values_flags(m->call->options, &v->kube);
    struct kube_discovery *discovery;

    if (v->no_cluster)
        return true;
    if (!kube_config_load(m->secrets, &flags, &m->config, e) ||
        !kube_transport_new(m->config, STR("plumb/" PLUMB_VERSION), &m->transport, e) ||
        !kube_discover(m->transport, m->call->arena, NULL, &discovery, e))
        return false;
    m->discovery = discovery;
    return true;
}

/* ---- Objects. -------------------------------------------------------------------------------- */

/* The applied version is that of the file, unless the file was read from a server. */
static void note_version(struct arena *a, struct value *out, const struct value *file)
{
    str group, version;

    if (applied_is_served(file))
        return;
    api_version_split(value_get_str(file, STR("apiVersion")), &group, &version);
    value_unset(object_meta(out), STR("managedFields"));
    object_set_annotation(a, out, STR(ANNOTATION_LAST_APPLIED), STR_NONE);
    object_set_annotation(a, out, STR(ANNOTATION_LEFTOVERS), STR_NONE);
    object_set_annotation(a, out, STR(ANNOTATION_API_VERSION), version);
}

/* The object after kubectl apply: spec and metadata texts from the file, the rest unchanged. */
static struct value *apply(struct making *m, const struct value *file, const struct value *live)
{
    static const char *const maps[] = {"annotations", "labels"};
    struct arena *a = m->call->arena;
    struct value *out = value_clone(a, live), *meta = object_meta(out);
    const struct value *spec = value_get(file, STR("spec"));

    value_set_str(a, out, STR("apiVersion"), value_get_str(file, STR("apiVersion")));
    for (size_t i = 0; i < COUNT(maps); i++) {
        const struct value *own = value_get(object_meta(file), str_c(maps[i]));
        const struct value *old = value_get(meta, str_c(maps[i]));
        if (own)
            value_set(a, meta, str_c(maps[i]), old ? value_merge(a, old, own) : own);
    }
    note_version(a, out, file);
    if (spec && !value_equal(spec, value_get(live, STR("spec")))) {
        value_set(a, out, STR("spec"), spec);
        value_set_int(a, meta, STR("generation"), object_generation(live) + 1);
    }
    return out;
}

/*
 * The object as the API server would create it. Without a cluster it is unknown what was sent
 * before: what exists in Azure counts as sent, so that it is only compared with what the file sets.
 */
static struct value *create(struct making *m, const struct value *file)
{
    struct arena *a = m->call->arena;
    struct value *out = value_clone(a, file), *meta = object_meta(out);

    value_set_str(a, meta, STR("uid"), str_fmt(a, "planned-%zu", m->objects.len + 1));
    value_set_int(a, meta, STR("generation"), 1);
    value_unset(out, STR("status"));
    note_version(a, out, file);
    if (!m->transport)
        object_set_annotation(a, out, STR(ANNOTATION_GENERATION), STR("1"));
    return out;
}

/* An object that may exist, but could not be read, must not be planned as if it were new. */
static bool plan_file(struct making *m, const struct object_key *key, struct value **object,
                      struct err *e)
{
    AUTO_ERR why = {0};
    struct value *live = NULL;
    int status = ask(m, m->call->arena, key, &live, &why);

    if (status != 200 && status != 404) {
        err_copy(e, &why);
        return err_wrap(e, "%.*s %.*s/%.*s", STR_ARG(key->kind), STR_ARG(key->namespace),
                        STR_ARG(key->name));
    }
    *object = status == 200 ? apply(m, *object, live) : create(m, *object);
    return true;
}

/* Core objects are only looked up; the namespace is the one that kubectl would use. */
static bool add_file(struct making *m, const struct value *file, struct err *e)
{
    struct arena *a = m->call->arena;
    struct value *object = value_clone(a, file);
    struct object_key key = object_key_of(object);
    bool global = !key.group.len && str_eq(key.kind, STR("Namespace"));

    if (!object_meta(object) || (key.group.len && !model_has_group(m->model, key.group)))
        return true;
    if (!key.namespace.len && !global) {
        value_set_str(a, object_meta(object), STR("namespace"),
                      m->config ? m->config->namespace : STR("default"));
        key = object_key_of(object);
    }
    if (key.group.len && !plan_file(m, &key, &object, e))
        return false;
    VEC_PUSH(a, &m->objects, (const struct value *)object);
    return true;
}

static bool take(void *ctx, struct arena *a, struct value *item, struct err *e)
{
    struct making *m = ctx;

    (void)a;
    (void)e;
    VEC_PUSH(m->call->arena, &m->objects, (const struct value *)value_copy(m->call->arena, item));
    return true;
}

static bool list(struct making *m, struct err *e)
{
    const struct plan_values *v = m->call->values;
    const struct cluster cluster = {
        .call = m->call, .transport = m->transport, .discovery = m->discovery, .model = m->model};

    return cluster_list(&cluster, v->all ? STR_NONE : v->kube.namespace, take, m, e);
}

/* ---- Printing. ------------------------------------------------------------------------------- */

static str get(const struct value *v, const char *member)
{
    return value_get_str(v, str_c(member));
}

static void print_change(struct call *c, const struct value *change)
{
    str op = get(change, "op"), flag = get(change, "flag");

    output_style(c->out, str_eq(op, STR("+"))   ? STYLE_ADDED
                         : str_eq(op, STR("-")) ? STYLE_MISSING
                                                : STYLE_PLACE);
    output_fmt(c->out, "    %.*s %.*s", STR_ARG(op), STR_ARG(get(change, "path")));
    output_style(c->out, STYLE_PLAIN);
    output_fmt(c->out, ": %.*s", STR_ARG(plan_values(c->arena, change, VALUE_SHOWN)));
    if (flag.len)
        output_fmt(c->out, str_eq(flag, STR("immutable"))
                               ? "  (immutable: Azure refuses to change it)"
                               : "  (no effect: Azure did not keep it the last time)");
    output_add(c->out, STR("\n"));
}

static void print_resource(struct call *c, const struct value *r)
{
    static const struct {
        const char *action, *sign;
        enum output_style style;
    } looks[] = {{"create", "+", STYLE_ADDED},
                 {"update", "~", STYLE_PLACE},
                 {"delete", "-", STYLE_MISSING},
                 {"blocked", "!", STYLE_MISSING},
                 {"waiting", "…", STYLE_PLACE}};
    const struct value *object = value_get(r, STR("object")),
                       *changes = value_get(r, STR("changes"));
    const char *sign = " ";

    for (size_t i = 0; i < COUNT(looks); i++)
        if (str_eq(get(r, "action"), str_c(looks[i].action))) {
            output_style(c->out, looks[i].style);
            sign = looks[i].sign;
        }
    output_fmt(c->out, "%s %.*s", sign, STR_ARG(get(r, "action")));
    output_style(c->out, STYLE_PLAIN);
    output_fmt(c->out, " %.*s %.*s/%.*s", STR_ARG(get(object, "kind")),
               STR_ARG(get(object, "namespace")), STR_ARG(get(object, "name")));
    if (get(r, "cause").len)
        output_fmt(c->out, " (%.*s)", STR_ARG(get(r, "cause")));
    if (get(r, "reason").len)
        output_fmt(c->out, ": %.*s: %.*s", STR_ARG(get(r, "reason")), STR_ARG(get(r, "message")));
    if (get(r, "note").len)
        output_fmt(c->out, ": %.*s", STR_ARG(get(r, "note")));
    output_add(c->out, STR("\n"));
    if (get(r, "id").len && get(r, "method").len)
        output_fmt(c->out, "    %.*s %.*s?api-version=%.*s\n", STR_ARG(get(r, "method")),
                   STR_ARG(get(r, "id")), STR_ARG(get(r, "apiVersion")));
    for (size_t i = 0; i < value_len(changes); i++)
        print_change(c, value_at(changes, i));
    if (get(r, "by").len)
        output_fmt(c->out, "      last modified by %.*s%s%.*s\n", STR_ARG(get(r, "by")),
                   get(r, "at").len ? " at " : "", STR_ARG(get(r, "at")));
    if (value_get(r, STR("more")))
        output_fmt(c->out, "      and %.*s more\n", STR_ARG(value_text(value_get(r, STR("more")))));
    if (value_get(r, STR("unchanged")))
        output_fmt(c->out, "      (%.*s unchanged)\n",
                   STR_ARG(value_text(value_get(r, STR("unchanged")))));
}

static void print_totals(struct call *c, const struct value *plan)
{
    output_fmt(c->out, "Plan: %.*s; %.*s\n", STR_ARG(plan_totals(c->arena, plan)),
               STR_ARG(plan_cost(c->arena, plan)));
}

static void print_text(struct call *c, const struct value *plan)
{
    const struct value *resources = value_get(plan, STR("resources"));
    size_t shown = 0;

    print_totals(c, plan);
    for (size_t i = 0; i < value_len(resources); i++) {
        const struct value *r = value_at(resources, i);
        if (str_eq(get(r, "action"), STR("unchanged")) && !get(r, "note").len)
            continue;
        output_add(c->out, shown++ ? STR_NONE : STR("\n"));
        print_resource(c, r);
    }
    if (shown) {
        output_add(c->out, STR("\n"));
        print_totals(c, plan);
    }
}

static bool print(struct call *c, struct value *plan, struct err *e)
{
    const struct plan_values *v = c->values;
    struct buf b = buf_new(c->arena, OUTPUT_MAX);

    if (str_eq(v->output, STR("json")))
        return print_as_json(c->out, plan, e);
    if (str_eq(v->output, STR("text"))) {
        print_text(c, plan);
        return true;
    }
    (str_eq(v->output, STR("html")) ? plan_html : plan_markdown)(plan, &b);
    if (!buf_check(&b, e))
        return false;
    output_add_safe(c->out, buf_str(&b));
    return true;
}

/* ---- The command. ---------------------------------------------------------------------------- */

static bool has(const struct value *plan, const char *member)
{
    return !str_eq(value_text(value_get(value_get(plan, STR("summary")), str_c(member))), STR("0"));
}

static enum exit_status status_of(const struct value *plan, bool strict)
{
    if (has(plan, "faults") || (strict && has(plan, "dangling")))
        return STATUS_TROUBLE;
    return has(plan, "writes") || has(plan, "blocked") || has(plan, "waiting") ? STATUS_DIFFERENT
                                                                               : STATUS_FINE;
}

static bool settle(struct making *m, str namespace, struct err *e)
{
    const struct plan_values *v = m->call->values;
    bool own = str_eq(v->subscription, STR("{subscription}"));

    if (!operating_settings(m->secrets, m->transport, namespace,
                            m->transport && !v->azure.len ? STR(SETTINGS_SECRET) : STR_NONE,
                            &m->settings, e))
        return false;
    if (v->policy.len && !settings_policy(v->policy, &m->settings.policy, e))
        return err_wrap(e, "--default-policy");
    if (!v->azure.len)
        return m->settings.has_credential || m->transport ||
               err_set(e, ERR_USAGE,
                       "there is no credential: set AZURE_SUBSCRIPTION_ID, AZURE_TENANT_ID and "
                       "AZURE_CLIENT_ID, name a simulated Azure with --azure-endpoint, or plan "
                       "from files alone with --offline");
    if (!str_has_prefix(v->azure, STR("http://")) && !str_has_prefix(v->azure, STR("https://")))
        return err_set(e, ERR_USAGE, "--azure-endpoint must begin with http:// or https://");
    m->settings.credential = operating_simulated(m->secrets, str_without_suffix(v->azure, STR("/")),
                                                 own ? STR(SUBSCRIPTION) : v->subscription);
    m->settings.has_credential = true;
    m->settings.cloud = m->settings.credential.cloud;
    return true;
}

static void tell_waiting(void *ctx, str why)
{
    (void)ctx;
    message_warning((struct where){0}, why);
}

static bool make(struct making *m, struct value **plan, struct err *e)
{
    const struct plan_values *v = m->call->values;
    str namespace = operating_namespace(v->namespace, m->config);
    struct kind_set *rules = NULL;

    if (!settle(m, namespace, e))
        return false;
    if (v->rules.len && !kind_set_open(m->call->arena, v->rules, &rules, e))
        return err_wrap(e, "--rules");
    const struct planner_live_config config = {
        .operator= {.model = m->model,
                    .namespace = namespace,
                    .policy = m->settings.policy,
                    .period = m->settings.period,
                    .scopes = v->scopes.items,
                    .scope_count = v->scopes.len,
                    .rules = rules,
                    .digest_key = read_digest_key(m, namespace)},
        .fetch = fetch,
        .ctx = m,
        .waits = tell_waiting,
        .credential = m->settings.has_credential ? &m->settings.credential : NULL,
        .cloud = &m->settings.cloud,
        .own_cloud = m->settings.own_cloud,
        .agent = m->settings.agent,
        .objects = m->objects.items,
        .object_count = m->objects.len};
    return planner_live(&config, m->call->arena, plan, e);
}

static bool run(struct making *m, struct manifests *files, struct err *e)
{
    const struct plan_values *v = m->call->values;
    struct value *plan = NULL;

    if (!connect(m, e))
        return false;
    for (size_t i = 0; files && i < manifests_count(files); i++)
        if (!add_file(m, manifests_at(files, i)->root, e))
            return false;
    if ((!files && !list(m, e)) || !make(m, &plan, e))
        return false;
    if (m->unread)
        value_set_int(m->call->arena, value_get(plan, STR("summary")), STR("unread"),
                      (int64_t)m->unread);
    m->call->status = m->unread ? STATUS_TROUBLE : status_of(plan, v->strict);
    return print(m->call, plan, e);
}

bool plan_live(struct call *c, struct manifests *files, struct model *model, struct err *e)
{
    AUTO_ARENA secrets = arena_new_secret();
    struct making m = {.call = c, .model = model, .secrets = secrets};
    bool ok = run(&m, files, e);

    if (m.transport)
        kube_transport_free(m.transport);
    return ok;
}
