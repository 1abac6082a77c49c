/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of counters: files of /proc, and what programs print. */
#ifndef CLI_SAMPLE_TEXT_IN_H
#define CLI_SAMPLE_TEXT_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where counters are read. */
struct text_source {
	const char *name, *converter;
	const char *path;       /* of a file; NULL: a program prints them */
	const char *program[8]; /* its arguments, which end with NULL */
	const char *input;      /* that it reads; or NULL */
};

/* Returns source i; NULL after the last one. */
const struct text_source *text_source_at(size_t i);
/* Returns whether the program exists, if there is one. */
bool text_source_exists(const struct text_source *t);
/*
 * Reads the whole text into a buffer, and stores its size; a program may take `limit_ns`. Returns
 * 0, or an errno; a text that does not fit is EFBIG.
 */
int text_read(const struct text_source *t, char *buffer, size_t capacity, size_t *size,
	      uint64_t limit_ns);

#endif
