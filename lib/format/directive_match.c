/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognizes the templates that were used last, without a scan. */
#include "directive_codec_internal.h"

#include <string.h>

#include "directive.h"

enum {
	BEGINNING = 12,    /* bytes */
	INT64_DIGITS = 19, /* a number of fewer digits fits in any slot */
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

static bool begins_with(const struct directive_codec *c, const char *p, const char *end,
			struct kept_text text)
{
	return (size_t)(end - p) >= text.size && memcmp(p, c->text + text.at, text.size) == 0;
}

/* Reads the value at p. Returns its end, or NULL if the value does not belong into such a slot. */
static const char *match_value(const char *p, const char *end, uint8_t kind,
			       struct scanned_slot *slot)
{
	const char *const begin = p;
	uint64_t number = 0;
	while (p < end && number_digit(*p) < 10)
		number = number * 10 + number_digit(*p++);
	const size_t digits = (size_t)(p - begin);
	slot->number = number;
	slot->is_number = digits > 0 && (p == end || *p == ' ') && (digits == 1 || *begin != '0');
	if (slot->is_number && digits < INT64_DIGITS) {
		slot->value = (struct iot_text){begin, digits};
		return p;
	}
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

/* Stores the values in c->scanned.slot. Returns false if the text has another template. */
static bool match(struct directive_codec *c, const struct template *t, struct iot_text text)
{
	const char *p = text.data, *const end = p + text.size;
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

size_t directive_match(struct directive_codec *c, struct iot_text text)
{
	uint32_t *recent = recent_of(c, text);
	if (text.size > DIRECTIVE_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i < RECENT && recent[i] != 0; i++) {
		const uint32_t found = recent[i];
		if (!match(c, &c->template[found - 1], text))
			continue;
		use(recent, i, found);
		return found - 1;
	}
	return SIZE_MAX;
}

void directive_make_recent(struct directive_codec *c, struct iot_text text, uint32_t template)
{
	use(recent_of(c, text), RECENT - 1, template);
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
