/* SPDX-License-Identifier: BSD-2-Clause */
/* Pseudonyms of names and paths, by the hash of the options. */
#ifndef LIB_FILTER_PSEUDONYM_H
#define LIB_FILTER_PSEUDONYM_H

#include <iotrace/filter.h>

enum { PSEUDONYM_SIZE = 20 }; /* characters: 80 bits */

/* Kinds of names: names of different kinds never share a pseudonym, even if they are equal. */
enum {
	NAME_PATH = 'f',
	NAME_HOST = 'h',
	NAME_USER = 'u',
	NAME_GROUP = 'g',
	NAME_PROJECT = 'q',
	NAME_COMMAND = 'c',
	NAME_PROCESS = 'p',
	NAME_TARGET = 't',
	NAME_JOB = 'j',
	NAME_OTHER = 'o',
};

/* before: the digest of the names that precede this one, or NULL. */
void pseudonym_digest(const struct iot_anonymize_options *o, char kind, const unsigned char *before,
		      struct iot_text name, unsigned char *out);
/* Writes PSEUDONYM_SIZE characters; returns that number. */
size_t pseudonym_name(const struct iot_anonymize_options *o, char kind, struct iot_text name,
		      char *out);
/*
 * Replaces each component of a path; the pseudonym depends on the preceding components, so the
 * hierarchy is preserved, but not the equality of names in two directories. Returns 0 if the result
 * exceeds the capacity.
 */
size_t pseudonym_path(const struct iot_anonymize_options *o, struct iot_text path, char *out,
		      size_t capacity);
/*
 * Returns the size of the extension of a path, with its dot: 1 to 8 letters and digits, with at
 * least one letter, because digits are often a date. Returns 0 if the path has none.
 */
size_t pseudonym_extension(struct iot_text path);

#endif
