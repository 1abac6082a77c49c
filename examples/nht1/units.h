/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options; each function ends the program with a message if the text is wrong. */
#ifndef NHT1_UNITS_H
#define NHT1_UNITS_H

#include <stddef.h>

/* A number of bytes above 0, with an optional suffix K, M or G (powers of 1024). */
size_t parse_size(const char *option, const char *text);

/* A whole number in [low, high]. */
int parse_count(const char *option, const char *text, int low, int high);

/* Seconds, above 0. */
double parse_seconds(const char *option, const char *text);

/* Returns the index of a word in a list that ends with NULL. */
int parse_word(const char *option, const char *text, const char *const words[]);

#endif
