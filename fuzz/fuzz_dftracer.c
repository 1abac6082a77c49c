/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the dftracer converter over any bytes. The size of reads must make no difference, and each
 * line must be counted once; see lines.h.
 *
 * The first byte of an input is options: bits 0-1 --ops, 2 the input is cut into two members. '0'
 * is the default.
 */
#include "lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_lines("dftracer", data, size);
}
