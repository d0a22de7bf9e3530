/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - time and randomness, replaceable in tests.
 *
 * All code gets time from here, so that no test waits and every test is repeatable. Times are
 * nanoseconds in int64_t: enough until the year 2262. May be called from any thread; the
 * replacements are set before threads start.
 */
#pragma once

#include "base/attr.h"

#include <pthread.h>

#define NS_PER_SEC INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

/* Wall clock, since 1970. For what people and other machines see. */
int64_t clock_now(void);
/* Never goes back. For measuring and waiting. */
int64_t clock_mono(void);
/* As clock_mono, but real even in tests: for socket timeouts, since the peer runs in real time. */
int64_t clock_wire(void);
/*
 * For tests with a slow peer: stops that clock too, and moves it. clock_real undoes it. Nothing
 * would wake a poll of sockets then, so polls must be short: pass their timeout, in milliseconds,
 * through clock_wire_poll.
 */
void clock_wire_fake(void);
void clock_wire_advance(int64_t ns);
int clock_wire_poll(int ms);
/* Waits for c, whose mutex is held, for up to ns on that clock. */
void clock_wire_wait(pthread_cond_t *c, pthread_mutex_t *m, int64_t ns);
/* Makes c for clock_wait. */
void clock_cond_init(pthread_cond_t *c);
/*
 * Waits for c, made by clock_cond_init, until that time of clock_mono; in tests it moves the fake
 * clock there at once instead of waiting.
 */
void clock_wait(pthread_cond_t *c, pthread_mutex_t *m, int64_t until);
/* CPU time of this process, for benchmarks. */
int64_t clock_cpu(void);
/* Sleeps; in tests it moves the fake clock instead. */
void clock_sleep(int64_t ns);

/* Stops both clocks at now; clock_advance moves them. clock_real undoes it. */
void clock_fake(int64_t now);
void clock_advance(int64_t ns);
/* From now on the fake clock_now is that far ahead of clock_mono, as if the clock had been set. */
void clock_skew(int64_t ns);
void clock_real(void);
/*
 * Driven mode: all clocks, including the one for sockets, are stopped at now, and only the driver
 * moves them, by calling clock_drive again. Everything happens on its thread: a sleep or a timed
 * wait is a programming error and aborts. Modules with a ..._step function check the mode when they
 * are created, and start no thread. clock_real undoes it.
 */
void clock_drive(int64_t now);
bool clock_is_driven(void);

/* Random bytes, good enough for keys. In tests, after random_fake, a fixed sequence. */
void random_bytes(void *out, size_t len);
uint64_t random_u64(void);
/* A uniformly distributed number from 0 to bound - 1; bound is not 0. */
uint64_t random_below(uint64_t bound);
void random_fake(uint64_t seed);
void random_real(void);

/* A timestamp: "2026-03-05T07:08:09.123Z". */
#define CLOCK_STAMP 25
void clock_stamp(int64_t now, char out[CLOCK_STAMP]);
