/* SPDX-License-Identifier: BSD-2-Clause */
/* The ordinary lines and records, with 256-bit registers, on processors that support them. */
#ifndef LIB_CODEC_AVX2_H
#define LIB_CODEC_AVX2_H

#include "codec.h"

/* Returns whether this processor supports the AVX2 codec and gains from it. */
bool decode_avx2_works(void);

/*
 * As codec_decode_lines, up to the first line that needs the scalar decoder or is too close to the
 * end. If c->first_use is set on return, the last record is a first use.
 */
size_t decode_avx2(struct iot_codec *c, const char **text, const char *end, struct iot_record *rec,
		   size_t max, size_t stride, const struct first_use_handler *on_first_use);

/*
 * As codec_encode_lines, for hexadecimal: also stops before a record that is not ordinary; none of
 * the records it encodes is a first use. Requires a previous record, and capacity for one line.
 */
size_t encode_avx2(struct iot_codec *c, const struct iot_record *rec, size_t n, size_t stride,
		   char *text, size_t capacity, size_t *size);

#endif
