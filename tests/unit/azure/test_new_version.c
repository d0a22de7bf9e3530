/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_new_version.c - an API version is data: a type file and three lines of overlay give the
 * definition and conversions in all directions.
 */
#include "fixture.h"

#include "azure/crd.h"
#include "azure/derive/derive.h"

#include <stdlib.h>
#include <unistd.h>

/* Of both versions; the properties are what they differ in. Apostrophes stand for quotes. */
#define TYPES(properties, version)                                                                 \
    "[{'$type':'StringType'},{'$type':'IntegerType','minValue':1,'maxValue':9},"                   \
    "{'$type':'ObjectType','name':'GadgetProperties','properties':{" properties "}},"              \
    "{'$type':'ObjectType','name':'Microsoft.Gadgets/gadgets','properties':{"                      \
    "'id':{'type':{'$ref':'#/0'},'flags':10},'name':{'type':{'$ref':'#/0'},'flags':25},"           \
    "'location':{'type':{'$ref':'#/0'},'flags':1},"                                                \
    "'properties':{'type':{'$ref':'#/2'},'flags':0}}},"                                            \
    "{'$type':'ResourceType','name':'Microsoft.Gadgets/gadgets@" version                           \
    "','body':{'$ref':'#/3'},'writableScopes':8}]"
#define SUBNET_PROPERTY "'subnetId':{'type':{'$ref':'#/0'},'flags':0}"

static const char old_types[] = TYPES(SUBNET_PROPERTY, "2029-01-01");
static const char new_types[] = TYPES(SUBNET_PROPERTY ",'volume':{'type':{'$ref':'#/1'},'flags':1},"
                                                      "'state':{'type':{'$ref':'#/0'},'flags':2}",
                                      "2030-01-01");
static const char overlay[] = "{'format':1,\n"
                              "'kinds':{'Gadget':{'type':'Microsoft.Gadgets/"
                              "gadgets','versions':['v20290101','v20300101']}},\n"
                              "'props':{'GadgetProperties':{'subnetId':'ref'}}}\n";

static const char subnet[] = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/"
                             "virtualNetworks/v/subnets/s";

static struct source *quoted(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);
    char *copy = str_z(a, text);

    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    src->text = str_c(copy);
    return src;
}

static void add_types(struct arena *a, struct type_folder *folder, const char *date,
                      const char *text)
{
    AUTO_ERR e = {0};

    assert_ok(
        type_folder_add(folder, STR("microsoft.gadgets"), str_c(date), quoted(a, str_c(text)), &e),
        &e);
}

/* Derives the models of both versions and writes them where model_open finds them. */
static struct model *build(struct arena *a, const char *folder)
{
    struct type_folder *files = type_folder_new(a);
    const struct derive_options options = {0};
    struct derive_result r;
    struct overlay facts;
    struct model *m = NULL;
    AUTO_ERR e = {0};

    add_types(a, files, "2029-01-01", old_types);
    add_types(a, files, "2030-01-01", new_types);
    assert_ok(overlay_parse(a, quoted(a, str_c(overlay)), STR("gadgets"), &facts, &e), &e);
    assert_ok(derive_with(a, &facts, files, &options, &r, &e), &e);
    assert_int_equal(r.models.len, 2);
    str group = str_fmt(a, "%s/gadgets", folder);
    assert_ok(file_make_folder(group, &e), &e);
    for (size_t i = 0; i < r.models.len; i++) {
        struct buf text = buf_new(a, MIB);
        assert_ok(derive_write(&text, r.models.items[i].root, &e), &e);
        str path = str_fmt(a, "%.*s/%.*s.json", STR_ARG(group), STR_ARG(r.models.items[i].version));
        assert_ok(file_write(path, buf_str(&text), 0600, &e), &e);
    }
    assert_ok(model_open(a, str_c(folder), &m, &e), &e);
    return m;
}

static void remove_folder(struct arena *a, const char *folder)
{
    (void)unlink(str_z(a, str_fmt(a, "%s/gadgets/v20290101.json", folder)));
    (void)unlink(str_z(a, str_fmt(a, "%s/gadgets/v20300101.json", folder)));
    (void)rmdir(str_z(a, str_fmt(a, "%s/gadgets", folder)));
    (void)rmdir(folder);
}

static const struct model_resource *gadget(struct model *m, const char *version)
{
    const struct model_resource *r = NULL;
    AUTO_ERR e = {0};

    assert_ok(model_find(m, STR("gadgets.azure.com"), str_c(version), STR("Gadget"), &r, &e), &e);
    return r;
}

static void check_conversions(struct arena *a, struct model *m)
{
    struct manifests *none = manifests_new(a, m, STR("s"));
    struct value *object = fixture_object(a, "gadgets.azure.com/v20300101", "Gadget", "n", "{}");
    struct value *spec = fixture_json(
        a, str_z(a, str_fmt(a, "{'location':'l','volume':3,'subnetReference':{'armId':'%s'}}",
                            subnet)));
    const struct model_resource *res = gadget(m, "v20300101");
    struct value *body, *left, *nothing;
    AUTO_ERR e = {0};

    value_set(a, object, STR("spec"), spec);
    assert_ok(
        convert_to_body(a, manifests_resolver(none), res, object, NULL, STR("/x/n"), &body, &e),
        &e);
    assert_json(a, body,
                str_z(a, str_fmt(a,
                                 "{'name':'n','location':'l','properties':{'volume':3,"
                                 "'subnetId':'%s'}}",
                                 subnet)));
    assert_true(value_equal(convert_to_spec(a, res, body), spec));
    assert_json(
        a, convert_to_status(a, res, fixture_json(a, "{'id':'/x/n','properties':{'State':'Up'}}")),
        "{'id':'/x/n','state':'Up'}");
    const struct value *back = convert_version(a, res, gadget(m, "v20290101"), spec, NULL, &left);
    assert_null(value_get(back, STR("volume")));
    back = convert_version(a, gadget(m, "v20290101"), res, back, left, &nothing);
    assert_true(value_equal(back, spec));
}

static void check_definition(struct arena *a, struct model *m)
{
    const struct model_resource **all;
    AUTO_ERR e = {0};
    size_t count;

    assert_ok(model_versions(m, a, STR("gadgets.azure.com"), STR("Gadget"), &all, &count, &e), &e);
    assert_int_equal(count, 2);
    const struct value *v = crd_build(a, all, count, NULL);
    v = value_at(value_get(value_get(v, STR("spec")), STR("versions")), 1);
    assert_json(a, value_get(v, STR("storage")), "true");
    v = value_get(value_get(v, STR("schema")), STR("openAPIV3Schema"));
    v = value_get(value_get(value_get(v, STR("properties")), STR("spec")), STR("properties"));
    assert_json(a, value_get(v, STR("volume")), "{'type':'integer','minimum':1,'maximum':9}");
}

TEST(types_and_three_lines_give_a_version_of_everything)
{
    AUTO_ARENA a = arena_new();
    char folder[] = "/tmp/plumb-new-version-XXXXXX";

    assert_non_null(mkdtemp(folder));
    struct model *m = build(a, folder);
    check_conversions(a, m);
    check_definition(a, m);
    model_close(m);
    remove_folder(a, folder);
}

RUN_TESTS(cmocka_unit_test(types_and_three_lines_give_a_version_of_everything))
