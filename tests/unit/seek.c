/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeking: from every place on, a trace reads as it does when everything before is read and left
 * out.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "trace_tools.h"

enum { MAX = 400, CLOCKS = 8 };

struct line {
	struct iot_event ev;
	char text[200];
};

static size_t read_all(struct iot_reader *r, struct line *to)
{
	struct iot_event ev[7];
	size_t n = 0;
	ssize_t got;
	while ((got = iot_reader_events(r, ev, 7)) > 0)
		for (ssize_t i = 0; i < got; i++, n++) {
			cr_assert_lt(n, MAX);
			to[n].ev = ev[i];
			cr_assert_lt(ev[i].text.size, sizeof(to[n].text));
			memcpy(to[n].text, ev[i].text.data != NULL ? ev[i].text.data : "",
			       ev[i].text.size);
			to[n].text[ev[i].text.size] = '\0';
		}
	cr_assert_eq(got, 0, "%s", iot_reader_error(r));
	return n;
}

static struct iot_reader *open_bytes(struct bytes b, uint64_t read_size)
{
	const struct how how = {.read_size = read_size};
	struct iot_reader *r = new_reader(&how);
	cr_assert_eq(iot_reader_open_memory(r, b.data, b.size, "t.iot"), IOT_OK);
	return r;
}

/* The lines of the whole trace that are delivered from record `first` on. */
static size_t tail_of(const struct line *whole, size_t n, size_t first, struct line *to)
{
	int64_t before[CLOCKS] = {0};
	size_t from = n, records = 0, count = 0;
	for (size_t i = 0; i < n; i++) {
		if (records == first) {
			from = i;
			break;
		}
		if (whole[i].ev.kind == IOT_RECORD) {
			before[whole[i].ev.rec.process] = whole[i].ev.rec.cpu_ns;
			records++;
		}
	}
	for (size_t i = from; i < n; i++) {
		to[count] = whole[i];
		if (to[count].ev.kind == IOT_RECORD)
			to[count].ev.rec.cpu_ns -= before[to[count].ev.rec.process];
		count++;
	}
	return count;
}

static bool is_name(const struct line *l)
{
	return l->ev.kind == IOT_PROCESS || l->ev.kind == IOT_FILE;
}

/* Definitions may be repeated; everything else must be the same. */
static void compare(const struct line *want, size_t n, const struct line *got, size_t m,
		    const char *what)
{
	size_t j = 0;
	for (size_t i = 0; i < n; i++) {
		if (is_name(&want[i]))
			continue;
		while (j < m && is_name(&got[j]))
			j++;
		cr_assert_lt(j, m, "%s: event %zu of %zu is missing", what, i, n);
		cr_assert_eq(want[i].ev.kind, got[j].ev.kind, "%s: event %zu", what, i);
		cr_assert_str_eq(want[i].text, got[j].text, "%s: event %zu", what, i);
		if (want[i].ev.kind == IOT_RECORD)
			cr_assert_arr_eq(&want[i].ev.rec, &got[j].ev.rec, sizeof(struct iot_record),
					 "%s: event %zu", what, i);
		j++;
	}
	while (j < m && is_name(&got[j]))
		j++;
	cr_assert_eq(j, m, "%s: %zu events too many", what, m - j);
}

/* The definitions of a record precede it. */
static void check_names(const struct line *got, size_t m, const char *what)
{
	bool reported[8] = {false};
	for (size_t i = 0; i < m; i++) {
		if (got[i].ev.kind == IOT_FILE)
			reported[got[i].ev.rec.file] = true;
		if (got[i].ev.kind == IOT_RECORD)
			cr_assert(reported[got[i].ev.rec.file], "%s: file %u of event %zu", what,
				  got[i].ev.rec.file, i);
	}
}

/* %op between the records, and untimed comments, so that every kind of neighbour occurs. */
static struct bytes busy_trace(size_t n, struct make how)
{
	struct iot_writer *w = memory_writer(how);
	char text[100];
	int status = IOT_OK;
	struct iot_event ev = comment("%trace source=test lacks=completion");
	status |= iot_writer_events(w, &ev, 1);
	status |= report_files(w);
	for (size_t i = 0; i < n; i++) {
		const unsigned file = (unsigned)(i * 7 % 5);
		const struct iot_record rec = {.start_ns = (int64_t)(i / 2) * 10000,
					       .cpu_ns = (int64_t)(i * i) * 1000,
					       .offset = i * 4096,
					       .length = 512,
					       .file = file,
					       .process = 1 + file % 3,
					       .type = IOT_LOGICAL};
		if (i % 3 == 1) {
			snprintf(text, sizeof(text), "%%op name=stat time=%zu process=1 path=/x",
				 i / 2 * 10000);
			ev = comment(text);
			status |= iot_writer_events(w, &ev, 1);
		}
		for (size_t j = 0; j < i % 4; j++) {
			snprintf(text, sizeof(text), "comment %zu before record %zu", j, i);
			ev = comment(text);
			status |= iot_writer_events(w, &ev, 1);
		}
		status |= iot_writer_records(w, &rec, 1);
	}
	ev = comment("the last one");
	status |= iot_writer_events(w, &ev, 1);
	cr_assert_eq(status, IOT_OK);
	return written(w);
}

static void check_every_record(struct bytes b, uint64_t read_size, size_t records, const char *what)
{
	static struct line whole[MAX], want[MAX], got[MAX];
	struct iot_reader *r = open_bytes(b, read_size);
	const size_t n = read_all(r, whole);
	iot_reader_free(r);
	for (size_t first = 0; first <= records; first++) {
		r = open_bytes(b, read_size);
		cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, first), IOT_OK, "%s: %s", what,
			     iot_reader_error(r));
		cr_assert_eq(iot_reader_fact(r, IOT_FACT_INDEX), first);
		const size_t m = read_all(r, got);
		cr_assert_eq(iot_reader_fact(r, IOT_FACT_RECORDS), records - first);
		iot_reader_free(r);
		compare(want, tail_of(whole, n, first, want), got, m, what);
		check_names(got, m, what);
	}
}

static void check_every_time(struct bytes b, uint64_t read_size, size_t records, const char *what)
{
	static struct line whole[MAX], want[MAX], got[MAX];
	struct iot_reader *r = open_bytes(b, read_size);
	const size_t n = read_all(r, whole);
	iot_reader_free(r);
	for (uint64_t at = 0; at < (records / 2 + 1) * 10000; at += 2500) {
		const size_t first = (size_t)((at + 9999) / 10000 * 2);
		r = open_bytes(b, read_size);
		cr_assert_eq(iot_reader_seek(r, IOT_SEEK_TIME_NS, at), IOT_OK, "%s",
			     iot_reader_error(r));
		const size_t m = read_all(r, got);
		iot_reader_free(r);
		compare(want, tail_of(whole, n, first < records ? first : records, want), got, m,
			what);
		check_names(got, m, what);
	}
}

static const uint64_t syncs[] = {0, 1, 7, 16, 1000};
static const uint64_t read_sizes[] = {0, 1, 100};

/* Each of compression, base, sync, size of reads, and flushes: every 5 lines, or none. */
static void each(void (*check)(struct bytes, uint64_t, size_t, const char *))
{
	enum { RECORDS = 60 };
	for (size_t i = 0; i < 6 * 5 * 3 * 2; i++) {
		const struct make make = {.compression = (enum iot_compression)(i % 3),
					  .base = i / 3 % 2 ? 10 : 16,
					  .sync = syncs[i / 6 % 5],
					  .flush = i / 90 * 5};
		const uint64_t read_size = read_sizes[i / 30 % 3];
		char what[100];
		snprintf(what, sizeof(what),
			 "compression %d, base %d, sync %d, reads of %d, flush %d",
			 (int)make.compression, (int)make.base, (int)make.sync, (int)read_size,
			 (int)make.flush);
		struct bytes b = busy_trace(RECORDS, make);
		check(b, read_size, RECORDS, what);
		free(b.data);
	}
}

Test(seek, from_every_record_on_it_reads_as_a_whole_reading_does)
{
	each(check_every_record);
}

Test(seek, from_every_time_on_it_reads_as_a_whole_reading_does)
{
	each(check_every_time);
}

Test(seek, goes_to_and_fro_as_often_as_wanted)
{
	static struct line whole[MAX], want[MAX], got[MAX];
	struct bytes b = busy_trace(60, (struct make){.compression = IOT_ZSTD, .sync = 8});
	struct iot_reader *r = open_bytes(b, 64);
	const size_t n = read_all(r, whole);
	for (size_t i = 0; i < 99; i++) {
		const size_t first = i * 37 % 61;
		cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, first), IOT_OK);
		struct iot_event ev;
		if (i % 3 == 0)
			cr_assert_geq(iot_reader_events(r, &ev, 1), 0);
		if (i % 3 == 0)
			continue;
		const size_t m = read_all(r, got);
		compare(want, tail_of(whole, n, first, want), got, m, "to and fro");
	}
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 1);
	iot_reader_free(r);
	free(b.data);
}

/* Directives with a total of `size` bytes of text. */
static void write_directives(struct iot_writer *w, size_t bytes, int64_t start_ns)
{
	enum { EACH = 4000 };
	char text[EACH + 100];
	while (bytes > 0) {
		const size_t n = bytes < EACH ? bytes : EACH;
		snprintf(text, sizeof(text),
			 "%%op name=stat time=%lld took=1000 process=1 path=/%0*d",
			 (long long)start_ns, (int)n, 7);
		struct iot_event ev = comment(text);
		cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
		cr_assert_eq(iot_writer_events(w, &ev, 1), IOT_OK);
		bytes -= n;
	}
}

enum { SPACED = 8 };

/* SPACED records, each preceded by `size` bytes of directives. */
static struct bytes spaced_trace(size_t bytes, struct make make)
{
	struct iot_writer *w = memory_writer(make);
	for (int64_t i = 0; i < SPACED; i++) {
		const struct iot_record rec = {.start_ns = i * 10000,
					       .length = 1,
					       .process = 1,
					       .file = 1,
					       .type = IOT_LOGICAL};
		write_directives(w, bytes, rec.start_ns);
		cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK);
	}
	return written(w);
}

/* Reads a batch, seeks, and counts the records from there on. */
static void check_spaced(struct bytes b, enum iot_seek what, size_t place, size_t batch)
{
	static struct iot_event ev[4096];
	struct iot_reader *r = open_bytes(b, 0);
	struct iot_record rec[SPACED];
	if (batch > 0)
		cr_assert_gt(iot_reader_events(r, ev, batch), 0);
	const uint64_t value = what == IOT_SEEK_RECORD ? place : place * 10000;
	cr_assert_eq(iot_reader_seek(r, what, value), IOT_OK, "%s", iot_reader_error(r));
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_INDEX), place);
	size_t records = 0;
	ssize_t got;
	while ((got = iot_reader_records(r, rec, SPACED)) > 0)
		for (ssize_t i = 0; i < got; i++, records++)
			cr_assert_eq(rec[i].start_ns, (int64_t)(place + records) * 10000);
	cr_assert_eq(got, 0, "%s", iot_reader_error(r));
	cr_assert_eq(records, SPACED - place);
	iot_reader_free(r);
}

Test(seek, directives_of_any_size_between_records_are_read_over, .timeout = 60)
{
	static const size_t sizes[] = {0,     1,     4000,  16000, 32000,  48000,  60000,
				       64000, 65536, 66000, 70000, 100000, 131072, 204800};
	static const size_t batches[] = {0, 1, 10, 17, 40, 4096};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) * 3; i++) {
		const struct make make = {.sync = (uint64_t[]){0, 1, 3}[i % 3]};
		struct bytes b = spaced_trace(sizes[i / 3], make);
		for (size_t k = 0; k < 6 * SPACED; k++) {
			check_spaced(b, IOT_SEEK_RECORD, k % SPACED, batches[k / SPACED]);
			check_spaced(b, IOT_SEEK_TIME_NS, k % SPACED, batches[k / SPACED]);
		}
		free(b.data);
	}
}

Test(seek, after_the_end_there_is_nothing_and_the_end_is_proper)
{
	struct bytes b = busy_trace(20, (struct make){.compression = IOT_GZIP, .sync = 8});
	struct iot_reader *r = open_bytes(b, 0);
	struct iot_record rec;
	cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, UINT64_MAX), IOT_OK);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_INDEX), 20);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_LAST_NS), 90000);
	cr_assert_eq(iot_reader_records(r, &rec, 1), 0);
	cr_assert_eq(iot_reader_seek(r, IOT_SEEK_TIME_NS, UINT64_MAX), IOT_OK);
	cr_assert_eq(iot_reader_records(r, &rec, 1), 0);
	iot_reader_free(r);
	free(b.data);
}

/* As a pipe: it can only be read on. */
struct pipe {
	struct bytes bytes;
	size_t at;
};

static ssize_t read_pipe(void *context, void *buffer, size_t size)
{
	struct pipe *p = context;
	size_t n = p->bytes.size - p->at;
	n = n < size ? n : size;
	n = n < 57 ? n : 57;
	memcpy(buffer, p->bytes.data + p->at, n);
	p->at += n;
	return (ssize_t)n;
}

Test(seek, input_that_only_goes_on_is_read_over)
{
	static struct line whole[MAX], want[MAX], got[MAX];
	struct bytes b = busy_trace(40, (struct make){.compression = IOT_ZSTD, .sync = 16});
	struct iot_reader *r = open_bytes(b, 0);
	const size_t n = read_all(r, whole);
	iot_reader_free(r);
	for (size_t first = 0; first <= 40; first++) {
		struct pipe pipe = {b, 0};
		r = iot_reader_new();
		cr_assert_eq(iot_reader_open_callback(r, read_pipe, &pipe, "p"), IOT_OK);
		if (first % 2 == 0)
			cr_assert_eq(iot_reader_seek(r, IOT_SEEK_TIME_NS, first / 2 * 10000),
				     IOT_OK);
		else
			cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, first), IOT_OK);
		const size_t m = read_all(r, got);
		compare(want, tail_of(whole, n, first, want), got, m, "a pipe");
		check_names(got, m, "a pipe");
		cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, 0), IOT_EUSAGE);
		cr_assert_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 1);
		cr_assert_eq(read_all(r, got), 0);
		iot_reader_free(r);
	}
	free(b.data);
}

Test(seek, a_file_is_read_at_any_place_from_where_it_was_opened_on)
{
	char path[] = "/tmp/iotrace-seek-XXXXXX";
	struct bytes b = busy_trace(40, (struct make){.compression = IOT_ZSTD, .sync = 4});
	const int fd = mkstemp(path);
	struct iot_record rec;
	uint64_t done, total;
	cr_assert_geq(fd, 0);
	unlink(path);
	cr_assert_eq(write(fd, "something", 9), 9);
	cr_assert_eq(write(fd, b.data, b.size), (ssize_t)b.size);
	cr_assert_eq(lseek(fd, 9, SEEK_SET), 9);
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_reader_set(r, IOT_SET_READ_AHEAD, 1), IOT_OK);
	cr_assert_eq(iot_reader_set(r, IOT_SET_READ_SIZE, 64), IOT_OK);
	cr_assert_eq(iot_reader_open_fd(r, fd, "f"), IOT_OK);
	for (unsigned i = 40; i-- > 0;) {
		cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, i), IOT_OK, "%s",
			     iot_reader_error(r));
		cr_assert_eq(iot_reader_records(r, &rec, 1), 1);
		cr_assert_eq(rec.offset, i * 4096);
		cr_assert_eq(iot_reader_progress(r, &done, &total), IOT_OK);
		cr_assert_eq(total, b.size);
		cr_assert_leq(done, total);
		cr_assert_gt(done, 0);
	}
	iot_reader_free(r);
	close(fd);
	free(b.data);
}

Test(seek, damage_before_the_place_is_not_seen_and_damage_after_it_is)
{
	struct bytes b = busy_trace(60, (struct make){.compression = IOT_PLAIN, .sync = 8});
	struct iot_record rec[64];
	char *spot = strstr(b.data, "record=24 ");
	cr_assert_not_null(spot);
	spot = strstr(spot, "comment 0");
	memcpy(spot, "damaged", 7);
	struct iot_reader *r = open_bytes(b, 0);
	cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, 40), IOT_OK);
	ssize_t n = iot_reader_records(r, rec, 64), m = 0;
	cr_assert_eq(n, 20);
	cr_assert_eq(iot_reader_records(r, rec, 64), 0);
	iot_reader_free(r);
	r = open_bytes(b, 0);
	cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, 20), IOT_OK);
	while ((n = iot_reader_records(r, rec, 64)) > 0)
		m += n;
	cr_assert_eq(n, IOT_EFORMAT);
	cr_assert_eq(m, 12, "%zd", m);
	cr_assert_not_null(strstr(iot_reader_error(r), "from the %sync of record 16"), "%s",
			   iot_reader_error(r));
	iot_reader_free(r);
	free(b.data);
}

Test(seek, usage)
{
	struct iot_reader *r = iot_reader_new();
	uint64_t done, total;
	cr_assert_eq(iot_reader_progress(r, &done, &total), IOT_EUSAGE);
	cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, 0), IOT_EUSAGE);
	iot_reader_free(r);
}
