/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_server.h - a scripted server, mostly for misbehaving.
 *
 * A script says what happens to each connection, one step per connection; after the last step its
 * connections are closed at once. One thread, loopback only, every wait is bounded.
 *
 * After clock_wire_fake nothing really waits: a step that hangs advances that clock by an hour, one
 * that drips by two seconds per byte.
 *
 *     static const struct fault_step script[] = {
 *         {.end = FAULT_RESET},
 *         {.reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
 *     };
 *     struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
 *     ... fault_server_url(s) ...
 *     fault_server_stop(s);
 */
#pragma once

#include "base/base.h"

enum fault_end {
    FAULT_CLOSE, /* properly */
    FAULT_RESET, /* with RST */
    FAULT_HANG,  /* open and silent until the other side gives up, or the server stops */
};

struct fault_step {
    /*
     * Answers a first request on the connection, which stays open; the rest applies to the second.
     */
    const char *first_reply;
    bool before_request; /* do not read the request */
    bool before_tls;     /* do not even start TLS */
    size_t read_only;    /* read only this many bytes of the request, not its head and body */
    const char *reply;
    size_t reply_len; /* 0: strlen */
    unsigned drip_ms; /* between single bytes of the reply; 0: at once */
    size_t drip_from; /* the first byte that drips */
    bool endless;     /* the last byte drips forever */
    enum fault_end end;
    bool again; /* this step serves all further connections */
};

/* TLS: the server's certificate, and the CA of the required client certificates. */
struct fault_tls {
    str cert, key, client_ca;
};

struct fault_server;
struct fault_server *fault_server_start(const struct fault_step *steps, size_t count,
                                        const struct fault_tls *tls);
void fault_server_stop(struct fault_server *s);
/* "http://127.0.0.1:port" or "https://...". */
str fault_server_url(const struct fault_server *s);
unsigned fault_server_port(const struct fault_server *s);
/* How many connections there were, and how many complete requests. */
size_t fault_server_connections(struct fault_server *s);
size_t fault_server_requests(struct fault_server *s);
/* How many connections it has closed on its side (FAULT_CLOSE): the peer can see it by then. */
size_t fault_server_closed(struct fault_server *s);
/* What the last connection sent, up to 64 KiB. Valid until the next one. */
str fault_server_request(struct fault_server *s);
