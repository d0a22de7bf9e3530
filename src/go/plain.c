/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c - rewrites messages of the originals in plain words; see plain.h. */
#include "go/plain.h"

/* Longer messages are left alone: they quote something large. */
#define PLAIN_MAX ((size_t)64 * KIB)

/* ---- Types. ---- */

static const struct {
    const char *go, *plain;
} types[] = {
    {"[]byte", "text"},
    {"array", "a list"},
    {"bool", "true or false"},
    {"float64", "a number"},
    {"int", "a number"},
    {"int32", "a number"},
    {"int64", "a number"},
    {"jsonpatch.Patch", "a list"},
    {"map[string]any or []any", "a mapping or a list"},
    {"nil", "null"},
    {"<nil>", "null"},
    {"null", "null"},
    {"number", "a number"},
    {"string", "text"},
    {"types.UID", "text"},
    {"v1.ManagedFieldsOperationType", "text"},
    {"v1.Time", "a time"},
};

/* What to call a Go type, or a kind of JSON value; all that are not listed are structs and maps. */
static str plain_type(struct arena *a, str go)
{
    str number = str_without_prefix(go, STR("number "));

    for (size_t i = 0; i < COUNT(types); i++)
        if (str_eq(go, str_c(types[i].go)))
            return str_c(types[i].plain);
    if (number.len < go.len)
        return str_fmt(a, "the number %.*s", STR_ARG(number));
    return str_has_prefix(go, STR("[]")) ? STR("a list") : STR("a mapping");
}

/* The path of a field without the structs that have it: items.path for A.items.B.path. */
static str plain_path(struct arena *a, str go)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    str part, rest;

    (void)str_cut(go, STR("."), &part, &rest);
    while (rest.len) {
        (void)str_cut(rest, STR("."), &part, &rest);
        if (part.len && part.ptr[0] >= 'A' && part.ptr[0] <= 'Z')
            continue;
        if (buf_str(&out).len)
            buf_char(&out, '.');
        buf_add(&out, part);
    }
    return buf_str(&out);
}

/* Takes the name of a type off the front: it ends at ": ", ", ", "; " or the end of the line. */
static str take_type(str *rest)
{
    size_t end = 0;

    while (end < rest->len && rest->ptr[end] != '\n' &&
           !(strchr(":,;", rest->ptr[end]) && (end + 1 == rest->len || rest->ptr[end + 1] == ' ')))
        end++;
    str type = str_slice(*rest, 0, end);
    *rest = str_from(*rest, end);
    return type;
}

/* ---- Wordings. Each rewrites what follows its mark, and leaves in *rest what comes after. ---- */

struct wording {
    const char *mark;
    const char *plain; /* instead of the mark, unless there is a function */
    bool (*rewrite)(struct buf *out, str *rest);
};

/* Appends what was found and what was expected, whose type is taken off the front of *rest. */
static void add_types(struct buf *out, str found, str *rest)
{
    buf_add(out, plain_type(out->arena, found));
    buf_add(out, STR(", expected "));
    buf_add(out, plain_type(out->arena, take_type(rest)));
}

/* "array into Go struct field ReferenceV1.parts of type []compare.PartV1" */
static bool cannot_unmarshal(struct buf *out, str *rest)
{
    str found, field, after;

    if (!str_cut(*rest, STR(" into Go "), &found, &after))
        return false;
    if (str_has_prefix(after, STR("struct field "))) {
        after = str_without_prefix(after, STR("struct field "));
        if (!str_cut(after, STR(" of type "), &field, &after))
            return false;
        buf_add(out, plain_path(out->arena, field));
        buf_add(out, STR(" is "));
    } else {
        if (!str_has_prefix(after, STR("value of type ")))
            return false;
        after = str_without_prefix(after, STR("value of type "));
        buf_add(out, STR("found "));
    }
    add_types(out, found, &after);
    *rest = after;
    return true;
}

/* "float64, expected string" */
static bool is_of_type(struct buf *out, str *rest)
{
    str after = *rest, found = take_type(&after);

    if (!str_has_prefix(after, STR(", expected ")))
        return false;
    after = str_without_prefix(after, STR(", expected "));
    buf_add(out, STR("is "));
    add_types(out, found, &after);
    *rest = after;
    return true;
}

static const struct wording wordings[] = {
    {" accessor error: ", ": ", NULL},
    {"could not be converted into an int: strconv.Atoi: parsing ", "is not a number: ", NULL},
    {"Reference config file not found. error: ", "the reference cannot be read: ", NULL},
    {"Reference config isn't in correct format. error: ", "the metadata is invalid: ", NULL},
    {" specified in the config. error: template: ", ": ", NULL},
    {" specified in the config. error: ", ": ", NULL},
    {"an error occurred while parsing template: ", "template ", NULL},
    {"an error occurred while parsing the template function files", "function files", NULL},
    {"error unmarshaling JSON: while decoding JSON: ", "", NULL},
    {"failed to acces ", "failed to access ", NULL},
    {"failed to collect resources: ", "", NULL},
    {"failed to constuct template", "failed to render the template", NULL},
    {"failed to get cluster-compare reference  ", "", NULL},
    {"failed to parse cluster-compare reference templates an error occurred while parsing "
     "template: ",
     "template ", NULL},
    {"found slice but index ", "there is a list, and its index ", NULL},
    {"in type interface {}", "of a value that is not a mapping", NULL},
    {"is of the type ", NULL, is_of_type},
    {"is of type ", NULL, is_of_type},
    {"json: cannot unmarshal ", NULL, cannot_unmarshal},
    {"json: unknown field ", "unknown field ", NULL},
    {"nil pointer evaluating interface {}.", "there is no value to take the field from: ", NULL},
};

/* The wording whose mark comes first, the longest of those; NULL: none. */
static const struct wording *next_wording(str text, size_t *at)
{
    const struct wording *best = NULL;

    *at = STR_NPOS;
    for (size_t i = 0; i < COUNT(wordings); i++) {
        size_t found = str_find(text, str_c(wordings[i].mark));
        if (found < *at) {
            best = &wordings[i];
            *at = found;
        }
    }
    return best;
}

str go_plain(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    const struct wording *w;
    str rest = text;
    size_t at;

    if (text.len > PLAIN_MAX || !next_wording(text, &at))
        return text;
    while ((w = next_wording(rest, &at))) {
        str mark = str_slice(rest, at, at + strlen(w->mark));
        buf_add(&out, str_slice(rest, 0, at));
        rest = str_from(rest, at + mark.len);
        if (!w->rewrite)
            buf_add(&out, str_c(w->plain));
        else if (!w->rewrite(&out, &rest))
            buf_add(&out, mark);
    }
    buf_add(&out, rest);
    return buf_str(&out);
}
