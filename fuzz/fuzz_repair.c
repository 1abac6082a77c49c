/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damages a trace made from the input's bytes, and repairs it. Nothing wrong is accepted: a trace
 * that check calls complete reads as the original; the output of repair is valid, and its records
 * are records of the trace, in their order. With the first bit the trace is any bytes.
 */
#include "command.h"
#include "kept.h"
#include "made.h"

enum { EDITS = 3 };

/* Flips, removes or repeats some bytes. */
static size_t damage(struct fuzz_input *in, char *data, size_t size, size_t capacity)
{
	for (int i = 0; i < EDITS && size > 1; i++) {
		const unsigned how = (unsigned)fuzz_take(in, 1);
		const size_t at = (size_t)fuzz_take(in, 2) % size, left = size - at;
		const size_t span = 1 + (size_t)fuzz_take(in, 1) * (how >> 4),
			     n = span < left ? span : left;
		if (how % 4 == 1) {
			data[at] = (char)(data[at] ^ (1 << (how >> 2 & 3)));
		} else if (how % 4 == 2) {
			memmove(data + at, data + at + n, left - n);
			size -= n;
		} else if (how % 4 == 3 && size + n <= capacity) {
			memmove(data + at + n, data + at, left);
			size += n;
		}
	}
	return size;
}

/* Every record of `part` is one of `all`, in the same order. */
static void check_taken(const struct kept *all, const struct kept *part)
{
	const struct iot_record *a, *b;
	size_t i = 0, j = 0;
	while ((b = kept_record(part, &j)) != NULL) {
		do {
			FUZZ_CHECK((a = kept_record(all, &i)) != NULL);
		} while (a->start_ns != b->start_ns || a->offset != b->offset ||
			 a->length != b->length || a->type != b->type || a->process != b->process ||
			 a->file != b->file || a->duration_ns != b->duration_ns);
	}
}

static struct command run_on(int fd, bool repairs)
{
	char name[FUZZ_PATH];
	const char *words[] = {"check", "-q", fuzz_path(name, fd), repairs ? "--repair" : NULL,
			       NULL};
	return command_run(cmd_check, words);
}

static void check(const char *data, size_t size, const struct kept *all)
{
	int fd = fuzz_file(data, size);
	struct command reported = run_on(fd, false), mended = run_on(fd, true);
	struct kept part = kept_of(mended.out, mended.size);
	FUZZ_CHECK(mended.status != EXIT_OK || part.status == 0);
	if (mended.size > 0) {
		int again = fuzz_file(mended.out, mended.size);
		struct command judged = run_on(again, false);
		FUZZ_CHECK(part.status == 0 && judged.status == EXIT_OK);
		free(judged.out);
		(void)close(again);
	}
	if (all != NULL)
		check_taken(all, &part);
	if (all != NULL && reported.status == EXIT_OK && mended.size > 0)
		FUZZ_CHECK(kept_records(all) == kept_records(&part));
	kept_free(&part);
	free(reported.out);
	free(mended.out);
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	if (fuzz_take(&in, 1) & 8) {
		check((const char *)in.data, in.size, NULL);
		return 0;
	}
	struct fuzz_input edits = {in.data, in.size < 12 ? in.size : 12};
	in.data += edits.size;
	in.size -= edits.size;
	struct iot_writer *w = made_trace(&in, false);
	const void *trace = iot_writer_memory(w, &size);
	const size_t capacity = 2 * size + 4096;
	struct kept all = kept_of(trace, size);
	char *copy = memcpy(fuzz_memory(NULL, capacity), trace, size);
	check(copy, damage(&edits, copy, size, capacity), &all);
	free(copy);
	kept_free(&all);
	iot_writer_free(w);
	return 0;
}
