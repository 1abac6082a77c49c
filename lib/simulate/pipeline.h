/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of slots that the caller fills one after the other. Each stage processes all slots in
 * order, on any thread; a slot is filled again when all stages have processed it. A thread runs the
 * stage that is least advanced.
 */
#ifndef LIB_SIMULATE_PIPELINE_H
#define LIB_SIMULATE_PIPELINE_H

#include <stddef.h>

struct pipeline;

/* Returns IOT_OK or a status, which ends the work of the stage. */
typedef int pipeline_fn(void *context, size_t stage, size_t slot);

#define PIPELINE_NONE ((size_t)-1)

struct pipeline_options {
	unsigned
	    threads; /* the caller's, too; it does the work of threads that cannot be created */
	size_t stages, slots;
	/* stage `later` processes a slot after stage `earlier` has; PIPELINE_NONE: no order */
	size_t earlier, later;
	pipeline_fn *run;
	void *context;
};

/* Returns NULL if out of memory. */
struct pipeline *pipeline_new(const struct pipeline_options *options);
void pipeline_free(struct pipeline *p); /* NULL is ignored */

/*
 * Returns the next slot to fill, after running stages until it is free; PIPELINE_NONE if a stage
 * has failed. pipeline_submit() passes it to the stages.
 */
size_t pipeline_reserve(struct pipeline *p);
void pipeline_submit(struct pipeline *p);
/* Processes all submitted slots. Returns IOT_OK, or the status of the first stage that failed. */
int pipeline_finish(struct pipeline *p);

#endif
