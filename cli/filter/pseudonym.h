/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces names by a keyed hash (BLAKE2b): the same key and name give the same pseudonym in every
 * trace; without the key, trying candidates does not reveal the name of a pseudonym.
 */
#ifndef CLI_FILTER_PSEUDONYM_H
#define CLI_FILTER_PSEUDONYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

enum {
	KEY_MIN = 16,      /* bytes that a key must have, without repetition */
	KEY_DIFFERENT = 8, /* ... and the minimum number of distinct bytes */
	KEY_FILE_MAX = 4096,
	SECRET_SIZE = 32,    /* size of the secret derived from a key of any size */
	PSEUDONYM_SIZE = 20, /* characters: 80 bits */
	EXTENSION_MAX = 8
};

struct pseudonyms {
	unsigned char secret[SECRET_SIZE];
	const char *keep;    /* path prefixes that are preserved, separated by commas, or NULL */
	bool keep_extension; /* of the last component of a path */
};

/* Kinds of names: names of different kinds never share a pseudonym, even if they are equal. */
enum pseudonym_kind {
	PSEUDONYM_PATH_KIND = 'f',
	NAME_HOST = 'h',
	NAME_USER = 'u',
	NAME_COMMAND = 'c',
	DEFINITION_PROCESS = 'p',
	NAME_OTHER = 'o',
};

/*
 * Reads the secret from a key file. Returns EXIT_OK, or EXIT_FAULT after a message. With `make`,
 * the file must not exist and is created first, readable only by its owner.
 */
int secret_read(struct pseudonyms *p, const char *path, bool make);

/*
 * Returns NULL, or the weakness of a key that can be guessed: it is short, has few distinct bytes,
 * repeats a short pattern or is a sequence. Words are not detected: NULL does not mean that it is
 * strong.
 */
const char *key_weakness(const unsigned char *key, size_t size);

/* Writes PSEUDONYM_SIZE characters; returns that number. */
size_t pseudonym(const struct pseudonyms *p, enum pseudonym_kind kind, struct iot_text name,
		 char *out);

/*
 * Returns the size of the extension of a path, with its dot: 1 to EXTENSION_MAX letters and digits,
 * with at least one letter, because digits are often a date. Returns 0 if the path has none.
 */
size_t extension_size(struct iot_text path);

/*
 * Replaces each component of a path; the pseudonym depends on the preceding components, so the
 * hierarchy is preserved, but not the equality of names in two directories. Returns 0 if the result
 * exceeds the capacity.
 */
size_t pseudonym_path(const struct pseudonyms *p, struct iot_text path, char *out, size_t capacity);

/* The position of events within a trace, or of a trace in history: 0 .. span-1. */
uint64_t pseudonym_shift(const struct pseudonyms *p, uint64_t span);

#endif
