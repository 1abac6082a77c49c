/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of tables of Arrow: streams of given events, and tables of them. */
#ifndef TESTS_ARROW_TOOLS_H
#define TESTS_ARROW_TOOLS_H

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "fuzz/arrow_valid.h"

/* A stream of given events, which ends with a status. */
struct given {
	const struct iot_event *ev;
	size_t count, at;
	int status;
};

static inline int next_given(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct given *g = context;
	while (g->at < g->count && b->count < b->capacity)
		b->events[b->count++] = g->ev[g->at++];
	if (b->count > 0)
		return 1;
	return g->status == IOT_OK ? 0 : iot_stream_fail(self, g->status, "no more events");
}

static inline struct iot_stream *given(const struct iot_event *ev, size_t count, int status)
{
	static const struct iot_stage stage = {.next = next_given, .close = free};
	struct given *g = malloc(sizeof *g);
	if (g == NULL)
		return NULL;
	*g = (struct given){ev, count, 0, status};
	return iot_stream_new(NULL, &stage, g);
}

static inline struct iot_event directive(const char *text)
{
	struct iot_event ev = {.text = {text, strlen(text)}};
	cr_assert_eq(iot_directive_parse(&ev, NULL), IOT_OK);
	return ev;
}

static inline struct iot_event record(uint32_t file, uint64_t offset)
{
	return (struct iot_event){.kind = IOT_RECORD,
				  .rec = {.start_ns = 5,
					  .duration_ns = 7,
					  .offset = offset,
					  .length = 9,
					  .file = file,
					  .process = 1,
					  .type = IOT_LOGICAL | IOT_WRITE}};
}

static inline struct ArrowArrayStream table(struct iot_stream *from, const char *columns,
					    uint32_t rows)
{
	struct ArrowArrayStream s;
	const struct iot_arrow_options o = {
	    .size = sizeof o, .columns = columns, .rows = rows, .all_events = 1, .timestamps = 1};
	cr_assert_eq(iot_stream_arrow(from, &o, &s), IOT_OK);
	return s;
}

static inline void check_text(const struct ArrowArray *column, int64_t row, const char *wanted)
{
	const int32_t code = ((const int32_t *)column->buffers[1])[row];
	const int32_t *offset = column->dictionary->buffers[1];
	if (wanted == NULL) {
		cr_assert(arrow_is_null(column, row));
		return;
	}
	cr_assert(!arrow_is_null(column, row));
	cr_assert_eq((size_t)(offset[code + 1] - offset[code]), strlen(wanted));
	cr_assert_eq(memcmp((const char *)column->dictionary->buffers[2] + offset[code], wanted,
			    strlen(wanted)),
		     0);
}

#endif
