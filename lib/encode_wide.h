/* SPDX-License-Identifier: BSD-2-Clause */
/* Hexadecimal lines written with wide registers, on processors where iot_decode_wide_works. */
#ifndef IOT_LIB_ENCODE_WIDE_H
#define IOT_LIB_ENCODE_WIDE_H

#include "line.h"

/* As iot_line_write(out, f, 16). */
char *iot_line_write_wide(char *out, const struct iot_fields *f);

#endif
