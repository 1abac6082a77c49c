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
	IOT_KEY_LEAST = 16,    /* bytes that a key must have, without repetition */
	IOT_KEY_DIFFERENT = 8, /* ... and how many of them differ */
	IOT_KEY_FILE_MAX = 4096,
	IOT_SECRET_SIZE = 32,   /* what is made of a key of any size */
	IOT_PSEUDONYM_SIZE = 20 /* characters: 80 bits */
};

struct iot_pseudonyms {
	unsigned char secret[IOT_SECRET_SIZE];
	const char *keep;    /* path prefixes that stay, separated by commas; NULL */
	bool keep_extension; /* of the last part of a path */
};

/* What a name is of: two kinds never share a pseudonym because they share a name. */
enum iot_name_kind {
	IOT_NAME_PATH = 'f',
	IOT_NAME_HOST = 'h',
	IOT_NAME_USER = 'u',
	IOT_NAME_COMMAND = 'c',
	IOT_NAME_PROCESS = 'p',
	IOT_NAME_OTHER = 'o',
};

/*
 * The secret of a key file. IOT_EXIT_OK, or IOT_EXIT_FAULT: it was told. `make`: the file is made
 * first, for its owner alone, and must not be there yet.
 */
int iot_secret_read(struct iot_pseudonyms *p, const char *path, bool make);

/*
 * NULL, or what is wrong with a key that can be guessed: it is short, has few different bytes,
 * repeats a short pattern or counts. Words cannot be found out: NULL does not mean that it is good.
 */
const char *iot_key_weakness(const unsigned char *key, size_t size);

/* Writes IOT_PSEUDONYM_SIZE characters; returns that. */
size_t iot_pseudonym(const struct iot_pseudonyms *p, enum iot_name_kind kind, struct iot_text name,
		     char *out);

/*
 * The same for each part of a path, which depends on the parts before it: the hierarchy stays, but
 * not that two directories hold files of one name. 0: more than `room` bytes.
 */
size_t iot_pseudonym_path(const struct iot_pseudonyms *p, struct iot_text path, char *out,
			  size_t room);

/* Where two events of one trace lie in time, or where a trace lies in history: 0 .. span-1. */
uint64_t iot_pseudonym_shift(const struct iot_pseudonyms *p, uint64_t span);

#endif
