/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of call signatures: every distinct call is validated and parsed once. */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

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
		return "shorter than the head of a key";
	s->thread = recorder_u64(e->key);
	s->id = wide ? recorder_u32(e->key + 8) : (unsigned char)e->key[8];
	s->depth = (uint8_t)e->key[wide ? 12 : 9];
	s->count = (uint8_t)e->key[wide ? 13 : 10];
	s->args_size = recorder_u32(e->key + m->key_header - 4);
	s->args = e->key + m->key_header;
	if (s->args_size != e->key_size - m->key_header)
		return "its arguments are not as long as its key says";
	if (count_blanks(s->args, s->args_size) != s->count)
		return "its arguments are not as many as its key says";
	if (s->id >= m->functions && s->id != RECORDER_USER_FUNCTION)
		return "of a function that has no name";
	return NULL;
}

static bool is_user_function(const struct recorder_signature *s)
{
	return s->id == RECORDER_USER_FUNCTION && s->count == 2;
}

static int take_entry(struct recorder *r, struct recorder_cst *c, uint32_t at,
		      const struct signature_entry *e, const char *name, struct error *error)
{
	if (e->terminal < 0 || (uint32_t)e->terminal >= c->count)
		return bad(error, name, at, "its number is not below that of all");
	struct recorder_signature *s = &c->signature[e->terminal];
	if (s->function != NULL)
		return bad(error, name, at, "its number has been there before");
	const char *what = parse_key(&r->meta, e, s);
	if (what != NULL)
		return bad(error, name, at, what);
	s->function = is_user_function(s) || s->id >= r->meta.functions
			  ? recorder_function("", 0)
			  : r->meta.function[s->id].function;
	if (c->declared != NULL)
		c->declared[e->terminal] = e->declared;
	if (!recorder_prepare(r, s, false))
		return error_set(error, r->status != IOT_OK ? r->status : IOT_ENOMEM,
				 "%s: no memory for its signatures", name);
	return IOT_OK;
}

static int parse(struct recorder *r, struct recorder_cst *c, size_t size, const char *name,
		 struct error *error)
{
	const char *p = c->payload + 4, *end = c->payload + size;
	const size_t min = (r->meta.cst_counts ? 16 : 8) + r->meta.key_header;
	int32_t count = size < 4 ? -1 : recorder_i32(c->payload);
	if (count < 0 || (size_t)count > (size - 4) / min)
		return error_set(error, IOT_EFORMAT, "%s: %d signatures cannot be in %zu bytes",
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
		return error_set(error, IOT_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < c->count; i++) {
		struct signature_entry e;
		if (!next_entry(&r->meta, &p, end, &e))
			return bad(error, name, i, "goes beyond the end of the table");
		int status = take_entry(r, c, i, &e, name, error);
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
		error_set(error, IOT_ENOMEM, "out of memory");
		return NULL;
	}
	c->payload = recorder_load(r, part, 0, RECORDER_WHOLE, r->meta.blocks, RECORDER_PAYLOAD_MAX,
				   &size, error);
	if (c->payload != NULL && parse(r, c, size, recorder_name(r, part), error) == IOT_OK)
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
