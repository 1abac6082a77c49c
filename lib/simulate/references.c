/* SPDX-License-Identifier: BSD-2-Clause */
#include "references_internal.h"

#include <inttypes.h>
#include <stdlib.h>

struct references *references_new(const struct references_options *options)
{
	struct references *r = calloc(1, sizeof *r);
	if (r == NULL)
		return NULL;
	r->options = *options;
	if ((options->block & (options->block - 1)) == 0)
		r->block_bits = (unsigned)__builtin_ctz(options->block);
	r->length_max = options->request_max / (options->physical ? IOT_BLOCK_SIZE : 1);
	if (options->write != REFERENCES_THROUGH)
		r->write_how = options->write == REFERENCES_BACK ? CACHE_WRITE : CACHE_NO_ALLOCATE;
	r->breakdown.by = options->by;
	r->breakdown.physical = options->physical;
	return r;
}

void references_free(struct references *r)
{
	if (r == NULL)
		return;
	idmap_free(&r->object_map);
	idmap_free(&r->file_map);
	idmap_free(&r->path_map);
	idmap_free(&r->stream_map);
	idmap_free(&r->ids);
	breakdown_free(&r->breakdown);
	free(r->object_number);
	free(r->objects);
	free(r->files);
	free(r->path_object);
	free(r->streams);
	free(r->rows);
	free(r);
}

bool references_pending(const struct references *r)
{
	return r->rest.some;
}

const char *references_error(const struct references *r)
{
	return r->error.text;
}

bool references_is_too_long(const struct references *r)
{
	return r->too_long;
}

const struct references_counts *references_counts(const struct references *r)
{
	return &r->counts;
}

size_t references_rows(const struct references *r)
{
	return r->breakdown.rows.count;
}

const struct reference_totals *references_row(const struct references *r, size_t row)
{
	return r->options.by == BREAKDOWN_NONE ? &r->counts.all : &r->rows[row];
}

struct breakdown_name references_name(const struct references *r, size_t row)
{
	return r->breakdown.names[row];
}

size_t references_streams(const struct references *r)
{
	return r->stream_map.count;
}

uint64_t references_end(const struct references *r, uint32_t object)
{
	return object < r->object_count ? r->objects[object].highest : 0;
}

/* Returns whether a record counts; if not, counts why. */
static bool selects(struct references *r, const struct iot_record *rec)
{
	const bool physical = (rec->type & IOT_LOGICAL) == 0;
	if (physical != r->options.physical) {
		r->counts.other_layer++;
		return false;
	}
	if (rec->start_ns < r->start_ns)
		r->counts.out_of_order += (rec->flags & IOT_START_UNKNOWN) == 0;
	r->start_ns = rec->start_ns;
	if (!physical && (rec->type & IOT_DATA_KIND) == IOT_READ_AHEAD) {
		r->counts.read_ahead++;
		return false;
	}
	if (rec->type & IOT_CACHE_MISS)
		r->counts.traced_misses++;
	else if (rec->type & IOT_READ_AHEAD_HIT)
		r->counts.traced_hits++;
	return true;
}

/* Offset and length in bytes; a limit is an error. */
static int range_of(struct references *r, const struct iot_record *rec, uint64_t *offset,
		    uint64_t *bytes)
{
	const uint64_t unit = r->options.physical ? IOT_BLOCK_SIZE : 1;
	r->too_long = rec->length > r->length_max;
	if (r->too_long)
		return error_set(&r->error, IOT_ELIMIT,
				 "a record of process %" PRIu32 " at %" PRId64 " ns has %" PRIu64
				 " %s, expected at most %" PRIu64 " bytes",
				 rec->process, rec->start_ns, rec->length,
				 unit > 1 ? "blocks of 512 bytes" : "bytes",
				 r->options.request_max);
	if (unit > 1 && rec->offset > UINT64_MAX / IOT_BLOCK_SIZE)
		return error_set(&r->error, IOT_ELIMIT,
				 "a record of disk %" PRIu32 " at block %" PRIu64
				 ": its offset exceeds 64 bits",
				 rec->file, rec->offset);
	*offset = rec->offset * unit;
	*bytes = rec->length * unit;
	return IOT_OK;
}

static void note_layer(struct references *r, const struct iot_record *rec)
{
	if (r->counts.layers || r->options.physical || (r->posix_seen && !r->declares_mpiio))
		return;
	const size_t i = r->declares_mpiio
			     ? idmap_find(&r->file_map, idmap_pair(rec->process, rec->file))
			     : SIZE_MAX;
	if (i != SIZE_MAX && r->files[i].mpiio)
		r->mpiio_seen = true;
	else
		r->posix_seen = true;
	r->counts.layers = r->mpiio_seen && r->posix_seen;
}

static int add_record(struct references *r, struct reference_batch *b, const struct iot_record *rec)
{
	uint64_t offset = 0, bytes = 0;
	if (!selects(r, rec))
		return IOT_OK;
	if (r->options.whole)
		bytes = 1;
	else if (range_of(r, rec, &offset, &bytes) != IOT_OK)
		return r->error.status;
	note_layer(r, rec);
	if (bytes == 0) {
		r->counts.no_blocks++;
		return IOT_OK;
	}
	if (rec->flags & IOT_OFFSET_UNKNOWN)
		return references_refer_unknown(r, b, rec, bytes);
	r->counts.known_bytes += bytes;
	const size_t object = references_object_of_record(r, rec);
	if (object == SIZE_MAX)
		return r->error.status;
	return r->options.whole ? references_refer_id(r, b, rec, object)
				: references_refer(r, b, rec, object, offset, bytes);
}

static int add_event(struct references *r, struct reference_batch *b, const struct iot_event *ev)
{
	switch ((enum iot_kind)ev->kind) {
	case IOT_RECORD:
		return add_record(r, b, &ev->rec);
	case IOT_FILE:
		return ev->has & IOT_HAS_DISK ? IOT_OK : references_define_file(r, b, ev);
	case IOT_PROCESS:
		return breakdown_process(&r->breakdown, ev) ? IOT_OK : references_no_memory(r);
	case IOT_OP:
		return references_add_operation(r, b, ev);
	default:
		return IOT_OK;
	}
}

/*
 * Plain records: of file data, with known offset and start, in order, of an object that is known,
 * below the limits. They take 100 instructions instead of 250, and most records are plain.
 */

#define PLAIN_MAX ((uint64_t)1 << 32) /* bytes of a record */
#define PLAIN_END ((uint64_t)1 << 48) /* offsets; less than any REFERENCES_BLOCKS_MAX blocks */

/* Returns whether records can be plain, with these options and the directives so far. */
static bool has_plain(const struct references *r)
{
	const struct references_options *o = &r->options;
	return !o->whole && !o->physical && !o->prefetching && !o->times &&
	       o->by == BREAKDOWN_NONE && r->block_bits > 0 && r->row_capacity > 0 &&
	       r->length_max >= PLAIN_MAX &&
	       (r->counts.layers || (r->posix_seen && !r->declares_mpiio));
}

static inline bool is_plain(const struct references *r, const struct iot_event *ev)
{
	const struct iot_record *rec = &ev->rec;
	const unsigned type = IOT_LOGICAL | IOT_DATA_KIND | IOT_CACHE_MISS | IOT_READ_AHEAD_HIT,
		       flags = IOT_OFFSET_UNKNOWN | IOT_START_UNKNOWN;
	return ev->kind == IOT_RECORD && (rec->type & type) == (IOT_LOGICAL | IOT_FILE_DATA) &&
	       (rec->flags & flags) == 0 && rec->start_ns >= r->start_ns &&
	       rec->length - 1 < PLAIN_MAX && rec->offset < PLAIN_END;
}

/* Returns the number of events added: up to the first one that is not plain or does not fit. */
static size_t add_plain(struct references *r, struct reference_batch *b, const struct iot_event *ev,
			size_t n)
{
	struct reference_totals all = r->counts.all;
	const uint64_t mask = r->options.block - 1;
	const unsigned bits = r->block_bits;
	const size_t end = n < REFERENCES_MAX - b->runs ? n : REFERENCES_MAX - b->runs;
	const struct reference_known *k = &r->known[0];
	size_t i = 0;
	for (; i < end && is_plain(r, &ev[i]); i++) {
		const struct iot_record *rec = &ev[i].rec;
		const uint64_t last_byte = rec->offset + (rec->length - 1),
			       first = rec->offset >> bits, next = (last_byte >> bits) + 1;
		const uint32_t blocks = (uint32_t)(next - first);
		if (!references_is_known(k, rec) &&
		    !references_is_known(k = references_known_object(r, rec), rec))
			break;
		if (blocks > REFERENCES_MAX - b->count)
			break;
		const bool write = (rec->type & IOT_WRITE) != 0;
		struct reference_run *run = &b->run[b->runs];
		run->first = b->count;
		run->count = run->blocks = blocks;
		run->skipped_at_begin = (uint32_t)(rec->offset & mask);
		run->skipped_at_end = (uint32_t)(~last_byte & mask);
		run->row = run->stream = 0;
		run->flags = RUN_BEGINS | RUN_ENDS | (write ? RUN_WRITE : 0U) |
			     (rec->type & IOT_ASYNC ? RUN_ASYNC : 0U);
		references_append_keys(b, cache_key_of(k->number - 1, first), blocks,
				       write ? r->write_how : 0);
		if (next > r->objects[k->number - 1].end)
			reference_object_extend(&r->objects[k->number - 1], next);
		reference_totals_add(&all, write, rec->length, blocks);
		r->start_ns = rec->start_ns;
	}
	r->counts.known_bytes +=
	    all.bytes[0] - r->counts.all.bytes[0] + all.bytes[1] - r->counts.all.bytes[1];
	r->counts.all = all;
	return i;
}

/* Each event has at most one run and two actions; a record may need further batches. */
static bool is_full(const struct reference_batch *b)
{
	return b->count == REFERENCES_MAX || b->runs == REFERENCES_MAX ||
	       b->actions + 2 > REFERENCE_ACTIONS_MAX;
}

int references_add(struct references *r, struct reference_batch *b, const struct iot_event *ev,
		   size_t n, size_t *used)
{
	*used = 0;
	if (r->rest.some)
		references_append_rest(r, b);
	while (*used < n && !r->rest.some && !is_full(b)) {
		if (has_plain(r))
			*used += add_plain(r, b, ev + *used, n - *used);
		if (*used == n || is_full(b))
			break;
		if (add_event(r, b, &ev[*used]) != IOT_OK)
			return r->error.status;
		++*used;
	}
	return r->error.status;
}
