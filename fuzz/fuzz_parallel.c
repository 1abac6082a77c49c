/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What several threads decode must be what one decodes, over whatever comes: events, errors, facts.
 * The first byte is no part of the trace: bits 0-1 bytes read at once, which is the size of a part;
 * 2 no verification, 3 recover, 4 a thread unpacks ahead.
 */
#include "kept.h"

static const enum iot_fact facts[] = {IOT_FACT_TICK_NS,  IOT_FACT_BASE,    IOT_FACT_FRAMED,
				      IOT_FACT_COMPLETE, IOT_FACT_RECORDS, IOT_FACT_COMMENTS,
				      IOT_FACT_LINE,     IOT_FACT_LOST,    IOT_FACT_LOST_RECORDS,
				      IOT_FACT_WARNINGS, IOT_FACT_INDEX,   IOT_FACT_LAST_NS};

static struct iot_reader *read_all(struct fuzz_input in, unsigned how, uint64_t threads,
				   struct kept *k)
{
	static const uint64_t sizes[] = {64, 17, 300, 4096};
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_READ_SIZE, sizes[how & 3]) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_VERIFY, (how & 4) == 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_RECOVER, (how & 8) != 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_READ_AHEAD, (how & 16) != 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_THREADS, threads) == IOT_OK);
	k->status = iot_reader_open_memory(r, in.data, in.size, "fuzz");
	if (k->status == IOT_OK)
		drain(r, k);
	return r;
}

/* Where what has no time stands is told by its neighbours, as far as they are known by then. */
static bool same(const struct iot_event *a, const struct iot_event *b)
{
	struct iot_event c = *b;
	if (a->kind != IOT_RECORD && !(a->has & IOT_HAS_TIME))
		c.rec.start_ns = a->rec.start_ns;
	return kept_same(a, &c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	struct kept one = {0}, many = {0};
	struct iot_reader *a = read_all(in, how, 1, &one), *b = read_all(in, how, 3, &many);
	FUZZ_CHECK(one.count == many.count && one.status == many.status);
	for (size_t i = 0; i < one.count; i++)
		FUZZ_CHECK(same(&one.ev[i], &many.ev[i]));
	FUZZ_CHECK(strcmp(iot_reader_error(a), iot_reader_error(b)) == 0);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		FUZZ_CHECK(kept_is_full(&one) ||
			   iot_reader_fact(a, facts[i]) == iot_reader_fact(b, facts[i]));
	iot_reader_free(a);
	iot_reader_free(b);
	kept_free(&one);
	kept_free(&many);
	return 0;
}
