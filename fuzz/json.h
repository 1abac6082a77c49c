/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether a text is JSON (RFC 8259), with any number of consecutive values. */
#ifndef FUZZ_JSON_H
#define FUZZ_JSON_H

#include "fuzz.h"

enum { JSON_DEPTH_MAX = 20 };

static inline const char *json_blanks(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static inline const char *json_string(const char *p)
{
	for (p++; *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			return NULL;
		if (*p != '\\')
			continue;
		if (*++p == '\0' || strchr("\"\\/bfnrtu", *p) == NULL)
			return NULL;
		if (*p == 'u' && strspn(p + 1, "0123456789abcdefABCDEF") < 4)
			return NULL;
	}
	return p + 1;
}

static inline const char *json_number(const char *p)
{
	p += *p == '-';
	size_t digits = strspn(p, "0123456789");
	if (digits == 0 || (*p == '0' && digits > 1))
		return NULL;
	p += digits;
	if (*p != '.')
		return p;
	digits = strspn(p + 1, "0123456789");
	return digits > 0 ? p + 1 + digits : NULL;
}

static inline const char *json_value(const char *p, int depth);

/* After an opening bracket: values, or names and values. */
static inline const char *json_items(const char *p, int depth, char end)
{
	p = json_blanks(p);
	if (*p == end)
		return p + 1;
	for (;;) {
		if (end == '}') {
			p = *p == '"' ? json_string(p) : NULL;
			if (p == NULL || *(p = json_blanks(p)) != ':')
				return NULL;
			p++;
		}
		p = json_value(p, depth);
		if (p == NULL || *(p = json_blanks(p)) != ',')
			return p != NULL && *p == end ? p + 1 : NULL;
		p = json_blanks(p + 1);
	}
}

/* Returns the end of the value that begins at p, or NULL if none does. */
static inline const char *json_value(const char *p, int depth)
{
	static const char *const words[] = {"true", "false", "null"};
	p = json_blanks(p);
	if (depth >= JSON_DEPTH_MAX)
		return NULL;
	if (*p == '{' || *p == '[')
		return json_items(p + 1, depth + 1, *p == '{' ? '}' : ']');
	if (*p == '"')
		return json_string(p);
	for (size_t i = 0; i < 3; i++)
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	return json_number(p);
}

static inline bool json_is_valid(const char *text, size_t size)
{
	const char *p = json_blanks(text);
	while (*p != '\0') {
		p = json_value(p, 0);
		if (p == NULL)
			return false;
		p = json_blanks(p);
	}
	return p == text + size;
}

#endif
