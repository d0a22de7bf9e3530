/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - /healthz, /readyz and /metrics of a running operator.
 *
 *     if (!health_start(live, STR(":8081"), &server, e)) ...
 *     server_stop(server, 0);
 *
 * An address is HOST:PORT, :PORT for all addresses of the machine, or a port on 127.0.0.1. Ready
 * means that everything has been read and the operator could lead: replicas that wait for the lease
 * are ready, too.
 */
#pragma once

#include "net/server/server.h"
#include "operator/live.h"

/* l must outlive the server. */
MUST_CHECK bool health_start(struct live *l, str address, struct server **out, struct err *e);
