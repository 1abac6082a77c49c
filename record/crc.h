/* SPDX-License-Identifier: BSD-2-Clause */
/* The CRC-32 of packets, the same as zlib's, which this library must not depend on. */
#ifndef RECORD_CRC_H
#define RECORD_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Call it once before crc_of(). */
void crc_init(void);
/* Returns the CRC of words of 8 bytes. */
uint32_t crc_of(const unsigned char *data, size_t words);

#endif
