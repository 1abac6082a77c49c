/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by all harnesses: the entry point, input consumed piece by piece, and a check that a
 * fuzzer notices. A harness is one file with LLVMFuzzerTestOneInput; it runs under libFuzzer, or
 * over files with driver.c.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <iotrace/iotrace.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(cond)                                                                           \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #cond);   \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The rest of an input; bytes beyond its end are 0. */
struct fuzz_input {
	const uint8_t *data;
	size_t size;
};

static inline uint64_t fuzz_take(struct fuzz_input *in, size_t bytes)
{
	uint64_t v = 0;
	for (; bytes > 0 && in->size > 0; bytes--, in->data++, in->size--)
		v = v << 8 | *in->data;
	return v;
}

static inline void *fuzz_memory(void *old, size_t size)
{
	void *now = realloc(old, size);
	if (now == NULL)
		abort();
	return now;
}

/* A file in memory, at offset 0; fuzz_path is a name that opens it. */
static inline int fuzz_file(const void *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_CHECK(fd >= 0);
	for (const char *at = data; size > 0;) {
		ssize_t n = write(fd, at, size);
		FUZZ_CHECK(n > 0);
		at += n;
		size -= (size_t)n;
	}
	FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

enum { FUZZ_PATH = 40 };

static inline char *fuzz_path(char path[FUZZ_PATH], int fd)
{
	snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
	return path;
}

/* A codec whose block grows on demand. */
struct fuzz_codec {
	struct iot_codec *codec;
	size_t size;
};

static inline struct fuzz_codec fuzz_codec_new(uint64_t tick_ns, unsigned base)
{
	struct fuzz_codec c = {.size = iot_codec_size(1)};
	c.codec = iot_codec_init(fuzz_memory(NULL, c.size), c.size, tick_ns, base);
	FUZZ_CHECK(c.codec != NULL);
	return c;
}

static inline void fuzz_codec_grow(struct fuzz_codec *c)
{
	c->size *= 2;
	c->codec = iot_codec_grow(fuzz_memory(c->codec, c->size), c->size);
	FUZZ_CHECK(c->codec != NULL);
}

static inline int fuzz_decode(struct fuzz_codec *c, const char *line, size_t size,
			      struct iot_record *rec)
{
	int status;
	while ((status = iot_decode(c->codec, line, size, rec)) == IOT_ELIMIT)
		fuzz_codec_grow(c);
	FUZZ_CHECK(status == IOT_OK || status == IOT_EFORMAT);
	return status;
}

static inline ssize_t fuzz_encode(struct fuzz_codec *c, const struct iot_record *rec, char *line)
{
	ssize_t n;
	while ((n = iot_encode(c->codec, rec, line)) == IOT_ELIMIT)
		fuzz_codec_grow(c);
	FUZZ_CHECK(n == IOT_EUSAGE || (n > 0 && n <= IOT_ENCODED_MAX));
	return n;
}

/* Checks that a closed writer in memory has a valid trace of this many records. */
static inline void fuzz_check_records(const struct iot_writer *w, uint64_t records)
{
	enum { BATCH = 64 };
	struct iot_record rec[BATCH];
	size_t size;
	const void *data = iot_writer_memory(w, &size);
	struct iot_reader *r = iot_reader_new();
	uint64_t found = 0;
	ssize_t n;
	FUZZ_CHECK(r != NULL && iot_reader_open_memory(r, data, size, "trace") == IOT_OK);
	while ((n = iot_reader_records(r, rec, BATCH)) > 0)
		found += (uint64_t)n;
	FUZZ_CHECK(n == 0 && found == records);
	iot_reader_free(r);
}

static inline bool fuzz_same(const struct iot_record *a, const struct iot_record *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

#endif
