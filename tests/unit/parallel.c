/* SPDX-License-Identifier: BSD-2-Clause */
/* Parallel decoding delivers and reports the same as serial decoding. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>

#include "trace_tools.h"

/* A text that is equal for equal results, independent of the threads. */
static struct reading read_with(struct bytes b, struct how how, uint64_t threads)
{
	struct iot_reader *r = new_reader(&how);
	cr_assert_eq(iot_reader_set(r, IOT_SET_THREADS, threads), IOT_OK);
	return drain(r, iot_reader_open_memory(r, b.data, b.size, "t.iot"), &how);
}

/* Where the first line begins in which two texts differ. */
static size_t common(const char *a, const char *b)
{
	size_t line = 0;
	for (size_t i = 0; a[i] == b[i] && a[i] != '\0'; i++)
		if (a[i] == '\n')
			line = i + 1;
	return line;
}

static void compare_readings(const struct reading *one, const struct reading *many,
			     const char *what)
{
	const size_t same = common(one->text.data, many->text.data);
	cr_assert_str_eq(one->text.data, many->text.data, "%s: at byte %zu: '%.90s', not '%.90s'",
			 what, same, many->text.data + same, one->text.data + same);
	cr_assert_eq(one->status, many->status, "%s: %d, not %d: %s", what, many->status,
		     one->status, many->error);
	cr_assert_str_eq(one->error, many->error, "%s: '%s', not '%s'", what, many->error,
			 one->error);
	cr_assert_eq(one->records, many->records, "%s", what);
	cr_assert_eq(one->comments, many->comments, "%s", what);
	cr_assert_eq(one->lines, many->lines, "%s: lines %d, not %d", what, (int)many->lines,
		     (int)one->lines);
	cr_assert_eq(one->lost, many->lost, "%s", what);
	cr_assert_eq(one->lost_records, many->lost_records, "%s", what);
	cr_assert_eq(one->complete, many->complete, "%s", what);
	cr_assert_eq(one->framed, many->framed, "%s", what);
	cr_assert_eq(one->tick_ns, many->tick_ns, "%s", what);
}

/* Parts of a fold: their events as text, except definitions, which may be repeated. */
struct folding {
	struct bytes text;
	atomic_uint made, gone;
	unsigned fail_at; /* parts to be made before begin fails; 0: it does not */
};

static void *begin_part(void *context)
{
	struct folding *f = context;
	const unsigned made = atomic_fetch_add(&f->made, 1) + 1;
	if (made != f->fail_at)
		return calloc(1, sizeof(struct bytes));
	atomic_fetch_add(&f->gone, 1);
	return NULL;
}

static int report_part(void *part, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct iot_event e = ev[i];
		e.rec.cpu_ns = 0; /* it counts from the part's beginning */
		if (e.kind == IOT_RECORD || (e.kind != IOT_FILE && e.kind != IOT_PROCESS))
			add_event(part, &e);
	}
	return IOT_OK;
}

static void drop_part(void *context, void *part)
{
	struct folding *f = context;
	struct bytes *text = part;
	free(text->data);
	free(text);
	atomic_fetch_add(&f->gone, 1);
}

static int join_part(void *context, void *part)
{
	struct folding *f = context;
	const struct bytes *text = part;
	if (text->size > 0)
		add_line(&f->text, text->data, text->size);
	drop_part(context, part);
	return IOT_OK;
}

/* As read_with, but counted instead of delivered. Blank lines mark where parts were joined. */
static struct reading fold_with(struct bytes b, struct how how, uint64_t threads)
{
	struct folding f = {.text = {calloc(1, 1), 0}};
	const struct iot_fold fold = {&f, begin_part, report_part, join_part, drop_part};
	struct iot_reader *r = new_reader(&how);
	cr_assert_eq(iot_reader_set(r, IOT_SET_THREADS, threads), IOT_OK);
	int status = iot_reader_open_memory(r, b.data, b.size, "t.iot");
	if (status == IOT_OK)
		status = iot_reader_fold(r, &fold);
	struct reading got = drain(r, status, &how);
	cr_assert_eq(got.status, status);
	free_reading(&got);
	got.text = f.text;
	cr_assert_eq(f.made, f.gone);
	return got;
}

static void without_blank_lines(struct bytes *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->size; i++)
		if (b->data[i] != '\n' || (n > 0 && b->data[n - 1] != '\n'))
			b->data[n++] = b->data[i];
	b->data[n] = '\0';
	b->size = n;
}

static void compare(struct bytes b, struct how how, const char *what)
{
	struct reading one = read_with(b, how, 1), many = read_with(b, how, 3);
	compare_readings(&one, &many, what);
	free_reading(&one);
	free_reading(&many);
	if (how.records_only)
		return;
	one = fold_with(b, how, 1);
	many = fold_with(b, how, 3);
	without_blank_lines(&one.text);
	without_blank_lines(&many.text);
	compare_readings(&one, &many, what);
	free_reading(&one);
	free_reading(&many);
}

static void compare_all(struct bytes b, uint64_t read_size, const char *what)
{
	for (unsigned i = 0; i < 8; i++) {
		const struct how how = {.read_size = read_size,
					.recover = i & 1,
					.records_only = i & 2,
					.no_verify = i & 4};
		char text[120];
		snprintf(text, sizeof(text), "%s (%u)", what, i);
		compare(b, how, text);
	}
}

/*
 * Definitions that appear, change and end; counters, comments, several processes with clocks of
 * their own.
 */
static struct bytes lively_trace(size_t n, struct make make)
{
	struct iot_writer *w = memory_writer(make);
	char text[120];
	int status = IOT_OK;
	struct iot_event ev = comment("%trace source=test lacks=completion");
	status |= iot_writer_events(w, &ev, 1);
	for (size_t i = 0; i < n; i++) {
		const unsigned process = (unsigned)(i * i % 11), file = (unsigned)(i / 40 % 9);
		const struct iot_record rec = {.start_ns = (int64_t)i * 5000,
					       .cpu_ns = (int64_t)(i * (process + 1)) * 1000,
					       .offset = i * 100,
					       .length = 100,
					       .file = file,
					       .process = process,
					       .type = i % 13 == 0 ? 0 : IOT_LOGICAL};
		if (i % 50 == 0) {
			snprintf(text, sizeof(text), "%%file process=%u id=%u object=%zu path=/%zu",
				 process, file, i / 50 + 1, i);
			ev = comment(text);
			status |= iot_writer_events(w, &ev, 1);
		}
		if (i % 90 == 7) {
			snprintf(text, sizeof(text), "%%op name=close time=%zu process=%u file=%u",
				 i * 5000, process, file);
			ev = comment(text);
			status |= iot_writer_events(w, &ev, 1);
		}
		if (i % 70 == 0) {
			ev = comment(i % 140 == 0 ? "a comment" : "%counter lost=3");
			status |= iot_writer_events(w, &ev, 1);
		}
		status |= iot_writer_records(w, &rec, 1);
	}
	cr_assert_eq(status, IOT_OK);
	return written(w);
}

Test(parallel, whole_traces_read_as_with_one_thread)
{
	static const uint64_t syncs[] = {0, 16, 100, 333, 5000};
	for (unsigned i = 0; i < 3 * 5 * 2; i++) {
		const struct make make = {.compression = (enum iot_compression)(i % 3),
					  .sync = syncs[i / 3 % 5],
					  .base = i >= 15 ? 10 : 16};
		char what[80];
		snprintf(what, sizeof(what), "compression %u, sync %u", i % 3, (unsigned)make.sync);
		struct bytes b = lively_trace(4000, make);
		compare_all(b, i % 2 ? 64 : 1000, what);
		free(b.data);
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return *state >> 33;
}

/* One damage: a flipped bit, a hole, a repeated span, a missing end. */
static struct bytes damaged(struct bytes b, uint64_t *random, const char **how)
{
	static const char *const names[] = {"flipped", "hole", "doubled", "cut"};
	const size_t at = next_random(random) % b.size, kind = next_random(random) % 4;
	size_t n = 1 + next_random(random) % 300;
	struct bytes d = {malloc(2 * b.size + 1), b.size};
	n = n < b.size - at ? n : b.size - at;
	*how = names[kind];
	memcpy(d.data, b.data, b.size);
	if (kind == 0)
		d.data[at] ^= (char)(1 << next_random(random) % 8);
	else if (kind == 1)
		memmove(d.data + at, d.data + at + n, d.size - at - n);
	else if (kind == 2)
		memmove(d.data + at + n, b.data + at, b.size - at);
	if (kind != 0)
		d.size = kind == 1 ? d.size - n : kind == 2 ? d.size + n : at;
	return d;
}

Test(parallel, damaged_traces_read_as_with_one_thread, .timeout = 300)
{
	uint64_t random = 7;
	for (unsigned compression = 0; compression < 3; compression++) {
		struct bytes b = lively_trace(
		    3000,
		    (struct make){.compression = (enum iot_compression)compression, .sync = 100});
		for (unsigned i = 0; i < 10; i++) {
			const char *how;
			struct bytes d = damaged(b, &random, &how);
			char what[80];
			snprintf(what, sizeof(what), "compression %u, %s, %u", compression, how, i);
			compare_all(d, 500, what);
			free(d.data);
		}
		free(b.data);
	}
}

/* Lines of a plain trace changed so that only the order of its parts shows it. */
static void compare_changed(const char *from, const char *to, const char *what)
{
	struct bytes b = lively_trace(2000, (struct make){.sync = 100}), changed;
	char *spot = b.data;
	for (unsigned i = 0; spot != NULL && i < 9; i++)
		spot = strstr(spot + 1, from);
	cr_assert_not_null(spot, "%s", what);
	changed.data = malloc(b.size + strlen(to) + 1);
	changed.size = b.size - strlen(from) + strlen(to);
	memcpy(changed.data, b.data, (size_t)(spot - b.data));
	strcpy(changed.data + (spot - b.data), to);
	strcat(changed.data, spot + strlen(from));
	compare_all(changed, 300, what);
	free(changed.data);
	free(b.data);
}

Test(parallel, what_depends_on_parts_before_is_seen)
{
	compare_changed("\nff %sync", "\nff %trace lacks=cpu,offset\nff %sync", "a late lacks=");
	compare_changed("\nff %file process", "\nff %fele process", "a %file not repeated");
	compare_changed("\nff %sync", "\nff an extra comment\nff %sync", "one comment more");
}

/* The n-th place at which an interval begins, from 1. */
static size_t begins(struct bytes b, enum iot_compression how, unsigned n)
{
	static const char *const mark[] = {"ff %sync", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd"};
	const char *at = b.data;
	for (unsigned i = 0; i < n; i++) {
		at = memmem(at + 1, b.size - (size_t)(at + 1 - b.data), mark[how],
			    strlen(mark[how]));
		cr_assert_not_null(at);
	}
	return (size_t)(at - b.data);
}

Test(parallel, an_interval_that_is_there_twice_is_seen, .timeout = 120)
{
	for (unsigned i = 0; i < 3 * 6; i++) {
		const enum iot_compression how = (enum iot_compression)(i % 3);
		struct bytes b = lively_trace(1000, (struct make){.compression = how, .sync = 100});
		const size_t from = begins(b, how, i / 3 + 1);
		const size_t to = begins(b, how, i / 3 + 2 + i % 2), n = to - from;
		struct bytes twice = {malloc(b.size + n), b.size + n};
		memcpy(twice.data, b.data, to);
		memcpy(twice.data + to, b.data + from, b.size - from);
		for (uint64_t read_size = 64; read_size < 3000; read_size *= 3)
			compare_all(twice, read_size, "twice");
		free(twice.data);
		free(b.data);
	}
}

Test(parallel, names_and_facts_are_known_as_reading_goes_on)
{
	struct bytes b = lively_trace(4000, (struct make){.compression = IOT_ZSTD, .sync = 100});
	struct iot_reader *r = iot_reader_new();
	struct iot_record rec;
	uint64_t done, total, before = 0;
	size_t size;
	iot_reader_set(r, IOT_SET_THREADS, 2);
	iot_reader_set(r, IOT_SET_READ_SIZE, 256);
	cr_assert_eq(iot_reader_open_memory(r, b.data, b.size, "t"), IOT_OK);
	for (uint64_t i = 0; i < 4000; i++) {
		cr_assert_eq(iot_reader_records(r, &rec, 1), 1);
		cr_assert_eq(iot_reader_fact(r, IOT_FACT_INDEX), i + 1);
		cr_assert_eq(iot_reader_fact(r, IOT_FACT_LAST_NS), i * 5000);
		if (rec.object != 0)
			cr_assert_not_null(iot_reader_name(r, rec.object, &size));
		iot_reader_progress(r, &done, &total);
		cr_assert_leq(before, done);
		before = done;
	}
	cr_assert_eq(iot_reader_records(r, &rec, 1), 0);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_BYTES_STORED), b.size);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 1);
	iot_reader_free(r);
	free(b.data);
}

Test(parallel, a_reader_can_be_freed_or_sought_in_at_any_time)
{
	struct bytes b = lively_trace(4000, (struct make){.compression = IOT_ZSTD, .sync = 100});
	for (unsigned i = 0; i < 40; i++) {
		struct iot_reader *r = iot_reader_new();
		struct iot_record rec[100];
		iot_reader_set(r, IOT_SET_THREADS, 3);
		iot_reader_set(r, IOT_SET_READ_SIZE, 256);
		cr_assert_eq(iot_reader_open_memory(r, b.data, b.size, "t"), IOT_OK);
		for (unsigned j = 0; j < i; j++)
			cr_assert_gt(iot_reader_records(r, rec, 100), 0);
		if (i % 2) {
			cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, i * 50), IOT_OK);
			cr_assert_gt(iot_reader_records(r, rec, 1), 0);
			cr_assert_eq(rec->start_ns, i * 50 * 5000);
		}
		iot_reader_free(r);
	}
	free(b.data);
}

Test(parallel, parts_are_counted_apart_and_names_are_known)
{
	struct bytes b = lively_trace(4000, (struct make){.compression = IOT_ZSTD, .sync = 100});
	struct folding f = {.fail_at = 0};
	const struct iot_fold fold = {&f, begin_part, report_part, join_part, drop_part};
	struct iot_reader *r = iot_reader_new();
	size_t size;
	iot_reader_set(r, IOT_SET_THREADS, 2);
	iot_reader_set(r, IOT_SET_READ_SIZE, 256);
	cr_assert_eq(iot_reader_open_memory(r, b.data, b.size, "t"), IOT_OK);
	cr_assert_eq(iot_reader_fold(r, &fold), IOT_OK);
	cr_assert_gt(f.made, 10);
	cr_assert_eq(f.made, f.gone);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 1);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_BYTES_STORED), b.size);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_LAST_NS), 3999 * 5000);
	for (uint32_t object = 1; object <= 80; object++)
		cr_assert_not_null(iot_reader_name(r, object, &size));
	iot_reader_free(r);
	free(f.text.data);
	free(b.data);
}

Test(parallel, a_fold_without_memory_ends)
{
	struct bytes b = lively_trace(4000, (struct make){.compression = IOT_ZSTD, .sync = 100});
	for (unsigned i = 1; i < 12; i++) {
		struct folding f = {.fail_at = i};
		const struct iot_fold fold = {&f, begin_part, report_part, join_part, drop_part};
		struct iot_reader *r = iot_reader_new();
		iot_reader_set(r, IOT_SET_THREADS, 1 + i % 3);
		iot_reader_set(r, IOT_SET_READ_SIZE, 256);
		cr_assert_eq(iot_reader_open_memory(r, b.data, b.size, "t"), IOT_OK);
		const int status = iot_reader_fold(r, &fold);
		/* another thread, or this one, may succeed where one failed */
		cr_assert(status == IOT_OK || status == IOT_ENOMEM);
		cr_assert(status != IOT_OK || iot_reader_fact(r, IOT_FACT_RECORDS) == 4000);
		cr_assert_eq(f.made, f.gone);
		iot_reader_free(r);
		free(f.text.data);
	}
	free(b.data);
}

static int refuse(void *part, const struct iot_event *ev, size_t n)
{
	(void)part;
	for (size_t i = 0; i < n; i++)
		if (ev[i].kind == IOT_RECORD && ev[i].rec.start_ns == 2000 * 5000)
			return IOT_EUSAGE;
	return IOT_OK;
}

Test(parallel, a_fold_ends_on_request)
{
	struct bytes b = lively_trace(4000, (struct make){.compression = IOT_ZSTD, .sync = 100});
	for (unsigned threads = 1; threads < 4; threads++) {
		struct folding f = {.fail_at = 0};
		const struct iot_fold fold = {&f, begin_part, refuse, join_part, drop_part};
		struct iot_reader *r = iot_reader_new();
		iot_reader_set(r, IOT_SET_THREADS, threads);
		iot_reader_set(r, IOT_SET_READ_SIZE, 256);
		cr_assert_eq(iot_reader_open_memory(r, b.data, b.size, "t"), IOT_OK);
		cr_assert_eq(iot_reader_fold(r, &fold), IOT_EUSAGE);
		cr_assert_eq(f.made, f.gone);
		iot_reader_free(r);
		free(f.text.data);
	}
	free(b.data);
}
