/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - plans come true: what is planned after a random change is then sent, byte for byte, and
 * nothing else is.
 *
 * Changes are made by users (specs, Secrets, new objects) and by others in Azure, including losses.
 * Each is planned before the operator notices it; then the operator has a period to act.
 */
#include "world/behaviours.h"

#include "operator/detect/detect.h"
#include "operator/planner.h"

#define A_PERIOD (STAGE_PERIOD + STAGE_PERIOD / 4 + 3 * WORLD_MINUTE)
/* How many PUTs are compared per seed (four seeds are run), and how many changes are tried for
 * them. */
#define COMPARED 50
#define CHANGES 200
#define ROUTES_ID STAGE_GROUP "/providers/Microsoft.Network/routeTables/routes"

static struct stage stage;

/* All objects; those created by random changes are last. */
struct there {
    const char *kind, *name;
};
static struct there objects[16];
static size_t object_count;

/* ---- The plan. ------------------------------------------------------------------------------- */

struct planning {
    struct stage *s;
    struct planner *planner;
};

static const struct value *find(void *ctx, struct arena *a, const struct object_key *key)
{
    struct planning *p = ctx;

    return stage_cached(p->s, a, key);
}

static void ask(void *ctx, uint64_t ticket, const struct effect *effect)
{
    struct planning *p = ctx;
    struct arm_answer answer;

    world_expect(p->s->w, !effect_is_write(effect), "a plan writes: %s %.*s",
                 effect_method(effect->kind), STR_ARG(effect->url));
    stage_read(p->s, effect, &answer);
    planner_tell(p->planner, ticket, &answer);
}

struct value *plan_make(struct stage *s, const struct value *const *all, size_t count)
{
    struct planning p = {.s = s};
    unsigned writes = s->arm_writes + s->kube_writes + s->status_writes;
    const struct planner_config config = {
        .operator= stage_config(s), .ctx = &p, .find = find, .read = ask};

    p.planner = planner_new(&config);
    for (size_t i = 0; i < count; i++)
        planner_add(p.planner, all[i]);
    while (planner_step(p.planner) || planner_hurry(p.planner))
        continue;
    struct value *plan = planner_report(p.planner, s->w->arena);
    planner_free(p.planner);
    world_expect(s->w, s->arm_writes + s->kube_writes + s->status_writes == writes,
                 "planning has written");
    return plan;
}

static struct value *make_plan(struct stage *s)
{
    const struct value *all[COUNT(objects)];

    for (size_t i = 0; i < object_count; i++)
        all[i] = value_copy(s->w->arena, stage_get(s, objects[i].kind, objects[i].name));
    return plan_make(s, all, object_count);
}

/* ---- The deed. ------------------------------------------------------------------------------- */

static const struct value *planned_put(const struct value *plan, str id)
{
    const struct value *all = value_get(plan, STR("resources"));

    for (size_t i = 0; i < value_len(all); i++)
        if (str_eq(value_get_str(value_at(all, i), STR("method")), STR("PUT")) &&
            str_eq_fold(value_get_str(value_at(all, i), STR("id")), id))
            return value_at(all, i);
    return NULL;
}

static bool is_first(const struct stage *s, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (str_eq_fold(s->sent.items[k].id, s->sent.items[i].id))
            return false;
    return true;
}

size_t plan_compare(struct stage *s, const struct value *plan, size_t *unplanned)
{
    size_t compared = 0;

    *unplanned = 0;
    for (size_t i = 0; i < s->sent.len; i++) {
        const struct stage_put *put = &s->sent.items[i];
        const struct value *planned = planned_put(plan, put->id);
        if (!is_first(s, i))
            continue; /* what was left to Azure is sent with a second one */
        if (!planned) {
            ++*unplanned;
            continue;
        }
        compared++;
        str digest = detect_digest(s->w->arena, stage_config(s).digest_key,
                                   value_string(s->w->arena, put->body));
        world_expect(s->w, str_eq(digest, value_get_str(planned, STR("bodyDigest"))),
                     "%.*s was planned otherwise than %.*s", STR_ARG(put->id), STR_ARG(put->body));
    }
    return compared;
}

static size_t expect_deed(struct stage *s, const struct value *plan)
{
    const struct value *summary = value_get(plan, STR("summary"));
    size_t unplanned, compared = plan_compare(s, plan, &unplanned);
    int64_t writes = 0;

    world_expect(s->w, value_to_i64(value_get(summary, STR("writes")), &writes), "no number");
    world_expect(s->w, !unplanned, "%zu PUTs were not planned", unplanned);
    world_expect(s->w, (int64_t)compared == writes, "%lld writes were planned, %zu came",
                 (long long)writes, compared);
    return compared;
}

/* ---- Changes. -------------------------------------------------------------------------------- */

/* The text with a random number for #. */
static const char *numbered(struct stage *s, const char *text)
{
    struct buf b = buf_new(s->w->arena, BUF_UNLIMITED);
    unsigned n = (unsigned)world_below(s->w, 1000000);

    for (; *text; text++)
        if (*text == '#')
            buf_fmt(&b, "%u", n);
        else
            buf_char(&b, *text);
    return str_z(s->w->arena, buf_str(&b));
}

static void patch(struct stage *s, const char *kind, const char *name, const char *text)
{
    stage_patch(s, kind, name, numbered(s, text));
}

static void in_azure(struct stage *s, const char *id, const char *version, const char *text)
{
    struct sim_response r =
        stage_azure(s, "PATCH", str_c(id), str_c(version), str_c(numbered(s, text)));

    world_expect(s->w, r.status < 300, "the change was refused: %.*s", STR_ARG(r.body));
    stage_run(s, 30 * NS_PER_SEC); /* it may take its time */
}

static void create_account(struct stage *s)
{
    const char *name = str_z(s->w->arena, str_fmt(s->w->arena, "more%zu", object_count));

    stage_apply_text(
        s, str_z(s->w->arena, str_fmt(s->w->arena,
                                      "{'apiVersion':'storage.azure.com/v20230101','kind':"
                                      "'StorageAccount','metadata':{'name':'%s'},'spec':{"
                                      "'location':'westus2','kind':'StorageV2','sku':{'name':"
                                      "'Standard_LRS'},'owner':{'name':'rg'}}}",
                                      name)));
    objects[object_count++] = (struct there){"StorageAccount", name};
}

static void change(struct stage *s)
{
    switch (world_below(s->w, 12)) {
    case 0:
        patch(s, "StorageAccount", "acc", "{'spec':{'tags':{'n':'#'}}}");
        break;
    case 1:
        patch(s, "StorageAccount", "acc", "{'spec':{'tags':null,'accessTier':'Cool'}}");
        break;
    case 2:
        patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Hot'}}");
        break;
    case 3:
        patch(s, "VirtualNetwork", "net", "{'spec':{'tags':{'n#':'x'}}}");
        break;
    case 4:
        patch(s, "ResourceGroup", "rg", "{'spec':{'tags':{'n':'#'}}}");
        patch(s, "RouteTable", "routes", "{'spec':{'tags':{'m':'#'}}}");
        break;
    case 5:
        patch(s, "Secret", "password", "{'stringData':{'admin':'Rotated!#'}}");
        break;
    case 6:
        in_azure(s, ACCOUNT_ID("acc"), "2023-01-01", "{\"tags\":{\"who\":\"#\"}}");
        break;
    case 7:
        in_azure(s, ACCOUNT_ID("acc"), "2023-01-01",
                 "{\"properties\":{\"minimumTlsVersion\":\"TLS1_1\"}}");
        break;
    case 8:
        in_azure(s, STAGE_GROUP, "2020-06-01", "{\"tags\":{\"who\":\"#\"}}");
        break;
    case 9:
        (void)stage_azure(s, "DELETE", STR(ROUTES_ID), STR("2025-03-01"), STR_NONE);
        stage_run(s, 30 * NS_PER_SEC);
        break;
    case 10:
        if (object_count < 8)
            create_account(s);
        break;
    default: /* nothing */
        break;
    }
}

static struct stage *open(struct world *w)
{
    static const struct there first[] = {
        {"ResourceGroup", "rg"},          {"StorageAccount", "acc"}, {"VirtualNetwork", "net"},
        {"VirtualNetworksSubnet", "sub"}, {"RouteTable", "routes"},  {"Server", "server"}};
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){.keeps = world_chance(w, 50)});
    for (object_count = 0; object_count < COUNT(first); object_count++)
        objects[object_count] = first[object_count];
    stage_apply_text(s, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'password'},"
                        "'stringData':{'admin':'FirstOne!1'}}");
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_apply_text(s, NETWORK("net", "", ""));
    stage_apply_text(s, ROUTES("routes"));
    stage_apply_text(s, SUBNET("sub", "net", ",'addressPrefix':'10.1.0.0/16'"));
    stage_apply_text(s, OBJECT("sql.azure.com/v20211101", "Server", "server", "",
                               "'location':'westus2','owner':{'name':'rg'},'administratorLogin':"
                               "'boss','administratorLoginPassword':{'name':'password','key':"
                               "'admin'}"));
    return s;
}

void plan_equals_deed(struct world *w)
{
    struct stage *s = open(w);
    size_t compared = 0;

    for (unsigned i = 0; compared < COMPARED && i < CHANGES; i++) {
        s->sent.len = 0;
        if (i)
            change(s);
        bool late = s->sent.len; /* the operator was faster */
        const struct value *plan = make_plan(s);
        stage_run(s, A_PERIOD);
        if (!late)
            compared += expect_deed(s, plan);
    }
    world_expect(w, compared >= COMPARED, "only %zu PUTs in %d changes", compared, CHANGES);
    stage_close(s);
}

#define REFERENCE(kind, name)                                                                      \
    "{'reference':{'group':'network.azure.com','kind':'" kind "','name':'" name "'}}"

/*
 * Objects that refer to each other are sent after a while, whatever the other one does: a plan does
 * not block them either.
 */
void plan_mutual(struct world *w)
{
    static const struct there all[] = {
        {"ResourceGroup", "rg"}, {"NatGateway", "nat"}, {"PublicIPAddress", "ip"}};
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){0});
    s->leads = false;
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(
        s, OBJECT("network.azure.com/v20250301", "NatGateway", "nat", "",
                  "'location':'westus2','owner':{'name':'rg'},'sku':{'name':"
                  "'Standard'},'publicIpAddresses':[" REFERENCE("PublicIPAddress", "ip") "]"));
    stage_apply_text(s, OBJECT("network.azure.com/v20250301", "PublicIPAddress", "ip", "",
                               "'location':'westus2','owner':{'name':'rg'},'sku':{'name':"
                               "'Standard'},'natGateway':" REFERENCE("NatGateway", "nat")));
    stage_run(s, WORLD_MINUTE);
    for (object_count = 0; object_count < COUNT(all); object_count++)
        objects[object_count] = all[object_count];
    const struct value *plan = make_plan(s), *summary = value_get(plan, STR("summary"));
    int64_t creates = 0;
    world_expect(w, value_to_i64(value_get(summary, STR("create")), &creates) && creates == 3,
                 "%lld of 3 are created", (long long)creates);
    s->leads = true;
    stage_restart(s, NULL);
    stage_run(s, 10 * WORLD_MINUTE);
    world_expect(w, s->sent.len == 1, "%zu PUTs before the patience is over", s->sent.len);
    stage_run(s, 10 * WORLD_MINUTE);
    world_expect(w, expect_deed(s, plan) == 3, "not as planned");
    stage_close(s);
}
