/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reorders a trace: the same number of records, in order, and a sorted trace is unchanged. The
 * trace may be any bytes; see made.h.
 */
#include "command.h"
#include "kept.h"
#include "made.h"

static struct command reorder(int fd, unsigned how)
{
	static const char *const options[] = {"-q", "--memory=64K", "--window=100us",
					      "--memory=1M"};
	char path[FUZZ_PATH];
	const char *words[] = {"reorder",           "-q", "--allow-empty", options[how & 3],
			       fuzz_path(path, fd), NULL};
	return command_run(cmd_reorder, words);
}

static bool is_in_order(const struct kept *k)
{
	const struct iot_record *rec;
	int64_t last = 0;
	for (size_t i = 0; (rec = kept_record(k, &i)) != NULL; last = rec->start_ns)
		if (rec->start_ns < last)
			return false;
	return true;
}

/* CPU clocks of a process may start elsewhere; the first record's clock is kept. */
static void check_same(const struct kept *a, const struct kept *b)
{
	const struct iot_record *x, *y;
	size_t i = 0, j = 0;
	do {
		x = kept_record(a, &i);
		y = kept_record(b, &j);
		FUZZ_CHECK((x == NULL) == (y == NULL));
		FUZZ_CHECK(x == NULL || fuzz_same(x, y));
	} while (x != NULL);
}

static void check(const void *trace, size_t size, unsigned how)
{
	int fd = fuzz_file(trace, size);
	struct command done = reorder(fd, how);
	struct kept in = kept_of(trace, size), out = kept_of(done.out, done.size);
	FUZZ_CHECK(done.size == 0 || out.status == 0);
	if (in.status == 0 && !kept_is_full(&in)) {
		FUZZ_CHECK(done.status == EXIT_OK);
		FUZZ_CHECK(kept_records(&in) == kept_records(&out));
		FUZZ_CHECK((how & 3) == 2 || is_in_order(&out));
		if (is_in_order(&in))
			check_same(&in, &out);
	}
	kept_free(&in);
	kept_free(&out);
	free(done.out);
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return made_or_given(data, size, check);
}
