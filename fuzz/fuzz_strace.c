/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the strace converter over any bytes; see convert.h.
 *
 * The first byte of an input is options: bit 0 --all, 1 --threads, 2-3 --ops, 4 the log is cut into
 * two members. '0' is the default.
 */
#include "convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ops[] = {"all", "names", "none", "all"};
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	struct setting settings[3] = {{"ops", ops[how >> 2 & 3]}};
	size_t count = 1;
	if (how & 1)
		settings[count++] = (struct setting){"all", ""};
	if (how & 2)
		settings[count++] = (struct setting){"threads", ""};
	const struct fuzz_members m = fuzz_members_new(&in, (how & 16) != 0);
	fuzz_convert("strace", m.fd, m.files, settings, count, FUZZ_BATCH);
	fuzz_members_close(&m);
	return 0;
}
