/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the dftracer converter over any bytes, and compares reads of different sizes; see replay.h.
 *
 * The first byte of an input is options: bits 0-1 --ops, 2 the input is cut into two members. '0'
 * is the default.
 */
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ops[] = {"all", "names", "none", "all"};
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	const struct setting setting = {"ops", ops[how & 3]};
	const size_t files = how & 4 ? 2 : 1, half = files == 2 ? in.size / 2 : in.size;
	int fd[2] = {fuzz_file(in.data, half), -1};
	if (files == 2)
		fd[1] = fuzz_file(in.data + half, in.size - half);
	fuzz_convert("dftracer", fd, files, &setting, 1, FUZZ_BATCH);
	replay_compare("dftracer", fd, files, &setting);
	for (size_t i = 0; i < files; i++)
		(void)close(fd[i]);
	return 0;
}
