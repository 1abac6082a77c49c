/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of writer and reader: templates, last values of keys, and paths. */
#include "directive_codec_internal.h"

#include <stdlib.h>
#include <string.h>

#include "directive.h"
#include "lib/base/array.h"
#include "lib/base/hash.h"

enum { SLOT_WEIGHT = 64 };

struct directive_codec *directive_codec_new(void)
{
	struct directive_codec *c = calloc(1, sizeof(*c));
	if (c != NULL)
		c->seed = hash_seed();
	return c;
}

void directive_codec_free(struct directive_codec *c)
{
	if (c == NULL)
		return;
	idmap_free(&c->template_ids);
	idmap_free(&c->key_ids);
	idmap_free(&c->path_ids);
	free(c->text);
	free(c->template);
	free(c->slot);
	free(c->last);
	free(c->path);
	free(c->newest);
	free(c);
}

void directive_codec_forget(struct directive_codec *c)
{
	if (c == NULL || c->weight == 0)
		return;
	idmap_renumber(&c->template_ids, 0);
	idmap_renumber(&c->key_ids, 0);
	idmap_renumber(&c->path_ids, 0);
	c->weight = c->text_size = c->slots = c->paths = 0;
	c->credit = 0;
	c->last_time = 0;
	c->last_path = c->longest_path = 0;
	c->recognized = c->used = c->previous = 0;
	memset(c->recent, 0, sizeof(c->recent));
	memset(c->form, 0, sizeof(c->form));
	if (c->last != NULL)
		memset(c->last, 0, c->last_capacity * sizeof(*c->last));
}

static bool keep_text(struct directive_codec *c, struct iot_text text, struct kept_text *kept)
{
	const size_t size = c->text_size + text.size;
	if (!array_reserve(&c->text, &c->text_capacity, size + BLOCK, 1))
		return false;
	memcpy(c->text + c->text_size, text.data, text.size);
	*kept = (struct kept_text){(uint32_t)c->text_size, (uint32_t)text.size};
	c->text_size = size;
	return true;
}

size_t directive_template(const struct directive_codec *c, struct iot_text text, uint64_t *id)
{
	for (*id = hash(c, text);; ++*id) {
		const size_t i = idmap_find(&c->template_ids, *id);
		if (i == SIZE_MAX || same_text(c, c->template[i].text, text))
			return i;
	}
}

static size_t find_key(const struct directive_codec *c, struct iot_text text, uint64_t *id)
{
	for (*id = hash(c, text);; ++*id) {
		const size_t i = idmap_find(&c->key_ids, *id);
		if (i == SIZE_MAX || same_text(c, c->last[i].key, text))
			return i;
	}
}

size_t directive_number_path(struct directive_codec *c, struct iot_text path, bool *is_new)
{
	for (uint64_t id = hash(c, path);; id++) {
		const size_t count = c->path_ids.count, i = idmap_number(&c->path_ids, id);
		*is_new = i == count;
		if (i == SIZE_MAX || *is_new || same_text(c, c->path[c->newest[i]], path))
			return i;
	}
}

/* id= of %file and %process has the values of file= and process=. */
static struct iot_text alias(enum iot_kind kind, struct iot_text key)
{
	if (text_equals(key, "id") && kind == IOT_FILE)
		return (struct iot_text){"file", 4};
	if (text_equals(key, "id") && kind == IOT_PROCESS)
		return (struct iot_text){"process", 7};
	return key;
}

/* Appends a path to the list. */
static bool append_path(struct directive_codec *c, struct iot_text path)
{
	const size_t number = c->paths;
	if (!array_reserve(&c->path, &c->path_capacity, number + 1, sizeof(*c->path)) ||
	    !keep_text(c, path, &c->path[number]))
		return false;
	c->paths++;
	c->last_path = (uint32_t)c->paths;
	c->weight += path.size + PATH_WEIGHT;
	if (path.size > c->longest_path)
		c->longest_path = (uint32_t)path.size;
	return true;
}

bool directive_append_path(struct directive_codec *c, struct iot_text path, size_t i)
{
	if (i == SIZE_MAX ||
	    !array_reserve_index(&c->newest, &c->newest_capacity, i, sizeof(*c->newest)))
		return false;
	c->newest[i] = (uint32_t)c->paths;
	return append_path(c, path);
}

bool directive_add_path(struct directive_codec *c, struct iot_text path)
{
	bool is_new;
	return c->decodes ? append_path(c, path)
			  : directive_append_path(c, path, directive_number_path(c, path, &is_new));
}

/* Returns the index of a key, which is added if it is new; SIZE_MAX if out of memory. */
static size_t number_key(struct directive_codec *c, struct iot_text key)
{
	uint64_t id;
	size_t i = find_key(c, key, &id);
	if (i != SIZE_MAX)
		return i;
	i = idmap_number(&c->key_ids, id);
	if (!array_reserve_index(&c->last, &c->last_capacity, i, sizeof(*c->last)) ||
	    !keep_text(c, key, &c->last[i].key))
		return SIZE_MAX;
	return i;
}

static struct slot slot_of(enum iot_kind kind, const struct scanned_slot *from, size_t key)
{
	const enum directive_key name = directive_number_key(kind, from->key);
	return (struct slot){.key = (uint32_t)key,
			     .kind = from->kind,
			     .member = (uint8_t)directive_member(kind, name),
			     .is_id = from->kind == SLOT_VALUE && name != KEY_NUMBERS};
}

/* Adds the slots of the directive scanned last to a template that has its text. */
static bool add_slots(struct directive_codec *c, struct template *t)
{
	const struct scanned *s = &c->scanned;
	uint32_t from = 0;
	for (size_t i = 0; i < s->slots; i++) {
		const struct scanned_slot *scanned = &s->slot[i];
		const size_t key = number_key(c, alias(s->kind, scanned->key));
		if (key == SIZE_MAX)
			return false;
		struct slot *slot = &c->slot[c->slots++];
		*slot = slot_of(s->kind, scanned, key);
		slot->before = (struct kept_text){t->text.at + from, scanned->at - from};
		t->irregular |= slot->is_id && !fits_id(scanned->is_number, scanned->number);
		from = scanned->at + 1U;
	}
	t->after = (struct kept_text){t->text.at + from, t->text.size - from};
	return true;
}

/* Returns NULL if out of memory. */
static const struct template *add_template(struct directive_codec *c, struct iot_text text,
					   uint64_t id)
{
	const struct scanned *s = &c->scanned;
	struct iot_event ev = {.text = text};
	const bool irregular = iot_directive_parse(&ev, NULL) != IOT_OK || s->irregular;
	const size_t number = idmap_number(&c->template_ids, id);
	if (!array_reserve_index(&c->template, &c->template_capacity, number,
				 sizeof(*c->template)) ||
	    !array_reserve(&c->slot, &c->slot_capacity, c->slots + s->slots, sizeof(*c->slot)))
		return NULL;
	struct template *t = &c->template[number];
	*t = (struct template){.first_slot = (uint32_t)c->slots,
			       .slots = (uint32_t)s->slots,
			       .kind = ev.kind,
			       .has = ev.has,
			       .irregular = irregular};
	if (!keep_text(c, (struct iot_text){s->text, s->size}, &t->text) || !add_slots(c, t))
		return NULL;
	c->weight += s->size + s->slots * SLOT_WEIGHT;
	return t;
}

/* Keeps the values of the directive scanned last, which has this template. */
static bool keep_values(struct directive_codec *c, const struct template *t)
{
	const struct scanned *s = &c->scanned;
	for (size_t i = 0; i < s->slots; i++) {
		const struct scanned_slot *slot = &s->slot[i];
		if (slot->kind == SLOT_TIME)
			c->last_time = slot->number;
		else if (slot->kind != SLOT_PATH)
			set_last(&c->last[c->slot[t->first_slot + i].key], slot);
		else if (!directive_add_path(c, slot->value))
			return false;
	}
	return true;
}

int directive_learn(struct directive_codec *c, struct iot_text text)
{
	const struct scanned *s = &c->scanned;
	uint64_t id;
	if (c->weight + 2 * text.size + s->slots * (SLOT_WEIGHT + PATH_WEIGHT) > STATE_MAX)
		directive_codec_forget(c);
	credit_stored(c, text.size);
	const size_t number = directive_template(c, (struct iot_text){s->text, s->size}, &id);
	const struct template *t =
	    number != SIZE_MAX ? &c->template[number] : add_template(c, text, id);
	if (t == NULL)
		return IOT_ENOMEM;
	c->used = (uint32_t)(t - c->template) + 1;
	return keep_values(c, t) ? IOT_OK : IOT_ENOMEM;
}
