/* SPDX-License-Identifier: BSD-2-Clause */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

#include "cells_halve.h"
#include "pace.h"

/* Rows */

static void cell_add(struct cell *to, const struct cell *more)
{
	for (unsigned d = 0; d < 2; d++) {
		to->requests[d] += more->requests[d];
		to->bytes[d] = saturate_add(to->bytes[d], more->bytes[d]);
	}
}

/* Returns the order of a cell relative to a bin and a level. */
static int compare(const struct cell *a, int64_t bin, uint8_t level)
{
	if (a->bin != bin)
		return a->bin < bin ? -1 : 1;
	return a->level < level ? -1 : a->level > level;
}

static bool is_of(const struct cell *a, int64_t bin, uint8_t level)
{
	return a->bin == bin && a->level == level;
}

static int by_bin(const void *left, const void *right)
{
	const struct cell *b = right;
	return compare(left, b->bin, b->level);
}

/* Combines neighbours of one bin and level. */
static void row_combine(struct cells_row *r)
{
	struct cell *last = NULL, *to = r->cell;
	r->pieces = 0;
	for (size_t i = 0; i < r->count; i++) {
		if (last != NULL && is_of(last, r->cell[i].bin, r->cell[i].level)) {
			cell_add(last, &r->cell[i]);
			continue;
		}
		last = to++;
		*last = r->cell[i];
		r->pieces += last->level > 0;
	}
	r->count = (size_t)(to - r->cell);
}

/* Sorts the cells of a row; groups of 2^steps bins have become one. */
static void row_sort(struct cells *c, struct cells_row *r, int steps)
{
	if (r->sorted == r->count && steps == 0)
		return;
	if (r->sorted != r->count || r->pieces > 0)
		qsort(r->cell, r->count, sizeof *r->cell, by_bin);
	c->sorted -= r->sorted;
	c->pieces -= r->pieces;
	row_combine(r);
	r->sorted = r->count;
	c->sorted += r->sorted;
	c->pieces += r->pieces;
	r->from_ns = r->to_ns = 0;
}

static void cell_coarsen(struct cell *cell, int steps)
{
	cell->bin >>= steps;
	cell->level = cell->level > steps ? (uint8_t)(cell->level - steps) : 0;
}

/* Adds groups of 2^steps bins of a row without pieces, in one pass. */
static size_t combine_bins(struct cell *cell, size_t count, int steps)
{
	size_t to = 0;
	cell[0].bin >>= steps;
	for (size_t i = 1; i < count; i++) {
		const int64_t bin = cell[i].bin >> steps;
		if (bin == cell[to].bin) {
			cell_add(&cell[to], &cell[i]);
			continue;
		}
		cell[++to] = cell[i];
		cell[to].bin = bin;
	}
	return to + 1;
}

static void row_coarsen(struct cells *c, struct cells_row *r, int steps)
{
	if (r->count == 0)
		return;
	if (r->pieces == 0 && r->sorted == r->count) {
		const size_t count = combine_bins(r->cell, r->count, steps);
		c->sorted -= r->count - count;
		r->count = r->sorted = count;
		r->from_ns = r->to_ns = 0;
		return;
	}
	for (size_t i = 0; i < r->count; i++)
		cell_coarsen(&r->cell[i], steps);
	row_sort(c, r, steps);
}

/* Adds groups of 2^steps bins. */
static void coarsen(struct cells *c, int steps)
{
	c->coarser += steps;
	c->first_bin >>= steps;
	c->last_bin >>= steps;
	for (size_t i = 0; i < c->row_capacity; i++)
		row_coarsen(c, &c->rows[i], steps);
}

/*
 * The index of the first sorted cell that is not before a bin and level; it is likely to be near
 * the end.
 */
static size_t row_find(const struct cells_row *r, int64_t bin, uint8_t level)
{
	size_t from = 0, to = r->sorted;
	for (size_t n = 1; n <= to; n *= 2)
		if (compare(&r->cell[to - n], bin, level) < 0) {
			from = to - n + 1;
			break;
		} else {
			to -= n;
		}
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (compare(&r->cell[middle], bin, level) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Inserts a cell at an index; in order: all cells are, and it is in its place among them. */
static struct cell *row_insert(struct cells *c, uint32_t process, size_t at, bool in_order,
			       int64_t bin, uint8_t level)
{
	struct cells_row *r = &c->rows[process];
	if (!array_reserve(&r->cell, &r->capacity, r->count + 1, sizeof *r->cell))
		return NULL;
	r->sorted += in_order;
	c->sorted += in_order;
	r->pieces += in_order && level > 0;
	c->pieces += in_order && level > 0;
	memmove(&r->cell[at + 1], &r->cell[at], (r->count - at) * sizeof *r->cell);
	r->cell[at] = (struct cell){.process = process, .level = level, .bin = bin};
	r->count++;
	r->from_ns = r->to_ns = 0;
	return &r->cell[at];
}

/*
 * Adds a cell that is not among the sorted ones: in its place if few cells have to move, or at the
 * end. Unsorted cells are few, so that memory and the number of cells stay within their limits.
 */
static struct cell *row_add(struct cells *c, uint32_t process, int64_t bin, uint8_t level)
{
	struct cells_row *r = &c->rows[process];
	if (r->count - r->sorted > r->sorted / 2 + 4)
		row_sort(c, r, 0);
	const bool sorted = r->sorted == r->count;
	const size_t at = sorted ? row_find(r, bin, level) : r->count;
	if (at < r->count && is_of(&r->cell[at], bin, level)) /* it was unsorted */
		return &r->cell[at];
	const bool in_order = sorted && r->count - at <= CELLS_MOVED;
	return row_insert(c, process, in_order ? at : r->count, in_order, bin, level);
}

/* Returns the sorted cell of a bin and level near index *i, which it moves there, or NULL. */
static struct cell *row_next(const struct cells_row *r, size_t *i, int64_t bin, uint8_t level)
{
	const size_t near = *i + 4 < r->sorted ? *i + 4 : r->sorted;
	while (*i < near && compare(&r->cell[*i], bin, level) < 0)
		++*i;
	if (*i >= near)
		*i = row_find(r, bin, level);
	return *i < r->sorted && is_of(&r->cell[*i], bin, level) ? &r->cell[*i] : NULL;
}

/* Returns NULL if out of memory. */
static struct cell *cell_of(struct cells *c, uint32_t process, int64_t bin, uint8_t level)
{
	const struct cells_row *r = &c->rows[process];
	for (size_t i = r->count; i > 0 && i + 4 > r->count; i--)
		if (is_of(&r->cell[i - 1], bin, level))
			return &r->cell[i - 1];
	if (r->count > 0 && compare(&r->cell[r->count - 1], bin, level) > 0) {
		const size_t i = row_find(r, bin, level);
		if (i < r->sorted && is_of(&r->cell[i], bin, level))
			return &r->cell[i];
	}
	return row_add(c, process, bin, level);
}

/* Requests */

/* Coarsens until the bins of an interval can be added. */
static void extend(struct cells *c, uint64_t from_ns, uint64_t to_ns)
{
	struct bin_span span = {c->first_bin, c->last_bin, c->sorted > 0};
	const int steps = bin_span_extend(&span, cells_k(c), from_ns, to_ns, CELLS_BINS_MAX);
	if (steps > 0)
		coarsen(c, steps);
	c->first_bin = span.first;
	c->last_bin = span.last;
}

/* The smallest pieces, of 2^level bins, of which a duration has up to CELLS_PIECES_MAX. */
static uint8_t level_of(uint64_t duration_ns, int k)
{
	const uint128 max = (uint128)CELLS_PIECES_MAX * CELLS_NS_PER_S;
	uint8_t level = 0;
	for (; k > 0 && (uint128)duration_ns << k > max; k--)
		level++;
	for (; k <= 0 && (uint128)duration_ns > max << -k; k--)
		level++;
	return level;
}

/* Adds to the cell of a bin near index *at, and stores the index after it. */
static bool add_bytes(struct cells *c, const struct cells_request *q, size_t *at, int64_t bin,
		      uint8_t level, uint64_t bytes)
{
	const struct cells_row *r = &c->rows[q->process];
	if (bytes == 0)
		return true;
	struct cell *cell = row_next(r, at, bin, level);
	if (cell == NULL)
		cell = cell_of(c, q->process, bin, level);
	if (cell == NULL)
		return false;
	cell->bytes[q->write] = saturate_add(cell->bytes[q->write], bytes);
	*at = (size_t)(cell - r->cell) + 1;
	return true;
}

/* Adds to sorted cells of consecutive bins; returns the first bin, up to the last, without one. */
static int64_t add_run(const struct cells_row *r, size_t *at, bool write, int64_t bin, int64_t last,
		       struct pace *pace)
{
	const size_t count = *at < r->sorted ? r->sorted - *at : 0;
	struct cell *cell = &r->cell[*at];
	struct pace p = *pace;
	size_t i = 0;
	for (; i < count && bin < last && is_of(&cell[i], bin, 0); i++, bin++)
		cell[i].bytes[write] = saturate_add(cell[i].bytes[write], pace_next(&p));
	*pace = p;
	*at += i;
	return bin;
}

/* Counts the bins with bytes that have no cell, and moves the pace to the last bin. */
static size_t count_missing(const struct cells_row *r, const struct cells_request *q, size_t at,
			    int64_t bin, int64_t last, struct pace *p)
{
	size_t missing = 0;
	for (; bin <= last; bin++) {
		const uint64_t bytes = bin < last ? pace_next(p) : q->length - p->moved;
		while (at < r->count && compare(&r->cell[at], bin, 0) < 0)
			at++;
		missing += bytes > 0 && !(at < r->count && is_of(&r->cell[at], bin, 0));
	}
	return missing;
}

/*
 * Adds the bytes of bins of which many lack a cell, from the last one on, so that each cell after
 * them moves once. at: the first cell that is not before the first bin, at whose start the pace is.
 */
static bool merge_bins(struct cells *c, const struct cells_request *q, size_t at, int64_t bin,
		       int64_t last, struct pace p)
{
	struct cells_row *r = &c->rows[q->process];
	const size_t missing = count_missing(r, q, at, bin, last, &p);
	if (!array_reserve(&r->cell, &r->capacity, r->count + missing, sizeof *r->cell))
		return false;
	struct cell *from = r->cell + r->count, *to = from + missing, *const begin = r->cell + at;
	for (int64_t b = last; b >= bin; b--) {
		const uint64_t bytes = b < last ? pace_back(&p) : q->length - p.moved;
		while (from > begin && compare(&from[-1], b, 0) > 0)
			*--to = *--from;
		if (from > begin && is_of(&from[-1], b, 0))
			*--to = *--from;
		else if (bytes > 0)
			*--to = (struct cell){.process = q->process, .bin = b};
		else
			continue;
		to->bytes[q->write] = saturate_add(to->bytes[q->write], bytes);
	}
	r->count += missing;
	r->sorted += missing;
	c->sorted += missing;
	r->from_ns = r->to_ns = 0;
	return true;
}

/* Returns whether few cells follow the bins. */
static bool merges(const struct cells_row *r, size_t at, int64_t bins)
{
	return r->sorted == r->count && r->count - at <= 2 * (uint64_t)bins + CELLS_MOVED;
}

/*
 * Divides the bytes of a request among bins of one width. at: the index of the cell of the first
 * one.
 */
static bool apportion_evenly(struct cells *c, const struct cells_request *q, int64_t bin,
			     int64_t last, size_t at)
{
	const struct cells_row *r = &c->rows[q->process];
	const int64_t first = bin;
	struct pace p = pace_from(q, bin + 1, cells_k(c));
	uint64_t bytes = p.moved;
	while (bin < last) {
		if (bin > first && bytes > 0 && row_next(r, &at, bin, 0) == NULL &&
		    merges(r, at, last - bin)) {
			(void)pace_back(&p);
			return merge_bins(c, q, at, bin, last, p);
		}
		if (!add_bytes(c, q, &at, bin, 0, bytes))
			return false;
		bin = add_run(r, &at, q->write, bin + 1, last, &p);
		bytes = bin < last ? pace_next(&p) : q->length - p.moved;
	}
	return add_bytes(c, q, &at, last, 0, bytes);
}

/* Divides the bytes of a request among bins, and pieces of 2^level bins that it fills. */
static bool apportion(struct cells *c, const struct cells_request *q, int64_t bin, int64_t last,
		      size_t at)
{
	const int k = cells_k(c);
	const bool is_long = last - bin > CELLS_PIECES_MAX / 2;
	const uint8_t level = is_long ? level_of(q->end_ns - q->start_ns + 1, k) : 0;
	const int64_t from = ((bin >> level) + 1) << level, to = last >> level << level;
	uint64_t before = 0;
	if (!is_long && k <= CELLS_K_EVEN && last - bin > 3)
		return apportion_evenly(c, q, bin, last, at);
	while (bin <= last) {
		const uint8_t now = bin >= from && bin < to ? level : 0;
		const int64_t next = bin + ((int64_t)1 << now);
		const uint64_t moved =
		    next > last ? q->length : moved_until(q, cells_start(next, k));
		if (!add_bytes(c, q, &at, bin, now, moved - before))
			return false;
		before = moved;
		bin = next;
	}
	return true;
}

/* Requests in one bin. */
static inline void count(struct cell *to, bool write, uint64_t requests, uint64_t bytes)
{
	to->requests[write] += requests;
	to->bytes[write] = saturate_add(to->bytes[write], bytes);
}

/* The next requests are likely to be in the bin of the last cell. */
static void remember_last(struct cells *c, struct cells_row *r)
{
	const int64_t bin = r->cell[r->count - 1].bin;
	if (r->cell[r->count - 1].level > 0)
		return;
	r->from_ns = cells_start(bin, cells_k(c));
	r->to_ns = cells_start(bin + 1, cells_k(c));
}

/* Stores the bins of a request, coarsening until they can be added. */
static inline void find_bins(struct cells *c, const struct cells_request *q, int64_t *first,
			     int64_t *last)
{
	*first = cells_bin(q->start_ns, cells_k(c));
	*last = q->end_ns > q->start_ns ? cells_bin(q->end_ns, cells_k(c)) : *first;
	if (c->sorted > 0 && *first >= c->first_bin && *last <= c->last_bin)
		return;
	extend(c, q->start_ns, q->end_ns);
	*first = cells_bin(q->start_ns, cells_k(c));
	*last = cells_bin(q->end_ns, cells_k(c));
}

static bool are_too_many(const struct cells *c)
{
	return (c->sorted - c->pieces > CELLS_MAX || c->pieces > CELLS_MAX) &&
	       c->first_bin < c->last_bin;
}

static bool add(struct cells *c, const struct cells_request *q)
{
	int64_t first, last;
	if (!array_reserve_index(&c->rows, &c->row_capacity, q->process, sizeof *c->rows))
		return false;
	find_bins(c, q, &first, &last);
	struct cell *to = cell_of(c, q->process, first, 0);
	if (to == NULL)
		return false;
	count(to, q->write, 1, first < last ? 0 : q->length);
	const size_t at = (size_t)(to - c->rows[q->process].cell);
	if (first < last && !apportion(c, q, first, last, at))
		return false;
	remember_last(c, &c->rows[q->process]);
	while (are_too_many(c))
		coarsen(c, 1);
	return true;
}

/* Returns the bins in which a request certainly has a cell: the first one, and those it fills. */
static int64_t bins_certain(const struct cells_request *q, int64_t first, int k)
{
	const int64_t bins = cells_bin(q->end_ns, k) - first;
	const bool fills = bins <= CELLS_PIECES_MAX / 2 && q->length > (uint64_t)bins;
	return bins > 1 && fills ? bins : 1;
}

/* Returns a number that the cells of the deferred requests reach; end: of each row, all 0. */
static size_t count_at_least(const struct cells *c, int64_t *end)
{
	const int k = cells_k(c);
	uint64_t n = 0;
	for (size_t i = 0; i < c->deferred_count; i++) {
		const struct cells_request *q = &c->deferred[i];
		const int64_t first = cells_bin(q->start_ns, k),
			      to = first + bins_certain(q, first, k),
			      from = first > end[q->process] ? first : end[q->process];
		n += to > from ? (uint64_t)(to - from) : 0;
		end[q->process] = to > end[q->process] ? to : end[q->process];
	}
	return n;
}

/* Widens the bins before they have cells that would have to be added again. */
static void widen_early(struct cells *c)
{
	uint32_t rows = 0;
	for (size_t i = 0; i < c->deferred_count; i++)
		rows = c->deferred[i].process >= rows ? c->deferred[i].process + 1 : rows;
	for (;;) {
		int64_t *end = calloc(rows + 1, sizeof *end);
		const bool wide = end == NULL || count_at_least(c, end) <= CELLS_MAX;
		free(end);
		if (wide)
			return;
		coarsen(c, 1);
	}
}

/* Makes cells of the requests that are deferred. */
static bool start(struct cells *c)
{
	uint64_t from = UINT64_MAX, to = 0;
	bool done = true;
	if (c->started)
		return true;
	c->started = true;
	for (size_t i = 0; i < c->deferred_count; i++) {
		from = c->deferred[i].start_ns < from ? c->deferred[i].start_ns : from;
		to = c->deferred[i].end_ns > to ? c->deferred[i].end_ns : to;
	}
	if (c->deferred_count > 0) {
		extend(c, from, to);
		widen_early(c);
	}
	for (size_t i = 0; i < c->deferred_count && done; i++)
		done = add(c, &c->deferred[i]);
	return done;
}

static bool end_deferring(struct cells *c)
{
	const bool done = start(c);
	free(c->deferred);
	c->deferred = NULL;
	c->deferred_count = c->deferred_capacity = 0;
	c->many = true;
	return done;
}

static void free_rows(struct cells *c)
{
	for (size_t i = 0; i < c->row_capacity; i++) {
		free(c->rows[i].cell);
		free(c->rows[i].bins);
	}
	free(c->rows);
}

/* More requests are deferred: the cells of the ones before depend on them. */
static void restart(struct cells *c)
{
	if (!c->started || c->many)
		return;
	free_rows(c);
	*c = (struct cells){.deferred = c->deferred,
			    .deferred_count = c->deferred_count,
			    .deferred_capacity = c->deferred_capacity};
}

bool cells_defer(struct cells *c, const struct cells_request *q)
{
	if (!array_reserve(&c->deferred, &c->deferred_capacity, c->deferred_count + 1,
			   sizeof *c->deferred))
		return false;
	c->deferred[c->deferred_count++] = *q;
	return c->deferred_count < CELLS_DEFERRED || end_deferring(c);
}

static inline struct cells_request request_of(const struct io_span *span, size_t i,
					      uint64_t epoch_ns)
{
	const uint64_t start = epoch_ns + (uint64_t)span->start_ns[i];
	const uint64_t duration_ns = span_duration(span, i);
	return (struct cells_request){.start_ns = start,
				      .end_ns = start + duration_ns - (duration_ns > 0),
				      .length = span->length[i],
				      .process = span->process,
				      .write = span->write[i],
				      .lasts = duration_ns > 0};
}

/* Lengths of at most this have sums of 64 bits. */
static const uint64_t length_max = UINT64_MAX / REQUESTS_MAX;

/* Adds the first ones of disjoint requests to the last cell; returns the number that end there. */
static inline size_t add_to_last(const struct cells_row *r, const struct io_span *span, size_t from,
				 uint64_t epoch_ns)
{
	const int64_t to_ns = r->to_ns <= epoch_ns              ? 0
			      : r->to_ns - epoch_ns < INT64_MAX ? (int64_t)(r->to_ns - epoch_ns)
								: INT64_MAX - 1;
	uint64_t bytes = 0, written = 0, writes = 0, max = 0;
	size_t n = 0;
	if (!span->disjoint || epoch_ns + (uint64_t)span->start_ns[from] < r->from_ns)
		return 0;
	for (size_t i = from; i < span->count && span->end_ns[i] <= to_ns; i++, n++) {
		const uint64_t length = span->length[i];
		max |= length;
		bytes += length;
		written += length & (0 - (uint64_t)span->write[i]);
		writes += span->write[i];
	}
	if (n == 0 || max > length_max)
		return 0;
	count(&r->cell[r->count - 1], false, n - writes, bytes - written);
	count(&r->cell[r->count - 1], true, writes, written);
	return n;
}

/*
 * Adds a request that begins in the last cell or the bin that follows, and ends there, too, without
 * a search. Returns false, with nothing added, if it does not, or if this needs more than a cell.
 */
static bool add_near(struct cells *c, const struct cells_request *q)
{
	struct cells_row *r = &c->rows[q->process];
	if (r->to_ns == 0 || q->start_ns < r->from_ns)
		return false;
	struct cell *last = &r->cell[r->count - 1];
	if (q->end_ns < r->to_ns) {
		count(last, q->write, 1, q->length);
		return true;
	}
	const int64_t bin = last->bin + 1;
	const uint64_t to_ns = cells_start(bin + 1, cells_k(c));
	if (q->end_ns >= to_ns || r->sorted != r->count || r->count == r->capacity ||
	    c->sorted >= CELLS_MAX || bin - c->first_bin >= cells_bins_max(cells_k(c)))
		return false;
	const bool begins = q->start_ns >= r->to_ns;
	const uint64_t before = begins ? 0 : moved_until(q, r->to_ns);
	if (!begins)
		count(last, q->write, 1, before);
	c->last_bin = bin > c->last_bin ? bin : c->last_bin;
	if (!begins && before == q->length)
		return true;
	last[1] = (struct cell){.process = q->process, .bin = bin};
	count(&last[1], q->write, begins, q->length - before);
	r->sorted = ++r->count;
	c->sorted++;
	r->from_ns = r->to_ns;
	r->to_ns = to_ns;
	return true;
}

static bool add_span(struct cells *c, const struct io_span *span, uint64_t epoch_ns)
{
	const bool known = c->started && span->process < c->row_capacity;
	for (size_t i = 0; i < span->count;) {
		const size_t n =
		    known ? add_to_last(&c->rows[span->process], span, i, epoch_ns) : 0;
		if ((i += n) == span->count)
			return true;
		const struct cells_request q = request_of(span, i++, epoch_ns);
		if (!(c->started ? (known && add_near(c, &q)) || add(c, &q) : cells_defer(c, &q)))
			return false;
	}
	return true;
}

/* Loads the last cells of the processes of spans that follow span i. */
static inline void look_ahead(const struct cells *c, const struct io_spans *spans, size_t i)
{
	const struct io_span *near = &spans->span[i] + AHEAD_STEPS / 2;
	SPANS_AHEAD(spans, i, process, c->rows, c->row_capacity);
	if (i + AHEAD_STEPS / 2 >= spans->count || near->process >= c->row_capacity)
		return;
	const struct cells_row *r = &c->rows[near->process];
	if (r->count > 0)
		ahead_load(&r->cell[r->count - 1], 2 * sizeof *r->cell);
}

bool cells_add(struct cells *c, const struct io_spans *spans, uint64_t epoch_ns)
{
	restart(c);
	for (size_t i = 0; i < spans->count; i++) {
		look_ahead(c, spans, i);
		if ((spans->span[i].flags & IOT_START_UNKNOWN) == 0 &&
		    !add_span(c, &spans->span[i], epoch_ns))
			return false;
	}
	return true;
}

bool cells_add_request(struct cells *c, const struct cells_request *q)
{
	restart(c);
	return c->started ? add(c, q) : cells_defer(c, q);
}

bool cells_settle(struct cells *c)
{
	if (!start(c))
		return false;
	for (size_t i = 0; i < c->row_capacity; i++)
		row_sort(c, &c->rows[i], 0);
	while (are_too_many(c))
		coarsen(c, 1);
	if (!cells_halve(c))
		return false;
	while (c->bins > CELLS_MAX && c->first_bin < c->last_bin) {
		coarsen(c, 1);
		if (!cells_halve(c))
			return false;
	}
	return true;
}

static bool join_row(struct cells *c, const struct cells_row *part, int shift, uint32_t process)
{
	if (!array_reserve_index(&c->rows, &c->row_capacity, process, sizeof *c->rows))
		return false;
	for (size_t i = 0; i < part->count; i++) {
		struct cell cell = part->cell[i];
		cell_coarsen(&cell, shift);
		struct cell *to = cell_of(c, process, cell.bin, cell.level);
		if (to == NULL)
			return false;
		cell_add(to, &cell);
	}
	return true;
}

static bool join_deferred(struct cells *c, const struct cells *part, const uint32_t *process)
{
	bool done = true;
	restart(c);
	for (size_t i = 0; i < part->deferred_count && done; i++) {
		struct cells_request q = part->deferred[i];
		q.process = process[q.process];
		done = cells_defer(c, &q);
	}
	return done;
}

bool cells_join(struct cells *c, const struct cells *part, const uint32_t *process)
{
	if (part->sorted == 0)
		return true;
	if (!c->many && !part->many && c->deferred_count + part->deferred_count < CELLS_DEFERRED)
		return join_deferred(c, part, process);
	if (!end_deferring(c) || !cells_settle(c))
		return false;
	if (c->coarser < part->coarser)
		coarsen(c, part->coarser - c->coarser);
	extend(c, cells_start(part->first_bin, cells_k(part)),
	       cells_start(part->last_bin, cells_k(part)));
	const int shift = c->coarser - part->coarser;
	for (size_t i = 0; i < part->row_capacity; i++)
		if (part->rows[i].count > 0 && !join_row(c, &part->rows[i], shift, process[i]))
			return false;
	return cells_settle(c);
}

void cells_free(struct cells *c)
{
	free_rows(c);
	free(c->deferred);
}
