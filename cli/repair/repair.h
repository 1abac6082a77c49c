/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace check --repair: writes the valid parts of a damaged trace as a valid trace. */
#ifndef CLI_REPAIR_REPAIR_H
#define CLI_REPAIR_REPAIR_H

#include "cli/ui/trace_in.h"

struct repair_options {
	struct write_options write;
	uint64_t base, tick_ns; /* of IN; NOT_GIVEN */
	bool keep_unverified, quiet;
	int progress;
};

/* Returns the exit status; 0: nothing is lost. */
int repair_trace(const char *path, const struct repair_options *o,
		 const struct command_spec *command);

#endif
