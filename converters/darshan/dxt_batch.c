/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the segments of one DXT record to records in order of start. The log contains the
 * writes, then the reads, both in the order in which they ended. The output is sorted by start,
 * then end, then writes first, then position in the log. In a very long record this holds within
 * each DARSHAN_BATCH segments.
 *
 * Segments of a log are converted in place, in the decompressed bytes: each becomes a struct
 * dxt_segment, and its process replaces its thread.
 */
#include "darshan.h"

#include <stdlib.h>

#define NS_PER_S 1e9

struct dxt_segment {
	int64_t offset; /* or DARSHAN_UNKNOWN */
	uint64_t length;
	int64_t start_ns, end_ns;
};

enum { THREAD = sizeof(struct dxt_segment) };

/* Reads word by word: one wide load would stall on the narrower stores before it. */
static inline struct dxt_segment get(const unsigned char *p)
{
	return (struct dxt_segment){darshan_i64(p, false), darshan_u64(p + 8, false),
				    darshan_i64(p + 16, false), darshan_i64(p + 24, false)};
}

static inline void set(unsigned char *p, const struct dxt_segment *s)
{
	memcpy(p, &s->offset, sizeof s->offset);
	memcpy(p + 8, &s->length, sizeof s->length);
	memcpy(p + 16, &s->start_ns, sizeof s->start_ns);
	memcpy(p + 24, &s->end_ns, sizeof s->end_ns);
}

/* Sorting of the batch */

/* Branch-free: the order of reads and writes is unpredictable. */
static inline bool before(const struct dxt_segment *a, const struct dxt_segment *b)
{
	return (a->start_ns < b->start_ns) |
	       ((a->start_ns == b->start_ns) & (a->end_ns < b->end_ns));
}

struct sorted {
	struct dxt_segment segment;
	uint64_t process;
	size_t index;
};

static int compare(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	if (before(&a->segment, &b->segment) || before(&b->segment, &a->segment))
		return before(&a->segment, &b->segment) ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* Returns false if out of memory. */
static bool sort(unsigned char *p, size_t n, size_t size)
{
	struct sorted *all = malloc(n * sizeof *all);
	if (all == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		memcpy(&all[i], p + i * size, size);
		all[i].index = i;
	}
	qsort(all, n, sizeof *all, compare);
	for (size_t i = 0; i < n; i++)
		memcpy(p + i * size, &all[i], size);
	free(all);
	return true;
}

/* Adding */

/*
 * Returns the process of a thread: a process of its own, which is reported with its file at first
 * use.
 */
static uint32_t thread_process(struct darshan *d, uint64_t thread)
{
	uint32_t process = darshan_thread(d, d->dxt.process, thread);
	uint32_t *reported = darshan_slot(&d->thread_files, process, d->dxt.file);
	struct iot_builder b;
	if (reported == NULL || *reported != 0 || process == d->dxt.process)
		return process;
	*reported = 1;
	darshan_emit_process(d, d->dxt.process, d->base_ns);
	if (emit_begin(&d->emit, &b, "process")) {
		iot_directive_number(&b, "id", process);
		iot_directive_number(&b, "thread-of", d->dxt.process);
		iot_directive_number(&b, "rank", (uint64_t)d->dxt.rank);
		iot_directive_number(&b, "thread", thread);
		emit_end(&d->emit, &b, d->base_ns);
	}
	darshan_emit_file(d, d->dxt.file, process, d->base_ns);
	return process;
}

/* Corrects and counts invalid values. */
static void correct(struct darshan *d, int64_t *offset, int64_t *length, int64_t *start_ns,
		    int64_t *end_ns)
{
	if (*offset < 0) {
		*offset = DARSHAN_UNKNOWN;
		darshan_count(d, "unknown.offset_records", 1);
		darshan_count(d, "unknown.offset_bytes", *length > 0 ? (uint64_t)*length : 0);
	}
	if (*length < 0) {
		*length = 0;
		darshan_count(d, "unknown.length_records", 1);
	}
	if (*start_ns < d->base_ns) {
		*start_ns = d->base_ns;
		darshan_count(d, "clock.before_start", 1);
	}
	if (*end_ns < *start_ns) {
		*end_ns = *start_ns;
		darshan_count(d, "clock.negative_duration", 1);
	}
}

static void add_totals(struct darshan *d, unsigned part, uint64_t count, uint64_t bytes)
{
	struct darshan_totals *seen = &d->file[d->dxt.file - 1].seen;
	*(part == 0 ? &seen->writes : &seen->reads) += count;
	*(part == 0 ? &seen->bytes_written : &seen->bytes_read) += bytes;
}

/* Counts an invalid time; returns the start of the job in its place. */
static int64_t no_time(struct darshan *d)
{
	darshan_count(d, "clock.not_a_time", 1);
	if (!d->noted_time)
		darshan_note(d, d->member,
			     "times that are not numbers or beyond 2^63-1 ns; their calls are "
			     "placed at the start of the job (clock.not_a_time)");
	d->noted_time = true;
	return d->base_ns;
}

/* Returns true if the start of the job plus s seconds is less than 2^63 nanoseconds. */
static bool is_time(const struct darshan *d, double s)
{
	return s >= 0 && s < d->seconds_max;
}

/*
 * Converts seconds to nanoseconds, rounded. Invalid and unrepresentable times become the start of
 * the job.
 */
static int64_t to_ns(struct darshan *d, double s)
{
	if (is_time(d, s))
		return d->base_ns + (int64_t)(s * NS_PER_S + 0.5);
	if (s > -DARSHAN_SECONDS_MAX && s < 0)
		return d->base_ns + (int64_t)(s * NS_PER_S - 0.5);
	return no_time(d);
}

int64_t darshan_moment(struct darshan *d, int64_t ns)
{
	int64_t moment_ns;
	if (!__builtin_add_overflow(d->base_ns, ns, &moment_ns))
		return moment_ns;
	return no_time(d);
}

void darshan_set_base(struct darshan *d, int64_t start_ns, int64_t end_ns)
{
	const double max = (double)(INT64_MAX - start_ns) / NS_PER_S - 1;
	d->base_ns = start_ns;
	d->end_ns = end_ns;
	d->noted_time = false;
	d->seconds_max = max < DARSHAN_SECONDS_MAX ? max : DARSHAN_SECONDS_MAX;
}

/* Converts one segment that needs corrections. */
static struct dxt_segment odd_segment(struct darshan *d, const unsigned char *p, uint64_t *process,
				      bool has_thread)
{
	const bool swap = d->log.swap,
		   old = d->place->module == DARSHAN_DXT_MPIIO && d->place->version == 1;
	int64_t offset = old ? -1 : darshan_i64(p, swap), length = darshan_i64(p + 8, swap);
	int64_t start_ns = to_ns(d, darshan_f64(p + 16, swap));
	int64_t end_ns = to_ns(d, darshan_f64(p + 24, swap));
	correct(d, &offset, &length, &start_ns, &end_ns);
	if (d->threads && has_thread)
		*process = thread_process(d, darshan_u64(p + THREAD, swap));
	return (struct dxt_segment){offset, (uint64_t)length, start_ns, end_ns};
}

/* Converts the writes or the reads. Returns true if they are in order. */
static bool change(struct darshan *d, unsigned char *p, size_t n, size_t size, unsigned part)
{
	const bool swap = d->log.swap, has_thread = size > THREAD;
	const bool odd = (d->threads && has_thread) ||
			 (d->place->module == DARSHAN_DXT_MPIIO && d->place->version == 1);
	struct dxt_segment last = {.start_ns = INT64_MIN};
	uint64_t bytes = 0;
	bool in_order = true;
	for (size_t i = 0; i < n; i++, p += size) {
		const int64_t offset = darshan_i64(p, swap), length = darshan_i64(p + 8, swap);
		const double start_s = darshan_f64(p + 16, swap);
		const double end_s = darshan_f64(p + 24, swap);
		struct dxt_segment s;
		uint64_t process = d->dxt.process;
		if (odd || (offset | length) < 0 || !(start_s >= 0 && start_s <= end_s) ||
		    !is_time(d, end_s))
			s = odd_segment(d, p, &process, has_thread);
		else
			s = (struct dxt_segment){offset, (uint64_t)length,
						 d->base_ns + (int64_t)(start_s * NS_PER_S + 0.5),
						 d->base_ns + (int64_t)(end_s * NS_PER_S + 0.5)};
		set(p, &s);
		if (has_thread)
			memcpy(p + THREAD, &process, sizeof process);
		in_order &= !before(&s, &last);
		last = s;
		bytes += s.length;
	}
	add_totals(d, part, n, bytes);
	return in_order;
}

void darshan_batch_segments(struct darshan *d, unsigned char *p, size_t writes, size_t n,
			    size_t size)
{
	struct darshan_batch *b = &d->batch;
	b->segment = p;
	b->size = size;
	b->writes = writes;
	b->count = n;
	b->process = d->dxt.process;
	b->sorted[0] = change(d, p, writes, size, 0);
	b->sorted[1] = change(d, p + writes * size, n - writes, size, 1);
}

void darshan_batch_add(struct darshan *d, int64_t offset, int64_t length, int64_t start_ns,
		       int64_t end_ns, uint64_t thread, bool has_thread)
{
	struct darshan_batch *b = &d->batch;
	const unsigned part = d->dxt.part;
	uint64_t process = d->dxt.process;
	const size_t size = THREAD + sizeof process;
	if (b->own == NULL)
		b->own = malloc(DARSHAN_BATCH * size);
	if (b->own == NULL) {
		darshan_no_memory(d);
		return;
	}
	correct(d, &offset, &length, &start_ns, &end_ns);
	if (d->threads && has_thread)
		process = thread_process(d, thread);
	const struct dxt_segment s = {offset, (uint64_t)length, start_ns, end_ns};
	unsigned char *const p = b->own + b->count * size;
	set(p, &s);
	memcpy(p + THREAD, &process, sizeof process);
	if (b->count > (part == 0 ? 0 : b->writes)) {
		const struct dxt_segment last = get(p - size);
		b->sorted[part] &= !before(&s, &last);
	}
	b->segment = b->own;
	b->size = size;
	b->count++;
	b->writes += part == 0;
	add_totals(d, part, 1, (uint64_t)length);
}

/* Output */

static int64_t first_start(const struct darshan_batch *b)
{
	int64_t first = INT64_MAX;
	if (b->writes > 0)
		first = get(b->segment).start_ns;
	if (b->count > b->writes && get(b->segment + b->writes * b->size).start_ns < first)
		first = get(b->segment + b->writes * b->size).start_ns;
	return first;
}

void darshan_batch_close(struct darshan *d, bool last)
{
	struct darshan_batch *b = &d->batch;
	unsigned char *const reads = b->segment + b->writes * b->size;
	if ((!b->sorted[0] && !sort(b->segment, b->writes, b->size)) ||
	    (!b->sorted[1] && !sort(reads, b->count - b->writes, b->size))) {
		darshan_no_memory(d);
		return;
	}
	b->ready = true;
	b->next[0] = b->end[1] = reads;
	b->next[1] = b->segment;
	b->end[0] = b->segment + b->count * b->size;
	b->file = d->dxt.file;
	b->object = d->file[d->dxt.file - 1].object;
	if (d->dxt.reported || b->count == 0)
		return;
	/* more of the record follows, which may start earlier */
	int64_t place_ns = last ? first_start(b) : d->base_ns;
	darshan_emit_process(d, d->dxt.process, place_ns);
	darshan_emit_file(d, d->dxt.file, d->dxt.process, place_ns);
	d->dxt.reported = true;
}

static inline void make_record(const struct darshan_batch *b, const unsigned char *p, bool write,
			       struct iot_event *ev)
{
	const struct dxt_segment s = get(p);
	const bool known = s.offset != DARSHAN_UNKNOWN;
	const void *const process = b->size > THREAD ? (const void *)(p + THREAD) : &b->process;
	emit_record(ev,
		    (struct iot_record){
			.start_ns = s.start_ns,
			.duration_ns = (uint64_t)(s.end_ns - s.start_ns),
			.offset = known ? (uint64_t)s.offset : 0,
			.length = s.length,
			.file = b->file,
			.process = (uint32_t)darshan_u64(process, false),
			.object = b->object,
			.type = (uint8_t)(IOT_LOGICAL | (unsigned)write * IOT_WRITE),
			.flags = (uint8_t)(IOT_CPU_UNKNOWN | (known ? 0 : IOT_OFFSET_UNKNOWN))});
}

/* Merges reads and writes while both remain. Branch-free, because the order is unpredictable. */
static size_t take_both(struct darshan_batch *b, struct iot_event *out, size_t max)
{
	const unsigned char *read = b->next[0], *write = b->next[1];
	size_t n = 0;
	for (; n < max && read < b->end[0] && write < b->end[1]; n++) {
		const struct dxt_segment r = get(read), w = get(write);
		const bool first = before(&r, &w);
		make_record(b, first ? read : write, !first, &out[n]);
		read += first ? b->size : 0;
		write += first ? 0 : b->size;
	}
	b->next[0] = read;
	b->next[1] = write;
	return n;
}

size_t darshan_batch_take(struct darshan *d, struct iot_event *out, size_t max)
{
	struct darshan_batch *b = &d->batch;
	if (!b->ready)
		return 0;
	size_t n = take_both(b, out, max);
	for (unsigned write = 0; write < 2; write++)
		for (;
		     n < max && b->next[write] < b->end[write] && b->next[!write] == b->end[!write];
		     b->next[write] += b->size)
			make_record(b, b->next[write], write, &out[n++]);
	d->src->report.records += n;
	d->src->report.calls += n;
	if (b->next[0] == b->end[0] && b->next[1] == b->end[1]) {
		b->writes = b->count = 0;
		b->ready = false;
	}
	return n;
}
