/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sorter compared with qsort with an index, in all modes: in memory, streaming, with runs in a
 * file, with several passes of merging. The offset of an event is its number when it was added.
 */
#include <criterion/criterion.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sort/sorter.h"

struct key {
	int64_t start;
	size_t index;
};

enum shape { SORTED, REVERSED, RANDOM, EQUAL, FEW, RUNS, LOCAL, EXTREME, SAW, SHAPES };

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static int64_t shaped(enum shape shape, size_t i, size_t n, uint64_t *x)
{
	const int64_t extremes[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, INT64_MAX - 1, 0, -1};
	switch (shape) {
	case SORTED:
		return (int64_t)i * 10;
	case REVERSED:
		return (int64_t)(n - i) * 10;
	case RANDOM:
		return (int64_t)next_random(x);
	case EQUAL:
		return -7;
	case FEW:
		return (int64_t)(next_random(x) % 5);
	case RUNS:
		return (int64_t)(i % (n / 8 + 1) * 10);
	case LOCAL:
		return (int64_t)(i + next_random(x) % 64) * 10;
	case EXTREME:
		return extremes[next_random(x) % 6];
	default:
		return (int64_t)(i % 37) - (int64_t)(i % 11) * 3;
	}
}

static int by_start_then_index(const void *a, const void *b)
{
	const struct key *l = a, *r = b;
	if (l->start != r->start)
		return l->start < r->start ? -1 : 1;
	return l->index < r->index ? -1 : l->index > r->index;
}

static struct key *make_keys(enum shape shape, size_t n)
{
	struct key *key = malloc((n + 1) * sizeof(*key));
	cr_assert_not_null(key);
	uint64_t x = 88172645463325252U + shape;
	for (size_t i = 0; i < n; i++)
		key[i] = (struct key){shaped(shape, i, n, &x), i};
	return key;
}

/* Every 16th event is a comment whose text is its number, repeated so that lengths differ. */
static bool is_comment(size_t index)
{
	return index % 16 == 5;
}

static size_t comment_text(size_t index, char text[256])
{
	size_t n = 0;
	for (size_t i = 0; i <= index % 20; i++)
		n += (size_t)snprintf(text + n, 256 - n, "%zu,", index);
	return n;
}

static struct iot_event make_event(struct key key, char text[256])
{
	struct iot_event ev = {.kind = IOT_RECORD};
	ev.rec.start_ns = key.start;
	ev.rec.offset = key.index;
	ev.rec.cpu_ns = -(int64_t)key.index;
	ev.rec.duration_ns = key.index % 3 == 0 ? UINT64_MAX : key.index;
	ev.rec.type = 0xc0;
	ev.rec.process = UINT32_MAX - (uint32_t)key.index;
	if (is_comment(key.index)) {
		ev.kind = IOT_COMMENT;
		ev.has = IOT_HAS_TIME;
		ev.text = (struct iot_text){text, comment_text(key.index, text)};
	}
	return ev;
}

static uint32_t tag_of(struct key key)
{
	return key.index % 7 == 0 ? 5 : 0;
}

static void check_event(const struct iot_event *got, struct key want)
{
	char text[256];
	struct iot_event ev = make_event(want, text);
	cr_assert_eq(got->rec.start_ns, want.start);
	cr_assert_eq(got->rec.offset, want.index);
	cr_assert_eq(memcmp(&got->rec, &ev.rec, sizeof(ev.rec)), 0);
	cr_assert(got->kind == ev.kind && got->has == ev.has && got->text.size == ev.text.size);
	if (ev.text.size > 0)
		cr_assert_eq(memcmp(got->text.data, ev.text.data, ev.text.size), 0);
}

static void add_key(struct sorter *s, struct key key)
{
	char text[256];
	struct iot_event ev = make_event(key, text);
	const uint32_t tag = tag_of(key);
	cr_assert_eq(sorter_add(s, &ev, &tag, 1), SORTER_OK, "%s", sorter_error(s)->text);
}

/* Takes the available events and compares them with want[*at] and on; NULL: with nothing. */
static void drain(struct sorter *s, const struct key *want, size_t *at)
{
	struct iot_event out[77];
	uint32_t tag[77];
	ssize_t n;
	while ((n = sorter_events(s, out, tag, 77)) > 0)
		for (ssize_t i = 0; i < n; i++, ++*at) {
			if (want == NULL)
				continue;
			check_event(&out[i], want[*at]);
			cr_assert_eq(tag[i], tag_of(want[*at]));
		}
	cr_assert_eq(n, 0, "%s", sorter_error(s)->text);
}

/* lag: keys that may still precede the newest one; 0: never releases. */
static struct sorter *check_hold(enum shape shape, size_t n, size_t memory, int64_t lag)
{
	struct key *key = make_keys(shape, n);
	struct sorter *s = sorter_new(memory, SORTER_HOLD);
	cr_assert_not_null(s);
	for (size_t i = 0; i < n; i++) {
		add_key(s, key[i]);
		if (lag > 0 && i % 100 == 99)
			cr_assert_eq(sorter_set_watermark(s, key[i].start - lag), IOT_OK);
	}
	cr_assert_eq(sorter_end(s), IOT_OK, "%s", sorter_error(s)->text);
	qsort(key, n, sizeof(*key), by_start_then_index);
	size_t at = 0;
	drain(s, key, &at);
	cr_assert_eq(at, n, "shape %d: %zu of %zu events", (int)shape, at, n);
	free(key);
	return s;
}

Test(sorter, small_input_is_sorted_in_memory_whatever_its_shape)
{
	for (enum shape shape = SORTED; shape < SHAPES; shape++)
		for (size_t n = 0; n < 3000; n = n * 2 + (n < 40)) {
			struct sorter *s = check_hold(shape, n, 64 << 20, 0);
			cr_assert_eq(sorter_runs(s), 0);
			cr_assert_eq(sorter_spilled(s), 0);
			sorter_free(s);
		}
}

Test(sorter, runs_in_a_file_give_the_same_as_memory)
{
	for (enum shape shape = SORTED; shape < SHAPES; shape++) {
		struct sorter *s = check_hold(shape, 50000, 1 << 20, 0);
		cr_assert_gt(sorter_spilled(s), 0);
		sorter_free(s);
	}
}

Test(sorter, tiny_memory_merges_in_rounds)
{
	struct sorter *s = check_hold(RANDOM, 200000, 1, 0);
	cr_assert_gt(sorter_runs(s), 100);
	sorter_free(s);
	sorter_free(check_hold(FEW, 200000, 65536, 0));
	sorter_free(check_hold(EXTREME, 200000, 65536, 0));
}

Test(sorter, nearly_sorted_input_is_one_run)
{
	struct sorter *s = check_hold(LOCAL, 100000, 1 << 20, 640);
	cr_assert_eq(sorter_runs(s), 1);
	sorter_free(s);
}

Test(sorter, few_released_events_stay_in_memory)
{
	struct sorter *s = check_hold(LOCAL, 400, 64 << 20, 640);
	cr_assert_eq(sorter_runs(s), 0);
	sorter_free(s);
}

Test(sorter, holding_survives_broken_watermarks)
{
	for (enum shape shape = SORTED; shape < EXTREME; shape++)
		sorter_free(check_hold(shape, 60000, 1 << 20, 1));
}

Test(sorter, streaming_equals_sorting_all)
{
	enum { N = 60000 };
	struct key *key = make_keys(LOCAL, N), *want = make_keys(LOCAL, N);
	qsort(want, N, sizeof(*want), by_start_then_index);
	struct sorter *s = sorter_new(100000, SORTER_STREAM);
	size_t at = 0;
	for (size_t i = 0; i < N; i++) {
		add_key(s, key[i]);
		if (i % 50 == 49) {
			cr_assert_eq(sorter_set_watermark(s, (int64_t)i * 10), IOT_OK);
			drain(s, want, &at);
			cr_assert_gt(at, i < 128 ? 0 : i - 128);
		}
	}
	cr_assert_eq(sorter_end(s), IOT_OK);
	drain(s, want, &at);
	cr_assert_eq(at, N);
	cr_assert_eq(sorter_spilled(s), 0);
	sorter_free(s);
	free(key);
	free(want);
}

Test(sorter, streaming_hands_out_only_what_is_before_the_watermark)
{
	struct key key[] = {{5, 0}, {3, 1}, {7, 2}, {4, 3}};
	struct key want[] = {{3, 1}, {4, 3}, {5, 0}, {7, 2}};
	struct sorter *s = sorter_new(0, SORTER_STREAM);
	for (size_t i = 0; i < 4; i++)
		add_key(s, key[i]);
	size_t at = 0;
	drain(s, want, &at);
	cr_assert_eq(at, 0);
	cr_assert_eq(sorter_set_watermark(s, 5), IOT_OK);
	drain(s, want, &at);
	cr_assert_eq(at, 2);
	cr_assert_eq(sorter_set_watermark(s, 1), IOT_OK); /* does not go back */
	cr_assert_eq(sorter_end(s), IOT_OK);
	drain(s, want, &at);
	cr_assert_eq(at, 4);
	cr_assert_eq(sorter_events(s, &(struct iot_event){0}, NULL, 1), 0);
	sorter_free(s);
}

Test(sorter, streaming_wants_to_restart_when_an_event_is_late)
{
	struct sorter *s = sorter_new(0, SORTER_STREAM);
	add_key(s, (struct key){10, 0});
	add_key(s, (struct key){20, 1});
	cr_assert_eq(sorter_set_watermark(s, 15), IOT_OK);
	size_t at = 0;
	drain(s, &(struct key){10, 0}, &at);
	cr_assert_eq(at, 1);
	add_key(
	    s, (struct key){10, 2}); /* as early as the last event passed through is early enough */
	struct iot_event late = {.kind = IOT_RECORD, .rec.start_ns = 9};
	cr_assert_eq(sorter_add(s, &late, NULL, 1), SORTER_RESTART);
	late.rec.start_ns = 100;
	cr_assert_eq(sorter_add(s, &late, NULL, 1), SORTER_RESTART);
	cr_assert_eq(sorter_error(s)->status, IOT_OK);
	sorter_free(s);
}

Test(sorter, streaming_wants_to_restart_when_too_much_is_held)
{
	struct sorter *s = sorter_new(65536, SORTER_STREAM);
	struct iot_event ev = {.kind = IOT_RECORD};
	enum sorter_result result = SORTER_OK;
	size_t n = 0;
	for (; result == SORTER_OK && n < 100000; n++) {
		ev.rec.start_ns = (int64_t)(n * 7919 % 100000);
		result = sorter_add(s, &ev, NULL, 1);
	}
	cr_assert_eq(result, SORTER_RESTART);
	cr_assert(n > 65536 / 50 && n < 65536 / 5, "%zu events", n);
	sorter_free(s);
}

/* Live */

/* A window of `lag` keys; the output is compared with want, or only counted if that is NULL. */
static size_t live(struct sorter *s, const struct key *key, size_t n, int64_t lag,
		   const struct key *want)
{
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		add_key(s, key[i]);
		if (i % 1000 != 999)
			continue;
		cr_assert_eq(sorter_set_watermark(s, (int64_t)i * 10 - lag), IOT_OK);
		drain(s, want, &at);
	}
	cr_assert_eq(sorter_end(s), IOT_OK);
	drain(s, want, &at);
	return at;
}

Test(sorter, live_passes_on_in_order_what_lies_before_the_watermark)
{
	enum { N = 100000 };
	for (size_t memory = 65536; memory <= 1 << 20; memory *= 16) {
		struct key *key = make_keys(LOCAL, N), *want = make_keys(LOCAL, N);
		qsort(want, N, sizeof(*want), by_start_then_index);
		struct sorter *s = sorter_new(memory, SORTER_LIVE);
		cr_assert_eq(live(s, key, N, 0, want), N);
		cr_assert_eq(sorter_late(s), 0);
		sorter_free(s);
		free(key);
		free(want);
	}
}

/* Displaced by up to 30000 keys, which is far beyond the front and the memory. */
static struct key *far_keys(size_t n)
{
	struct key *key = make_keys(LOCAL, n);
	uint64_t x = 4711;
	for (size_t i = 0; i < n; i++)
		key[i].start = (int64_t)(i + next_random(&x) % 30000) * 10;
	return key;
}

Test(sorter, live_spills_what_is_beyond_the_memory_and_goes_on)
{
	enum { N = 300000 };
	struct key *key = far_keys(N), *want = far_keys(N);
	qsort(want, N, sizeof(*want), by_start_then_index);
	for (size_t memory = 65536; memory <= 16 << 20; memory *= 16) {
		struct sorter *s = sorter_new(memory, SORTER_LIVE);
		cr_assert_eq(live(s, key, N, 0, want), N);
		cr_assert_eq(sorter_late(s), 0);
		cr_assert(sorter_spilled(s) > 0 || memory > 65536);
		sorter_free(s);
	}
	free(key);
	free(want);
}

Test(sorter, live_passes_late_events_on_at_once_and_counts_them)
{
	const struct key added[] = {{10, 0}, {20, 1}, {30, 2}, {5, 3}, {12, 4}, {21, 5}};
	const struct key want[] = {{10, 0}, {20, 1}, {5, 3}, {12, 4}, {21, 5}, {30, 2}};
	struct sorter *s = sorter_new(0, SORTER_LIVE);
	size_t at = 0;
	for (size_t i = 0; i < 3; i++)
		add_key(s, added[i]);
	cr_assert_eq(sorter_set_watermark(s, 25), IOT_OK);
	drain(s, want, &at);
	cr_assert_eq(at, 2);
	for (size_t i = 3; i < 6; i++)
		add_key(s, added[i]);
	drain(s, want, &at);
	cr_assert_eq(at, 5);
	cr_assert_eq(sorter_late(s), 2);
	cr_assert_eq(sorter_end(s), IOT_OK);
	drain(s, want, &at);
	cr_assert_eq(at, 6);
	sorter_free(s);
}

/* Bytes on disk of the one temporary file that this process has open. */
static uint64_t disk_used(void)
{
	uint64_t used = 0;
	for (int fd = 3; fd < 64; fd++) {
		struct stat st;
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0)
			used += (uint64_t)st.st_blocks * 512;
	}
	return used;
}

Test(sorter, live_gives_the_disk_back)
{
	enum { N = 1000000 };
	struct key *key = far_keys(N);
	struct sorter *s = sorter_new(65536, SORTER_LIVE);
	uint64_t max = 0;
	size_t at = 0;
	for (size_t i = 0; i < N; i++) {
		add_key(s, key[i]);
		if (i % 10000 != 9999)
			continue;
		cr_assert_eq(sorter_set_watermark(s, (int64_t)i * 10), IOT_OK);
		max = disk_used() > max ? disk_used() : max;
		drain(s, NULL, &at);
	}
	cr_assert_gt(sorter_spilled(s), 20 << 20);
	cr_assert_lt(max, sorter_spilled(s) / 3, "%ju bytes", (uintmax_t)max);
	sorter_free(s);
	free(key);
}

/* By process */

Test(sorter, ties_are_broken_by_process_and_then_by_arrival)
{
	for (unsigned round = 0; round < 6; round++) {
		enum { N = 60000 };
		const size_t sizes[] = {65536, 4 << 20, 64 << 20};
		const int64_t apart = round < 3 ? 1 : INT64_C(1) << 54;
		struct sorter *s = sorter_new(sizes[round % 3], SORTER_HOLD);
		sorter_tiebreak_by_process(s);
		for (size_t i = 0; i < N; i++) {
			struct iot_event ev = {.kind = IOT_RECORD, .rec.offset = i};
			ev.rec.start_ns = (int64_t)(i * 7919 % 500) * apart;
			ev.rec.process = (uint32_t)(i * 31 % 17);
			cr_assert_eq(sorter_add(s, &ev, NULL, 1), SORTER_OK);
		}
		cr_assert_eq(sorter_end(s), IOT_OK);
		struct iot_event out[100];
		struct iot_record last = {.start_ns = -1};
		size_t got = 0;
		ssize_t n;
		while ((n = sorter_events(s, out, NULL, 100)) > 0)
			for (ssize_t i = 0; i < n; i++, got++) {
				const struct iot_record *r = &out[i].rec;
				cr_assert(
				    r->start_ns > last.start_ns ||
				    (r->start_ns == last.start_ns &&
				     (r->process > last.process ||
				      (r->process == last.process && r->offset > last.offset))));
				last = *r;
			}
		cr_assert_eq(got, N);
		sorter_free(s);
	}
}

static int by_start_process_index(const void *a, const void *b)
{
	const struct iot_record *l = &((const struct iot_event *)a)->rec;
	const struct iot_record *r = &((const struct iot_event *)b)->rec;
	if (l->start_ns != r->start_ns)
		return l->start_ns < r->start_ns ? -1 : 1;
	if (l->process != r->process)
		return l->process < r->process ? -1 : 1;
	return l->offset < r->offset ? -1 : l->offset > r->offset;
}

static int by_start_index(const void *a, const void *b)
{
	const struct iot_record *l = &((const struct iot_event *)a)->rec;
	const struct iot_record *r = &((const struct iot_event *)b)->rec;
	if (l->start_ns != r->start_ns)
		return l->start_ns < r->start_ns ? -1 : 1;
	return l->offset < r->offset ? -1 : l->offset > r->offset;
}

/* Lists of n events in order, with some disorder in between. */
static struct iot_event *mixed_events(size_t n, size_t list)
{
	struct iot_event *ev = calloc(n, sizeof(*ev));
	uint64_t x = 99;
	cr_assert_not_null(ev);
	for (size_t i = 0; i < n; i++) {
		ev[i].kind = IOT_RECORD;
		ev[i].rec.offset = i;
		ev[i].rec.start_ns = (int64_t)(i % list / 3);
		ev[i].rec.process = (uint32_t)(i % 3 == 1 ? next_random(&x) % 2 : i % 3);
		if (i % (2 * list + 1000) < 500)
			ev[i].rec.start_ns = (int64_t)(next_random(&x) % 1000);
	}
	return ev;
}

/* In batches of many sizes: of some all is in order, of some a part. */
static void check_batches(size_t memory, size_t list, bool by_process)
{
	enum { N = 100000 };
	struct iot_event *ev = mixed_events(N, list), *want = mixed_events(N, list), out[333];
	struct sorter *s = sorter_new(memory, SORTER_HOLD);
	if (by_process)
		sorter_tiebreak_by_process(s);
	for (size_t i = 0, n; i < N; i += n) {
		n = i % 2 == 0 ? 1023 : 10;
		n = n < N - i ? n : N - i;
		cr_assert_eq(sorter_add(s, ev + i, NULL, n), SORTER_OK);
	}
	cr_assert_eq(sorter_end(s), IOT_OK);
	qsort(want, N, sizeof(*want), by_process ? by_start_process_index : by_start_index);
	size_t at = 0;
	ssize_t n;
	while ((n = sorter_events(s, out, NULL, 333)) > 0)
		for (ssize_t i = 0; i < n; i++, at++)
			cr_assert_eq(out[i].rec.offset, want[at].rec.offset, "%zu", at);
	cr_assert_eq(at, N);
	sorter_free(s);
	free(ev);
	free(want);
}

Test(sorter, batches_in_order_are_sorted_as_single_events_are)
{
	static const size_t lists[] = {300, 3000, 9000, 40000};
	for (size_t memory = 65536; memory <= 64 << 20; memory *= 32)
		for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
			check_batches(memory, lists[i], false);
			check_batches(memory, lists[i], true);
		}
}

/* Past the sorter */

static size_t pass(struct sorter *s, const int64_t *start, size_t n, int64_t watermark_ns)
{
	struct iot_event ev[8];
	for (size_t i = 0; i < n; i++)
		ev[i] = (struct iot_event){.kind = IOT_RECORD, .rec.start_ns = start[i]};
	return sorter_passthrough(s, ev, n, watermark_ns);
}

Test(sorter, what_is_in_order_and_before_the_watermark_passes)
{
	struct sorter *s = sorter_new(0, SORTER_STREAM);
	cr_expect_eq(pass(s, (int64_t[]){1, 2, 2, 5}, 4, 5), 3);
	cr_expect_eq(pass(s, (int64_t[]){1, 6}, 2, 7), 0); /* late: the sorter must know */
	cr_expect_eq(pass(s, (int64_t[]){2, 8, 7}, 3, 9), 0);
	cr_expect_eq(pass(s, (int64_t[]){2, 7, 8}, 3, INT64_MIN), 0);
	add_key(s, (struct key){7, 0});
	cr_expect_eq(pass(s, (int64_t[]){8, 9}, 2, 10), 0); /* something is held */
	cr_assert_eq(sorter_set_watermark(s, 8), IOT_OK);
	size_t at = 0;
	drain(s, &(struct key){7, 0}, &at);
	cr_expect_eq(pass(s, (int64_t[]){8, 9}, 2, 10), 2);
	struct iot_event late = {.kind = IOT_RECORD, .rec.start_ns = 8};
	cr_expect_eq(sorter_add(s, &late, NULL, 1), SORTER_RESTART);
	sorter_free(s);
	s = sorter_new(0, SORTER_HOLD);
	cr_expect_eq(pass(s, (int64_t[]){1, 2}, 2, 5), 0);
	sorter_free(s);
}

/* Batches of `size` events that are `spread` out of order, as the caller of a stream adds them. */
static void check_passing(size_t batch, uint64_t spread, uint64_t seed)
{
	enum { N = 30000 };
	struct iot_event *got = calloc(N, sizeof(*got)), *want = calloc(N, sizeof(*want)), out[100];
	struct sorter *s = sorter_new(64 << 20, SORTER_STREAM);
	size_t at = 0, passed = 0;
	ssize_t n;
	cr_assert(got != NULL && want != NULL);
	for (size_t i = 0; i < N; i++) {
		want[i].kind = IOT_RECORD;
		want[i].rec.offset = i;
		want[i].rec.start_ns = (int64_t)(i / 2 + next_random(&seed) % spread);
	}
	for (size_t i = 0; i < N; i += batch) {
		const size_t have = batch < N - i ? batch : N - i;
		const int64_t watermark = (int64_t)(i + have) / 2;
		const size_t past = sorter_passthrough(s, want + i, have, watermark);
		memcpy(got + at, want + i, past * sizeof(*got));
		at += past;
		passed += past;
		cr_assert_eq(sorter_add(s, want + i + past, NULL, have - past), SORTER_OK);
		cr_assert_eq(sorter_set_watermark(s, watermark), IOT_OK);
		for (; (n = sorter_events(s, out, NULL, 100)) > 0; at += (size_t)n)
			memcpy(got + at, out, (size_t)n * sizeof(*got));
	}
	cr_assert_eq(sorter_end(s), IOT_OK);
	for (; (n = sorter_events(s, out, NULL, 100)) > 0; at += (size_t)n)
		memcpy(got + at, out, (size_t)n * sizeof(*got));
	qsort(want, N, sizeof(*want), by_start_index);
	for (size_t i = 0; i < N; i++)
		cr_assert_eq(got[i].rec.offset, want[i].rec.offset, "%zu", i);
	cr_assert_eq(at, N);
	cr_assert(spread > 1 || passed > N / 3, "%zu passed", passed);
	sorter_free(s);
	free(got);
	free(want);
}

Test(sorter, who_passes_comes_where_sorting_would_put_it)
{
	for (size_t batch = 4; batch < 2000; batch = batch * 3 + 1) {
		check_passing(batch, 1, 1 + batch);
		check_passing(batch + 40, 30, 1 + batch);
	}
}

/* Text and directives */

Test(sorter, directives_stay_next_to_records_of_the_same_start)
{
	for (unsigned memory = 0; memory < 2; memory++) {
		struct sorter *s = sorter_new(memory == 0 ? 65536 : 64 << 20, SORTER_HOLD);
		static const char *const text[] = {"%file before", "", "%op behind"};
		for (int64_t t = 3000; t-- > 0;)
			for (size_t i = 0; i < 3; i++) {
				struct iot_event ev = {.kind = i == 1 ? IOT_RECORD : IOT_FILE,
						       .rec.start_ns = t / 2,
						       .text = {text[i], strlen(text[i])}};
				cr_assert_eq(sorter_add(s, &ev, NULL, 1), SORTER_OK);
			}
		cr_assert_eq(sorter_end(s), IOT_OK);
		struct iot_event out;
		for (size_t i = 0; i < 9000; i++) {
			cr_assert_eq(sorter_events(s, &out, NULL, 1), 1);
			cr_assert_eq(out.rec.start_ns, (int64_t)i / 6);
			cr_assert_eq(out.text.size, strlen(text[i % 3]));
			if (out.text.size > 0)
				cr_assert_eq(memcmp(out.text.data, text[i % 3], out.text.size), 0);
		}
		cr_assert_eq(sorter_events(s, &out, NULL, 1), 0);
		sorter_free(s);
	}
}

/* Text of event i: that number of equal bytes. */
static size_t long_text(size_t i, char *to)
{
	size_t n = i % 7 == 0 ? 300000 : 4000 * (i % 20);
	memset(to, (int)('a' + i % 26), n);
	return n;
}

Test(sorter, long_text_survives_a_memory_smaller_than_itself)
{
	enum { N = 200 };
	char *text = malloc(300000), *want = malloc(300000);
	struct sorter *s = sorter_new(65536, SORTER_HOLD);
	for (size_t i = 0; i < N; i++) {
		struct iot_event ev = {.kind = IOT_COMMENT, .text = {text, long_text(i, text)}};
		ev.rec.start_ns = (int64_t)((i * 77) % N);
		cr_assert_eq(sorter_add(s, &ev, NULL, 1), SORTER_OK);
	}
	cr_assert_eq(sorter_end(s), IOT_OK);
	struct iot_event out[16];
	size_t at = 0;
	ssize_t n;
	while ((n = sorter_events(s, out, NULL, 16)) > 0)
		for (ssize_t k = 0; k < n; k++, at++) {
			size_t i = 0;
			while ((i * 77) % N != at)
				i++;
			size_t size = long_text(i, want);
			cr_assert_eq(out[k].text.size, size);
			cr_assert(size == 0 || memcmp(out[k].text.data, want, size) == 0);
		}
	cr_assert_eq(n, 0);
	cr_assert_eq(at, N);
	sorter_free(s);
	free(text);
	free(want);
}

Test(sorter, text_may_be_overwritten_once_added)
{
	char text[] = "first";
	struct sorter *s = sorter_new(0, SORTER_HOLD);
	struct iot_event ev = {.kind = IOT_COMMENT, .text = {text, 5}};
	cr_assert_eq(sorter_add(s, &ev, NULL, 1), SORTER_OK);
	memset(text, 'x', 5);
	cr_assert_eq(sorter_end(s), IOT_OK);
	struct iot_event out;
	cr_assert_eq(sorter_events(s, &out, NULL, 1), 1);
	cr_assert_eq(memcmp(out.text.data, "first", 5), 0);
	sorter_free(s);
}

static size_t entries(const char *directory)
{
	DIR *dir = opendir(directory);
	cr_assert_not_null(dir);
	size_t n = 0;
	while (readdir(dir) != NULL)
		n++;
	(void)closedir(dir);
	return n;
}

Test(sorter, temporary_file_is_never_seen_in_its_directory)
{
	char directory[] = "/tmp/iotrace-test.XXXXXX";
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(setenv("TMPDIR", directory, 1), 0);
	struct sorter *s = sorter_new(65536, SORTER_HOLD);
	for (size_t i = 0; i < 20000; i++)
		add_key(s, (struct key){-(int64_t)i, i});
	cr_assert_gt(sorter_spilled(s), 0);
	cr_assert_eq(entries(directory), 2);
	cr_assert_eq(sorter_end(s), IOT_OK);
	cr_assert_eq(entries(directory), 2);
	sorter_free(s);
	cr_assert_eq(rmdir(directory), 0);
}

Test(sorter, no_place_for_the_temporary_file_is_an_error_that_sticks)
{
	cr_assert_eq(setenv("TMPDIR", "/nonexistent/here", 1), 0);
	struct sorter *s = sorter_new(65536, SORTER_HOLD);
	struct iot_event ev = {.kind = IOT_RECORD};
	enum sorter_result result = SORTER_OK;
	for (size_t i = 0; result == SORTER_OK && i < 1000000; i++)
		result = sorter_add(s, &ev, NULL, 1);
	cr_assert_eq(result, SORTER_FAILED);
	cr_assert_eq(sorter_error(s)->status, IOT_EIO);
	cr_assert_not_null(strstr(sorter_error(s)->text, "/nonexistent/here"));
	cr_assert_eq(sorter_add(s, &ev, NULL, 1), SORTER_FAILED);
	cr_assert_eq(sorter_set_watermark(s, 5), IOT_EIO);
	cr_assert_eq(sorter_end(s), IOT_EIO);
	cr_assert_eq(sorter_events(s, &ev, NULL, 1), IOT_EIO);
	sorter_free(s);
}

Test(sorter, full_disk_is_reported)
{
	cr_assert_neq(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000}), 0);
	struct sorter *s = sorter_new(65536, SORTER_HOLD);
	struct iot_event ev = {.kind = IOT_RECORD};
	enum sorter_result result = SORTER_OK;
	for (size_t i = 0; result == SORTER_OK && i < 1000000; i++)
		result = sorter_add(s, &ev, NULL, 1);
	cr_assert_eq(result, SORTER_FAILED);
	cr_assert_eq(sorter_error(s)->status, IOT_EIO);
	cr_assert_not_null(strstr(sorter_error(s)->text, strerror(EFBIG)));
	sorter_free(s);
}

Test(sorter, adding_after_the_end_is_refused)
{
	struct sorter *s = sorter_new(0, SORTER_HOLD);
	struct iot_event ev = {.kind = IOT_RECORD};
	cr_assert_eq(sorter_end(s), IOT_OK);
	cr_assert_eq(sorter_add(s, &ev, NULL, 1), SORTER_FAILED);
	cr_assert_eq(sorter_error(s)->status, IOT_EUSAGE);
	sorter_free(s);
}
