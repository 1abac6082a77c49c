/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NHT1_RANDOM_H
#define NHT1_RANDOM_H

#include <stddef.h>
#include <stdint.h>

enum { RANDOM_SEED_MAX = 1000000000 }; /* of an option */

/* Fills memory, whose size is a multiple of 8, with the numbers of xoshiro256** for a seed. */
void random_fill(void *memory, size_t size, uint64_t seed);

#endif
