/* SPDX-License-Identifier: BSD-2-Clause */
/* The stage that merges, through the public interface. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/filter.h>

/* A source that reads a text of bare lines, in batches of few events. */
struct text_source {
	struct iot_reader *reader;
	int status; /* at the end */
};

static int next_text(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct text_source *t = context;
	const ssize_t n = iot_reader_events(t->reader, b->events, b->capacity < 3 ? 1 : 3);
	if (n < 0)
		return iot_stream_fail(self, (int)n, iot_reader_error(t->reader));
	b->count = (size_t)n;
	if (n == 0 && t->status != IOT_OK)
		return iot_stream_fail(self, t->status, "no more");
	return n > 0;
}

static void close_text(void *context)
{
	struct text_source *t = context;
	iot_reader_free(t->reader);
	free(t);
}

static struct iot_stream *stream_of(const char *text, int status)
{
	static const struct iot_stage stage = {.next = next_text, .close = close_text};
	struct text_source *t = calloc(1, sizeof(*t));
	cr_assert_not_null(t);
	t->reader = iot_reader_new();
	t->status = status;
	cr_assert_eq(iot_reader_set(t->reader, IOT_SET_TICK_NS, 1), IOT_OK);
	cr_assert_eq(iot_reader_open_memory(t->reader, text, strlen(text), "text"), IOT_OK);
	return iot_stream_new(NULL, &stage, t);
}

/* Appends events as "r START PROCESS FILE" or as their text. */
static void append(char *out, size_t size, const struct iot_event *ev)
{
	const size_t used = strlen(out);
	if (ev->kind == IOT_RECORD)
		snprintf(out + used, size - used, "r %lld %u %u\n", (long long)ev->rec.start_ns,
			 ev->rec.process, ev->rec.file);
	else
		snprintf(out + used, size - used, "%.*s\n", (int)ev->text.size, ev->text.data);
}

static int drain(struct iot_stream *s, char *out, size_t size)
{
	struct iot_batch *b = iot_batch_new(7);
	int status;
	out[0] = '\0';
	cr_assert_not_null(s);
	while ((status = iot_stream_next(s, b)) > 0)
		for (size_t i = 0; i < b->count; i++)
			append(out, size, &b->events[i]);
	iot_batch_free(b);
	return status;
}

#define OPTIONS .size = sizeof(struct iot_merge_options)

static void expect(const struct iot_merge_options *o, const char *a, const char *b,
		   const char *wanted)
{
	char out[2048];
	struct iot_stream *inputs[] = {stream_of(a, IOT_OK), stream_of(b, IOT_OK)};
	struct iot_stream *s = iot_stream_merge(inputs, 2, o);
	cr_expect_eq(drain(s, out, sizeof(out)), 0, "%s", iot_stream_error(s));
	cr_expect_str_eq(out, wanted);
	iot_stream_free(s);
}

static const char FIRST[] = "ff %trace host=a epoch=1000\n"
			    "ff %process id=1 name=x\n"
			    "80 0 0 10 8 10 5 1 1 0\n"
			    "ff between\n"
			    "80 0 0 10 8 10 5 1 1 0\n";
static const char SECOND[] = "ff %trace host=b epoch=1010\n"
			     "80 0 0 10 8 10 5 1 1 0\n";

Test(merge_stream, aligns_by_epoch_and_keeps_ids_apart)
{
	const struct iot_merge_options o = {OPTIONS};
	char out[2048];
	struct iot_stream *inputs[] = {stream_of(SECOND, IOT_OK), stream_of(FIRST, IOT_OK)};
	struct iot_stream *s = iot_stream_merge(inputs, 2, &o);
	cr_expect_eq(drain(s, out, sizeof(out)), 0, "%s", iot_stream_error(s));
	iot_stream_free(s);
	expect(&o, FIRST, SECOND, out);
	cr_expect_not_null(strstr(out, "%trace host=a epoch=1000\n%trace host=b epoch=1000\n"));
}

Test(merge_stream, first_batch_is_empty)
{
	const struct iot_merge_options o = {OPTIONS};
	struct iot_stream *inputs[] = {stream_of(FIRST, IOT_OK)};
	struct iot_stream *s = iot_stream_merge(inputs, 1, &o);
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	cr_expect_eq(iot_stream_next(s, b), 1);
	cr_expect_eq(b->count, 0);
	cr_expect_eq(iot_stream_next(s, b), 1);
	iot_batch_free(b);
	iot_stream_free(s);
}

struct ends {
	int status[2];
	unsigned count;
};

static void keep_end(void *context, size_t input, int status, const char *sentence)
{
	struct ends *e = context;
	e->status[input] = status;
	e->count++;
	cr_expect_eq(sentence[0] == '\0', status == IOT_OK);
}

Test(merge_stream, damaged_input_ends_with_lost)
{
	struct ends ends = {.count = 0};
	const struct iot_merge_options o = {OPTIONS, .ended = keep_end, .context = &ends};
	char out[2048];
	struct iot_stream *inputs[] = {stream_of(FIRST, IOT_EFORMAT), stream_of(SECOND, IOT_OK)};
	struct iot_stream *s = iot_stream_merge(inputs, 2, &o);
	cr_expect_eq(drain(s, out, sizeof(out)), 0);
	cr_expect_not_null(strstr(out, "%lost time="), "%s", out);
	cr_expect_eq(ends.count, 2);
	cr_expect_eq(ends.status[0], IOT_EFORMAT);
	cr_expect_eq(ends.status[1], IOT_OK);
	iot_stream_free(s);
}

Test(merge_stream, other_errors_end_the_merge)
{
	const struct iot_merge_options o = {OPTIONS};
	char out[2048];
	struct iot_stream *inputs[] = {stream_of(FIRST, IOT_EUSAGE), stream_of(SECOND, IOT_OK)};
	struct iot_stream *s = iot_stream_merge(inputs, 2, &o);
	cr_expect_eq(drain(s, out, sizeof(out)), IOT_EUSAGE);
	cr_expect_str_eq(iot_stream_error(s), "no more");
	iot_stream_free(s);
}

Test(merge_stream, input_out_of_order_is_an_error)
{
	static const char *const names[] = {"late", "b", "c"};
	static const char late[] = "80 0 0 10 8 10 5 1 1 0\nff x\n80 0 0 10 -1 10 5 1 1 0\n";
	for (uint64_t open_max = 0; open_max <= 2; open_max += 2) {
		const struct iot_merge_options o = {OPTIONS, .name = names, .open_max = open_max};
		char out[2048];
		struct iot_stream *inputs[] = {stream_of(late, IOT_OK), stream_of(SECOND, IOT_OK),
					       stream_of("80 0 0 10 9 10 5 1 1 0\n", IOT_OK)};
		struct iot_stream *s = iot_stream_merge(inputs, 3, &o);
		cr_expect_eq(drain(s, out, sizeof(out)), IOT_EFORMAT);
		cr_expect_not_null(strstr(out, "r 8 "), "%s", out);
		cr_expect_null(strstr(out, "r 9 "), "%s", out);
		cr_expect_str_eq(iot_stream_error(s),
				 "late: a record starts before the one before it");
		iot_stream_free(s);
	}
}

static int shift_second(void *context, size_t input, const char *host, int has_epoch,
			int64_t *shift_ns)
{
	const int *status = context;
	cr_expect_str_eq(host, input == 0 ? "a" : "b");
	cr_expect(has_epoch);
	*shift_ns = input == 0 ? 0 : 1000;
	return *status;
}

Test(merge_stream, more_than_4_MiB_of_trace_in_one_of_many_inputs_are_an_error)
{
	enum { INPUTS = 64, LINES = 80, VALUE = 60000 };
	const struct iot_merge_options o = {OPTIONS};
	char *text = malloc((size_t)LINES * (VALUE + 20)), out[64], *at = text;
	cr_assert_not_null(text);
	for (int i = 0; i < LINES; i++)
		at += sprintf(at, "ff %%trace x=%0*d\n", VALUE, i);
	struct iot_stream *inputs[INPUTS];
	for (int i = 0; i < INPUTS; i++)
		inputs[i] = stream_of(i == 0 ? text : FIRST, IOT_OK);
	struct iot_stream *s = iot_stream_merge(inputs, INPUTS, &o);
	cr_expect_eq(drain(s, out, sizeof(out)), IOT_ELIMIT);
	cr_expect_not_null(strstr(iot_stream_error(s), "%trace"));
	iot_stream_free(s);
	free(text);
}

Test(merge_stream, shifts_come_from_the_caller)
{
	int status = IOT_OK;
	const struct iot_merge_options o = {OPTIONS, .shift = shift_second, .context = &status};
	char out[2048];
	struct iot_stream *inputs[] = {stream_of(FIRST, IOT_OK), stream_of(SECOND, IOT_OK)};
	struct iot_stream *s = iot_stream_merge(inputs, 2, &o);
	cr_expect_eq(drain(s, out, sizeof(out)), 0);
	cr_expect_not_null(strstr(out, "%trace host=b epoch=1000"), "%s", out);
	iot_stream_free(s);
	status = IOT_EUSAGE;
	struct iot_stream *again[] = {stream_of(FIRST, IOT_OK), stream_of(SECOND, IOT_OK)};
	s = iot_stream_merge(again, 2, &o);
	cr_expect_eq(drain(s, out, sizeof(out)), IOT_EUSAGE);
	iot_stream_free(s);
}

/* The text of `records` lines that start at different times. */
static char *make_text(unsigned records, unsigned seed)
{
	char *text = malloc(records * 64 + 1);
	cr_assert_not_null(text);
	size_t n = 0;
	for (unsigned i = 0; i < records; i++) {
		n += (size_t)sprintf(text + n, "80 0 0 %x %x 10 5 1 1 0\n", seed + i,
				     seed % 5 + i % 3);
		if (i % 7 == seed % 7)
			n += (size_t)sprintf(text + n, "ff comment %u of %u\n", i, seed);
	}
	return text;
}

enum { MANY = 9, SIZE = 1 << 16 };

static char *merge_many(uint64_t open_max)
{
	const struct iot_merge_options o = {OPTIONS, .open_max = open_max};
	struct iot_stream *inputs[MANY];
	char *text[MANY], *out = malloc(SIZE);
	for (unsigned i = 0; i < MANY; i++) {
		text[i] = make_text(40, i);
		inputs[i] = stream_of(text[i], IOT_OK);
	}
	struct iot_stream *s = iot_stream_merge(inputs, MANY, &o);
	cr_expect_eq(drain(s, out, SIZE), 0, "%s", iot_stream_error(s));
	iot_stream_free(s);
	for (unsigned i = 0; i < MANY; i++)
		free(text[i]);
	return out;
}

Test(merge_stream, groups_give_the_same)
{
	char *at_once = merge_many(0);
	for (uint64_t max = 2; max <= MANY + 1; max++) {
		char *grouped = merge_many(max);
		cr_expect_str_eq(grouped, at_once, "%u inputs at a time", (unsigned)max);
		free(grouped);
	}
	free(at_once);
}

Test(merge_stream, invalid_options_are_refused)
{
	const struct iot_merge_options wrong[] = {
	    {.size = 0}, {OPTIONS, .open_max = 1}, {OPTIONS, .keep_ids = 1, .join_paths = 1}};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct iot_stream *inputs[] = {stream_of(FIRST, IOT_OK)};
		cr_expect_null(iot_stream_merge(inputs, 1, &wrong[i]));
	}
}

Test(merge_stream, an_input_that_could_not_be_made_makes_no_stage)
{
	const struct iot_merge_options options = {OPTIONS};
	struct iot_stream *inputs[] = {stream_of(FIRST, IOT_OK), NULL, stream_of(FIRST, IOT_OK)};
	cr_expect_null(iot_stream_merge(inputs, 3, &options));
}
