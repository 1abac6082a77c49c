/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two traces merged: every record is there once, in order, whichever comes first on the command line.
 * With the first bit they are whatever comes, cut in two, and nothing but the end is asked for.
 */
#include "command.h"
#include "kept.h"
#include "made.h"

/* Bits 0-1 and 4: the option that matters; 5: little memory, so that inputs out of order spill. */
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
	return command_run(iot_cmd_merge, words);
}

static int compare_uint64(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* What a merge does not change of a record, as a number. */
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

static void check_merged(const struct kept in[2], const struct kept *out)
{
	const size_t room = in[0].count + in[1].count + out->count + 1;
	uint64_t *want = fuzz_memory(NULL, room * sizeof(*want));
	uint64_t *have = fuzz_memory(NULL, room * sizeof(*have));
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
	FUZZ_CHECK(one.status == two.status && (!made || one.status == IOT_EXIT_OK));
	if (one.status == IOT_EXIT_OK)
		FUZZ_CHECK(one.size == two.size && memcmp(one.out, two.out, one.size) == 0);
	if (made) {
		struct kept in[2] = {kept_of(data[0], size[0]), kept_of(data[1], size[1])};
		struct kept out = kept_of(one.out, one.size);
		check_merged(in, &out);
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
