/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signatures: a call without its times. Every distinct call is validated and parsed once, and the
 * paths in its arguments are numbered.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/hash.h"
#include "lib/base/number.h"

enum {
	NUMBER_SIZE_MAX = 31, /* a longer text is not a number */
	AFTER_2_GIB = 31,
	PATHS_FIRST = 64,
	NS_PER_S = 1000000000,
};

const struct recorder_function recorder_no_effect = {
    .name = "", .target = -1, .length = -1, .offset = -1};

/* Paths by number */

static uint32_t *hash_slot(const struct recorder_paths *p, struct iot_text text)
{
	uint32_t mask = p->hash_capacity - 1;
	for (uint32_t i = (uint32_t)XXH3_64bits_withSeed(text.data, text.size, p->seed) & mask;;
	     i = (i + 1) & mask) {
		uint32_t *slot = &p->hash[i];
		if (*slot == 0 || (p->text[*slot - 1].size == text.size &&
				   memcmp(p->text[*slot - 1].data, text.data, text.size) == 0))
			return slot;
	}
}

static bool paths_grow(struct fdtable *t, struct recorder_paths *p)
{
	const size_t old = p->capacity, capacity = old == 0 ? PATHS_FIRST : old * 2;
	struct iot_text *text =
	    fdtable_grow(t, p->text, old * sizeof *text, capacity * sizeof *text);
	if (text == NULL)
		return false;
	p->text = text;
	uint32_t *hash = fdtable_grow(t, NULL, 0, capacity * 2 * sizeof *hash);
	if (hash == NULL)
		return false;
	fdtable_drop(t, p->hash, p->hash_capacity * sizeof *hash);
	p->hash = hash;
	p->seed = hash_seed();
	p->hash_capacity = (uint32_t)capacity * 2;
	p->capacity = (uint32_t)capacity;
	for (uint32_t i = 0; i < p->count; i++)
		*hash_slot(p, p->text[i]) = i + 1;
	return true;
}

/* Returns the number of a path, which is not empty; -1 if out of memory. */
static int64_t path_number(struct recorder *r, struct iot_text text)
{
	struct recorder_paths *p = &r->paths;
	if (p->count == p->capacity && !paths_grow(&r->tracker, p))
		return -1;
	uint32_t *slot = hash_slot(p, text);
	if (*slot != 0)
		return *slot;
	char *copy = fdtable_grow(&r->tracker, NULL, 0, text.size);
	if (copy == NULL)
		return -1;
	memcpy(copy, text.data, text.size);
	p->text[p->count++] = (struct iot_text){copy, text.size};
	*slot = p->count;
	return *slot;
}

void recorder_paths_free(struct fdtable *t, struct recorder_paths *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		fdtable_drop(t, (char *)(uintptr_t)p->text[i].data, p->text[i].size);
	fdtable_drop(t, p->text, p->capacity * sizeof *p->text);
	fdtable_drop(t, p->hash, p->hash_capacity * sizeof *p->hash);
}

/* Arguments */

struct iot_text recorder_arg(const struct recorder_signature *s, unsigned i)
{
	const char *p = s->args, *end = p + s->args_size;
	if (i >= s->count)
		return (struct iot_text){0};
	for (; p < end; i--) {
		const char *blank = memchr(p, ' ', (size_t)(end - p));
		const char *stop = blank == NULL ? end : blank;
		if (i == 0)
			return (struct iot_text){p, (size_t)(stop - p)};
		p = blank == NULL ? end : blank + 1;
	}
	return (struct iot_text){i == 0 ? end : NULL, 0};
}

bool recorder_number(struct iot_text text, int64_t *value)
{
	uint64_t v;
	bool minus = text.size > 0 && text.data[0] == '-';
	if (text.data == NULL || text.size > NUMBER_SIZE_MAX ||
	    !number_decimal(text.data + minus, text.size - minus, &v) || v > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

bool recorder_seconds(struct iot_text text, int64_t *ns)
{
	const char *dot = text.size == 0 ? NULL : memchr(text.data, '.', text.size);
	uint64_t whole, part, scale = NS_PER_S;
	if (dot == NULL)
		return false;
	size_t digits = text.size - (size_t)(dot - text.data) - 1;
	if (digits < 1 || digits > 9 ||
	    !number_decimal(text.data, (size_t)(dot - text.data), &whole) ||
	    !number_decimal(dot + 1, digits, &part) || whole > INT64_MAX / NS_PER_S - 1)
		return false;
	for (size_t i = 0; i < digits; i++)
		scale /= 10;
	*ns = (int64_t)(whole * NS_PER_S + part * scale);
	return true;
}

struct iot_text recorder_word(struct iot_text *text)
{
	const char *stop = text->size == 0 ? NULL : memchr(text->data, ' ', text->size);
	const size_t size = stop == NULL ? text->size : (size_t)(stop - text->data);
	const size_t used = size + (stop != NULL);
	const struct iot_text word = {text->data, size};
	*text = (struct iot_text){text->data + used, text->size - used};
	return word;
}

/* "-512*r+11783" */
static bool parse_pattern(struct iot_text text, struct recorder_signature *s)
{
	const char *star = memchr(text.data, '*', text.size);
	if (star == NULL || text.size - (size_t)(star - text.data) < 4 || star[1] != 'r' ||
	    star[2] != '+')
		return false;
	struct iot_text a = {text.data, (size_t)(star - text.data)};
	struct iot_text b = {star + 3, text.size - a.size - 3};
	s->sloped = true;
	return recorder_number(a, &s->slope) && recorder_number(b, &s->offset);
}

static bool parse_offset(struct recorder_signature *s)
{
	struct iot_text text = recorder_arg(s, (unsigned)s->function->offset);
	if (recorder_number(text, &s->offset))
		return true;
	return text.data != NULL && s->function->pattern != 0 && parse_pattern(text, s);
}

/*
 * Parses a count; for streams, size times count. The total of readv is an int, which may have
 * wrapped.
 */
static bool parse_length(struct recorder_signature *s)
{
	int64_t value, times = 1;
	if (!recorder_number(recorder_arg(s, (unsigned)s->function->length), &value))
		return false;
	if (s->function->wide &&
	    (!recorder_number(recorder_arg(s, (unsigned)s->function->length + 1), &times) ||
	     times < 0))
		return false;
	if (s->function->length == 1 && !s->function->wide && value < 0)
		value += (int64_t)1 << (AFTER_2_GIB + 1);
	if (value < 0 || __builtin_mul_overflow(value, times, &value))
		return false;
	s->length = (uint64_t)value;
	return true;
}

static bool parse_whence(struct recorder_signature *s)
{
	struct iot_text whence = recorder_arg(s, 2);
	if (whence.size != 1)
		return false;
	s->whence = (uint8_t)(*whence.data - '0');
	return *whence.data >= '0' && *whence.data <= '2';
}

/* Returns false if out of memory. */
static bool parse_target(struct recorder *r, struct recorder_signature *s, bool descriptors)
{
	struct iot_text text = recorder_arg(s, (unsigned)s->function->target);
	if (text.data == NULL || text.size == 0) {
		s->broken = true;
		return true;
	}
	if (descriptors && s->function->handle && s->function->layer == EMIT_LAYER_POSIX) {
		s->broken = !recorder_number(text, &s->target);
		return true;
	}
	s->target = path_number(r, text);
	return s->target >= 0;
}

bool recorder_prepare(struct recorder *r, struct recorder_signature *s, bool descriptors)
{
	const struct recorder_function *f = s->function;
	s->target = -1;
	if (f->target >= 0 && !parse_target(r, s, descriptors))
		return false;
	s->broken |= (f->length >= 0 && !parse_length(s)) || (f->offset >= 0 && !parse_offset(s)) ||
		     (f->whence && !parse_whence(s));
	return true;
}

/* Tables of signatures */

struct signature_entry {
	const char *key;
	size_t key_size;
	int32_t terminal;
	uint64_t declared;
};

static int bad(struct error *error, const char *name, uint32_t at, const char *what)
{
	return error_set(error, IOT_EFORMAT, "%s: signature %u: %s", name, at, what);
}

/* Reads the entry at *p and advances *p past it. */
static bool next_entry(const struct recorder_meta *m, const char **p, const char *end,
		       struct signature_entry *e)
{
	size_t head = m->cst_counts ? 16 : 8;
	if ((size_t)(end - *p) < head)
		return false;
	int32_t size = recorder_i32(*p + (m->cst_counts ? 8 : 4));
	e->terminal = recorder_i32(*p);
	e->declared = m->cst_counts ? recorder_u32(*p + 12) : 0;
	e->key = *p + head;
	if (size < 0 || size > end - e->key)
		return false;
	e->key_size = (size_t)size;
	*p = e->key + size;
	return true;
}

static size_t count_blanks(const char *p, size_t size)
{
	size_t n = 0;
	for (size_t i = 0; i < size; i++)
		n += p[i] == ' ';
	return n;
}

/* Returns NULL if the key is valid, otherwise a description of the defect. */
static const char *parse_key(const struct recorder_meta *m, const struct signature_entry *e,
			     struct recorder_signature *s)
{
	const bool wide = m->key_header == 18;
	if (e->key_size < m->key_header)
		return "shorter than the header of a key";
	s->thread = recorder_u64(e->key);
	s->id = wide ? recorder_u32(e->key + 8) : (unsigned char)e->key[8];
	s->depth = (uint8_t)e->key[wide ? 12 : 9];
	s->count = (uint8_t)e->key[wide ? 13 : 10];
	s->args_size = recorder_u32(e->key + m->key_header - 4);
	s->args = e->key + m->key_header;
	if (s->args_size != e->key_size - m->key_header)
		return "the length of its arguments differs from its key";
	if (count_blanks(s->args, s->args_size) != s->count)
		return "the number of its arguments differs from its key";
	if (s->id >= m->functions && s->id != RECORDER_USER_FUNCTION)
		return "its function has no name";
	return NULL;
}

static int add_entry(struct recorder *r, struct recorder_cst *c, uint32_t at,
		     const struct signature_entry *e, const char *name, struct error *error)
{
	if (e->terminal < 0 || (uint32_t)e->terminal >= c->count)
		return bad(error, name, at, "its number is not below the number of signatures");
	struct recorder_signature *s = &c->signature[e->terminal];
	if (s->function != NULL)
		return bad(error, name, at, "its number occurs twice");
	const char *what = parse_key(&r->meta, e, s);
	if (what != NULL)
		return bad(error, name, at, what);
	const bool user = s->id == RECORDER_USER_FUNCTION && s->count == 2;
	s->function = user || s->id >= r->meta.functions ? &recorder_no_effect
							 : r->meta.function[s->id].function;
	if (c->declared != NULL)
		c->declared[e->terminal] = e->declared;
	if (!recorder_prepare(r, s, false))
		return error_set(error, r->status != IOT_OK ? r->status : IOT_ENOMEM,
				 "%s: out of memory for signatures", name);
	return IOT_OK;
}

static int parse_table(struct recorder *r, struct recorder_cst *c, size_t size, const char *name,
		       struct error *error)
{
	const char *p = c->payload + 4, *end = c->payload + size;
	const size_t min = (r->meta.cst_counts ? 16 : 8) + r->meta.key_header;
	int32_t count = size < 4 ? -1 : recorder_i32(c->payload);
	if (count < 0 || (size_t)count > (size - 4) / min)
		return error_set(error, IOT_EFORMAT, "%s: %d signatures do not fit in %zu bytes",
				 name, count, size);
	c->count = (uint32_t)count;
	c->signature = calloc(c->count + 1U, sizeof *c->signature);
	if (c->signature != NULL && r->check) {
		c->seen = calloc(c->count + 1U, sizeof *c->seen);
		c->declared =
		    r->meta.cst_counts ? calloc(c->count + 1U, sizeof *c->declared) : NULL;
	}
	c->bytes = size + c->count * sizeof *c->signature;
	if (c->signature == NULL)
		return error_no_memory(error);
	for (uint32_t i = 0; i < c->count; i++) {
		struct signature_entry e;
		if (!next_entry(&r->meta, &p, end, &e))
			return bad(error, name, i, "extends beyond the end of the table");
		int status = add_entry(r, c, i, &e, name, error);
		if (status != IOT_OK)
			return status;
	}
	if (p != end)
		return error_set(error, IOT_EFORMAT, "%s: %td bytes after the last signature", name,
				 end - p);
	return IOT_OK;
}

struct recorder_cst *recorder_cst_load(struct recorder *r, const struct recorder_part *part,
				       struct error *error)
{
	size_t size = 0;
	struct recorder_cst *c = calloc(1, sizeof *c);
	if (c == NULL) {
		error_no_memory(error);
		return NULL;
	}
	c->payload = recorder_load(r, part, 0, RECORDER_WHOLE, r->meta.blocks, RECORDER_PAYLOAD_MAX,
				   &size, error);
	if (c->payload != NULL && parse_table(r, c, size, recorder_name(r, part), error) == IOT_OK)
		return c;
	recorder_cst_free(c);
	return NULL;
}

void recorder_cst_free(struct recorder_cst *c)
{
	if (c == NULL)
		return;
	free(c->payload);
	free(c->signature);
	free(c->declared);
	free(c->seen);
	free(c);
}
