/* SPDX-License-Identifier: BSD-2-Clause */
/* Slicing by 8: one table for each byte of a word. */
#include "crc.h"

#include <string.h>

enum { SLICES = 8 };

static uint32_t table[SLICES][256];

void crc_init(void)
{
	const uint32_t polynomial = 0xedb88320;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ ((c & 1) != 0 ? polynomial : 0);
		table[0][i] = c;
	}
	for (int k = 1; k < SLICES; k++)
		for (int i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
}

uint32_t crc_of(const unsigned char *data, size_t words)
{
	uint32_t c = ~UINT32_C(0);
	for (; words > 0; words--, data += 8) {
		uint64_t word;
		memcpy(&word, data, sizeof word);
		word ^= c;
		c = 0;
		for (int k = 0; k < SLICES; k++)
			c ^= table[SLICES - 1 - k][word >> 8 * k & 255];
	}
	return ~c;
}
