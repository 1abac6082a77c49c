/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs, which are closed until needed if not all of them can be open at once. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ui/signals.h"

/* An input that is not a trace is not merged; one truncated after its header is. */
static bool is_trace(struct merge_operand *in)
{
	return in->delivered > 0 || (in->cut && in->merge->count > 1) ||
	       (in->reader != NULL && !in->is_log &&
		iot_reader_fact(in->reader, IOT_FACT_FRAMED) != 0);
}

static int refuse_input(struct merge_operand *in, struct iot_stream *self, int status)
{
	if (signals_ending() == 0 && !in->merge->refused &&
	    (in->reader == NULL || in->is_log || !trace_in_refused(in->path, in->reader, status)))
		message_print("%s", iot_stream_error(in->chain));
	in->merge->reported = true;
	return iot_stream_fail(self, IOT_EUSAGE, "");
}

static int open_chain(struct merge_operand *in, struct iot_stream *self)
{
	static const struct iot_stage reading = {.next = merge_read_trace,
						 .close = merge_close_trace};
	const struct merge_command *m = in->merge;
	const size_t open = m->count < m->open_max ? m->count : m->open_max;
	const struct iot_sort_options sort = {.size = sizeof(sort),
					      .memory = m->options->memory / open};
	in->last_ns = 0;
	in->chain = iot_stream_new(NULL, &reading, in);
	if (in->chain != NULL && m->options->reorder)
		in->chain = iot_stream_sort(in->chain, &sort);
	return in->chain != NULL ? IOT_OK : iot_stream_fail(self, IOT_ENOMEM, "out of memory");
}

/* Skips the events that were delivered before the input was closed. */
static int skip_delivered(const struct merge_operand *in, struct iot_batch *b)
{
	uint64_t left = in->delivered;
	int got = 1;
	while (left > 0 && (got = iot_stream_next(in->chain, b)) > 0) {
		const size_t n = left < b->count ? (size_t)left : b->count;
		memmove(b->events, b->events + n, (b->count - n) * sizeof(*b->events));
		b->count -= n;
		left -= n;
	}
	return got;
}

/* A failure of the input ends the input; one of its temporary files ends the merge. */
static int fail_input(const struct merge_operand *in, struct iot_stream *self, int status)
{
	const bool of_sorting = status == IOT_EIO && iot_reader_error(in->reader)[0] == '\0';
	return iot_stream_fail(self, of_sorting ? IOT_ENOMEM : status, iot_stream_error(in->chain));
}

/* Opens the input, and skips the events that it has delivered before. */
static int open_again(struct merge_operand *in, struct iot_stream *self, struct iot_batch *b)
{
	if (open_chain(in, self) != IOT_OK)
		return IOT_ENOMEM;
	if (skip_delivered(in, b) > 0)
		return IOT_OK;
	return iot_stream_fail(self, IOT_EUSAGE, iot_stream_error(in->chain));
}

/* Closes the input until more of its events are needed, if not all inputs can be open. */
static int close_for_now(struct merge_operand *in, struct iot_stream *self, struct iot_batch *b)
{
	const struct merge_command *m = in->merge;
	if (!m->opening || m->count <= m->open_max || !in->again)
		return 1;
	const int status = iot_batch_keep_text(b);
	merge_close_input(in);
	return status == IOT_OK ? 1 : iot_stream_fail(self, status, "out of memory");
}

int merge_read_input(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct merge_operand *in = context;
	if (signals_pending() != 0)
		return iot_stream_fail(self, IOT_EUSAGE, "");
	const int status = in->chain == NULL ? open_again(in, self, b) : IOT_OK;
	if (status != IOT_OK)
		return status;
	const int got = b->count == 0 ? iot_stream_next(in->chain, b) : 1;
	if (got < 0)
		return is_trace(in) ? fail_input(in, self, got) : refuse_input(in, self, got);
	in->delivered += b->count;
	return got > 0 ? close_for_now(in, self, b) : 0;
}

void merge_close_input(void *context)
{
	struct merge_operand *in = context;
	iot_stream_free(in->chain);
	in->chain = NULL;
}

void merge_end_input(void *context, size_t input, int status, const char *sentence)
{
	struct merge_command *m = context;
	struct merge_operand *in = &m->inputs[input];
	const size_t n = atomic_load(&m->ended);
	m->end[n].input = in;
	m->end[n].sentence = !in->cut && status != IOT_OK ? strdup(sentence) : NULL;
	m->end[n].unverified =
	    in->reader != NULL ? iot_reader_fact(in->reader, IOT_FACT_UNVERIFIED) : 0;
	m->end[n].damaged = status != IOT_OK || in->lossy;
	atomic_store(&m->ended, n + 1);
	merge_close_input(in);
}

void merge_report_ends(struct merge_command *m)
{
	for (; m->end_reported < atomic_load(&m->ended); m->end_reported++) {
		const struct merge_end *e = &m->end[m->end_reported];
		m->damaged = m->damaged || e->damaged;
		if (!e->damaged || e->input->cut)
			continue;
		progress_clear(&m->progress);
		if (e->sentence != NULL)
			message_print("%s", e->sentence);
		else
			message_print("%s: damaged; records were lost", e->input->display_name);
		trace_in_report_unverified(e->input->display_name, e->unverified,
					   !m->options->read.no_verify);
		if (!e->input->is_log && !m->options->read.quiet)
			trace_in_suggest_repair(e->input->path);
	}
}
