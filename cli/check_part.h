/* SPDX-License-Identifier: BSD-2-Clause */
/* Validates the part of a trace that a plan states. */
#ifndef CLI_CHECK_PART_H
#define CLI_CHECK_PART_H

#include "cli/ui/plan.h"

/*
 * Reads the part of the trace `path`, "-" for its bytes alone, and prints whether it is valid.
 * Returns EXIT_DAMAGED if it is not.
 */
enum exit_status check_part(struct plan_options *plan, const char *path, bool quiet,
			    const struct command_spec *command);

#endif
