/* SPDX-License-Identifier: Apache-2.0 */
/*
 * klog.h - log lines with the header that Kubernetes programs use:
 * "W0102 03:04:05.000678    4242 compare.go:1] text".
 */
#pragma once

#include "base/base.h"

/* Writes one line to standard error; severity is 'I', 'W' or 'E'. Fits struct compare_log. */
void klog_line(void *ctx, char severity, str text);
