/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading whole traces: spellings, damage, ends of all kinds, recovery. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <unistd.h>

#include "trace_tools.h"

static const size_t read_sizes[] = {1, 17, 0};

static const char example[] = "ff %iotrace version=1 tick=1000\n"
			      "ff %file process=7 id=3 object=1 path=/scratch/out.bin\n"
			      "c0 22 0 8 0 1f4 3 7 0\n"
			      "c0 ec 3e8 1f5 3e8\n"
			      "80 28 0 64 64 32 4 64\n"
			      "80 23 2 8 a 64 3 9 0\n";

static const char example_records[] =
    "c0 0+500000 cpu 0 0+4096 op 0 7/3 obj 1 flags 0\n"
    "c0 1000000+501000 cpu 1000000 4096+4096 op 0 7/3 obj 1 flags 0\n"
    "80 1100000+50000 cpu 1100000 0+100 op 0 7/4 obj 0 flags 0\n"
    "80 1110000+100000 cpu 0 1024+4096 op 0 9/3 obj 0 flags 0\n";

/* The example's records, for every spelling, block size and way to open. */
static void expect_example(const char *text, struct how how)
{
	for (size_t i = 0; i < sizeof(read_sizes) / sizeof(read_sizes[0]); i++) {
		for (size_t batch = 1; batch < 4; batch++) {
			how.read_size = read_sizes[i];
			how.batch = batch;
			how.records_only = true;
			struct reading got = read_text(text, how);
			cr_assert_eq(got.status, 0, "%s", got.error);
			cr_assert_str_eq(got.text.data, example_records);
			cr_assert_eq(got.complete, 1);
			free_reading(&got);
		}
	}
}

static const char bare[] = "ff %file process=7 id=3 object=1\n"
			   "c0 22 0 8 0 1f4 3 7 0\n"
			   "c0 ec 3e8 1f5 3e8\n"
			   "80 28 0 64 64 32 4 64\n"
			   "80 23 2 8 a 64 3 9 0\n";

Test(reader, bare_trace)
{
	expect_example(bare, (struct how){0});
}

Test(reader, tabs_crlf_case_zeros_blank_lines_and_no_last_newline)
{
	expect_example(" \t\r\n"
		       "\tFF\t%file process=7 id=3 object=1\r\n"
		       "C0\t22  0 08 0 1F4\t3 7 0 \r\r\n"
		       "\r\n"
		       "  c0 EC 3e8 1f5 3e8\n\n"
		       "80 28 0 64 64 32 4 64\t\n"
		       "80 0 400 1000 a 64 0 3 9 -0",
		       (struct how){0});
}

Test(reader, decimal_trace)
{
	expect_example("255 %file process=7 id=3 object=1\n"
		       "192 34 0 8 0 500 3 7 0\n"
		       "192 236 1000 501 1000\n"
		       "128 40 0 100 100 50 4 100\n"
		       "128 35 2 8 10 100 3 9 0\n",
		       (struct how){0});
}

Test(reader, tick_of_a_bare_trace_is_the_callers)
{
	struct reading got = read_text("80 20 0 1 5 6 1 1 7\n", (struct how){.tick_ns = 10});
	cr_assert_str_eq(got.text.data, "80 50+60 cpu 70 0+1 op 0 1/1 obj 0 flags 0\n");
	cr_assert_eq(got.tick_ns, 10);
	free_reading(&got);
	got = read_text("ff %iotrace version=1 tick=3\n80 20 0 1 5 6 1 1 7\n",
			(struct how){.tick_ns = 10});
	cr_assert_str_eq(got.text.data, "80 15+18 cpu 21 0+1 op 0 1/1 obj 0 flags 0\n");
	cr_assert_eq(got.tick_ns, 3);
	free_reading(&got);
}

static unsigned warned;

static void count_warning(void *context, const char *sentence)
{
	cr_assert_str_eq(context, "context");
	cr_assert_not_null(strstr(sentence, "hexadecimal or decimal"));
	warned++;
}

Test(reader, tied_base_is_a_warning)
{
	static char context[] = "context";
	struct iot_reader *r = iot_reader_new();
	struct iot_record rec;
	iot_reader_on_warning(r, count_warning, context);
	cr_assert_eq(iot_reader_open_memory(r, "0 0 1 2 3 4 5 6 7 8\n", 20, "t"), IOT_OK);
	cr_assert_eq(iot_reader_records(r, &rec, 1), 1);
	cr_assert_eq(warned, 1);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_WARNINGS), 1);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_BASE), 16);
	iot_reader_free(r);
	struct reading got = read_text("0 0 1 2 3 4 5 6 7 8\n", (struct how){.base = 10});
	cr_assert_eq(got.warnings, 0);
	cr_assert_eq(got.base, 10);
	free_reading(&got);
}

Test(reader, empty_input_is_a_trace_without_records_but_not_complete)
{
	static const char *const empty[] = {"", "\n", " \r\n\n", "  "};
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		struct reading got = read_text(empty[i], (struct how){0});
		cr_assert_eq(got.status, 0, "%s", got.error);
		cr_assert_eq(got.complete, 0);
		cr_assert_eq(got.framed, 0);
		cr_assert_eq(got.records, 0);
		free_reading(&got);
	}
}

Test(reader, empty_input_is_cut_short_for_those_that_do_not_allow_it)
{
	static const char *const empty[] = {"", " \r\n\n"};
	static const char *const others[] = {
	    "ff\n", "ff %iotrace version=1 tick=1000 sync=524288\nff %end records=0 comments=0 "
		    "xxh3=190a054f1b1d7e61\n"};
	struct iot_event ev[4];
	for (size_t i = 0; i < 2; i++) {
		struct iot_reader *r = iot_reader_new();
		cr_assert_eq(iot_reader_set(r, IOT_SET_ALLOW_EMPTY, 0), IOT_OK);
		cr_assert_eq(iot_reader_open_memory(r, empty[i], strlen(empty[i]), "in"), IOT_OK);
		cr_assert_eq(iot_reader_events(r, ev, 4), IOT_ETRUNCATED);
		cr_assert_str_eq(iot_reader_error(r), i == 0 ? "in: empty file, not a trace"
							     : "in: only blank lines, not a trace");
		cr_assert_eq(iot_reader_events(r, ev, 4), IOT_ETRUNCATED);
		cr_assert_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 0);
		iot_reader_free(r);
	}
	for (size_t i = 0; i < 2; i++) {
		struct iot_reader *r = iot_reader_new();
		cr_assert_eq(iot_reader_set(r, IOT_SET_ALLOW_EMPTY, 0), IOT_OK);
		cr_assert_eq(iot_reader_open_memory(r, others[i], strlen(others[i]), "in"), IOT_OK);
		while (iot_reader_events(r, ev, 4) > 0)
			;
		cr_assert_str_eq(iot_reader_error(r), "");
		cr_assert_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 1);
		cr_assert_eq(iot_reader_seek(r, IOT_SEEK_RECORD, 5), IOT_OK);
		cr_assert_eq(iot_reader_events(r, ev, 4), 0);
		iot_reader_free(r);
	}
}

Test(reader, events_come_in_order_with_text_byte_for_byte)
{
	const char *text = "ff\nff  two\tblanks \nff %x  a=1 \xff\n80 20 0 1 5 6 1 1 7\nff end";
	for (size_t i = 0; i < sizeof(read_sizes) / sizeof(read_sizes[0]); i++) {
		struct reading got = read_text(text, (struct how){.read_size = read_sizes[i]});
		cr_assert_str_eq(got.text.data, "\n two\tblanks \n%x  a=1 \xff\n"
						"80 5000+6000 cpu 7000 0+1 op 0 1/1 obj 0 flags 0\n"
						"end\n");
		cr_assert_eq(got.comments, 4);
		cr_assert_eq(got.lines, 5);
		free_reading(&got);
	}
}

Test(reader, times_of_directives_are_nanoseconds)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_event ev[8];
	const char *text = "ff %op name=x time=5 took=2 process=1 file=2\n"
			   "ff undated\n"
			   "80 20 0 1 7 6 1 1 7\n"
			   "ff last\n";
	cr_assert_eq(iot_reader_open_memory(r, text, strlen(text), "t"), IOT_OK);
	cr_assert_eq(iot_reader_events(r, ev, 8), 4);
	cr_assert_eq(ev[0].kind, IOT_OP);
	cr_assert_eq(ev[0].has, IOT_HAS_TIME | IOT_HAS_TOOK | IOT_HAS_PROCESS | IOT_HAS_FILE);
	cr_assert_eq(ev[0].rec.start_ns, 5000);
	cr_assert_eq(ev[0].rec.duration_ns, 2000);
	cr_assert_arr_eq(ev[0].text.data, "%op name=x time=5000 took=2000 process=1 file=2",
			 ev[0].text.size);
	/* an untimed event gets the time of its neighbours */
	cr_assert_eq(ev[1].kind, IOT_COMMENT);
	cr_assert_eq(ev[1].rec.start_ns, 7000);
	cr_assert_eq(ev[2].kind, IOT_RECORD);
	cr_assert_eq(ev[3].rec.start_ns, 7000);
	iot_reader_free(r);
}

Test(reader, thousands_of_directives_do_not_end_a_batch_as_if_it_were_the_end)
{
	struct bytes b = {NULL, 0};
	for (int i = 0; i < 3000; i++) {
		char line[300];
		int n = snprintf(line, sizeof(line), "ff %%op name=x time=%d path=/%0200d", i, i);
		add_line(&b, line, (size_t)n);
		add_line(&b, "ff %file process=1 id=1 time=5", 30);
	}
	for (int only = 0; only < 2; only++) {
		struct reading got = read_bytes(b.data, b.size, (struct how){.records_only = only});
		cr_assert_eq(got.status, 0, "%s", got.error);
		cr_assert_eq(got.comments, 3001);
		cr_assert_eq(got.lines, 6000);
		free_reading(&got);
	}
	free(b.data);
}

Test(reader, names_and_objects_come_from_file)
{
	const char *text = "ff %file process=1 id=1 object=5 path=/a%20b\n"
			   "80 20 0 1 0 0 1 1 0\n"
			   "ff %file process=1 id=1 object=6 path=/c\n"
			   "80 ec 0 0 0\n"
			   "ff %op name=close process=1 file=1\n"
			   "80 ec 0 0 0\n"
			   "ff %file process=1 id=2 kind=disk object=8\n"
			   "80 e0 0 0 1 2 0\n";
	struct iot_reader *r = iot_reader_new();
	struct iot_record rec[4];
	size_t size;
	cr_assert_eq(iot_reader_open_memory(r, text, strlen(text) - 20, "t"), IOT_OK);
	cr_assert_eq(iot_reader_records(r, rec, 4), 3, "%s", iot_reader_error(r));
	cr_assert_eq(rec[0].object, 5);
	cr_assert_eq(rec[1].object, 6);
	cr_assert_eq(rec[2].object, 0);
	cr_assert_arr_eq(iot_reader_name(r, 5, &size), "/a b", 4);
	cr_assert_eq(size, 4);
	cr_assert_null(iot_reader_name(r, 7, &size));
	cr_assert_null(iot_reader_name(r, 0, NULL));
	iot_reader_free(r);
}

Test(reader, keeps_no_names_on_request)
{
	const char *text = "ff %file process=1 id=2 object=5 path=/a\n"
			   "80 20 0 1 0 1 2 1 0\n";
	struct iot_reader *r = iot_reader_new();
	struct iot_record rec[2];
	cr_assert_eq(iot_reader_set(r, IOT_SET_NAMES, 0), IOT_OK);
	cr_assert_eq(iot_reader_open_memory(r, text, strlen(text), "t"), IOT_OK);
	cr_assert_eq(iot_reader_records(r, rec, 2), 1, "%s", iot_reader_error(r));
	cr_assert_eq(rec[0].object, 5);
	cr_assert_null(iot_reader_name(r, 5, NULL));
	iot_reader_free(r);
}

Test(reader, unknown_offsets_are_flagged)
{
	struct reading got = read_text("ff %trace lacks=cpu\n"
				       "ff %file process=1 id=1 offset=unknown\n"
				       "80 20 0 1 0 0 1 1 0\n"
				       "80 ac 0 0 0 0\n"
				       "ff %file process=1 id=1 offset=known\n"
				       "80 ac 0 0 0 0\n"
				       "ff %trace lacks=offset\n"
				       "80 ac 0 0 0 0\n",
				       (struct how){.records_only = true});
	cr_assert_str_eq(got.text.data,
			 "80 0+0 cpu 0 0+1 op 0 1/1 obj 0 flags 5\n"
			 "80 0+0 cpu 0 0+1 op 0 1/1 obj 0 flags 5\n"
			 "80 0+0 cpu 0 0+1 op 0 1/1 obj 0 flags 4\n"
			 "80 0+0 cpu 0 0+1 op 0 1/1 obj 0 flags 1\n",
			 "%s", got.error);
	free_reading(&got);
}

Test(reader, identical_repeat_is_dropped_and_not_counted)
{
	struct reading got = read_text("ff %process id=1 name=a\n"
				       "ff %process id=1 name=a\n"
				       "ff %process id=1 name=b\n"
				       "ff %process id=1 name=a\n",
				       (struct how){0});
	cr_assert_str_eq(got.text.data,
			 "%process id=1 name=a\n%process id=1 name=b\n%process id=1 name=a\n");
	cr_assert_eq(got.comments, 3);
	free_reading(&got);
}

Test(reader, a_process_with_a_file_key_replaces_the_one_in_force)
{
	struct reading got = read_text("ff %process id=1 name=a\n"
				       "ff %process id=1 name=b file=3\n"
				       "ff %process id=1 name=a\n",
				       (struct how){0});
	cr_assert_eq(got.comments, 3);
	free_reading(&got);
}

/* Errors */

static void expect_error(const char *text, int status, const char *sentence)
{
	for (size_t i = 0; i < sizeof(read_sizes) / sizeof(read_sizes[0]); i++) {
		struct reading got = read_text(text, (struct how){.read_size = read_sizes[i]});
		cr_assert_eq(got.status, status, "%s: %s", text, got.error);
		cr_assert_str_eq(got.error, sentence);
		cr_assert_eq(got.complete, 0);
		free_reading(&got);
	}
}

#define HEADER "ff %iotrace version=1 tick=1000\n"
#define MERGE  "concatenated traces are not a trace; join them with `iotrace merge`"

Test(reader, every_error_of_framing_by_name)
{
	expect_error("ff %iotrace tick=1\n", IOT_EFORMAT,
		     "t.iot:1:4: %iotrace needs version=, a number");
	expect_error(
	    "ff %iotrace version=3 tick=1\n", IOT_EFORMAT,
	    "t.iot:1:4: %iotrace declares an unknown version of the format (found 3, expected 1 or "
	    "2)");
	expect_error("ff %iotrace version=1\n", IOT_EFORMAT,
		     "t.iot:1:4: %iotrace needs tick=, a number of nanoseconds of 1 to 2^63-1");
	expect_error("ff %iotrace version=1 tick=0\n", IOT_EFORMAT,
		     "t.iot:1:4: %iotrace needs tick=, a number of nanoseconds of 1 to 2^63-1");
	expect_error("ff %iotrace version=1 tick=1 sync=x\n", IOT_EFORMAT,
		     "t.iot:1:4: sync= of %iotrace is not a number");
	expect_error(HEADER HEADER, IOT_EFORMAT, "t.iot:2:4: a second %iotrace: " MERGE);
	expect_error("ff x\n" HEADER, IOT_EFORMAT, "t.iot:2:4: a second %iotrace: " MERGE);
	expect_error(HEADER "ff %sync time=0 record=0\n", IOT_EFORMAT,
		     "t.iot:2:4: %sync needs xxh3=, 16 hexadecimal digits");
	expect_error(HEADER "ff %sync record=0\n", IOT_EFORMAT,
		     "t.iot:2:4: %sync needs time=, a number");
	expect_error(HEADER "ff %sync time=0\n", IOT_EFORMAT,
		     "t.iot:2:4: %sync needs record=, a number");
	expect_error(
	    HEADER "ff %sync time=0 record=0 xxh3=0123456789abcdef\n", IOT_EFORMAT,
	    "t.iot:2:4: the text since the previous %sync does not match xxh3= of this %sync");
	expect_error(HEADER "ff %end comments=0\n", IOT_EFORMAT,
		     "t.iot:2:4: %end needs records=, a number");
	expect_error(HEADER "ff %end records=0\n", IOT_EFORMAT,
		     "t.iot:2:4: %end needs comments=, a number");
	expect_error(HEADER "ff %end records=0 comments=0 xxh3=1\n", IOT_EFORMAT,
		     "t.iot:2:4: %end needs xxh3=, 16 hexadecimal digits");
	expect_error(HEADER "ff %end records=0 comments=0 xxh3=0123456789abcdef\n", IOT_EFORMAT,
		     "t.iot:2:4: the text since the last %sync does not match xxh3= of %end");
	expect_error("ff x\nff %end records=0 comments=0 xxh3=0123456789abcdef\n", IOT_EFORMAT,
		     "t.iot:2:4: %end in a trace that does not begin with %iotrace");
	expect_error("ff x\nff %sync time=0 record=0 xxh3=0123456789abcdef\n", IOT_EFORMAT,
		     "t.iot:2:4: %sync in a trace that does not begin with %iotrace");
	expect_error(HEADER, IOT_ETRUNCATED,
		     "t.iot:2:1: ends without %end: cut short after 0 records");
}

Test(reader, a_part_of_framing_in_the_last_line)
{
	static const char cut[] = "t.iot:1:1: ends without %end: cut short after 0 records";
	expect_error("ff %iotr", IOT_ETRUNCATED, cut);
	expect_error("ff %iotrace vers", IOT_ETRUNCATED, cut);
	expect_error(HEADER "ff %end rec", IOT_ETRUNCATED,
		     "t.iot:2:1: ends without %end: cut short after 0 records");
	expect_error("ff x\nff %end rec", IOT_EFORMAT,
		     "t.iot:2:4: %end in a trace that does not begin with %iotrace");
	struct reading got = read_text("ff %iotraces a=1", (struct how){0});
	cr_assert_eq(got.status, 0, "%s", got.error);
	free_reading(&got);
}

Test(reader, counts_are_checked_without_hashes_too)
{
	static const struct {
		const char *text, *sentence;
	} bad[] = {{HEADER "ff %end records=1 comments=0 xxh3=0123456789abcdef\n",
		    "t.iot:2:4: %end declares records=1, but the trace has 0"},
		   {HEADER "ff %end records=0 comments=1 xxh3=0123456789abcdef\n",
		    "t.iot:2:4: %end declares comments=1, but the trace has 0"},
		   {HEADER "ff %sync time=0 record=1 xxh3=0123456789abcdef\n",
		    "t.iot:2:4: %sync declares record=1, but 0 records precede it"},
		   {HEADER "ff %sync time=5 record=0 xxh3=0123456789abcdef\n",
		    "t.iot:2:4: %sync declares time=5, but the previous record starts at 0"}};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct reading got = read_text(bad[i].text, (struct how){.no_verify = true});
		cr_assert_eq(got.status, IOT_EFORMAT);
		cr_assert_str_eq(got.error, bad[i].sentence);
		free_reading(&got);
	}
}

Test(reader, errors_of_lines_by_name)
{
	expect_error("ff x\nff %file id=3\n", IOT_EFORMAT, "t.iot:2:4: %file needs process=");
	expect_error(" ff  \nff\t%op name=x time=9223372036854776\n", IOT_EFORMAT,
		     "t.iot:2:4: a time leads beyond 2^63-1 nanoseconds");
	expect_error("ff x\n255 y\n", IOT_EFORMAT,
		     "t.iot:2:1: a comment of a decimal trace (255) in a hexadecimal one");
	expect_error("255 x\nff y\n", IOT_EFORMAT,
		     "t.iot:2:1: a comment of a hexadecimal trace (ff) in a decimal one");
	expect_error("ff x\nff\rx\n", IOT_EFORMAT, "t.iot:2:1: neither a record nor a comment");
	expect_error("ff x\n80 a8 0 1 0 0 0\n", IOT_EFORMAT,
		     "t.iot:2:16: processId left out, but the trace has no earlier record");
}

Test(reader, lines_that_are_too_long)
{
	enum { CAPACITY = 200000 };
	char *line = malloc(CAPACITY);
	memset(line, 'x', CAPACITY);
	memcpy(line, "ff ", 3);
	line[IOT_COMMENT_MAX] = '\r';
	line[IOT_COMMENT_MAX + 1] = '\n';
	struct reading got = read_bytes(line, IOT_COMMENT_MAX + 2, (struct how){0});
	cr_assert_eq(got.status, 0, "%s", got.error);
	free_reading(&got);
	line[IOT_COMMENT_MAX] = 'x';
	got = read_bytes(line, IOT_COMMENT_MAX + 2, (struct how){0});
	cr_assert_str_eq(got.error, "t.iot:1:65537: a comment line longer than 65536 bytes");
	free_reading(&got);
	line[IOT_COMMENT_MAX + 1] = 'x';
	for (size_t i = 1; i < sizeof(read_sizes) / sizeof(read_sizes[0]); i++) {
		got = read_bytes(line, CAPACITY, (struct how){.read_size = read_sizes[i]});
		cr_assert_eq(got.status, IOT_EFORMAT);
		cr_assert_str_eq(got.error, "t.iot:1:65537: a line longer than 65536 bytes");
		free_reading(&got);
	}
	memset(line, ' ', 5000);
	memcpy(line, "80", 2);
	line[5000] = '\n';
	got = read_bytes(line, 5001, (struct how){.base = 16});
	cr_assert_str_eq(got.error, "t.iot:1:4097: a record line has at most 4096 bytes");
	free_reading(&got);
	free(line);
}

Test(reader, something_after_the_end)
{
	struct bytes b = sample(3, (struct make){0});
	struct bytes twice = {NULL, 0};
	add_line(&twice, b.data, b.size - 1);
	add_line(&twice, "", 0);
	struct reading got = read_bytes(twice.data, twice.size, (struct how){0});
	cr_assert_eq(got.status, 0, "%s", got.error);
	free_reading(&got);
	add_line(&twice, b.data, b.size - 1);
	got = read_bytes(twice.data, twice.size, (struct how){0});
	cr_assert_eq(got.status, IOT_EFORMAT);
	cr_assert_eq(got.records, 3);
	cr_assert_not_null(strstr(got.error, "text after %end: " MERGE));
	free_reading(&got);
	free(b.data);
	free(twice.data);
}

Test(reader, error_comes_after_good_events_and_stays)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_event ev[8];
	const char *text = "ff x\n80 20 0 1 0 0 1 1 0\nff %file\n80 20 0 1 0 0 1 1 0\n";
	cr_assert_eq(iot_reader_open_memory(r, text, strlen(text), "t"), IOT_OK);
	cr_assert_str_eq(iot_reader_error(r), "");
	cr_assert_eq(iot_reader_events(r, ev, 8), 2);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(iot_reader_events(r, ev, 8), IOT_EFORMAT);
		cr_assert_str_eq(iot_reader_error(r), "t:3:4: %file needs process=");
	}
	iot_reader_free(r);
}

Test(reader, calls_out_of_turn_are_refused)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_event ev;
	cr_assert_eq(iot_reader_events(r, &ev, 1), IOT_EUSAGE);
	cr_assert_str_eq(iot_reader_error(r), "the reader is not open");
	iot_reader_free(r);
	r = iot_reader_new();
	cr_assert_eq(iot_reader_set(r, IOT_SET_VERIFY, 2), IOT_EUSAGE);
	cr_assert_eq(iot_reader_open_memory(r, "", 0, "t"), IOT_EUSAGE);
	iot_reader_free(r);
	iot_reader_free(NULL);
}

Test(reader, refusals_leave_an_open_reader_as_it_was)
{
	static const uint64_t offsets[] = {0, 4096, 0, 1024};
	struct iot_reader *r = iot_reader_new();
	struct iot_record rec;
	cr_assert_eq(iot_reader_open_memory(r, bare, strlen(bare), "t"), IOT_OK);
	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(iot_reader_set(r, IOT_SET_BASE, 10), IOT_EUSAGE);
		cr_assert_str_eq(iot_reader_error(r),
				 "settings of a reader are made before it is opened");
		cr_assert_eq(iot_reader_open_memory(r, "", 0, "t"), IOT_EUSAGE);
		cr_assert_eq(iot_reader_open(r, "/nowhere"), IOT_EUSAGE);
		cr_assert_eq(iot_reader_records(r, &rec, 0), IOT_EUSAGE);
		cr_assert_eq(iot_reader_seek(r, (enum iot_seek)99, 0), IOT_EUSAGE);
		cr_assert_eq(iot_reader_records(r, &rec, 1), 1, "%s", iot_reader_error(r));
		cr_assert_eq(rec.offset, offsets[i]);
	}
	cr_assert_eq(iot_reader_records(r, &rec, 1), 0);
	cr_assert_eq(iot_reader_fact(r, IOT_FACT_COMPLETE), 1);
	iot_reader_free(r);
}

Test(reader, settings_out_of_range_are_refused)
{
	static const struct {
		enum iot_option option;
		uint64_t value;
	} bad[] = {{IOT_SET_VERIFY, 2},       {IOT_SET_RECOVER, 2}, {IOT_SET_READ_SIZE, 0},
		   {IOT_SET_LIMIT_WINDOW, 0}, {IOT_SET_TICK_NS, 0}, {IOT_SET_BASE, 2},
		   {IOT_SET_LIMIT_MEMORY, 0}, {IOT_SET_SYNC, 1},    {IOT_SET_LEVEL, 1}};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct iot_reader *r = iot_reader_new();
		cr_assert_eq(iot_reader_set(r, bad[i].option, bad[i].value), IOT_EUSAGE, "%zu", i);
		cr_assert_str_not_empty(iot_reader_error(r));
		iot_reader_free(r);
	}
}

Test(reader, absent_file_is_reported)
{
	struct iot_reader *r = iot_reader_new();
	cr_assert_eq(iot_reader_open(r, "/nowhere/at/all.iot"), IOT_EIO);
	cr_assert_not_null(strstr(iot_reader_error(r), "/nowhere/at/all.iot"));
	cr_assert_not_null(strstr(iot_reader_error(r), "No such file"));
	iot_reader_free(r);
}

Test(reader, foreign_names_are_escaped_in_errors)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_record rec[1];
	cr_assert_eq(iot_reader_open_memory(r, "no trace\n", 9, "a\x1b\nb"), IOT_OK);
	cr_assert_eq(iot_reader_records(r, rec, 1), IOT_EFORMAT);
	cr_assert_eq(strncmp(iot_reader_error(r), "a\\x1b\\x0ab:1:", 13), 0, "%s",
		     iot_reader_error(r));
	iot_reader_free(r);
}

Test(reader, memory_has_a_limit)
{
	struct bytes b = {NULL, 0};
	for (unsigned i = 0; i < 3000; i++) {
		char line[100];
		int n = snprintf(line, sizeof(line), "80 20 0 1 0 0 %x %x 0", i, i);
		add_line(&b, line, (size_t)n);
	}
	struct reading got = read_bytes(b.data, b.size, (struct how){.memory = 200000});
	cr_assert_eq(got.status, IOT_ELIMIT);
	cr_assert_not_null(strstr(got.error, "limit of 200000 bytes (IOT_SET_LIMIT_MEMORY)"));
	cr_assert_gt(got.records, 64);
	free_reading(&got);
	got = read_bytes(b.data, b.size, (struct how){0});
	cr_assert_eq(got.status, 0, "%s", got.error);
	cr_assert_eq(got.records, 3000);
	free_reading(&got);
	got = read_bytes(b.data, b.size, (struct how){.memory = 10});
	cr_assert_eq(got.status, IOT_ELIMIT);
	free_reading(&got);
	free(b.data);
}

/* Ways in */

static ssize_t few_bytes(void *context, void *buffer, size_t size)
{
	struct bytes *left = context;
	size = size < 3 ? size : 3;
	size = size < left->size ? size : left->size;
	memcpy(buffer, left->data, size);
	left->data += size;
	left->size -= size;
	return (ssize_t)size;
}

Test(reader, memory_descriptor_and_callback_are_alike)
{
	for (unsigned c = IOT_PLAIN; c <= IOT_ZSTD; c++) {
		struct bytes b = sample(20, (struct make){.compression = c, .sync = 6}), left = b;
		const struct how how = {0};
		struct reading wanted = read_bytes(b.data, b.size, how);
		cr_assert_eq(wanted.status, 0, "%s", wanted.error);
		struct iot_reader *r = new_reader(&how);
		struct reading got =
		    drain(r, iot_reader_open_callback(r, few_bytes, &left, "c"), &how);
		cr_assert_eq(got.status, 0, "%s", got.error);
		cr_assert_str_eq(got.text.data, wanted.text.data);
		free_reading(&got);
		int fds[2];
		cr_assert_eq(pipe(fds), 0);
		cr_assert_eq(write(fds[1], b.data, b.size), (ssize_t)b.size);
		close(fds[1]);
		r = new_reader(&how);
		got = drain(r, iot_reader_open_fd(r, fds[0], "fd"), &how);
		cr_assert_eq(got.status, 0, "%s", got.error);
		cr_assert_str_eq(got.text.data, wanted.text.data);
		close(fds[0]);
		free_reading(&got);
		free_reading(&wanted);
		free(b.data);
	}
}

Test(reader, file_by_its_path)
{
	char path[] = "/tmp/iotrace-reader-XXXXXX";
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bare, strlen(bare)), (ssize_t)strlen(bare));
	close(fd);
	const struct how how = {.records_only = true};
	struct iot_reader *r = new_reader(&how);
	struct reading got = drain(r, iot_reader_open(r, path), &how);
	cr_assert_str_eq(got.text.data, example_records);
	free_reading(&got);
	unlink(path);
}

Test(reader, block_sizes_make_no_difference)
{
	for (unsigned c = IOT_PLAIN; c <= IOT_ZSTD; c++) {
		struct bytes b =
		    sample(100, (struct make){.compression = c, .sync = 9, .base = 10});
		struct reading wanted = read_bytes(b.data, b.size, (struct how){0});
		cr_assert_eq(wanted.status, 0, "%s", wanted.error);
		cr_assert_eq(wanted.records, 100);
		cr_assert_eq(wanted.comments, 8);
		for (size_t i = 0; i < sizeof(read_sizes) / sizeof(read_sizes[0]); i++) {
			struct how how = {.read_size = read_sizes[i], .batch = 1 + i * 3};
			struct reading got = read_bytes(b.data, b.size, how);
			cr_assert_eq(got.status, 0, "%s", got.error);
			cr_assert_str_eq(got.text.data, wanted.text.data);
			free_reading(&got);
		}
		free_reading(&wanted);
		free(b.data);
	}
}

/* Cut short and damaged */

/* Returns true if the delivered events are the beginning of the expected ones. */
static bool is_beginning(const struct reading *got, const struct reading *whole)
{
	return got->text.size <= whole->text.size &&
	       memcmp(got->text.data, whole->text.data, got->text.size) == 0;
}

static void cut_everywhere(enum iot_compression c, size_t read_size)
{
	const struct how how = {.records_only = true, .read_size = read_size};
	struct bytes b = sample(30, (struct make){.compression = c, .sync = 8, .no_index = true});
	struct reading whole = read_bytes(b.data, b.size, how);
	const char *last_line = memrchr(b.data, '\n', b.size - 1);
	cr_assert_eq(whole.status, 0, "%s", whole.error);
	uint64_t before = 0;
	for (size_t size = 1; size < b.size; size++) {
		char *part = malloc(size); /* so that reading beyond it is seen */
		memcpy(part, b.data, size);
		struct reading got = read_bytes(part, size, how);
		cr_assert(is_beginning(&got, &whole), "cut at %zu: %s", size, got.text.data);
		/*
		 * %end may lack its LF as last line, and truncated after fs and ffs the trace is
		 * still valid
		 */
		const bool proper =
		    c == IOT_PLAIN && (size == b.size - 1 || size == 2 || size == 3);
		if (proper)
			cr_assert_eq(got.status, 0, "cut at %zu: %s", size, got.error);
		else
			cr_assert(got.status == IOT_ETRUNCATED || got.status == IOT_EFORMAT,
				  "cut at %zu: %d", size, got.status);
		if (size > 4 && !proper)
			cr_assert_eq(got.status, IOT_ETRUNCATED, "cut at %zu: %s", size, got.error);
		cr_assert_geq(got.records, before);
		before = got.records;
		free_reading(&got);
		free(part);
	}
	if (c == IOT_PLAIN)
		cr_assert_eq(before, 30);
	cr_assert_not_null(last_line);
	free_reading(&whole);
	free(b.data);
}

Test(reader, plain_cut_at_every_byte)
{
	cut_everywhere(IOT_PLAIN, 0);
	cut_everywhere(IOT_PLAIN, 17);
}

Test(reader, gzip_cut_at_every_byte)
{
	cut_everywhere(IOT_GZIP, 0);
	cut_everywhere(IOT_GZIP, 1);
}

Test(reader, zstd_cut_at_every_byte)
{
	cut_everywhere(IOT_ZSTD, 0);
	cut_everywhere(IOT_ZSTD, 17);
}

Test(reader, all_whole_lines_before_a_cut_are_delivered)
{
	struct bytes b = sample(12, (struct make){0});
	const struct how how = {.records_only = true};
	uint64_t records = 0;
	for (size_t size = 1; size < b.size; size++) {
		struct reading got = read_bytes(b.data, size, how);
		if (b.data[size - 1] == '\n') {
			const char *line = memrchr(b.data, '\n', size - 1);
			records += line != NULL && strncmp(line + 1, "ff", 2) != 0;
		}
		cr_assert_eq(got.records, records, "cut at %zu", size);
		free_reading(&got);
	}
	free(b.data);
}

Test(reader, flipped_bytes_are_never_believed)
{
	const struct how how = {0};
	for (unsigned c = IOT_PLAIN; c <= IOT_ZSTD; c++) {
		struct bytes b = sample(20, (struct make){.compression = c, .sync = 8});
		struct reading whole = read_bytes(b.data, b.size, how);
		for (size_t i = 0; i < b.size; i++) {
			for (unsigned bit = 0; bit < 8; bit += c == IOT_PLAIN ? 1 : 2) {
				b.data[i] = (char)(b.data[i] ^ 1 << bit);
				struct reading got = read_bytes(b.data, b.size, how);
				/* gzip has header bytes that do not affect the text */
				cr_assert(got.status < 0 ||
					      strcmp(got.text.data, whole.text.data) == 0 ||
					      got.framed == 0,
					  "compression %u byte %zu bit %u", c, i, bit);
				b.data[i] = (char)(b.data[i] ^ 1 << bit);
				free_reading(&got);
			}
		}
		free_reading(&whole);
		free(b.data);
	}
}

Test(reader, frames_can_be_entered)
{
	for (unsigned c = IOT_GZIP; c <= IOT_ZSTD; c++) {
		const struct how how_to_read = {.records_only = true, .no_cpu = true};
		const struct make how = {.compression = c, .sync = 10};
		struct bytes b = sample(35, how);
		struct reading whole = read_bytes(b.data, b.size, how_to_read);
		const char magic[2][4] = {"\x1f\x8b\x08", "\x28\xb5\x2f"};
		const char *p = b.data;
		size_t frames = 0;
		while ((p = memmem(p + 1, b.size - (size_t)(p + 1 - b.data), magic[c - 1], 3)) !=
		       NULL) {
			frames++;
			struct reading got =
			    read_bytes(p, b.size - (size_t)(p - b.data), how_to_read);
			cr_assert_eq(got.status, 0, "%s", got.error);
			cr_assert_eq(got.records, 35 - 10 * frames);
			cr_assert_str_eq(got.text.data,
					 whole.text.data + whole.text.size - got.text.size);
			free_reading(&got);
		}
		cr_assert_eq(frames, 3);
		free_reading(&whole);
		free(b.data);
	}
}

/* Recovery */

static const struct how recover = {.recover = true};

/* The place of the n-th line, from 0. */
static char *line_at(struct bytes b, unsigned n)
{
	char *p = b.data;
	while (n-- > 0)
		p = (char *)memchr(p, '\n', b.size - (size_t)(p - b.data)) + 1;
	return p;
}

static unsigned count_of(const char *text, const char *what)
{
	unsigned n = 0;
	for (const char *p = text; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

static char *find(struct bytes b, const char *what)
{
	char *p = memmem(b.data, b.size, what, strlen(what));
	cr_assert_not_null(p);
	return p;
}

Test(reader, bad_line_is_recovered_from_at_the_next_sync)
{
	struct bytes b = sample(35, (struct make){.sync = 10});
	struct reading whole = read_bytes(b.data, b.size, (struct how){.records_only = true});
	/*
	 * the third record of the second interval; none of its lines looks like a comment after
	 * that
	 */
	char *sync = find(b, "ff %sync");
	char *bad = memmem(sync, b.size - (size_t)(sync - b.data), "\nc0", 3);
	cr_assert_not_null(bad);
	bad[2] = 'x';
	for (size_t i = 0; i < sizeof(read_sizes) / sizeof(read_sizes[0]); i++) {
		struct reading got = read_bytes(
		    b.data, b.size, (struct how){.recover = true, .read_size = read_sizes[i]});
		cr_assert_eq(got.status, 0, "%s", got.error);
		cr_assert_eq(got.lost, 1);
		cr_assert_eq(got.records + got.lost_records, 35);
		cr_assert_eq(got.complete, 1);
		cr_assert_not_null(strstr(got.text.data, "%lost time=190000 records="));
		cr_assert_not_null(strstr(got.text.data, "found%20'cx'%20as%20recordType"));
		free_reading(&got);
		/* the last interval is unchanged, except for the CPU clock, which continues */
		got =
		    read_bytes(b.data, b.size, (struct how){.recover = true, .records_only = true});
		cr_assert_eq(got.status, 0, "%s", got.error);
		cr_assert_eq(count_of(got.text.data, "\n"), got.records);
		cr_assert_not_null(strstr(got.text.data, " 340000+"));
		free_reading(&got);
	}
	free_reading(&whole);
	free(b.data);
}

Test(reader, wrong_hash_is_reported_and_passed)
{
	struct bytes b = sample(35, (struct make){.sync = 10});
	char *p = find(b, "free text");
	memcpy(p, "FREE", 4);
	struct reading got = read_bytes(b.data, b.size, (struct how){0});
	cr_assert_eq(got.status, IOT_EFORMAT);
	cr_assert_eq(got.records, 10);
	free_reading(&got);
	got = read_bytes(b.data, b.size, recover);
	cr_assert_eq(got.status, 0, "%s", got.error);
	cr_assert_eq(got.records, 35);
	cr_assert_eq(got.lost, 1);
	cr_assert_eq(got.lost_records, 0);
	cr_assert_not_null(strstr(got.text.data, "FREE text"));
	cr_assert_not_null(strstr(got.text.data, "%lost time=90000 why="));
	free_reading(&got);
	got = read_bytes(b.data, b.size, (struct how){.no_verify = true});
	cr_assert_eq(got.status, 0, "%s", got.error);
	free_reading(&got);
	free(b.data);
}

Test(reader, damaged_sync_does_not_mislead)
{
	struct bytes b = sample(35, (struct make){.sync = 10});
	struct reading whole = read_bytes(b.data, b.size, (struct how){.records_only = true});
	char *p = find(b, "record=20");
	p[7] = '9';
	struct reading got =
	    read_bytes(b.data, b.size, (struct how){.recover = true, .records_only = true});
	cr_assert_eq(got.status, 0, "%s", got.error);
	cr_assert_eq(got.lost, 1);
	cr_assert_eq(got.lost_records, 0);
	cr_assert_str_eq(got.text.data, whole.text.data);
	free_reading(&got);
	free_reading(&whole);
	free(b.data);
}

Test(reader, missing_lines_are_counted)
{
	struct bytes b = sample(35, (struct make){.sync = 10});
	char *from = line_at(b, 20), *to = line_at(b, 23);
	memmove(from, to, b.size - (size_t)(to - b.data));
	b.size -= (size_t)(to - from);
	struct reading got = read_bytes(b.data, b.size, recover);
	cr_assert_eq(got.status, 0, "%s", got.error);
	cr_assert_eq(got.lost, 1);
	cr_assert_eq(got.records + got.lost_records, 35);
	free_reading(&got);
	free(b.data);
}

Test(reader, end_is_a_place_to_go_on_too)
{
	struct bytes b = sample(15, (struct make){.sync = 10});
	char *last = memrchr(b.data, '\n', b.size - 1);
	last[-1] = 'x';
	struct reading got = read_bytes(b.data, b.size, recover);
	cr_assert_eq(got.status, 0, "%s", got.error);
	cr_assert_eq(got.records, 14);
	cr_assert_eq(got.lost_records, 1);
	free_reading(&got);
	free(b.data);
}

Test(reader, damage_without_a_way_out)
{
	struct reading got = read_text("ff x\n80 20 0 1 0 0 1 1 0\nzz\n80 ec 0 0 0\n", recover);
	cr_assert_eq(got.status, IOT_EFORMAT);
	cr_assert_eq(got.records, 1);
	cr_assert_eq(got.lost, 1);
	cr_assert_str_eq(got.text.data,
			 "x\n80 0+0 cpu 0 0+1 op 0 1/1 obj 0 flags 0\n"
			 "%lost time=0 why=line%203:%20found%201%20field,%20expected%2010\n");
	cr_assert_str_eq(got.error, "t.iot: line 3: found 1 field, expected 10; no %sync follows");
	free_reading(&got);
}

Test(reader, cut_is_reported_as_an_event_also)
{
	struct reading got = read_text(example, recover);
	cr_assert_eq(got.status, IOT_ETRUNCATED);
	cr_assert_eq(got.records, 4);
	cr_assert_eq(got.lost, 1);
	cr_assert_not_null(strstr(got.text.data, "%lost time=1110000 why=cut%20short\n"));
	free_reading(&got);
}

Test(reader, damaged_frame_costs_no_more_than_its_interval)
{
	for (unsigned c = IOT_GZIP; c <= IOT_ZSTD; c++) {
		struct bytes b = sample(100, (struct make){.compression = c, .sync = 20});
		const char magic[2][4] = {"\x1f\x8b\x08", "\x28\xb5\x2f"};
		char *second = memmem(b.data + 1, b.size - 1, magic[c - 1], 3);
		memset(second + 30, 0x55, 20);
		struct reading got = read_bytes(b.data, b.size, (struct how){0});
		cr_assert_eq(got.status, IOT_EFORMAT, "%s", got.error);
		free_reading(&got);
		got = read_bytes(b.data, b.size, recover);
		cr_assert_eq(got.status, 0, "%s", got.error);
		cr_assert_geq(got.records, 80);
		cr_assert_eq(got.records + got.lost_records, 100);
		cr_assert_eq(got.lost, 1);
		free_reading(&got);
		free(b.data);
	}
}

Test(reader, recovery_survives_a_line_without_end)
{
	struct bytes b = sample(35, (struct make){.sync = 10}), bad = {NULL, 0};
	char *sync = find(b, "ff %sync"), *garbage = malloc(300000);
	memset(garbage, 'z', 300000);
	add_line(&bad, b.data, (size_t)(sync - b.data) - 1);
	add_line(&bad, garbage, 300000);
	add_line(&bad, sync, b.size - (size_t)(sync - b.data) - 1);
	for (size_t i = 1; i < sizeof(read_sizes) / sizeof(read_sizes[0]); i++) {
		struct reading got = read_bytes(
		    bad.data, bad.size, (struct how){.recover = true, .read_size = read_sizes[i]});
		cr_assert_eq(got.status, 0, "%s", got.error);
		cr_assert_eq(got.records, 35);
		cr_assert_eq(got.lost, 1);
		free_reading(&got);
	}
	free(garbage);
	free(bad.data);
	free(b.data);
}

/* Whichever byte is damaged: recovery terminates, and delivers intact intervals correctly. */
Test(reader, recovery_from_any_damage_ends)
{
	struct bytes b = sample(35, (struct make){.sync = 10});
	for (size_t i = 0; i < b.size; i++) {
		const char was = b.data[i];
		b.data[i] = i % 2 ? '\n' : 'z';
		struct reading got =
		    read_bytes(b.data, b.size, (struct how){.recover = true, .read_size = 17});
		cr_assert_leq(got.records, 36);
		if (b.data[i] != was && got.framed)
			cr_assert(got.lost > 0 || got.status < 0, "byte %zu", i);
		free_reading(&got);
		b.data[i] = was;
	}
	free(b.data);
}
