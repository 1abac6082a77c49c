/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace check on logs: reads them to the end and reports what a conversion would report. */
#ifndef CLI_CHECK_LOG_H
#define CLI_CHECK_LOG_H

#include "cli/ui/output.h"
#include "cli/ui/progress.h"
#include "cli/ui/source_in.h"

struct check_log {
	const struct command_spec *command;
	const struct source_in_options *options;
	struct output *out;
	struct progress *progress;
	bool json, strict, quiet;
	bool one_of_several; /* warnings name the input */
};

/* Returns EXIT_DAMAGED for damage, and with `strict` for lines that were not understood. */
enum exit_status check_log(const struct check_log *c, const char *path);

#endif
