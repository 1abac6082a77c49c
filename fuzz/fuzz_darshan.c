/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the Darshan converter over any bytes, logs and text; see convert.h.
 *
 * The first byte of an input is options: bits 0-1 --layer, 2 --check, 3 --threads, 4 the log is
 * followed by itself as a second member. '0' is the default.
 */
#include "convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const layers[] = {"posix", "mpiio", "both", "posix"};
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	struct setting settings[3] = {{"layer", layers[how & 3]}};
	size_t count = 1;
	if (how & 4)
		settings[count++] = (struct setting){"check", ""};
	if (how & 8)
		settings[count++] = (struct setting){"threads", ""};
	int fd = fuzz_file(in.data, in.size), twice[2] = {fd, fd};
	fuzz_convert("darshan", twice, how & 16 ? 2 : 1, settings, count, FUZZ_BATCH);
	(void)close(fd);
	return 0;
}
