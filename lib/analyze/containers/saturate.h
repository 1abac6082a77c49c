/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums that stay at the maximum: their value does not depend on the order of the summands. */
#ifndef LIB_ANALYZE_CONTAINERS_SATURATE_H
#define LIB_ANALYZE_CONTAINERS_SATURATE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

static inline uint64_t saturate_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static inline uint128 saturate_add_wide(uint128 a, uint128 b)
{
	return a + b < a ? ~(uint128)0 : a + b;
}

#endif
