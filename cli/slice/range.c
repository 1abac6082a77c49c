/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the slice begins and ends. */
#include "slice.h"

#include "cli/ui/piped.h"

/* Start of the last record, from a separate reader: damage there may not matter. */
static enum exit_status find_last(struct slice_run *r)
{
	struct trace_in_options o = r->read;
	struct trace_in in;
	o.recover = o.quiet = true;
	o.progress = PROGRESS_NEVER;
	enum exit_status status = trace_in_open(&in, piped_name_again(r->path), &o, r->command);
	if (status == EXIT_OK) {
		const int sought = iot_reader_seek(in.reader, IOT_SEEK_TIME_NS, UINT64_MAX);
		r->span.last_ns = (int64_t)iot_reader_fact(in.reader, IOT_FACT_LAST_NS);
		if (sought == IOT_ENOMEM || sought == IOT_EIO) {
			message_print("%s", iot_reader_error(in.reader));
			status = EXIT_FAILED;
		}
	}
	trace_in_close(&in);
	return status;
}

static enum exit_status check_times(struct slice_run *r)
{
	const bool share = r->from.kind == TIME_SHARE || r->to.kind == TIME_SHARE;
	if (r->no_starts && (r->from.kind != TIME_NOT_GIVEN || r->to.kind != TIME_NOT_GIVEN))
		return options_wrong(r->command, "the trace does not say when its I/Os started; "
						 "--records chooses by number");
	if (share && !trace_in_seekable(&r->in) && (r->in.log == NULL || piped_detect(r->path)))
		return options_wrong(
		    r->command,
		    "a share (%%) needs a seekable file: the length of a pipe is not known");
	return share ? find_last(r) : EXIT_OK;
}

/* Returns NULL, or what the trace does not have. */
static const char *resolve(struct slice_run *r)
{
	struct iot_slice_options *s = &r->slice;
	const char *missing = NULL;
	r->span.after_ns = r->span.first_ns;
	if (r->from.kind != TIME_NOT_GIVEN) {
		missing = trace_time_resolve(&r->from, &r->span, &s->from_ns);
		r->span.after_ns = s->from_ns;
	}
	if (r->to.kind != TIME_NOT_GIVEN && missing == NULL)
		missing = trace_time_resolve(&r->to, &r->span, &s->to_ns);
	return missing;
}

enum exit_status slice_resolve_times(struct slice_run *r)
{
	const enum exit_status status = check_times(r);
	if (status != EXIT_OK)
		return status;
	const char *missing = resolve(r);
	if (missing != NULL)
		return options_wrong(r->command, "%s", missing);
	if (r->slice.from_ns >= r->slice.to_ns)
		return options_wrong(r->command, "--to must be later than --from");
	return EXIT_OK;
}
