/* SPDX-License-Identifier: Apache-2.0 */
/* stage_azure.c - reads and changes by somebody else in the simulated Azure; see stage.h. */
#include "world/stage.h"

#include "text/json/json.h"

struct sim_response stage_azure(struct stage *s, const char *method, str id, str api_version,
                                str body)
{
    return stage_call_sim(s, s->w->arena, method, id,
                          str_fmt(s->w->arena, "api-version=%.*s", STR_ARG(api_version)), body);
}

static void change(struct stage *s, const char *id, const char *path, const char *value,
                   const char *how)
{
    str body = str_fmt(s->w->arena, "{\"id\":\"%s\",\"at\":\"%s\"%s%s%s}", id, path,
                       value ? ",\"value\":" : "", value ? value : "", how);
    struct sim_response r =
        stage_call_sim(s, s->w->arena, "POST", STR("/_sim/change"), STR_NONE, body);

    world_note(s->w, "%s of %s changes", path, id);
    world_expect(s->w, r.status == 204, "the change was refused: %.*s", STR_ARG(r.body));
}

void stage_change(struct stage *s, const char *id, const char *path, const char *value)
{
    change(s, id, path, value, ",\"by\":\"" STAGE_SOMEBODY "\"");
}

void stage_evolve(struct stage *s, const char *id, const char *path, const char *value)
{
    change(s, id, path, value, ",\"silent\":true");
}

const struct value *stage_body(struct stage *s, const char *id, const char *api_version)
{
    struct sim_response r = stage_azure(s, "GET", str_c(id), str_c(api_version), STR_NONE);
    struct source *src = ARENA_NEW(s->w->arena, struct source);
    struct value *v = NULL;

    src->text = r.body;
    world_expect(s->w, r.status == 200 && json_read(s->w->arena, src, NULL, &v, NULL),
                 "%s is not in Azure: %d", id, r.status);
    return v;
}

const struct value *stage_resources(struct stage *s)
{
    struct sim_response r =
        stage_call_sim(s, s->w->arena, "GET", STR("/_sim/resources"), STR_NONE, STR_NONE);
    struct source *src = ARENA_NEW(s->w->arena, struct source);
    struct value *v = NULL;

    src->text = r.body;
    world_expect(s->w, r.status == 200 && json_read(s->w->arena, src, NULL, &v, NULL),
                 "the simulator does not list its resources: %d %.*s", r.status, STR_ARG(r.body));
    return value_is(v, VALUE_LIST) ? v : value_at(v, 0);
}

bool stage_is_in_azure(struct stage *s, const char *id)
{
    const struct value *all = stage_resources(s);

    for (size_t i = 0; i < value_len(all); i++) {
        const struct value *item = value_at(all, i);
        str text = value_is(item, VALUE_STRING) ? value_str(item) : value_get_str(item, STR("id"));
        if (str_eq_fold(text, str_c(id)))
            return true;
    }
    return false;
}

static struct source *quoted(struct stage *s, const char *given)
{
    struct source *src = ARENA_NEW(s->w->arena, struct source);
    char *text = str_z(s->w->arena, str_c(given));

    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    src->text = str_c(text);
    return src;
}

void stage_types(struct stage *s, const char *types)
{
    AUTO_ERR e = {0};

    world_expect(s->w, sim_add_types(s->sim, quoted(s, types), &e), "no types: %.*s",
                 STR_ARG(e.text));
}

void stage_fault(struct stage *s, const char *fault)
{
    AUTO_ERR e = {0};

    world_expect(s->w, sim_add_faults(s->sim, quoted(s, fault), &e), "no fault: %.*s",
                 STR_ARG(e.text));
}

void stage_end_faults(struct stage *s)
{
    struct sim_response r =
        stage_call_sim(s, s->w->arena, "DELETE", STR("/_sim/faults"), STR_NONE, STR_NONE);

    world_expect(s->w, r.status < 300, "faults are left: %d", r.status);
}
