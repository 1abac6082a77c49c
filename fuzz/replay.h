/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For converters of text: the events must not depend on the size of reads and batches, and each
 * line must be counted once.
 */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H

#include <xxhash.h>

#include "convert.h"

struct replay {
	uint64_t hash, lines, accounted;
};

static inline void replay_event(XXH3_state_t *hash, const struct iot_event *ev)
{
	XXH3_64bits_update(hash, &ev->kind, sizeof ev->kind);
	XXH3_64bits_update(hash, &ev->rec.start_ns, sizeof ev->rec.start_ns);
	if (ev->kind == IOT_RECORD)
		XXH3_64bits_update(hash, &ev->rec, sizeof ev->rec);
	else if (ev->text.size > 0)
		XXH3_64bits_update(hash, ev->text.data, ev->text.size);
}

static inline void replay_account(struct replay *r, const struct report *report)
{
	r->lines = report->lines;
	r->accounted = report->unparsed;
	for (size_t i = 0; i < report->counts; i++)
		if (strncmp(report->count[i].name, "parsed.", 7) == 0 ||
		    strcmp(report->count[i].name, "contradicted.lost") == 0)
			r->accounted += report->count[i].value;
}

/* Returns false if the input cannot be opened, or its events were not all read. */
static inline bool replay(const char *name, const int *fd, size_t files,
			  const struct setting *setting, size_t read_size, int batch,
			  struct replay *r)
{
	char capacity[2][FUZZ_PATH];
	const char *path[2];
	struct error error = {0};
	struct iot_event ev[FUZZ_BATCH];
	XXH3_state_t *hash = XXH3_createState();
	size_t events = 0;
	int n;
	for (size_t i = 0; i < files; i++)
		path[i] = fuzz_path(capacity[i], fd[i]);
	struct input *in = input_new(path, files, NULL, &error);
	FUZZ_CHECK(hash != NULL && XXH3_64bits_reset(hash) == XXH_OK);
	if (in == NULL) {
		XXH3_freeState(hash);
		return false;
	}
	input_set_read_size(in, read_size);
	struct source_state src = {.converter = converter_find(name),
				   .input = in,
				   .settings = setting,
				   .setting_count = 1,
				   .watermark_ns = INT64_MIN};
	n = src.converter->open(&src);
	while (n >= 0 && events < FUZZ_EVENTS_MAX && (n = src.converter->next(&src, ev, batch)) > 0)
		for (int i = 0; i < n; i++, events++)
			replay_event(hash, &ev[i]);
	replay_account(r, &src.report);
	src.converter->close(&src);
	input_free(in);
	r->hash = XXH3_64bits_digest(hash);
	XXH3_freeState(hash);
	return n <= 0 && src.error.status != IOT_ENOMEM && src.error.status != IOT_ELIMIT;
}

static inline void replay_compare(const char *name, const int *fd, size_t files,
				  const struct setting *setting)
{
	struct replay whole, one, few;
	if (!replay(name, fd, files, setting, 0, FUZZ_BATCH, &whole))
		return;
	FUZZ_CHECK(whole.lines == whole.accounted);
	FUZZ_CHECK(replay(name, fd, files, setting, 1, FUZZ_BATCH, &one));
	FUZZ_CHECK(replay(name, fd, files, setting, 17, 3, &few));
	FUZZ_CHECK(one.hash == whole.hash && few.hash == whole.hash);
}

#endif
