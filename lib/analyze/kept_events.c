/* SPDX-License-Identifier: BSD-2-Clause */
#include "kept_events.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/format/directive.h"
#include "lib/sort/event_pack.h"

enum {
	FLAGS = IOT_OFFSET_UNKNOWN | IOT_DURATION_UNKNOWN | IOT_CPU_UNKNOWN | IOT_START_UNKNOWN,
	NO_TYPE = 0xff
};

/* Events */

bool kept_is_record(const struct iot_record *rec)
{
	return rec->start_ns >= 0 && rec->duration_ns <= (uint64_t)(INT64_MAX - rec->start_ns) &&
	       rec->type != NO_TYPE && rec->flags <= FLAGS;
}

static bool counts(const struct iot_event *ev)
{
	return (ev->kind >= IOT_TRACE && ev->kind <= IOT_LOST) || directive_is_sample(ev);
}

bool kept_directive(struct iot_text text, struct iot_event *ev)
{
	*ev = (struct iot_event){.text = text};
	return text.size <= IOT_COMMENT_MAX && iot_directive_parse(ev, NULL) == IOT_OK &&
	       counts(ev);
}

/* The time of an event that has none of its own depends on the reader, and does not count. */
static bool is_same(const struct iot_event *declared, const struct iot_event *ev)
{
	const struct iot_record *a = &declared->rec, *b = &ev->rec;
	return declared->kind == ev->kind && declared->has == (ev->has & ~(uint32_t)IOT_IN_FORCE) &&
	       a->process == b->process && a->file == b->file && a->object == b->object &&
	       ((declared->has & IOT_HAS_TIME) == 0 || a->start_ns == b->start_ns) &&
	       ((declared->has & IOT_HAS_TOOK) == 0 || a->duration_ns == b->duration_ns);
}

/* Adding */

static inline bool reserve(struct kept_events *k, size_t text)
{
	const size_t need = k->size + EVENT_PACK_MAX + text + EVENT_PACK_SLACK;
	return k->capacity >= need || array_reserve(&k->data, &k->capacity, need, 1);
}

/* Returns whether an event is kept. */
static inline bool spend(struct kept_events *k, uint64_t cost, bool can_be_kept)
{
	k->cost += cost;
	k->on &= can_be_kept && k->cost <= KEPT_COST_MAX;
	return k->on;
}

static int add_record(struct kept_events *k, const struct iot_record *rec)
{
	if (!spend(k, KEPT_EVENT_COST, kept_is_record(rec)))
		return IOT_OK;
	if (!reserve(k, 0))
		return IOT_ENOMEM;
	k->size += event_pack_record(k->data + k->size, rec, 0, &k->last, 0);
	k->last = *rec;
	k->records++;
	return IOT_OK;
}

static int add_directive(struct kept_events *k, const struct iot_event *ev)
{
	struct iot_event declared;
	const struct iot_text text = ev->text;
	if (!spend(k, KEPT_EVENT_COST + text.size,
		   kept_directive(text, &declared) && is_same(&declared, ev)))
		return IOT_OK;
	if (!reserve(k, text.size))
		return IOT_ENOMEM;
	k->size += event_pack_full(k->data + k->size, &declared, 0);
	k->last = declared.rec;
	memcpy(k->data + k->size, text.data, text.size);
	k->size += text.size;
	return IOT_OK;
}

void kept_begin(struct kept_events *k)
{
	*k = (struct kept_events){.on = true};
	definitions_init(&k->defined, SIZE_MAX, false, false);
}

int kept_add(struct kept_events *k, const struct iot_event *ev)
{
	struct definition *which;
	if (ev->kind == IOT_RECORD)
		return k->on ? add_record(k, &ev->rec) : IOT_OK;
	if (!counts(ev))
		return IOT_OK;
	const int status = definitions_add(&k->defined, ev, &which);
	return status == 0 && k->on ? add_directive(k, ev) : status;
}

void kept_drop(struct kept_events *k)
{
	free(k->data);
	definitions_free(&k->defined);
	*k = (struct kept_events){.on = false};
}

/* Reading */

bool kept_step(struct kept_cursor *c)
{
	const struct kept_events *k = c->of;
	if (c->at == k->size)
		return false;
	c->at += event_unpack(k->data + c->at, &c->ev, &c->tag);
	c->ev.text.data = (const char *)k->data + c->at;
	c->at += c->ev.text.size;
	return true;
}
