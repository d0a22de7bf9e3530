/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - messages on standard error.
 *
 * They are for people and may quote foreign text, which is always escaped. In our own messages,
 * lines after the first are indented, or items of a list: any other newline is foreign, and
 * escaped, too. If standard error itself fails nothing can be done, except that main still ends
 * with STATUS_TROUBLE. Any of them may quote an argument that is a URL, also one that should have
 * been a file: passwords and signatures in it are not shown.
 */
#include "cli/commands.h"
#include "base/quote.h"
#include "go/plain.h"
#include "net/redact.h"

#include <unistd.h>

void message_text(str text)
{
    AUTO_ARENA a = arena_new();
    struct buf safe = buf_new(a, BUF_UNLIMITED);

    quote_for_people(&safe, text);
    (void)!file_write_fd(STDERR_FILENO, STR("standard error"), buf_str(&safe), NULL);
}

static bool is_ours(str line)
{
    return !line.len || str_has_prefix(line, STR("  ")) || str_has_prefix(line, STR("\t")) ||
           str_has_prefix(line, STR("- "));
}

static void print_line(struct arena *a, const char *prefix, str text)
{
    struct buf line = buf_new(a, BUF_UNLIMITED);
    str part;

    text = redact_urls(a, text);
    buf_add(&line, str_c(prefix));
    for (bool more = true; more;) {
        more = str_cut(text, STR("\n"), &part, &text);
        buf_add(&line, part);
        if (more)
            buf_add(&line, is_ours(text) ? STR("\n") : STR("\\n"));
    }
    buf_char(&line, '\n');
    message_text(buf_str(&line));
}

/* System errors already name their file: "open x: permission denied". */
static str text_of(struct arena *a, const struct err *e)
{
    struct err placed = {.kind = e->kind, .at = e->at};

    if (e->at.line == 0)
        return str_contains(e->text, e->at.file) ? e->text : err_message(a, e);
    placed.text = err_text_placed(a, e);
    return err_message(a, &placed);
}

void message_error(const struct err *e)
{
    AUTO_ARENA a = arena_new();

    print_line(a, "plumb: ", go_plain(a, text_of(a, e)));
}

void message_warning(struct where at, str text)
{
    AUTO_ARENA a = arena_new();
    struct err e = {.kind = ERR_INVALID, .text = text, .at = at};

    print_line(a, "plumb: warning: ", go_plain(a, err_message(a, &e)));
}

void message_hint(const char *format, ...)
{
    AUTO_ARENA a = arena_new();
    va_list args;

    va_start(args, format);
    print_line(a, "", str_vfmt(a, format, args));
    va_end(args);
}

void call_report(struct call *c, const struct err *e)
{
    message_error(e);
    c->status = STATUS_TROUBLE;
}
