/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated counters as a trace of %sample directives. */
#ifndef CLI_MODEL_COUNTERS_H
#define CLI_MODEL_COUNTERS_H

#include "results.h"

/*
 * Writes the counters of the variant, or of the original system without one. Returns an exit
 * status.
 */
enum exit_status counters_write(const struct model_results *r, const char *path,
				const struct command_spec *command);

#endif
