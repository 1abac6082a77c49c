/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivers the events of a converter. Each call of next() provides an array for up to `max` events;
 * surplus events are queued for the following calls, and the text of directives is valid until all
 * have been delivered.
 */
#ifndef CONVERTERS_EMIT_H
#define CONVERTERS_EMIT_H

#include "converter.h"

enum emit_ops { EMIT_OPS_ALL, EMIT_OPS_NAMES, EMIT_OPS_NONE };

struct emit {
	struct report *report;
	size_t directive_capacity; /* longest directive; longer ones are counted and dropped */
	enum emit_ops ops;         /* the %op directives to emit */
	int64_t promised_ns;       /* no later event starts earlier, as the caller knows */
	int status;                /* IOT_ENOMEM if an event was dropped */

	struct iot_event *out, *over; /* over: queue of surplus events */
	size_t count, max, over_count, over_next, over_capacity;
	struct emit_chunk *chunk, *chunks;
	size_t text_used; /* text of directives since the start of the call */
};

/* Sets the output array of this call; the queue must be empty. */
void emit_start(struct emit *e, struct iot_event *out, int max);
/* Delivers queued events; returns their number, 0 if the queue is empty. */
int emit_leftovers(struct emit *e, struct iot_event *out, int max);
void emit_free(struct emit *e);

struct iot_event *emit_over(struct emit *e);

/* Returns the next event, for the caller to fill; NULL if out of memory. */
static inline struct iot_event *emit_event(struct emit *e)
{
	return e->count < e->max ? &e->out[e->count++] : emit_over(e);
}

/*
 * Stores a record. Sets only the fields that a record uses: clearing the whole event would cost
 * more than all else here.
 */
static inline void emit_record(struct iot_event *ev, struct iot_record rec)
{
	ev->rec = rec;
	ev->text.data = NULL;
	ev->text.size = 0;
	ev->kind = IOT_RECORD;
	ev->has = 0;
}

/* Starts a directive. Returns false if out of memory. */
bool emit_begin(struct emit *e, struct iot_builder *b, const char *name);
void emit_end(struct emit *e, struct iot_builder *b, int64_t key_ns);
/* The same of a directive whose only known keys are these times, which is not parsed. */
void emit_sample(struct emit *e, struct iot_builder *b, int64_t start_ns, uint64_t took_ns);
/* An %op of a call. Texts that are empty are not known. */
struct emit_operation {
	const char *name;
	int64_t start_ns; /* the sort key; the time is 0 if it is negative */
	bool timed;
	uint64_t duration_ns;   /* if timed */
	uint32_t process, file; /* file 0: none */
	struct iot_text path, to, result;
	bool has_size;
	uint64_t size;
};
void emit_operation(struct emit *e, const struct emit_operation *op);
void emit_text(struct iot_builder *b, const char *key, struct iot_text value);
void emit_string(struct iot_builder *b, const char *key, const char *value);
/* Emits a comment, which must not begin with '%' or contain LF. */
void emit_comment(struct emit *e, const char *text, size_t size, int64_t key_ns);
/* Emits a %counter with all counts, if there are any. */
void emit_counts(struct emit *e, const char *source, int64_t key_ns);

/*
 * Sort key of an untimed event: the earliest one still allowed, but not after needed_ns, the time
 * of the first event that needs it.
 */
static inline int64_t emit_untimed(const struct emit *e, int64_t needed_ns)
{
	return e->promised_ns < needed_ns ? e->promised_ns : needed_ns;
}

/* Layers of calls, as bits: MPI-IO calls POSIX, so the same I/O may appear in both. */
enum emit_layer { EMIT_LAYER_POSIX = 1, EMIT_LAYER_MPIIO = 2 };

/* Applies the setting "layer"; the default is POSIX. */
int emit_layers(struct source_state *src, unsigned *layers);
/* Applies the setting "ops". */
int emit_set_ops(struct emit *e, struct source_state *src);
bool emit_wants_op(const struct emit *e, const char *name);

#endif
