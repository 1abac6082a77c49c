/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of worker threads, in reusable memory. See parallel.h. */
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "parallel.h"
#include "lib/base/array.h"

struct decoded_block *decoded_block_new(void)
{
	struct decoded_block *c = malloc(sizeof(*c));
	if (c != NULL) /* the records are first accessed when they are decoded */
		memset(c, 0, offsetof(struct decoded_block, records));
	return c;
}

void decoded_block_free_all(struct decoded_block *c)
{
	while (c != NULL) {
		struct decoded_block *next = c->next;
		free(c->clocks);
		free(c->others);
		free(c->text);
		free(c->unnamed);
		free(c);
		c = next;
	}
}

void decoded_block_clear(struct decoded_block *c)
{
	free(c->clocks);
	c->clocks = NULL;
	c->count = c->clock_count = c->other_count = c->text_used = c->unnamed_count = 0;
	c->odd = c->last = c->ended = c->failed = false;
	c->counted = (struct counted_segment){0};
	c->next = NULL;
}

static bool reports_names(const struct iot_event *ev)
{
	return ev->kind == IOT_PROCESS || ev->kind == IOT_FILE ||
	       (ev->kind == IOT_OP && directive_closes(ev));
}

/* Counts an event; returns whether it need not be kept. */
static bool only_counted(struct decoded_block *c, const struct iot_reader *r,
			 const struct iot_event *ev)
{
	if (c->counted.part == NULL)
		return false;
	c->counted.others++;
	c->counted.other_at = r->index;
	c->counted.other_line = r->lines;
	c->failed |= c->other_count >= FOLD_DIRECTIVES || c->text_used >= FOLD_TEXT;
	return c->failed || !reports_names(ev);
}

void decoded_block_add_directive(struct decoded_block *c, const struct iot_reader *r,
				 const struct iot_event *ev, size_t place)
{
	if (only_counted(c, r, ev))
		return;
	const size_t need = c->text_used + ev->text.size;
	if (!array_reserve(&c->others, &c->other_capacity, c->other_count + 1,
			   sizeof(*c->others)) ||
	    !array_reserve(&c->text, &c->text_capacity, need, 1)) {
		c->failed = true;
		return;
	}
	if (ev->text.size > 0)
		memcpy(c->text + c->text_used, ev->text.data, ev->text.size);
	c->others[c->other_count] = (struct other_event){
	    .ev = *ev, .place = place, .text_at = c->text_used, .line = r->lines};
	if (!(ev->has & IOT_HAS_TIME))
		c->others[c->other_count].ev.rec.start_ns = reader_last_start_ns(r);
	c->other_count++;
	c->text_used = need;
}

void decoded_block_add_undefined(struct decoded_block *c, const struct iot_record *rec)
{
	if (!array_reserve(&c->unnamed, &c->unnamed_capacity, c->unnamed_count + 1,
			   sizeof(*c->unnamed))) {
		c->failed = true;
		return;
	}
	c->unnamed[c->unnamed_count++] = *rec;
}
