/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sort stage compared with qsort: random traces in which files and processes are defined,
 * redefined and closed between records in any order. Each record must keep its definitions.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iotrace/filter.h>

enum { PROCESSES = 3, FILES = 4, TEXT = 64, RECORDS = 6000 };

/* A record, and all that was said of it when it was read. */
struct seen {
	struct iot_record rec;
	size_t index;
	char file[TEXT], process[TEXT], comments[2 * TEXT];
};

struct trace {
	struct seen *seen;
	size_t count, capacity;
	char file[2][PROCESSES][FILES][TEXT], process[PROCESSES][TEXT], comments[2 * TEXT];
	unsigned ops;
	int status;
};

enum disorder { ORDERED, NEAR, ANY, TWO_RUNS, TIES, DISORDERS };

static char directory[] = "/tmp/iotrace-reorder.XXXXXX";

static void make_directory(void)
{
	cr_assert_not_null(mkdtemp(directory));
}

static void remove_directory(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
}

TestSuite(reorder, .init = make_directory, .fini = remove_directory);

static const char *in_directory(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", directory, name);
	return path;
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Making */

static void write_text(struct iot_writer *w, const char *text)
{
	struct iot_event ev = {.kind = IOT_COMMENT, .text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	cr_assert_eq(iot_writer_events(w, &ev, 1), IOT_OK, "%s", iot_writer_error(w));
}

static int64_t start_of(enum disorder how, size_t i, uint64_t *x)
{
	switch (how) {
	case ORDERED:
		return (int64_t)i * 1000;
	case NEAR:
		return (int64_t)(i + next_random(x) % 50) * 1000;
	case TWO_RUNS:
		return (int64_t)(i % (RECORDS / 2)) * 1000;
	case TIES:
		return (int64_t)(next_random(x) % 20) * 1000;
	default:
		return (int64_t)(next_random(x) % RECORDS) * 1000;
	}
}

/* Lines between two records. */
static void write_between(struct iot_writer *w, size_t i, uint64_t *x)
{
	char text[160];
	unsigned r = (unsigned)(next_random(x) % 100);
	unsigned process = (unsigned)(next_random(x) % PROCESSES);
	unsigned file = (unsigned)(next_random(x) % FILES), object = r % 7 + 1;
	if (r < 5)
		snprintf(text, sizeof(text), "%%file process=%u id=%u object=%u path=/p%u%s",
			 process, file, object, object, r == 0 ? " offset=unknown" : "");
	else if (r < 6)
		snprintf(text, sizeof(text), "%%file process=%u id=%u object=9 kind=disk", process,
			 file);
	else if (r < 8)
		snprintf(text, sizeof(text), "%%process id=%u name=n%u", process, r);
	else if (r < 10)
		snprintf(text, sizeof(text), "%%op name=close process=%u file=%u time=%zu", process,
			 file, i * 1000);
	else if (r < 12)
		snprintf(text, sizeof(text), "%%op name=stat process=%u file=%u time=%zu", process,
			 file, i * 1000);
	else if (r < 20)
		snprintf(text, sizeof(text), "of record %zu", i);
	else
		return;
	write_text(w, text);
}

static struct iot_record make_record(enum disorder how, size_t i, uint64_t *x)
{
	struct iot_record rec = {.start_ns = start_of(how, i, x), .type = IOT_LOGICAL};
	uint64_t r = next_random(x);
	rec.type = (uint8_t)(r % 10 == 0 ? 0 : IOT_LOGICAL | (r & IOT_WRITE));
	rec.process = (uint32_t)(r >> 8) % PROCESSES;
	rec.file = (uint32_t)(r >> 16) % FILES;
	rec.offset = (r >> 24) % 1000;
	rec.length = (r >> 40) % 1000;
	rec.duration_ns = i * 1000; /* its number */
	rec.cpu_ns = (int64_t)i * 1000;
	return rec;
}

enum { SYNC = 1000 };

static void make_trace(const char *path, enum disorder how, uint64_t seed)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15 + 1;
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_writer_set(w, IOT_SET_SYNC, SYNC), IOT_OK);
	cr_assert_eq(iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1), IOT_OK);
	cr_assert_eq(iot_writer_open(w, path), IOT_OK);
	write_text(w, "%trace source=test");
	write_text(w, "of record 0");
	for (size_t i = 0; i < RECORDS; i++) {
		struct iot_record rec = make_record(how, i, &x);
		cr_assert_eq(iot_writer_records(w, &rec, 1), IOT_OK, "%s", iot_writer_error(w));
		write_between(w, i, &x);
	}
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	iot_writer_free(w);
}

/* Reading */

static void copy_key(char *to, const struct iot_event *ev, const char *key)
{
	struct iot_text text = iot_directive_get(ev, key);
	strncat(to, " ", TEXT - 1 - strlen(to));
	strncat(to, text.data ? text.data : "", text.size < 20 ? text.size : 20);
}

static void take_directive(struct trace *t, const struct iot_event *ev)
{
	const uint32_t process = ev->rec.process, file = ev->rec.file;
	if (ev->kind == IOT_FILE) {
		char *to = t->file[(ev->has & IOT_HAS_DISK) != 0][process][file];
		to[0] = '\0';
		copy_key(to, ev, "path");
		if (ev->rec.object == 0)
			to[0] = '\0';
	} else if (ev->kind == IOT_PROCESS) {
		t->process[process][0] = '\0';
		copy_key(t->process[process], ev, "name");
	} else if (ev->kind == IOT_OP) {
		struct iot_text name = iot_directive_get(ev, "name");
		t->ops++;
		if (name.size == 5 && memcmp(name.data, "close", 5) == 0)
			t->file[0][process][file][0] = '\0';
	} else if (ev->kind == IOT_COMMENT) {
		strncat(t->comments, ev->text.data, ev->text.size < 30 ? ev->text.size : 30);
	}
}

static void take_record(struct trace *t, const struct iot_record *rec)
{
	if (t->count == t->capacity) {
		t->capacity = t->capacity > 0 ? 2 * t->capacity : 1024;
		t->seen = realloc(t->seen, t->capacity * sizeof(*t->seen));
		cr_assert_not_null(t->seen);
	}
	struct seen *s = &t->seen[t->count];
	*s = (struct seen){.rec = *rec, .index = t->count};
	memcpy(s->file, t->file[!(rec->type & IOT_LOGICAL)][rec->process][rec->file], TEXT);
	memcpy(s->process, t->process[rec->process], TEXT);
	memcpy(s->comments, t->comments, sizeof(s->comments));
	t->comments[0] = '\0';
	t->count++;
}

static struct trace *read_trace(const char *path)
{
	struct trace *t = calloc(1, sizeof(*t));
	struct iot_reader *r = iot_reader_new();
	struct iot_event ev[100];
	cr_assert_eq(iot_reader_open(r, path), IOT_OK, "%s", iot_reader_error(r));
	ssize_t n;
	while ((n = iot_reader_events(r, ev, 100)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (ev[i].kind == IOT_RECORD)
				take_record(t, &ev[i].rec);
			else
				take_directive(t, &ev[i]);
		}
	t->status = (int)n;
	iot_reader_free(r);
	return t;
}

static void free_trace(struct trace *t)
{
	free(t->seen);
	free(t);
}

static int by_start(const void *a, const void *b)
{
	const struct seen *l = a, *r = b;
	if (l->rec.start_ns != r->rec.start_ns)
		return l->rec.start_ns < r->rec.start_ns ? -1 : 1;
	return l->index < r->index ? -1 : l->index > r->index;
}

static void check_same(const struct seen *got, const struct seen *want, size_t i)
{
	cr_assert_eq(got->rec.duration_ns, want->rec.duration_ns, "%zu: another record", i);
	cr_assert_eq(memcmp(&got->rec, &want->rec, sizeof(got->rec)), 0,
		     "%zu: object %u, not %u; flags %x, not %x; CPU %ld, not %ld", i,
		     got->rec.object, want->rec.object, got->rec.flags, want->rec.flags,
		     (long)got->rec.cpu_ns, (long)want->rec.cpu_ns);
	cr_assert_str_eq(got->file, want->file, "%zu: %s, not %s", i, got->file, want->file);
	cr_assert_str_eq(got->comments, want->comments, "%zu: %s, not %s", i, got->comments,
			 want->comments);
	if (want->process[0] != '\0')
		cr_assert_str_eq(got->process, want->process);
}

/* Reordering */

enum { ALL = 0 }; /* no window */

static int reorder(const char *in, const char *out, size_t memory, uint64_t window_ns,
		   struct iot_sort_report *report)
{
	const struct iot_sort_options options = {.size = sizeof(options),
						 .mode = window_ns == ALL ? IOT_SORT_ALL
									  : IOT_SORT_WINDOW,
						 .memory = memory,
						 .window_ns = window_ns,
						 .prefetch = memory > 1 << 20,
						 .report = report};
	struct iot_reader *r = iot_reader_new();
	struct iot_writer *w = iot_writer_new();
	cr_assert_eq(iot_reader_set(r, IOT_SET_VERIFIED, 1), IOT_OK);
	cr_assert_eq(iot_reader_open(r, in), IOT_OK);
	cr_assert_eq(iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1), IOT_OK);
	cr_assert_eq(iot_writer_open(w, out), IOT_OK);
	struct iot_stream *s =
	    iot_stream_sort(iot_stream_prefetch(iot_stream_of_reader(r)), &options);
	const int status = iot_stream_write(s, w);
	cr_assert_eq(iot_stream_error(s)[0] != '\0', status != IOT_OK);
	iot_stream_free(s);
	cr_assert_eq(iot_writer_close(w), IOT_OK);
	iot_reader_free(r);
	iot_writer_free(w);
	return status;
}

static bool same_files(const char *a, const char *b)
{
	char command[300];
	snprintf(command, sizeof(command), "cmp -s %s %s", a, b);
	return system(command) == 0;
}

static void check_sorted(const char *in, const char *out)
{
	struct trace *want = read_trace(in), *got = read_trace(out);
	qsort(want->seen, want->count, sizeof(*want->seen), by_start);
	cr_assert_eq(got->status, IOT_OK);
	cr_assert_eq(got->count, want->count);
	cr_assert_eq(got->ops, want->ops);
	for (size_t i = 0; i < want->count; i++)
		check_same(&got->seen[i], &want->seen[i], i);
	free_trace(want);
	free_trace(got);
}

Test(reorder, records_are_sorted_and_keep_their_directives)
{
	char in[128], out[128];
	struct iot_sort_report report;
	in_directory(in, "in.iot");
	in_directory(out, "out.iot");
	for (enum disorder how = ORDERED; how < DISORDERS; how++)
		for (uint64_t seed = 1; seed < 5; seed++) {
			make_trace(in, how, seed);
			cr_assert_eq(reorder(in, out, 256 << 20, ALL, &report), 0);
			check_sorted(in, out);
		}
}

Test(reorder, little_memory_gives_the_same_bytes)
{
	char in[128], out[128], small[128];
	struct iot_sort_report report;
	in_directory(in, "in.iot");
	in_directory(out, "out.iot");
	in_directory(small, "small.iot");
	for (enum disorder how = ORDERED; how < DISORDERS; how++) {
		make_trace(in, how, 7);
		cr_assert_eq(reorder(in, out, 256 << 20, ALL, &report), 0);
		cr_assert_eq(report.spilled, 0);
		cr_assert_eq(reorder(in, small, 65536, ALL, &report), 0);
		cr_assert_gt(report.spilled, 0);
		cr_assert(same_files(out, small), "disorder %d", (int)how);
	}
}

Test(reorder, twice_is_once)
{
	char in[128], once[128], twice[128];
	struct iot_sort_report report;
	in_directory(in, "in.iot");
	in_directory(once, "once.iot");
	in_directory(twice, "twice.iot");
	for (enum disorder how = ORDERED; how < DISORDERS; how++)
		for (uint64_t seed = 11; seed < 14; seed++) {
			make_trace(in, how, seed);
			cr_assert_eq(reorder(in, once, 1 << 20, ALL, &report), 0);
			cr_assert_eq(reorder(once, twice, 1 << 20, ALL, &report), 0);
			cr_assert(same_files(once, twice), "disorder %d", (int)how);
		}
}

Test(reorder, a_window_wide_enough_gives_the_same_bytes)
{
	char in[128], all[128], out[128];
	struct iot_sort_report report;
	in_directory(in, "in.iot");
	in_directory(all, "all.iot");
	in_directory(out, "out.iot");
	make_trace(in, NEAR, 3);
	cr_assert_eq(reorder(in, all, 256 << 20, ALL, &report), 0);
	cr_assert_eq(reorder(in, out, 256 << 20, 50 * 1000, &report), 0);
	cr_assert_eq(report.late, 0);
	cr_assert(same_files(all, out));
	make_trace(in, ANY, 3);
	cr_assert_eq(reorder(in, all, 256 << 20, ALL, &report), 0);
	cr_assert_eq(reorder(in, out, 65536, RECORDS * UINT64_C(1000), &report), 0);
	cr_assert_eq(report.late, 0);
	cr_assert(same_files(all, out));
}

Test(reorder, late_records_are_kept_and_counted)
{
	char in[128], out[128];
	struct iot_sort_report report;
	in_directory(in, "in.iot");
	in_directory(out, "out.iot");
	make_trace(in, TWO_RUNS, 3);
	cr_assert_eq(reorder(in, out, 256 << 20, 1000, &report), 0);
	cr_assert_gt(report.late, RECORDS / 4);
	cr_assert_gt(report.late_by_ns, RECORDS / 4 * 1000);
	cr_assert_leq(report.late_by_ns, RECORDS / 2 * 1000);
	struct trace *want = read_trace(in), *got = read_trace(out);
	cr_assert_eq(got->count, RECORDS);
	bool found[RECORDS] = {false};
	for (size_t i = 0; i < got->count; i++) {
		size_t number = (size_t)got->seen[i].rec.duration_ns / 1000;
		cr_assert(!found[number]);
		found[number] = true;
		check_same(&got->seen[i], &want->seen[number], number);
	}
	free_trace(want);
	free_trace(got);
}

Test(reorder, of_a_cut_trace_comes_what_there_is_and_the_error)
{
	char in[128], out[128];
	struct iot_sort_report report;
	in_directory(in, "in.iot");
	in_directory(out, "out.iot");
	make_trace(in, ANY, 5);
	struct stat st;
	cr_assert_eq(stat(in, &st), 0);
	cr_assert_eq(truncate(in, st.st_size / 2), 0);
	cr_assert_eq(reorder(in, out, 65536, ALL, &report), IOT_ETRUNCATED);
	struct trace *want = read_trace(in), *got = read_trace(out);
	cr_assert_eq(want->status, IOT_ETRUNCATED);
	cr_assert_eq(got->status, IOT_OK);
	want->count = want->count / SYNC * SYNC; /* the last interval is not verified */
	cr_assert_eq(got->count, want->count);
	qsort(want->seen, want->count, sizeof(*want->seen), by_start);
	for (size_t i = 0; i < want->count; i++)
		check_same(&got->seen[i], &want->seen[i], i);
	free_trace(want);
	free_trace(got);
}
