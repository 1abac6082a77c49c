/* SPDX-License-Identifier: BSD-2-Clause */
#include "offsets.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

#include "requests_internal.h"
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

static void free_rows(struct offsets_row **rows)
{
	for (size_t i = 0; rows != NULL && i < OFFSET_BINS; i++)
		free(rows[i]);
	free(rows);
}

/* Stores a row in a slot, or adds it to the row in the slot. */
static void move_row(struct offsets_row **to, struct offsets_row *row)
{
	if (*to == NULL) {
		*to = row;
		return;
	}
	add_row(*to, row);
	free(row);
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
			move_row(&f->rows[slot(bin >> steps)], old[slot(bin)]);
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

/* The sample */

/* Forgets all of a file. */
static void drop(struct offsets *o, struct offsets_file *f)
{
	o->requests -= f->requests;
	free_rows(f->rows);
	*f = (struct offsets_file){.rows = NULL};
}

static void leave_out(struct offsets *o, struct offsets_file *f)
{
	drop(o, f);
	f->left_out = true;
}

/* Raises the level to at least `level`, until the requests are within the limit. */
static void limit(struct offsets *o, uint32_t level)
{
	while (o->level < level || o->requests > OFFSET_REQUESTS_MAX) {
		o->level++;
		for (size_t i = 0; i < o->file_capacity; i++)
			if (o->files[i].requests > 0 && o->files[i].level < o->level)
				leave_out(o, &o->files[i]);
	}
}

static void count_requests(struct offsets *o, struct offsets_file *f, size_t n)
{
	const size_t more = OFFSET_BINS - f->requests;
	o->requests += n < more ? n : more;
	f->requests += (uint32_t)(n < more ? n : more);
}

/* Requests */

/* Returns the row of a bin, or NULL if out of memory. */
static struct offsets_row *row_at(struct offsets_file *f, int64_t bin)
{
	if (f->rows == NULL)
		f->rows = calloc(OFFSET_BINS, sizeof(struct offsets_row *));
	if (f->rows == NULL)
		return NULL;
	if (f->rows[slot(bin)] == NULL)
		f->rows[slot(bin)] = calloc(1, sizeof **f->rows);
	return f->rows[slot(bin)];
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

static bool add_request(struct offsets *o, struct offsets_file *f, const struct io_span *span,
			size_t i)
{
	const uint64_t offset = span->offset[i], length = span->length[i];
	extend_blocks(f, offset + length - 1);
	struct offsets_row *row = row_at(f, o->latest);
	if (row == NULL)
		return false;
	count_requests(o, f, 1);
	add_bytes(row, f->shift, span->write[i], offset, offset + length);
	f->bytes = saturate_add(f->bytes, length);
	return true;
}

/* The bins contain the requests of all files, so that they do not depend on the sample. */
static bool add_requests(struct offsets *o, struct offsets_file *f, const struct io_span *span,
			 uint64_t epoch_ns)
{
	for (size_t i = 0; i < span->count; i++) {
		const uint64_t ns = epoch_ns + (uint64_t)span->start_ns[i];
		if (span->length[i] == 0 || span->offset[i] > UINT64_MAX - span->length[i])
			continue;
		if ((ns < o->from_ns || ns >= o->to_ns) && !set_latest(o, ns))
			return false;
		f->left_out |= f->level < o->level;
		if (!f->left_out && !add_request(o, f, span, i))
			return false;
	}
	return true;
}

/* Files outside of the sample of all statistics have a number in common, which is in no map. */
static bool begin_files(struct offsets *o, const struct io_batch *b)
{
	for (size_t i = 0; i < b->group_count; i++) {
		const struct io_group *g = &b->group[i];
		if (!array_reserve_index(&o->files, &o->file_capacity, g->file, sizeof *o->files))
			return false;
		struct offsets_file *f = &o->files[g->file];
		if (f->requests == 0)
			f->level = (uint8_t)file_key_level(&g->key);
		f->left_out |= g->key.omitted;
	}
	return true;
}

static bool add_batch(void *of, const struct statistic_batch *b)
{
	struct offsets *o = of;
	if (!begin_files(o, b->batch))
		return false;
	for (size_t i = 0; i < b->grouped.count; i++) {
		const struct io_span *span = &b->grouped.span[i];
		if (span_is_located(span) && (span->flags & IOT_START_UNKNOWN) == 0 &&
		    !add_requests(o, &o->files[span->file], span, b->epoch_ns))
			return false;
	}
	limit(o, 0);
	return true;
}

/* Joins */

/* Makes bins of equal width, in a span that contains both. */
static bool join_bins(struct offsets *o, struct offsets *part)
{
	return extend(o, cells_start(part->first_bin, offsets_k(part)),
		      cells_start(part->last_bin, offsets_k(part))) &&
	       (o->coarser >= part->coarser || coarsen(o, part->coarser - o->coarser)) &&
	       (part->coarser >= o->coarser || coarsen(part, o->coarser - part->coarser));
}

static bool join_rows(struct offsets_file *to, const struct offsets *part,
		      struct offsets_file *from)
{
	const unsigned shift = to->shift > from->shift ? to->shift : from->shift;
	widen_blocks(to, shift);
	widen_blocks(from, shift);
	to->bytes = saturate_add(to->bytes, from->bytes);
	for (int64_t bin = part->first_bin; from->rows != NULL && bin <= part->last_bin; bin++) {
		const struct offsets_row *more = from->rows[slot(bin)];
		struct offsets_row *row = more != NULL ? row_at(to, bin) : NULL;
		if (more != NULL && row == NULL)
			return false;
		if (more != NULL)
			add_row(row, more);
	}
	return true;
}

/* Another trace may have its files under other keys, and a sample by these. */
static bool join_file(struct offsets *o, struct offsets_file *to, const struct offsets *part,
		      struct offsets_file *from)
{
	if (to->left_out || from->left_out || to->level < o->level) {
		leave_out(o, to);
		return true;
	}
	if (!join_rows(to, part, from))
		return false;
	count_requests(o, to, from->requests);
	limit(o, 0);
	return true;
}

static bool join(void *of, void *more, const struct statistic_map *map)
{
	struct offsets *o = of, *part = more;
	if (part->any && !join_bins(o, part))
		return false;
	limit(o, part->level);
	for (size_t i = 0; i < part->file_capacity; i++) {
		if (part->files[i].requests == 0 && !part->files[i].left_out)
			continue;
		const uint32_t number = map->numbers->file[i];
		if (!array_reserve_index(&o->files, &o->file_capacity, number, sizeof *o->files))
			return false;
		o->files[number].level = (uint8_t)file_key_level(&map->file_keys[number]);
		if (!join_file(o, &o->files[number], part, &part->files[i]))
			return false;
	}
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

static void free_all(void *of)
{
	struct offsets *o = of;
	for (size_t i = 0; i < o->file_capacity; i++)
		free_rows(o->files[i].rows);
	free(o->files);
}

/* The statistic */

static bool is_needed(const struct iot_analyze_options *o)
{
	return o->offsets != 0;
}

static void sample(void *of, const struct sample_kept *k)
{
	struct offsets *o = of;
	for (size_t i = 0; i < k->files && i < o->file_capacity; i++)
		if (k->file[i] == UINT32_MAX)
			drop(o, &o->files[i]);
	SAMPLE_KEEP(o->files, o->file_capacity, k->file, k->files);
}

const struct statistic offsets_statistic = {
    .is_needed = is_needed,
    .add = add_batch,
    .join = join,
    .add_trace = join,
    .sample = sample,
    .state = offsets_state,
    .free = free_all,
};
