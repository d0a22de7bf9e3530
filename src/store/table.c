/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - objects as rows of a Table, which kubectl get requests.
 *
 * Custom resources have the columns of their definition, else their age. To add or change columns
 * of a built-in type: a line in the tables below.
 */
#include "store/internal.h"

#include "go/time.h"
#include "object/object.h"
#include "text/json/json.h"

/* ---- Ages. ---- */

/* One unit, and the rest in the next smaller one unless it is 0. */
static str two_units(struct arena *a, int64_t large, char unit, int64_t small, char unit_of_rest)
{
    if (!small)
        return str_fmt(a, "%lld%c", (long long)large, unit);
    return str_fmt(a, "%lld%c%lld%c", (long long)large, unit, (long long)small, unit_of_rest);
}

str store_human_duration(struct arena *a, int64_t seconds)
{
    int64_t minutes = seconds / 60, hours = minutes / 60, days = hours / 24, years = days / 365;

    if (seconds < -1)
        return STR("<invalid>");
    if (seconds < 120)
        return two_units(a, seconds < 0 ? 0 : seconds, 's', 0, 's');
    if (minutes < 10)
        return two_units(a, minutes, 'm', seconds % 60, 's');
    if (minutes < 180)
        return two_units(a, minutes, 'm', 0, 's');
    if (hours < 8)
        return two_units(a, hours, 'h', minutes % 60, 'm');
    if (hours < 48)
        return two_units(a, hours, 'h', 0, 'm');
    if (days < 8)
        return two_units(a, days, 'd', hours % 24, 'h');
    if (days < INT64_C(2) * 365)
        return two_units(a, days, 'd', 0, 'h');
    return two_units(a, years, 'y', years < 8 ? days % 365 : 0, 'd');
}

/* How long ago a timestamp was. */
static str age(struct arena *a, str stamp)
{
    struct gotime t;

    if (!stamp.len)
        return STR("<unknown>");
    if (!gotime_parse(a, STR(GOTIME_RFC3339), stamp, NULL, &t, NULL))
        return STR("<invalid>");
    return store_human_duration(a, gotime_sub(gotime_unix(0, clock_now(), NULL), t) / NS_PER_SEC);
}

/* ---- Columns of custom resources. ---- */

static struct value *new_column(struct arena *a, str name, str type, str format, str description,
                                int64_t priority)
{
    struct value *v = value_object(a);

    value_set_str(a, v, STR("name"), name);
    value_set_str(a, v, STR("type"), type);
    value_set_str(a, v, STR("format"), format);
    value_set_str(a, v, STR("description"), description);
    value_set_int(a, v, STR("priority"), priority);
    return v;
}

static void add_own_column(struct arena *a, struct value *list, const struct value *column)
{
    str description = value_get_str(column, STR("description"));
    int64_t priority = 0;

    if (!value_to_i64(value_get(column, STR("priority")), &priority))
        priority = 0;
    if (!description.len)
        description = str_fmt(a, "Custom resource definition column (in JSONPath format): %.*s",
                              STR_ARG(value_get_str(column, STR("jsonPath"))));
    value_add(a, list,
              new_column(a, value_get_str(column, STR("name")), value_get_str(column, STR("type")),
                         value_get_str(column, STR("format")), description, priority));
}

static struct value *null_cell(struct arena *a)
{
    return value_null(a);
}

/* Shows any value as text. */
static struct value *text_cell(struct arena *a, const struct value *v)
{
    struct buf b;

    if (!value_is_container(v))
        return value_string(a, value_text(v));
    b = buf_new(a, BUF_UNLIMITED);
    store_write_json(&b, v);
    return value_string(a, buf_str(&b));
}

/* A value that does not have the column's type is not shown. */
static struct value *typed_cell(struct arena *a, str type, const struct value *v)
{
    int64_t i;

    if (!v || value_is(v, VALUE_NULL))
        return null_cell(a);
    if (str_eq(type, STR("string")))
        return text_cell(a, v);
    if (str_eq(type, STR("integer")) && value_is_number(v))
        return value_to_i64(v, &i) ? value_int(a, i) : null_cell(a);
    if (str_eq(type, STR("number")) && value_is_number(v))
        return value_copy(a, v);
    if (str_eq(type, STR("boolean")) && value_is(v, VALUE_BOOL))
        return value_copy(a, v);
    if (str_eq(type, STR("date")) && value_is(v, VALUE_STRING))
        return value_string(a, age(a, value_str(v)));
    return null_cell(a);
}

/* ---- Columns of built-in types. ---- */

enum cell {
    CELL_TEXT,   /* as it is */
    CELL_COUNT,  /* members of one or two maps: "data binaryData" */
    CELL_AGE,    /* the first of several times that is set */
    CELL_OBJECT, /* "secret/a" */
};

struct column {
    const char *plural, *name, *type;
    int priority;
    enum cell cell;
    const char *paths; /* separated by spaces */
};

/* By type, in the order of kubectl's columns. */
static const struct column columns[] = {
    {"configmaps", "Data", "string", 0, CELL_COUNT, ".data .binaryData"},
    {"configmaps", "Age", "string", 0, CELL_AGE, ".metadata.creationTimestamp"},
    {"customresourcedefinitions", "Created At", "date", 0, CELL_TEXT,
     ".metadata.creationTimestamp"},
    {"events", "Last Seen", "string", 0, CELL_AGE,
     ".series.lastObservedTime .lastTimestamp .eventTime .firstTimestamp"},
    {"events", "Type", "string", 0, CELL_TEXT, ".type"},
    {"events", "Reason", "string", 0, CELL_TEXT, ".reason"},
    {"events", "Object", "string", 0, CELL_OBJECT, ".involvedObject"},
    {"events", "Source", "string", 1, CELL_TEXT, ".source.component"},
    {"events", "Message", "string", 0, CELL_TEXT, ".message"},
    {"events", "First Seen", "string", 1, CELL_AGE, ".firstTimestamp .eventTime"},
    {"events", "Count", "string", 1, CELL_TEXT, ".count"},
    {"events", "Name", "string", 1, CELL_TEXT, ".metadata.name"},
    {"leases", "Holder", "string", 0, CELL_TEXT, ".spec.holderIdentity"},
    {"leases", "Age", "string", 0, CELL_AGE, ".metadata.creationTimestamp"},
    {"namespaces", "Status", "string", 0, CELL_TEXT, ".status.phase"},
    {"namespaces", "Age", "string", 0, CELL_AGE, ".metadata.creationTimestamp"},
    {"secrets", "Type", "string", 0, CELL_TEXT, ".type"},
    {"secrets", "Data", "string", 0, CELL_COUNT, ".data"},
    {"secrets", "Age", "string", 0, CELL_AGE, ".metadata.creationTimestamp"},
};

/* The rows of Events start with something other than their names. */
static bool begins_with_name(const struct store_type *t)
{
    return !t->builtin || !str_eq(t->plural, STR("events"));
}

static struct value *builtin_cell(struct arena *a, const struct column *c,
                                  const struct value *object)
{
    str rest = str_c(c->paths), path;
    const struct value *v = NULL;
    int64_t count = 0;

    while (rest.len && (c->cell == CELL_COUNT || !v || value_is(v, VALUE_NULL))) {
        str_cut(rest, STR(" "), &path, &rest);
        v = store_json_path(a, object, path);
        count += (int64_t)value_len(v);
    }
    switch (c->cell) {
    case CELL_COUNT:
        return value_int(a, count);
    case CELL_AGE:
        return value_string(a, age(a, value_str(v)));
    case CELL_OBJECT:
        return value_string(a, str_fmt(a, "%.*s/%.*s",
                                       STR_ARG(str_lower(a, value_get_str(v, STR("kind")))),
                                       STR_ARG(value_get_str(v, STR("name")))));
    case CELL_TEXT:
        break;
    }
    return v ? text_cell(a, v) : value_string(a, STR_NONE);
}

/* ---- Tables. ---- */

struct value *store_table_columns(struct store_request *r)
{
    struct arena *a = r->arena;
    struct value *list = value_list(a);
    const struct value *own = r->as->columns;

    if (begins_with_name(r->type))
        value_add(
            a, list,
            new_column(a, STR("Name"), STR("string"), STR("name"), STR("Name of the object"), 0));
    for (size_t i = 0; r->type->builtin && i < COUNT(columns); i++)
        if (str_eq(r->type->plural, str_c(columns[i].plural)))
            value_add(a, list,
                      new_column(a, str_c(columns[i].name), str_c(columns[i].type), STR_NONE,
                                 str_fmt(a, "From %s", columns[i].paths), columns[i].priority));
    if (r->type->builtin)
        return list;
    for (size_t i = 0; i < value_len(own); i++)
        add_own_column(a, list, &own->items[i]);
    if (!value_len(own))
        value_add(a, list,
                  new_column(a, STR("Age"), STR("date"), STR_NONE, STR("Time since creation"), 0));
    return list;
}

static struct value *cells_of(struct store_request *r, const struct value *object)
{
    struct arena *a = r->arena;
    struct value *list = value_list(a);
    const struct value *own = r->as->columns;

    if (begins_with_name(r->type))
        value_add(a, list, value_string(a, object_name(object)));
    for (size_t i = 0; r->type->builtin && i < COUNT(columns); i++)
        if (str_eq(r->type->plural, str_c(columns[i].plural)))
            value_add(a, list, builtin_cell(a, &columns[i], object));
    if (r->type->builtin)
        return list;
    for (size_t i = 0; i < value_len(own); i++) {
        const struct value *c = &own->items[i];
        const struct value *v =
            store_json_path_within(a, object, value_get_str(c, STR("jsonPath")), &r->steps_left);
        value_add(a, list, typed_cell(a, value_get_str(c, STR("type")), v));
    }
    if (!value_len(own))
        value_add(a, list,
                  value_string(a, age(a, object_meta_str(object, STR("creationTimestamp")))));
    return list;
}

struct value *store_table_row(struct store_request *r, struct value *object)
{
    struct arena *a = r->arena;
    struct value *row = value_object(a);
    str include = r->include;

    value_set(a, row, STR("cells"), cells_of(r, object));
    if (str_eq(include, STR("Object")))
        value_set(a, row, STR("object"), object);
    else if (!str_eq(include, STR("None")))
        value_set(a, row, STR("object"), store_metadata_only(a, object));
    return row;
}

struct value *store_table(struct store_request *r, struct value *object)
{
    struct arena *a = r->arena;
    struct value *v = value_object(a), *meta = value_object(a), *rows = value_list(a);

    value_set_str(a, v, STR("kind"), STR("Table"));
    value_set_str(a, v, STR("apiVersion"), STR("meta.k8s.io/v1"));
    value_set_str(a, meta, STR("resourceVersion"), object_meta_str(object, STR("resourceVersion")));
    object_set_meta(a, v, meta);
    value_set(a, v, STR("columnDefinitions"), store_table_columns(r));
    value_add(a, rows, store_table_row(r, object));
    value_set(a, v, STR("rows"), rows);
    return v;
}
