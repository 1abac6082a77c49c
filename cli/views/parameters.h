/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters that the simulating commands have in common. */
#ifndef CLI_VIEWS_PARAMETERS_H
#define CLI_VIEWS_PARAMETERS_H

#include "cli/ui/trace_in.h"
#include "lib/result/row.h"
#include "lib/simulate/device.h"

/* The options of reading. One that was not given is unknown: the input has its own. */
struct reading_view {
	const struct trace_in_options *options;
	struct iot_table table, in_options;
};

void reading_view(struct reading_view *view, const struct trace_in_options *options);
/* A table of the options, which have to outlive it. */
struct iot_table device_view(const struct device_options *device);

#endif
