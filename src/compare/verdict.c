/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verdict.c - how complete a comparison was: notes about what could not be compared.
 */
#include "base/quote.h"
#include "compare/internal.h"

str place_text(struct arena *a, struct result_place place)
{
    str file = quote_line(a, place.file);

    if (!place.line)
        return file;
    return str_fmt(a, "%.*s:%u", STR_ARG(file), place.line);
}

enum verdict_state verdict_state(const struct result_verdict *v)
{
    return v->complete ? VERDICT_COMPLETE : VERDICT_INCOMPLETE;
}

const char *verdict_state_name(enum verdict_state state)
{
    static const char *const names[] = {
        [VERDICT_COMPLETE] = "complete", [VERDICT_INCOMPLETE] = "incomplete"};

    return names[state];
}

static void warn(struct arena *a, struct log_buffer *log, const struct result_note *note)
{
    str place = place_text(a, note->place);
    /* What the system says names its file already: "open x: permission denied". */
    bool named = !place.len || (!note->place.line && str_contains(note->reason, place));

    log_buffer_warn(log, "%.*s%s%s%.*s", STR_ARG(named ? STR_NONE : place), named ? "" : ": ",
                    note->failed ? "not compared: " : "skipped: ", STR_ARG(note->reason));
}

void verdict_note(struct arena *a, struct result_verdict *v, struct log_buffer *log,
                  const struct result_note *note)
{
    if (v->notes.len == RESULT_NOTES_MAX)
        return;
    VEC_PUSH(a, &v->notes, *note);
    warn(a, log, note);
    if (v->notes.len == RESULT_NOTES_MAX)
        log_buffer_warn(log, "more than %d documents were not compared: the rest is only counted",
                        RESULT_NOTES_MAX - 1);
}

void verdict_note_first(struct arena *a, struct result_verdict *v, struct log_buffer *log,
                        const struct result_note *note)
{
    if (v->notes.len < RESULT_NOTES_MAX)
        (void)VEC_ADD(a, &v->notes);
    memmove(v->notes.items + 1, v->notes.items, (v->notes.len - 1) * sizeof(*note));
    v->notes.items[0] = *note;
    warn(a, log, note);
}
