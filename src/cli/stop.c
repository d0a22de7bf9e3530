/* SPDX-License-Identifier: Apache-2.0 */
/* stop.c - runs until a signal; see stop.h. */
#include "cli/stop.h"

#include "net/http/http.h"

#include <poll.h>
#include <signal.h>

/* Raised by the signal handler; lives as long as the program. */
static struct http_cancel *stopped;

static void stop(int number)
{
    (void)number;
    http_cancel_raise(stopped);
}

void stop_on_signals(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};

    stopped = stopped ? stopped : http_cancel_new();
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void stop_wait(void)
{
    struct pollfd fd = {.fd = http_cancel_fd(stopped), .events = POLLIN};

    while (!http_cancel_raised(stopped))
        (void)poll(&fd, 1, -1);
}
