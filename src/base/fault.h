/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h - fault injection for I/O, for tests.
 *
 * Each of our functions that does I/O calls fault_now() before every system call and behaves as if
 * the call had failed with that errno. A test arms the n-th call from now and checks that the error
 * is reported with its context and that nothing is lost. Never armed outside tests; one thread.
 */
#pragma once

/* The n-th call from now (1 is the next) fails with number; 0 disarms. */
void fault_arm(unsigned n, int number);
/* 0, or the errno to fail with. */
int fault_now(void);
/* How many calls were made since the last fault_arm. */
unsigned fault_calls(void);
