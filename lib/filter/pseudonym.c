/* SPDX-License-Identifier: BSD-2-Clause */
#include "pseudonym.h"

#include <stdbool.h>
#include <string.h>

enum { EXTENSION_MAX = 8 };

/* Names */

void pseudonym_digest(const struct iot_anonymize_options *o, char kind, const unsigned char *before,
		      struct iot_text name, unsigned char *out)
{
	const struct iot_text parts[] = {
	    {&kind, 1}, {(const char *)before, before != NULL ? IOT_DIGEST_SIZE : 0}, name};
	unsigned char made[IOT_DIGEST_SIZE]; /* out may be before */
	o->hash(o->context, parts, 3, made);
	memcpy(out, made, sizeof(made));
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

size_t pseudonym_name(const struct iot_anonymize_options *o, char kind, struct iot_text name,
		      char *out)
{
	unsigned char bytes[IOT_DIGEST_SIZE];
	pseudonym_digest(o, kind, NULL, name, bytes);
	return spell(bytes, out);
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

size_t pseudonym_extension(struct iot_text path)
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

static bool is_dots(struct iot_text part)
{
	return part.size == 0 || (part.size == 1 && part.data[0] == '.') ||
	       (part.size == 2 && memcmp(part.data, "..", 2) == 0);
}

size_t pseudonym_path(const struct iot_anonymize_options *o, struct iot_text path, char *out,
		      size_t capacity)
{
	unsigned char chain[IOT_DIGEST_SIZE] = {0};
	const char *const end = path.data + path.size, *const kept =
							   path.data + kept_size(o->keep, path);
	const char *at = path.data;
	size_t used = 0;
	for (;;) {
		const char *slash = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
		const struct iot_text part = {at, (size_t)((slash != NULL ? slash : end) - at)};
		const size_t tail = slash == NULL && (o->flags & IOT_KEEP_EXTENSIONS)
					? pseudonym_extension(part)
					: 0;
		const size_t plain =
		    part.data + part.size <= kept || is_dots(part) ? part.size : tail;
		if (used + PSEUDONYM_SIZE + plain + 1 > capacity)
			return 0;
		if (!is_dots(part))
			pseudonym_digest(o, NAME_PATH, chain, part, chain);
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
