/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kind_arm_errors.c - recorded refusals: the code must be found in whatever shape, and the class
 * must be that of error-codes.json, which lies in the folder spec beside the corpus.
 */
#include "arm/rules/kind.h"
#include "text/json/json.h"
#include "vectors.h"

static const struct value *error_codes(void)
{
    static struct value *root;
    static struct source src;

    if (!root) {
        struct arena *a = arena_new();
        size_t slash = str_rfind_char(vector_file, '/');
        src.file =
            str_fmt(a, "%.*s/../spec/error-codes.json",
                    STR_ARG(slash == STR_NPOS ? STR(".") : str_slice(vector_file, 0, slash)));
        if (!file_read(a, src.file, &src.text, NULL) || !json_read(a, &src, NULL, &root, NULL))
            root = value_object(a);
    }
    return root;
}

/* The class by the published table: the code, else the status. */
static void published(const struct cloud_error *e, str *class, str *retry)
{
    const struct value *codes = value_get(error_codes(), STR("codes"));

    *class = STR("retryable");
    *retry = e->http == 400 && e->understood ? STR("very-slow") : STR("slow");
    for (size_t i = 0; e->understood && i < value_len(codes); i++)
        if (str_eq(value_get_str(&codes->items[i], STR("code")), e->code)) {
            *class = value_get_str(&codes->items[i], STR("classification"));
            *retry = value_get_str(&codes->items[i], STR("retry"));
        }
    if (!retry->len)
        *retry = STR("none");
}

static void read_error(struct arena *a, const struct value *vector, struct cloud_error *out)
{
    const struct value *body = value_get(value_get(vector, STR("example")), STR("body"));
    struct buf text = buf_new(a, BUF_UNLIMITED);
    int64_t status = 0;

    if (value_is(body, VALUE_STRING))
        buf_add(&text, value_str(body));
    else if (!body || body->kind == VALUE_NULL || !json_write(&text, body, &json_exact, NULL))
        buf_truncate(&text, 0);
    if (!value_to_i64(value_get(vector, STR("status")), &status))
        status = 0;
    cloud_error_read(a, (int)status, buf_str(&text), out);
}

/* The group and kind of a type as kinds are named, if rules know it: "Microsoft.App/jobs". */
static const struct kind_rules *rules_of_type(str type)
{
    static const struct {
        const char *type, *group, *kind;
    } types[] = {
        {"Microsoft.App/containerApps", "app", "ContainerApp"},
        {"Microsoft.App/jobs", "app", "Job"},
        {"Microsoft.Insights/dataCollectionRules", "insights", "DataCollectionRule"},
        {"Microsoft.MachineLearningServices/workspaces", "machinelearningservices", "Workspace"},
        {"Microsoft.Network/networkWatchers/flowLogs", "network", "NetworkWatchersFlowLog"},
        {"Microsoft.Network/virtualNetworks/virtualNetworkPeerings", "network",
         "VirtualNetworksVirtualNetworkPeering"},
        {"Microsoft.Sql/servers/vulnerabilityAssessments", "sql", "ServersVulnerabilityAssessment"},
    };

    for (size_t i = 0; i < COUNT(types); i++)
        if (str_eq_fold(type, str_c(types[i].type)))
            return kind_rules_find(NULL, str_c(types[i].group), str_c(types[i].kind));
    return NULL;
}

/* What went well later must have been tried again, by the rules of its kind too. */
static bool is_tried_again(struct arena *a, const struct value *vector, const struct cloud_error *e)
{
    const struct value *types = value_get(vector, STR("types"));

    if (!value_get(value_get(vector, STR("eventually")), STR("succeeded later")))
        return true;
    for (size_t i = 0; i < value_len(types); i++) {
        struct error_verdict v;
        rules_classify(a, rules_errors(),
                       &(struct error_facts){.error = e,
                                             .method = value_get_str(vector, STR("method")),
                                             .own = rules_of_type(value_key(&types->items[i]))},
                       &v);
        if (v.class != CLASS_RETRYABLE)
            return false;
    }
    return true;
}

static bool run(struct arena *a, const struct value *vector, struct buf *why)
{
    str code = value_text(value_get(vector, STR("code"))), class, retry;
    struct cloud_error e;
    struct error_verdict v;

    read_error(a, vector, &e);
    published(&e, &class, &retry);
    rules_classify(
        a, rules_errors(),
        &(struct error_facts){.error = &e, .method = value_get_str(vector, STR("method"))}, &v);
    if (!code.len)
        code = STR(CLOUD_UNKNOWN);
    if (!str_eq(e.code, code))
        return vector_differs(why, "code", e.code, code);
    if (!str_eq(v.class == CLASS_FATAL ? STR("fatal") : STR("retryable"), class))
        return vector_differs(why, "class", v.rule, class);
    if (!str_eq(v.retry->name, retry))
        return vector_differs(why, "retry", v.retry->name, retry);
    if (!cloud_error_text(a, &e).len)
        return vector_differs(why, "text", STR_NONE, STR("something"));
    if (!str_eq(class, STR("fatal")) && !is_tried_again(a, vector, &e))
        return vector_differs(why, "class of the kind", STR("fatal"), STR("retryable"));
    return true;
}

const struct vector_kind vector_arm_errors = {.name = "arm-errors",
                                              .help = "refusals of Azure and their classes",
                                              .run = run,
                                              .document = true,
                                              .list = "errors"};
