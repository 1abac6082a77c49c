/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognizes the templates that were used last, without a scan. */
#include "directive_codec_internal.h"

#include <string.h>

#include "directive.h"

enum {
	BEGINNING = 12,  /* bytes */
	DIGITS_MAX = 19, /* any number of this many digits fits in 64 bits */
};

static uint64_t mix(uint64_t x)
{
	return x * UINT64_C(0x9e3779b97f4a7c15);
}

/* The samples of each host have a template: returns the end of its name, as a number. */
static uint64_t host_of(struct iot_text text)
{
	static const char key[] = " host=";
	const char *host = memmem(text.data, text.size, key, sizeof(key) - 1), *end;
	uint64_t last = 0;
	if (host == NULL)
		return 0;
	host += sizeof(key) - 1;
	end = memchr(host, ' ', (size_t)(text.data + text.size - host));
	if (end != NULL && end - host >= (ptrdiff_t)sizeof(last))
		memcpy(&last, end - sizeof(last), sizeof(last));
	else if (end != NULL)
		memcpy(&last, host, (size_t)(end - host));
	return last;
}

/* Returns the templates of directives that begin as the text does, and name the same host. */
static uint32_t *recent_of(struct directive_codec *c, struct iot_text text)
{
	static const char sample[] = "%sample ";
	uint64_t first = 0, host = 0;
	uint32_t rest = 0;
	if (text.size >= BEGINNING) {
		memcpy(&first, text.data, sizeof(first));
		memcpy(&rest, text.data + sizeof(first), sizeof(rest));
		host = memcmp(text.data, sample, sizeof(sample) - 1) == 0 ? host_of(text) : 0;
	}
	return c->recent[mix(first ^ (uint64_t)rest << 24 ^ mix(host)) >> (64 - BEGINNING_BITS)];
}

/* Moves a template to the front; `at`: where it was, or the last one, which it replaces. */
static void use(uint32_t recent[RECENT], size_t at, uint32_t template)
{
	for (; at > 0; at--)
		recent[at] = recent[at - 1];
	recent[0] = template;
}

/* Compares `size` bytes; eight bytes may be loaded. */
static inline bool is_same(const char *a, const char *b, size_t size)
{
	const uint64_t first = number_load(a) ^ number_load(b);
	if (size < 8)
		return (first & ((UINT64_C(1) << 8 * size) - 1)) == 0;
	if (size > 16)
		return memcmp(a, b, size) == 0;
	return (first | (number_load(a + size - 8) ^ number_load(b + size - 8))) == 0;
}

static inline bool begins_with(const struct directive_codec *c, const char *p, const char *end,
			       struct kept_text text)
{
	return (size_t)(end - p) >= text.size && is_same(p, c->text + text.at, text.size);
}

/* Reads a value that may be any text. */
static const char *match_text(const char *begin, const char *end, uint8_t kind,
			      struct scanned_slot *slot)
{
	struct iot_text rest = {begin, (size_t)(end - begin)};
	slot->value = (struct iot_text){begin, 0};
	if (begin < end && !is_blank(*begin))
		(void)word_next(&rest, &slot->value);
	slot->is_number = is_canonical(slot->value, &slot->number);
	const bool fits = kind == SLOT_PATH || (kind == SLOT_VALUE && is_numeric(slot->value)) ||
			  (kind == SLOT_TOOK && slot->is_number) ||
			  (kind == SLOT_TIME && slot->is_number && slot->number <= INT64_MAX);
	return fits ? begin + slot->value.size : NULL;
}

/* Reads the value at p. Returns its end, or NULL if the value does not belong into such a slot. */
static inline const char *match_value(const char *p, const char *end, uint8_t kind,
				      struct scanned_slot *slot)
{
	const unsigned digits = number_loaded(p, &slot->number);
	slot->is_number = digits > 0 && p[digits] == ' ' && (digits == 1 || *p != '0');
	if (!slot->is_number || digits > DIGITS_MAX ||
	    (kind == SLOT_TIME && slot->number > INT64_MAX))
		return match_text(p, end, kind, slot);
	slot->value = (struct iot_text){p, digits};
	return p + digits;
}

/* Stores the values in c->scanned.slot. Returns false if the copy has another template. */
static bool match(struct directive_codec *c, uint32_t number, size_t size)
{
	const struct template *t = &c->template[number - 1];
	const char *p = c->scanned.text, *const end = p + size;
	const struct slot *slot = c->slot + t->first_slot;
	for (uint32_t i = 0; i < t->slots; i++, slot++) {
		if (!begins_with(c, p, end, slot->before))
			return false;
		p = match_value(p + slot->before.size, end, slot->kind, &c->scanned.slot[i]);
		if (p == NULL)
			return false;
	}
	return (size_t)(end - p) == t->after.size && begins_with(c, p, end, t->after);
}

/* Copies a text, so that bytes after it may be loaded, and ends it with a blank. */
static void copy(struct scanned *s, struct iot_text text)
{
	memcpy(s->text, text.data, text.size);
	s->text[text.size] = ' ';
}

/* Returns which of the templates used lately the copy has, number + 1; 0: none. */
static uint32_t match_recent(struct directive_codec *c, struct iot_text text)
{
	uint32_t *recent = recent_of(c, text);
	for (size_t i = 0; i < RECENT && recent[i] != 0; i++) {
		const uint32_t found = recent[i];
		if (!match(c, found, text.size))
			continue;
		use(recent, i, found);
		return found;
	}
	return 0;
}

/* The samples of hosts follow each other in the same order in each interval. */
size_t directive_match(struct directive_codec *c, struct iot_text text)
{
	if (text.size > DIRECTIVE_MAX)
		return SIZE_MAX;
	copy(&c->scanned, text);
	uint32_t found = c->previous != 0 ? c->template[c->previous - 1].next : 0;
	if (found == 0 || !match(c, found, text.size))
		found = match_recent(c, text);
	directive_follow(c, found);
	return found != 0 ? found - 1 : SIZE_MAX;
}

void directive_make_recent(struct directive_codec *c, struct iot_text text, uint32_t template)
{
	use(recent_of(c, text), RECENT - 1, template);
	directive_follow(c, template);
}

bool directive_codec_recognize(struct directive_codec *c, struct iot_event *ev)
{
	const size_t number = directive_match(c, ev->text);
	uint64_t member[MEMBERS] = {0};
	c->recognized = 0;
	if (number == SIZE_MAX || c->template[number].irregular)
		return false;
	const struct template *t = &c->template[number];
	const struct slot *slot = &c->slot[t->first_slot];
	for (uint32_t i = 0; i < t->slots; i++) {
		const struct scanned_slot *value = &c->scanned.slot[i];
		if ((slot[i].is_id && !fits_id(value->is_number, value->number)) ||
		    (slot[i].kind == SLOT_TOOK && value->number > INT64_MAX))
			return false;
		member[slot[i].member] = value->number;
	}
	set_event(ev, t, member);
	if (!directive_end_fits(ev))
		return false;
	c->recognized = (uint32_t)number + 1;
	return true;
}
