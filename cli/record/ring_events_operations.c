/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations: all calls but transfers. */
#include "ring_events_internal.h"

#include <stdlib.h>
#include <string.h>

struct operation {
	const char *name, *path, *to;
	uint64_t end; /* of the recording's clock */
	int64_t result, size;
	bool has_size;
	uint64_t count; /* calls; 0: one */
	uint32_t file;  /* 0: none */
};

static const char *op_name(unsigned code)
{
	static const char *const names[] = {
#define X(name, text) text,
	    RECORD_OPS(X)
#undef X
	};
	return names[code];
}

static const char *result_name(int64_t result)
{
	const char *error = result < 0 && result > -4096 ? strerrorname_np((int)-result) : NULL;
	return result >= 0 ? "0" : error != NULL ? error : "error";
}

/* Copies a text of fewer than RECORD_SIZE_MAX bytes; data is NULL if text is. */
static struct iot_text keep_text(struct ring_events *e, const char *text)
{
	const size_t n = text != NULL ? strlen(text) : 0;
	char *copy = e->text + e->used;
	if (text == NULL)
		return (struct iot_text){NULL, 0};
	memcpy(copy, text, n);
	e->used += n;
	return (struct iot_text){copy, n};
}

static void emit_op(struct ring_events *e, uint32_t index, const struct operation *op,
		    int64_t start_ns)
{
	const int64_t end_ns = ring_events_time(e, op->end);
	ring_events_declare_process(e, index);
	if (e->count > 0 || e->operations == RING_BATCH ||
	    TEXT_CAPACITY - e->used < 2 * RECORD_SIZE_MAX)
		(void)ring_events_flush(e);
	e->operation[e->operations++] = (struct iot_operation){
	    .name = op->name,
	    .result = result_name(op->result),
	    .start_ns = start_ns,
	    .duration_ns = (uint64_t)(end_ns > start_ns ? end_ns - start_ns : 0),
	    .process = e->processes->process[index].id,
	    .file = op->file,
	    .path = keep_text(e, op->path),
	    .to = keep_text(e, op->to),
	    .size = (uint64_t)op->size,
	    .has_size = op->has_size,
	    .count = op->count};
	e->has_times = true;
}

void ring_events_on_open(struct ring_events *e, const struct iot_event *ev, struct record_open *o,
			 int64_t start_ns)
{
	const uint32_t thread = ev->rec.object;
	const char *path = ring_events_path(o->text, o->text_size);
	const uint32_t number = o->head.description;
	const struct description *d = NULL;
	if (number != 0 && o->result >= 0) {
		ring_events_define(e, ev->rec.process, o, path);
		d = ring_events_use_file(e, thread, number);
	}
	if (o->head.code == RECORD_OP_FOUND || (o->result >= 0 && d == NULL) ||
	    (d != NULL ? d->skipped : ring_events_is_skipped(e, path != NULL ? path : "")))
		return;
	emit_op(e, thread,
		&(struct operation){.name = op_name(o->head.code),
				    .path = path,
				    .end = o->end,
				    .result = o->result,
				    .size = o->size,
				    .has_size = d != NULL && o->size >= 0,
				    .file = d != NULL ? number : 0},
		start_ns);
}

static bool is_op_wanted(const struct ring_events *e, unsigned code)
{
	return code == RECORD_OP_CLOSE ||
	       (code != RECORD_OP_EXEC && code != RECORD_OP_CHDIR && !e->options->data_only);
}

static void on_exec(struct ring_events *e, uint32_t index, const struct record_operation *o)
{
	struct tracked *t = &e->tracked[index];
	if (o->result >= 0) {
		ring_events_await(e, t, o->text_size > 0 ? o->text : "", o->result);
		return;
	}
	free(t->awaited);
	t->awaited = NULL;
}

static bool has_size(const struct record_operation *o)
{
	return o->head.code == RECORD_OP_TRUNCATE && o->size >= 0;
}

/*
 * Returns the number of calls that a record of seeks stands for, and stores the end of their sum.
 */
static uint64_t seeks_of(const struct record_operation *o, uint64_t *end)
{
	if (o->head.code != RECORD_OP_SEEK || o->result <= 0)
		return 0;
	if (o->size > 0 && o->size <= UINT32_MAX)
		*end = o->start + (uint64_t)o->size;
	return (uint64_t)o->result;
}

static bool follow_names(struct ring_events *e, enum record_op code, const char *path,
			 const char *to)
{
	if (code == RECORD_OP_RENAME)
		return file_maps_rename(&e->maps, path, to);
	return code != RECORD_OP_EXCHANGE || file_maps_exchange(&e->maps, path, to);
}

void ring_events_on_operation(struct ring_events *e, const struct iot_event *ev,
			      struct record_operation *o, int64_t start_ns)
{
	const uint32_t index = ev->rec.process, thread = ev->rec.object;
	const uint32_t number = o->head.description;
	if (o->head.code == RECORD_OP_EXEC)
		on_exec(e, index, o);
	const char *path = ring_events_path(o->text, o->text_size),
		   *to = ring_events_path(o->text + o->text_size, o->to_size);
	const struct description *d = number != 0 ? ring_events_use_file(e, thread, number) : NULL;
	const char *shown = path != NULL ? path : d != NULL ? d->path : NULL;
	uint64_t end = o->end;
	const uint64_t seeks = seeks_of(o, &end);
	if (is_op_wanted(e, o->head.code) && *op_name(o->head.code) != '\0' &&
	    !(d != NULL ? d->skipped : shown != NULL && ring_events_is_skipped(e, shown)))
		emit_op(e, thread,
			&(struct operation){.name = op_name(o->head.code),
					    .path = shown,
					    .to = to,
					    .end = end,
					    .result = o->result,
					    .size = o->size,
					    .has_size = has_size(o),
					    .count = seeks,
					    .file = number},
			start_ns);
	if (o->head.code == RECORD_OP_CLOSE)
		ring_events_close_file(e, index, number);
	else if (o->result >= 0 && path != NULL && to != NULL &&
		 !follow_names(e, (enum record_op)o->head.code, path, to))
		ring_events_fail(e, IOT_ENOMEM);
}
