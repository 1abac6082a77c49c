/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests: memory that runs out at a chosen allocation. The linker gives all calls of the program
 * to this file.
 */
#ifndef TESTS_FAILING_MALLOC_H
#define TESTS_FAILING_MALLOC_H

#include <stdbool.h>

/* Lets allocation number `at`, from 1 on, fail; for_ever: also all after it. */
void failing_malloc_begin(long at, bool for_ever);
void failing_malloc_end(void);
/* Returns whether an allocation failed since the last begin. */
bool failing_malloc_failed(void);
/* Returns how many allocations are not freed yet. */
long failing_malloc_live(void);

#endif
