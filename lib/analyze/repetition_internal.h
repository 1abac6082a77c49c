/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files repetition*.c share: the bits of a hash, and the end of a table. */
#ifndef LIB_ANALYZE_REPETITION_INTERNAL_H
#define LIB_ANALYZE_REPETITION_INTERNAL_H

#include "repetition.h"

/* The low bits of a hash are 0, so that tokens take few bytes in states. */
enum { REPETITION_UNUSED_BITS = 20 };

static inline uint64_t repetition_used_bits(uint64_t hash)
{
	return hash >> REPETITION_UNUSED_BITS << REPETITION_UNUSED_BITS;
}

/* The zero bits with which a hash begins. */
static inline unsigned repetition_level(uint64_t hash)
{
	return hash == 0 ? REPETITION_LEVELS - 1 : (unsigned)__builtin_clzll(hash);
}

void repetition_free_table(struct repetition_table *t);

#endif
