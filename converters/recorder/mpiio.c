/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Effects of MPI-IO calls. Positions count etypes of the current view; they are converted to bytes
 * if the view has no holes. The number of bytes is known if the type of the call is a basic one.
 */
#include "recorder.h"

#include <assert.h>
#include <string.h>

enum { AMODE_CREATE = 1, AMODE_APPEND = 128 };

/* Returns 0 if the size is unknown. */
static uint64_t type_size(struct iot_text name)
{
	static const struct {
		uint64_t bytes;
		const char *names; /* each between spaces */
	} types[] = {
	    {1, " BYTE CHAR SIGNED_CHAR UNSIGNED_CHAR PACKED INT8_T UINT8_T C_BOOL "
		"CHARACTER "},
	    {2, " SHORT UNSIGNED_SHORT INT16_T UINT16_T "},
	    {4, " INT UNSIGNED FLOAT WCHAR INT32_T UINT32_T INTEGER REAL LOGICAL REAL4 "
		"INTEGER4 "},
	    {8, " LONG UNSIGNED_LONG LONG_LONG LONG_LONG_INT UNSIGNED_LONG_LONG DOUBLE "
		"INT64_T UINT64_T OFFSET AINT COUNT DOUBLE_PRECISION REAL8 INTEGER8 "
		"C_FLOAT_COMPLEX "},
	    {16, " LONG_DOUBLE C_DOUBLE_COMPLEX "},
	};
	static const char prefix[] = "MPI_";
	char key[32] = " ";
	const size_t n = sizeof prefix - 1;
	if (name.size <= n || name.size > sizeof key || memcmp(name.data, prefix, n) != 0)
		return 0;
	memcpy(key + 1, name.data + n, name.size - n);
	key[name.size - n + 1] = ' ';
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (memmem(types[i].names, strlen(types[i].names), key, name.size - n + 2) != NULL)
			return types[i].bytes;
	return 0;
}

static void remove_fresh(struct recorder_target *t)
{
	if (t->fresh.le_prev == NULL)
		return;
	LIST_REMOVE(t, fresh);
	t->fresh.le_prev = NULL;
}

/*
 * 2.1 records the address of the file variable in open, and its value in later calls. An unknown
 * name is therefore assigned to the one file that was opened and not used so far, if there is
 * exactly one.
 */
static void assign(struct recorder_rank *rk, struct recorder_target *t)
{
	struct recorder_target *from = LIST_FIRST(&rk->mpi_files.fresh);
	const int64_t key = t->key;
	if (from == NULL || LIST_NEXT(from, fresh) != NULL)
		return;
	assert(from != t && from->newest != NULL);
	remove_fresh(from);
	*t = *from;
	t->key = key;
	from->newest = NULL;
}

static struct recorder_target *target_of(struct recorder_rank *rk)
{
	struct recorder_target *t =
	    recorder_target(rk->r, &rk->mpi_files, rk->call->signature->target);
	if (t == NULL)
		return NULL;
	if (t->newest == NULL && rk->result_known)
		assign(rk, t);
	remove_fresh(t);
	return t;
}

static void open_file(struct recorder_rank *rk)
{
	const struct recorder_signature *s = rk->call->signature;
	struct recorder *r = rk->r;
	struct iot_text path = recorder_arg(s, 1);
	struct recorder_target *t = recorder_target(r, &rk->mpi_files, s->target);
	struct recorder_handle *h =
	    t == NULL ? NULL
		      : recorder_handle_new(r, fdtable_open(&r->tracker, path.data, path.size, 0));
	if (h == NULL)
		return;
	recorder_handle_free(r, t->newest);
	t->newest = h;
	t->displacement = t->position = 0;
	t->etype = 1;
	t->contiguous = true;
	remove_fresh(t);
	LIST_INSERT_HEAD(&rk->mpi_files.fresh, t, fresh);
	t->position_known = (s->offset & AMODE_APPEND) == 0;
	const bool creates = (s->offset & AMODE_CREATE) != 0;
	const struct recorder_op op = {
	    .name = creates ? "create" : s->function->op, .handle = h, .path = path};
	recorder_emit_op(rk, &op);
}

/* A file whose open was not traced has at least a number. */
static struct recorder_handle *handle_of(struct recorder_rank *rk, struct recorder_target *t)
{
	if (t->newest == NULL) {
		t->newest = recorder_handle_new(rk->r, NULL);
		if (t->newest != NULL)
			t->newest->inferred = true;
	}
	return t->newest;
}

static void emit_op(struct recorder_rank *rk, const char *name, struct recorder_handle *h)
{
	const struct recorder_op op = {.name = name, .handle = h};
	if (h != NULL)
		recorder_emit_op(rk, &op);
}

static void close_file(struct recorder_rank *rk)
{
	struct recorder_target *t = target_of(rk);
	if (t == NULL)
		return;
	emit_op(rk, "close", t->newest);
	recorder_handle_free(rk->r, t->newest);
	t->newest = NULL;
}

static void set_view(struct recorder_rank *rk)
{
	const struct recorder_signature *s = rk->call->signature;
	struct recorder_target *t = target_of(rk);
	struct iot_text etype = recorder_arg(s, 2), filetype = recorder_arg(s, 3);
	if (t == NULL)
		return;
	t->displacement = rk->call->offset;
	t->etype = type_size(etype);
	t->contiguous = rk->call->offset_known && t->displacement >= 0 && t->etype > 0 &&
			type_size(filetype) > 0;
	t->position = 0;
	t->position_known = true;
}

static void seek(struct recorder_rank *rk)
{
	struct recorder_target *t = target_of(rk);
	struct iot_text whence = recorder_arg(rk->call->signature, 2);
	static const char set[] = "MPI_SEEK_SET", here[] = "MPI_SEEK_CUR";
	if (t == NULL)
		return;
	if (whence.size == sizeof set - 1 && memcmp(whence.data, set, whence.size) == 0) {
		t->position = rk->call->offset;
		t->position_known = rk->call->offset_known;
	} else if (whence.size == sizeof here - 1 && memcmp(whence.data, here, whence.size) == 0) {
		t->position_known =
		    t->position_known && rk->call->offset_known &&
		    !__builtin_add_overflow(t->position, rk->call->offset, &t->position);
	} else {
		t->position_known = false;
	}
}

/* Converts etypes from the start of the view to bytes of the file. */
static struct file_offset to_bytes(const struct recorder_target *t, int64_t position)
{
	int64_t bytes;
	bool known = t->contiguous && position >= 0 &&
		     !__builtin_mul_overflow(position, (int64_t)t->etype, &bytes) &&
		     !__builtin_add_overflow(bytes, t->displacement, &bytes);
	return (struct file_offset){.offset = known ? (uint64_t)bytes : 0, .known = known};
}

static void advance(struct recorder_target *t, uint64_t bytes, bool known)
{
	int64_t etypes = known && t->etype > 0 ? (int64_t)(bytes / t->etype) : 0;
	if (!known || t->etype == 0 || bytes % t->etype != 0 ||
	    __builtin_add_overflow(t->position, etypes, &t->position))
		t->position_known = false;
}

/* Emits a transfer at a position in etypes, which moves on unless it is explicit. */
static void transfer(struct recorder_rank *rk, struct recorder_target *t, bool known, bool own)
{
	const struct recorder_signature *s = rk->call->signature;
	const struct recorder_function *f = s->function;
	struct recorder_handle *h = t == NULL ? NULL : handle_of(rk, t);
	if (h == NULL)
		return;
	const uint64_t size = type_size(recorder_arg(s, (unsigned)f->length + 1));
	struct recorder_io io = {.handle = h, .write = f->write, .async = f->async};
	const bool sized = !__builtin_mul_overflow(s->length, size, &io.length) &&
			   io.length <= INT64_MAX && size > 0;
	if (known && !h->inferred)
		io.offset = to_bytes(t, own ? t->position : rk->call->offset);
	if (own)
		advance(t, io.length, sized);
	if (sized) {
		rk->r->counts.count[RECORDER_INFERRED] += h->inferred;
		recorder_emit_record(rk, &io);
		return;
	}
	rk->r->counts.count[RECORDER_UNKNOWN_LENGTH]++;
	emit_op(rk, f->write ? "write" : "read", h);
}

static void move(struct recorder_rank *rk)
{
	struct recorder_target *t = target_of(rk);
	transfer(rk, t, t != NULL && t->position_known, true);
}

static void move_at(struct recorder_rank *rk)
{
	transfer(rk, target_of(rk), rk->call->offset_known, false);
}

/* The ranks share the position, which is unknown. */
static void move_shared(struct recorder_rank *rk)
{
	transfer(rk, target_of(rk), false, false);
}

static void file_op(struct recorder_rank *rk)
{
	const struct recorder_target *t = target_of(rk);
	if (t != NULL)
		emit_op(rk, rk->call->signature->function->op, t->newest);
}

/* Functions */

#define MPI(n, does) .name = "MPI_File_" n, .run = does, .layer = EMIT_LAYER_MPIIO
#define FILE_OP(n, does, at, name_of_op)                                                           \
	{                                                                                          \
		MPI(n, does), .target = 0, .length = -1, .offset = at, .op = name_of_op            \
	}
#define MOVE(n, does, writes, later)                                                               \
	{                                                                                          \
		MPI(n, does), .write = writes, .async = later, .target = 0, .length = 2,           \
			      .offset = -1                                                         \
	}
#define AT(n, writes, later, number)                                                               \
	{                                                                                          \
		MPI(n, move_at), .write = writes, .async = later, .target = 0, .length = 3,        \
				 .offset = 1, .pattern = number, .running = number != 0            \
	}

enum { R = false, W = true, NOW = false, LATER = true };

/* clang-format off */
const struct recorder_function recorder_mpiio[] = {
    {MPI("open", open_file), .target = 4, .length = -1, .offset = 2, .op = "open"},
    FILE_OP("close", close_file, -1, NULL), FILE_OP("sync", file_op, -1, "fsync"),
    FILE_OP("set_size", file_op, 1, "truncate"), FILE_OP("seek", seek, 1, NULL),
    {MPI("set_view", set_view), .target = 0, .length = -1, .offset = 1, .pattern = 11,
     .running = true},
    AT("read_at", R, NOW, 7), AT("read_at_all", R, NOW, 8),
    AT("write_at", W, NOW, 9), AT("write_at_all", W, NOW, 10),
    AT("iread_at", R, LATER, 0), AT("iwrite_at", W, LATER, 0),
    AT("iread_at_all", R, LATER, 0), AT("iwrite_at_all", W, LATER, 0),
    AT("read_at_all_begin", R, LATER, 0), AT("write_at_all_begin", W, LATER, 0),
    MOVE("read", move, R, NOW), MOVE("write", move, W, NOW),
    MOVE("read_all", move, R, NOW), MOVE("write_all", move, W, NOW),
    MOVE("iread", move, R, LATER), MOVE("iwrite", move, W, LATER),
    MOVE("iread_all", move, R, LATER), MOVE("iwrite_all", move, W, LATER),
    MOVE("read_all_begin", move, R, LATER), MOVE("write_all_begin", move, W, LATER),
    MOVE("read_shared", move_shared, R, NOW), MOVE("write_shared", move_shared, W, NOW),
    MOVE("iread_shared", move_shared, R, LATER), MOVE("iwrite_shared", move_shared, W, LATER),
    MOVE("read_ordered", move_shared, R, NOW), MOVE("write_ordered", move_shared, W, NOW),
    MOVE("read_ordered_begin", move_shared, R, LATER),
    MOVE("write_ordered_begin", move_shared, W, LATER),
    {0},
};
/* clang-format on */
