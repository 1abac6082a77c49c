/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ties physical records to logical ones, in a trace of any bytes that is sorted first: the same
 * number of records, every physical record with an operation, and no operation of logical records
 * without a physical one.
 */
#include <iotrace/filter.h>

#include "lib/ties/tie.h"

#include "kept.h"

static void keep_all(struct iot_stream *s, struct kept *k)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	FUZZ_CHECK(b != NULL);
	while (!kept_is_full(k) && (k->status = iot_stream_next(s, b)) > 0) {
		for (size_t i = 0; i < b->count; i++)
			keep(k, &b->events[i]);
		b->count = 0;
	}
	FUZZ_CHECK(k->status >= 0 || iot_stream_error(s)[0] != '\0');
	kept_find_texts(k);
	iot_batch_free(b);
}

static struct kept tied(const void *trace, size_t size, bool ties)
{
	const struct iot_sort_options order = {.size = sizeof(order), .memory = 1 << 20};
	struct kept k = {0};
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL && iot_reader_set(r, IOT_SET_LIMIT_MEMORY, 16 << 20) == IOT_OK);
	k.status = iot_reader_open_memory(r, trace, size, "fuzz");
	if (k.status == IOT_OK) {
		struct iot_stream *s = iot_stream_sort(iot_stream_of_reader(r), &order);
		s = ties ? tie_stream(s) : s;
		FUZZ_CHECK(s != NULL);
		keep_all(s, &k);
		iot_stream_free(s);
	}
	iot_reader_free(r);
	return k;
}

static int compare_uint32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void check_operations(const struct kept *k)
{
	uint32_t *of = fuzz_memory(NULL, (k->count + 1) * sizeof(*of));
	const struct iot_record *rec;
	size_t n = 0;
	for (size_t i = 0; (rec = kept_record(k, &i)) != NULL;) {
		if ((rec->type & IOT_LOGICAL) != 0)
			continue;
		FUZZ_CHECK(rec->operation != 0);
		of[n++] = rec->operation;
	}
	qsort(of, n, sizeof(*of), compare_uint32);
	for (size_t i = 0; (rec = kept_record(k, &i)) != NULL;)
		FUZZ_CHECK(rec->operation == 0 ||
			   bsearch(&rec->operation, of, n, sizeof(*of), compare_uint32) != NULL);
	free(of);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kept in = tied(data, size, false), out = tied(data, size, true);
	if (in.status == 0 && out.status == 0 && !kept_is_full(&in) && !kept_is_full(&out)) {
		FUZZ_CHECK(kept_records(&in) == kept_records(&out));
		check_operations(&out);
	}
	kept_free(&in);
	kept_free(&out);
	return 0;
}
