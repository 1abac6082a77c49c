/* SPDX-License-Identifier: BSD-2-Clause */
#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"

#include "sectors.h"

void tie_match_free(struct tie_match *m)
{
	struct idmap *const maps[] = {&m->opens, &m->rows, &m->processes, &m->blocks, &m->disks};
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		idmap_free(maps[i]);
	extents_free(&m->extents);
	free(m->open);
	free(m->row);
	free(m->process);
	free(m->block);
	free(m->device);
	free(m->tie);
	*m = (struct tie_match){.logical = 0};
}

/* Definitions */

/* Returns the index of the row of a file; SIZE_MAX if out of memory. */
static size_t row_of(struct tie_match *m, uint32_t object, uint32_t process, uint32_t file)
{
	const uint64_t open = idmap_pair(process, file);
	/* ~ keeps opens apart from objects, which are below 2^32 */
	const uint64_t key = object != 0 ? object : ~open;
	const size_t before = m->rows.count, n = idmap_number(&m->rows, key);
	if (!array_reserve_index(&m->row, &m->row_capacity, n, sizeof *m->row))
		return SIZE_MAX;
	if (m->rows.count > before)
		m->row[n] = (struct tie_row){.object = object,
					     .process = object != 0 ? 0 : process,
					     .file = object != 0 ? 0 : file,
					     .mapped = extents_have(&m->extents, object)};
	return n;
}

/* Returns the open of a file; NULL if out of memory. */
static struct tie_open *open_of(struct tie_match *m, const struct iot_record *rec)
{
	const size_t before = m->opens.count;
	const size_t n = idmap_number(&m->opens, idmap_pair(rec->process, rec->file));
	if (!array_reserve_index(&m->open, &m->open_capacity, n, sizeof *m->open))
		return NULL;
	if (m->opens.count > before || rec->object != 0) {
		const size_t row = row_of(m, rec->object, rec->process, rec->file);
		if (row == SIZE_MAX)
			return NULL;
		m->open[n].row = (uint32_t)row;
	}
	return &m->open[n];
}

static struct tie_process *process_of(struct tie_match *m, uint32_t id)
{
	const size_t before = m->processes.count, n = idmap_number(&m->processes, id);
	if (!array_reserve_index(&m->process, &m->process_capacity, n, sizeof *m->process))
		return NULL;
	if (m->processes.count > before)
		m->process[n].crowded_ns = m->process[n].flush_ns = INT64_MIN;
	return &m->process[n];
}

static bool has_sync(struct iot_text flags)
{
	struct iot_text rest = flags;
	while (rest.data != NULL && rest.size > 0) {
		const char *comma = memchr(rest.data, ',', rest.size);
		const size_t n = comma != NULL ? (size_t)(comma - rest.data) : rest.size;
		if ((n == 4 && memcmp(rest.data, "sync", n) == 0) ||
		    (n == 5 && memcmp(rest.data, "dsync", n) == 0))
			return true;
		rest.data += n + (comma != NULL);
		rest.size -= n + (comma != NULL);
	}
	return false;
}

static int define_disk(struct tie_match *m, const struct iot_event *ev)
{
	struct iot_text name = iot_directive_get(ev, "source-id");
	if (name.data == NULL)
		name = iot_directive_get(ev, "path");
	const size_t n = idmap_number(&m->disks, ev->rec.file);
	if (!array_reserve_index(&m->device, &m->device_capacity, n, sizeof *m->device))
		return IOT_ENOMEM;
	/* a disk that no extent refers to needs no number */
	const size_t device = name.data != NULL ? extents_device(&m->extents, name) : SIZE_MAX;
	m->device[n] = device != SIZE_MAX ? (uint32_t)device + 1 : 0;
	return IOT_OK;
}

static int define_file(struct tie_match *m, const struct iot_event *ev)
{
	if (ev->has & IOT_HAS_DISK)
		return define_disk(m, ev);
	struct tie_open *o = open_of(m, &ev->rec);
	if (o == NULL)
		return IOT_ENOMEM;
	o->sync = has_sync(iot_directive_get(ev, "flags"));
	return IOT_OK;
}

/* Flushes */

static bool text_is(struct iot_text text, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n && text.data != NULL; i++)
		if (strlen(names[i]) == text.size && memcmp(names[i], text.data, text.size) == 0)
			return true;
	return false;
}

static int begin_flush(struct tie_match *m, const struct iot_event *ev)
{
	static const char *const one[] = {"fsync", "fdatasync", "sync_file_range", "msync"};
	static const char *const all[] = {"sync", "syncfs"};
	const struct iot_text name = iot_directive_get(ev, "name");
	const unsigned timed = IOT_HAS_TIME | IOT_HAS_TOOK | IOT_HAS_PROCESS;
	const bool of_file = text_is(name, one, sizeof one / sizeof *one);
	if ((ev->has & timed) != timed || (of_file && (ev->has & IOT_HAS_FILE) == 0) ||
	    (!of_file && !text_is(name, all, sizeof all / sizeof *all)))
		return IOT_OK;
	struct tie_process *p = process_of(m, ev->rec.process);
	const struct tie_open *o = of_file ? open_of(m, &ev->rec) : NULL;
	if (p == NULL || (of_file && o == NULL))
		return IOT_ENOMEM;
	p->flushed = of_file ? m->row[o->row].last_write : p->last_write;
	p->flush_row = of_file ? o->row : p->last_row;
	p->flush_ns = ev->rec.start_ns + (int64_t)ev->rec.duration_ns;
	return IOT_OK;
}

/* Transfers */

/* Ties the physical records of a transfer that has ended, if their sizes add up. */
static void settle(struct tie_match *m, const struct tie_transfer *t)
{
	if (t->sum != t->bytes)
		return;
	for (uint32_t i = t->first; i != 0;) {
		struct tie *tie = &m->tie[i - 1];
		const uint32_t next = tie->next;
		*tie = (struct tie){.logical = t->logical, .row = t->row, .kind = TIE_DIRECT};
		i = next;
	}
}

static void settle_before(struct tie_match *m, struct tie_process *p, int64_t now_ns)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->count; i++) {
		if (p->active[i].end_ns < now_ns)
			settle(m, &p->active[i]);
		else
			p->active[kept++] = p->active[i];
	}
	p->count = kept;
}

static int begin_transfer(struct tie_match *m, const struct iot_record *rec,
			  const struct tie_open *o)
{
	const bool write = (rec->type & IOT_WRITE) != 0;
	struct tie_process *p = process_of(m, rec->process);
	if (p == NULL)
		return IOT_ENOMEM;
	settle_before(m, p, rec->start_ns);
	if (write) {
		p->last_write = m->row[o->row].last_write = m->logical;
		p->last_row = o->row;
	}
	if (rec->flags & (IOT_DURATION_UNKNOWN | IOT_START_UNKNOWN))
		return IOT_OK;
	const int64_t end_ns = rec->start_ns + (int64_t)rec->duration_ns;
	if (p->count == TIE_ACTIVE_MAX) {
		p->crowded_ns = end_ns > p->crowded_ns ? end_ns : p->crowded_ns;
		return IOT_OK;
	}
	p->active[p->count++] = (struct tie_transfer){.end_ns = end_ns,
						      .bytes = rec->length,
						      .logical = m->logical,
						      .row = o->row,
						      .write = write,
						      .sync = o->sync};
	return IOT_OK;
}

/* The only active transfer in this direction; NULL if there are several, or none. */
static struct tie_transfer *only_active(struct tie_process *p, int64_t now_ns, bool write)
{
	struct tie_transfer *found = NULL;
	if (p->crowded_ns >= now_ns)
		return NULL;
	for (size_t i = 0; i < p->count; i++) {
		if (p->active[i].write != write)
			continue;
		if (found != NULL)
			return NULL;
		found = &p->active[i];
	}
	return found;
}

/* Blocks */

static struct tie_block *block_of(struct tie_match *m, uint64_t number)
{
	const size_t n = idmap_number(&m->blocks, number);
	return array_reserve_index(&m->block, &m->block_capacity, n, sizeof *m->block)
		   ? &m->block[n]
		   : NULL;
}

static void read_block(struct tie_match *m, struct tie_block *b, const struct iot_record *rec,
		       uint32_t row)
{
	if (b->waiting != 0) {
		struct tie *tie = &m->tie[b->waiting - 1];
		m->row[row].ahead_used += b->waiting_bytes;
		if (tie->kind == TIE_NONE)
			*tie = (struct tie){
			    .logical = m->logical, .row = row, .next = tie->next, .kind = TIE_MAP};
		else if (tie->kind == TIE_MAP)
			tie->merged |= tie->logical != m->logical;
	}
	b->reader = m->logical;
	b->reader_ns = rec->start_ns;
	if ((rec->flags & IOT_DURATION_UNKNOWN) == 0)
		b->reader_ns += (int64_t)rec->duration_ns;
}

/* Marks the blocks that a logical record reads or writes. */
static int touch_blocks(struct tie_match *m, const struct iot_record *rec, uint32_t row)
{
	struct extent_part part;
	size_t at = 0;
	if (!m->row[row].mapped || (rec->flags & IOT_OFFSET_UNKNOWN))
		return IOT_OK;
	while (extents_next_of_file(&m->extents, m->row[row].object, rec->offset, rec->length, &at,
				    &part))
		for (uint64_t i = part.first_block; i < part.end_block; i++) {
			struct tie_block *b = block_of(m, i);
			if (b == NULL)
				return IOT_ELIMIT;
			if (rec->type & IOT_WRITE)
				b->writer = m->logical;
			else
				read_block(m, b, rec, row);
			b->waiting = 0;
		}
	return IOT_OK;
}

static int add_logical(struct tie_match *m, const struct iot_record *rec)
{
	const struct tie_open *o = open_of(m, rec);
	if (o == NULL)
		return IOT_ENOMEM;
	if (m->logical == UINT32_MAX)
		return IOT_ELIMIT;
	m->logical++;
	m->row[o->row].logical[rec->type & IOT_WRITE ? TIE_WRITE : TIE_READ] += rec->length;
	const int status = touch_blocks(m, rec, o->row);
	return status == IOT_OK ? begin_transfer(m, rec, o) : status;
}

/* Physical records */

/* The files that a physical record serves, according to extents. */
struct located {
	uint32_t logical, row; /* the first logical record that it serves; 0: none */
	bool several;
};

static void serve(struct located *to, uint32_t logical, uint32_t row)
{
	if (logical == 0)
		return;
	to->several |= to->logical != 0 && to->logical != logical;
	if (to->logical != 0 && to->logical <= logical)
		return;
	to->logical = logical;
	to->row = row;
}

static uint32_t bytes_in_block(const struct extent_part *part, uint64_t block)
{
	const uint64_t first = (block - part->extent->first_block) * EXTENT_BLOCK;
	const uint64_t begin = part->begin > first ? part->begin : first;
	const uint64_t end = part->end < first + EXTENT_BLOCK ? part->end : first + EXTENT_BLOCK;
	return (uint32_t)(end - begin);
}

static void wait_for_reader(struct tie_match *m, struct tie_block *b, uint32_t bytes, uint32_t row)
{
	b->waiting = (uint32_t)m->ties;
	b->waiting_bytes = bytes;
	m->row[row].ahead += bytes;
}

static int locate_part(struct tie_match *m, const struct iot_record *rec,
		       const struct extent_part *part, struct located *to)
{
	const size_t row = row_of(m, part->extent->object, 0, 0);
	if (row == SIZE_MAX)
		return IOT_ENOMEM;
	for (uint64_t i = part->first_block; i < part->end_block; i++) {
		struct tie_block *b = block_of(m, i);
		if (b == NULL)
			return IOT_ELIMIT;
		if (rec->type & IOT_WRITE)
			serve(to, b->writer, (uint32_t)row);
		else if (b->reader != 0 && b->reader_ns >= rec->start_ns)
			serve(to, b->reader, (uint32_t)row);
		else
			wait_for_reader(m, b, bytes_in_block(part, i), (uint32_t)row);
	}
	return IOT_OK;
}

static int locate(struct tie_match *m, const struct iot_record *rec, struct located *to)
{
	const uint32_t device = sectors_device(m, rec);
	struct extent_part part;
	size_t at = 0;
	int status = IOT_OK;
	*to = (struct located){.logical = 0};
	if (device == 0 || sectors_are_ambiguous(m, rec))
		return IOT_OK;
	while (status == IOT_OK &&
	       extents_next_of_disk(&m->extents, device - 1, rec->offset, rec->length, &at, &part))
		status = locate_part(m, rec, &part, to);
	return status;
}

static bool tie_to_flush(struct tie_match *m, const struct iot_record *rec,
			 const struct tie_process *p, const struct tie_transfer *during,
			 struct tie *tie)
{
	uint32_t logical = 0, row = 0;
	if ((rec->type & IOT_WRITE) == 0)
		return false;
	if (during != NULL && during->sync) {
		logical = during->logical;
		row = during->row;
	} else if (p->flush_ns >= rec->start_ns) {
		logical = p->flushed;
		row = p->flush_row;
	}
	if (logical == 0 || sectors_are_elsewhere(m, rec, row))
		return false;
	tie->logical = logical;
	tie->row = row;
	tie->kind = TIE_FLUSH;
	return true;
}

static void tie_to_transfer(struct tie_match *m, const struct iot_record *rec,
			    struct tie_transfer *t)
{
	if (t == NULL || sectors_are_elsewhere(m, rec, t->row))
		return;
	m->tie[m->ties - 1].next = t->first;
	t->first = (uint32_t)m->ties;
	t->sum += rec->length * IOT_BLOCK_SIZE;
}

static int add_physical(struct tie_match *m, const struct iot_record *rec)
{
	struct located located;
	if (m->ties == UINT32_MAX)
		return IOT_ELIMIT;
	if (!array_reserve_index(&m->tie, &m->tie_capacity, m->ties, sizeof *m->tie))
		return IOT_ENOMEM;
	struct tie *tie = &m->tie[m->ties++];
	struct tie_process *p = process_of(m, rec->process);
	const int status = p != NULL ? locate(m, rec, &located) : IOT_ENOMEM;
	const bool known = (rec->flags & IOT_START_UNKNOWN) == 0;
	if (status != IOT_OK)
		return status;
	settle_before(m, p, rec->start_ns);
	struct tie_transfer *t = known && (rec->type & IOT_METADATA) == 0
				     ? only_active(p, rec->start_ns, (rec->type & IOT_WRITE) != 0)
				     : NULL;
	const bool by_time = known && (rec->type & IOT_METADATA) == 0;
	if (!(by_time && tie_to_flush(m, rec, p, t, tie)) && located.logical != 0) {
		tie->logical = located.logical;
		tie->row = located.row;
		tie->kind = TIE_MAP;
		tie->merged = located.several;
	}
	tie_to_transfer(m, rec, t);
	return IOT_OK;
}

int tie_match_event(struct tie_match *m, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		return ev->rec.type & IOT_LOGICAL ? add_logical(m, &ev->rec)
						  : add_physical(m, &ev->rec);
	if (ev->kind == IOT_FILE)
		return define_file(m, ev);
	return ev->kind == IOT_OP && (ev->has & IOT_HAS_DISK) == 0 ? begin_flush(m, ev) : IOT_OK;
}

void tie_match_end(struct tie_match *m)
{
	for (size_t i = 0; i < m->processes.count; i++)
		settle_before(m, &m->process[i], INT64_MAX);
}
