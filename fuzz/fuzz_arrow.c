/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of any trace obey the rules of Arrow, and have the numbers of its records. Batches are
 * kept beyond the stream, columns are moved out of them, and dictionaries only grow.
 *
 * The first byte of an input is options: bits 0-1 rows of a batch, 2 operations, 4 timestamps, 5
 * losses are not an error, 6 the stream is released half-way. made_or_given uses the next byte.
 */
#include <errno.h>

#include "arrow_valid.h"
#include "kept.h"
#include "made.h"

#include "lib/event_table/event_table.h"

enum { BATCHES_MAX = 64, COLUMNS = EVENT_COLUMNS };

static unsigned options_of_input;

struct table {
	struct ArrowSchema schema;
	struct ArrowArray batch[BATCHES_MAX];
	size_t batches;
	struct ArrowArray moved; /* the last column of the first batch */
};

static bool dictionary_grew(const struct ArrowArray *before, const struct ArrowArray *after)
{
	const int32_t *a = before->buffers[1], *b = after->buffers[1];
	return after->length >= before->length &&
	       memcmp(a, b, (size_t)(before->length + 1) * sizeof *a) == 0 &&
	       memcmp(before->buffers[2], after->buffers[2], (size_t)a[before->length]) == 0;
}

static void add_batch(struct table *t)
{
	const char *broken = arrow_valid_batch(&t->schema, &t->batch[t->batches]);
	if (broken != NULL)
		fprintf(stderr, "broken rule: %s\n", broken);
	FUZZ_CHECK(broken == NULL);
	for (int64_t i = 0; t->batches > 0 && i < t->schema.n_children; i++)
		if (t->schema.children[i]->dictionary != NULL)
			FUZZ_CHECK(dictionary_grew(t->batch[t->batches - 1].children[i]->dictionary,
						   t->batch[t->batches].children[i]->dictionary));
	t->batches++;
}

static void move_column(struct table *t)
{
	if (t->batches == 0)
		return;
	struct ArrowArray *last = t->batch[0].children[COLUMNS - 1];
	t->moved = *last;
	last->release = NULL;
}

/* Compares a column of numbers with the records, as long as there are rows without operations. */
static void check_lengths(const struct table *t, const struct kept *k)
{
	size_t at = 0;
	for (size_t b = 0; b < t->batches; b++) {
		const struct ArrowArray *column = t->batch[b].children[EVENT_LENGTH];
		const uint64_t *length = column->buffers[1];
		for (int64_t row = 0; row < column->length; row++) {
			const struct iot_record *rec = kept_record(k, &at);
			FUZZ_CHECK(rec != NULL);
			const bool blocks = (rec->type & IOT_LOGICAL) == 0;
			if (!arrow_is_null(column, row))
				FUZZ_CHECK(length[row] ==
					   rec->length * (blocks ? IOT_BLOCK_SIZE : 1));
		}
	}
}

static struct ArrowArrayStream export_reader(struct iot_reader *r)
{
	static const uint32_t rows[] = {0, 1, 7, 64};
	char columns[400] = "";
	const unsigned how = options_of_input;
	struct ArrowArrayStream s;
	for (int i = 0; i < COLUMNS; i++)
		snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "%s%s",
			 i > 0 ? "," : "", event_column_name((enum event_column)i));
	const struct iot_arrow_options o = {.size = sizeof o,
					    .columns = columns,
					    .rows = rows[how & 3],
					    .all_events = how >> 2 & 1,
					    .timestamps = how >> 4 & 1,
					    .incomplete = how >> 5 & 1};
	FUZZ_CHECK(iot_stream_arrow(iot_stream_of_reader(r), &o, &s) == IOT_OK);
	return s;
}

/* Pulls all, or half of it. Returns the error of the end; -1 if it was not reached. */
static int pull(struct ArrowArrayStream *s, struct table *t)
{
	int error = 0;
	FUZZ_CHECK(s->get_schema(s, &t->schema) == 0);
	FUZZ_CHECK(arrow_valid_schema(&t->schema) == NULL);
	const size_t max = options_of_input & 64 ? 2 : BATCHES_MAX;
	while (t->batches < max) {
		struct ArrowArray *next = &t->batch[t->batches];
		error = s->get_next(s, next);
		if (error != 0 || next->release == NULL) {
			struct ArrowArray again;
			FUZZ_CHECK((error != 0) == (s->get_last_error(s) != NULL));
			FUZZ_CHECK(s->get_next(s, &again) == error && again.release == NULL);
			return error;
		}
		add_batch(t);
	}
	return -1;
}

static void release_all(struct table *t)
{
	move_column(t);
	for (size_t i = t->batches; i-- > 0;) {
		t->batch[i].release(&t->batch[i]);
		FUZZ_CHECK(t->batch[i].release == NULL);
	}
	if (t->moved.release != NULL)
		t->moved.release(&t->moved);
	t->schema.release(&t->schema);
}

static void check(const void *trace, size_t size, unsigned how)
{
	(void)how;
	static struct table t;
	t = (struct table){.batches = 0};
	struct kept k = kept_of(trace, size);
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL && iot_reader_set(r, IOT_SET_LIMIT_MEMORY, 16 << 20) == IOT_OK);
	if (!kept_is_full(&k) && iot_reader_open_memory(r, trace, size, "fuzz") == IOT_OK) {
		struct ArrowArrayStream s = export_reader(r);
		const int error = pull(&s, &t);
		s.release(&s);
		FUZZ_CHECK(s.release == NULL);
		if (!(options_of_input & 4))
			check_lengths(&t, &k);
		if (error >= 0 && error != EOVERFLOW && !(options_of_input & 4)) {
			int64_t rows = 0;
			for (size_t i = 0; i < t.batches; i++)
				rows += t.batch[i].length;
			FUZZ_CHECK((size_t)rows == kept_records(&k));
			FUZZ_CHECK(k.status >= 0 || error != 0);
		}
		release_all(&t);
	}
	iot_reader_free(r);
	kept_free(&k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	options_of_input = data[0];
	return made_or_given(data + 1, size - 1, check);
}
