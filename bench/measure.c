/* SPDX-License-Identifier: BSD-2-Clause */
/* In memory: the codec alone, the checked public API, and the floor. */
#include <stdlib.h>
#include <string.h>

#include <iotrace/analyze.h>

#include "bench.h"
#include "lib/codec/codec.h"

bool bench_memcpy(struct bench *b)
{
	/* destination of the last piece; only the amount of bytes read counts */
	for (size_t at = 0; at < b->framed_size;) {
		const size_t left = b->framed_size - at;
		const size_t n = left < b->scratch_size ? left : b->scratch_size;
		memcpy(b->scratch, b->framed + at, n);
		__asm__ volatile("" ::"r"(b->scratch) : "memory");
		at += n;
	}
	return true;
}

/* Whole lines, few enough for their records to stay in the cache. */
static const char *stretch_end(const char *p, const char *end)
{
	if (end - p <= BENCH_STRETCH)
		return end;
	return (const char *)memrchr(p, '\n', BENCH_STRETCH) + 1;
}

bool bench_floor_decode(struct bench *b)
{
	const char *p = b->bare, *const end = b->bare + b->bare_size;
	size_t n = 0;
	floor_begin(b->floor);
	while (p < end) {
		const char *stop = stretch_end(p, end);
		n += floor_decode(b->floor, p, stop, b->batch);
		p = stop;
	}
	return n == b->n;
}

bool bench_floor_encode(struct bench *b)
{
	floor_begin(b->floor);
	for (size_t at = 0; at < b->n; at += BENCH_BATCH) {
		const size_t n = b->n - at < BENCH_BATCH ? b->n - at : BENCH_BATCH;
		floor_encode(b->floor, b->records + at, n, b->scratch);
	}
	return true;
}

static struct iot_codec *new_codec(struct bench *b)
{
	return iot_codec_init(b->codec, b->codec_size, b->tick_ns, 16);
}

static void not_wanted(void *context, struct iot_record *rec)
{
	(void)context, (void)rec;
}

bool bench_decode(struct bench *b)
{
	const struct first_use_handler on_first_use = {not_wanted, NULL};
	struct iot_codec *c = new_codec(b);
	const char *p = b->bare, *const end = b->bare + b->bare_size;
	enum decode_stop why = DECODE_STOP_MAX;
	size_t n = 0;
	while (p < end && why != DECODE_STOP_ERROR && why != DECODE_STOP_LIMIT)
		n += codec_decode_lines(c, &p, end, b->batch, BENCH_BATCH, sizeof(*b->batch),
					&on_first_use, &why);
	return n == b->n;
}

/* NULL: overwrite the scratch memory repeatedly. */
bool bench_encode_text(struct bench *b, char *out, size_t *size)
{
	struct iot_codec *c = new_codec(b);
	const size_t mask = out == NULL ? BENCH_BATCH - 1 : SIZE_MAX;
	char *p = out == NULL ? b->scratch : out;
	for (size_t i = 0; i < b->n; i++) {
		if ((i & mask) == 0 && out == NULL)
			p = b->scratch;
		const ssize_t n = iot_encode(c, &b->records[i], p);
		if (n < 0)
			return false;
		p += n;
	}
	if (size != NULL)
		*size = (size_t)(p - out);
	return true;
}

bool bench_encode(struct bench *b)
{
	return bench_encode_text(b, NULL, NULL);
}

static bool drain(struct bench *b, struct iot_reader *r)
{
	size_t n = 0;
	ssize_t got;
	while ((got = iot_reader_records(r, b->batch, BENCH_BATCH)) > 0)
		n += (size_t)got;
	if (got < 0)
		fprintf(stderr, "bench: %s\n", iot_reader_error(r));
	return got == 0 && n == b->n;
}

bool bench_read_memory(struct bench *b)
{
	struct iot_reader *r = iot_reader_new();
	const bool ok = r != NULL &&
			iot_reader_open_memory(r, b->framed, b->framed_size, "memory") == IOT_OK &&
			drain(b, r);
	iot_reader_free(r);
	return ok;
}

static bool analyze(struct iot_analyze *a, struct iot_reader *r)
{
	struct iot_event ev[BENCH_ANALYZE_BATCH];
	ssize_t got;
	while ((got = iot_reader_events(r, ev, BENCH_ANALYZE_BATCH)) > 0)
		if (iot_analyze_events(a, ev, (size_t)got) != IOT_OK)
			return false;
	return got == 0 && iot_analyze_finish(a) == IOT_OK;
}

bool bench_analyze(struct bench *b)
{
	const struct iot_analyze_options options = {.size = sizeof options};
	struct iot_reader *r = iot_reader_new();
	struct iot_analyze *a = iot_analyze_new(&options);
	const bool ok = r != NULL && a != NULL &&
			iot_reader_open_memory(r, b->framed, b->framed_size, "memory") == IOT_OK &&
			analyze(a, r);
	iot_analyze_free(a);
	iot_reader_free(r);
	return ok;
}

static ssize_t count(void *context, const void *data, size_t size)
{
	(void)data;
	*(size_t *)context += size;
	return (ssize_t)size;
}

bool bench_write_memory(struct bench *b)
{
	size_t size = 0;
	struct iot_writer *w = iot_writer_new();
	bool ok = w != NULL && iot_writer_set(w, IOT_SET_TICK_NS, b->tick_ns) == IOT_OK &&
		  iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1) == IOT_OK &&
		  iot_writer_open_callback(w, count, &size, "nowhere") == IOT_OK;
	for (size_t at = 0; ok && at < b->n; at += BENCH_BATCH) {
		const size_t n = b->n - at < BENCH_BATCH ? b->n - at : BENCH_BATCH;
		ok = iot_writer_records(w, b->records + at, n) == IOT_OK;
	}
	ok = ok && iot_writer_close(w) == IOT_OK && size == b->framed_size;
	iot_writer_free(w);
	return ok;
}

static bool same(const struct iot_record *a, const struct iot_record *b)
{
	return a->start_ns == b->start_ns && a->duration_ns == b->duration_ns &&
	       a->cpu_ns == b->cpu_ns && a->offset == b->offset && a->length == b->length &&
	       a->file == b->file && a->process == b->process && a->type == b->type;
}

/* Decodes the floor's own text to the original records. */
bool bench_agree(struct bench *b)
{
	struct floor_state *reading = malloc(sizeof(*reading));
	bool ok = reading != NULL;
	floor_begin(b->floor);
	if (ok)
		floor_begin(reading);
	for (size_t at = 0; ok && at < b->n; at += BENCH_BATCH) {
		const size_t n = b->n - at < BENCH_BATCH ? b->n - at : BENCH_BATCH;
		const char *end = floor_encode(b->floor, b->records + at, n, b->scratch);
		ok = floor_decode(reading, b->scratch, end, b->batch) == n;
		for (size_t i = 0; ok && i < n; i++)
			ok = same(&b->batch[i], &b->records[at + i]);
	}
	free(reading);
	return ok;
}
