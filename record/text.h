/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in buffers of fixed size; text that does not fit is cut. Nothing allocates. */
#ifndef RECORD_TEXT_H
#define RECORD_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	char *start, *end; /* end: of the buffer, less one byte for the NUL */
	char *at;
};

static inline struct text text_in(char *buffer, size_t size)
{
	return (struct text){buffer, buffer + size - 1, buffer};
}

static inline void text_add(struct text *t, const char *s)
{
	const size_t n = strlen(s), left = (size_t)(t->end - t->at), size = n < left ? n : left;
	memcpy(t->at, s, size);
	t->at += size;
	*t->at = '\0';
}

static inline void text_add_number(struct text *t, uint64_t n)
{
	char digits[24], *p = digits + sizeof digits - 1;
	*p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	text_add(t, p);
}

/* Returns the number that the text begins with; 0 if it begins with none. */
static inline uint64_t text_number(const char *s)
{
	uint64_t n = 0;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (uint64_t)(*s - '0');
	return n;
}

#endif
