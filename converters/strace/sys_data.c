/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that transfer bytes or set positions, and those whose bytes the log does not show. */
#include "strace.h"

#include <string.h>

/* Makes a record whose offset depends on the order of calls: at the position, or appending. */
static void record_ordered(struct strace *s, const struct strace_call *c, int64_t fd,
			   struct fd_slot *slot, struct place place, bool write, bool appends)
{
	struct strace_io io = {.place = place,
			       .length = (uint64_t)c->result,
			       .write = write,
			       .ordered = true,
			       .appends = appends};
	strace_emit_record(s, c, fd, slot, &io);
}

static void record(struct strace *s, const struct strace_call *c, int64_t fd, struct fd_slot *slot,
		   struct place place, bool write)
{
	struct strace_io io = {.place = place, .length = (uint64_t)c->result, .write = write};
	strace_emit_record(s, c, fd, slot, &io);
}

/* Accounts for appended bytes. keep: the position does not change. */
static struct place append(struct strace *s, const struct strace_call *c,
			   struct open_description *d, bool keep)
{
	const bool race = strace_append_race(s, c, d, !keep);
	const bool disputed = d->file->disputed;
	struct place place = open_description_append(d, (uint64_t)c->result, keep);
	place.known &= !race;
	if (disputed)
		d->file->size_known = false;
	if (race && !keep)
		d->position_known = false;
	return place;
}

/*
 * Accounts for a write that ends at `end`: one beyond the end of the file races with appending
 * writes.
 */
static void grows(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		  uint64_t end)
{
	/* in a set, a later line may show a truncation that happened before */
	if (f == NULL ||
	    (s->members == 1 && f->size_known && end <= f->size && !strace_size_race(s, c, f, 0)))
		return;
	strace_size_race(s, c, f, STRACE_GROWS);
	if (f->disputed)
		f->size_known = false;
}

static enum strace_skipped_kind skipped_kind(const struct open_description *d)
{
	switch (d->kind) {
	case FD_PIPE:
		return STRACE_SKIPPED_PIPE;
	case FD_SOCKET:
		return STRACE_SKIPPED_SOCKET;
	case FD_TTY:
		return STRACE_SKIPPED_TERMINAL;
	case FD_DEVICE:
		return STRACE_SKIPPED_DEVICE;
	case FD_MEMFD:
		return STRACE_SKIPPED_MEMFD;
	default: /* open before the log, without a name: 0, 1 or 2 */
		return d->seen || d->note != 0 ? STRACE_SKIPPED_OTHER : STRACE_SKIPPED_STANDARD;
	}
}

struct fd_slot *strace_data_slot(struct strace *s, struct strace_call *c,
				 const struct strace_fd *fd, uint64_t bytes, bool write)
{
	struct fd_slot *slot = strace_slot(s, c, fd);
	if (slot == NULL || slot->open->kind == FD_DIRECTORY)
		return NULL;
	if (strace_recorded(s, slot->open))
		return slot;
	struct strace_skipped *skipped = &s->skipped[skipped_kind(slot->open)];
	skipped->calls++;
	skipped->bytes[write] += bytes;
	return NULL;
}

static struct fd_slot *data_slot(struct strace *s, struct strace_call *c,
				 const struct strace_fd *fd, bool write)
{
	return strace_data_slot(s, c, fd, (uint64_t)c->result, write);
}

static bool moved(const struct strace_call *c, unsigned args)
{
	return c->returned && !c->failed && c->result >= 0 && c->args >= args;
}

enum { TRANSFER_MAX = INT32_MAX }; /* the kernel's limit of bytes per call */

/*
 * Returns the requested length: the third argument of calls without a vector; the kernel's limit
 * for other calls.
 */
static int64_t asked_for(const struct strace_call *c)
{
	int64_t bytes;
	if ((c->entry->class & STRACE_ASKS) == 0 || c->args < 3 ||
	    !strace_number(c->arg[2], &bytes) || bytes < 0 || bytes > TRANSFER_MAX)
		return TRANSFER_MAX;
	return bytes;
}

/*
 * Returns true if the result is larger than the request: the line has the result of another call,
 * as when several traced programs write to one terminal. Marks the position, and the size after a
 * write, as unknown then.
 */
static bool is_mixed(struct strace *s, struct strace_call *c, const struct strace_fd *fd,
		     bool write)
{
	if (c->result <= asked_for(c))
		return false;
	const struct fd_slot *slot = strace_slot(s, c, fd);
	strace_count(s, "mixed.lost", 1);
	if (slot == NULL || slot->open->kind == FD_DIRECTORY)
		return true;
	slot->open->position_known = false;
	if (write && slot->open->file != NULL)
		slot->open->file->size_known = false;
	return true;
}

static void move(struct strace *s, struct strace_call *c, struct strace_fd *fd,
		 struct fd_slot *slot, bool write)
{
	struct open_description *d = slot->open;
	const uint64_t length = (uint64_t)c->result;
	const bool appends = write && d->append && d->file != NULL && length > 0;
	const bool race = strace_position_race(s, c, d, appends ? STRACE_SETS : STRACE_ADDS);
	const bool disputed = d->disputed;
	struct place place;
	if (appends) {
		place = append(s, c, d, false);
	} else {
		if (write && length > 0)
			grows(s, c, d->file, d->position + length);
		place = open_description_move(d, write, length);
		place.known &= !race;
	}
	if (disputed || d->vague)
		d->position_known = false;
	if (write && d->vague && d->file != NULL) /* it may have been in append mode */
		d->file->size_known = false;
	int64_t wanted;
	if (!write && d->kind == FD_FILE && c->args == 3 && c->entry->name[4] == '\0' &&
	    strace_number(c->arg[2], &wanted) && d->file != NULL && !d->file->size_known &&
	    !strace_size_race(s, c, d->file, 0)) {
		open_description_short_read(d, place, length, (uint64_t)wanted);
		if (d->file->size_known)
			strace_size_race(s, c, d->file, STRACE_SETS);
	}
	record_ordered(s, c, fd->number, slot, place, write, appends);
}

void strace_read_write(struct strace *s, struct strace_call *c)
{
	if (!moved(c, 1))
		return;
	struct strace_fd fd = strace_fd(c->arg[0]);
	if (is_mixed(s, c, &fd, c->entry->variant == 1))
		return;
	struct fd_slot *slot = data_slot(s, c, &fd, c->entry->variant == 1);
	if (slot != NULL)
		move(s, c, &fd, slot, c->entry->variant == 1);
}

enum raw_rwf { RAW_RWF_APPEND = 0x10 };

static bool appends(const struct strace_call *c)
{
	int64_t flags;
	if (c->args < 5)
		return false;
	const struct strace_text *arg = &c->arg[c->args - 1];
	return strace_has_flag(*arg, "RWF_APPEND") ||
	       (strace_number(*arg, &flags) && (flags & RAW_RWF_APPEND) != 0);
}

/* pread(fd, buf, n, offset), preadv2(fd, iov, n, offset, flags) and the like */
void strace_at_offset(struct strace *s, struct strace_call *c)
{
	int64_t offset;
	if (!moved(c, 4) || !strace_number(c->arg[3], &offset))
		return;
	struct strace_fd fd = strace_fd(c->arg[0]);
	if (is_mixed(s, c, &fd, c->entry->variant == 1))
		return;
	struct fd_slot *slot = data_slot(s, c, &fd, c->entry->variant == 1);
	if (slot == NULL)
		return;
	bool write = c->entry->variant == 1;
	struct open_description *d = slot->open;
	const uint64_t length = (uint64_t)c->result;
	const bool forced = write && appends(c);
	if (offset == -1 && !forced) {
		move(s, c, &fd, slot, write);
		return;
	}
	if (d->file != NULL && write && length > 0 && (forced || d->append)) {
		if (offset == -1)
			strace_position_race(s, c, d, STRACE_SETS);
		struct place place = append(s, c, d, offset != -1);
		record_ordered(s, c, fd.number, slot, place, write, true);
		return;
	}
	if (write && length > 0)
		grows(s, c, d->file, (uint64_t)offset + length);
	struct place place = open_description_move_at(d, write, (uint64_t)offset, length);
	if (write && d->vague) {
		place.known = false;
		if (d->file != NULL)
			d->file->size_known = false;
	}
	record(s, c, fd.number, slot, place, write);
}

/* Copies between two descriptors */

/*
 * Parses "[50] => [120]" or "[50]", the offset before the call. NULL means that the position is
 * used.
 */
static bool offset_pointer(struct strace_text arg, int64_t *offset)
{
	return arg.p < arg.end && *arg.p == '[' &&
	       strace_number((struct strace_text){arg.p + 1, arg.end}, offset);
}

static void copy_side(struct strace *s, struct strace_call *c, struct strace_fd *fd,
		      struct strace_text where, bool write)
{
	int64_t offset;
	struct fd_slot *slot = data_slot(s, c, fd, write);
	if (slot == NULL)
		return;
	if (!offset_pointer(where, &offset)) {
		move(s, c, fd, slot, write);
		return;
	}
	if (write && c->result > 0)
		grows(s, c, slot->open->file, (uint64_t)offset + (uint64_t)c->result);
	struct place place =
	    open_description_move_at(slot->open, write, (uint64_t)offset, (uint64_t)c->result);
	record(s, c, fd->number, slot, place, write);
}

/* sendfile(out, in, offset, n) */
void strace_sendfile(struct strace *s, struct strace_call *c)
{
	if (!moved(c, 4))
		return;
	struct strace_fd out = strace_fd(c->arg[0]), in = strace_fd(c->arg[1]);
	copy_side(s, c, &in, c->arg[2], false);
	copy_side(s, c, &out, (struct strace_text){0}, true);
}

/*
 * One side of a splice is a pipe: if the creation of a descriptor was not traced, it is assumed to
 * be the pipe.
 */
static void mark_pipe(struct strace *s, struct strace_call *c, struct strace_fd *fd,
		      struct strace_text where)
{
	struct fd_slot *slot = fd_table_get(c->task->table, fd->number);
	int64_t offset;
	if (fd->note.p != NULL || offset_pointer(where, &offset) ||
	    (slot != NULL && slot->open->seen))
		return;
	struct open_description *d = open_description_new(&s->tracker, FD_PIPE, NULL);
	fd_table_set(&s->tracker, c->task->table, fd->number, d, false);
}

/* copy_file_range(in, [a], out, [b], n, flags), and splice of the same form */
void strace_copy_range(struct strace *s, struct strace_call *c)
{
	if (!moved(c, 4))
		return;
	struct strace_fd in = strace_fd(c->arg[0]), out = strace_fd(c->arg[2]);
	if (c->entry->variant == 1) {
		mark_pipe(s, c, &in, c->arg[1]);
		mark_pipe(s, c, &out, c->arg[3]);
	}
	copy_side(s, c, &in, c->arg[1], false);
	copy_side(s, c, &out, c->arg[3], true);
}

/* Bytes that the log does not show */

/*
 * io_uring_enter; variant 1: restart_syscall, which continues a call without showing its arguments
 */
void strace_hidden(struct strace *s, struct strace_call *c)
{
	if (!c->returned || c->failed || c->result <= 0)
		return;
	if (c->entry->variant == 0) {
		strace_count(s, "hidden.io_uring", (uint64_t)c->result);
		return;
	}
	static const char *const MOVES[] = {"interrupted read", "interrupted write",
					    "interrupted pread", "interrupted pwrite"};
	struct strace_text a = c->arg[0];
	for (size_t i = 0; c->args > 0 && i < sizeof MOVES / sizeof MOVES[0]; i++)
		if (memmem(a.p, (size_t)(a.end - a.p), MOVES[i], strlen(MOVES[i])) != NULL)
			strace_count(s, "resumed_alone", 1);
}

enum raw_map { RAW_MAP_ANONYMOUS = 0x20 };

void strace_mmap(struct strace *s, struct strace_call *c)
{
	int64_t flags = 0;
	if (!c->returned || c->failed || c->args < 6)
		return;
	struct strace_fd fd = strace_fd(c->arg[4]);
	strace_number(c->arg[3], &flags);
	if (fd.number < 0 || strace_has_flag(c->arg[3], "MAP_ANONYMOUS") ||
	    (flags & RAW_MAP_ANONYMOUS) != 0)
		return;
	const struct fd_slot *slot = strace_slot(s, c, &fd);
	if (slot != NULL && slot->open->kind == FD_FILE)
		strace_count(s, "hidden.mmap", 1);
}

/* Positions */

enum raw_whence { RAW_SEEK_SET, RAW_SEEK_CUR, RAW_SEEK_END };

static int64_t whence(struct strace_text arg)
{
	int64_t value;
	if (strace_is(arg, "SEEK_SET"))
		return RAW_SEEK_SET;
	if (strace_is(arg, "SEEK_CUR"))
		return RAW_SEEK_CUR;
	if (strace_is(arg, "SEEK_END"))
		return RAW_SEEK_END;
	return strace_number(arg, &value) ? value : -1;
}

/* The result is authoritative. A query of the position checks the tracked one. */
static void sought(struct strace *s, struct strace_call *c, int64_t by, struct strace_text arg,
		   int64_t result)
{
	struct strace_fd fd = strace_fd(c->arg[0]);
	struct fd_slot *slot = strace_slot(s, c, &fd);
	if (slot == NULL || result < 0 || slot->open->kind == FD_DIRECTORY)
		return;
	struct open_description *d = slot->open;
	int64_t from = whence(arg);
	const uint64_t base = (uint64_t)result - (uint64_t)by;
	const bool race = strace_position_race(s, c, d, STRACE_SETS);
	if (from == RAW_SEEK_CUR && d->position_known && d->kind == FD_FILE && !race &&
	    base != d->position)
		strace_count(s, "position.resynced", 1);
	if (from == RAW_SEEK_END && d->file != NULL && result >= by)
		strace_learn_size(s, c, d->file, base);
	open_description_seek(d, (uint64_t)result);
	if (d->disputed)
		d->position_known = false;
}

void strace_lseek(struct strace *s, struct strace_call *c)
{
	int64_t by;
	if (c->returned && !c->failed && c->args >= 3 && strace_number(c->arg[1], &by))
		sought(s, c, by, c->arg[2], c->result);
}

/* _llseek(fd, offset, [result], whence) = 0 */
void strace_llseek(struct strace *s, struct strace_call *c)
{
	int64_t by, result;
	if (c->returned && !c->failed && c->args >= 4 && strace_number(c->arg[1], &by) &&
	    offset_pointer(c->arg[2], &result))
		sought(s, c, by, c->arg[3], result);
}
