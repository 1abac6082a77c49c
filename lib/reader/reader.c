/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader handle: settings, opening, reading, and properties of the trace. */
#include <stdlib.h>
#include <string.h>

#include "lib/codec/codec.h"
#include "lookahead.h"
#include "reader_internal.h"
#include "seek_points.h"

enum {
	THREADS_MAX = 256,
	HELD_MAX = 1 << 30,
	FOLD_EVENTS = 512,      /* events accumulated per call */
	ALONE_EVENTS = 1 << 22, /* events per part, so that joins show progress */
};

struct iot_reader *iot_reader_new(void)
{
	struct iot_reader *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	if (!decoder_init(&r->decoder, &r->settings)) {
		free(r);
		return NULL;
	}
	r->settings.allow_empty = true;
	r->settings.names = true;
	r->settings.verify = true;
	r->settings.tick_ns = IOT_TICK_DEFAULT_NS;
	r->settings.memory_max = (uint64_t)1 << 30;
	r->settings.held_max = HELD_DEFAULT;
	return r;
}

void iot_reader_free(struct iot_reader *r)
{
	if (r == NULL)
		return;
	reader_end_parallel(r);
	seek_points_free(r->points);
	reader_drop_deferred(r);
	free(r->head.lines);
	stream_events_free(r->stream);
	decoder_free(&r->decoder);
	free(r);
}

/* Settings and opening */

static int set_number(struct iot_reader *r, uint64_t *where, uint64_t value, uint64_t max)
{
	if (value < 1 || value > max)
		return decoder_refuse(&r->decoder, "a setting of the reader is out of range");
	*where = value;
	return IOT_OK;
}

static int set_bool(struct iot_reader *r, bool *where, uint64_t value)
{
	if (value > 1)
		return decoder_refuse(&r->decoder, "a setting of the reader is neither 0 nor 1");
	*where = value == 1;
	return IOT_OK;
}

int iot_reader_set(struct iot_reader *r, enum iot_option option, uint64_t value)
{
	struct decoder *d = &r->decoder;
	if (d->error.status != IOT_OK)
		return d->error.status;
	if (d->name != NULL)
		return decoder_refuse(d, "settings of a reader are made before it is opened");
	switch (option) {
	case IOT_SET_VERIFY:
		return set_bool(r, &r->settings.verify, value);
	case IOT_SET_RECOVER:
		return set_bool(r, &r->settings.recover, value);
	case IOT_SET_ALLOW_EMPTY:
		return set_bool(r, &r->settings.allow_empty, value);
	case IOT_SET_VERIFIED:
		return set_bool(r, &r->settings.verified, value);
	case IOT_SET_LIMIT_HELD:
		return set_number(r, &r->settings.held_max, value, HELD_MAX);
	case IOT_SET_DECOMPRESSED:
		return set_bool(r, &r->settings.decompressed, value);
	case IOT_SET_NAMES:
		return set_bool(r, &r->settings.names, value);
	case IOT_SET_READ_AHEAD:
		return set_bool(r, &r->settings.read_ahead, value);
	case IOT_SET_LIMIT_WINDOW:
		return set_number(r, &r->settings.window_max, value, UINT64_MAX);
	case IOT_SET_READ_SIZE:
		return set_number(r, &r->settings.read_size, value, SIZE_MAX / 4);
	case IOT_SET_TICK_NS:
		r->settings.tick_given = true;
		return set_number(r, &r->settings.tick_ns, value, INT64_MAX);
	case IOT_SET_LIMIT_MEMORY:
		return set_number(r, &r->settings.memory_max, value, SIZE_MAX);
	case IOT_SET_THREADS:
		return set_number(r, &r->settings.threads, value, THREADS_MAX);
	case IOT_SET_BASE:
		if (value != 0 && value != 10 && value != 16)
			return decoder_refuse(d, "a base is 16 or 10, or 0 to find out");
		r->settings.base = value;
		return IOT_OK;
	default:
		return decoder_refuse(d, "not a setting of readers");
	}
}

void iot_reader_on_warning(struct iot_reader *r, void (*fn)(void *, const char *), void *context)
{
	r->settings.warn = fn;
	r->settings.warn_context = context;
}

/* Creates the bufreader, to be opened next. Returns a status. */
static int reader_prepare(struct iot_reader *r, const char *name)
{
	struct decoder *d = &r->decoder;
	if (d->error.status != IOT_OK)
		return d->error.status;
	if (d->name != NULL)
		return decoder_refuse(d, "a reader is opened once");
	if (name == NULL)
		return decoder_refuse(d, "a reader needs a name for what it reads");
	return decoder_prepare(d, strcmp(name, "-") == 0 ? "standard input" : name);
}

/* Takes over the error of a bufreader that could not be opened. */
static int reader_opened(struct iot_reader *r, int status)
{
	if (status == IOT_OK)
		return IOT_OK;
	return error_set(&r->decoder.error, status, "%s",
			 bufreader_error(r->decoder.bufreader)->text);
}

int iot_reader_open(struct iot_reader *r, const char *path)
{
	int status = reader_prepare(r, path);
	return status != IOT_OK ? status
				: reader_opened(r, bufreader_open(r->decoder.bufreader, path));
}

int iot_reader_open_fd(struct iot_reader *r, int fd, const char *name)
{
	int status = reader_prepare(r, name);
	return status != IOT_OK ? status
				: reader_opened(r, bufreader_open_fd(r->decoder.bufreader, fd));
}

int iot_reader_open_memory(struct iot_reader *r, const void *data, size_t size, const char *name)
{
	int status = reader_prepare(r, name);
	return status != IOT_OK
		   ? status
		   : reader_opened(r, bufreader_open_memory(r->decoder.bufreader, data, size));
}

int iot_reader_open_callback(struct iot_reader *r, iot_read_fn *read, void *context,
			     const char *name)
{
	int status = reader_prepare(r, name);
	return status != IOT_OK
		   ? status
		   : reader_opened(r, bufreader_open_callback(r->decoder.bufreader, read, context));
}

int iot_reader_open_storage(struct iot_reader *r, const struct iot_storage *storage,
			    const char *name)
{
	int status = reader_prepare(r, name);
	return status != IOT_OK
		   ? status
		   : reader_opened(r, bufreader_open_storage(r->decoder.bufreader, storage));
}

int iot_reader_open_stream(struct iot_reader *r, struct iot_stream *stream)
{
	struct decoder *d = &r->decoder;
	if (d->error.status != IOT_OK || d->name != NULL) {
		iot_stream_free(stream);
		return d->error.status != IOT_OK ? d->error.status
						 : decoder_refuse(d, "a reader is opened once");
	}
	r->stream = stream_events_new(stream, &r->settings);
	if (r->stream == NULL)
		return error_no_memory(&d->error);
	definitions_init(&d->names, r->settings.memory_max, true, r->settings.names);
	d->name = "stream";
	d->framed = true;
	d->version = FRAMING_VERSION;
	return IOT_OK;
}

/* Reading */

static ssize_t pull(struct iot_reader *r, struct event_batch *b)
{
	struct decoder *d = &r->decoder;
	if (d->error.status != IOT_OK || decoder_is_done(d))
		return d->error.status;
	if (d->name == NULL || b->max == 0)
		return decoder_refuse(d, b->max == 0 ? "asked for no events"
						     : "the reader is not open");
	if (r->stream != NULL)
		return stream_events_pull(r->stream, d, b);
	if (r->settings.threads > 1 && !r->parallel_tried)
		reader_go_parallel(r, NULL);
	if (r->cursor != NULL) {
		const ssize_t n = reader_parallel_pull(r, b);
		if (n != 0 || r->cursor != NULL || decoder_is_done(d))
			return n;
	}
	return d->error.status != IOT_OK ? d->error.status : decoder_pull(d, b);
}

ssize_t iot_reader_events(struct iot_reader *r, struct iot_event *out, size_t max)
{
	struct event_batch b = {
	    .events = out, .records = &out->rec, .stride = sizeof(*out), .max = max};
	if (r->deferred.count > 0)
		b.n = reader_take_deferred(r, out, max);
	return b.n > 0 ? (ssize_t)b.n : pull(r, &b);
}

ssize_t iot_reader_records(struct iot_reader *r, struct iot_record *out, size_t max)
{
	struct event_batch b = {.records = out, .stride = sizeof(*out), .max = max};
	if (r->deferred.count > 0)
		reader_drop_deferred(r);
	return pull(r, &b);
}

int iot_reader_seek(struct iot_reader *r, enum iot_seek what, uint64_t value)
{
	struct decoder *d = &r->decoder;
	struct stored_input source;
	if (d->error.status != IOT_OK && !error_in_input(d->error.status))
		return d->error.status;
	if (d->name == NULL)
		return decoder_refuse(d, "the reader is not open");
	if (what != IOT_SEEK_RECORD && what != IOT_SEEK_TIME_NS)
		return decoder_refuse(d, "a place is a record or a time");
	const bool anywhere = r->stream == NULL && bufreader_stored_input(d->bufreader, &source);
	if (!anywhere && (r->stream != NULL ? stream_events_started(r->stream) : d->codec != NULL))
		return decoder_refuse(d, "input that can only be read on cannot be sought in "
					 "once it is being read");
	if (r->stream != NULL)
		return reader_seek_stream(r, what, value);
	reader_drop_deferred(r);
	r->parallel_tried = true;
	if (r->cursor != NULL) {
		reader_end_parallel(r);
		if (decoder_begin_at(d, 0) != IOT_OK)
			return d->error.status;
	}
	if (d->error.status != IOT_OK && (!anywhere || d->codec == NULL))
		return d->error.status;
	return reader_seek_to(r, anywhere ? &source : NULL, what, value);
}

/* Reduces with threads or serially. */

/*
 * Accumulates the next part; *got is the last result of iot_reader_events. A stream is one part,
 * since its CPU clocks do not count from the beginning of a part.
 */
static int fold_part(struct iot_reader *r, const struct iot_fold *fold, struct iot_event *ev,
		     ssize_t *got)
{
	const size_t max = r->stream != NULL ? SIZE_MAX : ALONE_EVENTS;
	size_t n = 0;
	int status = IOT_OK;
	void *part = fold->begin(fold->context);
	if (part == NULL)
		return IOT_ENOMEM;
	if (r->decoder.codec != NULL)
		codec_zero_clocks(r->decoder.codec);
	while (status == IOT_OK && n < max && (*got = iot_reader_events(r, ev, FOLD_EVENTS)) > 0) {
		status = fold->events(part, ev, (size_t)*got);
		n += (size_t)*got;
	}
	if (status == IOT_OK)
		return fold->join(fold->context, part);
	fold->drop(fold->context, part);
	return status;
}

static int fold_alone(struct iot_reader *r, const struct iot_fold *fold)
{
	struct iot_event *ev = malloc(FOLD_EVENTS * sizeof(*ev));
	ssize_t got = ev != NULL;
	int status = ev != NULL ? IOT_OK : IOT_ENOMEM;
	while (status == IOT_OK && got > 0)
		status = fold_part(r, fold, ev, &got);
	free(ev);
	return status != IOT_OK ? status : (int)got;
}

int iot_reader_fold(struct iot_reader *r, const struct iot_fold *fold)
{
	int status = IOT_OK;
	const bool fresh = r->settings.threads > 1 && r->stream == NULL && !r->parallel_tried &&
			   r->decoder.error.status == IOT_OK && !decoder_is_done(&r->decoder) &&
			   r->deferred.count == 0;
	if (fresh && reader_go_parallel(r, fold)) {
		while (status == IOT_OK && r->cursor != NULL)
			status = reader_fold_parallel(r, fold);
		reader_end_parallel(r); /* has an effect only after an error */
	}
	return status != IOT_OK ? status : fold_alone(r, fold);
}

/* Properties of the trace */

const char *iot_reader_name(struct iot_reader *r, uint32_t object, size_t *size)
{
	const struct iot_text name = definitions_name(&r->decoder.names, object);
	if (name.data != NULL && size != NULL)
		*size = name.size;
	return name.data;
}

const char *iot_reader_first_name(const struct iot_reader *r, uint32_t object, size_t *size)
{
	const struct iot_text name = definitions_first_name(&r->decoder.names, object);
	if (name.data != NULL && size != NULL)
		*size = name.size;
	return name.data;
}

uint64_t iot_reader_fact(const struct iot_reader *r, enum iot_fact fact)
{
	const struct decoder *d = &r->decoder;
	switch (fact) {
	case IOT_FACT_TICK_NS:
		if (r->stream != NULL)
			return stream_events_tick(r->stream);
		return d->codec != NULL ? codec_tick(d->codec) : 0;
	case IOT_FACT_BASE:
		if (r->stream != NULL)
			return 16;
		return d->codec != NULL ? codec_base(d->codec) : 0;
	case IOT_FACT_COMPRESSION:
		return d->bufreader != NULL ? (uint64_t)bufreader_compression(d->bufreader) : 0;
	case IOT_FACT_FRAMED:
		return d->framed;
	case IOT_FACT_VERSION:
		return d->version;
	case IOT_FACT_SYNC:
		return d->sync.interval_records;
	case IOT_FACT_COMPLETE:
		return d->progress == TRACE_COMPLETE;
	case IOT_FACT_RECORDS:
		return d->records;
	case IOT_FACT_COMMENTS:
		return d->comments;
	case IOT_FACT_BYTES_TEXT:
		return decoder_text_bytes(d);
	case IOT_FACT_BYTES_STORED:
		if (r->cursor != NULL)
			return reader_parallel_offset(r);
		return d->bufreader != NULL ? bufreader_stored(d->bufreader) + r->extra_stored : 0;
	case IOT_FACT_LINE:
		return d->lines;
	case IOT_FACT_LOST:
		return d->sync.lost;
	case IOT_FACT_LOST_RECORDS:
		return d->sync.lost_records;
	case IOT_FACT_WARNINGS:
		return d->warnings;
	case IOT_FACT_INDEX:
		return d->index;
	case IOT_FACT_UNVERIFIED:
		return d->sync.unverified;
	case IOT_FACT_LAST_NS:
		if (r->stream != NULL)
			return (uint64_t)stream_events_last_start_ns(r->stream);
		return d->codec != NULL ? (uint64_t)decoder_last_start_ns(d) : 0;
	}
	return 0;
}

int iot_reader_progress(const struct iot_reader *r, uint64_t *done, uint64_t *total)
{
	const struct decoder *d = &r->decoder;
	if (r->stream != NULL) {
		stream_events_progress(r->stream, done, total);
		return IOT_OK;
	}
	*done = d->bufreader != NULL ? bufreader_position(d->bufreader) : 0;
	if (r->cursor != NULL)
		*done = reader_parallel_offset(r);
	*total = d->bufreader != NULL ? bufreader_total(d->bufreader) : 0;
	return d->bufreader != NULL ? IOT_OK : IOT_EUSAGE;
}

const char *iot_reader_error(const struct iot_reader *r)
{
	return r->decoder.error.text;
}
