/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assigns the numbers of the trace and emits the directives that define them: a process is a rank,
 * an object is a Darshan record id, a file is the records of one rank and layer for an id.
 */
#include "darshan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/array.h"

enum {
	NUMBERS_MAX = 16 << 20, /* of each kind */
	OLD_NAME_HEAD = 12,
	NAME_HEAD = 8,
};

#define NAME_BYTES_MAX ((size_t)1 << 30)
/* Threads have the highest process ids, so that they never collide with a rank of any log. */
#define THREADS_MAX   (UINT32_C(1) << 20)
#define THREADS_FIRST (UINT32_MAX - THREADS_MAX + 1)

size_t darshan_number(struct darshan *d, struct idmap *m, uint64_t key, void *array,
		      size_t *capacity, size_t size)
{
	const size_t n = m->count < NUMBERS_MAX ? idmap_number(m, key) : idmap_find(m, key);
	if (array_reserve_index(array, capacity, n, size))
		return n;
	darshan_no_memory(d);
	return SIZE_MAX;
}

/* Names */

/* Returns the data of an id, NULL if out of memory. */
static struct darshan_record_id *record_id(struct darshan *d, uint64_t id)
{
	struct darshan_ids *ids = &d->ids;
	const size_t n = darshan_number(d, &ids->records, id, &ids->record, &ids->record_capacity,
					sizeof *ids->record);
	return n != SIZE_MAX ? &ids->record[n] : NULL;
}

/* If an id has several names, the first non-empty one is used. */
bool darshan_name_add(struct darshan *d, uint64_t id, const char *text, size_t size)
{
	struct darshan_ids *ids = &d->ids;
	struct darshan_record_id *r = record_id(d, id);
	if (r != NULL && (r->size > 0 || size == 0))
		return true;
	if (r == NULL || size > NAME_BYTES_MAX - ids->names_size ||
	    !array_reserve(&ids->names, &ids->names_capacity, ids->names_size + size, 1)) {
		darshan_no_memory(d);
		return false;
	}
	r->text = (uint32_t)ids->names_size;
	r->size = (uint32_t)size;
	memcpy(ids->names + r->text, text, size);
	ids->names_size += size;
	return true;
}

struct iot_text darshan_name(const struct darshan *d, uint64_t id)
{
	const size_t n = idmap_find(&d->ids.records, id);
	if (n >= d->ids.record_capacity || d->ids.record[n].size == 0)
		return (struct iot_text){NULL, 0};
	return (struct iot_text){d->ids.names + d->ids.record[n].text, d->ids.record[n].size};
}

/* Adds the name at the front of the region, whose text starts after `head` bytes. */
static int add_name(struct darshan *d, const unsigned char *p, size_t head, size_t size)
{
	return darshan_name_add(d, darshan_u64(p, d->log.swap), (const char *)p + head, size) ? 1
											      : -1;
}

/* Format: u64 id, u32 length, text. */
static int read_old_name(struct darshan *d)
{
	const unsigned char *p = darshan_bytes(d, OLD_NAME_HEAD, "a name");
	if (p == NULL)
		return 0;
	const uint32_t size = darshan_u32(p + 8, d->log.swap);
	if (size > DARSHAN_NAME_MAX)
		return darshan_damage(d, IOT_EFORMAT, "a name is too long");
	p = darshan_bytes(d, OLD_NAME_HEAD + size, "a name");
	if (p == NULL)
		return 0;
	darshan_region_consume(&d->current.region, OLD_NAME_HEAD + size);
	return add_name(d, p, OLD_NAME_HEAD, strnlen((const char *)p + OLD_NAME_HEAD, size));
}

/* Format: u64 id, text, NUL. */
static int read_new_name(struct darshan *d)
{
	struct darshan_region *r = &d->current.region;
	size_t have, want = NAME_HEAD + 1, seen = NAME_HEAD;
	const unsigned char *p, *nul = NULL;
	do {
		p = darshan_region_peek(r, want, &have);
		if (have >= want)
			nul = memchr(p + seen, '\0', have - seen);
		seen = have;
		want = have + 1;
	} while (nul == NULL && !r->end.ended && have <= NAME_HEAD + DARSHAN_NAME_MAX);
	if (have == 0)
		return 0;
	const size_t size = nul != NULL ? (size_t)(nul - p) - NAME_HEAD : DARSHAN_NAME_MAX + 1;
	if (size > DARSHAN_NAME_MAX)
		return darshan_damage(d, IOT_EFORMAT,
				      have <= NAME_HEAD + DARSHAN_NAME_MAX ? "ends inside a name"
									   : "a name is too long");
	darshan_region_consume(r, NAME_HEAD + size + 1);
	return add_name(d, p, NAME_HEAD, size);
}

int darshan_ids_step(struct darshan *d)
{
	return d->log.minor == 0 ? read_old_name(d) : read_new_name(d);
}

/* Objects, files, processes */

uint32_t darshan_object(struct darshan *d, uint64_t id)
{
	struct darshan_record_id *r = record_id(d, id);
	if (r != NULL && r->object == 0)
		r->object = ++d->ids.objects;
	return r != NULL ? r->object : 0;
}

uint32_t darshan_process(struct darshan *d, int64_t rank)
{
	struct darshan_ids *ids = &d->ids;
	const uint64_t process = ids->process_base + (uint64_t)rank + 1;
	if (process >= THREADS_FIRST) {
		d->status =
		    error_set(&d->src->error, IOT_ELIMIT,
			      "rank %" PRId64 " of log %zu: the ranks of all logs need more "
			      "than %" PRIu32 " numbers",
			      rank, d->members.current + 1, THREADS_FIRST - 1);
		return 0;
	}
	const size_t known = ids->ranks.count;
	const size_t n = darshan_number(d, &ids->ranks, (uint64_t)rank, &ids->process,
					&ids->process_capacity, sizeof *ids->process);
	if (n == SIZE_MAX)
		return 0;
	if (n == known)
		ids->process[n] = (struct darshan_process){.rank = rank, .reported_ns = INT64_MAX};
	return (uint32_t)process;
}

struct darshan_process *darshan_process_data(const struct darshan *d, uint32_t process)
{
	const struct darshan_ids *ids = &d->ids;
	const size_t n = idmap_find(&ids->ranks, process - ids->process_base - 1);
	assert(n != SIZE_MAX);
	return &ids->process[n];
}

uint32_t darshan_file(struct darshan *d, unsigned layer, int64_t rank, uint64_t id)
{
	struct darshan_ids *ids = &d->ids;
	const uint32_t object = darshan_object(d, id);
	const uint32_t process = (uint32_t)(ids->process_base + (uint64_t)rank + 1);
	const size_t known = ids->files.count;
	if (object == 0)
		return 0;
	const size_t n = darshan_number(d, &ids->files, darshan_file_key(object, process, layer),
					&ids->file, &ids->file_capacity, sizeof *ids->file);
	if (n == SIZE_MAX)
		return 0;
	if (n == known)
		ids->file[n] =
		    (struct darshan_file){.id = id, .rank = rank, .object = object, .layer = layer};
	return (uint32_t)n + 1;
}

/* Returns the process of a thread, its rank's if there are too many threads. */
static uint32_t thread_process(struct darshan *d, uint32_t process, uint64_t thread)
{
	struct darshan_ids *ids = &d->ids;
	const bool full = ids->thread_processes.count == THREADS_MAX;
	size_t n = full ? idmap_find(&ids->threads, thread) : idmap_number(&ids->threads, thread);
	if (n != SIZE_MAX) {
		const uint64_t key = idmap_pair((uint32_t)n, process);
		n = full ? idmap_find(&ids->thread_processes, key)
			 : idmap_number(&ids->thread_processes, key);
	}
	if (n != SIZE_MAX)
		return THREADS_FIRST + (uint32_t)n;
	darshan_count(d, "threads.too_many", 1);
	return process;
}

uint32_t darshan_thread(struct darshan *d, uint32_t process, uint32_t file, uint64_t thread)
{
	const uint32_t own = thread_process(d, process, thread);
	const size_t known = d->ids.thread_files.count;
	struct iot_builder b;
	if (own == process || known == NUMBERS_MAX ||
	    idmap_number(&d->ids.thread_files, idmap_pair(own, file)) != known)
		return own;
	darshan_emit_process(d, process, d->clock.base_ns);
	if (emit_begin(&d->emit, &b, "process")) {
		iot_directive_number(&b, "id", own);
		iot_directive_number(&b, "thread-of", process);
		iot_directive_number(&b, "rank", (uint64_t)darshan_process_data(d, process)->rank);
		iot_directive_number(&b, "thread", thread);
		emit_end(&d->emit, &b, d->clock.base_ns);
	}
	darshan_emit_file(d, file, own, d->clock.base_ns);
	return own;
}

/* Definitions */

/* Returns the name of the program: the last component of the command's first word. */
static struct iot_text program(struct iot_text command)
{
	const char *end = command.size > 0 ? memchr(command.data, ' ', command.size) : NULL;
	const size_t size = end != NULL ? (size_t)(end - command.data) : command.size;
	const char *slash = size > 0 ? memrchr(command.data, '/', size) : NULL;
	const size_t at = slash != NULL ? (size_t)(slash - command.data) + 1 : 0;
	return (struct iot_text){command.data != NULL ? command.data + at : NULL, size - at};
}

/*
 * Repeats the definition if it is needed earlier than it was emitted; the later one is then
 * redundant.
 */
void darshan_emit_process(struct darshan *d, uint32_t process, int64_t sort_ns)
{
	struct darshan_process *p = darshan_process_data(d, process);
	struct iot_builder b;
	if (sort_ns >= p->reported_ns || !emit_begin(&d->emit, &b, "process"))
		return;
	p->reported_ns = sort_ns;
	iot_directive_number(&b, "id", process);
	iot_directive_number(&b, "rank", (uint64_t)p->rank);
	darshan_text_value(&b, "name", program(d->log.job.command));
	if (p->host[0] != '\0')
		emit_string(&b, "host", p->host);
	if (d->ids.process_base > 0) {
		darshan_text_value(&b, "command", d->log.job.command);
		if (d->log.job.known)
			darshan_signed(&b, "job", d->log.job.id);
	}
	emit_end(&d->emit, &b, sort_ns);
}

void darshan_emit_file(struct darshan *d, uint32_t file, uint32_t process, int64_t sort_ns)
{
	const struct darshan_file *f = &d->ids.file[file - 1];
	const struct iot_text path = darshan_name(d, f->id);
	struct iot_text type, point;
	struct iot_builder b;
	if (!emit_begin(&d->emit, &b, "file"))
		return;
	iot_directive_number(&b, "process", process);
	iot_directive_number(&b, "id", file);
	iot_directive_number(&b, "object", f->object);
	darshan_text_value(&b, "path", path);
	iot_directive_number(&b, "source-id", f->id);
	emit_string(&b, "layer", f->layer == EMIT_LAYER_POSIX ? "posix" : "mpiio");
	if (path.size > 0 && darshan_mount(&d->log.job, path, &type, &point)) {
		darshan_text_value(&b, "fs", type);
		darshan_text_value(&b, "mount", point);
	}
	emit_end(&d->emit, &b, sort_ns);
}

/* Jobs */

void darshan_emit_silent_processes(struct darshan *d)
{
	for (size_t i = 0; i < d->ids.ranks.count; i++) {
		const struct darshan_process *p = &d->ids.process[i];
		if (p->reported_ns == INT64_MAX)
			darshan_emit_process(
			    d, (uint32_t)(d->ids.process_base + (uint64_t)p->rank + 1),
			    d->clock.base_ns);
	}
}

uint64_t darshan_process_count(const struct darshan *d)
{
	int64_t max = d->log.job.known && d->log.job.processes > 0 ? d->log.job.processes : 0;
	for (size_t i = 0; i < d->ids.ranks.count; i++)
		if (d->ids.process[i].rank >= max)
			max = d->ids.process[i].rank + 1;
	return (uint64_t)max;
}

void darshan_ids_next_job(struct darshan *d, uint64_t processes)
{
	d->ids.process_base += processes;
	idmap_free(&d->ids.ranks);
}

void darshan_ids_free(struct darshan_ids *ids)
{
	struct idmap *const maps[] = {
	    &ids->records,          &ids->files,       &ids->ranks, &ids->threads,
	    &ids->thread_processes, &ids->thread_files};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		idmap_free(maps[i]);
	free(ids->record);
	free(ids->file);
	free(ids->process);
	free(ids->names);
}
