/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints several jobs for `iotrace analyze`: populations, rows, maps or groups. */
#ifndef CLI_ANALYZE_SEVERAL_H
#define CLI_ANALYZE_SEVERAL_H

#include "groups.h"
#include "jobs.h"
#include "map.h"
#include "picks.h"

struct print_form;

struct analyze_several {
	enum analyze_several_as {
		ANALYZE_AS_POPULATIONS,
		ANALYZE_AS_ROWS,
		ANALYZE_AS_MAPS,
		ANALYZE_AS_GROUPS,
		ANALYZE_AS_PICKS
	} as;
	struct analyze_jobs jobs;
	struct analyze_maps maps;
	struct picks *picks; /* if as ANALYZE_AS_PICKS */
};

/* The jobs of the inputs are added to it. */
void analyze_several_begin(struct analyze_several *s, struct analyze_inputs *inputs);
/* Prints them to standard output; up to `top` rows or groups. Returns an exit status. */
enum exit_status analyze_several_print(struct analyze_several *s, const struct print_form *form,
				       uint64_t top);
void analyze_several_free(struct analyze_several *s);

#endif
