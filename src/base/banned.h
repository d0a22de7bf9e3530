/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banned.h - functions that are too easy to get wrong.
 *
 * Using one of these names does not compile. What to use instead: str and buf for text (str_fmt,
 * buf_add, buf_fmt), str_to_i64 for numbers, clock.h for time and randomness. tools/check-banned
 * finds the names that cannot be poisoned because system headers use them.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef sprintf /* a macro for clang where _FORTIFY_SOURCE is set; macros cannot be poisoned */
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok strtok_r gets
#pragma GCC poison gmtime localtime ctime asctime atoi atol atoll atof rand srand random srandom
#pragma GCC poison setlocale
