/* SPDX-License-Identifier: BSD-2-Clause */
/* %sample directives that are left out because they are not understood. */
#ifndef CLI_UI_WRONG_SAMPLES_H
#define CLI_UI_WRONG_SAMPLES_H

#include <stdint.h>

#include <iotrace/iotrace.h>

#include "cli/cmd.h"

/* All zeros: none. */
struct wrong_samples {
	uint64_t count;
	char first[128]; /* the beginning of the text of the first one */
};

void wrong_samples_add(struct wrong_samples *w, const struct iot_event *sample);
/*
 * Prints how many samples are wrong, and the first. Returns EXIT_OK if there are none, else
 * EXIT_DAMAGED.
 */
enum exit_status wrong_samples_report(const struct wrong_samples *w);

#endif
