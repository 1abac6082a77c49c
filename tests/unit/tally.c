/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures are the same, in however many parts the events were counted. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter/stats.h"

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

static void compare_counters(const struct io_counters *a, const struct io_counters *b)
{
	cr_assert_arr_eq(a, b, offsetof(struct io_counters, sizes));
	for (unsigned k = 0; k < SIZE_CLASSES; k++)
		cr_assert_eq(sizes_count(&a->sizes, k), sizes_count(&b->sizes, k));
}

Test(stats, sizes_are_counted_by_class_in_any_order)
{
	struct sizes s = {.single = 0}, twice = {.single = 0};
	for (unsigned step = 1; step < SIZE_CLASSES; step += 12) {
		uint64_t want[SIZE_CLASSES] = {0};
		for (unsigned i = 0; i < 500; i++) {
			const unsigned k = i * step % SIZE_CLASSES;
			cr_assert(sizes_add(&s, k, i));
			want[k] += i;
		}
		cr_assert(sizes_join(&twice, &s) && sizes_join(&twice, &s));
		for (unsigned k = 0; k < SIZE_CLASSES; k++) {
			cr_assert_eq(sizes_count(&s, k), want[k]);
			cr_assert_eq(sizes_count(&twice, k), 2 * want[k]);
		}
		sizes_free(&s);
		sizes_free(&twice);
	}
}

Test(stats, a_row_with_one_size_is_small)
{
	cr_assert_leq(sizeof(struct stats_row) + sizeof(struct opened), 224);
}

static void compare(const struct stats *a, const struct stats *b)
{
	cr_assert_eq(a->row_count, b->row_count);
	cr_assert_eq(a->left_out, b->left_out);
	cr_assert_eq(a->operations.count, b->operations.count);
	cr_assert_eq(a->operations.ops, b->operations.ops);
	cr_assert_arr_eq(a->operations.row, b->operations.row,
			 a->operations.count * sizeof a->operations.row[0]);
	for (size_t i = 0; i < a->row_count; i++) {
		const struct stats_row *x = &a->rows[i], *y = &b->rows[i];
		cr_assert(x->dated == y->dated && x->first_ns == y->first_ns &&
			  x->last_ns == y->last_ns);
		compare_counters(&x->counters, &y->counters);
		cr_assert(x->process == y->process && x->file == y->file && x->object == y->object);
		cr_assert_eq(x->name != NULL, y->name != NULL);
		cr_assert(!x->name || (x->name_size == y->name_size &&
				       memcmp(x->name, y->name, x->name_size) == 0));
	}
}

Test(stats, joined_is_as_counted_at_once)
{
	struct events *e = malloc(sizeof *e);
	uint64_t random = 11;
	for (unsigned round = 0; round < 300; round++) {
		const enum stats_by by = (enum stats_by)(round % 3);
		const bool physical = round % 7 == 0;
		struct stats whole = {.by = by, .physical = physical}, joined = whole;
		struct io_counters total, joined_total;
		make_events(e, &random);
		stats_events(&whole, e->ev, EVENTS);
		for (size_t at = 0, n; at < EVENTS; at += n) {
			struct stats part = {.by = by, .physical = physical};
			n = next_random(&random) % 60;
			n = n < EVENTS - at ? n : EVENTS - at;
			stats_events(&part, e->ev + at, n);
			cr_assert(stats_join(&joined, &part));
			stats_free(&part);
		}
		stats_finish(&whole, &total);
		stats_finish(&joined, &joined_total);
		compare_counters(&total, &joined_total);
		compare(&whole, &joined);
		stats_free(&whole);
		stats_free(&joined);
	}
	free(e);
}

Test(stats, operations_that_are_one_too_many_are_counted)
{
	struct operations o = {.count = 0}, joined = {.count = 0};
	char text[64];
	for (int i = 0; i < 100; i++) {
		const int n = snprintf(text, sizeof text, "%%op name=call%d took=%d result=%s", i,
				       i, i % 2 == 0 ? "0" : "EIO");
		struct iot_event ev = {.kind = IOT_OP, .text = {text, (size_t)n}};
		operations_op(&o, &ev);
	}
	static const char LONG[] = "%op name=a_name_that_is_longer_than_those_that_are_kept";
	struct iot_event ev = {.kind = IOT_OP, .text = {LONG, sizeof LONG - 1}};
	operations_op(&o, &ev);
	operations_record(&o, &(struct iot_record){.type = IOT_LOGICAL, .duration_ns = 1000});
	operations_join(&joined, &o);
	operations_join(&joined, &o);
	operations_sort(&joined);
	cr_expect_eq(joined.ops, 202);
	cr_expect_eq(joined.others, 2 * (100 - (OPERATIONS_MAX - 2) + 1));
	cr_expect_eq(joined.count, OPERATIONS_MAX - 1);
	cr_expect_str_eq(joined.row[0].name, "read");
	cr_expect_eq(joined.row[0].ns, 2000);
	cr_expect_str_eq(joined.row[1].name, "call63");
	cr_expect(joined.row[1].calls == 2 && joined.row[1].failed == 2 && joined.row[1].ns == 126);
}

Test(stats, names_beyond_their_room_are_counted_and_not_kept)
{
	struct stats t = {.by = BY_FILE, .names_max = 10};
	char text[4][32];
	struct io_counters total;
	for (uint32_t i = 0; i < 4; i++) {
		struct iot_event ev = {.kind = IOT_OP, .has = IOT_HAS_PROCESS | IOT_HAS_FILE};
		ev.rec = (struct iot_record){.process = 1, .file = i};
		const int n = snprintf(text[i], sizeof text[i], "%%op name=open path=/a/%u", i);
		ev.text = (struct iot_text){text[i], (size_t)n};
		stats_events(&t, &ev, 1);
	}
	cr_expect_not(t.failed);
	cr_expect_eq(t.row_count, 4);
	cr_expect_eq(t.unnamed, 2);
	cr_expect_leq(t.names_size, 10);
	stats_finish(&t, &total);
	cr_expect_eq(total.opens, 4);
	stats_free(&t);
}
