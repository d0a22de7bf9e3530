/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf.c - objects of built-in types in Kubernetes' protobuf, which kubectl create sends.
 *
 * The bytes are "k8s\0", then an envelope with apiVersion and kind, and in it the object. Messages
 * are described by tables: number, name, kind. Members that are not listed, such as managedFields,
 * are skipped, as usual in protobuf. Answers are always JSON, which these clients accept, too.
 *
 * To add a type: its messages, and a line in the last table.
 */
#include "store/internal.h"

#include "go/time.h"
#include "text/codec.h"

/* The nesting of messages; the types here need four. */
#define DEPTH_MAX 16

enum field_kind {
    FIELD_TEXT,    /* omitted if empty */
    FIELD_INTEGER, /* omitted if 0 */
    FIELD_NUMBER,  /* an integer that may be 0 */
    FIELD_TRUTH,
    FIELD_TIME,    /* to the second */
    FIELD_MOMENT,  /* to the microsecond */
    FIELD_TEXTS,   /* a list of texts */
    FIELD_MAP,     /* texts to texts */
    FIELD_BYTES,   /* texts to bytes, shown in base 64 */
    FIELD_MESSAGE, /* one */
    FIELD_MESSAGES,
};

struct message;

struct field {
    unsigned number;
    const char *name;
    enum field_kind kind;
    const struct message *message;
};

struct message {
    const struct field *fields; /* ends with number 0 */
};

#define MESSAGE(name, ...)                                                                         \
    static const struct message name = {(const struct field[]){__VA_ARGS__, {0}}}

MESSAGE(owner_reference, {1, "kind", FIELD_TEXT, NULL}, {3, "name", FIELD_TEXT, NULL},
        {4, "uid", FIELD_TEXT, NULL}, {5, "apiVersion", FIELD_TEXT, NULL},
        {6, "controller", FIELD_TRUTH, NULL}, {7, "blockOwnerDeletion", FIELD_TRUTH, NULL});
MESSAGE(object_meta_fields, {1, "name", FIELD_TEXT, NULL}, {2, "generateName", FIELD_TEXT, NULL},
        {3, "namespace", FIELD_TEXT, NULL}, {5, "uid", FIELD_TEXT, NULL},
        {6, "resourceVersion", FIELD_TEXT, NULL}, {7, "generation", FIELD_INTEGER, NULL},
        {8, "creationTimestamp", FIELD_TIME, NULL}, {9, "deletionTimestamp", FIELD_TIME, NULL},
        {10, "deletionGracePeriodSeconds", FIELD_NUMBER, NULL}, {11, "labels", FIELD_MAP, NULL},
        {12, "annotations", FIELD_MAP, NULL},
        {13, "ownerReferences", FIELD_MESSAGES, &owner_reference},
        {14, "finalizers", FIELD_TEXTS, NULL});
MESSAGE(config_map, {1, "metadata", FIELD_MESSAGE, &object_meta_fields},
        {2, "data", FIELD_MAP, NULL}, {3, "binaryData", FIELD_BYTES, NULL},
        {4, "immutable", FIELD_TRUTH, NULL});
MESSAGE(secret, {1, "metadata", FIELD_MESSAGE, &object_meta_fields}, {2, "data", FIELD_BYTES, NULL},
        {3, "type", FIELD_TEXT, NULL}, {4, "stringData", FIELD_MAP, NULL},
        {5, "immutable", FIELD_TRUTH, NULL});
MESSAGE(namespace_spec, {1, "finalizers", FIELD_TEXTS, NULL});
MESSAGE(condition, {1, "type", FIELD_TEXT, NULL}, {2, "status", FIELD_TEXT, NULL},
        {4, "lastTransitionTime", FIELD_TIME, NULL}, {5, "reason", FIELD_TEXT, NULL},
        {6, "message", FIELD_TEXT, NULL});
MESSAGE(namespace_status, {1, "phase", FIELD_TEXT, NULL},
        {2, "conditions", FIELD_MESSAGES, &condition});
MESSAGE(namespace_fields, {1, "metadata", FIELD_MESSAGE, &object_meta_fields},
        {2, "spec", FIELD_MESSAGE, &namespace_spec},
        {3, "status", FIELD_MESSAGE, &namespace_status});
MESSAGE(lease_spec, {1, "holderIdentity", FIELD_TEXT, NULL},
        {2, "leaseDurationSeconds", FIELD_NUMBER, NULL}, {3, "acquireTime", FIELD_MOMENT, NULL},
        {4, "renewTime", FIELD_MOMENT, NULL}, {5, "leaseTransitions", FIELD_NUMBER, NULL},
        {6, "strategy", FIELD_TEXT, NULL}, {7, "preferredHolder", FIELD_TEXT, NULL});
MESSAGE(lease, {1, "metadata", FIELD_MESSAGE, &object_meta_fields},
        {2, "spec", FIELD_MESSAGE, &lease_spec});
MESSAGE(object_reference, {1, "kind", FIELD_TEXT, NULL}, {2, "namespace", FIELD_TEXT, NULL},
        {3, "name", FIELD_TEXT, NULL}, {4, "uid", FIELD_TEXT, NULL},
        {5, "apiVersion", FIELD_TEXT, NULL}, {6, "resourceVersion", FIELD_TEXT, NULL},
        {7, "fieldPath", FIELD_TEXT, NULL});
MESSAGE(event_source, {1, "component", FIELD_TEXT, NULL}, {2, "host", FIELD_TEXT, NULL});
MESSAGE(event_series, {1, "count", FIELD_INTEGER, NULL},
        {2, "lastObservedTime", FIELD_MOMENT, NULL});
MESSAGE(event, {1, "metadata", FIELD_MESSAGE, &object_meta_fields},
        {2, "involvedObject", FIELD_MESSAGE, &object_reference}, {3, "reason", FIELD_TEXT, NULL},
        {4, "message", FIELD_TEXT, NULL}, {5, "source", FIELD_MESSAGE, &event_source},
        {6, "firstTimestamp", FIELD_TIME, NULL}, {7, "lastTimestamp", FIELD_TIME, NULL},
        {8, "count", FIELD_INTEGER, NULL}, {9, "type", FIELD_TEXT, NULL},
        {10, "eventTime", FIELD_MOMENT, NULL}, {11, "series", FIELD_MESSAGE, &event_series},
        {12, "action", FIELD_TEXT, NULL}, {13, "related", FIELD_MESSAGE, &object_reference},
        {14, "reportingComponent", FIELD_TEXT, NULL}, {15, "reportingInstance", FIELD_TEXT, NULL});
MESSAGE(preconditions, {1, "uid", FIELD_TEXT, NULL}, {2, "resourceVersion", FIELD_TEXT, NULL});
MESSAGE(delete_options, {1, "gracePeriodSeconds", FIELD_NUMBER, NULL},
        {2, "preconditions", FIELD_MESSAGE, &preconditions},
        {3, "orphanDependents", FIELD_TRUTH, NULL}, {4, "propagationPolicy", FIELD_TEXT, NULL},
        {5, "dryRun", FIELD_TEXTS, NULL});
MESSAGE(type_meta, {1, "apiVersion", FIELD_TEXT, NULL}, {2, "kind", FIELD_TEXT, NULL});

static const struct {
    const char *kind;
    const struct message *message;
} kinds[] = {
    {"ConfigMap", &config_map}, {"DeleteOptions", &delete_options}, {"Event", &event},
    {"Lease", &lease},          {"Namespace", &namespace_fields},   {"Secret", &secret},
};

/* ---- The wire. ---- */

/* One member in wire format: a number, or bytes. */
struct wire {
    unsigned number;
    bool has_bytes;
    uint64_t integer;
    str bytes;
};

static bool take_varint(str *rest, uint64_t *out)
{
    uint64_t v = 0;

    for (size_t i = 0; i < rest->len && i < 10; i++) {
        unsigned char c = (unsigned char)rest->ptr[i];
        v |= (uint64_t)(c & 0x7f) << (7 * i);
        if (!(c & 0x80)) {
            *rest = str_from(*rest, i + 1);
            *out = v;
            return true;
        }
    }
    return false;
}

static bool take_bytes(str *rest, uint64_t len, str *out)
{
    if (len > rest->len)
        return false;
    *out = str_slice(*rest, 0, len);
    *rest = str_from(*rest, len);
    return true;
}

/* False at the end, and if the bytes are malformed: then *ok is false. */
static bool next_wire(str *rest, struct wire *out, bool *ok)
{
    uint64_t tag, len;
    str skipped;

    if (!rest->len)
        return false;
    *ok = take_varint(rest, &tag) && tag >> 3 && tag >> 3 < 1 << 29;
    if (!*ok)
        return false;
    *out = (struct wire){.number = (unsigned)(tag >> 3)};
    switch (tag & 7) {
    case 0:
        *ok = take_varint(rest, &out->integer);
        break;
    case 1:
        *ok = take_bytes(rest, 8, &skipped);
        break;
    case 2:
        out->has_bytes = true;
        *ok = take_varint(rest, &len) && take_bytes(rest, len, &out->bytes);
        break;
    case 5:
        *ok = take_bytes(rest, 4, &skipped);
        break;
    default:
        *ok = false;
    }
    return *ok;
}

/* ---- Members. ---- */

static bool read_message(struct arena *a, const struct message *m, str bytes, unsigned depth,
                         struct value *out);

/* A time is seconds and nanoseconds; an empty message means no time. */
static bool read_time(struct arena *a, const struct field *f, str bytes, struct value *out)
{
    struct wire w;
    int64_t seconds = 0, nanos = 0;
    bool ok = true;
    struct buf b = buf_new(a, 64);

    if (!bytes.len)
        return true;
    while (next_wire(&bytes, &w, &ok)) {
        if (w.number == 1)
            seconds = (int64_t)w.integer;
        else if (w.number == 2)
            nanos = (int64_t)w.integer;
    }
    if (!ok || seconds < -INT64_C(62135596800) || seconds > INT64_C(253402300799) || nanos < 0 ||
        nanos >= NS_PER_SEC)
        return false;
    gotime_format(&b, gotime_unix(seconds, nanos, NULL),
                  f->kind == FIELD_TIME ? STR("2006-01-02T15:04:05Z")
                                        : STR("2006-01-02T15:04:05.000000Z"));
    value_set_str(a, out, str_c(f->name), buf_str(&b));
    return true;
}

static struct value *member(struct arena *a, struct value *out, const struct field *f, bool list)
{
    struct value *v = value_get(out, str_c(f->name));

    return v ? v : value_set(a, out, str_c(f->name), list ? value_list(a) : value_object(a));
}

static bool is_text(str s)
{
    return utf8_find_invalid(s) == STR_NPOS;
}

/* An entry of a map is a message of key and value. */
static bool read_entry(struct arena *a, const struct field *f, str bytes, struct value *out)
{
    struct wire w;
    str key = STR_NONE, value = STR_NONE;
    bool ok = true;

    while (next_wire(&bytes, &w, &ok)) {
        if (w.number == 1)
            key = w.bytes;
        else if (w.number == 2)
            value = w.bytes;
    }
    if (!ok || !is_text(key) || (f->kind == FIELD_MAP && !is_text(value)))
        return false;
    value_set_str(a, member(a, out, f, false), key,
                  f->kind == FIELD_BYTES ? base64_encode(a, value) : value);
    return true;
}

static bool read_number(struct arena *a, const struct field *f, const struct wire *w,
                        struct value *out)
{
    if (w->has_bytes)
        return false;
    if (f->kind == FIELD_TRUTH)
        value_set_bool(a, out, str_c(f->name), w->integer != 0);
    else if (w->integer || f->kind == FIELD_NUMBER)
        value_set_int(a, out, str_c(f->name), (int64_t)w->integer);
    return true;
}

static bool read_field(struct arena *a, const struct field *f, const struct wire *w, unsigned depth,
                       struct value *out)
{
    struct value *one;

    if (f->kind == FIELD_INTEGER || f->kind == FIELD_NUMBER || f->kind == FIELD_TRUTH)
        return read_number(a, f, w, out);
    if (!w->has_bytes)
        return false;
    switch (f->kind) {
    case FIELD_TIME:
    case FIELD_MOMENT:
        return read_time(a, f, w->bytes, out);
    case FIELD_MAP:
    case FIELD_BYTES:
        return read_entry(a, f, w->bytes, out);
    case FIELD_TEXTS:
        value_add(a, member(a, out, f, true), value_string(a, w->bytes));
        return is_text(w->bytes);
    case FIELD_MESSAGE:
        return read_message(a, f->message, w->bytes, depth, member(a, out, f, false));
    case FIELD_MESSAGES:
        one = value_add(a, member(a, out, f, true), value_object(a));
        return read_message(a, f->message, w->bytes, depth, one);
    default:
        if (w->bytes.len)
            value_set_str(a, out, str_c(f->name), w->bytes);
        return is_text(w->bytes);
    }
}

static bool read_message(struct arena *a, const struct message *m, str bytes, unsigned depth,
                         struct value *out)
{
    struct wire w;
    bool ok = true;

    if (depth == DEPTH_MAX)
        return false;
    while (next_wire(&bytes, &w, &ok))
        for (const struct field *f = m->fields; f->number; f++)
            if (f->number == w.number && !read_field(a, f, &w, depth + 1, out))
                return false;
    return ok;
}

/* ---- The envelope. ---- */

static bool fail(struct err *e, const char *why)
{
    return err_set(e, ERR_INVALID, "%s", why);
}

bool store_protobuf_read(struct arena *a, str body, struct value **out, struct err *e)
{
    str rest = str_from(body, 4), raw = STR_NONE, kind;
    struct value *v = value_object(a);
    struct wire w;
    bool ok = true;

    if (!store_is_protobuf(body))
        return fail(e, "the body is not in Kubernetes' protobuf: it must begin with \"k8s\"");
    while (next_wire(&rest, &w, &ok)) {
        if (w.number == 1)
            ok = read_message(a, &type_meta, w.bytes, 0, v);
        else if (w.number == 2)
            raw = w.bytes;
        if (!ok)
            break;
    }
    if (!ok)
        return fail(e, "the envelope of the protobuf message is broken");
    kind = value_get_str(v, STR("kind"));
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(kind, str_c(kinds[i].kind))) {
            *out = v;
            return read_message(a, kinds[i].message, raw, 0, v) ||
                   fail(e, "the protobuf message is broken");
        }
    return err_set(e, ERR_INVALID,
                   "objects of kind \"%.*s\" are not understood as protobuf: send JSON",
                   STR_ARG(kind));
}

bool store_is_protobuf(str body)
{
    return str_has_prefix(body, str_of("k8s\0", 4));
}
