/* SPDX-License-Identifier: BSD-2-Clause */
/* Small Darshan logs of every format, built in memory. Regions are in the order of their ids. */
#ifndef TESTS_DARSHAN_BUILD_H
#define TESTS_DARSHAN_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Bytes in the order of a log. */
struct bytes {
	unsigned char *data;
	size_t size, capacity;
	bool swap;
};

static inline void put_bytes(struct bytes *b, const void *data, size_t n)
{
	if (b->size + n > b->capacity) {
		b->capacity = 2 * (b->size + n);
		b->data = realloc(b->data, b->capacity);
		cr_assert_not_null(b->data);
	}
	if (n > 0)
		memcpy(b->data + b->size, data, n);
	b->size += n;
}

static inline void put_u64(struct bytes *b, uint64_t v)
{
	v = b->swap ? __builtin_bswap64(v) : v;
	put_bytes(b, &v, sizeof v);
}

static inline void put_i64(struct bytes *b, int64_t v)
{
	put_u64(b, (uint64_t)v);
}

static inline void put_u32(struct bytes *b, uint32_t v)
{
	v = b->swap ? __builtin_bswap32(v) : v;
	put_bytes(b, &v, sizeof v);
}

static inline void put_f64(struct bytes *b, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	put_u64(b, bits);
}

static inline void put_zeros(struct bytes *b, size_t n)
{
	static const unsigned char zeros[2048];
	for (; n > sizeof zeros; n -= sizeof zeros)
		put_bytes(b, zeros, sizeof zeros);
	put_bytes(b, zeros, n);
}

enum { MODULES = 64 };

struct log {
	unsigned minor; /* 0, 10, 20, 21, 41 */
	unsigned how;   /* 0: zlib, 2: not packed */
	bool swap;
	uint64_t partial;
	int64_t processes;
	struct bytes names, module[MODULES], file; /* module: by the file's own id */
	unsigned version[MODULES];
	int64_t start_s; /* of the job; 0: 1700000000 */
};

static inline struct log new_log(unsigned minor, bool swap)
{
	struct log l = {.minor = minor, .how = 2, .swap = swap, .processes = 4};
	l.names.swap = l.file.swap = swap;
	for (unsigned i = 0; i < MODULES; i++)
		l.module[i].swap = swap;
	return l;
}

static inline void free_log(struct log *l)
{
	free(l->names.data);
	free(l->file.data);
	for (unsigned i = 0; i < MODULES; i++)
		free(l->module[i].data);
}

/* A module's id in this format, by its id in 3.41. */
static inline unsigned own_id(const struct log *l, unsigned id)
{
	if (l->minor == 41 || id <= 3)
		return id;
	return l->minor >= 20 ? id - (id > 5) : id - (id > 5) - 1;
}

static inline struct bytes *module(struct log *l, unsigned id, unsigned version)
{
	l->version[own_id(l, id)] = version;
	return &l->module[own_id(l, id)];
}

static inline void add_name(struct log *l, uint64_t id, const char *name)
{
	put_u64(&l->names, id);
	if (l->minor == 0)
		put_u32(&l->names, (uint32_t)strlen(name));
	put_bytes(&l->names, name, strlen(name) + (l->minor != 0));
}

/* ints are 0 except one of them */
static inline void add_counters(struct bytes *b, uint64_t id, int64_t rank, size_t ints,
				size_t doubles, size_t which, int64_t value)
{
	put_u64(b, id);
	put_i64(b, rank);
	for (size_t i = 0; i < ints; i++)
		put_i64(b, i == which ? value : 0);
	for (size_t i = 0; i < doubles; i++)
		put_f64(b, 0.1 * (double)i);
}

static inline void add_head(struct bytes *b, uint64_t id, int64_t rank, int64_t writes,
			    int64_t reads)
{
	put_u64(b, id);
	put_i64(b, rank);
	put_i64(b, 0);
	put_bytes(b, "node01", 6);
	put_zeros(b, 58);
	put_i64(b, writes);
	put_i64(b, reads);
}

static inline void add_segment(struct bytes *b, int64_t offset, int64_t length, double start,
			       double end)
{
	put_i64(b, offset);
	put_i64(b, length);
	put_f64(b, start);
	put_f64(b, end);
}

static inline void put_job(struct log *l)
{
	static const char exe[] = "/bin/app -x \next4\t/\nlustre\t/scratch";
	struct bytes *f = &l->file;
	put_i64(f, 1000);
	put_i64(f, l->start_s != 0 ? l->start_s : 1700000000);
	if (l->minor == 41)
		put_i64(f, 5);
	put_i64(f, l->start_s != 0 ? l->start_s + 9 : 1700000009);
	if (l->minor == 41)
		put_i64(f, 0);
	put_i64(f, l->processes);
	put_i64(f, 42);
	put_bytes(f, "lib_ver=3.x\n", 12);
	put_zeros(f, 1024 - 12);
	put_bytes(f, exe, sizeof exe);
}

/* Packs the bytes of `file` from `at` on, as one stream. */
static inline void pack(struct log *l, size_t at)
{
	uLongf size = compressBound(l->file.size - at);
	unsigned char *out = malloc(size);
	if (l->how == 0) {
		cr_assert_eq(compress(out, &size, l->file.data + at, l->file.size - at), Z_OK);
		l->file.size = at;
		put_bytes(&l->file, out, size);
	}
	free(out);
}

static inline void put_region(struct log *l, struct bytes *map, const struct bytes *region)
{
	size_t at = l->file.size;
	put_bytes(&l->file, region->data, region->size);
	if (region->size > 0)
		pack(l, at);
	put_u64(map, region->size > 0 ? at : 0);
	put_u64(map, l->file.size - at);
}

/* The log, in l->file; header first, which is filled in last. */
static inline void make_log(struct log *l)
{
	const unsigned modules = l->minor == 41 ? MODULES : 16;
	const size_t header = l->minor == 41 ? 1328 : 360;
	char version[9] = "";
	snprintf(version, sizeof version, "3.%02u", l->minor);
	struct bytes map = {.swap = l->swap};
	put_zeros(&l->file, header);
	put_job(l);
	pack(l, header);
	put_region(l, &map, &l->names);
	for (unsigned i = 0; i < modules; i++)
		put_region(l, &map, &l->module[i]);
	struct bytes head = {.swap = l->swap};
	put_bytes(&head, version, 8);
	put_i64(&head, 6567223);
	unsigned char how[8] = {(unsigned char)l->how};
	put_bytes(&head, how, l->minor == 41 ? 8 : 4);
	if (l->minor == 41)
		put_u64(&head, l->partial);
	else
		put_u32(&head, (uint32_t)l->partial);
	put_bytes(&head, map.data, map.size);
	for (unsigned i = 0; i < modules; i++)
		put_u32(&head, l->version[i]);
	cr_assert_eq(head.size, header);
	memcpy(l->file.data, head.data, header);
	free(head.data);
	free(map.data);
}

#endif
