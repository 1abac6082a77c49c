/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stage that makes the events of a converter like those that a reader delivers: the object of a
 * record is that of the current %file, and a definition that repeats the current one is dropped.
 */
#include "source_internal.h"

#include <stdlib.h>

#include "lib/format/definitions.h"

static const size_t MEMORY_MAX = (size_t)1 << 30;

struct objects {
	struct definitions definitions;
	struct iot_record last; /* whose object is valid */
	bool last_is_valid;
};

static uint32_t object_of(struct objects *o, const struct iot_record *rec)
{
	const bool is_last = o->last_is_valid && o->last.file == rec->file &&
			     o->last.process == rec->process &&
			     (o->last.type & IOT_LOGICAL) == (rec->type & IOT_LOGICAL);
	if (is_last)
		return o->last.object;
	const struct definition *d = definitions_path(&o->definitions, rec);
	o->last = *rec;
	o->last.object = d != NULL ? d->object : 0;
	o->last_is_valid = true;
	return o->last.object;
}

/* Returns the number of events that remain, or a negative status. */
static ssize_t apply(struct objects *o, struct iot_event *ev, size_t n)
{
	struct definition *which;
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD) {
			ev[i].rec.object = object_of(o, &ev[i].rec);
		} else {
			const int status = definitions_add(&o->definitions, &ev[i], &which);
			o->last_is_valid = false;
			if (status < 0)
				return status;
			if (status == 1)
				continue;
		}
		if (kept < i)
			ev[kept] = ev[i];
		kept++;
	}
	return (ssize_t)kept;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	if (status <= 0)
		return status;
	const ssize_t kept = apply(context, b->events, b->count);
	if (kept < 0)
		return iot_stream_fail(self, (int)kept,
				       kept == IOT_ENOMEM ? "out of memory"
							  : "the files and processes need more "
							    "than 1 GiB of memory");
	b->count = (size_t)kept;
	return 1;
}

static void close_stage(void *context)
{
	struct objects *o = context;
	definitions_free(&o->definitions);
	free(o);
}

struct iot_stream *source_objects(struct iot_stream *upstream)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	struct objects *o = upstream != NULL ? calloc(1, sizeof(*o)) : NULL;
	if (o == NULL) {
		iot_stream_free(upstream);
		return NULL;
	}
	definitions_init(&o->definitions, MEMORY_MAX, false, false);
	return iot_stream_new(upstream, &stage, o);
}
