/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments of one record of DXT as records in order of start. The log has the writes, then the
 * reads, both in the order they ended in; the timeline is by start, then end, then writes first,
 * then as the log has it. Of a very long record that holds within each DARSHAN_BATCH segments.
 */
#include "darshan.h"

#include <stdlib.h>

#define NS_PER_S 1e9

/* Order of the batch */

static int64_t end_of(const struct darshan_segment *s)
{
	return s->start_ns + (int64_t)s->duration_ns;
}

/* No branches: between reads and writes nobody can foretell. */
static bool before(const struct darshan_segment *a, const struct darshan_segment *b)
{
	return (a->start_ns < b->start_ns) |
	       ((a->start_ns == b->start_ns) & (end_of(a) < end_of(b)));
}

static int compare(const void *left, const void *right)
{
	const struct darshan_segment *a = left, *b = right;
	if (before(a, b) || before(b, a))
		return before(a, b) ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* Adding */

static void put(struct darshan *d, int64_t offset, int64_t length, int64_t start_ns, int64_t end_ns,
		uint32_t process)
{
	struct darshan_batch *b = &d->batch;
	const unsigned part = d->dxt.part;
	struct darshan_segment *s = &b->segment[b->count];
	*s = (struct darshan_segment){.start_ns = start_ns,
				      .duration_ns = (uint64_t)(end_ns - start_ns),
				      .offset = offset,
				      .length = (uint64_t)length,
				      .process = process,
				      .index = (uint32_t)b->count};
	const size_t first = part == 0 ? 0 : b->writes;
	if (b->count > first && before(s, s - 1))
		b->sorted[part] = false;
	b->count++;
	b->writes += part == 0;
}

/* What a thread does: it is a process of its own, which must be told, and so must its file. */
static uint32_t thread_process(struct darshan *d, uint64_t thread)
{
	uint32_t process = iot_darshan_thread(d, d->dxt.process, thread);
	uint32_t *told = iot_darshan_slot(&d->thread_files, process, d->dxt.file);
	struct iot_builder b;
	if (told == NULL || *told != 0 || process == d->dxt.process)
		return process;
	*told = 1;
	iot_darshan_emit_process(d, d->dxt.process, d->base_ns);
	if (iot_emit_begin(&d->emit, &b, "process")) {
		iot_directive_number(&b, "id", process);
		iot_directive_number(&b, "thread-of", d->dxt.process);
		iot_directive_number(&b, "rank", (uint64_t)d->dxt.rank);
		iot_directive_number(&b, "thread", thread);
		iot_emit_end(&d->emit, &b, d->base_ns);
	}
	iot_darshan_emit_file(d, d->dxt.file, process, d->base_ns);
	return process;
}

/* Values that are none. */
static void correct(struct darshan *d, int64_t *offset, int64_t *length, int64_t *start_ns,
		    int64_t *end_ns)
{
	if (*offset < 0) {
		*offset = DARSHAN_UNKNOWN;
		iot_darshan_count(d, "unknown.offset_records", 1);
		iot_darshan_count(d, "unknown.offset_bytes", *length > 0 ? (uint64_t)*length : 0);
	}
	if (*length < 0) {
		*length = 0;
		iot_darshan_count(d, "unknown.length_records", 1);
	}
	if (*start_ns < d->base_ns) {
		*start_ns = d->base_ns;
		iot_darshan_count(d, "clock.before_start", 1);
	}
	if (*end_ns < *start_ns) {
		*end_ns = *start_ns;
		iot_darshan_count(d, "clock.negative_duration", 1);
	}
}

static void add_totals(struct darshan *d, int64_t length)
{
	struct darshan_totals *seen = &d->file[d->dxt.file - 1].seen;
	const uint64_t bytes = length > 0 ? (uint64_t)length : 0;
	if (d->dxt.part == 0) {
		seen->writes++;
		seen->bytes_written += bytes;
	} else {
		seen->reads++;
		seen->bytes_read += bytes;
	}
}

void iot_darshan_batch_add(struct darshan *d, int64_t offset, int64_t length, int64_t start_ns,
			   int64_t end_ns, uint64_t thread, bool has_thread)
{
	uint32_t process = d->dxt.process;
	correct(d, &offset, &length, &start_ns, &end_ns);
	if (d->threads && has_thread)
		process = thread_process(d, thread);
	add_totals(d, length);
	put(d, offset, length, start_ns, end_ns, process);
}

static bool is_time(double s)
{
	return s >= 0 && s < DARSHAN_SECONDS_MAX;
}

/* Rounded; what is no time at all is the start of the job. */
static int64_t to_ns(struct darshan *d, double s)
{
	if (is_time(s))
		return d->base_ns + (int64_t)(s * NS_PER_S + 0.5);
	if (s > -DARSHAN_SECONDS_MAX && s < 0)
		return d->base_ns + (int64_t)(s * NS_PER_S - 0.5);
	iot_darshan_count(d, "clock.not_a_time", 1);
	return d->base_ns;
}

/* One that needs a second look. */
static void add_odd(struct darshan *d, const unsigned char *p, size_t size)
{
	const bool swap = d->log.swap,
		   old = d->place->module == DARSHAN_DXT_MPIIO && d->place->version == 1;
	iot_darshan_batch_add(d, old ? -1 : iot_darshan_i64(p, swap), iot_darshan_i64(p + 8, swap),
			      to_ns(d, iot_darshan_f64(p + 16, swap)),
			      to_ns(d, iot_darshan_f64(p + 24, swap)),
			      size > 32 ? iot_darshan_u64(p + 32, swap) : 0, size > 32);
}

void iot_darshan_batch_segments(struct darshan *d, const unsigned char *p, size_t n, size_t size)
{
	const bool swap = d->log.swap;
	const bool odd =
	    d->threads || (d->place->module == DARSHAN_DXT_MPIIO && d->place->version == 1);
	const uint32_t process = d->dxt.process;
	uint64_t bytes = 0, plain = 0;
	for (size_t i = 0; i < n; i++, p += size) {
		const int64_t offset = iot_darshan_i64(p, swap),
			      length = iot_darshan_i64(p + 8, swap);
		const double start_s = iot_darshan_f64(p + 16, swap);
		const double end_s = iot_darshan_f64(p + 24, swap);
		if (odd || offset < 0 || length < 0 || !is_time(start_s) || !is_time(end_s) ||
		    end_s < start_s) {
			add_odd(d, p, size);
			continue;
		}
		put(d, offset, length, d->base_ns + (int64_t)(start_s * NS_PER_S + 0.5),
		    d->base_ns + (int64_t)(end_s * NS_PER_S + 0.5), process);
		bytes += (uint64_t)length;
		plain++;
	}
	struct darshan_totals *seen = &d->file[d->dxt.file - 1].seen;
	*(d->dxt.part == 0 ? &seen->writes : &seen->reads) += plain;
	*(d->dxt.part == 0 ? &seen->bytes_written : &seen->bytes_read) += bytes;
}

/* Taking */

static int64_t first_start(const struct darshan_batch *b)
{
	int64_t first = INT64_MAX;
	if (b->writes > 0)
		first = b->segment[0].start_ns;
	if (b->count > b->writes && b->segment[b->writes].start_ns < first)
		first = b->segment[b->writes].start_ns;
	return first;
}

void iot_darshan_batch_close(struct darshan *d, bool last)
{
	struct darshan_batch *b = &d->batch;
	if (!b->sorted[0])
		qsort(b->segment, b->writes, sizeof *b->segment, compare);
	if (!b->sorted[1])
		qsort(b->segment + b->writes, b->count - b->writes, sizeof *b->segment, compare);
	b->ready = true;
	b->next[0] = b->writes;
	b->next[1] = 0;
	b->file = d->dxt.file;
	b->object = d->file[d->dxt.file - 1].object;
	if (d->dxt.told || b->count == 0)
		return;
	/* Where there is more to come, that may start earlier. */
	int64_t place_ns = last ? first_start(b) : d->base_ns;
	iot_darshan_emit_process(d, d->dxt.process, place_ns);
	iot_darshan_emit_file(d, d->dxt.file, d->dxt.process, place_ns);
	d->dxt.told = true;
}

static void make_record(const struct darshan_batch *b, const struct darshan_segment *s, bool write,
			struct iot_event *ev)
{
	const bool known = s->offset != DARSHAN_UNKNOWN;
	iot_emit_record(
	    ev, (struct iot_record){
		    .start_ns = s->start_ns,
		    .duration_ns = s->duration_ns,
		    .offset = known ? (uint64_t)s->offset : 0,
		    .length = s->length,
		    .file = b->file,
		    .process = s->process,
		    .object = b->object,
		    .type = (uint8_t)(IOT_LOGICAL | (unsigned)write * IOT_WRITE),
		    .flags = (uint8_t)(IOT_CPU_UNKNOWN | (known ? 0 : IOT_OFFSET_UNKNOWN))});
}

/* While there are both: which one comes is chosen without a branch, as nobody can foretell it. */
static size_t take_both(struct darshan_batch *b, struct iot_event *out, size_t max)
{
	const struct darshan_segment *read = b->segment + b->next[0],
				     *write = b->segment + b->next[1];
	const struct darshan_segment *const reads = b->segment + b->count;
	const struct darshan_segment *const writes = b->segment + b->writes;
	size_t n = 0;
	for (; n < max && read < reads && write < writes; n++) {
		const bool first = before(read, write);
		make_record(b, first ? read : write, !first, &out[n]);
		read += first;
		write += !first;
	}
	b->next[0] = (size_t)(read - b->segment);
	b->next[1] = (size_t)(write - b->segment);
	return n;
}

size_t iot_darshan_batch_take(struct darshan *d, struct iot_event *out, size_t max)
{
	struct darshan_batch *b = &d->batch;
	size_t *next = b->next;
	const size_t end[] = {b->count, b->writes};
	if (!b->ready)
		return 0;
	size_t n = take_both(b, out, max);
	for (unsigned write = 0; write < 2; write++)
		while (n < max && next[write] < end[write] && next[!write] == end[!write])
			make_record(b, &b->segment[next[write]++], write, &out[n++]);
	d->src->report.records += n;
	d->src->report.calls += n;
	if (next[0] == end[0] && next[1] == end[1]) {
		b->writes = b->count = 0;
		b->ready = false;
	}
	return n;
}
