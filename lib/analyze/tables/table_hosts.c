/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of hosts whose counters are sampled, if the trace has nothing else. */
#include <string.h>

#include "lib/analyze/hosts/host_values.h"
#include "lib/result/names.h"

#include "tables.h"

static struct row_sums sums_of(const struct sample_sums *s)
{
	return (struct row_sums){
	    .count = {[ROW_READS] = s->sum[SAMPLE_READS], [ROW_WRITES] = s->sum[SAMPLE_WRITES]},
	    .bytes = {s->sum[SAMPLE_READ_BYTES], s->sum[SAMPLE_WRITTEN_BYTES]}};
}

bool table_rank_sampled_hosts(struct row_table *t)
{
	const struct host_samples *h = t->from.samples;
	for (size_t i = 0; i < h->numbers.count; i++) {
		const struct counted_host *host = &h->host[i];
		const struct table_rank rank = {.name = {host->name, strlen(host->name)},
						.number = (uint32_t)i};
		const struct row_sums sums = sums_of(&host->sums);
		if (!table_add_rank(t, rank, &sums))
			return false;
	}
	return true;
}

void table_sampled_host_values(const struct row_table *t, size_t host, struct values *v)
{
	const struct sample_sums *s = &t->from.samples->host[host].sums;
	const struct table_sums sums = {.sums = sums_of(s)};
	values_number(v, NAME_OF(processes), NULL, "", 0);
	table_sums_values(t, NULL, &sums, t->from.busy, v);
	host_samples_correct_row(s, v);
}
