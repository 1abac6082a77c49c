/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of a run is I/O: the bound of what findings can save. */
#include "lib/result/names.h"

#include "finding.h"

/* The longest time of a process, by kind; all 0 if not known. */
struct longest_times {
	double seconds[4]; /* in reads, writes, both, and these and operations */
};

static struct longest_times counted_times(const struct counters_totals *t, uint64_t processes)
{
	static const unsigned kinds[4] = {
	    1 << COUNTERS_READ, 1 << COUNTERS_WRITE, 1 << COUNTERS_READ | 1 << COUNTERS_WRITE,
	    1 << COUNTERS_READ | 1 << COUNTERS_WRITE | 1 << COUNTERS_METADATA};
	struct longest_times times;
	uint64_t rank;
	for (unsigned i = 0; i < 4; i++)
		times.seconds[i] =
		    counters_seconds(counters_longest(t, kinds[i], processes, &rank));
	return times;
}

/* Asynchronous requests do not block a process, so times of others do not bound what is saved. */
static struct longest_times busy_times(const struct findings_source *from)
{
	static const enum busy_kind kinds[4] = {BUSY_READ, BUSY_WRITE, BUSY_IO, BUSY_ALL};
	const struct busy *b = from->table->from.busy;
	struct longest_times times = {{0, 0, 0, 0}};
	if (finding_asynchronous(from))
		return times;
	for (unsigned i = 0; i < 4; i++)
		if (b->inexact[kinds[i]])
			return (struct longest_times){{0, 0, 0, 0}};
		else
			times.seconds[i] = (double)busy_max(b, kinds[i]) / 1e9;
	return times;
}

static double share_of(double part, double whole)
{
	return whole <= 0 ? 0 : part < whole ? part / whole : 1;
}

struct run_cost run_cost_of(const struct findings_source *from)
{
	const struct table_source *t = &from->table->from;
	const struct longest_times times =
	    t->counted != NULL ? counted_times(t->counted, t->processes) : busy_times(from);
	struct run_cost cost = {.seconds = 0};
	double bytes;
	if (!finding_known(from, VALUE(trace, run_time_s), NULL, &cost.seconds))
		cost.seconds = 0;
	if (times.seconds[3] > cost.seconds)
		cost.seconds =
		    times.seconds[3]; /* such as of a job whose times are whole seconds */
	if (!finding_known(from, VALUE(totals, bytes), NULL, &cost.bytes))
		cost.bytes = 0;
	cost.timed = cost.seconds > 0 && times.seconds[2] > 0;
	for (unsigned d = 0; d < 2; d++)
		if (cost.timed)
			cost.reads_or_writes[d] = share_of(times.seconds[d], cost.seconds);
		else if (finding_known_of(from, VALUE(totals, bytes), d, NULL, &bytes))
			cost.reads_or_writes[d] = share_of(bytes, cost.bytes);
	cost.both = cost.timed ? share_of(times.seconds[2], cost.seconds) : 1;
	return cost;
}
