/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes whether events are kept or discarded, and declares those that were discarded. */
#include "ring_events_internal.h"

void ring_events_declare_discarded(struct ring_events *e)
{
	struct live_control *live = e->options->live;
	struct iot_builder b;
	(void)ring_events_flush(e);
	const uint64_t records = live->records - live->reported_records,
		       operations = live->operations - live->reported_operations;
	if (records == 0 && operations == 0)
		return;
	live->reported_records = live->records;
	live->reported_operations = live->operations;
	ring_events_begin_directive(e, &b, "lost");
	iot_directive_number(&b, "time", (uint64_t)e->last_ns);
	iot_directive_number(&b, "records", records);
	if (operations > 0)
		iot_directive_number(&b, "events", operations);
	ring_events_add_text(&b, "why", "discarded");
	ring_events_end_directive(e, &b);
}

int ring_events_keep(struct ring_events *e, bool keep)
{
	static const char kept[] = "records are kept from here on",
			  discarded[] = "records are discarded from here on";
	if (keep)
		ring_events_declare_discarded(e);
	(void)ring_events_flush(e);
	e->options->live->discards = !keep;
	e->out[e->count++] =
	    (struct iot_event){.kind = IOT_COMMENT,
			       .text = {keep ? kept : discarded, strlen(keep ? kept : discarded)}};
	return ring_events_flush(e);
}
