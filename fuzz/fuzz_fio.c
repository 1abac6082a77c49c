/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the fio converter over any bytes; see convert.h. The size of reads must make no difference,
 * and every line must be accounted for.
 *
 * The first byte of an input is options: bits 0-1 --ops, 2 the log is cut into two members, 3 reads
 * of 17 bytes instead of 1. '0' is the default.
 */
#include "digest.h"

static void check_accounts(const struct fuzz_digest *d)
{
	const struct report *r = &d->report;
	if (d->status < 0 && d->status != IOT_EFORMAT && d->status != IOT_ETRUNCATED)
		return;
	if (d->events == 0 || d->events >= FUZZ_EVENTS_MAX)
		return;
	const uint64_t lines = fuzz_counted(r, "actions.") + r->unparsed;
	FUZZ_CHECK(lines <= r->lines && lines + 2 >= r->lines);
	FUZZ_CHECK(lines == r->lines || d->status < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ops[] = {"all", "names", "none", "all"};
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	const struct setting settings[1] = {{"ops", ops[how & 3]}};
	const size_t files = how & 4 ? 2 : 1, half = files == 2 ? in.size / 2 : in.size;
	int fd[2] = {fuzz_file(in.data, half), -1};
	if (files == 2)
		fd[1] = fuzz_file(in.data + half, in.size - half);
	fuzz_convert("fio", fd, files, settings, 1, FUZZ_BATCH);
	struct fuzz_digest *whole = fuzz_digest("fio", fd, files, settings, 1, 0),
			   *parts = fuzz_digest("fio", fd, files, settings, 1, how & 8 ? 17 : 1);
	if (!fuzz_is_compressed(in.data, half) &&
	    !fuzz_is_compressed(in.data + half, in.size - half))
		fuzz_same_digest(whole, parts);
	check_accounts(whole);
	free(whole);
	free(parts);
	for (size_t i = 0; i < files; i++)
		(void)close(fd[i]);
	return 0;
}
