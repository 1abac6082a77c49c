/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges two traces: every record occurs once, in order, for either order of the arguments. Unless
 * the inputs are sorted or parts of one trace, every event has the position that a second, simpler
 * merge computes, and a merge of one trace is that trace. With the first bit the inputs are any
 * bytes, cut in two, and the merge must only terminate.
 */
#include "command.h"
#include "kept.h"
#include "made.h"

/* Bits 0-1 and 4: the option under test; 5: little memory, so that unsorted inputs spill. */
static struct command merge(int a, int b, unsigned how)
{
	static const char *const options[] = {"-q",        "--keep-ids", "--join-paths",
					      "--reorder", "--sync=3",   "--shift-by=host",
					      "--tick=us", "--reorder"};
	char first[FUZZ_PATH], second[FUZZ_PATH];
	const char *words[] = {"merge",
			       "-q",
			       options[(how & 3) | (how >> 2 & 4)],
			       how & 32 ? "--memory=64K" : "--compress=zstd",
			       fuzz_path(first, a),
			       fuzz_path(second, b),
			       NULL};
	return command_run(cmd_merge, words);
}

static int compare_uint64(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The fields of a record that a merge does not change, as a number. */
static uint64_t print_of(const struct iot_record *rec)
{
	const uint64_t fields[] = {(uint64_t)rec->start_ns, rec->duration_ns, rec->offset,
				   rec->length, rec->type};
	uint64_t h = 1;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		h = (h ^ fields[i]) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
	return h;
}

static size_t take_prints(const struct kept *k, uint64_t *out)
{
	const struct iot_record *rec;
	size_t i = 0, n = 0;
	while ((rec = kept_record(k, &i)) != NULL)
		out[n++] = print_of(rec);
	return n;
}

/* The order of all events */

static uint64_t mixed(uint64_t h, uint64_t value)
{
	return (h ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
}

/* The properties of an event that a merge does not change: of a directive all except ids. */
static uint64_t print_of_event(const struct iot_event *ev)
{
	uint64_t h = mixed(1, (uint64_t)ev->kind);
	bool keep = true;
	if (ev->kind == IOT_RECORD)
		return print_of(&ev->rec);
	for (size_t i = 0; i < ev->text.size; i++) {
		const char c = ev->text.data[i];
		if (c == '=')
			keep = i >= 4 && memcmp(ev->text.data + i - 4, "time", 4) == 0;
		else if (c == ' ')
			keep = true;
		if (keep || c < '0' || c > '9')
			h = mixed(h, (uint8_t)c);
	}
	return h;
}

/*
 * The position of each event: at its time, not after the record that follows, never before others.
 */
static int64_t *find_places(const struct kept *k)
{
	int64_t *place = fuzz_memory(NULL, (k->count + 1) * sizeof(*place));
	int64_t next = -1, record = INT64_MAX, last = 0;
	for (size_t i = k->count; i-- > 0; next = place[i]) {
		const struct iot_event *ev = &k->ev[i];
		if (ev->kind == IOT_RECORD)
			record = ev->rec.start_ns;
		place[i] =
		    ev->kind == IOT_RECORD || (ev->has & IOT_HAS_TIME) ? ev->rec.start_ns : next;
		place[i] = place[i] > record ? record : place[i];
	}
	for (size_t i = 0; i < k->count; i++)
		last = place[i] = place[i] > last ? place[i] : last;
	place[k->count] = INT64_MAX;
	return place;
}

/*
 * The output is the inputs, each in its order, the event with the lower key first. Equal events may
 * look the same, so all ways to take them are followed: can[i] is true if i events of the first
 * input can have been taken.
 */
static void check_order(const struct kept in[2], const struct kept *out)
{
	int64_t *place[2] = {find_places(&in[0]), find_places(&in[1])};
	bool *can = fuzz_memory(NULL, in[0].count + 2);
	memset(can, 0, in[0].count + 2);
	can[0] = true;
	FUZZ_CHECK(out->count == in[0].count + in[1].count);
	for (size_t at = 0; at < out->count; at++) {
		const uint64_t print = print_of_event(&out->ev[at]);
		bool any = false;
		for (size_t i = (at < in[0].count ? at : in[0].count) + 1; i-- > 0;) {
			const size_t k = at - i;
			if (!can[i])
				continue;
			can[i] = false;
			if (k > in[1].count)
				continue;
			const bool first = i < in[0].count && place[0][i] <= place[1][k] &&
					   print_of_event(&in[0].ev[i]) == print;
			can[i + 1] |= first;
			can[i] = k < in[1].count && place[1][k] <= place[0][i] &&
				 print_of_event(&in[1].ev[k]) == print;
			any |= first | can[i];
		}
		FUZZ_CHECK(any);
	}
	free(can);
	free(place[0]);
	free(place[1]);
}

static void check_alone(const void *data, size_t size)
{
	char path[FUZZ_PATH];
	const int fd = fuzz_file(data, size);
	const char *words[] = {"merge", "-q", fuzz_path(path, fd), NULL};
	struct command c = command_run(cmd_merge, words);
	struct kept in = kept_of(data, size), out = kept_of(c.out, c.size);
	FUZZ_CHECK(c.status == EXIT_OK && in.count == out.count);
	for (size_t i = 0; i < in.count; i++) {
		const struct iot_event *a = &in.ev[i], *b = &out.ev[i];
		FUZZ_CHECK(a->kind == b->kind && a->text.size == b->text.size);
		if (a->kind == IOT_RECORD)
			FUZZ_CHECK(fuzz_same(&a->rec, &b->rec));
		else if (a->text.size > 0)
			FUZZ_CHECK(memcmp(a->text.data, b->text.data, a->text.size) == 0);
	}
	kept_free(&in);
	kept_free(&out);
	free(c.out);
	(void)close(fd);
}

static void check_merged(const struct kept in[2], const struct kept *out)
{
	const size_t capacity = in[0].count + in[1].count + out->count + 1;
	uint64_t *want = fuzz_memory(NULL, capacity * sizeof(*want));
	uint64_t *have = fuzz_memory(NULL, capacity * sizeof(*have));
	size_t n = take_prints(&in[0], want);
	n += take_prints(&in[1], want + n);
	FUZZ_CHECK(out->status == 0 && take_prints(out, have) == n);
	qsort(want, n, sizeof(*want), compare_uint64);
	qsort(have, n, sizeof(*have), compare_uint64);
	FUZZ_CHECK(memcmp(want, have, n * sizeof(*want)) == 0);
	const struct iot_record *rec;
	int64_t last = 0;
	for (size_t i = 0; (rec = kept_record(out, &i)) != NULL; last = rec->start_ns)
		FUZZ_CHECK(rec->start_ns >= last);
	free(want);
	free(have);
}

static void check(const void *const data[2], const size_t size[2], unsigned how, bool made)
{
	int fd[2] = {fuzz_file(data[0], size[0]), fuzz_file(data[1], size[1])};
	struct command one = merge(fd[0], fd[1], how), two = merge(fd[1], fd[0], how);
	FUZZ_CHECK(one.status == two.status && (!made || one.status == EXIT_OK));
	if (one.status == EXIT_OK)
		FUZZ_CHECK(one.size == two.size && memcmp(one.out, two.out, one.size) == 0);
	if (made) {
		struct kept in[2] = {kept_of(data[0], size[0]), kept_of(data[1], size[1])};
		struct kept out = kept_of(one.out, one.size);
		check_merged(in, &out);
		if ((how & 3) % 2 == 0) {
			check_order(in, &out);
			check_alone(data[0], size[0]);
		}
		kept_free(&in[0]);
		kept_free(&in[1]);
		kept_free(&out);
	}
	free(one.out);
	free(two.out);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	struct fuzz_input half[2] = {{in.data, in.size / 2},
				     {in.data + in.size / 2, in.size - in.size / 2}};
	struct iot_writer *w[2] = {NULL, NULL};
	const void *trace[2] = {half[0].data, half[1].data};
	size_t sizes[2] = {half[0].size, half[1].size};
	for (int i = 0; i < 2 && how & 8; i++) {
		w[i] = made_trace(&half[i], (how & 3) != 3 || how & 64);
		trace[i] = iot_writer_memory(w[i], &sizes[i]);
	}
	check(trace, sizes, how, (how & 8) != 0);
	iot_writer_free(w[0]);
	iot_writer_free(w[1]);
	return 0;
}
