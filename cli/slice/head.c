/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of the trace up to its first record. */
#include "slice.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"

static bool keep_trace(struct slice_run *r, const struct iot_event *ev)
{
	if (r->trace_count == TRACES_MAX)
		return true;
	char *text = malloc(ev->text.size + 1);
	if (text == NULL)
		return false;
	memcpy(text, ev->text.data, ev->text.size);
	text[ev->text.size] = '\0';
	r->traces[r->trace_count++] = text;
	return true;
}

static void take_epoch(struct slice_run *r, const struct iot_event *ev)
{
	const struct iot_text epoch = iot_directive_get(ev, "epoch");
	uint64_t ns;
	if (epoch.data != NULL && !r->span.has_epoch &&
	    number_decimal(epoch.data, epoch.size, &ns)) {
		r->span.has_epoch = true;
		r->span.epoch_ns = ns;
	}
}

/* Returns true if the first record is among the events, or if out of memory. */
static bool look_at_head(struct slice_run *r, size_t begin, size_t end, bool *failed)
{
	unsigned lacks;
	for (size_t i = begin; i < end && !*failed; i++) {
		if (r->head->events[i].kind == IOT_RECORD) {
			r->span.first_ns = r->head->events[i].rec.start_ns;
			return true;
		}
		if (r->head->events[i].kind != IOT_TRACE)
			continue;
		take_epoch(r, &r->head->events[i]);
		if (iot_directive_lacks(&r->head->events[i], &lacks))
			r->no_starts = (lacks & IOT_START_UNKNOWN) != 0;
		*failed = !keep_trace(r, &r->head->events[i]);
	}
	return *failed;
}

size_t slice_read_head(struct slice_run *r, bool *whole, bool *failed)
{
	size_t n = 0, begin = 0, got;
	bool found = false;
	*whole = true;
	while (!found && !*failed && n < TRACE_IN_BATCH) {
		begin = trace_in_seekable(&r->in) ? 0 : n;
		r->head->count = begin;
		*failed = iot_batch_keep_text(r->head) != IOT_OK;
		got = trace_in_events(&r->in, r->head->events + begin, TRACE_IN_BATCH - begin);
		if (got == 0)
			break;
		n = begin + got;
		found = look_at_head(r, begin, n, failed);
		if (!found && trace_in_seekable(&r->in)) {
			*whole = false;
			n = 0;
		}
	}
	return n;
}
