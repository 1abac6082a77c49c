/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of ring_events: what has not been written yet, and directives as text. */
#include "ring_events_internal.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECTIVE_MAX = IOT_COMMENT_MAX - 4 };

void ring_events_fail(struct ring_events *e, int status)
{
	if (e->status == IOT_OK)
		e->status = status;
}

/* Gives the output to the module, and removes what is discarded. */
static void sift(struct ring_events *e, struct live_control *live)
{
	analyses_events(&live->analyses, e->out, e->count);
	analyses_operations(&live->analyses, e->operation, e->operations);
	if (!live->discards)
		return;
	size_t kept = 0;
	for (size_t i = 0; i < e->count; i++)
		if (e->out[i].kind != IOT_RECORD)
			e->out[kept++] = e->out[i];
	live->records += e->count - kept;
	live->operations += e->operations;
	e->count = kept;
	e->operations = 0;
}

int ring_events_flush(struct ring_events *e)
{
	if (e->options->live != NULL)
		sift(e, e->options->live);
	if (e->status == IOT_OK && e->count > 0)
		ring_events_fail(e, iot_writer_events(e->w, e->out, e->count));
	if (e->status == IOT_OK && e->operations > 0)
		ring_events_fail(e, iot_writer_operations(e->w, e->operation, e->operations));
	e->count = e->operations = e->used = 0;
	return e->status;
}

void ring_events_begin_directive(struct ring_events *e, struct iot_builder *b, const char *name)
{
	if (TEXT_CAPACITY - e->used < DIRECTIVE_MAX || e->count == RING_BATCH || e->operations > 0)
		(void)ring_events_flush(e);
	iot_directive_begin(b, e->text + e->used, DIRECTIVE_MAX, name);
}

/*
 * A directive that is too long is left out; the events that it belongs to remain. The writer parses
 * the text, so it is not parsed here.
 */
void ring_events_end_directive(struct ring_events *e, const struct iot_builder *b)
{
	if (b->status != IOT_OK)
		return;
	e->out[e->count++] = (struct iot_event){.kind = IOT_DIRECTIVE, .text = {b->data, b->size}};
	e->used += b->size;
}

char *ring_events_copy_text(struct ring_events *e, const char *text)
{
	char *copy = text != NULL && *text != '\0' ? strdup(text) : NULL;
	if (copy == NULL && text != NULL && *text != '\0')
		ring_events_fail(e, IOT_ENOMEM);
	return copy;
}
