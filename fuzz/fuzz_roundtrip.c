/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records made from the input's bytes are encoded and decoded and must come out the same, truncated
 * to ticks. Where the encoder forgets (as at a %sync), one decoder forgets with it and one does
 * not: both must read the same. So must a third one that gets all lines at once, and the two
 * decoders of second.c.
 */
#include "fuzz.h"
#include "second.h"

#include "lib/codec/codec.h"

enum { RECORDS_MAX = 5000, PROCESSES = 70 };

struct trip {
	uint64_t tick_ns;
	struct fuzz_codec encoder, forgetful, other;
	struct second *second, *second_other;
	struct iot_record last;
	int64_t cpu[PROCESSES]; /* ticks */
	char *text;             /* all lines so far, and the expected records */
	struct iot_record *want;
	size_t used, count, capacity;
};

static uint64_t take_number(struct fuzz_input *in, uint64_t last)
{
	switch (fuzz_take(in, 1) % 8) {
	case 0:
		return last;
	case 1:
		return last + 1;
	case 2:
		return fuzz_take(in, 1);
	case 3:
		return fuzz_take(in, 2) * 512;
	case 4:
		return fuzz_take(in, 4);
	case 5:
		return UINT64_MAX - fuzz_take(in, 1);
	case 6:
		return last - fuzz_take(in, 1);
	default:
		return fuzz_take(in, 8);
	}
}

static int64_t take_time(struct fuzz_input *in, int64_t last)
{
	return (int64_t)(fuzz_take(in, 1) % 4 != 0
			     ? (uint64_t)last + fuzz_take(in, 3)
			     : take_number(in, (uint64_t)last) & (uint64_t)INT64_MAX);
}

/* The fields selected by a byte are new, all others as in the previous record. */
static struct iot_record take_record(struct trip *t, struct fuzz_input *in)
{
	struct iot_record rec = t->last;
	unsigned what = (unsigned)fuzz_take(in, 1);
	rec.start_ns = take_time(in, rec.start_ns);
	rec.offset = what & 0x01 ? take_number(in, rec.offset) : rec.offset + rec.length;
	if (what & 0x02)
		rec.length = take_number(in, rec.length);
	if (what & 0x04)
		rec.file = (uint32_t)fuzz_take(in, 1) % 40;
	if (what & 0x08)
		rec.process = (uint32_t)fuzz_take(in, 1) % PROCESSES;
	if (what & 0x10)
		rec.operation = (uint32_t)take_number(in, rec.operation);
	if (what & 0x20)
		rec.type = (uint8_t)fuzz_take(in, 1);
	if (what & 0x40)
		rec.duration_ns = take_number(in, rec.duration_ns);
	if (what & 0x80)
		rec.cpu_ns = (int64_t)take_number(in, (uint64_t)rec.cpu_ns);
	return rec;
}

static int64_t floor_to(int64_t ns, uint64_t tick_ns)
{
	int64_t tick = (int64_t)tick_ns;
	return (ns / tick - (ns % tick < 0)) * tick;
}

/* A CPU clock may change by any difference that a line can express. */
static bool can_be_written(const struct trip *t, const struct iot_record *rec)
{
	const int64_t tick = (int64_t)t->tick_ns;
	int64_t ticks = rec->cpu_ns / tick - (rec->cpu_ns % tick < 0), delta;
	return rec->type != 0xff && rec->start_ns >= 0 &&
	       rec->duration_ns <= (uint64_t)(INT64_MAX - rec->start_ns) &&
	       ticks >= -(INT64_MAX / tick) &&
	       !__builtin_sub_overflow(ticks, t->cpu[rec->process], &delta) && delta != INT64_MIN;
}

static struct iot_record in_ticks(const struct iot_record *rec, uint64_t tick_ns)
{
	struct iot_record want = *rec;
	int64_t end = rec->start_ns + (int64_t)rec->duration_ns;
	want.start_ns = floor_to(rec->start_ns, tick_ns);
	want.duration_ns = (uint64_t)(floor_to(end, tick_ns) - want.start_ns);
	want.cpu_ns = floor_to(rec->cpu_ns, tick_ns);
	want.object = 0;
	want.flags = 0;
	return want;
}

static void keep(struct trip *t, const char *line, size_t size, const struct iot_record *want)
{
	if (t->count == t->capacity) {
		t->capacity = 2 * t->capacity + 16;
		t->text = fuzz_memory(t->text, t->capacity * IOT_ENCODED_MAX);
		t->want = fuzz_memory(t->want, t->capacity * sizeof(*want));
	}
	memcpy(t->text + t->used, line, size);
	t->used += size;
	t->want[t->count++] = *want;
}

static void check_all(const struct trip *t, unsigned base)
{
	struct fuzz_codec c = fuzz_codec_new(t->tick_ns, base);
	const char *at = t->text, *end = at + t->used;
	for (size_t done = 0; done < t->count;) {
		struct iot_record got[100];
		enum decode_stop why;
		size_t n =
		    codec_decode_lines(c.codec, &at, end, got, 100, sizeof(got[0]), NULL, &why);
		FUZZ_CHECK(why != DECODE_STOP_ERROR && why != DECODE_STOP_OTHER &&
			   done + n <= t->count);
		for (size_t i = 0; i < n; i++)
			FUZZ_CHECK(fuzz_same(&got[i], &t->want[done + i]));
		done += n;
		if (why == DECODE_STOP_LIMIT)
			fuzz_codec_grow(&c);
	}
	FUZZ_CHECK(at == end);
	free(c.codec);
}

static void check_trip(struct trip *t, const struct iot_record *rec)
{
	char line[IOT_ENCODED_MAX];
	ssize_t n = fuzz_encode(&t->encoder, rec, line);
	FUZZ_CHECK((n > 0) == can_be_written(t, rec));
	if (n < 0)
		return;
	struct iot_record got, want = in_ticks(rec, t->tick_ns);
	FUZZ_CHECK(fuzz_decode(&t->forgetful, line, (size_t)n, &got) == IOT_OK);
	FUZZ_CHECK(fuzz_same(&got, &want));
	FUZZ_CHECK(fuzz_decode(&t->other, line, (size_t)n, &got) == IOT_OK);
	FUZZ_CHECK(fuzz_same(&got, &want));
	FUZZ_CHECK(second_line(t->second, line, (size_t)n, &got) && fuzz_same(&got, &want));
	FUZZ_CHECK(second_line(t->second_other, line, (size_t)n, &got));
	FUZZ_CHECK(fuzz_same(&got, &want));
	keep(t, line, (size_t)n, &want);
	t->last = *rec;
	t->cpu[rec->process] = want.cpu_ns / (int64_t)t->tick_ns;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t ticks[] = {1,        1000, 10000, 7, INT64_MAX, UINT64_C(1) << 32,
					 999999937};
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1);
	unsigned base = how & 1 ? 10 : 16;
	struct trip t = {.tick_ns = ticks[(how >> 1) % 7]};
	t.encoder = fuzz_codec_new(t.tick_ns, base);
	t.forgetful = fuzz_codec_new(t.tick_ns, base);
	t.other = fuzz_codec_new(t.tick_ns, base);
	t.second = second_new(t.tick_ns, base, 0);
	t.second_other = second_new(t.tick_ns, base, 0);
	for (size_t i = 0; in.size > 0 && i < RECORDS_MAX; i++) {
		if (*in.data == 0) {
			iot_codec_forget(t.encoder.codec);
			iot_codec_forget(t.forgetful.codec);
			second_forget(t.second);
		}
		struct iot_record rec = take_record(&t, &in);
		check_trip(&t, &rec);
	}
	if (t.count > 0)
		check_all(&t, base);
	free(t.text);
	free(t.want);
	free(t.encoder.codec);
	free(t.forgetful.codec);
	free(t.other.codec);
	second_free(t.second);
	second_free(t.second_other);
	return 0;
}
