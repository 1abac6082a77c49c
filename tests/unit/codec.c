/* SPDX-License-Identifier: BSD-2-Clause */
/* The codec: lines and records, errors with their columns, and decode(encode(x)) == x over random
 * records. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/codec/codec.h"

#include "example.h"

struct state {
	void *block;
	size_t size;
	struct iot_codec *c;
};

static struct state state_new(uint64_t tick_ns, unsigned base)
{
	struct state s = {.size = iot_codec_size(1)};
	s.block = malloc(s.size);
	s.c = iot_codec_init(s.block, s.size, tick_ns, base);
	cr_assert_not_null(s.c);
	return s;
}

static void state_grow(struct state *s)
{
	s->size *= 2;
	s->block = realloc(s->block, s->size);
	s->c = iot_codec_grow(s->block, s->size);
}

static ssize_t encode(struct state *s, const struct iot_record *rec, char *line)
{
	ssize_t n;
	while ((n = iot_encode(s->c, rec, line)) == IOT_ELIMIT)
		state_grow(s);
	return n;
}

static int decode(struct state *s, const char *line, size_t n, struct iot_record *rec)
{
	int status;
	while ((status = iot_decode(s->c, line, n, rec)) == IOT_ELIMIT)
		state_grow(s);
	return status;
}

static int decode_text(struct state *s, const char *line, struct iot_record *rec)
{
	return decode(s, line, strlen(line), rec);
}

static bool same(const struct iot_record *a, const struct iot_record *b)
{
	return a->start_ns == b->start_ns && a->duration_ns == b->duration_ns &&
	       a->cpu_ns == b->cpu_ns && a->offset == b->offset && a->length == b->length &&
	       a->operation == b->operation && a->file == b->file && a->process == b->process &&
	       a->type == b->type;
}

/* As iotrace(5) has them. */
static const char *const example_lines[] = {
    "c0 22 0 8 0 1f4 3 7 0\n",
    "c0 ec 3e8 1f5 3e8\n",
    "80 28 0 64 64 32 4 64\n",
    "80 23 2 8 a 64 3 9 0\n",
};

Test(codec, the_worked_example_both_ways)
{
	struct state e = state_new(1000, 16), d = state_new(1000, 16);
	for (size_t i = 0; i < 4; i++) {
		char line[IOT_ENCODED_MAX];
		struct iot_record rec;
		ssize_t n = encode(&e, &example[i], line);
		cr_assert_eq(n, (ssize_t)strlen(example_lines[i]));
		cr_assert_arr_eq(line, example_lines[i], (size_t)n);
		cr_assert_eq(decode_text(&d, example_lines[i], &rec), IOT_OK);
		cr_assert(same(&rec, &example[i]), "line %zu", i);
	}
	free(e.block);
	free(d.block);
}

Test(codec, thirty_third_file_evicts_the_oldest_by_use)
{
	struct state e = state_new(1, 16);
	char line[IOT_ENCODED_MAX];
	struct iot_record rec = {.length = 5, .process = 1, .type = IOT_LOGICAL};
	for (uint32_t f = 1; f <= 32; f++) {
		rec.file = f;
		cr_assert(encode(&e, &rec, line) > 0);
	}
	rec.file = 1; /* becomes the latest; 2 is the oldest now */
	rec.offset = 5;
	encode(&e, &rec, line);
	cr_assert_str_eq(strtok(line, "\n"), "80 6c 0 0 1 0");
	rec.file = 33;
	encode(&e, &rec, line);
	rec.file = 2;
	encode(&e, &rec, line);
	cr_assert_str_eq(strtok(line, "\n"), "80 28 5 5 0 0 2 0");
	rec.file = 1;
	rec.offset = 10;
	encode(&e, &rec, line);
	cr_assert_str_eq(strtok(line, "\n"), "80 6c 0 0 1 0");
	free(e.block);
}

Test(codec, a_disk_and_a_file_of_one_number_are_two)
{
	struct state e = state_new(1, 16);
	char line[IOT_ENCODED_MAX];
	struct iot_record rec = {
	    .offset = 7, .length = 9, .file = 1, .process = 1, .type = IOT_LOGICAL};
	encode(&e, &rec, line);
	rec.type = 0;
	encode(&e, &rec, line);
	cr_assert_str_eq(strtok(line, "\n"), "0 a8 7 9 0 0 0");
	free(e.block);
}

Test(codec, operation_zero_is_written_once_another_has_been)
{
	struct state e = state_new(1, 16);
	char line[IOT_ENCODED_MAX];
	struct iot_record rec = {.length = 1, .file = 1, .process = 1, .type = IOT_LOGICAL};
	encode(&e, &rec, line);
	cr_assert_str_eq(strtok(line, "\n"), "80 20 0 1 0 0 1 1 0");
	rec.file = 2;
	rec.operation = 9;
	encode(&e, &rec, line);
	cr_assert_str_eq(strtok(line, "\n"), "80 8 0 1 0 0 9 2 0");
	rec.file = 3;
	rec.operation = 0;
	encode(&e, &rec, line);
	cr_assert_str_eq(strtok(line, "\n"), "80 8 0 1 0 0 0 3 0");
	free(e.block);
}

Test(codec, times_are_quantised_downwards_from_absolute_time)
{
	struct state e = state_new(1000, 10), d = state_new(1000, 10);
	char line[IOT_ENCODED_MAX];
	struct iot_record rec = {.start_ns = 1999,
				 .duration_ns = 2,
				 .length = 1,
				 .cpu_ns = -1,
				 .file = 1,
				 .process = 1,
				 .type = IOT_LOGICAL},
			  back;
	ssize_t n = encode(&e, &rec, line);
	cr_assert_eq(decode(&d, line, (size_t)n, &back), IOT_OK);
	cr_assert_eq(back.start_ns, 1000);
	cr_assert_eq(back.duration_ns, 1000u);
	cr_assert_eq(back.cpu_ns, -1000);
	free(e.block);
	free(d.block);
}

Test(codec, quantisation_is_exact_for_odd_ticks)
{
	static const uint64_t ticks[] = {1, 2, 3, 7, 1000, 4096, 999999937, 1000000000, INT64_MAX};
	for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
		static const int64_t starts[] = {0,        1, 2, 999, 1000, 1795219305212778123,
						 INT64_MAX};
		for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
			struct state e = state_new(ticks[i], 10), d = state_new(ticks[i], 10);
			char line[IOT_ENCODED_MAX];
			struct iot_record rec = {.start_ns = starts[k], .type = IOT_LOGICAL}, back;
			ssize_t n = encode(&e, &rec, line);
			cr_assert(n > 0);
			cr_assert_eq(decode(&d, line, (size_t)n, &back), IOT_OK);
			cr_assert_eq(back.start_ns,
				     starts[k] - (int64_t)((uint64_t)starts[k] % ticks[i]));
			free(e.block);
			free(d.block);
		}
	}
}

struct wrong {
	const char *before; /* a good line, or NULL */
	const char *line;
	unsigned column;
	const char *says;
};

static const struct wrong wrongs[] = {
    {NULL, "80", 3, "found 1 field, expected 10"},
    {NULL, "80 20 0 1 0 0 1 1", 18, "found 8 fields, expected 9"},
    {NULL, "80 20 0 1 0 0 1 1 0 5", 21, "found 10 fields, expected 9"},
    {NULL, "80 20 0 1 0 0 1 1 x", 19, "found 'x' as processTime, expected hexadecimal digits"},
    {NULL, "80 20 0 1 0 0 1 1 \x7f", 19, "found byte \\x7f, expected digits and blanks"},
    {NULL, "80 20 0x1 1 0 0 1 1 0", 7, "found '0x1' as offset, expected hexadecimal digits"},
    {NULL, "80 20 -1 1 0 0 1 1 0", 7, "offset is negative; only startTime and processTime may be"},
    {NULL, "80 20 0 1 0 -5 1 1 0", 13,
     "completionTime is negative; only startTime and processTime may be"},
    {NULL, "80 20 0 1 - 0 1 1 0", 11, "found '-' as startTime, expected hexadecimal digits"},
    {NULL, "100 20 0 1 0 0 1 1 0", 1, "recordType does not fit 8 bits"},
    {NULL, "80 100 0 1 0 0 1 1 0", 4, "compression does not fit 8 bits"},
    {NULL, "80 30 0 1 0 0 1 1 0", 4, "compression has the undefined flag 0x10"},
    {NULL, "ff 20 0 1 0 0 1 1 0", 1, "the recordType marks a comment, which begins with ff"},
    {NULL, "80 20 10000000000000000 1 0 0 1 1 0", 7, "offset does not fit 64 bits"},
    {NULL, "80 21 80000000000000 1 0 0 1 1 0", 7, "offset times 512 does not fit 64 bits"},
    {NULL, "80 22 0 80000000000000 0 0 1 1 0", 9, "length times 512 does not fit 64 bits"},
    {NULL, "80 20 0 1 8000000000000000 0 1 1 0", 11, "startTime does not fit 63 bits"},
    {NULL, "80 20 0 1 -1 0 1 1 0", 11, "startTime leads out of 0 .. 2^63-1 nanoseconds"},
    {NULL, "80 20 0 1 20c49ba5e353f8 0 1 1 0", 11,
     "startTime leads out of 0 .. 2^63-1 nanoseconds"},
    {NULL, "80 20 0 1 1 20c49ba5e353f7 1 1 0", 13,
     "completionTime leads beyond 2^63-1 nanoseconds"},
    {NULL, "80 20 0 1 0 0 1 1 20c49ba5e353f8", 19,
     "processTime leads out of the CPU clock's 64 bits of nanoseconds"},
    {NULL, "80 0 0 1 0 0 100000000 1 1 0", 14, "operationId does not fit 32 bits"},
    {NULL, "80 20 0 1 0 0 100000000 1 0", 15, "fileId does not fit 32 bits"},
    {NULL, "80 20 0 1 0 0 1 100000000 0", 17, "processId does not fit 32 bits"},
    {NULL, "80 28 0 1 0 0 1 0", 18, "processId left out, but the trace has no earlier record"},
    {NULL, "80 a0 0 1 0 0 7 0", 18, "fileId left out, but process 7 has no earlier record"},
    {NULL, "80 60 1 0 0 1 7 0", 18,
     "offset left out, but file 1 of process 7 has no earlier record in its table"},
    {NULL, "80 24 1 0 0 1 7 0", 18,
     "length left out, but file 1 of process 7 has no earlier record in its table"},
    {"80 20 ffffffffffffffff 1 0 0 1 1 0", "80 60 1 0 0 1 1 0", 18,
     "offset left out, but the end of the previous record does not fit 64 bits"},
    {"80 20 0 1 0 0 1 1 0", "0 e8 1 0 0 0", 13,
     "offset left out, but file 1 of process 1 has no earlier record in its table"},
};

Test(codec, every_error_by_name_and_column)
{
	for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
		const struct wrong *w = &wrongs[i];
		struct state d = state_new(1000, 16);
		struct iot_record rec;
		unsigned column;
		if (w->before != NULL)
			cr_assert_eq(decode_text(&d, w->before, &rec), IOT_OK);
		cr_assert_eq(decode_text(&d, w->line, &rec), IOT_EFORMAT, "%s", w->line);
		cr_expect_str_eq(iot_codec_error(d.c, &column), w->says);
		cr_expect_eq(column, w->column, "%s: column %u", w->line, column);
		free(d.block);
	}
}

Test(codec, an_error_changes_nothing)
{
	struct state d = state_new(1000, 16);
	struct iot_record rec;
	cr_assert_eq(decode_text(&d, "c0 22 0 8 0 1f4 3 7 0", &rec), IOT_OK);
	cr_assert_eq(decode_text(&d, "c0 24 0 5 1 4 7 0", &rec), IOT_EFORMAT);
	cr_assert_eq(decode_text(&d, "c0 ec 3e8 1f5 3e8", &rec), IOT_OK);
	cr_assert_eq(rec.offset, 4096u);
	cr_assert_eq(rec.start_ns, 1000000);
	free(d.block);
}

Test(codec, spellings_that_no_writer_makes)
{
	static const char *const spelt[] = {
	    "c0 22 0 8 0 1f4 3 7 0",
	    "  C0\t22 0  8 0 1F4 3 7 0 \t",
	    "c0 22 0 8 0 1f4 3 7 0\r\r\n",
	    "0c0 022 000 8 0 1f4 3 7 -0",
	    "c0 20 0 1000 0 1f4 3 7 0",
	    "c0 2 0 8 0 1f4 0 3 7 0",
	    "c0 22 00000000000000000000 8 0 1f4 3 7 0\n",
	};
	for (size_t i = 0; i < sizeof spelt / sizeof *spelt; i++) {
		struct state d = state_new(1000, 16);
		struct iot_record rec;
		cr_assert_eq(decode_text(&d, spelt[i], &rec), IOT_OK, "%s: %s", spelt[i],
			     iot_codec_error(d.c, NULL));
		cr_assert(same(&rec, &example[0]), "%s", spelt[i]);
		free(d.block);
	}
}

Test(codec, what_cannot_be_written_is_refused)
{
	static const struct iot_record bad[] = {
	    {.type = 0xff},
	    {.start_ns = -1, .type = IOT_LOGICAL},
	    {.start_ns = INT64_MAX, .duration_ns = 1, .type = IOT_LOGICAL},
	    {.cpu_ns = INT64_MIN, .type = IOT_LOGICAL},
	};
	struct state e = state_new(1, 16);
	char line[IOT_ENCODED_MAX];
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_assert_eq(encode(&e, &bad[i], line), IOT_EUSAGE);
	cr_assert_eq(encode(&e, &(struct iot_record){.type = IOT_LOGICAL}, line), 20);
	free(e.block);
}

/* Laws over random records */

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s * 0x2545f4914f6cdd1dU;
}

static uint64_t below(uint64_t *s, uint64_t n)
{
	return next_random(s) % n;
}

/* Mostly like real traces, now and then the extremes of every field. */
static struct iot_record random_record(uint64_t *s, const struct iot_record *prev, int64_t tick_max,
				       int64_t tick)
{
	static const uint64_t extremes[] = {0, 1, 511, 512, UINT32_MAX, INT64_MAX, UINT64_MAX};
	struct iot_record r = {.type = (uint8_t)below(s, 255)};
	r.process = below(s, 3) ? prev->process : (uint32_t)below(s, 50);
	r.file = below(s, 3) ? prev->file : (uint32_t)below(s, 45);
	if (below(s, 100) == 0)
		r.process = UINT32_MAX - (uint32_t)below(s, 2);
	if (below(s, 100) == 0)
		r.file = UINT32_MAX - (uint32_t)below(s, 2);
	if (below(s, 2))
		r.type = (uint8_t)(IOT_LOGICAL | (r.type & IOT_WRITE));
	r.offset = below(s, 2) ? prev->offset + prev->length : below(s, 1 << 30);
	r.length = below(s, 2) ? prev->length : 512 * below(s, 1 << 12);
	if (below(s, 50) == 0)
		r.offset = extremes[below(s, 7)];
	if (below(s, 50) == 0)
		r.length = extremes[below(s, 7)];
	r.operation = below(s, 4) ? 0 : (uint32_t)next_random(s);
	int64_t start = prev->start_ns / tick;
	if (__builtin_add_overflow(start, (int64_t)below(s, 1000) - 300, &start))
		start = tick_max;
	if (below(s, 1000) == 0)
		start = below(s, 2) ? 0 : tick_max;
	start = start < 0 ? 0 : start > tick_max ? tick_max : start;
	int64_t duration = below(s, 100) ? (int64_t)below(s, 1000) : tick_max;
	if (duration > tick_max - start)
		duration = tick_max - start;
	r.start_ns = start * tick;
	r.duration_ns = (uint64_t)(duration * tick);
	r.cpu_ns = ((int64_t)below(s, 1000000) - 1000) * tick;
	if (below(s, 1000) == 0)
		r.cpu_ns = (below(s, 2) ? tick_max : -tick_max) / 2 * tick;
	return r;
}

static void round_trip(uint64_t seed, uint64_t tick, unsigned base, size_t records)
{
	struct state e = state_new(tick, base), d = state_new(tick, base),
		     ignoring = state_new(tick, base), again = state_new(tick, base);
	struct iot_record prev = {0};
	uint64_t s = seed;
	for (size_t i = 0; i < records; i++) {
		struct iot_record rec =
		    random_record(&s, &prev, (int64_t)(INT64_MAX / tick), (int64_t)tick);
		struct iot_record back, back2;
		char line[IOT_ENCODED_MAX], line2[IOT_ENCODED_MAX];
		if (below(&s, 500) == 0) {
			iot_codec_forget(e.c);
			iot_codec_forget(d.c);
			iot_codec_forget(again.c);
		}
		ssize_t n = encode(&e, &rec, line);
		cr_assert(n > 0 && n <= IOT_ENCODED_MAX, "record %zu: %s", i,
			  iot_codec_error(e.c, NULL));
		cr_assert_eq(decode(&d, line, (size_t)n, &back), IOT_OK, "record %zu: %.*s: %s", i,
			     (int)n, line, iot_codec_error(d.c, NULL));
		cr_assert(same(&rec, &back), "record %zu: %.*s", i, (int)n, line);
		cr_assert_eq(decode(&ignoring, line, (size_t)n, &back2), IOT_OK);
		cr_assert(same(&rec, &back2), "record %zu, forgetting nothing: %.*s", i, (int)n,
			  line);
		ssize_t m = encode(&again, &back, line2);
		cr_assert(m == n && memcmp(line, line2, (size_t)n) == 0,
			  "record %zu is not canonical", i);
		prev = rec;
	}
	free(e.block);
	free(d.block);
	free(ignoring.block);
	free(again.block);
}

static uint64_t seed_of_today(const char *law)
{
	const char *given = getenv("IOT_SEED");
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	const uint64_t seed = given != NULL
				  ? strtoull(given, NULL, 0)
				  : (uint64_t)now.tv_sec * 1000003 + (uint64_t)now.tv_nsec;
	fprintf(stderr, "codec: %s: IOT_SEED=%llu\n", law, (unsigned long long)seed);
	return seed;
}

Test(codec, what_was_encoded_is_decoded, .timeout = 300)
{
	const uint64_t seed = seed_of_today("round trip");
	round_trip(seed | 1, 1000, 16, 60000);
	round_trip((seed + 1) | 1, 1, 10, 60000);
	round_trip((seed + 2) | 1, 999999937, 16, 30000);
}

/* Now and then a line as no writer makes it, to lead the fast ways astray. */
static size_t respell(uint64_t *s, const char *line, size_t n, char *out)
{
	const uint64_t how = below(s, 40);
	size_t m = 0;
	if (how == 0)
		out[m++] = ' ';
	for (size_t i = 0; i + 1 < n; i++) {
		out[m++] = how == 1 ? (char)toupper((unsigned char)line[i]) : line[i];
		if (how == 2 && line[i] == ' ')
			out[m++] = '\t';
		if (how == 3 && line[i] == ' ' && line[i + 1] != '-')
			out[m++] = '0';
	}
	if (how == 4)
		out[m++] = '\r';
	out[m++] = '\n';
	return m;
}

static void batch_law(uint64_t seed, uint64_t tick, unsigned base, bool odd)
{
	enum { RECORDS = 20000, BATCH = 700 };
	struct state e = state_new(tick, base), one = state_new(tick, base),
		     many = state_new(tick, base);
	struct iot_record *want = calloc(RECORDS, sizeof *want), got[BATCH], prev = {0};
	unsigned char *first_use = calloc(RECORDS, 1);
	char *text = malloc(RECORDS * (size_t)IOT_ENCODED_MAX * 2), line[IOT_ENCODED_MAX];
	size_t size = 0, n = 0;
	uint64_t s = seed;
	for (size_t i = 0; i < RECORDS; i++) {
		prev = random_record(&s, &prev, (int64_t)(INT64_MAX / tick), (int64_t)tick);
		ssize_t k = encode(&e, &prev, line);
		size_t m = odd ? respell(&s, line, (size_t)k, text + size) : (size_t)k;
		if (!odd)
			memcpy(text + size, line, (size_t)k);
		cr_assert_eq(decode(&one, text + size, m, &want[i]), IOT_OK);
		first_use[i] = (unsigned char)codec_first_use(one.c);
		size += m;
	}
	const char *p = text;
	while (n < RECORDS) {
		enum decode_stop why;
		const size_t max = 1 + below(&s, BATCH);
		const size_t k =
		    codec_decode_lines(many.c, &p, text + size, got, max, sizeof *got, NULL, &why);
		for (size_t i = 0; i < k; i++)
			cr_assert(same(&got[i], &want[n + i]), "record %zu of seed %llu", n + i,
				  (unsigned long long)seed);
		for (size_t i = 0; i + 1 < k; i++)
			cr_assert_eq(first_use[n + i], 0, "record %zu: news passed over", n + i);
		if (k > 0)
			cr_assert_eq(codec_first_use(many.c), first_use[n + k - 1]);
		cr_assert_eq(why == DECODE_STOP_FIRST_USE, k > 0 && first_use[n + k - 1] != 0);
		n += k;
		cr_assert(why != DECODE_STOP_OTHER && why != DECODE_STOP_ERROR);
		if (why == DECODE_STOP_LIMIT)
			state_grow(&many);
	}
	cr_assert_eq(p, text + size);
	free(want);
	free(first_use);
	free(text);
	free(e.block);
	free(one.block);
	free(many.block);
}

Test(codec, batches_and_single_lines_agree, .timeout = 300)
{
	const uint64_t seed = seed_of_today("batches");
	batch_law(seed | 1, 1000, 16, false);
	batch_law((seed + 1) | 1, 1, 10, false);
	batch_law((seed + 2) | 1, 1, 16, true);
	batch_law((seed + 3) | 1, 77, 10, true);
}

Test(codec, a_batch_is_what_its_lines_are)
{
	static const char text[] =
	    "c0 22 0 8 0 1f4 3 7 0\nc0 ec 3e8 1f5 3e8\n80  28 0 64 64 32 4 64\r\n"
	    "\nff note\n80 23 2 8 a 64 3 9 0\n80 e8 zz\n";
	struct state d = state_new(1000, 16);
	struct iot_record rec[8];
	enum decode_stop why;
	const char *p = text, *end = text + sizeof text - 1;
	cr_assert_eq(codec_decode_lines(d.c, &p, end, rec, 8, sizeof *rec, NULL, &why), 1);
	cr_assert_eq(why, DECODE_STOP_FIRST_USE);
	cr_assert_eq(codec_first_use(d.c), FIRST_USE_PROCESS | FIRST_USE_FILE);
	codec_set_object(d.c, 42, IOT_OFFSET_UNKNOWN);
	cr_assert_eq(codec_decode_lines(d.c, &p, end, rec, 1, sizeof *rec, NULL, &why), 1);
	cr_assert_eq(why, DECODE_STOP_MAX);
	cr_assert_eq(rec[0].object, 42);
	cr_assert_eq(rec[0].flags, IOT_OFFSET_UNKNOWN);
	cr_assert_eq(codec_decode_lines(d.c, &p, end, rec, 8, sizeof *rec, NULL, &why), 1);
	cr_assert_eq(codec_first_use(d.c), FIRST_USE_FILE);
	cr_assert_eq(codec_decode_lines(d.c, &p, end, rec, 8, sizeof *rec, NULL, &why), 0);
	cr_assert_eq(why, DECODE_STOP_OTHER);
	cr_assert_eq(*p, '\n');
	p++;
	cr_assert_eq(codec_decode_lines(d.c, &p, end, rec, 8, sizeof *rec, NULL, &why), 0);
	cr_assert_eq(why, DECODE_STOP_OTHER);
	p = strchr(p, '\n') + 1;
	while (codec_decode_lines(d.c, &p, end, rec, 8, sizeof *rec, NULL, &why) > 0)
		if (why == DECODE_STOP_LIMIT)
			state_grow(&d);
	if (why == DECODE_STOP_LIMIT) {
		state_grow(&d);
		cr_assert_eq(codec_decode_lines(d.c, &p, end, rec, 8, sizeof *rec, NULL, &why), 1);
		cr_assert(same(&rec[0], &example[3]));
		cr_assert_eq(codec_decode_lines(d.c, &p, end, rec, 8, sizeof *rec, NULL, &why), 0);
	}
	cr_assert_eq(why, DECODE_STOP_ERROR);
	cr_assert_str_eq(strtok((char *)(uintptr_t)iot_codec_error(d.c, NULL), "\n"),
			 "found 3 fields, expected 6");
	free(d.block);
}

/* Followed by enough bytes for the AVX2 decoder. */
static enum decode_stop stop_at_line(const char *line)
{
	struct state d = state_new(1, 16);
	struct iot_record rec[16];
	char text[1024];
	enum decode_stop why;
	int n = snprintf(text, sizeof text, "c0 22 0 8 3e8 1f4 3 7 0\nc0 ec 5 5 5\n%s\n", line);
	for (int i = 0; i < 10; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "c0 ec 3e8 1f5 -3e8\n");
	const char *p = text, *end = text + n;
	while (codec_decode_lines(d.c, &p, end, rec, 16, sizeof *rec, NULL, &why) > 0)
		if (why == DECODE_STOP_LIMIT)
			state_grow(&d);
	free(d.block);
	return why;
}

Test(codec, a_minus_is_for_start_and_cpu_alone)
{
	static const char *const good[] = {"c0 ec -1 5 5", "c0 ec 1 5 -5", "c0 ec -3e0 5 -5",
					   "c0 ec -0 5 -0", "c0 cc -3 5 4 -1"};
	static const char *const bad[] = {
	    "c0 ec - 5 5",         "c0 ec --1 5 5",    "c0 ec 5 -5 5",   "c0 ec 5 5 -",
	    "c0 ec 1-1 5 5",       "c0 ec 5 5 1-",     "c0 -ec 5 5 5",   "-c0 ec 5 5 5",
	    "c0 ec -3ee 5 5",      "c0 a8 -1 8 1 1 1", "c0 ec -1 -5 -5", "c0 cc -3 5 -4 -1",
	    "c0 ec -ffffffff 5 5",
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		cr_assert_eq(stop_at_line(good[i]), DECODE_STOP_END, "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_assert_eq(stop_at_line(bad[i]), DECODE_STOP_ERROR, "%s", bad[i]);
}

Test(codec, many_processes_stay_within_the_declared_size)
{
	enum { PROCESSES = 3000, FILES = 40 };
	const size_t size = iot_codec_size(PROCESSES);
	void *block = malloc(size);
	struct iot_codec *c = iot_codec_init(block, size, 1, 16);
	char line[IOT_ENCODED_MAX];
	for (uint32_t f = 0; f < FILES; f++)
		for (uint32_t p = 0; p < PROCESSES; p++) {
			struct iot_record rec = {
			    .file = f, .process = p * 65536, .type = IOT_LOGICAL};
			cr_assert(iot_encode(c, &rec, line) > 0);
		}
	free(block);
}
