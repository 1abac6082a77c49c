/* SPDX-License-Identifier: BSD-2-Clause */
#include "requests.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/format/directive.h"

#include "saturate.h"

enum { BLOCK_BITS = 9 };

static_assert(1 << BLOCK_BITS == IOT_BLOCK_SIZE, "blocks are shifted");

static bool keep(struct requests *r, bool done)
{
	r->failed |= !done;
	return done;
}

static size_t own_number(struct requests *r, uint32_t process)
{
	const size_t i = idmap_number(&r->process_map, process);
	keep(r, array_reserve_index(&r->owner, &r->owner_capacity, i, sizeof *r->owner));
	return r->failed ? SIZE_MAX : i;
}

/* The process of a thread, which is not followed further. */
static size_t owner_of(const struct requests *r, size_t thread)
{
	return r->owner[thread] != 0 ? r->owner[thread] - 1 : thread;
}

static void mark_active(struct requests *r, size_t number)
{
	if (!keep(r,
		  array_reserve_index(&r->active, &r->active_capacity, number, sizeof *r->active)))
		return;
	r->active_count += !r->active[number];
	r->active[number] = true;
}

size_t requests_active(struct requests *r, uint32_t process)
{
	const size_t thread = own_number(r, process);
	if (thread == SIZE_MAX)
		return thread;
	mark_active(r, owner_of(r, thread));
	return owner_of(r, thread);
}

void requests_define_process(struct requests *r, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "thread-of");
	uint64_t of;
	const bool owned = !r->options.per_thread && text.data != NULL &&
			   number_decimal(text.data, text.size, &of) && of <= UINT32_MAX;
	const size_t thread = own_number(r, ev->rec.process);
	const size_t process = owned ? own_number(r, (uint32_t)of) : thread;
	if (thread == SIZE_MAX || process == SIZE_MAX || owner_of(r, thread) == process)
		return;
	r->owner[thread] = (uint32_t)process + 1;
	r->owner_changes++;
}

/* The file of an object, or of one fileId if the object is unknown; its number + 1. */
static uint32_t file_of(struct requests *r, struct file_id *id, uint32_t object)
{
	if (object == 0)
		return id->own_file != 0 ? id->own_file : (id->own_file = ++r->files);
	const size_t i = idmap_number(&r->object_map, object);
	if (!keep(r, array_reserve_index(&r->object_file, &r->object_capacity, i,
					 sizeof *r->object_file)))
		return 1;
	if (r->object_file[i] == 0)
		r->object_file[i] = ++r->files;
	return r->object_file[i];
}

/* The number of a fileId; SIZE_MAX if out of memory. */
static inline size_t id_number(struct requests *r, uint32_t process, uint32_t file)
{
	const uint64_t key = idmap_pair(process, file);
	const size_t at = (process * 31 + file) % REQUESTS_RECENT;
	if (r->recent[at].key == key && r->recent[at].number != 0)
		return r->recent[at].number - 1;
	const size_t i = idmap_number(&r->id_map, key);
	if (!keep(r, array_reserve_index(&r->ids, &r->id_capacity, i, sizeof *r->ids)))
		return SIZE_MAX;
	r->recent[at].key = key;
	r->recent[at].number = i + 1;
	return i;
}

/* Returns NULL if out of memory. */
static struct file_id *id_of(struct requests *r, uint32_t process, uint32_t file)
{
	const size_t i = id_number(r, process, file);
	return i != SIZE_MAX ? &r->ids[i] : NULL;
}

/* Returns its number + 1. */
static uint32_t new_stream(struct requests *r)
{
	return r->free_count > 0 ? r->free_streams[--r->free_count] + 1 : ++r->streams;
}

/* A fileId that another object gets is another stream. */
static void bind(struct requests *r, struct file_id *id, const struct iot_record *rec)
{
	const size_t thread = own_number(r, rec->process);
	if (thread == SIZE_MAX)
		return;
	const size_t process = owner_of(r, thread);
	mark_active(r, process);
	if (id->file == 0 || id->object != rec->object) {
		id->stream = 0;
		id->file = file_of(r, id, rec->object);
	}
	id->object = rec->object;
	id->thread = (uint32_t)thread + 1;
	id->process = (uint32_t)process + 1;
	id->owner_changes = r->owner_changes;
	const size_t pair = idmap_number(&r->pair_map, idmap_pair(id->process, id->file));
	if (keep(r, pair != SIZE_MAX))
		id->pair = (uint32_t)pair + 1;
	if (id->stream == 0)
		id->stream = new_stream(r);
}

/* What the requests of a span have in common, in one number. */
static inline uint64_t span_key(const struct requests *r, const struct file_id *id,
				const struct iot_record *rec)
{
	const uint64_t type = rec->type & (IOT_WRITE | IOT_ASYNC);
	return (uint64_t)(id - r->ids + 1) << 16 | type << 8 | rec->flags;
}

static inline void extend_span(struct requests *r, unsigned layer, uint64_t key)
{
	const size_t i = r->count[layer];
	if (i > 0 && key == r->span_key[layer]) {
		r->list[layer][r->span[layer]].following++;
		return;
	}
	r->span[layer] = i;
	r->span_key[layer] = key;
}

static inline void append(struct requests *r, const struct file_id *id,
			  const struct iot_record *rec)
{
	const unsigned shift = r->options.physical ? BLOCK_BITS : 0, layer = id->layer;
	struct io_request *to = &r->list[layer][r->count[layer]];
	to->offset = rec->offset << shift;
	to->length = rec->length << shift;
	to->start_ns = rec->start_ns;
	to->duration_ns = rec->duration_ns;
	to->cpu_ns = rec->cpu_ns;
	to->stream = id->stream - 1;
	to->pair = id->pair - 1;
	to->file = id->file - 1;
	to->process = id->process - 1;
	to->thread = id->thread - 1;
	to->flags = rec->flags;
	to->write = (rec->type & IOT_WRITE) != 0;
	to->asynchronous = (rec->type & IOT_ASYNC) != 0;
	to->following = 0;
	extend_span(r, layer, span_key(r, id, rec));
	r->count[layer]++;
}

static void add_other(struct requests *r, const struct iot_record *rec)
{
	const bool write = (rec->type & IOT_WRITE) != 0;
	const unsigned kind = rec->type & IOT_DATA_KIND;
	const uint64_t unit = r->options.physical ? IOT_BLOCK_SIZE : 1;
	r->other[kind][write]++;
	r->other_bytes[kind][write] = saturate_add(r->other_bytes[kind][write], rec->length * unit);
}

static inline void add_request(struct requests *r, const struct iot_record *rec)
{
	const size_t i = id_number(r, rec->process, rec->file);
	if (i == SIZE_MAX)
		return;
	struct file_id *id = &r->ids[i];
	if (id->stream == 0 || id->object != rec->object || id->owner_changes != r->owner_changes) {
		bind(r, id, rec);
		r->span_key[id->layer] = 0;
	}
	if (!r->failed)
		append(r, id, rec);
}

void requests_add(struct requests *r, const struct iot_event *ev, size_t n)
{
	const unsigned layer = r->options.physical ? 0 : IOT_LOGICAL;
	for (size_t i = 0; i < n; i++) {
		const struct iot_record *rec = &ev[i].rec;
		if ((rec->type & IOT_LOGICAL) != layer)
			r->left_out++;
		else if ((rec->type & IOT_DATA_KIND) != IOT_FILE_DATA)
			add_other(r, rec);
		else
			add_request(r, rec);
	}
}

void requests_clear(struct requests *r)
{
	for (unsigned i = 0; i < LAYERS; i++)
		r->count[i] = 0;
}

void requests_define_file(struct requests *r, const struct iot_event *ev)
{
	const struct iot_text layer = iot_directive_get(ev, "layer");
	if (((ev->has & IOT_HAS_DISK) != 0) != (r->options.physical != 0))
		return;
	const bool mpiio = text_equals(layer, "mpiio");
	if (!mpiio && idmap_find(&r->id_map, idmap_pair(ev->rec.process, ev->rec.file)) == SIZE_MAX)
		return;
	struct file_id *id = id_of(r, ev->rec.process, ev->rec.file);
	if (id != NULL)
		id->layer = mpiio;
}

uint32_t requests_close(struct requests *r, const struct iot_event *ev)
{
	if (!directive_closes(ev))
		return 0;
	const size_t i = idmap_find(&r->id_map, idmap_pair(ev->rec.process, ev->rec.file));
	if (i == SIZE_MAX)
		return 0;
	const uint32_t stream = r->ids[i].stream;
	r->ids[i].stream = 0;
	r->ids[i].layer = 0;
	if (stream != 0 && keep(r, array_reserve(&r->free_streams, &r->free_capacity,
						 r->free_count + 1, sizeof *r->free_streams)))
		r->free_streams[r->free_count++] = stream - 1;
	return stream;
}

void requests_free(struct requests *r)
{
	idmap_free(&r->id_map);
	idmap_free(&r->process_map);
	idmap_free(&r->object_map);
	idmap_free(&r->pair_map);
	free(r->ids);
	free(r->owner);
	free(r->active);
	free(r->object_file);
	free(r->free_streams);
}
