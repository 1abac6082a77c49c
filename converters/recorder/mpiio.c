/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Effects of MPI-IO calls. Positions count etypes of the current view; they are converted to bytes
 * if the view has no holes. The number of bytes is known if the type of the call is a basic one.
 */
#include "recorder.h"

#include <string.h>

enum { AMODE_APPEND = 128 };

uint64_t recorder_type_size(struct iot_text name)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} types[] = {
	    {"BYTE", 1},
	    {"CHAR", 1},
	    {"SIGNED_CHAR", 1},
	    {"UNSIGNED_CHAR", 1},
	    {"PACKED", 1},
	    {"SHORT", 2},
	    {"UNSIGNED_SHORT", 2},
	    {"INT", 4},
	    {"UNSIGNED", 4},
	    {"LONG", 8},
	    {"UNSIGNED_LONG", 8},
	    {"LONG_LONG", 8},
	    {"LONG_LONG_INT", 8},
	    {"UNSIGNED_LONG_LONG", 8},
	    {"FLOAT", 4},
	    {"DOUBLE", 8},
	    {"LONG_DOUBLE", 16},
	    {"WCHAR", 4},
	    {"INT8_T", 1},
	    {"INT16_T", 2},
	    {"INT32_T", 4},
	    {"INT64_T", 8},
	    {"UINT8_T", 1},
	    {"UINT16_T", 2},
	    {"UINT32_T", 4},
	    {"UINT64_T", 8},
	    {"C_BOOL", 1},
	    {"OFFSET", 8},
	    {"AINT", 8},
	    {"COUNT", 8},
	    {"INTEGER", 4},
	    {"REAL", 4},
	    {"DOUBLE_PRECISION", 8},
	    {"CHARACTER", 1},
	    {"LOGICAL", 4},
	    {"REAL4", 4},
	    {"REAL8", 8},
	    {"INTEGER4", 4},
	    {"INTEGER8", 8},
	    {"C_FLOAT_COMPLEX", 8},
	    {"C_DOUBLE_COMPLEX", 16},
	};
	static const char prefix[] = "MPI_";
	size_t n = sizeof prefix - 1;
	if (name.size <= n || memcmp(name.data, prefix, n) != 0)
		return 0;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == name.size - n &&
		    memcmp(types[i].name, name.data + n, name.size - n) == 0)
			return types[i].bytes;
	return 0;
}

static void mark_fresh(struct recorder_map *map, struct recorder_place *p)
{
	p->claimed = false;
	p->fresh_prev = NULL;
	p->fresh_next = map->fresh;
	if (map->fresh != NULL)
		map->fresh->fresh_prev = p;
	map->fresh = p;
}

static void mark_claimed(struct recorder_map *map, struct recorder_place *p)
{
	p->claimed = true;
	if (p != map->fresh && p->fresh_prev == NULL)
		return;
	*(p->fresh_prev == NULL ? &map->fresh : &p->fresh_prev->fresh_next) = p->fresh_next;
	if (p->fresh_next != NULL)
		p->fresh_next->fresh_prev = p->fresh_prev;
	p->fresh_prev = p->fresh_next = NULL;
}

/*
 * 2.1 records the address of the file variable in open, and its value in later calls. An unknown
 * name is therefore assigned to the one file that was opened and not used so far, if there is
 * exactly one.
 */
static void claim(struct recorder_rank *k, struct recorder_place *p)
{
	struct recorder_place *from = k->mpi_files.fresh;
	if (from == NULL || from->fresh_next != NULL)
		return;
	mark_claimed(&k->mpi_files, from);
	int64_t key = p->key;
	*p = *from;
	p->key = key;
	from->newest = NULL;
}

static struct recorder_place *place_of(struct recorder_rank *k)
{
	struct recorder_place *p = recorder_place(k->r, &k->mpi_files, k->call.signature->place);
	if (p == NULL)
		return NULL;
	if (p->newest == NULL && k->call.result_known)
		claim(k, p);
	mark_claimed(&k->mpi_files, p);
	return p;
}

static void open_file(struct recorder_rank *k)
{
	const struct recorder_signature *s = k->call.signature;
	struct recorder *r = k->r;
	struct iot_text path = recorder_arg(s, 1);
	struct recorder_place *p = recorder_place(r, &k->mpi_files, s->place);
	struct recorder_handle *h =
	    p == NULL ? NULL
		      : recorder_handle_new(r, fdtable_open(&r->tracker, path.data, path.size, 0));
	if (h == NULL)
		return;
	recorder_handle_free(r, p->newest);
	p->newest = h;
	p->displacement = p->position = 0;
	p->etype = 1;
	p->plain = true;
	mark_claimed(&k->mpi_files, p);
	mark_fresh(&k->mpi_files, p);
	p->placed = (s->offset & AMODE_APPEND) == 0;
	const struct recorder_op op = {.name = s->function->op, .handle = h, .path = path};
	recorder_emit_op(k, &op);
}

/* A file whose open was not traced has at least a number. */
static struct recorder_handle *handle_of(struct recorder_rank *k, struct recorder_place *p)
{
	if (p->newest == NULL) {
		p->newest = recorder_handle_new(k->r, NULL);
		if (p->newest != NULL)
			p->newest->implied = true;
	}
	return p->newest;
}

static void emit_op(struct recorder_rank *k, const char *name, struct recorder_handle *h)
{
	const struct recorder_op op = {.name = name, .handle = h};
	if (h != NULL)
		recorder_emit_op(k, &op);
}

static void close_file(struct recorder_rank *k)
{
	struct recorder_place *p = place_of(k);
	if (p == NULL)
		return;
	emit_op(k, "close", p->newest);
	recorder_handle_free(k->r, p->newest);
	p->newest = NULL;
}

static void set_view(struct recorder_rank *k)
{
	const struct recorder_signature *s = k->call.signature;
	struct recorder_place *p = place_of(k);
	struct iot_text etype = recorder_arg(s, 2), filetype = recorder_arg(s, 3);
	if (p == NULL)
		return;
	p->displacement = k->call.offset;
	p->etype = recorder_type_size(etype);
	p->plain = k->call.offset_known && p->displacement >= 0 && p->etype > 0 &&
		   recorder_type_size(filetype) > 0;
	p->position = 0;
	p->placed = true;
}

static void seek(struct recorder_rank *k)
{
	struct recorder_place *p = place_of(k);
	struct iot_text whence = recorder_arg(k->call.signature, 2);
	static const char set[] = "MPI_SEEK_SET", here[] = "MPI_SEEK_CUR";
	if (p == NULL)
		return;
	if (whence.size == sizeof set - 1 && memcmp(whence.data, set, whence.size) == 0) {
		p->position = k->call.offset;
		p->placed = k->call.offset_known;
	} else if (whence.size == sizeof here - 1 && memcmp(whence.data, here, whence.size) == 0) {
		p->placed = p->placed && k->call.offset_known &&
			    !__builtin_add_overflow(p->position, k->call.offset, &p->position);
	} else {
		p->placed = false;
	}
}

/* Converts etypes from the start of the view to bytes of the file. */
static struct file_offset to_bytes(const struct recorder_place *p, int64_t position)
{
	int64_t bytes;
	bool known = p->plain && position >= 0 &&
		     !__builtin_mul_overflow(position, (int64_t)p->etype, &bytes) &&
		     !__builtin_add_overflow(bytes, p->displacement, &bytes);
	return (struct file_offset){.offset = known ? (uint64_t)bytes : 0, .known = known};
}

static void advance(struct recorder_place *p, uint64_t bytes, bool known)
{
	int64_t etypes = known && p->etype > 0 ? (int64_t)(bytes / p->etype) : 0;
	if (!known || p->etype == 0 || bytes % p->etype != 0 ||
	    __builtin_add_overflow(p->position, etypes, &p->position))
		p->placed = false;
}

static void move(struct recorder_rank *k)
{
	const struct recorder_signature *s = k->call.signature;
	const struct recorder_function *f = s->function;
	struct recorder_place *p = place_of(k);
	struct recorder_handle *h = p == NULL ? NULL : handle_of(k, p);
	if (h == NULL)
		return;
	uint64_t size = recorder_type_size(recorder_arg(s, (unsigned)f->length + 1));
	struct recorder_io io = {.handle = h, .write = f->write, .async = f->async};
	bool fits = !__builtin_mul_overflow(s->length, size, &io.length) && io.length <= INT64_MAX;
	bool known = size > 0 && fits;
	if (f->action == RECORDER_MPI_MOVE_AT && k->call.offset_known && !h->implied)
		io.place = to_bytes(p, k->call.offset);
	if (f->action == RECORDER_MPI_MOVE) {
		if (p->placed && !h->implied)
			io.place = to_bytes(p, p->position);
		advance(p, io.length, known);
	}
	if (known) {
		k->r->count[RECORDER_IMPLIED] += h->implied;
		recorder_emit_record(k, &io);
		return;
	}
	k->r->count[RECORDER_UNKNOWN_LENGTH]++;
	emit_op(k, f->write ? "write" : "read", h);
}

void recorder_mpiio(struct recorder_rank *k)
{
	struct recorder_place *p;
	switch ((enum recorder_action)k->call.signature->function->action) {
	case RECORDER_MPI_OPEN:
		open_file(k);
		break;
	case RECORDER_MPI_CLOSE:
		close_file(k);
		break;
	case RECORDER_MPI_SET_VIEW:
		set_view(k);
		break;
	case RECORDER_MPI_SEEK:
		seek(k);
		break;
	case RECORDER_MPI_MOVE:
	case RECORDER_MPI_MOVE_AT:
	case RECORDER_MPI_SHARED:
		move(k);
		break;
	case RECORDER_MPI_SET_SIZE:
	case RECORDER_MPI_SYNC:
		p = place_of(k);
		if (p != NULL)
			emit_op(k,
				k->call.signature->function->action == RECORDER_MPI_SYNC
				    ? "fsync"
				    : "truncate",
				p->newest);
		break;
	default:
		break;
	}
}
