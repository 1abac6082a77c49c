/* SPDX-License-Identifier: BSD-2-Clause */
/* Simple and slow: texts are compared one by one, and nothing is freed before the end. */
#include "second_directives.h"

#include <stdio.h>

enum {
	WEIGHT_MAX = 8 << 20,
	SLOT_WEIGHT = 64,
	PATH_WEIGHT = 16,
	TEMPLATE_BYTES = 32768,
	SLOTS = 2047,
	VALUE_BYTES = 32,
};

struct slot {
	struct text before, key, value; /* the text between the slot before and this one */
};

struct template
{
	size_t slots;
	struct slot *slot;
	struct text after; /* the last slot */
};

struct last {
	struct text key, value;
};

struct made {
	struct made *next;
	char text[];
};

struct second_directives {
	struct made *made;
	struct template *template;
	struct text *path;
	struct last *last;
	size_t templates, paths, lasts, weight;
	struct text last_path; /* at is NULL: none */
	uint64_t time;
};

static struct text keep(struct second_directives *d, struct text text)
{
	struct made *m = second_memory(sizeof(*m) + text_size(text) + 1);
	m->next = d->made;
	d->made = m;
	if (text_size(text) > 0)
		memcpy(m->text, text.at, text_size(text));
	return (struct text){m->text, m->text + text_size(text)};
}

static void *grown(void *array, size_t n, size_t size)
{
	if ((n & (n - 1)) != 0)
		return array;
	void *p = realloc(array, (n > 0 ? 2 * n : 1) * size);
	if (p == NULL)
		abort();
	return p;
}

struct second_directives *second_directives_new(void)
{
	return second_memory(sizeof(struct second_directives));
}

void second_directives_forget(struct second_directives *d)
{
	for (size_t i = 0; i < d->templates; i++)
		free(d->template[i].slot);
	d->templates = d->paths = d->lasts = d->weight = 0;
	d->last_path.at = NULL;
	d->time = 0;
}

void second_directives_free(struct second_directives *d)
{
	if (d == NULL)
		return;
	second_directives_forget(d);
	while (d->made != NULL) {
		struct made *next = d->made->next;
		free(d->made);
		d->made = next;
	}
	free(d->template);
	free(d->path);
	free(d->last);
	free(d);
}

/* Templates */

static bool is_decimal(struct text value, uint64_t max)
{
	uint64_t n;
	return number(value, 10, max, &n) && (text_size(value) == 1 || *value.at != '0');
}

static bool occurs(const struct template *t, struct text key)
{
	for (size_t i = 0; i < t->slots; i++)
		if (text_same(t->slot[i].key, key))
			return true;
	return false;
}

enum place { IN_TEXT, IN_SLOT, NO_TEMPLATE };

static enum place place_of(const struct template *t, struct text key, struct text value)
{
	const bool time = text_is(key, "time"), took = text_is(key, "took");
	if (time || took || text_is(key, "path") || text_is(key, "to")) {
		if (occurs(t, key) || (time && !is_decimal(value, INT64_MAX)) ||
		    (took && !is_decimal(value, UINT64_MAX)))
			return NO_TEMPLATE;
		return IN_SLOT;
	}
	if (text_is(key, "name") || text_is(key, "result") || text_size(value) == 0 ||
	    text_size(value) > VALUE_BYTES)
		return IN_TEXT;
	return *value.at == '-' || (*value.at >= '0' && *value.at <= '9') ? IN_SLOT : IN_TEXT;
}

/* Returns false if the directive has no template; the slots are to be freed in both cases. */
static bool template_of(struct text text, struct template *t)
{
	struct text rest = text, token;
	const char *from = text.at;
	*t = (struct template){.slot = second_memory((SLOTS + 1) * sizeof(struct slot))};
	if (text_size(text) > TEMPLATE_BYTES)
		return false;
	(void)next_field(&rest);
	while (text_size(token = next_field(&rest)) > 0) {
		const char *is = memchr(token.at, '=', text_size(token));
		if (is == NULL)
			continue;
		const struct text key = {token.at, is}, value = {is + 1, token.end};
		const enum place place = place_of(t, key, value);
		if (place == NO_TEMPLATE || (place == IN_SLOT && t->slots == SLOTS))
			return false;
		if (place == IN_TEXT)
			continue;
		t->slot[t->slots++] = (struct slot){{from, value.at}, key, value};
		from = value.end;
	}
	t->after = (struct text){from, text.end};
	return t->slots > 0;
}

static size_t template_size(const struct template *t)
{
	size_t size = text_size(t->after) + t->slots;
	for (size_t i = 0; i < t->slots; i++)
		size += text_size(t->slot[i].before);
	return size;
}

static bool same_template(const struct template *a, const struct template *b)
{
	if (a->slots != b->slots || !text_same(a->after, b->after))
		return false;
	for (size_t i = 0; i < a->slots; i++)
		if (!text_same(a->slot[i].before, b->slot[i].before))
			return false;
	return true;
}

/* State */

/* The key of a slot, of which the values are compared. */
static struct text key_of(const struct template *t, size_t i)
{
	struct text rest = t->slot[0].before, name = next_field(&rest), key = t->slot[i].key;
	if (text_is(key, "id") && text_is(name, "%file"))
		return (struct text){"file", &"file"[4]};
	if (text_is(key, "id") && text_is(name, "%process"))
		return (struct text){"process", &"process"[7]};
	return key;
}

static struct text *last_of(struct second_directives *d, struct text key)
{
	for (size_t i = 0; i < d->lasts; i++)
		if (text_same(d->last[i].key, key))
			return &d->last[i].value;
	d->last = grown(d->last, d->lasts, sizeof(*d->last));
	d->last[d->lasts] = (struct last){keep(d, key), {NULL, NULL}};
	return &d->last[d->lasts++].value;
}

static void add_path(struct second_directives *d, struct text path)
{
	d->path = grown(d->path, d->paths, sizeof(*d->path));
	d->last_path = d->path[d->paths++] = keep(d, path);
	d->weight += text_size(path) + PATH_WEIGHT;
}

static void define(struct second_directives *d, const struct template *t)
{
	for (size_t i = 0; i < d->templates; i++)
		if (same_template(&d->template[i], t))
			return;
	struct template new = *t;
	new.slot = second_memory(t->slots * sizeof(struct slot));
	for (size_t i = 0; i < t->slots; i++) {
		const struct text before = keep(d, t->slot[i].before);
		const char *key = before.end - 1 - text_size(t->slot[i].key);
		new.slot[i] = (struct slot){before, {key, before.end - 1}, {NULL, NULL}};
	}
	new.after = keep(d, t->after);
	d->template = grown(d->template, d->templates, sizeof(*d->template));
	d->template[d->templates++] = new;
	d->weight += template_size(t) + SLOT_WEIGHT * t->slots;
}

static void read_full(struct second_directives *d, struct text text)
{
	struct template t;
	if (template_of(text, &t)) {
		if (d->weight + 2 * text_size(text) + (SLOT_WEIGHT + PATH_WEIGHT) * t.slots >
		    WEIGHT_MAX)
			second_directives_forget(d);
		define(d, &t);
		for (size_t i = 0; i < t.slots; i++) {
			const struct slot *slot = &t.slot[i];
			if (text_is(slot->key, "path") || text_is(slot->key, "to"))
				add_path(d, slot->value);
			else if (text_is(slot->key, "time"))
				(void)number(slot->value, 10, INT64_MAX, &d->time);
			else
				*last_of(d, key_of(&t, i)) = keep(d, slot->value);
		}
	}
	free(t.slot);
}

/* Encoded directives */

static bool read_time(struct second_directives *d, struct text word, struct text *value)
{
	char digits[24];
	const bool minus = text_size(word) > 0 && *word.at == '-';
	uint64_t difference;
	word.at += minus;
	if (!number(word, 16, UINT64_MAX, &difference) ||
	    (minus ? difference > d->time : difference > INT64_MAX - d->time))
		return false;
	d->time += minus ? -difference : difference;
	const int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)d->time);
	*value = keep(d, (struct text){digits, digits + n});
	return true;
}

static bool read_path(struct second_directives *d, struct text word, struct text *value)
{
	uint64_t i;
	if (*word.at == '/' || *word.at == ':') {
		word.at += *word.at == ':';
		if (text_size(word) > TEMPLATE_BYTES ||
		    d->weight + text_size(word) + PATH_WEIGHT > WEIGHT_MAX)
			return false;
		add_path(d, word);
	} else if (!text_is(word, "=")) {
		if (!number(word, 16, UINT64_MAX, &i) || i >= d->paths)
			return false;
		d->last_path = d->path[i];
	}
	*value = d->last_path;
	return value->at != NULL;
}

static bool read_other(struct second_directives *d, struct text key, struct text word,
		       struct text *value)
{
	struct text *last = last_of(d, key);
	char digits[24];
	uint64_t n = 0;
	if (text_is(word, "=")) {
		*value = *last;
		return last->at != NULL;
	}
	if (*word.at == ':') {
		word.at++;
		const struct template none = {0};
		if (place_of(&none, (struct text){"n", &"n"[1]}, word) != IN_SLOT)
			return false;
		*value = *last = keep(d, word);
		return true;
	}
	if (text_is(word, "+")) {
		if (last->at == NULL || !is_decimal(*last, UINT64_MAX - 1))
			return false;
		(void)number(*last, 10, UINT64_MAX, &n);
		n++;
	} else if (!number(word, 16, UINT64_MAX, &n)) {
		return false;
	}
	const int size = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	*value = *last = keep(d, (struct text){digits, digits + size});
	return true;
}

static bool read_value(struct second_directives *d, const struct template *t, size_t i,
		       struct text word, struct text *value)
{
	const struct text key = t->slot[i].key;
	if (text_is(key, "time"))
		return read_time(d, word, value);
	if (text_is(key, "path") || text_is(key, "to"))
		return read_path(d, word, value);
	return read_other(d, key_of(t, i), word, value) &&
	       (!text_is(key, "took") || is_decimal(*value, UINT64_MAX));
}

static bool read_encoded(struct second_directives *d, struct text *text)
{
	static const char same[] = "=";
	struct text rest = {text->at + 1, text->end}, word = next_field(&rest), value;
	uint64_t n;
	if (!number(word, 10, UINT64_MAX, &n) || n >= d->templates)
		return false;
	const struct template *t = &d->template[n];
	size_t size = 0, capacity = text_size(t->after);
	struct text *values = second_memory(t->slots * sizeof(*values));
	bool fine = true;
	for (size_t i = 0; fine && i < t->slots; i++) {
		word = next_field(&rest);
		if (text_size(word) == 0)
			word = (struct text){same, same + 1};
		fine = read_value(d, t, i, word, &value);
		values[i] = value;
		capacity += fine ? text_size(t->slot[i].before) + text_size(value) : 0;
	}
	fine = fine && text_size(next_field(&rest)) == 0;
	char *out = second_memory(capacity + 1);
	for (size_t i = 0; fine && i <= t->slots; i++) {
		const struct text fixed = i < t->slots ? t->slot[i].before : t->after;
		memcpy(out + size, fixed.at, text_size(fixed));
		size += text_size(fixed);
		if (i < t->slots && text_size(values[i]) > 0)
			memcpy(out + size, values[i].at, text_size(values[i]));
		size += i < t->slots ? text_size(values[i]) : 0;
	}
	if (fine)
		*text = keep(d, (struct text){out, out + size});
	free(out);
	free(values);
	return fine;
}

bool second_directives_read(struct second_directives *d, struct text *text)
{
	const char *p = text->at;
	while (p < text->end && *p == '%')
		p++;
	const bool numbered = p > text->at && p < text->end && *p >= '0' && *p <= '9';
	if (numbered && p - text->at == 1)
		return read_encoded(d, text);
	if (numbered)
		text->at++;
	else if (p > text->at)
		read_full(d, *text);
	return true;
}
