/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of how names are spelled: identifiers, references, plurals. */
#include "../test.h"

#include "azure/derive/internal.h"

static const struct {
    const char *name, *inner, *exported;
} identifiers[] = {
    {"vnetSubnetID", "vnetSubnetID", "VnetSubnetID"},
    {"IPConfiguration", "ipConfiguration", "IPConfiguration"},
    {"odata.type", "odataType", "OdataType"},
    {"maxmemory-policy", "maxmemoryPolicy", "MaxmemoryPolicy"},
    {"TTL", "ttl", "TTL"},
    {"$schema", "schema", "Schema"},
    {"*", "star", "Star"},
    {"apiVersion", "aPIVersion", "APIVersion"},
    {"Event_Hub", "event_Hub", "Event_Hub"},
    {"__x__y_", "x_Y", "X_Y"},
    {"v2Thing", "v2Thing", "V2Thing"},
    {"#Microsoft.Azure.Monitor", "microsoftAzureMonitor", "MicrosoftAzureMonitor"},
    {"", "", ""},
    {"-", "", ""},
};

TEST(names_are_cut_into_words)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(identifiers); i++) {
        str name = str_c(identifiers[i].name);
        assert_str(name_identifier(a, name, false), str_c(identifiers[i].inner));
        assert_str(name_identifier(a, name, true), str_c(identifiers[i].exported));
    }
}

static const struct {
    const char *name, *one, *many;
} references[] = {
    {"id", "reference", "references"},
    {"subnetId", "subnetReference", "subnetReferences"},
    {"vnetSubnetID", "vnetSubnetReference", "vnetSubnetReferences"},
    {"groupIds", "groupReference", "groupReferences"},
    {"scope", "scopeReference", "scopeReferences"},
    {"reference", "reference", "referenceReferences"},
    {"references", "referencesReference", "references"},
};

TEST(ids_become_references)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(references); i++) {
        str name = str_c(references[i].name);
        assert_str(name_reference(a, name, false), str_c(references[i].one));
        assert_str(name_reference(a, name, true), str_c(references[i].many));
    }
}

static const struct {
    const char *one, *many;
} plurals[] = {
    {"policy", "policies"}, {"gateway", "gateways"}, {"address", "addresses"},
    {"index", "indexes"},   {"batch", "batches"},    {"disk", "disks"},
};

TEST(words_have_a_plural_and_a_singular)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(plurals); i++) {
        assert_str(name_plural(a, str_c(plurals[i].one)), str_c(plurals[i].many));
        assert_str(name_singular(a, str_c(plurals[i].many)), str_c(plurals[i].one));
    }
    assert_str(name_plural(a, STR("ManagedCluster")), STR("managedclusters"));
    assert_str(name_singular(a, STR("access")), STR("access"));
}

RUN_TESTS(cmocka_unit_test(names_are_cut_into_words), cmocka_unit_test(ids_become_references),
          cmocka_unit_test(words_have_a_plural_and_a_singular))
