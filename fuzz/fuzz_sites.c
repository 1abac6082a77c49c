/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks for system calls in any bytes as a library: a traced process names the library, and iotrace
 * record decodes its code. A table is in order, no two jumps to stubs overlap, and each is in bytes
 * that the library has.
 */
#include "fuzz.h"

#include "cli/record/sites.h"

static bool has_bytes(const uint8_t *data, size_t size, const uint8_t bytes[RECORD_JUMP])
{
	return memmem(data, size, bytes, RECORD_JUMP) != NULL;
}

static void check_site(const struct record_site *s, const uint8_t *data, size_t size)
{
	FUZZ_CHECK(s->method <= RECORD_SITE_CALL && has_bytes(data, size, s->original));
	if (s->method == RECORD_SITE_NUMBER)
		FUZZ_CHECK(s->at == s->jump + RECORD_JUMP && s->original[0] == 0xb8);
	if (s->method == RECORD_SITE_MOVED)
		FUZZ_CHECK(s->at - s->jump <= RECORD_MOVED && s->at - s->jump >= RECORD_JUMP);
}

static void check_table(const struct record_sites *t, const uint8_t *data, size_t size)
{
	FUZZ_CHECK(t->magic == RECORD_SITES_MAGIC && t->count <= RECORD_SITES_MAX);
	for (uint32_t i = 0; i < t->count; i++) {
		check_site(&t->site[i], data, size);
		if (i > 0)
			FUZZ_CHECK(t->site[i].jump - t->site[i - 1].jump >= RECORD_JUMP &&
				   t->site[i].jump > t->site[i - 1].jump);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH];
	const int fd = fuzz_file(data, size);
	struct record_sites *const t = sites_of(fuzz_path(path, fd));
	(void)close(fd);
	if (t != NULL)
		check_table(t, data, size);
	free(t);
	return 0;
}
