/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens any bytes as a source. Its stream is in order of start and ends as its error says; a reader
 * on the source delivers the same records; a cancelled one ends.
 *
 * The first byte of an input has options, '0' is the default: bits 0-1 order, 2 input of unknown
 * format is a trace, 3 cancel after the first batch.
 */
#include "fuzz.h"

#include <iotrace/source.h>

struct sums {
	uint64_t records, hash;
	int status;
};

static void add(struct sums *s, const struct iot_record *r)
{
	s->records++;
	s->hash = (s->hash ^ r->offset ^ r->length << 20 ^ (uint64_t)r->process << 40 ^ r->file) *
		  UINT64_C(0x9e3779b97f4a7c15);
}

static struct iot_source *open_source(const char *path, unsigned how)
{
	static const char *const orders[] = {"start", "input", "stream", "start"};
	struct iot_source *s = iot_source_new();
	FUZZ_CHECK(s != NULL);
	FUZZ_CHECK(iot_source_set(s, "order", orders[how & 3]) == IOT_OK);
	FUZZ_CHECK(iot_source_set(s, "memory", "64K") == IOT_OK);
	FUZZ_CHECK(iot_source_set(s, "fallback", how & 4 ? "iotrace" : "") == IOT_OK);
	if (iot_source_open(s, &path, 1) == IOT_OK) {
		FUZZ_CHECK(iot_source_name(s) != NULL && iot_source_file(s, 0) != NULL);
		return s;
	}
	FUZZ_CHECK(iot_source_error(s)[0] != '\0' && iot_source_stream(s) == NULL);
	iot_source_free(s);
	return NULL;
}

static void check_report(const struct iot_source *s)
{
	for (size_t i = 0; iot_source_count(s, i) != NULL; i++)
		FUZZ_CHECK(iot_source_count(s, i)->name[0] != '\0');
	for (size_t i = 0; iot_source_note(s, i) != NULL; i++)
		FUZZ_CHECK(iot_source_note(s, i)[0] != '\0');
}

static struct sums pull_stream(struct iot_source *s, unsigned how)
{
	const bool sorted = (how & 3) != 1 && !iot_source_fact(s, IOT_SOURCE_LIVE);
	struct iot_stream *e = iot_source_stream(s);
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct sums sums = {0};
	int64_t last_ns = 0;
	FUZZ_CHECK(e != NULL && b != NULL);
	while ((sums.status = iot_stream_next(e, b)) > 0) {
		for (size_t i = 0; i < b->count; i++) {
			if (b->events[i].kind != IOT_RECORD)
				continue;
			add(&sums, &b->events[i].rec);
			FUZZ_CHECK(!sorted || b->events[i].rec.start_ns >= last_ns);
			last_ns = b->events[i].rec.start_ns;
		}
		if (how & 8)
			iot_source_cancel(s);
	}
	FUZZ_CHECK(sums.status == 0 || iot_source_error(s)[0] != '\0');
	FUZZ_CHECK(sums.status != 0 || !iot_source_fact(s, IOT_SOURCE_LOST));
	iot_stream_free(e);
	iot_batch_free(b);
	check_report(s);
	return sums;
}

static struct sums pull_reader(struct iot_source *s)
{
	struct iot_record rec[64];
	struct iot_reader *r = iot_reader_new();
	struct sums sums = {0};
	ssize_t n;
	FUZZ_CHECK(r != NULL);
	n = iot_source_open_reader(s, r);
	while (n >= 0 && (n = iot_reader_records(r, rec, 64)) > 0)
		for (ssize_t i = 0; i < n; i++)
			add(&sums, &rec[i]);
	sums.status = (int)n;
	FUZZ_CHECK(n == 0 || iot_reader_error(r)[0] != '\0' || iot_source_error(s)[0] != '\0');
	iot_reader_free(r);
	return sums;
}

/* A writer may refuse what a stream delivers, such as a time out of range. */
static void compare(const char *path, unsigned how, struct sums streamed)
{
	struct iot_source *s = open_source(path, how);
	FUZZ_CHECK(s != NULL);
	const struct sums read = pull_reader(s);
	if (read.status == 0 && streamed.status == 0 && strcmp(iot_source_name(s), "iotrace") != 0)
		FUZZ_CHECK(read.records == streamed.records && read.hash == streamed.hash);
	iot_source_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[FUZZ_PATH];
	if (size == 0)
		return 0;
	const unsigned how = data[0] - (unsigned)'0';
	const int fd = fuzz_file(data + 1, size - 1);
	const char *path = fuzz_path(name, fd);
	struct iot_source *s = open_source(path, how);
	if (s != NULL) {
		const struct sums streamed = pull_stream(s, how);
		iot_source_free(s);
		if (!(how & 8))
			compare(path, how, streamed);
	}
	(void)close(fd);
	return 0;
}
