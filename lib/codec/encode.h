/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record to a line, in canonical form (iotrace(5), CANONICAL FORM): which fields a reader would infer and are
 * dropped, which are scaled. encode.c knows every record, encode_wide.c those that are ordinary.
 */
#ifndef LIB_CODEC_ENCODE_H
#define LIB_CODEC_ENCODE_H

#include "record_line.h"

/*
 * codec_encode_lines in hexadecimal, where decode_avx2_works: stops before what is out of the ordinary, too; none of
 * what it encodes has news. There must be a previous record, and room for one.
 */
size_t encode_avx2(struct iot_codec *c, const struct iot_record *rec, size_t n, size_t stride,
		   char *text, size_t capacity, size_t *size);

/* ns / tick by multiplication, exact as ns < 2^63 (iot_codec_init). */
static inline __attribute__((always_inline)) uint64_t encode_to_ticks(const struct iot_codec *c,
								      uint64_t ns)
{
	if (c->tick_ns == 1)
		return ns;
	return (uint64_t)(((uint128)ns * c->tick_reciprocal) >> 64) >> c->tick_shift;
}

#endif
