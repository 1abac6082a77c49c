/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "did you mean": finds the known word that a mistyped one resembles.
 *
 *	struct nearest n;
 *	nearest_start(&n, "stta");
 *	nearest_offer(&n, "stat", 4);
 *	if (nearest_is_found(&n))
 *		printf("did you mean %s?\n", n.word);
 */
#ifndef CLI_UI_NEAREST_H
#define CLI_UI_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

enum { NEAREST_WORD_MAX = 64 };

struct nearest {
	const char *typed;
	unsigned distance;
	char word[NEAREST_WORD_MAX]; /* the best one offered so far */
};

void nearest_start(struct nearest *n, const char *typed);
void nearest_offer(struct nearest *n, const char *word, size_t size);
/* Returns whether the best word is so near that a typing error is likely. */
bool nearest_is_found(const struct nearest *n);

/*
 * Returns the number of single-character edits from a to b; 1 if b begins with a. Case is ignored.
 */
unsigned nearest_distance(const char *a, const char *b);

#endif
