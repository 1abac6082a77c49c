/* SPDX-License-Identifier: BSD-2-Clause */
/* The hash and the random bytes are libsodium's. */
#include "key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "lib/base/error.h"
#include "lib/base/full_io.h"

#include "message.h"

static bool refuse(const char *path, const char *what)
{
	message_print_about(path, "%s", what);
	return false;
}

static bool make_key(const char *path)
{
	unsigned char random[KEY_SECRET_SIZE];
	char text[2 * KEY_SECRET_SIZE + 1];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return refuse(path, errno == EEXIST
					? "already exists; a new key must not replace it"
					: strerror(errno));
	randombytes_buf(random, sizeof random);
	sodium_bin2hex(text, sizeof text, random, sizeof random);
	text[sizeof text - 1] = '\n';
	bool written = full_write(fd, text, sizeof text, FULL_IO_CURRENT) &&
		       (fsync(fd) == 0 || errno == EINVAL);
	int error = errno;
	if (close(fd) != 0 && written) {
		written = false;
		error = errno;
	}
	sodium_memzero(random, sizeof random);
	sodium_memzero(text, sizeof text);
	if (written)
		return true;
	(void)unlink(path);
	return refuse(path, strerror(error));
}

static void warn_if_open_to_others(int fd, const char *path)
{
	struct stat st;
	char shown[512];
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0)
		message_print("warning: %s: others may read or change this key (mode %03o)",
			      escape_text(shown, sizeof shown, path, strlen(path)),
			      (unsigned)st.st_mode & 0777);
}

/* Counts the distinct values among 256. */
static size_t count_different(const unsigned char *values, size_t size)
{
	bool seen[256] = {false};
	size_t different = 0;
	for (size_t i = 0; i < size; i++) {
		different += !seen[values[i]];
		seen[values[i]] = true;
	}
	return different;
}

/*
 * Returns whether a pattern shorter than the minimum key repeats, even if the last repetition is
 * cut.
 */
static bool repeats(const unsigned char *key, size_t size)
{
	enum { OVERLAP = 6 }; /* by chance, a random key may end as it begins */
	for (size_t period = 1; period < KEY_MIN && period + OVERLAP <= size; period++)
		if (memcmp(key, key + period, size - period) == 0)
			return true;
	return false;
}

/* "abcdefgh...", "0123456789abcdef": few distinct steps between neighbouring bytes. */
static bool counts_up(const unsigned char *key, size_t size)
{
	enum { STEPS = 6 };
	unsigned char step[KEY_FILE_MAX];
	for (size_t i = 1; i < size; i++)
		step[i - 1] = (unsigned char)(key[i] - key[i - 1]);
	const bool few = count_different(step, size - 1) < STEPS;
	sodium_memzero(step, sizeof step);
	return few;
}

const char *key_weakness(const unsigned char *key, size_t size)
{
	if (size < KEY_MIN)
		return "has fewer than 16 bytes";
	if (count_different(key, size) < KEY_DIFFERENT)
		return "has fewer than 8 different bytes";
	if (repeats(key, size))
		return "repeats a pattern of fewer than 16 bytes";
	if (counts_up(key, size))
		return "is a sequence";
	return NULL;
}

/* Pseudonyms of a key that can be guessed can be reversed. */
static bool refuse_key(const char *path, const char *wrong)
{
	char what[128];
	snprintf(what, sizeof what, "the key %s; --new-key makes a good one", wrong);
	return refuse(path, what);
}

bool key_read(unsigned char *secret, const char *path, bool make)
{
	unsigned char key[KEY_FILE_MAX + 1];
	if (sodium_init() < 0)
		return refuse(path, "no source of random numbers");
	if (make && !make_key(path))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return refuse(path, errno == ENOENT ? "there is no such key (--new-key makes one)"
						    : strerror(errno));
	warn_if_open_to_others(fd, path);
	ssize_t size = full_read(fd, key, sizeof key, FULL_IO_CURRENT);
	int error = errno;
	(void)close(fd);
	if (size < 0)
		return refuse(path, strerror(error));
	/* Editors append a line end unnoticed. */
	while (size > 0 && (key[size - 1] == '\n' || key[size - 1] == '\r'))
		size--;
	const char *wrong =
	    size > KEY_FILE_MAX ? "has more than 4096 bytes" : key_weakness(key, (size_t)size);
	if (wrong == NULL)
		crypto_generichash(secret, KEY_SECRET_SIZE, key, (size_t)size, NULL, 0);
	sodium_memzero(key, sizeof key);
	return wrong == NULL || refuse_key(path, wrong);
}

void key_hash(void *secret, const struct iot_text *parts, size_t n,
	      unsigned char digest[IOT_DIGEST_SIZE])
{
	crypto_generichash_state state;
	crypto_generichash_init(&state, secret, KEY_SECRET_SIZE, IOT_DIGEST_SIZE);
	for (size_t i = 0; i < n; i++)
		crypto_generichash_update(&state, (const unsigned char *)parts[i].data,
					  parts[i].size);
	crypto_generichash_final(&state, digest, IOT_DIGEST_SIZE);
}
