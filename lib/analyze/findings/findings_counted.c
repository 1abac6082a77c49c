/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings_counted.h"

#include <stdio.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/significant.h"
#include "lib/result/names.h"

enum { ALL_TIMES = 1 << COUNTERS_READ | 1 << COUNTERS_WRITE | 1 << COUNTERS_METADATA };

/* Evidence of files */

/* Counters can contradict each other: a file without requests proves nothing. */
static bool is_used(const struct counters_file *f)
{
	return f->requests[0] > 0 || f->requests[1] > 0;
}

/* Bytes read beyond the end of all that is read have been read before: a lower bound. */
static uint64_t read_again(const struct counters_file *f)
{
	return is_used(f) && f->bytes[0] > f->max_read + 1 ? f->bytes[0] - f->max_read - 1 : 0;
}

static void add_straggler(struct file_evidence *e, const struct counters_file *f,
			  struct table_rank rank, uint64_t users)
{
	if (f->slowest_fs <= f->fastest_fs || f->shared_fs == 0)
		return;
	const counters_fs more = f->slowest_fs - f->fastest_fs;
	const double share = (double)more / (double)f->shared_fs;
	if (share <= STRAGGLERS_MAX)
		return;
	e->stragglers++;
	if (!max_rank_take(&e->straggler, rank, counters_ns(more)))
		return;
	e->straggler_share = share;
	e->straggler_users = users;
}

static void add_file(struct file_evidence *e, const struct counters_file *f, struct table_rank rank,
		     uint64_t processes)
{
	if (!is_used(f))
		return;
	for (unsigned d = 0; d < 2; d++) {
		e->requests[d] = saturate_add(e->requests[d], f->requests[d]);
		e->small_requests[d] = saturate_add(e->small_requests[d], f->small[d]);
		max_rank_take(&e->small[d], rank, f->small[d]);
	}
	max_rank_take(&e->reread, rank, read_again(f));
	if (!f->shared && f->ranks <= 1)
		return;
	for (unsigned d = 0; d < 2; d++) {
		e->shared_requests[d] = saturate_add(e->shared_requests[d], f->requests[d]);
		e->shared_small[d] = saturate_add(e->shared_small[d], f->small[d]);
		max_rank_take(&e->small_shared[d], rank, f->small[d]);
	}
	add_straggler(e, f, rank, processes);
	if (!f->shared && f->ranks != processes)
		return;
	e->shared_files++;
	max_rank_take(&e->shared, rank, saturate_add(f->bytes[0], f->bytes[1]));
}

void findings_counted_files(struct file_evidence *e, const struct row_table *t)
{
	const struct counters_totals *counted = t->from.counted;
	for (size_t i = 0; i < counted->file_capacity; i++)
		if (counted->files[i].records > 0)
			add_file(e, &counted->files[i], table_file_rank(t, i), t->from.processes);
}

/* Findings */

void findings_counted_metadata(struct findings *f, const struct findings_source *from,
			       const struct run_cost *cost)
{
	char text[2][SIGNIFICANT];
	const struct counters_totals *t = from->counters->of[COUNTERS_POSIX];
	const uint64_t ranks = from->table->from.processes;
	uint64_t rank;
	const double metadata = counters_seconds(
			 counters_longest(t, 1 << COUNTERS_METADATA, ranks, &rank)),
		     all = counters_seconds(counters_longest(t, ALL_TIMES, ranks, &rank));
	if (metadata <= 0 || (metadata <= METADATA_MAX_S && metadata < METADATA_MAX * all))
		return;
	struct finding *to = finding_add(f, "metadata", metadata / all, METADATA_MAX);
	if (to == NULL)
		return;
	finding_set_seconds(to, cost, metadata);
	finding_text(to,
		     "A process is in metadata operations for %s s; the slowest one is in I/O for "
		     "%s s (threshold: 50 %%25 of that, or 30 s)",
		     significant(text[0], metadata, 3), significant(text[1], all, 3));
	to->remedy = FINDING_REMEDY_METADATA;
}

static void find_reread(struct findings *f, const struct findings_source *from,
			const struct run_cost *cost, const struct file_evidence *e)
{
	const struct counters_totals *t = from->table->from.counted;
	uint64_t again = 0;
	char size[FINDING_SIZE];
	double all;
	for (size_t i = 0; i < t->file_capacity; i++)
		again = saturate_add(again, read_again(&t->files[i]));
	if (!finding_known(from, VALUE(totals, read_bytes), NULL, &all) || all <= 0 ||
	    (double)again <= REREAD_MAX * all)
		return;
	struct finding *to = finding_add(f, "read_again", (double)again / all, REREAD_MAX);
	if (to == NULL)
		return;
	finding_set_bytes(to, again);
	finding_set_share(to, cost, to->value * cost->reads_or_writes[0]);
	finding_text(
	    to,
	    "At least %.0f %%25 of the bytes read (%s) were read before: more is read than "
	    "lies before the highest offset (threshold: 10 %%25)",
	    100 * to->value, finding_size(size, (double)again));
	finding_set_file(to, "; most of ", &e->reread);
	to->remedy = "keep the data in memory between uses";
}

static void find_misaligned(struct findings *f, const struct findings_source *from,
			    const struct run_cost *cost)
{
	const struct counters_totals *t = from->table->from.counted;
	const double requests =
			 (double)t->sum[COUNTERS_REQUESTS] + (double)t->sum[COUNTERS_REQUESTS + 1],
		     misaligned = (double)t->sum[COUNTERS_NOT_ALIGNED];
	if (requests <= 0 || t->unmeasured[COUNTERS_NOT_ALIGNED] ||
	    misaligned <= MISALIGNED_MAX * requests)
		return;
	struct finding *to = finding_add(f, "misaligned", misaligned / requests, MISALIGNED_MAX);
	if (to == NULL)
		return;
	finding_set_count(to, t->sum[COUNTERS_NOT_ALIGNED]);
	finding_set_share(to, cost, to->value * cost->both);
	finding_text(to,
		     "%.0f %%25 of the offsets are not multiples of the alignment of their file "
		     "(threshold: 10 %%25)",
		     100 * to->value);
	to->remedy = "align records and blocks to the blocks of the file system";
}

/* Known if no file has a record of all ranks with bytes. */
static bool bytes_of_ranks(const struct counters_totals *t, uint64_t processes, uint64_t *min,
			   uint64_t *max)
{
	uint64_t sum = 0;
	*min = t->rank_map.count < processes ? 0 : UINT64_MAX;
	*max = 0;
	for (size_t i = 0; i < t->rank_map.count; i++) {
		const uint64_t bytes = t->ranks[i].bytes;
		sum = saturate_add(sum, bytes);
		*min = bytes < *min ? bytes : *min;
		*max = bytes > *max ? bytes : *max;
	}
	return sum == saturate_add(t->sum[COUNTERS_BYTES], t->sum[COUNTERS_BYTES + 1]);
}

static void find_imbalance(struct findings *f, const struct findings_source *from,
			   const struct run_cost *cost)
{
	char text[SIGNIFICANT];
	const struct table_source *t = &from->table->from;
	uint64_t min, max;
	double all;
	if (t->processes < 2 || !bytes_of_ranks(t->counted, t->processes, &min, &max) ||
	    !finding_known(from, VALUE(totals, bytes), NULL, &all) ||
	    (double)(max - min) <= IMBALANCE_MAX * (double)max)
		return;
	struct finding *to =
	    finding_add(f, "imbalance", (double)(max - min) / (double)max, IMBALANCE_MAX);
	if (to == NULL)
		return;
	const double mean = all / (double)t->processes;
	finding_set_share(to, cost, (1 - mean / (double)max) * cost->both);
	finding_text(to,
		     "The process with the fewest bytes has %.0f %%25 fewer than the one with most "
		     "(threshold: 30 %%25), which has %s times the mean",
		     100 * to->value, significant(text, (double)max / mean, 3));
	to->remedy = "distribute the data evenly over the processes";
}

static void find_rank_0(struct findings *f, const struct findings_source *from,
			const struct run_cost *cost)
{
	const struct table_source *t = &from->table->from;
	uint64_t min, max;
	double all;
	if (t->processes < 2 || !finding_known(from, VALUE(totals, bytes), NULL, &all) || all <= 0)
		return;
	(void)bytes_of_ranks(t->counted, t->processes, &min, &max);
	if ((double)max < RANK_0_MIN * all)
		return;
	struct finding *to = finding_add(f, "rank_0", (double)max / all, RANK_0_MIN);
	if (to == NULL)
		return;
	finding_set_share(to, cost, (1 - 1 / (double)t->processes) * cost->both);
	finding_text(to,
		     "A process has %.2f %%25 of the bytes of %ju processes (threshold: 99 %%25)",
		     100 * to->value, (uintmax_t)t->processes);
	to->remedy = FINDING_REMEDY_RANK_0;
}

void findings_counted(struct findings *f, const struct findings_source *from,
		      const struct run_cost *cost, const struct file_evidence *e)
{
	find_reread(f, from, cost, e);
	find_rank_0(f, from, cost);
	find_imbalance(f, from, cost);
	find_misaligned(f, from, cost);
}
