/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - plumb store: subcommands for the data folder of plumb serve. */
#include "cli/commands.h"
#include "store/serve.h"

struct store_values {
    str data;
};

static const struct option store_options[] = {
    {"data", 0, OPTION_STRING, offsetof(struct store_values, data),
     .help = "The `FOLDER` of plumb serve", .complete = COMPLETE_FOLDERS},
};

static bool check_open(struct call *c, struct store *s, str path, struct err *e)
{
    struct store_figures f = store_figures(s);

    if (!store_check(s, e))
        return err_wrap(e, "%.*s", STR_ARG(path));
    output_fmt(c->out, "%.*s: %zu object%s of %zu types, version %llu: nothing wrong\n",
               STR_ARG(path), f.objects, f.objects == 1 ? "" : "s", f.types,
               (unsigned long long)f.version);
    return true;
}

/* In driven mode, so that nothing happens besides the check. */
static bool check_file(struct call *c, str path, struct err *e)
{
    struct store_config config = store_defaults();
    struct store *s;

    config.path = path;
    config.driven = true;
    config.existing = true;
    if (!store_open(&config, &s, e))
        return false;
    bool ok = check_open(c, s, path, e);
    store_close(s);
    return ok;
}

static bool check(struct call *c, struct err *e)
{
    const struct store_values *v = c->values;
    str path;
    AUTO_FD lock = -1;

    if (!v->data.len)
        return err_set(e, ERR_USAGE, "--data is missing: the folder of plumb serve");
    path = store_folder_database(c->arena, v->data);
    if (file_kind(path) == FILE_MISSING)
        return err_set(e, ERR_NOT_FOUND, "there is no store in %.*s", STR_ARG(v->data));
    return store_folder_lock(v->data, &lock, e) && check_file(c, path, e);
}

static const char *const actions[] = {"check", NULL};

static const char *const *store_words(struct arena *a)
{
    (void)a;
    return actions;
}

static bool cmd_store(struct call *c, struct err *e)
{
    if (str_eq(c->args[0], STR("check")))
        return check(c, e);
    return err_set(e, ERR_USAGE, "unknown action \"%.*s\"; there is: check", STR_ARG(c->args[0]));
}

const struct command command_store = {
    .name = "store",
    .args = "check",
    .brief = "Check the folder of plumb serve",
    .help = "'check' reads the whole store that --data names, while no plumb serve runs on it:\n"
            "the database is intact, every object in it decodes, and the indexes agree.\n"
            "\n"
            "Exit status: 0 when nothing is wrong, 2 otherwise.\n",
    .examples = "  plumb store check --data ~/plumb\n",
    .options = store_options,
    .option_count = COUNT(store_options),
    .values_size = sizeof(struct store_values),
    .args_min = 1,
    .args_max = 1,
    .words = store_words,
    .run = cmd_store,
};
