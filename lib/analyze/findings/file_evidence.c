/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings_without_times.h"

#include "lib/analyze/containers/saturate.h"

static void add_straggler(struct file_evidence *e, const struct row_table *t,
			  const struct table_file *f, struct table_rank rank)
{
	const uint64_t more = f->slowest_ns - f->fastest_ns;
	const double share = f->io_ns > 0 ? (double)more / (double)f->io_ns : 0;
	if (t->from.rows->busy.inexact[BUSY_IO] || share <= STRAGGLERS_MAX)
		return;
	e->stragglers++;
	if (!max_rank_take(&e->straggler, rank, more))
		return;
	e->straggler_share = share;
	e->straggler_users = f->users;
}

static void add_shared(struct file_evidence *e, const struct row_table *t,
		       const struct table_file *f, struct table_rank rank)
{
	for (unsigned d = 0; d < 2; d++) {
		e->shared_requests[d] += f->all.sums.count[d];
		e->shared_small[d] += f->small[d];
		max_rank_take(&e->small_shared[d], rank, f->small[d]);
	}
	e->shared_files += f->users == t->from.processes;
	if (f->users == t->from.processes)
		max_rank_take(&e->shared, rank, row_bytes(&f->all.sums));
	add_straggler(e, t, f, rank);
}

void file_evidence_add(struct file_evidence *e, const struct row_table *t, size_t file)
{
	const struct order *o = t->from.order;
	struct table_file f;
	struct reuse_sums reuse;
	if (!table_file(t, file, &f) || f.users == 0)
		return;
	const struct table_rank rank = table_file_rank(t, file);
	reuse_file_sums(t->from.reuse, file, &reuse);
	for (unsigned d = 0; d < 2; d++) {
		max_rank_take(&e->small[d], rank, f.small[d]);
		e->requests[d] += f.all.sums.count[d];
		e->small_requests[d] += f.small[d];
	}
	if (file < o->file_capacity)
		max_rank_take(&e->random, rank, o->files[file].pattern_requests[PATTERN_RANDOM]);
	max_rank_take(&e->reread, rank,
		      saturate_add(reuse.kind[REUSE_RE_READ], reuse.kind[REUSE_READ_AFTER_WRITE]));
	if (f.users > 1)
		add_shared(e, t, &f, rank);
}
