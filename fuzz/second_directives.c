/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Written from iotrace(5), ENCODED DIRECTIVES, alone and as simply as that page allows: lists are
 * searched from their beginning, and all memory is kept until the end.
 */
#include "second_directives.h"

#include <inttypes.h>
#include <stdio.h>

enum { DIRECTIVE_MAX = 32768, SLOTS_MAX = 2047, VALUE_MAX = 32, WEIGHT_MAX = 8 << 20 };

struct slot {
	struct text key, value; /* the value comes from the directive that defined the template */
	size_t number;          /* of the key */
};

struct last {
	struct text key, value; /* value.at is NULL without a last value */
};

struct second_template {
	struct text text;
	struct slot *slots;
	size_t count;
};

struct memory {
	struct memory *next;
	char bytes[];
};

struct second_directives {
	struct second_template *templates;
	struct text *paths;
	struct last *last; /* by number of the key */
	size_t template_count, path_count, last_count, weight;
	uint64_t time;
	struct text path; /* path.at is NULL without a last path */
	struct memory *memory;
};

static void *keep(struct second_directives *d, size_t size)
{
	struct memory *m = second_memory(sizeof(*m) + size);
	m->next = d->memory;
	d->memory = m;
	return m->bytes;
}

/* Returns the array with space for another element. */
static void *grow(void *array, size_t count, size_t element)
{
	void *grown = realloc(array, (count + 1) * element);
	if (grown == NULL)
		abort();
	return grown;
}

struct second_directives *second_directives_new(void)
{
	return second_memory(sizeof(struct second_directives));
}

void second_directives_forget(struct second_directives *d)
{
	free(d->templates);
	free(d->paths);
	free(d->last);
	*d = (struct second_directives){.memory = d->memory};
}

void second_directives_free(struct second_directives *d)
{
	if (d == NULL)
		return;
	second_directives_forget(d);
	for (struct memory *next; d->memory != NULL; d->memory = next) {
		next = d->memory->next;
		free(d->memory);
	}
	free(d);
}

/* Templates */

static struct text text_of(const char *string)
{
	return (struct text){string, string + strlen(string)};
}

static bool is_path(struct text key)
{
	return text_is(key, "path") || text_is(key, "to");
}

static bool is_time(struct text key)
{
	return text_is(key, "time") || text_is(key, "took");
}

static bool is_decimal(struct text text, uint64_t *value)
{
	return number(text, 10, UINT64_MAX, value) && (text_size(text) == 1 || *text.at != '0');
}

static bool is_value(struct text text)
{
	return text_size(text) > 0 && text_size(text) <= VALUE_MAX &&
	       ((*text.at >= '0' && *text.at <= '9') || *text.at == '-');
}

static bool is_slot(struct slot slot)
{
	return is_path(slot.key) || is_time(slot.key) ||
	       (is_value(slot.value) && !text_is(slot.key, "name") && !text_is(slot.key, "result"));
}

static struct text key_in_state(struct text directive, struct text key)
{
	struct text name = next_field(&directive);
	if (text_is(key, "id") && text_is(name, "%file"))
		return text_of("file");
	if (text_is(key, "id") && text_is(name, "%process"))
		return text_of("process");
	return key;
}

static struct second_template find_slots(struct second_directives *d, struct text text)
{
	struct second_template t = {.text = text,
				    .slots = keep(d, text_size(text) * sizeof(*t.slots))};
	struct text rest = text, token;
	(void)next_field(&rest);
	while (text_size(token = next_field(&rest)) > 0) {
		const char *is = memchr(token.at, '=', text_size(token));
		if (is == NULL)
			continue;
		struct slot slot = {.key = {token.at, is}, .value = {is + 1, token.end}};
		if (!is_slot(slot))
			continue;
		slot.key = key_in_state(text, slot.key);
		t.slots[t.count++] = slot;
	}
	return t;
}

/* Returns false if path, to, time or took occurs twice, or a time is malformed. */
static bool are_slots_valid(const struct second_template *t)
{
	uint64_t value;
	for (size_t i = 0; i < t->count; i++) {
		const struct text key = t->slots[i].key;
		if (is_time(key) && !is_decimal(t->slots[i].value, &value))
			return false;
		for (size_t j = 0; j < i && (is_path(key) || is_time(key)); j++)
			if (text_same(t->slots[j].key, key))
				return false;
	}
	return t->count > 0 && t->count <= SLOTS_MAX;
}

/* The text before slot i, from the previous slot on; of i == count, the text after the last one. */
static struct text piece(const struct second_template *t, size_t i)
{
	return (struct text){i > 0 ? t->slots[i - 1].value.end : t->text.at,
			     i < t->count ? t->slots[i].value.at : t->text.end};
}

static bool same_template(const struct second_template *a, const struct second_template *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i <= a->count; i++)
		if (!text_same(piece(a, i), piece(b, i)))
			return false;
	return true;
}

static void add_template(struct second_directives *d, struct second_template t)
{
	for (size_t i = 0; i < d->template_count; i++)
		if (same_template(&d->templates[i], &t))
			return;
	d->templates = grow(d->templates, d->template_count, sizeof(t));
	d->templates[d->template_count++] = t;
	d->weight += (1 + 64) * t.count;
	for (size_t i = 0; i <= t.count; i++)
		d->weight += text_size(piece(&t, i));
}

/* State */

static size_t number_of_key(struct second_directives *d, struct text key)
{
	for (size_t i = 0; i < d->last_count; i++)
		if (text_same(d->last[i].key, key))
			return i;
	d->last = grow(d->last, d->last_count, sizeof(*d->last));
	d->last[d->last_count] = (struct last){.key = key};
	return d->last_count++;
}

static void add_path(struct second_directives *d, struct text path)
{
	d->paths = grow(d->paths, d->path_count, sizeof(path));
	d->paths[d->path_count++] = path;
	d->weight += text_size(path) + 16;
}

static void set_last(struct second_directives *d, struct last *last, struct text value)
{
	last->value = value;
	if (text_is(last->key, "time"))
		(void)is_decimal(value, &d->time);
	else if (is_path(last->key))
		d->path = value;
}

static void read_full(struct second_directives *d, struct text text)
{
	struct second_template t = find_slots(d, text);
	if (!are_slots_valid(&t) || text_size(text) > DIRECTIVE_MAX)
		return;
	if (d->weight + 2 * text_size(text) + 80 * t.count > WEIGHT_MAX)
		second_directives_forget(d);
	for (size_t i = 0; i < t.count; i++) {
		struct slot *slot = &t.slots[i];
		slot->number = number_of_key(d, slot->key);
		set_last(d, &d->last[slot->number], slot->value);
		if (is_path(slot->key))
			add_path(d, slot->value);
	}
	add_template(d, t);
}

/* Values */

static struct text decimal(struct second_directives *d, uint64_t value)
{
	char *at = keep(d, 24);
	return (struct text){at, at + snprintf(at, 24, "%" PRIu64, value)};
}

static bool decode_time(struct second_directives *d, struct text word, struct text *value)
{
	uint64_t n;
	const bool negative = text_size(word) > 0 && *word.at == '-';
	word.at += negative;
	if (!number(word, 16, UINT64_MAX, &n) || n > (negative ? d->time : INT64_MAX - d->time))
		return false;
	*value = decimal(d, negative ? d->time - n : d->time + n);
	return true;
}

static bool decode_path(struct second_directives *d, struct text word, struct text *value)
{
	uint64_t n;
	if (text_is(word, "=")) {
		*value = d->path;
		return d->path.at != NULL;
	}
	if (*word.at != '/' && *word.at != ':') {
		if (!number(word, 16, UINT64_MAX, &n) || n >= d->path_count)
			return false;
		*value = d->paths[n];
		return true;
	}
	word.at += *word.at == ':';
	add_path(d, word);
	*value = word;
	return d->weight <= WEIGHT_MAX;
}

static bool decode_other(struct second_directives *d, const struct last *last, struct text word,
			 struct text *value)
{
	uint64_t n;
	if (text_is(word, "=")) {
		*value = last->value;
		return value->at != NULL;
	}
	if (text_is(word, "+")) {
		if (!is_decimal(last->value, &n) || n == UINT64_MAX)
			return false;
		*value = decimal(d, n + 1);
	} else if (*word.at == ':') {
		*value = (struct text){word.at + 1, word.end};
		return is_value(*value) && (!text_is(last->key, "took") || is_decimal(*value, &n));
	} else {
		if (!number(word, 16, UINT64_MAX, &n))
			return false;
		*value = decimal(d, n);
	}
	return true;
}

static bool decode_value(struct second_directives *d, const struct last *last, struct text word,
			 struct text *value)
{
	if (text_size(word) == 0)
		word = text_of("=");
	if (text_is(last->key, "time"))
		return decode_time(d, word, value);
	return is_path(last->key) ? decode_path(d, word, value)
				  : decode_other(d, last, word, value);
}

static char *append(char *end, struct text more)
{
	return mempcpy(end, more.at, text_size(more));
}

static struct text join(struct second_directives *d, const struct second_template *t,
			const struct text *values)
{
	size_t size = text_size(piece(t, t->count));
	for (size_t i = 0; i < t->count; i++)
		size += text_size(piece(t, i)) + text_size(values[i]);
	char *at = keep(d, size), *end = at;
	for (size_t i = 0; i < t->count; i++)
		end = append(append(end, piece(t, i)), values[i]);
	return (struct text){at, append(end, piece(t, t->count))};
}

static bool read_encoded(struct second_directives *d, struct text *text)
{
	struct text rest = {text->at + 1, text->end}, index = next_field(&rest);
	struct text values[SLOTS_MAX];
	uint64_t n;
	if (!number(index, 10, UINT64_MAX, &n) || n >= d->template_count)
		return false;
	const struct second_template *t = &d->templates[n];
	for (size_t i = 0; i < t->count; i++) {
		struct last *last = &d->last[t->slots[i].number];
		if (!decode_value(d, last, next_field(&rest), &values[i]))
			return false;
		set_last(d, last, values[i]);
	}
	*text = join(d, t, values);
	return text_size(*text) <= DIRECTIVE_MAX && text_size(next_field(&rest)) == 0;
}

bool second_directives_read(struct second_directives *d, struct text *text)
{
	const char *at = text->at;
	while (at < text->end && *at == '%')
		at++;
	const bool is_number = at < text->end && *at >= '0' && *at <= '9';
	if (is_number && at == text->at + 1)
		return read_encoded(d, text);
	if (is_number && at > text->at)
		text->at++;
	else if (at > text->at)
		read_full(d, *text);
	return true;
}
