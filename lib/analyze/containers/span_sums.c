/* SPDX-License-Identifier: BSD-2-Clause */
#include "span_sums.h"

#include <assert.h>

#include "saturate.h"
#include "span_sums_avx2.h"

/* A batch of values of at most LARGE_BITS bits has a sum of at most 64 bits. */
enum { LARGE_BITS = 50 };

static_assert(REQUESTS_MAX <= 1 << (64 - LARGE_BITS), "sums of a batch do not overflow");

static void set_directions(struct io_span *s, const struct span_sums *sums)
{
	const struct io_sums writes = {sums->writes, sums->bytes_written, sums->write_ns};
	s->of[0] = (struct io_sums){s->count - writes.count, sums->bytes - writes.bytes,
				    sums->ns - writes.duration_ns};
	s->of[1] = writes;
}

static void sum_large(struct io_span *s)
{
	s->of[0] = s->of[1] = (struct io_sums){.count = 0};
	for (size_t i = 0; i < s->count; i++) {
		struct io_sums *of = &s->of[s->write[i]];
		of->count++;
		of->bytes = saturate_add(of->bytes, s->length[i]);
		of->duration_ns = saturate_add(of->duration_ns, span_duration(s, i));
	}
}

/* Adds the requests from i on. Without branches on the direction. */
static void add_times(struct span_sums *sums, const struct io_span *s, size_t i)
{
	struct span_sums to = *sums;
	int64_t end_ns = i > 0 ? s->end_ns[i - 1] : INT64_MIN;
	for (; i < s->count; end_ns = s->end_ns[i++]) {
		const uint64_t ns = span_duration(s, i), mask = 0 - (uint64_t)s->write[i];
		to.ns += ns;
		to.write_ns += ns & mask;
		to.writes += s->write[i];
		to.large |= ns;
		to.apart &= (s->start_ns[i] >= end_ns) & (s->end_ns[i] > s->start_ns[i]);
	}
	*sums = to;
}

static void add_bytes(struct span_sums *sums, const struct io_span *s, size_t i)
{
	struct span_sums to = *sums;
	for (; i < s->count; i++) {
		const uint64_t length = s->length[i], mask = 0 - (uint64_t)s->write[i];
		const uint64_t end = saturate_add(s->offset[i], length);
		to.bytes += length;
		to.bytes_written += length & mask;
		to.large |= length;
		to.differs |= length ^ s->length[0];
		to.low = s->offset[i] < to.low ? s->offset[i] : to.low;
		to.extent = end > to.extent ? end : to.extent;
		to.first_ns = s->start_ns[i] < to.first_ns ? s->start_ns[i] : to.first_ns;
		to.last_ns = s->end_ns[i] > to.last_ns ? s->end_ns[i] : to.last_ns;
	}
	*sums = to;
}

static const struct span_sums none = {
    .apart = true, .low = UINT64_MAX, .first_ns = INT64_MAX, .last_ns = INT64_MIN};

void span_sum(struct io_span *s)
{
	struct span_sums sums = none;
	const size_t done = span_sum_avx2(&sums, s);
	add_times(&sums, s, done);
	add_bytes(&sums, s, done);
	set_directions(s, &sums);
	if (sums.large >> LARGE_BITS != 0)
		sum_large(s);
	s->disjoint = sums.apart;
	s->same_length = sums.differs == 0;
	s->low = sums.low;
	s->extent = sums.extent;
	s->first_ns = sums.first_ns;
	s->last_ns = sums.last_ns;
}

void span_sum_times(struct io_span *s)
{
	struct span_sums sums = none;
	add_times(&sums, s, span_sum_times_avx2(&sums, s));
	set_directions(s, &sums);
	if (sums.large >> LARGE_BITS != 0)
		sum_large(s);
	s->disjoint = sums.apart;
}
