/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd_builtin.c - the schemas that are the same in every definition, as JSON.
 *
 * They are our own texts, so reading them cannot fail; a test reads them all.
 */
#include "azure/crd_internal.h"

#include "text/json/json.h"

#define S "{\"type\":\"string\"}"
#define STRINGS "{\"type\":\"object\",\"additionalProperties\":" S "}"
#define TIME "{\"type\":\"string\",\"format\":\"date-time\"}"
#define ANY "{\"x-kubernetes-preserve-unknown-fields\":true}"
/* Exactly as in the original. */
#define ARM_ID                                                                                     \
    "{\"type\":\"string\",\"pattern\":\"(?i)(^(/subscriptions/([^/]+)(/resourcegroups/([^/]+))?)?" \
    "/providers/([^/]+)/([^/]+/[^/]+)(/([^/]+/[^/]+))*$|^/subscriptions/([^/]+)"                   \
    "(/resourcegroups/([^/]+))?$)\"}"
/* A resource in parts; omitted ones are the holder's own. */
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

#define INT "{\"type\":\"integer\"}"
#define TEXTS "{\"type\":\"array\",\"items\":" S "}"
#define DECISION                                                                                   \
    "{\"type\":\"object\",\"properties\":{\"action\":" S ",\"at\":" S ",\"by\":" S                 \
    ",\"message\":" S ",\"paths\":" TEXTS ",\"reason\":" S ",\"time\":" TIME "}}"
#define EXPORTS                                                                                    \
    "{\"type\":\"object\",\"properties\":{\"digest\":" S                                           \
    ",\"objects\":{\"type\":\"array\",\"items\":" S "},\"time\":" TIME "}}"
#define GUARD                                                                                      \
    "{\"type\":\"object\",\"properties\":{\"found\":" ANY ",\"path\":" S ",\"puts\":" INT          \
    ",\"wanted\":" ANY "}}"
#define DIFFERENCE                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"cause\":" S ",\"digest\":" S ",\"found\":" ANY         \
    ",\"kind\":" S ",\"length\":" INT ",\"path\":" S ",\"wanted\":" ANY "}}"

/*
 * The operator's information about an object, by member. Nothing is required and unknown members
 * are kept, so that a newer program does not need a newer definition.
 *
 * claimedId          the id that was claimed; from then on owner and azureName stay as they are
 * apiVersion         of the last PUT, in Azure's spelling
 * payloadDigest      of the last PUT
 * attempt, nextRetry how often the running change was tried, and when it is tried next
 * class, rule        how the last error was classified, and by which rules
 * requestId          Azure's id of the last request, for its support
 * knownDifferences   what Azure returns unlike what was sent, learned after a PUT: not drift
 * comparator         the version of the comparison that learned them
 * takenAt, settled   when they were learned, and whether two reads agreed
 * guard              fields that did not converge: what was wanted and found, after how many PUTs
 * sentChildren       children that were part of the last PUT, by the path of their list
 * exports            digest, objects and time of the last export
 * decisions          what was decided last and why, newest first; by and at: Azure's last writer
 */
static const char operator_status[] =
    "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,\"properties\":{"
    "\"apiVersion\":" S ",\"attempt\":" INT ",\"claimedId\":" S ",\"class\":" S
    ",\"comparator\":" ANY ",\"decisions\":{\"type\":\"array\",\"items\":" DECISION "}"
    ",\"exports\":" EXPORTS ",\"guard\":{\"type\":\"array\",\"items\":" GUARD "}"
    ",\"knownDifferences\":{\"type\":\"array\",\"items\":" DIFFERENCE "}"
    ",\"nextRetry\":" TIME ",\"payloadDigest\":" S ",\"requestId\":" S ",\"rule\":" S
    ",\"sentChildren\":{\"type\":\"object\",\"additionalProperties\":" TEXTS "}"
    ",\"settled\":{\"type\":\"boolean\"},\"takenAt\":" TIME "}}";

/* So that kubectl wait and kstatus have something to read before the first reconcile. */
static const char first_status[] =
    "{\"conditions\":[{\"type\":\"Ready\",\"status\":\"Unknown\",\"reason\":\"Pending\","
    "\"message\":\"Waiting for the operator\","
    "\"lastTransitionTime\":\"1970-01-01T00:00:00Z\"}]}";

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

struct value *crd_first_status(struct arena *a)
{
    return read_own(a, first_status);
}
