/* SPDX-License-Identifier: Apache-2.0 */
/* klog.c - log lines in the format of Kubernetes programs. */
#include "cli/compat/klog.h"

#include <unistd.h>

void klog_line(void *ctx, char severity, str text)
{
    AUTO_ARENA a = arena_new();
    int64_t now = clock_now();
    time_t seconds = (time_t)(now / NS_PER_SEC);
    struct tm tm;

    (void)ctx;
    localtime_r(&seconds, &tm);
    str line = str_fmt(a, "%c%02d%02d %02d:%02d:%02d.%06lld %7d compare.go:1] %.*s%s", severity,
                       tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
                       (long long)(now % NS_PER_SEC / 1000), (int)getpid(), STR_ARG(text),
                       str_has_suffix(text, STR("\n")) ? "" : "\n");
    (void)!file_write_fd(STDERR_FILENO, STR("standard error"), line, NULL);
}
