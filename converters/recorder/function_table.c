/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that Recorder traces, as far as they transfer data or change names: positions of
 * their arguments, and which may be stored as patterns. Function numbers differ between releases;
 * names do not.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/number.h"
#include "lib/base/hash.h"

/* clang-format off */
#define OP(n, does, path, name_of_op) \
	{n, does, .place = path, .length = -1, .offset = -1, .op = name_of_op}
#define HANDLE(n, does, name_of_op) \
	{n, does, .handle = true, .place = 0, .length = -1, .offset = -1, .op = name_of_op}
#define MOVE(n, writes, of, bytes) \
	{n, RECORDER_MOVE, .write = writes, .handle = true, .place = of, .length = bytes, .offset = -1}
#define STREAM(n, writes) \
	{n, RECORDER_MOVE, .write = writes, .wide = true, .handle = true, .place = 3, .length = 1, .offset = -1}
#define AT(n, writes, number, differences) \
	{n, RECORDER_MOVE_AT, .write = writes, .handle = true, .place = 0, .length = 2, .offset = 3, \
	 .pattern = number, .running = differences}
#define SEEK(n, number) \
	{n, RECORDER_SEEK, .handle = true, .place = 0, .length = -1, .offset = 1, .pattern = number, \
	 .running = number != 0}
#define MPI(n, does, writes, later, elements) \
	{n, does, .write = writes, .async = later, .handle = true, .place = 0, .length = elements, .offset = -1}
#define MPI_AT(n, writes, later, number) \
	{n, RECORDER_MPI_MOVE_AT, .write = writes, .async = later, .handle = true, .place = 0, .length = 3, \
	 .offset = 1, .pattern = number, .running = number != 0}

enum { R = false, W = true, NOW = false, LATER = true };

static const struct recorder_function functions[] = {
    {"open", RECORDER_OPEN, .place = 0, .length = -1, .offset = 1, .op = "open"},
    {"open64", RECORDER_OPEN, .place = 0, .length = -1, .offset = 1, .op = "open"},
    OP("creat", RECORDER_CREAT, 0, "create"), OP("creat64", RECORDER_CREAT, 0, "create"),
    OP("fopen", RECORDER_FOPEN, 0, "open"), OP("fopen64", RECORDER_FOPEN, 0, "open"),
    HANDLE("close", RECORDER_CLOSE, "close"), HANDLE("fclose", RECORDER_CLOSE, "close"),
    MOVE("read", R, 0, 2), MOVE("write", W, 0, 2), MOVE("readv", R, 0, 1), MOVE("writev", W, 0, 1),
    STREAM("fread", R), STREAM("fwrite", W),
    AT("pread", R, 1, false), AT("pread64", R, 2, false), AT("pwrite", W, 3, true), AT("pwrite64", W, 4, true),
    SEEK("lseek", 5), SEEK("lseek64", 6), SEEK("fseek", 0), SEEK("fseeko", 0),
    {"truncate", RECORDER_TRUNCATE, .place = 0, .length = -1, .offset = 1, .op = "truncate"},
    {"ftruncate", RECORDER_FTRUNCATE, .handle = true, .place = 0, .length = -1, .offset = 1, .op = "truncate"},
    OP("dup", RECORDER_DUP, -1, NULL), OP("dup2", RECORDER_DUP, -1, NULL), HANDLE("fcntl", RECORDER_FCNTL, NULL),
    HANDLE("fsync", RECORDER_HANDLE_OP, "fsync"), HANDLE("fdatasync", RECORDER_HANDLE_OP, "fsync"),
    OP("rename", RECORDER_RENAME, 0, "rename"), OP("link", RECORDER_LINK, 0, "link"),
    OP("symlink", RECORDER_TWO_PATHS_OP, 0, "symlink"),
    OP("unlink", RECORDER_UNLINK, 0, "unlink"), OP("remove", RECORDER_UNLINK, 0, "unlink"),
    OP("rmdir", RECORDER_PATH_OP, 0, "rmdir"), OP("mkdir", RECORDER_PATH_OP, 0, "mkdir"),
    OP("mknod", RECORDER_PATH_OP, 0, "mknod"), OP("mkfifo", RECORDER_PATH_OP, 0, "mknod"),
    OP("access", RECORDER_PATH_OP, 0, "access"), OP("readlink", RECORDER_PATH_OP, 0, "readlink"),
    OP("chmod", RECORDER_PATH_OP, 0, "chmod"), OP("chown", RECORDER_PATH_OP, 0, "chown"),
    OP("lchown", RECORDER_PATH_OP, 0, "chown"), OP("utime", RECORDER_PATH_OP, 0, "utime"),
    OP("opendir", RECORDER_PATH_OP, 0, "opendir"), OP("readdir", RECORDER_BARE_OP, -1, "readdir"),
    OP("__xstat", RECORDER_PATH_OP, 1, "stat"), OP("__xstat64", RECORDER_PATH_OP, 1, "stat"),
    OP("__lxstat", RECORDER_PATH_OP, 1, "stat"), OP("__lxstat64", RECORDER_PATH_OP, 1, "stat"),
    {"__fxstat", RECORDER_HANDLE_OP, .handle = true, .place = 1, .length = -1, .offset = -1, .op = "stat"},
    {"__fxstat64", RECORDER_HANDLE_OP, .handle = true, .place = 1, .length = -1, .offset = -1, .op = "stat"},
    OP("faccessat", RECORDER_BARE_OP, -1, "access"), OP("linkat", RECORDER_BARE_OP, -1, "link"),
    OP("symlinkat", RECORDER_BARE_OP, -1, "symlink"), OP("readlinkat", RECORDER_BARE_OP, -1, "readlink"),
    OP("mknodat", RECORDER_BARE_OP, -1, "mknod"), OP("msync", RECORDER_BARE_OP, -1, "msync"),
    OP("mmap", RECORDER_HIDDEN, -1, "mmap"), OP("mmap64", RECORDER_HIDDEN, -1, "mmap"),
    OP("vfprintf", RECORDER_HIDDEN, -1, "fprintf"),

    {"MPI_File_open", RECORDER_MPI_OPEN, .handle = true, .place = 4, .length = -1, .offset = 2, .op = "open"},
    MPI("MPI_File_close", RECORDER_MPI_CLOSE, R, NOW, -1), MPI("MPI_File_sync", RECORDER_MPI_SYNC, R, NOW, -1),
    {"MPI_File_set_size", RECORDER_MPI_SET_SIZE, .handle = true, .place = 0, .length = -1, .offset = 1},
    {"MPI_File_set_view", RECORDER_MPI_SET_VIEW, .handle = true, .place = 0, .length = -1, .offset = 1,
     .pattern = 11, .running = true},
    {"MPI_File_seek", RECORDER_MPI_SEEK, .handle = true, .place = 0, .length = -1, .offset = 1},
    MPI_AT("MPI_File_read_at", R, NOW, 7), MPI_AT("MPI_File_read_at_all", R, NOW, 8),
    MPI_AT("MPI_File_write_at", W, NOW, 9), MPI_AT("MPI_File_write_at_all", W, NOW, 10),
    MPI_AT("MPI_File_iread_at", R, LATER, 0), MPI_AT("MPI_File_iwrite_at", W, LATER, 0),
    MPI_AT("MPI_File_iread_at_all", R, LATER, 0), MPI_AT("MPI_File_iwrite_at_all", W, LATER, 0),
    MPI_AT("MPI_File_read_at_all_begin", R, LATER, 0), MPI_AT("MPI_File_write_at_all_begin", W, LATER, 0),
    MPI("MPI_File_read", RECORDER_MPI_MOVE, R, NOW, 2), MPI("MPI_File_write", RECORDER_MPI_MOVE, W, NOW, 2),
    MPI("MPI_File_read_all", RECORDER_MPI_MOVE, R, NOW, 2), MPI("MPI_File_write_all", RECORDER_MPI_MOVE, W, NOW, 2),
    MPI("MPI_File_iread", RECORDER_MPI_MOVE, R, LATER, 2), MPI("MPI_File_iwrite", RECORDER_MPI_MOVE, W, LATER, 2),
    MPI("MPI_File_iread_all", RECORDER_MPI_MOVE, R, LATER, 2),
    MPI("MPI_File_iwrite_all", RECORDER_MPI_MOVE, W, LATER, 2),
    MPI("MPI_File_read_all_begin", RECORDER_MPI_MOVE, R, LATER, 2),
    MPI("MPI_File_write_all_begin", RECORDER_MPI_MOVE, W, LATER, 2),
    MPI("MPI_File_read_shared", RECORDER_MPI_SHARED, R, NOW, 2),
    MPI("MPI_File_write_shared", RECORDER_MPI_SHARED, W, NOW, 2),
    MPI("MPI_File_iread_shared", RECORDER_MPI_SHARED, R, LATER, 2),
    MPI("MPI_File_iwrite_shared", RECORDER_MPI_SHARED, W, LATER, 2),
    MPI("MPI_File_read_ordered", RECORDER_MPI_SHARED, R, NOW, 2),
    MPI("MPI_File_write_ordered", RECORDER_MPI_SHARED, W, NOW, 2),
    MPI("MPI_File_read_ordered_begin", RECORDER_MPI_SHARED, R, LATER, 2),
    MPI("MPI_File_write_ordered_begin", RECORDER_MPI_SHARED, W, LATER, 2),
};
/* clang-format on */

enum {
	SHORT_SIZE = 31, /* size of the text of arguments that cannot be numbers */
	BLOCK_SIZE = 64 << 10,
	AFTER_2_GIB = 31,
};

const struct recorder_function *recorder_function(const char *name, size_t size)
{
	static const struct recorder_function nothing = {
	    .name = "", .place = -1, .length = -1, .offset = -1};
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (size > 0 && functions[i].name[0] == name[0] &&
		    strlen(functions[i].name) == size && memcmp(functions[i].name, name, size) == 0)
			return &functions[i];
	return &nothing;
}

/* Arguments */

struct iot_text recorder_arg(const struct recorder_signature *s, unsigned i)
{
	const char *p = s->args, *end = p + s->args_size;
	if (i >= s->count)
		return (struct iot_text){0};
	for (; p < end; i--) {
		const char *blank = memchr(p, ' ', (size_t)(end - p));
		const char *stop = blank == NULL ? end : blank;
		if (i == 0)
			return (struct iot_text){p, (size_t)(stop - p)};
		p = blank == NULL ? end : blank + 1;
	}
	return (struct iot_text){i == 0 ? end : NULL, 0};
}

bool recorder_number(struct iot_text text, int64_t *value)
{
	uint64_t v;
	bool minus = text.size > 0 && text.data[0] == '-';
	if (text.data == NULL || text.size > SHORT_SIZE ||
	    !number_decimal(text.data + minus, text.size - minus, &v) || v > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

/* "-512*r+11783" */
static bool parse_pattern(struct iot_text text, struct recorder_signature *s)
{
	const char *star = memchr(text.data, '*', text.size);
	if (star == NULL || text.size - (size_t)(star - text.data) < 4 || star[1] != 'r' ||
	    star[2] != '+')
		return false;
	struct iot_text a = {text.data, (size_t)(star - text.data)};
	struct iot_text b = {star + 3, text.size - a.size - 3};
	s->sloped = true;
	return recorder_number(a, &s->slope) && recorder_number(b, &s->offset);
}

static bool parse_offset(struct recorder_signature *s)
{
	struct iot_text text = recorder_arg(s, (unsigned)s->function->offset);
	if (recorder_number(text, &s->offset))
		return true;
	return text.data != NULL && s->function->pattern != 0 && parse_pattern(text, s);
}

/*
 * Parses a count; for streams, size times count. The total of readv is an int, which may have
 * wrapped.
 */
static bool parse_length(struct recorder_signature *s)
{
	int64_t value, times = 1;
	if (!recorder_number(recorder_arg(s, (unsigned)s->function->length), &value))
		return false;
	if (s->function->wide &&
	    (!recorder_number(recorder_arg(s, (unsigned)s->function->length + 1), &times) ||
	     times < 0))
		return false;
	if (s->function->length == 1 && !s->function->wide && value < 0)
		value += (int64_t)1 << (AFTER_2_GIB + 1);
	if (value < 0 || __builtin_mul_overflow(value, times, &value))
		return false;
	s->length = (uint64_t)value;
	return true;
}

static bool parse_place(struct recorder *r, struct recorder_signature *s, bool descriptors)
{
	struct iot_text text = recorder_arg(s, (unsigned)s->function->place);
	if (text.data == NULL || text.size == 0) {
		s->broken = true;
		return true;
	}
	if (descriptors && s->function->handle && !recorder_is_mpi(s->function)) {
		s->broken = !recorder_number(text, &s->place);
		return true;
	}
	s->place = recorder_path(r, text);
	return s->place >= 0;
}

bool recorder_prepare(struct recorder *r, struct recorder_signature *s, bool descriptors)
{
	const struct recorder_function *f = s->function;
	s->place = -1;
	s->length = 0;
	s->offset = s->slope = 0;
	s->sloped = s->broken = false;
	s->whence = 0;
	if (f->place >= 0 && !parse_place(r, s, descriptors))
		return false;
	if (f->length >= 0 && !parse_length(s))
		s->broken = true;
	if (f->offset >= 0 && !parse_offset(s))
		s->broken = true;
	if (f->action == RECORDER_SEEK) {
		struct iot_text whence = recorder_arg(s, 2);
		s->broken |= whence.size != 1 || *whence.data < '0' || *whence.data > '2';
		s->whence = whence.size == 1 ? (uint8_t)(*whence.data - '0') : 0;
	}
	return true;
}

/* Paths by number */

static uint32_t *hash_slot(const struct recorder_paths *p, struct iot_text text)
{
	uint32_t mask = p->hash_capacity - 1;
	for (uint32_t i = (uint32_t)XXH3_64bits_withSeed(text.data, text.size, p->seed) & mask;;
	     i = (i + 1) & mask) {
		uint32_t *slot = &p->hash[i];
		if (*slot == 0 || (p->text[*slot - 1].size == text.size &&
				   memcmp(p->text[*slot - 1].data, text.data, text.size) == 0))
			return slot;
	}
}

static bool paths_grow(struct fdtable *t, struct recorder_paths *p)
{
	const size_t old = p->capacity, capacity = old == 0 ? 64 : old * 2;
	struct iot_text *text =
	    fdtable_grow(t, p->text, old * sizeof *text, capacity * sizeof *text);
	if (text == NULL)
		return false;
	p->text = text;
	uint32_t *hash = fdtable_grow(t, NULL, 0, capacity * 2 * sizeof *hash);
	if (hash == NULL)
		return false;
	fdtable_drop(t, p->hash, p->hash_capacity * sizeof *hash);
	p->hash = hash;
	p->seed = hash_seed();
	p->hash_capacity = (uint32_t)capacity * 2;
	p->capacity = (uint32_t)capacity;
	for (uint32_t i = 0; i < p->count; i++)
		*hash_slot(p, p->text[i]) = i + 1;
	return true;
}

static char *paths_copy(struct fdtable *t, struct recorder_paths *p, struct iot_text text)
{
	struct recorder_block *b = p->blocks;
	if (b == NULL || b->capacity - b->used < text.size) {
		size_t capacity = text.size > BLOCK_SIZE ? text.size : BLOCK_SIZE;
		b = fdtable_grow(t, NULL, 0, sizeof *b + capacity);
		if (b == NULL)
			return NULL;
		*b = (struct recorder_block){.next = p->blocks, .capacity = capacity};
		p->blocks = b;
	}
	char *copy = b->text + b->used;
	memcpy(copy, text.data, text.size);
	b->used += text.size;
	return copy;
}

int64_t recorder_path(struct recorder *r, struct iot_text text)
{
	struct recorder_paths *p = &r->paths;
	if (p->count == p->capacity && !paths_grow(&r->tracker, p))
		return -1;
	uint32_t *slot = hash_slot(p, text);
	if (*slot != 0)
		return *slot;
	char *copy = paths_copy(&r->tracker, p, text);
	if (copy == NULL)
		return -1;
	p->text[p->count++] = (struct iot_text){copy, text.size};
	*slot = p->count;
	return *slot;
}

void recorder_paths_free(struct fdtable *t, struct recorder_paths *p)
{
	for (struct recorder_block *b = p->blocks, *next; b != NULL; b = next) {
		next = b->next;
		fdtable_drop(t, b, sizeof *b + b->capacity);
	}
	fdtable_drop(t, p->text, p->capacity * sizeof *p->text);
	fdtable_drop(t, p->hash, p->hash_capacity * sizeof *p->hash);
	*p = (struct recorder_paths){0};
}
