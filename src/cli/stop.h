/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop.h - running until a signal: for commands that serve.
 *
 *     stop_on_signals();
 *     ...start...
 *     stop_wait();
 *     ...end cleanly...
 *
 * The first SIGINT or SIGTERM is a request to end; a second one ends the program at once. From
 * the command's thread only.
 */
#pragma once

/* From now on signals are noted. */
void stop_on_signals(void);
/* Waits for the first signal. */
void stop_wait(void);
