/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that transfer bytes or set positions, and those whose bytes the source does not show. */
#include "calls.h"

enum { FROM_START, FROM_HERE, FROM_END };

/* Returns false if the result cannot be a number of bytes. */
static bool transferred(const struct call *call, uint64_t *bytes)
{
	const uint64_t size = call_has(call, CALL_HAS_SIZE) ? (uint64_t)call->size : 1;
	return !__builtin_mul_overflow((uint64_t)call->result, size, bytes) && *bytes <= INT64_MAX;
}

static bool has_failed(const struct call *call)
{
	return !call_has(call, CALL_HAS_RESULT) || call->result < 0;
}

/* Returns whether the result exceeds the request. */
static bool exceeds(const struct call *call)
{
	return call->type->asks && call_has(call, CALL_HAS_COUNT) && call->count >= 0 &&
	       call->result > call->count;
}

/* The transfer may have moved the position by any number of bytes. */
static enum call_outcome contradicted(struct calls *c, struct fd_slot *slot, bool write)
{
	if (c->lines[CALL_CONTRADICTED] == 0)
		c->contradicted_line = c->src->report.lines;
	if (slot == NULL)
		return CALL_CONTRADICTED;
	slot->open->position_known = false;
	if (write && slot->open->file != NULL)
		slot->open->file->size_known = false;
	return CALL_CONTRADICTED;
}

/* Appending writes go to the end of the file, which other processes may have moved. */
static void check_end(const struct calls *c, const struct open_description *d, bool write)
{
	if (c->sizes_unknown && write && d->append && d->file != NULL)
		d->file->size_known = false;
}

static void short_read(const struct calls *c, const struct call *call, struct open_description *d,
		       struct file_offset at, uint64_t got)
{
	const uint64_t size = call_has(call, CALL_HAS_SIZE) ? (uint64_t)call->size : 1;
	uint64_t wanted;
	if (!c->sizes_unknown && call_has(call, CALL_HAS_COUNT) && call->count >= 0 &&
	    !__builtin_mul_overflow((uint64_t)call->count, size, &wanted))
		open_description_short_read(d, at, got, wanted);
}

/* Returns whether the position would exceed the largest offset of a file. */
static bool is_beyond(uint64_t offset, uint64_t length)
{
	return offset > INT64_MAX || length > INT64_MAX - offset;
}

/* Returns whether calls that the source does not show may have moved the position. */
static bool is_shared(const struct calls *c, const struct open_description *d)
{
	return d->vague || d->id < c->lost_files || (d->file != NULL && d->id < d->file->passed);
}

static struct file_offset move(const struct calls *c, const struct call *call,
			       struct open_description *d, uint64_t length, bool write)
{
	if (is_beyond(d->position, length)) {
		d->position = 0;
		d->position_known = false;
	}
	struct file_offset at = open_description_move(d, write, length);
	if (is_shared(c, d))
		at.known = d->position_known = false;
	if (!write)
		short_read(c, call, d, at, length);
	return at;
}

enum call_outcome calls_transfer(struct calls *c, const struct call *call)
{
	const enum call_kind kind = call->type->kind;
	const bool write = kind == CALL_WRITE || kind == CALL_WRITE_AT,
		   explicit = (kind == CALL_READ_AT || kind == CALL_WRITE_AT) &&
			      call_has(call, CALL_HAS_OFFSET) && call->offset >= 0;
	struct call_io io = {.write = write};
	if (has_failed(call))
		return CALL_FAILED;
	if (exceeds(call) || !transferred(call, &io.length) ||
	    (explicit && is_beyond((uint64_t)call->offset, io.length)))
		return contradicted(c, calls_slot(c, call), write);
	struct fd_slot *slot = calls_data_slot(c, calls_slot(c, call), io.length, write);
	if (slot == NULL)
		return CALL_SKIPPED;
	struct open_description *d = slot->open;
	check_end(c, d, write);
	io.at = explicit ? open_description_move_at(d, write, (uint64_t)call->offset, io.length)
			 : move(c, call, d, io.length, write);
	if (d->vague)
		report_add(&c->src->report, "ambiguous.handle", 1);
	calls_emit_record(c, call, slot, &io);
	return CALL_MADE_RECORDS;
}

/* A copy whose offset is in memory, which the source does not show, leaves the position alone. */
static bool copy_side(struct calls *c, const struct call *call, int64_t fd, bool pointer,
		      bool write)
{
	struct call_io io = {.length = (uint64_t)call->result, .write = write};
	struct fd_slot *slot = calls_data_slot(c, calls_slot_of(c, call, fd), io.length, write);
	if (slot == NULL)
		return false;
	check_end(c, slot->open, write);
	if (!pointer)
		io.at = move(c, call, slot->open, io.length, write);
	else if (write && slot->open->file != NULL)
		slot->open->file->size_known = false;
	calls_emit_record(c, call, slot, &io);
	return true;
}

/* fd: the source, to: the target; offset and whence: their pointers to offsets */
enum call_outcome calls_copy(struct calls *c, const struct call *call)
{
	if (has_failed(call) || !call_has(call, CALL_HAS_FD | CALL_HAS_TO))
		return CALL_FAILED;
	if (exceeds(call)) {
		(void)contradicted(c, calls_slot_of(c, call, call->fd), false);
		return contradicted(c, calls_slot_of(c, call, call->to), true);
	}
	const bool in = copy_side(c, call, call->fd, call->offset != 0, false),
		   out = copy_side(c, call, call->to, call->whence != 0, true);
	return in || out ? CALL_MADE_RECORDS : CALL_SKIPPED;
}

/* Positions */

/* Returns the position after a seek of stdio, whose result is 0; -1 if unknown. */
static int64_t stream_position(const struct call *call, const struct open_description *d)
{
	int64_t to = -1;
	if (!call_has(call, CALL_HAS_OFFSET | CALL_HAS_WHENCE))
		return -1;
	if (call->whence == FROM_START)
		return call->offset;
	if (call->whence == FROM_HERE && d->position_known && !d->vague &&
	    !__builtin_add_overflow((int64_t)d->position, call->offset, &to))
		return to;
	if (call->whence == FROM_END && d->file != NULL && d->file->size_known &&
	    !__builtin_add_overflow((int64_t)d->file->size, call->offset, &to))
		return to;
	return -1;
}

/* The result is authoritative. A query of the position checks the tracked one. */
static void sought(struct calls *c, const struct call *call, struct open_description *d)
{
	const bool known = call_has(call, CALL_HAS_OFFSET | CALL_HAS_WHENCE);
	const uint64_t base = (uint64_t)call->result - (uint64_t)call->offset;
	if (known && call->whence == FROM_HERE && d->position_known && d->kind == FD_FILE &&
	    base != d->position)
		report_add(&c->src->report, "position.resynced", 1);
	if (known && call->whence == FROM_END && d->file != NULL && call->result >= call->offset &&
	    !c->sizes_unknown && base <= INT64_MAX)
		file_truncate(d->file, base);
	open_description_seek(d, (uint64_t)call->result);
}

enum call_outcome calls_seek(struct calls *c, const struct call *call)
{
	struct fd_slot *slot = call_failed(call) ? NULL : calls_slot(c, call);
	if (slot == NULL || slot->open->kind == FD_DIRECTORY)
		return CALL_TRACKED;
	struct open_description *d = slot->open;
	const bool stream = call->type->stream && call->type->kind == CALL_SEEK;
	if (!stream && call_has(call, CALL_HAS_RESULT)) {
		sought(c, call, d);
		return CALL_TRACKED;
	}
	const int64_t to = stream ? stream_position(call, d) : -1;
	d->position_known = to >= 0;
	if (to >= 0)
		open_description_seek(d, (uint64_t)to);
	return CALL_TRACKED;
}

enum call_outcome calls_map(struct calls *c, const struct call *call)
{
	if (call_failed(call))
		return CALL_TRACKED;
	if (call->type->kind == CALL_HIDDEN) {
		report_add(&c->src->report, "hidden.io_uring", 1);
		return CALL_TRACKED;
	}
	if (!call_has(call, CALL_HAS_FD) || call->fd < 0 || call->fd > INT32_MAX)
		return CALL_UNUSED;
	const struct fd_slot *slot = calls_slot(c, call);
	if (slot != NULL && slot->open->kind == FD_FILE)
		report_add(&c->src->report, "hidden.mmap", 1);
	return CALL_TRACKED;
}
