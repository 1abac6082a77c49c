/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of `iotrace analyze`, and the forms in which it prints them. */
#ifndef CLI_ANALYZE_RESULTS_H
#define CLI_ANALYZE_RESULTS_H

#include <iotrace/analyze.h>

#include "cli/ui/output.h"

struct analyze_results {
	struct iot_analyze *analysis;
	struct output out;
	bool hides_files; /* the section was not selected */
	bool shows_all;   /* all sections: text is a summary of them */
	bool shows_map;   /* as text, which has no space for it if it was not selected */
};

void analyze_print_text(struct analyze_results *a);
/* One screen for people whose program is slow: what it did, what is wrong with that, what to do. */
void analyze_print_summary(struct analyze_results *a);
/* What --working-set and --dependencies add to the text. */
void analyze_print_extras(struct analyze_results *a);

#endif
