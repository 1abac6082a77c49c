/* SPDX-License-Identifier: BSD-2-Clause */
/* See pseudonym.h. The hash and the random bytes are libsodium's. */
#include "pseudonym.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "lib/base/error.h"
#include "lib/base/fdio.h"

#include "cli/ui/output.h"

enum { DIGEST_SIZE = 32 };

/* The key file */

static int make_key(const char *path)
{
	unsigned char random[SECRET_SIZE];
	char text[2 * SECRET_SIZE + 1];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return report_error(path, errno == EEXIST
					      ? "already exists; a new key must not replace it"
					      : strerror(errno));
	randombytes_buf(random, sizeof random);
	sodium_bin2hex(text, sizeof text, random, sizeof random);
	text[sizeof text - 1] = '\n';
	bool written =
	    fdio_write(fd, text, sizeof text, FDIO_CURRENT) && (fsync(fd) == 0 || errno == EINVAL);
	int error = errno;
	if (close(fd) != 0 && written) {
		written = false;
		error = errno;
	}
	sodium_memzero(random, sizeof random);
	sodium_memzero(text, sizeof text);
	if (written)
		return EXIT_OK;
	(void)unlink(path);
	return report_error(path, strerror(error));
}

static void warn_if_open_to_others(int fd, const char *path)
{
	struct stat st;
	char shown[512];
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0)
		print_message("warning: %s: others may read or change this key (mode %03o)",
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

/* Whether a pattern shorter than the minimum key repeats, even if the last repetition is cut. */
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
static int refuse_key(const char *path, const char *wrong)
{
	char what[128];
	snprintf(what, sizeof what, "the key %s; --new-key makes a good one", wrong);
	return report_error(path, what);
}

int secret_read(struct pseudonyms *p, const char *path, bool make)
{
	unsigned char key[KEY_FILE_MAX + 1];
	if (sodium_init() < 0)
		return report_error(path, "no source of random numbers");
	if (make && make_key(path) != EXIT_OK)
		return EXIT_FAULT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return report_error(path, errno == ENOENT
					      ? "there is no such key (--new-key makes one)"
					      : strerror(errno));
	warn_if_open_to_others(fd, path);
	ssize_t size = fdio_read(fd, key, sizeof key, FDIO_CURRENT);
	int error = errno;
	(void)close(fd);
	if (size < 0)
		return report_error(path, strerror(error));
	/* Editors append a line end unnoticed. */
	while (size > 0 && (key[size - 1] == '\n' || key[size - 1] == '\r'))
		size--;
	const char *wrong =
	    size > KEY_FILE_MAX ? "has more than 4096 bytes" : key_weakness(key, (size_t)size);
	if (wrong == NULL)
		crypto_generichash(p->secret, sizeof p->secret, key, (size_t)size, NULL, 0);
	sodium_memzero(key, sizeof key);
	return wrong == NULL ? EXIT_OK : refuse_key(path, wrong);
}

/* Names */

/* before: the digest of the names that precede this one, or NULL. */
static void digest(const struct pseudonyms *p, enum pseudonym_kind kind,
		   const unsigned char *before, struct iot_text name, unsigned char *out)
{
	crypto_generichash_state state;
	const unsigned char head = (unsigned char)kind;
	crypto_generichash_init(&state, p->secret, sizeof p->secret, DIGEST_SIZE);
	crypto_generichash_update(&state, &head, 1);
	if (before != NULL)
		crypto_generichash_update(&state, before, DIGEST_SIZE);
	crypto_generichash_update(&state, (const unsigned char *)name.data, name.size);
	crypto_generichash_final(&state, out, DIGEST_SIZE);
}

/* Capitals that form no words, so that pseudonyms and names are not confused. */
static size_t spell(const unsigned char *bytes, char *out)
{
	static const char letters[] = "BCDFGJKMNPQRVWXZ";
	for (size_t i = 0; i < PSEUDONYM_SIZE; i += 2) {
		out[i] = letters[bytes[i / 2] >> 4];
		out[i + 1] = letters[bytes[i / 2] & 15];
	}
	return PSEUDONYM_SIZE;
}

size_t pseudonym(const struct pseudonyms *p, enum pseudonym_kind kind, struct iot_text name,
		 char *out)
{
	unsigned char bytes[DIGEST_SIZE];
	digest(p, kind, NULL, name, bytes);
	return spell(bytes, out);
}

uint64_t pseudonym_shift(const struct pseudonyms *p, uint64_t span)
{
	static const char what[] = "time";
	unsigned char bytes[DIGEST_SIZE];
	uint64_t number;
	digest(p, NAME_OTHER, NULL, (struct iot_text){what, sizeof what}, bytes);
	memcpy(&number, bytes, sizeof number);
	return number % span;
}

/* Paths */

/*
 * The number of bytes of `path` that a prefix of the list preserves, up to the end of a component.
 */
static size_t kept_size(const char *list, struct iot_text path)
{
	size_t kept = 0;
	for (const char *at = list; at != NULL && *at != '\0';) {
		size_t size = strcspn(at, ","), whole = size;
		while (size > 1 && at[size - 1] == '/')
			size--;
		bool begins = size > 0 && size <= path.size && memcmp(path.data, at, size) == 0;
		bool whole_part = begins && (size == path.size || path.data[size] == '/' ||
					     path.data[size - 1] == '/');
		if (whole_part && size > kept)
			kept = size;
		at += whole + (at[whole] == ',');
	}
	return kept;
}

size_t extension_size(struct iot_text path)
{
	const char *const end = path.data + path.size, *p = end;
	bool letter = false;
	for (; p > path.data && p[-1] != '.'; p--) {
		const char c = p[-1], lower = (char)(c | 32);
		const bool is_letter = lower >= 'a' && lower <= 'z';
		if ((!is_letter && (c < '0' || c > '9')) || end - p == EXTENSION_MAX)
			return 0;
		letter = letter || is_letter;
	}
	/* A dot that begins the last component marks a hidden file. */
	const bool hidden = p - path.data < 2 || p[-2] == '/';
	return letter && !hidden ? (size_t)(end - p) + 1 : 0;
}

static bool is_plain(struct iot_text part)
{
	return part.size == 0 || (part.size == 1 && part.data[0] == '.') ||
	       (part.size == 2 && memcmp(part.data, "..", 2) == 0);
}

size_t pseudonym_path(const struct pseudonyms *p, struct iot_text path, char *out, size_t capacity)
{
	unsigned char chain[DIGEST_SIZE] = {0};
	const char *const end = path.data + path.size, *const kept =
							   path.data + kept_size(p->keep, path);
	const char *at = path.data;
	size_t used = 0;
	for (;;) {
		const char *slash = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
		const struct iot_text part = {at, (size_t)((slash != NULL ? slash : end) - at)};
		size_t tail = slash == NULL && p->keep_extension ? extension_size(part) : 0;
		size_t plain = part.data + part.size <= kept || is_plain(part) ? part.size : tail;
		if (used + PSEUDONYM_SIZE + plain + 1 > capacity)
			return 0;
		if (!is_plain(part))
			digest(p, PSEUDONYM_PATH_KIND, chain, part, chain);
		if (plain < part.size)
			used += spell(chain, out + used);
		memcpy(out + used, part.data + part.size - plain, plain);
		used += plain;
		if (slash == NULL)
			return used;
		out[used++] = '/';
		at = slash + 1;
	}
}
