/* SPDX-License-Identifier: BSD-2-Clause */
#include "events.h"

#include <string.h>

#include "packets.h"
#include "paths.h"
#include "raw.h"
#include "text.h"

/* The end of a record: texts are followed by up to 7 bytes without meaning. */
static uint64_t round_up(uint64_t size)
{
	return (size + 7) & ~(uint64_t)7;
}

static int32_t result_of(const struct event *e)
{
	return e->result > INT32_MAX ? INT32_MAX : (int32_t)e->result;
}

static void *reserve(struct producer *p, uint64_t size)
{
	void *r = producer_reserve(p, size);
	if (r == NULL)
		atomic_fetch_add(&p->ring->dropped_others, 1);
	else if (recording.sends)
		atomic_fetch_add(&p->ring->made_others, 1);
	return r;
}

static void publish(struct producer *p)
{
	producer_publish(p);
	if (recording.sends) {
		p->limit = 0; /* the record may be shorter than the space that was reserved */
		packets_send(p);
	}
}

void event_operation(struct producer *p, const struct event *e)
{
	const uint64_t max = sizeof(struct record_operation) +
			     (e->path != NULL ? RECORD_TEXT_MAX : 0) +
			     (e->to != NULL ? RECORD_TEXT_MAX : 0);
	struct record_operation *r = reserve(p, max);
	if (r == NULL)
		return;
	*r = (struct record_operation){.head = {.kind = RECORD_OPERATION,
						.code = (uint8_t)e->op,
						.description = e->description},
				       .start = e->start,
				       .end = e->end,
				       .size = e->size,
				       .result = result_of(e)};
	r->text_size = (uint16_t)paths_absolute(e->directory, e->path, r->text);
	r->to_size = (uint16_t)paths_absolute(e->to_directory, e->to, r->text + r->text_size);
	producer_trim(p, &r->head, max, round_up(sizeof *r + r->text_size + r->to_size));
	publish(p);
}

static void fill_file(struct record_open *r, const struct event_file *file)
{
	const struct statx *s = &file->stat;
	r->mode = s->stx_mode;
	r->size = -1;
	if (s->stx_mask == 0)
		return;
	if ((s->stx_mask & STATX_SIZE) != 0 && S_ISREG(s->stx_mode))
		r->size = (int64_t)s->stx_size;
	r->device = event_device(s->stx_dev_major, s->stx_dev_minor);
	r->inode = s->stx_ino;
	if ((s->stx_mask & STATX_BTIME) != 0)
		r->birth = s->stx_btime.tv_sec * 1000000000 + s->stx_btime.tv_nsec;
}

void event_open(struct producer *p, const struct event *e, const struct event_file *file)
{
	const uint64_t max = sizeof(struct record_open) + RECORD_TEXT_MAX;
	struct record_open *r = reserve(p, max);
	if (r == NULL)
		return;
	*r = (struct record_open){
	    .head = {.kind = RECORD_OPEN, .code = (uint8_t)e->op, .description = e->description},
	    .start = e->start,
	    .end = e->end,
	    .result = result_of(e),
	    .flags = e->flags};
	fill_file(r, file);
	r->text_size = (uint16_t)(e->path != NULL ? paths_absolute(e->directory, e->path, r->text)
				  : file->fd >= 0 ? paths_of_descriptor(file->fd, r->text)
						  : 0);
	producer_trim(p, &r->head, max, round_up(sizeof *r + r->text_size));
	publish(p);
}

void event_child(struct producer *p, const struct event_child *e)
{
	const uint64_t max = sizeof(struct record_child) + RECORD_TEXT_MAX;
	struct record_child *r = reserve(p, max);
	if (r == NULL)
		return;
	*r = (struct record_child){.head = {.kind = RECORD_CHILD, .code = (uint8_t)e->how},
				   .time = clock_now(),
				   .pid = e->pid,
				   .why = (uint16_t)e->why};
	r->text_size = (uint16_t)paths_absolute(e->directory, e->program, r->text);
	producer_trim(p, &r->head, max, round_up(sizeof *r + r->text_size));
	publish(p);
}

struct event_io event_io_read(void)
{
	char text[512];
	struct event_io io = {0};
	if (!recording_read("/proc/self/io", text, sizeof text))
		return io;
	uint64_t *const value[] = {&io.rchar, &io.wchar,      &io.syscr,
				   &io.syscw, &io.read_bytes, &io.write_bytes};
	const char *at = text;
	for (size_t i = 0; i < 6 && (at = strchr(at, ' ')) != NULL; i++)
		*value[i] = text_number(++at);
	io.is_known = true;
	const uint64_t reads = recording.own_reads - 1; /* this one is not in the counters */
	const uint64_t bytes = recording.own_bytes - strlen(text);
	io.rchar -= io.rchar < bytes ? io.rchar : bytes;
	io.syscr -= io.syscr < reads ? io.syscr : reads;
	io.wchar -= io.wchar < recording.own_written ? io.wchar : recording.own_written;
	io.syscw -= io.syscw < recording.own_writes ? io.syscw : recording.own_writes;
	return io;
}

void event_start(struct producer *p, const struct event_io *io, int64_t rank, const char *arguments,
		 size_t size)
{
	const uint64_t max = sizeof(struct record_start) + round_up(size) + RECORD_TEXT_MAX;
	struct record_start *r = reserve(p, max);
	if (r == NULL)
		return;
	const uint64_t now = clock_now();
	*r = (struct record_start){
	    .head = {.kind = RECORD_START, .code = (uint8_t)recording.process->forked},
	    .time = now,
	    .cpu = producer_cpu(p, now),
	    .pid = recording.pid,
	    .parent = recording.process->parent,
	    .rank = rank,
	    .rchar = io->rchar,
	    .wchar = io->wchar,
	    .loader = io->loader};
	r->command_size = (uint32_t)size;
	memcpy(r->text, arguments, r->command_size);
	if (r->command_size > 0)
		r->text[r->command_size - 1] = '\0';
	r->directory_size = paths_absolute(-1, paths_directory(), r->text + r->command_size);
	producer_trim(p, &r->head, max, round_up(sizeof *r + r->command_size + r->directory_size));
	publish(p);
}

void event_exit(struct producer *p)
{
	const struct event_io io = event_io_read();
	struct record_exit *r = io.is_known ? reserve(p, sizeof *r) : NULL;
	if (r == NULL)
		return;
	const uint64_t now = clock_now();
	*r = (struct record_exit){.head = {.size = sizeof *r, .kind = RECORD_EXIT},
				  .time = now,
				  .cpu = producer_cpu(p, now),
				  .rchar = io.rchar,
				  .wchar = io.wchar,
				  .syscr = io.syscr,
				  .syscw = io.syscw,
				  .read_bytes = io.read_bytes,
				  .write_bytes = io.write_bytes,
				  .own_bytes = recording.own_bytes,
				  .own_written = recording.own_written};
	publish(p);
}

/* Seeks */

enum { SEEKS_MAX = 1024 /* of a record */ };

void event_seeks_flush(struct producer *p)
{
	struct producer_seeks *const s = &p->seeks;
	uint64_t outer;
	if (s->count == 0)
		return;
	const uint64_t start = producer_begin(p, &outer, true);
	const struct event e = {.op = RECORD_OP_SEEK,
				.description = s->description,
				.start = start,
				.end = start,
				.result = s->count,
				.size = (int64_t)s->time};
	*s = (struct producer_seeks){.count = 0};
	event_operation(p, &e);
	producer_end(p, outer);
}

void event_seek(struct producer *p, uint32_t description, uint64_t start)
{
	struct producer_seeks *const s = &p->seeks;
	if (s->description != description || s->count == SEEKS_MAX)
		event_seeks_flush(p);
	s->description = description;
	s->count++;
	s->time += clock_now() - start;
}
