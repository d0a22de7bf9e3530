/* SPDX-License-Identifier: Apache-2.0 */
/*
 * troubles.c - temporary errors before success, as recorded: a dependency that is not ready, a
 * principal that the directory does not show yet. They are data ("troubles" in api/sim), and affect
 * some of the resources of a type, chosen by the seed, only with the preset troubled.
 */
#include "sim/internal.h"

#include "go/strconv.h"

#define ATTEMPTS_MAX 100000

struct attempt {
    struct table_node node; /* id in lower case, and the number of the trouble */
    int64_t count;
};

static struct attempt *attempt_of(struct sim *s, str key)
{
    return (struct attempt *)sim_node(s->attempts, key, sizeof(struct attempt), ATTEMPTS_MAX);
}

bool sim_take_attempt(struct sim *s, str key, const struct value *v)
{
    struct attempt *t = attempt_of(s, key);

    return t && value_to_i64(value_get(v, STR("count")), &t->count);
}

/* Whether a resource is affected: always the same ones for a seed. */
static bool meets(struct sim_call *c, const struct sim_trouble *t, str key)
{
    str guid = sim_guid_of(c->sim, c->arena, key);
    unsigned number = 0;

    for (size_t i = 0; i < 7; i++)
        number = number * 16 + (unsigned)go_hex_digit((unsigned char)guid.ptr[i]);
    return number % 100 < (unsigned)t->percent;
}

bool sim_troubled(struct sim_call *c, bool deletes)
{
    if (!c->sim->config.troubled)
        return false;
    for (size_t i = 0; i < c->behaviour->troubles.len; i++) {
        const struct sim_trouble *t = &c->behaviour->troubles.items[i];
        str key = str_lower(
            c->arena, str_fmt(c->arena, "%.*s#%zu", STR_ARG(arm_id_print(c->arena, &c->id)), i));
        if (t->deletes != deletes || !meets(c, t, key))
            continue;
        struct attempt *attempt = attempt_of(c->sim, key);
        if (!attempt || attempt->count >= t->count)
            continue;
        attempt->count++;
        sim_database_fact(c->sim->database, "attempt", key,
                          str_fmt(c->arena, "{\"count\":%lld}", (long long)attempt->count));
        sim_refuse_as(c, &t->refusal, STR_NONE);
        return true;
    }
    return false;
}
