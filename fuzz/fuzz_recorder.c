/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the Recorder converter over any bytes; see convert.h.
 *
 * The first byte of an input is options: bits 0-1 --layer, 2 --check, 3 few events at a time. '0'
 * is the default. The files of a trace follow, which the converter gets as a tar; see tar.h.
 */
#include "convert.h"
#include "tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const layers[] = {"posix", "mpiio", "both", "both"};
	struct fuzz_input in = {data, size};
	unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	const struct setting settings[2] = {{"layer", layers[how & 3]}, {"check", ""}};
	int fd = tar_file(&in);
	fuzz_convert("recorder", &fd, 1, settings, how & 4 ? 2 : 1, how & 8 ? 1 : FUZZ_BATCH);
	(void)close(fd);
	return 0;
}
