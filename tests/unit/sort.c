/* SPDX-License-Identifier: BSD-2-Clause */
/* The sort stage: what follows from how events are divided into batches. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/filter.h>

/* A source of given batches: lines separated by LF, a number is a record that starts then. */
struct script {
	const char *const *batch;
	struct iot_event ev[16];
};

static int next_batch(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct script *s = context;
	(void)self;
	if (*s->batch == NULL)
		return 0;
	for (const char *at = *s->batch; *at != '\0';) {
		const size_t n = strcspn(at, "\n");
		struct iot_event *ev = &b->events[b->count++];
		*ev = (struct iot_event){.kind = IOT_RECORD};
		ev->rec.start_ns = strtol(at, NULL, 10);
		if (*at == '%') {
			ev->text = (struct iot_text){at, n};
			cr_assert_eq(iot_directive_parse(ev, NULL), IOT_OK);
		}
		at += n + (at[n] == '\n');
	}
	s->batch++;
	return 1;
}

/* Pulls from the stream, at most `pulls` times; returns the events as lines. */
static char *pull(struct iot_stream *s, unsigned pulls)
{
	static char lines[1024];
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	size_t used = 0;
	int status = 1;
	for (; pulls > 0 && status > 0; pulls--) {
		status = iot_stream_next(s, b);
		cr_assert_geq(status, 0);
		for (size_t i = 0; i < b->count; i++) {
			const struct iot_event *ev = &b->events[i];
			const int n = ev->kind == IOT_RECORD
					  ? snprintf(lines + used, sizeof(lines) - used, "%lld\n",
						     (long long)ev->rec.start_ns)
					  : snprintf(lines + used, sizeof(lines) - used, "%.*s\n",
						     (int)ev->text.size, ev->text.data);
			used += (size_t)n;
		}
	}
	lines[used] = '\0';
	iot_batch_free(b);
	return lines;
}

static struct iot_stream *sorted(struct script *script, const struct iot_sort_options *options)
{
	static const struct iot_stage stage = {.next = next_batch};
	return iot_stream_sort(iot_stream_new(NULL, &stage, script), options);
}

Test(sort, first_traces_may_come_in_several_batches)
{
	const struct iot_sort_options options = {
	    .size = sizeof(options), .mode = IOT_SORT_WINDOW, .window_ns = 10};
	static const char *const batch[] = {"%trace host=a\n%trace host=b", "%trace host=c",
					    "7\n%op name=x\n5", NULL};
	struct script script = {.batch = batch};
	struct iot_stream *s = sorted(&script, &options);
	cr_assert_str_eq(pull(s, 20),
			 "%trace host=a\n%trace host=b\n%trace host=c\n%op name=x\n5\n7\n");
	iot_stream_free(s);
}

Test(sort, window_passes_events_before_the_end)
{
	static const char *const batch[] = {"10\n5", "200\n190", "400", "500", NULL};
	for (uint32_t by_start = 0; by_start < 2; by_start++) {
		const struct iot_sort_options options = {.size = sizeof(options),
							 .mode = IOT_SORT_WINDOW,
							 .window_ns = 100,
							 .by_start = by_start};
		struct script script = {.batch = batch};
		struct iot_stream *s = sorted(&script, &options);
		cr_expect_str_eq(pull(s, 3), "5\n10\n190\n200\n", "by_start=%u", by_start);
		iot_stream_free(s);
	}
}

Test(sort, a_trace_with_a_time_is_no_watermark)
{
	const struct iot_sort_options options = {.size = sizeof(options)};
	static const char *const batch[] = {"%trace time=500 host=a\n200\n100", NULL};
	struct script script = {.batch = batch};
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct iot_stream *s = sorted(&script, &options);
	cr_assert_eq(iot_stream_next(s, b), 1);
	cr_assert_eq(b->count, 1);
	cr_assert_eq(b->watermark_ns, INT64_MIN);
	cr_assert_eq(iot_stream_next(s, b), 1);
	cr_assert_eq(b->count, 2);
	cr_assert_eq(b->watermark_ns, 200);
	iot_stream_free(s);
	iot_batch_free(b);
}
