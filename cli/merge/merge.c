/* SPDX-License-Identifier: BSD-2-Clause */
/* The stream of all events, and its output. */
#include "merge.h"

#include <assert.h>
#include <stdlib.h>

#include "cli/ui/signals.h"
#include "lib/base/interrupt.h"
#include "lib/ties/tie.h"

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static enum exit_status report_write(struct merge_command *m)
{
	progress_clear(&m->progress);
	return trace_out_error(m->writer, &m->options->write);
}

static enum exit_status begin_writing(struct merge_command *m)
{
	const struct merge_options *o = m->options;
	struct trace_out_options write = o->write;
	uint64_t tick_ns = 0;
	assert(m->inputs != NULL);
	for (size_t i = 0; i < m->count; i++)
		tick_ns = common_divisor(tick_ns, m->inputs[i].tick_ns);
	if (write.tick_ns == NOT_GIVEN && tick_ns > 0)
		write.tick_ns = tick_ns;
	m->writer = iot_writer_new();
	if (m->writer == NULL)
		return message_no_memory();
	const enum exit_status status = trace_out_open(m->writer, &write, o->command);
	m->rounding = trace_out_rounding(m->writer, o->verbose && !o->read.quiet);
	return status;
}

/* Reports why the stream of all events failed. */
static enum exit_status report_failure(struct merge_command *m, const struct iot_stream *s,
				       int status)
{
	progress_clear(&m->progress);
	if (m->refused)
		return EXIT_FAILED;
	if (m->reported || signals_pending() != 0)
		return EXIT_FAILED;
	if (status == IOT_EUSAGE && m->opening && !m->unordered)
		return options_wrong(m->options->command, "%s", iot_stream_error(s));
	message_print("%s", iot_stream_error(s));
	return EXIT_FAILED;
}

static enum exit_status write_batch(struct merge_command *m, const struct iot_batch *b)
{
	if (iot_writer_events(m->writer, b->events, b->count) != IOT_OK)
		return report_write(m);
	progress_show(&m->progress, b->bytes_done, m->total,
		      iot_writer_fact(m->writer, IOT_FACT_RECORDS));
	return EXIT_OK;
}

static enum exit_status write_events(struct merge_command *m, struct iot_stream *s,
				     struct iot_batch *b)
{
	enum exit_status status = EXIT_OK;
	int got = 1;
	while (status == EXIT_OK && (got = iot_stream_next(s, b)) > 0) {
		merge_report_ends(m);
		status = signals_pending() != 0 ? EXIT_FAILED : write_batch(m, b);
	}
	merge_report_ends(m);
	return got < 0 ? report_failure(m, s, got) : status;
}

static enum exit_status finish_writing(struct merge_command *m)
{
	progress_clear(&m->progress);
	if (trace_out_close(m->writer) != IOT_OK)
		return report_write(m);
	if (signals_cut())
		trace_out_report_cut(m->options->write.path);
	trace_out_report_rounding(&m->rounding);
	return m->damaged ? EXIT_DAMAGED : EXIT_OK;
}

/* Streams that cannot be reopened stay open. */
static size_t group_size(const struct merge_command *m)
{
	size_t size = m->open_max;
	for (size_t i = 0; i < m->count; i++)
		size -= !m->inputs[i].again && size > 2;
	return size;
}

/* The stream of all events. */
static struct iot_stream *merged_stream(struct merge_command *m)
{
	static const struct iot_stage stage = {.next = merge_read_input,
					       .close = merge_close_input};
	const struct iot_merge_options options = {
	    .size = sizeof(options),
	    .keep_ids = m->options->keep_ids,
	    .keep_processes = m->options->physical_count > 0,
	    .join_paths = m->options->keep_ids || m->options->distinct_paths ? IOT_JOIN_NONE
			  : m->options->join_paths                           ? IOT_JOIN_HOSTS
									     : IOT_JOIN_JOBS,
	    .open_max = m->count <= m->open_max ? 0 : group_size(m),
	    .name = m->paths,
	    .shift = merge_shift_input,
	    .ended = merge_end_input,
	    .context = m,
	};
	struct iot_stream **all = calloc(m->count + 1, sizeof(struct iot_stream *));
	bool complete = all != NULL;
	for (size_t i = 0; i < m->count && complete; i++)
		complete = (all[i] = iot_stream_new(NULL, &stage, &m->inputs[i])) != NULL;
	struct iot_stream *s = complete ? iot_stream_merge(all, m->count, &options) : NULL;
	for (size_t i = 0; i < m->count && all != NULL && !complete; i++)
		iot_stream_free(all[i]);
	free(all);
	return s;
}

/* A thread may be blocked on a pipe. */
static void stop_waiting(struct merge_command *m)
{
	for (size_t i = 0; i < m->count; i++) {
		struct iot_source *pipe = m->inputs[i].once ? m->inputs[i].source : NULL;
		for (int n = 0; pipe != NULL && n < INTERRUPT_QUIT; n++)
			iot_source_cancel(pipe);
	}
}

/* Returns EXIT_DAMAGED if most lines of any of them were not understood. */
static enum exit_status warn_of_logs(struct merge_command *m)
{
	enum exit_status status = EXIT_OK;
	progress_clear(&m->progress);
	for (size_t i = 0; i < m->count; i++) {
		const struct merge_operand *in = &m->inputs[i];
		if (!in->is_log || in->source == NULL)
			continue;
		source_in_warn(in->source, m->count > 1 ? in->path : NULL, true,
			       m->options->read.quiet);
		if (source_is_mostly_unparsed(in->source))
			status = EXIT_DAMAGED;
	}
	return status;
}

static enum exit_status merge_inputs(struct merge_command *m, struct iot_batch *b)
{
	assert(m->inputs != NULL);
	struct iot_stream *s = merged_stream(m);
	const int got = s != NULL ? iot_stream_next(s, b) : IOT_ENOMEM;
	enum exit_status status = s == NULL ? message_no_memory()
				  : got < 0 ? report_failure(m, s, got)
					    : EXIT_OK;
	m->opening = false;
	if (status == EXIT_OK)
		status = begin_writing(m);
	if (m->options->physical_count > 0)
		s = tie_stream(s);
	if (status == EXIT_OK) {
		s = iot_stream_count_rounding(iot_stream_prefetch(s), &m->rounding);
		status = s != NULL ? write_events(m, s, b) : message_no_memory();
	}
	if (status == EXIT_OK)
		status = finish_writing(m);
	stop_waiting(m);
	iot_stream_free(s);
	if (signals_pending() != 0 && status == EXIT_FAILED)
		trace_out_report_discarded(m->options->write.path);
	if (signals_pending() == 0 && !m->reported)
		status = exit_status_worse(status, warn_of_logs(m));
	iot_writer_free(m->writer);
	return status;
}

enum exit_status merge_traces(const struct merge_options *o, char *const *paths, size_t count)
{
	struct merge_command m = {.options = o,
				  .count = count,
				  .opening = true,
				  .inputs = calloc(count, sizeof(*m.inputs)),
				  .paths = calloc(count, sizeof(*m.paths)),
				  .end = calloc(count, sizeof(*m.end))};
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	progress_begin(&m.progress, o->read.progress, o->read.quiet, o->write.path);
	enum exit_status status = m.inputs != NULL && m.paths != NULL && m.end != NULL && b != NULL
				      ? merge_take_operands(&m, paths)
				      : message_no_memory();
	m.open_max = merge_open_max(o);
	if (status == EXIT_OK)
		status = merge_inputs(&m, b);
	progress_clear(&m.progress);
	for (size_t i = 0; i < atomic_load(&m.ended); i++)
		free(m.end[i].sentence);
	iot_batch_free(b);
	for (size_t i = 0; m.inputs != NULL && i < count; i++)
		iot_source_free(m.inputs[i].source);
	free(m.end);
	free(m.paths);
	free(m.inputs);
	signals_restore();
	return status;
}
