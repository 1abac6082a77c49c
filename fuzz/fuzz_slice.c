/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slices of a trace made from the input's bytes. A slice is a valid trace, has exactly the selected
 * records, and keeps the CPU time between records of a process. A slice of a trace with flipped
 * bits contains no record that was not in the trace.
 */
#include "command.h"
#include "kept.h"
#include "made.h"

struct wanted {
	uint64_t first, last; /* records */
	int64_t from_ns, to_ns;
	uint32_t process; /* 4: any */
};

static bool is_wanted(const struct wanted *w, const struct iot_record *rec, size_t index)
{
	return index >= w->first && index <= w->last && rec->start_ns >= w->from_ns &&
	       rec->start_ns < w->to_ns && (w->process > 3 || rec->process == w->process);
}

static void compare(const struct kept *all, const struct kept *slice, const struct wanted *want)
{
	const struct iot_record *a, *b;
	size_t i = 0, j = 0;
	for (size_t index = 0; (a = kept_record(all, &i)) != NULL; index++) {
		if (!is_wanted(want, a, index))
			continue;
		FUZZ_CHECK((b = kept_record(slice, &j)) != NULL);
		struct iot_record c = *b;
		c.cpu_ns = a->cpu_ns;
		FUZZ_CHECK(fuzz_same(a, &c));
	}
	FUZZ_CHECK(kept_record(slice, &j) == NULL);
}

static struct wanted take_wanted(struct fuzz_input *in)
{
	struct wanted w = {.last = UINT64_MAX, .to_ns = INT64_MAX, .process = 4};
	const unsigned what = (unsigned)fuzz_take(in, 1);
	if (what & 1) {
		w.first = fuzz_take(in, 1);
		w.last = w.first + fuzz_take(in, 1);
	}
	if (what & 2) {
		w.from_ns = (int64_t)fuzz_take(in, 2) * 100;
		w.to_ns = w.from_ns + 1 + (int64_t)fuzz_take(in, 2) * 100;
	}
	if (what & 4)
		w.process = (uint32_t)fuzz_take(in, 1) % 4;
	return w;
}

static struct command slice(const char *path, const struct wanted *w, bool all_of_it, bool recover)
{
	char records[64], from[64], to[64], process[32];
	snprintf(records, sizeof(records), "--records=%ju-%ju", (uintmax_t)w->first,
		 (uintmax_t)w->last);
	snprintf(from, sizeof(from), "--from=%jdns", (intmax_t)w->from_ns);
	snprintf(to, sizeof(to), "--to=%jdns", (intmax_t)w->to_ns);
	snprintf(process, sizeof(process), w->process > 3 ? "--process=0-9" : "--process=%u",
		 w->process);
	const char *words[COMMAND_WORDS] = {"slice", "-q", path, records, process};
	size_t n = 5;
	if (w->to_ns < INT64_MAX) {
		words[n++] = from;
		words[n++] = to;
	}
	if (all_of_it)
		words[n++] = "--all-of-it";
	words[n] = recover ? "--recover" : NULL;
	return command_run(cmd_slice, words);
}

/* The records of the slice are in the trace, in that order. */
static void compare_flipped(const struct kept *all, const struct kept *slice)
{
	const struct iot_record *a, *b;
	size_t i = 0, j = 0;
	while ((b = kept_record(slice, &j)) != NULL) {
		struct iot_record c = *b;
		do {
			a = kept_record(all, &i);
			FUZZ_CHECK(a != NULL);
			c.cpu_ns = a->cpu_ns;
			c.object = a->object; /* its %file may be lost */
			c.flags = a->flags;
		} while (!fuzz_same(a, &c));
	}
}

/* places: the bits to flip. The trace has a tick and a base that a flip cannot produce. */
static void check_flipped(const void *trace, size_t size, struct fuzz_input *places, unsigned flips,
			  const struct wanted *want)
{
	char name[FUZZ_PATH];
	const bool recover = fuzz_take(places, 1) % 2 == 1;
	unsigned char *flipped = fuzz_memory(NULL, size + 1);
	struct kept all = kept_of(trace, size);
	memcpy(flipped, trace, size);
	for (; flips > 0; flips--) {
		const uint64_t place = fuzz_take(places, 3) % (8 * (uint64_t)size);
		flipped[place / 8] ^= (unsigned char)(1U << place % 8);
	}
	int fd = fuzz_file(flipped, size);
	struct command done = slice(fuzz_path(name, fd), want, false, recover);
	struct kept part = done.size > 0 ? kept_of(done.out, done.size) : (struct kept){0};
	FUZZ_CHECK(part.status == 0);
	compare_flipped(&all, &part);
	kept_free(&all);
	kept_free(&part);
	free(done.out);
	free(flipped);
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1);
	const bool all_of_it = how % 2 == 1;
	const unsigned flips = how >> 6; /* 0 to 3 */
	struct fuzz_input places = {in.data, flips > 0 && in.size > 10 ? 10 : 0};
	in.data += places.size;
	in.size -= places.size;
	const struct wanted want = take_wanted(&in);
	struct iot_writer *w = made_trace(&in, !all_of_it);
	const void *trace = iot_writer_memory(w, &size);
	char name[FUZZ_PATH];
	int fd = fuzz_file(trace, size);
	struct command done = slice(fuzz_path(name, fd), &want, all_of_it, false);
	FUZZ_CHECK(done.status == EXIT_OK);
	struct kept all = kept_of(trace, size), part = kept_of(done.out, done.size);
	FUZZ_CHECK(all.status == 0 && part.status == 0);
	compare(&all, &part, &want);
	if (places.size > 0)
		check_flipped(trace, size, &places, flips, &want);
	kept_free(&all);
	kept_free(&part);
	free(done.out);
	(void)close(fd);
	iot_writer_free(w);
	return 0;
}
