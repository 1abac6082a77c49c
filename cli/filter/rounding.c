/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts, ends and CPU clocks of records, times and ends of directives. */
#include "rounding.h"

#include <inttypes.h>

#include "lib/base/number.h"

#include "cli/ui/output.h"

void rounding_begin(struct rounding *r, const struct iot_writer *w, bool wanted)
{
	const uint64_t tick_ns = wanted ? iot_writer_fact(w, IOT_FACT_TICK_NS) : 0;
	*r = (struct rounding){.tick_ns = tick_ns > 1 ? tick_ns : 0};
}

static void see(struct rounding *r, uint64_t rest_ns)
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

static void see_record(struct rounding *r, const struct iot_record *rec)
{
	see(r, rest_of(rec->start_ns, r->tick_ns));
	see(r, ((uint64_t)rec->start_ns + rec->duration_ns) % r->tick_ns);
	see(r, rest_of(rec->cpu_ns, r->tick_ns));
}

static void see_directive(struct rounding *r, const struct iot_event *ev)
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

void rounding_records(struct rounding *r, const struct iot_record *rec, size_t n)
{
	for (size_t i = 0; i < n && r->tick_ns > 0; i++)
		see_record(r, &rec[i]);
}

void rounding_events(struct rounding *r, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && r->tick_ns > 0; i++) {
		if (ev[i].kind == IOT_RECORD)
			see_record(r, &ev[i].rec);
		else
			see_directive(r, &ev[i]);
	}
}

void rounding_report(const struct rounding *r)
{
	if (r->times > 0)
		print_message("%" PRIu64 " times were rounded down to the tick of %" PRIu64
			      " ns, by at most %" PRIu64 " ns",
			      r->times, r->tick_ns, r->max_ns);
}
