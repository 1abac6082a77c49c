/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "units.h"

size_t parse_size(const char *option, const char *text)
{
	static const char suffixes[] = "KMG";
	char *end = NULL;
	errno = 0;
	unsigned long long n = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
	const char *suffix = n > 0 && *end != '\0' ? strchr(suffixes, *end) : NULL;
	const int shift = suffix != NULL ? 10 * (int)(suffix - suffixes + 1) : 0;
	end += n > 0 && suffix != NULL;
	if (n == 0 || errno != 0 || *end != '\0' ||
	    n > (unsigned long long)(SIZE_MAX >> 1) >> shift)
		die("%s is '%s', expected a number of bytes, with K, M or G", option, text);
	return (size_t)n << shift;
}

int parse_count(const char *option, const char *text, int low, int high)
{
	char *end;
	const long n = strtol(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end != '\0' || n < low || n > high)
		die("%s is '%s', expected a number from %d to %d", option, text, low, high);
	return (int)n;
}

double parse_seconds(const char *option, const char *text)
{
	char *end;
	const double s = strtod(text, &end);
	if (end == text || *end != '\0' || !isfinite(s) || s <= 0)
		die("%s is '%s', expected seconds", option, text);
	return s;
}

/* Prints the words as in: a, b or c. */
static void list_words(char *text, size_t size, const char *const words[])
{
	size_t used = 0;
	for (int i = 0; words[i] != NULL && used < size; i++) {
		const char *between = i == 0 ? "" : words[i + 1] != NULL ? ", " : " or ";
		used += (size_t)snprintf(text + used, size - used, "%s%s", between, words[i]);
	}
}

int parse_word(const char *option, const char *text, const char *const words[])
{
	char expected[256];
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], text) == 0)
			return i;
	list_words(expected, sizeof(expected), words);
	die("%s is '%s', expected %s", option, text, expected);
}
