/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a converter hands out what it makes. Each call of next gives room for so many events; those
 * that do not fit wait for the calls that follow, and the text of directives lives until all are
 * out.
 */
#ifndef CONVERTERS_EMIT_H
#define CONVERTERS_EMIT_H

#include "converter.h"

enum emit_ops { EMIT_OPS_ALL, EMIT_OPS_NAMES, EMIT_OPS_NONE };

struct emit {
	struct report *report;
	size_t directive_capacity; /* of the longest directive; more is counted, and left out */
	enum emit_ops ops;         /* which are wanted */
	int64_t promised_ns;       /* no event still to come starts earlier, as the caller knows */
	int status;                /* IOT_ENOMEM: something is missing */

	struct iot_event *out, *over; /* over: did not fit */
	size_t count, max, over_count, over_next, over_capacity;
	struct emit_chunk *chunk, *chunks;
	size_t text_used; /* by directives since the start */
};

/* Room for the events of this call; none may be left over. */
void emit_start(struct emit *e, struct iot_event *out, int max);
/* Those that earlier calls had no room for; 0: there are none. */
int emit_leftovers(struct emit *e, struct iot_event *out, int max);
void emit_free(struct emit *e);

struct iot_event *emit_over(struct emit *e);

/* The next event, for the caller to fill; NULL: no memory. */
static inline struct iot_event *emit_event(struct emit *e)
{
	return e->count < e->max ? &e->out[e->count++] : emit_over(e);
}

/* An event that is this record. To clear all of it first would take longer than all else here. */
static inline void emit_record(struct iot_event *ev, struct iot_record rec)
{
	ev->rec = rec;
	ev->text.data = NULL;
	ev->text.size = 0;
	ev->kind = IOT_RECORD;
	ev->has = 0;
}

/* Directives; false: no memory. */
bool emit_begin(struct emit *e, struct iot_builder *b, const char *name);
void emit_end(struct emit *e, struct iot_builder *b, int64_t place_ns);
void emit_text(struct iot_builder *b, const char *key, struct iot_text value);
void emit_string(struct iot_builder *b, const char *key, const char *value);
/* %counter of all that was counted, where there is anything. */
void emit_counts(struct emit *e, const char *source, int64_t place_ns);

/* What has no time of its own: the earliest place that is still free, for all that needs it. */
static inline int64_t emit_untimed(const struct emit *e, int64_t needed_ns)
{
	return e->promised_ns < needed_ns ? e->promised_ns : needed_ns;
}

/* The setting "ops". */
int emit_set_ops(struct emit *e, struct source_state *src);
bool emit_wants_op(const struct emit *e, const char *name);

#endif
