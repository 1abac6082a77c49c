/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a record in canonical form (iotrace(5), CANONICAL FORM): determines which fields a reader
 * would infer and are omitted, and which are scaled. encode.c handles every record, encode_avx2.c
 * the ordinary ones.
 */
#ifndef LIB_CODEC_ENCODE_H
#define LIB_CODEC_ENCODE_H

#include "record_line.h"

/*
 * As codec_encode_lines, for hexadecimal where decode_avx2_works: also stops before a record that
 * is not ordinary; none of the records it encodes is a first use. Requires a previous record, and
 * capacity for one line.
 */
size_t encode_avx2(struct iot_codec *c, const struct iot_record *rec, size_t n, size_t stride,
		   char *text, size_t capacity, size_t *size);

/* Computes ns / tick by multiplication; exact because ns < 2^63 (set_reciprocal). */
static inline __attribute__((always_inline)) uint64_t encode_to_ticks(const struct iot_codec *c,
								      uint64_t ns)
{
	if (c->tick_ns == 1)
		return ns;
	return (uint64_t)(((uint128)ns * c->tick_reciprocal) >> 64) >> c->tick_shift;
}

#endif
