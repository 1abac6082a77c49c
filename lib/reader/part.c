/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits a reader to a part of a trace: from the first seek point in a range of stored bytes to the
 * first one after the range. Seek point p belongs to part K if (K-1) * size <= p * N < K * size.
 */
#include <xxhash.h>

#include "reader_internal.h"
#include "lib/codec/codec.h"

enum { ID_SIZE = 1 << 16, PARTS_MAX = 1000000 };

static const char parts_need[] = "parts are those of a regular file";

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

/* Reads from `from`, or if NULL from the first byte, up to `to`, or if NULL to the end. */
static int limit(struct iot_reader *r, const struct seek_point *from, const struct seek_point *to)
{
	struct decoder *d = &r->decoder;
	if (to != NULL) {
		bufreader_limit(d->bufreader, to->at);
		d->limited = true;
		d->limit = to->sync;
	}
	return reader_enter(r, from);
}

static int limit_to_part(struct iot_reader *r, const struct stored_input *source, uint64_t k,
			 uint64_t n, struct iot_part *part)
{
	struct decoder *d = &r->decoder;
	struct seek_point from, to;
	decoder_read_head(d, true, UINT64_MAX);
	if (d->error.status != IOT_OK || reader_make_points(r, source) != IOT_OK)
		return d->error.status;
	const uint64_t size = source->size;
	const int begins = k > 1 ? find_point(r, part_end(k - 1, n, size), size, &from) : 0;
	const int ends = k < n ? find_point(r, part_end(k, n, size), size, &to) : 0;
	if (begins < 0 || ends < 0)
		return reader_failed_search(r, begins < 0 ? begins : ends);
	part->from = begins == 1 ? from.at : k > 1 ? size : 0;
	part->to = ends == 1 ? to.at : size;
	if (part->from == part->to) {
		d->progress = TRACE_COMPLETE; /* no interval begins in the range */
		return IOT_OK;
	}
	return limit(r, begins == 1 ? &from : NULL, ends == 1 ? &to : NULL);
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

int iot_reader_part(struct iot_reader *r, uint64_t k, uint64_t n, struct iot_part *part)
{
	struct decoder *d = &r->decoder;
	struct stored_input source = {.size = 0};
	if (d->error.status != IOT_OK)
		return d->error.status;
	if (d->name == NULL || d->codec != NULL || r->parallel_tried ||
	    (r->stream != NULL && stream_events_started(r->stream)))
		return decoder_refuse(d, "a part is chosen after open, before anything is read");
	if (k < 1 || k > n || n > PARTS_MAX)
		return decoder_refuse(d, "a part is one of 1 to 1000000");
	if (r->stream != NULL)
		return whole_stream(r, n, part);
	if (n > 1 && d->lookahead != NULL)
		return decoder_refuse(d, "a part is not read with IOT_SET_VERIFIED");
	*part = (struct iot_part){.trace_id = trace_id(d)};
	const bool stored = bufreader_stored_input(d->bufreader, &source);
	if (n > 1 && !stored)
		return decoder_refuse(d, parts_need);
	part->stored = part->to = source.size;
	if (n == 1)
		return IOT_OK;
	r->parallel_tried = true;
	return limit_to_part(r, &source, k, n, part);
}
