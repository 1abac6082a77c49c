/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads any bytes as a survey: the csv form, a list of another walker, or a state. A survey that
 * was read has the same values after it is saved and loaded, and its state is the same bytes; one
 * of a csv form or a list that is added to nothing is itself.
 *
 * The first byte of an input selects what follows: 0 csv, 1 a list of find, 2 a list with other
 * columns, 3 a state.
 */
#include <stdio.h>

#include "fuzz.h"

#include "cli/fsstats/csv_read.h"
#include "cli/fsstats/list_in.h"
#include "cli/fsstats/survey_state.h"

enum { KINDS = 4 };

static struct fs_survey *new_survey(void)
{
	struct fs_survey *s = fuzz_memory(NULL, sizeof *s);
	memset(s, 0, sizeof *s);
	return s;
}

static void read_list(struct fs_survey *s, const char *columns, const struct fuzz_input *in)
{
	struct list_columns list;
	struct list_report report = {0, 0, 0};
	struct bufreader *from = bufreader_new("fuzz", NULL);
	FUZZ_CHECK(from != NULL && list_columns_parse(&list, columns) == NULL);
	FUZZ_CHECK(bufreader_open_memory(from, in->data, in->size) == IOT_OK);
	s->by = SURVEY_BY_DIRECTORY;
	s->depth = 1;
	list_set_unknown(s, &list);
	(void)list_read(s, from, &list, &report);
	survey_count_links(s);
	FUZZ_CHECK(report.wrong <= report.lines && (report.wrong > 0) == (report.first_wrong > 0));
	FUZZ_CHECK(s->size.count == s->entries[SURVEY_FILE]);
	FUZZ_CHECK(s->size.count == s->of[SURVEY_SIZE].items);
	bufreader_free(from);
}

static bool load(struct fs_survey *s, const void *data, size_t size)
{
	struct iot_reader *r = iot_reader_new();
	struct iot_event first;
	struct error e = {0};
	FUZZ_CHECK(r != NULL);
	const bool ok = iot_reader_open_memory(r, data, size, "fuzz") == IOT_OK &&
			iot_reader_events(r, &first, 1) == 1 && survey_state_begins(&first) &&
			survey_load(s, r, &first, &e) == IOT_OK;
	iot_reader_free(r);
	return ok;
}

/* Returns the writer whose memory has the state. */
static struct iot_writer *save(struct fs_survey *s)
{
	struct iot_writer *w = iot_writer_new();
	struct error e = {0};
	FUZZ_CHECK(w != NULL && iot_writer_open_memory(w) == IOT_OK);
	FUZZ_CHECK(survey_save(s, w, &e) == IOT_OK && iot_writer_close(w) == IOT_OK);
	return w;
}

static void check_again(struct fs_survey *s)
{
	struct fs_survey *again = new_survey();
	struct iot_writer *first = save(s);
	size_t size, size_again;
	const void *state = iot_writer_memory(first, &size);
	FUZZ_CHECK(load(again, state, size));
	FUZZ_CHECK(again->data == s->data && again->keys.count == s->keys.count);
	struct iot_writer *second = save(again);
	const void *state_again = iot_writer_memory(second, &size_again);
	FUZZ_CHECK(size == size_again && memcmp(state, state_again, size) == 0);
	iot_writer_free(first);
	iot_writer_free(second);
	survey_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const unsigned kind = (unsigned)(fuzz_take(&in, 1) ^ '0') % KINDS;
	struct fs_survey *s = new_survey();
	struct csv_kept kept = {0, 0, 0};
	struct error e = {0};
	bool ok = true;
	if (kind == 0)
		ok = csv_read(s, (const char *)in.data, in.size, &kept, &e) == IOT_OK;
	else if (kind < 3)
		read_list(s, kind == 1 ? list_find_columns : "size,-,mtime,kib,name", &in);
	else
		ok = load(s, in.data, in.size);
	if (ok)
		check_again(s);
	survey_free(s);
	return 0;
}
