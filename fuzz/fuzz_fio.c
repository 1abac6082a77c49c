/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the fio converter over any bytes; see digest.h. The size of reads must make no difference,
 * and every line must be accounted for.
 *
 * The first byte of an input is options: bits 0-1 --ops, 2 the log is cut into two members. '0' is
 * the default.
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
	const struct fuzz_members m = fuzz_members_new(&in, (how & 4) != 0);
	fuzz_convert("fio", m.fd, m.files, settings, 1, FUZZ_BATCH);
	struct fuzz_digest *d = fuzz_any_reads("fio", &m, settings, 1);
	check_accounts(d);
	free(d);
	fuzz_members_close(&m);
	return 0;
}
