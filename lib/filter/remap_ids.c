/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids in records and in the text of directives: see remap_ids.h. */
#include "remap_ids.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"
#include "lib/base/number.h"
#include "lib/base/array.h"

/* The kind of id that a key contains, or ID_KINDS. */
static enum remapped_id kind_of(const struct iot_event *ev, struct iot_text key)
{
	static const struct {
		const char *key;
		enum remapped_id kind;
	} keys[] = {{"process", ID_PROCESS},
		    {"file", ID_FILE},
		    {"object", ID_OBJECT},
		    {"parent", ID_PROCESS},
		    {"thread-of", ID_PROCESS}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (text_equals(key, keys[i].key))
			return keys[i].kind;
	if (text_equals(key, "id") && ev->kind == IOT_PROCESS)
		return ID_PROCESS;
	return text_equals(key, "id") && ev->kind == IOT_FILE ? ID_FILE : ID_KINDS;
}

static bool ask(const struct remap_ids *r, enum remapped_id kind, uint32_t id,
		const struct iot_event *ev, uint32_t *to)
{
	*to = id;
	return (kind == ID_OBJECT && id == 0) || r->map(r->context, kind, id, ev, to);
}

/* "key=value" as an id. */
static bool is_id(const struct iot_event *ev, struct iot_text token, enum remapped_id *kind,
		  struct iot_text *value, uint32_t *id)
{
	struct iot_text key;
	uint64_t number;
	if (!directive_split(token, &key, value))
		return false;
	*kind = kind_of(ev, key);
	if (*kind == ID_KINDS || !number_decimal(value->data, value->size, &number) ||
	    number > UINT32_MAX)
		return false;
	*id = (uint32_t)number;
	return true;
}

static bool renumber_text(struct remap_ids *r, const struct iot_event *old, struct iot_text *text)
{
	struct iot_text rest = *text, token, value;
	const char *from = text->data, *end = text->data + text->size;
	char *out = r->text;
	enum remapped_id kind;
	uint32_t id, to;
	while (word_next(&rest, &token)) {
		if (!is_id(old, token, &kind, &value, &id))
			continue;
		if (!ask(r, kind, id, old, &to))
			return false;
		if (to == id)
			continue;
		memcpy(out, from, (size_t)(value.data - from));
		out += value.data - from;
		out += number_dec(out, to);
		from = value.data + value.size;
	}
	if (from == text->data)
		return true;
	memcpy(out, from, (size_t)(end - from));
	*text = (struct iot_text){r->text, (size_t)(out - r->text) + (size_t)(end - from)};
	return true;
}

static bool renumber_fields(const struct remap_ids *r, const struct iot_event *old,
			    struct iot_record *rec, unsigned has)
{
	if ((has & IOT_HAS_PROCESS) && !ask(r, ID_PROCESS, old->rec.process, old, &rec->process))
		return false;
	if ((has & IOT_HAS_FILE) && !ask(r, ID_FILE, old->rec.file, old, &rec->file))
		return false;
	return !(has & IOT_HAS_OBJECT) || ask(r, ID_OBJECT, old->rec.object, old, &rec->object);
}

bool remap_ids_event(struct remap_ids *r, struct iot_event *ev)
{
	const struct iot_event old = *ev;
	if (ev->kind == IOT_RECORD)
		return renumber_fields(r, &old, &ev->rec,
				       IOT_HAS_PROCESS | IOT_HAS_FILE | IOT_HAS_OBJECT);
	if (ev->kind == IOT_COMMENT)
		return true;
	/* "x=1" with its blank is at least 5 bytes for a known key, and grows by 9 at most. */
	return array_reserve(&r->text, &r->capacity, 3 * ev->text.size + NUMBER_DIGITS_MAX, 1) &&
	       renumber_fields(r, &old, &ev->rec, ev->has) && renumber_text(r, &old, &ev->text);
}

void remap_ids_free(struct remap_ids *r)
{
	free(r->text);
	r->text = NULL;
	r->capacity = 0;
}

/* The stage */

struct remap_stage {
	struct remap_ids ids;
	iot_remap_fn *map;
	void *context;
	int status;
	char *text; /* of the directives of a batch that were rewritten */
	size_t size, capacity;
};

static bool map_id(void *context, enum remapped_id kind, uint32_t id, const struct iot_event *ev,
		   uint32_t *to)
{
	struct remap_stage *s = context;
	s->status = s->map(s->context, (enum iot_id)kind, id, ev, to);
	return s->status == IOT_OK;
}

/* A text that was rewritten is appended, and has no address until all of them are. */
static bool remap(struct remap_stage *s, struct iot_event *ev)
{
	if (!remap_ids_event(&s->ids, ev))
		return false;
	if (ev->text.size == 0 || ev->text.data != s->ids.text)
		return true;
	if (!array_reserve(&s->text, &s->capacity, s->size + ev->text.size, 1))
		return false;
	memcpy(s->text + s->size, ev->text.data, ev->text.size);
	s->size += ev->text.size;
	ev->text.data = NULL;
	return true;
}

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct remap_stage *s = context;
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	s->size = 0;
	for (size_t i = 0; i < b->count; i++)
		if (!remap(s, &b->events[i]))
			return iot_stream_fail(self, s->status != IOT_OK ? s->status : IOT_ENOMEM,
					       s->status != IOT_OK ? "an id cannot be replaced"
								   : "out of memory");
	const char *text = s->text;
	for (size_t i = 0; i < b->count; i++) {
		struct iot_text *to = &b->events[i].text;
		if (to->data != NULL || to->size == 0)
			continue;
		to->data = text;
		text += to->size;
	}
	return status;
}

static void close_stage(void *context)
{
	struct remap_stage *s = context;
	remap_ids_free(&s->ids);
	free(s->text);
	free(s);
}

struct iot_stream *iot_stream_remap(struct iot_stream *upstream, iot_remap_fn *map, void *context)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	struct remap_stage *s = upstream != NULL ? calloc(1, sizeof *s) : NULL;
	if (s == NULL) {
		iot_stream_free(upstream);
		return NULL;
	}
	s->ids = (struct remap_ids){.map = map_id, .context = s};
	s->map = map;
	s->context = context;
	return iot_stream_new(upstream, &stage, s);
}
