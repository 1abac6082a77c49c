/* SPDX-License-Identifier: BSD-2-Clause */
/* What `iotrace info --json` shows. */
#ifndef CLI_VIEWS_INFO_H
#define CLI_VIEWS_INFO_H

#include "cli/info/info.h"
#include "cli/ui/output.h"

/* Prints an input as an object on one line. */
void info_print_json(struct output *o, const char *path, const struct info *f,
		     const struct trace_in *in);

#endif
