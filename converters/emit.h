/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a converter hands out what it makes. Each call of next gives room for so many events; those
 * that do not fit wait for the calls that follow, and the text of directives lives until all are
 * out.
 */
#ifndef IOT_CONVERTERS_EMIT_H
#define IOT_CONVERTERS_EMIT_H

#include "converter.h"

enum iot_emit_ops { IOT_EMIT_OPS_ALL, IOT_EMIT_OPS_NAMES, IOT_EMIT_OPS_NONE };

struct iot_emit {
	struct iot_report *report;
	size_t directive_room; /* of the longest directive; more is counted, and left out */
	enum iot_emit_ops ops; /* which are wanted */
	int64_t promised_ns;   /* no event still to come starts earlier, as the caller knows */
	int status;            /* IOT_ENOMEM: something is missing */

	struct iot_event *out, *over; /* over: did not fit */
	size_t count, max, over_count, over_next, over_room;
	struct iot_emit_chunk *chunk, *chunks;
	size_t text_used; /* by directives since the start */
};

/* Room for the events of this call; none may be left over. */
void iot_emit_start(struct iot_emit *e, struct iot_event *out, int max);
/* Those that earlier calls had no room for; 0: there are none. */
int iot_emit_leftovers(struct iot_emit *e, struct iot_event *out, int max);
void iot_emit_free(struct iot_emit *e);

struct iot_event *iot_emit_over(struct iot_emit *e);

/* The next event, for the caller to fill; NULL: no memory. */
static inline struct iot_event *iot_emit_event(struct iot_emit *e)
{
	return e->count < e->max ? &e->out[e->count++] : iot_emit_over(e);
}

/* An event that is this record. To clear all of it first would take longer than all else here. */
static inline void iot_emit_record(struct iot_event *ev, struct iot_record rec)
{
	ev->rec = rec;
	ev->text.data = NULL;
	ev->text.size = 0;
	ev->kind = IOT_RECORD;
	ev->has = 0;
}

/* Directives; false: no memory. */
bool iot_emit_begin(struct iot_emit *e, struct iot_builder *b, const char *name);
void iot_emit_end(struct iot_emit *e, struct iot_builder *b, int64_t place_ns);
void iot_emit_text(struct iot_builder *b, const char *key, struct iot_text value);
void iot_emit_string(struct iot_builder *b, const char *key, const char *value);
/* %counter of all that was counted, where there is anything. */
void iot_emit_counts(struct iot_emit *e, const char *source, int64_t place_ns);

/* What has no time of its own: the earliest place that is still free, for all that needs it. */
static inline int64_t iot_emit_undated(const struct iot_emit *e, int64_t needed_ns)
{
	return e->promised_ns < needed_ns ? e->promised_ns : needed_ns;
}

/* The setting "ops". */
int iot_emit_set_ops(struct iot_emit *e, struct iot_source *src);
bool iot_emit_wants_op(const struct iot_emit *e, const char *name);

#endif
