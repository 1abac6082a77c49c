/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names replaced by a keyed hash (BLAKE2b): the same key and name give the same pseudonym, in every
 * trace; without the key nobody can find out by guessing which name stands behind one.
 */
#ifndef CLI_FILTER_PSEUDONYM_H
#define CLI_FILTER_PSEUDONYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iotrace/iotrace.h>

enum {
	KEY_MIN = 16,      /* bytes that a key must have, without repetition */
	KEY_DIFFERENT = 8, /* ... and how many of them differ */
	KEY_FILE_MAX = 4096,
	SECRET_SIZE = 32,    /* what is made of a key of any size */
	PSEUDONYM_SIZE = 20, /* characters: 80 bits */
	EXTENSION_MAX = 8
};

struct pseudonyms {
	unsigned char secret[SECRET_SIZE];
	const char *keep;    /* path prefixes that stay, separated by commas; NULL */
	bool keep_extension; /* of the last part of a path */
};

/* What a name is of: two kinds never share a pseudonym because they share a name. */
enum pseudonym_kind {
	PSEUDONYM_PATH_KIND = 'f',
	NAME_HOST = 'h',
	NAME_USER = 'u',
	NAME_COMMAND = 'c',
	DEFINITION_PROCESS = 'p',
	NAME_OTHER = 'o',
};

/*
 * The secret of a key file. EXIT_OK, or EXIT_FAULT: it was told. `make`: the file is made
 * first, for its owner alone, and must not be there yet.
 */
int secret_read(struct pseudonyms *p, const char *path, bool make);

/*
 * NULL, or what is wrong with a key that can be guessed: it is short, has few different bytes,
 * repeats a short pattern or counts. Words cannot be found out: NULL does not mean that it is good.
 */
const char *key_weakness(const unsigned char *key, size_t size);

/* Writes PSEUDONYM_SIZE characters; returns that. */
size_t pseudonym(const struct pseudonyms *p, enum pseudonym_kind kind, struct iot_text name,
		 char *out);

/*
 * Returns the size of the extension of a path, with its dot: 1 to EXTENSION_MAX letters and
 * digits, with a letter among them, because digits are often a date. 0: it has none.
 */
size_t extension_size(struct iot_text path);

/*
 * The same for each part of a path, which depends on the parts before it: the hierarchy stays, but
 * not that two directories hold files of one name. 0: more than `room` bytes.
 */
size_t pseudonym_path(const struct pseudonyms *p, struct iot_text path, char *out, size_t capacity);

/* Where two events of one trace lie in time, or where a trace lies in history: 0 .. span-1. */
uint64_t pseudonym_shift(const struct pseudonyms *p, uint64_t span);

#endif
