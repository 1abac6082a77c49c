/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding many ordinary lines with wide registers, on processors that have them. */
#ifndef LIB_CODEC_AVX2_H
#define LIB_CODEC_AVX2_H

#include "codec.h"

/* Whether this processor can, and gains by it. */
bool decode_avx2_works(void);

/*
 * codec_decode_lines up to the first line that is not for wide registers, or too near to the end. With c->news set: the
 * last record has news.
 */
size_t decode_avx2(struct iot_codec *c, const char **text, const char *end, struct iot_record *rec,
		   size_t max, size_t stride, const struct first_use_handler *on_first_use);

#endif
