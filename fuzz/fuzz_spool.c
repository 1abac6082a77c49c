/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts any bytes as the spool of a recording, with the code of iotrace record --convert=after.
 * A spool that is read with little memory, each entry copied, and a spool that was written again
 * from its entries give the same trace; it is valid, with as many records as were counted. What is
 * left after the last step is cut off, and the rest has no more records than the whole.
 */
#include "fuzz.h"

#include "cli/record/replay.h"

enum { MUCH = 64 << 20, LITTLE = 1 << 17 };

struct made {
	int status;
	uint64_t records;
	struct iot_writer *w;
};

static struct spool spool_of(const void *data, size_t size)
{
	return (struct spool){.fd = fuzz_file(data, size),
			      .size = size,
			      .limit = 2 * size + 4 * sizeof(struct spool_begin)};
}

static int replay_all(struct spool *s, struct replay *r, bool copies)
{
	struct spool_entry e;
	const void *data;
	int status = IOT_OK, found = 0;
	while (status == IOT_OK && (found = spool_next(s, &e, &data)) > 0) {
		status = replay_entry(r, &e, data);
		if (status == IOT_OK && copies)
			status = replay_copy(r);
	}
	if (found < 0)
		return IOT_EFORMAT;
	return status == IOT_OK ? replay_end(r) : status;
}

/* Returns the trace of a spool, which is closed. */
static struct made make_trace(struct spool *s, const struct spool_begin *begin, bool copies)
{
	const struct ring_events_options events = {.data_only = false};
	const struct replay_options o = {copies ? LITTLE : MUCH, true, &events};
	struct made m = {.w = iot_writer_new()};
	FUZZ_CHECK(m.w != NULL && iot_writer_set(m.w, IOT_SET_TICK_NS, 1) == IOT_OK &&
		   iot_writer_open_memory(m.w) == IOT_OK);
	struct replay *r = replay_new(begin, m.w, &o);
	FUZZ_CHECK(r != NULL);
	m.status = replay_all(s, r, copies);
	FUZZ_CHECK(m.status == IOT_OK || m.status == IOT_EFORMAT);
	m.records = replay_totals(r)->records;
	replay_free(r);
	spool_close(s);
	FUZZ_CHECK(iot_writer_close(m.w) == IOT_OK);
	return m;
}

static void check_same(const struct made *whole, struct made other)
{
	size_t size[2];
	const void *const data[] = {iot_writer_memory(whole->w, &size[0]),
				    iot_writer_memory(other.w, &size[1])};
	FUZZ_CHECK(other.status == whole->status);
	if (whole->status == IOT_OK)
		FUZZ_CHECK(size[0] == size[1] && memcmp(data[0], data[1], size[0]) == 0);
	iot_writer_free(other.w);
}

/* Returns a spool with the same entries, up to one that is invalid; the first one has been read. */
static struct spool written_again(struct spool s, const struct spool_begin *begin,
				  const char *texts)
{
	struct spool again = spool_of(NULL, 0);
	struct spool_entry e;
	struct spool_begin first;
	const void *data;
	again.limit = s.limit;
	FUZZ_CHECK(spool_begin(&again, begin, texts));
	while (spool_next(&s, &e, &data) > 0)
		FUZZ_CHECK(spool_append(&again, &e, data));
	FUZZ_CHECK(spool_read_begin(&again, &first, &texts) &&
		   memcmp(&first, begin, sizeof(first)) == 0);
	spool_close(&s);
	return again;
}

static void check_cut(struct spool s, const struct made *whole)
{
	struct spool_entry e;
	const void *data;
	const char *texts;
	struct spool_begin begin;
	while (spool_next(&s, &e, &data) > 0)
		;
	FUZZ_CHECK(spool_cut(&s) && spool_read_begin(&s, &begin, &texts));
	struct made m = make_trace(&s, &begin, false);
	if (whole->status == IOT_OK) {
		FUZZ_CHECK(m.status == IOT_OK && m.records <= whole->records);
		fuzz_check_records(m.w, m.records);
	}
	iot_writer_free(m.w);
}

static void check_spool(const uint8_t *data, size_t size)
{
	struct spool s = spool_of(data, size), copy;
	struct spool_begin begin;
	const char *texts;
	if (!spool_read_begin(&s, &begin, &texts)) {
		spool_close(&s);
		return;
	}
	copy = spool_of(data, size);
	FUZZ_CHECK(spool_read_begin(&copy, &begin, &texts));
	struct spool again = written_again(copy, &begin, texts);
	struct made whole = make_trace(&s, &begin, false);
	if (whole.status == IOT_OK) {
		fuzz_check_records(whole.w, whole.records);
		check_same(&whole, make_trace(&again, &begin, false));
	} else {
		spool_close(&again);
	}
	copy = spool_of(data, size);
	FUZZ_CHECK(spool_read_begin(&copy, &begin, &texts));
	check_same(&whole, make_trace(&copy, &begin, true));
	check_cut(spool_of(data, size), &whole);
	iot_writer_free(whole.w);
}

/* A spool of another version is refused at once: seeds stay useful if every input has this one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t at = sizeof(struct spool_entry) + offsetof(struct spool_begin, version);
	const uint32_t version = RECORD_VERSION;
	uint8_t *copy = fuzz_memory(NULL, size + 1);
	if (size > 0)
		memcpy(copy, data, size);
	if (size >= at + sizeof(version))
		memcpy(copy + at, &version, sizeof(version));
	check_spool(copy, size);
	free(copy);
	return 0;
}
