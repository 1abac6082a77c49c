/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Analyzes a trace that grows with a module, in a child: if the module crashes or does not return,
 * a message says so, and neither the writer of the trace nor this process is harmed.
 */
#ifndef CLI_TOP_MODULE_RUN_H
#define CLI_TOP_MODULE_RUN_H

#include "cli/ui/control.h"
#include "cli/ui/options.h"

struct module_options {
	const char *path;     /* of the trace; "-": standard input */
	const char *name;     /* of the trace in messages */
	const char *module;   /* FILE.so[:ARGS] */
	uint64_t interval_ns; /* between two reports; once: only the last one */
	bool once;
	int commands; /* socket from which requests of `control` are received; -1: none */
	const struct control *control;
};

enum exit_status module_run(const struct module_options *options);

#endif
