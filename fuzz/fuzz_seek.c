/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeks to a position and compares all records from there on with the same trace read from its
 * beginning. In a trace made from the input's bytes it must be the requested record; with any bytes
 * (the first bit) the seek must only terminate. Between seeks a batch is read.
 */
#include "kept.h"
#include "made.h"

enum { SEEKS = 3, SOME = 1024 };

static struct iot_reader *open_trace(const void *data, size_t size, unsigned how)
{
	static const uint64_t sizes[] = {1 << 20, 1, 17, 300};
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL && iot_reader_set(r, IOT_SET_READ_SIZE, sizes[how & 3]) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_RECOVER, (how & 4) != 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, 16 << 20) == IOT_OK);
	if (iot_reader_open_memory(r, data, size, "fuzz") == IOT_OK)
		return r;
	iot_reader_free(r);
	return NULL;
}

/* CPU clocks restart. */
static bool same_but_cpu(const struct iot_record *a, const struct iot_record *b)
{
	struct iot_record c = *b;
	c.cpu_ns = a->cpu_ns;
	return fuzz_same(a, &c);
}

/* Compares the events from there on with the events of the whole from record `first` on. */
static void compare(struct iot_reader *r, const struct kept *all, size_t first)
{
	struct kept part = {0};
	const struct iot_record *a, *b;
	size_t i = 0, j = 0;
	drain(r, &part);
	while (first > 0 && kept_record(all, &i) != NULL)
		first--;
	do {
		a = kept_record(all, &i);
		b = kept_record(&part, &j);
		FUZZ_CHECK((a == NULL) == (b == NULL));
		FUZZ_CHECK(a == NULL || same_but_cpu(a, b));
	} while (a != NULL);
	kept_free(&part);
}

/* The number of the first record that starts at or after a time, in a sorted trace. */
static size_t find_time(const struct kept *all, int64_t time_ns)
{
	const struct iot_record *rec;
	size_t i = 0, n = 0;
	while ((rec = kept_record(all, &i)) != NULL && rec->start_ns < time_ns)
		n++;
	return n;
}

/* A seek usually follows after a part of the trace has been read and its texts are held. */
static void read_some(struct iot_reader *r)
{
	static struct iot_event ev[SOME];
	const ssize_t n = iot_reader_events(r, ev, SOME);
	FUZZ_CHECK(n <= SOME);
}

static void check_seeks(struct iot_reader *r, struct fuzz_input *in, const struct kept *all)
{
	uint64_t done, total;
	const bool anywhere = iot_reader_progress(r, &done, &total) == IOT_OK && total > 0;
	for (int i = 0; i < SEEKS; i++) {
		const uint64_t place = fuzz_take(in, 2);
		const bool by_time = fuzz_take(in, 1) % 2 == 1;
		const uint64_t value = by_time ? place * 100 : place % 500;
		if (anywhere && place % 4 != 3 && (i > 0 || place % 2 == 1))
			read_some(r);
		const int status =
		    iot_reader_seek(r, by_time ? IOT_SEEK_TIME_NS : IOT_SEEK_RECORD, value);
		struct iot_event ev[KEPT_BATCH];
		FUZZ_CHECK(status == IOT_OK || iot_reader_error(r)[0] != '\0');
		if (all != NULL)
			compare(r, all, by_time ? find_time(all, (int64_t)value) : (size_t)value);
		else
			for (int k = 0; k < 1000 && iot_reader_events(r, ev, KEPT_BATCH) > 0; k++)
				;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	struct fuzz_input places = {in.data, in.size < 9 ? in.size : 9};
	in.data += places.size;
	in.size -= places.size;
	struct iot_writer *w = how & 8 ? NULL : made_trace(&in, true);
	const void *trace = w != NULL ? iot_writer_memory(w, &size) : in.data;
	struct kept all = w != NULL ? kept_of(trace, size) : (struct kept){0};
	struct iot_reader *r = open_trace(trace, w != NULL ? size : in.size, how);
	FUZZ_CHECK(w == NULL || (r != NULL && all.status == 0));
	if (r != NULL)
		check_seeks(r, &places, w != NULL ? &all : NULL);
	iot_reader_free(r);
	kept_free(&all);
	iot_writer_free(w);
	return 0;
}
