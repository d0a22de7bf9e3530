/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spelling.c - scalars that services spell in their own way.
 *
 * Ignoring case is the exception: it needs a reason in the model (an enum, an id), in the name of
 * the member (a location, a SKU), in the form of the text (a GUID), or a line in
 * api/rules/detect.json that names the recording.
 */
#include "operator/detect/internal.h"

#include "text/json/json.h"
#include "value/number.h"

static bool has_suffix_fold(str s, str suffix)
{
    return s.len >= suffix.len && str_eq_fold(str_from(s, s.len - suffix.len), suffix);
}

static bool has_upper(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')
            return true;
    return false;
}

static void set_text(struct value *v, str text)
{
    v->text = text.ptr;
    v->len = (uint32_t)text.len;
}

static void set_lower(struct detect *d, struct value *v)
{
    if (has_upper(value_str(v)))
        set_text(v, str_lower(d->arena, value_str(v)));
}

/* ---- Ids. ------------------------------------------------------------------------------------ */

/* The id in lower case, without a trailing slash. */
static str spell_id(struct detect *d, str text)
{
    static const str roles = STR_INIT("/providers/microsoft.authorization/roledefinitions");
    str id = text;

    while (id.len > 1 && id.ptr[id.len - 1] == '/')
        id.len--;
    if (has_upper(id))
        id = str_lower(d->arena, id);
    str type = str_slice(id, 0, str_rfind_char(id, '/'));
    bool role = str_has_suffix(type, roles) && rule_is_on(d, DETECT_ROLE);
    return role ? str_from(id, type.len - roles.len) : id;
}

/* Only by its start: parsing all of it would cost more than the rest of the comparison. */
static bool is_id(str text)
{
    static const str starts[] = {STR_INIT("/subscriptions/"), STR_INIT("/providers/")};

    if (text.len < 2 || text.ptr[0] != '/')
        return false;
    for (size_t i = 0; i < COUNT(starts); i++)
        if (text.len > starts[i].len && str_eq_fold(str_slice(text, 0, starts[i].len), starts[i]))
            return true;
    return false;
}

str spell_key(struct detect *d, str key)
{
    return is_id(key) && rule_is_on(d, DETECT_ID) ? spell_id(d, key) : key;
}

/* ---- Texts by their name and form. ----------------------------------------------------------- */

static bool is_guid(str s)
{
    if (s.len != 36)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (dash ? c != '-' : !hex)
            return false;
    }
    return true;
}

static bool is_location_member(str key)
{
    return has_suffix_fold(key, STR("location")) || has_suffix_fold(key, STR("locationName")) ||
           has_suffix_fold(key, STR("locations"));
}

/* "West US 2", "westus2": only letters, digits and spaces. */
static bool is_location(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == ' '))
            return false;
    }
    return s.len > 0;
}

static void spell_location(struct detect *d, struct value *v)
{
    str text = value_str(v);
    char *out = arena_alloc(d->arena, text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c != ' ')
            out[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    set_text(v, str_of(out, len));
}

/* vmSize, and the names of a sku. */
static bool is_sku_member(const struct detect *d, str key)
{
    size_t n = d->depth;

    if (str_eq_fold(key, STR("vmSize")))
        return true;
    return n >= 2 && n <= DEPTH_MAX && str_eq_fold(d->way[n - 2], STR("sku"));
}

static const struct value *find_choice(const struct value *choices, str text)
{
    for (size_t i = 0; i < value_len(choices); i++)
        if (str_eq_fold(value_str(&choices->items[i]), text))
            return &choices->items[i];
    return NULL;
}

/* ---- Embedded texts. ------------------------------------------------------------------------- */

/* Removes whitespace between tags; inside texts and tags each run becomes one space. */
static void spell_xml(struct detect *d, struct value *v)
{
    str text = str_trim(value_str(v));
    char *out = arena_alloc(d->arena, text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (!is_blank(text.ptr[i])) {
            out[len++] = text.ptr[i];
            continue;
        }
        while (i + 1 < text.len && is_blank(text.ptr[i + 1]))
            i++;
        char next = i + 1 < text.len ? text.ptr[i + 1] : '\0';
        bool at_tag = (len && out[len - 1] == '>') || next == '<' || next == '>' ||
                      (next == '/' && i + 2 < text.len && text.ptr[i + 2] == '>');
        if (!at_tag)
            out[len++] = ' ';
    }
    set_text(v, str_of(out, len));
}

static void spell_json(struct detect *d, struct value *v)
{
    struct source *src = ARENA_NEW(d->arena, struct source);
    struct json_style sorted = {.sorted = true};
    struct buf b = buf_new(d->arena, 16 * MIB);
    struct value *tree;

    src->text = value_str(v);
    if (json_read(d->arena, src, NULL, &tree, NULL) && json_write(&b, tree, &sorted, NULL))
        set_text(v, buf_str(&b));
}

/* ---- Numbers. -------------------------------------------------------------------------------- */

static bool is_number_form(const struct model_shape *shape)
{
    return shape && (shape->form == FORM_INT || shape->form == FORM_FLOAT);
}

/* Turns a number into the type of scalar in the model. */
static bool spell_number(const struct detect *d, const struct model_shape *shape, struct value *v)
{
    if (!rule_is_on(d, DETECT_NUMBER))
        return false;
    if (v->kind == VALUE_STRING && is_number_form(shape) && number_is_valid(value_str(v)))
        v->kind = str_find_char(value_str(v), '.') == STR_NPOS &&
                          str_find_char(value_str(v), 'e') == STR_NPOS &&
                          str_find_char(value_str(v), 'E') == STR_NPOS
                      ? VALUE_INT
                      : VALUE_FLOAT;
    else if (value_is_number(v) && shape && shape->form == FORM_STRING && !shape->choices)
        v->kind = VALUE_STRING;
    else
        return false;
    return true;
}

/* ---- All together. --------------------------------------------------------------------------- */

static bool is_secret(const struct model_prop *prop, const struct model_shape *shape)
{
    enum model_builtin builtin = shape ? shape->builtin : BUILTIN_NONE;

    return (prop && (prop->role == ROLE_SECRET || prop->role == ROLE_SECRET_MAP)) ||
           builtin == BUILTIN_SECRET_REFERENCE || builtin == BUILTIN_SECRET_MAP_REFERENCE;
}

static bool is_reference(const struct model_prop *prop)
{
    return prop && (prop->role == ROLE_REF || prop->role == ROLE_WELL_KNOWN);
}

/* Applies lines of the rule file; false if there is none for the text. */
static bool spell_by_line(struct detect *d, struct value *v)
{
    if (!d->line_count)
        return false;
    if (lines_have(d, LINE_XML) && rule_is_on(d, DETECT_XML))
        spell_xml(d, v);
    else if (lines_have(d, LINE_JSON) && rule_is_on(d, DETECT_JSON))
        spell_json(d, v);
    else if (lines_have(d, LINE_FOLD) && rule_is_on(d, DETECT_FOLD))
        set_lower(d, v);
    else
        return false;
    return true;
}

/* Tags are the user's own texts, where case matters. */
static bool is_tag(const struct detect *d)
{
    return d->depth == 2 && str_eq_fold(d->way[0], STR("tags"));
}

static void spell_text(struct detect *d, const struct model_prop *prop,
                       const struct model_shape *shape, str key, struct value *v)
{
    const struct value *choices = prop && prop->choices ? prop->choices
                                  : shape               ? shape->choices
                                                        : NULL;
    str text = value_str(v);
    const struct value *choice = find_choice(choices, text);

    if (choice && rule_is_on(d, DETECT_ENUM))
        set_text(v, value_str(choice));
    else if ((is_id(text) || (is_reference(prop) && text.len && text.ptr[0] == '/')) &&
             rule_is_on(d, DETECT_ID))
        set_text(v, spell_id(d, text));
    else if (is_location_member(key) && is_location(text) && rule_is_on(d, DETECT_LOCATION))
        spell_location(d, v);
    else if ((is_guid(text) && rule_is_on(d, DETECT_GUID)) ||
             (is_sku_member(d, key) && rule_is_on(d, DETECT_SKU)))
        set_lower(d, v);
}

void spell_scalar(struct detect *d, const struct model_prop *prop, const struct model_shape *shape,
                  str key, struct value *v)
{
    if (v->kind != VALUE_STRING && !value_is_number(v))
        return;
    if (is_secret(prop, shape)) {
        if (v->len) {
            set_text(v, detect_digest(d->arena, d->key, v));
            v->kind = VALUE_STRING;
        }
        return;
    }
    if (spell_number(d, shape, v) || v->kind != VALUE_STRING)
        return;
    if (!spell_by_line(d, v) && !is_tag(d))
        spell_text(d, prop, shape, key, v);
}
