/* SPDX-License-Identifier: Apache-2.0 */
/* events_wait.c - sends Events, blocking; see events_wait.h. */
#include "support/events_wait.h"

bool events_wait_send(struct events *ev, struct kube_transport *t, const struct event *event,
                      struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct event_call c;

    if (!events_decide(ev, a, event, &c))
        return true;
    for (;;) {
        AUTO_ERR failure = {0};
        bool ok = kube_do(t, a, &c.ask, NULL, &failure);
        if (!events_settle(ev, &c, ok ? NULL : &failure))
            return ok || err_copy(e, &failure);
    }
}
