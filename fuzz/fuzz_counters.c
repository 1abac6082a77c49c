/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the converters of counters over any bytes; see digest.h. The size of reads must make no
 * difference, and every line must be accounted for.
 *
 * The first byte of an input is options: bits 0, 1 and 4 the converter, 2 --wrap=32. '0' is
 * the default.
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
	const struct fuzz_members m = fuzz_members_new(&in, false);
	fuzz_convert(name, m.fd, m.files, settings, count, FUZZ_BATCH);
	struct fuzz_digest *d = fuzz_any_reads(name, &m, settings, count);
	check_accounts(d);
	free(d);
	fuzz_members_close(&m);
	return 0;
}
