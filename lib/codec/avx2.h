/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes runs of ordinary lines with 256-bit registers, on processors that support them. */
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

#endif
