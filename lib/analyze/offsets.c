/* SPDX-License-Identifier: BSD-2-Clause */
#include "offsets.h"

#include <stdlib.h>

#include "lib/base/array.h"

#include "saturate.h"
#include "statistic.h"

static int offsets_k(const struct offsets *o)
{
	return CELLS_K - o->coarser;
}

static size_t slot(int64_t bin)
{
	return (uint64_t)bin % OFFSET_BINS;
}

static void add_row(struct offsets_row *to, const struct offsets_row *from)
{
	for (size_t i = 0; i < OFFSET_BLOCKS; i++)
		for (unsigned d = 0; d < 2; d++)
			to->bytes[i][d] = saturate_add(to->bytes[i][d], from->bytes[i][d]);
}

static void drop_rows(struct offsets *o, struct offsets_file *f)
{
	for (size_t i = 0; f->rows != NULL && i < OFFSET_BINS; i++) {
		o->rows -= f->rows[i] != NULL;
		free(f->rows[i]);
	}
	free(f->rows);
	f->rows = NULL;
}

/* Stores a row in a slot, or adds it to the row in the slot. */
static void move_row(struct offsets *o, struct offsets_row **to, struct offsets_row *row)
{
	if (*to == NULL) {
		*to = row;
		return;
	}
	add_row(*to, row);
	free(row);
	o->rows--;
}

/* Wider bins and blocks */

static bool widen_bins(struct offsets *o, struct offsets_file *f, int steps)
{
	struct offsets_row **old = f->rows;
	if (old == NULL)
		return true;
	f->rows = calloc(OFFSET_BINS, sizeof(struct offsets_row *));
	if (f->rows == NULL) {
		f->rows = old;
		return false;
	}
	for (int64_t bin = o->first_bin; bin <= o->last_bin; bin++)
		if (old[slot(bin)] != NULL)
			move_row(o, &f->rows[slot(bin >> steps)], old[slot(bin)]);
	free(old);
	return true;
}

static bool coarsen(struct offsets *o, int steps)
{
	for (size_t i = 0; i < o->file_capacity && steps > 0 && o->any; i++)
		if (!widen_bins(o, &o->files[i], steps))
			return false;
	o->coarser += steps;
	o->first_bin >>= steps;
	o->last_bin >>= steps;
	o->from_ns = o->to_ns = 0;
	return true;
}

/* Coarsens until the bins of an interval, both ends included, can be added. */
static bool extend(struct offsets *o, uint64_t from_ns, uint64_t to_ns)
{
	struct bin_span span = {o->first_bin, o->last_bin, o->any};
	const int steps = bin_span_extend(&span, offsets_k(o), from_ns, to_ns, OFFSET_BINS);
	if (!coarsen(o, steps))
		return false;
	o->first_bin = span.first;
	o->last_bin = span.last;
	o->any = true;
	return true;
}

static void widen_row(struct offsets_row *row, unsigned steps)
{
	struct offsets_row to = {.bytes = {{0}}};
	for (size_t i = 0; i < OFFSET_BLOCKS; i++)
		for (unsigned d = 0; d < 2; d++) {
			uint64_t *sum = &to.bytes[i >> steps][d];
			*sum = saturate_add(*sum, row->bytes[i][d]);
		}
	*row = to;
}

static void widen_blocks(struct offsets_file *f, unsigned shift)
{
	const unsigned steps = shift - f->shift;
	for (size_t i = 0; f->rows != NULL && steps > 0 && i < OFFSET_BINS; i++)
		if (f->rows[i] != NULL)
			widen_row(f->rows[i], steps);
	f->shift = shift;
}

static void extend_blocks(struct offsets_file *f, uint64_t last)
{
	unsigned shift = f->shift;
	while (last >> shift >= OFFSET_BLOCKS)
		shift++;
	if (shift > f->shift)
		widen_blocks(f, shift);
}

/* The limit of rows */

struct by_bytes {
	uint64_t bytes;
	size_t file;
};

/* Ascending. */
static int compare(const void *left, const void *right)
{
	const struct by_bytes *a = left, *b = right;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return a->file > b->file ? -1 : a->file < b->file;
}

/* The files with rows, ascending. Returns NULL if out of memory. */
static struct by_bytes *sorted_files(const struct offsets *o, size_t *count)
{
	struct by_bytes *list = malloc((o->file_capacity + 1) * sizeof *list);
	*count = 0;
	for (size_t i = 0; i < o->file_capacity && list != NULL; i++)
		if (o->files[i].rows != NULL)
			list[(*count)++] = (struct by_bytes){o->files[i].bytes, i};
	if (list != NULL)
		qsort(list, *count, sizeof *list, compare);
	return list;
}

/* Leaves out files with the fewest bytes, to half of the limit. */
static bool leave_out(struct offsets *o)
{
	size_t count;
	struct by_bytes *list = sorted_files(o, &count);
	for (size_t i = 0; list != NULL && i < count && o->rows > OFFSET_ROWS_MAX / 2; i++) {
		drop_rows(o, &o->files[list[i].file]);
		o->files[list[i].file].left_out = true;
	}
	free(list);
	return list != NULL;
}

/* Requests */

/* Stores the row of a bin, NULL if the file is left out. Returns false if out of memory. */
static bool row_at(struct offsets *o, struct offsets_file *f, int64_t bin, struct offsets_row **row)
{
	*row = f->rows != NULL ? f->rows[slot(bin)] : NULL;
	if (*row != NULL)
		return true;
	if (o->rows >= OFFSET_ROWS_MAX && !leave_out(o))
		return false;
	if (f->left_out)
		return true;
	if (f->rows == NULL)
		f->rows = calloc(OFFSET_BINS, sizeof(struct offsets_row *));
	if (f->rows == NULL)
		return false;
	*row = f->rows[slot(bin)] = calloc(1, sizeof **row);
	o->rows += *row != NULL;
	return *row != NULL;
}

/* The bytes [at, end). */
static void add_bytes(struct offsets_row *row, unsigned shift, bool write, uint64_t at,
		      uint64_t end)
{
	while (at < end) {
		const uint64_t block = at >> shift, next = (block + 1) << shift;
		const uint64_t to = next < end && next > at ? next : end;
		uint64_t *sum = &row->bytes[block][write];
		*sum = saturate_add(*sum, to - at);
		at = to;
	}
}

static bool set_latest(struct offsets *o, uint64_t ns)
{
	if (!extend(o, ns, ns))
		return false;
	const int k = offsets_k(o);
	o->latest = cells_bin(ns, k);
	o->from_ns = cells_start(o->latest, k);
	o->to_ns = cells_start(o->latest + 1, k);
	if (o->to_ns <= ns)
		o->to_ns = UINT64_MAX;
	return true;
}

static bool add_requests(struct offsets *o, struct offsets_file *f, const struct io_span *span,
			 uint64_t epoch_ns)
{
	struct offsets_row *row;
	for (size_t i = 0; i < span->count && !f->left_out; i++) {
		const uint64_t offset = span->offset[i], length = span->length[i];
		const uint64_t ns = epoch_ns + (uint64_t)span->start_ns[i];
		if (length == 0 || offset > UINT64_MAX - length)
			continue;
		if ((ns < o->from_ns || ns >= o->to_ns) && !set_latest(o, ns))
			return false;
		extend_blocks(f, offset + length - 1);
		if (!row_at(o, f, o->latest, &row))
			return false;
		if (row == NULL)
			continue;
		add_bytes(row, f->shift, span->write[i], offset, offset + length);
		f->bytes = saturate_add(f->bytes, length);
	}
	return true;
}

bool offsets_add(struct offsets *o, const struct io_spans *grouped, uint64_t epoch_ns)
{
	for (size_t i = 0; i < grouped->count; i++) {
		const struct io_span *span = &grouped->span[i];
		if (!span_is_located(span) || (span->flags & IOT_START_UNKNOWN) != 0)
			continue;
		if (!array_reserve_index(&o->files, &o->file_capacity, span->file,
					 sizeof *o->files) ||
		    !add_requests(o, &o->files[span->file], span, epoch_ns))
			return false;
	}
	return true;
}

/* Joins */

static bool join_row(struct offsets *o, struct offsets_file *to, int64_t bin,
		     struct offsets_row *from)
{
	struct offsets_row *row;
	if (!row_at(o, to, bin, &row))
		return false;
	if (row != NULL)
		add_row(row, from);
	return true;
}

static bool join_file(struct offsets *o, size_t number, const struct offsets *part,
		      struct offsets_file *from)
{
	if (!array_reserve_index(&o->files, &o->file_capacity, number, sizeof *o->files))
		return false;
	struct offsets_file *to = &o->files[number];
	const unsigned shift = to->shift > from->shift ? to->shift : from->shift;
	if (from->left_out) {
		drop_rows(o, to);
		to->left_out = true;
	}
	widen_blocks(to, shift);
	widen_blocks(from, shift);
	to->bytes = saturate_add(to->bytes, from->bytes);
	for (int64_t bin = part->first_bin; from->rows != NULL && bin <= part->last_bin; bin++)
		if (from->rows[slot(bin)] != NULL &&
		    !join_row(o, &o->files[number], bin, from->rows[slot(bin)]))
			return false;
	return true;
}

bool offsets_join(struct offsets *o, struct offsets *part, const uint32_t *file)
{
	if (!part->any)
		return true;
	if (!extend(o, cells_start(part->first_bin, offsets_k(part)),
		    cells_start(part->last_bin, offsets_k(part))))
		return false;
	if (o->coarser < part->coarser && !coarsen(o, part->coarser - o->coarser))
		return false;
	if (part->coarser < o->coarser && !coarsen(part, o->coarser - part->coarser))
		return false;
	for (size_t i = 0; i < part->file_capacity; i++)
		if ((part->files[i].rows != NULL || part->files[i].left_out) &&
		    !join_file(o, file[i], part, &part->files[i]))
			return false;
	return true;
}

/* Results */

static bool add_cell(struct offsets_map *map, uint32_t bin, uint32_t block, const uint64_t bytes[2])
{
	if (bytes[0] == 0 && bytes[1] == 0)
		return true;
	if (!array_reserve(&map->cells, &map->capacity, map->count + 1, sizeof *map->cells))
		return false;
	map->cells[map->count++] =
	    (struct iot_analyze_offset_cell){bin, block, {bytes[0], bytes[1]}};
	return true;
}

bool offsets_map(const struct offsets *o, size_t file, struct offsets_map *map)
{
	const struct offsets_file *f = &o->files[file];
	map->count = 0;
	map->bins = (size_t)(o->last_bin - o->first_bin) + 1;
	map->first_ns = cells_start(o->first_bin, offsets_k(o));
	map->width_s = 1;
	for (int k = offsets_k(o); k > 0; k--)
		map->width_s /= 2;
	for (int k = offsets_k(o); k < 0; k++)
		map->width_s *= 2;
	map->block_bytes = (uint64_t)1 << f->shift;
	for (size_t bin = 0; bin < map->bins; bin++) {
		const struct offsets_row *row = f->rows[slot(o->first_bin + (int64_t)bin)];
		for (size_t i = 0; row != NULL && i < OFFSET_BLOCKS; i++)
			if (!add_cell(map, (uint32_t)bin, (uint32_t)i, row->bytes[i]))
				return false;
	}
	return true;
}

void offsets_drop(struct offsets *o, size_t file)
{
	drop_rows(o, &o->files[file]);
}

void offsets_free(struct offsets *o)
{
	for (size_t i = 0; i < o->file_capacity; i++)
		drop_rows(o, &o->files[i]);
	free(o->files);
}

/* The statistic */

static bool is_needed(const struct iot_analyze_options *o)
{
	return o->offsets != 0;
}

static bool add_batch(void *of, const struct statistic_batch *b)
{
	return offsets_add(of, &b->grouped, b->epoch_ns);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return offsets_join(of, part, map->numbers->file);
}

static void sample(void *of, const struct sample_kept *k)
{
	struct offsets *o = of;
	for (size_t i = 0; i < k->files && i < o->file_capacity; i++)
		if (k->file[i] == UINT32_MAX)
			offsets_drop(o, i);
	SAMPLE_KEEP(o->files, o->file_capacity, k->file, k->files);
}

static void state(struct state *s, void *of, const struct requests *r)
{
	(void)r;
	offsets_state(s, of);
}

static void free_all(void *of)
{
	offsets_free(of);
}

const struct statistic offsets_statistic = {
    .is_needed = is_needed,
    .add = add_batch,
    .join = join,
    .add_trace = join,
    .sample = sample,
    .state = state,
    .free = free_all,
};
