/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian numbers in binary formats. */
#ifndef CLI_EXPORT_LITTLE_ENDIAN_H
#define CLI_EXPORT_LITTLE_ENDIAN_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline char *put_u32(char *to, uint32_t v)
{
	v = htole32(v);
	memcpy(to, &v, sizeof v);
	return to + sizeof v;
}

static inline char *put_u64(char *to, uint64_t v)
{
	v = htole64(v);
	memcpy(to, &v, sizeof v);
	return to + sizeof v;
}

#endif
