/* SPDX-License-Identifier: BSD-2-Clause */
#include "call.h"

#include <errno.h>

#include "paths.h"
#include "raw.h"

/* What a child of vfork moves counts as moved before its program starts. */
void call_count(const struct data_call *c, int64_t result, unsigned bits)
{
	if (c->d.kind < DESCRIPTOR_PIPE || result < 0 || c->p->child != 0)
		return;
	const unsigned first =
	    RECORD_COUNTER_PIPE_CALLS + 3 * ((unsigned)c->d.kind - DESCRIPTOR_PIPE);
	recording_count(first, 1);
	recording_count(first + 1 + (bits & RECORD_WRITE), (uint64_t)result);
}

int64_t call_ask_offset(const struct data_call *c, int64_t length)
{
	const int64_t now = raw_lseek(c->fd, 0, SEEK_CUR);
	return now < length ? RECORD_OFFSET_UNKNOWN : now - length;
}

void call_unrecorded(int fd)
{
	const struct producer *const p = &producer_self;
	struct stat s = {.st_mode = 0};
	if (p->parked != NULL && raw_call(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) == 0 &&
	    (S_ISREG(s.st_mode) || S_ISBLK(s.st_mode)))
		recording_count(RECORD_COUNTER_UNRECORDED, 1);
}

/*
 * Positions that processes share. A process that is not traced moves the kernel's alone, and one
 * that is stopped between its call and its record moves the position of the description later. So
 * the two are compared before and after each call. If the kernel's position moved by the length of
 * the call, no other call moved it. Else, as long as the two agree, the calls have an order in
 * which all offsets are right, unless another process changed the position of the description to
 * the kernel's during the call: it may have included the call, and the two agree by chance.
 */

enum { COMPARISONS = 4 };

/* Returns the kernel's position; sets *agrees to whether the description has the same. */
static int64_t compare_positions(const struct data_call *c, bool *agrees)
{
	struct record_description *const s = descriptor_slot(c->d);
	int64_t position = 0, kernel = 0;
	*agrees = false;
	for (int i = 0; i < COMPARISONS && !*agrees; i++) {
		position = atomic_load(&s->position);
		kernel = raw_lseek(c->fd, 0, SEEK_CUR);
		*agrees = kernel < 0 || kernel == position;
	}
	if (!*agrees && atomic_compare_exchange_strong(&s->position, &position, kernel)) {
		atomic_fetch_add(&s->resyncs, 1);
		recording_count(RECORD_COUNTER_RESYNCED, 1);
	}
	return kernel < 0 ? position : kernel;
}

int64_t call_shared_position(const struct data_call *c)
{
	bool agrees;
	return compare_positions(c, &agrees);
}

int64_t call_confirm(const struct data_call *c, int64_t offset, int64_t length)
{
	bool agrees;
	const bool disturbed = atomic_load(&descriptor_slot(c->d)->resyncs) != c->resyncs;
	if (compare_positions(c, &agrees) - c->before == length)
		return c->before;
	return agrees && !disturbed ? offset : RECORD_OFFSET_UNKNOWN;
}

int64_t call_append_offset(const struct data_call *c, int64_t length, bool moves)
{
	struct stat s = {.st_size = 0};
	int64_t end;
	if (moves) {
		end = raw_lseek(c->fd, 0, SEEK_CUR);
		if (c->d.has_slot && end >= 0)
			atomic_store(&descriptor_slot(c->d)->position, end);
	} else {
		end = raw_call(SYS_fstat, c->fd, (long)&s, 0, 0, 0, 0) == 0 ? s.st_size : -1;
	}
	return end < length ? RECORD_OFFSET_UNKNOWN : end - length;
}

static bool changes_directories(enum record_op op)
{
	return op == RECORD_OP_RENAME || op == RECORD_OP_EXCHANGE || op == RECORD_OP_RMDIR;
}

/* Before and after such a call, as another thread may ask for a path in between. */
static void note_rename(enum record_op op)
{
	if (changes_directories(op))
		paths_forget();
}

/* Other operations change what the library knows of names and memory. */
static bool is_optional(enum record_op op)
{
	return op > RECORD_OP_CLOSE && op != RECORD_OP_EXEC && op != RECORD_OP_CHDIR &&
	       op != RECORD_OP_MMAP && !changes_directories(op);
}

bool operation_begin_of(struct operation_call *o, struct producer *p, enum record_op op)
{
	o->p = p;
	if (p == NULL)
		return false;
	note_rename(op);
	if (recording.control->data_only && is_optional(op)) {
		if (recording.control->counts_operations)
			recording_count(RECORD_COUNTER_OPERATIONS, 1);
		return false;
	}
	o->ring = o->p->ring;
	o->event = (struct event){.op = op, .directory = AT_FDCWD, .to_directory = AT_FDCWD};
	o->event.start = producer_begin(o->p, &o->outer, true);
	return true;
}

/* Returns false if there is nothing to record: a signal handler has called fork. */
static bool finish(struct operation_call *o, int64_t result)
{
	if (o->p->ring != o->ring)
		return false;
	note_rename(o->event.op);
	o->event.end = clock_now();
	o->event.result = result;
	if (o->event.result == -EFAULT) /* a path may be an invalid pointer */
		o->event.path = o->event.to = NULL;
	return true;
}

void operation_returns(struct operation_call *o, int64_t result)
{
	if (finish(o, result)) {
		event_operation(o->p, &o->event);
		producer_end(o->p, o->outer);
	}
}

/* Returns whether an open that succeeds is going to create the file: an open does not show it. */
static bool is_absent(int directory, const char *path, unsigned flags)
{
	if ((flags & O_TMPFILE) == O_TMPFILE || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return true;
	return (flags & O_CREAT) != 0 && path != NULL && recording.control != NULL &&
	       raw_call(SYS_faccessat, directory, (long)path, F_OK, 0, 0, 0) == -ENOENT;
}

bool operation_opens_of(struct operation_call *o, struct producer *p, int directory,
			const char *path, unsigned flags)
{
	const bool absent = p != NULL && is_absent(directory, path, flags);
	if (!operation_begin_of(o, p, RECORD_OP_OPEN))
		return false;
	operation_on_path(o, directory, path);
	o->event.flags = flags;
	o->event.is_absent = absent;
	return true;
}

void operation_returns_opened(struct operation_call *o, int64_t fd)
{
	if (finish(o, fd)) {
		descriptor_opened(o->p, &o->event);
		producer_end(o->p, o->outer);
	}
}

void operation_returns_closed(struct operation_call *o, union descriptor d, int fd, int64_t result)
{
	if (finish(o, result)) {
		descriptor_closed(o->p, d, fd, &o->event);
		producer_end(o->p, o->outer);
	}
}
