/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines, fields and numbers (iotrace(5), Lines and Numbers), for the second decoder. */
#ifndef FUZZ_SECOND_TEXT_H
#define FUZZ_SECOND_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct text {
	const char *at, *end;
};

static inline void *second_memory(size_t size)
{
	void *p = calloc(1, size);
	if (p == NULL)
		abort();
	return p;
}

/* A line without LF and the CRs before it. */
static inline struct text text_of_line(const char *line, size_t size)
{
	struct text t = {line, line + size};
	if (t.at < t.end && t.end[-1] == '\n')
		t.end--;
	while (t.at < t.end && t.end[-1] == '\r')
		t.end--;
	return t;
}

static inline size_t text_size(struct text t)
{
	return (size_t)(t.end - t.at);
}

static inline bool text_is(struct text t, const char *what)
{
	return text_size(t) == strlen(what) && memcmp(t.at, what, text_size(t)) == 0;
}

static inline bool text_same(struct text a, struct text b)
{
	return text_size(a) == text_size(b) && memcmp(a.at, b.at, text_size(a)) == 0;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next field; an empty one at the end. */
static inline struct text next_field(struct text *rest)
{
	while (rest->at < rest->end && is_blank(*rest->at))
		rest->at++;
	struct text field = {rest->at, rest->at};
	while (field.end < rest->end && !is_blank(*field.end))
		field.end++;
	rest->at = field.end;
	return field;
}

static inline bool digit(char c, unsigned base, unsigned *value)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = memchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c, base);
	if (found != NULL)
		*value = (unsigned)(found - digits);
	return found != NULL;
}

static inline bool number(struct text field, unsigned base, uint64_t max, uint64_t *value)
{
	if (field.at == field.end)
		return false;
	*value = 0;
	for (; field.at < field.end; field.at++) {
		unsigned d;
		if (!digit(*field.at, base, &d) || *value > (max - d) / base)
			return false;
		*value = *value * base + d;
	}
	return true;
}

#endif
