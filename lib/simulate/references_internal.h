/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by references.c, which adds events, and the files that it calls. */
#ifndef LIB_SIMULATE_REFERENCES_INTERNAL_H
#define LIB_SIMULATE_REFERENCES_INTERNAL_H

#include "references.h"

#include "lib/base/error.h"
#include "lib/base/idmap.h"

#define REFERENCES_BLOCKS_MAX ((uint64_t)1 << CACHE_BLOCK_BITS)

struct reference_object {
	/* the block after the last one referenced, since the last drop, and ever */
	uint64_t end, highest;
	uint32_t opens;
	bool unlinked;
	struct breakdown_name name;
};

/* A fileId of a process. */
struct reference_file {
	uint32_t object;     /* as declared; 0 if unknown */
	uint32_t own_object; /* number + 1 of the object that it is while `object` is 0 */
	bool open, mpiio;
};

struct reference_stream {
	uint64_t end, read_end; /* of its last record and of its last read, in bytes */
	bool used, has_read;
};

/* The object of a record with these ids. */
struct reference_known {
	uint32_t process, file, object;
	uint32_t number; /* + 1; 0: none */
};

enum { REFERENCES_KNOWN = 64 }; /* objects of recent records */

/* The rest of a record that did not fit into the batch. */
struct reference_rest {
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
	struct reference_rest rest;
	uint64_t fresh; /* blocks of records with unknown offsets */
	int64_t start_ns;

	struct idmap object_map; /* object numbers of the trace */
	uint32_t *object_number; /* of each, + 1; 0: none */
	size_t object_number_capacity;
	struct reference_object *objects;
	size_t object_count, object_capacity;

	struct idmap file_map; /* (process, file) */
	struct reference_file *files;
	size_t file_capacity;
	struct idmap path_map; /* hashes of paths */
	uint32_t *path_object; /* object of the trace; 0: none */
	size_t path_capacity;
	struct idmap stream_map; /* (process, object number) */
	struct idmap ids;        /* of objects and large offsets, with options.whole */
	struct reference_stream *streams;
	size_t stream_capacity;
	struct breakdown breakdown;
	struct reference_totals *rows;
	size_t row_capacity;
	bool posix_seen, mpiio_seen;
	bool declares_mpiio; /* a file with layer=mpiio */
	struct reference_known known[REFERENCES_KNOWN];
};

static inline int references_no_memory(struct references *r)
{
	return error_no_memory(&r->error);
}

/* Returns the number of an object of the trace (not 0), or SIZE_MAX with the error set. */
size_t references_object(struct references *r, uint32_t object);
/* Returns NULL with the error set if out of memory. */
struct reference_file *references_file(struct references *r, uint32_t process, uint32_t file);
size_t references_find_object(struct references *r, const struct iot_record *rec);

/* Where the object of a record may be known from an earlier record. */
static inline struct reference_known *references_known_object(struct references *r,
							      const struct iot_record *rec)
{
	return &r->known[(rec->process * 31 + rec->file) % REFERENCES_KNOWN];
}

static inline bool references_is_known(const struct reference_known *k,
				       const struct iot_record *rec)
{
	return k->number != 0 && k->process == rec->process && k->file == rec->file &&
	       k->object == rec->object;
}

/* The number of an object never changes. */
static inline size_t references_object_of_record(struct references *r, const struct iot_record *rec)
{
	struct reference_known *k = references_known_object(r, rec);
	if (references_is_known(k, rec))
		return k->number - 1;
	const size_t number = references_find_object(r, rec);
	if (number != SIZE_MAX)
		*k = (struct reference_known){rec->process, rec->file, rec->object,
					      (uint32_t)number + 1};
	return number;
}

/* Ends the next run of the batch. */
static inline void references_append_keys(struct reference_batch *b, uint64_t key, uint32_t n,
					  uint8_t how)
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

static inline void reference_totals_add(struct reference_totals *t, bool write, uint64_t bytes,
					uint64_t blocks)
{
	t->references[write] += blocks;
	t->records[write]++;
	t->bytes[write] += bytes;
}

static inline void reference_object_extend(struct reference_object *o, uint64_t end)
{
	o->end = end > o->end ? end : o->end;
	o->highest = end > o->highest ? end : o->highest;
}

/* Continues a record that did not fit into the batch before. */
void references_append_rest(struct references *r, struct reference_batch *b);
/*
 * Refers to bytes [offset, offset + bytes) of an object, bytes > 0; to the block of an id; or to
 * `bytes` at an unknown offset.
 */
int references_refer(struct references *r, struct reference_batch *b, const struct iot_record *rec,
		     size_t object, uint64_t offset, uint64_t bytes);
int references_refer_id(struct references *r, struct reference_batch *b,
			const struct iot_record *rec, size_t object);
int references_refer_unknown(struct references *r, struct reference_batch *b,
			     const struct iot_record *rec, uint64_t bytes);
/*
 * Returns the number of the block of an id, or SIZE_MAX: a small offset, or in the upper half of
 * all numbers the number of a large one. insert: a new id gets a number. The first object is often
 * the only one, so its offsets are not hashed.
 */
size_t references_block_of_id(struct references *r, size_t object, uint64_t offset, bool insert);

/* Applies a %file, or an %op. */
int references_define_file(struct references *r, struct reference_batch *b,
			   const struct iot_event *ev);
int references_add_operation(struct references *r, struct reference_batch *b,
			     const struct iot_event *ev);

#endif
