/* SPDX-License-Identifier: Apache-2.0 */
/* metadata.c - checks parts and components of a metadata file. */
#include "compare/lint/internal.h"
#include "compare/reference/reference_internal.h"

/* ---- Names. ---- */

/* Reports a name that another entry of the list has already. */
static void check_name(struct lint *l, struct map *seen, const struct value *entry,
                       const char *what)
{
    const struct value *name = value_get(entry, STR("name"));
    str text = value_str(name);
    const struct value *first = map_get(seen, text);

    if (first)
        lint_add(l, &lint_repeated_name, lint_where(l, name ? name : entry),
                 "the %s \"%.*s\" has the name of the one in line %u", what, STR_ARG(text),
                 (unsigned)lint_where(l, first).line);
    else
        map_set(seen, text, (void *)entry);
}

/* ---- Components. ---- */

static void check_type(struct lint *l, const struct value *component)
{
    const struct value *type = value_get(component, STR("type"));

    if (l->version->check || l->version->rule(component) != &group_any_of)
        return;
    lint_add(l, &lint_component_type, lint_where(l, type ? type : component),
             "the component \"%.*s\" has %s%.*s%s", STR_ARG(value_get_str(component, STR("name"))),
             type ? "the type \"" : "no type", STR_ARG(value_str(type)), type ? "\"" : "");
}

static void check_component(struct lint *l, const struct value *component, size_t index)
{
    AUTO_ERR e = {0};

    check_type(l, component);
    if (l->version->check && !l->version->check(l->arena, component, index, &e))
        lint_add(l, &lint_component_groups, lint_where(l, component), "%.*s", STR_ARG(e.text));
}

static void check_part(struct lint *l, const struct value *part)
{
    const struct value *components = value_get(part, STR("components"));
    struct map *names = map_new(l->arena);

    for (size_t i = 0; i < value_len(components); i++) {
        check_name(l, names, value_at(components, i), "component");
        check_component(l, value_at(components, i), i);
    }
}

/* ---- Templates. ---- */

static void check_repeated(struct lint *l)
{
    struct map *seen = map_new(l->arena);

    for (size_t i = 0; i < l->reference.templates.len; i++) {
        str path = l->reference.templates.items[i].path;
        const struct template_note *first = map_get(seen, path);
        if (!first) {
            map_set(seen, path, &l->notes[i]);
            continue;
        }
        l->notes[i].unreachable = true;
        lint_add(l, &lint_repeated_template, lint_where(l, l->notes[i].entry),
                 "the template %.*s is listed in line %u already", STR_ARG(path),
                 (unsigned)lint_where(l, first->entry).line);
    }
}

void lint_metadata(struct lint *l)
{
    const struct value *parts = value_get(l->doc, STR("parts"));
    struct map *names = map_new(l->arena);

    for (size_t i = 0; i < value_len(parts); i++) {
        check_name(l, names, value_at(parts, i), "part");
        check_part(l, value_at(parts, i));
    }
    check_repeated(l);
}
