/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics are the same, in however many parts the events were counted. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/filter.h>

enum { EVENTS = 600, TEXT = 80 };

struct events {
	struct iot_event ev[EVENTS];
	char text[EVENTS][TEXT];
};

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return *state >> 33;
}

static void make_record(struct iot_record *rec, uint64_t *random, uint32_t object)
{
	rec->process = (uint32_t)(next_random(random) % 3);
	rec->file = (uint32_t)(next_random(random) % 4);
	rec->object = object;
	rec->offset = next_random(random) % 4 * 100;
	rec->length = 100 + next_random(random) % 2 * 100;
	rec->duration_ns = next_random(random) % 1000;
	rec->type = (uint8_t)((next_random(random) % 9 == 0 ? 0 : IOT_LOGICAL) |
			      (next_random(random) % 2 == 0 ? IOT_WRITE : 0));
}

static void make_directive(struct iot_event *ev, char *text, uint64_t *random)
{
	static const char *const op[] = {"open", "create", "close", "open"};
	const unsigned process = (unsigned)(next_random(random) % 3);
	const unsigned file = (unsigned)(next_random(random) % 5);
	switch (next_random(random) % 3) {
	case 0:
		snprintf(text, TEXT, "%%file process=%u id=%u object=%u%s%s", process, file,
			 (unsigned)(next_random(random) % 6),
			 next_random(random) % 2 == 0 ? " path=/told" : "",
			 next_random(random) % 5 == 0 ? " kind=disk" : "");
		break;
	case 1:
		snprintf(text, TEXT, "%%op name=%s process=%u file=%u path=/%u%s",
			 op[next_random(random) % 4], process, file,
			 (unsigned)(next_random(random) % 9),
			 next_random(random) % 4 == 0 ? " result=ENOENT" : "");
		break;
	default:
		snprintf(text, TEXT, "%%process id=%u name=p%u", process,
			 (unsigned)(next_random(random) % 3));
		break;
	}
	*ev = (struct iot_event){.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(ev, NULL), IOT_OK);
}

static void make_events(struct events *e, uint64_t *random)
{
	for (size_t i = 0; i < EVENTS; i++) {
		e->ev[i] = (struct iot_event){.kind = IOT_RECORD};
		if (next_random(random) % 5 == 0)
			make_directive(&e->ev[i], e->text[i], random);
		else
			make_record(&e->ev[i].rec, random, (uint32_t)(next_random(random) % 4));
	}
}

static struct iot_stats *new_stats(uint32_t by, uint32_t physical, uint64_t names_max)
{
	const struct iot_stats_options options = {
	    .size = sizeof(options), .by = by, .physical = physical, .names_max = names_max};
	struct iot_stats *s = iot_stats_new(&options);
	cr_assert_not_null(s);
	return s;
}

static void count(struct iot_stats *s, const struct iot_event *ev, size_t n)
{
	cr_assert_eq(iot_stats_events(s, ev, n), IOT_OK);
}

static void count_text(struct iot_stats *s, const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK, "%s", text);
	count(s, &ev, 1);
}

static void join(struct iot_stats *s, struct iot_stats *more)
{
	cr_assert_eq(iot_stats_join(s, more), IOT_OK);
	iot_stats_free(more);
}

Test(stats, options_of_another_version)
{
	struct {
		struct iot_stats_options known;
		uint64_t later;
	} options = {.known = {.size = sizeof(options)}};
	struct iot_stats *s = iot_stats_new(&options.known);
	cr_expect_not_null(s);
	iot_stats_free(s);
	options.later = 1;
	cr_expect_null(iot_stats_new(&options.known));
	options.known.size = 0;
	cr_expect_null(iot_stats_new(&options.known));
	options.known =
	    (struct iot_stats_options){.size = sizeof(options.known), .by = IOT_STATS_BY_JOB + 1};
	cr_expect_null(iot_stats_new(&options.known));
}

Test(stats, rows_of_a_host_are_combined_after_parts_are_joined)
{
	struct iot_stats *s = new_stats(IOT_STATS_BY_HOST, 0, 0),
			 *more = new_stats(IOT_STATS_BY_HOST, 0, 0);
	struct iot_stats_latency reads, writes;
	count_text(s, "%trace host=login");
	count_text(s, "%process id=1 host=n1");
	count_text(s, "%process id=2 host=n1");
	const struct iot_event first[] = {
	    {.kind = IOT_RECORD,
	     .rec = {.process = 1, .length = 5, .duration_ns = 10, .type = IOT_LOGICAL}}};
	const struct iot_event second[] = {
	    {.kind = IOT_RECORD,
	     .rec = {.process = 2, .length = 6, .duration_ns = 30, .type = IOT_LOGICAL}},
	    {.kind = IOT_RECORD, .rec = {.process = 3, .length = 1, .type = IOT_LOGICAL}}};
	count(s, first, 1);
	count(more, second, 2);
	join(s, more);
	cr_assert_eq(iot_stats_finish(s), IOT_OK);
	cr_assert_eq(iot_stats_fact(s, IOT_STATS_ROWS), 2);
	cr_assert_arr_eq(iot_stats_row(s, 0)->name, "n1", 2);
	cr_assert_eq(iot_stats_row(s, 0)->read_bytes, 11);
	cr_assert_arr_eq(iot_stats_row(s, 1)->name, "login", 5);
	iot_stats_latency(s, 0, &reads);
	iot_stats_latency(s, 1, &writes);
	cr_assert(reads.count == 3 && reads.min_ns == 0 && reads.max_ns == 30);
	cr_assert(reads.median_ns == 10 && writes.count == 0);
	cr_assert_eq(iot_stats_fact(s, IOT_STATS_SPAN_NS), 30);
	iot_stats_free(s);
}

enum { MANY_FILES = 40000 };

/* Objects from `first` on, whose paths begin with /0, /1 ..., and one fileId without a path. */
static void count_files(struct iot_stats *s, uint32_t first, uint64_t epoch_ns)
{
	char text[TEXT];
	struct iot_event ev = {.kind = IOT_RECORD, .rec = {.type = IOT_LOGICAL, .length = 1}};
	snprintf(text, sizeof text, "%%trace epoch=%ju", (uintmax_t)epoch_ns);
	count_text(s, text);
	for (uint32_t i = 0; i < MANY_FILES; i++) {
		snprintf(text, sizeof text, "%%file process=1 id=%u object=%u path=/%u", i + 1,
			 first + i, i);
		count_text(s, text);
		ev.rec.process = 1;
		ev.rec.file = i + 1;
		ev.rec.object = first + i;
		count(s, &ev, 1);
	}
	ev.rec =
	    (struct iot_record){.type = IOT_LOGICAL, .length = 9, .process = 1, .duration_ns = 5};
	count(s, &ev, 1);
}

Test(stats, files_of_several_traces_are_one_by_path)
{
	enum { TRACES = 4, EPOCH = 1000000 };
	struct iot_stats *all = new_stats(IOT_STATS_BY_OBJECT, 0, 0);
	for (uint32_t i = 0; i < TRACES; i++) {
		struct iot_stats *s = new_stats(IOT_STATS_BY_OBJECT, 0, 0);
		count_files(s, 7 * i + 1, EPOCH - i);
		cr_assert_eq(iot_stats_join_trace(all, s), IOT_OK);
		iot_stats_free(s);
	}
	cr_assert_eq(iot_stats_finish(all), IOT_OK);
	cr_assert_eq(iot_stats_fact(all, IOT_STATS_ROWS), MANY_FILES + TRACES);
	for (size_t i = 0; i < MANY_FILES + TRACES; i++) {
		const struct iot_stats_row *row = iot_stats_row(all, i);
		cr_assert_eq(row->reads, row->object != 0 ? TRACES : 1);
		cr_assert_eq(row->trace, row->object != 0 ? 1 : i + 1);
		if (row->object == 0)
			cr_assert_eq(row->first_ns, TRACES - 1 - (int64_t)i);
	}
	cr_assert_eq(iot_stats_total(all)->read_bytes, TRACES * (MANY_FILES + 9));
	cr_assert_eq(iot_stats_fact(all, IOT_STATS_SPAN_NS), TRACES - 1 + 5);
	cr_assert_eq(iot_stats_fact(all, IOT_STATS_UNALIGNED), 0);
	iot_stats_free(all);
}

Test(stats, sizes_are_counted_by_class_in_any_order)
{
	for (unsigned step = 1; step < IOT_SIZE_CLASSES; step += 12) {
		struct iot_stats *s = new_stats(IOT_STATS_BY_FILE, 0, 0);
		struct iot_stats *more = new_stats(IOT_STATS_BY_FILE, 0, 0);
		uint64_t want[IOT_SIZE_CLASSES] = {0};
		for (unsigned i = 0; i < 500; i++) {
			const unsigned k = i * step % IOT_SIZE_CLASSES;
			const struct iot_event ev = {
			    .kind = IOT_RECORD,
			    .rec = {.type = IOT_LOGICAL,
				    .length = k == 0 ? 0 : UINT64_C(1) << (k - 1)}};
			count(s, &ev, 1);
			count(more, &ev, 1);
			want[k] += 2;
		}
		join(s, more);
		cr_assert_eq(iot_stats_finish(s), IOT_OK);
		for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
			cr_assert_eq(iot_stats_size(iot_stats_row(s, 0), k), want[k]);
			cr_assert_eq(iot_stats_size(iot_stats_total(s), k), want[k]);
		}
		iot_stats_free(s);
	}
}

static void compare_rows(const struct iot_stats_row *x, const struct iot_stats_row *y)
{
	cr_assert_arr_eq(x, y, offsetof(struct iot_stats_row, name));
	cr_assert_eq(x->name != NULL, y->name != NULL);
	cr_assert(!x->name ||
		  (x->name_size == y->name_size && memcmp(x->name, y->name, x->name_size) == 0));
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++)
		cr_assert_eq(iot_stats_size(x, k), iot_stats_size(y, k));
}

static void compare(const struct iot_stats *a, const struct iot_stats *b)
{
	const struct iot_stats_operation *operation;
	const struct iot_stats_row *row;
	for (int fact = IOT_STATS_ROWS; fact <= IOT_STATS_LAYERS; fact++)
		cr_assert_eq(iot_stats_fact(a, (enum iot_stats_fact)fact),
			     iot_stats_fact(b, (enum iot_stats_fact)fact));
	for (size_t i = 0; (operation = iot_stats_operation(a, i)) != NULL; i++)
		cr_assert_arr_eq(operation, iot_stats_operation(b, i), sizeof(*operation));
	for (size_t i = 0; (row = iot_stats_row(a, i)) != NULL; i++)
		compare_rows(row, iot_stats_row(b, i));
	compare_rows(iot_stats_total(a), iot_stats_total(b));
}

Test(stats, joined_is_as_counted_at_once)
{
	struct events *e = malloc(sizeof(*e));
	uint64_t random = 11;
	for (unsigned round = 0; round < 300; round++) {
		const uint32_t by = round % 3, physical = round % 7 == 0;
		struct iot_stats *whole = new_stats(by, physical, 0);
		struct iot_stats *joined = new_stats(by, physical, 0);
		make_events(e, &random);
		count(whole, e->ev, EVENTS);
		for (size_t at = 0, n; at < EVENTS; at += n) {
			struct iot_stats *part = new_stats(by, physical, 0);
			n = next_random(&random) % 60;
			n = n < EVENTS - at ? n : EVENTS - at;
			count(part, e->ev + at, n);
			join(joined, part);
		}
		cr_assert_eq(iot_stats_finish(whole), IOT_OK);
		cr_assert_eq(iot_stats_finish(joined), IOT_OK);
		compare(whole, joined);
		iot_stats_free(whole);
		iot_stats_free(joined);
	}
	free(e);
}

Test(stats, a_snapshot_has_the_results_so_far_and_counting_continues)
{
	struct events *e = malloc(sizeof(*e));
	uint64_t random = 5;
	for (unsigned round = 0; round < 300; round++) {
		const uint32_t by = round % 6, physical = round % 7 == 0;
		struct iot_stats *whole = new_stats(by, physical, 0);
		struct iot_stats *grows = new_stats(by, physical, 0);
		make_events(e, &random);
		count_text(grows, "%trace host=here");
		count_text(whole, "%trace host=here");
		for (size_t at = 0, n; at < EVENTS; at += n) {
			struct iot_stats *so_far = new_stats(by, physical, 0);
			n = next_random(&random) % 300;
			n = n < EVENTS - at ? n : EVENTS - at;
			count(grows, e->ev + at, n);
			count_text(so_far, "%trace host=here");
			count(so_far, e->ev, at + n);
			cr_assert_eq(iot_stats_finish(so_far), IOT_OK);
			struct iot_stats *snapshot = iot_stats_snapshot(grows);
			cr_assert_not_null(snapshot);
			compare(so_far, snapshot);
			iot_stats_free(so_far);
			iot_stats_free(snapshot);
		}
		count(whole, e->ev, EVENTS);
		cr_assert_eq(iot_stats_finish(whole), IOT_OK);
		cr_assert_eq(iot_stats_finish(grows), IOT_OK);
		compare(whole, grows);
		iot_stats_free(whole);
		iot_stats_free(grows);
	}
	free(e);
}

static struct iot_stats *with_operations(void)
{
	struct iot_stats *s = new_stats(IOT_STATS_BY_OBJECT, 0, 0);
	const struct iot_event ev = {.kind = IOT_RECORD,
				     .rec = {.type = IOT_LOGICAL, .duration_ns = 1000}};
	char text[64];
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "%%op name=call%d took=%d result=%s", i, i,
			 i % 2 == 0 ? "0" : "EIO");
		count_text(s, text);
	}
	count_text(s, "%op name=a_name_that_is_longer_than_those_that_are_kept");
	count(s, &ev, 1);
	return s;
}

Test(stats, operations_beyond_the_table_are_counted)
{
	struct iot_stats *s = with_operations();
	join(s, with_operations());
	cr_assert_eq(iot_stats_finish(s), IOT_OK);
	cr_expect_eq(iot_stats_fact(s, IOT_STATS_OPS), 202);
	cr_expect_eq(iot_stats_fact(s, IOT_STATS_OTHER_OPS), 2 * (100 - 64 + 1));
	cr_expect_not_null(iot_stats_operation(s, 64));
	cr_expect_null(iot_stats_operation(s, 65));
	const struct iot_stats_operation *first = iot_stats_operation(s, 0), *next = first + 1;
	cr_expect_str_eq(first->name, "read");
	cr_expect_eq(first->ns, 2000);
	cr_expect_str_eq(next->name, "call63");
	cr_expect(next->calls == 2 && next->failed == 2 && next->ns == 126);
	iot_stats_free(s);
}

Test(stats, names_beyond_their_limit_are_counted_and_not_kept)
{
	struct iot_stats *s = new_stats(IOT_STATS_BY_FILE, 0, 10);
	const struct iot_stats_row *row;
	char text[64];
	size_t size = 0;
	for (unsigned i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "%%op name=open process=1 file=%u path=/a/%u", i, i);
		count_text(s, text);
	}
	cr_assert_eq(iot_stats_finish(s), IOT_OK);
	cr_expect_eq(iot_stats_fact(s, IOT_STATS_ROWS), 4);
	cr_expect_eq(iot_stats_fact(s, IOT_STATS_UNNAMED), 2);
	for (size_t i = 0; (row = iot_stats_row(s, i)) != NULL; i++)
		size += row->name_size;
	cr_expect_leq(size, 10);
	cr_expect_eq(iot_stats_total(s)->opens, 4);
	iot_stats_free(s);
}

Test(stats, a_part_of_operations_only_is_kept)
{
	struct iot_stats *s = new_stats(IOT_STATS_BY_FILE, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		struct iot_stats *more = new_stats(IOT_STATS_BY_FILE, 0, 0);
		count_text(more, "%op name=mkdir process=1 path=/d");
		join(s, more);
	}
	cr_expect_eq(iot_stats_fact(s, IOT_STATS_OPS), 3);
	cr_assert_eq(iot_stats_finish(s), IOT_OK);
	cr_assert_not_null(iot_stats_operation(s, 0));
	cr_expect_eq(iot_stats_operation(s, 0)->calls, 3);
	iot_stats_free(s);
}

Test(stats, a_joined_part_is_empty)
{
	const struct iot_event ev = {.kind = IOT_RECORD,
				     .rec = {.type = IOT_LOGICAL, .length = 10}};
	struct iot_stats *s = new_stats(IOT_STATS_BY_FILE, 0, 0);
	struct iot_stats *more = new_stats(IOT_STATS_BY_FILE, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		count(more, &ev, 1);
		count_text(more, "%op name=stat process=1 path=/d");
		cr_assert_eq(iot_stats_join(s, more), IOT_OK);
		cr_expect_null(iot_stats_row(more, 0));
		cr_expect_eq(iot_stats_fact(more, IOT_STATS_OPS), 0);
	}
	iot_stats_free(more);
	cr_assert_eq(iot_stats_finish(s), IOT_OK);
	cr_expect_eq(iot_stats_total(s)->reads, 3);
	cr_expect_eq(iot_stats_fact(s, IOT_STATS_OPS), 3);
	iot_stats_free(s);
}
