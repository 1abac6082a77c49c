/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects that are shared by reference: open file descriptions with their positions, files,
 * working directories, and descriptions in flight. fdtable.c has the descriptor tables, path_tree.c
 * the names of files.
 */
#include "fdtable.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/iotrace.h>

#include "lib/base/hash.h"

enum {
	REPORTED_MAX = 64,    /* processes stored; a dropped one gets a second report */
	IN_FLIGHT_MAX = 1024, /* messages to one end; beyond it, the oldest is dropped */
};

void fdtable_init(struct fdtable *t)
{
	*t = (struct fdtable){.memory_max = FDTABLE_MEMORY_MAX, .seed = hash_seed()};
}

void *fdtable_grow(struct fdtable *t, void *block, size_t size, size_t more)
{
	if (more - size > t->memory_max - t->memory) {
		t->status = IOT_ELIMIT;
		return NULL;
	}
	char *grown = realloc(block, more > 0 ? more : 1);
	if (grown == NULL) {
		t->status = IOT_ENOMEM;
		return NULL;
	}
	memset(grown + size, 0, more - size);
	t->memory += more - size;
	return grown;
}

void fdtable_drop(struct fdtable *t, void *block, size_t size)
{
	t->memory -= block == NULL ? 0 : size;
	free(block);
}

/* Files */

void file_free(struct fdtable *t, struct tracked_file *f)
{
	assert(f == NULL || f->refs > 0);
	if (f == NULL || --f->refs > 0)
		return;
	fdtable_drop(t, f->path, f->path_size);
	fdtable_drop(t, f, sizeof *f);
}

void file_truncate(struct tracked_file *f, uint64_t size)
{
	f->size = size;
	f->size_known = true;
}

void file_grow(struct tracked_file *f, uint64_t size)
{
	if (size > f->size)
		f->size = size;
}

struct tracked_file *file_unlinked(struct fdtable *t)
{
	struct tracked_file *f = fdtable_grow(t, NULL, 0, sizeof *f);
	if (f != NULL)
		f->refs = 1;
	return f;
}

/* Working directories */

struct directory *directory_new(struct fdtable *t, const char *path, size_t size)
{
	struct directory *d = fdtable_grow(t, NULL, 0, sizeof *d);
	if (d == NULL)
		return NULL;
	d->refs = 1;
	directory_set(t, d, path, size);
	return d;
}

struct directory *directory_share(struct directory *d)
{
	d->refs++;
	return d;
}

void directory_set(struct fdtable *t, struct directory *d, const char *path, size_t size)
{
	if (size > d->capacity) {
		char *grown = fdtable_grow(t, d->path, d->capacity, size);
		if (grown == NULL)
			return;
		d->path = grown;
		d->capacity = size;
	}
	if (size > 0)
		memmove(d->path, path, size);
	d->size = size;
}

void directory_free(struct fdtable *t, struct directory *d)
{
	assert(d == NULL || d->refs > 0);
	if (d == NULL || --d->refs > 0)
		return;
	fdtable_drop(t, d->path, d->capacity);
	fdtable_drop(t, d, sizeof *d);
}

/*
 * Descriptors in flight between the two ends of a socketpair. A message that was read as plain
 * bytes loses its descriptors, so a receiver matches messages by the number of descriptors.
 */

struct queue {
	struct fd_message *first;
	uint32_t count;
};

struct fd_socketpair {
	struct open_description *end[2]; /* NULL if closed */
	struct queue to[2];
};

static size_t message_size(uint32_t count)
{
	return sizeof(struct fd_message) + count * sizeof(struct open_description *);
}

struct fd_message *fd_message_new(struct fdtable *t, uint32_t count, uint32_t sender)
{
	struct fd_message *m = fdtable_grow(t, NULL, 0, message_size(count));
	if (m == NULL)
		return NULL;
	m->count = count;
	m->sender = sender;
	return m;
}

void fd_message_free(struct fdtable *t, struct fd_message *m)
{
	if (m == NULL)
		return;
	for (uint32_t i = 0; i < m->count; i++)
		open_description_free(t, m->open[i]);
	fdtable_drop(t, m, message_size(m->count));
}

/* Unlinks and returns the message *at. */
static struct fd_message *take(struct queue *q, struct fd_message **at)
{
	struct fd_message *m = *at;
	assert(m != NULL && q->count > 0);
	*at = m->next;
	q->count--;
	return m;
}

void fd_socketpair_new(struct fdtable *t, struct open_description *a, struct open_description *b)
{
	if (a->pair != NULL || b->pair != NULL || a == b)
		return;
	struct fd_socketpair *pair = fdtable_grow(t, NULL, 0, sizeof *pair);
	if (pair == NULL)
		return;
	pair->end[0] = a;
	pair->end[1] = b;
	a->pair = b->pair = pair;
}

static unsigned end_of(const struct open_description *d)
{
	return d->pair->end[1] == d;
}

void fd_socketpair_leave(struct fdtable *t, struct open_description *d)
{
	struct fd_socketpair *pair = d->pair;
	if (pair == NULL)
		return;
	const unsigned end = end_of(d);
	struct queue *q = &pair->to[end];
	while (q->first != NULL)
		fd_message_free(t, take(q, &q->first));
	pair->end[end] = NULL;
	d->pair = NULL;
	if (pair->end[1 - end] == NULL)
		fdtable_drop(t, pair, sizeof *pair);
}

/* Returns the queue of messages that d has sent; NULL if the other end is unknown. */
static struct queue *queue_from(const struct open_description *d)
{
	if (d->pair == NULL)
		return NULL;
	const unsigned other = 1 - end_of(d);
	return d->pair->end[other] == NULL ? NULL : &d->pair->to[other];
}

bool fd_socketpair_send(struct fdtable *t, struct open_description *from, struct fd_message *m)
{
	struct queue *q = queue_from(from);
	if (q == NULL)
		return false;
	if (q->count == IN_FLIGHT_MAX)
		fd_message_free(t, take(q, &q->first));
	struct fd_message **end = &q->first;
	while (*end != NULL)
		end = &(*end)->next;
	*end = m;
	m->next = NULL;
	q->count++;
	return true;
}

void fd_socketpair_take_back(struct fdtable *t, struct open_description *from, uint32_t sender)
{
	struct queue *q = queue_from(from);
	struct fd_message **last = NULL;
	for (struct fd_message **at = q == NULL ? NULL : &q->first; at != NULL && *at != NULL;
	     at = &(*at)->next)
		if ((*at)->sender == sender)
			last = at;
	if (last != NULL)
		fd_message_free(t, take(q, last));
}

struct fd_message *fd_socketpair_receive(struct fdtable *t, struct open_description *at,
					 uint32_t count)
{
	if (at->pair == NULL)
		return NULL;
	struct queue *q = &at->pair->to[end_of(at)];
	const struct fd_message *m = q->first;
	while (m != NULL && m->count != count)
		m = m->next;
	if (m == NULL)
		return NULL;
	while (q->first != m)
		fd_message_free(t, take(q, &q->first));
	return take(q, &q->first);
}

/* Descriptions */

struct open_description *open_description_new(struct fdtable *t, enum descriptor_kind kind,
					      struct tracked_file *file)
{
	struct open_description *d = fdtable_grow(t, NULL, 0, sizeof *d);
	if (d == NULL)
		return NULL;
	d->refs = 1;
	d->id = ++t->files;
	d->kind = (uint8_t)kind;
	d->file = file;
	if (file != NULL)
		file->refs++;
	return d;
}

void open_description_free(struct fdtable *t, struct open_description *d)
{
	assert(d == NULL || d->refs > 0);
	if (d == NULL || --d->refs > 0)
		return;
	fd_socketpair_leave(t, d);
	file_free(t, d->file);
	fdtable_drop(t, d->reported, d->reported_capacity * sizeof *d->reported);
	fdtable_drop(t, d, sizeof *d);
}

bool description_mark_known(struct fdtable *t, struct open_description *d, uint32_t process)
{
	d->reported_last = process;
	for (uint32_t i = 0; i < d->reported_count; i++)
		if (d->reported[i] == process)
			return true;
	if (d->reported_count == d->reported_capacity && d->reported_capacity < REPORTED_MAX) {
		uint32_t capacity = d->reported_capacity == 0 ? 2 : d->reported_capacity * 2;
		uint32_t *reported =
		    fdtable_grow(t, d->reported, d->reported_capacity * sizeof *reported,
				 capacity * sizeof *reported);
		if (reported == NULL)
			return false;
		d->reported = reported;
		d->reported_capacity = capacity;
	}
	if (d->reported_count < d->reported_capacity)
		d->reported[d->reported_count++] = process;
	else
		d->reported[d->reported_next++ % REPORTED_MAX] = process;
	return false;
}

void description_forget(struct open_description *d, uint32_t process)
{
	for (uint32_t i = 0; i < d->reported_count; i++)
		if (d->reported[i] == process)
			d->reported[i--] = d->reported[--d->reported_count];
	d->reported_last = 0;
}

/*
 * Accounts for a write that ends at `end`. If the offset is unknown, it may be anywhere, also
 * beyond the end of the file.
 */
static void wrote(struct tracked_file *f, uint64_t end, bool known, uint64_t length)
{
	if (f == NULL || length == 0)
		return;
	if (known)
		file_grow(f, end);
	else
		f->size_known = false;
}

struct file_offset open_description_append(struct open_description *d, uint64_t length, bool keep)
{
	struct file_offset at = {.offset = d->position, .known = false};
	if (d->file != NULL) {
		at = (struct file_offset){.offset = d->file->size, .known = d->file->size_known};
		d->file->size += length;
	}
	if (!keep) {
		d->position = at.offset + length;
		d->position_known = at.known;
	}
	return at;
}

struct file_offset open_description_move(struct open_description *d, bool write, uint64_t length)
{
	if (write && d->append && d->file != NULL)
		return open_description_append(d, length, length == 0);
	struct file_offset at = {.offset = d->position, .known = d->position_known};
	d->position += length;
	if (write)
		wrote(d->file, d->position, at.known, length);
	return at;
}

struct file_offset open_description_move_at(struct open_description *d, bool write, uint64_t offset,
					    uint64_t length)
{
	if (write && d->append && d->file != NULL)
		return open_description_append(d, length, true);
	if (write)
		wrote(d->file, offset + length, true, length);
	return (struct file_offset){.offset = offset, .known = true};
}

void open_description_short_read(struct open_description *d, struct file_offset at, uint64_t got,
				 uint64_t wanted)
{
	struct tracked_file *f = d->file;
	if (f == NULL || f->size_known || !at.known || got >= wanted)
		return;
	uint64_t end = at.offset + got;
	if (got > 0 || end == f->size) {
		f->size = end;
		f->size_known = true;
	}
}

void open_description_seek(struct open_description *d, uint64_t position)
{
	d->position = position;
	d->position_known = true;
}
