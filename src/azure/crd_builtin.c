/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd_builtin.c - the schemas that are the same in every definition, as JSON.
 *
 * They are our own texts, so reading them cannot fail; a test reads them all.
 */
#include "azure/crd_internal.h"

#include "text/json.h"

#define S "{\"type\":\"string\"}"
#define STRINGS "{\"type\":\"object\",\"additionalProperties\":" S "}"
#define TIME "{\"type\":\"string\",\"format\":\"date-time\"}"
#define ANY "{\"x-kubernetes-preserve-unknown-fields\":true}"
/* As the original has it, letter by letter. */
#define ARM_ID                                                                                     \
    "{\"type\":\"string\",\"pattern\":\"(?i)(^(/subscriptions/([^/]+)(/resourcegroups/([^/]+))?)?" \
    "/providers/([^/]+)/([^/]+/[^/]+)(/([^/]+/[^/]+))*$|^/subscriptions/([^/]+)"                   \
    "(/resourcegroups/([^/]+))?$)\"}"
/* A resource in parts; those left out are the holder's own. */
#define AZURE                                                                                      \
    "{\"type\":\"object\",\"properties\":{"                                                        \
    "\"name\":{\"type\":\"string\",\"pattern\":\"^[^/]+(/[^/]+/[^/]+)+$\"},"                       \
    "\"resourceGroup\":" S ",\"subscription\":" S "},\"required\":[\"name\"]}"
#define REFERENCE                                                                                  \
    "{\"type\":\"object\",\"properties\":{\"armId\":" ARM_ID ",\"azure\":" AZURE ",\"group\":" S   \
    ",\"kind\":" S ",\"name\":" S "}}"
#define KEYED                                                                                      \
    "{\"type\":\"object\",\"properties\":{\"key\":" S ",\"name\":" S                               \
    "},\"required\":[\"key\",\"name\"]}"
#define NAMED "{\"type\":\"object\",\"properties\":{\"name\":" S "},\"required\":[\"name\"]}"
#define DESTINATION                                                                                \
    "{\"type\":\"object\",\"properties\":{\"annotations\":" STRINGS ",\"key\":" S                  \
    ",\"labels\":" STRINGS ",\"name\":" S "},\"required\":[\"key\",\"name\"]}"

static const char *const schemas[BUILTIN_COUNT] = {
    [BUILTIN_NONE] = "{}",
    [BUILTIN_RESOURCE_REFERENCE] = REFERENCE,
    [BUILTIN_WELL_KNOWN_REFERENCE] = "{\"type\":\"object\",\"properties\":{\"armId\":" ARM_ID
                                     ",\"azure\":" AZURE ",\"group\":" S ",\"kind\":" S
                                     ",\"name\":" S ",\"wellKnownName\":" S "}}",
    [BUILTIN_KNOWN_REFERENCE] = REFERENCE,
    [BUILTIN_ARBITRARY_OWNER] = REFERENCE,
    [BUILTIN_KUBERNETES_OWNER] = NAMED,
    [BUILTIN_SECRET_REFERENCE] = KEYED,
    [BUILTIN_SECRET_MAP_REFERENCE] = NAMED,
    [BUILTIN_CONFIG_MAP_REFERENCE] = KEYED,
    [BUILTIN_SECRET_DESTINATION] = DESTINATION,
    [BUILTIN_CONFIG_MAP_DESTINATION] = DESTINATION,
    [BUILTIN_DESTINATION_EXPRESSION] =
        "{\"type\":\"object\",\"properties\":{\"annotations\":" STRINGS ",\"key\":" S
        ",\"labels\":" STRINGS ",\"name\":" S ",\"value\":" S
        "},\"required\":[\"name\",\"value\"]}",
    [BUILTIN_CONDITION] =
        "{\"type\":\"object\",\"properties\":{\"lastTransitionTime\":" TIME ",\"message\":" S
        ",\"observedGeneration\":{\"type\":\"integer\",\"format\":\"int64\"},\"reason\":" S
        ",\"severity\":" S ",\"status\":" S ",\"type\":" S
        "},\"required\":[\"lastTransitionTime\",\"reason\",\"status\",\"type\"]}",
};

/*
 * claimedId       the id that was claimed; from then on owner and azureName stay as they are
 * attempt         how often the running change was tried
 * nextRetry       when it is tried next
 * class, rule     how the last refusal was classified, and by which rules
 * requestId       Azure's id of the last request, for its support
 * knownDifferences  what Azure returns other than it was sent, learned after a PUT: no drift
 * decisions       what the last comparisons led to, newest first
 */
static const char operator_status[] =
    "{\"type\":\"object\",\"properties\":{\"attempt\":{\"type\":\"integer\"},\"claimedId\":" S
    ",\"class\":" S ",\"decisions\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"action\":" S ",\"paths\":{\"type\":\"array\",\"items\":" S "},\"reason\":" S
    ",\"time\":" TIME
    "},\"required\":[\"action\"]}},\"knownDifferences\":{\"type\":\"array\",\"items\":{"
    "\"type\":\"object\",\"properties\":{\"cause\":" S ",\"digest\":" S ",\"kind\":" S
    ",\"path\":" S ",\"value\":" ANY "},\"required\":[\"kind\",\"path\"]}},\"nextRetry\":" TIME
    ",\"requestId\":" S ",\"rule\":" S "}}";

static struct value *read_own(struct arena *a, const char *json)
{
    struct source src = {.text = str_c(json)};
    struct value *v = NULL;
    bool ok = json_read(a, &src, NULL, &v, NULL);

    assert(ok);
    (void)ok;
    return v;
}

struct value *crd_builtin(struct arena *a, enum model_builtin builtin)
{
    return read_own(a, schemas[builtin]);
}

struct value *crd_operator_status(struct arena *a)
{
    return read_own(a, operator_status);
}
