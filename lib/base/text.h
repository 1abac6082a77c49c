/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts with a size. */
#ifndef LIB_BASE_TEXT_H
#define LIB_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

#include <iotrace/iotrace.h>

/* The text of a literal, as an initializer. */
#define TEXT_OF(literal)                                                                           \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

static inline bool text_same(struct iot_text a, struct iot_text b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static inline bool text_equals(struct iot_text text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

#endif
