/* SPDX-License-Identifier: BSD-2-Clause */
#include "same_content.h"

#include <string.h>

#include "lib/io/bufreader.h"

enum { COMPARED = 1 << 16 };

/* Returns the name in the path, and in *size its size without a suffix of compression. */
static const char *stem_of(const char *path, size_t *size)
{
	static const char *const suffixes[] = {".gz", ".zst", ".xz", ".bz2"};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	*size = strlen(name);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const size_t n = strlen(suffixes[i]);
		if (*size > n && strcmp(name + *size - n, suffixes[i]) == 0) {
			*size -= n;
			break;
		}
	}
	return name;
}

int same_content_compare_names(const char *a, const char *b)
{
	size_t size_a, size_b;
	const char *stem_a = stem_of(a, &size_a), *stem_b = stem_of(b, &size_b);
	const int order = memcmp(stem_a, stem_b, size_a < size_b ? size_a : size_b);
	return order != 0 ? order : (size_a > size_b) - (size_a < size_b);
}

static bool begin_alike(struct bufreader *packed, struct bufreader *plain)
{
	size_t n, m;
	const char *a = bufreader_peek(packed, COMPARED, &n),
		   *b = bufreader_peek(plain, COMPARED, &m);
	n = n < COMPARED ? n : COMPARED;
	m = m < COMPARED ? m : COMPARED;
	return bufreader_compression(packed) != IOT_PLAIN &&
	       bufreader_compression(plain) == IOT_PLAIN && n == m && n > 0 && memcmp(a, b, n) == 0;
}

bool same_content_is_packed(const char *packed, const char *plain)
{
	const struct bufreader_options options = {.read_size = COMPARED};
	struct bufreader *a = bufreader_new(packed, &options), *b = bufreader_new(plain, &options);
	const bool same = a != NULL && b != NULL && bufreader_open(a, packed) == IOT_OK &&
			  bufreader_open(b, plain) == IOT_OK && begin_alike(a, b);
	bufreader_free(a);
	bufreader_free(b);
	return same;
}
