/* SPDX-License-Identifier: Apache-2.0 */
/*
 * users.c - what users see with kubectl get, describe and wait, in the situations that matter.
 *
 * Each must be exactly as in docs/operate.md, where the texts are reviewed. What depends on time or
 * randomness is "...". If they differ, the new text is in build/what-you-see.md, to be reviewed and
 * copied.
 */
#include "world/behaviours.h"

#include "base/file.h"
#include "text/json/json.h"

#define PAGE "docs/operate.md"
#define NEW_TEXT "build/what-you-see.md"
#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io"

static struct stage stage;

struct showing {
    struct stage *s;
    struct arena *a;
    str page;
    struct buf all; /* what the page should have */
    bool differs;
};

/* ---- Tables, as kubectl prints them. --------------------------------------------------------- */

#define COLUMNS_MAX 6

struct table {
    VEC(str *) rows;
    size_t columns;
};

static str *add_row(struct arena *a, struct table *t)
{
    str *row = ARENA_ARRAY(a, str, COLUMNS_MAX);

    VEC_PUSH(a, &t->rows, row);
    return row;
}

static void print_table(struct buf *out, const struct table *t, const char *indent, size_t gap)
{
    for (size_t r = 0; r < t->rows.len; r++) {
        size_t at = out->len;
        buf_add(out, str_c(indent));
        for (size_t c = 0; c < t->columns; c++) {
            size_t width = 0;
            for (size_t i = 0; i < t->rows.len; i++)
                width = t->rows.items[i][c].len > width ? t->rows.items[i][c].len : width;
            buf_fmt(out, "%-*.*s", (int)(c + 1 < t->columns ? width + gap : 0),
                    (int)t->rows.items[r][c].len, t->rows.items[r][c].ptr);
        }
        while (out->len > at && out->data[out->len - 1] == ' ')
            buf_truncate(out, out->len - 1);
        buf_char(out, '\n');
    }
}

static str upper(struct arena *a, str text)
{
    char *copy = str_z(a, text);

    for (char *at = copy; *at; at++)
        *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    return str_c(copy);
}

/* kubectl get: the columns of the server, with missing cells empty. */
static void get(struct showing *v, const char *kind, const char *name, struct buf *out)
{
    const struct value *body, *columns, *cells;
    struct table t = {0};
    str *row;

    buf_fmt(out, "$ kubectl get %.*s %s\n", STR_ARG(str_lower(v->a, str_c(kind))), name);
    v->s->w->client.accept = STR(TABLE);
    bool found = stage_get(v->s, kind, name) != NULL;
    v->s->w->client.accept = STR_NONE;
    if (!found) {
        buf_fmt(out, "Error from server (NotFound): %.*s\n",
                STR_ARG(value_get_str(v->s->w->client.body, STR("message"))));
        return;
    }
    body = v->s->w->client.body;
    columns = value_get(body, STR("columnDefinitions"));
    cells = value_get(value_at(value_get(body, STR("rows")), 0), STR("cells"));
    t.columns = value_len(columns);
    row = add_row(v->a, &t);
    for (size_t i = 0; i < t.columns; i++)
        row[i] = upper(v->a, value_get_str(value_at(columns, i), STR("name")));
    row = add_row(v->a, &t);
    for (size_t i = 0; i < t.columns; i++)
        row[i] = str_copy(v->a, value_str(value_at(cells, i)));
    print_table(out, &t, "", 3);
}

/* "nextRetry" to "Next Retry:". */
static str title(struct arena *a, str name)
{
    struct buf b = buf_new(a, 100);

    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (i && c >= 'A' && c <= 'Z')
            buf_char(&b, ' ');
        buf_char(&b, !i && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
    buf_char(&b, ':');
    return buf_str(&b);
}

static void add_member(struct showing *v, struct table *t, const struct value *from,
                       const char *name)
{
    const struct value *member = value_get(from, str_c(name));
    bool varies = str_eq(str_c(name), STR("nextRetry")) || str_eq(str_c(name), STR("requestId")) ||
                  str_eq(str_c(name), STR("lastTransitionTime"));
    str *row;

    if (!member)
        return;
    row = add_row(v->a, t);
    row[0] = title(v->a, str_c(name));
    row[1] = varies ? STR("...") : str_copy(v->a, value_text(member));
}

static void events(struct showing *v, const char *name, struct buf *out)
{
    struct table t = {.columns = 5};
    str *row = add_row(v->a, &t), last = STR_NONE;
    static const char *const heads[][2] = {{"Type", "----"},
                                           {"Reason", "------"},
                                           {"Age", "----"},
                                           {"From", "----"},
                                           {"Message", "-------"}};

    for (size_t i = 0; i < t.columns; i++)
        row[i] = str_c(heads[i][0]);
    row = add_row(v->a, &t);
    for (size_t i = 0; i < t.columns; i++)
        row[i] = str_c(heads[i][1]);
    for (size_t i = 0; i < v->s->reports.len; i++) {
        const struct stage_report *r = &v->s->reports.items[i];
        /* Repeated events are counted by the server. */
        str text = str_fmt(v->a, "%.*s %.*s", STR_ARG(r->reason), STR_ARG(r->message));
        if (!str_eq(r->object, str_c(name)) || str_eq(last, text))
            continue;
        last = text;
        row = add_row(v->a, &t);
        row[0] = r->warning ? STR("Warning") : STR("Normal");
        row[1] = r->reason;
        row[2] = STR("...");
        row[3] = STR("plumb");
        row[4] = r->message;
    }
    if (t.rows.len == 2) {
        buf_add(out, STR("Events:  <none>\n"));
        return;
    }
    buf_add(out, STR("Events:\n"));
    print_table(out, &t, "  ", 2);
}

/* kubectl events: a deleted object may have left some. */
static void events_for(struct showing *v, const char *kind, const char *name, struct buf *out)
{
    static const char *const heads[] = {"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"};
    struct table t = {.columns = COUNT(heads)};
    str *row = add_row(v->a, &t);

    buf_fmt(out, "$ kubectl events --for %.*s/%s\n", STR_ARG(str_lower(v->a, str_c(kind))), name);
    for (size_t i = 0; i < t.columns; i++)
        row[i] = str_c(heads[i]);
    for (size_t i = 0; i < v->s->reports.len; i++) {
        const struct stage_report *r = &v->s->reports.items[i];
        if (!str_eq(r->object, str_c(name)))
            continue;
        row = add_row(v->a, &t);
        row[0] = STR("...");
        row[1] = r->warning ? STR("Warning") : STR("Normal");
        row[2] = r->reason;
        row[3] = str_fmt(v->a, "%s/%s", kind, name);
        row[4] = r->message;
    }
    print_table(out, &t, "", 3);
}

/*
 * kubectl describe: the end of it, including the condition Ready if it is to be complete. Members
 * are in alphabetical order.
 */
static void describe(struct showing *v, const char *kind, const char *name, bool whole,
                     struct buf *out)
{
    static const char *const condition[] = {"lastTransitionTime",
                                            "message",
                                            "observedGeneration",
                                            "reason",
                                            "severity",
                                            "status",
                                            "type"};
    static const char *const memory[] = {"attempt", "class", "nextRetry", "requestId", "rule"};
    const struct value *object = stage_get(v->s, kind, name), *status, *list;
    struct table c = {.columns = 2}, m = {.columns = 2};

    buf_fmt(out, "$ kubectl describe %.*s %s\n...\n", STR_ARG(str_lower(v->a, str_c(kind))), name);
    status = value_get(object, STR("status"));
    list = value_get(status, STR("conditions"));
    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_get_str(value_at(list, i), STR("type")), STR("Ready")))
            for (size_t j = 0; whole && j < COUNT(condition); j++)
                add_member(v, &c, value_at(list, i), condition[j]);
    if (whole)
        buf_add(out, STR("Status:\n  Conditions:\n"));
    print_table(out, &c, "    ", 2);
    for (size_t i = 0; i < COUNT(memory); i++)
        add_member(v, &m, value_get(status, STR("operatorStatus")), memory[i]);
    if (m.rows.len) {
        buf_add(out, STR("  Operator Status:\n"));
        print_table(out, &m, "    ", 2);
    }
    events(v, name, out);
}

/* kubectl wait: it looks at the status and at the generation of the condition. */
static void wait_for(struct showing *v, const char *kind, const char *name, struct buf *out)
{
    bool going = object_is_deleting(stage_get(v->s, kind, name));
    struct condition ready = stage_condition(v->s, kind, name);
    const struct value *object = v->s->w->client.body;
    str type = str_lower(v->a, str_c(kind)), group, version;

    buf_fmt(out, "$ kubectl wait --for=%s --timeout=10s %.*s/%s\n",
            going ? "delete" : "condition=Ready", STR_ARG(type), name);
    api_version_split(value_get_str(object, STR("apiVersion")), &group, &version);
    if (str_eq(ready.status, STR("True")) && ready.generation >= object_generation(object))
        buf_fmt(out, "%.*s.%.*s/%s condition met\n", STR_ARG(type), STR_ARG(group), name);
    else
        buf_fmt(out, "error: timed out waiting for the condition on %.*ss/%s\n", STR_ARG(type),
                name);
}

/* ---- Against the page. ----------------------------------------------------------------------- */

static void compare(struct showing *v, const char *heading, const struct buf *block)
{
    str text = str_fmt(v->a, "### %s\n\n```\n%.*s```\n", heading, STR_ARG(buf_str(block)));
    str before, after;

    buf_fmt(&v->all, "%.*s\n", STR_ARG(text));
    /* Sentences may come between the heading and the block. */
    if (!str_cut(v->page, str_fmt(v->a, "\n### %s\n", heading), &before, &after) ||
        !str_has_prefix(str_from(after, str_find(after, STR("```\n"))),
                        str_fmt(v->a, "```\n%.*s```\n", STR_ARG(buf_str(block)))))
        v->differs = true;
}

static void show_as(struct showing *v, const char *heading, const char *kind, const char *name,
                    bool whole)
{
    struct buf b = buf_new(v->a, 64 * KIB);

    get(v, kind, name, &b);
    describe(v, kind, name, whole, &b);
    wait_for(v, kind, name, &b);
    compare(v, heading, &b);
}

static void show(struct showing *v, const char *heading, const char *kind, const char *name)
{
    show_as(v, heading, kind, name, false);
}

/* ---- The situations. ------------------------------------------------------------------------- */

#define LOCKED_ID ACCOUNT_ID("locked")
#define STORAGE "storage.azure.com/v20230101"
#define FILES(name, owner, more)                                                                   \
    OBJECT(STORAGE, "StorageAccount", name, more,                                                  \
           "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'accessTier':"   \
           "'Hot','owner':{'name':'" owner "'}")
#define REFUSE(name, status, code, message)                                                        \
    "{'faults':[{'kind':'fail','method':'PUT','id':'" ACCOUNT_ID(                                  \
        name) "','status':" status ",'code':'" code "','message':'" message "','count':0}]}"

/* Many deletions at once, when there were no earlier ones. */
static void show_confirmation(struct showing *v)
{
    struct stage *s = v->s;

    stage_apply_text(s, GROUP("old", ""));
    stage_apply_text(s, FILES("old1", "old", ""));
    stage_apply_text(s, FILES("old2", "old", ""));
    stage_apply_text(s, FILES("old3", "old", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_delete(s, "ResourceGroup", "old");
    stage_run(s, 10 * NS_PER_SEC);
    show(v, "Waiting for confirmation", "ResourceGroup", "old");
}

static void show_waiting(struct showing *v)
{
    struct stage *s = v->s;

    stage_apply_text(s, FILES("early", "missing", ""));
    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_apply_text(
        s,
        SUBNET("front", "vnet",
               ",'addressPrefix':'10.0.0.0/24','natGateway':{'reference':{'group':"
               "'network.azure.com','kind':'NatGateway','name':'nat'}},'routeTable':{"
               "'reference':{'group':'network.azure.com','kind':'RouteTable','name':'routes'}}"));
    stage_apply_text(s, "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'admin'},"
                        "'stringData':{'user':'me'}}");
    stage_apply_text(
        s, OBJECT("sql.azure.com/v20211101", "Server", "db", "",
                  "'location':'westus2','owner':{'name':'rg'},'administratorLogin':'me','version':"
                  "'12.0','administratorLoginPassword':{'name':'admin','key':'password'}"));
    stage_run(s, 30 * NS_PER_SEC);
    show_as(v, "Waiting for the owner", "StorageAccount", "early", true);
    show(v, "A reference to nothing", "VirtualNetworksSubnet", "front");
    show(v, "A key that a Secret lacks", "Server", "db");
}

/* Runs until an object is neither new nor being worked on. */
static void until_told(struct stage *s, const char *name)
{
    for (int i = 0; i < 200; i++) {
        str reason = stage_condition(s, "StorageAccount", name).reason;
        if (!str_eq(reason, STR("Pending")) && !str_eq(reason, STR("Reconciling")))
            break;
        stage_run(s, 100 * NS_PER_MS);
    }
}

static void show_refusal(struct showing *v, const char *heading, const char *name,
                         const char *object, const char *fault)
{
    stage_fault(v->s, fault);
    stage_apply_text(v->s, object);
    until_told(v->s, name);
    show(v, heading, "StorageAccount", name);
}

static void show_refusals(struct showing *v)
{
    struct stage *s = v->s;

    show_refusal(v, "Throttled", "busy", FILES("busy", "rg", ""),
                 REFUSE("busy", "429,'retryAfter':17", "TooManyRequests",
                        "The request is being throttled: too many writes in this subscription."));
    show_refusal(v, "A quota is used up", "many", FILES("many", "rg", ""),
                 REFUSE("many", "409", "QuotaExceeded",
                        "The subscription has 250 storage accounts in westus2, which is the "
                        "maximum."));
    show_refusal(v, "A policy forbids it", "public", FILES("public", "rg", ""),
                 REFUSE("public", "403", "RequestDisallowedByPolicy",
                        "Resource public was disallowed by policy no-public-access."));
    show_refusal(v, "A value that Azure rejects", "wrong", FILES("wrong", "rg", ""),
                 REFUSE("wrong", "400", "InvalidParameterValue",
                        "The value Hot is not allowed for accessTier of this kind of account."));
    s->denies = ACCOUNT_ID("denied");
    show_refusal(v, "A wrong credential", "denied", FILES("denied", "rg", ""), "{'faults':[]}");
}

static void show_work(struct showing *v)
{
    struct stage *s = v->s;

    stage_fault(s, "{'faults':[{'kind':'slow','type':'*','factor':1000}]}");
    stage_apply_text(s, FILES("new", "rg", ""));
    stage_run(s, 20 * NS_PER_SEC);
    show(v, "In progress", "StorageAccount", "new");
    stage_delete(s, "VirtualNetwork", "gone");
    stage_fault(s, "{'faults':[{'kind':'fail','method':'DELETE','id':'" LOCKED_ID "','status':409,"
                   "'code':'ScopeLocked','message':'The scope has lock keep-it and cannot be "
                   "deleted.','count':0}]}");
    stage_delete(s, "StorageAccount", "locked");
    stage_run(s, 20 * NS_PER_SEC);
    show(v, "Deleting", "VirtualNetwork", "gone");
    show(v, "A deletion that Azure refuses", "StorageAccount", "locked");
}

static void show_policies(struct showing *v)
{
    struct stage *s = v->s;
    struct buf b = buf_new(v->a, 64 * KIB);

    stage_apply_text(s, FILES("theirs", "rg", POLICY("skip")));
    stage_run(s, 20 * NS_PER_SEC);
    stage_apply_text(s, FILES("absent", "rg", POLICY("skip")));
    until_told(s, "absent");
    get(v, "StorageAccount", "theirs", &b);
    wait_for(v, "StorageAccount", "theirs", &b);
    get(v, "StorageAccount", "absent", &b);
    describe(v, "StorageAccount", "absent", false, &b);
    wait_for(v, "StorageAccount", "absent", &b);
    compare(v, "Policy skip: only observed", &b);
    buf_truncate(&b, 0);
    stage_patch(s, "StorageAccount", "kept", ANNOTATE(ANNOTATION_POLICY, "'detach-on-delete'"));
    stage_run(s, 5 * NS_PER_SEC);
    stage_delete(s, "StorageAccount", "kept");
    stage_run(s, 20 * NS_PER_SEC);
    world_expect(s->w, stage_is_in_azure(s, ACCOUNT_ID("kept")), "it was deleted");
    get(v, "StorageAccount", "kept", &b);
    events_for(v, "StorageAccount", "kept", &b);
    compare(v, "Policy detach-on-delete", &b);
}

void users_see(struct world *w)
{
    struct showing v = {.s = &stage, .a = w->arena, .all = buf_new(w->arena, BUF_UNLIMITED)};
    AUTO_ERR e = {0};

    world_expect(w, file_read(w->arena, STR(PAGE), &v.page, &e), "%.*s", STR_ARG(e.text));
    stage_open(
        v.s, w,
        &(struct stage_options){.config = {.confirm_deletes = 3, .patience = 10 * WORLD_MINUTE}});
    show_confirmation(&v);
    stage_azure(v.s, "PUT", STR(STAGE_GROUP), STR("2020-06-01"), STR("{\"location\":\"westus2\"}"));
    stage_azure(v.s, "PUT", STR(ACCOUNT_ID("theirs")), STR("2023-01-01"),
                STR("{\"location\":\"westus2\",\"kind\":\"StorageV2\",\"sku\":{\"name\":"
                    "\"Standard_LRS\"}}"));
    stage_apply_text(v.s, GROUP("rg", ""));
    stage_run(v.s, 30 * NS_PER_SEC);
    stage_apply_text(v.s, FILES("kept", "rg", ""));
    stage_apply_text(v.s, FILES("locked", "rg", ""));
    stage_apply_text(v.s, NETWORK("gone", "", ""));
    stage_run(v.s, 2 * WORLD_MINUTE);
    show_waiting(&v);
    show_refusals(&v);
    show_policies(&v);
    show_work(&v);
    stage_close(v.s);
    if (v.differs)
        (void)!file_write(STR(NEW_TEXT), buf_str(&v.all), 0644, NULL);
    world_expect(w, !v.differs, PAGE " does not show what users see; " NEW_TEXT " has the text");
}
