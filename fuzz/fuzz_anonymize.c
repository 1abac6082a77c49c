/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The anonymous trace is valid, has the same number of records, and contains no name of the trace:
 * neither a name of made.h nor a secret planted at every position of every directive and comment.
 */
#include <sys/stat.h>

#include "command.h"
#include "kept.h"
#include "made.h"
#include "plant.h"

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
	const char *words[] = {"anonymize",
			       "-q",
			       word,
			       options[(how & 3) | (how >> 2 & 4)],
			       "--allow-empty",
			       "--in-format=iotrace",
			       fuzz_path(path, fd),
			       NULL};
	struct command done = command_run(cmd_anonymize, words);
	(void)close(secret);
	return done;
}

struct planted {
	char *text;
	size_t used, capacity;
};

static void put_line(struct planted *p, const char *text, size_t size)
{
	if (p->capacity - p->used < size + 4) {
		p->capacity = 2 * p->capacity + size + 4096;
		p->text = fuzz_memory(p->text, p->capacity);
	}
	memcpy(p->text + p->used, "ff ", 3);
	memcpy(p->text + p->used + 3, text, size);
	p->text[p->used + 3 + size] = '\n';
	p->used += size + 4;
}

/* Plants a secret in each text; the position varies with `how` and the text. */
static void check_planted(const struct kept *all, unsigned how)
{
	enum { TEXTS_MAX = 300, PLACES = 12 };
	struct planted p = {0};
	char text[PLANT_CAPACITY];
	for (size_t i = 0, texts = 0; i < all->count && texts < TEXTS_MAX; i++) {
		const struct iot_text was = all->ev[i].text;
		if (all->ev[i].kind == IOT_RECORD || was.size > PLANT_CAPACITY / 2 ||
		    memchr(was.data, '\n', was.size) != NULL ||
		    memchr(was.data, '\0', was.size) != NULL)
			continue;
		const size_t place = (texts + how) % PLACES;
		const size_t size = plant(text, was, place, (unsigned)(texts * 5 + how));
		struct iot_event ev = {.text = {text, size}};
		/* Text that is no longer a trace would end it. */
		if (size > 0 && iot_directive_parse(&ev, NULL) == IOT_OK)
			put_line(&p, text, size);
		texts++;
	}
	if (p.used > 0) {
		const int fd = fuzz_file(p.text, p.used);
		struct command done = anonymize(fd, how & 3);
		FUZZ_CHECK(!plant_is_in(done.out, done.size));
		free(done.out);
		(void)close(fd);
	}
	free(p.text);
}

static void check(const void *trace, size_t size, unsigned how)
{
	int fd = fuzz_file(trace, size);
	struct command done = anonymize(fd, how);
	struct kept all = kept_of(trace, size), verified = kept_read(trace, size, true),
		    anonymous = kept_of(done.out, done.size);
	FUZZ_CHECK((done.status == EXIT_FAILED) == (done.size == 0) || done.status == EXIT_OK);
	FUZZ_CHECK((done.status == EXIT_OK) == (verified.status == 0) || kept_is_full(&all));
	FUZZ_CHECK(done.size == 0 || anonymous.status == 0);
	if (done.status == EXIT_OK && !kept_is_full(&all))
		FUZZ_CHECK(kept_records(&all) == kept_records(&anonymous));
	for (size_t i = 0; i < anonymous.count && (how & 8) != 0; i++)
		FUZZ_CHECK(!has_word(anonymous.ev[i].text.data, anonymous.ev[i].text.size));
	check_planted(&all, how);
	kept_free(&all);
	kept_free(&verified);
	kept_free(&anonymous);
	free(done.out);
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return made_or_given(data, size, check);
}
