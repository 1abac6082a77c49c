/* SPDX-License-Identifier: BSD-2-Clause */
#include "directive_codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "directive.h"
#include "lib/base/array.h"
#include "lib/base/hash.h"
#include "lib/base/idmap.h"
#include "lib/base/number.h"

enum {
	DIRECTIVE_MAX = 32768, /* bytes of a directive that is a template */
	SLOTS_MAX = 2048,      /* of one template */
	PATHS_MAX = 2,         /* ... with a path: path= and to= */
	VALUE_MAX = 32,        /* bytes of a value in a slot, except of a path */
	STATE_MAX = 1 << 23,   /* weight of all templates and paths */
	SLOT_WEIGHT = 64,
	PATH_WEIGHT = 16,
	EXPANSION_MAX = 64, /* decoded bytes of encoded directives per stored byte */
	SLOT_EXPANSION = 15,
	BLOCK = 32, /* bytes that are copied at once, up to BLOCK - 1 of them needlessly */
	BEGINNINGS = 64,
	BEGINNING = 12, /* bytes */
	RECENT = 4,
	INT64_DIGITS = 19, /* a number of fewer digits fits in any slot */
	FORMS = 64,
	WORD_MAX = 16,               /* bytes of a name or result in a form, with its NUL */
	OPERATION_PATHS_MAX = 16384, /* bytes of the paths of an operation without text */
};

static const char SLOT = '\n'; /* in the text of a template; no directive contains it */

enum slot_kind { SLOT_VALUE, SLOT_TOOK, SLOT_TIME, SLOT_PATH };

/* A range of codec.text. */
struct kept_text {
	uint32_t at, size;
};

struct slot {
	struct kept_text before; /* the text of the template since the previous slot */
	uint32_t key;            /* index of struct last */
	uint8_t kind;            /* enum slot_kind */
	uint8_t member;          /* enum directive_member of the event */
	bool is_id;              /* a number of 32 bits */
};

struct template
{
	struct kept_text text, after; /* after: the last slot */
	uint32_t first_slot, slots;
	uint32_t kind, has; /* of its events */
	bool irregular;     /* its events must be parsed */
};

/* The last value of a key: none, a number, whose text only a reader needs, or another text. */
struct last {
	struct kept_text key;
	uint64_t number;
	bool is_number;
	uint8_t size; /* of the text; 0: none */
	char text[VALUE_MAX];
};

/* The template of the operations with a name, a result and keys. */
struct form {
	char name[WORD_MAX], result[WORD_MAX];
	unsigned keys;     /* enum form_keys */
	uint32_t template; /* number + 1; 0: the form is unused */
};

enum form_keys { FORM_FILE = 1, FORM_PATH = 2, FORM_TO = 4, FORM_SIZE = 8, FORM_COUNT = 16 };

/* The values of a directive that belong into slots, and its text without them. */
struct scanned {
	struct scanned_slot {
		struct iot_text key, value;
		uint64_t number;
		bool is_number;
		uint8_t kind;
		uint16_t at;
	} slot[SLOTS_MAX];
	size_t slots, paths;
	enum iot_kind kind;
	bool irregular; /* a numeric key has a value that is not in a slot */
	char text[DIRECTIVE_MAX];
	size_t size;
};

struct directive_codec {
	uint64_t seed;
	bool decodes;
	size_t weight;
	int64_t
	    credit; /* bytes that encoded directives may still decode to; < 0: none may follow */
	uint64_t last_time;
	uint32_t last_path; /* number + 1; 0: none yet */
	uint32_t longest_path;
	char *text;
	size_t text_size, text_capacity;
	struct idmap template_ids, key_ids, path_ids; /* by hash */
	struct template *template;
	size_t template_capacity;
	/* by hash of a directive's beginning: templates used last, number + 1; 0: none */
	uint32_t recent[BEGINNINGS][RECENT];
	uint32_t recognized; /* template, number + 1, of the values in `scanned`; 0: none */
	uint32_t used;       /* template, number + 1, of the directive encoded last; 0: none */
	struct form form[FORMS];
	struct slot *slot;
	size_t slots, slot_capacity;
	struct last *last;
	size_t last_capacity;
	struct kept_text *path;
	size_t paths, path_capacity;
	uint32_t *newest; /* of each path_ids: the number of the path spelled out last */
	size_t newest_capacity;
	struct scanned scanned;
};

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
	c->recognized = c->used = 0;
	memset(c->recent, 0, sizeof(c->recent));
	memset(c->form, 0, sizeof(c->form));
	if (c->last != NULL)
		memset(c->last, 0, c->last_capacity * sizeof(*c->last));
}

/* Texts, and their numbers */

static bool same_text(const struct directive_codec *c, struct kept_text range, struct iot_text text)
{
	return range.size == text.size && memcmp(c->text + range.at, text.data, text.size) == 0;
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

static uint64_t hash(const struct directive_codec *c, struct iot_text text)
{
	return XXH3_64bits_withSeed(text.data, text.size, c->seed);
}

/* These return the number, or SIZE_MAX; *id is the key of the text in the map. */

static size_t find_template(const struct directive_codec *c, struct iot_text text, uint64_t *id)
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

/* Returns the number of a path in path_ids, a new one if *is_new; SIZE_MAX if out of memory. */
static size_t number_path(struct directive_codec *c, struct iot_text path, bool *is_new)
{
	for (uint64_t id = hash(c, path);; id++) {
		const size_t count = c->path_ids.count, i = idmap_number(&c->path_ids, id);
		*is_new = i == count;
		if (i == SIZE_MAX || *is_new || same_text(c, c->path[c->newest[i]], path))
			return i;
	}
}

/* Scanning a directive */

static bool is_canonical(struct iot_text value, uint64_t *number)
{
	return number_decimal(value.data, value.size, number) &&
	       value.size == number_count(*number);
}

static bool is_numeric(struct iot_text value)
{
	return value.size > 0 && value.size <= VALUE_MAX &&
	       (value.data[0] == '-' || number_digit(value.data[0]) < 10);
}

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

/* id= of %file and %process has the values of file= and process=. */
static struct iot_text alias(enum iot_kind kind, struct iot_text key)
{
	if (text_equals(key, "id") && kind == IOT_FILE)
		return (struct iot_text){"file", 4};
	if (text_equals(key, "id") && kind == IOT_PROCESS)
		return (struct iot_text){"process", 7};
	return key;
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

/* Returns false if the text is not a directive or cannot be a template. */
static bool scan(struct scanned *s, struct iot_text text)
{
	struct iot_text rest = text, directive, token;
	const char *from = text.data;
	unsigned once, seen = 0;
	s->slots = s->paths = s->size = 0;
	s->irregular = false;
	if (text.size == 0 || text.data[0] != '%' || text.size > DIRECTIVE_MAX)
		return false;
	directive_token(&rest, &directive);
	s->kind = directive_kind(directive);
	while (s->slots < SLOTS_MAX && directive_token(&rest, &token)) {
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

/* State */

static void credit_stored(struct directive_codec *c, size_t size)
{
	c->credit += EXPANSION_MAX * (int64_t)size;
}

static void charge_template(struct directive_codec *c, const struct template *t)
{
	c->credit -= (int64_t)t->text.size + SLOT_EXPANSION * (int64_t)t->slots;
}

static void charge_path(struct directive_codec *c)
{
	c->credit -= c->path[c->last_path - 1].size;
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

/* Appends a path that has the number i in path_ids. */
static bool append_path_as(struct directive_codec *c, struct iot_text path, size_t i)
{
	if (i == SIZE_MAX ||
	    !array_reserve_index(&c->newest, &c->newest_capacity, i, sizeof(*c->newest)))
		return false;
	c->newest[i] = (uint32_t)c->paths;
	return append_path(c, path);
}

/* Adds a path that is spelled out. Only a writer looks paths up. */
static bool add_path(struct directive_codec *c, struct iot_text path)
{
	bool is_new;
	return c->decodes ? append_path(c, path)
			  : append_path_as(c, path, number_path(c, path, &is_new));
}

static void set_last(struct last *last, const struct scanned_slot *slot)
{
	last->number = slot->number;
	last->is_number = slot->is_number;
	last->size = slot->is_number ? 0 : (uint8_t)slot->value.size;
	if (last->size > 0)
		memcpy(last->text, slot->value.data, last->size);
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

static bool fits_id(bool is_number, uint64_t number)
{
	return is_number && number <= UINT32_MAX;
}

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
	if (!keep_text(c, (struct iot_text){s->text, s->size}, &t->text))
		return NULL;
	uint32_t from = 0;
	for (size_t i = 0; i < s->slots; i++) {
		const struct scanned_slot *slot = &s->slot[i];
		const size_t key = number_key(c, alias(s->kind, slot->key));
		if (key == SIZE_MAX)
			return NULL;
		const enum directive_key name = directive_number_key(s->kind, slot->key);
		const bool is_id = slot->kind == SLOT_VALUE && name != KEY_NUMBERS;
		c->slot[c->slots++] =
		    (struct slot){.before = {t->text.at + from, slot->at - from},
				  .key = (uint32_t)key,
				  .kind = slot->kind,
				  .member = (uint8_t)directive_member(s->kind, name),
				  .is_id = is_id};
		t->irregular |= is_id && !fits_id(slot->is_number, slot->number);
		from = slot->at + 1U;
	}
	t->after = (struct kept_text){t->text.at + from, t->text.size - from};
	c->weight += s->size + s->slots * SLOT_WEIGHT;
	return t;
}

/* Adds the directive scanned last, which is written in full: text. */
static int learn(struct directive_codec *c, struct iot_text text)
{
	const struct scanned *s = &c->scanned;
	uint64_t id;
	if (c->weight + 2 * text.size + s->slots * (SLOT_WEIGHT + PATH_WEIGHT) > STATE_MAX)
		directive_codec_forget(c);
	credit_stored(c, text.size);
	const size_t number = find_template(c, (struct iot_text){s->text, s->size}, &id);
	const struct template *t =
	    number != SIZE_MAX ? &c->template[number] : add_template(c, text, id);
	if (t == NULL)
		return IOT_ENOMEM;
	c->used = (uint32_t)(t - c->template) + 1;
	for (size_t i = 0; i < s->slots; i++) {
		const struct scanned_slot *slot = &s->slot[i];
		if (slot->kind == SLOT_TIME)
			c->last_time = slot->number;
		else if (slot->kind != SLOT_PATH)
			set_last(&c->last[c->slot[t->first_slot + i].key], slot);
		else if (!add_path(c, slot->value))
			return IOT_ENOMEM;
	}
	return IOT_OK;
}

/* Sets what iot_directive_parse() would find in a directive with this template. */
static void set_event(struct iot_event *ev, const struct template *t,
		      const uint64_t member[MEMBERS])
{
	ev->kind = t->kind;
	ev->has = t->has;
	ev->rec = (struct iot_record){.start_ns = (int64_t)member[MEMBER_TIME],
				      .duration_ns = member[MEMBER_TOOK],
				      .process = (uint32_t)member[MEMBER_PROCESS],
				      .file = (uint32_t)member[MEMBER_FILE],
				      .object = (uint32_t)member[MEMBER_OBJECT]};
}

/* Recognizing the templates that were used last, without a scan */

/* Returns the templates of directives that begin as the text does. */
static uint32_t *recent_of(struct directive_codec *c, struct iot_text text)
{
	uint64_t first = 0;
	uint32_t rest = 0;
	if (text.size >= BEGINNING) {
		memcpy(&first, text.data, sizeof(first));
		memcpy(&rest, text.data + sizeof(first), sizeof(rest));
	}
	return c->recent[((first ^ (uint64_t)rest << 24) * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
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
	if (begin < end && *begin != ' ' && *begin != '\t')
		(void)directive_token(&rest, &slot->value);
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

/* Returns the number of the template, with the values in c->scanned.slot; SIZE_MAX if none fits. */
static size_t match_recent(struct directive_codec *c, struct iot_text text)
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

bool directive_codec_recognize(struct directive_codec *c, struct iot_event *ev)
{
	const size_t number = match_recent(c, ev->text);
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

/* Encoding */

static size_t encode_time(struct directive_codec *c, uint64_t time, char *out)
{
	const bool back = time < c->last_time;
	const uint64_t delta = back ? c->last_time - time : time - c->last_time;
	out[0] = '-';
	c->last_time = time;
	return back + number_hex(out + back, delta);
}

static bool is_last(const struct last *last, const struct scanned_slot *slot)
{
	if (last->is_number != slot->is_number)
		return false;
	return slot->is_number ? last->number == slot->number
			       : last->size == slot->value.size &&
				     memcmp(last->text, slot->value.data, last->size) == 0;
}

static size_t encode_value(struct last *last, const struct scanned_slot *slot, char *out)
{
	const bool follows = slot->is_number && last->is_number && slot->number > 0 &&
			     slot->number - 1 == last->number;
	if (is_last(last, slot)) {
		out[0] = '=';
		return 1;
	}
	set_last(last, slot);
	if (follows) {
		out[0] = '+';
		return 1;
	}
	if (slot->is_number)
		return number_hex(out, slot->number);
	out[0] = ':';
	memcpy(out + 1, slot->value.data, slot->value.size);
	return 1 + slot->value.size;
}

/* Returns 0 if out of memory. */
static size_t encode_path(struct directive_codec *c, struct iot_text path, char *out)
{
	const size_t last = c->last_path;
	bool is_new;
	if (last > 0 && same_text(c, c->path[last - 1], path)) {
		out[0] = '=';
		return 1;
	}
	const size_t i = number_path(c, path, &is_new);
	if (i != SIZE_MAX && !is_new) {
		c->last_path = c->newest[i] + 1;
		return number_hex(out, c->newest[i]);
	}
	const bool marked = path.size == 0 || path.data[0] != '/';
	out[0] = ':';
	memcpy(out + marked, path.data, path.size);
	return append_path_as(c, path, i) ? marked + path.size : 0;
}

static size_t encode_slot(struct directive_codec *c, const struct slot *to,
			  const struct scanned_slot *from, char *out)
{
	switch (to->kind) {
	case SLOT_TIME:
		return encode_time(c, from->number, out);
	case SLOT_PATH: {
		const size_t size = encode_path(c, from->value, out);
		if (size > 0)
			charge_path(c);
		return size;
	}
	default:
		return encode_value(&c->last[to->key], from, out);
	}
}

static bool is_encoded(struct iot_text text)
{
	return text.size > 1 && text.data[0] == '%' && number_digit(text.data[1]) < 10;
}

/* Returns whether the text is %, further %, and a digit. */
static bool is_escaped(struct iot_text text)
{
	while (text.size > 2 && text.data[0] == '%' && text.data[1] == '%')
		text = (struct iot_text){text.data + 1, text.size - 1};
	return is_encoded(text);
}

/* A directive with a number as its name gets another %, because it is not an encoded one. */
static ssize_t escape(struct iot_text text, char *out)
{
	if (!is_escaped(text))
		return 0;
	out[0] = '%';
	memcpy(out + 1, text.data, text.size);
	return (ssize_t)text.size + 1;
}

/* Encodes the directive of which the values have been scanned. */
static ssize_t encode(struct directive_codec *c, size_t number, char *out)
{
	const struct scanned *s = &c->scanned;
	const struct template *t = &c->template[number];
	const struct slot *slot = &c->slot[t->first_slot];
	c->used = (uint32_t)number + 1;
	out[0] = '%';
	size_t n = 1 + number_dec(out + 1, number), end = n;
	for (size_t i = 0; i < t->slots; i++) {
		out[n++] = ' ';
		const size_t size = encode_slot(c, &slot[i], &s->slot[i], out + n);
		if (size == 0)
			return IOT_ENOMEM;
		if (size > 1 || out[n] != '=')
			end = n + size;
		n += size;
	}
	charge_template(c, t);
	credit_stored(c, end);
	return (ssize_t)end;
}

/* Whether a directive with paths may be encoded: its paths add up to this weight. */
static bool may_encode(const struct directive_codec *c, size_t weight)
{
	return c->credit >= 0 && c->weight + weight <= STATE_MAX;
}

/* Like encode(), for a text of a template that has not been used recently. */
static ssize_t encode_scanned(struct directive_codec *c, struct iot_text text, char *out)
{
	const struct scanned *s = &c->scanned;
	uint64_t id;
	if (is_escaped(text) || !scan(&c->scanned, text))
		return escape(text, out);
	const size_t number = find_template(c, (struct iot_text){s->text, s->size}, &id);
	if (number == SIZE_MAX || !may_encode(c, text.size + s->paths * PATH_WEIGHT))
		return learn(c, text) == IOT_OK ? 0 : IOT_ENOMEM;
	use(recent_of(c, text), RECENT - 1, (uint32_t)number + 1);
	return encode(c, number, out);
}

ssize_t directive_codec_encode(struct directive_codec *c, struct iot_text text, char *out)
{
	const bool may = may_encode(c, text.size + PATHS_MAX * PATH_WEIGHT);
	const size_t number = may ? match_recent(c, text) : SIZE_MAX;
	c->recognized = c->used = 0;
	const ssize_t n =
	    number != SIZE_MAX ? encode(c, number, out) : encode_scanned(c, text, out);
	assert(n <= (ssize_t)ENCODED_DIRECTIVE_MAX(text.size));
	return n;
}

/* Converts the times that were scanned; the end of a recognized directive fits. */
static void scanned_to_ticks(struct directive_codec *c, const struct template *t, uint64_t tick_ns)
{
	const struct slot *slot = &c->slot[t->first_slot];
	struct scanned_slot *value = c->scanned.slot;
	uint64_t start_ns = 0;
	for (uint32_t i = 0; i < t->slots; i++)
		if (slot[i].kind == SLOT_TIME)
			start_ns = value[i].number;
	for (uint32_t i = 0; i < t->slots; i++)
		if (slot[i].kind == SLOT_TIME)
			value[i].number /= tick_ns;
		else if (slot[i].kind == SLOT_TOOK)
			value[i].number =
			    (start_ns + value[i].number) / tick_ns - start_ns / tick_ns;
}

ssize_t directive_codec_encode_recognized(struct directive_codec *c, struct iot_text text,
					  uint64_t tick_ns, char *out)
{
	const uint32_t number = c->recognized;
	if (number == 0 || !may_encode(c, text.size + PATHS_MAX * PATH_WEIGHT))
		return 0;
	c->recognized = 0;
	if (tick_ns != 1)
		scanned_to_ticks(c, &c->template[number - 1], tick_ns);
	return encode(c, number - 1, out);
}

/* Operations without a text */

static unsigned form_keys(const struct iot_operation *op)
{
	return (op->file != 0 ? FORM_FILE : 0U) | (op->path.data != NULL ? FORM_PATH : 0U) |
	       (op->to.data != NULL ? FORM_TO : 0U) | (op->has_size ? FORM_SIZE : 0U) |
	       (op->count > 0 ? FORM_COUNT : 0U);
}

/* The addresses only select the form, as a caller usually has one string for each name. */
static struct form *form_of(struct directive_codec *c, const struct iot_operation *op)
{
	const uint64_t mixed =
	    ((uint64_t)(uintptr_t)op->name ^ (uint64_t)(uintptr_t)op->result << 20) + form_keys(op);
	return &c->form[(mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
}

static struct scanned_slot number_value(uint64_t number)
{
	return (struct scanned_slot){.value = {"", 0}, .number = number, .is_number = true};
}

static struct scanned_slot path_value(struct iot_text path)
{
	return (struct scanned_slot){.value = path};
}

/* Stores the values in the order of directive_operation(). Returns their number. */
static size_t store_values(struct scanned_slot *slot, const struct iot_operation *op)
{
	size_t n = 0;
	slot[n++] = number_value((uint64_t)op->start_ns);
	slot[n++] = number_value(op->duration_ns);
	slot[n++] = number_value(op->process);
	if (op->file != 0)
		slot[n++] = number_value(op->file);
	if (op->path.data != NULL)
		slot[n++] = path_value(op->path);
	if (op->to.data != NULL)
		slot[n++] = path_value(op->to);
	if (op->has_size)
		slot[n++] = number_value(op->size);
	if (op->count > 0)
		slot[n++] = number_value(op->count);
	return n;
}

ssize_t directive_codec_encode_operation(struct directive_codec *c, const struct iot_operation *op,
					 bool *closes, char *out)
{
	const struct form *f = form_of(c, op);
	const size_t paths = op->path.size + op->to.size;
	if (f->template == 0 || f->keys != form_keys(op) || strcmp(f->name, op->name) != 0 ||
	    strcmp(f->result, op->result) != 0 || paths > OPERATION_PATHS_MAX ||
	    !may_encode(c, paths + PATHS_MAX * PATH_WEIGHT))
		return 0;
	(void)store_values(c->scanned.slot, op);
	*closes = (c->template[f->template - 1].has & IOT_CLOSES) != 0;
	c->recognized = 0;
	return encode(c, f->template - 1, out);
}

void directive_codec_prefetch(const struct directive_codec *c, struct iot_text path)
{
	if (path.size > 0)
		idmap_prefetch(&c->path_ids, hash(c, path));
}

void directive_codec_add_operation(struct directive_codec *c, const struct iot_operation *op)
{
	struct form *f = form_of(c, op);
	const size_t name = strlen(op->name), result = strlen(op->result);
	if (c->used == 0 || name >= WORD_MAX || result >= WORD_MAX ||
	    c->template[c->used - 1].slots != store_values(c->scanned.slot, op))
		return;
	*f = (struct form){.keys = form_keys(op), .template = c->used};
	memcpy(f->name, op->name, name);
	memcpy(f->result, op->result, result);
}

/* Decoding */

#define BEYOND "a time leads beyond 2^63-1 nanoseconds"

struct decoding {
	uint64_t tick_ns;
	uint64_t member[MEMBERS]; /* of the event */
	const char *why;
	bool irregular; /* the event must be parsed */
};

/* The next value of a line: a hexadecimal number, or a text. */
struct value {
	struct iot_text text;
	uint64_t number;
	bool is_number;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Reads the value after the blank at p, or "=" at the end of the line, where it is omitted. Returns
 * its end.
 */
static const char *next_value(const char *p, const char *end, struct value *value)
{
	const char *begin;
	uint64_t number = 0;
	do {
		begin = p += p < end;
		for (unsigned digit; p < end && (digit = number_digit(*p)) < 16; p++)
			number = number << 4 | digit;
	} while (p == begin && p < end && is_blank(*p));
	const size_t digits = (size_t)(p - begin);
	value->number = number;
	value->is_number = digits > 0 && (p == end || is_blank(*p)) &&
			   (digits <= 16 || number_parse(begin, digits, 16, &value->number));
	if (value->is_number)
		return p;
	while (p < end && !is_blank(*p))
		p++;
	value->text =
	    p > begin ? (struct iot_text){begin, (size_t)(p - begin)} : (struct iot_text){"=", 1};
	return p;
}

static bool is_mark(const struct value *value, char mark)
{
	return value->text.size == 1 && value->text.data[0] == mark;
}

/* Appends a text. Returns the end of the result. */
static char *put(char *out, const char *text, size_t size)
{
	size_t i = 0;
	do
		memcpy(out + i, text + i, BLOCK);
	while ((i += BLOCK) < size);
	return out + size;
}

static char *put_kept(char *out, const struct directive_codec *c, struct kept_text text)
{
	return put(out, c->text + text.at, text.size);
}

/* These functions append the decoded value and return its end; NULL if the value is malformed. */

static char *malformed(struct decoding *d, const char *why)
{
	d->why = why;
	return NULL;
}

static char *put_ns(struct decoding *d, const struct slot *slot, uint64_t ticks, char *out)
{
	uint64_t ns;
	if (__builtin_mul_overflow(ticks, d->tick_ns, &ns) || ns > INT64_MAX)
		return malformed(d, BEYOND);
	d->member[slot->member] = ns;
	return number_fast(out, ns);
}

static char *put_time(struct directive_codec *c, struct decoding *d, const struct slot *slot,
		      const struct value *value, char *out)
{
	const bool back = !value->is_number && value->text.data[0] == '-';
	uint64_t delta = value->number, time;
	if (back ? !number_parse(value->text.data + 1, value->text.size - 1, 16, &delta)
		 : !value->is_number)
		return malformed(d, "an encoded time is not a hexadecimal number");
	if (back ? __builtin_sub_overflow(c->last_time, delta, &time)
		 : __builtin_add_overflow(c->last_time, delta, &time))
		return malformed(d, BEYOND);
	c->last_time = time;
	return put_ns(d, slot, time, out);
}

static void set_number(struct last *last, uint64_t number)
{
	last->number = number;
	last->is_number = true;
	last->size = 0;
}

/* Returns NULL, or the error. */
static const char *set_text(struct last *last, struct iot_text value)
{
	struct scanned_slot slot = {.value = value};
	if (!is_numeric(value))
		return "an encoded value is not a number of up to 32 characters";
	slot.is_number = is_canonical(value, &slot.number);
	set_last(last, &slot);
	return NULL;
}

/* Sets the last value of a key. Returns NULL, or the error. */
static const char *update(struct last *last, const struct value *value)
{
	if (value->is_number) {
		set_number(last, value->number);
	} else if (is_mark(value, '=')) {
		if (last->size == 0 && !last->is_number)
			return "an encoded value repeats a value that is not known";
	} else if (is_mark(value, '+')) {
		if (!last->is_number || last->number == UINT64_MAX)
			return "an encoded value follows a number that is not known";
		set_number(last, last->number + 1);
	} else if (value->text.data[0] == ':') {
		return set_text(last,
				(struct iot_text){value->text.data + 1, value->text.size - 1});
	} else {
		return "an encoded value is not a hexadecimal number";
	}
	return NULL;
}

static char *put_value(struct directive_codec *c, struct decoding *d, const struct slot *slot,
		       const struct value *value, char *out)
{
	struct last *last = &c->last[slot->key];
	const char *why = update(last, value);
	if (why != NULL)
		return malformed(d, why);
	if (slot->kind == SLOT_TOOK)
		return last->is_number ? put_ns(d, slot, last->number, out)
				       : malformed(d, "an encoded took= is not a number");
	if (last->size == 0)
		last->size = (uint8_t)(number_fast(last->text, last->number) - last->text);
	d->irregular |= slot->is_id && !fits_id(last->is_number, last->number);
	d->member[slot->member] = last->number;
	return put(out, last->text, last->size);
}

/* Adds the path that a line spells out. Returns false with *why, which is NULL if out of memory. */
static bool add_new_path(struct directive_codec *c, struct iot_text path, const char **why)
{
	*why = path.size > DIRECTIVE_MAX ? "an encoded path is longer than 32768 bytes"
	       : c->weight + path.size + PATH_WEIGHT > STATE_MAX
		   ? "encoded paths need more than 8 MiB"
		   : NULL;
	return *why == NULL && add_path(c, path);
}

/* Sets the last path. Returns false with *why. */
static bool update_path(struct directive_codec *c, const struct value *value, const char **why)
{
	const struct iot_text text = value->text;
	if (value->is_number && value->number < c->paths) {
		c->last_path = (uint32_t)value->number + 1;
	} else if (!value->is_number && text.data[0] == '/') {
		return add_new_path(c, text, why);
	} else if (!value->is_number && text.data[0] == ':') {
		return add_new_path(c, (struct iot_text){text.data + 1, text.size - 1}, why);
	} else if (value->is_number || !is_mark(value, '=')) {
		*why = "an encoded path is not the number of a path";
		return false;
	}
	*why = "an encoded path repeats a path that is not known";
	return c->last_path != 0;
}

static char *put_path(struct directive_codec *c, struct decoding *d, const struct value *value,
		      char *out)
{
	const char *why = NULL;
	if (!update_path(c, value, &why))
		return malformed(d, why);
	charge_path(c);
	return put_kept(out, c, c->path[c->last_path - 1]);
}

static char *put_slot(struct directive_codec *c, struct decoding *d, const struct slot *slot,
		      const struct value *value, char *out)
{
	switch (slot->kind) {
	case SLOT_TIME:
		return put_time(c, d, slot, value, out);
	case SLOT_PATH:
		return put_path(c, d, value, out);
	default:
		return put_value(c, d, slot, value, out);
	}
}

/* Decodes the values of a line. */
static char *put_slots(struct directive_codec *c, struct decoding *d, const struct template *t,
		       struct iot_text values, char *out)
{
	const char *p = values.data, *const end = p + values.size;
	const struct slot *slot = c->slot + t->first_slot, *const stop = slot + t->slots;
	struct value value = {.number = 0};
	for (; slot < stop; slot++) {
		p = next_value(p, end, &value);
		out = put_slot(c, d, slot, &value, put_kept(out, c, slot->before));
		if (out == NULL)
			return NULL;
	}
	while (p < end && is_blank(*p))
		p++;
	if (p < end)
		return malformed(
		    d, "an encoded directive has more values than its template has slots");
	return put_kept(out, c, t->after);
}

/* Returns NULL if the line does not begin with the number of a template. */
static const struct template *template_of(const struct directive_codec *c, struct iot_text text,
					  const char **end)
{
	const char *p = text.data + 1, *stop = text.data + text.size;
	size_t number = 0;
	for (unsigned digit; p < stop && (digit = number_digit(*p)) < 10; p++) {
		number = 10 * number + digit;
		if (number >= c->template_ids.count)
			return NULL;
	}
	*end = p;
	return p == stop || is_blank(*p) ? &c->template[number] : NULL;
}

/* Returns the size that a decoded text of `size` bytes has with its times in ticks. */
static size_t size_in_ticks(const struct directive_codec *c, const struct template *t,
			    uint64_t tick_ns, size_t size)
{
	for (uint32_t i = 0; i < t->slots; i++) {
		const struct slot *slot = &c->slot[t->first_slot + i];
		const bool is_time = slot->kind == SLOT_TIME;
		const uint64_t ticks = is_time ? c->last_time : c->last[slot->key].number;
		if (is_time || slot->kind == SLOT_TOOK)
			size -= number_count(ticks * tick_ns) - number_count(ticks);
	}
	return size;
}

static int parse(struct iot_event *ev, const char **why)
{
	return iot_directive_parse(ev, why) == IOT_OK ? IOT_OK : IOT_EFORMAT;
}

static size_t bound_of(const struct directive_codec *c, const struct template *t, size_t size)
{
	const size_t path = c->longest_path > size ? c->longest_path : size;
	return t->text.size + t->slots * VALUE_MAX +
	       PATHS_MAX * (path < DIRECTIVE_MAX ? path : DIRECTIVE_MAX) + BLOCK;
}

static int decode(struct directive_codec *c, struct iot_event *ev, uint64_t tick_ns, char *out,
		  size_t capacity, const char **why)
{
	struct decoding d = {.tick_ns = tick_ns};
	const char *p;
	const struct template *t = template_of(c, ev->text, &p);
	if (t == NULL) {
		*why = "an encoded directive without a template of its number";
		return IOT_EFORMAT;
	}
	if (bound_of(c, t, ev->text.size) > capacity)
		return IOT_ELIMIT;
	if (c->credit < 0) {
		*why = "encoded directives decode to more than 64 times their bytes";
		return IOT_EFORMAT;
	}
	credit_stored(c, ev->text.size);
	charge_template(c, t);
	const size_t size = ev->text.size - (size_t)(p - ev->text.data);
	const char *end = put_slots(c, &d, t, (struct iot_text){p, size}, out);
	if (end == NULL) {
		*why = d.why;
		return d.why != NULL ? IOT_EFORMAT : IOT_ENOMEM;
	}
	ev->text = (struct iot_text){out, (size_t)(end - out)};
	if (ev->text.size > DIRECTIVE_MAX &&
	    size_in_ticks(c, t, tick_ns, ev->text.size) > DIRECTIVE_MAX) {
		*why = "an encoded directive is longer than 32768 bytes when decoded";
		return IOT_EFORMAT;
	}
	set_event(ev, t, d.member);
	return t->irregular || d.irregular || !directive_end_fits(ev) ? parse(ev, why) : IOT_OK;
}

static bool has_times(struct iot_text text, uint64_t tick_ns)
{
	return tick_ns != 1 && text.size > 0 && text.data[0] == '%';
}

int directive_codec_parse(struct directive_codec *c, struct iot_event *ev, uint64_t tick_ns,
			  char *out, size_t capacity, const char **why)
{
	const struct iot_text text = ev->text;
	if (c != NULL)
		c->decodes = true;
	if (c != NULL && is_encoded(text))
		return decode(c, ev, tick_ns, out, capacity, why);
	if (has_times(text, tick_ns) && RETIMED_MAX(text.size) > capacity)
		return IOT_ELIMIT;
	if (c != NULL && is_escaped(text)) {
		ev->text = (struct iot_text){text.data + 1, text.size - 1};
	} else if (c != NULL && scan(&c->scanned, text) && learn(c, text) != IOT_OK) {
		return IOT_ENOMEM;
	}
	if (has_times(text, tick_ns) && directive_to_ns(&ev->text, tick_ns, out) != IOT_OK) {
		*why = BEYOND;
		return IOT_EFORMAT;
	}
	return parse(ev, why);
}

size_t directive_codec_bound(const struct directive_codec *c, struct iot_text text,
			     uint64_t tick_ns)
{
	const char *end;
	if (c == NULL || !is_encoded(text))
		return has_times(text, tick_ns) ? RETIMED_MAX(text.size) : 0;
	const struct template *t = template_of(c, text, &end);
	return t != NULL ? bound_of(c, t, text.size) : 0;
}
