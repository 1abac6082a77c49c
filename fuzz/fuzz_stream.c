/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads any bytes, plain or compressed. The events are written again, and the output must read as
 * the same events. second_trace.c must read the same records and comments from a plain trace, and
 * agree on its end.
 *
 * The first byte of an input is options: bits 0-1 bytes per read, 2 no verification, 3 recover, 4-5
 * compression of the output, 6 %sync often. '0' is the default.
 */
#include "kept.h"
#include "second_trace.h"

enum { MEMORY_MAX = 16 << 20 };

static struct iot_reader *reader_new(unsigned how)
{
	static const uint64_t sizes[] = {32768, 1, 17, 300};
	struct iot_reader *r = iot_reader_new();
	FUZZ_CHECK(r != NULL);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_READ_SIZE, sizes[how & 3]) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_VERIFY, (how & 4) == 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_RECOVER, (how & 8) != 0) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_WINDOW, 8 << 20) == IOT_OK);
	FUZZ_CHECK(iot_reader_set(r, IOT_SET_LIMIT_MEMORY, MEMORY_MAX) == IOT_OK);
	return r;
}

static struct iot_writer *write_again(const struct kept *k, unsigned how, uint64_t tick_ns,
				      uint64_t base)
{
	static const uint64_t compression[] = {IOT_PLAIN, IOT_GZIP, IOT_ZSTD, IOT_PLAIN};
	struct iot_writer *w = iot_writer_new();
	FUZZ_CHECK(w != NULL);
	FUZZ_CHECK(iot_writer_set(w, IOT_SET_TICK_NS, tick_ns) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(w, IOT_SET_BASE, base) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(w, IOT_SET_UNDECLARED_DISKS, 1) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(w, IOT_SET_SYNC, how & 64 ? 3 : IOT_SYNC_DEFAULT) == IOT_OK);
	FUZZ_CHECK(iot_writer_set(w, IOT_SET_COMPRESSION, compression[how >> 4 & 3]) == IOT_OK);
	FUZZ_CHECK(iot_writer_open_memory(w) == IOT_OK);
	int status = iot_writer_events(w, k->ev, k->count);
	if (status == IOT_OK)
		status = iot_writer_close(w);
	if (status != IOT_OK)
		fprintf(stderr, "%s\n", iot_writer_error(w));
	FUZZ_CHECK(status == IOT_OK);
	return w;
}

/* Writers and readers may omit these if they repeat the current state. */
static bool may_be_left_out(const struct iot_event *ev)
{
	return ev->kind == IOT_FILE || ev->kind == IOT_PROCESS;
}

static void check_same(struct iot_event a, struct iot_event b, bool objects)
{
	FUZZ_CHECK(a.kind == b.kind && a.has == b.has && a.text.size == b.text.size);
	FUZZ_CHECK(a.text.size == 0 || memcmp(a.text.data, b.text.data, a.text.size) == 0);
	if (a.kind != IOT_RECORD && !(a.has & IOT_HAS_TIME))
		a.rec.start_ns = b.rec.start_ns;
	if (!objects) {
		a.rec.object = b.rec.object;
		a.rec.flags = b.rec.flags;
	}
	FUZZ_CHECK(fuzz_same(&a.rec, &b.rec));
}

static void check_events(const struct kept *a, const struct kept *b, bool objects)
{
	size_t j = 0;
	for (size_t i = 0; i < a->count; i++) {
		if (may_be_left_out(&a->ev[i]))
			continue;
		while (j < b->count && may_be_left_out(&b->ev[j]))
			j++;
		FUZZ_CHECK(j < b->count);
		check_same(a->ev[i], b->ev[j++], objects);
	}
	while (j < b->count && may_be_left_out(&b->ev[j]))
		j++;
	FUZZ_CHECK(j == b->count);
}

static void check_again(const struct kept *k, const struct iot_reader *was, unsigned how)
{
	uint64_t tick_ns = iot_reader_fact(was, IOT_FACT_TICK_NS);
	uint64_t base = iot_reader_fact(was, IOT_FACT_BASE);
	struct iot_writer *w =
	    write_again(k, how, tick_ns > 0 ? tick_ns : IOT_TICK_DEFAULT_NS, base > 0 ? base : 16);
	size_t size;
	const void *data = iot_writer_memory(w, &size);
	struct iot_reader *r = reader_new(how & 3);
	FUZZ_CHECK(iot_reader_open_memory(r, data, size, "again") == IOT_OK);
	struct kept again = {0};
	drain(r, &again);
	if (iot_reader_error(r)[0] != '\0')
		fprintf(stderr, "%s\n", iot_reader_error(r));
	FUZZ_CHECK(iot_reader_error(r)[0] == '\0');
	FUZZ_CHECK(kept_is_full(&again) || iot_reader_fact(r, IOT_FACT_COMPLETE) == 1);
	check_events(k, &again, iot_reader_fact(was, IOT_FACT_LOST) == 0);
	kept_free(&again);
	iot_reader_free(r);
	iot_writer_free(w);
}

static uint64_t hash_texts(const struct kept *k, uint64_t tick_ns)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < k->count; i++) {
		const struct iot_text text = k->ev[i].text;
		if (k->ev[i].kind != IOT_RECORD)
			hash = second_add_text(hash, text.size > 0 ? text.data : "", text.size,
					       tick_ns);
	}
	return hash;
}

static void check_second(struct fuzz_input in, const struct kept *k, bool verify, uint64_t tick_ns)
{
	struct second_trace second = second_read((const char *)in.data, in.size, verify);
	const struct iot_record *rec;
	size_t n = 0;
	for (size_t i = 0; (rec = kept_record(k, &i)) != NULL; n++) {
		FUZZ_CHECK(n < second.count && fuzz_same(rec, &second.rec[n]));
	}
	FUZZ_CHECK(n == second.count && k->count - n == second.comments);
	FUZZ_CHECK(hash_texts(k, tick_ns) == second.texts);
	FUZZ_CHECK((second.end == SECOND_WHOLE) == (k->status == 0));
	FUZZ_CHECK((second.end == SECOND_CUT) == (k->status == IOT_ETRUNCATED));
	free(second.rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	struct iot_reader *r = reader_new(how);
	struct kept k = {0};
	k.status = iot_reader_open_memory(r, in.data, in.size, "fuzz");
	if (k.status == IOT_OK) {
		drain(r, &k);
		check_again(&k, r, how);
	}
	if (!(how & 8) && iot_reader_fact(r, IOT_FACT_COMPRESSION) == IOT_PLAIN &&
	    k.status != IOT_ELIMIT && !kept_is_full(&k))
		check_second(in, &k, (how & 4) == 0, iot_reader_fact(r, IOT_FACT_TICK_NS));
	kept_free(&k);
	iot_reader_free(r);
	return 0;
}
