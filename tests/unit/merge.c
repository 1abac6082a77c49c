/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a merge that can be tested alone: order, ids, --shift, the text of %trace. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/merge/merge.h"

/* Order */

struct streams {
	struct merge_options options;
	struct merge merge;
	struct merge_source source[2], *pointer[2];
	struct iot_event ev[2];
};

static struct streams *make_streams(void)
{
	struct streams *s = calloc(1, sizeof *s);
	cr_assert_not_null(s);
	s->merge.options = &s->options;
	for (int i = 0; i < 2; i++) {
		s->source[i] = (struct merge_source){
		    .merge = &s->merge, .at = &s->ev[i], .end = &s->ev[i] + 1};
		s->pointer[i] = &s->source[i];
	}
	return s;
}

static void expect_first(struct streams *s, struct iot_record a, struct iot_record b)
{
	s->ev[0] = (struct iot_event){.kind = IOT_RECORD, .rec = a};
	s->ev[1] = (struct iot_event){.kind = IOT_RECORD, .rec = b};
	cr_expect(merge_before(s->pointer, 0, 1));
	cr_expect_not(merge_before(s->pointer, 1, 0));
}

Test(merge, ties_go_by_process_then_file_then_all_else)
{
	struct streams *s = make_streams();
	expect_first(s, (struct iot_record){.process = 1, .file = 9, .spare = 5},
		     (struct iot_record){.process = 2, .file = 1, .spare = 4});
	expect_first(s, (struct iot_record){.file = 1, .offset = 9, .spare = 5},
		     (struct iot_record){.file = 2, .offset = 1, .spare = 4});
	expect_first(s, (struct iot_record){.offset = 1, .length = 9, .spare = 5},
		     (struct iot_record){.offset = 2, .length = 1, .spare = 4});
	expect_first(s, (struct iot_record){.length = 1, .spare = 5},
		     (struct iot_record){.length = 2, .spare = 4});
	expect_first(s, (struct iot_record){.duration_ns = 1, .spare = 5},
		     (struct iot_record){.duration_ns = 2, .spare = 4});
	expect_first(s, (struct iot_record){.spare = 4}, (struct iot_record){.spare = 5});
	free(s);
}

Test(merge, of_slices_the_one_that_ends_goes_before_the_one_that_begins)
{
	struct streams *s = make_streams();
	struct merge_input inputs[2] = {{.first_ns = 5}, {.first_ns = 0}};
	s->merge.inputs = inputs;
	s->options.keep_ids = true;
	expect_first(s, (struct iot_record){.start_ns = 5, .process = 2, .spare = 1},
		     (struct iot_record){.start_ns = 5, .process = 1, .spare = 0});
	expect_first(s, (struct iot_record){.start_ns = 6, .process = 1, .spare = 0},
		     (struct iot_record){.start_ns = 6, .process = 2, .spare = 1});
	free(s);
}

/* Ids */

static uint32_t becomes(struct merge_ids *ids, uint32_t input, enum remapped_id kind, uint32_t id)
{
	const struct iot_event ev = {.kind = IOT_RECORD};
	uint32_t to = 0;
	ids->current = input;
	cr_assert(merge_ids_map(ids, kind, id, &ev, &to));
	return to;
}

Test(merge, ids_stay_with_the_first_and_never_come_twice)
{
	struct merge_input inputs[3] = {{.ids_max = {9, 9, 9}}, {.ids_max = {20, 9, 9}}};
	struct merge_ids ids;
	cr_assert(merge_ids_init(&ids, inputs, 3, false, false));
	cr_expect_eq(becomes(&ids, 1, ID_PROCESS, 7), 7);
	cr_expect_eq(becomes(&ids, 0, ID_PROCESS, 7), 21, "above all that are known");
	cr_expect_eq(becomes(&ids, 0, ID_PROCESS, 7), 21, "and again");
	cr_expect_eq(becomes(&ids, 1, ID_PROCESS, 7), 7);
	cr_expect_eq(becomes(&ids, 2, ID_PROCESS, 7), 22);
	cr_expect_eq(becomes(&ids, 2, ID_PROCESS, 21), 23, "21 is somebody else's now");
	cr_expect_eq(becomes(&ids, 0, ID_FILE, 7), 7, "files are numbered apart");
	cr_expect_eq(becomes(&ids, 0, ID_PROCESS, 8), 8);
	merge_ids_free(&ids);
}

Test(merge, new_ids_go_round_behind_the_last)
{
	struct merge_input inputs[2] = {{.ids_max = {UINT32_MAX, UINT32_MAX, UINT32_MAX}}};
	struct merge_ids ids;
	cr_assert(merge_ids_init(&ids, inputs, 2, false, false));
	cr_expect_eq(becomes(&ids, 0, ID_OBJECT, 1), 1);
	cr_expect_eq(becomes(&ids, 1, ID_OBJECT, 1), 2, "not 0, which is none; not 1");
	merge_ids_free(&ids);
}

Test(merge, records_that_are_looked_up_again_get_the_same)
{
	struct merge_input inputs[2] = {{.ids_max = {9, 900, 9}}, {.index = 1}};
	struct merge_ids ids;
	cr_assert(merge_ids_init(&ids, inputs, 2, false, false));
	for (int round = 0; round < 3; round++) {
		for (uint32_t file = 1; file < 600; file++) {
			struct iot_record a = {.process = 1, .file = file},
					  b = {.process = 1, .file = file, .spare = 1};
			cr_assert(merge_ids_record(&ids, &a) && merge_ids_record(&ids, &b));
			cr_assert_eq(a.process, 1);
			cr_assert_eq(a.file, file);
			cr_assert_eq(b.process, 10);
			cr_assert_eq(b.file, 900 + file);
		}
	}
	merge_ids_free(&ids);
}

static uint32_t object_of(struct merge_ids *ids, uint32_t input, uint32_t id, const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	uint32_t to = 0;
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	ids->current = input;
	cr_assert(merge_ids_process(ids, &ev));
	if (ev.kind == IOT_FILE)
		cr_assert(merge_ids_map(ids, ID_OBJECT, id, &ev, &to));
	return to;
}

Test(merge, objects_of_one_path_and_host_are_joined)
{
	char host[] = "n1", other[] = "n2";
	struct merge_input inputs[3] = {{.host = host}, {.host = host}, {.host = other}};
	struct merge_ids ids;
	cr_assert(merge_ids_init(&ids, inputs, 3, false, true));
	uint32_t first = object_of(&ids, 0, 1, "%file process=1 id=1 object=1 path=/a%20b");
	cr_expect_eq(object_of(&ids, 1, 5, "%file process=1 id=1 object=5 path=/%61%20b"), first);
	cr_expect_neq(object_of(&ids, 2, 1, "%file process=1 id=1 object=1 path=/a%20b"), first);
	cr_expect_neq(object_of(&ids, 1, 6, "%file process=1 id=2 object=6 path=/c"), first);
	object_of(&ids, 2, 0, "%process id=4 host=n1");
	cr_expect_eq(object_of(&ids, 2, 9, "%file process=4 id=3 object=9 path=/a%20b"), first,
		     "the host of a process counts before that of its trace");
	merge_ids_free(&ids);
}

Test(merge, a_file_made_anew_is_another_object_for_all_who_come_then)
{
	struct merge_input inputs[3] = {{.index = 0}, {.index = 1}, {.index = 2}};
	struct merge_ids ids;
	cr_assert(merge_ids_init(&ids, inputs, 3, false, true));
	uint32_t old = object_of(&ids, 0, 1, "%file process=1 id=1 object=1 path=/a");
	cr_expect_eq(object_of(&ids, 1, 1, "%file process=1 id=1 object=1 path=/a"), old);
	uint32_t restart = object_of(&ids, 0, 2, "%file process=1 id=2 object=2 path=/a");
	cr_expect_neq(restart, old);
	cr_expect_eq(object_of(&ids, 2, 1, "%file process=1 id=1 object=1 path=/a"), restart);
	cr_expect_eq(object_of(&ids, 1, 2, "%file process=1 id=2 object=2 path=/a"), restart);
	merge_ids_free(&ids);
}

Test(merge, clocks_of_slices_go_on)
{
	struct merge_input inputs[2] = {{.index = 0}, {.index = 1}};
	const int64_t cpu[][3] = {{0, 10, 10}, {0, 25, 25}, {1, 5, 30}, {1, 6, 31}, {0, 26, 32}};
	struct merge_ids ids;
	cr_assert(merge_ids_init(&ids, inputs, 2, true, false));
	for (size_t i = 0; i < sizeof cpu / sizeof *cpu; i++) {
		struct iot_record rec = {
		    .process = 7, .cpu_ns = cpu[i][1], .spare = (uint32_t)cpu[i][0]};
		cr_assert(merge_ids_record(&ids, &rec));
		cr_expect_eq(rec.cpu_ns, cpu[i][2], "record %zu", i);
		cr_expect_eq(rec.process, 7);
	}
	merge_ids_free(&ids);
}

/* --shift */

static bool shift_of(const char *value, int64_t *ns, char name[static 32])
{
	struct merge_options o = {.shifts = NULL};
	bool fine = merge_shift_add(&o, value) == NULL;
	if (fine) {
		*ns = o.shifts[0].by_ns;
		strncpy(name, o.shifts[0].name, 31);
		free(o.shifts[0].name);
	}
	free(o.shifts);
	return fine;
}

Test(merge, shifts_are_exact)
{
	static const struct {
		const char *value, *name;
		int64_t ns;
	} cases[] = {{"a.iot=+1.5s", "a.iot", 1500000000},
		     {"a=-20ms", "a", -20000000},
		     {"a=b=300ns", "a=b", 300},
		     {"h=1", "h", 1000000000},
		     {"h=-0.000000001s", "h", -1},
		     {"h=2h", "h", 7200000000000}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char name[32] = "";
		int64_t ns = 0;
		cr_expect(shift_of(cases[i].value, &ns, name), "%s", cases[i].value);
		cr_expect_str_eq(name, cases[i].name);
		cr_expect_eq(ns, cases[i].ns, "%s", cases[i].value);
	}
}

Test(merge, what_is_no_shift_is_refused)
{
	static const char *const wrong[] = {
	    "a",     "a=",    "=1s",     "a=x",   "a=1x",
	    "a=1..", "a=--1", "a=1e400", "a=50%", "a=99999999999999h"};
	char name[32];
	int64_t ns;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_expect_not(shift_of(wrong[i], &ns, name), "%s", wrong[i]);
}

/* %trace */

static void expect_trace(struct merge *m, const struct merge_input *in, const char *text,
			 const char *wanted)
{
	struct iot_text got = {text, strlen(text)};
	cr_assert(merge_trace_text(m, in, &got));
	cr_expect(got.size == strlen(wanted) && memcmp(got.data, wanted, got.size) == 0, "%.*s",
		  (int)got.size, got.data);
	free(m->trace);
	m->trace = NULL;
	m->trace_capacity = 0;
}

Test(merge, trace_tells_the_epoch_of_the_output)
{
	struct merge m = {.epochs = true};
	const struct merge_input in = {.move_ns = 300, .shift_ns = 0};
	expect_trace(&m, &in, "%trace host=a epoch=1000 source=x",
		     "%trace host=a epoch=700 source=x");
	m.epochs = false;
	expect_trace(&m, &in, "%trace host=a epoch=1000 source=x", "%trace host=a source=x");
	expect_trace(&m, &in, "%trace epoch=1000", "%trace");
}

Test(merge, trace_lacks_what_all_inputs_lack)
{
	struct merge m = {.lacks = IOT_CPU_UNKNOWN | IOT_START_UNKNOWN};
	const struct merge_input cpu = {.lacks = IOT_CPU_UNKNOWN},
				 same = {.lacks = IOT_CPU_UNKNOWN | IOT_START_UNKNOWN},
				 offset = {.lacks = IOT_OFFSET_UNKNOWN};
	expect_trace(&m, &cpu, "%trace lacks=cpu x=1", "%trace lacks=start,cpu x=1");
	expect_trace(&m, &same, "%trace lacks=cpu,start,odd", "%trace lacks=cpu,start,odd");
	m.lacks = 0;
	expect_trace(&m, &offset, "%trace lacks=offset x=1", "%trace x=1");
}
