/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that transfer bytes or set positions, and those whose bytes the log does not show. */
#include "strace.h"

#include <string.h>

/* Makes a record of the bytes that the call transferred. */
static void record(struct strace *s, const struct strace_call *c, int64_t fd, struct fd_slot *slot,
		   struct strace_io io)
{
	io.length = (uint64_t)c->result;
	strace_record(s, c, fd, slot, &io);
}

/* Accounts for appended bytes. keep: the position does not change. */
static struct file_offset append(struct strace *s, const struct strace_call *c,
				 struct open_description *d, bool keep)
{
	const bool race = strace_append_race(s, c, d, !keep);
	const bool disputed = d->file->disputed;
	struct file_offset at = open_description_append(d, (uint64_t)c->result, keep);
	at.known &= !race;
	if (disputed)
		d->file->size_known = false;
	if (race && !keep)
		d->position_known = false;
	return at;
}

/*
 * Accounts for a write that ends at `end`: one beyond the end of the file races with appending
 * writes.
 */
static void grows(struct strace *s, const struct strace_call *c, struct tracked_file *f,
		  uint64_t end)
{
	/* in a set, a later line may show a truncation that happened before */
	if (f == NULL || (s->log.members == 1 && f->size_known && end <= f->size &&
			  !strace_size_race(s, c, f, 0)))
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

enum { TRANSFER_MAX = INT32_MAX }; /* the kernel's limit of bytes per call */

/* Returns the requested length, which is argument `i`; the kernel's limit if it is not a number. */
static int64_t asked_for(const struct strace_call *c, unsigned i)
{
	int64_t bytes;
	if (c->args <= i || !strace_number(c->arg[i], &bytes) || bytes < 0 || bytes > TRANSFER_MAX)
		return TRANSFER_MAX;
	return bytes;
}

static void forget_position(struct strace *s, struct strace_call *c, unsigned i, bool write)
{
	const struct strace_fd fd = strace_fd(c->arg[i]);
	const struct fd_slot *slot = i < c->args ? strace_slot(s, c, &fd) : NULL;
	if (slot == NULL || slot->open->kind == FD_DIRECTORY)
		return;
	slot->open->position_known = false;
	if (write && slot->open->file != NULL)
		slot->open->file->size_known = false;
}

void strace_forget(struct strace *s, struct strace_call *c)
{
	if (c->entry->run == strace_sendfile) {
		forget_position(s, c, 0, true);
		forget_position(s, c, 1, false);
	} else if (c->entry->run == strace_copy_range) {
		forget_position(s, c, 0, false);
		forget_position(s, c, 2, true);
	} else {
		forget_position(s, c, 0, c->entry->variant == 1);
	}
}

/*
 * If several traced programs write to one terminal, a line may lack arguments and have the result
 * of another call: all transfers have three arguments.
 */
void strace_contradicted(struct strace *s, struct strace_call *c)
{
	const struct strace_member *m = s->log.current;
	strace_lose(s, c->args < 3 ? STRACE_MIXED : STRACE_CONTRADICTED, m,
		    m != NULL ? m->line_number : 0);
	strace_forget(s, c);
}

/* Returns true if the result is larger than the request, of up to `max` bytes. */
static bool is_contradicted(struct strace *s, struct strace_call *c, int64_t max)
{
	if (c->result > max)
		strace_contradicted(s, c);
	return c->result > max;
}

/* Returns the slot of argument 0; NULL if its bytes do not become records. */
static struct fd_slot *transfer_slot(struct strace *s, struct strace_call *c,
				     const struct strace_fd *fd)
{
	const bool write = c->entry->variant == 1;
	const bool asks = (c->entry->class & STRACE_ASKS) != 0;
	return is_contradicted(s, c, asks ? asked_for(c, 2) : TRANSFER_MAX)
		   ? NULL
		   : strace_data_slot(s, c, fd, (uint64_t)c->result, write);
}

/* A short read shows the size, unless other calls change it at the same time. */
static void short_read(struct strace *s, const struct strace_call *c, struct open_description *d,
		       struct file_offset at)
{
	int64_t wanted;
	if ((c->entry->class & STRACE_ASKS) == 0 || d->kind != FD_FILE || c->args != 3 ||
	    !strace_number(c->arg[2], &wanted) || d->file == NULL || d->file->size_known ||
	    strace_size_race(s, c, d->file, 0))
		return;
	open_description_short_read(d, at, (uint64_t)c->result, (uint64_t)wanted);
	if (d->file->size_known)
		strace_size_race(s, c, d->file, STRACE_SETS);
}

/* Transfers bytes at the position. */
static void move(struct strace *s, struct strace_call *c, const struct strace_fd *fd,
		 struct fd_slot *slot, bool write)
{
	struct open_description *d = slot->open;
	const uint64_t length = (uint64_t)c->result;
	const bool appends = write && d->append && d->file != NULL && length > 0;
	const bool race = strace_position_race(s, c, d, appends ? STRACE_SETS : STRACE_ADDS);
	const bool disputed = d->disputed;
	struct file_offset at;
	if (appends) {
		at = append(s, c, d, false);
	} else {
		if (write && length > 0)
			grows(s, c, d->file, d->position + length);
		at = open_description_move(d, write, length);
		at.known &= !race;
	}
	if (disputed || d->vague)
		d->position_known = false;
	if (write && d->vague && d->file != NULL) /* it may have been in append mode */
		d->file->size_known = false;
	if (!write)
		short_read(s, c, d, at);
	record(s, c, fd->number, slot,
	       (struct strace_io){.at = at, .write = write, .ordered = true, .appends = appends});
}

/* Transfers bytes at an offset. vague: it may have been in append mode. */
static void move_at(struct strace *s, struct strace_call *c, const struct strace_fd *fd,
		    struct fd_slot *slot, int64_t offset, bool write, bool vague)
{
	struct open_description *d = slot->open;
	const uint64_t length = (uint64_t)c->result;
	if (write && length > 0)
		grows(s, c, d->file, (uint64_t)offset + length);
	struct file_offset at = open_description_move_at(d, write, (uint64_t)offset, length);
	at.known &= !vague;
	if (vague && d->file != NULL)
		d->file->size_known = false;
	record(s, c, fd->number, slot, (struct strace_io){.at = at, .write = write});
}

static void use_fd(struct strace_call *c, unsigned i, bool moves, bool writes)
{
	struct strace_task *t = c->task;
	struct strace_using *u = t->active.using;
	const struct strace_fd fd = strace_fd(c->arg[i]);
	const struct fd_slot *slot = fd_table_get(t->table, fd.number);
	if (i >= c->args || slot == NULL || slot->open->kind != FD_FILE)
		return;
	strace_use(u->open != NULL || u->file != NULL ? u + 1 : u, moves ? slot->open : NULL,
		   writes ? slot->open->file : NULL);
}

void strace_use_enter(struct strace *s, struct strace_call *c)
{
	(void)s;
	use_fd(c, 0, (c->entry->class & STRACE_MOVES) != 0, (c->entry->class & STRACE_WRITES) != 0);
}

void strace_read_write(struct strace *s, struct strace_call *c)
{
	const struct strace_fd fd = strace_fd(c->arg[0]);
	struct fd_slot *slot = transfer_slot(s, c, &fd);
	if (slot != NULL)
		move(s, c, &fd, slot, c->entry->variant == 1);
}

/* pread(fd, buf, n, offset), preadv2(fd, iov, n, offset, flags) and the like */
void strace_at_offset(struct strace *s, struct strace_call *c)
{
	const struct strace_fd fd = strace_fd(c->arg[0]);
	const bool write = c->entry->variant == 1,
		   forced = write && c->args > 4 && strace_flag(c, c->args - 1, "RWF_APPEND", 0x10);
	int64_t offset;
	if (!strace_number(c->arg[3], &offset))
		return;
	if (offset < -1) {
		strace_contradicted(s, c);
		return;
	}
	struct fd_slot *slot = transfer_slot(s, c, &fd);
	if (slot == NULL)
		return;
	struct open_description *d = slot->open;
	if (offset == -1 && !forced) {
		move(s, c, &fd, slot, write);
	} else if (d->file != NULL && write && c->result > 0 && (forced || d->append)) {
		if (offset == -1)
			strace_position_race(s, c, d, STRACE_SETS);
		record(s, c, fd.number, slot,
		       (struct strace_io){.at = append(s, c, d, offset != -1),
					  .write = true,
					  .ordered = true,
					  .appends = true});
	} else {
		move_at(s, c, &fd, slot, offset, write, write && d->vague);
	}
}

/* Copies between two descriptors */

struct strace_copy {
	struct strace_fd in, out;
	struct strace_text in_at, out_at;
};

/* where: the offset before the call, "[50] => [120]" or "[50]"; NULL: at the position */
static void copy_side(struct strace *s, struct strace_call *c, const struct strace_fd *fd,
		      struct strace_text where, bool write)
{
	int64_t offset;
	struct fd_slot *slot = strace_data_slot(s, c, fd, (uint64_t)c->result, write);
	if (slot != NULL && strace_pointed(where, &offset) && offset >= 0)
		move_at(s, c, fd, slot, offset, write, false);
	else if (slot != NULL)
		move(s, c, fd, slot, write);
}

/* A copy with positions at two offsets, of which either may be NULL, of up to `max` bytes. */
static void copy(struct strace *s, struct strace_call *c, const struct strace_copy *of, int64_t max)
{
	if (is_contradicted(s, c, max))
		return;
	copy_side(s, c, &of->in, of->in_at, false);
	copy_side(s, c, &of->out, of->out_at, true);
}

/* sendfile(out, in, offset, n) */
void strace_sendfile(struct strace *s, struct strace_call *c)
{
	const struct strace_copy of = {
	    .in = strace_fd(c->arg[1]), .out = strace_fd(c->arg[0]), .in_at = c->arg[2]};
	copy(s, c, &of, asked_for(c, 3));
}

void strace_sendfile_enter(struct strace *s, struct strace_call *c)
{
	(void)s;
	use_fd(c, 0, true, true);
	use_fd(c, 1, true, false);
}

/*
 * One side of a splice is a pipe: if the creation of a descriptor was not traced, it is assumed to
 * be the pipe.
 */
static void mark_pipe(struct strace *s, struct strace_call *c, const struct strace_fd *fd,
		      struct strace_text where)
{
	const struct fd_slot *slot = fd_table_get(c->task->table, fd->number);
	int64_t offset;
	if (fd->note.p != NULL || strace_pointed(where, &offset) ||
	    (slot != NULL && slot->open->seen))
		return;
	struct open_description *d = open_description_new(&s->fds, FD_PIPE, NULL);
	fd_table_set(&s->fds, c->task->table, fd->number, d, false);
}

/* copy_file_range(in, [a], out, [b], n, flags), and splice of the same form (variant 1) */
void strace_copy_range(struct strace *s, struct strace_call *c)
{
	const struct strace_fd in = strace_fd(c->arg[0]), out = strace_fd(c->arg[2]);
	if (c->entry->variant == 1) {
		mark_pipe(s, c, &in, c->arg[1]);
		mark_pipe(s, c, &out, c->arg[3]);
	}
	const struct strace_copy of = {
	    .in = in, .out = out, .in_at = c->arg[1], .out_at = c->arg[3]};
	copy(s, c, &of, asked_for(c, 4));
}

void strace_copy_range_enter(struct strace *s, struct strace_call *c)
{
	(void)s;
	use_fd(c, 0, true, false);
	use_fd(c, 2, true, true);
}

/* Bytes that the log does not show */

/*
 * io_uring_enter; variant 1: restart_syscall, which continues a call without showing its arguments
 */
void strace_hidden(struct strace *s, struct strace_call *c)
{
	static const char *const MOVES[] = {"interrupted read", "interrupted write",
					    "interrupted pread", "interrupted pwrite"};
	if (c->entry->variant == 0 && c->result > 0)
		strace_count(s, "hidden.io_uring", (uint64_t)c->result);
	if (c->entry->variant == 0 || c->result == 0)
		return;
	for (size_t i = 0; i < sizeof MOVES / sizeof MOVES[0]; i++)
		if (strace_contains(c->arg[0], MOVES[i]))
			strace_count(s, "resumed_alone", 1);
}

void strace_mmap(struct strace *s, struct strace_call *c)
{
	const struct strace_fd fd = strace_fd(c->arg[4]);
	if (fd.number < 0 || strace_flag(c, 3, "MAP_ANONYMOUS", 0x20))
		return;
	const struct fd_slot *slot = strace_slot(s, c, &fd);
	if (slot != NULL && slot->open->kind == FD_FILE)
		strace_count(s, "hidden.mmap", 1);
}

/* Positions */

enum raw_whence { RAW_SEEK_SET, RAW_SEEK_CUR, RAW_SEEK_END };

/* The result is authoritative. A query of the position checks the tracked one. */
static void sought(struct strace *s, struct strace_call *c, int64_t by, struct strace_text arg,
		   int64_t result)
{
	static const struct strace_word WHENCE[] = {
	    {"SEEK_SET", RAW_SEEK_SET}, {"SEEK_CUR", RAW_SEEK_CUR}, {"SEEK_END", RAW_SEEK_END}};
	struct strace_fd fd = strace_fd(c->arg[0]);
	struct fd_slot *slot = strace_slot(s, c, &fd);
	if (slot == NULL || result < 0 || slot->open->kind == FD_DIRECTORY)
		return;
	struct open_description *d = slot->open;
	const int64_t from = strace_word(arg, WHENCE, sizeof WHENCE / sizeof WHENCE[0]);
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
	if (strace_number(c->arg[1], &by))
		sought(s, c, by, c->arg[2], c->result);
}

/* _llseek(fd, offset, [result], whence) = 0 */
void strace_llseek(struct strace *s, struct strace_call *c)
{
	int64_t by, result;
	if (strace_number(c->arg[1], &by) && strace_pointed(c->arg[2], &result))
		sought(s, c, by, c->arg[3], result);
}
