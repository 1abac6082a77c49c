/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a text, which blanks separate: spaces and tabs. */
#ifndef LIB_BASE_WORD_H
#define LIB_BASE_WORD_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns the first character that is not blank, or end. */
static inline const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* Returns the first blank, or end. */
const char *word_end(const char *p, const char *end);

/* Removes the first word from *rest; returns false if none is left. */
bool word_next(struct iot_text *rest, struct iot_text *word);

/* Returns the text without blanks at its beginning and end. */
static inline struct iot_text text_trimmed(struct iot_text text)
{
	const char *end = text.data + text.size;
	const char *p = skip_blanks(text.data, end);
	while (end > p && is_blank(end[-1]))
		end--;
	return (struct iot_text){p, (size_t)(end - p)};
}

#endif
