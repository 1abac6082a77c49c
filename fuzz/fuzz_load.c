/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads states, which trust nothing: a state that is accepted is saved again, and that is accepted,
 * too, with the same bytes; states are joined, and their values and tables are computed.
 *
 * An input is text: states, separated by a line "--".
 */
#include <iotrace/analyze.h>

#include "fuzz.h"

enum { STATES_MAX = 4, MEMORY_MAX = 16 << 20 };

static struct iot_reader *open_reader(const void *data, size_t size)
{
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, MEMORY_MAX) == IOT_OK);
	FUZZ_CHECK(iot_reader_open_memory(r, data, size, "fuzz") == IOT_OK);
	return r;
}

/* Returns NULL if the state is refused, which has a reason. */
static struct iot_analyze *load(const void *data, size_t size)
{
	const struct iot_analyze_options options = {.size = sizeof options};
	struct iot_reader *r = open_reader(data, size);
	struct iot_analyze *a = iot_analyze_new(&options);
	struct iot_event first;
	int status = IOT_EFORMAT;
	FUZZ_CHECK(a != NULL);
	if (iot_reader_events(r, &first, 1) == 1) {
		status = iot_analyze_load(a, r, &first);
		FUZZ_CHECK(status == IOT_OK || *iot_analyze_error(a) != '\0');
	}
	iot_reader_free(r);
	if (status == IOT_OK)
		return a;
	iot_analyze_free(a);
	return NULL;
}

static struct iot_writer *save(struct iot_analyze *a)
{
	struct iot_writer *w = iot_writer_new();
	FUZZ_CHECK(w != NULL && iot_writer_open_memory(w) == IOT_OK);
	FUZZ_CHECK(iot_analyze_save(a, w) == IOT_OK);
	FUZZ_CHECK(iot_writer_close(w) == IOT_OK);
	return w;
}

static void check_saved(struct iot_analyze *a)
{
	struct iot_writer *saved = save(a);
	size_t size, size_again;
	const void *text = iot_writer_memory(saved, &size);
	struct iot_analyze *again = load(text, size);
	FUZZ_CHECK(again != NULL);
	struct iot_writer *saved_again = save(again);
	const void *text_again = iot_writer_memory(saved_again, &size_again);
	FUZZ_CHECK(size == size_again && memcmp(text, text_again, size) == 0);
	iot_writer_free(saved_again);
	iot_writer_free(saved);
	iot_analyze_free(again);
}

static void check_values(struct iot_analyze *a)
{
	const struct iot_analyze_value *v;
	struct iot_analyze_row row;
	FUZZ_CHECK(iot_analyze_finish(a) == IOT_OK);
	for (size_t i = 0; (v = iot_analyze_value(a, i)) != NULL; i++)
		FUZZ_CHECK(v->kind != IOT_VALUE_UNKNOWN || v->note != NULL);
	for (unsigned by = IOT_ANALYZE_BY_PROCESS; by <= IOT_ANALYZE_BY_OPERATION; by++) {
		const ssize_t rows = iot_analyze_rows(a, by);
		for (ssize_t i = 0; i < rows; i++)
			FUZZ_CHECK(iot_analyze_row(a, (size_t)i, &row) == IOT_OK);
	}
}

/* Joins all that can be joined. */
static void check_states(struct iot_analyze **states, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_saved(states[i]);
	while (n > 1 && iot_analyze_join(states[n - 2], states[n - 1]) == IOT_OK)
		n--;
	for (size_t i = 0; i < n; i++) {
		check_saved(states[i]);
		check_values(states[i]);
		iot_analyze_free(states[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char between[] = "\n--\n";
	const size_t gap = sizeof between - 1;
	struct iot_analyze *states[STATES_MAX];
	const char *at = (const char *)data, *end = at + size;
	size_t n = 0;
	while (at < end && n < STATES_MAX) {
		const char *next = memmem(at, (size_t)(end - at), between, gap);
		states[n] = load(at, (size_t)((next != NULL ? next + 1 : end) - at));
		n += states[n] != NULL;
		at = next != NULL ? next + gap : end;
	}
	check_states(states, n);
	return 0;
}
