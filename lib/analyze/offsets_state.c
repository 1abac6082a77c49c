/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and loads the bytes over time and offset. See state.h. */
#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/analyze/over_time/bins_state.h"

#include "offsets.h"
#include "requests_internal.h"

enum { SHIFT_MAX = 58 /* of 64 blocks of offsets of 64 bits */ };

/* The cells of all files: by row of the file, bin and block. */
struct cell_cursor {
	size_t row, bin, block;
	size_t rows; /* loading: of bytes, so far */
	bool more;
};

static struct offsets_row *row_of(const struct offsets *o, size_t file, size_t bin)
{
	struct offsets_row **rows = file < o->file_capacity ? o->files[file].rows : NULL;
	return rows != NULL ? rows[(uint64_t)(o->first_bin + (int64_t)bin) % OFFSET_BINS] : NULL;
}

static size_t bins_of(const struct offsets *o)
{
	return o->any ? (size_t)(o->last_bin - o->first_bin) + 1 : 0;
}

/* The first cell with bytes from `block` of a row on. */
static bool find_block(const struct offsets_row *row, struct cell_cursor *c)
{
	for (; row != NULL && c->block < OFFSET_BLOCKS; c->block++)
		if (row->bytes[c->block][0] > 0 || row->bytes[c->block][1] > 0)
			return true;
	c->block = 0;
	return false;
}

/* The first cell with bytes from c on. */
static void find_cell(const struct state *s, const struct offsets *o, struct cell_cursor *c)
{
	for (; c->row < s->files.count; c->row++, c->bin = 0)
		for (; c->bin < bins_of(o); c->bin++)
			if (find_block(row_of(o, s->files.own[c->row], c->bin), c)) {
				c->more = true;
				return;
			}
	c->more = false;
}

static bool precedes(const struct cell_cursor *a, const struct cell_cursor *b)
{
	if (a->row != b->row)
		return a->row < b->row;
	return a->bin != b->bin ? a->bin < b->bin : a->block < b->block;
}

static bool has_rows(const struct state *s, const struct offsets *o, size_t row)
{
	return s->files.own[row] < o->file_capacity && o->files[s->files.own[row]].requests > 0;
}

/* Returns the row of bytes of a cell, NULL if the state is refused. */
static struct offsets_row *load_row(struct state *s, struct offsets *o, struct cell_cursor *c,
				    struct offsets_file *f)
{
	struct offsets_row *row = row_of(o, s->files.own[c->row], c->bin);
	if (row != NULL)
		return row;
	state_check(s, c->rows++ < o->requests, "bins of files with up to 32768 requests");
	if (state_failed(s))
		return NULL;
	if (f->rows == NULL)
		f->rows = calloc(OFFSET_BINS, sizeof(struct offsets_row *));
	row = f->rows != NULL ? calloc(1, sizeof *row) : NULL;
	if (row == NULL) {
		state_no_memory(s);
		return NULL;
	}
	f->rows[(uint64_t)(o->first_bin + (int64_t)c->bin) % OFFSET_BINS] = row;
	return row;
}

static void load_cell(struct state *s, struct offsets *o, struct cell_cursor *c,
		      const uint64_t bytes[2])
{
	struct offsets_file *f = &o->files[s->files.own[c->row]];
	struct offsets_row *row = load_row(s, o, c, f);
	for (unsigned d = 0; d < 2 && row != NULL; d++) {
		row->bytes[c->block][d] = bytes[d];
		f->bytes = saturate_add(f->bytes, bytes[d]);
	}
}

static void offset_cells_state(struct state *s, struct offsets *o)
{
	struct cell_cursor c = {.row = 0}, last = {.row = 0};
	if (state_saves(s))
		find_cell(s, o, &c);
	while (state_list(s, "offsets.cell", c.more)) {
		uint64_t bytes[2] = {0, 0}, bin = c.bin;
		uint32_t row = (uint32_t)c.row, block = (uint32_t)c.block;
		for (unsigned d = 0; d < 2 && state_saves(s); d++)
			bytes[d] = row_of(o, s->files.own[c.row], c.bin)->bytes[c.block][d];
		state_small(s, "row", &row, (uint32_t)s->files.count);
		state_limited(s, "bin", &bin, OFFSET_BINS - 1);
		state_small(s, "block", &block, OFFSET_BLOCKS - 1);
		state_number(s, "s_r", &bytes[0]);
		state_number(s, "s_w", &bytes[1]);
		if (state_saves(s)) {
			c.block++;
			find_cell(s, o, &c);
			continue;
		}
		c = (struct cell_cursor){row, (size_t)bin, block, last.rows, false};
		state_check(s,
			    c.row < s->files.count && c.bin < bins_of(o) &&
				(!last.more || precedes(&last, &c)) && has_rows(s, o, c.row),
			    "cells in order, of files in the sample");
		if (!state_failed(s))
			load_cell(s, o, &c, bytes);
		last = c;
		last.more = true;
	}
}

static void file_state(struct state *s, struct offsets *o, size_t file, const struct requests *r)
{
	struct offsets_file *f = state_at(s, &o->files, &o->file_capacity, file, sizeof *o->files);
	if (f == NULL)
		return;
	state_small(s, "shift", &f->shift, SHIFT_MAX);
	state_small(s, "requests", &f->requests, OFFSET_BINS);
	state_flag(s, "left_out", &f->left_out);
	if (state_saves(s) || state_failed(s))
		return;
	f->level = (uint8_t)file_key_level(&r->files.keys[file]);
	o->requests += f->requests;
	state_check(s,
		    f->requests == 0 || (f->level >= o->level && !f->left_out &&
					 o->requests <= OFFSET_REQUESTS_MAX),
		    "up to 32768 requests of files in the sample");
}

void offsets_state(struct state *s, void *of, const struct requests *r)
{
	struct offsets *o = of;
	size_t i;
	/* a sample of all statistics keeps files from a level on, whenever the map begins */
	if (state_saves(s) && o->level < r->files.sample_bits)
		o->level = r->files.sample_bits;
	while (state_each(s, "offsets", o->any || !state_saves(s), &i)) {
		state_flag(s, "any", &o->any);
		o->coarser = bins_coarser_state(s, o->coarser);
		bins_span_state(s, CELLS_K - o->coarser, OFFSET_BINS, &o->first_bin, &o->last_bin);
		state_small(s, "level", &o->level, 64);
	}
	while (state_each(s, "offsets.file", s->files.count, &i))
		file_state(s, o, s->files.own[i], r);
	offset_cells_state(s, o);
}
