/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of each row: the changes of the total while a call of the row runs. */
#include "sim_internal.h"

/* Members of struct timing_row and of struct timing_result. */
/* clang-format off */
#define SUMS(_)                                                                                   \
	_(reads) _(writes) _(read_bytes) _(written_bytes)                                         \
	_(read_hit_blocks) _(read_prefetched_blocks) _(read_miss_blocks)                          \
	_(write_hit_blocks) _(write_miss_blocks) _(prefetched_blocks)                             \
	_(device_reads) _(device_writes) _(device_read_bytes) _(device_written_bytes)
/* clang-format on */

struct timing_row rows_snapshot(const struct sim *s)
{
#define COPY(name) .name = s->result->name,
	return (struct timing_row){SUMS(COPY)};
#undef COPY
}

void rows_count(struct sim *s, const struct task *t, const struct timing_row *before)
{
	struct timing_row *row = &s->result->rows[t->row];
#define ADD(name) row->name += s->result->name - before->name;
	SUMS(ADD)
#undef ADD
}

void rows_begin(struct sim *s, const struct task *t, uint64_t think_ns)
{
	if (t->row != ROW_NONE)
		s->result->rows[t->row].think_ns += think_ns;
}

void rows_wait(struct sim *s, const struct task *t, uint64_t ns)
{
	if (t->row != ROW_NONE)
		s->result->rows[t->row].wait_ns += ns;
}
