/* SPDX-License-Identifier: BSD-2-Clause */
#include "input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ui/message.h"
#include "cli/ui/piped.h"

bool reference_input_is_once(const char *path)
{
	return !piped_begins_file(path);
}

enum exit_status reference_input_open(struct reference_input *i, const char *path,
				      const struct trace_in_options *read,
				      struct references_options *options,
				      const struct command_spec *command)
{
	if (i->opened && strcmp(path, "-") == 0 && lseek(STDIN_FILENO, 0, SEEK_SET) != 0)
		return message_error(path, "standard input cannot be read again");
	i->opened = true;
	const enum exit_status status = trace_in_open(&i->in, path, read, command);
	options->physical = trace_in_is_physical(&i->in);
	i->references = references_new(options);
	i->events = malloc(TRACE_IN_BATCH * sizeof *i->events);
	i->count = i->used = 0;
	i->status = IOT_OK;
	i->sampled[0] = i->sampled[1] = 0;
	if (i->sample > 0)
		i->whole = calloc(1, sizeof *i->whole);
	if (i->references == NULL || i->events == NULL || (i->sample > 0 && i->whole == NULL))
		return message_no_memory();
	return status;
}

static int fail(struct reference_input *i, int status, const char *sentence)
{
	progress_clear(&i->in.progress);
	i->status = status;
	if (status == IOT_ENOMEM)
		message_no_memory();
	else
		message_error(i->in.operand, sentence);
	return status;
}

static int refuse_record(struct reference_input *i, int status)
{
	char sentence[1088];
	snprintf(sentence, sizeof sentence, "%s%s", references_error(i->references),
		 references_is_too_long(i->references) ? " (--max-request)" : "");
	return fail(i, status, sentence);
}

/* Adds a batch to the references that OPT needs in advance; counts those beyond --memory only. */
static int collect(struct reference_input *i, const struct reference_batch *b)
{
	uint32_t at = 0;
	int status = IOT_OK;
	i->future_references += b->count;
	if (i->future_references * FUTURE_REFERENCE_BYTES > i->future_memory) {
		future_free(i->future);
		return IOT_OK;
	}
	for (uint32_t j = 0; j < b->actions && status == IOT_OK; j++) {
		const struct reference_action *a = &b->action[j];
		status = future_add(i->future, b->key + at, a->before - at);
		at = a->before;
		if (status == IOT_OK && a->drop)
			status = future_drop(i->future, a->first, a->last);
	}
	if (status == IOT_OK)
		status = future_add(i->future, b->key + at, b->count - at);
	return status == IOT_OK ? IOT_OK : fail(i, status, "policy opt: more than 2^32 references");
}

enum exit_status reference_input_finish_future(struct reference_input *i)
{
	const uint64_t bytes = i->future_references * FUTURE_REFERENCE_BYTES;
	if (i->future == NULL)
		return EXIT_OK;
	if (bytes <= i->future_memory)
		return future_finish(i->future) == IOT_OK ? EXIT_OK : message_no_memory();
	message_print("policy opt needs %" PRIu64 " MiB of memory for the %" PRIu64
		      " references of this trace, expected at most %" PRIu64 " MiB (--memory)",
		      (bytes >> 20) + 1, i->future_references, i->future_memory >> 20);
	return EXIT_FAILED;
}

enum exit_status reference_input_too_many_blocks(uint64_t memory)
{
	message_print("the set of distinct blocks needs more than %" PRIu64
		      " MiB of memory (--memory)",
		      memory >> 20);
	return EXIT_FAILED;
}

/* Appends references of further events until the batch is full; *more: whether it is. */
static int add_events(struct reference_input *i, struct reference_batch *b, bool *more)
{
	size_t used;
	do {
		if (i->used == i->count) {
			i->count = trace_in_events(&i->in, i->events, TRACE_IN_BATCH);
			i->used = 0;
		}
		const int status = references_add(i->references, b, i->events + i->used,
						  i->count - i->used, &used);
		if (status != IOT_OK)
			return refuse_record(i, status);
		i->used += used;
		*more = i->used < i->count || references_pending(i->references);
	} while (!*more && i->count > 0);
	return IOT_OK;
}

/* The same for the references to a sample of the keys. */
static int add_sampled(struct reference_input *i, struct reference_batch *b, bool *more)
{
	i->whole->count = i->whole->runs = i->whole->actions = 0;
	const int status = add_events(i, i->whole, more);
	if (status != IOT_OK)
		return status;
	sample_batch(b, i->whole, i->sample, i->seed);
	for (uint32_t j = 0; j < b->runs; j++)
		i->sampled[(b->run[j].flags & RUN_WRITE) != 0] += b->run[j].count;
	return IOT_OK;
}

static int end_pass(struct reference_input *i)
{
	const uint64_t *records = references_counts(i->references)->all.records;
	const enum exit_status read = trace_in_exit(&i->in, records[0] + records[1] > 0);
	i->read = exit_status_worse(i->read, read);
	if (read == EXIT_FAILED)
		i->status = i->in.status;
	return i->status;
}

int reference_input_fill(void *context, struct reference_batch *b)
{
	struct reference_input *i = context;
	bool more;
	int status = i->sample > 0 ? add_sampled(i, b, &more) : add_events(i, b, &more);
	if (status == IOT_OK && i->future != NULL)
		status = collect(i, b);
	if (status == IOT_OK && !more)
		status = end_pass(i);
	return status == IOT_OK ? more : status;
}

static void warn_of(uint64_t count, const char *sentence)
{
	if (count > 0)
		message_print("warning: %" PRIu64 " %s", count, sentence);
}

void reference_input_warn(const struct reference_input *i, const struct references_options *options)
{
	const struct references_counts *c = references_counts(i->references);
	const double unknown = (double)c->unknown_bytes,
		     all = (double)c->known_bytes + (double)c->unknown_bytes;
	warn_of(c->other_layer, options->physical ? "logical records are left out; see --layer"
						  : "physical records are left out; see --layer");
	warn_of(c->out_of_order, "records start before the preceding one; see 'iotrace reorder'");
	warn_of(c->truncated_unknown, "truncates have no size=; they have no effect");
	if (all > 0 && unknown / all > 0.05)
		message_print("warning: %.0f%% of all bytes have unknown offsets and %s; see "
			      "--unknown",
			      100 * unknown / all,
			      options->unknown == REFERENCES_SKIP_UNKNOWN
				  ? "are left out"
				  : "are blocks of their own");
	if (c->layers)
		message_print("warning: this trace has the I/O of several layers: a block that one "
			      "requests from the other counts twice; see --layer of 'iotrace "
			      "convert'");
}

void reference_input_close(struct reference_input *i)
{
	references_free(i->references);
	i->references = NULL;
	free(i->events);
	free(i->whole);
	i->events = NULL;
	i->whole = NULL;
	trace_in_close(&i->in);
}
