/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes any bytes as the data of a ring, and makes a trace of its events as iotrace record does.
 * Decoding the data at once, and record by record as a program publishes it, must give the same
 * events. The trace must be valid, with as many records as were written. The same bytes as the
 * payload of a packet: what its check accepts becomes ring records that are valid, apart from their
 * times.
 */
#include "fuzz.h"

#include "cli/record/packet_pipe.h"
#include "cli/record/ring.h"
#include "cli/record/ring_events.h"
#include "lib/sort/sorter.h"

enum { TIME_ZERO = 1000, MEMORY = 1 << 20 };

struct digest {
	uint64_t events, sum;
};

static void digest_add(struct digest *d, const struct iot_event *ev)
{
	const uint64_t numbers[] = {(uint64_t)ev->rec.start_ns,
				    ev->rec.duration_ns,
				    ev->rec.offset,
				    ev->rec.length,
				    ev->rec.file,
				    ev->kind};
	d->events++;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		d->sum = (d->sum ^ numbers[i]) * 0x100000001b3;
	for (size_t i = 0; i < ev->text.size; i++)
		d->sum = (d->sum ^ (unsigned char)ev->text.data[i]) * 0x100000001b3;
}

static const struct ring_decoder decoder = {.zero = TIME_ZERO, .now = UINT64_C(1) << 40};

/* Decodes all valid records; adds them to the sorter unless it is NULL. */
static struct digest decode_all(const unsigned char *data, size_t n, struct sorter *s)
{
	static struct iot_event batch[RING_BATCH];
	struct digest d = {.events = 0};
	size_t used;
	for (size_t at = 0; at < n; at += used) {
		const int count = ring_decode(&decoder, data + at, n - at, batch, &used);
		if (count < 0 || used == 0)
			break;
		for (int i = 0; i < count; i++)
			digest_add(&d, &batch[i]);
		if (s != NULL && count > 0)
			FUZZ_CHECK(sorter_add(s, batch, NULL, (size_t)count) == SORTER_OK);
	}
	return d;
}

static struct digest decode_each(const unsigned char *data, size_t n)
{
	static struct iot_event batch[RING_BATCH];
	struct digest d = {.events = 0};
	size_t used;
	for (size_t at = 0; n - at >= sizeof(struct record_head); at += used) {
		const size_t one = ring_record_size(data + at, n - at);
		const int count = ring_decode(&decoder, data + at, one, batch, &used);
		if (count < 0 || used == 0)
			break;
		FUZZ_CHECK(count <= 1 && used == one);
		if (count == 1)
			digest_add(&d, &batch[0]);
	}
	return d;
}

static uint64_t make_trace(struct sorter *s, struct iot_writer *w)
{
	static struct iot_event batch[RING_BATCH];
	const struct ring_events_options options = {.data_only = false};
	static const uint64_t counters[RECORD_COUNTER_COUNT] = {3};
	struct process process = {.pid = 7, .id = 7, .pidfd = -1};
	const struct processes processes = {.process = &process, .count = 1};
	const struct clock_map clock = {.count = 1, .sample = {{TIME_ZERO, TIME_ZERO}}};
	struct ring_events *e = ring_events_new(w, &processes, &clock, &options);
	ssize_t n;
	FUZZ_CHECK(e != NULL);
	while ((n = sorter_events(s, batch, NULL, RING_BATCH)) > 0)
		for (ssize_t i = 0; i < n; i++)
			FUZZ_CHECK(ring_events_add(e, &batch[i]) == IOT_OK);
	const struct iot_event ended = {.kind = RING_ENDED,
					.rec = {.start_ns = (int64_t)decoder.now},
					.text = {(const char *)counters, sizeof(counters)}};
	FUZZ_CHECK(ring_events_add(e, &ended) == IOT_OK && ring_events_flush(e) == IOT_OK);
	const uint64_t records = ring_events_totals(e)->records;
	ring_events_free(e);
	return records;
}

/* The first byte is the kind, the second the number of entries. */
static void check_packet(const uint8_t *data, size_t size)
{
	static unsigned char bytes[PACKET_MAX], records[PACKET_PIPE_RECORDS_MAX];
	const size_t max = (size_t)PACKET_WORD_SIZE * PACKET_PAYLOAD_MAX;
	const char *why;
	if (size < 2)
		return;
	struct packet p = {
	    .kind = data[0] % 7, .file = 1, .entries = data[1], .tick_ps = PACKET_TICK_PS_PER_NS};
	const size_t payload = size - 2 < max ? size - 2 : max;
	p.words = (uint32_t)(payload / PACKET_WORD_SIZE);
	memcpy(bytes + PACKET_WORD_SIZE * PACKET_HEADER, data + 2, payload);
	packet_seal(bytes, &p);
	if (packet_check(bytes, sizeof(bytes), p.tick_ps, &p, &why) != PACKET_GOOD)
		return;
	const size_t n = packet_pipe_records(&p, records);
	FUZZ_CHECK(n <= sizeof(records));
	(void)decode_all(records, n, NULL);
	if (n > 0 && p.kind == PACKET_OPEN)
		FUZZ_CHECK(ring_record_is_valid(records, n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sorter *s = sorter_new(MEMORY, SORTER_HOLD);
	struct iot_writer *w = iot_writer_new();
	check_packet(data, size);
	FUZZ_CHECK(s != NULL && w != NULL && iot_writer_set(w, IOT_SET_TICK_NS, 1) == IOT_OK &&
		   iot_writer_open_memory(w) == IOT_OK);
	const struct digest all = decode_all(data, size, s), each = decode_each(data, size);
	FUZZ_CHECK(all.events == each.events && all.sum == each.sum);
	FUZZ_CHECK(sorter_end(s) == IOT_OK);
	const uint64_t records = make_trace(s, w);
	FUZZ_CHECK(iot_writer_close(w) == IOT_OK);
	fuzz_check_records(w, records);
	iot_writer_free(w);
	sorter_free(s);
	return 0;
}
