/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DXT: the reads and writes of single calls. A record is a header of 104 bytes, followed by its
 * writes and its reads:
 *
 *	head     0 id  8 rank  16 unused  24 host, 64 bytes  88 writes  96 reads
 *	segment  0 offset  8 length  16 start  24 end, in seconds  [32 thread]
 *
 * The log contains the writes, then the reads, both in the order in which they ended. The output is
 * sorted by start, then end, then writes first, then position in the log. In a very long record
 * this holds within each batch.
 *
 * Segments of a log are converted in place, in the decompressed bytes: each becomes a struct
 * darshan_segment, and its process replaces its thread.
 *
 * The counts come from the input, so at most the memory of one batch is allocated by them.
 */
#include "darshan.h"

#include <stdlib.h>

enum { HEAD = 104, HOST = 24, COUNTS = 88 };

#define COUNT_MAX (INT64_C(1) << 48)
#define NS_PER_S  1e9
/* Limit of the conversion from seconds to nanoseconds: larger values are invalid times. */
#define SECONDS_MAX    1e9
#define OFFSET_UNKNOWN INT64_MIN

enum { THREAD = sizeof(struct darshan_segment) };

/* Reads word by word: one wide load would stall on the narrower stores before it. */
static inline struct darshan_segment get(const unsigned char *p)
{
	return (struct darshan_segment){darshan_i64(p, false), darshan_i64(p + 8, false),
					darshan_i64(p + 16, false), darshan_i64(p + 24, false)};
}

static inline void set(unsigned char *p, const struct darshan_segment *s)
{
	memcpy(p, &s->offset, sizeof s->offset);
	memcpy(p + 8, &s->length, sizeof s->length);
	memcpy(p + 16, &s->start_ns, sizeof s->start_ns);
	memcpy(p + 24, &s->end_ns, sizeof s->end_ns);
}

/* Sorting of the batch */

/* Branch-free: the order of reads and writes is unpredictable. */
static inline bool before(const struct darshan_segment *a, const struct darshan_segment *b)
{
	return (a->start_ns < b->start_ns) |
	       ((a->start_ns == b->start_ns) & (a->end_ns < b->end_ns));
}

struct sorted {
	struct darshan_segment segment;
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

/* Times */

void darshan_clock_set(struct darshan_clock *clock, int64_t start_ns, int64_t end_ns)
{
	const double max = (double)(INT64_MAX - start_ns) / NS_PER_S - 1;
	*clock = (struct darshan_clock){.base_ns = start_ns,
					.end_ns = end_ns,
					.seconds_max = max < SECONDS_MAX ? max : SECONDS_MAX};
}

/* Counts an invalid time; returns the start of the job in its place. */
static int64_t no_time(struct darshan *d)
{
	darshan_count(d, "clock.not_a_time", 1);
	if (!d->clock.noted)
		darshan_note(d, d->members.current,
			     "times that are not numbers or beyond 2^63-1 ns; their calls are "
			     "placed at the start of the job (clock.not_a_time)");
	d->clock.noted = true;
	return d->clock.base_ns;
}

/* Returns true if the start of the job plus s seconds is less than 2^63 nanoseconds. */
static bool is_time(const struct darshan *d, double s)
{
	return s >= 0 && s < d->clock.seconds_max;
}

/*
 * Converts seconds to nanoseconds, rounded. Invalid and unrepresentable times become the start of
 * the job.
 */
static int64_t to_ns(struct darshan *d, double s)
{
	if (is_time(d, s))
		return d->clock.base_ns + (int64_t)(s * NS_PER_S + 0.5);
	if (s > -SECONDS_MAX && s < 0)
		return d->clock.base_ns + (int64_t)(s * NS_PER_S - 0.5);
	return no_time(d);
}

int64_t darshan_moment(struct darshan *d, int64_t ns)
{
	int64_t moment_ns;
	if (!__builtin_add_overflow(d->clock.base_ns, ns, &moment_ns))
		return moment_ns;
	return no_time(d);
}

/* The batch */

/* Corrects and counts invalid values. An unknown offset is OFFSET_UNKNOWN. */
static struct darshan_segment correct(struct darshan *d, struct darshan_segment s)
{
	if (s.offset < 0) {
		s.offset = OFFSET_UNKNOWN;
		darshan_count(d, "unknown.offset_records", 1);
		darshan_count(d, "unknown.offset_bytes", s.length > 0 ? (uint64_t)s.length : 0);
	}
	if (s.length < 0) {
		s.length = 0;
		darshan_count(d, "unknown.length_records", 1);
	}
	if (s.start_ns < d->clock.base_ns) {
		s.start_ns = d->clock.base_ns;
		darshan_count(d, "clock.before_start", 1);
	}
	if (s.end_ns < s.start_ns) {
		s.end_ns = s.start_ns;
		darshan_count(d, "clock.negative_duration", 1);
	}
	return s;
}

static void add_totals(struct darshan *d, unsigned part, uint64_t count, uint64_t bytes)
{
	struct darshan_totals *seen = &d->ids.file[d->dxt.file - 1].seen;
	*(part == 0 ? &seen->writes : &seen->reads) += count;
	*(part == 0 ? &seen->bytes_written : &seen->bytes_read) += bytes;
}

static uint64_t process_of(struct darshan *d, const uint64_t *thread)
{
	const struct darshan_dxt *dxt = &d->dxt;
	return d->threads && thread != NULL ? darshan_thread(d, dxt->process, dxt->file, *thread)
					    : dxt->process;
}

/* Converts the writes or the reads of a log. Returns true if they are in order. */
static bool convert(struct darshan *d, unsigned char *p, size_t n, unsigned part)
{
	const size_t size = d->dxt.batch.size;
	const bool swap = d->log.swap, has_thread = size > THREAD;
	const bool no_offset =
	    d->current.entry->module == DARSHAN_DXT_MPIIO && d->current.entry->version == 1;
	const bool irregular = no_offset || (d->threads && has_thread);
	struct darshan_segment last = {.start_ns = INT64_MIN};
	uint64_t bytes = 0;
	bool in_order = true;
	for (size_t i = 0; i < n; i++, p += size) {
		const int64_t offset = darshan_i64(p, swap), length = darshan_i64(p + 8, swap);
		const double start_s = darshan_f64(p + 16, swap);
		const double end_s = darshan_f64(p + 24, swap);
		struct darshan_segment s;
		uint64_t process = d->dxt.process;
		if (irregular || (offset | length) < 0 || !(start_s >= 0 && start_s <= end_s) ||
		    !is_time(d, end_s)) {
			const uint64_t thread = has_thread ? darshan_u64(p + THREAD, swap) : 0;
			const int64_t start_ns = to_ns(d, start_s);
			s = correct(d, (struct darshan_segment){no_offset ? -1 : offset, length,
								start_ns, to_ns(d, end_s)});
			process = process_of(d, has_thread ? &thread : NULL);
		} else {
			s = (struct darshan_segment){
			    offset, length, d->clock.base_ns + (int64_t)(start_s * NS_PER_S + 0.5),
			    d->clock.base_ns + (int64_t)(end_s * NS_PER_S + 0.5)};
		}
		set(p, &s);
		if (has_thread)
			memcpy(p + THREAD, &process, sizeof process);
		in_order &= !before(&s, &last);
		last = s;
		bytes += (uint64_t)s.length;
	}
	add_totals(d, part, n, bytes);
	return in_order;
}

void darshan_batch_add(struct darshan *d, struct darshan_segment s, const uint64_t *thread)
{
	struct darshan_batch *b = &d->dxt.batch;
	const unsigned part = d->dxt.part;
	const size_t size = THREAD + sizeof(uint64_t);
	assert(!b->ready && b->count < DARSHAN_BATCH_MAX);
	if (b->own == NULL)
		b->own = malloc(DARSHAN_BATCH_MAX * size);
	if (b->own == NULL) {
		darshan_no_memory(d);
		return;
	}
	if (b->count == 0)
		b->sorted[0] = b->sorted[1] = true;
	s = correct(d, s);
	const uint64_t process = process_of(d, thread);
	unsigned char *const p = b->own + b->count * size;
	set(p, &s);
	memcpy(p + THREAD, &process, sizeof process);
	if (b->count > (part == 0 ? 0 : b->writes)) {
		const struct darshan_segment last = get(p - size);
		b->sorted[part] &= !before(&s, &last);
	}
	b->segment = b->own;
	b->size = size;
	b->count++;
	b->writes += part == 0;
	add_totals(d, part, 1, (uint64_t)s.length);
}

static int64_t first_start(const struct darshan_batch *b)
{
	int64_t first = INT64_MAX;
	if (b->writes > 0)
		first = get(b->segment).start_ns;
	if (b->count > b->writes && get(b->next[0]).start_ns < first)
		first = get(b->next[0]).start_ns;
	return first;
}

void darshan_batch_close(struct darshan *d, bool last)
{
	struct darshan_dxt *dxt = &d->dxt;
	struct darshan_batch *b = &dxt->batch;
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
	b->file = dxt->file;
	b->object = d->ids.file[dxt->file - 1].object;
	if (dxt->reported || b->count == 0)
		return;
	/* more of the record follows, which may start earlier */
	const int64_t sort_ns = last ? first_start(b) : d->clock.base_ns;
	darshan_emit_process(d, dxt->process, sort_ns);
	darshan_emit_file(d, dxt->file, dxt->process, sort_ns);
	dxt->reported = true;
}

/* Output */

static inline void make_record(const struct darshan_batch *b, const unsigned char *p, bool write,
			       struct iot_event *ev)
{
	const struct darshan_segment s = get(p);
	const bool known = s.offset != OFFSET_UNKNOWN;
	const void *const process = b->size > THREAD ? (const void *)(p + THREAD) : &b->process;
	emit_record(ev,
		    (struct iot_record){
			.start_ns = s.start_ns,
			.duration_ns = (uint64_t)(s.end_ns - s.start_ns),
			.offset = known ? (uint64_t)s.offset : 0,
			.length = (uint64_t)s.length,
			.file = b->file,
			.process = (uint32_t)darshan_u64(process, false),
			.object = b->object,
			.type = (uint8_t)(IOT_LOGICAL | (unsigned)write * IOT_WRITE),
			.flags = (uint8_t)(IOT_CPU_UNKNOWN | (known ? 0 : IOT_OFFSET_UNKNOWN))});
}

/* Merges reads and writes while both remain. Branch-free, because the order is unpredictable. */
static size_t merge_records(struct darshan_batch *b, struct iot_event *out, size_t max)
{
	const unsigned char *read = b->next[0], *write = b->next[1];
	size_t n = 0;
	for (; n < max && read < b->end[0] && write < b->end[1]; n++) {
		const struct darshan_segment r = get(read), w = get(write);
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
	struct darshan_batch *b = &d->dxt.batch;
	if (!b->ready)
		return 0;
	size_t n = merge_records(b, out, max);
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

/* Records */

bool darshan_dxt_begin(struct darshan *d, unsigned layer, uint64_t id, int64_t rank,
		       struct iot_text host)
{
	const uint32_t process = darshan_process(d, rank);
	const uint32_t file = process != 0 ? darshan_file(d, layer, rank, id) : 0;
	if (file == 0)
		return false;
	d->dxt = (struct darshan_dxt){.active = true,
				      .rank = rank,
				      .id = id,
				      .process = process,
				      .file = file,
				      .batch = {.own = d->dxt.batch.own, .process = process}};
	struct darshan_process *p = darshan_process_data(d, process);
	if (p->host[0] == '\0' && host.size > 0 && host.size < sizeof p->host) {
		memcpy(p->host, host.data, host.size);
		p->host[host.size] = '\0';
	}
	return true;
}

static int begin_record(struct darshan *d)
{
	const unsigned char *p = darshan_record_head(d, HEAD, "the head of a record");
	const bool swap = d->log.swap;
	if (p == NULL)
		return 0;
	const int64_t rank = darshan_i64(p + 8, swap);
	const int64_t writes = darshan_i64(p + COUNTS, swap);
	const int64_t reads = darshan_i64(p + COUNTS + 8, swap);
	if (rank < 0 || rank > INT32_MAX || writes < 0 || reads < 0 || writes > COUNT_MAX ||
	    reads > COUNT_MAX)
		return darshan_damage(d, IOT_EFORMAT,
				      "a record of rank %lld with %lld writes and %lld reads",
				      (long long)rank, (long long)writes, (long long)reads);
	darshan_count_rank(d, rank);
	const char *host = (const char *)p + HOST;
	if (!darshan_dxt_begin(d, darshan_layer(d->current.entry->module), darshan_u64(p, swap),
			       rank, (struct iot_text){host, strnlen(host, DARSHAN_HOST_MAX)}))
		return -1;
	d->dxt.left[0] = (uint64_t)writes;
	d->dxt.left[1] = (uint64_t)reads;
	darshan_region_consume(&d->current.region, HEAD);
	return 1;
}

static size_t segment_size(const struct darshan_map_entry *entry)
{
	const unsigned with_threads = entry->module == DARSHAN_DXT_POSIX ? 2 : 3;
	return entry->version >= with_threads ? THREAD + sizeof(uint64_t) : THREAD;
}

/*
 * Fills the batch with `want` whole segments. Returns fewer if the region ends early. The bytes
 * remain valid until the region is read again, when all of them have been emitted.
 */
static size_t fill_batch(struct darshan *d, size_t want)
{
	struct darshan_dxt *dxt = &d->dxt;
	struct darshan_batch *b = &dxt->batch;
	size_t have;
	b->size = segment_size(d->current.entry);
	b->segment = darshan_region_peek(&d->current.region, want * b->size, &have);
	b->count = have / b->size < want ? have / b->size : want;
	b->writes = dxt->left[0] < b->count ? (size_t)dxt->left[0] : b->count;
	b->sorted[0] = convert(d, b->segment, b->writes, 0);
	b->sorted[1] = convert(d, b->segment + b->writes * b->size, b->count - b->writes, 1);
	darshan_region_consume(&d->current.region, b->count * b->size);
	dxt->left[0] -= b->writes;
	dxt->left[1] -= b->count - b->writes;
	return b->count;
}

/* Processes as much of the current record as a batch holds. */
int darshan_dxt_step(struct darshan *d)
{
	struct darshan_dxt *dxt = &d->dxt;
	if (!dxt->active && d->current.damaged)
		return 0;
	if (!dxt->active) {
		const int status = begin_record(d);
		if (status <= 0)
			return status;
	}
	const uint64_t left = dxt->left[0] + dxt->left[1];
	const size_t want = left < DARSHAN_BATCH_MAX ? (size_t)left : DARSHAN_BATCH_MAX;
	dxt->active = left > want;
	if (fill_batch(d, want) < want) {
		const uint64_t missing = dxt->left[0] + dxt->left[1];
		darshan_count(d, "damaged.segments", missing);
		darshan_damage(d, IOT_EFORMAT,
			       "ends inside a record of rank %lld, %llu segments before its end",
			       (long long)dxt->rank, (unsigned long long)missing);
		dxt->active = false;
	}
	darshan_batch_close(d, !dxt->active);
	return d->status == IOT_OK;
}
