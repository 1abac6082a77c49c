/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stage that makes the events of a converter like those that a reader delivers: a record gets the
 * object of its %file, the flags that its %file and lacks= of %trace imply, and a definition that
 * repeats the current one is dropped.
 */
#include "source_internal.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/definitions.h"

static const size_t MEMORY_MAX = (size_t)1 << 30;

enum { RECENT = 8 }; /* a power of two */

struct definition_stage {
	struct definitions definitions;
	unsigned lacks; /* flags of all records */
	/* Files of records since the last directive. A copy alternates between two. */
	struct recent_file {
		uint32_t process, file, object;
		uint8_t logical, flags;
		bool known;
	} recent[RECENT];
};

static struct recent_file find_file(const struct definition_stage *s, const struct iot_record *rec)
{
	const struct definition *d = definitions_path(&s->definitions, rec);
	return (struct recent_file){
	    .process = rec->process,
	    .file = rec->file,
	    .object = d != NULL ? d->object : 0,
	    .logical = rec->type & IOT_LOGICAL,
	    .flags = (uint8_t)(s->lacks | (d != NULL ? d->flags : 0)),
	    .known = true,
	};
}

static void complete_record(struct definition_stage *s, struct iot_record *rec)
{
	struct recent_file *f = &s->recent[rec->file % RECENT];
	if (!f->known || f->file != rec->file || f->process != rec->process ||
	    f->logical != (rec->type & IOT_LOGICAL))
		*f = find_file(s, rec);
	rec->object = f->object;
	rec->flags |= f->flags;
}

/* Returns 1 if the event repeats a definition, 0, or a negative status. */
static int apply_directive(struct definition_stage *s, const struct iot_event *ev)
{
	struct definition *which;
	unsigned lacks;
	memset(s->recent, 0, sizeof s->recent);
	if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks))
		s->lacks = lacks;
	return definitions_add(&s->definitions, ev, &which);
}

/* Returns IOT_OK, or the status of a failure. */
static int apply(struct definition_stage *s, struct iot_batch *b)
{
	size_t kept = 0;
	for (size_t i = 0; i < b->count; i++) {
		struct iot_event *ev = &b->events[i];
		int repeats = 0;
		if (ev->kind == IOT_RECORD)
			complete_record(s, &ev->rec);
		else
			repeats = apply_directive(s, ev);
		if (repeats < 0)
			return repeats;
		if (repeats == 0 && kept++ < i)
			b->events[kept - 1] = *ev;
	}
	b->count = kept;
	return IOT_OK;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	static const char full[] = "processes and files need more than 1 GiB of memory";
	int status = iot_stream_next(iot_stream_upstream(self), b);
	if (status <= 0)
		return status;
	status = apply(context, b);
	if (status == IOT_OK)
		return 1;
	return iot_stream_fail(self, status, status == IOT_ENOMEM ? "out of memory" : full);
}

static void close_stage(void *context)
{
	struct definition_stage *s = context;
	definitions_free(&s->definitions);
	free(s);
}

struct iot_stream *source_definitions(struct iot_stream *upstream)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	struct definition_stage *s = upstream != NULL ? calloc(1, sizeof(*s)) : NULL;
	if (s == NULL) {
		iot_stream_free(upstream);
		return NULL;
	}
	definitions_init(&s->definitions, MEMORY_MAX, false, false);
	return iot_stream_new(upstream, &stage, s);
}
