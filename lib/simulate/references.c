/* SPDX-License-Identifier: BSD-2-Clause */
#include "references.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

enum { FRESH = REFERENCES_FRESH_OBJECT };

#define BLOCKS_MAX ((uint64_t)1 << CACHE_BLOCK_BITS)
#define OFFSETS    (BLOCKS_MAX / 2) /* offsets that are block numbers, with options.whole */

struct object {
	/* the block after the last one referenced, since the last drop, and ever */
	uint64_t end, highest;
	uint32_t opens;
	bool unlinked;
	struct breakdown_name name;
};

/* A fileId of a process. */
struct open_file {
	uint32_t object;     /* as declared; 0 if unknown */
	uint32_t own_object; /* number + 1 of the object that it is while `object` is 0 */
	bool open, mpiio;
};

struct stream {
	uint64_t end, read_end; /* of its last record and of its last read, in bytes */
	bool used, has_read;
};

/* The object of a record with these ids. */
struct known_object {
	uint32_t process, file, object;
	uint32_t number; /* + 1; 0: none */
};

enum { KNOWN = 64 }; /* objects of recent records */

/* The rest of a record that did not fit into the batch. */
struct rest {
	bool some;
	struct reference_run run;
	uint64_t key, blocks;
	int64_t start_ns;
	uint8_t how;
};

struct references {
	struct references_options options;
	uint64_t length_max; /* of a record, in its unit */
	uint8_t write_how;   /* enum cache_how of writes */
	unsigned block_bits; /* log2 of options.block; 0: no power of two */
	struct references_counts counts;
	struct error error;
	bool too_long; /* the last record exceeds options.request_max */
	struct rest rest;
	uint64_t fresh; /* blocks of records with unknown offsets */
	int64_t start_ns;

	struct idmap object_map; /* object numbers of the trace */
	uint32_t *object_number; /* of each, + 1; 0: none */
	size_t object_number_capacity;
	struct object *objects;
	size_t object_count, object_capacity;

	struct idmap file_map; /* (process, file) */
	struct open_file *files;
	size_t file_capacity;
	struct idmap path_map; /* hashes of paths */
	uint32_t *path_object; /* object of the trace; 0: none */
	size_t path_capacity;
	struct idmap stream_map; /* (process, object number) */
	struct idmap ids;        /* of objects and large offsets, with options.whole */
	struct stream *streams;
	size_t stream_capacity;
	struct breakdown breakdown;
	struct reference_totals *rows;
	size_t row_capacity;
	bool posix_seen, mpiio_seen;
	bool declares_mpiio; /* a file with layer=mpiio */
	struct known_object known[KNOWN];
};

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

static int no_memory(struct references *r)
{
	return error_set(&r->error, IOT_ENOMEM, "out of memory");
}

/* Objects and files */

/* Returns the number of a new object, or SIZE_MAX with the error set. */
static size_t new_object(struct references *r, struct breakdown_name name)
{
	if (r->object_count == FRESH) {
		error_set(&r->error, IOT_ELIMIT,
			  "object %" PRIu32 " of process %" PRIu32 ": more than %d objects",
			  name.object, name.process, FRESH);
		return SIZE_MAX;
	}
	if (!array_reserve(&r->objects, &r->object_capacity, r->object_count + 1,
			   sizeof *r->objects)) {
		no_memory(r);
		return SIZE_MAX;
	}
	r->objects[r->object_count] = (struct object){.name = name};
	r->counts.objects++;
	return r->object_count++;
}

/* Returns the number of an object of the trace (not 0), or SIZE_MAX. */
static size_t object_of(struct references *r, uint32_t object)
{
	const size_t i = idmap_number(&r->object_map, object);
	if (!array_reserve_index(&r->object_number, &r->object_number_capacity, i,
				 sizeof *r->object_number)) {
		no_memory(r);
		return SIZE_MAX;
	}
	if (r->object_number[i] == 0) {
		const size_t number = new_object(r, (struct breakdown_name){.object = object});
		if (number == SIZE_MAX)
			return SIZE_MAX;
		r->object_number[i] = (uint32_t)number + 1;
	}
	return r->object_number[i] - 1;
}

static struct open_file *file_of(struct references *r, uint32_t process, uint32_t file)
{
	const size_t i = idmap_number(&r->file_map, idmap_pair(process, file));
	if (!array_reserve_index(&r->files, &r->file_capacity, i, sizeof *r->files)) {
		no_memory(r);
		return NULL;
	}
	return &r->files[i];
}

/* The object that stands for a file of which the trace declares none; SIZE_MAX on failure. */
static size_t own_object(struct references *r, uint32_t process, uint32_t file)
{
	struct open_file *id = file_of(r, process, file);
	if (id == NULL)
		return SIZE_MAX;
	if (id->own_object == 0) {
		const size_t number =
		    new_object(r, (struct breakdown_name){.process = process, .file = file});
		if (number == SIZE_MAX)
			return SIZE_MAX;
		id->own_object = (uint32_t)number + 1;
	}
	return id->own_object - 1;
}

static size_t find_object(struct references *r, const struct iot_record *rec)
{
	if (r->options.physical)
		return own_object(r, 0, rec->file);
	return rec->object != 0 ? object_of(r, rec->object)
				: own_object(r, rec->process, rec->file);
}

/* Where the object of a record may be known from an earlier record. */
static inline struct known_object *known_object(struct references *r, const struct iot_record *rec)
{
	return &r->known[(rec->process * 31 + rec->file) % KNOWN];
}

static inline bool is_known(const struct known_object *k, const struct iot_record *rec)
{
	return k->number != 0 && k->process == rec->process && k->file == rec->file &&
	       k->object == rec->object;
}

/* The number of an object never changes. */
static size_t object_of_record(struct references *r, const struct iot_record *rec)
{
	struct known_object *k = known_object(r, rec);
	if (is_known(k, rec))
		return k->number - 1;
	const size_t number = find_object(r, rec);
	if (number != SIZE_MAX)
		*k = (struct known_object){rec->process, rec->file, rec->object,
					   (uint32_t)number + 1};
	return number;
}

/* Rows */

static size_t row_of(struct references *r, const struct iot_record *rec, size_t object)
{
	if (r->options.by == BREAKDOWN_NONE && r->row_capacity > 0)
		return 0;
	const struct breakdown_name name =
	    object < FRESH ? r->objects[object].name : (struct breakdown_name){0};
	const size_t row = breakdown_row(&r->breakdown, rec, object, name);
	if (!array_reserve_index(&r->rows, &r->row_capacity, row, sizeof *r->rows)) {
		no_memory(r);
		return SIZE_MAX;
	}
	return row;
}

/* Records */

/* Ends the next run of the batch. */
static inline void append_keys(struct reference_batch *b, uint64_t key, uint32_t n, uint8_t how)
{
	const uint32_t first = b->count;
	b->key[first] = key; /* the only one, usually */
	b->how[first] = how;
	for (uint32_t i = 1; i < n; i++) {
		b->key[first + i] = key + i;
		b->how[first + i] = how;
	}
	b->count += n;
	b->runs++;
}

/* Completes the next run of the batch: n references, to blocks from `key` on. */
static void append(const struct references *r, struct reference_batch *b, uint64_t key, uint32_t n,
		   uint8_t how, int64_t start_ns)
{
	b->run[b->runs].first = b->count;
	b->run[b->runs].count = n;
	if (r->options.times)
		b->start_ns[b->runs] = start_ns;
	append_keys(b, key, n, how);
}

static void append_rest(struct references *r, struct reference_batch *b)
{
	struct rest *rest = &r->rest;
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
		no_memory(r);
		return false;
	}
	struct stream *s = &r->streams[i];
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

static void count_record(struct reference_totals *t, bool write, uint64_t bytes, uint64_t blocks)
{
	t->references[write] += blocks;
	t->records[write]++;
	t->bytes[write] += bytes;
}

static void extend(struct object *o, uint64_t end)
{
	o->end = end > o->end ? end : o->end;
	o->highest = end > o->highest ? end : o->highest;
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
static int refer_bytes(struct references *r, struct reference_batch *b,
		       const struct iot_record *rec, size_t object, uint64_t offset, uint64_t bytes)
{
	const uint64_t block = r->options.block, first = block_of(r, offset),
		       last_byte = offset + (bytes - 1), last = block_of(r, last_byte),
		       blocks = last - first + 1, key = cache_key_of((uint32_t)object, first);
	const bool write = (rec->type & IOT_WRITE) != 0;
	if (last_byte < offset || last >= BLOCKS_MAX)
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
	if (object < FRESH)
		extend(&r->objects[object], last + 1);
	count_record(&r->counts.all, write, bytes, blocks);
	if (r->options.by != BREAKDOWN_NONE)
		count_record(&r->rows[row], write, bytes, blocks);
	const uint8_t how = write ? r->write_how : 0;
	const int64_t start_ns =
	    rec->flags & IOT_START_UNKNOWN ? REFERENCE_TIME_UNKNOWN : rec->start_ns;
	if (blocks <= REFERENCES_MAX - b->count) {
		run->flags |= RUN_ENDS;
		append(r, b, key, (uint32_t)blocks, how, start_ns);
	} else {
		r->rest = (struct rest){true, *run, key, blocks, start_ns, how};
		append_rest(r, b);
	}
	return IOT_OK;
}

/*
 * Returns the number of the block of an id, or SIZE_MAX: an offset, or from OFFSETS on the number
 * of a large one. insert: a new id gets a number. The first object is often the only one, so its
 * offsets are not hashed.
 */
static size_t block_of_id(struct references *r, size_t object, uint64_t offset, bool insert)
{
	const uint64_t both[] = {object, offset};
	if (offset < OFFSETS)
		return offset;
	const uint64_t id = object == 0 ? offset : XXH3_64bits(both, sizeof both);
	const size_t n = insert ? idmap_number(&r->ids, id) : idmap_find(&r->ids, id);
	return n != SIZE_MAX ? OFFSETS + n : SIZE_MAX;
}

static int refer_id(struct references *r, struct reference_batch *b, const struct iot_record *rec,
		    size_t object)
{
	const size_t block = block_of_id(r, object, rec->offset, true);
	return block != SIZE_MAX ? refer_bytes(r, b, rec, object, block, 1) : no_memory(r);
}

static int refer_unknown(struct references *r, struct reference_batch *b,
			 const struct iot_record *rec, uint64_t bytes)
{
	const uint64_t block = r->options.block, blocks = (bytes + (block - 1)) / block;
	r->counts.unknown++;
	r->counts.unknown_bytes += bytes;
	if (r->options.unknown == REFERENCES_SKIP_UNKNOWN)
		return IOT_OK;
	if (blocks > BLOCKS_MAX - r->fresh)
		return error_set(&r->error, IOT_ELIMIT,
				 "records with unknown offsets have more than 2^%d blocks",
				 CACHE_BLOCK_BITS);
	const uint64_t offset = r->fresh * block;
	r->fresh += blocks;
	return refer_bytes(r, b, rec, FRESH, offset, bytes);
}

/* Whether a record counts; if not, counts why. */
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
		return refer_unknown(r, b, rec, bytes);
	r->counts.known_bytes += bytes;
	const size_t object = object_of_record(r, rec);
	if (object == SIZE_MAX)
		return r->error.status;
	return r->options.whole ? refer_id(r, b, rec, object)
				: refer_bytes(r, b, rec, object, offset, bytes);
}

/* Directives and operations */

static uint64_t path_key(struct iot_text path)
{
	return XXH3_64bits(path.data, path.size);
}

static int set_path(struct references *r, struct iot_text path, uint32_t object)
{
	const size_t i = idmap_number(&r->path_map, path_key(path));
	if (!array_reserve_index(&r->path_object, &r->path_capacity, i, sizeof *r->path_object))
		return no_memory(r);
	r->path_object[i] = object;
	return IOT_OK;
}

/* The object of the trace that a path names; 0 if unknown. */
static uint32_t path_object(const struct references *r, struct iot_text path)
{
	const size_t i = path.data != NULL ? idmap_find(&r->path_map, path_key(path)) : SIZE_MAX;
	return i != SIZE_MAX ? r->path_object[i] : 0;
}

static void add_action(struct references *r, struct reference_batch *b, size_t object,
		       uint64_t from, bool drop)
{
	struct object *o = &r->objects[object];
	const bool all = drop && r->options.prefetching && from < BLOCKS_MAX;
	if (o->end <= from && !all)
		return;
	b->action[b->actions++] = (struct reference_action){
	    .before = b->count,
	    .drop = drop,
	    .first = cache_key_of((uint32_t)object, from),
	    .last = cache_key_of((uint32_t)object, (all ? BLOCKS_MAX : o->end) - 1)};
	if (drop)
		o->end = from;
}

/* An object whose last name and last open are gone loses its blocks. */
static void drop_if_gone(struct references *r, struct reference_batch *b, size_t object)
{
	if (r->objects[object].unlinked && r->objects[object].opens == 0)
		add_action(r, b, object, 0, true);
}

static int close_file(struct references *r, struct reference_batch *b, struct open_file *id)
{
	if (!id->open)
		return IOT_OK;
	id->open = false;
	if (id->object == 0)
		return IOT_OK;
	const size_t object = object_of(r, id->object);
	if (object == SIZE_MAX)
		return r->error.status;
	r->objects[object].opens--;
	drop_if_gone(r, b, object);
	return IOT_OK;
}

static int define_file(struct references *r, struct reference_batch *b, const struct iot_event *ev)
{
	const struct iot_text path = iot_directive_get(ev, "path"),
			      layer = iot_directive_get(ev, "layer");
	struct open_file *id = file_of(r, ev->rec.process, ev->rec.file);
	if (id == NULL)
		return r->error.status;
	const bool opens = !id->open || id->object != ev->rec.object;
	if (opens && close_file(r, b, id) != IOT_OK)
		return r->error.status;
	id->object = ev->rec.object;
	id->mpiio = text_equals(layer, "mpiio");
	r->declares_mpiio |= id->mpiio;
	id->open = true;
	if (id->object == 0)
		return IOT_OK;
	const size_t object = object_of(r, id->object);
	if (object == SIZE_MAX)
		return r->error.status;
	r->objects[object].opens += opens;
	return path.data != NULL ? set_path(r, path, ev->rec.object) : IOT_OK;
}

/* Returns the object of an operation's file, else of its path. SIZE_MAX if it is unknown. */
static size_t object_of_operation(struct references *r, const struct iot_event *ev)
{
	uint32_t object = 0;
	if (ev->has & IOT_HAS_FILE) {
		const size_t i =
		    idmap_find(&r->file_map, idmap_pair(ev->rec.process, ev->rec.file));
		if (i != SIZE_MAX && r->files[i].object == 0 && r->files[i].own_object != 0)
			return r->files[i].own_object - 1;
		object = i != SIZE_MAX ? r->files[i].object : 0;
	}
	if (object == 0)
		object = path_object(r, iot_directive_get(ev, "path"));
	const size_t i = object != 0 ? idmap_find(&r->object_map, object) : SIZE_MAX;
	return i != SIZE_MAX && r->object_number[i] != 0 ? r->object_number[i] - 1 : SIZE_MAX;
}

static void truncate_object(struct references *r, struct reference_batch *b,
			    const struct iot_event *ev, size_t object)
{
	const struct iot_text text = iot_directive_get(ev, "size");
	const uint64_t block = r->options.block;
	uint64_t size;
	if (text.data == NULL || !number_decimal(text.data, text.size, &size)) {
		r->counts.truncated_unknown++;
		return;
	}
	r->counts.truncated++;
	add_action(r, b, object, size / block + (size % block != 0), true);
}

static int rename_object(struct references *r, const struct iot_event *ev)
{
	const struct iot_text from = iot_directive_get(ev, "path"),
			      to = iot_directive_get(ev, "to");
	const uint32_t object = path_object(r, from);
	if (object == 0 || to.data == NULL)
		return IOT_OK;
	return set_path(r, from, 0) == IOT_OK ? set_path(r, to, object) : r->error.status;
}

static int exchange_objects(struct references *r, const struct iot_event *ev)
{
	const struct iot_text from = iot_directive_get(ev, "path"),
			      to = iot_directive_get(ev, "to");
	const uint32_t object = path_object(r, from), other = path_object(r, to);
	if (from.data == NULL || to.data == NULL)
		return IOT_OK;
	return set_path(r, from, other) == IOT_OK ? set_path(r, to, object) : r->error.status;
}

static void apply_operation(struct references *r, struct reference_batch *b,
			    const struct iot_event *ev, struct iot_text name)
{
	const size_t object = object_of_operation(r, ev);
	if (object == SIZE_MAX)
		r->counts.unnamed++;
	else if (text_equals(name, "unlink")) {
		r->counts.unlinked++;
		r->objects[object].unlinked = true;
		drop_if_gone(r, b, object);
	} else if (text_equals(name, "truncate"))
		truncate_object(r, b, ev, object);
	else {
		r->counts.synced++;
		add_action(r, b, object, 0, false);
	}
}

/* Drops the block of an id. */
static void delete_id(struct references *r, struct reference_batch *b, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "offset");
	uint64_t offset;
	if (text.data == NULL || !number_decimal(text.data, text.size, &offset))
		return;
	const size_t object =
	    ev->has & IOT_HAS_FILE ? object_of_operation(r, ev) : object_of_record(r, &ev->rec);
	const size_t block = object != SIZE_MAX ? block_of_id(r, object, offset, false) : SIZE_MAX;
	if (block == SIZE_MAX)
		return;
	const uint64_t key = cache_key_of((uint32_t)object, block);
	b->action[b->actions++] = (struct reference_action){b->count, true, key, key};
}

static int add_operation(struct references *r, struct reference_batch *b,
			 const struct iot_event *ev)
{
	const struct iot_text name = iot_directive_get(ev, "name"),
			      result = iot_directive_get(ev, "result");
	if (r->options.whole) {
		if (text_equals(name, "delete"))
			delete_id(r, b, ev);
		return r->error.status;
	}
	if (r->options.physical || (result.data != NULL && !text_equals(result, "0")))
		return IOT_OK;
	if (text_equals(name, "close") && (ev->has & IOT_HAS_FILE)) {
		struct open_file *id = file_of(r, ev->rec.process, ev->rec.file);
		return id != NULL ? close_file(r, b, id) : r->error.status;
	}
	if (text_equals(name, "rename"))
		return rename_object(r, ev);
	if (text_equals(name, "exchange"))
		return exchange_objects(r, ev);
	if (text_equals(name, "unlink") || text_equals(name, "truncate") ||
	    text_equals(name, "fsync") || text_equals(name, "fdatasync"))
		apply_operation(r, b, ev, name);
	return IOT_OK;
}

static int add_event(struct references *r, struct reference_batch *b, const struct iot_event *ev)
{
	switch ((enum iot_kind)ev->kind) {
	case IOT_RECORD:
		return add_record(r, b, &ev->rec);
	case IOT_FILE:
		return ev->has & IOT_HAS_DISK ? IOT_OK : define_file(r, b, ev);
	case IOT_PROCESS:
		return breakdown_process(&r->breakdown, ev) ? IOT_OK : no_memory(r);
	case IOT_OP:
		return add_operation(r, b, ev);
	default:
		return IOT_OK;
	}
}

/*
 * Plain records: of file data, with known offset and start, in order, of an object that is known,
 * below the limits. They take 100 instructions instead of 250, and most records are plain.
 */

#define PLAIN_MAX ((uint64_t)1 << 32) /* bytes of a record */
#define PLAIN_END ((uint64_t)1 << 48) /* offsets; less than any BLOCKS_MAX blocks */

/* Whether records can be plain, with these options and the directives so far. */
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
	const struct known_object *k = &r->known[0];
	size_t i = 0;
	for (; i < end && is_plain(r, &ev[i]); i++) {
		const struct iot_record *rec = &ev[i].rec;
		const uint64_t last_byte = rec->offset + (rec->length - 1),
			       first = rec->offset >> bits, next = (last_byte >> bits) + 1;
		const uint32_t blocks = (uint32_t)(next - first);
		if (!is_known(k, rec) && !is_known(k = known_object(r, rec), rec))
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
		append_keys(b, cache_key_of(k->number - 1, first), blocks,
			    write ? r->write_how : 0);
		if (next > r->objects[k->number - 1].end)
			extend(&r->objects[k->number - 1], next);
		count_record(&all, write, rec->length, blocks);
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
		append_rest(r, b);
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
