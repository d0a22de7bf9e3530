/* SPDX-License-Identifier: Apache-2.0 */
/* generate.c - generates a reference: config, objects, files, and messages. */
#include "compare/generate/internal.h"
#include "compare/log_buffer_internal.h"

static bool row_wants(const struct wanted *row, const struct identity *i)
{
    return str_eq(row->kind, i->kind) && str_eq(row->api_version, i->api_version) &&
           (!row->namespace.len || str_eq(row->namespace, i->namespace)) &&
           (!row->names.len || str_list_has(&row->names, i->name));
}

static str in_namespace(struct arena *a, const struct wanted *row)
{
    return row->namespace.len ? str_fmt(a, " in namespace %.*s", STR_ARG(row->namespace))
                              : STR_NONE;
}

/* ---- Finding. ---- */

/* Where objects come from: a folder that was read as a whole, or why it could not be; a cluster. */
struct captured {
    struct objects objects;
    struct err error;
    struct generate_live *live; /* NULL: the folder */
};

static bool take_objects(struct arena *a, const struct captured *c, struct wanted *row,
                         struct err *e)
{
    if (c->live)
        return generate_live_fill(c->live, row, e);
    if (c->error.kind != ERR_NONE)
        return err_copy(e, &c->error);
    for (size_t i = 0; i < c->objects.len; i++)
        if (row_wants(row, &c->objects.items[i].identity))
            VEC_PUSH(a, &row->found, c->objects.items[i]);
    return true;
}

/* A row that cannot be filled ends the run when it is required. */
static bool fill_row(struct arena *a, const struct captured *c, struct wanted *row,
                     struct log_buffer *log, struct err *e)
{
    log_buffer_info(log, "Fetching %.*s (%.*s)%.*s...", STR_ARG(row->kind),
                    STR_ARG(row->api_version), STR_ARG(in_namespace(a, row)));
    AUTO_ERR fault = {0};
    if (take_objects(a, c, row, &fault)) {
        log_buffer_info(log, "  Found %zu resource(s)", row->found.len);
        return true;
    }
    if (row->required) {
        err_copy(e, &fault);
        return err_wrap(e, "failed to fetch %.*s", STR_ARG(row->kind));
    }
    row->found.len = 0;
    log_buffer_warn(log, "failed to fetch optional resource %.*s (%.*s): %.*s", STR_ARG(row->kind),
                    STR_ARG(row->api_version), STR_ARG(fault.text));
    return true;
}

/* What cannot be read is a fault of the rows that want something of it. */
static void read_archive(struct arena *a, str file, const struct generate_config *config,
                         struct captured *c, struct log_buffer *log)
{
    log_buffer_info(log, "Using must-gather archive: %.*s", STR_ARG(file));
    if (!generate_archive_read(a, file, config, &c->objects, log, &c->error))
        assert(c->error.kind != ERR_NONE);
}

static bool open_source(struct arena *a, const struct generate_options *o,
                        const struct generate_config *config, struct captured *c,
                        struct log_buffer *log, struct err *e)
{
    if (!o->folder.len) {
        log_buffer_info(log, "Connected to Kubernetes cluster");
        return generate_live_open(a, o->cluster, o->dialect->own_words ? NULL : log, &c->live, e);
    }
    if (o->dialect->archives && file_kind(o->folder) == FILE_REGULAR) {
        read_archive(a, o->folder, config, c, log);
        return true;
    }
    log_buffer_info(log, "Using must-gather directory: %.*s", STR_ARG(o->folder));
    if (!generate_source_check(a, o->folder, e))
        return false;
    if (!generate_source_read(a, o->folder, config, &c->objects, &c->error))
        assert(c->error.kind != ERR_NONE);
    return true;
}

static bool fill_rows(struct arena *a, const struct generate_options *o,
                      struct generate_config *config, struct log_buffer *log, struct err *e)
{
    struct captured c = {0};
    bool ok = open_source(a, o, config, &c, log, e);

    for (size_t i = 0; i < config->rows.len && ok; i++)
        ok = fill_row(a, &c, &config->rows.items[i], log, e);
    err_clear(&c.error);
    generate_live_close(c.live);
    return ok;
}

/* ---- Telling. ---- */

static void tell_result(const struct generate_config *config, str folder, struct buf *out)
{
    size_t total = 0, kinds = 0;

    for (size_t i = 0; i < config->rows.len; i++) {
        total += config->rows.items[i].found.len;
        kinds += config->rows.items[i].found.len > 0;
    }
    buf_fmt(out, "Generated reference at: %.*s\n", STR_ARG(folder));
    buf_fmt(out, "  Total resources captured: %zu\n  Resource types: %zu\n", total, kinds);
}

static void tell_missing(struct arena *a, const struct generate_config *config, struct buf *note)
{
    bool any = false;

    for (size_t i = 0; i < config->rows.len; i++) {
        const struct wanted *row = &config->rows.items[i];
        if (row->found.len)
            continue;
        if (!any)
            buf_add(note, STR("Warning: No resources found for:\n"));
        any = true;
        buf_fmt(note, "  - %.*s (%.*s)%.*s", STR_ARG(row->kind), STR_ARG(row->api_version),
                STR_ARG(in_namespace(a, row)));
        if (row->names.len)
            buf_fmt(note, " with names [%.*s]",
                    STR_ARG(str_join(a, row->names.items, row->names.len, STR(" "))));
        buf_char(note, '\n');
    }
}

static bool generate(struct arena *a, const struct generate_options *o, struct log_buffer *log,
                     struct buf *out, struct buf *note, struct err *e)
{
    struct generate_config config;
    str folder;

    if (!generate_config_load(a, o->config, o->dialect->single_documents, &config, e))
        return false;
    log_buffer_info(log, "Loaded configuration from %.*s", STR_ARG(o->config));
    log_buffer_info(log, "  Resources to capture: %zu", config.rows.len);
    if (!fill_rows(a, o, &config, log, e) || !generate_write(a, o, &config, &folder, note, e))
        return false;
    tell_result(&config, folder, out);
    tell_missing(a, &config, note);
    return true;
}

bool generate_run(struct arena *a, const struct generate_options *o, struct buf *out,
                  struct buf *note, struct err *e)
{
    struct log_buffer log = {.arena = a, .verbose = o->log.verbose};
    bool ok = generate(a, o, &log, out, note, e);

    log_buffer_flush(&log, &o->log);
    return ok;
}
