/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits a reader to a part of a trace: from the first seek point in a range of stored bytes to the
 * first one after the range. Seek point p belongs to part K if (K-1) * size <= p * N < K * size.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "reader_internal.h"
#include "lib/base/number.h"
#include "lib/codec/codec.h"

enum { ID_SIZE = 1 << 16, PARTS_MAX = 1000000, HEADER_MAX = 1 << 14 };

static const char parts_need[] = "only a regular file that is not empty can be cut into parts";

__extension__ typedef unsigned __int128 uint128;

/* The same for the same text, however it is compressed. */
static uint64_t trace_id(struct decoder *d)
{
	size_t have;
	const char *text = bufreader_peek(d->bufreader, ID_SIZE, &have);
	const uint64_t id = XXH3_64bits(text, have < ID_SIZE ? have : ID_SIZE);
	return id != 0 ? id : 1;
}

/* The first byte of part k + 1. */
static uint64_t part_end(uint64_t k, uint64_t n, uint64_t size)
{
	return (uint64_t)(((uint128)k * size + n - 1) / n);
}

/* Finds the first seek point at or after byte `at`. Returns 1, 0 or a negative status. */
static int find_point(struct iot_reader *r, uint64_t at, uint64_t size, struct seek_point *point)
{
	return at < size ? seek_points_next(r->points, at, size, point) : 0;
}

/* The head of the trace: lines that apply to all parts */

/* Keeps a line with this text. Returns false if there are too many, or out of memory. */
static bool keep_line(struct range_head *head, struct iot_text text)
{
	const size_t size = head->size + text.size + 4;
	char *lines = size <= HEADER_MAX ? realloc(head->lines, size) : NULL;
	if (lines == NULL)
		return false;
	head->lines = lines;
	memcpy(lines + head->size, "ff ", 3);
	memcpy(lines + head->size + 3, text.data, text.size);
	lines[size - 1] = '\n';
	head->size = size;
	return true;
}

static void take_directive(void *context, const struct iot_event *ev, size_t place)
{
	struct range_head *head = context;
	const struct iot_text epoch = iot_directive_get(ev, "epoch");
	uint64_t ns;
	(void)place;
	if (ev->kind == IOT_OP && (ev->has & IOT_HAS_TIME) != 0)
		head->timed = true;
	if (ev->kind != IOT_TRACE)
		return;
	if (head->epoch_ns == 0 && !head->timed && epoch.data != NULL &&
	    number_decimal(epoch.data, epoch.size, &ns) && ns <= INT64_MAX)
		head->epoch_ns = ns;
	if (!keep_line(head, ev->text))
		head->full = true;
}

static bool keep_header(struct decoder *d, struct range_head *head)
{
	char text[FRAMING_MAX];
	const struct header_directive h = {.version = d->version,
					   .tick_ns = codec_tick(d->codec),
					   .sync = d->sync.interval_records};
	if (d->version == 0)
		return true;
	const size_t size = framing_build_header(text, &h);
	struct range_head first = {.lines = NULL};
	if (!keep_line(&first, (struct iot_text){text, size}))
		return false;
	char *lines = realloc(first.lines, first.size + head->size);
	if (lines == NULL) {
		free(first.lines);
		return false;
	}
	if (head->size > 0)
		memcpy(lines + first.size, head->lines, head->size);
	free(head->lines);
	head->lines = lines;
	head->size += first.size;
	return head->size <= HEADER_MAX;
}

/* Reads the head, once for each reader. */
static int read_head(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	if (d->codec != NULL)
		return d->error.status;
	d->output = (struct decoder_output){.directive = take_directive, .context = &r->head};
	decoder_read_head(d, true, UINT64_MAX);
	d->output = (struct decoder_output){.directive = NULL};
	if (d->error.status == IOT_OK && !keep_header(d, &r->head))
		r->head.full = true;
	return d->error.status;
}

/* Ranges */

static int find_range(struct iot_reader *r, const struct stored_input *source, uint64_t k,
		      uint64_t n, struct iot_range *range)
{
	struct seek_point from, to;
	if (read_head(r) != IOT_OK || reader_make_points(r, source) != IOT_OK)
		return r->decoder.error.status;
	const uint64_t size = source->size;
	const int begins = k > 1 ? find_point(r, part_end(k - 1, n, size), size, &from) : 0;
	const int ends = k < n ? find_point(r, part_end(k, n, size), size, &to) : 0;
	if (begins < 0 || ends < 0)
		return reader_failed_search(r, begins < 0 ? begins : ends);
	range->part.from = begins == 1 ? from.at : k > 1 ? size : 0;
	range->part.to = ends == 1 ? to.at : size;
	range->record = begins == 1 ? from.sync.record : 0;
	range->tick_ns = codec_tick(r->decoder.codec);
	range->base = codec_base(r->decoder.codec);
	range->epoch_ns = r->head.epoch_ns;
	range->header = (struct iot_text){r->head.lines, r->head.full ? 0 : r->head.size};
	range->next = (struct iot_text){NULL, 0};
	if (ends == 1)
		range->next = (struct iot_text){r->next, framing_build_sync(r->next, &to.sync)};
	return IOT_OK;
}

/* The range ends at `next`, which is the text of the %sync that follows, or at the end. */
static bool limit(struct iot_reader *r, const struct iot_range *range)
{
	struct decoder *d = &r->decoder;
	if (range->next.size == 0)
		return true;
	d->limited = true;
	return framing_parse_sync(range->next, &d->limit) == NULL;
}

/* Returns whether the input continues with a %sync. */
static bool is_at_sync(struct decoder *d)
{
	enum { LINE_CAPACITY = 256 };
	size_t have;
	const char *text = bufreader_peek(d->bufreader, LINE_CAPACITY, &have);
	if (have == 0 || bufreader_status(d->bufreader) != IOT_OK)
		return false;
	const struct text_line l = text_line_classify(text, text + have);
	return l.kind == TEXT_LINE_COMMENT && directive_framing(l.text) == FRAMING_SYNC;
}

/* Applies the %sync with which a range begins. Returns a status. */
static int pass_sync(struct iot_reader *r, const struct iot_range *range)
{
	struct decoder *d = &r->decoder;
	if (!is_at_sync(d))
		return decoder_fail(d, IOT_EFORMAT, 1,
				    "byte %llu of the trace does not begin a %%sync, as the plan "
				    "declares",
				    (unsigned long long)range->part.from),
		       d->error.status;
	reader_pass_line(r);
	if (d->error.status == IOT_OK && d->index != range->record)
		(void)decoder_fail(d, IOT_EFORMAT, 1,
				   "the %%sync declares record=%llu, and the plan %llu",
				   (unsigned long long)d->index, (unsigned long long)range->record);
	return d->error.status;
}

/* Reads the range of an input whose head has been read. */
static int enter_range(struct iot_reader *r, const struct iot_range *range)
{
	struct decoder *d = &r->decoder;
	const struct iot_part *part = &range->part;
	if (part->from == part->to) {
		d->progress = TRACE_COMPLETE; /* no interval begins in the range */
		return IOT_OK;
	}
	if (part->to < part->stored)
		bufreader_limit(d->bufreader, part->to);
	const struct seek_point at = {.at = part->from, .sync = {.record = range->record}};
	if (reader_enter(r, part->from > 0 ? &at : NULL) != IOT_OK || part->from == 0)
		return d->error.status;
	return pass_sync(r, range);
}

/* Applies the head of a trace of which the input has the range alone. */
static int read_given_head(struct iot_reader *r, const struct iot_range *range)
{
	const struct bufreader_options plain = {.plain = true};
	struct decoder *d = &r->decoder;
	struct bufreader *const input = d->bufreader;
	uint64_t lines = 0;
	if (range->header.size == 0)
		return decoder_fail(
			   d, IOT_EFORMAT, 1, "%s",
			   "the plan has no header= of the trace, which therefore has to be "
			   "a file"),
		       d->error.status;
	for (size_t i = 0; i < range->header.size; i++)
		lines += range->header.data[i] == '\n';
	r->settings.base = range->base;
	r->settings.tick_ns = range->tick_ns;
	d->bufreader = bufreader_new(d->name, &plain);
	if (d->bufreader == NULL ||
	    bufreader_open_memory(d->bufreader, range->header.data, range->header.size) != IOT_OK)
		decoder_fail_memory(d, IOT_ENOMEM);
	else
		decoder_read_head(d, true, lines);
	bufreader_free(d->bufreader);
	d->bufreader = input;
	if (d->error.status == IOT_OK && (d->lines != lines || d->version == 0))
		(void)decoder_fail(d, IOT_EFORMAT, 1, "%s",
				   "the header of the plan is not the header of a trace");
	return d->error.status;
}

static int enter_alone(struct iot_reader *r, const struct iot_range *range)
{
	struct decoder *d = &r->decoder;
	if (range->part.from == 0)
		return IOT_OK;
	if (read_given_head(r, range) != IOT_OK)
		return d->error.status;
	d->entered = true;
	d->entered_at = range->record;
	return reader_restart(r) == IOT_OK ? pass_sync(r, range) : d->error.status;
}

/* A stream has one part. */
static int whole_stream(struct iot_reader *r, uint64_t n, struct iot_part *part)
{
	struct decoder *d = &r->decoder;
	if (n > 1)
		return decoder_refuse(d,
				      "parts need input that can be read from any byte: a regular "
				      "file or memory");
	*part = (struct iot_part){.trace_id = stream_events_id(r->stream, d)};
	return d->error.status;
}

/* Refuses to choose a range now. */
static int check_fresh(struct iot_reader *r)
{
	struct decoder *d = &r->decoder;
	if (d->error.status != IOT_OK)
		return d->error.status;
	if (d->name == NULL || d->codec != NULL || r->parallel_tried ||
	    (r->stream != NULL && stream_events_started(r->stream)))
		return decoder_refuse(d, "a part is chosen after open, before anything is read");
	return IOT_OK;
}

/* Finds part K of N of a trace; the head has been read before only by this function. */
static int look_up(struct iot_reader *r, uint64_t k, uint64_t n, struct iot_range *range)
{
	struct decoder *d = &r->decoder;
	struct stored_input source = {.size = 0};
	if (n < 1 || k < 1 || k > n || n > PARTS_MAX)
		return decoder_refuse(d, "a part is one of 1 to 1000000");
	if (n > 1 && d->lookahead != NULL)
		return decoder_refuse(d, "a part is not read with IOT_SET_VERIFIED");
	if (d->codec == NULL)
		r->head.trace_id = trace_id(d);
	*range = (struct iot_range){.part.trace_id = r->head.trace_id};
	const bool stored = bufreader_stored_input(d->bufreader, &source);
	if (n > 1 && !stored)
		return decoder_refuse(d, parts_need);
	range->part.stored = range->part.to = source.size;
	return n > 1 ? find_range(r, &source, k, n, range) : IOT_OK;
}

int iot_reader_part(struct iot_reader *r, uint64_t k, uint64_t n, struct iot_part *part)
{
	struct iot_range range = {.record = 0};
	int status = check_fresh(r);
	if (status != IOT_OK)
		return status;
	if (r->stream != NULL) {
		if (n < 1 || k < 1 || k > n || n > PARTS_MAX)
			return decoder_refuse(&r->decoder, "a part is one of 1 to 1000000");
		return whole_stream(r, n, part);
	}
	status = look_up(r, k, n, &range);
	*part = range.part;
	if (status != IOT_OK || n == 1)
		return status;
	r->parallel_tried = true;
	return limit(r, &range) ? enter_range(r, &range) : IOT_EFORMAT;
}

int iot_reader_find_range(struct iot_reader *r, uint64_t k, uint64_t n, struct iot_range *range)
{
	struct decoder *d = &r->decoder;
	struct stored_input source;
	int status = d->codec == NULL ? check_fresh(r) : d->error.status;
	if (status != IOT_OK)
		return status;
	if (r->stream != NULL || !bufreader_stored_input(d->bufreader, &source))
		return decoder_refuse(d, parts_need);
	status = look_up(r, k, n, range);
	if (status == IOT_OK && n == 1)
		status = find_range(r, &source, k, n, range);
	r->parallel_tried = r->head.found = true;
	return status;
}

/* Compares a plan with the input for which it may have been made. Returns a status. */
static int check_input(struct iot_reader *r, const struct iot_part *part)
{
	struct decoder *d = &r->decoder;
	struct stored_input source;
	if (!bufreader_stored_input(d->bufreader, &source))
		return decoder_refuse(d, parts_need);
	if (source.size != part->stored)
		(void)decoder_fail(d, IOT_EFORMAT, 1,
				   "the trace has %llu bytes, but had %llu when the plan was made",
				   (unsigned long long)source.size,
				   (unsigned long long)part->stored);
	else if ((r->head.found ? r->head.trace_id : trace_id(d)) != part->trace_id)
		(void)decoder_fail(d, IOT_EFORMAT, 1, "%s",
				   "the trace is another one than the plan's");
	return d->error.status;
}

int iot_reader_set_range(struct iot_reader *r, const struct iot_range *range, int alone)
{
	struct decoder *d = &r->decoder;
	const struct iot_part *part = &range->part;
	const int status = r->head.found ? d->error.status : check_fresh(r);
	if (status != IOT_OK)
		return status;
	if (r->stream != NULL || d->lookahead != NULL)
		return decoder_refuse(d, "a range is not read from a stream, nor verified");
	if (part->from > part->to || part->to > part->stored ||
	    (part->to < part->stored) != (range->next.size > 0) || !limit(r, range))
		return decoder_refuse(d, "a range is inconsistent");
	r->parallel_tried = true;
	if (alone)
		return enter_alone(r, range);
	const int same = check_input(r, part);
	if (same != IOT_OK || read_head(r) != IOT_OK)
		return same != IOT_OK ? same : d->error.status;
	return enter_range(r, range);
}
