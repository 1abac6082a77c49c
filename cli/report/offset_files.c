/* SPDX-License-Identifier: BSD-2-Clause */
#include "offset_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double offset_file_share(const struct offset_file *f, const struct iot_analyze_offset_cell *c,
			 unsigned direction)
{
	return (double)c->bytes[direction] / (double)f->map.block_bytes;
}

static void add_cell(struct offset_files *all, struct offset_file *f,
		     const struct iot_analyze_offset_cell *c)
{
	f->blocks = c->block >= f->blocks ? c->block + 1 : f->blocks;
	for (unsigned d = 0; d < 2; d++) {
		const double share = offset_file_share(f, c, d);
		if (share <= 0)
			continue;
		all->has[d] = f->has[d] = true;
		all->max = fmax(all->max, share);
		all->min = all->min > 0 ? fmin(all->min, share) : share;
	}
}

/* Bins and blocks, combined by powers of two so that a pane of a plot can show them. */
struct reduction {
	uint32_t bins_max, blocks_max;
	unsigned bin_shift, block_shift;
	uint64_t (*bytes)[2]; /* by bin, then by block */
};

static void begin_reduction(struct reduction *r, const struct offset_file *f)
{
	uint32_t blocks = 0;
	for (size_t i = 0; i < f->map.count; i++)
		blocks = f->map.cells[i].block >= blocks ? f->map.cells[i].block + 1 : blocks;
	r->bin_shift = r->block_shift = 0;
	while ((f->map.bins - 1) >> r->bin_shift >= r->bins_max)
		r->bin_shift++;
	while (blocks > 0 && (blocks - 1) >> r->block_shift >= r->blocks_max)
		r->block_shift++;
	memset(r->bytes, 0, (size_t)r->bins_max * r->blocks_max * sizeof *r->bytes);
}

static void copy_cells(struct iot_analyze_offset_cell *to, struct offset_file *f,
		       const struct reduction *r)
{
	size_t n = 0;
	for (uint32_t bin = 0; bin < r->bins_max; bin++)
		for (uint32_t block = 0; block < r->blocks_max; block++) {
			const uint64_t *bytes = r->bytes[bin * r->blocks_max + block];
			if (bytes[0] > 0 || bytes[1] > 0)
				to[n++] = (struct iot_analyze_offset_cell){
				    bin, block, {bytes[0], bytes[1]}};
		}
	f->map.cells = to;
	f->map.count = n;
}

/* Replaces the cells by a copy in coarser bins and blocks. Returns false if out of memory. */
static bool reduce(struct offset_file *f, struct reduction *r)
{
	struct iot_analyze_offset_cell *to = calloc(f->map.count + 1, sizeof *to);
	if (to == NULL)
		return false;
	begin_reduction(r, f);
	for (size_t i = 0; i < f->map.count; i++) {
		const struct iot_analyze_offset_cell *c = &f->map.cells[i];
		uint64_t *sum = r->bytes[(c->bin >> r->bin_shift) * r->blocks_max +
					 (c->block >> r->block_shift)];
		sum[0] += c->bytes[0];
		sum[1] += c->bytes[1];
	}
	copy_cells(to, f, r);
	f->map.bins = ((f->map.bins - 1) >> r->bin_shift) + 1;
	f->map.width_s *= (double)(1u << r->bin_shift);
	f->map.block_bytes <<= r->block_shift;
	return true;
}

static int add_file(struct offset_files *all, struct iot_analyze *a, struct reduction *r)
{
	struct offset_file *f = &all->file[all->count];
	const int status = iot_analyze_offsets(a, all->count, &f->map);
	if (status != IOT_OK)
		return status;
	if (!reduce(f, r))
		return IOT_ENOMEM;
	snprintf(f->key, sizeof f->key, "%.*s", (int)f->map.key.size, f->map.key.data);
	for (size_t i = 0; i < f->map.count; i++)
		add_cell(all, f, &f->map.cells[i]);
	all->count++;
	return IOT_OK;
}

int offset_files_make(struct offset_files *f, struct iot_analyze *a)
{
	enum { BINS = 128, BLOCKS = 64 };
	struct reduction r = {BINS, BLOCKS, 0, 0, calloc((size_t)BINS * BLOCKS, sizeof *r.bytes)};
	int status = r.bytes != NULL ? IOT_OK : IOT_ENOMEM;
	*f = (struct offset_files){.count = 0};
	while (status == IOT_OK && f->count < OFFSET_FILES)
		status = add_file(f, a, &r);
	free(r.bytes);
	return status == IOT_EUSAGE ? IOT_OK : status;
}

void offset_files_free(struct offset_files *f)
{
	for (size_t i = 0; i < f->count; i++)
		free((void *)f->file[i].map.cells);
	f->count = 0;
}
