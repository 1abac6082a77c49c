/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a merge that can be tested alone: order, ids, --shift, the text of %trace. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "lib/filter/merge.h"
#include "lib/filter/merge_ids.h"

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

Test(merge, new_ids_go_round_after_the_last)
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
					  b = {.process = 1, .file = file};
			cr_assert(merge_ids_record(&ids, 0, &a) && merge_ids_record(&ids, 1, &b));
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
	struct merge_input inputs[3] = {
	    {.trace.host = host}, {.trace.host = host}, {.trace.host = other}};
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

Test(merge, a_recreated_file_is_another_object_for_later_processes)
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
		struct iot_record rec = {.process = 7, .cpu_ns = cpu[i][1]};
		cr_assert(merge_ids_record(&ids, (uint32_t)cpu[i][0], &rec));
		cr_expect_eq(rec.cpu_ns, cpu[i][2], "record %zu", i);
		cr_expect_eq(rec.process, 7);
	}
	merge_ids_free(&ids);
}

/* %trace */

static void expect_trace(struct merge_align *m, const struct merge_input *in, const char *text,
			 const char *wanted)
{
	struct iot_text got = {text, strlen(text)};
	cr_assert(merge_align_trace(m, in, &got));
	cr_expect(got.size == strlen(wanted) && memcmp(got.data, wanted, got.size) == 0, "%.*s",
		  (int)got.size, got.data);
	free(m->trace);
	m->trace = NULL;
	m->trace_capacity = 0;
}

Test(merge, trace_tells_the_epoch_of_the_output)
{
	struct merge_align m = {.epochs = true};
	const struct merge_input in = {.move_ns = 300, .shift_ns = 0};
	expect_trace(&m, &in, "%trace host=a epoch=1000 source=x",
		     "%trace host=a epoch=700 source=x");
	m.epochs = false;
	expect_trace(&m, &in, "%trace host=a epoch=1000 source=x", "%trace host=a source=x");
	expect_trace(&m, &in, "%trace epoch=1000", "%trace");
}

Test(merge, trace_lacks_what_all_inputs_lack)
{
	struct merge_align m = {.lacks = IOT_CPU_UNKNOWN | IOT_START_UNKNOWN};
	const struct merge_input cpu = {.trace.lacks = IOT_CPU_UNKNOWN},
				 same = {.trace.lacks = IOT_CPU_UNKNOWN | IOT_START_UNKNOWN},
				 offset = {.trace.lacks = IOT_OFFSET_UNKNOWN};
	expect_trace(&m, &cpu, "%trace lacks=cpu x=1", "%trace lacks=start,cpu x=1");
	expect_trace(&m, &same, "%trace lacks=cpu,start,odd", "%trace lacks=cpu,start,odd");
	m.lacks = 0;
	expect_trace(&m, &offset, "%trace lacks=offset x=1", "%trace x=1");
	expect_trace(&m, &offset, "%trace lacks=offset,created x=1", "%trace lacks=created x=1");
	expect_trace(&m, &offset, "%trace lacks=,operations,offset,created",
		     "%trace lacks=operations,created");
}
