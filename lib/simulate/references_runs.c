/* SPDX-License-Identifier: BSD-2-Clause */
/* The blocks of records, as runs of a batch. */
#include "references_internal.h"

#include <inttypes.h>

#include <xxhash.h>

#include "lib/base/array.h"

#define OFFSETS (REFERENCES_BLOCKS_MAX / 2) /* that are block numbers, with options.whole */

static size_t row_of(struct references *r, const struct iot_record *rec, size_t object)
{
	if (r->options.by == BREAKDOWN_NONE && r->row_capacity > 0)
		return 0;
	const struct breakdown_name name =
	    object < REFERENCES_FRESH_OBJECT ? r->objects[object].name : (struct breakdown_name){0};
	const size_t row = breakdown_row(&r->breakdown, rec, object, name);
	if (!array_reserve_index(&r->rows, &r->row_capacity, row, sizeof *r->rows)) {
		references_no_memory(r);
		return SIZE_MAX;
	}
	return row;
}

/* Completes the next run of the batch: n references, to blocks from `key` on. */
static void append(const struct references *r, struct reference_batch *b, uint64_t key, uint32_t n,
		   uint8_t how, int64_t start_ns)
{
	b->run[b->runs].first = b->count;
	b->run[b->runs].count = n;
	if (r->options.times)
		b->start_ns[b->runs] = start_ns;
	references_append_keys(b, key, n, how);
}

void references_append_rest(struct references *r, struct reference_batch *b)
{
	struct reference_rest *rest = &r->rest;
	struct reference_run *run = &b->run[b->runs];
	const uint32_t space = REFERENCES_MAX - b->count;
	rest->some = rest->blocks > space;
	const uint32_t n = rest->some ? space : (uint32_t)rest->blocks;
	if (n == 0)
		return;
	*run = rest->run;
	if (rest->some)
		run->skipped_at_end = 0;
	else
		run->flags |= RUN_ENDS;
	append(r, b, rest->key, n, rest->how, rest->start_ns);
	rest->key += n;
	rest->blocks -= n;
	rest->run.skipped_at_begin = 0;
	rest->run.flags &= ~(unsigned)RUN_BEGINS;
}

/* Marks records that begin where the last one of the process on the object ended. */
static bool use_stream(struct references *r, const struct iot_record *rec, size_t object,
		       uint64_t offset, uint64_t bytes, struct reference_run *run)
{
	const size_t i = idmap_number(&r->stream_map, idmap_pair(rec->process, (uint32_t)object));
	if (!array_reserve_index(&r->streams, &r->stream_capacity, i, sizeof *r->streams)) {
		references_no_memory(r);
		return false;
	}
	struct reference_stream *s = &r->streams[i];
	run->stream = (uint32_t)i;
	run->flags |= s->used && s->end == offset ? RUN_SEQUENTIAL : 0U;
	run->flags |= s->has_read && s->read_end == offset ? RUN_AFTER_READ : 0U;
	run->flags |= offset == 0 ? RUN_AT_ZERO : 0U;
	s->used = true;
	s->end = offset + bytes;
	if (!(rec->type & IOT_WRITE)) {
		s->has_read = true;
		s->read_end = s->end;
	}
	return true;
}

static uint64_t block_of(const struct references *r, uint64_t offset)
{
	return r->block_bits > 0 ? offset >> r->block_bits : offset / r->options.block;
}

static int too_far(struct references *r, const struct iot_record *rec)
{
	return error_set(&r->error, IOT_ELIMIT,
			 "a record of process %" PRIu32 " at offset %" PRIu64
			 ": it ends beyond 2^%d blocks of %" PRIu32 " bytes",
			 rec->process, rec->offset, CACHE_BLOCK_BITS, r->options.block);
}

/*
 * Bytes [offset, offset + bytes) of an object, bytes > 0. The run is filled in place: a copy would
 * wait for its stores.
 */
int references_refer(struct references *r, struct reference_batch *b, const struct iot_record *rec,
		     size_t object, uint64_t offset, uint64_t bytes)
{
	const uint64_t block = r->options.block, first = block_of(r, offset),
		       last_byte = offset + (bytes - 1), last = block_of(r, last_byte),
		       blocks = last - first + 1, key = cache_key_of((uint32_t)object, first);
	const bool write = (rec->type & IOT_WRITE) != 0;
	if (last_byte < offset || last >= REFERENCES_BLOCKS_MAX)
		return too_far(r, rec);
	const size_t row = row_of(r, rec, object);
	struct reference_run *run = &b->run[b->runs];
	*run = (struct reference_run){.skipped_at_begin = (uint32_t)(offset - first * block),
				      .skipped_at_end =
					  (uint32_t)(block - 1 - (last_byte - last * block)),
				      .row = (uint32_t)row,
				      .blocks = blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX,
				      .flags = RUN_BEGINS | (write ? RUN_WRITE : 0U) |
					       (rec->type & IOT_ASYNC ? RUN_ASYNC : 0U)};
	if (row == SIZE_MAX ||
	    (r->options.prefetching && !use_stream(r, rec, object, offset, bytes, run)))
		return r->error.status;
	if (object < REFERENCES_FRESH_OBJECT)
		reference_object_extend(&r->objects[object], last + 1);
	reference_totals_add(&r->counts.all, write, bytes, blocks);
	if (r->options.by != BREAKDOWN_NONE)
		reference_totals_add(&r->rows[row], write, bytes, blocks);
	const uint8_t how = write ? r->write_how : 0;
	const int64_t start_ns =
	    rec->flags & IOT_START_UNKNOWN ? REFERENCE_TIME_UNKNOWN : rec->start_ns;
	if (blocks <= REFERENCES_MAX - b->count) {
		run->flags |= RUN_ENDS;
		append(r, b, key, (uint32_t)blocks, how, start_ns);
	} else {
		r->rest = (struct reference_rest){true, *run, key, blocks, start_ns, how};
		references_append_rest(r, b);
	}
	return IOT_OK;
}

size_t references_block_of_id(struct references *r, size_t object, uint64_t offset, bool insert)
{
	const uint64_t both[] = {object, offset};
	if (offset < OFFSETS)
		return offset;
	const uint64_t id = object == 0 ? offset : XXH3_64bits(both, sizeof both);
	const size_t n = insert ? idmap_number(&r->ids, id) : idmap_find(&r->ids, id);
	return n != SIZE_MAX ? OFFSETS + n : SIZE_MAX;
}

int references_refer_id(struct references *r, struct reference_batch *b,
			const struct iot_record *rec, size_t object)
{
	const size_t block = references_block_of_id(r, object, rec->offset, true);
	return block != SIZE_MAX ? references_refer(r, b, rec, object, block, 1)
				 : references_no_memory(r);
}

int references_refer_unknown(struct references *r, struct reference_batch *b,
			     const struct iot_record *rec, uint64_t bytes)
{
	const uint64_t block = r->options.block, blocks = (bytes + (block - 1)) / block;
	r->counts.unknown++;
	r->counts.unknown_bytes += bytes;
	if (r->options.unknown == REFERENCES_SKIP_UNKNOWN)
		return IOT_OK;
	if (blocks > REFERENCES_BLOCKS_MAX - r->fresh)
		return error_set(&r->error, IOT_ELIMIT,
				 "records with unknown offsets have more than 2^%d blocks",
				 CACHE_BLOCK_BITS);
	const uint64_t offset = r->fresh * block;
	r->fresh += blocks;
	return references_refer(r, b, rec, REFERENCES_FRESH_OBJECT, offset, bytes);
}
