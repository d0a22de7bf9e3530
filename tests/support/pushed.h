/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pushed.h - an answer of a test's server, written piece by piece from any thread.
 *
 * Streams of the server are pulled (net/handler.h); here a test says what comes when. At most max
 * bytes wait for a slow client; what would be more breaks the stream.
 */
#pragma once

#include "net/server/server.h"

struct pushed;

/* Ends r. */
struct pushed *pushed_begin(struct server_request *r, size_t max);
/* False when the client has left, was too slow, or the server stops: then only end is left. */
bool pushed_write(struct pushed *p, str piece);
bool pushed_gone(struct pushed *p);
/* Must be called once. broken: the connection is cut instead of ending properly. */
void pushed_end(struct pushed *p, bool broken);
