/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H

#include <stddef.h>

/* Sorts the values. Returns 0 if there are none. */
double median(double *values, size_t n);

#endif
