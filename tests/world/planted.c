/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planted.c - secrets that Azure quotes are never shown in a status, an Event, or a record of
 * decisions, no matter which process read them, and when.
 */
#include "world/behaviours.h"

#include "text/codec.h"
#include "text/json/json.h"

#define MARK "planted-secret"
#define PASSWORD MARK "-password"
#define SERVER                                                                                     \
    OBJECT(                                                                                        \
        "sql.azure.com/v20211101", "Server", "server", "",                                         \
        "'location':'westus2','owner':{'name':'rg'},'administratorLogin':'me','version':'12.0',"   \
        "'administratorLoginPassword':{'name':'admin','key':'password'}")
#define EXPORTING                                                                                  \
    OBJECT("storage.azure.com/v20230101", "StorageAccount", "acc", "",                             \
           "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'accessTier':"   \
           "'Hot','owner':{'name':'rg'},'operatorSpec':{'secrets':{'key1':{'name':'keys','key':"   \
           "'first'}}}")

static struct stage stage;

/* ---- What is searched. ----------------------------------------------------------------------- */

/* What must not be shown. */
struct planted {
    struct stage *s;
    str values[2];
    unsigned records;
};

static void expect_clean(struct planted *p, const char *where, str text)
{
    for (size_t i = 0; i < COUNT(p->values); i++)
        world_expect(p->s->w, !p->values[i].len || !str_contains(text, p->values[i]),
                     "a secret is in %s", where);
}

static void expect_clean_value(struct planted *p, const char *where, const struct value *v)
{
    struct buf b = buf_new(p->s->w->arena, BUF_UNLIMITED);

    world_expect(p->s->w, json_write(&b, v, &json_exact, NULL), "no JSON");
    expect_clean(p, where, buf_str(&b));
}

static void judged(void *ctx, const struct value *record)
{
    struct planted *p = ctx;

    p->records++;
    expect_clean_value(p, "a record", record);
}

static void search(struct planted *p, const char *kind, const char *name)
{
    expect_clean_value(p, "an object", stage_get(p->s, kind, name));
    for (size_t i = 0; i < p->s->events.len; i++)
        expect_clean(p, "an Event", p->s->events.items[i]);
}

static struct stage *open(struct world *w, struct planted *p)
{
    *p = (struct planted){.s = &stage, .values = {STR(MARK)}};
    stage_open(&stage, w, &(struct stage_options){.judged = judged, .judged_ctx = p});
    stage_apply_text(&stage, GROUP("rg", ""));
    return &stage;
}

/* ---- Scenarios. ------------------------------------------------------------------------------ */

/* An operation fails and quotes the password; the process that sent it is gone, and the one that
 * polls the operation has not read any Secrets. */
void planted_operation(struct world *w)
{
    struct planted p;
    struct stage *s = open(w, &p);

    stage_apply_text(s, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'admin'},"
                        "'stringData':{'password':'" PASSWORD "'}}");
    stage_fault(s, "{'faults':[{'kind':'operation','method':'PUT','type':'Microsoft.Sql*',"
                   "'code':'PasswordTooWeak','message':'" PASSWORD " is too weak','count':0}]}");
    stage_apply_text(s, SERVER);
    for (unsigned i = 0; i < 600 && !map_len(s->polled); i++)
        stage_run(s, NS_PER_SEC);
    world_expect(w, map_len(s->polled) > 0, "there was no operation");
    stage_restart(s, NULL);
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect(s, "Server", "server", "PasswordTooWeak", "*** is too weak");
    search(&p, "Server", "server");
    world_expect(w, p.records > 0, "there are no records");
    stage_close(s);
}

/* A key that was exported is quoted by a write and a deletion of later processes. */
void planted_key(struct world *w)
{
    struct planted p;
    struct stage *s = open(w, &p);
    size_t bad;

    stage_apply_text(s, EXPORTING);
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    const struct value *data = value_get(stage_get(s, "Secret", "keys"), STR("data"));
    world_expect(w,
                 base64_decode(w->arena, value_get_str(data, STR("first")), &p.values[1], &bad) &&
                     p.values[1].len > 8,
                 "no key was exported");
    stage_fault(
        s, str_z(w->arena, str_fmt(w->arena,
                                   "{'faults':[{'kind':'fail','method':'PUT','type':"
                                   "'Microsoft.Storage*','status':400,'code':'BadKey','message':"
                                   "'bad %.*s','count':0},{'kind':'fail','method':'DELETE','type':"
                                   "'Microsoft.Storage*','status':409,'code':'InUse','message':"
                                   "'used by %.*s','count':0}]}",
                                   STR_ARG(p.values[1]), STR_ARG(p.values[1]))));
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "BadKey", "bad ***");
    search(&p, "StorageAccount", "acc");
    stage_restart(s, NULL);
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "InUse", "used by ***");
    search(&p, "StorageAccount", "acc");
    stage_close(s);
}

/* Unknown values that look like secrets: signed URLs, connection strings, tokens. */
void planted_shapes(struct world *w)
{
    static const char *const quotes[] = {
        "https://x.blob.core.windows.net/a?sv=1&sig=" MARK "&se=2",
        "https://management.azure.com/operations/1?t=1&c=" MARK "&s=" MARK "&h=" MARK,
        "AccountName=n;AccountKey=" MARK "==;EndpointSuffix=e",
        "Authorization: Bearer " MARK "-token",
        "-----BEGIN PRIVATE KEY-----" MARK "-----END PRIVATE KEY-----"};
    struct planted p;
    struct stage *s = open(w, &p);

    stage_apply_text(s, ACCOUNT("acc", ""));
    for (size_t i = 0; i < COUNT(quotes); i++) {
        str fault = str_fmt(w->arena,
                            "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Storage*',"
                            "'status':400,'code':'Quoted%zu','message':'see %s','count':0}]}",
                            i, quotes[i]);
        stage_fault(s, str_z(w->arena, fault));
        stage_run(s, 10 * WORLD_MINUTE);
        str reason = str_fmt(w->arena, "Quoted%zu", i);
        stage_expect(s, "StorageAccount", "acc", str_z(w->arena, reason), "REDACTED");
        search(&p, "StorageAccount", "acc");
        stage_end_faults(s);
        stage_patch(s, "StorageAccount", "acc",
                    str_z(w->arena, str_fmt(w->arena, "{'spec':{'tags':{'a':'%zu'}}}", i)));
    }
    stage_run(s, 10 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}
