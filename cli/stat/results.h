/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of `iotrace stat`, and the forms in which it prints them. */
#ifndef CLI_STAT_RESULTS_H
#define CLI_STAT_RESULTS_H

#include <iotrace/filter.h>

#include "cli/ui/output.h"
#include "first_names.h"
#include "lib/format/unseen.h"
#include "lib/ties/sums.h"
#include "cli/ui/trace_in.h"

enum { STAT_BY_OPERATION = IOT_STATS_BY_JOB + 1 };

struct stat_results {
	struct iot_stats *stats;
	struct trace_in in; /* its reader knows the paths of objects, unless it is NULL */
	struct first_names first_names; /* of several inputs, whose rows have the last names */
	struct output out;
	int by;             /* enum iot_stats_by, or STAT_BY_OPERATION */
	uint64_t top;       /* rows to print; NOT_GIVEN: all */
	const char *layer;  /* of the records that were counted */
	bool physical;      /* whether these records are I/Os of disks */
	bool counters_only; /* the trace contains no I/Os */
	struct unseen unseen;
	struct tie_sums ties; /* of a single input */
	char **inputs;        /* by number of the trace; rows of several traces name theirs */
	size_t input_count;
};

/* Returns whether a trace contains counters of files, but no I/Os. */
bool stat_has_only_counters(const struct iot_stats *stats);
/* Returns whether rows are sums of samples. */
bool stat_has_samples(const struct stat_results *s);
/* Which statistics are known. Text output marks a sum over only some of the I/Os. */
bool stat_knows_ios(const struct stat_results *s, const struct iot_stats_row *f);
bool stat_knows_opens(const struct iot_stats_row *f);
bool stat_knows_times(const struct stat_results *s, const struct iot_stats_row *f);
bool stat_knows_order(const struct stat_results *s, const struct iot_stats_row *f);

/* Returns the input that the ids of a row are of; NULL if there is only one, or it has no ids. */
const char *stat_input(const struct stat_results *s, const struct iot_stats_row *row);
/* The name of a row, or the path of its object, or NULL. Valid until the next call. */
const char *stat_name(const struct stat_results *s, const struct iot_stats_row *row, size_t *size);
/* The first name of a renamed object, otherwise none. Valid until the next call. */
struct iot_text stat_first_name(const struct stat_results *s, const struct iot_stats_row *row);
/* Row i of those to print, or NULL. */
const struct iot_stats_row *stat_row_at(const struct stat_results *s, size_t i);
const struct iot_stats_operation *stat_operation_at(const struct stat_results *s, size_t i);
/* The lower bound of a class of sizes. */
uint64_t stat_class_floor(unsigned k);

enum { STAT_LABEL = 8192 };
/* Writes the ids, the name and the input of a row for people, and returns it. */
const char *stat_label(const struct stat_results *s, const struct iot_stats_row *row,
		       char text[STAT_LABEL]);

/* Sentences of the text: calls that the trace lacks, I/Os without some values, rates. */
void stat_print_unseen(struct stat_results *s);
void stat_print_unknown(struct stat_results *s);
void stat_print_rates(struct stat_results *s);

#endif
