/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the values of a directive that belong into slots of a template. */
#include "directive_codec_internal.h"

#include <string.h>

#include "directive.h"

/* Keys that a template can have only once, as bits. */
enum { ONCE_PATH = 1, ONCE_TO = 2, ONCE_TIME = 4, ONCE_TOOK = 8 };

/*
 * Classifies a key and its value. Returns false if the value is not in a slot; *once: the bit of
 * the key, if it has one.
 */
static bool classify(struct scanned_slot *slot, unsigned *once)
{
	const struct iot_text key = slot->key, value = slot->value;
	slot->is_number = is_canonical(value, &slot->number);
	slot->kind = SLOT_VALUE;
	*once = 0;
	if (text_equals(key, "path") || text_equals(key, "to")) {
		slot->kind = SLOT_PATH;
		*once = key.size == 2 ? ONCE_TO : ONCE_PATH;
	} else if (text_equals(key, "time")) {
		slot->kind = SLOT_TIME;
		*once = ONCE_TIME;
		return slot->is_number && slot->number <= INT64_MAX;
	} else if (text_equals(key, "took")) {
		slot->kind = SLOT_TOOK;
		*once = ONCE_TOOK;
		return slot->is_number;
	} else {
		return is_numeric(value) && !text_equals(key, "name") &&
		       !text_equals(key, "result");
	}
	return true;
}

static void copy(struct scanned *s, const char *from, const char *to)
{
	memcpy(s->text + s->size, from, (size_t)(to - from));
	s->size += (size_t)(to - from);
}

/* Appends the text since `from`, and a slot in place of its value. */
static void add_slot(struct scanned *s, const char *from)
{
	struct scanned_slot *slot = &s->slot[s->slots++];
	copy(s, from, slot->value.data);
	slot->at = (uint16_t)s->size;
	s->text[s->size++] = SLOT;
	s->paths += slot->kind == SLOT_PATH;
}

bool directive_scan(struct scanned *s, struct iot_text text)
{
	struct iot_text rest = text, directive, token;
	const char *from = text.data;
	unsigned once, seen = 0;
	s->slots = s->paths = s->size = 0;
	s->irregular = false;
	if (text.size == 0 || text.data[0] != '%' || text.size > DIRECTIVE_MAX)
		return false;
	word_next(&rest, &directive);
	s->kind = directive_kind(directive);
	while (s->slots < SLOTS_MAX && word_next(&rest, &token)) {
		struct scanned_slot *slot = &s->slot[s->slots];
		if (!directive_split(token, &slot->key, &slot->value))
			continue;
		const bool is_slot = classify(slot, &once);
		if ((once != 0 && !is_slot) || (seen & once) != 0)
			return false;
		seen |= once;
		if (is_slot) {
			add_slot(s, from);
			from = slot->value.data + slot->value.size;
		} else if (directive_number_key(s->kind, slot->key) != KEY_NUMBERS) {
			s->irregular = true;
		}
	}
	copy(s, from, text.data + text.size);
	return s->slots > 0 && s->slots < SLOTS_MAX;
}
