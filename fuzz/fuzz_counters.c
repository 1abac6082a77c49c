/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the converters of counters over any bytes; see convert.h. The size of reads must make no
 * difference, and every line must be accounted for.
 *
 * The first byte of an input is options: bits 0, 1 and 4 the converter, 2 --wrap=32, 3 reads of 17
 * bytes instead of 1. '0' is the default.
 */
#include "digest.h"

static void check_accounts(const struct fuzz_digest *d)
{
	const struct report *r = &d->report;
	if (d->status != 0 || d->events == 0 || d->events >= FUZZ_EVENTS_MAX)
		return;
	FUZZ_CHECK(r->calls + r->unparsed == r->lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"diskstats", "iostat",     "mmpmon",      "sadf",
					    "lustre",    "mountstats", "samples-csv", "mountstats"};
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	const struct setting settings[] = {{"max-rate", "1MB"}, {"wrap", "32"}};
	const size_t count = how & 4 ? 2 : 1;
	const char *name = names[(how & 3) | (how >> 2 & 4)];
	const int fd[1] = {fuzz_file(in.data, in.size)};
	fuzz_convert(name, fd, 1, settings, count, FUZZ_BATCH);
	struct fuzz_digest *whole = fuzz_digest(name, fd, 1, settings, count, 0),
			   *parts = fuzz_digest(name, fd, 1, settings, count, how & 8 ? 17 : 1);
	if (!fuzz_is_compressed(in.data, in.size))
		fuzz_same_digest(whole, parts);
	check_accounts(whole);
	free(whole);
	free(parts);
	(void)close(fd[0]);
	return 0;
}
