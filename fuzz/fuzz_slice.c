/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slices of a trace made of the input's bytes. A slice is a valid trace, has just the records that
 * were asked for, and the CPU time between those of a process is what it was.
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

static struct command slice(const char *path, const struct wanted *w, bool all_of_it)
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
	words[n] = all_of_it ? "--all-of-it" : NULL;
	return command_run(iot_cmd_slice, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const bool all_of_it = fuzz_take(&in, 1) % 2 == 1;
	const struct wanted want = take_wanted(&in);
	struct iot_writer *w = made_trace(&in, !all_of_it);
	const void *trace = iot_writer_memory(w, &size);
	char name[FUZZ_PATH];
	int fd = fuzz_file(trace, size);
	struct command done = slice(fuzz_path(name, fd), &want, all_of_it);
	FUZZ_CHECK(done.status == IOT_EXIT_OK);
	struct kept all = kept_of(trace, size), part = kept_of(done.out, done.size);
	FUZZ_CHECK(all.status == 0 && part.status == 0);
	compare(&all, &part, &want);
	kept_free(&all);
	kept_free(&part);
	free(done.out);
	(void)close(fd);
	iot_writer_free(w);
	return 0;
}
