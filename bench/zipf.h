/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_ZIPF_H
#define BENCH_ZIPF_H

#include <stddef.h>
#include <stdint.h>

/*
 * n keys of 0 .. distinct - 1 that follow Zipf's law with exponent 0.9; popular keys are not
 * adjacent. Always the same ones. Returns NULL if out of memory; free() frees them.
 */
uint64_t *zipf_keys(size_t n, size_t distinct);

#endif
