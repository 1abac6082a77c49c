/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Effects of POSIX calls. Results are not recorded (except of open in 2.1 and 2.2), so every
 * call counts as successful, with the requested bytes; a read does not exceed an end that is known
 * for certain.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

/* Values of Linux; all traces use them. */
enum open_flag {
	ACCESS = 03,
	WRITE_ONLY = 01,
	READ_WRITE = 02,
	CREATE = 0100,
	EXCLUSIVE = 0200,
	TRUNCATE = 01000,
	APPEND = 02000,
};

enum { SEEK_TO_SET, SEEK_FROM_HERE, SEEK_FROM_END, FCNTL_DUPFD = 0, FCNTL_DUPFD_CLOEXEC = 1030 };

/* 2.1 and 2.2 record descriptors, and so does the text that their recorder2text prints. */
static bool by_descriptor(const struct recorder_rank *rk)
{
	return rk->result_known;
}

static struct iot_text target_path(const struct recorder_rank *rk)
{
	return rk->r->paths.text[rk->call->signature->target - 1];
}

/* Handles */

static struct tracked_file *file_of(struct recorder_rank *rk, struct iot_text path, unsigned how)
{
	return fdtable_open(&rk->r->tracker, path.data, path.size, how);
}

/*
 * Creates the handle of a file that is used although its open was not traced: its position is
 * unknown.
 */
static struct recorder_handle *infer(struct recorder_rank *rk, struct recorder_target *t)
{
	struct recorder_handle *h = recorder_handle_new(rk->r, file_of(rk, target_path(rk), 0));
	if (h == NULL)
		return NULL;
	h->inferred = true;
	t->last_closed = h;
	return h;
}

static struct recorder_handle *descriptor(struct recorder_rank *rk, int64_t fd)
{
	struct recorder_target *t = recorder_target_find(&rk->descriptors, fd);
	if (t != NULL && t->newest != NULL)
		return t->newest;
	if (rk->duplicate == NULL || fd < 3)
		return NULL;
	t = recorder_target(rk->r, &rk->descriptors, fd);
	if (t == NULL)
		return NULL;
	t->newest = rk->duplicate; /* the reference moves with it */
	rk->duplicate = NULL;
	return t->newest;
}

/* Returns NULL if there is none; with descriptors, that means that its open was not traced. */
static struct recorder_handle *handle_of(struct recorder_rank *rk, unsigned access, bool make,
					 bool *ambiguous)
{
	const struct recorder_signature *s = rk->call->signature;
	*ambiguous = false;
	if (by_descriptor(rk))
		return descriptor(rk, s->target);
	struct recorder_target *t = recorder_target(rk->r, &rk->paths, s->target);
	if (t == NULL)
		return NULL;
	struct recorder_handle *h = t->newest;
	if (h != NULL && h->next == NULL && (h->access & access) == access)
		return h;
	h = recorder_pick(t, access, ambiguous);
	return h == NULL && make ? infer(rk, t) : h;
}

/* Takes over a reference to h. Returns false if out of memory. */
static bool set_descriptor(struct recorder_rank *rk, int64_t fd, struct recorder_handle *h)
{
	struct recorder_target *t = recorder_target(rk->r, &rk->descriptors, fd);
	recorder_handle_free(rk->r, t == NULL ? h : t->newest);
	if (t != NULL)
		t->newest = h;
	return t != NULL;
}

/* Stores the handle of an open under the descriptor or the path that later calls contain. */
static bool store_handle(struct recorder_rank *rk, struct recorder_handle *h)
{
	if (by_descriptor(rk))
		return set_descriptor(rk, rk->result, h);
	struct recorder_target *t = recorder_target(rk->r, &rk->paths, rk->call->signature->target);
	if (t != NULL)
		recorder_push(t, h);
	else
		recorder_handle_free(rk->r, h);
	return t != NULL;
}

/* Opens and closes */

static void emit_open(struct recorder_rank *rk, unsigned flags, struct recorder_handle *h,
		      struct iot_text path, bool failed)
{
	const struct recorder_op op = {.name = (flags & CREATE) != 0 ? "create" : "open",
				       .handle = h,
				       .path = path,
				       .failed = failed,
				       .result_known = rk->result_known};
	recorder_emit_op(rk, &op);
}

static void open_with(struct recorder_rank *rk, unsigned flags)
{
	const unsigned access = flags & ACCESS;
	struct iot_text path = recorder_arg(rk->call->signature, 0);
	unsigned how = 0;
	if (rk->result_known && rk->result < 0) {
		emit_open(rk, flags, NULL, path, true);
		return;
	}
	if ((flags & CREATE) != 0)
		how |= OPEN_CREATE;
	if ((flags & TRUNCATE) != 0)
		how |= OPEN_TRUNCATE;
	/* O_EXCL: if the file exists, the open fails; otherwise the file is known to be new. */
	if ((flags & CREATE) != 0 && (flags & EXCLUSIVE) != 0 &&
	    fdtable_find(&rk->r->tracker, path.data, path.size) == NULL)
		how |= OPEN_EXCLUSIVE;
	struct tracked_file *f = file_of(rk, path, how);
	struct recorder_handle *h = recorder_handle_new(rk->r, f);
	if (h == NULL)
		return;
	if (f != NULL && f->size_known && (how & (OPEN_TRUNCATE | OPEN_EXCLUSIVE)) != 0)
		recorder_resizes(rk, f);
	h->access = access == WRITE_ONLY   ? RECORDER_WRITES
		    : access == READ_WRITE ? RECORDER_READS | RECORDER_WRITES
					   : RECORDER_READS;
	h->open->append = (flags & APPEND) != 0;
	h->open->position_known = h->open->seen = true;
	if (store_handle(rk, h))
		emit_open(rk, flags, h, path, false);
}

static unsigned mode_flags(struct iot_text mode)
{
	unsigned flags = 0;
	bool plus = mode.size > 0 && memchr(mode.data, '+', mode.size) != NULL;
	if (mode.size > 0 && *mode.data == 'w')
		flags = WRITE_ONLY | CREATE | TRUNCATE;
	else if (mode.size > 0 && *mode.data == 'a')
		flags = WRITE_ONLY | CREATE | APPEND;
	return plus ? (flags & ~(unsigned)ACCESS) | READ_WRITE : flags;
}

static void open_file(struct recorder_rank *rk)
{
	open_with(rk, (unsigned)rk->call->signature->offset);
}

static void create_file(struct recorder_rank *rk)
{
	open_with(rk, WRITE_ONLY | CREATE | TRUNCATE);
}

static void open_stream(struct recorder_rank *rk)
{
	open_with(rk, mode_flags(recorder_arg(rk->call->signature, 1)));
}

static void emit_handle_op(struct recorder_rank *rk, struct recorder_handle *h)
{
	struct recorder_op op = {.name = rk->call->signature->function->op, .handle = h};
	if (!by_descriptor(rk))
		op.path = target_path(rk);
	else if (h != NULL && h->open->file != NULL &&
		 file_has_path(&rk->r->tracker, h->open->file))
		op.path = (struct iot_text){h->open->file->path, h->open->file->path_size};
	if (op.path.size > 0)
		recorder_emit_op(rk, &op);
}

static void close_descriptor(struct recorder_rank *rk)
{
	struct recorder_target *t =
	    recorder_target_find(&rk->descriptors, rk->call->signature->target);
	struct recorder_handle *h = t == NULL ? NULL : t->newest;
	if (h == NULL)
		return;
	if (h->refs == 1)
		emit_handle_op(rk, h);
	t->newest = NULL;
	recorder_handle_free(rk->r, h);
}

static void close_file(struct recorder_rank *rk)
{
	if (by_descriptor(rk)) {
		close_descriptor(rk);
		return;
	}
	struct recorder_target *t = recorder_target(rk->r, &rk->paths, rk->call->signature->target);
	if (t == NULL)
		return;
	struct recorder_handle *h = recorder_pop(rk->r, t);
	if (h == NULL && t->last_closed != NULL && !t->last_closed->ended)
		h = t->last_closed;
	emit_handle_op(rk, h);
	if (h != NULL)
		h->ended = true;
}

static void share_descriptor(struct recorder_rank *rk)
{
	struct iot_text old = recorder_arg(rk->call->signature, 0);
	int64_t fd;
	if (!by_descriptor(rk) || rk->result < 0 || !recorder_number(old, &fd) || fd == rk->result)
		return;
	struct recorder_handle *h = descriptor(rk, fd);
	if (h == NULL)
		return;
	h->refs++;
	set_descriptor(rk, rk->result, h);
}

/* The new descriptor is not recorded: the next unknown one is assumed to be the duplicate. */
static void control_descriptor(struct recorder_rank *rk)
{
	int64_t command;
	if (!by_descriptor(rk) ||
	    !recorder_number(recorder_arg(rk->call->signature, 1), &command) ||
	    (command != FCNTL_DUPFD && command != FCNTL_DUPFD_CLOEXEC))
		return;
	struct recorder_handle *h = descriptor(rk, rk->call->signature->target);
	if (h == NULL)
		return;
	recorder_handle_free(rk->r, rk->duplicate);
	h->refs++;
	rk->duplicate = h;
}

/* Data */

/* Returns the maximum number of bytes that a read can have returned. */
static uint64_t bounded(const struct recorder_rank *rk, const struct open_description *d,
			uint64_t offset, bool known, uint64_t length)
{
	const struct tracked_file *f = d->file;
	if (!known || f == NULL || !recorder_size_sure(rk, f))
		return length;
	uint64_t left = f->size > offset ? f->size - offset : 0;
	return length < left ? length : left;
}

/*
 * Returns true if a read went beyond all bytes that the rank has written and the size is unknown.
 */
static bool may_have_met_end(const struct recorder_rank *rk, const struct open_description *d)
{
	const struct tracked_file *f = d->file;
	return f != NULL && recorder_is_owner(rk, f) && !f->size_known && d->position > f->size;
}

static void move(struct recorder_rank *rk)
{
	const struct recorder_signature *s = rk->call->signature;
	const struct recorder_function *f = s->function;
	const bool at = f->offset >= 0;
	uint64_t *count = rk->r->counts.count;
	bool ambiguous;
	struct recorder_handle *h =
	    handle_of(rk, f->write ? RECORDER_WRITES : RECORDER_READS, true, &ambiguous);
	if (h == NULL) {
		count[RECORDER_UNNAMED]++;
		count[f->write ? RECORDER_UNNAMED_WRITTEN : RECORDER_UNNAMED_READ] += s->length;
		return;
	}
	if (at && rk->call->offset_known && rk->call->offset < 0) {
		count[RECORDER_REFUSED]++;
		return;
	}
	struct open_description *d = h->open;
	struct recorder_io io = {.handle = h, .length = s->length, .write = f->write};
	const bool end = h->end_ambiguous,
		   cut = f->length == 1 && !f->wide && s->length > INT32_MAX;
	if (f->write && s->length > 0 && d->file != NULL)
		recorder_resizes(rk, d->file);
	if (!f->write)
		io.length = bounded(rk, d, at ? (uint64_t)rk->call->offset : d->position,
				    at ? rk->call->offset_known : d->position_known, s->length);
	if (!at) {
		count[RECORDER_AMBIGUOUS_END] += end;
		io.offset = open_description_move(d, f->write, io.length);
		h->end_ambiguous |= !f->write && may_have_met_end(rk, d);
		count[RECORDER_AMBIGUOUS_HANDLE] += ambiguous;
		count[RECORDER_AMBIGUOUS_LENGTH] += cut;
	} else if (rk->call->offset_known) {
		io.offset =
		    open_description_move_at(d, f->write, (uint64_t)rk->call->offset, io.length);
	}
	count[RECORDER_INFERRED] += h->inferred;
	recorder_emit_record(rk, &io);
	if (!at && (end || ambiguous || cut))
		recorder_ambiguity(rk, h);
}

static void seek(struct recorder_rank *rk)
{
	const struct recorder_signature *s = rk->call->signature;
	bool ambiguous;
	struct recorder_handle *h = handle_of(rk, 0, true, &ambiguous);
	if (h == NULL)
		return;
	struct open_description *d = h->open;
	int64_t to = rk->call->offset;
	h->end_ambiguous = h->end_ambiguous && s->whence == SEEK_FROM_HERE;
	bool known = rk->call->offset_known;
	if (s->whence == SEEK_FROM_HERE) {
		known = known && d->position_known && d->position <= INT64_MAX &&
			!__builtin_add_overflow(to, (int64_t)d->position, &to);
	} else if (s->whence == SEEK_FROM_END) {
		const struct tracked_file *f = d->file;
		known = known && f != NULL && recorder_size_sure(rk, f) && f->size <= INT64_MAX &&
			!__builtin_add_overflow(to, (int64_t)f->size, &to);
	}
	if (known && to < 0)
		return; /* the call failed */
	if (known)
		open_description_seek(d, (uint64_t)to);
	else
		d->position_known = false;
}

/* Names and sizes */

static void set_size(struct recorder_rank *rk, struct tracked_file *f)
{
	int64_t size = rk->call->offset;
	if (f == NULL || size < 0)
		return;
	file_truncate(f, (uint64_t)size);
	recorder_resizes(rk, f);
}

/* An operation without effect on the tracked state, of the path that it names, if any. */
static void path_op(struct recorder_rank *rk)
{
	const struct recorder_signature *s = rk->call->signature;
	struct recorder_op op = {.name = s->function->op};
	if (s->function->target >= 0)
		op.path = recorder_arg(s, (unsigned)s->function->target);
	recorder_emit_op(rk, &op);
}

static struct recorder_handle *handle_op(struct recorder_rank *rk)
{
	bool ambiguous;
	struct recorder_handle *h = handle_of(rk, 0, false, &ambiguous);
	emit_handle_op(rk, h);
	return h;
}

static void synchronize(struct recorder_rank *rk)
{
	(void)handle_op(rk);
}

static void truncate_handle(struct recorder_rank *rk)
{
	struct recorder_handle *h = handle_op(rk);
	if (h != NULL)
		set_size(rk, h->open->file);
}

static void truncate_path(struct recorder_rank *rk)
{
	path_op(rk);
	set_size(rk, file_of(rk, recorder_arg(rk->call->signature, 0), 0));
}

static struct recorder_op two_path_op(struct recorder_rank *rk)
{
	const struct recorder_signature *s = rk->call->signature;
	const struct recorder_op op = {
	    .name = s->function->op, .path = recorder_arg(s, 0), .to = recorder_arg(s, 1)};
	recorder_emit_op(rk, &op);
	return op;
}

static void rename_path(struct recorder_rank *rk)
{
	const struct recorder_op op = two_path_op(rk);
	if (op.to.size > 0)
		fdtable_rename(&rk->r->tracker, op.path.data, op.path.size, op.to.data, op.to.size,
			       false);
}

static void link_path(struct recorder_rank *rk)
{
	const struct recorder_op op = two_path_op(rk);
	if (op.to.size > 0)
		fdtable_link(&rk->r->tracker, op.path.data, op.path.size, op.to.data, op.to.size,
			     false);
}

static void symlink_path(struct recorder_rank *rk)
{
	(void)two_path_op(rk);
}

static void unlink_path(struct recorder_rank *rk)
{
	struct iot_text path = recorder_arg(rk->call->signature, 0);
	path_op(rk);
	fdtable_absent(&rk->r->tracker, path.data, path.size);
	struct recorder_target *t = recorder_target_find(&rk->paths, rk->call->signature->target);
	if (t == NULL || by_descriptor(rk))
		return;
	recorder_handle_free(rk->r, t->last_closed);
	t->last_closed = NULL;
}

/* Transfers bytes that the trace does not show. */
static void hidden(struct recorder_rank *rk)
{
	bool map = rk->call->signature->function->op[0] == 'm';
	rk->r->counts.count[map ? RECORDER_HIDDEN_MMAP : RECORDER_HIDDEN_PRINTF]++;
}

/* Functions */

#define POSIX(n, does) .name = n, .run = does, .layer = EMIT_LAYER_POSIX
#define OP(n, does, path, name_of_op)                                                              \
	{                                                                                          \
		POSIX(n, does), .target = path, .length = -1, .offset = -1, .op = name_of_op       \
	}
#define SIZED(n, does, name_of_op)                                                                 \
	{                                                                                          \
		POSIX(n, does), .target = 0, .length = -1, .offset = 1, .op = name_of_op           \
	}
#define HANDLE(n, does, at, size, name_of_op)                                                      \
	{                                                                                          \
		POSIX(n, does), .handle = true, .target = at, .length = -1, .offset = size,        \
				.op = name_of_op                                                   \
	}
#define MOVE(n, writes, of, bytes)                                                                 \
	{                                                                                          \
		POSIX(n, move), .write = writes, .handle = true, .target = of, .length = bytes,    \
				.offset = -1                                                       \
	}
#define STREAM(n, writes)                                                                          \
	{                                                                                          \
		POSIX(n, move), .write = writes, .wide = true, .handle = true, .target = 3,        \
				.length = 1, .offset = -1                                          \
	}
#define AT(n, writes, number)                                                                      \
	{                                                                                          \
		POSIX(n, move), .write = writes, .handle = true, .target = 0, .length = 2,         \
				.offset = 3, .pattern = number, .running = writes                  \
	}
#define SEEK(n, number)                                                                            \
	{                                                                                          \
		POSIX(n, seek), .handle = true, .whence = true, .target = 0, .length = -1,         \
				.offset = 1, .pattern = number, .running = number != 0             \
	}

/* clang-format off */
const struct recorder_function recorder_posix[] = {
    SIZED("open", open_file, "open"), SIZED("open64", open_file, "open"),
    OP("creat", create_file, 0, "create"), OP("creat64", create_file, 0, "create"),
    OP("fopen", open_stream, 0, "open"), OP("fopen64", open_stream, 0, "open"),
    HANDLE("close", close_file, 0, -1, "close"), HANDLE("fclose", close_file, 0, -1, "close"),
    MOVE("read", false, 0, 2), MOVE("write", true, 0, 2),
    MOVE("readv", false, 0, 1), MOVE("writev", true, 0, 1),
    STREAM("fread", false), STREAM("fwrite", true),
    AT("pread", false, 1), AT("pread64", false, 2), AT("pwrite", true, 3), AT("pwrite64", true, 4),
    SEEK("lseek", 5), SEEK("lseek64", 6), SEEK("fseek", 0), SEEK("fseeko", 0),
    SIZED("truncate", truncate_path, "truncate"),
    HANDLE("ftruncate", truncate_handle, 0, 1, "truncate"),
    OP("dup", share_descriptor, -1, NULL), OP("dup2", share_descriptor, -1, NULL),
    HANDLE("fcntl", control_descriptor, 0, -1, NULL),
    HANDLE("fsync", synchronize, 0, -1, "fsync"), HANDLE("fdatasync", synchronize, 0, -1, "fsync"),
    OP("rename", rename_path, 0, "rename"), OP("link", link_path, 0, "link"),
    OP("symlink", symlink_path, 0, "symlink"),
    OP("unlink", unlink_path, 0, "unlink"), OP("remove", unlink_path, 0, "unlink"),
    OP("rmdir", path_op, 0, "rmdir"), OP("mkdir", path_op, 0, "mkdir"),
    OP("mknod", path_op, 0, "mknod"), OP("mkfifo", path_op, 0, "mknod"),
    OP("access", path_op, 0, "access"), OP("readlink", path_op, 0, "readlink"),
    OP("chmod", path_op, 0, "chmod"), OP("chown", path_op, 0, "chown"),
    OP("lchown", path_op, 0, "chown"), OP("utime", path_op, 0, "utime"),
    OP("opendir", path_op, 0, "opendir"), OP("readdir", path_op, -1, "readdir"),
    OP("__xstat", path_op, 1, "stat"), OP("__xstat64", path_op, 1, "stat"),
    OP("__lxstat", path_op, 1, "stat"), OP("__lxstat64", path_op, 1, "stat"),
    HANDLE("__fxstat", synchronize, 1, -1, "stat"),
    HANDLE("__fxstat64", synchronize, 1, -1, "stat"),
    OP("faccessat", path_op, -1, "access"), OP("linkat", path_op, -1, "link"),
    OP("symlinkat", path_op, -1, "symlink"), OP("readlinkat", path_op, -1, "readlink"),
    OP("mknodat", path_op, -1, "mknod"), OP("msync", path_op, -1, "msync"),
    OP("mmap", hidden, -1, "mmap"), OP("mmap64", hidden, -1, "mmap"),
    OP("vfprintf", hidden, -1, "fprintf"),
    {0},
};
/* clang-format on */
