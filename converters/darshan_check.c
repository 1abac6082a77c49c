/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --check: reads, writes and bytes of the segments of a file and rank against its counters. A record
 * that was reduced over all ranks is compared with the sum of theirs.
 */
#include "darshan.h"

#include <stdio.h>

static unsigned layer_of(unsigned module)
{
	if (module == DARSHAN_POSIX)
		return DARSHAN_LAYER_POSIX;
	return module == DARSHAN_MPIIO ? DARSHAN_LAYER_MPIIO : 0;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n >= m && strcmp(name + n - m, end) == 0;
}

/* MPI-IO counts independent, collective, split and non-blocking calls apart. */
static uint64_t *total_for(struct darshan_totals *t, unsigned module, const char *name)
{
	const bool mpiio = module == DARSHAN_MPIIO;
	if (ends_in(name, "_BYTES_READ"))
		return &t->bytes_read;
	if (ends_in(name, "_BYTES_WRITTEN"))
		return &t->bytes_written;
	if (mpiio ? ends_in(name, "_READS") : strcmp(name, "POSIX_READS") == 0)
		return &t->reads;
	if (mpiio ? ends_in(name, "_WRITES") : strcmp(name, "POSIX_WRITES") == 0)
		return &t->writes;
	return NULL;
}

void iot_darshan_check_counters(struct darshan *d, unsigned module, uint64_t id, int64_t rank,
				const char *name, int64_t value)
{
	unsigned layer = layer_of(module);
	if ((d->layers & layer) == 0)
		return;
	uint32_t file = iot_darshan_file(d, layer, rank, id);
	if (file == 0)
		return;
	struct darshan_file *f = &d->file[file - 1];
	uint64_t *total = total_for(&f->said, module, name);
	f->counted = true;
	if (total != NULL && value > 0)
		*total += (uint64_t)value;
}

static void compare(struct darshan *d, const struct darshan_file *f)
{
	const struct {
		const char *what;
		uint64_t said, seen;
	} totals[] = {{"reads", f->said.reads, f->seen.reads},
		      {"writes", f->said.writes, f->seen.writes},
		      {"bytes read", f->said.bytes_read, f->seen.bytes_read},
		      {"bytes written", f->said.bytes_written, f->seen.bytes_written}};
	struct iot_text path = iot_darshan_name(d, f->id);
	char where[512], rank[32] = "all ranks";
	if (f->rank >= 0)
		snprintf(rank, sizeof rank, "rank %lld", (long long)f->rank);
	if (path.size > 0)
		snprintf(where, sizeof where, "%s, %s, %.*s",
			 f->layer == DARSHAN_LAYER_POSIX ? "POSIX" : "MPI-IO", rank,
			 (int)(path.size < 400 ? path.size : 400), path.data);
	else
		snprintf(where, sizeof where, "%s, %s, record %llu",
			 f->layer == DARSHAN_LAYER_POSIX ? "POSIX" : "MPI-IO", rank,
			 (unsigned long long)f->id);
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
		if (totals[i].said != totals[i].seen)
			iot_report_differs(&d->src->report, where, totals[i].what, totals[i].said,
					   totals[i].seen);
	iot_darshan_count(d, "check.compared", 1);
}

void iot_darshan_check(struct darshan *d)
{
	/* What ranks did that have no counters of their own belongs to those of all. */
	for (size_t i = 0; i < d->files; i++) {
		const struct darshan_file *f = &d->file[i];
		uint32_t all = f->rank >= 0 && !f->counted
				   ? iot_darshan_find(&d->file_ids, f->id, f->layer)
				   : 0;
		if (all == 0 || !d->file[all - 1].counted)
			continue;
		struct darshan_totals *sum = &d->file[all - 1].seen;
		sum->reads += f->seen.reads;
		sum->writes += f->seen.writes;
		sum->bytes_read += f->seen.bytes_read;
		sum->bytes_written += f->seen.bytes_written;
		d->file[i].counted = true;
		d->file[i].said = f->seen;
	}
	for (size_t i = 0; i < d->files; i++)
		if ((d->seen_layers & d->file[i].layer) != 0)
			compare(d, &d->file[i]);
}
