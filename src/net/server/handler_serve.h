/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler_serve.h - serves a handler over a socket.
 *
 *     struct server_config config = {.handle = handler_serve, .ctx = store_handler(s)};
 *
 * An answer may come later, from any thread. A stream is pulled only as fast as its client reads:
 * an idle one costs its connection and nothing else, and a slow one holds one piece.
 */
#pragma once

#include "net/handler.h"
#include "net/server/server.h"

/* A server_handler; ctx is a const struct handler, which must outlive the server. */
void handler_serve(void *ctx, struct server_request *r);
