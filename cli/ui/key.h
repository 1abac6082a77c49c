/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key files, and the keyed hash (BLAKE2b) of anonymize: without the key, trying candidates does not
 * reveal the name of a pseudonym.
 */
#ifndef CLI_UI_KEY_H
#define CLI_UI_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include <iotrace/filter.h>

enum {
	KEY_MIN = 16,      /* bytes that a key must have, without repetition */
	KEY_DIFFERENT = 8, /* ... and the minimum number of distinct bytes */
	KEY_FILE_MAX = 4096,
	KEY_SECRET_SIZE = 32, /* size of the secret derived from a key of any size */
};

/*
 * Reads the secret, of KEY_SECRET_SIZE bytes, from a key file. Returns false after a message. With
 * `make`, the file must not exist and is created first, readable only by its owner.
 */
bool key_read(unsigned char *secret, const char *path, bool make);

/*
 * Returns NULL, or the weakness of a key that can be guessed: it is short, has few distinct bytes,
 * repeats a short pattern or is a sequence. Words are not detected: NULL does not mean that it is
 * strong.
 */
const char *key_weakness(const unsigned char *key, size_t size);

iot_hash_fn key_hash; /* context: a secret */

#endif
