/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the blktrace converter over any bytes, binary and text; see convert.h. The size of reads
 * must make no difference, and every record or line must be accounted for.
 *
 * The first byte of an input is options: bit 0 --start=queue, 1 --device, 2-3 --ops, 4 the input is
 * cut into two members, 5 reads of 17 bytes instead of 1. '0' is the default.
 */
#include "digest.h"

static void check_accounts(const struct fuzz_digest *d)
{
	const struct report *r = &d->report;
	if (d->status < 0 && d->status != IOT_EFORMAT && d->status != IOT_ETRUNCATED)
		return;
	if (d->events == 0 || d->events >= FUZZ_EVENTS_MAX)
		return;
	FUZZ_CHECK(fuzz_counted(r, "actions.") + fuzz_counted(r, "clock.not_a_time") == r->calls);
	const uint64_t lines = r->calls + r->unparsed + fuzz_counted(r, "skipped.summary_lines");
	FUZZ_CHECK(r->lines == 0 || lines == r->lines ||
		   lines + fuzz_counted(r, "damaged.places") >= r->lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ops[] = {"all", "names", "none", "all"};
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	struct setting settings[3] = {{"ops", ops[how >> 2 & 3]}};
	const size_t files = how & 16 ? 2 : 1, half = files == 2 ? in.size / 2 : in.size;
	size_t count = 1;
	if (how & 1)
		settings[count++] = (struct setting){"start", "queue"};
	if (how & 2)
		settings[count++] = (struct setting){"device", "8,0"};
	int fd[2] = {fuzz_file(in.data, half), -1};
	if (files == 2)
		fd[1] = fuzz_file(in.data + half, in.size - half);
	fuzz_convert("blktrace", fd, files, settings, count, FUZZ_BATCH);
	struct fuzz_digest *whole = fuzz_digest("blktrace", fd, files, settings, count, 0),
			   *parts = fuzz_digest("blktrace", fd, files, settings, count,
						how & 32 ? 17 : 1);
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
