/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of `iotrace simulate`, and their forms. */
#ifndef CLI_SIMULATE_RESULTS_H
#define CLI_SIMULATE_RESULTS_H

#include "cli/ui/output.h"

#include "input.h"
#include "lists.h"
#include "row_name.h"

/* One policy and size. */
struct simulate_pair {
	enum cache_policy policy;
	struct simulation_options options;
	struct simulation *simulation;
};

struct simulate_results {
	struct reference_input input;
	const char *path; /* of the input, as named */
	struct trace_in_options read;
	struct references_options references;
	uint64_t memory; /* bytes: the limit of --memory */
	struct prefetch_option prefetch;
	bool rmw, estimates; /* of the device's time */
	struct device_options device;
	struct simulate_pair *pairs;
	size_t pair_count;
	struct engine *engine;
	struct block_reuse *reuse; /* of rows; NULL: none */
	uint64_t top;              /* rows to print of a breakdown; NOT_GIVEN: all */
	struct output out;
	/* rows of the breakdown, most references first */
	size_t *order;
	size_t rows;
};

/* Fills rows and order. Returns the exit status. */
enum exit_status simulate_sort_rows(struct simulate_results *r);
/* Prints the counts of the input as lines of text. */
void simulate_print_trace(struct simulate_results *r);
/* Writes the hit ratio over the size, a line for each policy. Returns the exit status. */
enum exit_status simulate_write_svg(struct simulate_results *r, const char *path);

/* The reuse of a row or of REUSE_TOTAL. Returns false if it is not known. */
bool simulate_reuse(const struct simulate_results *r, size_t row, struct block_reuse_row *reuse);

/* What a row is, such as a path or "process 7"; returns text. */
const char *simulate_row_name(struct simulate_results *r, size_t row, char *text);

/* The number of rows of the breakdown to print. */
static inline size_t simulate_rows_shown(const struct simulate_results *r)
{
	if (r->references.by == BREAKDOWN_NONE)
		return 0;
	return r->rows < r->top ? r->rows : (size_t)r->top;
}

static inline uint64_t both(const uint64_t counts[2])
{
	return counts[0] + counts[1];
}

/* Returns NaN if whole is 0. */
static inline double ratio_of(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : __builtin_nan("");
}

const char *simulate_write_name(const struct simulate_results *r);
/* "next:8", "window:131072"; returns text. */
const char *simulate_prefetch_name(const struct simulate_results *r, char text[32]);

#endif
