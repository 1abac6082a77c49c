/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No word of capitals that pseudonyms do not have (as the names of made.h are) gets from a trace's
 * directives and comments to the anonymous one, which is a valid trace of as many records.
 */
#include <sys/stat.h>

#include "command.h"
#include "kept.h"
#include "made.h"

enum { WORD_SIZE = 4 };

static bool has_word(const char *text, size_t size)
{
	for (size_t i = 0, run = 0; i < size; i++) {
		run = text[i] != '\0' && strchr("AEHILOSTUY", text[i]) != NULL ? run + 1 : 0;
		if (run == WORD_SIZE)
			return true;
	}
	return false;
}

static struct command anonymize(int fd, unsigned how)
{
	static const char *const options[] = {
	    "--epoch=drop", "--epoch=shift", "--time-grain=1000", "--size-grain=512",
	    "-v",           "--keep=/none",  "--base=10",         "--compress=gzip"};
	char key[FUZZ_PATH], path[FUZZ_PATH], word[FUZZ_PATH + 8];
	int secret = fuzz_file("a key of enough bytes", 21);
	FUZZ_CHECK(fchmod(secret, 0600) == 0);
	snprintf(word, sizeof(word), "--key=%s", fuzz_path(key, secret));
	const char *words[] = {"anonymize",         "-q", word, options[(how & 3) | (how >> 2 & 4)],
			       fuzz_path(path, fd), NULL};
	struct command done = command_run(iot_cmd_anonymize, words);
	(void)close(secret);
	return done;
}

static void check(const void *trace, size_t size, unsigned how)
{
	int fd = fuzz_file(trace, size);
	struct command done = anonymize(fd, how);
	struct kept all = kept_of(trace, size), anonymous = kept_of(done.out, done.size);
	FUZZ_CHECK(done.status != IOT_EXIT_USAGE);
	FUZZ_CHECK((done.status == IOT_EXIT_OK) == (all.status == 0) || kept_is_full(&all));
	FUZZ_CHECK(done.size == 0 || anonymous.status == 0);
	if (done.status == IOT_EXIT_OK && !kept_is_full(&all))
		FUZZ_CHECK(kept_records(&all) == kept_records(&anonymous));
	for (size_t i = 0; i < anonymous.count; i++)
		FUZZ_CHECK(!has_word(anonymous.ev[i].text.data, anonymous.ev[i].text.size));
	kept_free(&all);
	kept_free(&anonymous);
	free(done.out);
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return made_or_given(data, size, check);
}
