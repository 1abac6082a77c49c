/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parallel decoding of any bytes gives the result of serial decoding: events, errors, facts; and so
 * does a parallel fold. The first byte is options: bits 0-1 bytes per read, which is the size of a
 * part; 2 no verification, 3 recover, 4 a thread decompresses ahead, 5 verified intervals only, 6
 * few bytes of them in memory.
 */
#include "kept.h"

static const enum iot_fact facts[] = {IOT_FACT_TICK_NS,  IOT_FACT_BASE,    IOT_FACT_FRAMED,
				      IOT_FACT_COMPLETE, IOT_FACT_RECORDS, IOT_FACT_COMMENTS,
				      IOT_FACT_LINE,     IOT_FACT_LOST,    IOT_FACT_LOST_RECORDS,
				      IOT_FACT_WARNINGS, IOT_FACT_INDEX,   IOT_FACT_LAST_NS};

static struct iot_reader *open_with(struct fuzz_input in, unsigned how, uint64_t threads,
				    int *status)
{
	static const uint64_t sizes[] = {64, 17, 300, 4096};
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_READ_SIZE, sizes[how & 3]) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_VERIFY, (how & 4) == 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_RECOVER, (how & 8) != 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_READ_AHEAD, (how & 16) != 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_VERIFIED, (how & 32) != 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_HELD, how & 64 ? 100 : 1 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_THREADS, threads) == IOT_OK);
	*status = iot_reader_open_memory(r, in.data, in.size, "fuzz");
	return r;
}

static struct iot_reader *read_all(struct fuzz_input in, unsigned how, uint64_t threads,
				   struct kept *k)
{
	int status;
	struct iot_reader *r = open_with(in, how, threads, &status);
	k->status = status;
	if (status == IOT_OK)
		drain(r, k);
	return r;
}

/* A sum over events in their order that does not depend on where parts were joined. */
enum { FACTOR = 1000003 };

struct sum {
	uint64_t sum, power;
};

static void add(struct sum *s, uint64_t value)
{
	s->sum = s->sum * FACTOR + value;
	s->power *= FACTOR;
}

static void *begin_part(void *context)
{
	struct sum *s = fuzz_memory(NULL, sizeof(*s));
	(void)context;
	*s = (struct sum){0, 1};
	return s;
}

static int add_events(void *part, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct iot_record *r = &ev[i].rec;
		if (ev[i].kind == IOT_FILE || ev[i].kind == IOT_PROCESS)
			continue; /* repeated at the beginning of a part */
		add(part, ev[i].kind);
		for (size_t j = 0; j < ev[i].text.size; j++)
			add(part, (unsigned char)ev[i].text.data[j]);
		if (ev[i].kind != IOT_RECORD)
			continue;
		add(part, (uint64_t)r->start_ns ^ r->duration_ns);
		add(part, r->offset);
		add(part, r->length);
		add(part, (uint64_t)r->process << 32 | r->file);
		add(part, (uint64_t)r->object << 32 | r->operation);
		add(part, (uint64_t)r->type << 8 | r->flags);
	}
	return IOT_OK;
}

static void drop_part(void *context, void *part)
{
	(void)context;
	free(part);
}

static int join_part(void *context, void *part)
{
	struct sum *all = context;
	const struct sum *s = part;
	all->sum = all->sum * s->power + s->sum;
	free(part);
	return IOT_OK;
}

static struct iot_reader *fold_all(struct fuzz_input in, unsigned how, uint64_t threads,
				   struct sum *all, int *status)
{
	const struct iot_fold fold = {all, begin_part, add_events, join_part, drop_part};
	struct iot_reader *r = open_with(in, how, threads, status);
	if (*status == IOT_OK)
		*status = iot_reader_fold(r, &fold);
	return r;
}

static void check_same_facts(const struct iot_reader *a, const struct iot_reader *b)
{
	FUZZ_CHECK(strcmp(iot_reader_error(a), iot_reader_error(b)) == 0);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		FUZZ_CHECK(iot_reader_fact(a, facts[i]) == iot_reader_fact(b, facts[i]));
}

static void check_fold(struct fuzz_input in, unsigned how)
{
	struct sum one = {0}, many = {0};
	int status[2];
	struct iot_reader *a = fold_all(in, how, 1, &one, &status[0]);
	struct iot_reader *b = fold_all(in, how, 3, &many, &status[1]);
	FUZZ_CHECK(status[0] == status[1] && one.sum == many.sum);
	check_same_facts(a, b);
	iot_reader_free(a);
	iot_reader_free(b);
}

/* The sort key of untimed events depends on the neighbours known at that point. */
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
	if (!kept_is_full(&one)) {
		check_same_facts(a, b);
		check_fold(in, how);
	}
	iot_reader_free(a);
	iot_reader_free(b);
	kept_free(&one);
	kept_free(&many);
	return 0;
}
