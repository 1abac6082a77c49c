/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a converter over one member that is read in pieces of several sizes, with batches of several
 * sizes: the events, the counts and the error must be the same.
 */
#ifndef FUZZ_CHUNKS_H
#define FUZZ_CHUNKS_H

#include <xxhash.h>

#include "convert.h"

struct fuzz_result {
	uint64_t hash; /* of the events */
	uint64_t records, ops;
	int status;
	struct report report;
};

static inline void fuzz_hash_events(struct fuzz_result *r, const struct iot_event *ev, int n)
{
	for (int i = 0; i < n; i++) {
		struct iot_record rec = ev[i].rec;
		rec.object = 0;
		r->hash = XXH3_64bits_withSeed(&rec, sizeof rec, r->hash + ev[i].kind);
		if (ev[i].text.size > 0)
			r->hash = XXH3_64bits_withSeed(ev[i].text.data, ev[i].text.size, r->hash);
		r->records += ev[i].kind == IOT_RECORD;
		r->ops += ev[i].kind == IOT_OP;
	}
}

static inline struct fuzz_result fuzz_read(const char *name, int fd, size_t read_size, int batch,
					   const struct setting *settings, size_t count)
{
	char capacity[FUZZ_PATH];
	const char *path = fuzz_path(capacity, fd);
	struct error error = {0};
	struct iot_event ev[FUZZ_BATCH];
	struct fuzz_result r = {0};
	struct input *in = input_new(&path, 1, NULL, &error);
	if (in == NULL)
		return r;
	input_set_read_size(in, read_size);
	struct source_state src = {.converter = converter_find(name),
				   .input = in,
				   .settings = settings,
				   .setting_count = count,
				   .watermark_ns = INT64_MIN};
	int n = src.converter->open(&src);
	while (n >= 0 && (n = src.converter->next(&src, ev, batch)) > 0)
		fuzz_hash_events(&r, ev, n);
	r.status = n;
	src.converter->close(&src);
	r.report = src.report;
	input_free(in);
	return r;
}

static inline bool fuzz_is_zstd(int fd)
{
	char magic[4];
	return pread(fd, magic, sizeof magic, 0) == sizeof magic &&
	       memcmp(magic, "\x28\xb5\x2f\xfd", sizeof magic) == 0;
}

/*
 * libzstd decodes a frame that is in its input as a whole in one call, which returns nothing of a
 * damaged one; in pieces the blocks before the damage are returned.
 */
static inline struct fuzz_result fuzz_chunks(const char *name, int fd,
					     const struct setting *settings, size_t count)
{
	static const size_t sizes[] = {1, 17, 4096};
	struct fuzz_result whole = fuzz_read(name, fd, 0, FUZZ_BATCH, settings, count);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const int batch = i == 0 ? 1 : 7;
		struct fuzz_result r = fuzz_read(name, fd, sizes[i], batch, settings, count);
		FUZZ_CHECK(r.status == whole.status);
		if (r.status < 0 && fuzz_is_zstd(fd))
			continue;
		FUZZ_CHECK(r.hash == whole.hash);
		FUZZ_CHECK(r.records == whole.records && r.ops == whole.ops);
		FUZZ_CHECK(r.report.lines == whole.report.lines);
		FUZZ_CHECK(r.report.unparsed == whole.report.unparsed);
	}
	return whole;
}

#endif
