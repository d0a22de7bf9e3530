/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pushed.h - lets a test server write an answer piece by piece, from any thread.
 *
 * Streams of the server are pulled (net/handler.h); here the test decides what is sent when. At
 * most max bytes wait for a slow client; more than that breaks the stream.
 */
#pragma once

#include "net/server/server.h"

struct pushed;

/* Ends r. */
struct pushed *pushed_begin(struct server_request *r, size_t max);
/* False if the client has left or was too slow, or the server stops: then only call pushed_end. */
bool pushed_write(struct pushed *p, str piece);
bool pushed_gone(struct pushed *p);
/* Must be called once. broken: cut the connection instead of ending properly. */
void pushed_end(struct pushed *p, bool broken);
