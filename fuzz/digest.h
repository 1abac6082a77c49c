/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a converter over files and keeps a hash of its events, its report and its error, so that
 * harnesses can require that the size of reads makes no difference.
 */
#ifndef FUZZ_DIGEST_H
#define FUZZ_DIGEST_H

#include "convert.h"

struct fuzz_digest {
	uint64_t events, hash;
	int status;
	struct error error;
	struct report report;
};

static inline void fuzz_hash(uint64_t *hash, const void *data, size_t size)
{
	for (const unsigned char *p = data; size > 0; p++, size--)
		*hash = (*hash ^ *p) * UINT64_C(0x100000001b3);
}

static inline void fuzz_digest_add(struct fuzz_digest *d, const struct iot_event *ev)
{
	fuzz_hash(&d->hash, &ev->kind, sizeof ev->kind);
	fuzz_hash(&d->hash, &ev->rec.start_ns, sizeof ev->rec.start_ns);
	if (ev->kind == IOT_RECORD)
		fuzz_hash(&d->hash, &ev->rec, sizeof ev->rec);
	else
		fuzz_hash(&d->hash, ev->text.data, ev->text.size);
	d->events++;
}

/* read_size: bytes per read, 0 for the default. The caller frees the result. */
static inline struct fuzz_digest *fuzz_digest(const char *name, const int *fd, size_t files,
					      const struct setting *settings, size_t count,
					      size_t read_size)
{
	char capacity[2][FUZZ_PATH];
	const char *path[2];
	struct iot_event ev[FUZZ_BATCH];
	struct error error = {0};
	struct fuzz_digest *d = fuzz_memory(NULL, sizeof *d);
	memset(d, 0, sizeof *d);
	for (size_t i = 0; i < files; i++)
		path[i] = fuzz_path(capacity[i], fd[i]);
	struct input *in = input_new(path, files, NULL, &error);
	if (in == NULL)
		return d;
	input_set_read_size(in, read_size);
	struct source_state src = {.converter = converter_find(name),
				   .input = in,
				   .settings = settings,
				   .setting_count = count,
				   .watermark_ns = INT64_MIN};
	d->status = src.converter->open(&src);
	while (d->status >= 0 && d->events < FUZZ_EVENTS_MAX &&
	       (d->status = src.converter->next(&src, ev, FUZZ_BATCH)) > 0)
		for (int i = 0; i < d->status; i++)
			fuzz_digest_add(d, &ev[i]);
	d->error = src.error;
	d->report = src.report;
	src.converter->close(&src);
	input_free(in);
	return d;
}

/*
 * Returns whether a file may be compressed: the message on damaged compression contains how much
 * was read.
 */
static inline bool fuzz_is_compressed(const uint8_t *data, size_t size)
{
	static const uint8_t magic[][2] = {{0x1f, 0x8b}, {0x28, 0xb5}, {'B', 'Z'},  {0xfd, '7'},
					   {0x04, 0x22}, {0x02, 0x21}, {0x03, 0x21}};
	for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
		if (size >= 2 && memcmp(data, magic[i], 2) == 0)
			return true;
	return size >= 2 && data[0] >> 4 == 5 && data[1] == 0x2a;
}

static inline void fuzz_same_digest(const struct fuzz_digest *a, const struct fuzz_digest *b)
{
	const struct report *r = &a->report, *s = &b->report;
	FUZZ_CHECK(a->status == b->status && a->events == b->events && a->hash == b->hash);
	FUZZ_CHECK(strcmp(a->error.text, b->error.text) == 0);
	FUZZ_CHECK(r->lines == s->lines && r->calls == s->calls && r->records == s->records &&
		   r->unparsed == s->unparsed && r->counts == s->counts);
	for (size_t i = 0; i < r->counts; i++)
		FUZZ_CHECK(r->count[i].value == s->count[i].value);
}

/* The sum of the counts whose names begin with `prefix`. */
static inline uint64_t fuzz_counted(const struct report *r, const char *prefix)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < r->counts; i++)
		if (strncmp(r->count[i].name, prefix, strlen(prefix)) == 0)
			sum += r->count[i].value;
	return sum;
}

#endif
