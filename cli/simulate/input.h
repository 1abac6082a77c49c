/* SPDX-License-Identifier: BSD-2-Clause */
/* The input of the simulating commands: one pass over it, as batches of references. */
#ifndef CLI_SIMULATE_INPUT_H
#define CLI_SIMULATE_INPUT_H

#include "lib/simulate/engine.h"
#include "lib/simulate/future.h"
#include "lib/simulate/sample.h"

#include "cli/ui/trace_in.h"

struct reference_input {
	struct trace_in in;
	bool opened; /* standard input has been read */
	struct references *references;
	struct future *future;  /* collects all references, for OPT; or NULL */
	uint64_t future_memory; /* bytes */
	uint64_t future_references;
	/* The share of the keys that are used; 0: all. The seed selects the sample. */
	double sample;
	uint64_t seed, sampled[2]; /* references to the sample, by direction */
	struct reference_batch *whole;
	struct iot_event *events;
	size_t count, used;
	int status;            /* enum iot_status, which has been reported */
	enum exit_status read; /* EXIT_DAMAGED if a pass had the valid part of IN only */
};

/*
 * Opens it, and sets whether it refers to blocks of physical records. Returns EXIT_OK, or the exit
 * status after a message. Close it in every case.
 */
enum exit_status reference_input_open(struct reference_input *i, const char *path,
				      const struct trace_in_options *read,
				      struct references_options *options,
				      const struct command_spec *command);
/*
 * An engine_fill_fn; context: a struct reference_input. Errors are reported. Damage of IN ends the
 * pass; it is an error if no record has been read.
 */
int reference_input_fill(void *context, struct reference_batch *b);
/* After the pass; reports an error if the references exceed the memory. */
enum exit_status reference_input_finish_future(struct reference_input *i);
/* Reports that the distinct blocks could not be counted; returns EXIT_FAILED. */
enum exit_status reference_input_too_many_blocks(uint64_t memory);
/* Prints warnings about records that were left out. */
void reference_input_warn(const struct reference_input *i,
			  const struct references_options *options);
/*
 * Returns whether an input can be read once only: a pipe, or standard input that is not at its
 * beginning.
 */
bool reference_input_is_once(const char *path);
void reference_input_close(struct reference_input *i);

#endif
