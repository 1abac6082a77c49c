/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices as a stage, by the public interface; tests/cli/slice*.t tests the command. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <iotrace/filter.h>

static const char trace[] = "ff %trace source=x\n"
			    "ff %process id=1 name=mpirun rank=0\n"
			    "ff %process id=2 name=solve rank=5\n"
			    "ff %file process=1 id=1 path=/data/x/y.db\n"
			    "ff %file process=2 id=1 path=/etc/conf\n"
			    "80 0 0 10 0 1 0 1 1 0\n" /* read, 0 us */
			    "80 0 0 10 5 1 0 1 2 0\n" /* read, 5 us */
			    "ff of the third\n"
			    "c0 0 0 10 5 1 0 1 1 0\n" /* write, 10 us */
			    "ff %op name=close time=15 process=1 file=1\n"
			    "c0 0 0 10 10 1 0 1 2 0\n"; /* write, 26 us */

struct sliced {
	char text[4096]; /* a line for each event */
	size_t size;
};

static void put_event(struct sliced *out, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD)
		out->size += (size_t)snprintf(out->text + out->size, sizeof(out->text) - out->size,
					      "%u@%jd\n", ev->rec.process,
					      (intmax_t)ev->rec.start_ns / 1000);
	else
		out->size += (size_t)snprintf(out->text + out->size, sizeof(out->text) - out->size,
					      "%.*s\n", (int)ev->text.size, ev->text.data);
}

/* capacity: of the batches that are pulled */
static struct sliced slice(struct iot_slice_options o, size_t capacity)
{
	struct sliced out = {.size = 0};
	struct iot_reader *r = iot_reader_new();
	struct iot_batch *b = iot_batch_new(capacity);
	cr_assert_eq(iot_reader_open_memory(r, trace, sizeof(trace) - 1, "trace"), IOT_OK);
	o.size = sizeof(o);
	o.names = r;
	struct iot_stream *s = iot_stream_slice(iot_stream_of_reader(r), &o);
	int status;
	while ((status = iot_stream_next(s, b)) > 0)
		for (size_t i = 0; i < b->count; i++)
			put_event(&out, &b->events[i]);
	cr_assert_eq(status, 0, "%s", iot_stream_error(s));
	iot_stream_free(s);
	iot_batch_free(b);
	iot_reader_free(r);
	return out;
}

static void expect_slice(struct iot_slice_options o, const char *wanted)
{
	for (size_t capacity = 1; capacity < 20; capacity += 6) {
		const struct sliced out = slice(o, capacity);
		cr_expect_str_eq(out.text, wanted, "%s", out.text);
	}
}

#define PROCESS_1 "%process id=1 name=mpirun rank=0\n"
#define PROCESS_2 "%process id=2 name=solve rank=5\n"
#define FILE_1    "%file process=1 id=1 path=/data/x/y.db\n"
#define FILE_2    "%file process=2 id=1 path=/etc/conf\n"
#define CLOSE_1   "%op name=close time=15000 process=1 file=1\n"

Test(slice, all)
{
	expect_slice((struct iot_slice_options){.flags = 0},
		     "%trace source=x\n" PROCESS_1 PROCESS_2 FILE_1 FILE_2
		     "1@0\n2@5\nof the third\n1@10\n" CLOSE_1 "2@26\n");
}

Test(slice, times_and_records)
{
	expect_slice((struct iot_slice_options){.from_ns = 5000, .to_ns = 11000},
		     "%trace source=x\n" PROCESS_2 FILE_2 "2@5\nof the third\n" PROCESS_1 FILE_1
		     "1@10\n");
	expect_slice((struct iot_slice_options){.first = 2, .end = 3},
		     "%trace source=x\nof the third\n" PROCESS_1 FILE_1 "1@10\n");
}

Test(slice, reads_and_writes)
{
	expect_slice((struct iot_slice_options){.flags = IOT_SLICE_READS | IOT_SLICE_NO_TRACE},
		     PROCESS_1 FILE_1 "1@0\n" PROCESS_2 FILE_2 "2@5\nof the third\n" CLOSE_1);
	expect_slice((struct iot_slice_options){.every = 3},
		     "%trace source=x\n" PROCESS_1 FILE_1
		     "1@0\nof the third\n" CLOSE_1 PROCESS_2 FILE_2 "2@26\n");
}

/* Whether the slice of a selection has records of the processes 1 and 2. */
static unsigned selected(const struct iot_selection *selection)
{
	const struct sliced out = slice((struct iot_slice_options){.selection = selection}, 10);
	return (strstr(out.text, "1@0") != NULL ? 1U : 0U) |
	       (strstr(out.text, "2@5") != NULL ? 2U : 0U);
}

static unsigned selected_by(enum iot_select what, const char *list)
{
	struct iot_selection *s = iot_selection_new();
	cr_assert_eq(iot_selection_add(s, what, list), IOT_OK, "%s", list);
	const unsigned processes = selected(s);
	iot_selection_free(s);
	return processes;
}

Test(slice, selections)
{
	static const struct {
		enum iot_select what;
		const char *list;
		unsigned processes; /* bits */
	} lists[] = {
	    {IOT_SELECT_PROCESSES, "1", 1},       {IOT_SELECT_PROCESSES, "7,2-12,4294967295", 2},
	    {IOT_SELECT_PROCESSES, "mpi*", 1},    {IOT_SELECT_PROCESSES, "pi*,s?lve", 2},
	    {IOT_SELECT_PROCESSES, "9,[ms]*", 3}, {IOT_SELECT_PROCESSES, "0", 0},
	    {IOT_SELECT_RANKS, "0,4-7", 3},       {IOT_SELECT_RANKS, "1-5", 2},
	    {IOT_SELECT_PATHS, "*.db", 1},        {IOT_SELECT_PATHS, "y.db", 1},
	    {IOT_SELECT_PATHS, "/etc/[a-c]*", 2}, {IOT_SELECT_PATHS, "/x/y.db", 0}};
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		cr_expect_eq(selected_by(lists[i].what, lists[i].list), lists[i].processes, "%s",
			     lists[i].list);
	cr_expect_eq(selected(NULL), 3);
}

Test(slice, lists_that_are_rejected)
{
	static const struct {
		enum iot_select what;
		const char *list;
	} lists[] = {{IOT_SELECT_PROCESSES, "1,,2"}, {IOT_SELECT_PROCESSES, ""},
		     {IOT_SELECT_PROCESSES, "12-7"}, {IOT_SELECT_PROCESSES, "4294967296"},
		     {IOT_SELECT_RANKS, "mpi*"},     {IOT_SELECT_RANKS, "7-4"},
		     {IOT_SELECT_RANKS, ""}};
	struct iot_selection *s = iot_selection_new();
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		cr_expect_eq(iot_selection_add(s, lists[i].what, lists[i].list), IOT_EFORMAT, "%s",
			     lists[i].list);
	for (int i = 0; i < 1024; i++)
		cr_assert_eq(iot_selection_add(s, IOT_SELECT_RANKS, "7"), IOT_OK);
	cr_expect_eq(iot_selection_add(s, IOT_SELECT_RANKS, "7"), IOT_ELIMIT);
	iot_selection_free(s);
}
