/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by trace_in.c, which reads, trace_in_open.c and trace_in_layer.c. */
#ifndef CLI_UI_TRACE_IN_INTERNAL_H
#define CLI_UI_TRACE_IN_INTERNAL_H

#include "trace_in.h"

/* Ends the input: reports an error, and keeps it in status. */
enum exit_status trace_in_fail(struct trace_in *in, int status);
/* Says that physical records are used, unless the output does. */
void trace_in_report_physical(const struct trace_in_options *o, const char *why);

#endif
