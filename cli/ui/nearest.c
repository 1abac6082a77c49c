/* SPDX-License-Identifier: BSD-2-Clause */
#include "nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters that differ in case alone are not an edit: LRU means lru. */
static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Edits are: insert, delete, replace, and swap of two neighbours. */
unsigned nearest_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned row[3][NEAREST_WORD_MAX + 1] = {{0}};
	if (n > NEAREST_WORD_MAX || m > NEAREST_WORD_MAX)
		return NEAREST_WORD_MAX;
	if (n >= 3 && n < m && strncasecmp(a, b, n) == 0)
		return 1;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3];
		const unsigned *up = row[(i + 2) % 3], *upper = row[(i + 1) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			const unsigned edit = is_same(a[i - 1], b[j - 1]) ? 0 : 1;
			now[j] = min(up[j - 1] + edit, min(up[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
			    is_same(a[i - 2], b[j - 1]))
				now[j] = min(now[j], upper[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

void nearest_start(struct nearest *n, const char *typed)
{
	*n = (struct nearest){.typed = typed, .distance = NEAREST_WORD_MAX};
}

void nearest_offer(struct nearest *n, const char *word, size_t size)
{
	char copy[NEAREST_WORD_MAX];
	snprintf(copy, sizeof copy, "%.*s", (int)size, word);
	const unsigned distance = nearest_distance(n->typed, copy);
	if (distance >= n->distance)
		return;
	n->distance = distance;
	memcpy(n->word, copy, sizeof copy);
}

/* Most words of three or four letters are two edits away from another one. */
bool nearest_is_found(const struct nearest *n)
{
	const size_t size = strlen(n->typed);
	return n->distance <= (size < 6 ? 1U : 3U) && n->distance < size;
}
