/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts, ends and CPU clocks of records, times and ends of directives. */
#include "rounding.h"

#include "lib/base/number.h"

static void see(struct iot_rounding *r, uint64_t rest_ns)
{
	r->times += rest_ns > 0;
	r->max_ns = rest_ns > r->max_ns ? rest_ns : r->max_ns;
}

/* The part truncated from a clock, which may be negative. */
static uint64_t rest_of(int64_t ns, uint64_t tick_ns)
{
	if (ns >= 0)
		return (uint64_t)ns % tick_ns;
	const uint64_t below = (0 - (uint64_t)ns) % tick_ns;
	return below > 0 ? tick_ns - below : 0;
}

static void see_record(struct iot_rounding *r, const struct iot_record *rec)
{
	see(r, rest_of(rec->start_ns, r->tick_ns));
	see(r, ((uint64_t)rec->start_ns + rec->duration_ns) % r->tick_ns);
	see(r, rest_of(rec->cpu_ns, r->tick_ns));
}

static void see_directive(struct iot_rounding *r, const struct iot_event *ev)
{
	const struct iot_text time = iot_directive_get(ev, "time"),
			      took = iot_directive_get(ev, "took");
	uint64_t time_ns, took_ns;
	if (time.data == NULL || !number_decimal(time.data, time.size, &time_ns))
		return;
	see(r, time_ns % r->tick_ns);
	if (took.data != NULL && number_decimal(took.data, took.size, &took_ns))
		see(r, (time_ns + took_ns) % r->tick_ns);
}

void rounding_records(struct iot_rounding *r, const struct iot_record *rec, size_t n)
{
	for (size_t i = 0; i < n && r->tick_ns > 0; i++)
		see_record(r, &rec[i]);
}

void rounding_events(struct iot_rounding *r, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && r->tick_ns > 0; i++) {
		if (ev[i].kind == IOT_RECORD)
			see_record(r, &ev[i].rec);
		else
			see_directive(r, &ev[i]);
	}
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	rounding_events(context, b->events, b->count);
	return status;
}

struct iot_stream *iot_stream_count_rounding(struct iot_stream *upstream, struct iot_rounding *r)
{
	static const struct iot_stage stage = {.next = next};
	return upstream != NULL ? iot_stream_new(upstream, &stage, r) : NULL;
}
