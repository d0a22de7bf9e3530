/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stop.h - runs until a signal, for commands that serve.
 *
 *     stop_on_signals();
 *     ...start...
 *     stop_wait();
 *     ...end cleanly...
 *
 * The first SIGINT or SIGTERM asks the program to end; a second one kills it at once. Call these on
 * the command's thread only.
 */
#pragma once

/* Starts catching signals. */
void stop_on_signals(void);
/* Waits for the first signal. */
void stop_wait(void);
