/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads hand over, in memory that is used again. See parallel.h. */
#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "parallel.h"
#include "lib/base/array.h"

struct iot_chunk *iot_chunk_new(void)
{
	struct iot_chunk *c = malloc(sizeof(*c));
	if (c != NULL) /* the records are not touched before they are decoded */
		memset(c, 0, offsetof(struct iot_chunk, records));
	return c;
}

void iot_chunk_free_all(struct iot_chunk *c)
{
	while (c != NULL) {
		struct iot_chunk *next = c->next;
		free(c->clocks);
		free(c->others);
		free(c->text);
		free(c->unnamed);
		free(c);
		c = next;
	}
}

void iot_chunk_clear(struct iot_chunk *c)
{
	free(c->clocks);
	c->clocks = NULL;
	c->count = c->clock_count = c->other_count = c->text_used = c->unnamed_count = 0;
	c->odd = c->last = c->ended = c->failed = false;
	c->counted = (struct iot_counted){0};
	c->next = NULL;
}

static bool tells_names(const struct iot_event *ev)
{
	return ev->kind == IOT_PROCESS || ev->kind == IOT_FILE ||
	       (ev->kind == IOT_OP && iot_directive_closes(ev));
}

/* Whether an event is one of those that are counted and need not be kept. */
static bool only_counted(struct iot_chunk *c, const struct iot_reader *r,
			 const struct iot_event *ev)
{
	if (c->counted.part == NULL)
		return false;
	c->counted.others++;
	c->counted.other_at = r->index;
	c->counted.other_line = r->lines;
	c->failed |= c->other_count >= IOT_FOLD_OTHERS || c->text_used >= IOT_FOLD_TEXT;
	return c->failed || !tells_names(ev);
}

void iot_chunk_add_other(struct iot_chunk *c, const struct iot_reader *r,
			 const struct iot_event *ev, size_t place)
{
	if (only_counted(c, r, ev))
		return;
	const size_t need = c->text_used + ev->text.size;
	if (!iot_room(&c->others, &c->other_room, c->other_count + 1, sizeof(*c->others)) ||
	    !iot_room(&c->text, &c->text_room, need, 1)) {
		c->failed = true;
		return;
	}
	if (ev->text.size > 0)
		memcpy(c->text + c->text_used, ev->text.data, ev->text.size);
	c->others[c->other_count] = (struct iot_other){
	    .ev = *ev, .place = place, .text_at = c->text_used, .line = r->lines};
	if (!(ev->has & IOT_HAS_TIME))
		c->others[c->other_count].ev.rec.start_ns = iot_reader_last_start_ns(r);
	c->other_count++;
	c->text_used = need;
}

void iot_chunk_add_unnamed(struct iot_chunk *c, const struct iot_record *rec)
{
	if (!iot_room(&c->unnamed, &c->unnamed_room, c->unnamed_count + 1, sizeof(*c->unnamed))) {
		c->failed = true;
		return;
	}
	c->unnamed[c->unnamed_count++] = *rec;
}
