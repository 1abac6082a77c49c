/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the blktrace converter over any bytes, binary and text; see digest.h. The size of reads
 * must make no difference, and every record or line must be accounted for.
 *
 * The first byte of an input is options: bit 0 --start=queue, 1 --device, 2-3 --ops, 4 the input is
 * cut into two members. '0' is the default.
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
	size_t count = 1;
	if (how & 1)
		settings[count++] = (struct setting){"start", "queue"};
	if (how & 2)
		settings[count++] = (struct setting){"device", "8,0"};
	const struct fuzz_members m = fuzz_members_new(&in, (how & 16) != 0);
	fuzz_convert("blktrace", m.fd, m.files, settings, count, FUZZ_BATCH);
	struct fuzz_digest *d = fuzz_any_reads("blktrace", &m, settings, count);
	check_accounts(d);
	free(d);
	fuzz_members_close(&m);
	return 0;
}
