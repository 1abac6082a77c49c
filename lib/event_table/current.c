/* SPDX-License-Identifier: BSD-2-Clause */
#include "current.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/text.h"

static const size_t current_limit = (size_t)1 << 30;

void current_free(struct current *c)
{
	for (size_t kind = 0; kind < CURRENT_KINDS; kind++) {
		struct current_table *t = &c->of[kind];
		for (size_t i = 0; i < t->capacity; i++)
			free(t->entry[i].text);
		free(t->entry);
		idmap_free(&t->ids);
	}
	*c = (struct current){0};
}

/* Returns the entry of a key, a new one if it has none, with a capacity; NULL if out of memory. */
static struct current_text *entry_for(struct current *c, enum current_kind kind, uint64_t key,
				      size_t size)
{
	struct current_table *t = &c->of[kind];
	const size_t i = idmap_number(&t->ids, key), entries = t->capacity;
	if (!array_reserve_index(&t->entry, &t->capacity, i, sizeof *t->entry))
		return NULL;
	struct current_text *d = &t->entry[i];
	c->used += (t->capacity - entries) * sizeof *d - d->capacity;
	const bool fits = array_reserve(&d->text, &d->capacity, size + 1, 1);
	c->used += d->capacity;
	return fits && c->used <= current_limit ? d : NULL;
}

static bool add_text(struct current *c, enum current_kind kind, uint64_t key,
		     const struct iot_event *ev)
{
	struct current_text *d = entry_for(c, kind, key, ev->text.size);
	if (d == NULL)
		return false;
	memcpy(d->text, ev->text.data, ev->text.size);
	d->size = ev->text.size;
	d->object = ev->kind == IOT_FILE ? ev->rec.object : 0;
	return true;
}

static bool add_object(struct current *c, const struct iot_event *ev)
{
	const struct iot_text path = iot_directive_get(ev, "path");
	if (ev->rec.object == 0 || path.data == NULL)
		return true;
	struct current_text *d = entry_for(c, CURRENT_OBJECT, ev->rec.object, path.size);
	if (d != NULL)
		d->size = iot_percent_decode(path, d->text, NULL);
	return d != NULL;
}

static void close_file(struct current *c, const struct iot_event *ev)
{
	struct current_table *t = &c->of[CURRENT_FILE];
	const size_t i = idmap_remove(&t->ids, idmap_pair(ev->rec.process, ev->rec.file));
	if (i >= t->capacity)
		return;
	c->used -= t->entry[i].capacity;
	free(t->entry[i].text);
	t->entry[i] = (struct current_text){0};
}

bool current_add(struct current *c, const struct iot_event *ev)
{
	const enum current_kind file = ev->has & IOT_HAS_DISK ? CURRENT_DISK : CURRENT_FILE;
	if (current_closes(ev))
		close_file(c, ev);
	if (ev->kind == IOT_PROCESS)
		return add_text(c, CURRENT_PROCESS, idmap_pair(ev->rec.process, 0), ev);
	return ev->kind != IOT_FILE ||
	       (add_object(c, ev) &&
		add_text(c, file, idmap_pair(ev->rec.process, ev->rec.file), ev));
}

static const struct current_text *find(const struct current *c, enum current_kind kind,
				       uint64_t key)
{
	const struct current_table *t = &c->of[kind];
	const size_t i = idmap_find(&t->ids, key);
	return i < t->capacity ? &t->entry[i] : NULL;
}

const struct current_text *current_process(const struct current *c, uint32_t process)
{
	return find(c, CURRENT_PROCESS, idmap_pair(process, 0));
}

const struct current_text *current_file(const struct current *c, const struct iot_record *rec)
{
	return find(c, rec->type & IOT_LOGICAL ? CURRENT_FILE : CURRENT_DISK,
		    idmap_pair(rec->process, rec->file));
}

const struct current_text *current_object(const struct current *c, uint32_t object)
{
	return find(c, CURRENT_OBJECT, object);
}

struct iot_text current_key(const struct current_text *d, const char *key)
{
	if (d == NULL)
		return (struct iot_text){NULL, 0};
	const struct iot_event ev = {.text = {d->text, d->size}};
	return iot_directive_get(&ev, key);
}

bool current_closes(const struct iot_event *ev)
{
	const unsigned both = IOT_HAS_PROCESS | IOT_HAS_FILE;
	if (ev->kind != IOT_OP || (ev->has & both) != both)
		return false;
	const struct iot_text result = iot_directive_get(ev, "result");
	return text_equals(iot_directive_get(ev, "name"), "close") &&
	       (result.data == NULL || text_equals(result, "0"));
}
