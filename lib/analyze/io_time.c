/* SPDX-License-Identifier: BSD-2-Clause */
#include "io_time.h"

#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/over_time/time.h"
#include "lib/format/lacks.h"
#include "lib/result/names.h"

static const char no_times[] = "no time is known";

bool io_time_is_unknown(const struct totals *t, const struct latency *l)
{
	return t->io.count[0] + t->io.count[1] > 0 && l->durations[0].count == 0 &&
	       l->durations[1].count == 0;
}

/* Without any duration the time of a direction without requests is unknown, not 0. */
static bool is_untimed(const struct totals *t, const struct latency *l, unsigned direction)
{
	return io_time_is_unknown(t, l) ||
	       (t->io.count[direction] > 0 && l->durations[direction].count == 0);
}

/* The reason, or NULL if the time is known: intervals of joined parts may overlap too much. */
static const char *why_unknown(const struct io_time_source *from, enum busy_kind kind,
			       const struct values *v)
{
	bool untimed = false;
	if (kind == BUSY_READ || kind == BUSY_WRITE)
		untimed = is_untimed(from->totals, from->latency, kind == BUSY_WRITE);
	else if (kind != BUSY_METADATA)
		untimed = io_time_is_unknown(from->totals, from->latency);
	if (kind == BUSY_METADATA || kind == BUSY_ALL)
		untimed |= busy_operations_untimed(from->busy);
	if (untimed)
		return no_times;
	return from->busy->inexact[kind] ? v->inexact : NULL;
}

static void busy_value(const struct io_time_source *from, enum busy_kind kind, const char *name,
		       uint64_t ns, struct values *v)
{
	const char *why = why_unknown(from, kind, v);
	if (why != NULL)
		values_unknown(v, name, NULL, "ns", why);
	else
		values_number(v, name, NULL, "ns", ns);
}

static void busy_share(const struct io_time_source *from, enum busy_kind kind, const char *name,
		       double all, struct values *v)
{
	const struct busy *b = from->busy;
	const char *why = why_unknown(from, kind, v);
	if (why != NULL)
		values_unknown(v, name, NULL, "", why);
	else
		values_ratio(v, name, NULL, "", (double)busy_sum(b, kind), all,
			     "the trace has no duration");
}

/* The sum of a kind of time in the counters of the layer, in seconds. */
static double counter_seconds(const struct io_time_source *from, enum counters_time kind)
{
	double sum = 0;
	for (unsigned m = 0; m < COUNTERS_MODULES; m++) {
		const struct counters_totals *t = from->counters->of[m];
		if (t != NULL && (m == COUNTERS_MPIIO) == from->mpiio)
			sum += counters_seconds(t->fs[kind]);
	}
	return sum;
}

/* Times of calls that overlap count more than once, so that the share may have to be limited. */
static void counter_io_share(const struct io_time_source *from, struct values *v)
{
	const size_t first = v->count;
	const double sum = counter_seconds(from, COUNTERS_READ) +
			   counter_seconds(from, COUNTERS_WRITE) +
			   counter_seconds(from, COUNTERS_METADATA),
		     all = (double)from->runtime_ns / 1e9 * (double)from->processes;
	values_ratio(v, NAME_OF(io_share), NULL, "", sum < all ? sum : all, all,
		     "the trace has no duration");
	values_note_since(v, first, COUNTERS_NOTE);
}

static void counter_operation_share(const struct io_time_source *from, struct values *v)
{
	const size_t first = v->count;
	const double operations = counter_seconds(from, COUNTERS_METADATA);
	values_ratio(v, NAME_OF(operation_share), NULL, "", operations,
		     operations + counter_seconds(from, COUNTERS_READ) +
			 counter_seconds(from, COUNTERS_WRITE),
		     no_times);
	values_note_since(v, first, COUNTERS_NOTE);
}

/* Counters sum the times of calls, which may overlap; times of operations may be known. */
static void counted_values(const struct io_time_source *from, struct values *v)
{
	const struct busy *b = from->busy;
	static const char reason[] = "counters have no intervals; see section counters",
			  *const names[] = {"read_time_ns", "write_time_ns", "operation_time_ns",
					    "io_time_ns",   "call_time_ns",  "io_time_max_ns"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (i == BUSY_METADATA && busy_sum(b, BUSY_METADATA) > 0)
			busy_value(from, BUSY_METADATA, names[i], busy_sum(b, BUSY_METADATA), v);
		else
			values_unknown(v, names[i], NULL, "ns", reason);
	if (from->counters != NULL)
		counter_io_share(from, v);
	else
		values_unknown(v, NAME_OF(io_share), NULL, "", reason);
	values_unknown(v, NAME_OF(call_share), NULL, "", reason);
}

static void busy_values(const struct io_time_source *from, struct values *v)
{
	const struct busy *b = from->busy;
	const double all = (double)from->runtime_ns * (double)from->processes;
	static const char *const names[BUSY_KINDS] = {
	    "read_time_ns", "write_time_ns", "operation_time_ns", "io_time_ns", "call_time_ns"};
	for (unsigned kind = 0; kind < BUSY_KINDS; kind++) {
		if (kind == BUSY_METADATA && !from->shows_operations)
			values_unknown(v, names[kind], NULL, "ns", TIME_NO_OPERATIONS);
		else
			busy_value(from, kind, names[kind], busy_sum(b, kind), v);
	}
	busy_value(from, BUSY_IO, "io_time_max_ns", busy_max(b, BUSY_IO), v);
	busy_share(from, BUSY_IO, "io_share", all, v);
	busy_share(from, BUSY_ALL, "call_share", all, v);
}

/* The time that a process spends in each, whose unions may overlap. */
static uint64_t blocked_ns(const struct busy_process *p)
{
	return saturate_add(saturate_add(p->of[BUSY_READ].ns, p->of[BUSY_WRITE].ns),
			    p->of[BUSY_METADATA].ns);
}

/* The rate of all bytes in the time of the slowest process, and per node. */
static void rate_values(const struct io_time_source *from, uint64_t slowest_ns, struct values *v)
{
	const uint64_t *bytes =
	    from->counted != NULL ? &from->counted->sum[COUNTERS_BYTES] : from->totals->io.bytes;
	const size_t first = v->count;
	const double all = (double)bytes[0] + (double)bytes[1],
		     seconds = from->counted != NULL
				   ? counters_seconds(counters_slowest(from->counted).all_fs)
				   : (double)slowest_ns / 1e9;
	values_ratio(v, NAME_OF(slowest_bytes_per_s), NULL, "bytes/s", all, seconds, no_times);
	if (from->nodes == 0)
		values_unknown(v, NAME_OF(node_bytes_per_s), NULL, "bytes/s",
			       "the number of nodes is unknown");
	else
		values_ratio(v, NAME_OF(node_bytes_per_s), NULL, "bytes/s", all,
			     seconds * (double)from->nodes, no_times);
	if (from->counted != NULL)
		values_note_since(v, first, COUNTERS_NOTE);
}

static void blocked_values(const struct io_time_source *from, struct values *v)
{
	const struct busy *b = from->busy;
	uint64_t slowest = 0;
	double all = 0;
	for (unsigned kind = BUSY_READ; kind <= BUSY_METADATA; kind++) {
		const char *why = why_unknown(from, kind, v);
		if (why == NULL)
			continue;
		values_unknown(v, NAME_OF(operation_share), NULL, "", why);
		values_unknown(v, NAME_OF(slowest_bytes_per_s), NULL, "bytes/s", why);
		values_unknown(v, NAME_OF(node_bytes_per_s), NULL, "bytes/s", why);
		return;
	}
	for (size_t i = 0; i < b->capacity; i++) {
		const uint64_t ns = blocked_ns(&b->processes[i]);
		slowest = ns > slowest ? ns : slowest;
		all += (double)ns;
	}
	if (from->counters != NULL)
		counter_operation_share(from, v);
	else if (!from->shows_operations)
		values_unknown(v, NAME_OF(operation_share), NULL, "", TIME_NO_OPERATIONS);
	else
		values_ratio(v, NAME_OF(operation_share), NULL, "",
			     (double)busy_sum(b, BUSY_METADATA), all, no_times);
	rate_values(from, slowest, v);
}

static void node_value(uint64_t nodes, struct values *v)
{
	if (nodes > 0)
		values_number(v, NAME_OF(compute_nodes), NULL, "", nodes);
	else
		values_unknown(v, NAME_OF(compute_nodes), NULL, "", "no process declares its host");
}

/* 1 - the time in I/O by the sum of all durations. */
static void overlap_value(const struct io_time_source *from, struct values *v)
{
	const struct histogram *d = from->latency->durations;
	const double durations = (double)d[0].sum + (double)d[1].sum;
	if (from->busy->inexact[BUSY_IO])
		values_unknown(v, NAME_OF(overlap_share), NULL, "", v->inexact);
	else if (durations > 0)
		values_real(v, NAME_OF(overlap_share), NULL, "",
			    1 - (double)busy_sum(from->busy, BUSY_IO) / durations);
	else
		values_unknown(v, NAME_OF(overlap_share), NULL, "", no_times);
}

static void asynchronous_values(const struct io_time_source *from, struct values *v)
{
	const struct totals *t = from->totals;
	const size_t first = v->count;
	values_ratio(v, NAME_OF(asynchronous_request_share), NULL, "",
		     (double)t->asynchronous[0] + (double)t->asynchronous[1],
		     (double)t->io.count[0] + (double)t->io.count[1], "no requests");
	values_ratio(v, NAME_OF(asynchronous_byte_share), NULL, "",
		     (double)t->asynchronous_bytes[0] + (double)t->asynchronous_bytes[1],
		     (double)t->io.bytes[0] + (double)t->io.bytes[1], "no bytes");
	if ((from->lacks & LACK_ASYNCHRONOUS) != 0)
		values_forget(v, first, TOTALS_NO_ASYNCHRONOUS);
}

/* Requests without a known duration have no latency; without requests there are none to count. */
static void latency_summary(const struct io_time_source *from, unsigned direction,
			    struct summary_names name, struct values *v)
{
	const struct histogram *d = &from->latency->durations[direction];
	if (from->counted != NULL || is_untimed(from->totals, from->latency, direction))
		values_summary_unknown(v, name, "ns", no_times);
	else
		values_summary(v, name, "ns", d);
}

static void latency_values(const struct io_time_source *from, struct values *v)
{
	const struct latency *l = from->latency;
	latency_summary(from, 0, SUMMARY_NS("read_latency"), v);
	latency_summary(from, 1, SUMMARY_NS("write_latency"), v);
	values_ratio(v, NAME_OF(read_io_bytes_per_s), NULL, "bytes/s", (double)l->bytes[0] * 1e9,
		     (double)l->durations[0].sum, no_times);
	values_ratio(v, NAME_OF(written_io_bytes_per_s), NULL, "bytes/s", (double)l->bytes[1] * 1e9,
		     (double)l->durations[1].sum, no_times);
}

void io_time_values(const struct io_time_source *from, struct values *v)
{
	v->section = SECTION_OF(time);
	if (from->counted != NULL)
		counted_values(from, v);
	else
		busy_values(from, v);
	blocked_values(from, v);
	node_value(from->nodes, v);
	overlap_value(from, v);
	asynchronous_values(from, v);
	latency_values(from, v);
}
