/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends an output that is made from an input. */
#include "trace_in.h"

#include <string.h>

#include "signals.h"

void trace_in_keep_framing(const struct trace_in *in, struct trace_out_options *o)
{
	const bool framed = iot_reader_fact(in->reader, IOT_FACT_FRAMED) != 0;
	if (o->tick_ns == NOT_GIVEN)
		o->tick_ns = iot_reader_fact(in->reader, IOT_FACT_TICK_NS);
	if (o->base == NOT_GIVEN)
		o->base = iot_reader_fact(in->reader, IOT_FACT_BASE);
	if (o->sync == NOT_GIVEN && framed && in->log == NULL)
		o->sync = iot_reader_fact(in->reader, IOT_FACT_SYNC);
	if (o->version == NOT_GIVEN && framed && in->log == NULL)
		o->version = iot_reader_fact(in->reader, IOT_FACT_VERSION);
	if (!framed && !o->framed)
		o->bare = true;
	if (!in->quiet)
		trace_out_note_bare(o);
}

int trace_in_mark_lost(const struct trace_in *in, struct iot_writer *w)
{
	char memory[128];
	const bool cut = trace_in_cut(in);
	const char *why = cut                            ? "interrupted"
			  : in->status == IOT_ETRUNCATED ? "truncated"
							 : "damaged";
	struct iot_builder b;
	struct iot_event ev;
	/* A reader that recovers has reported the gap that reaches the end of the input. */
	const bool marked =
	    in->ends_with_lost &&
	    (in->log != NULL || (!cut && iot_reader_fact(in->reader, IOT_FACT_LOST) > 0));
	if (in->status == IOT_OK || marked)
		return IOT_OK;
	iot_directive_begin(&b, memory, sizeof memory, "lost");
	if (cut)
		iot_directive_number(&b, "time", iot_writer_fact(w, IOT_FACT_LAST_NS));
	iot_directive_text(&b, "why", why, strlen(why));
	int status = iot_directive_end(&b, &ev);
	return status == IOT_OK ? iot_writer_events(w, &ev, 1) : status;
}

enum exit_status trace_in_finish(struct trace_in *in, struct iot_writer *w,
				 const struct trace_out_options *o, int status)
{
	/* Out of memory is not an error of the trace: the output is discarded. */
	if (signals_pending() != 0)
		trace_out_report_discarded(o->path);
	if (in->status == IOT_ENOMEM || in->partial || signals_pending() != 0)
		return EXIT_FAILED;
	if (status == IOT_OK)
		status = trace_in_mark_lost(in, w);
	if (status == IOT_OK)
		status = trace_out_close(w);
	progress_clear(&in->progress);
	if (status == IOT_OK && trace_in_cut(in))
		trace_out_report_cut(o->path);
	if (status == IOT_ENOMEM)
		return message_no_memory();
	return status == IOT_OK ? trace_in_exit(in, true) : trace_out_error(w, o);
}

static enum exit_status copy(struct trace_in *in, struct iot_stream *s, struct iot_batch *b,
			     struct iot_writer *w, const struct trace_out_options *options,
			     const struct command_spec *cmd)
{
	struct trace_out_options o = *options;
	/* The first events precede the properties of the framing. */
	int got = iot_stream_next(s, b);
	enum exit_status status = got < 0    ? message_no_memory()
				  : got == 0 ? trace_in_exit(in, false)
					     : EXIT_OK;
	if (status != EXIT_OK)
		return status;
	trace_in_keep_framing(in, &o);
	status = trace_out_open(w, &o, cmd);
	if (status != EXIT_OK)
		return status;
	int written = IOT_OK;
	for (; got > 0 && written == IOT_OK; got = iot_stream_next(s, b))
		written = iot_writer_events(w, b->events, b->count);
	status = trace_in_finish(in, w, &o, written == IOT_OK ? got : written);
	in->copied = iot_writer_fact(w, IOT_FACT_COMPLETE) != 0;
	return status;
}

enum exit_status trace_in_copy(struct trace_in *in, struct iot_stream *s,
			       const struct trace_out_options *o, const struct command_spec *cmd)
{
	struct iot_batch *b = iot_batch_new(TRACE_IN_BATCH);
	struct iot_writer *w = iot_writer_new();
	const enum exit_status status =
	    s != NULL && b != NULL && w != NULL ? copy(in, s, b, w, o, cmd) : message_no_memory();
	iot_writer_free(w);
	iot_batch_free(b);
	iot_stream_free(s);
	return status;
}
