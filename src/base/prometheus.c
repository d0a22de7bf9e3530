/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus.c - numbers in the text format of Prometheus; see prometheus.h. */
#include "base/prometheus.h"

#include "base/arena.h"

/* Backslashes, quotes and newlines are the only three to escape in a label. */
static void add_escaped(struct buf *out, str value)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (c == '\n')
            buf_add(out, STR("\\n"));
        else if (c == '\\' || c == '"')
            buf_fmt(out, "\\%c", c);
        else
            buf_char(out, c);
    }
}

void prom_label(struct buf *labels, const char *name, str value)
{
    buf_fmt(labels, "%s%s=\"", labels->len ? "," : "", name);
    add_escaped(labels, value);
    buf_char(labels, '"');
}

void prom_head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_fmt(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_line(struct buf *out, const char *name, const char *suffix, str labels,
                     double value)
{
    buf_fmt(out, "%s%s", name, suffix);
    if (labels.len)
        buf_fmt(out, "{%.*s}", STR_ARG(labels));
    buf_fmt(out, " %.15g\n", value);
}

void prom_sample(struct buf *out, const char *name, str labels, double value)
{
    add_line(out, name, "", labels, value);
}

void prom_number(struct buf *out, const char *name, const char *type, const char *help,
                 double value)
{
    prom_head(out, name, type, help);
    prom_sample(out, name, STR(""), value);
}

static void add_bucket(struct buf *out, const char *name, str labels, const char *bound,
                       uint64_t count)
{
    AUTO_ARENA a = arena_new();
    struct buf bounded = buf_new(a, BUF_UNLIMITED);

    buf_add(&bounded, labels);
    prom_label(&bounded, "le", str_c(bound));
    add_line(out, name, "_bucket", buf_str(&bounded), (double)count);
}

void prom_histogram(struct buf *out, const char *name, str labels, const struct prom_histogram *h)
{
    uint64_t count = 0;

    for (size_t i = 0; i < h->bucket_count; i++) {
        count += h->buckets[i];
        add_bucket(out, name, labels, h->bounds[i], count);
    }
    add_bucket(out, name, labels, "+Inf", h->count);
    add_line(out, name, "_sum", labels, h->sum);
    add_line(out, name, "_count", labels, (double)h->count);
}
