/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a converter over files, with reads and batches of several sizes: the events, of which a hash
 * is kept, the report and the error must be the same.
 */
#ifndef FUZZ_DIGEST_H
#define FUZZ_DIGEST_H

#include "convert.h"

struct fuzz_digest {
	uint64_t events, records, ops, hash;
	int status;
	struct error error;
	struct report report;
};

static inline void fuzz_hash(uint64_t *hash, const void *data, size_t size)
{
	for (const unsigned char *p = data; size > 0; p++, size--)
		*hash = (*hash ^ *p) * UINT64_C(0x100000001b3);
}

/* The time of an event without its own may depend on batches. */
static inline void fuzz_digest_add(struct fuzz_digest *d, const struct iot_event *ev)
{
	fuzz_hash(&d->hash, &ev->kind, sizeof ev->kind);
	if ((ev->has & IOT_HAS_TIME) != 0)
		fuzz_hash(&d->hash, &ev->rec.start_ns, sizeof ev->rec.start_ns);
	if (ev->kind == IOT_RECORD)
		fuzz_hash(&d->hash, &ev->rec, sizeof ev->rec);
	else
		fuzz_hash(&d->hash, ev->text.data, ev->text.size);
	d->events++;
	d->records += ev->kind == IOT_RECORD;
	d->ops += ev->kind == IOT_OP;
}

struct fuzz_reads {
	size_t size; /* bytes per read, 0 for the default */
	int batch;   /* events per call, at most FUZZ_BATCH */
};

/* The caller frees the result. */
static inline struct fuzz_digest *fuzz_digest(const char *name, const struct fuzz_members *m,
					      const struct setting *settings, size_t count,
					      struct fuzz_reads reads)
{
	char capacity[2][FUZZ_PATH];
	const char *path[2];
	struct iot_event ev[FUZZ_BATCH];
	struct error error = {0};
	struct fuzz_digest *d = fuzz_memory(NULL, sizeof *d);
	memset(d, 0, sizeof *d);
	for (size_t i = 0; i < m->files; i++)
		path[i] = fuzz_path(capacity[i], m->fd[i]);
	struct input *in = input_new(path, m->files, NULL, &error);
	if (in == NULL)
		return d;
	input_set_read_size(in, reads.size);
	struct source_state src = {.converter = converter_find(name),
				   .input = in,
				   .settings = settings,
				   .setting_count = count,
				   .watermark_ns = INT64_MIN};
	d->status = src.converter->open(&src);
	while (d->status >= 0 && d->events < FUZZ_EVENTS_MAX &&
	       (d->status = src.converter->next(&src, ev, reads.batch)) > 0)
		for (int i = 0; i < d->status; i++)
			fuzz_digest_add(d, &ev[i]);
	d->error = src.error;
	d->report = src.report;
	src.converter->close(&src);
	input_free(in);
	return d;
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

/*
 * Converts with reads and batches of several sizes, which must make no difference. Returns the
 * result for the default, which the caller frees.
 */
static inline struct fuzz_digest *fuzz_any_reads(const char *name, const struct fuzz_members *m,
						 const struct setting *settings, size_t count)
{
	static const struct fuzz_reads reads[] = {{1, 1}, {17, 7}, {4096, 7}};
	struct fuzz_digest *whole =
	    fuzz_digest(name, m, settings, count, (struct fuzz_reads){0, FUZZ_BATCH});
	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
		struct fuzz_digest *d = fuzz_digest(name, m, settings, count, reads[i]);
		FUZZ_CHECK(d->status == whole->status);
		if (whole->events < FUZZ_EVENTS_MAX && (whole->status >= 0 || !m->compressed))
			fuzz_same_digest(whole, d);
		free(d);
	}
	return whole;
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
